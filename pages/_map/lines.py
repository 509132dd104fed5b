"""Lines from a point to its true neighbours: whose they are, which of them a map put elsewhere, and the list of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.model_layers import SENSES
from core.elmo.mix import layer_weights
from core.figures.maps import Star
from core.index import neighbours
from core.index.neighbours import Query
from core.index.table import OccurrenceTable
from core.senses.trust import Links, links
from core.text.tokens import join_tokens
from core.views.layouts import Layout
from pages._cached import opened
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen

KEY, ADDRESS, NONE = "map.dot", "dot", "none"
STARS = {1: "first", 2: "second"}  # by the sentence's number


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The point in question: one of the dots, or one of the user's sentences; its neighbours in every space."""

    name: str  # a row's id, "first" or "second"
    sentence: str
    by_space: dict[str, Links]
    places: dict[str, tuple[float, ...]]


def choose(placed: dict[int, Chosen], table: OccurrenceTable, rows: np.ndarray) -> str:
    """Whose lines are drawn: a dot's that was clicked, a star's, nobody's. In the address by the row's id, which a binding would not write."""
    titles = {STARS[n]: t("your first sentence") if n == 1 else t("your second sentence") for n in placed}
    wanted = st.session_state.get(KEY) or st.query_params.get(ADDRESS, "")
    if wanted.isdecimal() and len(wanted) < 12 and int(wanted) in rows:
        o = table.occurrence(int(wanted))
        readable = join_tokens(list(o.tokens[max(0, o.position - 4) : o.position + 5]))
        titles[wanted] = t("dot “… {sentence} …”", sentence=readable)
    titles[NONE] = t("none")
    if wanted in titles:
        st.session_state[KEY] = wanted
    elif KEY in st.session_state:  # a dot of another word
        del st.session_state[KEY]
    chosen = (
        st.selectbox(
            t("True neighbors of"),
            list(titles),
            format_func=titles.get,
            key=KEY,
            persist_state="session",
            help=t("Nearest by cosine in all dimensions; or click a dot or star."),
        )
        or NONE
    )
    if chosen != next(iter(titles)):
        st.query_params[ADDRESS] = chosen
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]
    return chosen


def clicked(row: int, placed: dict[int, Chosen]) -> None:
    """A dot, or star -1 or -2, was clicked: it is in question, or no longer."""
    name = str(row) if row >= 0 else STARS[list(placed)[-1 - row]]
    st.session_state[KEY] = NONE if st.session_state.get(KEY) == name else name


def origin(in_use: InUse, name: str, layout: Layout, rows: np.ndarray, stars: list[Star], placed: dict[int, Chosen]) -> Origin | None:
    """True neighbours, space by space, of the point called `name`."""
    if name == NONE:
        return None
    table = opened.targets(in_use.corpus, in_use.model)
    if name in STARS.values():
        number = next(n for n, each in STARS.items() if each == name)
        one, star = placed[number], stars[list(placed).index(number)]
        query = opened.query(in_use.model, *one.asked)
        same = np.flatnonzero(table.same_sentence(rows, one.tokens, one.position))
        own = int(same[0]) if len(same) else None
        in_senses = layout.senses and layout.senses.star_cosines[list(placed).index(number)]
        places = star.points
        sentence = one.readable
    else:
        row = int(name)
        o = table.occurrence(row)
        query = Query(o.tokens, o.position, table.rows.take(np.array([row]))[0])
        own = int(np.flatnonzero(rows == row)[0])
        in_senses = layout.senses and layout.senses.cosines[own]
        places = {n: tuple(map(float, flat[own])) for n, flat in zip(layout.names, layout.coordinates, strict=True)}
        sentence = o.sentence
    result = opened.query_products(table, query)
    by_space = {}
    for space, flat in zip(layout.names, layout.coordinates, strict=True):
        if space == SENSES:
            cosines = in_senses
        else:
            cosines = neighbours.cosines(table.rows, result, layer_weights(space, table.meta["layers"]))[rows]
        by_space[space] = links(cosines, flat, np.array(places[space]), own=own)
    return Origin(name, sentence, by_space, places)


def of_every_dot(in_use: InUse, layout: Layout, rows: np.ndarray) -> list[list[Links]]:
    """True neighbours of each dot, in every space."""
    table = opened.targets(in_use.corpus, in_use.model)
    similar = [
        layout.senses.cosines if space == SENSES else table.similarities(rows, layer_weights(space, table.meta["layers"]))
        for space in layout.names
    ]
    return [
        [links(cosines[k], flat, flat[k], own=k) for cosines, flat in zip(similar, layout.coordinates, strict=True)]
        for k in range(len(rows))
    ]


def counted(result: Links) -> str:
    """How many of a point's true neighbours one map has near."""
    n = len(result.rows)
    return kept_in_words(int(result.near.sum()), n, f"{result.by_chance:.1f}") if n else tied_in_words(result.tied)


def kept_in_words(kept: int | str, n: int | str, chance: str) -> str:
    """The line of true neighbours that the map keeps near; places in braces where the browser fills them in."""
    return t("{kept} of {n} true neighbors near on the map (chance {chance})", kept=kept, n=n, chance=chance)


def tied_in_words(tied: int | str) -> str:
    """Of a point whose neighbours are all equally near."""
    return t("no true neighbors: {tied} tied", tied=tied)


def show_list(table: OccurrenceTable, rows: np.ndarray, result: Origin, space: str, title: str) -> None:
    """The true neighbours as a list; one that is picked is in question next."""
    near = result.by_space[space]
    ids = [int(rows[k]) for k in near.rows]
    key = f"map.near.{result.name}.{space}"

    def picked() -> None:
        if chosen := st.session_state[key]["selection"]["rows"]:
            st.session_state[KEY] = str(ids[chosen[0]])

    st.markdown(title)
    st.caption(t("Check a row for its neighbors."))
    occurrences = [table.occurrence(row) for row in ids]
    st.dataframe(
        pd.DataFrame(
            {
                t("on the map"): [t("near") if kept else t("not near") for kept in near.near],
                t("cosine"): near.cosines.round(3),
                t("sense"): [o.sense for o in occurrences],
                t("sentence"): [o.sentence for o in occurrences],
            }
        ),
        hide_index=True,
        width="stretch",
        key=key,
        on_select=picked,
        selection_mode="single-row",
        alt=t("True neighbors, nearest first."),
    )
