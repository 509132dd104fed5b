"""Test the Map page: its word, its layouts, the data of its widget, and the map of all tokens."""

import re
from base64 import b64decode

import numpy as np
import pandas as pd
import pytest

from core.analysis import word_maps
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.build import build_index
from core.live.widgets import map_setting
from core.text import languages
from core.text.corpora import BUNDLED_CORPUS, definition, open_corpus
from core.text.tokens import pieces
from pages._frame.choices import ALL
from pages._map import around as around_page
from pages._map import map_view
from pages._widgets import components
from tests.app.visit import data_of, html_of, opened, opened_whole, tables


def test_map_opens_in_the_sense_space():
    def measures() -> list[str]:
        return next(table for table in tables(page) if "trustworthiness" in table)[["layer", "trustworthiness"]].iloc[-1].tolist()

    bank = {"a": "We moored the boat at the bank.", "b": "The bank raised its rates again."}
    page = opened("pages/map.py", view="1", **bank)
    assert len(sent(page)["names"]) == 4 and sent(page)["text"]["senses"] == "sense space" and measures()[0] == "mix"
    page = opened_whole("pages/map.py", **bank)
    map_, (layer, trust) = sent(page), measures()
    assert page.session_state["view"] == "senses" and layer == "sense space" and float(trust) > 0.7
    assert map_["names"] == ["0", "1", "2", "mix", "senses"] and not map_["text"]["senses"]
    assert len(next(table for table in tables(page) if "x, layer sense space" in table)) == len(map_["rows"])
    assert opened("pages/map.py", view="senses", map_word="all words").session_state["view"] != "senses"


GIVEN = {"view": "1", "dot": "7", "picked": [7, 9]}


def sent(page) -> dict:
    return data_of(page, "elmoscope_map")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (GIVEN, ("1", "7", [7, 9])),
        (GIVEN | {"view": "all layers", "picked": []}, ("all layers", "7", [])),
        (GIVEN | {"picked": [7, "9", 12, None, 9]}, ("1", "7", [7, 9])),  # rows of another word, and no rows
        *((wrong, None) for wrong in (GIVEN | {"view": "5"}, GIVEN | {"dot": 7}, GIVEN | {"picked": "7"}, {}, "nonsense")),
    ],
)
def test_settings_of_the_map_widget_are_validated(monkeypatch, given, expected):
    monkeypatch.setattr(components.st, "session_state", {map_view.LIVE: {"set": given}})
    assert map_setting(components.get_settings(map_view.LIVE), ("0", "1", "2", "mix", ALL), [7, 8, 9]) == expected


NAMES = ("0", "1", "2", "mix")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    model = open_model(BUNDLED_MODEL)
    return build_index(open_corpus(BUNDLED_CORPUS, model.language)[:80], model.encoder, tmp_path_factory.mktemp("all") / "all", model="m")


@pytest.fixture(scope="module")
def rows(table) -> np.ndarray:
    return word_maps.sentence_rows(table, 700)


@pytest.fixture(scope="module")
def maps(table, rows):
    return word_maps.token_maps(table, rows, NAMES, laid_out=60)


def test_data_of_the_map_of_all_tokens_is_complete(table, rows, maps):
    def read(text: str, kind: str) -> np.ndarray:
        return np.frombuffer(b64decode(text), kind)

    sent = around_page._token_data(table, rows, maps, "bank", "key")
    flat, n = [piece for line in sent["sentences"].split("\n") for piece in line.split("\t")], len(rows)
    assert 0 < n <= 700 < len(table) and len(flat) == n
    np.testing.assert_allclose(read(sent["places"], "<u2").reshape(4, n, 2) / 65_535 * 2 - 1, maps.coordinates, atol=1e-4)
    lemma, sense = read(sent["lemma"], "<u2"), read(sent["sense"], "u1")
    assert len(lemma) == len(sense) == n and ((lemma > 0) == (sense > 0)).all() and (sense > 0).sum() > 40
    for k in [0, *np.flatnonzero(sense)[:5], n - 1]:
        o = table.occurrence(int(rows[k]))
        assert flat[k] == pieces(o.tokens)[o.position]
        named = sent["senses"][lemma[k] - 1][sense[k] - 1] if sense[k] else None
        assert named == o.sense and (not sense[k] or sent["lemmas"][lemma[k] - 1] == o.lemma)
    assert sent["at"] == 2 and len(sent["under"]) == len(sent["tints"]) == 4 and "one dot" in sent["under"][0]


def test_notices_on_all_tokens_are_true(table, rows, maps):
    some, word = around_page._describe_tokens(table, rows, maps, "the"), (table.word[rows] == table.word_codes["the"]).sum()
    assert f"shows {len(rows):,} of {len(table):,} tokens" in some[0] and "random sentences" in some[0]
    assert f"“the” ({word} tokens): median distance" in some[1]
    assert len(around_page._describe_tokens(table, rows, maps, "zyzzyva")) == 1
    words = pd.DataFrame(around_page._tabulate_words(table, rows, maps))
    assert words["tokens"].is_monotonic_decreasing and words["tokens"].min() >= around_page.FEWEST
    assert (words.iloc[:, 2] < 1e-3).all() and words.iloc[0, 4] > 0.005  # of layer 0, of layer 2


def test_map_of_all_tokens_opens_by_its_address(monkeypatch):
    monkeypatch.setattr(word_maps, "LAID_OUT", 60)
    whole = word_maps.token_maps
    monkeypatch.setattr(word_maps, "token_maps", lambda table, rows, names, report: whole(table, rows, names, report, laid_out=60))
    page = opened("pages/map.py", view="all tokens")
    while not any(item.proto.component_name == "elmoscope_tokens" for item in page.get("bidi_component")):
        assert not page.error
        page.run()
    assert "The map shows" in html_of(page) and "map.tokens.table" in page.session_state["_taken"].tables()
    page.session_state["view"] = "2"
    page.run()
    assert "The map shows" not in html_of(page)


def test_all_words_are_drawn_and_listed():
    page = opened_whole("pages/map.py", **{"map.all": "true"})
    listed = [frame for frame in tables(page) if "above chance" in frame.columns and "virus" in set(frame["word"])]
    assert len(listed[0]) == 475


def test_map_word_is_chosen_by_theme_or_at_random():
    page = opened_whole("pages/map.py")
    lines = page.selectbox(key="map_word").options
    assert len(lines) > 470 and any(re.fullmatch(r"python · 2 meanings · \d+% · animals, computing", line) for line in lines)
    page.selectbox(key="map_word.theme").set_value("money").run()
    lines = page.selectbox(key="map_word").options
    assert 10 < len(lines) < 60 and all("money" in line for line in lines)
    page.button(key="map_word.surprise").click().run()
    drawn = page.selectbox(key="map_word").value
    assert drawn != "bank" and page.query_params["map_word"] == drawn


def test_unlabeled_word_can_be_typed():
    page = opened_whole("pages/found.py", a="A zebra drank at the pool.", b="The zebra on the poster was green.")
    while not page.info:  # until every word of the sentences has been read
        assert not page.error
        page.run()
    assert page.selectbox(key="found_word").value == "zebra" and "Occurrences of “zebra” in this corpus: 0" in page.info[0].value
    assert opened_whole("pages/found.py", found_word="<b>Virus").selectbox(key="found_word").value == "<b>Virus"


def test_definitions_of_senses_are_shown():
    jaguar = {"a": "A jaguar slept by the river.", "b": "His jaguar would not start."}
    cat = definition(languages.get_language("en"), "jaguar", "animal")
    page = opened_whole("pages/map.py", **jaguar)
    message = {chip["name"]: chip["told"] for chip in sent(page)["chips"]}
    assert cat in html_of(page) and message["animal"] == cat and len(message) > 1 and all(message.values())
    assert f"<b>animal</b>: {cat}" in html_of(opened_whole("pages/found.py", **jaguar))
    page.button(key="corpus.words").click().run()
    table = page.dataframe[-1].value
    assert cat in set(table["definition"]) and len(table) > 1100 and all(table["definition"])
