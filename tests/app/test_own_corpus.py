"""A corpus of one's own is shown by a name on every page, and no path of the machine reaches a visitor."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from core.common.model_layers import SENSES
from core.elmo.substitutes import Substitutes
from core.files import user_names
from core.index import sense_index
from core.index.sense_space import KEPT, SUBSTITUTES
from core.index.table import OccurrenceTable
from core.text import own_corpus
from core.views import induction, neighbors
from core.views.induction import Induction, InductionRequest
from core.views.neighbors import Neighbors, NeighborsRequest
from core.workspace import open_workspace
from pages._cached import jobs
from pages._frame.markup import pathless, plain
from tests.app.visit import html_of, opened, words_on

TEXT = "The river bank was steep and muddy.\nThe bank lent her the money.\nBirds sang.\n"


@pytest.fixture
def written(tmp_path):
    (tmp_path / "letters.txt").write_text(TEXT)
    return tmp_path / "letters.txt"


@pytest.mark.parametrize("page", ["pages/neighbors.py", "pages/search.py", "pages/compare.py"])
def test_a_path_in_a_link_opens_and_becomes_a_name(written, page):
    shown = opened(page, corpus=str(written))
    assert not shown.exception
    name = shown.session_state["corpus"]
    assert name.startswith("letters.txt · ") and user_names.corpus_exists(name)
    assert shown.query_params["corpus"] in (name, [name])
    assert shown.selectbox(key="corpus").value == name
    assert str(written.parent) not in "\n".join(words_on(shown))


def test_an_own_corpus_by_its_file_in_the_cache_is_its_name(private_cache):
    kept = own_corpus.keep_text(TEXT, "letters")
    shown = opened("pages/neighbors.py", corpus=str(kept.path))
    assert shown.session_state["corpus"] == kept.name and not shown.error
    assert str(private_cache) not in "\n".join(words_on(shown))


def test_the_folder_of_texts_stays_out_of_the_address(written):
    shown = opened("pages/texts.py", corpus_way="folder", corpus_folder=str(written.parent))
    assert not shown.error and not shown.exception
    assert "corpus_folder" not in shown.query_params
    assert shown.text_input(key="corpus_folder").value == str(written.parent)


def test_a_forgotten_corpus_is_told_by_its_name(private_cache):
    kept = own_corpus.keep_text(TEXT + "Nobody has read this one yet.", "letters")
    own_corpus.forget(kept.name)
    shown = opened("pages/neighbors.py", corpus=kept.name)
    assert not shown.exception
    assert ["no longer here" in error.value for error in shown.error] == [True]
    assert str(private_cache) not in shown.error[0].value


def test_of_paths_into_the_programs_folders_the_last_name_is_shown(private_cache, monkeypatch):
    inside = private_cache / "indexes" / "ab-12" / "types.arrow"
    assert pathless(f"{inside} is damaged. Make it again.") == "types.arrow is damaged. Make it again."
    assert pathless("There is no folder /no/such/folder here; and/or 1/2") == "There is no folder /no/such/folder here; and/or 1/2"
    monkeypatch.setattr("pages._frame.markup.gettempdir", lambda: "/tmp")
    assert pathless("/var/tmp/models/all-MiniLM and /tmpx/y and /tmp.d/z") == "/var/tmp/models/all-MiniLM and /tmpx/y and /tmp.d/z"
    assert pathless("in '/tmp/models/all-MiniLM', and /tmp.") == "in 'all-MiniLM', and tmp."
    assert plain(f"{private_cache}/a_b.txt") == "a\\_b\\.txt"
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    assert pathless("'/etc/passwd' and ~/x/y.txt and C:\\a\\b.txt: and/or 1/2") == "'passwd' and y.txt and b.txt: and/or 1/2"
    assert pathless("https://example.org/a/b </b>") == "https://example.org/a/b </b>"


def own_texts(folder) -> str:
    """A corpus without “bank”, in which “glass” and “court” have two meanings and “garden” one."""
    glass = "filled the glass with water|drank a glass of cold milk|cut a sheet of glass for the tower|melted sand to make glass"
    court = (
        "heard the court rule against the thief|asked the court of law to judge|swept the tennis court|left the wet court after the match"
    )
    lines = [f"{who} {did}." for did in f"{glass}|{court}".split("|") for who in ("She", "A man", "Nobody")]
    lines += [
        f"{who} saw the quiet green garden."
        for who in ["She", "He", "They", "We", "I", "You", "Nobody", "Somebody", "Anna", "Tom", "Kim", "All"]
    ]
    (folder / "own.txt").write_text("\n".join(lines))
    return str(folder / "own.txt")


def test_senses_found_opens_on_the_corpus_own_most_ambiguous_word(tmp_path):
    page = opened("pages/found.py", corpus=own_texts(tmp_path))
    assert not page.exception and not page.error and not page.info
    assert page.selectbox(key="found_word").value in ("glass", "court")
    request = opened("pages/found.py", corpus=own_texts(tmp_path), a="We saw the garden.", b="The garden was green.")
    assert request.selectbox(key="found_word").value == "garden"


def test_senses_found_turns_to_a_corpus_that_is_chosen_later(tmp_path, monkeypatch):
    lines = Path(own_texts(tmp_path)).read_text().splitlines()
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "own.jsonl").write_text("\n".join(json.dumps({"tokens": line.removesuffix(".").split()}) for line in lines))
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    page = opened("pages/found.py")
    assert page.selectbox(key="found_word").value == "board"
    name = next(name for name in page.selectbox(key="corpus").options if "own" in name)
    page.selectbox(key="corpus").set_value("own.jsonl" if "own.jsonl" in name else "own").run()
    while not page.exception and not page.error and not any(box.key == "found_word" for box in page.selectbox):
        page.run()  # the corpus is still being read
    assert page.selectbox(key="found_word").value in ("glass", "court") and not page.info


@pytest.fixture
def read_places(monkeypatch) -> list[int]:
    """Of how many places substitutes were computed, call by call."""
    counts, compute = [], Substitutes.vectors
    monkeypatch.setattr(Substitutes, "vectors", lambda self, places, words: counts.append(len(places)) or compute(self, places, words))
    return counts


def answers(corpus: str) -> tuple[Neighbors, Induction]:
    """Neighbors and Senses in the sense space, over a corpus whose index is there."""
    workspace = open_workspace(corpus=corpus)
    word = workspace.words("We asked for a glass of water.", at=(4,))[0]
    near = neighbors.compute(workspace, NeighborsRequest(word=word, space=SENSES, among="any word"))
    return near, induction.compute(workspace, InductionRequest(word="glass", space=SENSES))


@pytest.mark.unread
def test_a_corpus_that_a_page_reads_keeps_its_substitutes(tmp_path, private_cache, read_places, monkeypatch):
    corpus = own_texts(tmp_path)
    st.cache_resource.clear()  # of what an earlier test read of the same texts
    page = opened("pages/texts.py", corpus=corpus)
    while not any("These texts are used everywhere" in done.value for done in page.success):
        assert not page.exception and not page.error
        page.run()
    assert "and, for the sense space, its substitutes" in " ".join(words_on(page)) and "keeps no substitutes" not in " ".join(
        words_on(page)
    )
    [folder] = (private_cache / "indexes").iterdir()
    tokens = len(OccurrenceTable(folder))
    assert np.load(folder / KEPT).shape == (tokens, 128)
    read_places.clear()
    near, groups = answers(corpus)
    assert read_places == [1, 300] and not near.narrowed  # of the query, and of the random words that cosines are compared with
    (folder / KEPT).unlink()  # as an older version built it
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({key: value for key, value in meta.items() if key != SUBSTITUTES}))
    monkeypatch.setattr(sense_index, "MOST_READ", tokens)
    plain, plain_groups = answers(corpus)
    assert sum(read_places) > tokens + len(groups.occurrences.items)
    np.testing.assert_allclose([n.cosine for n in near.entries], [n.cosine for n in plain.entries], atol=3e-3)
    assert groups.groups.of.tolist() == plain_groups.groups.of.tolist() and groups.groups.names == plain_groups.groups.names
    jobs.end(page.session_state["corpus"], 0)  # removes the open table, like a restart
    assert "This index keeps no substitutes" in " ".join(words_on(opened("pages/texts.py", corpus=corpus)))


def test_the_quiz_does_not_call_a_visitors_own_sentences_labeled(tmp_path):
    words = " ".join(words_on(opened("pages/guess.py", corpus=own_texts(tmp_path))))
    assert "This quiz uses sentences, the language’s labeled sentences." in words


def test_a_corpus_that_is_not_there_is_said_once():
    page = opened("pages/search.py", corpus="nonsense")
    assert [error.value.startswith("Unknown corpus 'nonsense'") for error in page.main.error] == [True]


def test_a_text_of_one_endless_word_is_shown_in_part_on_every_part_of_the_page():
    name = own_corpus.keep_text("x" * 4_000 + " " + "x" * 4_000, "mine").name
    for view in ("search", "collocates", "keyness"):
        page = opened(f"pages/{view}.py", corpus=name)
        assert not page.exception and not page.error
        assert len(html_of(page)) > 0 and "x" * 50 not in re.sub(r"<style.*?</style>", "", html_of(page))
    assert "No word to list. Lower the count" in html_of(page)
    few = opened("pages/found.py", corpus=name)
    assert "the most frequent, has 2. Add text" in few.info[0].value and "x" * 50 not in few.info[0].value
    short = opened("pages/keyness.py", corpus=own_corpus.keep_text("bank", "mine").name)
    assert "More often in **mine** (1 token)" in [caption.value for caption in short.caption]


def test_notes_name_each_file_once_and_count_files(tmp_path):
    rows = "\n".join(f"A long title of many words,It rained on day {k}." for k in range(30))
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "news.csv").write_text(f"title,text\n{rows}\none,two,three\n")
    (folder / "empty.txt").write_text("")
    page = opened("pages/texts.py", corpus_way="folder", corpus_folder=str(folder))
    assert not page.error and not page.exception
    assert "2 files skipped or incomplete" in [box.label for box in page.expander]  # news.csv has two notes
    notes = re.findall(r"<b>news\.csv</b> ([^<]*)", html_of(page))
    assert len(notes) == 2 and not any(note.startswith("news.csv") for note in notes)
    assert "the text is read from “text”, not from “title”. To read another, name it." in notes
