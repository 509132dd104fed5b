"""Compare: two models, layers, vector files or corpora, by how many neighbors their words share, and how well two models separate senses."""

from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from core.common.config import ASSETS
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import BOX
from core.common.markup import html, shorten
from core.common.model_layers import MIX, SENSES
from core.common.significance import LEVEL, format_p
from core.elmo.models import weights_files
from core.figures.spaces import Line, cka_heat, depth_figure, overlap_histogram
from core.figures.style import GLOVE, layer_color, layer_title
from core.files import registry
from core.files.artifacts import read_json
from core.text import languages
from core.text.corpora import sentences_of
from core.views import compare
from core.views.compare import MARK, CompareRequest, Measured, SpaceName, SpacesCompared, as_read, find_form, is_same, list_spaces
from pages._cached import cache, shared_jobs
from pages._cached.cache import version, view, workspace
from pages._cached.shared_jobs import follow_index, show_index_state
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse, corpus_box, layers_of
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors
from pages._frame.parameters import bound
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import offer_examples

MEASURED = ASSETS / "results" / "layers.json"
JOB = "two models measured"
MOST_JOBS = 4  # pairs of models whose measures stay in memory
SPACES, CORPORA = "spaces", "corpora"
OFFERED = 8  # words one click away


def show(in_use: InUse) -> None:
    chosen = _inputs(in_use)
    if chosen is None:
        return
    sides, running = readable(chosen)
    _show_reading(sides, running)
    result = None
    if None not in sides:
        with st.spinner(t("Comparing words…"), show_time=True):
            result = view(compare.compute, workspace(in_use), CompareRequest(first=sides[0], second=sides[1]), most=16)
    if result is None:
        if None not in sides:  # a table was dropped in the meantime: it is encoded again
            sides, running = readable(chosen)
            if not running:
                st.rerun()
            _show_reading(sides, running)
        notice([t("Comparison starts when all words are read.")])
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(t("**How many of {k} neighbors are shared?**", k=result.comparison.k))
        comparison = result.comparison
        alt = t(
            "Histogram: of {k} neighbors, {n:,} words share {mean:.1f} on average.",
            n=len(comparison.words),
            k=comparison.k,
            mean=float(comparison.shared.mean()),
        )
        draw(overlap_histogram(comparison.shared, comparison.k, comparison.chance), key="compare.overlap", alt=alt)
    with right:
        st.markdown(t("**How alike are the spaces?** CKA, 0 to 1"))
        alt = t("Linear CKA of every two spaces; these two {cka:.2f}.", cka=result.cka_pair)
        draw(cka_heat(result.cka_names, result.cka), key="compare.cka", alt=alt)
    notice(write_notices(result))
    if small := describe_halves(result):
        st.caption(" ".join(small))
    word_in_both(result, is_read=not running)
    if all(item.layer for item in chosen):
        with show_errors():  # the lists stay if the measures fail
            show_models(chosen)
        show_measured()
    order = result.comparison.most_changed()
    lists.offer_table(result.table(order), name="compare", label=t("Show as table"), key="compare.twin")


def _show_reading(sides: tuple[SpaceName | None, ...], running: list[tuple[Job, SpaceName]]) -> None:
    """Show the progress of the tables that are being encoded, and how to resume one."""
    for job, side in running:
        if job.is_running:
            waits = side.labeled not in sides
            follow_index(job, meanwhile="" if waits else t("Until then: labeled words only."))
    for job, side in [(job, side) for job, side in running if not job.is_running][:1]:
        show_index_state(job, lambda side=side: cache.go_on(side.corpus, side.source))


def default_sides(in_use: InUse) -> tuple[str, str]:
    """Return what is compared by default: both selected models, else the static vectors and the model."""
    first = f"{in_use.model}{MARK}{layers_of(in_use.model).top}"
    if not in_use.other_model:
        return in_use.vectors, first
    return first, f"{in_use.other_model}{MARK}{layers_of(in_use.other_model).top}"


def _inputs(in_use: InUse) -> tuple[SpaceName, SpaceName] | None:
    places = st.columns([3, 3, 3], vertical_alignment="bottom")
    names = {SPACES: t("models, vectors"), CORPORA: t("corpora")}
    what = choice("cmp", t("Compare two"), names, SPACES, place=places[0])
    if what != CORPORA:
        offered = list_spaces()
        mine = default_sides(in_use)
        options = [*(item for item in mine if item not in offered), *offered]
        about = t("Vectors, a model and layer, or a path such as “/models/mine · 1”. Model words are averages over your corpus.")
        texts = [
            place.selectbox(label, options, index=options.index(item), **bound(key), accept_new_options=True, help=about)
            for place, label, item, key in zip(places[1:], (t("First"), t("Second")), mine, ("first", "second"), strict=True)
        ]
        if not all(texts):
            raise BadInput(t("Choose two, or type a path."))
        st.session_state["compare.spaces"] = [texts[0], in_use.corpus, texts[1], in_use.corpus]  # for the notebook
        first, second = (compare.space_named(text, in_use.corpus) for text in texts)
        if is_same(first, second):
            notice([t("Both sides are one space. Choose two different ones.")])
            return None
        return first, second
    options = list(dict.fromkeys([*registry.available("corpus"), in_use.corpus]))
    layer = layers_of(in_use.model).top
    hint = t("Choose, or type a path")
    texts = [
        corpus_box("first_corpus", t("First corpus"), options, in_use.corpus, place=places[1], placeholder=hint),
        corpus_box("second_corpus", t("Second corpus"), options, None, place=places[2], placeholder=hint),
    ]
    space = f"{in_use.model}{MARK}{layer}"
    st.session_state["compare.spaces"] = [space, texts[0], space, texts[1]]
    first, second = (SpaceName(in_use.model, layer, text.strip()) for text in texts)
    if not all(texts) or is_same(first, second):
        values = {"model": in_use.model, "where": layer_title(layer)}
        notice([t("Choose a second corpus. Words with 3 or more occurrences in both are compared ({where} of {model}).", **values)])
        return None
    return first, second


def readable(sides: tuple[SpaceName, ...]) -> tuple[tuple[SpaceName | None, ...], list[tuple[Job, SpaceName]]]:
    """Return each space as far as it can be compared now (core.views.compare.as_read), and the unfinished jobs."""
    running: list[tuple[Job, SpaceName]] = []

    def is_read(side: SpaceName) -> bool:
        job = cache.table_job(side.corpus, side.source)
        if job.error and not job.why_ended:
            raise BadInput(job.error)
        if job.result is None and job not in [unfinished for unfinished, _ in running]:
            running.append((job, side))
        return job.result is not None

    return as_read(sides, is_read), running


def write_notices(result: SpacesCompared) -> list[str]:
    comparison = result.comparison
    a, b = result.names
    values = {
        "k": comparison.k,
        "mean": float(comparison.shared.mean()),
        "a": a,
        "b": b,
        "n": len(comparison.words),
        "luck": comparison.chance * comparison.k,
    }
    first = t("{a} and {b} share <b>{mean:.1f}</b> of a word’s {k} neighbors on average ({n:,} words, chance {luck:.2f})", **values)
    is_all = float((comparison.shared == comparison.k).mean()) > 0.99
    second = (
        t("nearly every list is identical") if is_all else t("{none:.0%} of words share none", none=float((comparison.shared == 0).mean()))
    )
    values = {"cka": result.cka_pair, "luck": round(result.paired.random, 2) + 0.0, "p": format_p(result.paired.p), "n": result.paired.n}
    last = t("Linear CKA, debiased, is <b>{cka:.2f}</b> (with {n:,} words shuffled {luck:.2f}, {p}).", **values)
    if result.paired.p > LEVEL:
        last = t("Linear CKA, debiased, is <b>{cka:.2f}</b>: inconclusive (with {n:,} words shuffled {luck:.2f}, {p}).", **values)
    return [html("{}; {}.", first, second), last]


def describe_halves(result: SpacesCompared) -> list[str]:
    """State how far each side differs from itself, and how far words moved between corpora."""
    lines = []
    for name, mean, n in result.halves:  # of fewer words than the two spaces, so that chance is higher
        values = {"name": name, "mean": mean, "n": n, "luck": min(result.comparison.k, n - 1) ** 2 / (n - 1)}
        lines.append(t("Two halves of {name} share {mean:.1f} neighbors ({n:,} words, chance {luck:.2f}).", **values))
    if result.shared:
        lines.append(t("Sentences in both corpora, which makes their words alike: {n:,}.", n=result.shared))
    shift = result.shift
    if shift is not None and (measured := ~np.isnan(shift.within)).any():
        values = {name: float(getattr(shift, name)[measured].mean()) for name in ("excess", "between", "within")}
        lines.append(t("1 − cosine: {between:.2f} between corpora, {within:.2f} between halves ({excess:+.2f}).", **values))
        lines.append(t("{share:.0%} of words moved more than halves do.", share=float((shift.excess[measured] > 0).mean())))
    return lines


def word_in_both(result: SpacesCompared, *, is_read: bool) -> None:
    """Show a word's two lists of neighbors side by side. Until all words are read (`is_read`), only labeled ones have a list."""
    comparison = result.comparison
    target = st.session_state.get("w") or examples.first_word()
    first, offered = result.words_to_open(target, list(examples.pairs()), OFFERED, languages.in_use())
    st.markdown(t("**A word in both**"))
    places = st.columns([4, 2], vertical_alignment="bottom")
    offer_examples(offered, "cmp_example", partial(st.session_state.__setitem__, "cmp_word"), place=places[0])
    typed = text_box("cmp_word", t("Word"), "", BOX["word"], place=places[1], placeholder=first).strip()
    word = find_form(typed or first, comparison.words, languages.in_use())
    if not typed and not find_form(target, comparison.words, languages.in_use()):
        st.caption(t("“{word}” is not in both; “{other}” is shown.", word=plain(shorten(target)), other=plain(word)))
    if not word and not is_read:
        st.info(t("This list appears once all sentences are read."))
        return
    if not word:
        raise BadInput(t("“{word}” is not in both. Choose another.", word=shorten(typed)))
    k = comparison.words.index(word)
    both = set(comparison.first[k]) & set(comparison.second[k])
    pairs = zip(
        st.columns(2, gap="large"), result.names, (comparison.first, comparison.second), comparison.cosines, comparison.random, strict=True
    )
    for column, name, neighbors, cosines, random in pairs:
        with column:
            layer = name.rpartition(MARK)[2]
            color = layer_color(layer) if layer.isdecimal() or layer in (MIX, SENSES) else GLOVE
            note = t("{n} of {k} in both · cosine; any two of these words {mean:.2f}", n=len(both), k=comparison.k, mean=random)
            lists.heading(t("“{word}” in {name}", word=word, name=name), color, note)
            rows = zip(neighbors[k], cosines[k], strict=True)
            lists.word_lines([(comparison.words[row], float(cosine), t("in both") if row in both else "") for row, cosine in rows])


def show_models(chosen: tuple[SpaceName, SpaceName]) -> None:
    """Show the comparison of two models on the labeled sentences of the first one's language, if there are any."""
    models = [cache.model(item.source) for item in chosen]
    corpus = next((item.corpus for item in chosen if sentences_of(item.corpus)), models[0].language.sentences)
    if models[0].fingerprint == models[1].fingerprint or not corpus:
        return
    st.markdown(t("**Which layer separates senses best?** Labeled sentences whose nearest has the same sense"))
    key = corpus, version(corpus, "corpus"), *((item.source, version(item.source, "model")) for item in chosen)

    def work(job: Job) -> tuple[Measured, ...]:
        tables = [cache.open_claimed(corpus, model, job.report, targets_only=True) for model in models]
        return compare.measure_models(cache.memo, models, tables, lambda done, total: job.count("measuring", done, total))

    job = shared_jobs.job(JOB, key, work, failed=t("The models could not be measured. Try again."), most=MOST_JOBS)
    job.wait(shared_jobs.MAX_WAIT_S)
    if job.error and not job.why_ended:  # these models cannot be measured
        st.info(plain(job.error), icon=":material/info:")
        return
    if job.result is None:
        stopped, again = t("Stopped; results are kept."), t("Continue")
        shared_jobs.show_state(JOB, key, _progress, widget="compare", stopped=stopped, again=again)
        return
    measured: tuple[Measured, ...] = job.result
    names = [model.layers.transformer or Path(model.name).name for model in models]
    lines, rows, notes, costs = [], [], [], []
    for name, model, item in zip(names, models, measured, strict=True):
        model_layers, shares = model.layers, item.shares
        accuracies = [shares[space] for space in model_layers.alone]
        lines.append(Line(name, accuracies, [model_layers.title(space) for space in model_layers.alone]))
        best = model_layers.alone[int(np.argmax(accuracies))]
        values = {"model": name, "where": model_layers.title(best), "share": shares[best], "mix": shares["mix"]}
        notes.append(t("{model} is best at {where} ({share:.1%}; mix {mix:.1%})", **values))
        if SENSES in shares:
            notes.append(t("sense space {share:.1%}", share=shares[SENSES]))
        for space, share in shares.items():
            rows.append({t("model"): name, t("layer"): model_layers.title(space), t("1-NN accuracy"): round(share, 4)})
        n, size = model.encoder.n_layers, model.encoder.dim
        costs.append(
            {
                t("model"): name,
                t("tokens per second"): round(item.pace),
                t("index bytes per token"): 2 * n * size + 2 * n * (n + 1),
                t("layers"): n,
                t("numbers per layer"): size,
                t("weights, MB"): round(sum(file.stat().st_size for file in weights_files(model.folder)) / 1e6, 1),
            }
        )
    chance = float(np.mean([item.chance for item in measured]))
    alt = t("1-NN accuracy of both models by layer; chance {chance:.0%}.", chance=chance)
    draw(depth_figure(lines, chance), key="compare.depth", alt=alt)
    notice([t("{told}; shuffled labels {chance:.1%}.", told="; ".join(notes), chance=chance)])
    lists.offer_table(rows, name="compare-layers", key="compare.layers")
    st.markdown(t("**What does a token cost?** {n} sentences, this machine", n=compare.SAMPLE))
    lists.grid(costs)


def show_measured() -> None:
    """Show the results of `python -m core.lab layers` for three models, each at its best layer and mix."""
    results = read_json(MEASURED, expect=dict)
    titles = {
        "sentences": t("senses, our sentences, nearest neighbor"),
        "senses": t("senses, Senseval-2, nearest neighbor"),
        "pairs": t("same sense, sentence pairs"),
        "tags": t("part of speech, CoNLL-2000, linear probe"),
        "titles": t("topic, AG News, linear classifier"),
    }
    rows = []
    for what, measure in results["measures"].items():
        rows_by_model = measure["rows"]
        base = {
            t("measure"): titles[what],
            t("test items"): measure["n"],
            t("chance"): rows_by_model["chance"][""],
            results["static"]: rows_by_model.get("static", {}).get(""),
        }
        for name in results["models"]:
            by_layer = {space: value for space, value in rows_by_model[name].items() if space.isdecimal()}
            best = max(by_layer, key=by_layer.__getitem__)
            mixes = {t("mix"): rows_by_model[name]["mix"], t("best mix"): rows_by_model[name]["best_mix"]}
            rows.append(base | {t("model"): name, t("best layer"): best, t("at that layer"): by_layer[best]} | mixes)
    with st.expander(t("Three models measured"), icon=":material/monitoring:", key="compare.measured"):
        shares = [t("chance"), results["static"], t("at that layer"), t("mix"), t("best mix")]
        lists.grid(rows, column_config={name: st.column_config.NumberColumn(format="percent") for name in shares})
        values = {"static": results["static"], "tags": results["tag_sentences"], "titles": results["titles"]}
        about = t("Accuracy. Chance: shuffled senses or the commonest label. {static}: summed or averaged vectors.", **values)
        about += " " + t("The best layer is optimistic; the best mix is not. Training: {tags} sentences, {titles} titles.", **values)
        st.caption(f"{about} {t('Repeat: {command}', command='`python -m core.lab layers`')}")


def _progress(job: Job, left: str) -> str:
    values = {"done": job.done, "total": job.total, "left": left}
    if not job.stage:
        return shared_jobs.describe_labeled(**values)
    if not job.done:
        return t("Measuring both models.")
    return t("Measuring: {done} of {total}, {left} left.", **values)
