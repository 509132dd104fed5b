"""The maps over every token: of a word without labels, colored by the nearer of the user's sentences, and of all tokens (tokens.js).

The places of all tokens come from core.analysis.word_maps. A job computes them once and stores them on disk. The browser receives integers.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis import axes, word_maps
from core.analysis.aligned_umap import FrozenMaps
from core.analysis.random_pairs import random_level
from core.common import model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import language, t, tn
from core.common.markup import html, shorten
from core.common.model_layers import SENSES
from core.figures.maps import MapLook, find_limits
from core.figures.spaces import GROUPS, SIDES, lean_map, words_with_room
from core.figures.style import SENSE_COLORS, layer_color, layer_title, mark, sense_color
from core.files.artifacts import text_fingerprint
from core.files.quotas import may_store
from core.index.rows import Occurrence
from core.index.table import OccurrenceTable
from core.live.texts import map_texts
from core.live.widgets import NEUTRAL, Points, map_data, pack_numbers
from core.senses import clusters
from core.text.tokens import bare, pieces
from core.views.neighbors import BETWEEN, UMAP, Around, AroundRequest, compute_around
from core.workspace import Workspace, table_key
from pages._cached import cache, shared_jobs
from pages._cached.cache import view_when_read, workspace
from pages._frame.choices import ALL, TOKENS, layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.jobs import Job
from pages._frame.markup import fragment, plain, show_html
from pages._frame.parameters import read_parameter
from pages._map import map_view, measures
from pages._widgets import charts, components, lists, verdict
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen

NEITHER = "#6b7280"
IN_TABLE, FEWEST = 300, 8  # the most frequent words of the data table, and how often a word must occur to be in it
MOVING = 32_768  # dots up to which the browser draws all of them even while they move; the same in tokens.js
_tokens_widget = components.make_component("tokens", Path(__file__).parent, "live")
JOB = "map of every token"


@fragment
def show(in_use: InUse, over: Workspace, word: str, chosen: tuple[Chosen, ...], plan: str) -> None:
    """Show the maps, what to notice and the data table. `chosen` are the visible sentences; every token of `over` is encoded."""
    with st.container(key="map_layers"):
        spaces = model_layers.in_use().spaces
        wants_senses = SENSES in (st.session_state.get("view"), read_parameter("view"))  # in the link, too
        seen = verdict.choose_layer("view", in_use, spaces=(*spaces, ALL, TOKENS), label_visibility="collapsed")
        live = map_view.glides(seen, spaces)
    if seen == TOKENS:
        show_all_tokens(in_use, word)
        return
    with st.spinner(t("Drawing the map…")):
        request = AroundRequest(word=word, contexts=tuple(item.in_context for item in chosen), plan=plan)
        result = view_when_read(compute_around, over, request, most=16)
    if not len(result.points) and not chosen:
        message = t("“{word}” does not occur in your corpus. Type it into a sentence, or choose another word.", word=plain(result.label))
        st.info(message, icon=":material/search_off:")
        return
    table = over.every_token
    occurrences = [table.occurrence(int(row)) for row in result.points.rows]
    if live:
        _live(over, result, occurrences, chosen)
    else:
        _multiples(result, occurrences, chosen, [seen] if seen in spaces else list(model_layers.in_use().some))
    layer = seen if seen in spaces else model_layers.in_use().top
    unknown = lists.unknown(over.vectors, [result.label])
    no_senses = t("“{word}” has no labeled senses, so no sense space.", word=result.label)
    absent = [t("“{word}” does not occur in your corpus.", word=shorten(name)) for name in result.absent]
    notice([*absent, *([no_senses] if wants_senses else []), *_write_notices(over, result, layer), *unknown])
    st.caption(_describe(result, layer))
    label = t("Table of {n} points", n=len(result.points))
    lists.offer_table(result.table(), name=f"around-{result.label}", label=label, key="around.points")


def _multiples(result: Around, occurrences: list[Occurrence], chosen: tuple[Chosen, ...], names: list[str]) -> None:
    """Draw one map, or a map of each space side by side, with Streamlit."""
    if chips := _chips(result, names):
        show_html('<div class="chips">{}</div>', [lists.chip_of(name, color) for name, color, _ in chips])
    for place, name in zip(map_view.side_by_side(names), names, strict=False):
        with place:
            if len(names) > 1:
                lists.heading(model_layers.in_use().heading(name), layer_color(name))
            figure, alt = _picture(result, occurrences, chosen, name, is_single=len(names) == 1)
            draw(figure, key=f"around.map.{name}", alt=alt)


def _picture(
    result: Around, occurrences: list[Occurrence], chosen: tuple[Chosen, ...], name: str, *, is_single: bool
) -> tuple[go.Figure, str]:
    limits = None if is_single else find_limits(result.coordinates, result.stars)
    size = {"width": 560, "height": 470} if is_single else {"width": 340, "height": 340, "limits": limits}
    cards = [mark(o.tokens, o.position) for o in occurrences]
    for k in range(result.points.occurrences, len(cards)):  # spellings
        cards[k] = html("<b>{}</b>, {}<br>{}", result.labels[k], _mean_of(result.points.counts[k]), cards[k])
    stars = charts.stars(dict(enumerate(chosen, 1)), result.spaces, result.stars)
    look = MapLook(layer=name, key=f"around.{result.word}.{result.plan}.{name}", stars=stars, titles=_titles(result), **size)
    return lean_map(result, list(result.labels), cards, look), _alt(result, layer_title(name))


def _chips(result: Around, names: Sequence[str]) -> list[tuple[str, str, int]]:
    if result.has_sides:
        sides = tuple(zip(map_view.side_names(), (SIDES[1], SIDES[2], NEITHER), (1, 2, 0), strict=True))
        visible = {int(k) for name in names for k in result.groups[result.at(name)]}
        return [side for side in sides if side[2] in visible]
    called = [" · ".join(words) or t("group {number}", number=k) for k, words in enumerate(result.telling, 1)]
    return [(name, sense_color(k), k + 1) for k, name in enumerate(called)]


def _titles(result: Around) -> tuple[str, str] | None:
    return (t("← second sentence · first sentence →"), t("remaining variance")) if result.plan == BETWEEN else None


def _alt(result: Around, where: str) -> str:
    values = {"n": len(result.points), "word": result.label, "where": where, "stars": result.stars.shape[1]}
    return t("Map of “{word}” in {where}: {n} words and sentences, {stars} stars.", **values)


def _live(over: Workspace, result: Around, occurrences: list[Occurrence], chosen: tuple[Chosen, ...]) -> None:
    """Mount the map widget, and record the visible map for the exports."""
    layer = st.session_state["view"]
    with st.container(key="map_whose"):
        name = map_view.choose_point(dict(enumerate(chosen, 1)), occurrences)
    state = map_view.brush(("around", over.names, result.word))
    data = over.opener.memo.value("around sent", (result, chosen, language()), lambda: _data(result, occurrences, chosen), most=16)
    map_view.live(data, result.spaces, result.points.rows, view=layer, dot=name, picked=state.picked)
    figure, alt = _picture(result, occurrences, chosen, layer, is_single=True)
    note(figure, key="around.map", alt=alt)
    if state.picked:
        map_view.show_table(occurrences, state)


def _data(result: Around, occurrences: list[Occurrence], chosen: tuple[Chosen, ...]) -> dict:
    points = result.points
    n_occurrences = result.points.occurrences
    limits = find_limits(result.coordinates, result.stars)
    stars = charts.stars(dict(enumerate(chosen, 1)), result.spaces, result.stars)
    look = MapLook(layer="", key="", stars=stars, limits=limits, width=560, height=470)
    spaces = zip(result.spaces, result.coordinates, result.groups, result.strength, strict=True)
    shown_points = Points(
        names=result.spaces,
        coordinates=result.coordinates,
        stars=result.stars,
        chosen=dict(enumerate(chosen, 1)),
        occurrences=occurrences,
        groups=result.groups.tolist(),
        colors=[NEUTRAL, *GROUPS[1:]],
        chips=[(label, group, 0) for label, _, group in _chips(result, result.spaces)],
        shapes=[int(k < n_occurrences) for k in range(len(points))],
        notes=["" if k < n_occurrences else _mean_of(count) for k, count in enumerate(points.counts)],
        links=result.links,
        axes=_titles(result),
        words=[
            sorted(words_with_room(flat, list(result.labels), groups, strengths, n_occurrences, replace(look, layer=name)))
            for name, flat, groups, strengths in spaces
        ],
        under=[t("{share:.0%} of variance", share=share) for share in result.shares],
    )
    return map_data(shown_points, title=t("Map of “{word}”", word=result.label), alt=_alt(result, "{where}"))


def _mean_of(count: int) -> str:
    return t("one sentence") if count == 1 else t("mean of {n}", n=count)


def _write_notices(over: Workspace, result: Around, layer: str) -> list[str]:
    points = result.points
    cosines = result.cosines[result.at(layer)]
    if len(cosines) == 2:
        words = slice(points.occurrences, None)
        level = random_level(over, layer)
        random = None if level is None else level.mean
        return measures.describe_leans(list(result.labels[words]), cosines[:, words], layer, result.between[result.at(layer)], random)
    if len(cosines) == 1:
        return [t("Add a second sentence to compare the two.")]
    sizes = Counter(result.groups[result.at(layer)].tolist())
    enough = points.occurrences >= clusters.FEWEST
    groups = [(name, sizes[k]) for name, _, k in _chips(result, [layer])] if enough else None
    return measures.describe_occurrences(result.label, points.occurrences, result.total, groups, model_layers.in_use().top)


def _describe(result: Around, layer: str) -> str:
    n = len(result.points)
    n_occurrences = result.points.occurrences
    where = layer_title(model_layers.in_use().top)
    words = tn("{n} nearest word in {where} (dot: its mean)", "{n} nearest words in {where} (dots: means)", n - n_occurrences, where=where)
    with_word = tn("{n} occurrence (diamond)", "{n} occurrences (diamonds)", n_occurrences)
    if not n:
        contents = t("only your sentences")
    elif n > n_occurrences > 0:
        contents = t("{sentences} and {words}", sentences=with_word, words=words)
    else:
        contents = with_word if n_occurrences else words
    limit = measures.limit_of_plane(result.shares[result.at(layer)], layer_title(layer)) if result.shares else ""
    limit = measures.limit_of_umap() if result.plan == UMAP else limit
    if result.has_sides:
        limit += " " + t("Colors compare full vectors (cosine difference at least {close}).", close=axes.CLOSE)
    return t("Drawn: {drawn}. {shown}", drawn=contents, shown=limit).rstrip()


def show_all_tokens(in_use: InUse, word: str) -> None:
    """Show the map of all tokens with `word` highlighted, what to notice, and a table of words.

    While a job computes it, show the progress.
    """
    over, word = workspace(in_use), bare(word)
    if (table := cache.wait_for_tokens(over)) is None:
        cache.show_reading(over)
        return
    names = model_layers.in_use().some
    file = word_maps.file_of(table, names)
    key = table_key(table)
    rows = over.opener.memo.value("tokens on the map", key, lambda: word_maps.sentence_rows(table, word_maps.MOST), most=4)

    def work(job: Job) -> FrozenMaps:
        with suppress(ElmoscopeError):
            return FrozenMaps.load(file)
        maps = word_maps.token_maps(table, rows, names, job.report)
        if may_store(maps.coordinates.nbytes):
            file.parent.mkdir(parents=True, exist_ok=True)
            maps.save(file)
        return maps

    options = {"failed": t("The map could not be drawn."), "most": 2, "widget": "map.tokens", "again": t("Draw the map")}
    if (maps := shared_jobs.result_or_progress(JOB, (over.names.corpus, file), work, _progress, **options)) is None:
        return
    lit = word[:40]
    memo = over.opener.memo
    data = memo.value("tokens sent", (key, names, lit, language()), lambda: _token_data(table, rows, maps, lit, key), most=4)
    _tokens_widget(key="map.tokens", data=data)
    notice(_describe_tokens(table, rows, maps, word))
    values = {"laid_out": maps.provenance["points"], "k": word_maps.NEIGHBORS_TO_PLACE}
    message = t(
        "UMAP placed {laid_out:,} random tokens, the rest near their {k} nearest; distances between far dots mean little.", **values
    )
    if len(rows) > MOVING:
        message = f"{message} {t('While moving, only a random part is drawn.')}"
    st.caption(message, help=t("Hover: sentence. Click: highlight its word. Ctrl+wheel: zoom. Drag: move. Keys: +, − and arrows."))
    words = memo.value("tokens table", (key, names, language()), lambda: _tabulate_words(table, rows, maps), most=4)
    lists.offer_table(words, name="all-tokens", label=t("Table of frequent words"), key="map.tokens.table")


def _progress(job: Job, left: str) -> str:
    if not job.done:
        return t("Placing {n:,} tokens, once: about 30 s on a free core.", n=word_maps.LAID_OUT)
    return t("Placed {done:,} of {total:,} tokens, {left} left.", done=job.done, total=job.total, left=left)


def _token_data(table: OccurrenceTable, rows: np.ndarray, maps: FrozenMaps, word: str, key: str) -> dict:
    """Return the data of the widget, with all its texts in the language of the interface. Braces mark values that it fills in."""
    names = maps.names
    lemma, sense = word_maps.sense_numbers(table, rows)
    first = rows[np.r_[True, np.diff(table.sentence[rows]) != 0]]
    sentences = [pieces(table.sentences[int(table.sentence[row])].as_py()) for row in first]
    apart = str.maketrans("\t\n", "  ")  # tabs and line ends separate the words that are sent
    text = map_texts() | {
        "title": t("Map of all tokens"),
        "alt": t("Map of {n:,} tokens. Plus and minus zoom, arrows move, 0 shows all.", n=len(rows)),
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
        "no_webgl": t("Your browser lacks WebGL 2, so only the table is shown."),
    }
    under = [t("trustworthiness {value:.2f} (1 perfect, 0.50 random)", value=value) for value in maps.trustworthiness]
    return {
        "names": list(names),
        "short": list(map(layer_name, names)),
        "titles": list(map(model_layers.in_use().heading, names)),
        "where": list(map(layer_title, names)),
        "tints": list(map(layer_color, names)),
        "at": max(0, len(names) - 2),
        "under": [t("one dot per spelling") if np.isnan(v) else text for v, text in zip(maps.trustworthiness, under, strict=True)],
        "places": pack_numbers(np.round((maps.coordinates + 1) / 2 * 65_535), "<u2"),
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


def _describe_tokens(table: OccurrenceTable, rows: np.ndarray, maps: FrozenMaps, word: str) -> list[str]:
    """State how many tokens there are, and how widely those of the word are spread in the lowest and the highest layer."""
    n, all_of_them = len(rows), len(table)
    values = {"n": n, "all": all_of_them, "sentences": len(np.unique(table.sentence[rows]))}
    lines = [t("The map shows {n:,} tokens of {sentences:,} sentences.", **values)]
    if n < all_of_them:
        lines = [t("The map shows {n:,} of {all:,} tokens, from {sentences:,} random sentences.", **values)]
    spelling = word.casefold()
    is_word = table.spelled(spelling)[rows]
    if spelling in table.lemmas:  # its other forms, as the browser lights them
        is_word |= (table.lemma[rows] == table.lemmas.index(spelling)) & (table.sense[rows] >= 0)
    if (count := int(is_word.sum())) >= FEWEST:
        names = [name for name in maps.names if name != "mix"]
        spread = word_maps.spreads(maps, is_word, [1])[0]
        line = t(
            "“{word}” ({n} tokens): median distance from their center {low:.0%} of the map width in {below}, {high:.0%} in {where}.",
            word=shorten(word),
            n=count,
            low=spread[maps.names.index(names[0])],
            below=layer_title(names[0]),
            high=spread[maps.names.index(names[-1])],
            where=layer_title(names[-1]),
        )
        lines.append(line)
    return lines


def _tabulate_words(table: OccurrenceTable, rows: np.ndarray, maps: FrozenMaps) -> dict[str, Sequence]:
    """Return a table of the most frequent words: their tokens, and the spread of half of them in every map."""
    words = table.word[rows]
    counts = np.bincount(words, minlength=len(table.words))
    wanted = [int(code) for code in np.argsort(-counts, kind="stable")[:IN_TABLE] if counts[code] >= FEWEST]
    spread = word_maps.spreads(maps, words, wanted)
    columns = {t("word"): [bare(table.words[code]) for code in wanted], t("tokens"): counts[wanted]}
    for k, name in enumerate(maps.names):
        columns[t("median distance, layer {layer}", layer=layer_name(name))] = spread[:, k].round(3)
    return columns
