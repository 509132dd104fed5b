"""What an address may hold: every value a length and a form, and no page falls over one (tests.bench.addresses visits them all)."""

import random
import time

import pytest
from streamlit.testing.v1 import AppTest

from core.common.short_links import shortened
from core.files import user_names
from pages._frame import parameters
from tests.app.visit import opened
from tests.bench import addresses


@pytest.mark.parametrize("name", ["corpus", "model", "vectors", "beside"])
def test_a_name_that_no_file_can_have_is_answered_by_a_sentence(name: str):
    result = opened("pages/compare.py", **{name: "x" * 300})
    assert not result.exception


@pytest.mark.parametrize("name", ["corpus", "a", "no_such"])
def test_a_value_that_is_far_too_long_is_left_out_and_said(name: str):
    page = opened(**{name: "a" + " " * 15_000})
    assert not page.exception and name not in page.query_params
    (warning,) = page.warning
    assert f"Ignored “{name.replace('_', chr(92) + '_')}” in the address: 15,001 characters" in warning.value


def test_signs_of_no_text_are_left_out():
    page = opened(a="The bank\x00 was shut.", b="The bank\twas steep.")
    assert not page.exception and "a" not in page.query_params and page.query_params["b"] == "The bank\twas steep."
    assert "invalid characters" in page.warning[0].value


@pytest.mark.parametrize("value", ["inf", "9" * 40, ""])
def test_a_seed_that_is_no_number_is_left_out(value: str):
    page = opened("pages/predict.py", pseed=value)
    assert not page.exception and "pseed" not in page.query_params and page.number_input(key="pseed").value == 0
    assert opened("pages/predict.py", pseed="7").number_input(key="pseed").value == 7


def test_what_a_page_s_boxes_take_stays_in_its_address():
    page = opened(a="The bank was shut. " * 100)
    assert not page.exception and not page.warning and len(page.query_params["a"]) == 1900


def test_a_short_link_cannot_set_what_is_the_browser_s_own():
    page = opened(v=shortened([("a", "She sat on the bank."), ("embed", "true"), ("EMBED_OPTIONS", "dark_theme"), ("corpus", "z" * 501)]))
    assert not page.exception and page.session_state["a"] == "She sat on the bank." and "embed" not in page.query_params
    assert "501 characters, limit 500" in page.warning[0].value


def test_a_long_name_of_a_corpus_is_told_from_an_own_one_in_no_time():
    started = time.process_time()
    assert user_names.corpus_path("a" + " " * 200_000) is None is user_names.corpus_path("a" + " " * 200_000 + "·" + " " * 200_000 + "0123")
    assert time.process_time() - started < 0.2


@pytest.mark.parametrize("page", ["home", "map", "predict"])
def test_hostile_addresses_break_no_page(page: str):
    own = addresses.parameters(opened("app.py" if page == "home" else page))
    assert {"model", "corpus"} & set(addresses.IN_USE) and len(own) > 1
    for name in random.Random(0).sample(list(addresses.VALUES), 4):
        address = dict.fromkeys([*own, *addresses.EVERYWHERE], addresses.VALUES[name])
        assert addresses.visit(page, address)[1] == "", name


def test_a_run_that_was_asked_for_before_the_browser_had_the_address_writes_it_again():
    def script() -> None:
        import streamlit as st

        from pages._frame import parameters

        parameters.restore_values()
        st.text_input("First", "", **parameters.bound("a"))
        if st.button("Write", key="other"):
            parameters.write_parameter("other", "1")  # which sends the whole address

    def address() -> dict[str, str]:
        return {name: value if isinstance(value, str) else value[0] for name, value in page.query_params.items()}

    given = {"a": "He saw a bat.", "lang": "ko"}
    page = AppTest.from_function(script)
    page.session_state[parameters.SHOWN] = ("another page", given, given)
    page.run()
    assert address() == given
    for _ in range(2):  # two runs that were asked for with the address of before
        page.query_params.clear()
        page.button(key="other").click().run()
        assert address() == given | {"other": "1"}
    page.run()  # the browser has it now
    del page.query_params["lang"]  # whatever takes it out later means it
    page.run()
    assert "lang" not in address() and address()["a"] == given["a"]
    page.text_input(key="a").set_value("He swung it.").run()
    assert page.text_input(key="a").value == "He swung it." and not page.exception
