"""The results file: the paper's own arithmetic, runs that are not run twice, and means that are right."""

from dataclasses import replace

import pytest
import torch

from core.elmo.models import Model
from core.files.artifacts import read_json
from core.tasks import results
from core.tasks.heads import TASKS
from core.tasks.results import PAPER, RunPlan, curves, error_reduction, measure, read_results, summaries
from tests.tiny import task_recipe, tiny_encoder, tiny_vectors, write_task_files

torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("task", "per_cent"),
    [("questions", 24.9), ("entailment", 5.8), ("roles", 17.2), ("coreference", 9.8), ("names", 21), ("sentiment", 6.8)],
)
def test_error_reduction_is_the_papers(task, per_cent):
    row = PAPER[task]
    assert 100 * error_reduction(row.baseline / 100, row.elmo / 100) == pytest.approx(per_cent, abs=0.3)


def test_runs_are_made_once_and_summed_up(tmp_path):
    folder, output = write_task_files(tmp_path / "data"), tmp_path / "out"
    task = replace(TASKS["names"], recipe=task_recipe("names"))
    given = Model("tiny", tmp_path, tiny_encoder(), "f" * 16), tiny_vectors()
    first = list(measure([task], folder, *given, plan=RunPlan(seeds=(0, 1)), output=output))
    assert len(first) == 5 and sum(run["recipe"]["random_labels"] for run in first) == 1
    assert list(measure([task], folder, *given, plan=RunPlan(seeds=(0, 1)), output=output)) == []
    assert {p.parent.name for p in output.glob("names/*/weights.safetensors")} == {"baseline", "elmo"}
    runs = read_results(output / "results.json")
    assert len(runs) == 5 and all(run["command"].endswith("--only names") for run in runs)
    item = summaries(runs)["names"]
    scores = [run["test"]["f1"] for run in runs if run["variant"] == "elmo" and not run["recipe"]["random_labels"]]
    assert item.seeds == 2 and item.elmo == pytest.approx(sum(scores) / 2) and item.sizes == {"train": 8, "dev": 8, "test": 8}
    assert sum(item.mixes["input"]) == pytest.approx(1, abs=1e-3) and item.control is not None
    changed = replace(task, recipe=replace(task.recipe, epochs=1))  # another recipe: its run takes the old one's place
    assert len(list(measure([changed], folder, *given, plan=RunPlan(seeds=(0,), controls=False), output=output))) == 2
    assert len(read_results(output / "results.json")) == 5


def test_a_learning_curve_is_run_next_to_and_never_in_place_of_the_whole(tmp_path, monkeypatch):
    folder, output = write_task_files(tmp_path / "data"), tmp_path / "out"
    task = replace(TASKS["roles"], recipe=task_recipe("roles"))
    monkeypatch.setitem(TASKS, "roles", task)
    given = Model("tiny", tmp_path, tiny_encoder(), "f" * 16), tiny_vectors()
    list(measure([task], folder, *given, plan=RunPlan(seeds=(0,), controls=False), output=output))
    assert curves(read_results(output / "results.json")) == {}
    before = (output / "roles" / "elmo" / "meta.json").read_bytes()
    made = list(measure([task], folder, *given, plan=RunPlan(seeds=(0,), controls=False, curve=(4, 8)), output=output))
    assert [run["sizes"]["train"] for run in made] == [4, 4, 8, 8]
    assert (output / "roles" / "elmo" / "meta.json").read_bytes() == before
    runs = read_results(output / "results.json")
    (curve,) = curves(runs).values()
    assert [size for size, *_ in curve] == [4, 8, 16]
    assert curve[2][1:] == (summaries(runs)["roles"].baseline, summaries(runs)["roles"].elmo)
    other = [item | {"recipe": item["recipe"] | {"hidden": 9}} for item in runs if item["sizes"]["train"] == 4]
    assert [size for size, *_ in curves([item for item in runs if item["sizes"]["train"] != 4] + other)["roles"]] == [8, 16]


def test_a_task_of_folds_is_run_once_for_each_and_keeps_no_head(tmp_path):
    folder, output = write_task_files(tmp_path / "data"), tmp_path / "out"
    task = replace(TASKS["wikigold"], recipe=task_recipe("wikigold", epochs=1))
    given = Model("tiny", tmp_path, tiny_encoder(), "f" * 16), tiny_vectors()
    made = list(measure([task], folder, *given, plan=RunPlan(seeds=(0,), controls=False), output=output))
    assert [run["seed"] for run in made] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] and not (output / "wikigold").exists()
    assert summaries(made)["wikigold"].seeds == 5


def test_without_runs_there_is_nothing_to_say(tmp_path):
    assert read_results(tmp_path / "none.json") == [] and summaries([]) == {}


def test_what_ships_is_one_file_of_runs():
    if results.FOLDER.is_dir():
        message = read_json(results.FOLDER / "results.json", expect=dict)
        assert message["format"] == results.FORMAT and summaries(message["runs"])
