"""The maps and all that follows them, in a fragment, so that a selection or a click runs nothing else of the page."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis.word_maps import ALL_WORDS, Links
from core.common import model_layers
from core.common.i18n import language, t
from core.common.markup import plain
from core.common.model_layers import SENSES
from core.figures.maps import ELSEWHERE, KEPT, MapLook, add_links, card, find_limits, outer_edge, sense_note, space_figure, word_map
from core.figures.style import MAP_CONFIG, layer_color, layer_title, sense_color
from core.live.texts import say_kept
from core.live.widgets import NEUTRAL, Brush, Points, map_data, point_named
from core.text import languages
from core.text.corpora import definitions
from core.views.layouts import PCA, POLES, SOLID, UMAP, Layout, offers_senses, true_neighbors
from core.workspace import Workspace
from pages._cached.cache import workspace
from pages._frame.choices import ALL, TOKENS
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, show_html
from pages._map import around, map_view, measures
from pages._widgets import charts, lists, verdict
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen

GUESS = "4d"  # alpha, behind "#rrggbb", of dots whose sense a model guessed


@dataclass(frozen=True, slots=True, eq=False)
class MapContent:
    """The data of the maps, and the point whose true neighbors are drawn."""

    layout: Layout
    lemma: str | None  # the word whose senses are colored
    senses: list[str]
    chosen: Mapping[int, Chosen]  # the user's sentences by number
    point: int | None = None
    links: Mapping[str, Links] | None = None  # its true neighbors, by space


@fragment
def show(in_use: InUse, result: Layout, lemma: str | None, chosen: Mapping[int, Chosen]) -> None:
    over = workspace(in_use)
    solid = result.plan == SOLID
    word = result.word
    with st.container(key="map_layers"):
        spaces = tuple(dict.fromkeys((*result.names, SENSES) if offers_senses(over, word, result.plan) else result.names))
        usual = SENSES if SENSES in spaces else ""
        view = verdict.choose_layer("view", in_use, spaces=(*spaces, ALL, TOKENS), usual=usual, label_visibility="collapsed")
        if (view == SENSES) != (SENSES in result.names):  # the map, the measures and tables outside this fragment follow
            st.rerun()
        live = not solid and map_view.glides(view, result.names)
    if view == TOKENS:
        around.show_all_tokens(in_use, "" if word == ALL_WORDS else word)
        return
    picture = st.container()
    with st.container(key="map_whose"):
        choice, legend = st.columns([2, 3], vertical_alignment="bottom")
        with choice:
            name = map_view.choose_point(chosen, result.occurrences)
    contexts = [item.in_context for item in chosen.values()]
    point = point_named(name, result.rows, chosen)
    links = None
    if point is not None:
        links = dict(zip(result.names, true_neighbors(over, result, contexts, [point])[0], strict=True))
    content = MapContent(result, lemma, result.senses_of(lemma), chosen, point, links)
    state = map_view.brush((over.names, word))
    if view in result.names:
        names = [view]
    else:
        names = ["mix"] if solid else [space for space in result.names if space in model_layers.in_use().some]
    with picture:
        if live:
            _live(over, content, view, name, state, spaces)
        else:
            _multiples(content, names, state)
    if not live:
        if links:
            with legend:
                chips = lists.chip_of(t("near on the map"), KEPT), lists.chip_of(t("not near"), ELSEWHERE)
                show_html('<div class="chips">{}</div>', chips)
        if not solid:
            map_view.listen(lambda row: map_view.toggle_point(row, chosen))
    notice(measures.write_notices(word, result.reports, result.static, names[0] if len(names) == 1 else ""))
    lists.meanings(content.senses, lemma or "")
    gestures = t("Click a dot for its true neighbors; drag a box or lasso to select on all maps. Ctrl+wheel: zoom. Double click: reset.")
    if live:
        gestures = t(
            "Click a dot: neighbors. Draw around dots or click a sense: select. Space: play. Arrows: layer. Ctrl+wheel: zoom. Shift+drag: move."
        )
    cautions = _describe_limits(result, names)
    n_labels = len(result.occurrences) - result.guessed
    if result.guessed:
        cautions.insert(0, t("Faint dots, guessed from {given} labels, not measured: {n}.", given=n_labels, n=result.guessed))
    st.caption(" ".join(cautions), help=None if solid else gestures)
    if links and not live:  # where it is live, the list is next to the map
        space = names[0] if len(names) == 1 else "mix"
        sentences = [*(o.sentence for o in result.occurrences), *(item.readable for item in chosen.values())]
        title = t("**Nearest in {where}** to “{sentence}”", where=layer_title(space), sentence=plain(sentences[point], 120))
        with st.expander(t("True neighbors"), icon=":material/hub:", key="map.near"):
            map_view.show_neighbors(result.occurrences, links[space], f"map.near.{name}.{space}", title)
    with st.container() if state.picked else st.expander(t("All sentences"), icon=":material/list:", key="map.dots"):
        map_view.show_table(result.occurrences, state)


def _multiples(content: MapContent, names: list[str], state: Brush) -> None:
    """Draw one map, or a map of each space side by side, with Streamlit."""
    is_single = len(names) == 1
    for place, space in zip(map_view.side_by_side(names), names, strict=False):
        with place:
            notes = list(filter(None, [_share(content.layout, space), say_kept(*content.links[space].as_counts) if content.links else ""]))
            if notes or not is_single:  # a single map has its layer above it
                lists.heading(model_layers.in_use().heading(space), layer_color(space), " · ".join(notes))
            if content.layout.plan == SOLID:
                figure, alt = _picture(content, space, (), (), is_single=True)
                draw(figure, key="map.3d", alt=alt, config=MAP_CONFIG)
                lists.legend(content.senses, word=content.lemma or "")
                st.caption(t("Drag to rotate, scroll to zoom. “All layers” shows the layer mix."))
            else:
                _draw_flat(content, space, state, is_single=is_single)


def _live(over: Workspace, content: MapContent, view: str, name: str, state: Brush, spaces: Sequence[str]) -> None:
    """Mount the map widget, and record the visible map for the exports."""
    result = content.layout
    key = result, content.lemma, tuple(content.chosen.items()), language()
    data = over.opener.memo.value("map sent", key, lambda: _data(over, content), most=24)
    offered = SENSES in spaces and SENSES not in result.names
    further = {content.point: [*content.links.values()]} if content.links and str(content.point) not in data["links"] else {}
    text = data["text"] | {"senses": t("sense space") if offered else ""}
    map_view.live(data | {"text": text}, spaces, result.rows, further, view=view, dot=name, picked=state.picked)
    figure, alt = _picture(content, view, state.picked, find_limits(result.coordinates, result.stars), is_single=True)
    note(figure, key="map", alt=alt)


def _data(over: Workspace, content: MapContent) -> dict:
    result, lemma, senses, chosen = content.layout, content.lemma, content.senses, content.chosen
    word = result.word
    n = len(result.rows)
    contexts = [item.in_context for item in chosen.values()]
    groups = np.array([senses.index(o.sense) + 1 if o.lemma == lemma and o.sense else 0 for o in result.occurrences])
    for k, o in enumerate(result.occurrences):  # a sense's guesses are a faint group behind all senses
        if o.guess and o.lemma == lemma:
            groups[k] = len(senses) + senses.index(o.guess) + 1
    linked = [*(range(n) if n <= map_view.MOST_LINKED else ()), *range(n, n + len(chosen))]
    named = [] if word == ALL_WORDS else [k for k in range(1, len(senses) + 1) if (groups == k).any()]
    points = Points(
        names=result.names,
        coordinates=result.coordinates,
        stars=result.stars,
        chosen=chosen,
        occurrences=result.occurrences,
        groups=[groups.tolist()],
        axes=tuple(map(unescape, axes)) if (axes := measures.axis_titles(result)) else None,
        colors=[NEUTRAL, *(sense_color(k) for k in range(len(senses))), *(f"{sense_color(k)}{GUESS}" for k in range(len(senses)))],
        chips=[(sense, k + 1, k) for k, sense in enumerate(senses)],
        shapes=(np.maximum(groups - 1, 0) % max(1, len(senses))).tolist(),
        notes=[sense_note(o) for o in result.occurrences],
        links=true_neighbors(over, result, contexts, linked),
        labels=[(senses[k - 1], k, np.array([outer_edge(flat[groups == k], flat) for flat in result.coordinates])) for k in named],
        under=[_share(result, space) for space in result.names],
        meanings=definitions(languages.in_use(), lemma or ""),
    )
    alt = t(
        "Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", n=n, word=word, where="{where}", stars=len(chosen)
    )
    return map_data(points, title=t("Map of “{word}”", word=word), alt=alt)


def _share(result: Layout, space: str) -> str:
    """State the share of the variance in a plane, or return "" for UMAP."""
    views = result.views
    return t("{share:.0%} of variance", share=views[result.names.index(space)].plane.together) if views else ""


def _picture(
    content: MapContent, space: str, picked: Collection[int], limits: tuple[float, ...], *, is_single: bool
) -> tuple[go.Figure, str]:
    result = content.layout
    places = content.layout.places(space)
    key = f"map.{result.word}.{result.plan}.{space}"
    stars = charts.stars(content.chosen, result.names, result.stars)
    values = {"n": len(result.rows), "word": result.word, "where": layer_title(space)}
    if result.plan == SOLID:
        labels = [o.sense if o.lemma == content.lemma else None for o in result.occurrences]
        cards = [card(o) for o in result.occurrences]
        figure = space_figure(places[: len(cards)], labels, cards, content.senses, MapLook(layer=space, key=key, stars=stars))
    else:
        look = {
            "layer": space,
            "key": key,
            "stars": stars,
            "height": 480 if is_single else 340,
            "limits": limits,
            "titles": measures.axis_titles(result),
            "name_senses": space != result.names[0] and result.word != ALL_WORDS,
            "picked": picked,
        }
        figure = word_map(result.occurrences, places[: len(result.rows)], content.senses, content.lemma, **look)
    if content.links is None:
        return figure, t("Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", **values, stars=len(stars))
    links = content.links[space]
    values["counted"] = say_kept(*links.as_counts)
    message = t("Map of {n} sentences with “{word}”, {where}, colored by sense, with lines from one: {counted}.", **values)
    return add_links(figure, places[content.point], places[links.rows], links.near), message


def _draw_flat(content: MapContent, space: str, state: Brush, *, is_single: bool) -> None:
    result = content.layout
    key = f"map.{result.word}.{result.plan}.{space}"
    stars = result.stars[result.names.index(space)].tolist()
    picked, limits = state.figure_of(
        key, (content.point, *result.ends, is_single, repr((content.chosen, stars))), find_limits(result.coordinates, result.stars)
    )
    figure, alt = _picture(content, space, picked, limits, is_single=is_single)
    figure.update_layout(meta={"map": key, "turn": state.turns.get(key, 0)})
    draw(figure, key=key, alt=alt, config=MAP_CONFIG, on_select=lambda: map_view.brushed(key), selection_mode=("points", "box", "lasso"))


def _describe_limits(result: Layout, names: list[str]) -> list[str]:
    if result.plan == UMAP:
        return [measures.limit_of_umap()]
    planes = {name: result.views[result.names.index(name)].plane for name in names if name != "0" or len(names) == 1}
    name = max(planes, key=lambda name: planes[name].together)
    values = {"share": planes[name].together, "where": layer_title(name)}
    if result.plan == PCA:
        return [measures.limit_of_plane(**values)]
    if result.plan == POLES:
        first = float(planes[name].shares[0])
        return [
            t("The first axis shows {first:.0%} of the variance in {where}, both {share:.0%}.", first=first, **values),
            t("A sentence at an end of an axis does not count toward that end."),
        ]
    return [t("3D shows {share:.0%} of the variance in {where}.", **values)]
