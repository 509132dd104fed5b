"""The words that ELMo expects in each word's place, on Home: which, where they say little, a press, and exported."""

import runpy
from pathlib import Path

import pandas as pd
import pytest
import streamlit
from safetensors.torch import save_file
from streamlit.testing.v1 import AppTest

from core.common.limits import limits
from core.elmo.weights import save_hdf5
from core.files.formulas import encode_csv
from core.text.tokens import bare
from pages._export.html_file import html_of_view
from pages._export.notebook_file import notebook
from pages._home import expected
from pages._widgets.downloads import provenance
from tests.app.test_home import part
from tests.app.visit import captions, code_cells, opened, opened_whole
from tests.core.elmo.test_language_model import language_model

RIVER, MONEY = "We sat on the bank and watched the boats.", "The bank refused to lend him any money."


def table(page: AppTest) -> pd.DataFrame | None:
    noted = page.session_state["_taken"].tables().get("home.expected.table")
    return None if noted is None else noted.table


def words(page: AppTest, side: str = "1st") -> list[str]:
    rows = table(page)
    return rows[rows.iloc[:, 0] == side]["word"].tolist()


def draw_buttons(*, key: str, data: dict, on_put_change) -> None:
    """The chips as Streamlit's own buttons, which AppTest can press."""
    for side in data["sides"]:
        if side["words"]:
            streamlit.caption(data["text"]["head"])
        for k, item in enumerate(side["words"]):
            streamlit.button(item["word"], key=f"{key}.{side['side']}.{k}", on_click=expected.put, args=(side["side"], item["word"]))


@pytest.fixture
def by_buttons(monkeypatch):
    monkeypatch.setattr(expected, "_chips", draw_buttons)
    return opened_whole




def test_each_place_has_its_own_words_and_they_follow_the_sentence():
    page = opened_whole(a=RIVER, b=MONEY)
    assert "shore" in words(page) and "company" in words(page, "2nd") and not set(words(page)) & set(words(page, "2nd"))
    before = words(page, "2nd")
    page.text_input(key="a").set_value("He put his wages in the bank and went home.").run()
    assert "shore" not in words(page) and words(page, "2nd") == before


def test_a_word_pressed_is_put_in_the_other_sentence_keeps_its_word_and_the_verdict_follows(by_buttons):
    page = by_buttons(a=RIVER, b=MONEY)
    assert part(page, "verdict").startswith("Two meanings")
    before = words(page)
    page.button(key=f"{expected.KEY}.a.{before.index('shore')}").click().run()
    assert not page.exception and page.text_input(key="a").value == RIVER.replace("bank", "shore")
    assert part(page, "verdict").startswith("Two different words")
    now = page.session_state["asked"]
    assert [of[k] for of, k in zip(now.tokens, now.positions, strict=True)] == ["shore", "bank"]
    assert words(page)[:7] == [word for word in before if word != "shore"]  # the place is the same
    page.text_input(key="a").set_value(RIVER).run()
    assert part(page, "verdict").startswith("Two meanings")


def test_a_word_pressed_right_after_typing_loses_nothing_that_was_typed_and_a_long_text_stays_within_its_box(by_buttons):
    page = by_buttons(a=RIVER, b=MONEY)
    place = words(page).index("shore")
    page.text_input(key="a").set_value(RIVER[:-1] + " go by.")
    page.button(key=f"{expected.KEY}.a.{place}").click().run()
    assert not page.exception and page.text_input(key="a").value == "We sat on the shore and watched the boats go by."
    page.text_input(key="a").set_value("")
    page.button(key=f"{expected.KEY}.a.0").click().run()
    assert not page.exception and page.text_input(key="a").value == ""
    long = f"{RIVER} {'They drank. ' * 300}"[: limits().max_text]
    page.text_input(key="a").set_value(long).run()
    longest = max(words(page), key=len)
    page.button(key=f"{expected.KEY}.a.{words(page).index(longest)}").click().run()
    assert not page.exception and len(longest) > 4 and len(page.text_input(key="a").value) == limits().max_text


@pytest.mark.parametrize(
    ("a", "at"),
    [
        (RIVER, "the"),
        ("They met in Paris and married.", "Paris"),
        ("Bank shares fell again today.", "Bank"),
        ("We sat on the bank.", "bank"),
        ("bank", "bank"),
    ],
)
def test_words_that_say_little_have_no_chips_and_are_in_the_table(by_buttons, a: str, at: str):
    page = by_buttons(a=a, b=MONEY, ai=at, bi="bank")
    assert words(page) and not [button for button in page.button if str(button.key).startswith(f"{expected.KEY}.a.")]


def test_what_has_no_word_in_question_has_no_words_for_it():
    assert table(opened(a="🎉 party", b="🎉", ai="🎉", bi="🎉")) is None
    assert table(opened(a="눈이 온다", b="눈이 아프다", ai="눈이", bi="눈이")) is None
    assert table(opened(a="", b=MONEY)) is None


def test_a_model_without_a_softmax_says_so_in_one_line(tmp_path: Path):
    lm = language_model()
    save_hdf5(lm.encoder.model, tmp_path)
    page = opened(model=str(tmp_path), a=RIVER, b=MONEY)
    assert not page.exception and not page.error and table(page) is None
    assert captions(page).count("has no softmax and vocabulary") == 1
    state = {f"softmax.{name}": value.contiguous() for name, value in lm.softmax.state_dict().items()}
    save_file(state, tmp_path / "softmax.safetensors")
    (tmp_path / "vocabulary.txt").write_text("\n".join(lm.vocabulary.words), encoding="utf-8")
    page = opened(model=str(tmp_path), a=RIVER, b=MONEY)
    assert not page.exception and words(page) and "has no softmax" not in captions(page)


def test_korean_words_are_expected_in_a_korean_place(by_buttons):
    page = by_buttons(lang="ko", a="어제 눈이 많이 내렸다.", b="그는 눈이 나빠서 안경을 쓴다.")
    assert len(table(page)) == 16 and not set(table(page).iloc[:8, 2]) & {"눈", "이", "은", "을"}
    assert captions(page).count("ELMo가 예상하는 다른 말") == 1  # the words of the second sentence are not good enough
    first = table(page).iloc[0, 2]
    page.button(key=f"{expected.KEY}.a.0").click().run()
    assert not page.exception and page.text_input(key="a").value == f"어제 {first}이 많이 내렸다."
    now = page.session_state["asked"]
    assert bare(now.tokens[0][now.positions[0]]) == first and bare(now.tokens[1][now.positions[1]]) == "눈"


