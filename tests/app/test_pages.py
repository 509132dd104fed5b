"""Test all pages with odd inputs, missing files and Korean."""

import shutil
from pathlib import Path

import pytest

from core.common.config import ASSETS
from core.files.artifacts import read_json
from tests.app.visit import PATHS, html_of, opened, opened_whole, read_through, words_on


@pytest.mark.parametrize("path", ("app.py", "pages/neighbors.py", "pages/map.py", "pages/mix.py", "pages/why.py"))
def test_odd_sentences_break_no_page(path: str):
    page = opened(path)
    for text in ("", " ", "\x00", "🎉🎉", "ا ب ت", "눈이 온다", "<b>bold</b> & 'quotes'", "a" * 1999, "bank " * 399):
        assert page.text_input(key="a").set_value(text).run().title, text


# Of model, vectors and corpus, what views open. The others open all three; Train opens them on request.
OPENED = {
    "model corpus": ("map", "mix", "found", "lessons", "texts", "search", "collocates", "keyness", "why"),
    "model vectors": ("classify", "tasks"),
    "model": ("about", "how", "slides", "guess", "predict"),
    "": ("train", "results"),
}


@pytest.mark.parametrize("path", PATHS)
def test_missing_file_is_named_in_an_error_where_a_page_opens_it(path: str):
    used = next((kinds for kinds, views in OPENED.items() if Path(path).stem in views), "model vectors corpus").split()
    unused = {kind: "/no/such/thing" for kind in ("model", "vectors", "corpus") if kind not in used}
    for address in filter(None, [*({kind: "/no/such/thing"} for kind in used), unused]):
        page = opened(path, **address)
        assert any("/no/such/thing" in error.value for error in page.error) == (address is not unused), address


def test_about_works_without_measures_of_these_weights(tmp_path):
    folder = shutil.copytree(ASSETS / "elmo-mini", tmp_path / "mine")
    assert not opened("pages/about.py", model=str(folder)).info  # the same weights in another folder
    measures = folder / "measures.json"
    measures.write_text(measures.read_text().replace(read_json(measures)["fingerprint"], "0" * 16))
    assert "has not been measured. In a terminal" in opened("pages/about.py", model=str(folder)).info[0].value
    for name in ("measures.json", "training_log.json", "meta.json"):
        (folder / name).unlink()
    page = opened("pages/about.py", model=str(folder))
    assert "has not been measured. In a terminal" in page.info[0].value and "LSTMs" in html_of(page)


@pytest.mark.parametrize(("path", "key"), [("app.py", "model"), ("pages/search.py", "corpus"), ("pages/compare.py", "first")])
def test_public_server_does_not_reveal_whether_a_path_exists(monkeypatch, tmp_path, path, key):
    def visit() -> list[str]:
        page = opened(path, **{key: str(tmp_path / "place")})
        assert any("on this server" in error.value for error in page.error)
        return [html_of(page), *(item.value for item in (*page.error, *page.info, *page.markdown))]

    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    before = visit()
    (tmp_path / "place").mkdir()
    for name in ("options.json", "weights.hdf5", "meta.json", "occurrences.arrow"):
        (tmp_path / "place" / name).write_text("{}")
    assert visit() == before


def test_missing_model_can_be_named_twice():
    assert [button.key for button in opened("pages/how.py", model="OWNER/NAME", beside="OWNER/NAME").button].count("ask.OWNER/NAME") == 1


def test_report_of_a_problem_has_no_path(tmp_path):
    report = next(each.value for each in opened("pages/about.py", corpus=str(tmp_path / "mine.txt")).code if "elmoscope: " in each.value)
    assert "model: elmo-mini" in report and "corpus: custom" in report and str(tmp_path) not in report


# The first form is in none of the labeled sentences of 쓰다. The second verb has no labels: the sentences of its other forms are shown.
@pytest.mark.parametrize(("typed", "shown"), [("써야겠어요", "머리에 얹음"), ("먹었다", "“먹었다”")])
def test_korean_verb_is_found_by_any_form(typed: str, shown: str):
    page = read_through(opened("pages/found.py", lang="ko", found_word=typed))
    assert not page.info and shown in html_of(page) and "그룹" in html_of(page)


def test_slide_of_an_invented_word_works_in_korean():
    page = opened_whole("pages/slides.py", lang="ko", slide="8")
    assert page.text_input(key="slide_invented").value == "구름스럽다"
    assert any("“구름스럽다”" in item and "몫이 가장 큽니다" in item for item in words_on(page))
    message = " ".join(words_on(page.text_input(key="slide_invented").set_value("unfriendlyish").run()))
    assert "아는 글자 배열이" in message and "몫이" not in message
