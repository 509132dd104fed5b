"""Choices stand in the address by codes, the same in every language."""

import pytest

from pages._classify.order import USUAL
from tests.app.visit import opened, opened_whole


def address_of(page, key: str) -> str | None:
    """What the address says; None where it says nothing."""
    given = page.query_params.get(key)
    return given[-1] if isinstance(given, list) else given


def test_several_variants_stand_in_the_address_by_their_codes():
    page = opened_whole("pages/train.py", lang="ko")
    pills = page.button_group(key="variants")
    assert tuple(pills.value) == USUAL and address_of(page, "variants") is None
    pills.set_value(["glove", "tfidf"]).run()
    assert address_of(page, "variants") == "glove,tfidf"
    page.button_group(key="variants").set_value([]).run()
    assert address_of(page, "variants") == "" and page.session_state["variants"] == []
    page.button_group(key="variants").set_value(list(reversed(USUAL))).run()
    assert address_of(page, "variants") is None


def test_codes_are_read_and_nonsense_is_not():
    page = opened("pages/train.py", lang="ko", variants="tfidf,elmo,no such")
    assert page.session_state["variants"] == ["tfidf", "elmo"] and address_of(page, "variants") == "elmo,tfidf"
    page = opened("pages/train.py", variants="<b>nonsense</b>")
    assert tuple(page.session_state["variants"]) == USUAL and address_of(page, "variants") is None


def test_a_guess_stands_in_the_address_by_its_number():
    page = opened_whole("pages/why.py")
    page.selectbox(key="guess").set_value("3").run()
    assert not page.exception and address_of(page, "guess") == "3"
    assert opened("pages/why.py", guess="999").session_state["guess"] == ""
