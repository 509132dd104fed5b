"""Spans: tags and brackets both ways, and counts that agree with the scorers of CoNLL."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tasks.spans import join_arguments, span_f1, spans_of, spans_of_brackets, tags_of


def f1_of(gold: list[str], predicted: list[str]) -> dict:
    return span_f1([spans_of(row.split()) for row in gold], [spans_of(row.split()) for row in predicted])


def test_the_worked_example_of_seqeval():
    """Its README: one name begun a word too early, one right, F1 of 0.50."""
    result = f1_of(["O O O B-MISC I-MISC I-MISC O", "B-PER I-PER O"], ["O O B-MISC I-MISC I-MISC I-MISC O", "B-PER I-PER O"])
    assert (result["precision"], result["recall"], result["f1"], result["right"]) == (0.5, 0.5, 0.5, 1)


def test_a_tag_that_continues_nothing_begins_a_span_as_in_conlleval():
    assert spans_of(["O", "I-A", "I-A", "I-B", "B-B", "O", "I-B"]) == [(1, 2, "A"), (3, 3, "B"), (4, 4, "B"), (6, 6, "B")]


def test_counts_by_hand():
    result = f1_of(["B-A I-A O B-B", "O B-A O O"], ["B-A I-A O B-A", "O O O O"])
    assert (result["right"], result["predicted"], result["gold"]) == (1, 2, 3)
    assert result["f1"] == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))


def test_nothing_said_and_nothing_there_is_no_division_by_zero():
    assert f1_of(["O O"], ["O O"])["f1"] == 0.0


@given(st.lists(st.sampled_from(["O", "B-A", "B-B"]), max_size=12))
def test_spans_and_tags_are_each_others_inverse(tags):
    assert tags_of(spans_of(tags), len(tags)) == tags


def test_brackets_of_conll_2005():
    column = ["(ARG0*", "*)", "(V*)", "*", "(ARGM-TMP*)"]
    assert spans_of_brackets(column) == [(0, 1, "ARG0"), (2, 2, "V"), (4, 4, "ARGM-TMP")]


@pytest.mark.parametrize("column", [["(ARG0*"], ["*)"], ["(A*", "(B*)"], ["ARG0"], ["(A*", "*))"]])
def test_brackets_without_their_other_half_are_refused(column):
    with pytest.raises(ValueError):
        spans_of_brackets(column)


def test_arguments_are_compared_without_the_verb_and_with_their_continuation():
    gold = [(0, 0, "ARG1"), (1, 1, "V"), (3, 4, "C-ARG1"), (5, 5, "ARG0")]
    assert join_arguments(gold) == [("ARG1", (0, 0), (3, 4)), ("ARG0", (5, 5))]
    half = [(0, 0, "ARG1"), (1, 1, "V"), (5, 5, "ARG0")]  # half of a split argument is wrong
    result = span_f1([join_arguments(gold)], [join_arguments(half)])
    assert (result["right"], result["predicted"], result["gold"]) == (1, 2, 2)
