"""Home: the verdict above its picture, the layer that tells the word apart best, other languages and no words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.text import languages

ROOT = Path(__file__).resolve().parents[2]


def opened(**query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


def part(page: AppTest, name: str) -> str:
    """The text of the page's own HTML of that class, without its tags."""
    found = [block.proto.body for block in page.get("html") if f'class="{name}"' in block.proto.body]
    return re.sub("<[^>]*>", "", found[0]) if found else ""


def test_every_example_opens_on_two_meanings_at_the_layer_that_tells_them_apart():
    page, layers = opened(), set()
    assert part(page, "verdict").startswith("Two meanings")
    for word in languages.named("en").examples["pairs"]:
        page.pills(key="example").set_value(word).run()
        assert not page.exception and part(page, "verdict").startswith("Two meanings"), word
        layers.add(page.session_state["layer"])
        assert f"at {'the mix' if page.session_state['layer'] == 'mix' else 'layer ' + page.session_state['layer']} their cosine" in part(page, "notice")  # fmt: skip
    assert len(layers) > 1


def test_a_layer_that_was_chosen_stays_and_the_verdict_with_it():
    page = opened(layer="0")
    verdict = part(page, "verdict")
    assert page.session_state["layer"] == "0" and "Layer 0 reads the spelling alone" in part(page, "notice")
    page.button_group(key="layer").set_value("2").run()
    assert part(page, "verdict") == verdict and "at layer 2 their cosine" in part(page, "notice")
    page.pills(key="example").set_value("play").run()
    assert page.session_state["layer"] == "2"


@pytest.mark.parametrize(
    ("a", "b", "at", "title"),
    [
        ("She bought a strawberry.", "The traffic was slow.", ("strawberry", "traffic"), "Two different words"),
        ("🎉 party", "🎉", ("🎉", "🎉"), "Not a word"),
        ("눈이 온다", "눈이 아프다", ("눈이", "눈이"), "Another language"),
        ("THE BANK IS SHUT", "the bank is shut", ("BANK", "bank"), "One meaning"),
        ("A cat chased two mice.", "She clicked with the mouse.", ("mice", "mouse"), ""),
    ],
)
def test_what_is_no_pair_of_one_word_is_said_to_be_none(a, b, at, title):
    page = opened(a=a, b=b, ai=at[0], bi=at[1])
    assert not page.exception and part(page, "verdict").startswith(title)
    assert "nearly the same" not in part(page, "notice") and "even layer 0" not in part(page, "notice")
    if a[0] == "눈" or a[0] == "🎉":
        assert "two words" not in part(page, "notice") and "both have one vector" in part(page, "notice")
    if not title:
        assert "two different words" not in part(page, "verdict").casefold()


def test_a_foreign_word_is_read_in_its_own_language_with_one_click():
    page = opened(a="눈이 온다", b="눈이 아프다", ai="눈이", bi="눈이")
    page.button(key="home.read.ko").click().run()
    assert not page.exception and page.session_state["lang"] == "ko" and page.session_state["model"] == "elmo-ko-mini"
    assert "Another language" not in part(page, "verdict") and page.text_input(key="a").value == "눈이 온다"


def test_a_word_without_labels_is_judged_by_what_stands_around_it_and_beside_words_drawn_by_lot():
    page = opened(a="We spread marmalade on the warm bread.", b="There was a pot of marmalade beside the butter.")
    verdict = part(page, "verdict")
    assert not page.exception and verdict.startswith("One meaning")
    assert "what the model expects in its place and the words around it count" in verdict
    assert "Two words drawn by lot have" in part(page, "notice")
