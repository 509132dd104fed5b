"""A view as one file: its tables as one reads them, its text as text."""

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from core.common import markup
from pages._export.html_file import LONG, HtmlPage, html_of, html_of_view
from pages._export.record import Taken
from pages._widgets.downloads import provenance
from tests.app.visit import opened_whole


def body(value: object) -> str:
    html = html_of(HtmlPage("Q?", "", (), (), (), [(pd.DataFrame({"a": [value]}), "t")], ()))
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
            [(EVIL, EVIL)],
            (markup.html("About “{}” <b>7</b>.", EVIL),),
            [(figure, EVIL)],
            [(table, EVIL)],
            [(EVIL, EVIL)],
            f"https://a.example/?q={EVIL}",
        )
    )
    assert "<b>7</b>" in html and EVIL not in html and "<script>alert" not in html and html.count("onerror=alert(1)&gt;") == 14


def file_of(path: str, **address: str) -> str:
    page = opened_whole(path, **address)
    return html_of_view(page.session_state["_taken"], provenance)


PAIR = {"a": "A robin sang <b>loudly</b>.", "b": "The robin & I."}
TYPED = [
    ("app.py", PAIR),
    ("pages/neighbors.py", PAIR),
    ("pages/why.py", {"a": PAIR["a"]}),
    ("pages/predict.py", {"ptext": "Once upon a rainy"}),
    ("pages/classify.py", {"text_news-title": "Robins win the cup"}),
]


@pytest.mark.parametrize(("path", "address"), TYPED)
def test_what_was_typed_comes_first(path, address):
    main = file_of(path, **address).split("<main>")[1]
    first = main.split("</dl>")[0]
    for text in address.values():
        assert str(markup.html("{}", text)) in first
    assert first.count("<h1>") == 1 and "<figure" not in first and "notice" not in first


def test_the_words_that_are_meant_are_named():
    first = file_of("app.py", **PAIR).split("</dl>")[0]
    assert re.findall("<dd>robin</dd>", first) == ["<dd>robin</dd>"] * 2


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("http://localhost:8501/map?a=x", ""),
        ("http://LOCALHOST/map", ""),
        ("http://127.0.0.1:8501/map?a=x", ""),
        ("http://[::1]:8501/", ""),
        ("http://192.168.1.7:8501/map", ""),
        ("http://10.0.0.3/", ""),
        ("http://0.0.0.0:8501/", ""),
        ("http://laptop:8501/", ""),
        ("http://laptop.local:8501/", ""),
        ("http://nlp.lan/", ""),
        ("", ""),
        ("javascript:alert(1)", ""),
        ("https://elmoscope.example.org/map?a=x", "https://elmoscope.example.org/map?a=x"),
        ("http://93.184.216.34:8501/", "http://93.184.216.34:8501/"),
    ],
)
def test_only_an_address_that_others_can_open_is_given(address, link):
    assert Taken("map", "Map", address=address).link() == link


def test_a_view_on_a_local_server_is_given_without_the_server():
    taken = Taken("map", "Map", address="http://localhost:8501/map?a=A+robin.")
    html = html_of(HtmlPage("Q?", "", (), (), (), (), [("View", taken.place())], taken.link()))
    assert "localhost" not in html and "/map?a=A+robin." in html and "<a href" not in html.split("<main>")[1]


def test_file_waits_until_a_fragment_has_drawn_the_view():
    view = Taken("map", "Map")
    with ThreadPoolExecutor() as pool:
        with view.drawing:
            html = pool.submit(html_of_view, view, lambda view: [])
            with pytest.raises(TimeoutError):
                html.result(0.2)
            view.lede = "Drawn now."
        assert "Drawn now." in html.result(30)
