"""All tokens: every token of the corpus as a dot in each layer's map, colored by word, sense or part of the sentence (tokens.js).

The places come from core.analysis.word_maps. A job computes them once and stores them on disk. The browser receives integers.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import streamlit as st

from core.analysis import word_maps
from core.analysis.word_maps import TokenMaps
from core.common import model_layers
from core.common.i18n import language, t
from core.common.markup import shorten
from core.figures.style import SENSE_COLORS, layer_color, layer_title
from core.files.artifacts import text_fingerprint
from core.files.quotas import may_store
from core.index.table import OccurrenceTable
from core.live.widgets import pack_numbers
from core.text.tokens import bare, pieces
from core.workspace import table_key
from pages._cached import cache, shared_jobs
from pages._cached.cache import workspace
from pages._frame.choices import layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.jobs import Job
from pages._widgets import components, lists

LIVE = "map.tokens"  # key of the component
IN_TABLE, FEWEST = 300, 8  # the most frequent words of the data table, and how often a word must occur to be in it
MOVING = 32_768  # dots up to which the browser draws all of them even while they move; the same in tokens.js
_live = components.make_component("tokens", Path(__file__).parent, "live")
JOB = "map of every token"


def show(in_use: InUse, word: str) -> None:
    """Show the map of all tokens with `word` highlighted, what to notice, and a table of words. While a job computes it, show the progress."""
    over, word = workspace(in_use), bare(word)
    if (table := cache.wait_for_tokens(over)) is None:
        cache.show_reading(over)
        return
    names = model_layers.in_use().some
    file = word_maps.file_of(table, names)

    def work(job: Job) -> TokenMaps:
        if (stored := TokenMaps.load(file)) is not None:
            return stored
        maps = word_maps.token_maps(table, names, job.report)
        if may_store(maps.places.nbytes + maps.rows.nbytes):
            file.parent.mkdir(parents=True, exist_ok=True)
            maps.save(file)
        return maps

    options = {"failed": t("The map could not be drawn."), "most": 2, "widget": "map.tokens", "again": t("Draw the map")}
    if (maps := shared_jobs.result_or_progress(JOB, file, work, _progress, **options)) is None:
        return
    key = table_key(table)
    lit = word[:40]
    _live(key=LIVE, data=over.opener.memo.value("tokens sent", (key, names, lit, language()), lambda: _data(table, maps, lit, key), most=4))
    notice(_write_notices(table, maps, word))
    message = t(
        "UMAP placed {laid_out:,} random tokens, the rest near their {k} nearest; distances between far dots mean little.",
        laid_out=maps.laid_out,
        k=word_maps.NEIGHBORS_TO_PLACE,
    )
    if len(maps.rows) > MOVING:
        message = f"{message} {t('While moving, only a random part is drawn.')}"
    st.caption(message, help=t("Hover: sentence. Click: highlight its word. Ctrl+wheel: zoom. Drag: move. Keys: +, − and arrows."))
    words = over.opener.memo.value("tokens table", (key, names, language()), lambda: _words(table, maps), most=4)
    lists.offer_table(words, name="all-tokens", label=t("Table of frequent words"), key="map.tokens.table")


def _progress(job: Job, left: str) -> str:
    if not job.done:
        return t("Placing {n:,} tokens, once: about 30 s on a free core.", n=word_maps.LAID_OUT)
    return t("Placed {done:,} of {total:,} tokens, {left} left.", done=job.done, total=job.total, left=left)


def _data(table: OccurrenceTable, maps: TokenMaps, word: str, key: str) -> dict:
    """Return the data of the widget, with all its texts in the language of the interface. Braces mark values that it fills in."""
    names, rows = maps.names, maps.rows
    lemma, sense = word_maps.sense_numbers(table, rows)
    first = rows[np.r_[True, np.diff(table.sentence[rows]) != 0]]
    sentences = [pieces(table.sentences[int(table.sentence[row])].as_py()) for row in first]
    apart = str.maketrans("\t\n", "  ")  # what would break the text that they are sent in
    text = {
        "title": t("Map of all tokens"),
        "alt": t("Map of {n:,} tokens. Plus and minus zoom, arrows move, 0 shows all.", n=len(rows)),
        "layer": t("Layer"),
        "play": t("Play"),
        "pause": t("Pause"),
        "between": t("between {a} and {b}", a="{a}", b="{b}"),
        "by": t("Color by"),
        "word": t("word"),
        "sense": t("sense"),
        "part": t("position"),
        "light": t("Highlight word"),
        "parts": [t("beginning"), t("middle"), t("end")],
        "of_word": t("a color per word"),
        "of_sense": t("labeled words by sense; highlight one for its legend"),
        "lit": t("“{word}”: {n} tokens", word="{word}", n="{n}"),
        "apart": t("median distance from center: {apart} of the map width", apart="{apart}"),
        "nearer": t("Zoom in"),
        "farther": t("Zoom out"),
        "whole": t("Show all"),
        "no_webgl": t("Your browser lacks WebGL 2, so only the table is shown."),
    }
    return {
        "names": list(names),
        "short": [layer_name(name) for name in names],
        "titles": [model_layers.in_use().heading(name) for name in names],
        "where": [layer_title(name) for name in names],
        "tints": [layer_color(name) for name in names],
        "at": max(0, len(names) - 2),
        "under": [
            t("one dot per spelling") if np.isnan(value) else t("trustworthiness {value:.2f} (1 perfect, 0.50 random)", value=value)
            for value in maps.trust
        ],
        "places": pack_numbers(maps.places, "<u2"),
        "sense": pack_numbers(sense, "u1"),
        "lemma": pack_numbers(lemma, "<u2"),
        "lemmas": list(table.lemmas),
        "senses": [table.senses_of(lemma) for lemma in table.lemmas],
        "colors": list(SENSE_COLORS),
        "sentences": "\n".join("\t".join(piece.translate(apart) for piece in parts) for parts in sentences),
        "word": word,
        "text": text,
        "key": text_fingerprint([key, repr(names), word, language()])[:16],
    }


def _write_notices(table: OccurrenceTable, maps: TokenMaps, word: str) -> list[str]:
    """State how many tokens there are, and how widely those of the word are spread in the lowest and the highest layer."""
    n, all_of_them = len(maps.rows), len(table)
    values = {"n": n, "all": all_of_them, "sentences": len(np.unique(table.sentence[maps.rows]))}
    lines = [
        t("The map shows {n:,} tokens of {sentences:,} sentences.", **values)
        if n == all_of_them
        else t("The map shows {n:,} of {all:,} tokens, from {sentences:,} random sentences.", **values)
    ]
    spelling = word.casefold()
    is_word = table.word[maps.rows] == table.word_codes.get(spelling, -1)
    if spelling in table.lemmas:  # its other forms, as the browser lights them
        is_word |= (table.lemma[maps.rows] == table.lemmas.index(spelling)) & (table.sense[maps.rows] >= 0)
    if (count := int(is_word.sum())) >= FEWEST:
        names = [name for name in maps.names if name != "mix"]
        spread = word_maps.spreads(maps, is_word, [1])[0]
        values = {"word": shorten(word), "n": count, "below": layer_title(names[0]), "where": layer_title(names[-1])}
        values |= {"low": spread[maps.names.index(names[0])], "high": spread[maps.names.index(names[-1])]}
        lines.append(
            t(
                "“{word}” ({n} tokens): median distance from their center {low:.0%} of the map width in {below}, {high:.0%} in {where}.",
                **values,
            )
        )
    return lines


def _words(table: OccurrenceTable, maps: TokenMaps) -> dict[str, Sequence]:
    """Return a table of the most frequent words: their tokens, and the spread of half of them in every map."""
    words = table.word[maps.rows]
    counts = np.bincount(words, minlength=len(table.words))
    wanted = [int(code) for code in np.argsort(-counts, kind="stable")[:IN_TABLE] if counts[code] >= FEWEST]
    spread = word_maps.spreads(maps, words, wanted)
    columns = {t("word"): [bare(table.words[code]) for code in wanted], t("tokens"): counts[wanted]}
    for k, name in enumerate(maps.names):
        columns[t("median distance, layer {layer}", layer=layer_name(name))] = spread[:, k].round(3)
    return columns
