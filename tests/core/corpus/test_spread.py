"""Labels that spread: what a person can do to them, what becomes of the rest, and the file that keeps both."""

import numpy as np
import pytest

from core.common.directions import unit
from core.common.errors import BadInput
from core.corpus import label_files
from core.corpus.spread import Labels, shares_of, spread

SENTENCES = [(("The", f"bank{k}", "."), 1) for k in range(40)]


def two_senses(n: int = 20, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return unit(np.repeat(unit(rng.normal(size=(2, 32))), n, axis=0) + 0.15 * rng.normal(size=(2 * n, 32))).astype(np.float32)


def labeled() -> Labels:
    return Labels().label([0, 1], "money").label([20, 21], "river")


def test_few_labels_reach_the_rest_whatever_the_vectors_say_and_what_lies_between_is_offered_first():
    result = spread(two_senses(), labeled())
    assert result.senses == ("money", "river") and (result.sense_of == np.repeat([0, 1], 20)).all()
    assert result.shares.sum(axis=1) == pytest.approx(np.ones(40), abs=1e-5)
    assert set(result.doubtful.tolist()) == set(range(40)) - {0, 1, 20, 21}
    result = spread(two_senses(), labeled().label([30], "money"))
    assert (result.senses[result.sense_of[30]], result.shares[30].tolist()) == ("money", [1, 0])
    rows = two_senses()
    rows[7] = unit(rows[:20].mean(axis=0) + rows[20:].mean(axis=0))
    result = spread(rows, labeled())
    assert result.doubtful[0] == 7 and result.shares[7].max() < 0.6 < result.shares[8].max()


def test_more_labels_make_surer_and_labels_that_lie_apart_less_sure():
    rows = two_senses()
    codes = np.array([0, 1])
    few, many = shares_of(rows, np.array([0, 20]), codes, 2), shares_of(rows, np.array([0, 1, 2, 20, 21, 22]), np.repeat(codes, 3), 2)
    assert few[5:10].max(axis=1).mean() < many[5:10].max(axis=1).mean()
    east, north, up, far = np.eye(4, dtype=np.float32)
    rest = np.repeat([east, north], 20, axis=0)
    leads = []
    for width in (0.0, 2.0):  # of like cosines
        given = unit(np.stack([east + far * width, east - far * width, north + up * width, north - up * width]))
        shares = shares_of(np.concatenate([given, rest]), np.arange(4), np.repeat(codes, 2), 2)[4]
        leads.append(np.log(shares[0] / shares[1]))
    assert leads[1] < 0.95 * leads[0]


def test_steps_can_be_undone_one_by_one():
    first = labeled()
    renamed = first.rename("river", "shore")
    merged = renamed.merge({"shore": "money"})
    split = merged.label([20], "slope")
    assert split.sentences("slope") == (20,) and merged.senses == ("money",)
    assert (split.undo(), split.undo().undo(), split.undo().undo().undo()) == (merged, renamed, first)
    assert Labels().undo() == Labels()
    assert first.label([0], "").given == ((1, "money"), (20, "river"), (21, "river"))
    assert first.label([0], "money") is first  # nothing changed, nothing to undo


def test_senses_that_would_go_into_each_other_or_into_two_are_refused():
    labels = labeled().label([30], "slope")
    for into, circle in (
        ({"money": "river", "river": "slope", "slope": "river"}, "“river” → “slope” → “river”"),
        ({"money": "money"}, "“money” → “money”"),
    ):
        with pytest.raises(BadInput, match=f"{circle} is a circle"):
            labels.merge(into)
    assert labels.merge({"money": "river", "river": "slope"}).senses == ("slope",)
    assert labels.senses == ("money", "river", "slope")  # nothing lost
    assert label_files.pairs(["a=b", "c = d"]) == {"a": "b", "c": "d"}
    for pairs, message in ((["ab"], "not a pair of senses"), (["a=b", "a=c"], "would go into two")):
        with pytest.raises(BadInput, match=message):
            label_files.pairs(pairs)


def test_what_cannot_be_done_is_reported():
    labels = labeled()
    for wrong, message in (
        (lambda: labels.rename("stream", "river"), "No sense “stream”. Senses: money, river"),
        (lambda: labels.rename("river", "money"), "“money” is a sense already. Merge"),
        *((lambda: labels.rename("river", "  "), "needs a name"), (lambda: labels.label([1], "\n"), "needs a name")),
        (lambda: spread(two_senses(), Labels().label([0], "money")), "at least 2 senses; 1 so far"),
    ):
        with pytest.raises(BadInput, match=message):
            wrong()
    for k in range(2, 8):
        labels = labels.label([k], f"sense {k}")
    for k in (9, 1):  # the first one too many, wherever it is in the order
        with pytest.raises(BadInput, match="“ninth” would be sense 9; at most 8"):
            labels.label([k], "ninth")
    with pytest.raises(BadInput, match="“s8” would be sense 9; at most 8"):
        Labels().join((k, f"s{k}") for k in range(11))


def test_annotators_agree_as_far_as_alpha_says_and_a_repeated_sentence_counts_once():
    second = Labels().label([0, 1], "money").label([20], "river").label([21], "money").label([35], "river")
    # 4 sentences by both, one apart: D_o = 2/8, D_e = 2 * 5 * 3 / (8 * 7): alpha = 1 - 0.25 / 0.5357 = 0.533
    assert label_files.agreement(labeled(), second, SENTENCES) == (pytest.approx(0.5333, abs=0.001), 4)
    sentences = [*SENTENCES[:3], *SENTENCES[:1] * 3]
    mine, yours = (
        label_files.numbered(tuple(zip(SENTENCES, senses, strict=False)), sentences)
        for senses in (("money", "river", "river"), ("money", "money", "river"))
    )
    assert label_files.agreement(mine, yours, sentences) == (pytest.approx(0.444, abs=0.001), 3)
    rows, labels = two_senses()[[0, 1, 20, 21, 2, 22]], Labels().label([0, 1], "money").label([2, 3], "river")
    copied = spread(rows[[0, 1, 2, 3, 4, 5, 0, 0]], labels.label([6, 7], "money"), [*range(6), 0, 0])
    assert copied.shares == pytest.approx(spread(rows, labels).shares[[0, 1, 2, 3, 4, 5, 0, 0]])
