"""Cells that a spreadsheet would run are guarded, and what was guarded comes back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.formats import guard, unguard


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r1", "\n1", " =1", "\u200b=1", "\u202e-x", "＝1", "＋1", "－1"),
        *("＠A", "\x00=1"),
    ],
)
def test_what_a_spreadsheet_would_run_begins_with_a_quote(cell):
    assert guard(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", " ", "bank", "the = sign", "눈", "'s", "''", "1-2", "“=1”", "a\n=1"])
def test_other_cells_stay_as_they_are(cell):
    assert guard(cell) == unguard(cell) == cell


@given(st.text(st.sampled_from("'=+-@\t\r\n \u200b\uff1da1")))
def test_guarding_is_undone_exactly(cell):
    assert guard(cell) in (cell, f"'{cell}") and unguard(guard(cell)) == cell
