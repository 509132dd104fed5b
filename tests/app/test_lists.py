"""A word in its sentence, as a line of HTML."""

from __future__ import annotations

import re

import pytest

from core.text import tokenize
from pages._shared.lists import WINDOW, keyword_line


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
    assert text_of(keyword_line(tokens, tokens.index(word), "")) == sentence.replace("'", "&#x27;").replace('"', "&quot;")


def test_far_words_are_cut_off_and_several_words_may_stand_in_the_middle():
    tokens = [f"w{k}" for k in range(40)]
    line = keyword_line(tokens, 20, "0.50", n_words=2)
    assert f"… w{20 - WINDOW} " in line and line.endswith(f" w{21 + WINDOW} …</div>")
    assert '<b class="target">w20 w21</b> w22' in line and ">0.50<" in line
    assert "…" not in keyword_line(tokens[:3], 0, "")


def test_markup_is_text():
    assert "<img" not in keyword_line(["<img>", "bank", "<b>"], 1, "<i>")
