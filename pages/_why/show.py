"""Why: the game with both sentences, then the words of the first sentence that decide its sense."""

from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import markup, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import shorten
from core.elmo import substitutes
from core.elmo.substitutes import Change
from core.figures.influence import HalfBar, halves_figure, influence_marks, influence_table, signed
from core.figures.style import LAYER_COLORS, sense_color
from core.senses import influence
from core.senses.influence import Influence, half_name
from core.text.tokens import bare
from core.views import why as views
from core.views.substitutes import weakness
from core.views.why import Attribution, AttributionRequest
from pages._cached.cache import view, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html
from pages._frame.parameters import bound
from pages._why import edits, influence_notices
from pages._why.influence_notices import Options, controls, describe_apart, describe_moves, list_turning_words, write_notices
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen


def show(in_use: InUse, first: Chosen, second: Chosen, picture: DeltaGenerator) -> None:
    if first.position is not None and second.position is not None:
        edits.show_game(in_use, first, second, picture)
    if first.position is not None:
        st.subheader(t("Which words decided it?"), anchor=False)
        _show_influence(in_use, first, second)


def _show_influence(in_use: InUse, chosen: Chosen, second: Chosen) -> None:
    """Color the sentence by the influence of its words, and show the details. `second` is the word of the second sentence."""
    picture = st.container()
    more = st.popover(t("More"), icon=":material/tune:", key="decided.more")
    with more:
        options = controls(in_use)
    request = AttributionRequest(word=chosen.in_context, how=options.how, swap=options.swap, weights=options.weights)
    answer = view(views.compute_attribution, workspace(in_use), request)
    result = answer.influence
    if not result.changed:
        show_html("<p>{}</p>", t("Type other words around “{word}”.", word=shorten(chosen.word)))
    elif len(result.changed) < len(result.tokens) - 1:
        st.caption(t("Long sentence: only the {n} nearest words per side are tried.", n=influence.REACH))
    if answer.by == views.BY_SENSES:
        _sense(answer, options, chosen, {sense: sense_color(k) for k, sense in enumerate(answer.senses)}, more, picture)
    else:
        answer = _without_senses(in_use, request, answer, options, second, picture)
    lists.offer_table(answer.table(), name="influence", label=t("Words as table"), key="decided.table")
    if answer.influence.changed:
        _show_substitutes(in_use, chosen, options, answer.content)


def _sense(
    answer: Attribution, options: Options, chosen: Chosen, colors: dict[str, str], more: DeltaGenerator, picture: DeltaGenerator
) -> None:
    """Show which words supported a sense of a labeled word, in the colors of that sense and of the second best."""
    result = answer.influence
    with more:
        offered = ["", *(sense for sense in colors if sense in result.senses)]
        if st.session_state.get("dsense", "") not in offered:
            st.session_state.dsense = ""  # it was a sense of the word looked at before
        titles = {sense: markup.plain(sense) or t("the nearest sense") for sense in offered}
        picked = st.pills(t("Words that supported"), offered, default="", **bound("dsense"), format_func=titles.get)
    sense = picked or influence.verdict(result, options.layer, options.half).sense
    stands = influence.verdict(result, options.layer, options.half, sense)
    pair = (colors[stands.sense], colors[stands.rival])
    values = np.stack([influence.parts(result, view, options.half, sense) for view in result.views], axis=1)  # (K, V)
    moves = influence.shifts(result, options.layer, options.half)
    hovers = []
    for v, move in zip(_at_layer(result, options, values), moves, strict=True):
        by_sense = ", ".join(f"{name} {signed(value)}" for name, value in zip(result.senses, move, strict=True))
        hovers.append(t("{value} for {sense}. Each sense: {each}", value=signed(v), sense=sense, each=by_sense))
    _mark_words(result, options, values, hovers, pair, influence_notices.write_legend(options, stands, pair), picture)
    notice(write_notices(result, options, stands, chosen, answer.content))
    with _every_layer():
        left, right = st.columns([1, 1], gap="large")
    with left:
        note = t("for {sense}, read by {half}", sense=sense, half=influence_notices.name_half(options.half))
        _list_layers(result, options, values, pair, note)
    if model_layers.in_use().is_elmo:
        with right:
            _halves(result, options, colors, pair)
        lists.offer_table(answer.halves_table(), name="halves", label=t("Halves as table"), key="decided.halves.table")


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
    message = " ".join([t("Gray: its lead without a sentence."), *list_turning_words(result, options)])
    about = t("A half decides by what the sentence adds to the lead, in standard deviations over labeled sentences.")
    st.caption(markup.plain(message), help=about)


def _without_senses(
    in_use: InUse, request: AttributionRequest, answer: Attribution, options: Options, second: Chosen, picture: DeltaGenerator
) -> Attribution:
    """Show which words separate two unlabeled words, or how far each word moves a single one."""
    if second.position is not None:
        answer = view(views.compute_attribution, workspace(in_use), replace(request, other=second.in_context))
    result = answer.influence
    if answer.by == views.BY_MOVE:
        pair, write, legend = (LAYER_COLORS["2"], LAYER_COLORS["2"]), "{:.2f}".format, ""
        values = result.moved[:, :, influence.HALVES.index(options.half)]
        hovers = [t("moves it by {value}", value=write(v)) for v in _at_layer(result, options, values)]
        lines, note = describe_moves(result, options, answer.content), t("1 − cosine to its vector in the full sentence")
        if result.changed:
            word = result.word_at(result.position)
            text = t("“{word}” has no labeled senses here: each word shows how far it moves the vector.", word=word)
            show_html("<p>{} {}</p>", text, t("Type a second sentence to compare."), place=picture)
    else:
        pair, write = (sense_color(0), sense_color(1)), signed
        legend = influence_notices.write_legend_of_two(pair)
        values = np.stack([influence.measure_apart(result, view, options.half) for view in result.views], axis=1)  # (K, V)
        hovers = [t("without it, {value} nearer", value=signed(v)) for v in _at_layer(result, options, values)]
        lines, note = describe_apart(result, options, answer.content, second.word), t("cosine gained without it")
    _mark_words(result, options, values, hovers, pair, legend, picture, write)
    notice(lines)
    with _every_layer():
        _list_layers(result, options, values, pair, note, write)
    return answer


def _every_layer() -> DeltaGenerator:
    return st.expander(t("Every layer"), icon=":material/layers:", key="decided.layers")


def _at_layer(result: Influence, options: Options, values: np.ndarray) -> list[float]:
    return values[:, result.views.index(options.layer)].tolist()


def _mark_words(
    result: Influence, options: Options, values: np.ndarray, hovers: list[str], pair: tuple[str, str], legend: str, place, write=signed
) -> None:
    """Color the words of the sentence by their values (K, V) at the selected layer."""
    numbers = dict(zip(result.changed, _at_layer(result, options, values), strict=True))
    texts = dict(zip(result.changed, hovers, strict=True))
    show_html("{}{}", influence_marks(result.tokens, result.position, numbers, texts, pair, write=write), legend, place=place)


def _list_layers(result: Influence, options: Options, values: np.ndarray, pair: tuple[str, str], note: str, write=signed) -> None:
    """Show the values (K, V) of the words at every layer."""
    names = [model_layers.in_use().short(view) for view in result.views]
    column = result.views.index(options.layer)
    lists.heading(t("Word by word"), pair[0], note)
    show_html("{}", influence_table(result.tokens, result.position, result.changed, values, names, pair, chosen=column, write=write))


def _show_substitutes(in_use: InUse, chosen: Chosen, options: Options, content: frozenset[int]) -> None:
    """Show the changes for a sentence of several words. `content` holds the positions of the content words."""
    blue = LAYER_COLORS["2"]
    note = t("change of substitutes, 0 to 1 (1 − Σ√(p·q))")
    lists.heading(t("Substitutes for “{word}”", word=shorten(bare(chosen.word))), blue, note)
    try:
        request = AttributionRequest(word=chosen.in_context, how=options.how, swap=options.swap)
        changes = view(views.expectation_changes, workspace(in_use), request)
    except ElmoscopeError as error:  # a transformer, or published weights without a softmax
        st.caption(plain(str(error)))
        return
    hovers = {k: f"{_name_change(options)}: {_come_and_go(change)}" for k, change in changes.items()}
    sizes = {k: change.size for k, change in changes.items()}
    show_html("{}", influence_marks(chosen.tokens, chosen.position, sizes, hovers, (blue, blue), write="{:.2f}".format))
    why = substitutes.weakness(chosen.in_context)
    show_html("<p>{} {}</p>", describe_substitutes(chosen.tokens, changes, options, content), weakness(chosen.word, why))
    rows = [
        {t("place"): k + 1, t("word"): chosen.tokens[k], t("change"): round(change.size, 4)}
        | {t("come in"): ", ".join(change.come), t("go"): ", ".join(change.go)}
        for k, change in changes.items()
    ]
    lists.offer_table(rows, name="expectations", label=t("Substitutes as table"), key="decided.expected.table")


def describe_substitutes(tokens: tuple[str, ...], changes: dict[int, Change], options: Options, content: frozenset[int]) -> str:
    """State which content word changes the expected words most, and how."""
    strongest = max(content & changes.keys(), key=lambda k: changes[k].size, default=None)
    if strongest is None or changes[strongest].size < influence.CLEAR:
        return t("No content word changes the substitutes.")
    change = changes[strongest]
    return t(
        "Of the content words, “{word}” changes substitutes most ({size}); {way}: {change}.",
        word=shorten(bare(tokens[strongest])),
        size=f"{change.size:.2f}",
        way=_name_change(options),
        change=_come_and_go(change),
    )


def _name_change(options: Options) -> str:
    if options.how == influence.SWAP:
        return t("with “{swap}” in its place", swap=options.swap)
    return t("without it") if options.how == influence.DROP else t("with it masked")


def _come_and_go(change: Change) -> str:
    """Return for example "company, house come in; shore, hill go"."""
    come, go = ", ".join(change.come), ", ".join(change.go)
    parts = [t("{words} come in", words=come) if come else "", t("{words} go", words=go) if go else ""]
    return "; ".join(filter(None, parts)) or t("nothing changes")
