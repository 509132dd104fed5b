"""Home's picture: the angle between a word's two vectors in each layer, beside GloVe's."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core import figures
from core.elmo.mix import gram, mixed_cosines
from pages._shared import lists, notices, store
from pages._shared.engines import compare_engines
from pages._shared.frame import InUse, notice, shown_errors
from pages._shared.inputs import Chosen


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
            "Layer of ELMo: 0 sees the spelling only, 1 and 2 read the sentence",
            list(cosine),
            default="2",
            key="layer",
            bind="query-params",
            persist_state="session",
        )
        or "2"
    )
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    labels = tuple(f"{c.word[:18]} ({n})" for c, n in ((first, "1st"), (second, "2nd")))
    with left:
        figure = figures.angle_figure(cosine[layer], labels, word=first.word[:18], same_word=same, layer=layer, glove=static)
        st.plotly_chart(figure, key="angle", config=figures.CONFIG)
    with right:
        st.markdown(
            f"**How alike are the two vectors of “{escape(first.word[:18])}”?**" if same else "**How alike are the two words?**"
        )
        bars = ({} if static is None else {"GloVe": static}) | cosine
        st.plotly_chart(figures.cosine_bars(bars, chosen=layer), key="bars", config=figures.CONFIG)
        st.caption("Cosine of the two vectors: 1 is the same direction, 0 has nothing in common.")
    lines = _what_to_notice(first.word, same, cosine, static)
    if same:
        lines.append(notices.reference_line(store.targets(in_use.corpus, in_use.model), first.word, int(layer), cosine[layer]))
    notice(lines)
    table = pd.DataFrame(
        [{"vectors": "GloVe" if k == "GloVe" else f"ELMo layer {k}", "cosine": round(v, 4)} for k, v in bars.items()]
    )
    lists.twin(table, name="cosines", key="home.table")


def _what_to_notice(word: str, same: bool, cosine: dict[str, float], static: float | None) -> list[str]:
    shown, top = escape(word), cosine["2"] if "2" in cosine else list(cosine.values())[-1]
    if not same:
        return ["These are two different words, so even layer 0 and GloVe tell them apart. Tap the same word in both sentences."]
    lines = [
        f"At layer 0 the two “{shown}” are {'exactly' if cosine['0'] > 0.9999 else 'nearly'} the same (cosine {cosine['0']:.2f}): it sees spelling only."
    ]
    if top < cosine["0"] - 0.02:
        lines.append(
            f"Layers 1 and 2 read the sentence around it, and the two part ({cosine['1']:.2f} at layer 1, {top:.2f} at layer 2)."
        )
    else:
        lines.append(
            "The layers above hardly part them: either both mean the same here, or this small model misses the difference."
        )
    if static is None:
        lines.append(f"“{shown}” is not in GloVe's vocabulary at all; ELMo spells any word.")
    return lines
