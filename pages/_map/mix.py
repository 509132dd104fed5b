"""The Mix page, a fragment: the widget, which reacts to every pixel of a drag, and the results that only the server can compute.

The browser receives what any mix needs at once: `mix.js` weights, ranks and draws. There are two components. One has the constant data, which
Streamlit sends once. A small one has the settings and the layout that only the server can compute. For a word without labels, every token of the
corpus is encoded first.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from scipy.special import softmax

from core.analysis import axes
from core.analysis.random_pairs import mean_random_cosines, random_level_of_mix
from core.classify.tasks import learned_mixes, task_titles
from core.common import model_layers
from core.common.i18n import format_number, language, t
from core.common.markup import shorten
from core.elmo.mix import scores
from core.figures.maps import word_map
from core.figures.measures import cosine_bars
from core.figures.spaces import SIDES, lean_bars
from core.figures.style import OWN, layer_color, layer_title, sense_color
from core.files.artifacts import text_fingerprint
from core.index.neighbors import SAME, TypeNeighbor
from core.live.texts import mix_texts, sense_texts
from core.live.widgets import NEUTRAL, mix_setting, pack_numbers
from core.senses.separation import SenseReport, less
from core.text.tokens import bare
from core.views import mix
from core.views.mix import AnyMix, Mixed, MixRequest
from core.views.neighbors import tabulate_neighbors
from pages._cached import cache
from pages._cached.cache import view_when_read, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, show_html
from pages._frame.parameters import bound
from pages._map import map_view, measures
from pages._widgets import components, lists
from pages._widgets.charts import note, note_weights
from pages._widgets.components import LIMIT, make_component, presets, slider_keys, sliders
from pages._widgets.inputs import Chosen

NEAREST = 6  # entries of a list
IN_TABLE = 20  # entries of its data table
FOLDER = Path(__file__).parent
LIVE = "mix.live"  # key of the component
CIRCLE, DIAMOND = 0, 1  # numbers of live.js's shapes
mix_widget = make_component("mix", FOLDER, "live")  # the component


def _take_preset() -> None:
    if st.session_state.preset:
        for key, value in zip(slider_keys(), presets(model_layers.in_use().n)[st.session_state.preset][1], strict=True):
            st.session_state[key] = value


def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Show the page. For a word without labels, encode every token of the corpus first, once."""
    chosen = tuple(item for item in (first, second) if item.position is not None)
    if not chosen:
        st.info(t("Type a sentence above to start."), icon=":material/edit:")
        return
    over = workspace(in_use)
    if mix.choose_among(over, [item.in_context for item in chosen]) != SAME:
        cache.show_meanwhile(over, t("Until then, only labeled words are searched."))
    _show_mix(in_use, chosen)


@fragment
def _show_mix(in_use: InUse, chosen: tuple[Chosen, ...]) -> None:
    """Show the widget, and below it the server's results for the mix that the user set."""
    over = workspace(in_use)
    labeled = mix.choose_among(over, [item.in_context for item in chosen]) == SAME
    place = st.container()
    components.hide("mix", "mix_controls")
    with st.container(key="mix_controls"):
        offered = {code: name for code, (name, _) in presets(model_layers.in_use().n).items()}
        if st.session_state.get("preset") not in (None, *offered):
            st.session_state.preset = None
        st.pills(t("Presets"), list(offered), format_func=offered.get, key="preset", on_change=_take_preset)
        weights, gamma = sliders(model_layers.in_use().n, moved=lambda: st.session_state.update(preset=None))
        normalized = st.toggle(t("Layer normalization"), **bound("norm"), help=norm_help())
    if not labeled and over.every_token is None:
        with place:
            show_html('<p class="small">{}</p>', t("This list appears once all sentences are read."))
        return
    words = tuple(item.in_context for item in chosen)
    with st.spinner(t("Drawing the map…")):
        request = MixRequest(words=words, weights=tuple(weights.tolist()), normalized=normalized, k=IN_TABLE, every_token=not labeled)
        result = view_when_read(mix.compute, over, request)
    request = MixRequest(weights=(), words=words, normalized=normalized)
    with place:
        of_any = view_when_read(mix.of_any, over, request, most=24)
        senses = over.targets.senses_of(of_any.lemma) if of_any.lemma else ()
        data = over.opener.memo.value("mix sent", (of_any, chosen, language()), lambda: widget_data(of_any, senses, chosen), most=24)
        mix_widget(key=LIVE, data=data, on_set_change=_take_set)
    state = {"w": [st.session_state[key] for key in slider_keys()], "gamma": gamma, "norm": normalized, "seq": components.sequence(LIVE)}
    if result.coordinates is not None:
        state |= {"layout": np.ravel(result.coordinates).round(4).tolist(), "stars": result.stars.round(4).tolist()}
    components.send("mix", state)
    note_weights(weights, key="mix.bars")
    note_weights(result.pulls, key="mix.pulls", by_length=True)
    if labeled:
        word, dots = result.lemma, result.occurrences
        figure = word_map(dots, result.coordinates, senses, word, layer="mix", key=f"mix.{word}", height=400)
        note(figure, key="mix.map", alt=sense_texts(model_layers.in_use(), word, len(dots))["map"])
    if result.report is not None:
        figure, alt = measures.accuracy({**result.by_layer, "mix": result.report}, result.static, base=result.report, majority=False)
        note(figure, key="mix.scores", alt=alt)
    if labeled:
        _notice_senses(result, normalized)
    else:
        more = compare_layers(result.lemma, result.report, result.by_layer) if result.report is not None else []
        _notice_leans(in_use, result, weights, normalized, more)
    tables = [tabulate_neighbors(neighbors, item.text.strip()) for item, neighbors in zip(chosen, result.neighbors, strict=True)]
    name = f"mix-neighbors-{result.lemma or bare(chosen[0].word)[:24]}"
    lists.offer_table(pd.concat(tables), name=name, label=t("Table of neighbors"), key="mix.neighbors")


def _take_set() -> None:
    """Copy the weights from the widget to the sliders, which write them into the URL."""
    if (setting := mix_setting(components.get_settings(LIVE), model_layers.in_use().n, LIMIT)) is None:
        return
    for key, value in zip((*slider_keys(), "gamma", "norm"), (*setting[0], *setting[1:]), strict=True):
        st.session_state[key] = value
    st.session_state.preset = None


def _notice_leans(in_use: InUse, result: Mixed, weights: np.ndarray, normalized: bool, more: Sequence[str]) -> None:
    """State, for a word without separate senses, the cosine of the two words in each layer and this mix, and which sentence words are nearer to."""
    values = result.cosines
    if not values:
        notice([t("Add a second sentence to compare the two."), *more])
        return
    named = ", ".join(f"{layer_title(name)} {value:.2f}" for name, value in values.items())
    # The line below has the random pairs of this very mix.
    random = mean_random_cosines(workspace(in_use), [name for name in values if name != "mix"], normalized=normalized)
    alt = t("Bars of cosine: {values}.", values=named)
    if means := ", ".join(f"{layer_title(name)} {format_number(mean, '.2f')}" for name, mean in random.items()):
        alt += " " + t("Average of random pairs: {values}.", values=means)
    note(cosine_bars(values, chosen="mix", random=random), key="mix.cosines", alt=alt)
    listed = {n.word for neighbors in result.neighbors for n in neighbors[:NEAREST] if isinstance(n, TypeNeighbor)}
    rows = [k for k, word in enumerate(result.spellings) if word in listed]
    words = [bare(word) for word in result.spellings]
    if rows:
        lean = result.leans[0, rows] - result.leans[1, rows]
        alt = t("Cosine difference of {n} words, as bars.", n=len(rows))
        note(lean_bars([words[k] for k in rows], lean, axes.sides(lean), key="mix.lean"), key="mix.leans", alt=alt)
    level = random_level_of_mix(workspace(in_use), weights, normalized=normalized)
    notice([*measures.describe_leans(words, result.leans, "mix", values["mix"], None if level is None else level.mean), *more])
    rows = [{t("layer"): t("this mix") if k == "mix" else k, t("cosine"): round(v, 4)} for k, v in values.items()]
    lists.offer_table(rows, name="mix-cosines-normalized" if normalized else "mix-cosines", key="mix.table")


def _notice_senses(result: Mixed, normalized: bool) -> None:
    word, report, static = result.lemma, result.report, result.static
    notice([*compare_layers(word, report, result.by_layer), *measures.compare_with_static(report, static, t("this mix"))])
    shares = {name: single.one_nn for name, single in result.by_layer.items()}
    shares[t("this mix")] = report.one_nn
    shares[t("shuffled labels")] = report.null_mean
    if static:
        shares[t("other words’ static vectors")] = static.one_nn
    rows = [{t("layer"): k, t("1-NN accuracy"): round(v, 4)} for k, v in shares.items()]
    lists.offer_table(rows, name=f"mix-{word}-normalized" if normalized else f"mix-{word}", key="mix.table")


def compare_layers(word: str, report: SenseReport, single: dict[str, SenseReport]) -> list[str]:
    """Compare this mix with the best single layer, sentence by sentence: better, worse or inconclusive.

    Then state the limits of the comparison.
    """
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


def widget_data(any_mix: AnyMix, senses: Sequence[str], chosen: tuple[Chosen, ...]) -> dict:
    """Return as JSON all that a mix of these sentences needs, and the texts of the widget. Braces mark values that it fills in.

    For a word without labels, `mix.js` colors a point by the nearer sentence under the visible mix, so both sentences have the same candidates.
    """
    layers = model_layers.in_use()
    n_layers = len(any_mix.lengths)
    word = any_mix.lemma or shorten(bare(chosen[0].word), 24)
    numbers = {k: senses.index(o.sense) if o.sense in senses else -1 for k, o in any_mix.examples.items()}
    names = [(sense, sense_color(k)) for k, sense in enumerate(senses)]
    if any_mix.lemma is None:
        numbers = {k: DIAMOND if k >= 0 else CIRCLE for k in any_mix.examples}
        names = [*zip(map_view.side_names(), (SIDES[1], SIDES[2], NEUTRAL), strict=True)] if len(chosen) > 1 else []
    data = {
        "few": model_layers.FEW,
        "colors": [layer_color(str(k)) for k in range(n_layers)],
        "asked": [
            {"title": t("Nearest to “{word}”, sentence {number}", word=shorten(bare(item.word), 24), number=k + 1)}
            | {"text": item.text.strip()[:200], "color": OWN[k], "rows": part.rows.tolist()}
            | {name: pack_numbers(getattr(part, name)) for name in ("cross", "grams", "own")}
            | ({} if any_mix.lemma else {"listed": any_mix.listed, "itself": any_mix.itself[k]})
            for k, (item, part) in enumerate(zip(chosen, any_mix.candidates, strict=True))
        ],
        "between": None if any_mix.between is None else pack_numbers(any_mix.between),
        "presets": [  # the last one shows that softmax depends only on differences
            {"name": name, "w": w, "title": t("w = {w}", w=", ".join(f"{x:g}" for x in w))}
            for name, w in [*presets(n_layers).values(), (t("all −6"), [-LIMIT] * n_layers)]
        ],
        "marks": [  # where the classifiers that ship learned to set the sliders
            {"name": task_titles()[task], "w": (w := scores(shares, LIMIT)).tolist(), "s": softmax(w).round(3).tolist()}
            for task, shares in learned_mixes(n_layers).items()
        ],
        "pairs": None if any_mix.pairs is None else pack_numbers(any_mix.pairs),
        "chance": any_mix.chance,
        "map": {
            "rows": any_mix.ids.tolist(),
            "layers": [np.ravel(flat).round(4).tolist() for flat in any_mix.coordinates],
            "stars": [
                {"asked": k, "label": t("yours, {number}", number=k + 1), "layers": np.asarray(place).round(4).tolist()}
                for k, place in any_mix.stars.items()
            ],
        },
        "lines": {str(k): (*o.around(), numbers[k]) for k, o in any_mix.examples.items()},
        "senses": [{"name": name, "color": color} for name, color in names],
        "text": mix_texts(layers, word)
        | {"norm_help": norm_help()}
        | (sense_texts(layers, word, len(any_mix.ids)) if any_mix.lemma else _side_texts(any_mix, word)),
    }
    if any_mix.lemma is None:
        data["close"] = axes.CLOSE
    else:
        data["text"]["about_map"] = t("Release a slider and UMAP redraws the map. Lines: the listed sentences.")
    return data | {"key": text_fingerprint([repr(data)])[:16]}


def norm_help() -> str:
    return t("Each layer’s vector minus its mean, over its standard deviation (Peters et al. 2018, section 3.2); on this page only.")


def _side_texts(any_mix: AnyMix, word: str) -> dict:
    n = len(any_mix.ids)
    n_occurrences = any_mix.occurrences
    points = t("Circles: words (means). Diamonds: occurrences of “{word}” ({n}).", word=word, n=n_occurrences)
    if not n_occurrences:
        points = t("Circles: words (means); “{word}” occurs nowhere else in your corpus.", word=word)
    moves = t("PCA, redrawn when you release.")
    sides = t("Add a second sentence to compare the two.")
    if len(any_mix.candidates) > 1:
        braces = {name: "{" + name + "}" for name in ("first", "second", "neither")}
        values = braces | {"n": n, "close": axes.CLOSE}
        sides = t("Of {n} points, {first} are nearer the first, {second} the second, {neither} neither (within {close}).", **values)
    return {
        "map": t("Map of “{word}” in this mix: {n} words and sentences.", n=n, word=word),
        "about_map": f"{points} {moves}",
        "unlabeled": t("“{word}” has no labels, so no accuracy.", word=word),
        "sides": sides,
    }
