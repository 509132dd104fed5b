"""Senses around one dot: profiles, leanings, shares; on the bundled vectors and sentences."""

import numpy as np
import pytest

from core.common.errors import BadInput
from core.elmo.mix import layer_weights
from core.figures.cloud import dot_figure, share_bars
from core.index.neighbours import cosines, make_query, products
from core.senses import cloud
from core.static.vectors import BUNDLED_VECTORS, StaticVectors, open_vectors
from core.text.tokens import tokenize


@pytest.fixture(scope="module")
def vectors() -> StaticVectors:
    return open_vectors(BUNDLED_VECTORS)


def test_leanings_are_measured_from_the_middle_of_the_profiles():
    means = np.array([[3.0, 1.0], [1.0, 1.0]])  # the middle is (2, 1), the directions (1, 0) and (-1, 0)
    senses, leads = cloud.leanings(means, np.array([[2.5, 9.0], [1.9, 0.0], [2.0, 5.0]]))
    assert senses[:2].tolist() == [0, 1]
    np.testing.assert_allclose(leads, [1.0, 0.2, 0.0], atol=1e-12)


def test_one_sense_alone_is_never_clear():
    senses, leads = cloud.leanings(np.ones((1, 3)), np.eye(3))
    assert senses.tolist() == [0, 0, 0] and not leads.any()


@pytest.mark.parametrize("word", ["bank", "bass", "cell", "match", "spring"])
def test_shares_of_static_neighbours_sum_to_one_and_undecided_is_one_of_them(table, vectors, word):
    result = cloud.profiles(table, word, vectors)
    placed = cloud.static_neighbours(result, vectors, word)
    shares = cloud.side_shares([result.senses.index(p.sense) if p.sense else -1 for p in placed], result.senses)
    assert len(placed) == 50 and word not in [p.word for p in placed]
    assert set(shares) == {*result.senses, None}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares[None] == sum(p.lead < cloud.CLEAR for p in placed) / 50


def test_neighbours_that_nobody_would_doubt_go_to_their_sense(table, vectors):
    expected = {
        "bank": {"credit": "financial institution", "loans": "financial institution", "river": "river edge"},
        "bass": {"guitar": "low sound or guitar", "piano": "low sound or guitar"},
        "cell": {"tissue": "biology unit", "protein": "biology unit"},
        "match": {"league": "sports game", "winning": "sports game"},
        "spring": {"summer": "season", "autumn": "season"},
    }
    for lemma, words in expected.items():
        result = cloud.profiles(table, lemma, vectors)
        placed = {p.word: p.sense for p in cloud.static_neighbours(result, vectors, lemma)}
        assert {word: placed[word] for word in words} == words


def test_held_out_context_words_are_right_more_often_where_the_lead_is_clear(table, vectors, monkeypatch):
    result = [cloud.profiles(table, lemma, vectors) for lemma in table.lemmas]

    def totals() -> np.ndarray:
        tried = [cloud.held_out(profile, vectors) for profile in result]
        return np.array([sum(h.right for h in tried), sum(h.clear for h in tried)])

    clear = totals()
    monkeypatch.setattr(cloud, "CLEAR", 0.0)  # so that every word counts
    unclear = totals() - clear
    assert clear[0] / clear[1] > 0.7 and clear[0] / clear[1] > unclear[0] / unclear[1] + 0.15


def test_a_profile_holds_neither_the_word_itself_nor_function_words(table, vectors):
    words = {w for _, result in cloud.profiles(table, "bank", vectors).words for w in result}
    assert "money" in words
    assert not words & {"bank", "banks", "the", "and", "with"}


def test_shares_of_occurrences_are_even_where_all_are_tied():
    shares = cloud.occurrence_shares(np.full(6, 0.5), list("aaaabb"), ["a", "b"], k=3)
    assert shares == pytest.approx({"a": 0.5, "b": 0.5})  # though "a" has twice as many sentences


def test_shares_of_occurrences_count_the_nearest_weighed_by_how_many_a_sense_has():
    # The 3 nearest: a, a, b. a has 4 sentences, b has 2: 2/4 to 1/2.
    shares = cloud.occurrence_shares(np.array([0.9, 0.8, 0.1, 0.1, 0.7, 0.0]), list("aaaabb"), ["a", "b"], k=3)
    assert shares == pytest.approx({"a": 0.5, "b": 0.5})
    assert cloud.occurrence_shares(np.array([0.9, 0.1]), ["a", "b"], ["a", "b"], k=1) == pytest.approx({"a": 1, "b": 0})


def test_layer_0_gives_all_senses_one_share_and_layer_1_tells_two_sentences_apart(table, model):
    rows = table.labelled_rows("bank")
    labels = [table.senses[k] for k in table.sense[rows]]
    result = {}
    for text in ("We sat on the grassy bank of the river.", "The bank refused to lend him any more money."):
        tokens = tokenize(text)
        product = products(table.rows, make_query(model.encoder, tokens, tokens.index("bank")))
        for layer in ("0", "1"):
            values = cosines(table.rows, product, layer_weights(layer, 3))[rows]
            result[text[:3], layer] = cloud.occurrence_shares(values, labels, sorted(set(labels)))
    assert result["We ", "0"] == pytest.approx(result["The", "0"])
    assert result["We ", "1"]["river edge"] > 0.5 > result["The", "1"]["river edge"]


def test_what_cannot_be_shared_out_is_refused_in_a_sentence(table, vectors):
    with pytest.raises(BadInput, match="no labeled sentences"):
        cloud.profiles(table, "zebra", vectors)
    with pytest.raises(BadInput, match="no neighbors"):
        cloud.side_shares([], ["a"])
    with pytest.raises(BadInput, match="at least one"):
        cloud.occurrence_shares(np.array([]), [], ["a"])


def test_in_the_picture_a_neighbour_is_as_far_out_as_its_cosine_says():
    figure = dot_figure("w", ["a", "<b>"], [0.8, 0.5], [0, -1], ["s"], height=300, key="k")
    dots = {trace.name: np.hypot(trace.x, trace.y) for trace in figure.data if trace.mode == "markers+text"}
    np.testing.assert_allclose(dots["s"], [0.2])
    np.testing.assert_allclose(dots["undecided"], [0.5])
    assert "<b><b></b>" not in figure.to_json() and "&lt;b&gt;" in figure.to_json()


def test_bars_hold_every_share_and_leave_out_a_sense_that_nobody_has():
    figure = share_bars([("GloVe", {"a": 0.6, "b": 0.0, None: 0.4}), ("first", {"a": 1.0, "b": 0.0})], ["a", "b"])
    assert [trace.name for trace in figure.data] == ["a", "undecided"]
    assert np.sum([trace.x for trace in figure.data], axis=0) == pytest.approx([1, 1])
