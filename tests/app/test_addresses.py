"""Test URL parameters: their limits, and that a path in a link is read only after a click."""

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.common.config import ROOT
from core.common.short_links import shortened
from core.files import registry, user_names
from pages._classify.order import USUAL
from pages._frame import parameters
from tests.app.visit import address_of, html_of, linked, opened, opened_whole
from tests.bench import addresses

pytestmark = pytest.mark.unread


@pytest.mark.parametrize(
    ("name", "value", "warning"),
    [
        *((name, "a" + " " * 15_000, f"Ignored “{name}” in the address: 15,001 characters") for name in ("corpus", "a", "no_such")),
        ("a", "The bank\x00 was shut.", "invalid characters"),
        *(("corpus", path, "invalid characters") for path in ("/a\x00b", "/a\u202eb", "/a\nb", "/a\u2066")),
    ],
)
def test_invalid_value_is_ignored_with_a_warning(name: str, value: str, warning: str):
    page = linked(**{"b": "The bank\twas steep.", name: value})
    assert name not in page.query_params and page.query_params["b"] == "The bank\twas steep."
    assert [warning in item.value.replace("\\", "") for item in page.warning] == [True] and not asks(page)


@pytest.mark.parametrize(("value", "seed"), [("inf", 0), ("9" * 40, 0), ("", 0), ("7", 7)])
def test_seed_that_is_not_a_number_is_ignored(value: str, seed: int):
    page = opened("pages/predict.py", pseed=value)
    assert page.number_input(key="pseed").value == seed and ("pseed" in page.query_params) == bool(seed)


def test_short_link_opens_no_file_and_sets_no_parameter_of_streamlit():
    hostile = [("embed", "true"), ("EMBED_OPTIONS", "dark_theme"), ("corpus", "README.md"), ("against", "z" * 501)]
    page = linked(v=shortened([("a", "She sat on the bank."), *hostile]))
    assert page.session_state["a"] == "She sat on the bank." and "embed" not in page.query_params
    assert asks(page) and "corpus" not in page.query_params
    assert "501 characters, limit 500" in page.warning[0].value


def test_long_corpus_name_is_parsed_quickly():
    started = time.process_time()
    assert user_names.corpus_path("a" + " " * 200_000) is None is user_names.corpus_path("a" + " " * 200_000 + "·" + " " * 200_000 + "0123")
    assert time.process_time() - started < 0.2


def test_hostile_addresses_break_no_page():
    page_parameters = addresses.parameters(opened("map"))
    assert len(page_parameters) > 1
    for value in ("\"';--`$(x)", "bank\r\n\tbank\u2028bank"):
        assert addresses.visit("map", dict.fromkeys([*page_parameters, *addresses.EVERYWHERE], value))[1] == "", value


def test_run_with_an_outdated_address_writes_the_current_one():
    def script() -> None:
        import streamlit as st

        from pages._frame import parameters

        parameters.restore_values()
        st.text_input("First", "", **parameters.bound("a"))
        if st.button("Write", key="other"):
            parameters.write_parameter("other", "1")  # which sends the whole address

    def address() -> dict[str, str | None]:
        return {name: address_of(page, name) for name in page.query_params}

    given, page = {"a": "He saw a bat.", "lang": "ko"}, AppTest.from_function(script)
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "secret.txt").write_text("The otter slept on the bank.\nThe bank lent money.\n")
    return tmp_path / "texts"


def read_page(page) -> str:
    return " ".join([html_of(page), *(item.value for item in (*page.markdown, *page.error))])


def asks(page) -> bool:
    return any("This link names" in line.value for line in page.markdown)


def press(page, name: str, button: str = "read"):
    return page.button(key=f"places.{button}.{name}").click().run()


def test_folder_in_a_link_is_read_after_a_click_in_each_session(folder):
    address = {"corpus_way": "folder", "corpus_folder": str(folder), "find": "bank"}
    stored_files = {*user_names.corpus_folder().glob("*")}
    for _ in range(2):
        page = linked("pages/texts.py", **address)
        assert asks(page) and f"`{folder}`" in read_page(page) and "otter" not in read_page(page)
        assert "corpus_folder" not in page.query_params
        assert page.text_input(key="corpus_folder").value == "" and {*user_names.corpus_folder().glob("*")} == stored_files
        page = press(page, "corpus_folder")
        assert not page.error and not asks(page) and "otter" in read_page(page)
        assert "corpus_folder" not in page.query_params and page.text_input(key="corpus_folder").value == str(folder)
        stored_files = {*user_names.corpus_folder().glob("*")}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        *(("pages/search.py", "corpus"), ("pages/keyness.py", "against"), ("pages/change.py", "change_first")),
        *(("pages/change.py", "change_second"), ("pages/compare.py", "first_corpus"), ("pages/compare.py", "first")),
        *(("app.py", "vectors"), ("app.py", "beside")),
    ],
)
def test_file_in_a_link_is_not_opened_without_a_click(whole_index, path, name, folder):
    file = folder / "secret.txt"
    file.chmod(0)
    page = linked(path, **{name: str(file), "cmp": "corpora" if name == "first_corpus" else "spaces"})
    assert asks(page) and name not in page.query_params
    assert name not in page.session_state or str(file) not in str(page.session_state[name])
    assert not asks(press(page, name, "ignore"))


def test_model_in_a_link_is_used_after_a_click(tmp_path):
    page = linked("pages/how.py", model=str(tmp_path))
    assert asks(page) and page.selectbox(key="model").value != str(tmp_path)
    press(page, "model")
    assert page.session_state["model"] == str(tmp_path) and page.error  # it holds no model


def test_no_path_is_proposed_if_paths_are_off(folder, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_PATHS", "off")
    page = linked("pages/texts.py", corpus_way="folder", corpus_folder=str(folder), corpus=str(folder / "secret.txt"))
    assert not asks(page) and "otter" not in read_page(page)
    assert sum("Paths are off on this server" in warning.value for warning in page.warning) == 1


def test_parameters_of_any_name_open_the_page():
    names = ["$$ID-0-a", "$$STREAMLIT_INTERNAL_KEY", "$$GENERATED", "a.b", "", " ", "é", "a" * 400]
    for value in ("1", "\x00"):
        assert linked(**dict.fromkeys(names, value)).title


def test_short_link_with_thousands_of_parameters_opens_quickly():
    code, started = shortened([(f"{k:x}", "") for k in range(9_000)]), time.process_time()
    page = linked(v=code)
    assert code and 0 < len(page.query_params) <= parameters.MAX_PARAMETERS
    assert time.process_time() - started < 30


PLACES = {
    "model": ["/srv/model", "~/model", "..", "core", "\\\\host\\share"],  # “core” is a folder in the current folder
    "vectors": ["OWNER/NAME"],
    "corpus": ["README.md", "C:\\texts", "file:///etc/passwd"],
    "first": ["/srv/model · 2"],
    "second": ["/srv/vectors.txt", "/etc/passwd · x"],
    "corpus_folder": ["texts"],
}
NO_PLACES = {"model": ["elmo-mini", "OWNER/NAME", "nonsense"], "corpus": ["", "sentences", "letters.txt · 8c1f8c1f8c1f8c1f"]}
NO_PLACES |= {"vectors": ["glove-mini"], "first": ["elmo-mini · 2", "glove-mini"], "find": ["/etc/passwd"]}


def test_is_path_distinguishes_paths_from_names(monkeypatch):
    monkeypatch.chdir(ROOT)
    for values_of, expected in ((PLACES, True), (NO_PLACES, False)):
        for name, values in values_of.items():
            assert {value: parameters.is_path(name, value) for value in values} == dict.fromkeys(values, expected), name
    monkeypatch.setattr(registry, "existing", lambda *_: pytest.fail("looked up"))  # which alone would contact another machine on Windows
    assert all(registry.names_place(text, "corpus") for text in ("\\\\host\\share", "//host/share", "/etc/passwd", "~root/x", "C:/x"))


def test_choices_are_codes_in_the_address_and_unknown_codes_are_ignored():
    page = opened_whole("pages/train.py", lang="ko", variants="<b>nonsense</b>")
    assert tuple(page.button_group(key="variants").value) == USUAL and address_of(page, "variants") is None
    for chosen, codes in ((["glove", "tfidf"], "glove,tfidf"), ([], ""), (list(reversed(USUAL)), None)):
        page.button_group(key="variants").set_value(chosen).run()
        assert address_of(page, "variants") == codes
    page = opened("pages/train.py", lang="ko", variants="tfidf,elmo,no such")
    assert page.session_state["variants"] == ["tfidf", "elmo"] and address_of(page, "variants") == "elmo,tfidf"
    page = opened_whole("pages/why.py", guess="999")
    assert page.session_state["guess"] == ""
    page.selectbox(key="guess").set_value("3").run()
    assert address_of(page, "guess") == "3"
