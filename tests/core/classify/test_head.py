"""Test heads: answers and their explanations against direct computations, stored and damaged folders, and committees."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from core.classify.explain import explain, near_texts
from core.classify.head import TextHead, classify, load_head, save_head
from core.classify.model import VARIANTS, live_layers
from core.classify.scores import evaluate
from core.classify.train import make_committee, make_text_fit, texts_of, truth_of
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from tests.tiny import CONFIG, dataset

torch.set_num_threads(1)
SINGLE = [variant.name for variant in VARIANTS.values() if not variant.members]
COMMITTEE = VARIANTS["glove-unfrozen+elmo+tfidf"]
FINGERPRINTS = {"model": "f" * 16, "vectors": "e" * 16}
TEXT = ("the", "new", "comet", "says", "goal")
QUICK = replace(CONFIG, epochs=4, learning_rate=0.04)


@pytest.fixture(scope="module")
def trained(data, parts) -> Callable[[str], TextHead]:
    @cache
    def train(name: str) -> TextHead:
        fit = make_text_fit(VARIANTS[name], data, QUICK, parts)
        list(fit.run())
        return fit.finish()

    return train


@pytest.fixture(scope="module")
def given(parts) -> dict:
    return {"vectors": parts.vectors, "layers": parts.layers}


@pytest.mark.parametrize("variant", SINGLE)
def test_every_variant_learns_the_topic_and_answers_the_same_after_it_was_stored(trained, given, data, tmp_path, variant):
    head, texts = trained(variant), texts_of(data.test)
    if variant in ("elmo", "mean-elmo"):  # a random biLM says little of a word: only that something is learned
        assert head.meta["curve"][-1]["loss"] < head.meta["curve"][0]["loss"] - 0.005
    else:
        assert head.meta["test"]["accuracy"] > 0.75
    loaded = load_head(save_head(head, tmp_path / variant), **FINGERPRINTS)
    before, after = head.probabilities(texts, **given), loaded.probabilities(texts, **given)
    np.testing.assert_allclose(after, before, atol=1e-5)
    scored = evaluate(after, truth_of(data.test), loaded.labels)
    assert scored["accuracy"] == pytest.approx(loaded.meta["test"]["accuracy"])
    assert scored["nll"] == pytest.approx(loaded.meta["test"]["nll"], abs=1e-3)


def test_all_heads_answer_on_one_text_from_one_pass_of_the_encoder(trained, given, counted):
    encoder, calls = counted
    heads = {name: trained(name) for name in SINGLE}
    answers = classify(heads, ("the", "new", "comet"), vectors=given["vectors"], layers=live_layers(encoder))
    assert calls == [[["the", "new", "comet"]]] and list(answers) == SINGLE
    for name, answer in answers.items():
        assert list(answer.probabilities) == ["money", "sky", "sport"]
        assert answer.seconds > 0 and (answer.shared_seconds > 0) == VARIANTS[name].elmo


def test_a_head_is_refused_with_another_model_or_other_vectors(trained, tmp_path):
    folder = save_head(trained("glove+elmo"), tmp_path / "head")
    for other, message in (("model", r"tiny \(ffff"), ("vectors", "tiny vectors")):
        with pytest.raises(CorruptArtifact, match=f"was trained with {message}"):
            load_head(folder, **FINGERPRINTS | {other: "0" * 16})
    load_head(save_head(trained("embedding"), tmp_path / "other"), model="0" * 16, vectors="0" * 16)  # it uses neither


def edit(old: str, new: str) -> Callable:
    return lambda folder: (folder / "meta.json").write_text((folder / "meta.json").read_text().replace(old, new))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "weights.safetensors").write_bytes(b"other"), r"weights\.safetensors"),
        (lambda folder: (folder / "vocabulary.txt").write_text("other"), r"vocabulary\.txt"),
        (lambda folder: (folder / "weights.safetensors").unlink(), r"weights\.safetensors"),
        *((edit('"embedding+elmo"', '"bert"'), "bert"), (edit('"elmo_dim": 16', '"elmo_dim": 3'), "cannot be read")),
        (edit('"version": 1', '"version": 99'), "version"),
        (lambda folder: (folder / "meta.json").write_text("{"), r"meta\.json"),
        (lambda folder: (folder / "meta.json").unlink(), r"There is no trained head in .* python -m core train"),
    ],
    ids=["weights", "vocabulary", "missing file", "variant", "shape", "version", "not json", "no head"],
)
def test_a_damaged_head_is_refused_by_name(trained, tmp_path, damage, message):
    folder = save_head(trained("embedding+elmo"), tmp_path / "head")
    damage(folder)
    with pytest.raises((CorruptArtifact, MissingArtifact, BadInput), match=message):
        load_head(folder)


def odds(head: TextHead, label: str, text: tuple[str, ...], **reads) -> float:
    """Return log p / (1 - p) of a label, where 1 - p is what the others sum to."""
    p = dict(zip(head.labels, head.probabilities([text], **reads)[0], strict=True))
    return math.log(p.pop(label) / sum(p.values()))


@pytest.mark.parametrize("name", ["glove", "glove+elmo", "tfidf"])
def test_occlusion_is_what_the_text_without_the_token_loses_and_equal_words_are_shuffled_in_vain(trained, given, name):
    head = trained(name)
    result = explain(head, TEXT, **given)
    complete = odds(head, result.label, TEXT, **given)
    assert result.probability == pytest.approx(1 / (1 + math.exp(-complete)), abs=1e-5)
    without = [TEXT[:k] + TEXT[k + 1 :] for k in range(len(TEXT))]
    assert result.occlusion == pytest.approx([complete - odds(head, result.label, text, **given) for text in without], abs=2e-3)
    if name == "glove+elmo":
        for n in (1, 4):
            result = explain(head, ("comet",) * n, **given)
            assert result.shuffled_probability == pytest.approx(result.probability, abs=1e-6) and len(result.occlusion) == n


def test_context_is_what_the_layers_of_the_word_by_itself_lose(trained, given, parts):
    head = trained("glove+elmo")
    result = explain(head, TEXT, **given)
    exact, alone = parts.layers([TEXT])[0], [item[:, 0] for item in parts.layers([(token,) for token in TEXT])]

    def odds_with(layers: np.ndarray) -> float:
        return odds(head, result.label, TEXT, vectors=parts.vectors, layers=lambda texts: [layers])

    for k, lost in enumerate(result.context):
        changed = exact.copy()
        changed[:, k] = alone[k]
        assert lost == pytest.approx(odds_with(exact) - odds_with(changed), abs=2e-3)
    assert result.context_total == pytest.approx(odds_with(exact) - odds_with(np.stack(alone, axis=1)), abs=2e-3)


def test_the_nearest_training_row_of_a_training_text_is_itself(trained, given, data):
    head, texts = trained("glove+elmo"), [example.tokens for example in data.train]
    result = near_texts(head, texts[7], head.pooled(texts, **given), data, **given, k=3)
    own = data.train[7]
    assert result[0] == (pytest.approx(1, abs=1e-5), own.text, data.labels[own.label])
    assert len(result) == 3 and sorted(result, key=lambda row: -row[0]) == result


@pytest.fixture(scope="module")
def committee(trained, data, parts):
    return make_committee(COMMITTEE, {name: trained(name) for name in COMMITTEE.members}, data, QUICK, parts)


def test_a_committee_gives_the_product_of_its_members_probabilities_and_explains_itself(committee, data, given):
    members, texts = committee.classifier.members, texts_of(data.test)[:20]
    product = np.prod([head.probabilities(texts, **given) for head in members.values()], axis=0)
    result = torch.tensor(committee.logits(texts, **given)).double().softmax(1)
    np.testing.assert_allclose(result, product / product.sum(1, keepdims=True), atol=1e-5)
    assert committee.meta["mix"] == members["glove-unfrozen+elmo"].meta["mix"] and committee.meta["members"] == list(COMMITTEE.members)
    assert committee.meta["test"]["accuracy"] > 0.8
    result = explain(committee, texts[0], **given)
    assert len(result.occlusion) == len(result.context) == len(texts[0]) and result.mix == committee.meta["mix"]
    assert result.probability == pytest.approx(committee.probabilities(texts[:1], **given).max(), abs=1e-5)
    assert np.isfinite(result.context_total) and result.context_total != 0


def test_a_committee_is_stored_with_its_members_or_next_to_them_and_checked_like_any_head(committee, data, given, parts, tmp_path):
    folder, texts = save_head(committee, tmp_path / "head"), texts_of(data.test)[:9]
    loaded = load_head(folder, **FINGERPRINTS)
    np.testing.assert_allclose(loaded.probabilities(texts, **given), committee.probabilities(texts, **given), atol=1e-6)
    with pytest.raises(CorruptArtifact, match="was trained with tiny"):
        load_head(folder, model="0" * 16)
    (folder / "tfidf" / "vocabulary.txt").write_text("other")
    with pytest.raises(CorruptArtifact, match="is damaged"):
        load_head(folder, **FINGERPRINTS)
    for name, head in committee.classifier.members.items():
        save_head(head, tmp_path / name)
    folder = save_head(committee, tmp_path / "committee", members_beside=True)
    assert not (folder / "tfidf").exists()
    np.testing.assert_allclose(load_head(folder).logits(texts, **given), committee.logits(texts, **given), atol=1e-5)
    other = make_text_fit(VARIANTS["tfidf"], dataset(120), QUICK, parts)
    list(other.run())
    save_head(other.finish(), tmp_path / "tfidf")
    with pytest.raises(CorruptArtifact, match="tfidf beside it is another"):
        load_head(folder)
