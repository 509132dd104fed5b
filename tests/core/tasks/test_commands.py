"""Test the commands `tasks fetch`, `train` and `evaluate` on tiny files."""

import json
import lzma
import zipfile

import pytest
import torch

from core.cli import training
from core.elmo.weights import save_safetensors
from core.files import published
from core.tasks import entailment
from core.tasks.heads import TASKS
from core.tasks.task import read_data
from tests.tiny import task_recipe, tiny_encoder

torch.set_num_threads(1)


@pytest.fixture
def call_tiny(call, folder, tmp_path):
    """Return a function that calls a command with tiny files, a tiny model and four vectors: (exit status, stdout, stderr)."""
    save_safetensors(tiny_encoder().model, tmp_path / "model")
    (tmp_path / "vectors.txt").write_text("ada 0.1 0.2\nsaw 0.3 -0.2\nlund -0.1 0.4\nborn 0.2 0.2\n")
    options = ("--data", folder, "--model", tmp_path / "model", "--vectors", tmp_path / "vectors.txt")
    return lambda *words: call("tasks", *words, *options)


@pytest.mark.parametrize(
    ("task", "variant", "options", "sizes"),
    [
        *(("entailment", "baseline", ["--limit-test", "6"], (16, 6)), ("entailment", "elmo", ["--limit-test", "6"], (16, 6))),
        ("questions", "baseline", ["--further", "reddit"], (41, 8)),
    ],
)
def test_what_train_keeps_evaluate_scores_the_same(call_tiny, task, variant, options, sizes):
    request = ["--task", task, "--variant", variant, "--json"]
    status, out, err = call_tiny("train", *request, "--seed", "3", "--epochs", "1", *options)
    assert status == 0 and "dev" in err, err
    made = json.loads(out)
    assert (made["seed"], made["sizes"]["train"], made["sizes"]["test"]) == (3, *sizes)
    assert bool(made["mixes"]) == (variant == "elmo")
    status, out, err = call_tiny("evaluate", *request)
    assert status == 0 and json.loads(out)["test"] == made["test"], err
    if task == "questions":
        assert json.loads(call_tiny("evaluate", *request, "--test", "xquad")[1])["n"] == 5


def test_a_missing_head_and_missing_data_are_one_line_that_says_what_to_do(refused, folder, tmp_path):
    names = ("--task", "names", "--variant", "baseline", "--data", folder, "--heads", tmp_path / "none")
    assert "No trained head for names" in refused("tasks", "evaluate", *names)
    train = ("train", "--task", "coreference", "--variant", "baseline", "--data", tmp_path)
    assert f"fetch it: python -m core tasks fetch --data={tmp_path}" in refused("tasks", *train)


def test_fetch_downloads_the_files_of_the_named_tasks_and_says_what_is_made_by_hand(call, monkeypatch, tmp_path):
    assert tuple(TASKS) == training.PAPER_TASKS
    fetched = []
    monkeypatch.setattr(training, "fetch_files", lambda names, *_: (fetched.extend(names), ({}, ""))[1])
    status, _, err = call("tasks", "fetch", "--only", "coreference", "--only", "roles", "--data", tmp_path)
    assert status == 0 and "roles: nothing to fetch" in err
    assert fetched == [name for name in published.TASK_FILES if name.startswith("coref/")] and len(fetched) == 3


def test_snli_is_unpacked_to_the_labeled_pairs_that_are_read(folder, tmp_path):
    archive = tmp_path / "entailment" / "snli_1.0.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as packed:
        for part in ("train", "dev", "test"):
            path = folder / "entailment" / f"snli_{'train_33k' if part == 'train' else part}.jsonl.xz"
            rows = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
            packed.writestr(f"snli_1.0/snli_1.0_{part}.jsonl", "".join(json.dumps(row | {"pairID": "x"}) + "\n" for row in rows))
    paths = entailment.unpack(archive)  # as unpacked files
    found, expected = (read_data(TASKS["entailment"], place, task_recipe("entailment")) for place in (tmp_path, folder))
    assert len(paths) == 3 and found == expected
    paths[0].unlink()
    paths[1].write_text("mine")
    assert len(entailment.unpack(archive, pairs=3)[0].read_text().splitlines()) == 3 and paths[1].read_text() == "mine"
