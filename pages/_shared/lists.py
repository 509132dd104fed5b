"""Keyword-in-context lists and their table twins. All text that came from a user or a corpus is escaped here."""

from __future__ import annotations

from html import escape

import pandas as pd
import streamlit as st

from core.figures import sense_colour
from core.neighbours import Neighbour, TypeNeighbour
from core.text import join_tokens

WINDOW = 9  # tokens shown on each side of the keyword


def heading(text: str, colour: str, note: str = "") -> None:
    small = f'<br><span class="small">{escape(note)}</span>' if note else ""
    st.html(f'<div class="colhead" style="border-color:{colour}">{escape(text)}{small}</div>')


def keyword_lines(found: list[Neighbour], senses: list[str]) -> None:
    """Each neighbour in its sentence, the word in bold, its sense in the sense's colour, its cosine at the right."""
    lines = [_keyword_line(n, senses) for n in found]
    st.html("".join(lines) or '<p class="small">No neighbours pass this filter.</p>')


def _keyword_line(neighbour: Neighbour, senses: list[str]) -> str:
    o = neighbour.occurrence
    start, end = max(0, o.position - WINDOW), o.position + WINDOW + 1
    left = ("… " if start else "") + join_tokens(list(o.tokens[start : o.position]))
    right = join_tokens(list(o.tokens[o.position + 1 : end])) + (" …" if end < len(o.tokens) else "")
    space = "" if right[:1] in ",.;:!?)" or right.startswith(("'s", "n't")) else " "
    chip = ""
    if o.sense:
        colour = sense_colour(senses.index(o.sense)) if o.sense in senses else "#6b7280"
        label = o.sense if o.sense in senses else f"{o.lemma}: {o.sense}"
        chip = f'<span class="chip" style="background:{colour}">{escape(label)}</span>'
    return (
        f'<div class="kwic"><span class="cosine">{neighbour.cosine:.2f}</span>{escape(left)} '
        f'<b class="target">{escape(o.tokens[o.position])}</b>{space}{escape(right)}{chip}</div>'
    )


def word_lines(words: list[tuple[str, float, str]]) -> None:
    """(word, cosine, remark) a line."""
    st.html(
        "".join(
            f'<div class="kwic"><span class="cosine">{cosine:.2f}</span><b class="target">{escape(word)}</b> <span class="small">{escape(note)}</span></div>'
            for word, cosine, note in words
        )
    )


def neighbour_table(found: list[Neighbour], context: str) -> pd.DataFrame:
    """The table twin of a list of occurrences."""
    return pd.DataFrame(
        [
            {
                "context": context,
                "rank": k,
                "word": n.occurrence.tokens[n.occurrence.position],
                "cosine": round(n.cosine, 4),
                "sense": n.occurrence.sense or "",
                "sentence": join_tokens(list(n.occurrence.tokens)),
            }
            for k, n in enumerate(found, 1)
        ]
    )


def type_table(found: list[TypeNeighbour], context: str) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"context": context, "rank": k, "word": n.word, "cosine": round(n.cosine, 4), "occurrences": n.occurrences}
            for k, n in enumerate(found, 1)
        ]
    )


def twin(table: pd.DataFrame, *, name: str, label: str = "The same as a table", key: str) -> None:
    """The table behind a picture or list, with its export. Cells that a spreadsheet would run are quoted."""
    with st.expander(label, icon=":material/table:", key=key):
        st.dataframe(table, hide_index=True, width="stretch")
        safe = table.map(lambda v: f"'{v}" if isinstance(v, str) and v[:1] in "=+-@\t\r" else v)
        st.download_button(
            "Download as CSV",
            safe.to_csv(index=False).encode("utf-8-sig"),
            f"{name}.csv",
            "text/csv",
            key=f"{key}.csv",
            icon=":material/download:",
            on_click="ignore",
        )
