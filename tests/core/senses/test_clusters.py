"""Senses without labels: what is known is found, what is one stays one, and what is exported reads back."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, v_measure_score

from core.common.directions import unit
from core.common.errors import BadInput
from core.corpus.label_files import format_rows, tokens_of
from core.elmo.language_model import Prediction
from core.senses import clusters
from core.text.sentences import read_labeled, read_sentences
from core.text.tokens import tokenize


@pytest.fixture(autouse=True)
def fewer_clouds(monkeypatch):
    monkeypatch.setattr(clusters, "DRAWS", 39)  # as many as a rank needs to lie below 1 in 20


def blob(seed: int, n: int = 60, dims: int = 64) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dims)).astype(np.float32)


def directions(rows: np.ndarray) -> np.ndarray:
    return clusters.directions(rows, ["a"] * len(rows))


def test_two_well_separated_clusters_are_found_and_suggested():
    rows = blob(0)
    rows[:25] += 2.0
    result = clusters.clusters(directions(rows), 2)
    assert result.tolist() == [1] * 25 + [0] * 35 and clusters.suggest(directions(rows)).number == 2  # the larger comes first
    for seed in range(3):  # sentences that repeat each other
        rows = np.repeat(np.random.default_rng(seed).normal(size=(2, 1024)), 20, axis=0)
        suggestion = clusters.suggest(unit(rows - rows.mean(axis=0)).astype(np.float32))
        assert np.isfinite([suggestion.p, *suggestion.silhouettes, *suggestion.limit]).all() and suggestion.best == 2


@pytest.mark.parametrize("seed", range(4))
def test_the_number_suggested_is_what_the_picture_shows(seed):
    """Draw clouds of two to five clusters. The suggested number is that of the highest filled dot."""
    rng = np.random.default_rng(seed)
    number = 2 + seed % 4
    middles = rng.normal(size=(number, 64)) * (3, 5, 8)[seed % 3]
    middles[1:] += middles[0] * (seed % 2)
    s = clusters.suggest(directions(blob(seed, n=60) + np.repeat(middles, -(-60 // number), axis=0)[:60]), seed=seed)
    heights, limits = dict(zip(clusters.NUMBERS, s.silhouettes, strict=True)), dict(zip(clusters.NUMBERS, s.limit, strict=True))
    drawn = {k: heights[k] for k in clusters.NUMBERS if k not in s.small}
    is_clear = any(heights[k] > limits[k] for k in clusters.NUMBERS)
    assert s.number == (max(drawn, key=drawn.get) if is_clear else 1)


def test_neither_one_cloud_nor_fewer_than_five_sentences_make_a_sense():
    assert [clusters.suggest(directions(blob(seed)), seed=seed).number for seed in range(6)] == [1] * 6
    assert clusters.suggest(directions(blob(0, n=clusters.SAMPLE + 50))).number == 1  # of which a sample is looked at
    alike = clusters.directions(np.ones((12, 8)), ["a"] * 12)
    assert clusters.suggest(alike).number == 1 and set(clusters.clusters(alike, 3)) == {0}
    rows = directions(blob(1) + np.repeat(np.eye(3, 64) * 14, [28, 28, 4], axis=0))
    s = clusters.suggest(rows)
    assert s.number == 2 and (3 in s.small) == (s.silhouettes[1] > s.silhouettes[0])
    assert np.bincount(clusters.clusters(rows, 2)).min() >= 5 > 4 == np.bincount(clusters.clusters(rows, 3)).min()


@pytest.mark.parametrize(("sentences", "number"), [([10, 10], 1), ([19, 1], 1), ([7, 7, 7], 3), ([12], 1), ([4, 4, 4], 1)])
def test_repeated_sentences_make_as_many_groups_as_differ_at_most(sentences, number):
    rows = directions(np.repeat(blob(2, n=len(sentences), dims=8), sentences, axis=0))
    assert clusters.suggest(rows).number == clusters.suggest(rows[::-1]).number == number


def test_agreement_equals_scikit_learn_and_does_not_praise_many_groups():
    rng = np.random.default_rng(0)
    for n, groups in product((2, 40), (1, 2, 5)):
        gold, result = np.arange(n) % max(2, n // 3), rng.permutation(np.arange(n) % groups)
        scores = clusters.agreement(gold.astype(str), result, rounds=3)
        assert (scores.rand, scores.v) == pytest.approx((adjusted_rand_score(gold, result), v_measure_score(gold, result)))
    gold, result = rng.integers(0, 2, 600).astype(str), np.arange(600) // 3  # two hundred groups that know nothing
    scores = clusters.agreement(gold, result, rounds=5)
    assert scores.v > 0.05 and abs(scores.mutual) < 0.02


def test_what_a_spelling_shares_is_taken_away():
    rows = blob(2)
    rows[::2] += 3.0  # every other one is of another spelling, and of no other sense
    spellings = np.arange(60) % 2
    raw, less = (clusters.clusters(clusters.directions(rows, given), 2) for given in (np.zeros(60), spellings))
    assert adjusted_rand_score(spellings, raw) > 0.9
    assert abs(adjusted_rand_score(spellings, less)) < 0.1


def test_a_row_has_shares_in_groups_by_nearness_and_is_typical_near_its_own_center():
    rows = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0.6, 0.8]], np.float32)
    shares = clusters.shares(rows, np.array([0, 0, 1, 1, 0]))
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-5)
    odds = np.exp(clusters.SHARPNESS * (0.8 - 0.6))  # the last row's own group is where the two others of it are
    np.testing.assert_allclose(shares[4, 1] / shares[4, 0], odds, rtol=1e-4)
    assert shares[2, 1] > 0.9 and clusters.shares(rows, np.zeros(5, int)).tolist() == [[1]] * 5
    own, margin = clusters.closeness(rows, np.array([0, 0, 1, 1, 0]))
    assert margin.argmin() == 4 and own.min() == own[4]
    assert np.array_equal(*clusters.closeness(rows, np.zeros(5, int)))


def test_groups_are_told_apart_by_telling_words_and_named_by_substitutes_else_by_words():
    boats, money = ((Prediction("hill", 0.5), Prediction("the", 0.3)), (Prediction("firm", 0.4), Prediction("the", 0.4)))
    first, second = clusters.telling_substitutes([boats, boats, money], np.array([0, 0, 1]))
    assert first[0][0] == "hill" and second[0][0] == "firm" and first[0][1] > dict(first)["the"]
    assert clusters.name_of(first, [("river", 1.0)]) == "hill, the"
    assert clusters.name_of([], [("river", 2.0), ("boats", 1.0)]) == "river · boats"
    assert clusters.telling_substitutes([(), ()], np.array([0, 1])) == [[], []]
    tokens = tokenize("The banks of the River Cam were 40 m wide, they said, bank manager?")  # the manager stands too far off
    assert clusters.content_words(tokens, 1, without=["bank"]) == ["river", "cam", "wide", "said"]
    contexts = [["river", "water", "old"], ["river", "grass", "old"], ["money", "loan", "old"], ["money", "clerk", "old"]] * 3
    first, second = clusters.telling_words(contexts, np.array([0, 0, 1, 1] * 3), Counter(old=20, river=5, money=5))
    assert first[0][0] == "river" and second[0][0] == "money"
    assert abs(dict(first)["old"]) < 0.5  # says the same of both


def test_too_few_sentences_are_refused_in_words():
    with pytest.raises(BadInput, match="At least 10"):
        clusters.suggest(blob(0, n=9))
    with pytest.raises(BadInput, match="Choose 1 to"):
        clusters.clusters(blob(0, n=3), 4)


def test_exported_groups_read_back_as_guesses_and_never_as_labels(table, tmp_path):
    occurrences, labels = [table.occurrence(int(row)) for row in table.labeled_rows("bank")[:2]], ["river, water", '"money" <b>']
    path = tmp_path / "bank.jsonl"
    path.write_text(format_rows("bank", zip(tokens_of(occurrences), labels, strict=True), is_given=False), "utf-8")
    found = [(s.tokens, item.position, item.sense, item.guess, item.lemma) for s in read_sentences(path) for item in s.targets]
    assert found == [(o.tokens, o.position, None, label, "bank") for o, label in zip(occurrences, labels, strict=True)]
    with pytest.raises(BadInput, match="holds no row"):
        read_labeled(path)
