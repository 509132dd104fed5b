"""All tokens on the Map page: what is sent is every token's line, place and meaning, and what is said of them is counted."""

from base64 import b64decode

import numpy as np
import pytest

from core.analysis import token_maps
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.build import build_index
from core.text.corpora import BUNDLED_CORPUS, open_corpus
from core.text.tokens import pieces
from pages._map import every_token
from tests.app.visit import html_of, opened

NAMES = ("0", "1", "2", "mix")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    model = open_model(BUNDLED_MODEL)
    return build_index(
        open_corpus(BUNDLED_CORPUS, model.language)[:80], model.encoder, tmp_path_factory.mktemp("tokens") / "all", model="m"
    )


@pytest.fixture(scope="module")
def maps(table):
    return token_maps.token_maps(table, NAMES, laid_out=60, most=700)


def read(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), kind)


def test_every_token_is_sent_with_its_line_its_places_and_its_meaning(table, maps):
    sent = every_token._data(table, maps, "bank", "key")
    lines = [line.split("\t") for line in sent["sentences"].split("\n")]
    n = len(maps.rows)
    assert 0 < n <= 700 < len(table) and sum(map(len, lines)) == n
    assert (read(sent["places"], "<u2").reshape(4, n, 2) == maps.places).all()
    lemma, sense = read(sent["lemma"], "<u2"), read(sent["sense"], "u1")
    assert len(lemma) == len(sense) == n and ((lemma > 0) == (sense > 0)).all() and (sense > 0).sum() > 40
    flat = [piece for line in lines for piece in line]
    for k in [0, *np.flatnonzero(sense)[:5], n - 1]:
        o = table.occurrence(int(maps.rows[k]))
        assert flat[k] == pieces(o.tokens)[o.position]
        named = sent["senses"][lemma[k] - 1][sense[k] - 1] if sense[k] else None
        assert named == o.sense and (not sense[k] or sent["lemmas"][lemma[k] - 1] == o.lemma)
    assert sent["at"] == 2 and len(sent["under"]) == len(sent["tints"]) == 4 and "one dot" in sent["under"][0]


def test_what_is_said_is_counted_and_says_where_tokens_were_drawn(table, maps):
    some, word = every_token._write_notices(table, maps, "the"), (table.word[maps.rows] == table.word_codes["the"]).sum()
    assert (
        f"shows {len(maps.rows):,} of {len(table):,} tokens" in some[0]
        and "random sentences" in some[0]
        and f"“the” ({word} tokens): median distance" in some[1]
    )
    assert len(every_token._write_notices(table, maps, "zyzzyva")) == 1
    words = every_token._words(table, maps)
    assert words["tokens"].is_monotonic_decreasing and words["tokens"].min() >= every_token.FEWEST
    assert (words.iloc[:, 2] < 1e-3).all() and words.iloc[0, 4] > 0.005  # of layer 0, of layer 2


def test_the_view_is_offered_beside_the_layers_and_in_the_address(monkeypatch):
    monkeypatch.setattr(token_maps, "LAID_OUT", 60)
    whole = token_maps.token_maps
    monkeypatch.setattr(token_maps, "token_maps", lambda table, names, report: whole(table, names, report, laid_out=60))
    page = opened("pages/map.py", view="all tokens")
    while not page.get("bidi_component") or not any(item.proto.component_name == "elmoscope_tokens" for item in page.get("bidi_component")):
        assert not page.exception and not page.error
        page.run()
    assert "The map shows" in html_of(page) and "map.tokens.table" in page.session_state["_taken"].tables()
    page.session_state["view"] = "2"
    page.run()
    assert not page.exception and "The map shows" not in html_of(page)
