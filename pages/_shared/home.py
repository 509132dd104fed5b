"""Home's picture: the angle between a word's two vectors in each layer, beside GloVe's."""

from __future__ import annotations

import time
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core import figures
from core.elmo.mix import gram, mixed_cosines
from core.figures.sketch import sketch
from core.figures.style import layer_title
from core.markup import plain
from core.texts import t
from pages._shared import lists, notices, store
from pages._shared.charts import draw
from pages._shared.engines import compare_engines
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.inputs import Chosen
from pages._shared.markup import shown_errors

PAINTING_S = 0.4  # what a browser on two cores takes


@st.fragment
def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        _picture(in_use, first, second)
        compare_engines(in_use, [first, second])


def _picture(in_use: InUse, first: Chosen, second: Chosen) -> None:
    queries = [store.query(in_use.model, c.tokens, c.position) for c in (first, second)]
    a, b = (q.layers for q in queries)
    cosine = {
        str(k): float(mixed_cosines((a @ b.T)[None], gram(a[None])[0], gram(b[None]), np.eye(len(a))[k])[0])
        for k in range(len(a))
    }
    static = notices.glove_cosine(store.vectors(in_use.vectors), first.word, second.word)
    same = first.word.casefold() == second.word.casefold()
    layer = (
        st.segmented_control(
            t("Layer of ELMo: 0 sees the spelling only, 1 and 2 read the sentence"),
            list(cosine),
            default="2",
            key="layer",
            bind="query-params",
            persist_state="session",
        )
        or "2"
    )
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    labels = t("{word} (1st)", word=first.word[:18]), t("{word} (2nd)", word=second.word[:18])
    with left, st.container(gap=None):
        figure = figures.angle_figure(cosine[layer], labels, word=first.word[:18], same_word=same, layer=layer, glove=static)
        words = {"first": first.word[:40], "second": second.word[:40], "where": layer_title(layer), "cosine": cosine[layer]}
        alt = t(
            "Two arrows, “{first}” of the first sentence and “{second}” of the second, at {where}: the cosine of their angle is {cosine:.2f}.",
            **words,
        )
        # The sketch shows until the browser has the chart's code (see style.py).
        st.html(f'<img class="sketch" alt="" src="{sketch(figure, width=600)}">')
        angle = st.container()
    with right:
        st.markdown(
            t("**How alike are the two vectors of “{word}”?**", word=plain(first.word, 18))
            if same
            else t("**How alike are the two words?**")
        )
        bars = ({} if static is None else {"GloVe": static}) | cosine
        beside = st.container()
        st.caption(t("Cosine of the two vectors: 1 is the same direction, 0 has nothing in common."))
    lines = _what_to_notice(first.word, same, cosine, static)
    if same:
        lines.append(notices.reference_line(store.targets(in_use.corpus, in_use.model), first.word, int(layer), cosine[layer]))
    notice(lines)
    if not st.session_state.setdefault("home.sketched", False):
        # Fetching the charts' code keeps a browser from painting anything for a second: all of the above must be painted before.
        time.sleep(PAINTING_S)
        st.session_state["home.sketched"] = True
    with angle:
        draw(figure, key="angle", alt=alt)
    with beside:
        values = ", ".join(f"{_name(k)} {v:.2f}" for k, v in bars.items())
        alt = t("Bars of the cosine of the two vectors: {values}.", values=values)
        draw(figures.cosine_bars(bars, chosen=layer), key="bars", alt=alt)
    table = pd.DataFrame([{t("vectors"): _name(k), t("cosine"): round(v, 4)} for k, v in bars.items()])
    lists.twin(table, name="cosines", key="home.table")


def _name(vectors: str) -> str:
    return vectors if vectors == "GloVe" else t("ELMo layer {layer}", layer=vectors)


def _what_to_notice(word: str, same: bool, cosine: dict[str, float], static: float | None) -> list[str]:
    shown, top = escape(word), cosine["2"] if "2" in cosine else list(cosine.values())[-1]
    if not same:
        return [
            t("These are two different words, so even layer 0 and GloVe tell them apart. Tap the same word in both sentences.")
        ]
    at_0 = {"word": shown, "cosine": cosine["0"]}
    if cosine["0"] > 0.9999:
        lines = [t("At layer 0 the two “{word}” are exactly the same (cosine {cosine:.2f}): it sees spelling only.", **at_0)]
    else:
        lines = [t("At layer 0 the two “{word}” are nearly the same (cosine {cosine:.2f}): it sees spelling only.", **at_0)]
    if top < cosine["0"] - 0.02:
        lines.append(
            t(
                "Layers 1 and 2 read the sentence around it, and the two part ({low:.2f} at layer 1, {top:.2f} at layer 2).",
                low=cosine["1"],
                top=top,
            )
        )
    else:
        lines.append(
            t("The layers above hardly part them: either both mean the same here, or this small model misses the difference.")
        )
    if static is None:
        lines.append(t("“{word}” is not in GloVe's vocabulary at all; ELMo spells any word.", word=shown))
    return lines
