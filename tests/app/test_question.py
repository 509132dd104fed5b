"""The word in question as pages keep it: guessed anew on every edit, kept where it was tapped, followed from page to page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.text import languages
from core.text.tokens import bare
from pages._frame import examples
from tests.app.test_map_page import sent
from tests.app.visit import opened

ROOT = Path(__file__).parents[2]


def words(page: AppTest) -> tuple[str, ...]:
    """The tokens in question of both sentences, as the buttons have them."""
    result = page.session_state["asked"]
    shown = [page.session_state[key] for key in ("ai", "bi")]
    assert tuple(shown) == result.positions
    return tuple(bare(tokens[k]) for tokens, k in zip(result.tokens, shown, strict=True))


def typed(page: AppTest, **texts: str) -> AppTest:
    for key, text in texts.items():
        page.text_input(key=key).set_value(text).run()
    return page


def tapped(page: AppTest, key: str, token: int) -> AppTest:
    page.button_group(key=f"{key}i").set_value(token).run()
    return page


def test_both_words_are_guessed_anew_when_either_sentence_is_edited():
    page = typed(opened(), a="They were stuck in a jam near the tunnel.", b="Grandma makes strawberry jam.")
    assert words(page) == ("jam", "jam") and page.session_state["w"] == "jam"
    assert words(typed(page, b="The mole dug a tunnel.")) == ("tunnel", "tunnel")
    assert words(typed(page, a="A mole on her cheek.")) == ("mole", "mole")


def test_a_tapped_word_stays_as_long_as_it_stands_and_the_other_sentence_follows_it():
    page = typed(opened(), a="The old pilot sat by the bank.", b="A pilot robbed the bank.")
    assert words(page) == ("bank", "bank")
    assert words(tapped(page, "a", 2)) == ("pilot", "pilot")
    assert words(typed(page, a="Both pilots sat by the bank.")) == ("pilots", "pilot")
    assert words(typed(page, a="Nobody sat by the bank.")) == ("bank", "bank")


def test_every_example_comes_with_its_word():
    page = opened()
    for word in examples.pairs(languages.get_language("en")):
        page.session_state["example"] = word
        a, b = examples.pairs(languages.get_language("en"))[word]
        result = typed(page, a=a, b=b)
        assert {bare(item).casefold() for item in words(result)} == {word} and page.session_state["example"] == word


def test_links_bring_their_words_and_pages_without_sentences_follow_them():
    link = {"a": "The plant employs nine hundred workers.", "ai": "workers", "b": "Water the plant on Sunday."}
    page = opened("pages/search.py", **link)
    assert page.session_state["w"] == "workers"
    assert words(opened(**(link | {"ai": "plant"}))) == ("plant", "plant")
    assert words(opened(**(link | {"ai": "nowhere"}))) == ("plant", "plant")
    assert words(opened(lang="ko", a="함박눈이 내렸다.", b="눈이 아프다.", bi="눈")) == ("함박눈", "눈")




def test_a_typed_sentence_stays_when_the_language_changes_and_its_word_is_told_anew():
    page = typed(opened(), a="함박눈이 내려 눈을 치웠다.", b="두 눈을 감았다.")
    assert words(page) == ("눈을", "눈을")
    page.selectbox(key="lang").set_value("ko").run()
    assert page.text_input(key="a").value == "함박눈이 내려 눈을 치웠다." and words(page) == ("눈", "눈")
    page.selectbox(key="lang").set_value("en").run()
    assert words(page) == ("눈을", "눈을")


def test_senses_found_follows_the_word_in_question_with_labels_or_without():
    link = {"a": "The plant employs nine hundred workers.", "b": "Water the plant on Sunday."}
    page = opened("pages/found.py", **link)
    box = page.selectbox(key="found_word")
    assert box.value == "plant" and not page.exception
    page = opened("pages/found.py", **link, found_word="bank")
    assert page.selectbox(key="found_word").value == "bank"
    typed(page.switch_page("app.py").run(), a="Her coach shouted from the line.", b="The coach left at noon.")
    assert words(page) == ("coach", "coach")
    box = page.switch_page("pages/senses.py").run().selectbox(key="found_word")
    assert box.value == "coach" and any(line.startswith("bank · ") for line in box.options) and not page.exception
    korean = opened("pages/found.py", lang="ko", a="아기에게 첫 이가 났다.", b="머리에 이가 생겨 약을 발랐다.")
    assert korean.selectbox(key="found_word").value == "이" and not korean.exception


def test_the_map_draws_both_stars_of_a_korean_word_whose_link_names_no_word():
    page = opened("pages/map.py", lang="ko", a="배를 타고 섬으로 갔다.", b="달고 시원한 배를 깎아 먹었다.")
    assert page.selectbox(key="map_word").value == "배" and not page.exception
    assert [star["label"] for star in sent(page)["stars"]] == ["내 문장 1", "내 문장 2"]
