"""Files that a user brought stay in use on every page of the session, named, until the user removes them."""

from pathlib import Path

import pytest

from core.corpus.usage_graphs import format_uses
from pages._frame.menu import door
from tests.app.visit import opened_whole, tables
from tests.core.document_parts import epub, pdf, workbook

LETTERS = "id;text\n1;The otter slept on the bank.\n2;The bank lent money.\n"
ROWS = "text,label\n" + "".join(f"remark {k % 2} of number {k},{'ab'[k % 2]}\n" for k in range(60))


def removals(page) -> list[str]:
    """What the page offers to remove."""
    return [button.label for button in page.button if button.label.startswith("Remove ")]


def bring(page, *files: tuple[str, bytes], box: int = 0):
    given = [(name, content, "application/octet-stream") for name, content in files]
    page.file_uploader[box].set_value(given if page.file_uploader[box].multiple_files else given[0]).run()
    assert not page.exception
    return page


def went(page, *paths: str):
    for path in paths:
        file, _ = door(Path(path).stem)
        page.switch_page(file).run()
        assert not page.exception and not page.error, path
    return page


def hits(page) -> str:
    return " ".join(item.body for item in page.get("html") if "occurrences" in str(item.body))


def own_texts(page) -> str:
    """Return the name of the texts that the page searches."""
    return page.session_state["corpus.kept"][1].name


def test_texts_stay_in_use_when_the_user_goes_to_other_pages_and_comes_back():
    page = bring(opened_whole("pages/texts.py", corpus_way="files"), ("letters.csv", LETTERS.encode()))
    name = own_texts(page)
    assert removals(page) == [r"Remove letters\.csv"] and name
    page = went(page, "pages/change.py", "pages/map.py", "pages/texts.py")
    assert removals(page) == [r"Remove letters\.csv"] and own_texts(page) == name


def test_a_removed_file_is_no_longer_in_use_and_the_others_are():
    page = opened_whole("pages/texts.py", corpus_way="files")
    bring(page, ("a.txt", b"One otter slept."), ("b.txt", b"Two banks closed."))
    both = own_texts(page)
    assert removals(page) == [r"Remove a\.txt", r"Remove b\.txt", "Remove all files"]
    next(button for button in page.button if button.label == r"Remove a\.txt").click().run()
    assert removals(page) == [r"Remove b\.txt"] and own_texts(page) != both
    next(button for button in page.button if button.label == r"Remove b\.txt").click().run()
    assert removals(page) == [] and "Documents" not in [metric.label for metric in page.metric]


def test_files_brought_one_after_the_other_are_read_together():
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


def test_the_files_stand_first_and_the_way_to_use_them_is_next_to_them_and_stays_visible():
    page = opened_whole("pages/texts.py")
    assert len(page.file_uploader) == 1 and "corpus_way" not in page.query_params
    page = bring(page, ("letters.csv", LETTERS.encode()))
    labels = [button.label for button in page.button]
    assert "Use these texts everywhere" in labels
    page.button(key="corpus.use").click().run()
    assert not page.exception and "Use these texts everywhere" not in [button.label for button in page.button]
    assert page.session_state["corpus"] == own_texts(page)


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
def test_what_is_not_read_says_how_to_convert_it(name, content, message):
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
