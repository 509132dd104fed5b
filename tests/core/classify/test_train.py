"""Training: learns what is there and nothing where nothing is, resumes to the bit, and its scores are checked by hand."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from core.classify import tasks as heads
from core.classify.data import SplitConfig, make_dataset, shuffled_labels
from core.classify.head import classify, load_head, save_head
from core.classify.inputs import live_layers
from core.classify.model import VARIANTS, variant_named
from core.classify.scores import best_temperature, calibrated_ece, evaluate, nll, softmax_rows
from core.classify.train import SMALL_BATCH, BaselineFit, TrainConfig, _batches, make_text_fit
from core.common.device import Dropout, first_weights, limit, seeded
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.files import artifacts
from core.files.artifacts import read_json, write_json
from core.learning.features import Frozen
from core.learning.fit import Fit, learned_mixes
from tests.tiny import CONFIG, dataset, table, tiny_encoder

torch.set_num_threads(1)
ALL = [variant for variant in VARIANTS.values() if not variant.members]  # committees: test_classify_committee


@pytest.fixture(scope="module")
def trained(data, parts):
    """A head of every variant."""
    heads = {}
    for variant in ALL:
        trainer = make_text_fit(variant, data, CONFIG, parts)
        events = list(trainer.run())
        heads[variant.name] = trainer.finish()
        assert events[-1].measures is not None
    return heads


def state(trainer: Fit) -> dict[str, torch.Tensor]:
    """Every tensor that a further step depends on."""
    tensors = {f"network.{k}": v for k, v in trainer.network.state_dict().items()} | {f"best.{k}": v for k, v in trainer.best.items()}
    for number, values in trainer.optimizer.state_dict()["state"].items():
        tensors |= {f"adam.{number}.{k}": torch.as_tensor(v) for k, v in values.items()}
    tensors["rates"] = torch.tensor([g["lr"] for g in trainer.optimizer.param_groups])
    return {k: v.detach().clone() for k, v in tensors.items()}


def assert_same(item: dict, other: dict) -> None:
    assert item.keys() == other.keys()
    assert [name for name in item if not torch.equal(item[name], other[name])] == []


@pytest.mark.parametrize("variant", [v.name for v in ALL])
def test_every_variant_learns_which_word_says_the_topic(trained, variant):
    meta = trained[variant].meta
    assert meta["test"]["n"] == 48
    if variant in ("elmo", "mean-elmo"):  # a random biLM says little of a word: only that something is learned
        assert meta["curve"][-1]["train_loss"] < meta["curve"][0]["train_loss"] - 0.005
    else:
        assert meta["test"]["accuracy"] > 0.75


@pytest.mark.parametrize("variant", ["embedding+elmo", "tfidf"])
def test_labels_that_say_nothing_are_learned_to_chance(parts, variant):
    data = shuffled_labels(make_dataset("topics", table(900), SplitConfig(test_share=0.4)), seed=1)
    trainer = make_text_fit(variant_named(variant), data, replace(CONFIG, epochs=3), parts)
    list(trainer.run())
    assert 0.25 < trainer.finish().meta["test"]["accuracy"] < 0.42  # 1/3 and three standard errors of 360 rows


def test_small_batches_are_trained_on_one_thread_and_it_is_given_back_at_the_end_or_at_a_stop(data, parts):
    def threads_of(trainer: Fit, stop: bool) -> tuple[set[int], int]:
        limit(2)
        seen = {torch.get_num_threads() for _ in heads.run(trainer, lambda: stop)}
        return seen, torch.get_num_threads()

    with ThreadPoolExecutor(1) as pool:  # a thread of its own, whose setting is no other test's
        for size, within in ((SMALL_BATCH, 1), (SMALL_BATCH + 1, 2)):
            trainer = make_text_fit(VARIANTS["glove"], data, replace(CONFIG, batch_size=size, seed=size), parts)
            trainer.job.dataset = replace(data, train=data.train * (100 * size // len(data.train) + 1))
            for stop in (True, False):
                assert pool.submit(threads_of, trainer, stop).result() == ({within}, 2)


def test_events_tell_where_a_run_stands(data, parts):
    trainer = make_text_fit(variant_named("glove+elmo"), data, replace(CONFIG, epochs=2), parts)
    events = list(trainer.run())
    steps = math.ceil(len(data.train) / 8)  # of so few texts, batches are smaller than CONFIG's
    assert [(e.epoch, e.step) for e in events] == [(epoch, step) for epoch in (1, 2) for step in range(1, steps + 1)]
    whole = [e for e in events if e.measures]
    assert [e.step for e in whole] == [steps, steps] and all(0 <= e.measures["valid_accuracy"] <= 1 for e in whole)
    assert sum(whole[-1].mixes["input"]["s"]) == pytest.approx(1) and len(whole[-1].mixes["input"]["s"]) == 3 and whole[0].best
    assert events[-1].seconds_left == pytest.approx(0, abs=1e-6) and events[0].seconds_left > 0
    assert [e.seconds for e in events] == sorted(e.seconds for e in events)


@pytest.mark.parametrize("variant", ["glove-unfrozen", "embedding+elmo"])
def test_four_epochs_equal_a_run_saved_and_loaded_on_the_way_to_the_bit(data, parts, tmp_path, variant):
    config = replace(CONFIG, epochs=4, plateau=1)
    whole = make_text_fit(variant_named(variant), data, config, parts)
    curve = [e for e in whole.run() if e.measures]
    cut = make_text_fit(variant_named(variant), data, config, parts)
    for event in cut.run():
        if event.measures:
            cut.save(tmp_path / "run.pt")
        if event.epoch == 3 and event.step == 2:  # within an epoch: what it did since the last one is lost
            break
    resumed = make_text_fit(variant_named(variant), data, config, parts)
    resumed.load(tmp_path / "run.pt")
    rest = [e for e in resumed.run() if e.measures]
    assert_same(state(resumed), state(whole))
    assert [e.measures["valid_loss"] for e in rest] == [e.measures["valid_loss"] for e in curve[2:]]
    assert resumed.finish().meta["test"] == whole.finish().meta["test"]


@pytest.mark.parametrize("variant", ["embedding", "glove-unfrozen+elmo"])
def test_two_runs_at_once_each_get_what_their_seed_says(data, parts, variant):
    """torch's own generator is one for the whole process: they took each other's numbers."""
    config = replace(CONFIG, epochs=2)
    alone = make_text_fit(variant_named(variant), data, config, parts)
    for _ in alone.run():
        pass
    item, other, third = (make_text_fit(variant_named(variant), data, replace(config, seed=seed), parts) for seed in (0, 0, 1))
    for _ in zip(item.run(), other.run(), third.run(), strict=False):
        torch.rand(3)  # and whoever draws besides
    assert_same(state(item), state(alone))
    assert_same(state(other), state(alone))
    assert not torch.equal(third.network.output.weight, item.network.output.weight)


def test_a_run_alone_draws_what_torch_would_after_its_seed():
    """Heads and results made when runs drew from torch's own generator stay as they are."""
    torch.manual_seed(5)
    modules = nn.Embedding(7, 3), nn.LSTM(3, 4, batch_first=True, bidirectional=True), nn.Linear(8, 2), nn.Conv1d(3, 5, 2)
    wanted = [p.clone() for module in modules for p in module.parameters()]
    wanted.append(nn.functional.dropout(torch.ones(50, 40), 0.3))
    generator = seeded(5)
    for module in modules:
        first_weights(module, generator)
    result = [*(p for module in modules for p in module.parameters()), Dropout(0.3, generator)(torch.ones(50, 40))]
    assert all(map(torch.equal, result, wanted))
    still = Dropout(0.3, generator).eval()
    assert torch.equal(still(wanted[0]), wanted[0])


def test_two_that_keep_the_same_run_at_once_both_go_on(tmp_path):
    def keep(number: int) -> None:
        for _ in range(40):
            artifacts.write_checkpoint(tmp_path / "run.pt", {"number": number})

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(keep, number) for number in range(4)]:
            done.result()
    with artifacts.read_checkpoint(tmp_path / "run.pt") as kept:
        assert kept["number"] in range(4)
    assert [path.name for path in tmp_path.iterdir()] == ["run.pt"]


def test_a_run_whose_twin_has_ended_meanwhile_begins_again(data, parts, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path))
    item, other = (make_text_fit(variant_named("embedding"), data, replace(CONFIG, epochs=2), parts) for _ in range(2))
    running = heads.run(item)
    while next(running).measures is None:  # an epoch is kept
        pass
    loading = other.load

    def late(path) -> None:
        for _ in running:
            pass
        loading(path)

    other.load = late
    assert [event.epoch for event in heads.run(other) if event.measures] == [1, 2]
    assert_same(state(other), state(item))


def test_a_stopped_run_keeps_the_best_so_far(data, parts):
    trainer, seen = make_text_fit(variant_named("glove"), data, CONFIG, parts), []
    for event in trainer.run(stop=lambda: len(seen) >= 30):  # in the second epoch
        seen.append(event)
    assert len(seen) == 30 and not trainer.done
    head = trainer.finish()
    for name, tensor in trainer.best.items():
        np.testing.assert_allclose(head.classifier.state_dict()[name], tensor, atol=0.02)
    assert head.meta["epochs"] == 1 and 0 <= head.meta["test"]["accuracy"] <= 1


def test_a_run_stopped_in_its_first_epoch_still_gives_a_head(data, parts):
    trainer = make_text_fit(variant_named("glove"), data, CONFIG, parts)
    assert len(list(trainer.run(stop=lambda: True))) == 1
    assert trainer.finish().meta["epochs"] == 0


def test_training_ends_when_the_validation_loss_no_longer_falls(parts):
    data = shuffled_labels(dataset(), seed=0)
    trainer = make_text_fit(variant_named("glove"), data, replace(CONFIG, epochs=60, patience=2), parts)
    curve = [e.measures["valid_loss"] for e in trainer.run() if e.measures]
    assert len(curve) < 60 and int(np.argmin(curve)) == len(curve) - 3 and trainer.done and list(trainer.run()) == []


def test_texts_of_like_length_share_a_batch_and_every_text_is_in_one(data):
    batches = _batches(data.train, 16, np.random.default_rng(0))
    assert sorted(k for numbers in batches for k in numbers) == list(range(len(data.train)))
    spans = [np.ptp([len(data.train[k].tokens) for k in numbers]) for numbers in batches]
    assert max(spans) <= 3 and batches != _batches(data.train, 16, np.random.default_rng(1))


def test_the_mix_is_held_near_equal_weights_by_its_l2(data, parts):
    free, held = (make_text_fit(variant_named("elmo"), data, replace(CONFIG, epochs=3, mix_l2=l2), parts) for l2 in (0.0, 10.0))
    for trainer in (free, held):
        list(trainer.run())
    spread = [np.ptp(learned_mixes(trainer.network)["input"]["s"]) for trainer in (free, held)]
    assert spread[1] < 0.02 < spread[0]


def test_a_loss_that_is_no_number_ends_the_run_in_one_sentence(data, parts):
    trainer = make_text_fit(variant_named("glove"), data, CONFIG, parts)
    with torch.no_grad():
        trainer.network.output.bias.fill_(math.nan)
    with pytest.raises(BadInput, match=r"In epoch 1 the loss is nan"):
        next(trainer.run())


def test_what_a_variant_needs_and_lacks_is_reported(data):
    for name, lacking in (("elmo", "a model"), ("glove", "word vectors"), ("mean-glove", "word vectors")):
        with pytest.raises(BadInput, match=f"needs {lacking}"):
            make_text_fit(variant_named(name), data, CONFIG, Frozen())
    trainer = make_text_fit(variant_named("tfidf"), data, CONFIG, Frozen())
    assert isinstance(trainer, BaselineFit)
    with pytest.raises(BadInput, match="stopped before it was fitted"):
        trainer.finish()


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"learning_rate": 0}, {"analyzer": "bytes"}, {"max_words": 0}])
def test_a_configuration_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(BadInput):
        TrainConfig(**wrong)


@pytest.mark.parametrize("damage", ["cut", "other data"])
def test_a_checkpoint_that_does_not_fit_is_refused_by_name(data, parts, tmp_path, damage):
    trainer, path = make_text_fit(variant_named("glove"), data, CONFIG, parts), tmp_path / "run.pt"
    with pytest.raises(MissingArtifact, match=r"No file .*run\.pt"):
        trainer.load(path)
    trainer.save(path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:100])
    if damage == "other data":
        trainer = make_text_fit(variant_named("glove"), dataset(120), CONFIG, parts)
    with pytest.raises(CorruptArtifact, match=r"run\.pt (is not a readable checkpoint|does not fit)"):
        trainer.load(path)


def test_scores_by_hand():
    p = np.array([[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8], [0.45, 0.55]])
    result = evaluate(p, np.array([0, 1, 1, 1, 0]), ["ham", "spam"])
    assert result.confusion == ((1, 1), (1, 2)) and result.accuracy == pytest.approx(3 / 5) and result.n == 5
    ham, spam = result.per_class["ham"], result.per_class["spam"]
    assert (ham.precision, ham.recall, ham.f1, ham.n) == (0.5, 0.5, 0.5, 2)
    assert (spam.precision, spam.recall, spam.n) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3)
    assert result.macro_f1 == pytest.approx((0.5 + 2 / 3) / 2)
    # bins of confidence: 0.9 right; 0.6 wrong; 0.7 right; 0.8 right; 0.55 wrong
    assert result.ece == pytest.approx((0.1 + 0.6 + 0.3 + 0.2 + 0.55) / 5)
    assert [(b.low, b.n, b.accuracy) for b in result.bins] == [(0.5, 1, 0), (0.6, 1, 0), (0.7, 1, 1), (0.8, 1, 1), (0.9, 1, 1)]
    assert result.nll == pytest.approx(-np.log([0.9, 0.4, 0.7, 0.8, 0.45]).mean())


def test_a_class_that_is_never_named_scores_nought_and_not_nan():
    result = evaluate(np.array([[0.9, 0.1, 0.0]] * 2), np.array([0, 1]), ["a", "b", "c"])
    assert result.per_class["b"].f1 == 0 and result.per_class["c"].f1 == 0 and result.macro_f1 == pytest.approx(2 / 9)
    with pytest.raises(BadInput):
        evaluate(np.empty((0, 2)), np.empty(0, int), ["a", "b"])


@settings(max_examples=60)
@given(st.integers(2, 5), st.integers(1, 30), st.floats(0.1, 30.0), st.integers(0, 9))
def test_a_temperature_never_raises_the_loss_and_never_changes_the_answer(n_classes, n, scale, seed):
    random = np.random.default_rng(seed)
    logits, truth = random.normal(size=(n, n_classes)) * scale, random.integers(n_classes, size=n)
    temperature = best_temperature(logits, truth)
    assert nll(logits, truth, temperature) <= nll(logits, truth) + 1e-12
    calibrated = softmax_rows(logits, temperature)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1, atol=1e-12)
    assert (calibrated.argmax(1) == logits.argmax(1)).all() or np.ptp(np.sort(logits, 1)[:, -2:], axis=1).min() < 1e-9


@pytest.mark.parametrize("variant", [v.name for v in ALL])
def test_a_head_saved_and_loaded_answers_the_same(trained, parts, data, tmp_path, variant):
    head, texts = trained[variant], [example.tokens for example in data.test]
    loaded = load_head(save_head(head, tmp_path / variant), model="f" * 16, vectors="e" * 16)
    given_parts = {"vectors": parts.vectors, "layers": parts.layers}
    before, after = head.probabilities(texts, **given_parts), loaded.probabilities(texts, **given_parts)
    np.testing.assert_allclose(after, before, atol=1e-5)
    np.testing.assert_allclose(after.sum(axis=1), 1, atol=1e-9)
    assert loaded.labels == head.labels and loaded.meta["test"] == read_json(tmp_path / variant / "meta.json")["test"]
    scored = evaluate(after, np.array([example.label for example in data.test]), head.labels)
    assert scored.accuracy == pytest.approx(head.meta["test"]["accuracy"])
    assert scored.nll == pytest.approx(head.meta["test"]["nll"], abs=1e-3)


def test_a_calibrated_classifiers_error_is_not_0_and_shrinks_with_its_texts():
    """Compare the chance level from bins with answers drawn one by one, each correct as often as it is sure."""
    rng = np.random.default_rng(0)
    for n in (200, 5_000):
        sure, errors = rng.beta(5, 2, n), []
        pairs = np.stack([sure, 1 - sure], axis=1)
        for _ in range(200):
            scores = evaluate(pairs, (rng.random(n) >= sure).astype(int), ["a", "b"])
            errors.append(scores.ece)
        mean, most = calibrated_ece([asdict(b) for b in scores.bins])
        assert mean == pytest.approx(np.mean(errors), rel=0.12) and most == pytest.approx(np.quantile(errors, 0.95), rel=0.15)
        assert 0 < mean < most < 3 / n**0.5
    with pytest.raises(BadInput, match="no example"):
        calibrated_ece([])


def test_frozen_vectors_are_not_stored_and_trained_ones_are_small(trained, parts, tmp_path):
    from safetensors.numpy import load_file

    for name in ("glove", "elmo", "glove+elmo"):
        folder = save_head(trained[name], tmp_path / name)
        assert (folder / "vocabulary.txt").read_text() == ""
        assert not any(key.startswith(("words", "tuned")) for key in load_file(folder / "weights.safetensors"))
    folder = save_head(trained["glove-unfrozen"], tmp_path / "unfrozen")
    words = (folder / "vocabulary.txt").read_text().split("\n")
    assert load_file(folder / "weights.safetensors")["tuned.weight"].shape == (len(words) + 1, parts.vectors.dim)


def test_all_heads_answer_on_one_text_from_one_pass_of_the_encoder(trained, parts):
    encoder = tiny_encoder()
    calls, original = [], encoder.encode
    encoder.encode = lambda sentences: calls.append(len(sentences)) or original(sentences)
    answers = classify(trained, ("the", "new", "comet"), vectors=parts.vectors, layers=live_layers(encoder))
    assert calls == [1] and set(answers) == {variant.name for variant in ALL}
    for name, answer in answers.items():
        assert sum(answer.probabilities.values()) == pytest.approx(1) and list(answer.probabilities) == ["money", "sky", "sport"]
        assert answer.label == max(answer.probabilities, key=answer.probabilities.get)
        assert answer.seconds > 0 and (answer.shared_seconds > 0) == VARIANTS[name].elmo


def test_a_head_is_refused_with_another_model_or_other_vectors(trained, tmp_path):
    folder = save_head(trained["glove+elmo"], tmp_path / "head")
    with pytest.raises(CorruptArtifact, match=r"was trained on other model \(tiny \(ffff"):
        load_head(folder, model="0" * 16, vectors="e" * 16)
    with pytest.raises(CorruptArtifact, match=r"was trained on other vectors \(tiny vectors"):
        load_head(folder, model="f" * 16, vectors="0" * 16)
    load_head(save_head(trained["embedding"], tmp_path / "other"), model="0" * 16, vectors="0" * 16)  # it uses neither


@pytest.mark.parametrize("damage", ["weights", "vocabulary", "missing file", "variant", "shape", "version", "not json"])
def test_a_damaged_head_is_refused_by_name(trained, tmp_path, damage):
    folder = save_head(trained["embedding+elmo"], tmp_path / "head")
    meta = read_json(folder / "meta.json")
    if damage == "weights":
        data = bytearray((folder / "weights.safetensors").read_bytes())
        data[-1] ^= 255
        (folder / "weights.safetensors").write_bytes(data)
    elif damage == "vocabulary":
        (folder / "vocabulary.txt").write_text("other")
    elif damage == "missing file":
        (folder / "weights.safetensors").unlink()
    elif damage == "not json":
        (folder / "meta.json").write_text("{")
    else:
        changed = {"variant": {"variant": "bert"}, "shape": {"shape": {**meta["shape"], "elmo_dim": 3}}, "version": {"version": 99}}
        write_json(folder / "meta.json", meta | changed[damage])
    with pytest.raises((CorruptArtifact, MissingArtifact, BadInput)) as error:
        load_head(folder)
    assert len(str(error.value)) > 20 and "\n" not in str(error.value)


def test_a_folder_without_a_head_says_what_to_do(tmp_path):
    with pytest.raises(MissingArtifact, match=r"There is no trained head in .* python -m core train"):
        load_head(tmp_path)


def test_words_with_line_breaks_survive_the_vocabulary_file(data, parts, tmp_path):
    trainer = make_text_fit(variant_named("embedding"), data, replace(CONFIG, epochs=1), parts)
    odd = ["a\nb", "c\\n", "d\r", "e\\"]
    trainer.job.vocabulary = type(trainer.job.vocabulary)([*odd, *trainer.job.vocabulary.words[4:]])
    list(trainer.run())
    folder = save_head(trainer.finish(), tmp_path / "head")
    assert load_head(folder).vocabulary.words[:4] == tuple(odd)


def test_the_configuration_is_json(data):
    assert json.loads(json.dumps(asdict(CONFIG)))["network"]["word_dim"] == 6
