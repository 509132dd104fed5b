"""A concordance with any number of lines. The browser shows the visible lines and requests more when the user scrolls."""

from pathlib import Path

import streamlit as st

from core.common.i18n import t
from core.figures.style import sense_color
from core.views.concordance import HitLines

FOLDER = Path(__file__).parent
SLICE, READ_AT_ONCE = 90, 24  # lines sent at a time; where their substitutes are read first
MOST = 1_000_000  # lines: a page can be so many pixels high
LONGEST = 240  # characters of each side of a line
CLOSED = ",.;:!?)’%”"  # signs that follow a word without a blank
_read = {end: (FOLDER / f"aligned.{end}").read_text("utf-8") for end in ("html", "css", "js")}
_aligned = st.components.v2.component("elmoscope_aligned", html=_read["html"], css=_read["css"], js=_read["js"])


def aligned(of: HitLines, *, key: str) -> None:
    """Draw the concordance. Call it within a fragment, so that a request for more lines runs nothing else."""
    search, _, number = str((st.session_state.get(key) or {}).get("at") or "").rpartition(":")
    n, size = len(of), READ_AT_ONCE if of.by_substitutes else SLICE
    first = min(int(number), max(0, n - 1)) if search == of.key and number.isdecimal() and len(number) < 10 else 0
    rows = [
        (line.before[-LONGEST:], line.hit, line.after[:LONGEST], source, sense_color(sense) if sense >= 0 else "")
        for line, source, sense in of.lines(first, size)
    ]
    named = any(source for *_, source, _ in rows)
    data = {"id": of.key, "n": min(n, MOST), "first": first, "slice": size, "lines": rows, "closed": CLOSED, "named": named}
    _aligned(key=key, data=data | {"label": t("Concordance"), "title": t("Whole sentence")}, on_at_change=lambda: None)
