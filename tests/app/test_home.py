"""Test Home: the verdict, its picture, the expected words, the target words, and what a run costs."""

import re
from pathlib import Path

import numpy as np
import pytest
import streamlit
from safetensors.torch import save_file
from streamlit.testing.v1 import AppTest

from core.common.limits import limits
from core.common.short_links import shortened
from core.elmo.weights import save_hdf5
from core.senses.scene import Scene
from core.senses.verdict import Verdict
from core.text.tokens import bare
from pages._cached import shared_jobs
from pages._home import show as home
from pages._widgets import components
from tests.app.visit import address_of, captions, export_of, html_of, opened, opened_whole, tables
from tests.core.elmo.test_language_model import language_model


def part(page: AppTest, name: str) -> str:
    return next(re.sub("<[^>]*>", "", block.proto.body) for block in page.get("html") if f'class="{name}"' in block.proto.body)


def test_file_of_vectors_is_noted_in_every_session_and_zeros_have_no_cosine(tmp_path):
    (tmp_path / "own.txt").write_text("4 3\nbank 0 0 0\nriver 1 0 0\nmoney 0 1 0\n")
    for is_first in (True, False):
        page = opened(vectors=str(tmp_path / "own.txt"), a="She sat on the bank.", b="The bank lent money.", ai="bank", bi="bank")
        notes = [caption.value.replace("\\", "") for caption in (page if is_first else page.sidebar).caption]
        assert "own.txt: the first line promises 4 words, but the file has 3." in notes
        assert "GloVe" not in tables(page)[0]["vectors"].tolist()


def test_chosen_space_stays_and_does_not_change_the_verdict():
    page = opened(layer="0")
    verdict = part(page, "verdict")
    assert page.session_state["layer"] == "0" and "all sentences share one point" in part(page, "notice")
    page.session_state["layer"] = "2"
    page.run()
    assert part(page, "verdict") == verdict and "The stars are nearest to" in part(page, "notice")
    page.pills(key="example").set_value("play").run()
    assert page.session_state["layer"] == address_of(page, "layer") == "2"
    page.session_state["layer"] = "senses"
    page.run()
    assert "layer" not in page.query_params


@pytest.mark.parametrize(
    ("nearest", "probability", "line"),
    [
        (((0,), (0,)), 0.9, "Both stars are nearest to “harbor”."),
        (((0,), (1,)), 0.5, "The stars are nearest to “harbor” and to “wine”."),
        (((0,), (0,)), 0.1, "The picture disagrees with the verdict: both stars are nearest to “harbor”."),
        (((0,), (1,)), 0.9, "The picture disagrees with the verdict: the stars are nearest to “harbor” and to “wine”."),
        (((1, 0), (0,)), 0.1, "The first star is about as near to “wine” as to “harbor”."),
        (((0,), (0, 1)), 0.9, "The second star is about as near to “harbor” as to “wine”."),
        (((0, 1), (1, 0)), 0.1, "Both stars are about as near to one sense as to another."),
    ],
)
def test_the_picture_names_the_senses_and_admits_a_tie(nearest: tuple, probability: float, line: str):
    points = np.ones((1, 2, 2), np.float32)
    shape = {"spaces": ("1",), "points": points, "stars": points, "sense_of": np.array([0, 1]), "texts": ("a", "b"), "labeled": True}
    scene = Scene(**shape, senses=("harbor", "wine"), nearest=(nearest,))
    assert home.say_picture(scene, "1", Verdict(probability, "1")) == line


def taken(monkeypatch, scene: Scene, **values) -> dict:
    """The session after the widget has reported what a hand has set."""
    given = {"view": "senses", "dot": "none", "picked": [], "seq": 1} | values
    state = {home.KEY: {"set": given}, home.DRAWN: scene}
    monkeypatch.setattr(components.st, "session_state", state)
    home._take_set()
    return state


def test_a_click_on_a_dot_makes_its_sentence_the_second_one(monkeypatch):
    scene = opened().session_state[home.DRAWN]
    row = next(k for k, sense in enumerate(scene.sense_of) if sense != scene.sense_of[0])
    state = taken(monkeypatch, scene, taken=row)
    assert (state["b"], state["bi"]) == (scene.texts[row], scene.positions[row])
    for wrong in (len(scene.texts), -1, "1", None, True):
        assert "b" not in taken(monkeypatch, scene, taken=wrong)
    assert taken(monkeypatch, scene, view="2")["layer"] == "2" and "layer" not in taken(monkeypatch, scene, view="7")


def test_damaged_short_link_opens_the_default_page_with_a_warning():
    view = {"a": "A virus made her ill.", "b": "The virus wiped my hard disk.", "layer": "0"}
    page = opened(v=shortened(list(view.items())))
    assert not page.warning and page.session_state["layer"] == "0"
    assert [page.text_input(key=key).value for key in "ab"] == [view["a"], view["b"]] and "v" not in page.query_params
    page = opened(v="virus")
    assert [item.value for item in page.warning] == ["This short link is damaged. Showing the default page."]
    assert part(page, "verdict").startswith("Two meanings") and "v" not in page.query_params
    assert not page.run().warning


@pytest.mark.parametrize(("path", "button"), [("app.py", "home"), ("pages/map.py", "inputs"), ("pages/how.py", "inputs")])
def test_word_in_other_letters_is_read_in_its_language_after_a_click(path: str, button: str):
    page = opened(path, a="눈이 온다", b="눈이 아프다")
    messages = [item.value for item in page.info if "is not in English letters" in item.value]
    assert path == "app.py" or (len(messages) == 1 and "눈이" in messages[0])
    page.button(key=f"{button}.read.ko").click().run()
    assert page.session_state["lang"] == "ko" and page.session_state["model"] == "elmo-ko-mini"
    assert page.text_input(key="a").value == "눈이 온다" and not [item for item in page.info if "English letters" in item.value]
    assert path != "app.py" or "Another language" not in part(page, "verdict")


RIVER, MONEY = "We sat on the bank and watched the boats.", "The bank refused to lend him any money."


def words(page: AppTest) -> list[str]:
    rows = export_of(page, "home.expected.table")
    return [] if rows is None else rows[rows.iloc[:, 0] == "1st"]["word"].tolist()


def draw_buttons(*, key: str, data: dict, on_put_change) -> None:
    for side in data["sides"]:
        for k, item in enumerate(side["words"]):
            streamlit.button(item["word"], key=f"{key}.{side['side']}.{k}", on_click=home.put, args=(side["side"], item["word"]))


def test_pressed_word_keeps_the_text_typed_before(monkeypatch):
    def press(word: str) -> str:
        page.button(key=f"{home.EXPECTED}.a.{words(page).index(word)}").click().run()
        return page.text_input(key="a").value

    monkeypatch.setattr(home, "_chips", draw_buttons)
    page = opened_whole(a=RIVER, b=MONEY)
    page.text_input(key="a").set_value(RIVER[:-1] + " go by.")
    assert press("shore") == "We sat on the shore and watched the boats go by."
    page.text_input(key="a").set_value("")
    assert press(words(page)[0]) == ""
    page.text_input(key="a").set_value(f"{RIVER} {'They drank. ' * 300}"[: limits().max_text]).run()
    longest = max(words(page), key=len)
    assert len(longest) > 4 and len(press(longest)) == limits().max_text


def test_a_model_without_a_softmax_says_so_in_one_line(tmp_path: Path):
    lm = language_model()
    save_hdf5(lm.encoder.model, tmp_path)
    page = opened_whole(model=str(tmp_path), a=RIVER, b=MONEY)
    assert not words(page) and captions(page).count("has no softmax and vocabulary") == 1
    page = opened_whole("pages/why.py", model=str(tmp_path), a=RIVER, ai="bank")
    assert (html_of(page) + captions(page)).count("has no softmax and vocabulary") == 1
    save_file({f"softmax.{name}": value.contiguous() for name, value in lm.softmax.state_dict().items()}, tmp_path / "softmax.safetensors")
    (tmp_path / "vocabulary.txt").write_text("\n".join(lm.vocabulary.words), encoding="utf-8")
    page = opened(model=str(tmp_path), a=RIVER, b=MONEY)
    assert words(page) and "has no softmax" not in captions(page)


def test_html_file_of_home_is_made_on_request_and_downloaded(monkeypatch):
    monkeypatch.setattr("core.live.page.page_of", lambda workspace, report: f"<!DOCTYPE html>{workspace.model.name:{3 * 10**6}}")
    app = opened_whole()
    assert not [button for button in app.button if button.key == f"{home.ALONE}.make"]
    app.session_state[home.ALONE] = True  # the expander
    app.run()
    app.button(key=f"{home.ALONE}.make").click().run()
    (current,) = [job for (kind, _), job in shared_jobs._jobs()[0].items() if kind == home.ALONE_JOB]
    current.wait(300)
    assert current.error is None and current.result.startswith(b"<!DOCTYPE html>elmo-mini ")
    app.run()
    assert [item.proto.label for item in app.get("download_button") if item.proto.id.endswith(f"{home.ALONE}.file")] == ["Download, 3 MB"]


def test_typed_sentence_stays_when_the_language_changes():
    page = opened(a="함박눈이 내려 눈을 치웠다.", b="두 눈을 감았다.")
    for language, target in (("en", "눈을"), ("ko", "눈"), ("en", "눈을")):
        page.selectbox(key="lang").set_value(language).run()
        assert page.text_input(key="a").value == "함박눈이 내려 눈을 치웠다."
        result = page.session_state["asked"]
        assert [bare(tokens[k]) for tokens, k in zip(result.tokens, result.positions, strict=True)] == [target] * 2


def test_example_that_the_browser_still_shows_does_not_replace_a_typed_text():
    page = opened()
    page.text_input(key="a").set_value("They were stuck in a jam near the tunnel.").run()
    page.text_input(key="b").set_value("The mole dug a tunnel.")
    page.button_group(key="example").set_value("bank").run()  # as its request says, before it has the answer to the first one
    assert [page.session_state[key][:8] for key in ("a", "b")] == ["They wer", "The mole"]
    page.button_group(key="example").set_value("bank").run()
    assert page.session_state["a"].startswith("We sat on the grassy bank")
