"""Test the influence of words on a sense: past and future stay separate, and layer 0 has no influence."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import BadInput
from core.elmo.models import open_language_model
from core.elmo.substitutes import Substitutes
from core.figures.influence import HalfBar, halves_figure, influence_marks, influence_table, signed
from core.senses import influence as inf
from core.senses.influence import BOTH, DROP, FUTURE, HALVES, MASK, PAST, SWAP, WAYS

torch.set_num_threads(1)
EQUAL = np.ones(3) / 3
TOKENS = ("They", "walked", "along", "the", "bank", "of", "the", "river", ".")
TARGET = 4
BEFORE = [k for k in range(len(TOKENS)) if k < TARGET]
AFTER = [k for k in range(len(TOKENS)) if k > TARGET]


@pytest.fixture(scope="module")
def labeled(table):
    """(vectors, senses) of the labeled sentences with "bank"."""
    rows = table.labeled_rows("bank")
    return table.rows.take(rows), [table.senses[k] for k in table.sense[rows]]


@pytest.fixture(scope="module")
def known(labeled):
    return inf.centroids(*labeled, EQUAL)


@pytest.fixture(scope="module")
def influence_of_words(model, known):
    """Each way of changing the words of TOKENS."""
    return {how: inf.influence(model.encoder, TOKENS, TARGET, known, how=how, swap="thing", weights=EQUAL) for how in WAYS}


def cosine(a, b) -> float:
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=15), st.data())
@settings(max_examples=60)
def test_the_target_is_never_changed_and_every_other_word_once(tokens, data):
    position = data.draw(st.integers(0, len(tokens) - 1))
    for how in WAYS:
        made = inf.variants(tokens, position, how, "thing")
        assert [v.changed for v in made] == [k for k in range(len(tokens)) if k != position]
        assert all(v.tokens[v.position] == tokens[position] for v in made)
        assert all(len(v.tokens) == len(tokens) - (how == DROP) for v in made)


def test_a_word_dropped_before_the_target_moves_it_one_to_the_left_and_one_after_it_does_not():
    made = {v.changed: v for v in inf.variants(TOKENS, TARGET, DROP)}
    assert {made[k].position for k in BEFORE} == {TARGET - 1} and {made[k].position for k in AFTER} == {TARGET}
    assert made[0].tokens == TOKENS[1:] and made[8].tokens == TOKENS[:8]
    assert {v.position for v in inf.variants(TOKENS, TARGET, MASK)} == {TARGET}


def test_reach_leaves_far_words_alone():
    assert [v.changed for v in inf.variants(TOKENS, TARGET, MASK, reach=2)] == [2, 3, 5, 6]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TOKENS, 9, DROP), "no word number 10 in a sentence of 9"),
        ((TOKENS, -1, DROP), "no word number 0"),
        (((), 0, DROP), "in a sentence of 0"),
        ((TOKENS, 0, "burn"), "“burn”"),
        ((TOKENS, 0, SWAP, "two words"), "“two words” is not one word"),
        ((TOKENS, 0, SWAP, "  "), "Type the word"),
    ],
)
def test_what_cannot_be_done_is_reported(arguments, message):
    with pytest.raises(BadInput, match=message):
        inf.variants(*arguments)


def test_a_unit_view_is_the_vector_s_half_by_itself():
    layers = np.random.default_rng(0).normal(size=(5, 3, 8)).astype(np.float32)
    weights = np.array([0.2, 0.3, 0.5])
    units = inf.unit_views(layers, weights)
    assert units.shape == (5, 4, 3, 8)
    np.testing.assert_allclose(np.linalg.norm(units, axis=-1), 1, atol=1e-6)
    mix = np.einsum("l,nld->nd", weights, layers)
    for view, vectors in enumerate([*layers.transpose(1, 0, 2), mix]):
        for half, part in ((PAST, slice(0, 4)), (FUTURE, slice(4, 8)), (BOTH, slice(0, 8))):
            product = units[0, view, HALVES.index(half)] @ units[1, view, HALVES.index(half)]
            assert product == pytest.approx(cosine(vectors[0, part], vectors[1, part]), abs=1e-6)


def test_a_centroid_is_the_mean_of_its_sense_s_unit_vectors(labeled, known):
    vectors, senses = labeled
    assert known.senses == ("financial institution", "river edge") and known.counts == (16, 16)
    mine = vectors[[sense == "river edge" for sense in senses], 2, :128]  # layer 2, the past half
    mean = (mine / np.linalg.norm(mine, axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(known.vectors[1, 2, HALVES.index(PAST), :128], mean, atol=1e-6)
    assert not known.vectors[1, 2, HALVES.index(PAST), 128:].any()


@pytest.mark.parametrize("how", WAYS)
def test_at_layer_0_no_word_has_any_influence(influence_of_words, how):
    item = influence_of_words[how]
    assert np.abs(item.varied[:, 0] - item.cosines[0]).max() < 1e-6 and item.moved[:, 0].max() < 1e-6
    for half in HALVES:
        assert np.abs(inf.parts(item, "0", half, "river edge")).max() < 1e-6
    assert np.abs(item.alone[0] - item.cosines[0]).max() < 1e-6
    np.testing.assert_allclose(item.cosines[0, 0], item.cosines[0, 1], atol=1e-6)  # the char-CNN stands in both halves


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("view", ["1", "2", "mix"])
def test_the_past_half_has_not_read_what_follows_nor_the_future_half_what_precedes(influence_of_words, how, view):
    item = influence_of_words[how]
    v, after = item.views.index(view), np.array([k > TARGET for k in item.changed])
    past, future = (item.moved[:, v, HALVES.index(half)] for half in (PAST, FUTURE))
    assert past[after].max() < 1e-6 and past[~after].min() > 1e-4
    assert future[~after].max() < 1e-6 and future[after].min() > 1e-5
    assert np.abs(inf.parts(item, view, PAST, "river edge"))[after].max() < 1e-5
    assert np.abs(inf.parts(item, view, FUTURE, "river edge"))[~after].max() < 1e-5


def test_an_influence_is_the_lead_in_the_sentence_less_the_lead_without_the_word(model, table, influence_of_words):
    """Computed the long way round: sentence by sentence, half by half, from the stored rows."""
    rows = table.labeled_rows("bank")
    river = np.array([table.senses[k] == "river edge" for k in table.sense[rows]])
    stored = table.rows.take(rows)[:, 1, 128:]  # layer 1, the future half
    stored = stored / np.linalg.norm(stored, axis=1, keepdims=True)

    def lead(tokens, position) -> float:
        vector = model.encoder.encode([list(tokens)])[0][1, position, 128:]
        return cosine(vector, stored[river].mean(axis=0)) - cosine(vector, stored[~river].mean(axis=0))

    without = TOKENS[:7] + TOKENS[8:]  # no "river"
    expected = lead(TOKENS, TARGET) - lead(without, TARGET)
    mine = dict(zip(influence_of_words[DROP].changed, inf.parts(influence_of_words[DROP], "1", FUTURE, "river edge"), strict=True))[7]
    assert mine == pytest.approx(expected, abs=1e-5) and abs(expected) > 1e-3


def test_a_shift_is_towards_each_sense_and_the_lead_is_made_of_them(influence_of_words):
    item = influence_of_words[DROP]
    shifts = inf.shifts(item, "2", PAST)
    assert shifts.shape == (len(item.changed), 2)
    np.testing.assert_allclose(shifts[:, 1] - shifts[:, 0], inf.parts(item, "2", PAST, "river edge"), atol=1e-6)


def test_a_word_alone_is_encoded_with_no_sentence_around_it(model, known, influence_of_words):
    alone = inf.influence(model.encoder, ("bank",), 0, known, how=DROP, weights=EQUAL)
    assert alone.changed == () and alone.varied.shape[0] == 0
    np.testing.assert_allclose(alone.cosines, influence_of_words[DROP].alone, atol=1e-5)
    assert inf.turning(alone, "2", BOTH) == ()


def made(
    past: list[float],
    future: list[float],
    both: list[float],
    *,
    alone: np.ndarray | None = None,
    spread: tuple[float, float] = (0.1, 0.1),
    least: float = -1.0,
) -> inf.Influence:
    """An influence of one view, by hand: cosines to the senses a, b, c; alone it is as far from all; one word tried.

    `alone` (3, 3) by half and sense; `spread` that of the past and the future half; `least` that of every sense.
    """
    cosines = np.array([[past, future, both]])
    return inf.Influence(
        ("x", "y"),
        0,
        (1,),
        ("1",),
        ("a", "b", "c"),
        cosines,
        cosines[None][..., ::-1],
        np.zeros_like(cosines) if alone is None else alone[None],
        np.zeros((1, 1, 3)),
        np.repeat([[*spread, 0.1]], 3, axis=0).T[None],
        np.full_like(cosines, least),
    )


def test_a_verdict_names_the_nearest_the_next_and_the_lead():
    item = made([0.9, 0.5, 0.7], [0.1, 0.6, 0.2], [0.5, 0.6, 0.4])
    each = inf.halves(item, "1")
    assert [(v.sense, v.rival) for v in each.values()] == [("a", "c"), ("b", "c"), ("b", "a")]
    assert [v.margin for v in each.values()] == pytest.approx([0.2, 0.4, 0.1]) and all(v.clear for v in each.values())
    request = inf.verdict(item, "1", PAST, "c")
    assert (request.sense, request.rival) == ("c", "a") and request.margin == pytest.approx(-0.2)


def test_the_half_that_speaks_more_for_what_both_choose_settles_it():
    assert inf.settles(made([0.9, 0.5, 0.0], [0.1, 0.6, 0.0], [0.5, 0.6, 0.0]), "1") == FUTURE
    assert inf.settles(made([0.9, 0.5, 0.0], [0.1, 0.6, 0.0], [0.6, 0.5, 0.0]), "1") == PAST
    assert inf.settles(made([0.9, 0.5, 0.0], [0.9, 0.5, 0.0], [0.9, 0.5, 0.0]), "1") is None  # alike
    assert inf.settles(made([0.9, 0.5, 0.0], [0.1, 0.6, 0.0], [0.502, 0.5, 0.0]), "1") is None  # undecided


def test_a_half_is_judged_by_what_the_sentence_adds_to_what_the_word_is_by_itself():
    past_leads = ([0.9, 0.5, 0.0], [0.6, 0.5, 0.0], [0.8, 0.5, 0.0])  # margins for a: 0.4 and 0.1
    as_it_stands = np.array([[0.9, 0.5, 0.0], [0.5, 0.5, 0.0], [0.7, 0.5, 0.0]])  # the word alone: 0.4 and 0
    item = made(*past_leads, alone=as_it_stands)
    assert inf.gains(item, "1") == pytest.approx({PAST: 0.0, FUTURE: 1.0, BOTH: 1.0})
    assert inf.settles(item, "1") == FUTURE  # the past half has the larger lead and had it before it read anything
    nothing = np.array([[0.9, 0.5, 0.0], [0.6, 0.5, 0.0], [0.8, 0.5, 0.0]])
    assert inf.settles(made(*past_leads, alone=nothing), "1") is None


def test_a_half_whose_leads_vary_little_is_measured_by_its_own_spread():
    cosines = ([0.9, 0.5, 0.0], [0.7, 0.5, 0.0], [0.8, 0.5, 0.0])  # margins for a: 0.4 and 0.2
    assert inf.settles(made(*cosines), "1") == PAST
    assert inf.settles(made(*cosines, spread=(0.4, 0.05)), "1") == FUTURE  # one standard deviation against four


def test_a_spread_is_the_standard_deviation_of_a_sense_s_lead_over_the_labeled_sentences(labeled, known):
    vectors, senses = labeled
    units = vectors[:, 2, :128] / np.linalg.norm(vectors[:, 2, :128], axis=1, keepdims=True)
    means = [units[[sense == name for sense in senses]].mean(axis=0) for name in known.senses]
    leads = units @ (means[1] / np.linalg.norm(means[1])) - units @ (means[0] / np.linalg.norm(means[0]))
    assert known.spread[2, HALVES.index(PAST)] == pytest.approx([leads.std()] * 2, rel=1e-4)


def test_a_word_is_far_from_a_sense_where_no_labeled_sentence_is_as_far_from_the_others_of_it(labeled, known):
    vectors, senses = labeled
    units = vectors[[sense == known.senses[0] for sense in senses], 1]
    units = units / np.linalg.norm(units, axis=1, keepdims=True)
    each = [cosine(units[k], np.delete(units, k, axis=0).mean(axis=0)) for k in range(len(units))]
    assert known.least[1, HALVES.index(BOTH), 0] == pytest.approx(min(each), abs=1e-5)
    lists = ([0.3, 0.2, 0.1],) * 3
    assert [inf.verdict(made(*lists, least=least), "1", BOTH).far for least in (-1.0, 0.29, 0.31)] == [False, False, True]


@pytest.mark.parametrize("tokens", [("Bank", "by", "the", "water", "."), ("Grass", "grew", "on", "the", "bank")])
def test_a_half_that_has_read_nothing_adds_nothing_and_never_settles_it(model, known, tokens):
    at = [word.lower() for word in tokens].index("bank")
    item = inf.influence(model.encoder, tokens, at, known, how=DROP, weights=EQUAL)
    for view in ("1", "2", "mix"):
        unread = PAST if at == 0 else FUTURE
        assert abs(inf.gains(item, view)[unread]) < 1e-4 and inf.settles(item, view) != unread


def test_a_word_turns_the_sense_where_another_is_nearest_without_it():
    item = made([0.9, 0.5, 0.0], [0.1, 0.6, 0.2], [0.5, 0.6, 0.0])
    assert inf.turning(item, "1", PAST) == (1,) and inf.turning(item, "1", FUTURE) == ()


def test_one_sense_has_no_lead():
    with pytest.raises(BadInput, match="two labeled senses"):
        inf.margins(np.zeros((2, 1)), 0)


def test_without_senses_only_the_vector_s_way_is_reported(model):
    item = inf.influence(model.encoder, TOKENS, 7, None, how=DROP, weights=EQUAL)
    assert item.senses == () and item.cosines.shape == (4, 3, 0) and item.moved[:, 2, 2].max() > 0.01


def test_odd_tokens_are_read_like_any_other(model, known):
    tokens = ("\U0001f600", "bank", "<b>", "x" * 300, "눈")
    for how in WAYS:
        item = inf.influence(model.encoder, tokens, 1, known, how=how, swap="thing", weights=EQUAL)
        assert np.isfinite(item.varied).all() and len(item.changed) == 4


def test_marks_and_table_escape_what_a_user_wrote_and_say_every_number():
    tokens = ("<img src=x>", "bank", '"&')
    html = influence_marks(tokens, 1, {0: 0.05, 2: -0.021}, {0: '"<b>', 2: "y"}, ("#0072B2", "#D55E00"))
    assert "<img" not in html and "&lt;img src=x&gt;" in html and 'title="&#34;&lt;b&gt;"' in html
    assert "+0.05" in html and "−0.02" in html and html.index("rgba(0,114,178") < html.index("rgba(213,94,0")
    heat = influence_table(tokens, 1, (0, 2), np.array([[0.0, 0.05], [0.001, -0.021]]), ["<0>", "1"], ("#0072B2", "#D55E00"), chosen=1)
    assert "<img" not in heat and "&lt;0&gt;" in heat and heat.count("<tr>") == 4 and heat.count("0.00<") == 2


def test_a_difference_that_rounds_to_nothing_has_no_sign():
    assert [signed(v) for v in (0.0, -0.004, 0.0049, 0.005001, -0.02)] == ["0.00", "0.00", "0.00", "+0.01", "−0.02"]


def test_the_halves_are_drawn_with_their_names_and_the_word_alone():
    bars = [HalfBar("layer 1", half, "<i>", "#0072B2", margin, -5.0) for half, margin in (("past", 0.2), ("future", 0.1))]
    figure = halves_figure(bars, key="k")
    assert list(figure.data[0].x) == [0.2, 0.1] and list(figure.data[1].text) == ["\u00a0&lt;i&gt; 0.20", "\u00a0&lt;i&gt; 0.10"]
    assert list(figure.data[2].marker.symbol) == ["arrow-left"] * 2
    assert min(figure.data[2].x) >= figure.layout.xaxis.range[0]  # a stroke far to the left stays in the picture


def test_a_words_part_in_what_is_expected_is_what_goes_of_the_overlap(model):
    substitutes = Substitutes(open_language_model(model))
    changes = inf.expectations(substitutes, TOKENS, TARGET, how=SWAP, swap="money")
    assert set(changes) == {*BEFORE, *AFTER}
    swapped = [*TOKENS[:7], "money", "."]
    places = model.encoder.around([list(TOKENS), swapped], [TARGET, TARGET])
    p, q = substitutes._shares(places, ["bank"] * 2, "both", False)
    assert changes[7].size == pytest.approx(1 - float((p * q).sqrt().sum()), abs=1e-4)
    now, then = ({item.word: item.probability for item in of} for of in substitutes.likeliest(places, ["bank"] * 2, 1000))
    assert all(now.get(word, 0) < then[word] for word in changes[7].come) and len(changes[7].come) == 3
    assert all(now[word] > then.get(word, 0) for word in changes[7].go) and len(changes[7].go) == 3
