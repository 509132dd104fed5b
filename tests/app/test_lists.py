"""A word in its sentence, as a line of HTML."""

import re

import pytest

from core.common.markup import Markup
from core.text.tokens import tokenize
from pages._widgets.lists import WINDOW, keyword_line


def text_of(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ('"Get back from the bank, it\'s crumbling!" he said.', "bank"),
        ('He said "the bank" twice.', "bank"),
        ("The bank's (old) vault", "bank"),
        ("bank", "bank"),
    ],
)
def test_it_reads_as_the_sentence_did(sentence: str, word: str):
    tokens = tokenize(sentence)
    assert text_of(keyword_line(tokens, tokens.index(word), "")) == Markup.escape(sentence)


def test_far_words_are_cut_off_and_several_words_may_stand_in_the_middle_and_a_click_opens_the_rest():
    tokens = [f"w{k}" for k in range(40)]
    line = keyword_line(tokens, 20, "0.50", n_words=2)
    cut, whole = line.split('<span class="whole">')
    assert text_of(cut).endswith(f"… {' '.join(tokens[20 - WINDOW : 22 + WINDOW])} …")
    assert text_of(whole) == " ".join(tokens) and ">0.50<" in line
    assert '<b class="target">w20 w21</b> w22' in cut and '<b class="target">w20 w21</b> w22' in whole
    assert "…" not in keyword_line(tokens[:3], 0, "") and "<details" not in keyword_line(tokens[:3], 0, "")


def test_what_one_side_of_the_word_lacks_the_other_side_shows():
    tokens = [f"w{k}" for k in range(40)]
    assert text_of(keyword_line(tokens, 0, "").split('<span class="whole">')[0]) == f"{' '.join(tokens[: 2 * WINDOW + 1])} …"


def test_markup_is_text():
    assert "<img" not in keyword_line(["<img>", "bank", "<b>"], 1, "<i>")
