"""The layer-mix laboratory, a fragment: the instrument of mix_view, which answers while one drags, and what only the server can tell.

A word whose senses nobody labelled has it as soon as every word of the sentences has been read. Until then, and where the reader's
browser cannot run it, Streamlit draws it all: a slider redraws the fragment and nothing else.
"""

from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.analysis import surroundings
from core.analysis.word_maps import map_rows
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import language, t
from core.common.markup import plain
from core.elmo.layer_norm import layer_normalised
from core.elmo.mix import mixed, pulls
from core.figures.maps import cosine_bars, map_figure
from core.figures.measures import accuracy_lines
from core.figures.style import LAYER_COLOURS, OWN, layer_title, mark
from core.figures.surroundings import lean_bars
from core.index import neighbours
from core.index.neighbours import TypeNeighbour
from core.index.table import OccurrenceTable
from core.senses.separation import SenseReport, less
from core.text.tokens import bare
from core.views import levels
from pages._cached import opened
from pages._cached.progress import show_progress
from pages._cached.views import bench
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html, shown_errors
from pages._map import measures, mix_view, mix_words, notices
from pages._widgets import instruments, lists
from pages._widgets.charts import draw, note, weight_bars
from pages._widgets.inputs import Chosen
from pages._widgets.mix_sliders import presets, sliders
from pages._word import verdict_words

NEAREST = 6  # entries of a list
IN_TABLE = 20  # entries of its table twin
PLAIN = "mix.plain"  # in the session: this browser cannot run the instrument
HIDDEN = "<style>.st-key-mix_controls, .st-key-mix-told {display: none;}</style>"  # what is set stands in Streamlit's sliders, and so in the address


def _n() -> int:
    """How many layers are weighed."""
    return model_layers.in_use().n


def _keys() -> list[str]:
    """Of the sliders of raw scores, in the session and in the address."""
    return [f"w{k}" for k in range(_n())]


def _take_preset() -> None:
    if st.session_state.preset:
        for key, value in zip(_keys(), presets(_n())[st.session_state.preset][1], strict=True):
            st.session_state[key] = value


def _moved() -> None:
    st.session_state.preset = None


def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """The laboratory; for a word without labels every word of the sentences is read first, once."""
    asked = tuple(one for one in (first, second) if one.position is not None)
    if not asked:
        st.info(t("There is no word in question yet: type a sentence above to weigh the layers of its word."), icon=":material/edit:")
        return
    in_use = opened.about(in_use, *(one.looked_up for one in asked))
    table = opened.targets(in_use.corpus, in_use.model)
    if any(one.lemma_in(table) is None for one in asked):
        job = opened.table_job(in_use.corpus, in_use.model)
        if job.running:
            show_progress(job, meanwhile=t("Until that is done the labelled words are searched."))
        elif job.error:
            st.warning(plain(job.error))
    _fragment(in_use, asked)


@st.fragment
def _fragment(in_use: InUse, asked: tuple[Chosen, ...]) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        _lab(in_use, asked)


def _lab(in_use: InUse, asked: tuple[Chosen, ...]) -> None:
    table = opened.targets(in_use.corpus, in_use.model)
    word = asked[0].lemma_in(table)
    labelled = word is not None and all(one.lemma_in(table) is not None for one in asked)
    several = labelled and len(table.senses_of(word)) > 1  # of one alone there is nothing to tell apart
    everything = None if several else opened.table_job(in_use.corpus, in_use.model).result
    if (several or everything is not None) and not st.session_state.get(PLAIN) and _n() == table.meta["layers"]:
        _instrument(in_use, table, everything, word, asked)
        return
    controls, shown = st.columns([2, 3], gap="large")
    with controls:
        weights, gamma, normalised = _controls()
    with shown:
        _bars(in_use, weights, normalised)
        _norm(in_use, asked[0], weights, gamma, normalised)
    types = _neighbours(in_use, table, asked, weights, normalised)
    report = None
    if word is not None:
        with suppress(BadInput):
            report = opened.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)), normalised)
    if report is not None:
        _senses_and_map(in_use, table, word, report, weights, normalised)
    else:
        _leans(in_use, asked, types, weights, normalised)


def _instrument(
    in_use: InUse, table: OccurrenceTable, everything: OccurrenceTable | None, word: str | None, asked: tuple[Chosen, ...]
) -> None:
    """What moves under the hand; below it what the server says of the mix that was let go of. `everything`, the table of all words, is
    given where the senses are not labelled."""
    place = st.container()
    st.html(HIDDEN)
    with st.container(key="mix_controls"):
        weights, gamma, normalised = _controls()
    lengths = tuple(opened.layer_lengths(in_use.corpus, in_use.model).tolist())
    names = (in_use.corpus, in_use.model)
    with place:
        if everything is None:
            sent = mix_view.static(*names, asked, word, normalised, lengths, language())
        else:
            sent = mix_words.static(everything, *names, asked, normalised, lengths, language())
        mix_view.live(sent, _take_set)
    if everything is None:
        flat = opened.followed(*names, word, tuple(weights.round(3)), normalised)
        laid = mix_view.laid(in_use, word, asked, weights, flat, normalised)
    else:
        laid = mix_words.laid(everything, *names, asked, weights, normalised)
    state = {
        "w": [st.session_state[key] for key in _keys()],
        "gamma": gamma,
        "norm": normalised,
        "seq": instruments.sequence(mix_view.LIVE),
    }
    instruments.told("mix", state | laid, _take_plain)
    weight_bars(weights, key="mix.bars", shown=False)
    weight_bars(_pulls(in_use, weights, normalised), key="mix.pulls", by_length=True, shown=False)
    if everything is None:
        _told_of_labelled(in_use, table, word, flat, weights, normalised)
    else:
        _told_of_unlabelled(in_use, table, everything, word, asked, weights, normalised)
    tables = [_twin_of(in_use, table, everything, one, weights, normalised) for one in asked]
    name = f"mix-neighbours-{word or bare(asked[0].word)[:24]}"
    lists.twin(pd.concat(tables), name=name, label=t("The neighbours as a table"), key="mix.neighbours")


def _told_of_labelled(in_use: InUse, table: OccurrenceTable, word: str, flat: np.ndarray, weights: np.ndarray, normalised: bool) -> None:
    """What the mix is worth to the word's senses, and the pictures of it for what is taken along."""
    report = opened.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)), normalised)
    map_of, map_alt = _map_picture(table, word, flat)
    note(map_of, key="mix.map", alt=map_alt)
    single, static, scores, scores_alt = _scores(in_use, word, report, normalised)
    note(scores, key="mix.scores", alt=scores_alt)
    _told_of_senses(word, report, single, static, normalised)


def _told_of_unlabelled(
    in_use: InUse,
    table: OccurrenceTable,
    everything: OccurrenceTable,
    word: str | None,
    asked: tuple[Chosen, ...],
    weights: np.ndarray,
    normalised: bool,
) -> None:
    """Which way the listed words lean; where the first sentence's word is labelled after all, what the mix is worth to its senses."""
    near = [one.word for each in asked for one in _nearest_types(in_use, everything, each, weights, normalised, NEAREST)]
    more = []
    if word is not None:
        with suppress(BadInput):
            report = opened.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)), normalised)
            single, _, scores, alt = _scores(in_use, word, report, normalised)
            note(scores, key="mix.scores", alt=alt)
            more = about(word, report, single)
    _leans(in_use, asked, list(dict.fromkeys(near)), weights, normalised, more, shown=False)


def _nearest_types(
    in_use: InUse, everything: OccurrenceTable, one: Chosen, weights: np.ndarray, normalised: bool, k: int
) -> list[TypeNeighbour]:
    query = opened.query(in_use.model, *one.asked)
    found = opened.query_products(everything, query, normalised, types=True)
    return everything.nearest_types(found, weights, k=k)


def _twin_of(
    in_use: InUse, table: OccurrenceTable, everything: OccurrenceTable | None, one: Chosen, weights: np.ndarray, normalised: bool
) -> pd.DataFrame:
    """A list of what is nearest as a table: sentences with the word, or all words."""
    if everything is not None:
        return lists.type_table(_nearest_types(in_use, everything, one, weights, normalised, IN_TABLE), one.text.strip())
    found = opened.query_products(table, opened.query(in_use.model, *one.asked), normalised)
    return lists.neighbour_table(table.nearest(found, weights, k=IN_TABLE, which=neighbours.SAME), one.text.strip())


def _take_set() -> None:
    """What the reader let go of becomes the sliders', which write it into the address."""
    if (given := mix_view.setting(_n())) is None:
        return
    for key, value in zip((*_keys(), "gamma", "norm"), (*given[0], *given[1:]), strict=True):
        st.session_state[key] = value
    st.session_state.preset = None


def _take_plain() -> None:
    st.session_state[PLAIN] = True


def _controls() -> tuple[np.ndarray, float, bool]:
    """Weights, gamma, and whether every layer is normalised before it is weighed."""
    offered = {code: name for code, (name, _) in presets(_n()).items()}
    if st.session_state.get("preset") not in (None, *offered):
        st.session_state.preset = None
    st.pills(t("Presets"), list(offered), format_func=offered.get, key="preset", on_change=_take_preset)
    weights, gamma = sliders(_n(), moved=_moved)
    normalised = st.toggle(
        t("Layer normalisation"),
        key="norm",
        **BOUND,
        help=t(
            "Before it is weighed, each layer's vector of a word less its own mean, over its own standard deviation (Peters et al. 2018, section 3.2). On this page alone."
        ),
    )
    return weights, gamma, normalised


def _layers(layers: np.ndarray, normalised: bool) -> np.ndarray:
    """(..., D) as the mix takes them."""
    return layer_normalised(layers) if normalised else layers


def _lengths(in_use: InUse, normalised: bool) -> np.ndarray:
    """(L,): how long each layer's vectors are, on average."""
    if normalised:
        return np.full(_n(), opened.model(in_use.model).encoder.dim ** 0.5)
    return opened.layer_lengths(in_use.corpus, in_use.model)


def _pulls(in_use: InUse, weights: np.ndarray, normalised: bool) -> np.ndarray:
    return pulls(weights, _lengths(in_use, normalised))


def _bars(in_use: InUse, weights: np.ndarray, normalised: bool) -> None:
    lengths = _lengths(in_use, normalised)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(t("**s = softmax(w)**: the shares of the layers, together 100 %"))
        weight_bars(weights, key="mix.bars")
    with right:
        st.markdown(t("**s times length**: what each layer counts for in the sum"))
        weight_bars(_pulls(in_use, weights, normalised), key="mix.pulls", by_length=True)
    if normalised:
        told = t(
            "With layer normalisation every layer's vector is equally long: √{dim} = {length:.1f}. In the sum, and in every "
            "cosine of it, a layer counts for its weight alone.",
            dim=opened.model(in_use.model).encoder.dim,
            length=lengths[0],
        )
        st.caption(told)
        return
    st.caption(
        t(
            "The layers' vectors are not of one length: {lengths} on average in layers 0 to {last}. In the sum, and in every "
            "cosine of it, a layer counts for its weight times that.",
            lengths=", ".join(f"{length:.1f}" for length in lengths),
            last=len(lengths) - 1,
        )
    )


def _norm(in_use: InUse, chosen: Chosen, weights: np.ndarray, gamma: float, normalised: bool) -> None:
    query = opened.query(in_use.model, *chosen.asked)
    length = float(np.linalg.norm(mixed(_layers(query.layers, normalised), weights)))
    left, right = st.columns(2)
    left.metric(
        t("Length of “{word}”", word=plain(chosen.word, 20)),
        f"{gamma * length:.2f}",
        help=t("The vector's norm: γ times the norm of the weighed sum."),
    )
    right.caption(
        t(
            "γ = {gamma:.1f} makes every vector {gamma:.1f} times as long ({gamma:.1f} × {length:.2f}). It is in the numerator and the "
            "denominator of a cosine alike, so it cancels: the lists below never change with γ. A task needs it to set ELMo's size against its other inputs.",
            gamma=gamma,
            length=length,
        )
    )


def _neighbours(in_use: InUse, table: OccurrenceTable, asked: tuple[Chosen, ...], weights: np.ndarray, normalised: bool) -> list[str]:
    """Both lists: other sentences with a labelled word, else the nearest of all words. Returns the words so listed, each once."""
    everything = None
    types = []
    for number, (column, one, colour) in enumerate(zip(st.columns(2, gap="large"), asked, OWN, strict=False)):
        with column:
            word = bare(one.word)[:24]
            title = (
                t("Nearest to “{word}” in the second sentence", word=word)
                if number
                else t("Nearest to “{word}” in the first sentence", word=word)
            )
            lists.heading(title, colour, one.text.strip()[:140])
            if one.lemma_in(table) is not None:
                found = opened.query_products(table, opened.queries_for(in_use.model, [one.in_context])[0], normalised)
                if same := table.nearest(found, weights, k=NEAREST, which=neighbours.SAME):
                    lists.keyword_lines(same, table.senses_of(one.lemma_in(table) or ""))
                    continue
            everything = everything or opened.table_job(in_use.corpus, in_use.model).result
            if everything is None:
                show_html('<p class="small">{}</p>', t("Every word of the sentences is read first, once; then this list comes by itself."))
                continue
            near = _nearest_types(in_use, everything, one, weights, normalised, NEAREST)
            lists.word_lines([(n.word, n.cosine, "") for n in near])
            types += [n.word for n in near]
    return list(dict.fromkeys(types))


def _leans(
    in_use: InUse,
    asked: tuple[Chosen, ...],
    types: list[str],
    weights: np.ndarray,
    normalised: bool,
    more: Sequence[str] = (),
    *,
    shown: bool = True,
) -> None:
    """Where no sense can be told apart: the cosine of the two words, layer by layer and under this mix, and which way the words lean."""
    if len(asked) < 2:
        notice([t("One sentence has one list; type a second one to see what the mix does to the difference."), *more])
        return
    queries = opened.queries(in_use.model, [one.asked for one in asked])
    first, second = (_layers(query.layers, normalised) for query in queries)
    values = {str(k): surroundings.cosine(first, second, np.eye(len(first))[k]) for k in range(len(first))}
    values["mix"] = surroundings.cosine(first, second, weights)
    left, right = st.columns(2, gap="large") if shown else (st.container(), st.container())
    picture = draw if shown else note
    with left:
        if shown:
            lists.heading(t("How alike are the two words?"), LAYER_COLOURS["mix"], t("cosine in each layer, and under this mix"))
        named = ", ".join(f"{layer_title(name)} {value:.2f}" for name, value in values.items())
        random = levels.means(
            bench(in_use), [name for name in values if name != "mix"], normalised=normalised
        )  # of this very mix the line below tells
        picture(
            cosine_bars(values, chosen="mix", random=random),
            key="mix.cosines",
            alt=t("Bars of the cosine of the two vectors: {values}.", values=named) + verdict_words.random_in_words(random),
        )
        if random and shown:
            st.caption(t("A grey line stands where two random words stand on average."))
    table = opened.table_job(in_use.corpus, in_use.model).result
    near = np.empty((2, 0))
    if table is not None:
        if types:
            layers = _layers(table.types.take(np.array([table.word_codes[word] for word in types])), normalised)
            near = np.array([surroundings.leans(layers, one, np.zeros_like(one), weights) for one in (first, second)])
            order = np.argsort(near[1] - near[0], kind="stable")
            types = [types[k] for k in order]
            near = near[:, order]
            lean = near[0] - near[1]
            with right:
                if shown:
                    lists.heading(
                        t("Which way do the words lean?"), LAYER_COLOURS["mix"], t("cosine with the first less cosine with the second")
                    )
                alt = t("Bars of how much nearer {n} words are to one sentence than to the other.", n=len(types))
                picture(lean_bars([bare(word) for word in types], lean, surroundings.sides(lean), key="mix.lean"), key="mix.leans", alt=alt)
        level = levels.level_of_mix(bench(in_use), weights, normalised=normalised)
        random_here = None if level is None else level.mean
        notice([*notices.of_leans([bare(word) for word in types], near, "mix", values["mix"], random_here), *more])
    else:
        notice([t("The two words' cosine is {cosine:.2f} under this mix.", cosine=values["mix"]), *more])
    table_twin = pd.DataFrame([{t("layer"): t("this mix") if k == "mix" else k, t("cosine"): round(v, 4)} for k, v in values.items()])
    lists.twin(table_twin, name="mix-cosines-normalised" if normalised else "mix-cosines", key="mix.table")


def _senses_and_map(in_use: InUse, table: OccurrenceTable, word: str, report: SenseReport, weights: np.ndarray, normalised: bool) -> None:
    flat = opened.followed(in_use.corpus, in_use.model, word, tuple(weights.round(3)), normalised)
    left, right = st.columns([3, 2], gap="large")
    with left:
        lists.heading(
            t("“{word}” under this mix", word=word),
            LAYER_COLOURS["mix"],
            t("the layers, normalised and mixed, laid out anew by UMAP from where the Map page has them")
            if normalised
            else t("the Map page's layers, mixed, and laid out anew by UMAP from there"),
        )
        figure, alt = _map_picture(table, word, flat)
        draw(figure, key="mix.map", alt=alt)
    with right:
        st.metric(
            t("Nearest sentence has the same meaning"),
            f"{report.one_nn:.0%}",
            help=t("1-NN accuracy over this word's labelled sentences, each left out in turn."),
        )
        if normalised:
            plain_mix = opened.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)))
            st.caption(t("Without layer normalisation the same weights have {share:.0%}.", share=plain_mix.one_nn))
        single, static, figure, alt = _scores(in_use, word, report, normalised)
        draw(figure, key="mix.scores", alt=alt)
    _told_of_senses(word, report, single, static, normalised)


def _map_picture(table: OccurrenceTable, word: str, flat: np.ndarray) -> tuple[go.Figure, str]:
    """The word's dots where this mix has them, and what the picture shows in words."""
    rows = map_rows(table, word)
    occurrences = [table.occurrence(int(r)) for r in rows]
    hovers = [mark(o.tokens, o.position) for o in occurrences]
    figure = map_figure(
        flat, [o.sense for o in occurrences], hovers, rows.tolist(), table.senses_of(word), layer="mix", key=f"mix.{word}", height=400
    )
    return figure, t("A map of {n} sentences with “{word}” under this mix, coloured by meaning.", n=len(rows), word=word)


def _scores(in_use: InUse, word: str, report: SenseReport, normalised: bool) -> tuple[dict, SenseReport | None, go.Figure, str]:
    """Each layer alone, the other words' static vectors, and a picture of both beside this mix with what it shows in words."""
    alone_by = [opened.sense_scores(in_use.corpus, in_use.model, word, tuple(one), normalised) for one in np.eye(_n())]
    single = {str(k): each for k, each in enumerate(alone_by)}
    shares = {name: each.one_nn for name, each in single.items()} | {"mix": report.one_nn}
    static = measures.static_of(in_use, word)
    named = ", ".join(f"{layer_title(name)} {value:.0%}" for name, value in shares.items())
    figure = accuracy_lines({"1-NN": shares}, null=report.null_mean, majority=None, static=static.one_nn if static else None)
    alt = t(
        "Bars of how often the nearest sentence has the same meaning: {named}; chance is {chance:.0%}.",
        named=named,
        chance=report.null_mean,
    )
    return single, static, figure, f"{alt} {measures.static_share(static)}".rstrip()


def _told_of_senses(word: str, report: SenseReport, single: dict, static: SenseReport | None, normalised: bool) -> None:
    """What to notice, and the table twin."""
    notice([*about(word, report, single), *measures.beside_static(report, static, t("this mix"))])
    shares = {name: each.one_nn for name, each in single.items()}
    shares |= {t("this mix"): report.one_nn, t("shuffled labels"): report.null_mean}
    shares |= {t("other words’ static vectors"): static.one_nn} if static else {}
    table_twin = pd.DataFrame([{t("layer"): k, t("1-NN accuracy"): round(v, 4)} for k, v in shares.items()])
    lists.twin(table_twin, name=f"mix-{word}-normalised" if normalised else f"mix-{word}", key="mix.table")


def about(word: str, report: SenseReport, single: dict[str, SenseReport]) -> list[str]:
    """This mix beside the best single layer, sentence by sentence: better, worse, or not decided."""
    best = max(single, key=lambda name: single[name].one_nn)
    difference = less(report, single[best])
    told = {"word": word, "layer": layer_title(best), "alone": single[best].one_nn, "mix": report.one_nn}
    if f"{report.one_nn:.0%}" == f"{single[best].one_nn:.0%}":
        first = t("This mix does as well for “{word}” as the best single layer, {layer} ({alone:.0%}).", **told)
    elif difference.verdict > 0:
        first = t(
            "This mix tells the senses of “{word}” apart better ({mix:.0%}) than any layer alone (best: {layer}, {alone:.0%}).", **told
        )
    elif difference.verdict < 0:
        first = t(
            "Best alone, {layer} does better for “{word}” ({alone:.0%}) than this mix ({mix:.0%}). Give it more weight and see.", **told
        )
    else:
        first = t(
            "For “{word}” this mix has {mix:.0%}, {layer}, the best alone, {alone:.0%}: too close to call ({span}, in points).",
            **told,
            span=difference.span("+.0f"),
        )
    return [first, t("The sliders are judged by the very sentences they are set on, so the best setting you find is optimistic.")]
