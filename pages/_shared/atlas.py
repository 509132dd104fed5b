"""Drawing maps and their measures: frozen coordinates, inserted stars, selections, sense scores per layer."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, neighbours, projection, workbench
from core.figures import Star, map_figure, mark, shared_limits
from core.projection import FrozenMaps
from core.text import join_tokens
from core.workbench import SPACES, layer_weights
from pages._shared import lists, notices, store
from pages._shared.frame import InUse
from pages._shared.inputs import Chosen

NEIGHBOURS_TO_PLACE = 8  # nearest occurrences that decide where a new one lands


def follow_word(word: str) -> None:
    """Let the map turn to the word in question when that has changed since the map was last seen."""
    if st.session_state.get("w") is not None and st.session_state.get("map_followed") != st.session_state.w:
        st.session_state.map_followed, st.session_state.map_word = st.session_state.w, word


def stars(in_use: InUse, word: str, maps: FrozenMaps, rows: np.ndarray, chosen: tuple[Chosen, Chosen]) -> list[Star]:
    """The user's tokens as stars in every layer's map; only those of the word the map shows."""
    table, found = store.targets(in_use.corpus, in_use.model), []
    for number, one in enumerate(chosen, 1):
        lemma = notices.lemma_of(table, one.word) if one.position is not None else None
        if lemma is None or word not in (lemma, workbench.ALL_WORDS):
            continue
        products = store.query_products(in_use.corpus, in_use.model, "targets", one.tokens, one.position)
        points = {}
        for space, coordinates in zip(maps.names, maps.coordinates, strict=True):
            cosines = neighbours.cosines(table.rows, products, layer_weights(space, table.meta["layers"]))[rows]
            best = np.argsort(-cosines, kind="stable")[:NEIGHBOURS_TO_PLACE]
            points[space] = tuple(map(float, projection.insert(coordinates, best[None], cosines[best][None])[0]))
        found.append(Star(f"yours, {number}", mark(one.tokens, one.position), points))
    return found


def maps_row(in_use: InUse, word: str, view: str, maps: FrozenMaps, rows: np.ndarray, found: list[Star]) -> None:
    """One map, or all four with shared axes; each can be selected in, and the selection is listed below."""
    table = store.targets(in_use.corpus, in_use.model)
    limits = shared_limits(maps.coordinates, found)
    names = [view] if view in maps.names else list(maps.names)
    columns = st.columns(1) if len(names) == 1 else [c for _ in range(2) for c in st.columns(2, gap="medium")]
    occurrences = [table.occurrence(int(r)) for r in rows]
    # On the map of all words the one in question wears its senses' colours among the grey others.
    lemma = word if word != workbench.ALL_WORDS else notices.lemma_of(table, st.session_state.get("w", "bank"))
    senses = sorted({o.sense for o in occurrences if o.lemma == lemma})
    labels = [o.sense if o.lemma == lemma else None for o in occurrences]
    hovers = [mark(o.tokens, o.position) + f"<br><i>{escape(o.sense or '')}</i>" for o in occurrences]
    picked: list[int] = []
    for column, name in zip(columns, names, strict=False):
        with column:
            title = "The mix, equal weights" if name == "mix" else f"Layer {name}" + (" · spelling only" if name == "0" else "")
            lists.heading(title, figures.LAYER_COLOURS[name])
            figure = map_figure(
                maps.coordinates[maps.names.index(name)],
                labels,
                hovers,
                rows.tolist(),
                senses,
                layer=name,
                stars=found,
                key=f"map.{word}.{name}",
                limits=limits,
                height=560 if len(names) == 1 else 380,
                name_senses=name != "0" and word != workbench.ALL_WORDS,
            )
            event = st.plotly_chart(
                figure,
                key=f"map.{word}.{name}",
                config=figures.MAP_CONFIG,
                on_select="rerun",
                selection_mode=("points", "box", "lasso"),
            )
            picked += selected_rows(event)
    show_selection(table, sorted(set(picked)), senses)


def selected_rows(event) -> list[int]:
    """Row ids of a selection event: `customdata`, never the point's number, which is per trace; stars are negative."""
    points = (event or {}).get("selection", {}).get("points", [])
    ids = [
        p["customdata"][0] if isinstance(p["customdata"], list | tuple) else p["customdata"]["0"]
        for p in points
        if p.get("customdata")
    ]
    return [int(k) for k in ids if int(k) >= 0]


def show_selection(table, picked: list[int], senses: list[str]) -> None:
    if not picked:
        st.caption(
            "Drag a box over dots (or use the lasso in the chart's menu) to read and export their sentences. Scroll to zoom, double-click to reset."
        )
        return
    found = [neighbours.Neighbour(table.occurrence(row), 1.0) for row in picked]
    st.markdown(f"**{len(found)} selected**")
    frame = pd.DataFrame(
        [
            {
                "word": n.occurrence.tokens[n.occurrence.position],
                "sense": n.occurrence.sense,
                "sentence": join_tokens(list(n.occurrence.tokens)),
            }
            for n in found
        ]
    )
    st.dataframe(frame, hide_index=True, width="stretch", height=min(420, 40 + 36 * len(frame)), key="selection")
    st.download_button(
        "Download the selection as CSV",
        frame.to_csv(index=False).encode("utf-8-sig"),
        "selection.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )


def scores(in_use: InUse, word: str) -> dict:
    """Sense report per space."""
    n = store.targets(in_use.corpus, in_use.model).meta["layers"]
    return {name: store.sense_scores(in_use.corpus, in_use.model, word, tuple(layer_weights(name, n))) for name in SPACES}


def score_figure(found: dict):
    first = next(iter(found.values()))
    return figures.accuracy_lines(
        {"1-NN": {name: r.one_nn for name, r in found.items()}}, null=first.null_mean, majority=first.majority
    )


def score_table(found: dict, maps: FrozenMaps) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "layer": name,
                "1-NN accuracy": f"{r.one_nn:.1%}",
                "95 % interval": f"{r.one_nn_low:.1%} to {r.one_nn_high:.1%}",
                "shuffled labels": f"{r.null_mean:.1%}",
                "commonest sense": f"{r.majority:.1%}",
                "silhouette": round(r.silhouette, 3),
                "map's trustworthiness": round(float(maps.trustworthiness[maps.names.index(name)]), 3),
                "sentences": r.n,
            }
            for name, r in found.items()
        ]
    )


def point_table(occurrences: list, maps: FrozenMaps) -> pd.DataFrame:
    facts = {
        "word": [o.tokens[o.position] for o in occurrences],
        "sense": [o.sense for o in occurrences],
        "sentence": [join_tokens(list(o.tokens)) for o in occurrences],
    }
    for name, coordinates in zip(maps.names, maps.coordinates, strict=True):
        facts |= {f"x, layer {name}": coordinates[:, 0].round(3), f"y, layer {name}": coordinates[:, 1].round(3)}
    return pd.DataFrame(facts)


def about_scores(word: str, found: dict, placed: list[Star], table) -> list[str]:
    """What the measures on screen say, failures included."""
    best = max(found, key=lambda name: found[name].one_nn)
    report, zero = found[best], found["0"]
    shown = "these words" if word == workbench.ALL_WORDS else f"“{escape(word)}”"
    where = "the mix" if best == "mix" else f"layer {best}"
    lines = [
        f"The nearest other sentence shares the meaning of {shown} in {report.one_nn:.0%} of cases at {where}, in {zero.one_nn:.0%} at layer 0; chance is {report.null_mean:.0%}."
    ]
    if report.one_nn <= report.null_95:
        lines.append("That is no better than chance: for this word the model fails to tell the senses apart.")
    elif report.one_nn < 0.7:
        lines.append("So the senses overlap a good deal: this small model is unsure about them.")
    if not placed:
        lines.append(f"Open “Put your own sentences on the map” and type sentences with {shown} to see where they land.")
    return lines
