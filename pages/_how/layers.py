"""Step 7 of How it works: the layers of the whole sentence."""

import numpy as np
import streamlit as st

from core.analysis.walk import Walk
from core.common.config import ModelShape
from core.common.i18n import t
from core.figures.walk import heat_figure, limit_of
from pages._how.parts import Rows, shorten
from pages._widgets.charts import draw

TOKENS = 24  # rows of a layer's picture: a window round the word


def layers(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    first = max(0, min(way.position - TOKENS // 2, len(way.tokens) - TOKENS))
    window = range(first, min(len(way.tokens), first + TOKENS))
    rows = [shorten(way.tokens[k], 12) for k in window]
    limit = limit_of(way.layers)
    if len(window) < len(way.tokens):
        st.caption(t("Showing {n} of {all} words.", n=len(window), all=len(way.tokens)))
    for k, column in enumerate(st.columns(len(way.layers), gap="small")):
        with column:
            st.markdown(t("**Layer {layer}**", layer=k))
            figure = heat_figure(
                way.layers[k][window],
                rows,
                key=f"how.layer.{k}",
                limit=limit,
                bold=way.position - first,
                row=20,
                columns=t("forward half | backward half"),
            )
            figure.add_vline(x=way.layers.shape[-1] / 2 - 0.5, line={"color": "#888", "width": 1, "dash": "dot"})
            alt = t("Heat map of layer {layer}: {n} words, {size} numbers each.", layer=k, n=len(rows), size=way.layers.shape[-1])
            draw(figure, key=f"how.layer.{k}", alt=alt)
    if shape.skip_connections and shape.n_layers > 1:
        _skip(way)
    lengths = np.linalg.norm(way.layers[:, way.position], axis=1)
    lines = [
        t(
            "Vector lengths of “{word}” by layer: {lengths}.",
            word=shorten(way.tokens[way.position]),
            lengths=", ".join(f"{n:.1f}" for n in lengths),
        )
    ]
    lines += [_of_a_repeated_word(way)]
    return lines, [
        {
            t("word"): token,
            t("layer"): k,
            t("forward length"): round(float(np.linalg.norm(row[: len(row) // 2])), 3),
            t("backward length"): round(float(np.linalg.norm(row[len(row) // 2 :])), 3),
        }
        for n, token in enumerate(way.tokens)
        for k, row in enumerate(way.layers[:, n])
    ]


def _skip(way: Walk) -> None:
    """Show the second layer as a sum with its skip connection."""
    steps = way.forward.steps[1], way.backward.steps[1]
    parts = [np.concatenate(each) for each in zip(*((s.output, s.skip, s.half) for s in steps), strict=True)]
    st.markdown(t("**Skip connection**"))
    names = [t("second LSTM"), t("+ layer 1"), t("= layer 2")]
    alt = t("Heat map: the second LSTM’s output, layer 1, and their sum, layer 2.")
    draw(heat_figure(np.stack(parts), names, key="how.skip", limit=limit_of(*parts), bold=2), key="how.skip", alt=alt)


def _of_a_repeated_word(way: Walk) -> str:
    """Show where the two vectors of a repeated spelling begin to differ."""
    words = [
        way.tokens[way.position],
        *(token for token in way.tokens if any(map(str.isalnum, token))),
    ]  # the one in question before others
    if word := next((word for word in words if way.tokens.count(word) > 1), None):
        a, b = (way.layers[:, k] for k in [k for k, token in enumerate(way.tokens) if token == word][:2])
        cosines = (a * b).sum(1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-12)
        return t(
            "“{word}” occurs more than once. Cosines of its first two vectors by layer: {cosines}.",
            word=shorten(word),
            cosines=", ".join(f"{c:.2f}" for c in cosines),
        )
    return t("Repeat a word: its two vectors are equal only at layer 0.")
