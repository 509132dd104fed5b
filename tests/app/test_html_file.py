"""A view as one file: its tables as one reads them, its text as text."""

import numpy as np
import pandas as pd
import pytest

from core.common import markup
from pages._export.html_file import LONG, HtmlPage, html_of


def body(value: object) -> str:
    html = html_of(HtmlPage("Q?", "", (), (), [(pd.DataFrame({"a": [value]}), "t")], ()))
    return html.split("<tbody>\n<tr>")[1].split("</tr>")[0]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.72345678, "0.7235"),
        (1.0, "1"),
        (0.0, "0"),
        (-0.05, "-0.05"),
        (0.00000031, "3.1e-07"),
        (1234.5, "1234.5"),
        (np.nan, ""),
        (None, ""),
        (pd.NA, ""),
        (7, "7"),
        ("0.50", "0.50"),
        ("<b>&", "&lt;b&gt;&amp;"),
    ],
)
def test_a_cell_is_read_at_a_glance(value, shown):
    assert body(value) == f"<td>{shown}</td>"


def test_only_long_text_may_be_broken():
    assert body("x" * (LONG + 1)).startswith('<td class="long">') and body("x" * LONG).startswith("<td>")


EVIL = "<img src=x onerror=alert(1)>"


def test_whatever_stands_in_a_view_its_file_holds_no_element_of_it():
    import plotly.graph_objects as go

    figure = go.Figure(go.Scatter(x=[1], y=[1], text=[EVIL], hovertext=["</script><script>alert(1)</script>"], name=EVIL))
    table = pd.DataFrame({EVIL: [EVIL]})
    html = html_of(
        HtmlPage(
            EVIL,
            EVIL,
            (markup.html("About “{}” <b>7</b>.", EVIL),),
            [(figure, EVIL)],
            [(table, EVIL)],
            [(EVIL, EVIL)],
            f"https://a.example/?q={EVIL}",
        )
    )
    assert "<b>7</b>" in html and EVIL not in html and "<script>alert" not in html and html.count("onerror=alert(1)&gt;") == 12
