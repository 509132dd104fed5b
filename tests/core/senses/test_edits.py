"""Edits between two sentences, readings on the way, and the quiz; on the bundled model and sentences."""

from itertools import pairwise

import numpy as np
import pytest
from plotly.graph_objects import Figure

from core.common.errors import BadInput
from core.figures.influence import add_path, margin_figure
from core.senses import edits
from core.text.languages import get_language
from core.text.tokens import as_in_text, tokenize

PAIRS = [
    ("We sat on the grassy bank and watched the boats go by.", "The bank refused to lend him any more money.", "bank"),
    ("He caught a huge bass.", "She plays the bass in a jazz band with two guitarists.", "bass"),
    *(("bank", "The bank bank bank.", "bank"), ("The bank , the bank", "bank", "bank")),
]


def aligned(first: str, second: str, word: str, tokenizer=tokenize) -> tuple[edits.Alignment, list[str], list[str]]:
    a, b = tokenizer(first), tokenizer(second)
    return edits.align(a, a.index(word), b, b.index(word)), a, b


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("order", [edits.LEFT_TO_RIGHT, edits.NEAREST_FIRST])
def test_a_path_leads_edit_by_edit_to_the_second_sentence_and_never_loses_the_word(pair, order):
    alignment, first, second = aligned(*pair)
    path = edits.steps(alignment, edits.order_edits(alignment, order))
    assert list(path[0].tokens) == first and list(path[-1].tokens) == second
    assert all(step.tokens[step.position] == pair[2] for step in path) and len(path) == 1 + len(alignment.changes)
    for before, after in pairwise(path):
        assert after.switched - before.switched == {after.column} and alignment.columns[after.column] == (after.old, after.new)
        assert after.at is None or after.tokens[after.at] == after.new


def test_words_in_both_sentences_are_not_edited_and_an_inflected_target_is():
    alignment, *_ = aligned("They sat on the bank in the sun.", "They sat on the bank in the office.", "bank")
    assert [alignment.columns[k] for k in alignment.changes] == [("sun", "office")]
    alignment = edits.align(["two", "banks"], 1, ["one", "bank"], 1)
    assert alignment.columns[alignment.target] == ("banks", "bank")
    assert edits.steps(alignment, edits.order_edits(alignment, edits.NEAREST_FIRST))[1].tokens == ("two", "bank")


def test_greedy_takes_the_edit_that_moves_most_until_the_sign_changes_and_then_goes_left_to_right():
    alignment = edits.align(list("abcWd"), 3, list("pqrWs"), 3)
    gain = {"p": 1, "q": 5, "r": 2, "s": 3}
    assert edits.greedy(alignment, lambda ss: np.array([sum(gain.get(x, 0) for x in tokens) - 7.0 for tokens, _ in ss])) == [1, 4, 0, 2]
    for second in ([0.1, 0.3, 0.8], [0.9, 0.3, 0.8]):  # two senses, even where one is read in both
        assert edits.ends(np.array([[0.9, 0.1, 0.2], second])) == (0, 2)


def test_what_cannot_be_edited_is_refused_in_a_sentence():
    with pytest.raises(BadInput, match="Position 3"):
        edits.align(["a"], 3, ["b"], 0)
    long = edits.align([*"abcdefghij" * 5, "W"], 50, [*"0123456789" * 5, "W"], 50)
    with pytest.raises(BadInput, match="50 edits apart"):
        edits.steps(long, edits.order_edits(long, edits.LEFT_TO_RIGHT))
    with pytest.raises(BadInput, match="16 edits at most; here are 50"):
        edits.greedy(long, lambda sentences: np.zeros(len(sentences)))
    with pytest.raises(BadInput, match="Unknown order of edits"):
        edits.order_edits(long, "backwards")


@pytest.mark.parametrize(("language", "word"), [("en", "bank"), ("ko", "말")])
def test_texts_are_written_as_they_were_typed_and_removed_words_shown_in_their_place(language, word):
    texts = {"en": ("He sat by the old (muddy) bank .", "She sat by the bank!"), "ko": ("초원에서 말이 달렸다.", "그의 말이 너무 빨랐다.")}[
        language
    ]
    alignment, *tokens = aligned(*texts, word, get_language(language).tokenize)
    path, pieces = edits.steps(alignment, alignment.changes), [as_in_text(*pair) for pair in zip(tokens, texts, strict=True)]
    written = [edits.write_step(alignment, step, *pieces) for step in path]
    assert tuple("".join(piece for _, piece, stands in parts if stands) for parts in (written[0], written[-1])) == texts
    for step, parts in zip(path[1:], written[1:], strict=True):
        assert len([0 for _, _, stands in parts if not stands]) == (step.new is None)
        assert language == "ko" or [piece.strip() for _, piece, stands in parts if stands] == list(step.tokens)
        assert step.old != "old" or " the old" in "".join(piece for _, piece, _ in parts)


def test_the_path_has_stars_and_numbers_only_once_it_may_be_known_and_the_leads_a_mark_where_they_flip():
    for numbered, names in ((False, []), (True, ["<b>0–1</b>", "<b>2</b>"])):
        drawn = add_path(Figure(), np.array([[0.0, 0.0], [0.3, 0.0], [3.0, 3.0]]), ["0", "1", "2"], numbered=numbered)
        assert [a.text for a in drawn.layout.annotations] == names and ("path" in [trace.name for trace in drawn.data]) == numbered
    figure = margin_figure({"1": [-0.1, 0.2], "2": [-0.3, -0.1]}, {"1": 1, "2": None}, ("<a>", "b"), ["", ""], chosen="1")
    assert [(trace.x[0], trace.y[0]) for trace in figure.data if trace.mode == "markers"] == [(1, 0.2)]
    assert "<a>" not in "".join(a.text for a in figure.layout.annotations)
