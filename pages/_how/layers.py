"""Steps 5 to 9 of How it works: the LSTM of each direction, the layers, the angle between two sentences, and the layer mix."""

import math

import numpy as np
import streamlit as st

from core.analysis.walk import LSTMStep, Walk
from core.common import model_layers
from core.common.config import ModelShape
from core.common.i18n import t, tn
from core.common.markup import plain
from core.common.model_layers import subscript
from core.elmo.mix import mixed
from core.figures.measures import angle_figure, cosine_bars
from core.figures.style import layer_title
from core.figures.walk import heat_figure, limit_of
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END
from pages._frame.choices import choice
from pages._frame.in_use import InUse
from pages._how.texts import Rows, shorten
from pages._widgets import verdict
from pages._widgets.charts import draw, weight_bars
from pages._widgets.components import sliders
from pages._widgets.inputs import Chosen, sentence

CELLS, READ = 48, 16  # cells shown, and tokens of those read before
TOKENS = 24  # rows of a layer's picture: a window round the word


def direction(walk: Walk, *, backward: bool) -> tuple[list[str], Rows]:
    reading = walk.backward if backward else walk.forward
    names = [str(k + 1) for k in range(len(reading.steps))]
    layer = choice("howlayer", t("Layer"), names, "1", required=True, help=t("LSTM 1 reads spellings, LSTM 2 reads its output."))
    k = names.index(layer) if layer in names else 0
    step, word = reading.steps[k], walk.tokens[walk.position]
    cells = np.sort(step.most_moved(CELLS))
    st.markdown(
        t("**At “{word}”**: the {n} of {all:,} cells that change most", word=plain(shorten(word)), n=len(cells), all=len(step.cell))
    )
    rows = {
        t("c before"): step.cell_before,
        t("f, forget gate"): step.forget_gate,
        t("i, input gate"): step.input_gate,
        t("g, new content"): step.candidate,
        t("c, the cell"): step.cell,
        t("o, output gate"): step.output_gate,
        t("o · tanh c, output"): step.hidden,
    }
    values = np.stack(list(rows.values()))[:, cells]
    cell_names = [t("cell {number:,}", number=int(c)) for c in cells]
    hovers = [[f"{name}, {cell}" for cell in cell_names] for name in rows]
    figure = heat_figure(values, list(rows), key="how.gates", limit=max(1.0, limit_of(values)), hovers=hovers)
    alt = t("Heat map of gates and values for the {n} cells that “{word}” changes most.", n=len(cells), word=shorten(word))
    draw(figure, key=f"how.gates.{backward}", alt=alt)
    st.latex(step.arithmetic(int(step.most_moved(1)[0])))
    _read_so_far(walk, reading.outputs[k], backward=backward)
    return _write_notices(walk, step, layer, backward=backward), [
        {t("cell"): int(c)} | {name: round(float(row[c]), 4) for name, row in rows.items()} for c in cells
    ]


def _read_so_far(walk: Walk, outputs: np.ndarray, *, backward: bool) -> None:
    """Show the output of the layer at each word up to this one, in reading order."""
    tokens = [SENTENCE_BEGIN, *walk.tokens, SENTENCE_END]
    target = walk.position + 1
    places = list(range(len(tokens) - 1, target - 1, -1) if backward else range(target + 1))[-READ:]
    st.markdown(t("**Output at each word read so far**, {n} numbers each", n=outputs.shape[1]))
    rows = [shorten(tokens[k], 14) for k in places]
    values = outputs[places]
    figure = heat_figure(values, rows, key="how.read", limit=limit_of(values), bold=len(rows) - 1, row=20)
    read = " ".join(shorten(tokens[k], 14) for k in places)
    draw(figure, key=f"how.read.{backward}", alt=t("Heat map of the layer’s output at each word read: {read}.", read=read))


def _write_notices(walk: Walk, step: LSTMStep, layer: str, *, backward: bool) -> list[str]:
    word = shorten(walk.tokens[walk.position])
    read = len(walk.tokens) - 1 - walk.position if backward else walk.position
    line = t("This direction has read no word before “{word}”.", word=word)
    if read:
        line = tn(
            "This direction has read one word before “{word}”.", "This direction has read {n} words before “{word}”.", read, word=word
        )
    values = {"layer": layer, "kept": float(step.forget_gate.mean()), "taken": float(step.input_gate.mean())}
    lines = [line, t("On average, layer {layer} keeps {kept:.0%} of a cell and adds {taken:.0%} of the new content.", **values)]
    if step.n_cells_clipped or step.n_outputs_clipped:
        lines.append(t("Clipped: {cells:,} cells, {outputs:,} outputs.", cells=step.n_cells_clipped, outputs=step.n_outputs_clipped))
    return lines


def layers(walk: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    first = max(0, min(walk.position - TOKENS // 2, len(walk.tokens) - TOKENS))
    window = range(first, min(len(walk.tokens), first + TOKENS))
    rows = [shorten(walk.tokens[k], 12) for k in window]
    limit = limit_of(walk.layers)
    if len(window) < len(walk.tokens):
        st.caption(t("Showing {n} of {all} words.", n=len(window), all=len(walk.tokens)))
    for k, column in enumerate(st.columns(len(walk.layers), gap="small")):
        with column:
            st.markdown(t("**Layer {layer}**", layer=k))
            options = {"limit": limit, "bold": walk.position - first, "row": 20, "columns": t("forward half | backward half")}
            figure = heat_figure(walk.layers[k][window], rows, key=f"how.layer.{k}", **options)
            figure.add_vline(x=walk.layers.shape[-1] / 2 - 0.5, line={"color": "#888", "width": 1, "dash": "dot"})
            alt = t("Heat map of layer {layer}: {n} words, {size} numbers each.", layer=k, n=len(rows), size=walk.layers.shape[-1])
            draw(figure, key=f"how.layer.{k}", alt=alt)
    if shape.skip_connections and shape.n_layers > 1:
        _skip(walk)
    lengths = np.linalg.norm(walk.layers[:, walk.position], axis=1)
    word, listed = shorten(walk.tokens[walk.position]), ", ".join(f"{n:.1f}" for n in lengths)
    lines = [t("Vector lengths of “{word}” by layer: {lengths}.", word=word, lengths=listed), _compare_repeated_word(walk)]
    halves = np.linalg.norm(walk.layers.reshape(*walk.layers.shape[:2], 2, -1), axis=-1)  # (L, T, 2)
    return lines, [
        {t("word"): token, t("layer"): k, t("forward length"): round(float(ahead), 3), t("backward length"): round(float(behind), 3)}
        for n, token in enumerate(walk.tokens)
        for k, (ahead, behind) in enumerate(halves[:, n])
    ]


def _skip(walk: Walk) -> None:
    """Show the second layer as a sum with its skip connection."""
    steps = walk.forward.steps[1], walk.backward.steps[1]
    parts = [np.concatenate(arrays) for arrays in zip(*((s.output, s.skip, s.half) for s in steps), strict=True)]
    st.markdown(t("**Skip connection**"))
    names = [t("second LSTM"), t("+ layer 1"), t("= layer 2")]
    alt = t("Heat map: the second LSTM’s output, layer 1, and their sum, layer 2.")
    draw(heat_figure(np.stack(parts), names, key="how.skip", limit=limit_of(*parts), bold=2), key="how.skip", alt=alt)


def _compare_repeated_word(walk: Walk) -> str:
    """Show where the two vectors of a repeated spelling begin to differ."""
    words = [walk.tokens[walk.position], *(token for token in walk.tokens if any(map(str.isalnum, token)))]  # the target first
    if word := next((word for word in words if walk.tokens.count(word) > 1), None):
        a, b = (walk.layers[:, k] for k in [k for k, token in enumerate(walk.tokens) if token == word][:2])
        cosines = (a * b).sum(1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-12)
        values = {"word": shorten(word), "cosines": ", ".join(f"{c:.2f}" for c in cosines)}
        return t("“{word}” occurs more than once. Cosines of its first two vectors by layer: {cosines}.", **values)
    return t("Repeat a word: its two vectors are equal only at layer 0.")


def draw_angle(in_use: InUse, first: Chosen, walk: Walk) -> tuple[list[str], Rows]:
    """Draw both vectors at the top layer, GloVe's left of them, and the cosines of all layers."""
    second = sentence(st.container(), "b", t("Second sentence"), t("Word, second sentence"))
    if second.position is None:
        return [t("Type a second sentence to compare.")], []
    result = verdict.compare_pair(in_use, first, second)
    top = model_layers.in_use().top
    degrees = {name: math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) for name, cosine in result.cosines.items()}
    left, right = st.columns(2, gap="large")
    with left:
        labels = t("1st"), t("2nd")
        alt = t("Two arrows, {degrees:.0f}° apart at {layer}.", degrees=degrees[top], layer=layer_title(top))
        draw(angle_figure(result.cosines[top], labels, same_word=result.same, layer=top, glove=result.static), key="how.angle", alt=alt)
    with right:
        named = ", ".join(f"{name}: {cosine:.2f}" for name, cosine in result.bars.items())
        draw(cosine_bars(result.bars, chosen=top), key="how.cosines", alt=t("Cosines by layer. {named}.", named=named))
    low = next(iter(result.cosines))
    values = {"word": shorten(walk.tokens[walk.position]), "low": degrees[low], "high": degrees[top]}
    values |= {"below": model_layers.in_use().at(low), "at": model_layers.in_use().at(top)}
    line = t("The two vectors of “{word}” are {low:.0f}° apart {below} and {high:.0f}° {at}.", **values)
    return [line], [
        {t("vectors"): layer_title(name), t("cosine"): round(cosine, 4), t("angle, degrees"): round(degrees[name], 1)}
        for name, cosine in result.cosines.items()
    ]


def mix(walk: Walk) -> tuple[list[str], Rows]:
    n = len(walk.layers)
    h = walk.layers[:, walk.position]  # (L, D)
    left, right = st.columns([2, 3], gap="large")
    with left:
        weights, gamma = sliders(n)
    with right:
        st.markdown(t("**s = softmax(w)**: the layer weights"))
        weight_bars(weights, key="how.weights")
    vector = mixed(h, weights, gamma)
    parts = np.stack([*(gamma * weights[:, None] * h), vector])
    names = [f"γ · s{subscript(k)} · h{subscript(k)}" for k in range(n)] + [t("ELMo (sum)")]
    word = shorten(walk.tokens[walk.position])
    st.markdown(t("**The vector of “{word}”** and its parts, {n} numbers each", word=plain(word), n=len(vector)))
    alt = t("Heat map: the weighted layers of “{word}” and their sum, {n} numbers each.", word=word, n=len(vector))
    draw(heat_figure(parts, names, key="how.mix", limit=limit_of(parts), bold=n, row=34), key="how.mix", alt=alt)
    length = float(np.linalg.norm(vector))
    cosines = [float(vector @ layer / max(length * np.linalg.norm(layer), 1e-12)) for layer in h]
    nearest = int(np.argmax(cosines))
    lengths = np.linalg.norm(parts[:-1], axis=1)
    longest = int(lengths.argmax())
    values = {"length": length, "layer": nearest, "cosine": cosines[nearest]}
    lines = [t("The vector has length {length:.2f} and is closest to layer {layer} (cosine {cosine:.2f}).", **values)]
    values = {"layer": longest, "part": float(lengths[longest]), "share": float(weights[longest])}
    lines.append(t("Layer {layer} contributes most: length {part:.2f}, with weight {share:.0%}.", **values))
    return lines, [
        {t("part"): name} | {str(d + 1): round(float(v), 4) for d, v in enumerate(row)} for name, row in zip(names, parts, strict=True)
    ]
