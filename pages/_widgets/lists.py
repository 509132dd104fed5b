"""Keyword-in-context lists and their table twins. All text that came from a user or a corpus is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.figures.cloud import UNDECIDED
from core.figures.style import ink, sense_colour
from core.index.neighbours import Neighbour, Occurrence, TypeNeighbour
from core.text import languages
from core.text.definitions import definition, definitions
from core.text.tokens import bare, join_tokens, pieces
from pages._export import record

FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what begins one, the wide forms included
WINDOW = 9  # tokens shown on each side of the keyword; more where the other side has fewer


def heading(text: str, colour: str, note: str = "") -> None:
    small = f'<br><span class="small">{escape(note)}</span>' if note else ""
    st.html(f'<div class="colhead" style="border-color:{colour}">{escape(text)}{small}</div>')


def chip_of(label: str, colour: str, told: str = "") -> str:
    """A label on a ground of its colour, as HTML; what is `told` of it shows when one points at it."""
    title = f' title="{escape(told, quote=True)}"' if told else ""
    return f'<span class="chip" style="background:{colour};color:{ink(colour)}"{title}>{escape(label)}</span>'


def legend(senses: list[str], *, undecided: bool = False, word: str = "") -> None:
    """The senses' colours, once for everything below; a labelled word's with their definitions."""
    told = definitions(languages.in_use(), word)
    chips = "".join(chip_of(sense, sense_colour(k), told.get(sense, "")) for k, sense in enumerate(senses))
    grey = chip_of(t("undecided"), UNDECIDED) if undecided else ""
    st.html(f'<div class="chips">{chips}{grey}</div>')


def meanings(senses: Sequence[str], word: str, marks: Sequence[str] = ()) -> None:
    """What each of a labelled word's senses means, in sight: a line each behind its mark, as HTML, its chip if none is given."""
    told = definitions(languages.in_use(), word)
    marks = marks or [chip_of(sense, sense_colour(k)) for k, sense in enumerate(senses)]
    each = [f"<div>{mark} {escape(told[sense])}</div>" for sense, mark in zip(senses, marks, strict=True) if sense in told]
    if each:
        st.html(f'<div class="meanings">{"".join(each)}</div>')


def keyword_lines(found: list[Neighbour], senses: list[str], *, taken_as: str = "") -> None:
    """Each neighbour in its sentence, the word in bold, its sense in the sense's colour, its cosine at the right.

    With `taken_as`, the key of one of the reader's sentences, each has a button that makes it that sentence (pages._neighbours.requery).
    """
    st.html("".join(_keyword_line(n, senses, taken_as) for n in found))


def _keyword_line(neighbour: Neighbour, senses: list[str], taken_as: str) -> str:
    o = neighbour.occurrence
    chip = ""
    if o.sense:
        colour = sense_colour(senses.index(o.sense)) if o.sense in senses else "#6b7280"
        told = definition(languages.in_use(), o.lemma or "", o.sense)
        chip = chip_of(o.sense if o.sense in senses else f"{o.lemma}: {o.sense}", colour, told)
    take = take_button(taken_as, o) if taken_as else ""
    return keyword_line(o.tokens, o.position, f"{neighbour.cosine:.2f}", chip, after=take)


def take_button(taken_as: str, occurrence: Occurrence) -> str:
    """The button that makes an occurrence the reader's sentence `taken_as`, as HTML."""
    name = escape(t("Look at “{word}” in this sentence", word=bare(occurrence.tokens[occurrence.position])), quote=True)
    return (
        f'<button type="button" class="take" data-take="{taken_as}:{occurrence.row}" title="{name}" aria-label="{name}">'
        f"{t('look at this one')}</button>"
    )


def window(n: int, position: int, n_words: int = 1, width: int = 2 * WINDOW) -> tuple[int, int]:
    """First and last but one of the tokens shown of n: `width` beside the words in question, what one side lacks on the other."""
    behind = position + n_words
    left, right = min(position, width // 2), min(n - behind, width // 2)
    left, right = min(position, width - right), min(n - behind, width - left)
    return position - left, behind + right


def keyword_line(
    tokens: Sequence[str], position: int, remark: str, chip: str = "", n_words: int = 1, after: str = "", opened: bool = False
) -> str:
    """A word, or several, among the tokens around, spaced as in the whole sentence; the remark at the right.

    Where the sentence is longer it opens by a click, whole. `chip` and `after` are HTML.
    """
    start, end = window(len(tokens), position, n_words)
    shown = pieces(tokens)
    small = f'<span class="cosine">{escape(remark)}</span>' if remark else ""
    behind = position + n_words

    def told(first: int, last: int) -> str:
        left, words, right = ("".join(part) for part in (shown[first:position], shown[position:behind], shown[behind:last]))
        apart = " " if left and words.startswith(" ") else ""
        return (
            f'{"… " if first else ""}{escape(left.lstrip())}{apart}<b class="target">{escape(words.lstrip())}</b>'
            f"{escape(right)}{' …' if last < len(tokens) else ''}"
        )

    if (start, end) == (0, len(tokens)):
        return f'<div class="kwic">{small}{told(0, len(tokens))}{chip}{after}</div>'
    title = escape(t("Open the whole sentence, or close it"), quote=True)
    return (
        f'<div class="kwic">{small}<details{" open" if opened else ""}><summary title="{title}"><span class="cut">{told(start, end)}</span>'
        f'<span class="whole">{told(0, len(tokens))}</span></summary></details>{chip}{after}</div>'
    )


def type_lines(found: list[TypeNeighbour], sentences: list[Occurrence], taken_as: str) -> None:
    """Each spelling with its cosine and how many occurrences it is the mean of; its nearest sentence opens by a click."""
    lines = []
    for one, o in zip(found, sentences, strict=True):
        few = t("one sentence") if one.occurrences == 1 else t("mean of {n}", n=one.occurrences)
        sentence = "".join(f"<b>{escape(x)}</b>" if k == o.position else escape(x) for k, x in enumerate(pieces(o.tokens)))
        title = escape(t("Open the whole sentence, or close it"), quote=True)
        lines.append(
            f'<div class="kwic"><span class="cosine">{one.cosine:.2f}</span><details><summary title="{title}"><b class="target">'
            f'{escape(bare(one.word))}</b> <span class="small">{escape(few)}</span><span class="whole"> {sentence.strip()}</span></summary>'
            f"</details>{take_button(taken_as, o) if taken_as else ''}</div>"
        )
    st.html("".join(lines))


def word_lines(words: list[tuple[str, float, str]]) -> None:
    """(word, cosine, remark) a line."""
    st.html(
        "".join(
            f'<div class="kwic"><span class="cosine">{cosine:.2f}</span><b class="target">{escape(bare(word))}</b> <span class="small">{escape(note)}</span></div>'
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
    record.now().note("table", record.Table(table, name, label), key)
    with st.expander(label, icon=":material/table:", key=key):
        grid(table)
        st.download_button(
            t("Download as CSV"),
            lambda: csv_of(table),
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
