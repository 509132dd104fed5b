"""Compare what a page shows with a text file under tests/app/snapshots. `UPDATE_SNAPSHOTS=1 pytest ...` writes the files."""

import html
import json
import os
import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from tests.app.visit import offered

FOLDER = Path(__file__).with_name("snapshots")
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
# Blocks of HTML that end a line of text. The content of styles, scripts and icons is not text.
ENDS_LINE = re.compile(r"</?(?:p|div|li|ul|ol|tr|table|thead|tbody|h\d|br|details|summary|figure|figcaption|section|dl|dt|dd|hr)\b[^>]*>")
PROSE = ("html", "markdown", "caption", "title", "header", "subheader", "error", "warning", "info", "success")
WITHOUT_TEXT = ("browser", "elmoscope_gestures")  # components
MOST_OPTIONS = 30  # of a choice: a list may have hundreds
TIME = re.compile(r"\d[\d.]* ms\b")
VERSION = re.compile(r": \d+(?:\.\d+)+(?:\+\w+)?$", re.MULTILINE)  # of Python and the packages, in the report of a problem
NOT_TEXT = re.compile(r"<(style|script|svg)\b.*?</\1>", re.DOTALL)


def check_snapshot(name: str, page: AppTest, **options: bool) -> None:
    """Compare the text of a page with the file `name`.txt. Numbers may differ by one unit of the last digit shown, or by 1 percent."""
    path, text = FOLDER / f"{name}.txt", text_of(page, **options)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not is_same_text(path.read_text("utf-8"), text):
            path.write_text(text, "utf-8")
        return
    stored = path.read_text("utf-8") if path.exists() else ""
    if not is_same_text(stored, text):
        lines = unified_diff(stored.splitlines(), text.splitlines(), "snapshot", "page", lineterm="", n=1)
        raise AssertionError(f"The page differs from {path}. UPDATE_SNAPSHOTS=1 accepts it.\n" + "\n".join(lines))


def is_same_text(first: str, second: str) -> bool:
    """Return whether two texts agree, up to the last digit of their numbers, how long something took, and versions of packages."""
    first, second = (VERSION.sub(": 0", TIME.sub("0 ms", text)) for text in (first, second))
    if NUMBER.sub("0", first) != NUMBER.sub("0", second):
        return False
    return all(map(is_same_number, NUMBER.findall(first), NUMBER.findall(second)))


def is_same_number(first: str, second: str) -> bool:
    """Return whether two written numbers differ by at most one unit of the last digit, or 1 percent. Small integers must be equal."""
    a, b = (float(number.replace(",", "")) for number in (first, second))
    decimals = max(len(number.partition(".")[2]) for number in (first, second))
    if not decimals and max(a, b) < 20:
        return a == b
    return abs(a - b) <= max(1.01 * 10**-decimals, 0.01 * max(a, b))


def text_of(page: AppTest, *, with_sidebar: bool = False) -> str:
    """Return the visible texts of a page in order, then the tables that it exports. Styles, scripts and positions are left out."""
    lines = [line for element in page.main for line in _lines(element)]
    if with_sidebar:
        lines += ["--- sidebar", *(line for element in page.sidebar for line in _lines(element))]
    lines += [f"[export] {', '.join(map(str, table.columns))}" for table in offered(page)]
    return "\n".join(lines) + "\n"


def _lines(element: Node) -> Iterator[str]:
    kind, proto = element.type, element.proto
    if kind in PROSE:
        prefix = "" if kind in ("html", "markdown") else f"[{kind}] "
        yield from (prefix + line for line in _plain_lines(proto.body))
    elif kind == "plotly_chart":
        yield f"[chart] {proto.alt}"
    elif isinstance(value := getattr(element, "value", None), pd.DataFrame):
        yield f"[table] {', '.join(map(str, value.columns))}"
    elif kind == "bidi_component":
        data = json.loads(proto.json or "{}") if hasattr(proto, "json") else {}
        values = [value for value in data.values() if isinstance(value, str) and " " in value] if isinstance(data, dict) else []
        texts = [line for value in values for line in _plain_lines(value)]
        if proto.component_name not in WITHOUT_TEXT:
            yield f"[{proto.component_name}] {' | '.join(texts)}".rstrip()
    else:
        holder = getattr(proto, kind, proto) if isinstance(element, Block) else proto
        label = getattr(holder, "label", "")
        options = [getattr(option, "content", option) for option in getattr(proto, "options", ())][:MOST_OPTIONS]
        shown = "" if value in (None, "", [], False, label) else str(value)
        parts = [label, shown, f"of {', '.join(options)}" if options else ""]
        if any(parts):
            yield f"[{kind}] " + " · ".join(filter(None, parts))
    if isinstance(note := getattr(proto, "help", ""), str) and note and note != getattr(proto, "label", ""):
        yield f"    ? {note}"


def _plain_lines(body: str) -> list[str]:
    text = re.sub("<[^>]*>", "", ENDS_LINE.sub("\n", NOT_TEXT.sub("", body)))
    return [line for line in (re.sub(r"\s+", " ", line).strip() for line in html.unescape(text).splitlines()) if line]
