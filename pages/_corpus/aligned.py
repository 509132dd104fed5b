"""The lines of a search, aligned on the hit, as many as there are: the browser shows those in sight and asks for the next as it comes to them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from core.corpus.search import Line

FOLDER = Path(__file__).parent
SLICE = 90  # lines sent at a time
MOST = 1_000_000  # lines: a page can be so many pixels high
LONGEST = 240  # characters of each side of a line
CLOSED = ",.;:!?)’%”"  # signs that follow a word without a blank
_read = {end: (FOLDER / f"aligned.{end}").read_text("utf-8") for end in ("html", "css", "js")}
_aligned = st.components.v2.component("elmoscope_aligned", html=_read["html"], css=_read["css"], js=_read["js"])


def aligned(
    lines: Callable[[int, int], Sequence[Line]],
    n: int,
    ident: str,
    *,
    key: str,
    remarks: Callable[[int, Line], tuple[str, str]],
    size: int = SLICE,
) -> None:
    """Draw n lines, of which `lines(first, number)` gives a slice; `ident` tells one search from another, `remarks` a line's source and color.

    Called within a fragment, so that another slice runs nothing else of the page.
    """
    search, _, number = str((st.session_state.get(key) or {}).get("at") or "").rpartition(":")
    first = min(int(number), max(0, n - 1)) if search == ident and number.isdecimal() else 0
    rows = [
        (line.before[-LONGEST:], line.hit, line.after[:LONGEST], *remarks(first + k, line)) for k, line in enumerate(lines(first, size))
    ]
    named = any(source for *_, source, _ in rows)
    data = {"id": ident, "n": min(n, MOST), "first": first, "slice": size, "lines": rows, "closed": CLOSED, "named": named}
    _aligned(key=key, data=data | {"label": t("Concordance"), "title": t("Whole sentence")}, on_at_change=lambda: None)
