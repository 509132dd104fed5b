"""Text that is not ours, in HTML and in Markdown: shown as it stands; of our own sentences' markup only what is ours."""

from __future__ import annotations

import ast
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from core.common.config import ROOT
from core.common.markup import MARKDOWN, TAGS, ours, plain
from tests.core.common.test_i18n import entries

EVIL = [
    "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<svg/onload=alert(1)>", "<b onclick=alert(1)>x</b>", "<a href='javascript:alert(1)'>x</a>",
    '<a href="https://a.example" onclick="alert(1)">x</a>', "<!--><img src=x onerror=alert(1)>-->", "<style>*{display:none}</style>", "<textarea><b>",
    "<![CDATA[<img src=x>]]>", "<?php <img src=x> ?>", "</div><iframe src=//evil.test>", "<img src=x onerror=alert(1)", "<IMG SRC=x/>", "<br onclick=alert(1)>", "<b",
]  # fmt: skip


class Elements(HTMLParser):
    """The elements that a reader of HTML finds, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found, self.open, self.text = [], [], ""
        self.feed(str(html))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, attrs))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def is_ours(tag: str, attrs: list) -> bool:
    return (tag in TAGS | {"br"} and not attrs) or (
        tag == "a" and dict(attrs)["href"].startswith("https://") and "rel" in dict(attrs)
    )


@pytest.mark.parametrize("evil", EVIL)
def test_markup_in_a_sentence_that_is_not_ours_is_text(evil: str):
    read = Elements(ours(f"Of <b>{escape(evil)}</b> and {evil}"))
    assert all(is_ours(*one) for one in read.found) and read.open == []
    assert evil in read.text  # what was escaped reads as it was written


@given(
    st.lists(
        st.sampled_from(
            [
                *EVIL,
                "<b>",
                "</b>",
                "<i>",
                "</i>",
                "<br>",
                "<a href='https://a.example/b'>",
                "</a>",
                "&lt;img&gt;",
                "word",
                "'",
                '"',
                "<",
                ">",
                "&",
                "--",
            ]
        )
    )
)
def test_no_order_of_pieces_lets_an_element_through(pieces: list[str]):
    read = Elements(ours("".join(pieces)))
    assert all(is_ours(*one) for one in read.found) and read.open == []


def test_our_own_sentences_stay_as_they_are():
    said = "At layer 2 <b>7 of 10</b> &amp; w<sub>2</sub>,<br>as <i>in</i> "
    assert ours(said) == said and ours(ours(said)) == said
    assert (
        ours("<a href='https://arxiv.org/abs/1909.10430'>it</a>")
        == '<a href="https://arxiv.org/abs/1909.10430" rel="noreferrer">it</a>'
    )
    assert isinstance(ours("x"), Markup)


def test_every_sentence_of_the_catalogue_passes_whole():
    for english, korean in entries("ko"):
        for said in (*english, *korean):
            if "<p" not in said and ("</b>" in said or "</sub>" in said or "</a>" in said):
                assert "&lt;" not in ours(said), said


@given(st.text(alphabet=st.sampled_from("\\`*_{}[]()#+-.!|:$~<>^&ab \n\r\t"), max_size=30), st.sampled_from([None, 5, 12]))
def test_markdown_reads_nothing_in_plain_text(text: str, most: int | None):
    written = plain(text, most)
    assert "\n" not in written and "\r" not in written
    read, escaped = "", False
    for sign in written:
        assert escaped or sign == "\\" or sign not in MARKDOWN
        if escaped or sign != "\\":
            read += sign
        escaped = sign == "\\" and not escaped
    assert read == " ".join(text.split()) or most or text != text.strip()
    assert most is None or len(read) <= most


def test_nobody_else_escapes_markdown():
    """An alphabet of Markdown's signs anywhere else would be a second one."""
    others = []
    for path in [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and len(set("*_[]#`~") & set(node.value)) == 7
                and len(node.value) < 60
            ):
                others.append(path.relative_to(ROOT).as_posix())
    assert others == ["core/common/markup.py"]
