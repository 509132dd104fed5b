"""Two models side by side: how well they separate senses in each layer, and the cost of a token in time and memory."""

from pathlib import Path

import numpy as np
import streamlit as st

from core.common.config import ASSETS
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.elmo.models import Model, weights_files
from core.figures.spaces import Line, depth_figure
from core.files.artifacts import read_json
from core.text.corpora import sentences_of
from core.views import compare
from core.views.compare import Measured, SpaceName
from pages._cached import cache, shared_jobs
from pages._cached.cache import version
from pages._frame.frame import notice
from pages._frame.jobs import Job
from pages._frame.markup import plain
from pages._widgets import lists
from pages._widgets.charts import draw

MEASURED = ASSETS / "results" / "layers.json"
JOB = "two models measured"
MOST_JOBS = 4  # pairs of models whose measures stay in memory


def show(chosen: tuple[SpaceName, SpaceName]) -> None:
    """Show the comparison of two models on the labeled sentences of the first one's language, if there are any."""
    models = [cache.model(item.source) for item in chosen]
    corpus = next((item.corpus for item in chosen if sentences_of(item.corpus)), models[0].language.sentences)
    if models[0].fingerprint == models[1].fingerprint or not corpus:
        return
    st.markdown(t("**Which layer separates senses best?** Labeled sentences whose nearest has the same sense"))
    sources = tuple(item.source for item in chosen)
    job = _job(corpus, sources, key := _key(corpus, sources))
    job.wait(shared_jobs.AT_MOST_S)
    if job.error and not job.why_ended:  # these models cannot be measured
        st.info(plain(job.error), icon=":material/info:")
        return
    if job.result is None:
        stopped, again = t("Stopped; results are kept."), t("Continue")
        shared_jobs.show_state(JOB, key, _progress, widget="compare", stopped=stopped, again=again)
        return
    measured: tuple[Measured, ...] = job.result
    names = [model.layers.transformer or Path(model.name).name for model in models]
    lines, rows, notes = [], [], []
    for name, model, item in zip(names, models, measured, strict=True):
        model_layers, shares = model.layers, item.shares
        accuracies = [shares[space] for space in model_layers.alone]
        lines.append(Line(name, accuracies, [model_layers.title(space) for space in model_layers.alone]))
        best = model_layers.alone[int(np.argmax(accuracies))]
        values = {"model": name, "where": model_layers.title(best), "share": shares[best], "mix": shares["mix"]}
        notes.append(t("{model} is best at {where} ({share:.1%}; mix {mix:.1%})", **values))
        if SENSES in shares:
            notes.append(t("sense space {share:.1%}", share=shares[SENSES]))
        rows += [
            {t("model"): name, t("layer"): model_layers.title(space), t("1-NN accuracy"): round(share, 4)}
            for space, share in shares.items()
        ]
    chance = float(np.mean([item.chance for item in measured]))
    alt = t("1-NN accuracy of both models by layer; chance {chance:.0%}.", chance=chance)
    draw(depth_figure(lines, chance), key="compare.depth", alt=alt)
    notice([t("{told}; shuffled labels {chance:.1%}.", told="; ".join(notes), chance=chance)])
    lists.offer_table(rows, name="compare-layers", key="compare.layers")
    _costs(names, models, measured)


def show_measured() -> None:
    """Show the results of `python -m core.lab layers` for three models, each at its best layer and mix, if the file exists."""
    if not MEASURED.is_file():
        return
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
        st.caption(
            t(
                "Accuracy. Chance: shuffled senses or the commonest label. {static}: summed or averaged vectors. The best layer is optimistic; the "
                "best mix is not. Training: {tags} sentences, {titles} titles. Repeat: {command}",
                static=results["static"],
                tags=results["tag_sentences"],
                titles=results["titles"],
                command="`python -m core.lab layers`",
            )
        )


def _key(corpus: str, sources: tuple[str, ...]) -> tuple:
    return version(corpus, "corpus"), *((source, version(source, "model")) for source in sources)


def _job(corpus: str, sources: tuple[str, ...], key: tuple) -> Job:
    """Return the job that measures both models on the labeled sentences of a corpus."""
    models = tuple(cache.model(source) for source in sources)
    spent = cache.spent_by_visit()

    def work(job: Job) -> tuple[Measured, ...]:
        tables = [cache.open_claimed(corpus, model, spent, job.report, targets_only=True) for model in models]
        return compare.measure_models(cache.memo, models, tables, lambda done, total: job.count("measuring", done, total))

    return shared_jobs.job(JOB, key, work, failed=t("The models could not be measured. Try again."), most=MOST_JOBS)


def _progress(job: Job, left: str) -> str:
    """Return the text of the progress."""
    values = {"done": job.done, "total": job.total, "left": left}
    if not job.stage:
        return shared_jobs.describe_labeled(**values)
    if not job.done:
        return t("Measuring both models.")
    return t("Measuring: {done} of {total}, {left} left.", **values)


def _costs(names: list[str], models: list[Model], measured: tuple[Measured, ...]) -> None:
    """Show the time for a token, measured now, and its bytes."""
    rows = []
    for name, model, item in zip(names, models, measured, strict=True):
        n, size = model.encoder.n_layers, model.encoder.dim
        rows.append(
            {
                t("model"): name,
                t("tokens per second"): round(item.pace),
                t("index bytes per token"): 2 * n * size + 2 * n * (n + 1),
                t("layers"): n,
                t("numbers per layer"): size,
                t("weights, MB"): round(sum(path.stat().st_size for path in weights_files(model.folder)) / 1e6, 1),
            }
        )
    st.markdown(t("**What does a token cost?** {n} sentences, this machine", n=compare.SAMPLE))
    lists.grid(rows)
