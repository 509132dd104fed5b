"""Evaluation of models: what is chosen on training data does not see test data, layer 0 reads no context, and pairs are fair."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.common.errors import BadInput
from core.elmo.models import Model, open_model
from core.index.sense_space import open_space
from core.index.tables import open_table
from core.lab import layer_scores, probes, sense_scores
from core.lab.datasets import SenseSentence, SpanTarget
from core.lab.layer_scores import PairRow, best_threshold, pair_accuracy
from core.lab.sense_scores import AllWords, all_words, cosine_gap
from core.lab.sense_space_map import null_views
from core.senses import evaluate
from core.senses.evaluate import best_weights, static_vectors
from core.text.corpora import open_corpus
from core.text.sentences import LabeledRow
from tests.tiny import tiny_encoder

torch.set_num_threads(1)
SPACES = {"0", "1", "2", "mix", "best_mix"}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Model:
    return Model("tiny", tmp_path_factory.mktemp("tiny"), tiny_encoder(), "0" * 16)


class Hearing:
    """An encoder whose layer 0 is the spelling, layer 1 adds the word before, layer 2 the word after."""

    n_layers, dim = 3, 16

    def encode(self, sentences: list[list[str]], **_) -> list[np.ndarray]:
        result = []
        for tokens in sentences:
            own = np.stack([np.random.default_rng(list(token.encode())).normal(size=16) for token in ["<s>", *tokens, "</s>"]])
            result.append(np.stack([own[1:-1], own[1:-1] + own[:-2], own[1:-1] + own[2:]]).astype(np.float32))
        return result


@pytest.fixture(scope="module")
def hearing(tmp_path_factory) -> Model:
    return Model("hearing", tmp_path_factory.mktemp("hearing"), Hearing(), "1" * 16)


def sense_rows(n: int, seed: int = 0, word: str = "bank") -> list[LabeledRow]:
    """Return rows with the sense "firm" after "money" and "edge" after "river". The words that follow are random."""
    texts = [np.random.default_rng(seed + k).choice(["the", "river", "money", "of", "a", "near", "."], 2).tolist() for k in range(n)]
    cues = (("money", "firm"), ("river", "edge"))
    return [LabeledRow(word, (cues[k % 2][0], word, *text), 1, cues[k % 2][1]) for k, text in enumerate(texts)]


def test_the_weights_of_a_mix_are_chosen_blind_to_the_test_rows(hearing):
    train, test = sense_rows(40), sense_rows(20, seed=1000)
    wrong = [replace(row, label="edge" if row.label == "firm" else "firm") for row in test]
    right, swapped = (evaluate.senses(hearing, train, rows)["best_mix"] for rows in (test, wrong))
    for measure in ("nearest", "centroid"):
        assert right[measure]["weights"] == swapped[measure]["weights"]
        assert right[measure]["macro"] == pytest.approx(1 - swapped[measure]["macro"])


def test_next_to_a_model_stands_what_the_other_words_alone_say_and_differences_are_drawn_by_document(hearing):
    train, test = sense_rows(60), sense_rows(60, seed=1000)
    result = evaluate.senses(hearing, train, test)
    # "money" and "river" name the sense, and the sum of vectors has them, too
    assert result["static"]["vectors"] == "glove-mini" and result["static"]["nearest"]["macro"] > 0.75
    less = {layer: result[layer]["less_static"]["nearest"] for layer in "01"}
    assert less["1"]["mean"] == pytest.approx(1 - result["static"]["nearest"]["macro"], abs=1e-6)
    assert less["0"]["high"] < -0.2 and less["0"]["p"] < 0.01
    assert result["order"]["nearest"]["low"] > 0.2  # layer 2 hears the word after, which says nothing
    rows = [replace(row, document=f"d{k % 3}") for k, row in enumerate(sense_rows(30, seed=1000))]
    result = evaluate.senses(hearing, sense_rows(40), rows)
    assert result["documents"] == result["order"]["nearest"]["groups"] == 3


def documents(n: int) -> list[SenseSentence]:
    sentences = []
    for k in range(n):
        for row in sense_rows(6, seed=100 * k):
            targets = (SpanTarget(1, 2, "bank", "n", f"bank%1:{row.label}"), SpanTarget(0, 1, f"only{k}", "n", "x"))
            sentences.append(SenseSentence(f"d{k}", row.tokens, targets))
    return sentences


def test_all_words_splits_by_document_and_counts_what_training_never_saw(hearing):
    few = all_words(hearing, documents(2), share=0.5)  # without a document to choose weights by
    assert few["best_mix"]["weights"] == pytest.approx([1 / 3] * 3)
    result = all_words(hearing, documents(10), share=0.8)
    assert result.keys() > SPACES and result["documents"] == result["order"]["groups"] == 2
    assert (result["n"], result["n_train"], result["unseen"]) == (24, 96, 12)
    assert result["most_frequent"] == {"accuracy": 0.25} and result["0"]["accuracy"] == 0.25  # the unseen half is wrong
    assert result["1"]["with_frequency"] == {"prior": 0.0, "accuracy": 0.5}
    multiword = SenseSentence("d", ("the", "bank", "of", "rivers"), (SpanTarget(1, 4, "x", "n", "a"),))
    (vector,) = sense_scores._target_vectors(hearing.encoder, [multiword], None)
    np.testing.assert_allclose(vector, hearing.encoder.encode([multiword.tokens])[0][:, 1:4].mean(axis=1), atol=1e-3)


def pair_rows(n: int, seed: int = 0) -> list[PairRow]:
    rows = sense_rows(2 * n, seed)
    sides = [(rows[2 * k], rows[(2 * k + 2 + k % 2) % (2 * n)]) for k in range(n)]
    return [PairRow(a, b, a.label == b.label) for a, b in sides]


def test_pairs_learn_threshold_and_weights_from_dev_and_measure_on_test(hearing):
    dev, test = pair_rows(30), pair_rows(20, seed=5000)
    result = layer_scores.pairs(hearing, dev, test)
    assert (result["n_dev"], result["n"], result["1"]["accuracy"]) == (30, 20, 1)
    swapped = layer_scores.pairs(hearing, dev, [replace(row, same=not row.same) for row in test])
    assert all(swapped[name]["accuracy"] == pytest.approx(1 - result[name]["accuracy"]) for name in SPACES)
    assert swapped["best_mix"]["weights"] == result["best_mix"]["weights"]


def corpus_file(folder, *words: str) -> str:
    numbered = ((n, row) for k, word in enumerate(words) for n, row in enumerate(sense_rows(12, seed=100 * k, word=word)))
    rows = [  # a number makes each sentence another
        {"tokens": [*row.tokens, str(n)], "position": row.position, "word": row.word, "lemma": row.word, "sense": row.label}
        for n, row in numbered
    ]
    (folder / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return str(folder / "own.jsonl")


def test_own_sentences_choose_weights_on_one_half_of_the_words_and_measure_on_the_other(model, tmp_path, monkeypatch):
    used, real = [], sense_scores._two_fold
    noted = lambda score, *rest: real(lambda w, words: used.append(tuple(sorted(words))) or score(w, words), *rest)  # noqa: E731
    monkeypatch.setattr(sense_scores, "_two_fold", noted)
    result = sense_scores.own_sentences(model, corpus_file(tmp_path, "bank", "play", "match", "bar"))
    assert (result["n"], result["words"], result["spellings"], result["majority"], result["order"]["groups"]) == (48, 4, 4, 0.5, 4)
    assert result["1"]["less_static"]["mean"] == pytest.approx(result["1"]["one_nn"] - result["static"]["one_nn"], abs=1e-6)
    assert result["1"]["centered_less"]["mean"] == pytest.approx(result["1"]["centered"] - result["1"]["one_nn"], abs=1e-6)
    assert set(result["1"]["without"]) == {"0", "1", "3", "8"} and result["0"]["without"]["8"]["groups"] == 4
    all_four, half, rest = used[0], used[66], used[132]  # 66 mixes each
    assert all_four == (0, 1, 2, 3) and sorted(half + rest) == [0, 1, 2, 3] and len(half) == 2 and used[198:] == [rest, half]
    assert result["1"]["less_static"]["low"] is None  # four words are too few for an interval


def test_layer_0_has_no_gap_and_draws_senses_at_random(hearing, tmp_path, monkeypatch):
    monkeypatch.setattr(sense_scores, "_find_shared", lambda _: None)  # else every bundled sentence is encoded
    result = sense_scores.own_sentences(hearing, corpus_file(tmp_path, "bank", "play"))
    assert abs(result["0"]["gap"]) < 1e-6 and result["0"]["same"] == pytest.approx(1, abs=1e-5)
    assert result["0"]["one_nn"] == pytest.approx(result["0"]["null"], abs=1e-6) and result["1"]["one_nn"] == 1
    assert result["1"]["gap"] > 0.1 > abs(result["2"]["gap"])
    with pytest.raises(BadInput, match="two words or more"):  # to choose weights on others
        sense_scores.own_sentences(hearing, corpus_file(tmp_path, "bank"))


def test_the_threshold_is_in_the_middle_of_the_widest_best_range_of_dev_cosines():
    result = pair_accuracy([0.1, 0.3, 0.7, 0.9], [False, False, True, True], [0.4, 0.5, 0.6, 0.45], [False, True, True, True])
    assert result == 3 / 4  # the threshold is 0.5, and 0.5 itself is "same"
    # same from 0.2 on: wrong for 0.5; same from 0.9 on: wrong for 0.2; both 3 of 4
    assert best_threshold([0.1, 0.2, 0.5, 0.9], [False, True, False, True]) == (pytest.approx(0.7), 0.75)
    # a value with one of each kind parts nothing: the range goes through it
    assert best_threshold([0.1, 0.4, 0.4, 0.9], [False, True, False, True]) == (pytest.approx(0.5), 0.75)
    noise = np.array([1e-7, -1e-7, 2e-7, 0, 0])  # layer 0: equal up to rounding, which must part nothing
    for same, expected in (([True] * 3 + [False] * 2, 1.0), ([False] * 3 + [True] * 2, 0.0)):
        assert pair_accuracy(1 - noise, same, [1.0, 1 + 3e-7, 1 - 3e-7], [True] * 3) == expected
    assert pair_accuracy([1.0, 1.0], [True, False], [1.0], [True]) == 1.0  # a tie says "same"
    values, truth = np.random.default_rng(0).choice(50, 200) / 50, np.random.default_rng(1).random(200) < 0.5
    threshold, accuracy = best_threshold(values, truth)
    assert accuracy == ((values >= threshold) == truth).mean()
    assert accuracy == max(((values >= other) == truth).mean() for other in [*values, 1.1])


def test_all_words_by_hand():
    bank, run = ("bank", "n"), ("run", "v")
    train = np.array([[1, 0], [3, 0], [0, 1], [1, 1]], float)  # lengths do not matter
    test = np.array([[5, 1], [1, 5], [1, 0], [0, 1], [1, 1], [1, 0]], float)
    keys, senses = [bank, bank, bank, run, ("bank", "v"), run], ["firm", "edge", "edge", "move", "firm", "flow"]
    words = AllWords((train, [bank, bank, bank, run], ["firm", "firm", "edge", "move"]), (test, keys, senses))
    # right: firm, edge, not the third; run has one sense known: right for "move", wrong for "flow"; the verb bank was never seen
    assert words.hits().tolist() == [1, 1, 0, 1, 0, 0] and words.most_frequent().tolist() == [1, 0, 0, 1, 0, 0]
    assert (words.n, words.unseen) == (6, 1)
    # the plain mean (5, 0.5) of "a" would be nearer to (1, 0.4) than "b" is; that of unit vectors, (0.5, 0.5), is not
    train = np.array([[10, 0], [0, 1], [1, 0.3]])
    assert AllWords((train, [bank] * 3, ["a", "a", "b"]), (np.array([[1, 0.4]]), [bank], ["b"])).hits() == 1
    words = AllWords((np.ones((3, 2)), [bank] * 3, ["a", "b", "c"]), (np.ones((1, 2)), [bank], ["a"]))
    assert words.hits() == words.most_frequent() == pytest.approx(1 / 3)
    train, senses = np.eye(2)[[0, 0, 0, 1]], ["river", "river", "river", "money"]
    test = np.array([[0.1, 1.0], [0.1, 1.0], [0.7, 0.75]])
    words = AllWords((train, [bank] * 4, senses), (test, [bank] * 3, ["money", "river", "river"]))
    assert [words.hits(prior).tolist() for prior in (0, 0.1, 10)] == [[1, 0, 0], [1, 0, 1], [0, 1, 1]]


def test_the_best_of_66_mixes_in_tenths_is_found_and_ties_go_to_the_most_even_weights():
    wanted, seen = np.array([0.2, 0.5, 0.3]), []
    weights, score = best_weights(lambda w: seen.append(w) or -float(((w - wanted) ** 2).sum()))
    assert weights == pytest.approx(wanted) and score == pytest.approx(0)
    assert len({tuple(w) for w in seen}) == len(seen) == 66 and {(1, 0, 0), (0, 1, 0), (0, 0, 1)} <= {tuple(w) for w in seen}
    assert all(w.sum() == pytest.approx(1) and (w >= 0).all() for w in seen)
    assert best_weights(lambda w: float(w[1]), 2)[0].tolist() == [0, 1]
    assert sorted(best_weights(lambda w: 1.0)[0]) == pytest.approx([0.3, 0.3, 0.4])
    assert best_weights(lambda w: float(w[2] == 0))[0] == pytest.approx([0.5, 0.5, 0])


def test_the_gap_is_one_sense_minus_two_averaged_over_spellings_that_have_both():
    similarities = np.eye(8)
    for i, j, value in ((0, 1, 0.9), (0, 2, 0.5), (1, 2, 0.3), (3, 4, 0.8), (3, 5, 0.7), (4, 5, 0.7), (6, 7, 0.1)):
        similarities[i, j] = similarities[j, i] = value
    words = ["play"] * 3 + ["plays"] * 3 + ["Play"] * 2  # the last has no pair of one sense
    result = cosine_gap(lambda rows: similarities[np.ix_(rows, rows)], words, list("aabaabab"))
    # play: 0.9 against (0.5 + 0.3) / 2; plays: 0.8 against 0.7
    assert result == (pytest.approx(0.85), pytest.approx(0.55), 2)
    with pytest.raises(BadInput, match="no cosines to compare"):
        cosine_gap(lambda rows: np.eye(len(rows)), ["a", "a", "b"], ["x", "y", "z"])


def test_pairs_of_our_sentences_are_of_one_spelling_half_of_one_sense_and_no_word_is_on_both_sides():
    dev, test = layer_scores.own_pairs(open_corpus("sentences"))
    for part in (dev, test):
        assert len(part) > 500 and sum(row.same for row in part) * 2 == len(part)
        for a, b in ((row.first, row.second) for row in part[:200]):
            assert a.tokens[a.position].casefold() == a.word == b.word == b.tokens[b.position].casefold() and a != b
    assert not {row.first.word for row in dev} & {row.first.word for row in test}


def test_titles_and_tags_that_a_word_gives_away_are_learned_by_every_space(monkeypatch):
    monkeypatch.setattr(probes, "LEAST_STEPS", 100)
    model = open_model("elmo-mini")
    titles = [((noun, "rises", "again"), label) for noun, label in (("river", "a"), ("profit", "b")) for _ in range(20)]
    rows = layer_scores.compare_models("titles", [model], (titles, titles[10:30]))
    assert rows["chance"] == {"": 0.5} and rows["static"] == {"": 1.0}
    assert list(rows["elmo-mini"]) == ["0", "1", "2", "mix", "best_mix"] and set(rows["elmo-mini"].values()) == {1.0}
    tagged = [(("the", "river", "rises"), ("D", "N", "V"))] * 10
    rows = layer_scores.compare_models("tags", [model], (tagged, tagged[:3]))
    assert rows["static"] == rows["chance"] == {"": 1.0} and set(rows["elmo-mini"].values()) == {1.0}
    result = layer_scores.tags(model, tagged, tagged[:3])
    assert (result["n_train"], result["n"], result["tags"], result["order"]["groups"]) == (30, 9, 3, 3)


def test_the_sense_spaces_nulls_share_its_topic_and_nothing_else():
    model = open_model("elmo-mini")
    table, space = open_table("sentences", model, targets_only=True), open_space(model, static_vectors(model))
    views = space.of_rows(table, labeled := table.labeled_rows("bank")[:4])
    ends = np.cumsum(space.widths)[:2]
    layer, topic, substitutes = np.split(views, ends, axis=1)
    made = {name: np.split(null, ends, axis=1) for name, null in null_views(model, space, table, labeled, views)}
    assert list(made) == ["shuffled", "untrained", "topic"]
    for other in made.values():
        np.testing.assert_allclose(other[1], topic, atol=1e-5)
        assert np.abs(other[0] - layer).max() > 0.01 < np.abs(other[2] - substitutes).max()
    assert not made["topic"][0].any() and not made["topic"][2].any()
