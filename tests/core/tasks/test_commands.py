"""`tasks fetch`, `train`, `evaluate` and `results`, on tiny files: what one trains the other scores the same; faults are one line and status 2."""

import hashlib
import http.server
import io
import json
import lzma
import threading
import zipfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from core.cli import training
from core.elmo.weights import save_safetensors
from core.files import download, published
from core.tasks import entailment
from core.tasks.heads import TASKS
from core.tasks.task import read_data
from tests.core.files.server import Handler
from tests.tiny import task_recipe, tiny_encoder

torch.set_num_threads(1)


@pytest.fixture
def call_tiny(call, folder, tmp_path):
    """`call_tiny("train", ...)` -> (exit status, stdout, stderr), with tiny files, a tiny model and four vectors."""
    save_safetensors(tiny_encoder().model, tmp_path / "model")
    (tmp_path / "vectors.txt").write_text("ada 0.1 0.2\nsaw 0.3 -0.2\nlund -0.1 0.4\nborn 0.2 0.2\n")
    options = ("--data", folder, "--model", tmp_path / "model", "--vectors", tmp_path / "vectors.txt")
    return lambda *words: call("tasks", *words, *options)


@pytest.mark.parametrize("variant", ["baseline", "elmo"])
def test_what_train_keeps_evaluate_scores_the_same(call_tiny, variant):
    request = ["--task", "entailment", "--variant", variant, "--json"]
    status, out, err = call_tiny("train", *request, "--seed", "3", "--epochs", "1", "--limit-test", "6")
    assert status == 0, err
    made = json.loads(out)
    assert (made["seed"], made["sizes"]["test"], made["whole"]["test"]) == (3, 6, 16) and "dev" in err
    assert bool(made["mixes"]) == (variant == "elmo")
    status, out, err = call_tiny("evaluate", *request)
    assert status == 0 and json.loads(out)["test"] == made["test"], err


def test_the_commands_name_every_task_there_is():
    assert tuple(TASKS) == training.PAPER_TASKS


def test_further_sets_are_named_by_the_commands(call_tiny):
    request = ["--task", "questions", "--variant", "baseline", "--json"]
    status, out, err = call_tiny("train", *request, "--epochs", "1", "--further", "reddit")
    assert status == 0 and json.loads(out)["sizes"]["train"] == 41, err
    status, out, err = call_tiny("evaluate", *request, "--test", "xquad")
    assert status == 0 and json.loads(out)["n"] == 5, err


def test_a_head_that_is_not_there_is_one_line(refused, folder, tmp_path):
    names = ("--task", "names", "--variant", "baseline", "--data", folder, "--heads", tmp_path / "none")
    assert "No trained head for names" in refused("tasks", "evaluate", *names)


class Publisher(Handler):
    """Each of the state's files under its own name."""

    def serve_plain(self, rest, state, data) -> None:
        super().serve_plain(rest, state, state["files"][rest])


def publish(folder: Path) -> dict[str, bytes]:
    """The files of `folder` as their publishers have them: not packed, SNLI's in one archive with further keys."""
    files = {}
    for name in published.TASK_FILES:
        if (packed := folder / f"{name}.xz").is_file():
            files[name] = lzma.decompress(packed.read_bytes())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for part in ("train", "dev", "test"):
            path = folder / "entailment" / f"snli_{'train_33k' if part == 'train' else part}.jsonl.xz"
            rows = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
            packed.writestr(f"snli_1.0/snli_1.0_{part}.jsonl", "".join(json.dumps(row | {"pairID": "x"}) + "\n" for row in rows))
    return files | {"entailment/snli_1.0.zip": archive.getvalue()}


@pytest.fixture
def publisher(monkeypatch, folder):
    """A server on this machine in the publishers' place; its files stand in TASK_FILES with their own sizes and sums."""
    monkeypatch.setattr(download, "BACKOFF_S", 0.01)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as running:
        running.daemon_threads = True
        running.state = {"requests": [], "cut": [], "data": b"", "files": publish(folder)}
        for name, data in running.state["files"].items():
            url = f"http://127.0.0.1:{running.server_port}/plain/{name}"
            facts = {"url": url, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            monkeypatch.setitem(published.TASK_FILES, name, replace(published.TASK_FILES[name], **facts))
        for name in published.TASK_FILES.keys() - running.state["files"]:
            monkeypatch.delitem(published.TASK_FILES, name)
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield running.state
        running.shutdown()
        thread.join()


@pytest.fixture
def fetch(call):
    return partial(call, "tasks", "fetch")


def test_what_is_fetched_is_read_as_the_packed_files_are_and_comes_once(publisher, fetch, folder, tmp_path):
    here = tmp_path / "here"
    status, out, err = fetch(*(f"--only={name}" for name in ("names", "coreference", "questions", "roles")), "--data", str(here), "--json")
    assert status == 0, err
    assert "Google (Webster et al. 2018), Apache-2.0" in err and "roles: nothing to fetch" in err
    assert {file["name"] for file in json.loads(out)["files"]} == {
        name for name in publisher["files"] if not name.startswith(("entailment/", "conll2000/"))
    }
    request = len(publisher["requests"])
    assert fetch("--only", "names", "--data", str(here))[0] == 0 and len(publisher["requests"]) == request
    for name in ("names", "coreference", "questions"):
        assert read_data(TASKS[name], here, task_recipe(name)) == read_data(TASKS[name], folder, task_recipe(name))


def test_snli_is_unpacked_to_the_labeled_pairs_that_are_read(publisher, fetch, folder, tmp_path):
    here = tmp_path / "here"
    assert fetch("--only", "entailment", "--data", str(here))[0] == 0
    found, expected = (read_data(TASKS["entailment"], place, task_recipe("entailment")) for place in (here, folder))
    assert found == expected
    assert len(entailment.unpack(here / "entailment" / "snli_1.0.zip", pairs=3)[0].read_text().splitlines()) == 3


def test_missing_data_names_the_command_that_fetches_it(refused, tmp_path):
    train = ("train", "--task", "coreference", "--variant", "baseline", "--data", tmp_path)
    assert f"fetch it: python -m core tasks fetch --data={tmp_path}" in refused("tasks", *train)


def test_the_sums_are_those_of_the_files_that_the_figures_were_measured_on(data_folder):
    for name, file in published.TASK_FILES.items():
        packed = next((p for p in (data_folder / "tasks" / f"{name}.xz", data_folder / f"{name}.xz") if p.is_file()), None)
        if packed is None:
            assert name.endswith(".zip")
            continue
        data = lzma.decompress(packed.read_bytes())
        assert (len(data), hashlib.sha256(data).hexdigest()) == (file.size, file.sha256), name
