"""The measures of change: worked by hand, then beside scipy; the nulls do what they say."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, jensenshannon

from core.common.directions import unit
from core.common.errors import BadInput
from core.corpus import change as measured
from core.corpus.change import average_pairwise_distance, change, evened, expected_distance


def drawn(n: int, seed: int, lean: float = 0.0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, 16))
    rows[:, 0] += lean
    return unit(rows).astype(np.float32)


def shared_within_minus_across(rows: np.ndarray, n: int) -> float:
    """Pair by pair: the share of neighbors that two of one side have in common, minus that of two of both sides."""
    centered = unit(rows - rows.mean(axis=0))
    near = [set(np.argsort(-(centered @ row))[: measured.NEAREST + 1].tolist()) | {k} for k, row in enumerate(centered)]
    share = np.array([[len(a & b) / (measured.NEAREST + 1) for b in near] for a in near])
    sides = [share[:n, :n], share[n:, n:]]
    within = [(part.sum() - np.trace(part)) / (len(part) * (len(part) - 1)) for part in sides]
    return float(np.mean(within) - share[:n, n:].mean())


def test_the_measures_are_those_of_scipy_and_all_permutations_at_once_are_what_one_after_the_other_would_be():
    first, second, groups = drawn(9, 1), drawn(7, 2, 1.0), np.arange(16) % 3
    measures = change(first, second, groups, permutations=199).measures
    apd = cdist(first, second, "cosine").mean()
    assert measures["apd"].value == pytest.approx(apd, abs=1e-5) == average_pairwise_distance(first, second)
    means = [[part.mean(axis=0)] for part in (first, second)]
    assert measures["prt"].value == pytest.approx(cdist(*means, "cosine")[0, 0], abs=1e-5)
    assert measures["jsd"].value == pytest.approx(jensenshannon(np.bincount(groups[:9]), np.bincount(groups[9:]), base=2), abs=1e-6)
    within = [cdist(part, part, "cosine").sum() / (len(part) * (len(part) - 1)) for part in (first, second)]
    assert measures["gap"].value == pytest.approx(apd - np.mean(within), abs=1e-5)
    rows, rng = np.concatenate([first, second]), np.random.default_rng(5)
    assert measures["neighbors"].value == pytest.approx(shared_within_minus_across(rows, 9), abs=1e-6)
    slow = [average_pairwise_distance(*np.split(rows[rng.permutation(16)], [9])) for _ in range(2000)]
    assert measures["apd"].null == pytest.approx(np.mean(slow), abs=0.01)
    assert expected_distance(rows) == pytest.approx(np.mean(slow), abs=0.005)


def test_random_halves_are_called_changed_in_one_of_twenty_at_most():
    rows = np.concatenate([drawn(30, 3), drawn(30, 4, 3.0)])  # two senses
    groups, rng = np.repeat([0, 1], 30), np.random.default_rng(0)
    called = 0
    for seed in range(200):
        order = rng.permutation(60)
        called += change(rows[order[:30]], rows[order[30:]], groups[order], permutations=99, seed=seed).p <= 0.05
    assert called <= 18  # of 200; 10 are expected, and 19 or more in one of 200 runs


@pytest.mark.parametrize(("n", "m"), [(6, 6), (5, 20), (20, 5), (12, 30)])
def test_one_sentence_repeated_on_both_sides_is_no_change(n, m):
    result = change(*np.split(np.repeat(drawn(1, 1), n + m, axis=0), [n]), np.zeros(n + m, int), permutations=199)
    assert result.p == 1 and all(measure.p == 1 for measure in result.measures.values())
    assert [result.measures["gap"].value, result.measures["neighbors"].value] == pytest.approx([0, 0], abs=1e-6)


def test_documents_are_dealt_out_whole_where_there_are_enough():
    """Sentences of one document speak of one thing: dealt out one by one, they look like change."""
    rng = np.random.default_rng(0)
    rows = unit(np.repeat(unit(rng.normal(size=(16, 16))), 6, axis=0) + 0.2 * rng.normal(size=(96, 16))).astype(np.float32)
    documents = [f"text {k}" for k in np.repeat(np.arange(16), 6)]
    whole = change(rows[:48], rows[48:], np.zeros(96, int), documents)
    single = change(rows[:48], rows[48:], np.zeros(96, int))
    assert (whole.shuffled, single.shuffled) == (measured.DOCUMENTS, measured.SENTENCES)
    assert single.p < 0.05 < whole.p
    few = change(rows[:48], rows[48:], np.zeros(96, int), ["one"] * 48 + ["another"] * 48)
    assert few.shuffled == measured.SENTENCES


def test_a_spelling_on_one_side_alone_is_no_change():
    rows, rng = drawn(40, 8), np.random.default_rng(0)
    capital = rng.random(40) < 0.5
    rows = unit(rows + 1.5 * capital[:, None] * unit(rng.normal(size=16)))
    order = np.argsort(capital, kind="stable")
    split = int((~capital).sum())
    as_they_are, moved = rows[order], evened(rows, np.where(capital, "Bank", "bank"))[order]
    groups = np.zeros(40, int)
    assert change(as_they_are[:split], as_they_are[split:], groups).p < 0.01
    assert change(moved[:split], moved[split:], groups).p > 0.05


def test_too_few_sentences_are_named():
    with pytest.raises(BadInput, match="3 and 8 sentences; change needs at least 5"):
        change(drawn(3, 1), drawn(8, 2), np.zeros(11, int))
