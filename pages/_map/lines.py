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
        titles[wanted] = t("the dot “… {sentence} …”", sentence=readable)
    titles[NONE] = t("nobody")
    if wanted in titles:
        st.session_state[KEY] = wanted
    elif KEY in st.session_state:  # a dot of another word
        del st.session_state[KEY]
    chosen = (
        st.selectbox(
            t("Lines to true neighbours, from"),
            list(titles),
            format_func=titles.get,
            key=KEY,
            persist_state="session",
            help=t(
                "The sentences nearest by cosine in the full space. Click a dot or a star to draw its lines; click it again to remove them."
            ),
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
    kept = int(result.near.sum())
    if not n:
        return t("no true neighbours: {tied} sentences are equally near", tied=result.tied)
    if n == 1:
        return t("its one true neighbour is nearest here too") if kept else t("its one true neighbour is not nearest here")
    return t(
        "{kept} of its {n} true neighbours are among its {n} nearest here (by chance {chance:.1f})", kept=kept, n=n, chance=result.by_chance
    )


def noticed(result: Origin, names: list[str]) -> list[str]:
    """How far the maps on screen are to be believed about this point."""
    kept = sum(int(result.by_space[name].near.sum()) for name in names)
    n = sum(len(result.by_space[name].rows) for name in names)
    if not n:
        return [
            t("In layer 0 sentences with one spelling of the word have one vector, so none of them is a nearer neighbour than the others.")
        ]
    return [
        t(
            "Of the true neighbours of the point in question <b>{kept} of {n}</b> are near it on what is drawn (by chance {chance:.1f}); "
            "broken lines lead to those which the map put elsewhere.",
            kept=kept,
            n=n,
            chance=sum(result.by_space[name].by_chance for name in names),
        )
    ]


def show_list(table: OccurrenceTable, rows: np.ndarray, result: Origin, space: str, title: str) -> None:
    """The true neighbours as a list; one that is picked is in question next."""
    near = result.by_space[space]
    ids = [int(rows[k]) for k in near.rows]
    key = f"map.near.{result.name}.{space}"

    def picked() -> None:
        if chosen := st.session_state[key]["selection"]["rows"]:
            st.session_state[KEY] = str(ids[chosen[0]])

    st.markdown(title)
    st.caption(t("Tick one to put it in question."))
    occurrences = [table.occurrence(row) for row in ids]
    st.dataframe(
        pd.DataFrame(
            {
                t("on the map"): [t("near") if kept else t("elsewhere") for kept in near.near],
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
        alt=t("The true neighbours of the point in question, nearest first."),
    )
