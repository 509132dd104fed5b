"""The maps and all that follows them, in a fragment: a selection or a click runs nothing else of the page."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import starmap

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.i18n import language, t
from core.common.markup import plain
from core.common.model_layers import SENSES
from core.figures.maps import find_limits, outer_edge
from core.figures.style import MAP_CONFIG, layer_color, layer_title, sense_color
from core.figures.trust import add_links, link_colors, space_figure
from core.live.brush import Brush
from core.live.points import NEUTRAL, Points, map_data, point_named
from core.live.texts import say_kept
from core.senses.trust import Links
from core.text import languages
from core.text.definitions import definitions
from core.views.layouts import PCA, POLES, SOLID, UMAP, Layout, offers_senses, true_neighbors
from core.workspace import Workspace
from pages._cached.views import workspace
from pages._frame.choices import ALL, TOKENS
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._map import every_token, layout, map_view, measures
from pages._widgets import lists
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen
from pages._word import atlas, verdict

GUESS = "4d"  # alpha, behind "#rrggbb", of dots whose sense a model guessed


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The data of the maps, and the point whose true neighbors are drawn."""

    layout: Layout
    lemma: str | None  # whose senses are colored
    senses: list[str]
    placed: Mapping[int, Chosen]  # the reader's sentences, by number
    point: int | None = None
    near: Mapping[str, Links] | None = None  # its true neighbors, by space


@st.fragment
def show(in_use: InUse, result: Layout, lemma: str | None, placed: Mapping[int, Chosen]) -> None:
    """Show the maps, what to notice, the neighbors of the selected point, and the table of dots."""
    with show_errors():  # inside: an error in a fragment does not reach its caller
        _show(in_use, workspace(in_use), result, lemma, placed)


def _show(in_use: InUse, over: Workspace, result: Layout, lemma: str | None, placed: Mapping[int, Chosen]) -> None:
    solid, word = result.plan == SOLID, result.word
    with st.container(key="map_layers"):
        spaces = tuple(dict.fromkeys((*result.names, SENSES) if offers_senses(over, word, result.plan) else result.names))
        usual = SENSES if SENSES in spaces else ""
        view = verdict.choose_layer("view", in_use, spaces=(*spaces, ALL, TOKENS), usual=usual, label_visibility="collapsed")
        if (view == SENSES) != (SENSES in result.names):  # the map, the measures and tables outside this fragment follow
            st.rerun()
        live = not solid and map_view.glides(view, result.names)
    if view == TOKENS:
        every_token.show(in_use, "" if word == ALL_WORDS else word)
        return
    picture = st.container()
    with st.container(key="map_whose"):
        choice, legend = st.columns([2, 3], vertical_alignment="bottom")
        with choice:
            name = map_view.choose_point(placed, result.occurrences)
    contexts, point, near = [item.in_context for item in placed.values()], point_named(name, result.rows, placed), None
    if point is not None:
        near = dict(zip(result.names, true_neighbors(over, result, contexts, [point])[0], strict=True))
    shown = Shown(result, lemma, result.senses_of(lemma), placed, point, near)
    state = map_view.brush((over.names, word))
    some = [name for name in result.names if name in model_layers.in_use().some]
    names = [view] if view in result.names else ["mix"] if solid else some
    with picture:
        if live:
            _live(over, shown, view, name, state, spaces)
        else:
            _multiples(shown, names, state)
    if not live:
        if near:
            with legend:
                show_html('<div class="chips">{}</div>', starmap(lists.chip_of, link_colors().items()))
        if not solid:
            map_view.listen(lambda row: map_view.toggle_point(row, placed))
    notice(measures.write_notices(word, result.reports, result.static, names[0] if len(names) == 1 else ""))
    lists.meanings(shown.senses, lemma or "")
    st.caption(" ".join([*measures.write_guesses(result), *_cautions(result, names)]), help=None if solid else _hands(live))
    if near and not live:  # where it is live, the list is next to the map
        space = names[0] if len(names) == 1 else "mix"
        sentences = [*(o.sentence for o in result.occurrences), *(item.readable for item in placed.values())]
        title = t("**Nearest in {where}** to “{sentence}”", where=layer_title(space), sentence=plain(sentences[point], 120))
        with st.expander(t("True neighbors"), icon=":material/hub:", key="map.near"):
            map_view.show_neighbors(result.occurrences, near[space], f"map.near.{name}.{space}", title)
    with st.container() if state.picked else st.expander(t("All sentences"), icon=":material/list:", key="map.dots"):
        map_view.show_table(result.occurrences, state)


def _hands(live: bool) -> str:
    """Return a help text on mouse and keys."""
    if live:
        return t(
            "Click a dot for its true neighbors; draw around dots or click a sense to select. Space: play. Arrows: layer. "
            "Ctrl+wheel: zoom. Shift+drag: move."
        )
    return t("Click a dot for its true neighbors; drag a box or lasso to select on all maps. Ctrl+wheel: zoom. Double click: reset.")


def _multiples(shown: Shown, names: list[str], state: Brush) -> None:
    """Draw one map, or a map of each space side by side, with Streamlit."""
    alone = len(names) == 1
    for place, space in zip(map_view.side_by_side(names), names, strict=False):
        with place:
            notes = list(filter(None, [_share(shown.layout, space), say_kept(*shown.near[space].as_counts) if shown.near else ""]))
            if notes or not alone:  # alone, the layer stands above
                lists.heading(model_layers.in_use().heading(space), layer_color(space), " · ".join(notes))
            if shown.layout.plan == SOLID:
                _solid(shown, space)
            else:
                _flat(shown, space, state, alone=alone)


def _live(over: Workspace, shown: Shown, view: str, name: str, state: Brush, spaces: Sequence[str]) -> None:
    """Mount the map widget, and record the visible map for the exports."""
    result = shown.layout
    key = result, shown.lemma, tuple(shown.placed.items()), language()
    data = over.opener.memo.value("map sent", key, lambda: _data(over, shown), most=24)
    offered = SENSES in spaces and SENSES not in result.names
    map_view.live(data | {"text": data["text"] | {"senses": t("sense space") if offered else ""}}, spaces, result.rows)
    further = {shown.point: [*shown.near.values()]} if shown.near and str(shown.point) not in data["links"] else {}
    map_view.set_view(data, view, name, state.picked, further)
    figure, alt = _picture(shown, view, state.picked, find_limits(result.coordinates, result.stars), alone=True)
    note(figure, key="map", alt=alt)


def _data(over: Workspace, shown: Shown) -> dict:
    """Return the data of the widget."""
    result, lemma, senses, placed = shown.layout, shown.lemma, shown.senses, shown.placed
    word, n, contexts = result.word, len(result.rows), [item.in_context for item in placed.values()]
    groups = np.array([senses.index(o.sense) + 1 if o.lemma == lemma and o.sense else 0 for o in result.occurrences])
    for k, o in enumerate(result.occurrences):  # a sense's guesses are a faint group behind all senses
        if o.guess and o.lemma == lemma:
            groups[k] = len(senses) + senses.index(o.guess) + 1
    linked = [*(range(n) if n <= map_view.MOST_LINKED else ()), *range(n, n + len(placed))]
    named = [] if word == ALL_WORDS else [k for k in range(1, len(senses) + 1) if (groups == k).any()]
    points = Points(
        names=result.names,
        coordinates=result.coordinates,
        stars=result.stars,
        chosen=placed,
        occurrences=result.occurrences,
        groups=[groups.tolist()],
        axes=tuple(map(unescape, axes)) if (axes := layout.titles(result)) else None,
        colors=[NEUTRAL, *(sense_color(k) for k in range(len(senses))), *(f"{sense_color(k)}{GUESS}" for k in range(len(senses)))],
        chips=[(sense, k + 1, k) for k, sense in enumerate(senses)],
        shapes=(np.maximum(groups - 1, 0) % max(1, len(senses))).tolist(),
        notes=[atlas.sense_note(o) for o in result.occurrences],
        links=true_neighbors(over, result, contexts, linked),
        labels=[(senses[k - 1], k, np.array([outer_edge(flat[groups == k], flat) for flat in result.coordinates])) for k in named],
        under=[_share(result, space) for space in result.names],
        told=definitions(languages.in_use(), lemma or ""),
    )
    alt = t(
        "Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", n=n, word=word, where="{where}", stars=len(placed)
    )
    return map_data(points, title=t("Map of “{word}”", word=word), alt=alt)


def _share(result: Layout, space: str) -> str:
    """State the share of the variance in a plane, or return "" for UMAP."""
    views = result.views
    return t("{share:.0%} of variance", share=views[result.names.index(space)].plane.together) if views else ""


def _picture(shown: Shown, space: str, picked: Collection[int], limits: tuple[float, ...], *, alone: bool) -> tuple[go.Figure, str]:
    """Return the map of a space, and its description."""
    result, places = shown.layout, shown.layout.places(space)
    key, stars = f"map.{result.word}.{result.plan}.{space}", atlas.stars(shown.placed, result.names, result.stars)
    values = {"n": len(result.rows), "word": result.word, "where": layer_title(space)}
    if result.plan == SOLID:
        labels = [o.sense if o.lemma == shown.lemma else None for o in result.occurrences]
        cards = [atlas.card(o) for o in result.occurrences]
        figure = space_figure(places[: len(cards)], labels, cards, shown.senses, stars=stars, layer=space, key=key)
    else:
        figure = atlas.word_map(
            result.occurrences,
            places[: len(result.rows)],
            shown.senses,
            shown.lemma,
            layer=space,
            stars=stars,
            key=key,
            limits=limits,
            height=480 if alone else 340,
            name_senses=space != result.names[0] and result.word != ALL_WORDS,
            picked=picked,
            titles=layout.titles(result),
        )
    if shown.near is None:
        return figure, t("Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", **values, stars=len(stars))
    near = shown.near[space]
    message = t(
        "Map of {n} sentences with “{word}”, {where}, colored by sense, with lines from one: {counted}.",
        **values,
        counted=say_kept(*near.as_counts),
    )
    return add_links(figure, places[shown.point], places[near.rows], near.near), message


def _flat(shown: Shown, space: str, state: Brush, *, alone: bool) -> None:
    result = shown.layout
    key = f"map.{result.word}.{result.plan}.{space}"
    stars = result.stars[result.names.index(space)].tolist()
    picked, limits = state.figure_of(
        key, (shown.point, *result.ends, alone, repr((shown.placed, stars))), find_limits(result.coordinates, result.stars)
    )
    figure, alt = _picture(shown, space, picked, limits, alone=alone)
    figure.update_layout(meta={"map": key, "turn": state.turns.get(key, 0)})
    draw(figure, key=key, alt=alt, config=MAP_CONFIG, on_select=lambda: map_view.brushed(key), selection_mode=("points", "box", "lasso"))


def _solid(shown: Shown, space: str) -> None:
    figure, alt = _picture(shown, space, (), (), alone=True)
    draw(figure, key="map.3d", alt=alt, config=MAP_CONFIG)
    lists.legend(shown.senses, word=shown.lemma or "")
    st.caption(t("Drag to rotate, scroll to zoom. “All layers” shows the layer mix."))


def _cautions(result: Layout, names: list[str]) -> list[str]:
    """Return sentences on what the map does not show."""
    if result.plan == UMAP:
        return [layout.limit_of_umap()]
    planes = {name: result.views[result.names.index(name)].plane for name in names if name != "0" or len(names) == 1}
    name = max(planes, key=lambda name: planes[name].together)
    values = {"share": planes[name].together, "where": layer_title(name)}
    if result.plan == PCA:
        return [layout.limit_of_plane(**values)]
    if result.plan == POLES:
        first = float(planes[name].shares[0])
        return [
            t("The first axis shows {first:.0%} of the variance in {where}, both {share:.0%}.", first=first, **values),
            t("A sentence at an end of an axis does not count toward that end."),
        ]
    return [t("3D shows {share:.0%} of the variance in {where}.", **values)]
