"""Test user texts: their names, files that stay in use, and letters that a model cannot read."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from core.common.model_layers import SENSES
from core.corpus.usage_graphs import format_uses
from core.elmo.substitutes import Substitutes
from core.files import user_names
from core.index import sense_space
from core.index.sense_space import KEPT, SUBSTITUTES
from core.index.table import OccurrenceTable
from core.text import own_corpus
from core.views import induction, neighbors
from core.views.induction import Induction, InductionRequest
from core.views.neighbors import Neighbors, NeighborsRequest
from core.workspace import open_workspace
from pages._cached import jobs
from pages._frame.markup import pathless, plain
from pages._frame.menu import page_address
from tests.app.visit import captions, html_of, opened, opened_whole, tables, words_on
from tests.tiny import epub, pdf, workbook

TEXT = "The river bank was steep and muddy.\nThe bank lent her the money.\nBirds sang.\n"


@pytest.fixture
def written(tmp_path):
    (tmp_path / "letters.txt").write_text(TEXT)
    return tmp_path / "letters.txt"


@pytest.mark.parametrize("page", ["pages/neighbors.py", "pages/search.py", "pages/compare.py"])
def test_path_in_a_link_becomes_a_name(written, page):
    shown = opened(page, corpus=str(written))
    assert not shown.exception
    name = shown.session_state["corpus"]
    assert name.startswith("letters.txt · ") and user_names.corpus_exists(name)
    assert shown.query_params["corpus"] in (name, [name])
    assert shown.selectbox(key="corpus").value == name
    assert str(written.parent) not in "\n".join(words_on(shown))


def test_stored_corpus_opened_by_its_file_has_its_name(private_cache):
    kept = own_corpus.keep_text(TEXT, "letters")
    shown = opened("pages/neighbors.py", corpus=str(kept.path))
    assert shown.session_state["corpus"] == kept.name and not shown.error
    assert str(private_cache) not in "\n".join(words_on(shown))


def test_the_folder_of_texts_stays_out_of_the_address(written):
    shown = opened("pages/texts.py", corpus_way="folder", corpus_folder=str(written.parent))
    assert not shown.error and not shown.exception
    assert "corpus_folder" not in shown.query_params
    assert shown.text_input(key="corpus_folder").value == str(written.parent)


def test_deleted_corpus_is_named_in_the_error(private_cache):
    kept = own_corpus.keep_text(TEXT + "Nobody has read this one yet.", "letters")
    own_corpus.forget(kept.name)
    shown = opened("pages/neighbors.py", corpus=kept.name)
    assert not shown.exception
    assert ["no longer here" in error.value for error in shown.error] == [True]
    assert str(private_cache) not in shown.error[0].value


def test_paths_of_the_cache_are_shortened_to_file_names(private_cache, monkeypatch):
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


def test_groups_of_user_texts_open_on_an_ambiguous_word(tmp_path):
    page = opened("pages/found.py", corpus=own_texts(tmp_path))
    assert not page.exception and not page.error and not page.info
    assert page.selectbox(key="found_word").value in ("glass", "court")
    request = opened("pages/found.py", corpus=own_texts(tmp_path), a="We saw the garden.", b="The garden was green.")
    assert request.selectbox(key="found_word").value == "garden"


def test_groups_follow_a_change_of_the_corpus(tmp_path, monkeypatch):
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
    """Return the list of how many places substitutes were computed for, call by call."""
    counts, compute = [], Substitutes.vectors
    monkeypatch.setattr(Substitutes, "vectors", lambda self, places, words: counts.append(len(places)) or compute(self, places, words))
    return counts


def answers(corpus: str) -> tuple[Neighbors, Induction]:
    """Neighbors and Senses in the sense space, over a corpus whose index is there."""
    workspace = open_workspace(corpus=corpus)
    word = workspace.words("We asked for a glass of water.", positions=(4,))[0]
    near = neighbors.compute(workspace, NeighborsRequest(word=word, space=SENSES, among="any word"))
    return near, induction.compute(workspace, InductionRequest(word="glass", space=SENSES))


@pytest.mark.unread
def test_index_of_user_texts_has_substitutes(tmp_path, private_cache, read_places, monkeypatch):
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
    monkeypatch.setattr(sense_space, "MOST_READ", tokens)
    plain, plain_groups = answers(corpus)
    assert sum(read_places) > tokens + len(groups.occurrences.items)
    np.testing.assert_allclose([n.cosine for n in near.entries], [n.cosine for n in plain.entries], atol=3e-3)
    assert groups.groups.numbers.tolist() == plain_groups.groups.numbers.tolist() and groups.groups.names == plain_groups.groups.names
    jobs.end(page.session_state["corpus"], 0)  # removes the open table, like a restart
    assert "This index keeps no substitutes" in " ".join(words_on(opened("pages/texts.py", corpus=corpus)))


def test_the_quiz_does_not_call_a_visitors_own_sentences_labeled(tmp_path):
    words = " ".join(words_on(opened("pages/guess.py", corpus=own_texts(tmp_path))))
    assert "This quiz uses sentences, the language’s labeled sentences." in words


def test_missing_corpus_gives_one_error():
    page = opened("pages/search.py", corpus="nonsense")
    assert [error.value.startswith("Unknown corpus 'nonsense'") for error in page.main.error] == [True]


def test_endless_word_is_cut_on_every_view():
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


LETTERS = "id;text\n1;The otter slept on the bank.\n2;The bank lent money.\n"
ROWS = "text,label\n" + "".join(f"remark {k % 2} of number {k},{'ab'[k % 2]}\n" for k in range(60))


def removals(page) -> list[str]:
    """Return the labels of the buttons that remove a file."""
    return [button.label for button in page.button if button.label.startswith("Remove ")]


def bring(page, *files: tuple[str, bytes], box: int = 0):
    given = [(name, content, "application/octet-stream") for name, content in files]
    page.file_uploader[box].set_value(given if page.file_uploader[box].multiple_files else given[0]).run()
    assert not page.exception
    return page


def went(page, *paths: str):
    for path in paths:
        file, _ = page_address(Path(path).stem)
        page.switch_page(file).run()
        assert not page.exception and not page.error, path
    return page


def name_of_texts(page) -> str:
    """Return the name of the texts that the page searches."""
    return page.session_state["corpus.kept"][1].name


def test_files_stay_in_use_on_other_pages():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("letters.csv", LETTERS.encode()))
    name = name_of_texts(page)
    assert removals(page) == [r"Remove letters\.csv"] and name
    page = went(page, "pages/change.py", "pages/map.py", "pages/texts.py")
    assert removals(page) == [r"Remove letters\.csv"] and name_of_texts(page) == name


def test_removing_a_file_leaves_the_others_in_use():
    page = opened_whole("pages/texts.py", corpus_way="files")
    bring(page, ("a.txt", b"One otter slept."), ("b.txt", b"Two banks closed."))
    both = name_of_texts(page)
    assert removals(page) == [r"Remove a\.txt", r"Remove b\.txt", "Remove all files"]
    next(button for button in page.button if button.label == r"Remove a\.txt").click().run()
    assert removals(page) == [r"Remove b\.txt"] and name_of_texts(page) != both
    next(button for button in page.button if button.label == r"Remove b\.txt").click().run()
    assert removals(page) == [] and "Documents" not in [metric.label for metric in page.metric]


def test_later_files_are_added():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("a.txt", b"One otter slept."))
    bring(page, ("b.txt", b"Two banks closed."))
    assert removals(page)[:2] == [r"Remove a\.txt", r"Remove b\.txt"]
    assert [metric.value for metric in page.metric if metric.label == "Documents"] == ["2"]


def test_files_are_searched_if_the_user_opens_another_part_before_they_are_read():
    page = opened_whole("pages/texts.py", find="otter")
    page.file_uploader[0].set_value([("letters.csv", LETTERS.encode(), "text/csv")])
    page.session_state["texts_view"] = "search"
    page.run()
    assert not page.exception and next(len(table) for table in tables(page) if "sentence" in table or "before" in table) == 1


def test_documents_are_those_that_the_table_names():
    letters = "document,text\nletter 1,The otter slept. It dreamed.\nletter 2,The bank lent an otter money.\nletter 1,The otter woke.\n"
    page = bring(opened_whole("pages/texts.py", find="otter"), ("letters.csv", letters.encode()))
    assert [metric.value for metric in page.metric if metric.label == "Documents"] == ["2"]
    page.session_state["texts_view"] = "search"
    page.run()
    lines = next(table for table in tables(page) if "document" in table)
    assert list(lines["document"]) == ["letter 1", "letter 2", "letter 1"]


def test_uploaded_texts_can_be_used_everywhere():
    page = opened_whole("pages/texts.py")
    assert len(page.file_uploader) == 1 and "corpus_way" not in page.query_params
    page = bring(page, ("letters.csv", LETTERS.encode()))
    labels = [button.label for button in page.button]
    assert "Use these texts everywhere" in labels
    page.button(key="corpus.use").click().run()
    assert not page.exception and "Use these texts everywhere" not in [button.label for button in page.button]
    assert page.session_state["corpus"] == name_of_texts(page)


@pytest.mark.parametrize("kind", ["pdf", "epub", "xlsx"])
def test_documents_and_workbooks_are_read_as_texts(tmp_path, kind):
    book = workbook(tmp_path / "a.xlsx", first=[["text"], ["The otter slept."], ["The bank closed."]]).read_bytes()
    made = {
        "pdf": pdf(["The otter slept.", "The bank closed."]),
        "epub": epub({"a.xhtml": "<p>The otter slept.</p><p>The bank closed.</p>"}),
        "xlsx": book,
    }
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), (f"letters.{kind}", made[kind]))
    assert not page.error
    assert [metric.value for metric in page.metric if metric.label == "Sentences"] == ["2"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("scan.pdf", pdf([], []), "its pages are pictures"),
        ("old.doc", b"\xd0\xcf\x11\xe0", r"save it as \.docx"),
        ("page.html", b"<p>x</p>", r"save it as \.txt"),
    ],
)
def test_unsupported_file_says_how_to_convert_it(name, content, message):
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), (name, content))
    assert [message in error.value for error in page.error] == [True]


def test_rows_to_train_on_stay_with_their_columns():
    page = opened_whole("pages/train.py", train_task="own", variants="tfidf")
    rows = "".join(f"remark {k},{'ab'[k % 2]},more about {k}\n" for k in range(60))
    bring(page, ("remarks.csv", f"remark,kind,more\n{rows}".encode()))
    page.multiselect[0].set_value([3]).run()
    page = went(page, "pages/texts.py", "pages/train.py")
    assert removals(page) == [r"Remove remarks\.csv"] and page.multiselect[0].value == [3]
    bring(page, ("second.csv", ROWS.encode()))
    assert removals(page) == [r"Remove second\.csv"]
    page.button(key=next(button.key for button in page.button if button.label == r"Remove second\.csv")).click().run()
    assert removals(page) == [] and page.button(key="train.go").disabled


def test_a_usage_graph_stays_until_it_is_removed():
    uses = format_uses("bank", [(("The", "bank", "."), 1), (("A", "bank", "!"), 1)], ["1", "2"])
    page = bring(opened_whole("pages/change.py"), ("uses.csv", uses.encode()))
    page = went(page, "pages/texts.py", "pages/change.py")
    assert removals(page) == [r"Remove uses\.csv"]


def test_tokens_in_other_letters_are_noted():
    page = opened("pages/map.py", a="The bank of Ελλάδα, 은행.", b="A bank lent money.")
    assert not page.exception
    assert "2 of 7 tokens are not in English letters (Ελλάδα, 은행)" in captions(page)


def test_sentence_copied_from_a_pdf_is_repaired():
    page = opened(
        "pages/neighbors.py", a="The ban\u00adking sector\u200b of the coun-\u200bcil o\ufb03ce impor- tance.", b="A bank lent money."
    )
    assert not page.exception and "letters" not in captions(page)
    tokens = page.session_state["asked"].tokens[0]
    assert tokens == ("The", "banking", "sector", "of", "the", "council", "office", "importance", ".")


def test_corpus_in_other_letters_is_noted():
    page = opened_whole("pages/texts.py", corpus_way="files")
    page.file_uploader[0].set_value([("a.txt", "The bank closed. 은행에서 돈을 빌렸다.".encode(), "text/plain")]).run()
    assert not page.exception
    assert "3 of 8 tokens are not in English letters" in captions(page)
