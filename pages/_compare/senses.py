"""Two models of the Compare page beside each other: senses told apart layer by layer, and what a token costs in time and memory."""

from __future__ import annotations

import time
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.word_maps import ALL_WORDS
from core.common.config import ASSETS
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.mix import layer_weights
from core.elmo.models import weights_files
from core.figures.spaces import Line, depth_figure
from core.files.artifacts import read_json
from core.index.table import OccurrenceTable
from core.text.corpora import sentences_of
from pages._cached import opened
from pages._cached.kept import kept
from pages._compare.spaces import Chosen
from pages._frame.frame import notice
from pages._frame.markup import plain
from pages._widgets import lists
from pages._widgets.charts import draw

MEASURED = ASSETS / "results" / "layers.json"
SAMPLE = 64  # sentences that are read to tell the pace


def show(chosen: tuple[Chosen, Chosen]) -> None:
    """Shown where both sides are models; by the labelled sentences of the first one's language, where it has some here."""
    models = [opened.model(one.source) for one in chosen]
    corpus = next((one.corpus for one in chosen if sentences_of(one.corpus)), models[0].language.sentences)
    if models[0].fingerprint == models[1].fingerprint or not corpus:
        return
    st.markdown(t("**At which depth does each tell senses apart?** Labelled sentences whose nearest one has the same sense"))
    try:
        found = [_by_layer(corpus, one.source, opened.targets(corpus, one.source)) for one in chosen]
    except BadInput as error:  # no word there has two senses
        st.info(plain(error))
        return
    names = [model.layers.transformer or Path(model.name).name for model in models]
    lines, rows, said = [], [], []
    for name, model, (shares, _) in zip(names, models, found, strict=True):
        known = model.layers
        alone = [shares[space] for space in known.alone]
        lines.append(Line(name, alone, [known.title(space) for space in known.alone]))
        best = known.alone[int(np.argmax(alone))]
        said.append(t("{model} does best at {where} ({share:.1%}; mix {mix:.1%})", model=escape(name), where=known.title(best), share=shares[best], mix=shares["mix"]))  # fmt: skip
        rows += [
            {t("model"): name, t("layer"): known.title(space), t("1-NN accuracy"): round(share, 4)}
            for space, share in shares.items()
        ]
    chance = float(np.mean([chance for _, chance in found]))
    told = "; ".join(said)
    draw(
        depth_figure(lines, chance),
        key="compare.depth",
        alt=t("Two lines over the models' depth, of labelled sentences whose nearest one has the same sense; chance is {chance:.0%}.", chance=chance),
    )  # fmt: skip
    notice([t("{told}; with shuffled labels it is {chance:.1%}.", told=told, chance=chance)])
    lists.twin(pd.DataFrame(rows), name="compare-layers", key="compare.layers")
    _costs(corpus, chosen, names, models)


def measured() -> None:
    """What `python -m core evaluate layers` found of three models, each by its best layer and its mixes; shown where its file is."""
    if not MEASURED.is_file():
        return
    found = read_json(MEASURED, expect=dict)
    titles = {
        "sentences": t("senses, our labelled sentences, nearest neighbour"), "senses": t("senses of four words, Senseval-2, nearest neighbour"),
        "pairs": t("one sense or two, pairs of our sentences"), "tags": t("parts of speech, CoNLL-2000, linear probe"),
        "titles": t("topic of a title, AG News, linear classifier on the mean"),
    }  # fmt: skip
    rows = []
    for what, measure in found["measures"].items():
        given = measure["rows"]
        base = {
            t("measure"): titles[what],
            t("test items"): measure["n"],
            t("chance"): given["chance"][""],
            found["static"]: given.get("static", {}).get(""),
        }
        for name in found["models"]:
            alone = {space: value for space, value in given[name].items() if space.isdecimal()}
            best = max(alone, key=alone.__getitem__)
            mixes = {t("mix"): given[name]["mix"], t("best mix"): given[name]["best_mix"]}
            rows.append(base | {t("model"): name, t("best layer"): best, t("at that layer"): alone[best]} | mixes)
    table = pd.DataFrame(rows)
    with st.expander(t("Measured before: three models on the same data"), icon=":material/monitoring:", key="compare.measured"):
        shares = [t("chance"), found["static"], t("at that layer"), t("mix"), t("best mix")]
        lists.grid(table, column_config={name: st.column_config.NumberColumn(format="percent") for name in shares})
        st.caption(
            t(
                "Accuracy. Chance: shuffled senses, the commonest sense, answer, tag or label. {static}: the sum of the other words’ vectors for senses and "
                "pairs, a word’s own for tags, their mean for titles. Best mix: chosen on training data, or on the other half of the words. The best layer is the best of these very "
                "figures. Tags from {tags} training sentences, topics from {titles} titles. Measured again by: {command}",
                static=found["static"], tags=found["tag_sentences"], titles=found["titles"], command="`python -m core evaluate layers`",
            )
        )  # fmt: skip


@kept(8)
def _by_layer(corpus: str, source: str, _table: OccurrenceTable) -> tuple[dict[str, float], float]:
    """1-NN accuracy over all labelled words in each space of a model, and its level with shuffled labels."""
    n = _table.meta["layers"]
    spaces = opened.model(source).layers.spaces
    reports = {space: opened.sense_scores(corpus, source, ALL_WORDS, tuple(layer_weights(space, n))) for space in spaces}
    return {space: report.one_nn for space, report in reports.items()}, reports[spaces[-1]].null_mean


def _costs(corpus: str, chosen: tuple[Chosen, Chosen], names: list[str], models: list) -> None:
    """Time, measured now, and bytes a token."""
    rows = []
    for name, one, model in zip(names, chosen, models, strict=True):
        n, size = model.encoder.n_layers, model.encoder.dim
        rows.append({
            t("model"): name, t("tokens a second"): round(_pace(corpus, one.source)),
            t("bytes a token in an index"): 2 * n * size + 2 * n * (n + 1), t("layers"): n, t("numbers a layer"): size,
            t("weights, MB"): round(sum(path.stat().st_size for path in weights_files(model.folder)) / 1e6, 1),
        })  # fmt: skip
    st.markdown(t("**What does a token cost?** The same {n} sentences, read on this machine", n=SAMPLE))
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


@kept(8)
def _pace(corpus: str, source: str) -> float:
    """Tokens a second, a second reading, so that nothing is met for the first time."""
    table = opened.targets(corpus, source)
    encoder = opened.model(source).encoder
    sentences = [tokens.as_py() for tokens in table.sentences[:SAMPLE]]
    for _ in range(2):
        started = time.perf_counter()
        encoder.encode(sentences)
    return sum(map(len, sentences)) / max(1e-9, time.perf_counter() - started)
