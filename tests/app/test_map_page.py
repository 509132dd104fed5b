"""Check the Map page: the word it follows, what it draws for each, and the data of its widget."""

import base64
import json

import numpy as np
import pytest

from core.analysis.word_maps import open_maps
from core.common.markup import plain
from core.elmo.mix import layer_weights
from core.live.settings import map_setting
from core.senses.trust import links
from pages._cached import opened as cached
from pages._frame.choices import ALL
from pages._map import map_view
from pages._widgets import components
from tests.app.test_pages import html_of, opened
from tests.app.visit import tables

WILD = {
    "a": "A lynx watched the deer from a branch above the river.",
    "ai": "lynx",
    "b": "My uncle drove his old lynx to the garage on Monday.",
    "bi": "lynx",
}
PLANTS = {"a": "She waters the plant every morning.", "ai": "plant", "b": "The plant makes steel pipes.", "bi": "plant"}


def ready(**query: str):
    page = opened("pages/map.py", **query)
    while "so all sentences are read first" in html_of(page):
        page.run()
    assert not page.exception and not page.error
    return page


def test_it_opens_on_the_word_in_question_with_and_without_labels():
    assert ready(**PLANTS).selectbox(key="map_word").value == "plant"
    page = ready(**WILD)
    assert page.selectbox(key="map_word").value == "lynx" and "lynx" in page.selectbox(key="map_word").options
    assert "are nearer to the first sentence" in html_of(page)
    assert ready(**WILD, map_word="play").selectbox(key="map_word").value == "play"  # a link says more than the sentences


def test_it_follows_when_other_words_come_into_question_and_keeps_what_was_chosen_meanwhile():
    page = ready(**WILD)
    page.selectbox(key="map_word").set_value("play").run()
    assert page.selectbox(key="map_word").value == "play"
    for key, value in (("a", PLANTS["a"]), ("b", PLANTS["b"])):
        page.text_input(key=key).set_value(value)
    page.session_state["ai"], page.session_state["bi"] = 3, 1
    page.run()
    page.session_state["ai"], page.session_state["bi"] = 3, 1
    page.run()
    assert page.selectbox(key="map_word").value == "plant"


def test_each_layout_and_layer_draws_a_word_without_labels():
    for plan in ("umap", "between"):
        assert "are nearer to" in html_of(ready(**WILD, around=plan, view="all layers"))


def test_one_sentence_or_none_is_no_dead_end():
    assert "Add a second sentence" in html_of(ready(**{**WILD, "b": ""}))
    message = html_of(ready(a="", b=""))
    assert "In the sense space, " in message and "“bank” sentences, each left out in turn" in message


def test_a_word_that_stands_nowhere_is_named_and_no_empty_plane_is_drawn():
    for word in ("qzxv", "<b>x</b>"):
        page = ready(map_word=word)
        assert any(f"“{plain(word)}” does not occur in your corpus" in item.value for item in page.info)
        assert not any(item.proto.component_name == "elmoscope_map" for item in page.get("bidi_component"))
        assert "of the variance" not in html_of(page) + " ".join(item.value for item in page.caption)
    typed = ready(a="qzxv", b="", map_word="qzxv")  # a sentence of the reader's has a place, and words around it
    assert any(item.proto.component_name == "elmoscope_map" for item in typed.get("bidi_component"))
    assert "“qzxv” does not occur in your corpus." in html_of(typed)
    beside = html_of(
        ready(a="A qzxv sang.", ai="qzxv", b="She squeezed a lemon.", bi="lemon", map_word="lemon")
    )  # the other sentence's word, too
    assert "“qzxv” does not occur in your corpus." in beside and "“lemon” does not occur" not in beside


def test_one_dot_has_no_spread_to_speak_of(tmp_path):
    corpus = tmp_path / "own.txt"
    corpus.write_text("A heron slept.")
    page = ready(corpus=str(corpus), a="", b="", map_word="heron")
    assert "occurs once" in html_of(page) and "variance" not in " ".join(item.value for item in page.caption)


def test_ones_own_corpus_is_drawn_by_the_groups_found_and_names_no_path(tmp_path):
    left = [
        f"The crane lifted {what} over the wall of the site." for what in ["beams", "bricks", "pipes", "steel", "planks", "glass", "sand"]
    ]
    right = [f"A crane waded in the {what} and ate a frog." for what in ["marsh", "pond", "lake", "reeds", "river", "shallows", "swamp"]]
    corpus = tmp_path / "own.txt"
    corpus.write_text("\n".join(left + right))
    page = ready(corpus=str(corpus), a="", b="", map_word="crane")
    assert "All 14 occurrences of “crane” are shown." in html_of(page)
    assert str(tmp_path) not in html_of(page).replace("corpus=", "")
    stars = ready(corpus=str(corpus), a="The crane flew off.", ai="crane", b="The crane was rusty.", bi="crane")
    assert "nearer to the first sentence" in html_of(stars)


def test_a_labeled_word_of_one_meaning_has_a_map_and_no_measure_that_means_nothing(tmp_path):
    rows = [
        {"tokens": ["The", "gull", "stole", what, "."], "position": 1, "word": "gull", "lemma": "gull", "sense": "bird"}
        for what in ("chips", "bread", "fish")
    ]
    corpus = tmp_path / "own.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)))
    assert "has only one labeled sense" in html_of(ready(corpus=str(corpus), a="", b=""))


@pytest.mark.parametrize("name", ["map", "mix"])
def test_a_word_in_another_language_s_letters_is_told_before_the_folded_sentences(name):
    page = opened(f"pages/{name}.py", a="눈이 온다", b="The snow is white.", ai="눈이", bi="snow")
    message = plain("“눈이” is not in English letters.")
    assert not page.exception and [item.value for item in page.info][:1] == [message]
    assert not any(item.value == message for fold in page.expander for item in fold.info)
    assert page.button(key="inputs.read.ko").label == "Read as 한국어"
    if name == "map":
        assert page.selectbox(key="map_word").value == "snow"


def test_it_opens_in_the_sense_space_and_layers_alone_are_one_press_away():
    bank = {"a": "We moored the boat at the bank.", "b": "The bank raised its rates again."}
    page = opened("pages/map.py", view="1", **bank)
    assert len(sent(page)["names"]) == 4 and sent(page)["text"]["senses"] == "sense space"
    for view, last in (("senses", "sense space"), ("2", "mix")):  # the measures follow
        page.session_state["view"] = view
        page.run()
        measures = next(table for table in tables(page) if "trustworthiness" in table)
        assert not page.exception and measures["layer"].tolist()[-1] == last
    page = opened("pages/map.py", **bank)
    assert not page.exception and not page.error and page.session_state["view"] == "senses"
    map_ = sent(page)
    assert map_["names"] == ["0", "1", "2", "mix", "senses"] and map_["titles"][-1] == "Sense space" and not map_["text"]["senses"]
    measures = next(table for table in tables(page) if "trustworthiness" in table)
    assert measures["layer"].tolist()[-1] == "sense space" and float(measures["trustworthiness"].iloc[-1]) > 0.7
    dots = next(table for table in tables(page) if "x, layer sense space" in table)
    assert len(dots) == len(map_["rows"])
    words = opened("pages/map.py", view="senses", map_word="all words")
    assert not words.exception and words.session_state["view"] != "senses"


def test_it_moves_between_words_with_and_without_labels_in_the_same_view():
    page = ready(**WILD, view="0")
    assert "your two words have one vector" in html_of(page)
    for word in ("bank", "lynx"):
        page.selectbox(key="map_word").set_value(word).run()
        while "so all sentences are read first" in html_of(page):
            page.run()
        assert not page.exception and not page.error and page.session_state["view"] == "0"


def test_a_link_to_the_sense_space_says_its_share_of_a_labeled_word_and_that_others_have_none():
    assert "so no sense space" in html_of(ready(**WILD, view="senses"))
    page = ready(**PLANTS, view="senses")
    message = html_of(page)
    assert "so no sense space" not in message and "n the sense space, " in message


GIVEN = {"view": "1", "dot": "7", "picked": [7, 9]}


def sent(page) -> dict:
    """The data of the instrument on an opened page."""
    result = [json.loads(block.proto.json) for block in page.get("bidi_component") if block.proto.component_name == "elmoscope_map"]
    assert result, "the page has no instrument"
    return result[-1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (GIVEN, ("1", "7", [7, 9])),
        (GIVEN | {"view": "all layers", "picked": []}, ("all layers", "7", [])),
        (GIVEN | {"picked": [7, "9", 12, None, 9]}, ("1", "7", [7, 9])),  # rows of another word, and no rows
        (GIVEN | {"view": "5"}, None),
        (GIVEN | {"dot": 7}, None),
        (GIVEN | {"picked": "7"}, None),
        ({}, None),
        ("nonsense", None),
    ],
)
def test_what_a_browser_says_was_set_is_taken_where_the_map_has_it(monkeypatch, given, expected):
    monkeypatch.setattr(components.st, "session_state", {map_view.LIVE: {"set": given}})
    assert map_setting(components.get_settings(map_view.LIVE), ("0", "1", "2", "mix", ALL), [7, 8, 9]) == expected


def test_dots_stars_and_true_neighbors_are_core_s_in_every_layer():
    page = opened("pages/map.py", a="Grandpa fished from the bank until dusk.", b="My bank closed the account.")
    data = sent(page)
    corpus, model = "sentences", "elmo-mini"
    names, n = data["names"], len(data["rows"])
    places = np.frombuffer(base64.b64decode(data["places"]), "<f4").reshape(len(names), -1, 2)
    table = cached.targets(corpus, model)
    maps = open_maps(table, "bank", fit=True)
    assert names == [*maps.names, "senses"]
    np.testing.assert_allclose(places[:-1, :n], maps.coordinates, atol=1e-5)
    assert places.shape[1] == n + 2 + len(data["labels"]) and [item["name"] for item in data["stars"]] == ["first", "second"]
    for k, (name, flat) in enumerate(zip(maps.names, maps.coordinates, strict=True)):
        cosines = table.similarities(np.array(data["rows"]), layer_weights(name, table.meta["layers"]))
        for dot in (0, n - 1):
            assert data["links"][str(dot)][k] == links(cosines[dot], flat, flat[dot], itself=dot).as_lists
