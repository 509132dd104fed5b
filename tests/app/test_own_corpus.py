"""A corpus of one's own is shown by a name on every page, and no path of the machine reaches a visitor."""

import pytest

from core.files import own_names
from core.text import own_corpus
from pages._frame.markup import pathless, plain
from tests.app.test_korean import words_on
from tests.app.test_pages import opened

TEXT = "The river bank was steep and muddy.\nThe bank lent her the money.\nBirds sang.\n"


@pytest.fixture
def written(tmp_path):
    (tmp_path / "letters.txt").write_text(TEXT)
    return tmp_path / "letters.txt"


@pytest.mark.parametrize("page", ["pages/neighbours.py", "pages/corpus.py", "pages/compare.py"])
def test_a_path_in_an_older_link_opens_and_becomes_a_name(written, page):
    shown = opened(page, corpus=str(written))
    assert not shown.exception
    name = shown.session_state["corpus"]
    assert name.startswith("letters.txt · ") and own_names.is_kept(name)
    assert shown.query_params["corpus"] in (name, [name])
    assert shown.selectbox(key="corpus").value == name
    assert str(written.parent) not in "\n".join(words_on(shown))


def test_an_own_corpus_by_its_file_in_the_cache_is_its_name(private_cache):
    kept = own_corpus.keep_text(TEXT, "letters")
    shown = opened("pages/neighbours.py", corpus=str(kept.path))
    assert shown.session_state["corpus"] == kept.name and not shown.error
    assert str(private_cache) not in "\n".join(words_on(shown))


def test_the_folder_of_texts_stays_out_of_the_address(written):
    shown = opened("pages/corpus.py", corpus_way="Folder", corpus_folder=str(written.parent))
    assert not shown.error and not shown.exception
    assert "corpus_folder" not in shown.query_params
    assert shown.text_input(key="corpus_folder").value == str(written.parent)


def test_a_forgotten_corpus_is_told_by_its_name(private_cache):
    kept = own_corpus.keep_text(TEXT + "Nobody has read this one yet.", "letters")
    own_corpus.forget(kept.name)
    shown = opened("pages/neighbours.py", corpus=kept.name)
    assert not shown.exception
    assert ["no longer kept here" in error.value for error in shown.error] == [True]
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
