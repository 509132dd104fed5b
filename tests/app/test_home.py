"""Home: the verdict and its picture, the space on the slider, other languages and no words."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.common.short_links import shortened
from core.senses.scene import Scene
from core.text import languages
from pages._home import picture
from pages._home.live import rest
from pages._widgets import components
from tests.app.visit import opened, tables

ROOT = Path(__file__).resolve().parents[2]


def part(page: AppTest, name: str) -> str:
    """The text of the page's own HTML of that class, without its tags."""
    result = [block.proto.body for block in page.get("html") if f'class="{name}"' in block.proto.body]
    return re.sub("<[^>]*>", "", result[0]) if result else ""


def scene_of(page: AppTest) -> Scene:
    """The scene that the page drew last."""
    return page.session_state[picture.DRAWN]


def test_every_example_opens_on_two_meanings_with_each_star_in_its_own_cloud():
    page = opened()
    assert re.match("Two meanings: .+ and ", part(page, "verdict"))
    for word in languages.get_language("en").examples["pairs"]:
        page.pills(key="example").set_value(word).run()
        assert not page.exception and part(page, "verdict").startswith("Two meanings"), word
        first, second = scene_of(page).nearest[-1]
        names = [scene_of(page).senses[k] for k in (first, second)]
        assert first != second and part(page, "notice") == f"What to notice. The stars are nearest to “{names[0]}” and to “{names[1]}”."
        assert page.session_state["layer"] is None  # no example moves the slider


def test_a_static_vector_of_zeros_has_no_cosine(tmp_path):
    (tmp_path / "zeros.txt").write_text("bank 0 0 0\nriver 1 0 0\nmoney 0 1 0\n")
    page = opened(vectors=str(tmp_path / "zeros.txt"), a="She sat on the bank.", b="The bank lent money.", ai="bank", bi="bank")
    assert not page.exception and "GloVe" not in tables(page)[0]["vectors"].tolist()


def test_the_page_notes_what_a_file_of_vectors_lacks_to_everyone(tmp_path):
    (tmp_path / "own.txt").write_text("4 3\nbank 0 2 1\nriver 1 0 0\nmoney 0 1 0\n")
    page = opened(vectors=str(tmp_path / "own.txt"), a="She sat on the bank.", b="The bank lent money.", ai="bank", bi="bank")
    note = "own.txt: the first line promises 4 words, but the file has 3."
    assert note in [caption.value.replace("\\", "") for caption in page.caption]
    page = opened(vectors=str(tmp_path / "own.txt"), a="She sat on the bank.", b="The bank lent money.", ai="bank", bi="bank")
    assert note in [caption.value.replace("\\", "") for caption in page.sidebar.caption]


def test_a_space_that_was_chosen_stays_and_the_verdict_with_it():
    page = opened(layer="0")
    verdict = part(page, "verdict")
    assert page.session_state["layer"] == "0" and "all sentences share one point" in part(page, "notice")
    page.session_state["layer"] = "2"
    page.run()
    assert part(page, "verdict") == verdict and "The stars are nearest to" in part(page, "notice")
    assert page.query_params["layer"] in ("2", ["2"])
    page.pills(key="example").set_value("play").run()
    assert page.session_state["layer"] == "2" and page.query_params["layer"] in ("2", ["2"])
    page.session_state["layer"] = "senses"
    page.run()
    assert "layer" not in page.query_params


def taken(monkeypatch, scene: Scene, **values) -> dict:
    """The session after the widget has reported what a hand has set."""
    given = {"view": "senses", "dot": "none", "picked": [], "seq": 1} | values
    state = {picture.KEY: {"set": given}, picture.DRAWN: scene}
    monkeypatch.setattr(components.st, "session_state", state)
    picture._take_set()
    return state


def test_a_click_on_a_dot_makes_its_sentence_the_second_one(monkeypatch):
    scene = scene_of(opened())
    row = next(k for k, sense in enumerate(scene.sense_of) if sense != scene.sense_of[0])
    state = taken(monkeypatch, scene, taken=row)
    assert (state["b"], state["bi"]) == (scene.texts[row], scene.positions[row])
    for wrong in (len(scene.texts), -1, "1", None, True):
        assert "b" not in taken(monkeypatch, scene, taken=wrong)
    assert taken(monkeypatch, scene, view="2")["layer"] == "2" and "layer" not in taken(monkeypatch, scene, view="7")


def test_the_star_of_a_labeled_sentence_is_at_its_dot():
    scene = scene_of(opened())
    page = opened(a=scene.texts[3], b=scene.texts[5])
    assert abs(scene_of(page).stars[:, 0] - scene_of(page).points[:, 3]).max() < 1e-6


def test_punctuation_has_no_chip_unless_it_is_meant():
    page = opened(a="“Yes,” she said: go!", b="Go, then.")
    assert page.button_group(key="ai").options == ["Yes", "she", "said", "go"]
    page = opened(a="! ?", b="🎉 party, 🎊", bi="🎉")
    assert not page.exception and [len(page.button_group(key=key).options) for key in ("ai", "bi")] == [1, 3]


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
    if a[0] == "눈" or a[0] == "🎉":
        assert not part(page, "notice")  # no picture of what is no word here
    if not title:
        assert "two different words" not in part(page, "verdict").casefold()


def test_a_foreign_word_is_read_in_its_own_language_with_one_click():
    page = opened(a="눈이 온다", b="눈이 아프다", ai="눈이", bi="눈이")
    page.button(key="home.read.ko").click().run()
    assert not page.exception and page.session_state["lang"] == "ko" and page.session_state["model"] == "elmo-ko-mini"
    assert "Another language" not in part(page, "verdict") and page.text_input(key="a").value == "눈이 온다"


def test_a_word_without_labels_is_drawn_among_the_words_near_either_sentence():
    page = opened(a="We spread marmalade on the warm bread.", b="There was a pot of marmalade beside the butter.")
    assert not page.exception and part(page, "verdict").startswith("One meaning")
    scene = scene_of(page)
    assert not scene.labeled and "marmalade" not in scene.texts and len(set(scene.texts)) == len(scene.texts)
    assert ("farther apart" in part(page, "notice")) == (scene.distance > scene.ring)


def test_a_short_link_opens_its_view_and_a_damaged_one_is_said_to_be_one():
    view = {"a": "A virus made her ill.", "b": "The virus wiped my hard disk.", "layer": "0"}
    page = opened(v=shortened(list(view.items())))
    assert not page.exception and not page.warning and page.session_state["layer"] == "0"
    assert [page.text_input(key=key).value for key in "ab"] == [view["a"], view["b"]] and "v" not in page.query_params
    page = opened(v="virus")
    assert [item.value for item in page.warning] == ["This short link is damaged. Showing the default page."]
    assert not page.exception and part(page, "verdict").startswith("Two meanings") and "v" not in page.query_params
    assert not page.run().warning


def test_the_rest_after_a_key_is_short_where_answers_come_soon_and_never_over_a_tenth_of_a_second():
    assert [rest(took) for took in (0.0, 0.1, 0.35, 0.6, 3.0)] == ["25ms", "25ms", "50ms", "75ms", "100ms"]


@pytest.mark.parametrize("path", ["pages/map.py", "pages/how.py"])
def test_a_word_in_another_language_s_letters_is_told_on_every_page_with_its_way_out(path: str):
    page = opened(path, a="눈이 온다", b="눈이 아프다")
    assert not page.exception
    messages = [item.value for item in page.info if "is not in English letters" in item.value]
    assert len(messages) == 1 and "눈이" in messages[0]
    page.button(key="inputs.read.ko").click().run()
    assert not page.exception and not [item for item in page.info if "is not in English letters" in item.value]
