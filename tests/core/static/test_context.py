"""What stands around a word: by hand, and on the bundled sentences."""

import numpy as np
import pytest

from core.analysis.word_maps import ALL_WORDS
from core.common.config import ASSETS
from core.common.significance import compare_pairs
from core.index.table import OccurrenceTable
from core.senses.reports import sense_report_of, static_report_of
from core.static.vectors import StaticVectors, cosines, forms, nearness, open_vectors, static_contexts

VECTORS = StaticVectors(["the", "bank", "river", "money"], np.array([[9, 9], [5, 5], [0, 2], [3, 0]], float), name="tiny", provenance={})


def test_a_static_context_sums_the_other_words_and_drops_the_commonest():
    sentences = [("The", "bank", "of", "the", "river"), ("money", "Money", "bank", "River"), ("bank", "zorgle")]
    result = static_contexts(VECTORS, sentences, [(1, 2), (2, 3), (0, 1)], commonest=1)
    assert result.tolist() == [[0, 2], [6, 2], [0, 0]]  # "of" and "zorgle" have no vector; "the" is common, whatever its case
    assert static_contexts(VECTORS, sentences[:1], [(0, 3)], commonest=0).tolist() == [[9, 11]]  # a multiword's place is left out


def test_forms_are_length_and_place_in_their_own_spread():
    result = forms([("a",) * 4, ("a",) * 8], [(0, 1), (6, 7)])
    assert result == pytest.approx(np.array([[2, 0], [4, 2]]))
    assert nearness(result)[0, 1] == pytest.approx(1 - 8**0.5) and nearness(result)[0, 0] == 1
    assert np.isfinite(forms([("a", "b")] * 2, [(1, 2)] * 2)).all()


def test_centered_cosines_are_those_of_unit_vectors_less_their_mean():
    vectors = np.array([[2.0, 0], [0, 5], [0, 0]])
    assert cosines(vectors)[0] == pytest.approx([1, 0, 0])
    assert cosines(vectors[:2], centered=True)[0, 1] == pytest.approx(-1)


def test_on_the_bundled_sentences_the_other_words_alone_tell_senses_apart_about_as_well_as_the_model():
    """A figure beside the model's wherever senses are told apart; without it its own says little about context."""
    table, vectors = OccurrenceTable(ASSETS / "targets").basic, open_vectors("glove-mini")
    static, layer = static_report_of(table, ALL_WORDS, vectors), sense_report_of(table, ALL_WORDS, np.array([0, 1, 0]))
    assert static.n == layer.n and list(static.per_word) == list(layer.per_word)
    assert static.one_nn > static.null_95 + 0.2 and static.p < 0.001
    less = compare_pairs([w.one_nn for w in layer.per_word.values()], [w.one_nn for w in static.per_word.values()])
    assert less.mean == pytest.approx(layer.one_nn - static.one_nn) and less.groups == 55 and less.low < less.mean < less.high
