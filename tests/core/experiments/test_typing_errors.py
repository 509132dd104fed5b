"""Noise: letters disturbed as told and no others, heads asked fairly, accuracies that can be counted again."""

import json

import numpy as np
import pytest

from core.classify.data import MAX_TOKENS
from core.classify.tasks import heads_metas
from core.common.errors import BadInput, CorruptArtifact
from core.experiments.typing_errors import SEEDS, SHARES, accuracy_under_noise, answers_under_noise, disturbed, noisy_tokens, read_accuracy
from core.text.tokens import tokenize
from tests.core.classify_parts import dataset, frozen, tiny_encoder, tiny_vectors, trained_heads

TEXT = "Apple shares slide after chip supplier cuts 3 forecasts, again."
ENCODER, VECTORS = tiny_encoder(), tiny_vectors()


@pytest.fixture(scope="module")
def heads(data):
    """A learned embedding and ELMo on made-up sentences whose label is in one word."""
    return trained_heads(("embedding", "elmo"), data, frozen(ENCODER, VECTORS))


def test_no_share_changes_nothing_and_a_seed_is_kept():
    assert disturbed(TEXT, 0, 3) == TEXT
    assert disturbed(TEXT, 0.2, 3) == disturbed(TEXT, 0.2, 3) != disturbed(TEXT, 0.2, 4)


@pytest.mark.parametrize("seed", range(20))
def test_one_letter_is_disturbed_in_one_of_four_ways(seed: int):
    text = "abcdefghij"
    noisy = disturbed(text, 0.1, seed)
    swapped = {text[:k] + text[k + 1] + text[k] + text[k + 2 :] for k in range(9)}
    dropped = {text[:k] + text[k + 1 :] for k in range(10)}
    doubled = {text[: k + 1] + text[k:] for k in range(10)}
    replaced = len(noisy) == 10 and sum(a != b for a, b in zip(noisy, text, strict=True)) == 1
    assert noisy != text and (noisy in swapped | dropped | doubled or replaced)


def test_all_four_ways_are_drawn_about_as_often():
    text, counts = "abcdefghijklmnopqrst", {"dropped": 0, "doubled": 0, "replaced": 0, "swapped": 0}
    for seed in range(800):
        noisy = disturbed(text, 0.05, seed)
        changed = sum(a != b for a, b in zip(noisy, text, strict=False))
        kind = {19: "dropped", 21: "doubled"}.get(len(noisy), "replaced" if changed == 1 else "swapped")
        counts[kind] += 1
    assert all(150 < count < 250 for count in counts.values()), counts


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("text", [TEXT, "눈이 온다 오늘 밤", "I a 1 2 3 !", "🎉 42", "", "<b>bold</b> & co", "É"])
def test_blanks_digits_and_marks_stay_and_no_word_of_one_letter_goes(text: str, share: float):
    for seed in range(8):
        noisy = disturbed(text, share, seed)
        assert [c for c in noisy if not c.isalpha()] == [c for c in text if not c.isalpha()]
    assert len(disturbed("a b c", 1.0, 0)) >= 5


def test_a_larger_share_disturbs_more():
    distance = [np.mean([disturbed(TEXT, share, seed) != TEXT for seed in range(30)]) for share in SHARES]
    changed = [np.mean([len(set(tokenize(disturbed(TEXT, s, seed))) - set(tokenize(TEXT))) for seed in range(30)]) for s in SHARES]
    assert distance[0] == 0 and distance[1:] == [1] * 4
    assert changed == sorted(changed) and changed[-1] > 2 * changed[1]


def test_a_share_beyond_all_letters_is_refused():
    with pytest.raises(BadInput, match=r"not 1\.5"):
        disturbed(TEXT, 1.5, 0)


def test_noisy_tokens_are_cut_as_training_texts_are():
    assert len(noisy_tokens("word " * 500, 0.1, 0)) == MAX_TOKENS
    assert noisy_tokens(TEXT, 0, 0) == tuple(tokenize(TEXT))


def test_a_clean_text_keeps_its_answer_and_noise_is_measured_on_that(heads, data):
    text = data.test[0].text
    result = answers_under_noise(heads, text, vectors=VECTORS, encoder=ENCODER)
    for name, answer in result.items():
        probabilities = heads[name].probabilities([tuple(tokenize(text))], vectors=VECTORS, layers=frozen(ENCODER, VECTORS).layers)[0]
        assert answer.label == heads[name].labels[int(probabilities.argmax())]
        assert answer.kept.shape == answer.same.shape == (len(SHARES), len(SEEDS))
        np.testing.assert_allclose(answer.kept[0], probabilities.max(), atol=1e-5)
        assert answer.same[0].all()


def test_a_text_that_noise_leaves_without_a_word_is_still_answered(heads):
    result = answers_under_noise(heads, "🎉", vectors=VECTORS, encoder=ENCODER, shares=(0.0, 0.4), seeds=(0,))
    assert all(np.isfinite(answer.kept).all() for answer in result.values())


def test_accuracies_begin_at_the_heads_own_test_scores_and_can_be_counted_again(heads, data):
    message = []
    table = accuracy_under_noise(
        heads, data, vectors=VECTORS, encoder=ENCODER, shares=(0.0, 0.4), seeds=(0, 1), report=lambda *p: message.append(p)
    )
    assert table["n"] == len(data.test) and message[-1] == (3 * len(data.test),) * 2
    for name, head in heads.items():
        assert table["accuracy"][name][0] == pytest.approx([head.meta["test"]["accuracy"]] * 2, abs=1e-6)
    texts = [noisy_tokens(example.text, 0.4, 1) for example in data.test]
    answers = heads["embedding"].probabilities(texts, vectors=None, layers=None).argmax(axis=1)
    right = np.mean(answers == [example.label for example in data.test])
    assert table["accuracy"]["embedding"][1][1] == pytest.approx(right, abs=1e-6)
    # Every label stands in one word: where its letters are wrong, a head of whole words must do worse.
    assert np.mean(table["accuracy"]["embedding"][1]) < table["accuracy"]["embedding"][0][0] - 0.2


def test_only_so_many_texts_are_asked_as_told(heads, data):
    table = accuracy_under_noise(heads, data, vectors=VECTORS, encoder=ENCODER, shares=(0.0,), seeds=(0,), limit=7)
    assert table["n"] == 7


def test_heads_of_other_data_are_refused_for_they_may_have_seen_the_texts(heads):
    with pytest.raises(BadInput, match="may have seen these topics texts"):
        accuracy_under_noise(heads, dataset(120), vectors=VECTORS, encoder=ENCODER)


def test_a_table_is_read_back_and_what_is_none_is_named(tmp_path, heads, data):
    path = tmp_path / "noise.json"
    assert read_accuracy(path) == {}
    table = accuracy_under_noise(heads, data, vectors=VECTORS, encoder=ENCODER, shares=(0.0, 0.4), seeds=(0,), limit=9)
    path.write_text(json.dumps({"topics": table | {"model": "f" * 16}, "others": table | {"model": None}}))
    assert read_accuracy(path)["others"]["accuracy"] == table["accuracy"] and set(read_accuracy(path)) == {"topics", "others"}
    for broken in (table, {"topics": table}, {"topics": table | {"model": "m", "accuracy": {"elmo": [[1.0]]}}}):
        path.write_text(json.dumps(broken))
        with pytest.raises(CorruptArtifact, match="has no noise results"):
            read_accuracy(path)


def test_what_ships_was_measured_on_the_heads_that_ship():
    measured = read_accuracy()
    assert len(measured) >= 4
    for task, table in measured.items():
        metas = heads_metas(task)
        assert {meta["data"] for meta in metas.values()} == {table["data"]}, f"{task} was trained anew: python -m core noise --task {task}"
