"""`tasks train`, `evaluate` and `results`, on tiny files: what one trains the other scores the same; faults are one line and status 2."""

import json

import pytest
import torch

from core.cli import main
from core.elmo.weights import save_safetensors
from tests.core.classify_parts import tiny_encoder
from tests.core.tasks.task_files import write_files

torch.set_num_threads(1)


@pytest.fixture
def call(capsys, tmp_path):
    """`call("train", ...)` -> (exit status, stdout, stderr), with tiny files, a tiny model and four vectors."""
    write_files(tmp_path / "data")
    save_safetensors(tiny_encoder().model, tmp_path / "model")
    (tmp_path / "vectors.txt").write_text("ada 0.1 0.2\nsaw 0.3 -0.2\nlund -0.1 0.4\nborn 0.2 0.2\n")

    def run(command: str, *arguments: str) -> tuple[int, str, str]:
        given = ["--data", str(tmp_path / "data"), "--model", str(tmp_path / "model"), "--vectors", str(tmp_path / "vectors.txt")]
        capsys.readouterr()
        status = main.main(["tasks", command, *arguments, *given])
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("variant", ["baseline", "elmo"])
def test_what_train_keeps_evaluate_scores_the_same(call, variant):
    asked = ["--task", "entailment", "--variant", variant, "--json"]
    status, out, err = call("train", *asked, "--seed", "3", "--epochs", "1", "--limit-test", "6")
    assert status == 0, err
    made = json.loads(out)
    assert ((made["seed"], made["sizes"]["test"], made["whole"]["test"]) == (3, 6, 16) and "s left" in err) or "dev" in err
    assert bool(made["mixes"]) == (variant == "elmo")
    status, out, err = call("evaluate", *asked)
    assert status == 0 and json.loads(out)["test"] == made["test"], err


def test_a_head_that_is_not_there_and_data_that_is_not_there_are_one_line(call, tmp_path):
    status, out, err = call("evaluate", "--task", "names", "--variant", "baseline", "--heads", str(tmp_path / "none"))
    assert (status, out) == (2, "") and "no trained head for names" in err
    (tmp_path / "data" / "ner" / "wnut17_dev.conll.xz").unlink()
    status, out, err = call("train", "--task", "names", "--variant", "baseline", "--epochs", "1")
    assert status == 2 and "wnut17_dev.conll.xz" in err.splitlines()[-1]
