"""Exported tables: a cell that a spreadsheet would run is a text there, and there is one way to write them."""

import ast
import csv
import io
import re
import tomllib

import pandas as pd
import pytest

from core.common.config import ROOT
from core.files.formats import encode_csv
from pages._widgets import lists
from tests.app.visit import opened_whole
from tests.test_architecture import SHIPPED, calls, name


def rows_of(table: pd.DataFrame) -> list[list[str]]:
    return list(csv.reader(io.StringIO(encode_csv(table).decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u200b=1", "\u202e=1", "＝1+1", "＠SUM(A1)", "\x00=1"]
)
def test_a_formula_is_quoted_wherever_it_stands(cell):
    header, row = rows_of(pd.DataFrame({cell: [cell]}))
    for result in (header[0], row[0]):
        assert result.startswith("'")


@pytest.mark.parametrize("cell", ["bank", "the = sign", "눈", "'s", "1-2", "", " ", "“=1”"])
def test_other_texts_and_numbers_stay_as_they_are(cell):
    assert rows_of(pd.DataFrame({"word": [cell], "cosine": [-0.5]})) == [["word", "cosine"], [cell, "-0.5"]]


@pytest.mark.parametrize("cell", ["a\r=1+1", "a\n=1+1", 'a",=1+1', "a\r\n=1+1"])
def test_no_text_begins_a_row_or_a_column_of_its_own(cell):
    assert [row[0].replace("\r\n", "\n") for row in rows_of(pd.DataFrame({"word": [cell]}))] == ["word", cell.replace("\r\n", "\n")]


def test_no_page_writes_a_table_by_itself():
    wrong = [
        f"{name(path)}:{line}"
        for path in SHIPPED
        for line, function, _ in calls(path)
        if function.endswith(".to_csv") and name(path) != "core/files/formats.py"
    ]
    assert wrong == []


PAGES = {
    **{f"results, {part}": ("pages/results.py", {"results_part": part}) for part in ("paper", "more", "labels", "classifiers", "shipped")},
    "model": ("pages/about.py", {}),
    "map": ("pages/map.py", {"a": "The bank raised its rates.", "b": "They sat on the bank of the river.", "word": "bank"}),
    "context": ("pages/lessons.py", {"lesson": "context"}),
    "cone": ("pages/lessons.py", {"lesson": "cone"}),
    "why": ("pages/why.py", {}),
}


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_exports_holds_numbers_and_no_quoted_ones(page, monkeypatch):
    """A difference such as +6.2 is a number; only texts are guarded."""
    exported, offer_table = {}, lists.offer_table

    def noting(table, **named):
        exported[named["key"]] = pd.DataFrame(table)
        return offer_table(table, **named)

    monkeypatch.setattr(lists, "offer_table", noting)
    path, address = PAGES[page]
    opened_whole(path, **address)
    assert exported
    wrong = [(key, cell) for key, table in exported.items() for row in rows_of(table) for cell in row if re.match(r"'[-+]\d", cell)]
    assert wrong == []


def test_toolbar_of_tables_has_no_csv_export():
    """Check this because Streamlit would export unquoted cells. The app's own exports are quoted."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert config["client"]["disableDataExport"] is True


def test_every_download_has_a_literal_or_a_cleaned_name():
    """Check this because words and names of tasks and tables may contain any character."""
    safe_names = {"name", "path.name"}  # names of DURel's files, and of a file that the app wrote
    violations = []
    for path in SHIPPED:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".download_button") and len(node.args) > 2:
                file = node.args[2]
                if not (isinstance(file, ast.Constant) or ast.unparse(file).startswith("clean_name(") or ast.unparse(file) in safe_names):
                    violations.append(f"{name(path)}:{node.lineno}")
    assert violations == []
