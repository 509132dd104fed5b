"""The maps themselves with all that follows them, in a fragment: a selection or a click draws them anew and not the page."""

from collections.abc import Sequence
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
from core.elmo.weights import has_softmax
from core.figures.maps import MapLook, Star, map_figure, outer_edge, shared_limits
from core.figures.style import MAP_CONFIG, layer_colour, layer_title, sense_colour
from core.figures.trust import add_links, link_colours, space_figure
from core.index.table import OccurrenceTable
from core.text import languages
from core.text.definitions import definitions
from core.text.readings import WordInContext
from core.views.layouts import PCA, POLES, SOLID, UMAP, Layout
from pages._cached import opened
from pages._cached.kept import kept
from pages._frame.choices import ALL, TOKENS
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html, shown_errors
from pages._map import brush, every_token, layout, lines, map_view, measures
from pages._widgets import lists
from pages._widgets.charts import draw, note
from pages._widgets.inputs import Chosen
from pages._word import atlas, pair_layer, verdict


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the page has worked out before its maps are drawn."""

    word: str
    lemma: str | None  # whose senses are coloured
    table: OccurrenceTable
    laid: Layout
    placed: dict[int, Chosen]

    @property
    def rows(self) -> np.ndarray:
        return self.laid.rows

    @property
    def stars(self) -> list[Star]:
        """The reader's sentences at their places."""
        at = np.moveaxis(self.laid.stars, 1, 0)
        return [
            atlas.star(number, item, {name: tuple(map(float, place)) for name, place in zip(self.laid.names, places, strict=True)})
            for (number, item), places in zip(self.placed.items(), at, strict=True)
        ]


@st.fragment
def show(in_use: InUse, shown: Shown) -> None:
    """Maps, what to notice, the neighbours of the point in question, the list of dots."""
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        _show(in_use, shown)


def _show(in_use: InUse, shown: Shown) -> None:
    solid = shown.laid.plan == SOLID
    with st.container(key="map_layers"):
        best = verdict.layer_of(in_use, *([] if shown.word == ALL_WORDS else [WordInContext((shown.word,), 0, shown.word)]))
        offered = offers_senses(in_use, shown.word, shown.laid.plan)
        spaces = tuple(dict.fromkeys((*shown.laid.names, SENSES) if offered else shown.laid.names))
        view = pair_layer.choose("view", in_use, spaces=(*spaces, ALL, TOKENS), best=best, label_visibility="collapsed")
        if (view == SENSES) != (SENSES in shown.laid.names):  # the map, the measures and tables outside this fragment follow
            st.rerun()
        live = map_view.glides(view, shown.laid.names) and not solid
        if live:
            map_view.hide_controls()
    if view == TOKENS:
        every_token.show(in_use, "" if shown.word == ALL_WORDS else shown.word)
        return
    picture = st.container()
    with st.container(key="map_whose"):
        choice, legend = st.columns([2, 3], vertical_alignment="bottom")
        with choice:
            name = lines.choose(shown.placed, shown.table, shown.rows)
    origin = lines.origin(in_use, name, shown.laid, shown.rows, shown.stars, shown.placed)
    state = brush.brush((in_use.corpus, in_use.model, shown.word))
    some = [name for name in shown.laid.names if name in model_layers.in_use().some]
    names = [view] if view in shown.laid.names else ["mix"] if solid else some
    if live:
        with picture:
            _live(in_use, shown, view, name, origin, state, spaces)
    else:
        if origin:
            with legend:
                show_html('<div class="chips">{}</div>', starmap(lists.chip_of, link_colours().items()))
        with picture:
            _multiples(in_use, shown, names, origin, state)
        if not solid:
            brush.listen(lambda row: lines.clicked(row, shown.placed))
    pair_layer.note(in_use, view, best=best)
    notice(measures.noticed(shown.word, shown.laid.reports, shown.laid.static))
    lists.meanings(_coloured(in_use, shown)[2], shown.lemma or "")
    st.caption(" ".join(_cautions(shown, names)), help=None if solid else _hands(live))
    if origin:
        space = names[0] if len(names) == 1 else "mix"
        with st.expander(t("True neighbors"), icon=":material/hub:", key="map.near"):
            title = t("**Nearest in {where}** to “{sentence}”", where=layer_title(space), sentence=plain(origin.sentence, 120))
            lines.show_list(shown.table, shown.rows, origin, space, title)
    with st.container() if state.picked else st.expander(t("All sentences"), icon=":material/list:", key="map.dots"):
        brush.show_table(atlas.dots(in_use.corpus, in_use.model, shown.word), shown.rows.tolist(), state)


def offers_senses(in_use: InUse, word: str, plan: str) -> bool:
    """Whether a word can be drawn in the sense space: one word, by UMAP, of a model that predicts words."""
    return word != ALL_WORDS and plan == UMAP and has_softmax(opened.model(in_use.model).folder)


def _hands(live: bool) -> str:
    """What hand and keys do."""
    if live:
        return t(
            "Click a dot for its true neighbors; draw around dots or press a sense to select. Space: play. Arrows: layer. "
            "Ctrl+wheel: zoom. Shift+drag: move."
        )
    return t("Click a dot for its true neighbors; drag a box or lasso to select on all maps. Ctrl+wheel: zoom. Double click: reset.")


def _multiples(in_use: InUse, shown: Shown, names: list[str], origin, state: brush.Brush) -> None:
    """One map, or one of each space beside each other, drawn by Streamlit."""
    several = [c for _ in range((len(names) + 1) // 2) for c in st.columns(2, gap="small")] if len(names) > 1 else [st.container()]
    for column, space in zip(several, names, strict=False):
        with column:
            _heading(shown, space, origin, alone=len(names) == 1)
            if shown.laid.plan == SOLID:
                _solid(in_use, shown, space, origin)
            else:
                _flat(in_use, shown, space, origin, state, alone=len(names) == 1)


def _live(in_use: InUse, shown: Shown, view: str, name: str, origin, state: brush.Brush, spaces: Sequence[str]) -> None:
    """The layers under the reader's hand; the map on screen is noted for what is taken along."""
    data = _sent(shown.laid, shown, in_use, shown.lemma, tuple(shown.placed.items()), language())
    offered = SENSES in spaces and SENSES not in shown.laid.names
    map_view.live(data | {"text": data["text"] | {"senses": t("sense space") if offered else ""}}, spaces, shown.rows)
    known = str(np.flatnonzero(shown.rows == int(name))[0]) if name.isdecimal() else ""
    further = {known: list(origin.by_space.values())} if known and known not in data["links"] else {}
    map_view.told(data, view, name, state.picked, further)
    note(
        _figure(in_use, shown, view, origin, state.picked, shared_limits(shown.laid.coordinates, shown.stars), alone=True),
        key="map",
        alt=_alt(shown, view, origin),
    )


@kept(24)
def _sent(laid: Layout, _shown: Shown, in_use: InUse, lemma: str | None, chosen: tuple[tuple[int, Chosen], ...], code: str) -> dict:
    """What the instrument shows; `code`: the reader's language."""
    word, stars, placed = _shown.word, _shown.stars, dict(chosen)
    rows = _shown.rows
    labels, _, senses = _coloured(in_use, _shown)
    groups = np.array([senses.index(label) + 1 if label else 0 for label in labels])
    occurrences = [_shown.table.occurrence(int(row)) for row in rows]
    origins = [lines.origin(in_use, lines.STARS[number], laid, rows, stars, placed) for number in placed]
    links = lines.of_every_dot(in_use, laid, rows) if len(rows) <= map_view.MOST_LINKED else []
    named = [] if word == ALL_WORDS else [k for k in range(1, len(senses) + 1) if (groups == k).any()]
    points = map_view.Points(
        names=laid.names,
        coordinates=laid.coordinates,
        rows=rows.tolist(),
        groups=[groups.tolist()],
        axes=tuple(map(unescape, named_axes)) if (named_axes := layout.titles(laid)) else None,
        colours=[map_view.NEUTRAL, *(sense_colour(k) for k in range(len(senses)))],
        chips=[(sense, k + 1, k) for k, sense in enumerate(senses)],
        shapes=np.maximum(groups - 1, 0).tolist(),
        lines=[map_view.line(o.tokens, o.position) for o in occurrences],
        notes=[o.sense or "" for o in occurrences],
        stars=stars,
        texts={number: value.readable for number, value in placed.items()},
        links=[*links, *(list(origin.by_space.values()) for origin in origins)],
        labels=[(k, np.array([outer_edge(flat[groups == k], flat) for flat in laid.coordinates])) for k in named],
        under=[_share(_shown, space) for space in laid.names],
        told=definitions(languages.in_use(), lemma or ""),
    )
    title = t("Map of “{word}”", word=word)
    values = {"n": len(rows), "word": word, "where": "{where}", "stars": len(placed)}
    alt = t("Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", **values)
    return map_view.data(points, title=title, alt=alt)


def _share(shown: Shown, space: str) -> str:
    """How much of the spread a plane holds; "" of UMAP."""
    views = shown.laid.views
    return t("{share:.0%} of variance", share=views[shown.laid.names.index(space)].plane.together) if views else ""


def _heading(shown: Shown, space: str, origin, *, alone: bool) -> None:
    notes = [_share(shown, space), lines.counted(origin.by_space[space]) if origin else ""]
    if alone and not any(notes):  # the layer stands above
        return
    lists.heading(model_layers.in_use().heading(space), layer_colour(space), " · ".join(filter(None, notes)))


def _coloured(in_use: InUse, shown: Shown) -> tuple[list[str | None], list[str], list[str]]:
    """Each dot's label (None is grey), each dot's card, the senses in their order."""
    dots = atlas.dots(in_use.corpus, in_use.model, shown.word)
    labels = [sense if lemma == shown.lemma else None for lemma, sense in zip(dots.lemmas, dots.senses, strict=True)]
    return labels, dots.cards, sorted({label for label in labels if label})


def _alt(shown: Shown, space: str, origin) -> str:
    values = {"n": len(shown.rows), "word": shown.word, "where": layer_title(space), "stars": len(shown.stars)}
    if origin is None:
        return t("Map of “{word}” in {where}: {n} sentences colored by sense, {stars} stars.", **values)
    return t(
        "Map of {n} sentences with “{word}”, {where}, colored by sense, with lines from one: {counted}.",
        **values,
        counted=lines.counted(origin.by_space[space]),
    )


def _figure(in_use: InUse, shown: Shown, space: str, origin, picked: Sequence[int], limits: tuple[float, ...], *, alone: bool) -> go.Figure:
    """One space's map."""
    laid = shown.laid
    labels, cards, senses = _coloured(in_use, shown)
    flat = laid.coordinates[laid.names.index(space)]
    figure = map_figure(
        flat,
        labels,
        cards,
        shown.rows.tolist(),
        senses,
        MapLook(
            layer=space,
            stars=shown.stars,
            key=_key(shown, space),
            limits=limits,
            height=480 if alone else 340,
            name_senses=space != laid.names[0] and shown.word != ALL_WORDS,
            picked=picked,
            titles=layout.titles(laid),
        ),
    )
    return add_links(figure, origin.places[space], flat[origin.by_space[space].rows], origin.by_space[space].near) if origin else figure


def _key(shown: Shown, space: str) -> str:
    return f"map.{shown.word}.{shown.laid.plan}.{space}"


def _flat(in_use: InUse, shown: Shown, space: str, origin, state: brush.Brush, *, alone: bool) -> None:
    laid = shown.laid
    key = _key(shown, space)
    shows = (origin and origin.name, *laid.ends, alone, tuple((s.text, *s.points[space]) for s in shown.stars))
    picked, limits = state.figure_of(key, shows, shared_limits(laid.coordinates, shown.stars))
    figure = _figure(in_use, shown, space, origin, picked, limits, alone=alone)
    figure.update_layout(meta={"map": key, "turn": state.turns.get(key, 0)})
    draw(
        figure,
        key=key,
        alt=_alt(shown, space, origin),
        config=MAP_CONFIG,
        on_select=lambda: brush.brushed(key),
        selection_mode=("points", "box", "lasso"),
    )


def _solid(in_use: InUse, shown: Shown, space: str, origin) -> None:
    labels, cards, senses = _coloured(in_use, shown)
    cloud = shown.laid.coordinates[shown.laid.names.index(space)]
    figure = space_figure(cloud, labels, cards, senses, stars=shown.stars, layer=space, key=f"map.{shown.word}.3d.{space}")
    if origin:
        add_links(figure, origin.places[space], cloud[origin.by_space[space].rows], origin.by_space[space].near)
    draw(figure, key="map.3d", alt=_alt(shown, space, origin), config=MAP_CONFIG)
    lists.legend(senses, word=shown.lemma or "")
    st.caption(t("Drag to rotate, scroll to zoom. “All layers” shows the layer mix."))


def _cautions(shown: Shown, names: list[str]) -> list[str]:
    """What the picture does not mean."""
    laid = shown.laid
    if laid.plan == UMAP:
        return [layout.limit_of_umap()]
    shares = {name: laid.views[laid.names.index(name)].plane.together for name in names if name != "0" or len(names) == 1}
    name = max(shares, key=shares.get)
    values = {"share": shares[name], "where": layer_title(name)}
    if laid.plan == PCA:
        return [layout.limit_of_plane(**values)]
    if laid.plan == POLES:
        first = float(laid.views[laid.names.index(name)].plane.shares[0])
        return [
            t("The first axis shows {first:.0%} of the variance in {where}, both {share:.0%}.", first=first, **values),
            t("A sentence at an end of an axis does not count toward that end."),
        ]
    return [t("3D shows {share:.0%} of the variance in {where}.", **values)]
