"""The maps themselves with all that follows them, in a fragment: a selection or a click draws them anew and not the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain
from core.figures.maps import Star, map_figure, shared_limits
from core.figures.style import MAP_CONFIG, layer_colour, layer_title, sense_colour
from core.figures.trust import add_links, link_colours, space_figure
from core.index.table import OccurrenceTable
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import shown_errors
from pages._map import brush, lines
from pages._map.layout import PCA, POLES, SOLID, UMAP, Laid
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import atlas


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the page has worked out before its maps are drawn."""

    word: str
    view: str  # "all layers", or the space in question
    lemma: str | None  # whose senses are coloured
    table: OccurrenceTable
    rows: np.ndarray
    laid: Laid
    stars: list[Star]
    placed: dict[int, Chosen]
    notices: list[str]


@st.fragment
def show(in_use: InUse, shown: Shown) -> None:
    """Maps, what to notice, the neighbours of the point in question, the list of dots."""
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        _show(in_use, shown)


def _show(in_use: InUse, shown: Shown) -> None:
    picture = st.container()
    choice, legend = st.columns([2, 3], vertical_alignment="bottom")
    with choice:
        name = lines.choose(shown.placed, shown.table, shown.rows)
    origin = lines.origin(in_use, name, shown.laid, shown.rows, shown.stars, shown.placed)
    if origin:
        with legend:
            st.html('<div class="chips">' + "".join(lists.chip_of(*each) for each in link_colours().items()) + "</div>")
    state = brush.brush((in_use.corpus, in_use.model, shown.word))
    solid = shown.laid.plan == SOLID
    names = (
        [shown.view]
        if shown.view in shown.laid.names
        else ["mix"]
        if solid
        else [name for name in shown.laid.names if name in model_layers.in_use().some]
    )
    with picture:
        columns = (
            [st.container()] if len(names) == 1 else [c for _ in range((len(names) + 1) // 2) for c in st.columns(2, gap="small")]
        )
    for column, space in zip(columns, names, strict=False):
        with column:
            _heading(shown, space, origin, alone=len(names) == 1)
            if solid:
                _solid(in_use, shown, space, origin)
            else:
                _flat(in_use, shown, space, origin, state, alone=len(names) == 1)
    if not solid:
        brush.listen(lambda row: lines.clicked(row, shown.placed))
    notice([*shown.notices, *(lines.noticed(origin, names) if origin else [])])
    st.caption(" ".join(_cautions(shown, names)))
    if not solid:
        st.caption(
            t(
                "Click a dot for the lines to its true neighbours. Drag a box over dots, or use the lasso in the chart's menu, to select them on all "
                "maps and in the list. Ctrl and the wheel zoom; a double click resets."
            )
        )
    if origin:
        space = names[0] if len(names) == 1 else "mix"
        with st.expander(t("The true neighbours of the point in question"), icon=":material/hub:", key="map.near"):
            title = t(
                "**True neighbours at {where}** of “{sentence}”", where=layer_title(space), sentence=plain(origin.sentence, 120)
            )
            lines.show_list(shown.table, shown.rows, origin, space, title)
    with st.container() if state.picked else st.expander(t("The sentences of all dots"), icon=":material/list:", key="map.dots"):
        brush.show_table(atlas.dots(in_use.corpus, in_use.model, shown.word), shown.rows.tolist(), state)


def _heading(shown: Shown, space: str, origin, *, alone: bool) -> None:
    notes = []
    if shown.laid.views:
        notes.append(t("{share:.0%} of the spread", share=shown.laid.views[shown.laid.names.index(space)].plane.together))
    if origin:
        notes.append(lines.counted(origin.by_space[space]))
    if alone and not shown.laid.views and origin is None:  # the layer stands above
        return
    lists.heading(model_layers.in_use().heading(space), layer_colour(space), " · ".join(notes))


def _coloured(in_use: InUse, shown: Shown) -> tuple[list[str | None], list[str], list[str]]:
    """Each dot's label (None is grey), each dot's card, the senses in their order."""
    dots = atlas.dots(in_use.corpus, in_use.model, shown.word)
    labels = [sense if lemma == shown.lemma else None for lemma, sense in zip(dots.lemmas, dots.senses, strict=True)]
    return labels, dots.cards, sorted({label for label in labels if label})


def _alt(shown: Shown, space: str, origin) -> str:
    told = {"n": len(shown.rows), "word": shown.word, "where": layer_title(space), "stars": len(shown.stars)}
    if origin is None:
        return t(
            "A map of {n} sentences with “{word}” at {where}, coloured by meaning, with your own as stars ({stars}).", **told
        )
    return t(
        "A map of {n} sentences with “{word}” at {where}, coloured by meaning, with lines from one of them: {counted}.",
        **told, counted=lines.counted(origin.by_space[space]),
    )  # fmt: skip


def _flat(in_use: InUse, shown: Shown, space: str, origin, state: brush.Brush, *, alone: bool) -> None:
    laid, key = shown.laid, f"map.{shown.word}.{shown.laid.plan}.{space}"
    labels, cards, senses = _coloured(in_use, shown)
    shows = (origin and origin.name, *laid.ends, len(shown.view), tuple((s.text, *s.points[space]) for s in shown.stars))
    picked, limits = state.figure_of(key, shows, shared_limits(laid.coordinates, shown.stars))
    flat = laid.coordinates[laid.names.index(space)]
    figure = map_figure(
        flat, labels, cards, shown.rows.tolist(), senses, layer=space, stars=shown.stars, key=key, limits=limits,
        height=480 if alone else 340, name_senses=space != "0" and shown.word != ALL_WORDS, picked=picked, titles=laid.titles(),
    )  # fmt: skip
    if origin:
        add_links(figure, origin.places[space], flat[origin.by_space[space].rows], origin.by_space[space].near)
    figure.update_layout(meta={"map": key, "turn": state.turns.get(key, 0)})
    draw(
        figure, key=key, alt=_alt(shown, space, origin), config=MAP_CONFIG,
        on_select=lambda: brush.brushed(key), selection_mode=("points", "box", "lasso"),
    )  # fmt: skip


def _solid(in_use: InUse, shown: Shown, space: str, origin) -> None:
    labels, cards, senses = _coloured(in_use, shown)
    cloud = shown.laid.coordinates[shown.laid.names.index(space)]
    figure = space_figure(cloud, labels, cards, senses, stars=shown.stars, layer=space, key=f"map.{shown.word}.3d.{space}")
    if origin:
        add_links(figure, origin.places[space], cloud[origin.by_space[space].rows], origin.by_space[space].near)
    draw(figure, key="map.3d", alt=_alt(shown, space, origin), config=MAP_CONFIG)
    chips = "".join(lists.chip_of(sense, sense_colour(k)) for k, sense in enumerate(senses))
    st.html(f'<div class="chips">{chips}</div>')
    st.caption(
        t(
            "Drag to turn it, scroll to come nearer. Three dimensions show one layer; choose which above (of all layers it is the mix)."
        )
    )


def _cautions(shown: Shown, names: list[str]) -> list[str]:
    """What the picture does not mean."""
    laid = shown.laid
    if laid.plan == UMAP:
        return [t("How far apart two groups lie means little here: UMAP keeps who is near whom, not how far the far ones are.")]
    shares = {name: laid.views[laid.names.index(name)].plane.together for name in names if name != "0" or len(names) == 1}
    name = max(shares, key=shares.get)
    told = {"share": shares[name], "where": layer_title(name)}
    if laid.plan == PCA:
        return [
            t(
                "This plane holds {share:.0%} of the spread at {where}; dots that lie on each other here can be far apart in the rest.",
                **told,
            )
        ]
    if laid.plan == POLES:
        first = float(laid.views[laid.names.index(name)].plane.shares[0])
        return [
            t("The first axis holds {first:.0%} of the spread at {where}, both axes {share:.0%}: what the axes do not ask about is not seen.", first=first, **told),
            t("A sentence that belongs to an end of an axis is placed by that end without it, so that it cannot speak for itself."),
        ]  # fmt: skip
    return [t("Three components hold {share:.0%} of the spread at {where}.", **told)]
