"""Test user texts: their names, files that stay in use, and letters that a model cannot read."""

import json
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.common.errors import BadInput
from core.corpus.usage_graphs import format_clusters, format_judgments, format_uses
from core.files import user_names
from core.files.disk_space import Room
from core.index.sense_space import KEPT, SUBSTITUTES
from core.index.table import OccurrenceTable
from pages._cached import shared_jobs
from pages._export.notebook_values import notebook
from pages._frame.markup import pathless, plain
from pages._frame.menu import page_address
from pages._frame.uploads import Upload
from pages._texts import selection, store
from tests.app.visit import address_of, captions, code_cells, opened, opened_whole, tables, words_on

TEXT = "The river bank was steep and muddy.\nThe bank lent her the money.\nBirds sang.\n"


@pytest.fixture
def written(tmp_path):
    (tmp_path / "letters.txt").write_text(TEXT)
    return tmp_path / "letters.txt"


def corpus_of(page) -> str:
    """Return the corpus in use, which the box and the address name, too."""
    name = page.session_state["corpus"]
    assert address_of(page, "corpus") == page.selectbox(key="corpus").value == name
    return name


@pytest.mark.parametrize("page", ["pages/search.py", "pages/compare.py"])
def test_path_in_a_link_becomes_a_name(written, private_cache, page):
    shown = opened(page, corpus=str(written))
    name = corpus_of(shown)
    assert name.startswith("letters.txt · ") and user_names.corpus_exists(name)
    assert str(written.parent) not in "\n".join(words_on(shown))
    shown = opened(page, corpus=str(user_names.corpus_path(name)))  # the file of the stored text
    assert corpus_of(shown) == name and str(private_cache) not in "\n".join(words_on(shown))


def test_path_typed_on_a_drawn_page_becomes_a_name(written):
    shown = opened("pages/how.py")
    (box := shown.selectbox(key="corpus")).options.append(str(written))
    box.set_value(str(written))
    shown.query_params["corpus"] = str(written)  # as a browser writes it
    assert corpus_of(shown.run()).startswith("letters.txt · ")


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


# Without “bank”. “glass” and “court” have two meanings and “garden” has one.
GLASS = "filled the glass with water|drank a glass of cold milk|cut a sheet of glass for the tower|melted sand to make glass"
COURT = "heard the court rule against the thief|asked the court of law to judge|swept the tennis court|left the wet court alone"
PEOPLE = "She He They We I You Nobody Somebody Anna Tom Kim All"
OWN_LINES = [f"{who} {did}." for did in f"{GLASS}|{COURT}".split("|") for who in ("She", "A man", "Nobody")]
OWN_TEXT = "\n".join([*OWN_LINES, *(f"{who} saw the quiet green garden." for who in PEOPLE.split())])


def test_groups_follow_a_change_of_the_corpus(tmp_path, monkeypatch):
    rows = [json.dumps({"tokens": line.removesuffix(".").split()}) for line in OWN_TEXT.splitlines()]
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "own.jsonl").write_text("\n".join(rows))
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path))
    page = opened("pages/found.py")
    assert page.selectbox(key="found_word").value == "board"
    page.selectbox(key="corpus").set_value("own.jsonl").run()
    while not page.error and not any(box.key == "found_word" for box in page.selectbox):
        page.run()  # the corpus is still being read
    assert page.selectbox(key="found_word").value in ("glass", "court") and not page.info


@pytest.mark.unread
def test_index_of_user_texts_has_substitutes(tmp_path, private_cache):
    (tmp_path / "own.txt").write_text(OWN_TEXT)
    corpus = str(tmp_path / "own.txt")
    st.cache_resource.clear()  # of what an earlier test read of the same texts
    page = opened("pages/texts.py", corpus=corpus)
    while not any("These texts are used everywhere" in done.value for done in page.success):
        assert not page.error
        page.run()
    assert "and, for the sense space, its substitutes" in " ".join(words_on(page))
    [folder] = (private_cache / "indexes").iterdir()
    assert np.load(folder / KEPT).shape == (len(OccurrenceTable(folder)), 128)
    (folder / KEPT).unlink()
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({key: value for key, value in meta.items() if key != SUBSTITUTES}))
    shared_jobs.end(page.session_state["corpus"], 0)  # removes the open table, like a restart
    assert "This index keeps no substitutes" in " ".join(words_on(opened("pages/texts.py", corpus=corpus)))


def test_a_folder_is_read_again_when_it_comes_when_its_files_change_and_in_another_language(tmp_path):
    folder = tmp_path / "texts"
    page = opened("pages/texts.py", corpus_way="folder", corpus_folder=str(folder))
    assert "No folder" in page.error[0].value
    (folder / "sub").mkdir(parents=True)
    for name, text, n in (("a.txt", "Fog rolled in.", 4), ("sub/b.txt", "Fog rolled in.", 8), ("a.txt", "은행에서 나왔다.", 7)):
        (folder / name).write_text(text, "utf-8")
        page.run()
        assert not page.error and metric(page, "Tokens") == [str(n)]
    page.selectbox(key="model").set_value("elmo-ko-mini").run()
    assert not page.error and int(*metric(page, "Tokens")) > 7  # the particle and the ending are tokens


USES = format_uses("bank", [(("The", "bank", "."), 1), (("A", "bank", "!"), 1)], ["1", "2"])
LETTERS = "id;text\n1;The otter slept on the bank.\n2;The bank lent money.\n"


def removals(page) -> list[str]:
    return [button.label for button in page.button if button.label.startswith("Remove ")]


def bring(page, file: tuple[str, bytes]):
    box, given = page.file_uploader[0], (*file, "application/octet-stream")
    return box.set_value([given] if box.multiple_files else given).run()


def went(page, *views: str):
    for view in views:
        page.switch_page(page_address(view)[0]).run()
        assert not page.error, view
    return page


def name_of_texts(page) -> str:
    return page.session_state["corpus.kept"][1].name


def metric(page, label: str) -> list[str]:
    return [item.value for item in page.metric if item.label == label]


def test_files_stay_in_use_on_other_pages():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("letters.csv", LETTERS.encode()))
    name = name_of_texts(page)
    assert removals(page) == [r"Remove letters\.csv"] and name
    page = went(page, "change", "map", "texts")
    assert removals(page) == [r"Remove letters\.csv"] and name_of_texts(page) == name
    page = bring(opened_whole("pages/change.py"), ("uses.csv", USES.encode()))
    assert removals(went(page, "map", "change")) == [r"Remove uses\.csv"]


def test_a_deleted_text_leaves_its_inputs_and_no_others_are_emptied():
    def script() -> None:
        import streamlit as st

        from pages._texts import inputs, selection, store

        inputs.draw_inputs()
        st.session_state.found = getattr(store.own_texts(), "name", "")
        st.text_input("Name", key="forgotten")
        st.button("Delete", key="delete", on_click=lambda: selection._forget(st.session_state.forgotten))

    def delete(name: str) -> None:
        page.text_input(key="forgotten").set_value(name)
        page.button(key="delete").click().run()
        assert not user_names.corpus_exists(name)

    page = bring(AppTest.from_function(script, default_timeout=60).run(), ("letters.csv", LETTERS.encode()))
    of_file = page.session_state.found
    page.session_state["corpus_way"], page.session_state["corpus_text"] = "paste", TEXT
    of_paste = page.run().session_state.found
    delete(of_file)
    assert page.session_state.found == of_paste != of_file
    page.session_state["corpus_way"] = "files"
    assert page.run().session_state.found == "" and not removals(page)
    of_file = bring(page, ("letters.csv", LETTERS.encode())).session_state.found
    delete(of_paste)
    assert page.session_state.found == of_file and page.session_state["corpus_text"] == ""


def test_disk_space_is_one_number_in_the_figures_and_in_a_refusal(monkeypatch):
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("letters.csv", LETTERS.encode()))
    (needed,) = metric(page, "Disk space")
    monkeypatch.setattr(selection.VISITS, "estimate_room", lambda needed: Room(0, 0))
    assert page.run().error[-1].value.startswith(plain(f"This needs {needed} of disk; 0 bytes are free."))
    assert page.button(key="corpus.use").disabled


def test_files_are_searched_if_the_user_opens_another_part_before_they_are_read():
    page = opened_whole("pages/texts.py", find="otter")
    page.file_uploader[0].set_value([("letters.csv", LETTERS.encode(), "text/csv")])
    page.session_state["texts_view"] = "search"
    page.run()
    assert next(len(table) for table in tables(page) if "sentence" in table or "before" in table) == 1
    assert page.session_state["_taken"].in_use.corpus == name_of_texts(page)  # in exports


def test_example_is_in_the_language_of_the_model(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_PATHS", "off")
    page = opened_whole("pages/texts.py", model="elmo-ko-mini", lang="en")
    page.button(key="corpus.example").click().run()
    assert page.session_state["corpus"] == "sentences-ko"
    assert "files or folders" not in captions(page)  # it takes files


def test_the_example_keeps_the_texts_of_the_user():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("letters.csv", LETTERS.encode()))
    for used in ("sentences", name_of_texts(page), "sentences"):
        page.button(key="corpus.example").click().run()
        assert page.session_state["_taken"].in_use.corpus == used and removals(page) == [r"Remove letters\.csv"]
    page.session_state["corpus_text"] = TEXT
    for source, used in (("paste", "Pasted text"), ("files", "letters.csv")):
        page.session_state["corpus_way"] = source
        assert page.run().session_state["_taken"].in_use.corpus.startswith(used)


@pytest.mark.parametrize("find", ["slate", ""])
def test_senses_of_any_name_are_shown_and_the_notebook_has_the_word_of_the_page(find, tmp_path):
    slate, ends = (
        {"position": 5, "word": "slate"},
        {"table": "fell off the wooden", "lines": "spoke over the bad", "mix": "read out the dull"},
    )
    rows = [slate | {"tokens": [who, *end.split(), "slate", "."], "sense": sense} for sense, end in ends.items() for who in PEOPLE.split()]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    page = opened_whole("pages/collocates.py", corpus=str(tmp_path / "own.jsonl"), find=find, collocate_kind="word")
    assert "'slate'" in "".join(code_cells(notebook("collocates", page.session_state["_taken"].settings)))


def test_rows_to_train_on_stay_with_their_columns():
    rows = "remark,kind,more\n" + "".join(f"remark {k},{'ab'[k % 2]},more about {k}\n" for k in range(60))
    page = bring(opened_whole("pages/train.py", train_task="own", variants="tfidf"), ("remarks.csv", rows.encode()))
    page.multiselect[0].set_value([3]).run()
    page = went(page, "texts", "train")
    assert removals(page) == [r"Remove remarks\.csv"] and page.multiselect[0].value == [3]
    assert removals(bring(page, ("second.csv", rows.encode()))) == [r"Remove second\.csv"]
    next(button for button in page.button if button.label == r"Remove second\.csv").click().run()
    assert removals(page) == [] and page.button(key="train.go").disabled


def test_the_judgments_of_a_usage_graph_are_left_out_with_a_note(tmp_path):
    files = {"uses.csv": USES, "judgments.csv": format_judgments("bank", [0, 1], "me")}
    files |= {"clusters.csv": format_clusters("bank", [0, 1])}
    for name, content in files.items():
        (tmp_path / name).write_text(content, "utf-8")
    (lemma, *sides), notes = store._keep_sides([Upload(name, tmp_path / name, k) for k, name in enumerate(files)])
    assert lemma == "bank" and len({*sides}) == 2 and notes == ["judgments.csv holds judgments, which this page does not read."]


def test_corpus_in_other_letters_is_noted():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("a.txt", "The bank closed. 은행에서 돈을 빌렸다.".encode()))
    assert all(text in captions(page) for text in ("Tokens not in English letters: 3 of 8", "reloading the page loses them"))


def draw_box(several: bool) -> None:
    import streamlit as st

    from pages._frame.uploads import upload_box

    st.session_state.found = [(file.name, file.read()) for file in upload_box("box", "Files", 5, several=several)]


def with_two_files(several: bool) -> AppTest:
    page = AppTest.from_function(draw_box, args=(several,)).run()
    for name in ("a.txt", "b.txt"):
        page.file_uploader[0].upload(name, name.encode()).run()
    return page


def test_removing_a_file_removes_those_it_replaced():
    page = with_two_files(several=False)
    folder = Path(page.session_state["uploads"].name)
    assert len([*folder.iterdir()]) == 2  # a waiting training may read the first one
    page.button[0].click().run()
    assert not [*folder.iterdir()] and page.session_state.found == []


def test_files_of_one_name_are_numbered():
    page = AppTest.from_function(draw_box, args=(True,)).run()
    for _ in range(2):
        page.file_uploader[0].upload("a.txt", b"a").run()
    assert [button.label for button in page.button] == [r"Remove a\.txt", r"Remove a\.txt₂", "Remove all files"]


@pytest.mark.parametrize(("several", "found"), [(False, ["b.txt"]), (True, ["a.txt", "b.txt"])])
def test_a_refused_file_replaces_no_other(monkeypatch, several, found):
    page = with_two_files(several)
    assert page.session_state.found == [(name, name.encode()) for name in found]

    def refuse(*_: object) -> None:
        raise BadInput("no room")

    for place in ("pages._frame.uploads.VISITS.check", "pages._frame.uploads.user_names.store"):
        with monkeypatch.context() as patch:
            patch.setattr(place, refuse)
            page.file_uploader[0].upload("c.txt", b"c").run()
        assert [item.value for item in page.error] == ["no room"]
        assert page.session_state.found == [(name, name.encode()) for name in found]
