"""The sense space on the Neighbors page: by address, by choice, and not where a model has none."""

import json
import re
import shutil

import pytest

from core.elmo.models import open_model
from core.index.neighbors import SAME, make_query
from core.index.sense_index import WEIGHTS, SenseIndex
from core.index.tables import open_table
from core.workspace import open_workspace
from tests.app.visit import html_of, opened, opened_whole

PAGE = "pages/neighbors.py"
LABELED = {"a": "The bank lent us money .", "ai": "1", "b": "We sat on the bank of a lake .", "bi": "4"}
RIVER = {"a": "The river was wide .", "ai": "1", "b": "He swam across a river .", "bi": "4"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> str:
    """Two labeled sentences, and six with a word without labels."""
    rows = [
        {"tokens": f"the bank {more} .".split(), "position": 1, "word": "bank", "sense": sense}
        for more, sense in (("lent me money", "firm"), ("was steep and muddy", "edge"), ("paid no interest", "firm"))
    ]
    rows += [{"tokens": f"the river {more} .".split()} for more in ("rose", "fell", "froze in winter", "was wide", "ran dry", "turns here")]
    path = tmp_path_factory.mktemp("corpus") / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def listed(page) -> list[str]:
    return re.findall(r'<span class="cosine">([\d.]+)</span>', html_of(page))


def test_a_word_without_labels_is_listed_in_it_and_the_choice_stays_for_one_with_labels(corpus):
    page = opened_whole(PAGE, corpus=corpus, **RIVER)
    while any("All sentences are read once" in block.proto.body for block in page.get("html")):
        page.run()
    assert page.session_state["nlayer"] == "1" and page.session_state["among"] == "same word"
    page.segmented_control(key="nlayer").set_value("senses").run()
    model = open_model("elmo-mini")
    index = SenseIndex(open_table(corpus, model), open_workspace(model).sense_space)
    queries = (make_query(model.encoder, RIVER[key].split(), int(RIVER[f"{key}i"])) for key in "ab")
    near = [n for query in queries for n in index.nearest(query, WEIGHTS, which=SAME)]
    assert len(near) == 12 and listed(page)[-12:] == [f"{n.cosine:.2f}" for n in near]
    page.text_input(key="a").set_value(LABELED["a"])
    page.text_input(key="b").set_value(LABELED["b"]).run()
    assert page.session_state["nlayer"] == "senses" and not page.exception


def test_an_address_opens_it_cold_and_it_stays_until_another_is_chosen():
    page = opened_whole(PAGE, nlayer="senses", among="types", **LABELED)
    assert page.session_state["nlayer"] == "senses" and page.query_params["nlayer"] in ("senses", ["senses"])
    assert page.session_state["among"] == "same word"  # spellings have no place in it
    page.text_input(key="a").set_value("The bank raised its rates .").run()
    assert page.session_state["nlayer"] == "senses" and len(listed(page)) >= 20
    page.segmented_control(key="nlayer").set_value("2").run()
    assert page.session_state["nlayer"] == "2" and not page.exception
    page.selectbox(key="among").set_value("types").run()
    page.segmented_control(key="nlayer").set_value("senses").run()
    assert (page.session_state["nlayer"], page.session_state["among"]) == ("senses", "other words") and not page.exception


def test_a_model_that_has_none_says_so_and_shows_a_layer(tmp_path):
    folder = open_model("elmo-mini").folder
    mute = shutil.copytree(folder, tmp_path / "mute", ignore=shutil.ignore_patterns("vocabulary.txt", "spelled.npz"))
    page = opened(PAGE, model=str(mute), nlayer="senses", **LABELED)
    assert not page.exception and not page.error
    assert any("mute has no sense space; showing a layer." in info.value for info in page.info)
    assert page.session_state["nlayer"] in ("0", "1", "2", "mix") and "nlayer" not in page.query_params


