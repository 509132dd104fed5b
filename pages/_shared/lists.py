"""Keyword-in-context lists and their table twins. All text that came from a user or a corpus is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from core.figures import ink, sense_colour
from core.neighbours import Neighbour, TypeNeighbour
from core.text import bare, join_tokens, pieces
from core.texts import t
from pages._shared import taken

FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins one, the wide forms included
WINDOW = 9  # tokens shown on each side of the keyword


def heading(text: str, colour: str, note: str = "") -> None:
    small = f'<br><span class="small">{escape(note)}</span>' if note else ""
    st.html(f'<div class="colhead" style="border-color:{colour}">{escape(text)}{small}</div>')


def chip_of(label: str, colour: str) -> str:
    """A label on a ground of its colour, as HTML."""
    return f'<span class="chip" style="background:{colour};color:{ink(colour)}">{escape(label)}</span>'


def keyword_lines(found: list[Neighbour], senses: list[str]) -> None:
    """Each neighbour in its sentence, the word in bold, its sense in the sense's colour, its cosine at the right."""
    lines = [_keyword_line(n, senses) for n in found]
    st.html("".join(lines) or f'<p class="small">{t("No neighbours pass this filter.")}</p>')


def _keyword_line(neighbour: Neighbour, senses: list[str]) -> str:
    o = neighbour.occurrence
    if not o.sense:
        return keyword_line(o.tokens, o.position, f"{neighbour.cosine:.2f}")
    colour = sense_colour(senses.index(o.sense)) if o.sense in senses else "#6b7280"
    label = o.sense if o.sense in senses else f"{o.lemma}: {o.sense}"
    return keyword_line(o.tokens, o.position, f"{neighbour.cosine:.2f}", chip_of(label, colour))


def keyword_line(tokens: Sequence[str], position: int, remark: str, chip: str = "", n_words: int = 1) -> str:
    """A word, or several, between the WINDOW tokens on each side, spaced as in the whole sentence; the remark at the right."""
    start, behind, shown = max(0, position - WINDOW), position + n_words, pieces(tokens)
    left, words, right = (
        "".join(part) for part in (shown[start:position], shown[position:behind], shown[behind : behind + WINDOW])
    )
    small = f'<span class="cosine">{escape(remark)}</span>' if remark else ""
    apart = " " if left and words.startswith(" ") else ""
    return (
        f'<div class="kwic">{small}{"… " if start else ""}{escape(left.lstrip())}{apart}'
        f'<b class="target">{escape(words.lstrip())}</b>{escape(right)}{" …" if behind + WINDOW < len(tokens) else ""}{chip}</div>'
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
                t("context"): context,
                t("rank"): k,
                t("word"): bare(n.occurrence.tokens[n.occurrence.position]),
                t("cosine"): round(n.cosine, 4),
                t("sense"): n.occurrence.sense or "",
                t("sentence"): join_tokens(list(n.occurrence.tokens)),
            }
            for k, n in enumerate(found, 1)
        ]
    )


def type_table(found: list[TypeNeighbour], context: str) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                t("context"): context,
                t("rank"): k,
                t("word"): bare(n.word),
                t("cosine"): round(n.cosine, 4),
                t("occurrences"): n.occurrences,
            }
            for k, n in enumerate(found, 1)
        ]
    )


def grid(table: pd.DataFrame, **options) -> None:
    """A table to read; what does not apply is a dash."""
    st.dataframe(table, hide_index=True, width="stretch", placeholder="–", **options)


def twin(table: pd.DataFrame, *, name: str, label: str = "", key: str) -> None:
    """The table behind a picture or list, with its export."""
    label = label or t("The same as a table")
    taken.now().note("table", taken.Table(table, name, label), key)
    with st.expander(label, icon=":material/table:", key=key):
        grid(table)
        st.download_button(
            t("Download as CSV"),
            csv_of(table),
            f"{name}.csv",
            "text/csv",
            key=f"{key}.csv",
            icon=":material/download:",
            on_click="ignore",
        )


def csv_of(table: pd.DataFrame) -> bytes:
    """A table as CSV, UTF-8 with a mark that spreadsheets know it by; cells that one would run are quoted."""
    safe = table.map(_plain_cell).rename(columns=_plain_cell)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")  # by which a lone \r is quoted, too


def _plain_cell(value):
    """A text that a spreadsheet would take for a formula, also behind blanks and unseen signs, with a quote before it."""
    if not isinstance(value, str):
        return value
    first = next((sign for sign in value if sign.isprintable() and not sign.isspace()), "")
    return f"'{value}" if (first in FORMULA and first) or value[:1] in ("\t", "\r", "\n") else value
