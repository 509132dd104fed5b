"""Test that training learns, resumes to the bit and is determined by its seed, and check scores by hand."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from core.classify import train
from core.classify.data import Dataset, SplitConfig, make_dataset, shuffled_labels
from core.classify.head import load_head, save_head
from core.classify.model import VARIANTS
from core.classify.scores import best_temperature, calibrated_ece, evaluate, nll, softmax_rows
from core.classify.train import BaselineFit, make_text_fit
from core.common.device import Dropout, initialize, limit, seeded
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.learning import fit
from core.learning.features import Frozen
from core.learning.fit import Fit, forget, learned_mixes
from core.static.vectors import StaticVectors
from tests.core.training.test_trainer import assert_same
from tests.tiny import CONFIG, dataset, table

torch.set_num_threads(1)


def fit_of(variant: str, data: Dataset, parts: Frozen, **changes) -> Fit | BaselineFit:
    return make_text_fit(VARIANTS[variant], data, replace(CONFIG, **changes), parts)


def state(trainer: Fit) -> dict[str, torch.Tensor]:
    """Every tensor that a further step depends on."""
    tensors = {f"network.{k}": v for k, v in trainer.network.state_dict().items()} | {f"best.{k}": v for k, v in trainer.best.items()}
    for number, values in trainer.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{k}": torch.as_tensor(v) for k, v in values.items()}
    tensors["rates"] = torch.tensor([g["lr"] for g in trainer.optimizer.param_groups])
    return {k: v.detach().clone() for k, v in tensors.items()}


@pytest.mark.parametrize("variant", ["embedding+elmo", "tfidf"])
def test_labels_that_say_nothing_are_learned_to_chance(parts, variant):
    data = shuffled_labels(make_dataset("topics", table(900), SplitConfig(test_share=0.4)), seed=1)
    trainer = fit_of(variant, data, parts, epochs=3)
    list(trainer.run())
    assert 0.25 < trainer.finish().meta["test"]["accuracy"] < 0.42  # 1/3 and three standard errors of 360 rows


def test_small_batches_are_trained_on_one_thread_and_it_is_given_back_at_the_end_or_at_a_stop(data, parts, monkeypatch):
    def threads(stop: bool) -> tuple[set[int], int]:
        limit(2)
        return {torch.get_num_threads() for _ in train.run(fit_of("glove", data, parts, epochs=1), lambda: stop)}, torch.get_num_threads()

    with ThreadPoolExecutor(1) as pool:  # in another thread, whose setting no other test uses
        for small, stop, within in ((7, True, 2), (8, True, 1), (8, False, 1)):
            monkeypatch.setattr(train, "SMALL_BATCH", small)
            assert pool.submit(threads, stop).result() == ({within}, 2)


@pytest.mark.parametrize("variant", ["glove-unfrozen", "embedding+elmo"])
def test_four_epochs_equal_a_run_saved_and_loaded_on_the_way_to_the_bit(data, parts, tmp_path, variant):
    whole, cut, resumed = (fit_of(variant, data, parts, epochs=4, plateau=1) for _ in range(3))
    curve = [e for e in whole.run() if e.measures]
    for event in cut.run():
        if event.measures:
            cut.save(tmp_path / "run.pt")
        if event.epoch == 3 and event.step == 2:  # within an epoch: what it did since the last one is lost
            break
    resumed.load(tmp_path / "run.pt")
    rest = [e for e in resumed.run() if e.measures]
    assert_same(state(resumed), state(whole))
    assert [e.measures["valid_loss"] for e in rest] == [e.measures["valid_loss"] for e in curve[2:]]
    assert [(e.epoch, e.epochs, e.step) for e in curve] == [(epoch, 4, curve[0].steps) for epoch in (1, 2, 3, 4)]
    assert curve[0].seconds_left > 0 == pytest.approx(curve[-1].seconds_left, abs=1e-6)
    assert resumed.finish().meta["test"] == whole.finish().meta["test"]


@pytest.mark.parametrize("variant", ["embedding", "glove-unfrozen+elmo"])
def test_two_runs_at_once_each_get_what_their_seed_says(data, parts, variant):
    alone, item, other, third = (fit_of(variant, data, parts, epochs=2, seed=seed) for seed in (0, 0, 0, 1))
    list(alone.run())
    for _ in zip(item.run(), other.run(), third.run(), strict=False):
        torch.rand(3)  # of torch's own generator, which the process shares
    assert_same(state(item), state(alone))
    assert_same(state(other), state(alone))
    assert not torch.equal(third.network.output.weight, item.network.output.weight)


def test_a_run_alone_draws_what_torch_would_after_its_seed():
    """Heads and results made when runs drew from torch's own generator stay as they are."""
    torch.manual_seed(5)
    modules = nn.Embedding(7, 3), nn.LSTM(3, 4, batch_first=True, bidirectional=True), nn.Linear(8, 2), nn.Conv1d(3, 5, 2)
    wanted = [*(p.clone() for module in modules for p in module.parameters()), nn.functional.dropout(torch.ones(50, 40), 0.3)]
    generator = seeded(5)
    for module in modules:
        initialize(module, generator)
    result = [*(p for module in modules for p in module.parameters()), Dropout(0.3, generator)(torch.ones(50, 40))]
    assert all(map(torch.equal, result, wanted))


def test_a_run_whose_twin_has_ended_meanwhile_begins_again(data, parts, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path))
    item, other = (fit_of("embedding", data, parts, epochs=2) for _ in range(2))
    running = train.run(item)
    next(event for event in running if event.measures)  # an epoch is stored
    loading = other.load

    def late(path) -> None:
        list(running)
        forget(item.key)
        loading(path)

    other.load = late
    assert [event.epoch for event in train.run(other) if event.measures] == [1, 2]
    assert_same(state(other), state(item))


def test_a_stopped_run_keeps_the_best_so_far_and_one_stopped_in_its_first_epoch_still_gives_a_head(data, parts):
    trainer, seen = fit_of("glove", data, parts), []
    for event in trainer.run(stop=lambda: len(seen) >= 30):  # in the second epoch
        seen.append(event)
    assert len(seen) == 30 and not trainer.done
    head = trainer.finish()
    for name, tensor in trainer.best.items():
        np.testing.assert_allclose(head.classifier.state_dict()[name], tensor, atol=0.02)
    assert head.meta["epochs"] == 1 and 0 <= head.meta["test"]["accuracy"] <= 1
    trainer = fit_of("glove", data, parts)
    assert len(list(trainer.run(stop=lambda: True))) == 1
    assert trainer.finish().meta["epochs"] == 0


def test_training_ends_when_the_validation_loss_no_longer_falls(parts):
    trainer = fit_of("glove", shuffled_labels(dataset(), seed=0), parts, epochs=60, patience=2)
    curve = [e.measures["valid_loss"] for e in trainer.run() if e.measures]
    assert len(curve) < 60 and int(np.argmin(curve)) == len(curve) - 3 and trainer.done and list(trainer.run()) == []


def test_the_mix_is_held_near_equal_weights_by_its_l2(data, parts):
    free, held = (fit_of("elmo", data, parts, epochs=3, mix_l2=l2) for l2 in (0.0, 10.0))
    for trainer in (free, held):
        list(trainer.run())
    spread = [np.ptp(learned_mixes(trainer.network)["input"]["s"]) for trainer in (free, held)]
    assert spread[1] < 0.02 < spread[0]


def test_bad_losses_vectors_and_checkpoints_are_refused_in_one_sentence(data, parts, tmp_path):
    trainer = fit_of("glove", data, parts)
    with torch.no_grad():
        trainer.network.output.bias.fill_(math.nan)
    with pytest.raises(BadInput, match=r"In epoch 1 the loss is nan"):
        next(trainer.run())
    tagged = StaticVectors(["bank_NOUN"], np.ones((1, 2), np.float32), name="tagged", provenance={})
    with pytest.raises(BadInput, match=r"^No word of the texts is in tagged\. Choose other vectors\.$"):
        fit_of("glove", data, Frozen(vectors=tagged))
    path = tmp_path / "run.pt"
    with pytest.raises(MissingArtifact, match=r"No file .*run\.pt"):
        trainer.load(path)
    trainer.save(path)
    with pytest.raises(CorruptArtifact, match=r"run\.pt .*it belongs to other data"):
        fit_of("glove", dataset(120), parts).load(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CorruptArtifact, match=r"run\.pt is not a readable checkpoint"):
        trainer.load(path)


def test_the_newest_checkpoints_are_kept(private_cache, monkeypatch):
    monkeypatch.setattr(fit, "MOST_CHECKPOINTS", 2)
    folder = private_cache / "training"
    folder.mkdir(parents=True)
    for number in (3, 1, 0, 2):
        (folder / f"{number}.pt").touch()
        os.utime(folder / f"{number}.pt", (number, number))
    run = SimpleNamespace(key="0", load=lambda path: None, run=lambda stop: iter(()))
    assert [*fit.resumed(run)] == [] and {path.stem for path in folder.iterdir()} == {"0", "2", "3"}


def test_scores_by_hand():
    p = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8], [0.45, 0.55]])
    result = evaluate(p, np.array([0, 1, 1, 1, 0]), ["ham", "spam"])
    assert result["confusion"] == [[1, 1], [1, 2]] and result["accuracy"] == pytest.approx(3 / 5) and result["n"] == 5
    assert result["per_class"]["ham"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "n": 2}
    assert result["per_class"]["spam"] == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3, "n": 3})
    assert result["macro_f1"] == pytest.approx((0.5 + 2 / 3) / 2)
    # bins of confidence: 0.9 right; 0.6 wrong; 0.7 right; 0.8 right; 0.55 wrong
    assert result["ece"] == pytest.approx((0.1 + 0.6 + 0.3 + 0.2 + 0.55) / 5)
    assert [(b["low"], b["n"], b["accuracy"]) for b in result["bins"]] == [(0.5, 1, 0), (0.6, 1, 0), (0.7, 1, 1), (0.8, 1, 1), (0.9, 1, 1)]
    assert result["nll"] == pytest.approx(-np.log([0.9, 0.4, 0.7, 0.8, 0.45]).mean())
    result = evaluate(np.array([[0.9, 0.1, 0.0]] * 2), np.array([0, 1]), ["a", "b", "c"])
    assert result["macro_f1"] == pytest.approx(1 / 3)  # of "a" and of "b", which is never predicted; "c" does not count


def test_a_temperature_never_raises_the_loss_and_never_changes_the_answer():
    random = np.random.default_rng(0)
    for scale in np.geomspace(0.1, 30, 40):
        logits = random.normal(size=(random.integers(1, 31), 4)) * scale
        truth = random.integers(4, size=len(logits))
        temperature = best_temperature(logits, truth)
        assert nll(logits, truth, temperature) <= nll(logits, truth) + 1e-12
        assert (softmax_rows(logits, temperature).argmax(1) == logits.argmax(1)).all()


def test_a_calibrated_classifiers_error_is_not_0_and_shrinks_with_its_texts():
    """Compare the chance level from bins with answers drawn one by one, each correct as often as it is sure."""
    rng = np.random.default_rng(0)
    for n in (200, 5_000):
        sure = rng.beta(5, 2, n)
        pairs = np.stack([sure, 1 - sure], axis=1)
        scores = [evaluate(pairs, (rng.random(n) >= sure).astype(int), ["a", "b"]) for _ in range(200)]
        errors = [item["ece"] for item in scores]
        mean, most = calibrated_ece(scores[0]["bins"])
        assert mean == pytest.approx(np.mean(errors), rel=0.12) and most == pytest.approx(np.quantile(errors, 0.95), rel=0.15)
        assert 0 < mean < most < 3 / n**0.5


def test_words_with_line_breaks_survive_the_vocabulary_file(data, parts, tmp_path):
    trainer = fit_of("embedding", data, parts, epochs=1)
    odd = ["a\nb", "c\\n", "d\r", "e\\"]
    trainer.job.vocabulary = type(trainer.job.vocabulary)([*odd, *trainer.job.vocabulary.words[4:]])
    list(trainer.run())
    assert load_head(save_head(trainer.finish(), tmp_path / "head")).vocabulary.words[:4] == tuple(odd)
