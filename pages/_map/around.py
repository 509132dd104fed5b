"""The map of a word without labels: its occurrences and the nearest words of both sentences, colored by the nearer sentence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from core.analysis import axes
from core.analysis.anisotropy import random_level
from core.common import model_layers
from core.common.i18n import language, t, tn
from core.common.markup import html, shorten
from core.common.model_layers import SENSES
from core.figures.maps import MapLook, find_limits
from core.figures.spaces import GROUPS, SIDES, lean_map, words_with_room
from core.figures.style import layer_color, layer_title, mark, sense_color
from core.index.rows import Occurrence
from core.live.widgets import NEUTRAL, Points, map_data
from core.senses import clusters
from core.views.neighbors import BETWEEN, SPREAD, UMAP, Around, AroundRequest, compute_around
from core.workspace import Workspace
from pages._cached.cache import view_when_read
from pages._frame.choices import ALL, TOKENS, choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html
from pages._frame.parameters import read_parameter
from pages._map import every_token, map_view, measures
from pages._widgets import charts, lists, verdict
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen

NEITHER = "#6b7280"


def choose_plan(n_stars: int) -> str:
    """Draw the choice of a layout. An axis between two sentences needs two sentences."""
    titles = {SPREAD: t("PCA"), UMAP: t("UMAP")} | ({BETWEEN: t("Between your sentences")} if n_stars == 2 else {})
    message = t("PCA shows the most variance; UMAP keeps near points near; “between” runs from star to star.")
    return choice("around", t("Layout"), titles, SPREAD, help=message)


@st.fragment
def show(in_use: InUse, over: Workspace, word: str, chosen: tuple[Chosen, ...], plan: str) -> None:
    """Show the maps, what to notice and the data table. `chosen` are the visible sentences; every token of `over` is encoded."""
    with st.container(key="map_layers"):
        spaces = model_layers.in_use().spaces
        wants_senses = SENSES in (st.session_state.get("view"), read_parameter("view"))  # a link's, which the control below drops
        seen = verdict.choose_layer("view", in_use, spaces=(*spaces, ALL, TOKENS), label_visibility="collapsed")
        live = map_view.glides(seen, spaces)
    if seen == TOKENS:
        every_token.show(in_use, word)
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
    size = (
        {"width": 560, "height": 470}
        if is_single
        else {"width": 340, "height": 340, "limits": find_limits(result.coordinates, result.stars)}
    )
    stars, key = charts.stars(dict(enumerate(chosen, 1)), result.spaces, result.stars), f"around.{result.word}.{result.plan}.{name}"
    look = MapLook(layer=name, key=key, stars=stars, titles=_titles(result), **size)
    return lean_map(result, list(result.labels), _cards(result, occurrences), look), _alt(result, layer_title(name))


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
    points, n_occurrences = result.points, result.points.occurrences
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
    points, cosines = result.points, result.cosines[result.at(layer)]
    if len(cosines) == 2:
        words = slice(points.occurrences, None)
        level = random_level(over, layer)
        return measures.describe_leans(
            list(result.labels[words]), cosines[:, words], layer, result.between[result.at(layer)], None if level is None else level.mean
        )
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
    contents = with_word if n_occurrences else words if n else t("only your sentences")
    if n > n_occurrences > 0:
        contents = t("{sentences} and {words}", sentences=with_word, words=words)
    limit = measures.limit_of_plane(result.shares[result.at(layer)], layer_title(layer)) if result.shares else ""
    limit = measures.limit_of_umap() if result.plan == UMAP else limit
    if result.has_sides:
        limit += " " + t("Colors compare full vectors (cosine difference at least {close}).", close=axes.CLOSE)
    return t("Drawn: {drawn}. {shown}", drawn=contents, shown=limit).rstrip()


def _cards(result: Around, occurrences: list[Occurrence]) -> list[str]:
    """Return tooltips: the word, its frequency in the corpus, and a sentence."""
    cards = []
    for k, (o, word, count) in enumerate(zip(occurrences, result.labels, result.points.counts, strict=True)):
        sentence = mark(o.tokens, o.position)
        cards.append(sentence if k < result.points.occurrences else html("<b>{}</b>, {}<br>{}", word, _mean_of(count), sentence))
    return cards
