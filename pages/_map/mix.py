"""The layer-mix laboratory, a fragment: the instrument of mix_view, which answers while one drags, and what only the server can tell.

A word whose senses nobody labeled has it as soon as every word of the sentences has been read. Until then, and where the reader's
browser cannot run it, Streamlit draws it all: a slider redraws the fragment and nothing else.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import surroundings
from core.common import model_layers
from core.common.i18n import language, t
from core.common.markup import plain
from core.figures.maps import cosine_bars
from core.figures.style import LAYER_COLOURS, OWN, layer_title
from core.figures.surroundings import lean_bars
from core.index.neighbours import SAME, Neighbour, TypeNeighbour
from core.index.table import OccurrenceTable
from core.live.settings import mix_setting
from core.live.texts import sense_texts
from core.senses.separation import SenseReport, less
from core.text.tokens import bare
from core.views import layouts, levels, mix
from core.views.mix import AnyMixRequest, Mixed, MixRequest
from core.workbench import Bench
from pages._cached.views import bench
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._map import measures, mix_view, notices
from pages._widgets import instruments, lists
from pages._widgets.charts import draw, note, weight_bars
from pages._widgets.inputs import Chosen
from pages._widgets.mix_sliders import LIMIT, presets, slider_keys, sliders
from pages._word import atlas, reading, verdict_words
from pages._word.reading import view_when_read

NEAREST = 6  # entries of a list
IN_TABLE = 20  # entries of its table twin


def _take_preset() -> None:
    if st.session_state.preset:
        for key, value in zip(slider_keys(), presets(model_layers.in_use().n)[st.session_state.preset][1], strict=True):
            st.session_state[key] = value


def _note_move() -> None:
    st.session_state.preset = None


def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """The laboratory; for a word without labels every word of the sentences is read first, once."""
    chosen = tuple(item for item in (first, second) if item.position is not None)
    if not chosen:
        st.info(t("Type a sentence above to start."), icon=":material/edit:")
        return
    over = bench(in_use).about(*(item.in_context for item in chosen))
    if any(item.lemma_in(over.targets) is None for item in chosen):
        reading.show_meanwhile(over, t("Until then, only labeled words are searched."))
    _fragment(in_use, chosen)


@st.fragment
def _fragment(in_use: InUse, chosen: tuple[Chosen, ...]) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        _lab(in_use, chosen)


def _lab(in_use: InUse, chosen: tuple[Chosen, ...]) -> None:
    over = bench(in_use).about(*(item.in_context for item in chosen))
    table = over.targets
    labelled = mix.choose_among(over, [item.in_context for item in chosen]) == SAME
    everything = None if labelled else bench(in_use).every_token
    if (labelled or everything is not None) and not instruments.is_plain("mix") and model_layers.in_use().n == table.meta["layers"]:
        _instrument(in_use, over, chosen, labelled=labelled)
        return
    controls, picture = st.columns([2, 3], gap="large")
    with controls:
        weights, gamma, normalised = _controls()
    result = _mix(in_use, chosen, weights, normalised, among=SAME, whole=everything is not None)
    with picture:
        _bars(in_use, result, weights, normalised)
        _norm(chosen[0], result, gamma)
    _neighbours(table, chosen, result)
    if result.report is not None:
        _senses_and_map(over, result, weights, normalised)
    else:
        _leans(in_use, result, weights, normalised, read=everything is not None)


def _mix(in_use: InUse, chosen: tuple[Chosen, ...], weights: np.ndarray, normalised: bool, *, among: str = "", whole: bool = True) -> Mixed:
    words, shares = tuple(word.in_context for word in chosen), tuple(weights.tolist())
    with st.spinner(t("Drawing the map…")):
        return view_when_read(
            mix.compute, bench(in_use), MixRequest(words=words, weights=shares, normalised=normalised, among=among, k=IN_TABLE, whole=whole)
        )


def _instrument(in_use: InUse, over: Bench, chosen: tuple[Chosen, ...], *, labelled: bool) -> None:
    """What moves under the hand; below it what the server says of the mix that was let go of."""
    place = st.container()
    instruments.hide("mix", "mix_controls")
    with st.container(key="mix_controls"):
        weights, gamma, normalised = _controls()
    result = _mix(in_use, chosen, weights, normalised, whole=not labelled)
    request = AnyMixRequest(words=tuple(one.in_context for one in chosen), normalised=normalised)
    with place:
        of_any = view_when_read(mix.of_any, bench(in_use), request, most=24)
        senses = over.targets.senses_of(of_any.lemma) if of_any.lemma else ()
        data = over.opener.memo.value("mix sent", (of_any, chosen, language()), lambda: mix_view.static(of_any, senses, chosen), most=24)
        mix_view.live(key=mix_view.LIVE, data=data, on_set_change=_take_set)
    state = {
        "w": [st.session_state[key] for key in slider_keys()],
        "gamma": gamma,
        "norm": normalised,
        "seq": instruments.sequence(mix_view.LIVE),
    }
    if result.coordinates is not None:
        state |= {"layout": np.ravel(result.coordinates).round(4).tolist(), "stars": result.stars.round(4).tolist()}
    instruments.send("mix", state)
    weight_bars(weights, key="mix.bars", shown=False)
    weight_bars(result.pulls, key="mix.pulls", by_length=True, shown=False)
    if labelled:
        figure, alt = _map_picture(result, senses)
        note(figure, key="mix.map", alt=alt)
    if result.report is not None:
        figure, alt = measures.accuracy({**result.alone, "mix": result.report}, result.static, of=result.report, majority=False)
        note(figure, key="mix.scores", alt=alt)
    if labelled:
        _notice_senses(result, normalised)
    else:
        more = compare_layers(result.lemma, result.report, result.alone) if result.report is not None else []
        _leans(in_use, result, weights, normalised, more, read=True, shown=False)
    tables = [_twin_of(item, near) for item, near in zip(chosen, result.near, strict=True)]
    name = f"mix-neighbours-{result.lemma or bare(chosen[0].word)[:24]}"
    lists.twin(pd.concat(tables), name=name, label=t("Table of neighbors"), key="mix.neighbours")


def _twin_of(item: Chosen, near: tuple[Neighbour, ...] | tuple[TypeNeighbour, ...]) -> pd.DataFrame:
    """A list of what is nearest as a table: sentences with the word, or all words."""
    in_table = lists.type_table if near and isinstance(near[0], TypeNeighbour) else lists.neighbour_table
    return in_table(near, item.text.strip())


def _take_set() -> None:
    """What the reader let go of becomes the sliders', which write it into the address."""
    if (given := mix_setting(instruments.get_settings(mix_view.LIVE), model_layers.in_use().n, LIMIT)) is None:
        return
    for key, value in zip((*slider_keys(), "gamma", "norm"), (*given[0], *given[1:]), strict=True):
        st.session_state[key] = value
    st.session_state.preset = None


def _controls() -> tuple[np.ndarray, float, bool]:
    """Weights, gamma, and whether every layer is normalized before it is weighed."""
    offered = {code: name for code, (name, _) in presets(model_layers.in_use().n).items()}
    if st.session_state.get("preset") not in (None, *offered):
        st.session_state.preset = None
    st.pills(t("Presets"), list(offered), format_func=offered.get, key="preset", on_change=_take_preset)
    weights, gamma = sliders(model_layers.in_use().n, moved=_note_move)
    normalised = st.toggle(t("Layer normalization"), key="norm", **BOUND, help=mix_view.norm_help())
    return weights, gamma, normalised


def _bars(in_use: InUse, result: Mixed, weights: np.ndarray, normalised: bool) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(t("**s = softmax(w)**: layer weights, in sum 100%"))
        weight_bars(weights, key="mix.bars")
    with right:
        st.markdown(t("**s × length**: effective share"))
        weight_bars(result.pulls, key="mix.pulls", by_length=True)
    if normalised:
        caption = t(
            "Normalized vectors all have length √{dim} = {length:.1f}, so only the weights count.",
            dim=bench(in_use).model.encoder.dim,
            length=result.lengths[0],
        )
        st.caption(caption)
        return
    st.caption(
        t(
            "Mean vector lengths, layers 0 to {last}: {lengths}. A layer counts for its weight times its length.",
            lengths=", ".join(f"{length:.1f}" for length in result.lengths),
            last=len(result.lengths) - 1,
        )
    )


def _norm(chosen: Chosen, result: Mixed, gamma: float) -> None:
    left, right = st.columns(2)
    left.metric(
        t("Length of “{word}”", word=plain(chosen.word, 20)), f"{gamma * result.norm:.2f}", help=t("γ times the norm of the weighted sum.")
    )
    right.caption(
        t("γ scales every vector ({gamma:.1f} × {length:.2f}); cosines and lists do not change.", gamma=gamma, length=result.norm)
    )


def _neighbours(table: OccurrenceTable, chosen: tuple[Chosen, ...], result: Mixed) -> None:
    """Both lists: other sentences with a labeled word, else the nearest of all words."""
    for number, (column, item, colour, near) in enumerate(zip(st.columns(2, gap="large"), chosen, OWN, result.near, strict=False)):
        with column:
            lists.heading(mix_view.title_of(item, number), colour, item.text.strip()[:140])
            if near is None:
                show_html('<p class="small">{}</p>', t("This list appears once all sentences are read."))
            elif near and isinstance(near[0], TypeNeighbour):
                lists.word_lines([(n.word, n.cosine, "") for n in near[:NEAREST]])
            else:
                lists.keyword_lines(near[:NEAREST], table.senses_of(item.lemma_in(table) or ""))


def _leans(
    in_use: InUse, result: Mixed, weights: np.ndarray, normalised: bool, more: Sequence[str] = (), *, read: bool, shown: bool = True
) -> None:
    """Where no sense can be told apart: the cosine of the two words, layer by layer and under this mix, and which way the words lean.
    `read`: whether every word of the sentences has been."""
    values = result.cosines
    if not values:
        notice([t("Add a second sentence to compare the two."), *more])
        return
    left, right = st.columns(2, gap="large") if shown else (st.container(), st.container())
    picture = draw if shown else note
    with left:
        if shown:
            lists.heading(t("How similar are the two words?"), LAYER_COLOURS["mix"], t("cosine per layer and in this mix"))
        named = ", ".join(f"{layer_title(name)} {value:.2f}" for name, value in values.items())
        random = levels.means(
            bench(in_use), [name for name in values if name != "mix"], normalised=normalised
        )  # of this very mix the line below tells
        picture(
            cosine_bars(values, chosen="mix", random=random),
            key="mix.cosines",
            alt=t("Bars of cosine: {values}.", values=named) + verdict_words.random_in_words(random),
        )
        if random and shown:
            st.caption(t("Short line: average of random pairs."))
    if read:
        listed = {n.word for near in result.near for n in near[:NEAREST] if isinstance(n, TypeNeighbour)}
        drawn = [k for k, word in enumerate(result.spellings) if word in listed]
        words = [bare(word) for word in result.spellings]
        if drawn:
            lean = result.leans[0, drawn] - result.leans[1, drawn]
            with right:
                if shown:
                    lists.heading(t("Nearer to which sentence?"), LAYER_COLOURS["mix"], t("cosine with the first minus the second"))
                alt = t("Cosine difference of {n} words, as bars.", n=len(drawn))
                picture(lean_bars([words[k] for k in drawn], lean, surroundings.sides(lean), key="mix.lean"), key="mix.leans", alt=alt)
        level = levels.level_of_mix(bench(in_use), weights, normalised=normalised)
        notice([*notices.of_leans(words, result.leans, "mix", values["mix"], None if level is None else level.mean), *more])
    else:
        notice([notices.compare_cosine("mix", values["mix"], None), *more])
    table_twin = pd.DataFrame([{t("layer"): t("this mix") if k == "mix" else k, t("cosine"): round(v, 4)} for k, v in values.items()])
    lists.twin(table_twin, name="mix-cosines-normalised" if normalised else "mix-cosines", key="mix.table")


def _senses_and_map(over: Bench, result: Mixed, weights: np.ndarray, normalised: bool) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        lists.heading(t("“{word}” in this mix", word=result.lemma), LAYER_COLOURS["mix"], t("UMAP, started from the Map page"))
        figure, alt = _map_picture(result, over.targets.senses_of(result.lemma))
        draw(figure, key="mix.map", alt=alt)
    with right:
        st.metric(
            t("Nearest sentence: same sense"),
            f"{result.report.one_nn:.0%}",
            help=t("1-NN accuracy over labeled sentences, each left out in turn."),
        )
        if normalised:
            as_it_is = layouts.report_of(over, result.lemma, weights)
            st.caption(t("Without layer normalization: {share:.0%}.", share=as_it_is.one_nn))
        figure, alt = measures.accuracy({**result.alone, "mix": result.report}, result.static, of=result.report, majority=False)
        draw(figure, key="mix.scores", alt=alt)
    _notice_senses(result, normalised)


def _map_picture(result: Mixed, senses: Sequence[str]) -> tuple[go.Figure, str]:
    """The word's dots where this mix has them, and what the picture shows in words."""
    word, dots = result.lemma, result.occurrences
    figure = atlas.word_map(dots, result.coordinates, senses, word, layer="mix", key=f"mix.{word}", height=400)
    return figure, sense_texts(model_layers.in_use(), word, len(dots))["map"]


def _notice_senses(result: Mixed, normalised: bool) -> None:
    """What to notice, and the table twin."""
    word, report, static = result.lemma, result.report, result.static
    notice([*compare_layers(word, report, result.alone), *measures.compare_with_static(report, static, t("this mix"))])
    shares = {name: each.one_nn for name, each in result.alone.items()}
    shares |= {t("this mix"): report.one_nn, t("shuffled labels"): report.null_mean}
    shares |= {t("other words’ static vectors"): static.one_nn} if static else {}
    table_twin = pd.DataFrame([{t("layer"): k, t("1-NN accuracy"): round(v, 4)} for k, v in shares.items()])
    lists.twin(table_twin, name=f"mix-{word}-normalised" if normalised else f"mix-{word}", key="mix.table")


def compare_layers(word: str, report: SenseReport, single: dict[str, SenseReport]) -> list[str]:
    """Compare this mix with the best single layer, sentence by sentence: better, worse, or not decided; then the limits of that."""
    best = max(single, key=lambda name: single[name].one_nn)
    difference = less(report, single[best])
    values = {"word": word, "layer": layer_title(best), "alone": single[best].one_nn, "mix": report.one_nn}
    limits = [t("Your best setting is optimistic: it is tested on the same sentences.")]
    if f"{report.one_nn:.0%}" == f"{single[best].one_nn:.0%}":
        first = t("For “{word}”, this mix matches the best single layer, {layer} ({alone:.0%}).", **values)
    elif difference.verdict > 0:
        first = t("For “{word}”, this mix ({mix:.0%}) beats every single layer (best: {layer}, {alone:.0%}).", **values)
    elif difference.verdict < 0:
        first = t("For “{word}”, {layer} ({alone:.0%}) beats this mix ({mix:.0%}): give it more weight.", **values)
    else:
        first = t("For “{word}”, this mix ({mix:.0%}) against {layer} ({alone:.0%}) is inconclusive.", **values)
        limits.append(t("Difference in points: {span}; p = {p:.2f}.", span=difference.span("+.0f"), p=difference.p))
    return [first, *limits]
