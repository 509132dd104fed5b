"""A neighbor becomes the sentence in question: written as one would type it, its word found again, the way back kept."""

import pytest

from core.common.limits import limits
from core.text import languages
from core.text.readings import as_typed
from core.text.tokens import bare, window
from pages._widgets.lists import WIDTH
from tests.app.visit import html_of, opened

WILD = {
    "a": "The mustang was there before them.",
    "ai": "mustang",
    "b": "Her mustang would not start, so she called the garage.",
    "bi": "mustang",
}


@pytest.mark.parametrize(
    ("tokens", "position"),
    [
        (("The", "bank", "of", "the", "other", "bank", "."), 5),
        (('"', "Do", "n't", "bank", "on", "it", "!", '"'), 3),
        (tuple(["one", "two", "three"]) * 90, 200),
        (("x" * 900, "bank", "y" * 900, "z" * 900), 1),
    ],
)
def test_a_sentence_is_written_so_that_its_word_is_found_again(tokens, position):
    text, place = as_typed(tokens, position)
    read = languages.tokenize(text)
    assert read[place] == tokens[position]
    assert len(text) <= limits().max_text and len(read) <= limits().max_words


def test_korean_is_written_as_one_word():
    with languages.reading(languages.get_language("ko")):
        tokens = tuple(languages.tokenize("배를 타고 섬으로 갔다."))
        text, place = as_typed(tokens, 0)
        assert text == "배를 타고 섬으로 갔다." and bare(languages.tokenize(text)[place]) == "배"


@pytest.mark.parametrize(("n", "position"), [(60, 0), (60, 59), (60, 30), (5, 2), (1, 0), (20, 3)])
def test_a_line_shows_its_word_and_as_much_as_there_is_room_for(n, position):
    start, end = window(n, position, 1, WIDTH)
    assert 0 <= start <= position < end <= n
    assert end - start == min(n, WIDTH + 1)


def test_a_word_that_stands_nowhere_else_gets_its_nearest_words_and_no_empty_column():
    page = opened("pages/neighbors.py", **WILD)
    while "All sentences are read once" in html_of(page):
        page.run()
    assert page.selectbox(key="among").value == "types"
    assert html_of(page).count("data-take=") == 16  # eight words for each sentence, each with a sentence to look at
    page.selectbox(key="among").set_value("same word").run()
    assert [m.value for m in page.markdown].count("No other sentence in use has “mustang”.") == 2
    page.button(key="among.b").click().run()
    assert page.selectbox(key="among").value == "types" and "data-take=" in html_of(page)


def test_what_is_looked_among_follows_the_word_unless_it_was_chosen():
    page = opened("pages/neighbors.py")
    assert page.selectbox(key="among").value == "same word"
    page.text_input(key="a").set_value(WILD["a"]).run()
    page.session_state["ai"] = 1
    page.run()
    assert page.selectbox(key="among").value == "types"
    page.session_state["ai"], page.session_state["a"] = 3, "They sat by the bank of the river."
    page.run()
    assert page.selectbox(key="among").value == "same word"
    chosen = opened("pages/neighbors.py", among="any word", **WILD)
    assert chosen.selectbox(key="among").value == "any word"
