"""Test that texts of others are shown literally in HTML, figures, Markdown and commands."""

import ast
import re
import shlex
import subprocess

import click
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from core.common.i18n import t
from core.common.markup import MARKDOWN, Markup, code, command, html, plain
from core.figures.style import Figure

EVIL = [
    *("<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "<svg/onload=alert(1)>", "<b onclick=alert(1)>x</b>"),
    *("<a href='javascript:alert(1)'>x</a>", '<a href="https://a.example" onclick="alert(1)">x</a>'),
    *("<!--><img src=x onerror=alert(1)>-->", "<style>*{display:none}</style>", "<textarea><b>", "<![CDATA[<img src=x>]]>"),
    *("<?php <img src=x> ?>", "</div><iframe src=//evil.test>", "<img src=x onerror=alert(1)", "<IMG SRC=x/>", "<br onclick=alert(1)>"),
    *("<b", "<b>x</b>", "a & b", "*x*", "[x](javascript:1)", "&lt;", "'\"", "{x} %{y} %s", "<extra>"),
]


@pytest.mark.parametrize(
    "made",
    [
        *(lambda evil: html("<b>{}</b> {told}", evil, told=[evil]), lambda evil: t("<b>{word}</b> {word}", word=evil)),
        lambda evil: t("{words} {word}", words=Markup("<b>{}</b>").format(evil), word=evil),
        lambda evil: html("{}", [html("<b>{}</b> ", evil), t("{word}", word=evil)]),
        lambda evil: Markup("").join([html("<b>{}</b>", evil), f" {evil}"]),
        lambda evil: Figure().add_annotation(text=html("<b>{}</b> {}", evil, evil)).layout.annotations[0].text,
    ],
)
def test_a_value_is_escaped_once_on_each_way_into_html_and_not_without_a_tag(made):
    for evil in EVIL:
        assert made(evil) == Markup("<b>{evil}</b> {evil}").format(evil=evil)
        assert type(t("At {word}", word=evil)) is str and t("At {word}", word=evil) == f"At {evil}"  # no tag: not HTML yet


@pytest.mark.parametrize("evil", EVIL)
def test_a_figure_escapes_every_text_once_in_whatever_it_comes(evil: str):
    safe = escape(evil)
    for texts in ([evil], (evil,), np.array([evil]), np.array([evil], object)):
        figure = Figure().add_bar(x=[0], y=texts, name=evil, text=texts, customdata=[texts], hovertemplate=evil)
        figure.update_xaxes(title=evil, ticktext=texts).update_layout(title={"text": evil}, font_family='"Noto Sans", serif')
        bar, axis = figure.data[0], figure.layout.xaxis
        assert [item[0] for item in (bar.y, bar.text, bar.customdata[0], axis.ticktext)] == [safe] * 4
        assert (bar.name, axis.title.text, figure.layout.title.text) == (safe, safe, safe)
        assert bar.hovertemplate == f"{safe}<extra></extra>" and figure.layout.font.family == '"Noto Sans", serif'
    escaped = Figure().add_bar(name=safe, hovertemplate=html("{}<extra>{}</extra>", evil, evil)).data[0]
    assert escaped.name == safe and escaped.hovertemplate == f"{safe}<extra>{safe}</extra>"


def test_nothing_else_hands_html_or_figures_on(nodes):
    """st.html takes style alone where it is not show_html that calls it; and of Plotly nothing is made that escapes no text."""
    others = set()
    for path, node in nodes:
        if isinstance(node, ast.Call) and (_name(node) in ("html", "escape") or _root(node) == "go"):
            called = ast.unparse(node.func)
            style = node.args and re.match(r"f?['\"]<style>|[A-Z_]+$|STYLE \+ ", ast.unparse(node.args[0]))
            if (called.endswith(".html") and not style) or re.match(r"go\.(?!layout)|html\.escape|escape$", called):
                others.add(path)
    assert sorted(others) == ["core/common/i18n.py", "core/figures/style.py", "pages/_frame/markup.py", "pages/_widgets/downloads.py"]


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _root(node: ast.AST) -> str:
    """Return the name with which a call begins: "go" of go.Figure().add_bar()."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")


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


@pytest.mark.parametrize("name", ["$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "it's", "two words", "a\nb", "*", "!x", "-x", ""])
def test_a_shell_runs_nothing_that_is_in_a_command_to_copy(name: str, tmp_path):
    offered = command("printf", "%s|", name, tmp_path / name.replace("/", "_"))
    done = subprocess.run(["sh", "-c", offered], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{name}|{tmp_path / name}|" and not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["-x", "--output=/x", "--", "-", "", "a\nb", "$(id)", "it's", '"', "a  b", "-1", "--help"])
def test_arguments_and_values_are_never_read_as_options(value: str):

    @click.command()
    @click.option("--name", multiple=True)
    @click.argument("data", nargs=-1)
    def run(name, data):
        return name, data

    words = shlex.split(command("tool", options=[("name", [value, "b", value]), ("x", None), ("y", False)], arguments=["a", value]))
    assert run.main(words[1:], standalone_mode=False) == ((value, "b", value), ("a", value))


def test_words_of_commands_are_literals_and_values_are_quoted(nodes):
    """A word that holds data could begin with a dash, so data must be options or arguments."""
    violations = []
    for path, node in nodes:
        if isinstance(node, ast.Call) and _name(node) == "command" and node.args and getattr(node.args[0], "value", "") == "python":
            allowed = {"group", "name", "path"} if path.endswith("/card.py") else set()  # the names of subcommands
            words = [ast.unparse(word) for word in node.args if not isinstance(word, ast.Constant)]
            violations += [(path, word) for word in words if word not in allowed]
        if isinstance(node, ast.JoinedStr) and str(getattr(node.values[0], "value", "")).startswith("python -m"):
            violations.append((path, "an f-string quotes nothing"))
    assert violations == []


@pytest.mark.parametrize(("text", "shown"), [("a", "`a`"), ("a`b", "`` a`b ``"), ("`a``b`", "``` `a``b` ```"), ("a\nb", "`a b`")])
def test_code_is_between_more_backticks_than_it_holds(text: str, shown: str):
    assert code(text) == shown
