"""Lists of words and sentences, and the tables that the icon row offers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.expectation import Expected
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import Markup, html, shorten
from core.common.significance import Paired
from core.figures.style import GLOVE, ink, sense_color
from core.figures.walk import list_rules
from core.files.user_names import clean_name
from core.index.neighbors import Neighbor, TypeNeighbor
from core.index.rows import Occurrence
from core.static.vectors import StaticVectors
from core.text import languages
from core.text.corpora import definition, definitions
from core.text.tokens import SENTENCE_BEGIN, as_in_text, bare, pieces, window, write_word
from pages._export import record
from pages._frame import question
from pages._frame.markup import plain, show_html
from pages._widgets.inputs import Chosen

BEFORE = 10  # tokens before the word in a sentence on two lines
WIDTH, SHORT = 14, 8  # tokens around the keyword in a line, and in a narrow column; more on one side if the other has fewer


def heading(text: str, color: str, note: str = "") -> None:
    small = html('<br><span class="small">{}</span>', note) if note else ""
    show_html('<div class="colhead" style="border-color:{}">{}{}</div>', color, text, small)


def chip_of(label: str, color: str, definition_text: str = "") -> Markup:
    """Return a label on a background of its color, with a tooltip."""
    title = html(' title="{}"', definition_text) if definition_text else ""
    return html('<span class="chip" style="background:{};color:{}"{}>{}</span>', color, ink(color), title, label)


def legend(senses: list[str], *, word: str = "") -> None:
    """Show the senses' colors, once for everything below; a labeled word's with their definitions."""
    by_sense = definitions(languages.in_use(), word)
    chips = [chip_of(sense, sense_color(k), by_sense.get(sense, "")) for k, sense in enumerate(senses)]
    show_html('<div class="chips">{}</div>', chips)


def meanings(senses: Sequence[str], word: str, marks: Sequence[str] = ()) -> None:
    """Show the definition of each sense of a labeled word, one line each after its chip or the given mark."""
    by_sense = definitions(languages.in_use(), word)
    marks = marks or [chip_of(sense, sense_color(k)) for k, sense in enumerate(senses)]
    lines = [html("<div>{} {}</div>", mark, by_sense[sense]) for sense, mark in zip(senses, marks, strict=True) if sense in by_sense]
    if lines:
        show_html('<div class="meanings">{}</div>', lines)


def keyword_lines(neighbors: list[Neighbor], senses: list[str], *, taken_as: str = "") -> None:
    """Show each neighbor's sentence with its sense and cosine, and with `taken_as` a button that makes it that sentence of the user."""
    show_html("{}", [_keyword_line(n, senses, taken_as) for n in neighbors])


def _keyword_line(neighbor: Neighbor, senses: list[str], taken_as: str) -> Markup:
    occurrence = neighbor.occurrence
    chip = ""
    if occurrence.sense:
        label, color = f"{occurrence.lemma}: {occurrence.sense}", "#6b7280"
        if occurrence.sense in senses:
            label, color = occurrence.sense, sense_color(senses.index(occurrence.sense))
        chip = chip_of(label, color, definition(languages.in_use(), occurrence.lemma or "", occurrence.sense))
    take = take_button(taken_as, occurrence) if taken_as else ""
    parts = [
        html("<b class=target>{}</b>", part) if k == occurrence.position else part
        for k, part in enumerate(as_in_text(occurrence.tokens, occurrence.text))
    ]
    start = max(0, occurrence.position - BEFORE)
    cut = html("… {}", Markup().join(parts[start:]).lstrip()) if start else Markup().join(parts)
    after = html('<span class="cosine">{:.2f}</span>{}{}', neighbor.cosine, take, chip)
    return _line("sentence", html('<span class="cut">{}</span>', cut.strip()), Markup().join(parts).strip(), after)


def _line(kind: str, summary: Markup, sentence: Markup, after: Markup | str, before: Markup | str = "") -> Markup:
    """Return a line of a list. A click on its summary opens the sentence."""
    line = '<div class="kwic {}">{}<details><summary title="{}">{}<span class="whole">{}</span></summary></details>{}</div>'
    return html(line, kind, before, t("Whole sentence"), summary, sentence, after)


def mark_word(tokens: Sequence[str], position: int) -> Markup:
    parts = pieces(tokens)
    word = parts[position].lstrip()
    blank = parts[position][: len(parts[position]) - len(word)]
    return html("{}{}<b>{}</b>{}", "".join(parts[:position]), blank, word, "".join(parts[position + 1 :])).strip()


def take_button(taken_as: str, occurrence: Occurrence) -> Markup:
    name = t("Use this sentence: “{word}”", word=bare(occurrence.tokens[occurrence.position]))
    button = '<button type="button" class="take" data-take="{}:{}" title="{name}" aria-label="{name}">↑</button>'
    return html(button, taken_as, occurrence.row, name=name)


def keyword_line(tokens: Sequence[str], position: int, remark: str, *, text: str | None = None, shortened: bool = False) -> Markup:
    """Return a line of a concordance, spaced as `text`, with a remark at the right. A click opens the sentence."""
    start, end = window(len(tokens), position, 1, SHORT if shortened else WIDTH)
    pieces = as_in_text(tokens, text)

    def parts(first: int, last: int) -> tuple[str, str, str]:
        left, word, right = "".join(pieces[first:position]), pieces[position], "".join(pieces[position + 1 : last])
        blank = word[: len(word) - len(word.lstrip())] if left else ""
        return left.lstrip() + blank, word.lstrip(), right

    sides = '<span class="cut"><span class="left"><span>{}</span></span><span class="right"><b class="target">{}</b>{}</span></span>'
    left, word, right = parts(start, end)
    if shortened:
        left, right = "… " * (start > 0) + left, right + " …" * (end < len(tokens))
    cut, sentence = html(sides, left, word, right), html('{}<b class="target">{}</b>{}', *parts(0, len(tokens)))
    after = html('<span class="cosine">{}</span>', remark) if remark else ""
    return _line("aligned short" if shortened else "aligned", cut, sentence, after)


def type_lines(type_neighbors: list[TypeNeighbor], sentences: list[Occurrence], taken_as: str) -> None:
    """Show each spelling with its cosine and its number of occurrences. A click opens its nearest sentence."""
    lines = []
    for type_neighbor, occurrence in zip(type_neighbors, sentences, strict=True):
        few = t("one sentence") if type_neighbor.occurrences == 1 else t("mean of {n}", n=type_neighbor.occurrences)
        sentence = Markup().join(
            html("<b>{}</b>", x) if k == occurrence.position else x for k, x in enumerate(as_in_text(occurrence.tokens, occurrence.text))
        )
        summary = html('<b class="target">{}</b> <span class="small">{}</span>', bare(type_neighbor.word), few)
        before = html('<span class="cosine">{:.2f}</span>', type_neighbor.cosine)
        after = take_button(taken_as, occurrence) if taken_as else ""
        lines.append(_line("", summary, html(" {}", sentence.strip()), after, before))
    show_html("{}", lines)


def nearest_words(words: Sequence[tuple[str, float]]) -> None:
    """Show words on one line, best first. Hovering over a word shows its cosine."""
    show_html(
        '<p class="near">{} {}</p>',
        t("Nearest words:"),
        Markup(", ").join(html('<b title="{:.2f}">{}</b>', cosine, word) for word, cosine in words),
    )


def word_lines(words: list[tuple[str, float, str]]) -> None:
    """Show a line for each (word, cosine, remark)."""
    line = Markup('<div class="kwic"><span class="cosine">{:.2f}</span><b class="target">{}</b> <span class="small">{}</span></div>')
    show_html("{}", [line.format(cosine, bare(word), note) for word, cosine, note in words])


def grid(rows: pd.DataFrame | Sequence[Mapping], **options: Any) -> Any:
    """Show a table. A missing value is a dash. `options` and the result are those of st.dataframe."""
    return st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch", placeholder="–", **options)


def download(label: str, data: Any, name: str, mime: str, *, key: str, icon: str = "download", place: Any = st, **options: Any) -> None:
    """Draw a button that downloads a file without running the page again. `data` may be a function."""
    icon = f":material/{icon}:"
    place.download_button(label, data, clean_name(name), mime, key=key, icon=icon, on_click="ignore", **options)


def read_selection(event: Mapping | None, n_rows: int) -> list[int]:
    """Return the selected rows of a table with `n_rows` rows. Rows of an earlier, longer table are dropped."""
    return [row for row in (event or {}).get("selection", {}).get("rows", []) if row < n_rows]


def offer_table(rows: pd.DataFrame | Sequence[Mapping] | Mapping[str, Sequence], *, name: str, label: str = "", key: str) -> None:
    """Offer a table, given by its rows or its columns, and its CSV in the icon row."""
    record.now().note("table", record.NotedTable(pd.DataFrame(rows), name, label or t("Table")), key)


def word_buttons(name: str, expected: Expected, color: str, longest: float, tapped: Callable, *args) -> None:
    """Draw a button for each expected word, with a bar for its probability. A click calls `tapped(word, *args)`."""
    from core.elmo.language_model import SPECIALS  # not at the top: it imports torch

    st.html(
        f"<style>{list_rules(f'.st-key-{name}', [prediction.probability / longest for prediction in expected.likeliest], color)}</style>"
    )
    with st.container(key=f"words_{name}"):
        for k, prediction in enumerate(expected.likeliest):
            title = f"**{question.plain_label(write_word(prediction.word))}**"
            boundary = prediction.word in SPECIALS
            if boundary:
                title = f"*{t('sentence start')}*" if prediction.word == SENTENCE_BEGIN else f"*{t('sentence end')}*"
            label = f"{title} {prediction.probability:.1%}" if prediction.probability >= 0.0005 else f"{title} < 0.1%"
            st.button(label, key=f"{name}_{k}", on_click=tapped, args=(prediction.word, *args), disabled=boundary, width="stretch")


def describe_rank(word: str, expected: Expected) -> str:
    if expected.rank is None:
        return t("“{word}”: not in the vocabulary", word=shorten(word, 20))
    if expected.probability < 0.0001:
        return t("“{word}”: rank {rank:,}, under 0.01%", word=shorten(word, 20), rank=expected.rank)
    return t("“{word}”: rank {rank:,}, {p:.2%}", word=shorten(word, 20), rank=expected.rank, p=expected.probability)


def unknown(vectors: StaticVectors, words: Iterable[str]) -> list[str]:
    """State which words the static vectors lack, in one line or none."""
    listed = ", ".join(f"“{shorten(word)}”" for word in dict.fromkeys(words) if word not in vectors)
    return [t("Not in GloVe: {words}. {model} reads any word.", words=listed, model=model_layers.in_use().called)] if listed else []


def glove_column(vectors: StaticVectors, first: Chosen, second: Chosen, k: int, tables: list) -> None:
    """Show GloVe's neighbors: one list for a word in any sentence, or two lists for two different words."""
    from core.views.neighbors import tabulate_words  # not at the top: it imports torch

    words = list(dict.fromkeys(c.word.casefold() for c in (first, second) if c.word))
    for word in words:
        heading(t("GloVe, “{word}” in any sentence", word=shorten(word, 24)), GLOVE)
        try:
            neighbors = vectors.neighbors(word, k if len(words) == 1 else max(3, k // 2))
        except BadInput as error:
            st.info(plain(error), icon=":material/search_off:")
            continue
        word_lines([(n.word, n.cosine, "") for n in neighbors])
        tables.append(tabulate_words([(n.word, n.cosine) for n in neighbors], f"GloVe: {word}"))


def static_line(share: float, where: str, difference: Paired) -> str:
    """State the accuracy of the static context, the difference of a space to it, and whether it is significant."""
    verdict = (t("inconclusive"), t("ahead"), t("behind"))[difference.verdict]
    values = {"share": share, "where": where, "difference": difference.in_points(), "verdict": verdict}
    return t("The other words’ static vectors alone reach {share:.1%}; {where} minus these, in points: {difference}, {verdict}.", **values)
