"""Which words decided the sense: the sentence colored by influence, a table by layer, and what each direction chooses."""

from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain, shorten
from core.figures.influence import HalfBar, half_name, halves_figure, influence_marks, influence_table, signed, signed_each
from core.figures.style import LAYER_COLORS, sense_color
from core.senses import influence
from core.senses.influence import Influence
from core.views import attribution
from core.views.attribution import Attribution, AttributionRequest
from pages._cached.views import view, workspace
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._why import expected, tables, words
from pages._why.decide_notices import describe_apart, describe_moves, hangs_on, write_notices
from pages._why.inputs import Options, controls
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen


def show(in_use: InUse, chosen: Chosen, other: Chosen) -> None:
    """Color the sentence by the influence of its words, and show the details. `other` is the word of the second sentence."""
    picture = st.container()
    more = st.popover(t("More"), icon=":material/tune:", key="decided.more")
    with more:
        options = controls(in_use)
    request = AttributionRequest(word=chosen.in_context, how=options.how, swap=options.swap, weights=options.weights)
    answer = view(attribution.compute, workspace(in_use), request)
    result = answer.influence
    if not result.changed:
        show_html("<p>{}</p>", t("Type other words around “{word}”.", word=shorten(chosen.word)))
    elif len(result.changed) < len(result.tokens) - 1:
        st.caption(t("Long sentence: only the {n} nearest words per side are tried.", n=influence.REACH))
    if answer.by == attribution.SENSES:
        _sense(answer, options, chosen, {sense: sense_color(k) for k, sense in enumerate(answer.senses)}, more, picture)
    else:
        result = _without_senses(in_use, request, answer, options, other, picture).influence
    lists.twin(tables.of_words(result), name="influence", label=t("Words as table"), key="decided.table")
    if result.changed:
        expected.show(in_use, chosen, options, answer.content)


def _sense(
    answer: Attribution, options: Options, chosen: Chosen, colors: dict[str, str], more: DeltaGenerator, picture: DeltaGenerator
) -> None:
    """Show which words supported a sense of a labeled word, in the colors of that sense and of the second best."""
    result = answer.influence
    with more:
        sense = _choose_sense(result, options, list(colors))
    stands = influence.verdict(result, options.layer, options.half, sense)
    pair = (colors[stands.sense], colors[stands.rival])
    values = np.stack([influence.parts(result, view, options.half, sense) for view in result.views], axis=1)  # (K, V)
    column = result.views.index(options.layer)
    moves = influence.shifts(result, options.layer, options.half)
    hovers = {
        k: t("{value} for {sense}. Each sense: {each}", value=signed(v), sense=sense, each=signed_each(result.senses, move))
        for k, v, move in zip(result.changed, values[:, column], moves, strict=True)
    }
    show_html("{}{}", _marks(result, values[:, column], hovers, pair), words.legend(options, stands, pair), place=picture)
    notice(write_notices(result, options, stands, chosen, answer.content))
    with _every_layer():
        left, right = st.columns([1, 1], gap="large")
    with left:
        note = t("for {sense}, read by {half}", sense=sense, half=words.reader(options.half))
        lists.heading(t("Word by word"), pair[0], note)
        show_html("{}", _heat(result, column, values, pair))
    if model_layers.in_use().is_elmo:
        with right:
            _halves(result, options, colors, pair)
        lists.twin(tables.of_halves(result), name="halves", label=t("Halves as table"), key="decided.halves.table")


def _halves(result: Influence, options: Options, colors: dict[str, str], pair: tuple[str, str]) -> None:
    """Show which sense the left context, the right context and both choose in each layer."""
    lists.heading(t("Past, future, both"), pair[0], t("sense chosen by each half, and its lead"))
    bars = [
        HalfBar(model_layers.in_use().short(v.view), half_name(v.half), v.sense, colors[v.sense], v.margin, v.alone)
        for view in result.views[1:-1]
        for v in influence.halves(result, view).values()
    ]
    named = ", ".join(f"{bar.group}, {bar.half}: {bar.label} {signed(bar.margin)}" for bar in bars)
    alt = t("Sense chosen by past, future and both, per layer. {named}.", named=named)
    draw(halves_figure(bars, key="decided.halves"), key="decided.halves", alt=alt)
    message = " ".join([t("Gray: its lead without a sentence."), *hangs_on(result, options)])
    st.caption(
        plain(message), help=t("A half decides by what the sentence adds to the lead, in standard deviations over labeled sentences.")
    )


def _choose_sense(result: Influence, options: Options, senses: list[str]) -> str:
    """Return the sense that the user chose, or the nearest."""
    offered = ["", *(sense for sense in senses if sense in result.senses)]
    if st.session_state.get("dsense", "") not in offered:
        st.session_state.dsense = ""  # it was a sense of the word looked at before
    picked = st.pills(
        t("Words that supported"),
        offered,
        default="",
        key="dsense",
        **BOUND,
        format_func=lambda sense: plain(sense) or t("the nearest sense"),
    )
    return picked or influence.verdict(result, options.layer, options.half).sense


def _without_senses(
    in_use: InUse, request: AttributionRequest, answer: Attribution, options: Options, other: Chosen, picture: DeltaGenerator
) -> Attribution:
    """Show which words separate two unlabeled words, or how far each word moves a single one."""
    if other.position is not None:
        answer = view(attribution.compute, workspace(in_use), replace(request, other=other.in_context))
    result = answer.influence
    if answer.by == attribution.MOVED:
        _how_far(answer, options, picture)
        return answer
    pair = (sense_color(0), sense_color(1))
    values = np.stack([influence.measure_apart(result, view, options.half) for view in result.views], axis=1)  # (K, V)
    column = result.views.index(options.layer)
    hovers = {k: t("without it, {value} nearer", value=signed(v)) for k, v in zip(result.changed, values[:, column], strict=True)}
    show_html("{}{}", _marks(result, values[:, column], hovers, pair), words.legend_of_two(pair), place=picture)
    notice(describe_apart(result, options, answer.content, other.word))
    with _every_layer():
        lists.heading(t("Word by word"), pair[0], t("cosine gained without it"))
        show_html("{}", _heat(result, column, values, pair))
    return answer


def _how_far(answer: Attribution, options: Options, picture: DeltaGenerator) -> None:
    """Show how far each word moves the vector of an unlabeled word."""
    result = answer.influence
    if result.changed:
        show_html("<p>{}</p>", words.no_other(result), place=picture)
    column = result.views.index(options.layer)
    blue = LAYER_COLORS["2"]
    values = result.moved[:, :, influence.HALVES.index(options.half)]
    hovers = {k: t("moves it by {value}", value=f"{v:.2f}") for k, v in zip(result.changed, values[:, column], strict=True)}
    show_html("{}", _marks(result, values[:, column], hovers, (blue, blue), "{:.2f}".format), place=picture)
    notice(describe_moves(result, options, answer.content))
    with _every_layer():
        lists.heading(t("Word by word"), blue, t("1 − cosine to its vector in the full sentence"))
        show_html("{}", _heat(result, column, values, (blue, blue), "{:.2f}".format))


def _every_layer() -> DeltaGenerator:
    return st.expander(t("Every layer"), icon=":material/layers:", key="decided.layers")


def _marks(result: Influence, values: np.ndarray, hovers: dict[int, str], pair: tuple[str, str], write=signed) -> str:
    numbers = dict(zip(result.changed, values.tolist(), strict=True))
    return influence_marks(result.tokens, result.position, numbers, hovers, pair, write=write)


def _heat(result: Influence, column: int, values: np.ndarray, pair: tuple[str, str], write=signed) -> str:
    names = [model_layers.in_use().short(view) for view in result.views]
    return influence_table(result.tokens, result.position, result.changed, values, names, pair, chosen=column, write=write)
