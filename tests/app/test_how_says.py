"""How it works: what it says of a sentence of one's own agrees with itself, and is about the word in question."""

import re
from html import unescape

from tests.app.visit import opened_whole


def said(path: str, **address: str) -> str:
    return unescape(" ".join(element.proto.body for element in opened_whole(path, **address).get("html")))


def test_of_words_that_stand_twice_the_one_in_question_is_compared():
    assert "“swear” occurs more than once" in said("pages/how.py", a="I swear that I did not swear.", step="7")
    assert "Repeat a word" in said("pages/how.py", a="She ran; he runs; they were running.", step="7")


def test_windows_are_in_letters_and_of_equal_ones_the_longest_is_named():
    assert "찾은 창: <b>은행</b>" in said("pages/how.py", lang="ko", a="은행에 갔다.", step="2")
    assert "found <b>⟨village⟩" in said("pages/how.py", a="a village", step="2")


def test_the_angle_is_that_of_both_sentences():
    words = {"a": "We sat on the grassy bank.", "b": "The bank lent him money.", "ai": "bank", "bi": "bank"}
    assert re.search(
        r"The two vectors of “bank” are 0° apart at layer 0 and [1-9]\d° at layer 2\.", said("pages/how.py", step="8", **words)
    )
    assert "Type a second sentence to compare." in said("pages/how.py", step="8", a=words["a"], b="")
