"""A record is what today's code gives: one small run per experiment is made again and compared with its record."""

from functools import cache
from pathlib import Path

import pytest

from core.classify import tasks
from core.classify.data import Dataset
from core.classify.model import VARIANTS
from core.elmo.models import open_model
from core.evaluation import experiments
from core.evaluation.experiments import EXPERIMENTS
from core.lab import variants
from core.static.vectors import open_vectors

BUNDLED = [name for name, experiment in EXPERIMENTS.items() if experiment.task == "headlines"]
SMALL = ("tfidf", "mean-glove")  # nothing is random in these, and each trains in seconds


@cache
def records() -> dict[tuple[str, str, int], dict]:
    return {(line["experiment"], line["variant"], line["fold"]): line for line in experiments.read_results() if line["seed"] == 0}


def run_again(name: str, variant_name: str, folder: Path) -> tuple[dict, Dataset]:
    """Train one variant of an experiment's first fold and return its scores."""
    experiment, variant = EXPERIMENTS[name], VARIANTS[variant_name]
    dataset = variants._dataset(experiment, folder, 0)
    frozen = tasks.freeze([variant], dataset, open_model("elmo-mini"), open_vectors("glove-mini"))[variant_name]
    config = variants._config(experiment, 0)
    head = tasks.train_head(variant, dataset, config, frozen, {}, open_model("elmo-mini").encoder.device)
    return head.meta["test"], dataset


def check(name: str, folder: Path) -> None:
    recorded = [records()[name, variant_name, 0] for variant_name in SMALL if (name, variant_name, 0) in records()]
    if not experiments.are_current(recorded) or not recorded:
        pytest.skip(f"{name} was not run with today's recipe, and the Results page says so")
    for record in recorded:
        variant_name = record["variant"]
        scores, dataset = run_again(name, variant_name, folder)
        assert record["data"] == dataset.fingerprint
        assert scores["n"] == record["n"]
        assert scores["accuracy"] == pytest.approx(record["accuracy"], abs=1 / record["n"]), (
            f"{variant_name}: raise RECIPE_NUMBER in core/evaluation/experiments.py, or find what changed the figure"
        )


@pytest.mark.parametrize("name", BUNDLED)
def test_a_run_on_our_headlines_gives_its_record_again(name, tmp_path):
    check(name, tmp_path)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in BUNDLED])
def test_a_run_on_public_data_gives_its_record_again(name, data_folder):
    check(name, data_folder)


def test_a_run_of_an_earlier_recipe_is_not_taken_for_todays():
    assert experiments.are_current([{"recipe_number": experiments.RECIPE_NUMBER}])
    assert not experiments.are_current([{"recipe_number": experiments.RECIPE_NUMBER}, {}])
    assert not experiments.are_current([{"recipe_number": experiments.RECIPE_NUMBER - 1}])
