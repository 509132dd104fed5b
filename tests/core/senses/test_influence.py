"""Test the influence of words on a sense: past and future stay separate, and layer 0 has no influence."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cosine

from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo.models import open_language_model
from core.elmo.substitutes import Substitutes
from core.figures.influence import HalfBar, halves_figure, influence_marks, influence_table, signed
from core.senses import influence as inf
from core.senses.influence import BOTH, DROP, FUTURE, HALVES, MASK, PAST, SWAP, WAYS

torch.set_num_threads(1)
EQUAL = np.ones(3) / 3
PAST_HALF, FUTURE_HALF = slice(0, 128), slice(128, 256)  # of the bundled model's vectors
TOKENS = ("They", "walked", "along", "the", "bank", "of", "the", "river", ".")
TARGET = 4


@pytest.fixture(scope="module")
def labeled(table):
    rows = table.labeled_rows("bank")
    return table.rows.take(rows), [table.senses[k] for k in table.sense[rows]]


@pytest.fixture(scope="module")
def known(labeled):
    return inf.centroids(*labeled, EQUAL)


@pytest.fixture(scope="module")
def influence_of_words(model, known):
    return {how: inf.influence(model.encoder, TOKENS, TARGET, known, how=how, swap="thing", weights=EQUAL) for how in WAYS}


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=15), st.data())
@settings(max_examples=60)
def test_the_target_is_never_changed_and_every_other_word_within_reach_once(tokens, data):
    position = data.draw(st.integers(0, len(tokens) - 1))
    for how in WAYS:
        variants = inf.variants(tokens, position, how, "thing")
        assert [v.changed for v in variants] == [k for k in range(len(tokens)) if k != position]
        assert all(v.tokens[v.position] == tokens[position] for v in variants)
        assert how != DROP or all(list(v.tokens) == tokens[: v.changed] + tokens[v.changed + 1 :] for v in variants)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inf, "REACH", 2)
        assert [v.changed for v in inf.variants(TOKENS, TARGET, MASK)] == [2, 3, 5, 6]


def test_what_cannot_be_done_is_reported():
    for arguments, message in (
        *(((9, DROP), "no word number 10 in a sentence of 9"), ((-1, DROP), "no word number 0"), ((0, "burn"), "'burn'")),
        *(((0, SWAP, "two words"), "“two words” is not one word"), ((0, SWAP, "  "), "Type the word")),
    ):
        with pytest.raises(BadInput, match=message):
            inf.variants(TOKENS, *arguments)
    with pytest.raises(BadInput, match="two labeled senses"):
        inf.margins(np.zeros((2, 1)), 0)


@pytest.fixture(scope="module")
def halves_of_senses(labeled, known):
    """`halves_of_senses(layer, half)` -> the unit vectors of each sense's labeled sentences."""
    vectors, senses = labeled[0].astype(np.float64), np.array(labeled[1])
    return lambda layer, half: [unit(vectors[senses == name, layer, half]) for name in known.senses]


@pytest.mark.parametrize("how", WAYS)
def test_no_word_has_any_influence_at_layer_0_or_in_a_half_that_has_not_read_it(influence_of_words, how):
    item = influence_of_words[how]
    assert np.abs(item.varied[:, 0] - item.cosines[0]).max() < 1e-6 and item.moved[:, 0].max() < 1e-6
    assert np.abs(item.alone[0] - item.cosines[0]).max() < 1e-6
    np.testing.assert_allclose(item.cosines[0, 0], item.cosines[0, 1], atol=1e-6)  # the char-CNN stands in both halves
    after = np.array([k > TARGET for k in item.changed])
    for view in ("1", "2", "mix"):
        past, future = (item.moved[:, item.views.index(view), HALVES.index(half)] for half in (PAST, FUTURE))
        assert past[after].max() < 1e-6 and past[~after].min() > 1e-4
        assert future[~after].max() < 1e-6 and future[after].min() > 1e-5


def test_an_influence_is_the_lead_in_the_sentence_less_the_lead_without_the_word(model, halves_of_senses, influence_of_words):
    money, river = halves_of_senses(1, FUTURE_HALF)

    def lead(tokens, position) -> float:
        vector = model.encoder.encode([list(tokens)])[0][1, position, FUTURE_HALF]
        return cosine(vector, money.mean(axis=0)) - cosine(vector, river.mean(axis=0))  # of their distances

    item, without = influence_of_words[DROP], TOKENS[:7] + TOKENS[8:]  # no "river"
    expected = lead(TOKENS, TARGET) - lead(without, TARGET)
    mine = dict(zip(item.changed, inf.parts(item, "1", FUTURE, "river edge"), strict=True))[7]
    assert mine == pytest.approx(expected, abs=1e-5) and abs(expected) > 1e-3
    money_shift, river_shift = inf.shifts(item, "2", PAST).T
    np.testing.assert_allclose(river_shift - money_shift, inf.parts(item, "2", PAST, "river edge"), atol=1e-6)


def made(past: list[float], future: list[float], both: list[float], *, alone=None, spread=(0.1, 0.1), least: float = -1.0) -> inf.Influence:
    """Return an influence of one view and one changed word: cosines of each half to the senses a, b and c; `alone` is (3, 3)."""
    cosines = np.array([[past, future, both]])
    without, moved = np.zeros_like(cosines) if alone is None else alone[None], np.zeros((1, 1, 3))
    spreads, nearest = np.repeat([[*spread, 0.1]], 3, axis=0).T[None], np.full_like(cosines, least)
    words = ("x", "y"), 0, (1,), ("1",), ("a", "b", "c")
    return inf.Influence(*words, cosines, cosines[None][..., ::-1], without, moved, spreads, nearest)


def test_a_verdict_names_the_nearest_the_next_and_the_lead_and_a_word_turns_it_where_another_is_nearest_without_it():
    item = made([0.9, 0.5, 0.7], [0.1, 0.6, 0.2], [0.5, 0.6, 0.4])
    each = inf.halves(item, "1")
    assert [(v.sense, v.rival) for v in each.values()] == [("a", "c"), ("b", "c"), ("b", "a")]
    assert [v.margin for v in each.values()] == pytest.approx([0.2, 0.4, 0.1]) and all(v.clear for v in each.values())
    chosen = inf.verdict(item, "1", PAST, "c")
    assert (chosen.sense, chosen.rival, chosen.margin) == ("c", "a", pytest.approx(-0.2))
    item = made([0.9, 0.5, 0.0], [0.1, 0.6, 0.2], [0.5, 0.6, 0.0])
    assert [inf.turning(item, "1", half) for half in (PAST, FUTURE, BOTH)] == [(1,), (), ()]


def test_the_half_that_speaks_more_for_what_both_choose_settles_it_by_what_the_sentence_adds_and_its_own_spread():
    past, future = [0.9, 0.5, 0.0], [0.1, 0.6, 0.0]
    for both, half in (([0.5, 0.6, 0.0], FUTURE), ([0.6, 0.5, 0.0], PAST), ([0.502, 0.5, 0.0], None)):  # the last is undecided
        assert inf.settles(made(past, future, both), "1") == half
    assert inf.settles(made(past, past, past), "1") is None
    leads = ([0.9, 0.5, 0.0], [0.6, 0.5, 0.0], [0.8, 0.5, 0.0])  # margins for a: 0.4 and 0.1
    as_it_stands = np.array([[0.9, 0.5, 0.0], [0.5, 0.5, 0.0], [0.7, 0.5, 0.0]])  # the word alone: 0.4 and 0
    assert inf.gains(made(*leads, alone=as_it_stands), "1") == pytest.approx({PAST: 0.0, FUTURE: 1.0, BOTH: 1.0})
    assert inf.settles(made(*leads, alone=as_it_stands), "1") == FUTURE  # the past half had its larger lead before it read anything
    assert inf.settles(made(*leads, alone=np.array(leads)), "1") is None
    assert inf.settles(made(*leads), "1") == PAST
    assert inf.settles(made(*leads, spread=(0.8, 0.05)), "1") == FUTURE  # half a standard deviation against two


def test_spread_and_least_are_of_the_labeled_sentences(halves_of_senses, known):
    money, river = halves_of_senses(2, PAST_HALF)
    leads = np.concatenate([money, river]) @ (unit(river.mean(axis=0)) - unit(money.mean(axis=0)))
    assert known.spread[2, HALVES.index(PAST)] == pytest.approx([leads.std()] * 2, rel=1e-4)
    money, _ = halves_of_senses(1, slice(None))
    nearest = [1 - cosine(money[k], np.delete(money, k, axis=0).mean(axis=0)) for k in range(len(money))]
    assert known.least[1, HALVES.index(BOTH), 0] == pytest.approx(min(nearest), abs=1e-5)
    lists = ([0.3, 0.2, 0.1],) * 3
    assert [inf.verdict(made(*lists, least=least), "1", BOTH).far for least in (-1.0, 0.29, 0.31)] == [False, False, True]


def test_odd_tokens_a_word_alone_and_a_word_without_senses_are_read_like_any_other(model, known, influence_of_words):
    item = inf.influence(model.encoder, ("\U0001f600", "bank", "<b>", "x" * 300, "눈"), 1, known, how=DROP, weights=EQUAL)
    assert np.isfinite(item.varied).all() and len(item.changed) == 4
    alone = inf.influence(model.encoder, ("bank",), 0, known, how=DROP, weights=EQUAL)
    assert alone.changed == inf.turning(alone, "2", BOTH) == ()
    np.testing.assert_allclose(alone.cosines, influence_of_words[DROP].alone, atol=1e-5)
    item = inf.influence(model.encoder, TOKENS, 7, None, how=DROP, weights=EQUAL)
    assert item.senses == () and item.cosines.shape == (4, 3, 0) and item.moved[:, 2, 2].max() > 0.01


def test_figures_and_tables_of_influence_escape_what_a_user_wrote_and_say_every_number():
    tokens = ("<img src=x>", "bank", '"&')
    html = influence_marks(tokens, 1, {0: 0.05, 2: -0.021}, {0: '"<b>', 2: "y"}, ("#0072B2", "#D55E00"))
    assert "<img" not in html and "&lt;img src=x&gt;" in html and 'title="&#34;&lt;b&gt;"' in html and "+0.05" in html and "−0.02" in html
    heat = influence_table(tokens, 1, (0, 2), np.array([[0.0, 0.05], [0.001, -0.021]]), ["<0>", "1"], ("#0072B2", "#D55E00"), chosen=1)
    assert "<img" not in heat and "&lt;0&gt;" in heat and heat.count("0.00<") == 2
    assert heat.count("background") == 2  # of +0.05 and −0.02: a number written as 0.00 has no color
    assert [signed(v) for v in (0.0, -0.004, 0.0049, 0.005001, -0.02)] == ["0.00", "0.00", "0.00", "+0.01", "−0.02"]
    figure = halves_figure([HalfBar("layer 1", "past", "<i>", "#0072B2", 0.2, -5.0)], key="k")
    assert list(figure.data[1].text) == ["\u00a0&lt;i&gt; 0.20"] and list(figure.data[2].marker.symbol) == ["arrow-left"]
    assert figure.data[2].x[0] >= figure.layout.xaxis.range[0]  # a stroke far to the left stays in the picture


def test_a_words_part_in_what_is_expected_is_what_goes_of_the_overlap(model):
    substitutes = Substitutes(open_language_model(model))
    changes = inf.expectations(substitutes, TOKENS, TARGET, how=SWAP, swap="money")
    assert set(changes) == {*range(len(TOKENS))} - {TARGET}
    swapped = [*TOKENS[:7], "money", "."]
    places = model.encoder.around([list(TOKENS), swapped], [TARGET, TARGET])
    p, q = substitutes._shares(places, ["bank"] * 2, "both", False)
    assert changes[7].size == pytest.approx(1 - float((p * q).sqrt().sum()), abs=1e-4)
    now, then = ({item.word: item.probability for item in of} for of in substitutes.likeliest(places, ["bank"] * 2, 1000))
    assert all(now.get(word, 0) < then[word] for word in changes[7].come) and all(now[word] > then.get(word, 0) for word in changes[7].go)
