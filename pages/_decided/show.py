"""What decided this sense: the sentence coloured by influence, words by layers, and what past and future would choose."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain
from core.elmo.mix import layer_weights
from core.figures.influence import HalfBar, half_name, halves_figure, influence_marks, influence_table, signed
from core.figures.style import LAYER_COLOURS, layer_title, sense_colour
from core.senses import influence
from core.senses.influence import Influence
from pages._cached import opened
from pages._decided import expected, tables, words
from pages._decided.inputs import Asked, controls
from pages._decided.notices import content_of, hangs_on, noticed, noticed_apart, noticed_moves
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen, sentence
from pages._word.store import influences, pulls


def show(in_use: InUse, chosen: Chosen, inputs: DeltaGenerator, picture: DeltaGenerator) -> None:
    """The controls in `inputs`, the coloured sentence in `picture`, and all that is below."""
    with inputs:
        asked = controls(in_use, chosen)
    if chosen.position is None:
        return
    in_use = opened.about(in_use, chosen.looked_up)
    weights = layer_weights("mix", opened.model(in_use.model).encoder.n_layers, asked.weights or None)
    place = (in_use.corpus, in_use.model, chosen.tokens, chosen.position)
    found = influences(*place, asked.how, asked.swap, tuple(weights.tolist()))
    if not found.changed:
        show_html("<p>{}</p>", t("“{word}” stands alone: type other words around it.", word=chosen.word[:40]))
    elif len(found.changed) < len(found.tokens) - 1:
        st.caption(t("A long sentence: only the {n} words nearest on each side are tried.", n=influence.REACH))
    if len(found.senses) < 2:
        found = _by_other(in_use, chosen, asked, found, tuple(weights.tolist()), inputs, picture)
    else:
        senses = opened.targets(in_use.corpus, in_use.model).senses_of(chosen.word)
        _sense(found, asked, chosen, {sense: sense_colour(k) for k, sense in enumerate(senses)}, inputs, picture)
    lists.twin(tables.of_words(found), name="influence", label=t("The words as a table"), key="decided.table")
    if found.changed:
        expected.show(in_use, chosen, asked, content_of(found))


def _sense(
    found: Influence, asked: Asked, chosen: Chosen, colours: dict[str, str], inputs: DeltaGenerator, picture: DeltaGenerator
) -> None:
    """A word with senses: who spoke for one, in colours of that sense and of the best other."""
    with inputs:
        sense = _sense_asked(found, asked, list(colours))
    stands = influence.verdict(found, asked.layer, asked.half, sense)
    pair = (colours[stands.sense], colours[stands.rival])
    values = np.stack([influence.parts(found, view, asked.half, sense) for view in found.views], axis=1)  # (K, V)
    column = found.views.index(asked.layer)
    moves = influence.shifts(found, asked.layer, asked.half)
    hovers = {
        k: t("{value} for {sense}. Each sense: {each}", value=signed(v), sense=sense, each=words.each_sense(found.senses, move))
        for k, v, move in zip(found.changed, values[:, column], moves, strict=True)
    }
    show_html("{}{}", _marks(found, values[:, column], hovers, pair), words.legend(asked, stands, pair), place=picture)
    left, right = st.columns([1, 1], gap="large")
    with left:
        note = t("for {sense}, read by {half}", sense=sense, half=words.reader(asked.half))
        lists.heading(t("Word by word, layer by layer"), pair[0], note)
        show_html("{}", _heat(found, column, values, pair))
    if model_layers.in_use().is_elmo:
        with right:
            _halves(found, asked, colours, pair)
    notice(noticed(found, asked, stands, chosen, content_of(found)))
    if model_layers.in_use().is_elmo:
        lists.twin(tables.of_halves(found), name="halves", label=t("The halves as a table"), key="decided.halves.table")


def _halves(found: Influence, asked: Asked, colours: dict[str, str], pair: tuple[str, str]) -> None:
    """What the past, the future and both choose, layer by layer."""
    lists.heading(t("Past, future, both"), pair[0], t("the sense that each half alone would choose, and its lead over the next"))
    bars = [
        HalfBar(layer_title(v.view), half_name(v.half), v.sense, colours[v.sense], v.margin, v.alone)
        for view in found.views[1:-1]
        for v in influence.halves(found, view).values()
    ]
    named = ", ".join(f"{bar.group}, {bar.half}: {bar.label} {signed(bar.margin)}" for bar in bars)
    alt = t("The sense that past, future and both would choose in each layer, with its lead. {named}.", named=named)
    draw(halves_figure(bars, key="decided.halves"), key="decided.halves", alt=alt)
    st.caption(
        t(
            "Grey: the lead of that sense for the word with no sentence around it. Left of the line it is behind; an arrow is further left. "
            "Which half settles it is judged by what the sentence adds to that, in standard deviations of the half's lead over the labelled sentences."
        )
        + plain(" ".join(["", *hangs_on(found, asked)]))
    )


def _sense_asked(found: Influence, asked: Asked, senses: list[str]) -> str:
    """The sense that the reader asks for, or the nearest."""
    options = ["", *(sense for sense in senses if sense in found.senses)]
    if st.session_state.get("dsense", "") not in options:
        st.session_state.dsense = ""  # it was a sense of the word looked at before
    picked = st.pills(
        t("Which words spoke for"),
        options,
        default="",
        key="dsense",
        **BOUND,
        format_func=lambda sense: plain(sense) or t("the nearest sense"),
    )
    return picked or influence.verdict(found, asked.layer, asked.half).sense


def _by_other(
    in_use: InUse,
    chosen: Chosen,
    asked: Asked,
    found: Influence,
    weights: tuple[float, ...],
    inputs: DeltaGenerator,
    picture: DeltaGenerator,
) -> Influence:
    """A word without labelled senses: what holds it away from the other of the two sentences; where there is none, how far it moves at all."""
    other = sentence(inputs, "b", t("The other sentence"), t("Word in the other sentence"))
    if other.position is None or other.asked == chosen.asked:
        _how_far(found, asked, picture)
        return found
    one, second = (c.asked for c in (chosen, other))
    pulled = pulls(in_use.model, one, second, asked.how, asked.swap, weights)
    pair = (sense_colour(0), sense_colour(1))
    values = np.stack([influence.apart(pulled, view, asked.half) for view in pulled.views], axis=1)  # (K, V)
    column = pulled.views.index(asked.layer)
    hovers = {
        k: t("without it the two are {value} nearer", value=signed(v)) for k, v in zip(pulled.changed, values[:, column], strict=True)
    }
    show_html("{}{}", _marks(pulled, values[:, column], hovers, pair), words.legend_of_two(pair), place=picture)
    lists.heading(t("Word by word, layer by layer"), pair[0], t("what the cosine with the other sentence's word gains without it"))
    show_html("{}", _heat(pulled, column, values, pair))
    notice(noticed_apart(pulled, asked, content_of(pulled), other.word))
    return pulled


def _how_far(found: Influence, asked: Asked, picture: DeltaGenerator) -> None:
    """A word without labelled senses and without another sentence: how far each word moves its vector at all."""
    if found.changed:
        show_html("<p>{}</p>", words.no_other(found), place=picture)
    column = found.views.index(asked.layer)
    blue = LAYER_COLOURS["2"]
    values = found.moved[:, :, influence.HALVES.index(asked.half)]
    hovers = {k: t("moves it by {value}", value=f"{v:.2f}") for k, v in zip(found.changed, values[:, column], strict=True)}
    show_html("{}", _marks(found, values[:, column], hovers, (blue, blue), "{:.2f}".format), place=picture)
    lists.heading(t("Word by word, layer by layer"), blue, t("1 − cosine of its vector with that in the sentence as it stands"))
    show_html("{}", _heat(found, column, values, (blue, blue), "{:.2f}".format))
    notice(noticed_moves(found, asked, content_of(found)))


def _marks(found: Influence, values: np.ndarray, hovers: dict[int, str], pair: tuple[str, str], write=signed) -> str:
    numbers = dict(zip(found.changed, values.tolist(), strict=True))
    return influence_marks(found.tokens, found.position, numbers, hovers, pair, write=write)


def _heat(found: Influence, column: int, values: np.ndarray, pair: tuple[str, str], write=signed) -> str:
    names = [layer_title(view) for view in found.views]
    return influence_table(found.tokens, found.position, found.changed, values, names, pair, chosen=column, write=write)
