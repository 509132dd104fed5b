"""A word in its sentence, as a line of HTML."""

import re

import pytest

from core.common.markup import Markup
from core.text.tokens import tokenize
from pages._widgets.lists import SHORT, WIDTH, keyword_line


def text_of(html: str) -> str:
    return re.sub("<[^>]*>", "", html)


def cut_and_whole(html: str) -> tuple[str, str]:
    cut, whole = html.split('<span class="whole">')
    return cut, whole


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
    cut, whole = cut_and_whole(keyword_line(tokens, tokens.index(word), ""))
    assert text_of(whole) == Markup.escape(sentence)
    assert text_of(cut) == text_of(whole) or len(tokens) > WIDTH


def test_far_words_are_cut_off_and_several_words_may_stand_in_the_middle_and_a_click_opens_the_rest():
    tokens = [f"w{k}" for k in range(40)]
    line = keyword_line(tokens, 20, "0.50", n_words=2)
    cut, whole = cut_and_whole(line)
    assert text_of(cut) == " ".join(tokens[20 - WIDTH // 2 : 22 + WIDTH // 2])
    assert text_of(whole) == f"{' '.join(tokens)}0.50" and ">0.50<" in line
    assert '<b class="target">w20 w21</b> w22' in cut and '<b class="target">w20 w21</b> w22' in whole
    short = cut_and_whole(keyword_line(tokens, 20, "", shortened=True))[0]
    assert text_of(short) == " ".join(tokens[20 - SHORT // 2 : 21 + SHORT // 2])


def test_the_word_begins_a_column_of_its_own_where_what_stands_left_of_it_ends():
    for tokens, left in ((["A", "grassy", "bank", "."], "A grassy "), (["Bank", "it", "."], "")):
        cut = cut_and_whole(keyword_line(tokens, 2 if left else 0, ""))[0]
        assert f'<span class="left"><span>{left}</span></span><span class="right"><b class="target">' in cut




def test_markup_is_text():
    assert "<img" not in keyword_line(["<img>", "bank", "<b>"], 1, "<i>")
