"""Test the results file: the arithmetic of the paper, runs that are not repeated, and means over runs."""

from dataclasses import replace

import pytest
import torch

from core.files.artifacts import read_json, write_json
from core.tasks.heads import TASKS
from core.tasks.results import PAPER, RunPlan, curves, error_reduction, measure, read_results, summaries
from tests.tiny import task_recipe

torch.set_num_threads(1)


def test_error_reduction_is_the_papers():
    published = {"questions": 24.9, "entailment": 5.8, "roles": 17.2, "coreference": 9.8, "names": 21, "sentiment": 6.8}
    found = {task: 100 * error_reduction(PAPER[task].baseline / 100, PAPER[task].elmo / 100) for task in published}
    assert found == pytest.approx(published, abs=0.3)


@pytest.fixture
def run(folder, given, tmp_path):
    def made(task, **plan) -> list[dict]:
        plan = {"seeds": (0,), "controls": False} | plan
        return list(measure([task], folder, *given, plan=RunPlan(**plan), output=tmp_path))

    return made


def test_runs_are_made_once_and_summed_up(run, tmp_path):
    task, plan = replace(TASKS["names"], recipe=task_recipe("names")), {"seeds": (0, 1), "controls": True}
    first = run(task, **plan)
    assert len(first) == 5 and sum(item["recipe"]["random_labels"] for item in first) == 1 and run(task, **plan) == []
    assert {p.parent.name for p in tmp_path.glob("names/*/weights.safetensors")} == {"baseline", "elmo"}
    runs = read_results(tmp_path / "results.json")
    assert len(runs) == 5 and all(item["command"].endswith("--only names") for item in runs)
    summary = summaries(runs)["names"]
    scores = [item["test"]["f1"] for item in runs if item["variant"] == "elmo" and not item["recipe"]["random_labels"]]
    assert summary.seeds == 2 and summary.elmo == pytest.approx(sum(scores) / 2) and summary.sizes == {"train": 8, "dev": 8, "test": 8}
    assert sum(summary.mixes["input"]) == pytest.approx(1, abs=1e-3) and summary.control is not None
    other = runs[0] | {"task": "chunks", "model": "0" * 16}
    write_json(tmp_path / "results.json", read_json(tmp_path / "results.json", expect=dict) | {"runs": [*runs, other]})
    changed = replace(task, recipe=replace(task.recipe, epochs=1))  # another recipe: its run replaces the old one, and other weights' go
    assert len(run(changed)) == 2 and len(read_results(tmp_path / "results.json")) == 5


def test_a_learning_curve_is_run_next_to_and_never_in_place_of_the_whole(run, tmp_path, monkeypatch):
    task = replace(TASKS["roles"], recipe=task_recipe("roles"))
    monkeypatch.setitem(TASKS, "roles", task)
    run(task)
    assert curves(read_results(tmp_path / "results.json")) == {}
    before = (tmp_path / "roles" / "elmo" / "meta.json").read_bytes()
    assert [item["sizes"]["train"] for item in run(task, curve=(4, 8))] == [4, 4, 8, 8]
    assert (tmp_path / "roles" / "elmo" / "meta.json").read_bytes() == before
    runs = read_results(tmp_path / "results.json")
    (curve,) = curves(runs).values()
    assert [size for size, *_ in curve] == [4, 8, 16]
    assert curve[2][1:] == (summaries(runs)["roles"].baseline, summaries(runs)["roles"].elmo)
    other = [item | {"recipe": item["recipe"] | {"hidden": 9}} for item in runs if item["sizes"]["train"] == 4]
    assert [size for size, *_ in curves([item for item in runs if item["sizes"]["train"] != 4] + other)["roles"]] == [8, 16]
    limited = replace(TASKS["names"], recipe=task_recipe("names", train_limit=2, dev_limit=1, test_limit=1))
    assert [item["sizes"]["train"] for item in run(limited, curve=(6,))] == [2, 2, 6, 6]  # a curve may pass the limit of its task


def test_a_task_of_folds_is_run_once_for_each_and_keeps_no_head(run, tmp_path):
    made = run(replace(TASKS["wikigold"], recipe=task_recipe("wikigold", epochs=1)))
    assert [item["seed"] for item in made] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] and not (tmp_path / "wikigold").exists()
    assert summaries(made)["wikigold"].seeds == 5
