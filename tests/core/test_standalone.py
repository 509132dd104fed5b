"""A view as one file: its tables as one reads them, its text as text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.standalone import LONG, Page, html_of


def body(value: object) -> str:
    html = html_of(Page("Q?", "", (), (), [(pd.DataFrame({"a": [value]}), "t")], ()))
    return html.split("<tbody><tr>")[1].split("</tr>")[0]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.72345678, "0.7235"), (1.0, "1"), (0.0, "0"), (-0.05, "-0.05"), (0.00000031, "3.1e-07"), (1234.5, "1234.5"),
        (np.nan, ""), (None, ""), (pd.NA, ""), (7, "7"), ("0.50", "0.50"), ("<b>&", "&lt;b&gt;&amp;"),
    ],
)  # fmt: skip
def test_a_cell_is_read_at_a_glance(value, shown):
    assert body(value) == f"<td>{shown}</td>"


def test_only_long_text_may_be_broken():
    assert body("x" * (LONG + 1)).startswith('<td class="long">') and body("x" * LONG).startswith("<td>")
