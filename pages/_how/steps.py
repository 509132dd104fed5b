"""Steps 1 to 3 and 5 to 9 of How it works: a spelling's vector, the LSTMs, the layers, the angle between two sentences, the layer mix."""

import math

import numpy as np
import streamlit as st

from core.analysis.walk import BEGIN_SIGN, END_SIGN, PADDING_SIGN, LSTMStep, Walk
from core.common import model_layers
from core.common.config import ModelShape
from core.common.i18n import t
from core.common.markup import html, plain
from core.common.model_layers import subscript
from core.elmo.mix import mixed
from core.figures.measures import angle_figure, angle_of, cosine_bars
from core.figures.style import layer_title
from core.figures.walk import heat_figure, limit_of, mark_cells, share_figure
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END, write_word
from pages._frame.in_use import InUse
from pages._frame.parameters import bound
from pages._how.texts import Rows, shorten
from pages._widgets import verdict
from pages._widgets.charts import draw, weight_bars
from pages._widgets.components import sliders
from pages._widgets.inputs import Chosen, sentence

CELLS, READ = 48, 16  # cells shown, and tokens of those read before
TOKENS = 24  # rows of a layer's picture: a window round the word
PADDING_SHOWN = 2
MARKS = BEGIN_SIGN + END_SIGN + PADDING_SIGN
UNITS = 48  # highway units shown
PARTS = 8  # bars of what the vector is made of


def characters(walk: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    spelling = walk.spelling
    n = min(shape.max_characters, spelling.used + PADDING_SHOWN)
    signs = [*spelling.signs, *PADDING_SIGN * (n - spelling.used)]
    values = spelling.vectors[:n].T  # (16, n)
    rows = [str(k + 1) for k in range(len(values))]
    columns = zip(signs, spelling.ids, strict=False)
    columns = [html("<b>{}</b><br>{}", sign, number) for sign, number in columns]
    figure = heat_figure(values, rows, key="how.characters", limit=limit_of(values), row=18, columns=columns)
    draw(figure, key="how.1", alt=t("Heat map of the characters {signs}, {size} numbers each.", signs=" ".join(signs), size=len(values)))
    counts = {"inside": spelling.used - 2, "used": spelling.used, "n": shape.max_characters}
    word = shorten(walk.tokens[walk.position])
    lines = [t("“{word}” fills {used} of {n} places: {inside} bytes and 2 marks. The rest is padding.", word=word, **counts)]
    if spelling.left_out:
        lines.append(t("ELMo reads {most} bytes. Not read: {n}.", n=spelling.left_out, most=shape.max_characters - 2))
    elif any(len(c.encode("utf-8", "ignore")) > 1 for c in spelling.characters):
        lines.append(t("Non-ASCII characters take several bytes (shown in hexadecimal)."))
    rows = zip(signs, (*spelling.characters, *[""] * PADDING_SHOWN), spelling.ids[:n], values.T, strict=False)
    return lines, [
        {t("place"): k, t("sign"): sign, t("character"): c, t("number"): int(number)}
        | {str(d + 1): round(float(v), 4) for d, v in enumerate(x)}
        for k, (sign, c, number, x) in enumerate(rows)
    ]


def filters(walk: Walk) -> tuple[list[str], Rows]:
    spelling = walk.spelling
    rows, names, hovers, winners, table = [], [], [], [], []
    columns = [*spelling.signs, PADDING_SIGN][: len(spelling.ids)]
    for bank in walk.banks:
        awake = [k for k, number in enumerate(bank.strongest) if bank.pooled[number] > 0]
        for k in awake or [0]:
            number = int(bank.strongest[k])
            answers = bank.answers[k][: len(columns)]
            heat = np.full(len(columns), np.nan)
            heat[: len(answers)] = np.maximum(answers, 0)
            place = min(int(bank.places[number]), len(columns) - 1)
            if awake:
                winners.append((len(rows), place))
            rows.append(heat)
            names.append(t("width {width}: {answer:.2f}", width=bank.width, answer=float(bank.pooled[number])))
            reading = t("filter {number}, width {width}:", number=number, width=bank.width)
            cards = [
                html("{} <b>{}</b><br>{}", reading, spelling.window(i, bank.width), t("before ReLU: {answer:.2f}", answer=float(answer)))
                for i, answer in enumerate(answers)
            ]
            hovers.append(cards + [""] * (len(columns) - len(answers)))
            table.append(
                {
                    t("width"): bank.width,
                    t("filter"): number,
                    t("window"): spelling.window(int(bank.places[number]), bank.width),
                    t("maximum"): round(float(answers[place]), 4),
                    t("after ReLU"): round(float(bank.pooled[number]), 4),
                }
            )
    limit = max(limit_of(walk.pooled, share=100.0), 0.1)
    figure = mark_cells(heat_figure(np.array(rows), names, columns=columns, key="how.filters", limit=limit, hovers=hovers), winners)
    draw(figure, key="how.2", alt=t("Heat map of the strongest filters of each width, by position."))
    pooled = walk.pooled
    awake = int((walk.pooled > 0).sum())
    lines = [t("{awake:,} of {n:,} filters respond ({share:.2%}).", awake=awake, n=len(pooled), share=awake / len(pooled))]
    if awake:
        equal = np.flatnonzero(pooled.round(2) == pooled.max().round(2)).tolist()  # as shown; the one that reads most letters is named
        word = write_word(walk.tokens[walk.position])
        read = {number: walk.filter_window(number)[1].strip(MARKS) for number in equal}
        best = max(equal, key=lambda number: (read[number] in word, len(read[number])))
        width, window = walk.filter_window(best)
        lines.append(
            t("The strongest found <b>{window}</b> (width {width}, {answer:.2f}).", width=width, window=window, answer=float(pooled[best]))
        )
    if silent := [str(bank.width) for bank in walk.banks if not bank.pooled.any()]:
        lines.append(t("No filter of width {widths} responds.", widths=", ".join(silent)))
    return lines, table


def projection(walk: Walk) -> tuple[list[str], Rows]:
    units = np.sort(np.argsort(-np.abs(walk.highways[-1].y if walk.highways else walk.pooled), kind="stable")[:UNITS])
    for k, step in enumerate(walk.highways):
        st.markdown(t("**Highway layer {number}**, {n} largest units", number=k + 1, n=len(units)))
        parts = np.stack([step.x, step.transformed, step.gate, step.y])[:, units]
        names = [t("y, input"), t("r, new content"), t("g, gate"), t("z, output")]
        alt = t("Heat map of highway layer {number}: input, new content, gate and output of {n} units.", number=k + 1, n=len(units))
        draw(heat_figure(parts, names, key=f"how.highway.{k}", limit=limit_of(parts)), key=f"how.3.{k}", alt=alt)
    largest = np.argsort(-np.abs(walk.shares), kind="stable")[:PARTS]
    largest = largest[: max(1, (np.abs(walk.shares[largest]) >= 0.001).sum())]
    windows = [(int(f), *walk.filter_window(int(f))) for f in largest]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(t("**Shares** of the vector’s squared length"))
        hovers = [t("filter {number:,}, width {width}", number=f, width=width) for f, width, _ in windows]
        named = ", ".join(f"{w} {share:.1%}" for (_, _, w), share in zip(windows, walk.shares[largest], strict=True))
        alt = t("Bars of window shares: {named}.", named=named)
        draw(share_figure([html("<b>{}</b>", w) for _, _, w in windows], walk.shares[largest], hovers), key="how.3", alt=alt)
    with right:
        st.markdown(t("**The vector x**, {n} numbers", n=len(walk.vector)))
        vector = np.pad(walk.vector, (0, -len(walk.vector) % 16), constant_values=np.nan)
        names = [str(16 * k + 1) for k in range(len(vector) // 16)]
        alt = t("Heat map of the spelling vector’s {n} numbers, 16 per row.", n=len(walk.vector))
        draw(heat_figure(vector.reshape(-1, 16), names, key="how.vector", limit=limit_of(walk.vector)), key="how.4", alt=alt)
    values = {"window": windows[0][2], "share": float(walk.shares[largest[0]]), "all": 1 - walk.bias_share, "bias": walk.bias_share}
    lines = [t("<b>{window}</b> makes {share:z.0%} of this vector, all filters {all:z.0%}, the bias {bias:z.0%}.", **values)]
    if walk.highways:
        mean = float(walk.highways[-1].gate.mean())
        lines.append(t("Bars are highway outputs, named after their filters (gate {mean:.0%} open on average).", mean=mean))
    else:
        lines.append(t("No other word has been read yet."))
    return lines, [
        {t("filter"): str(f), t("width"): width, t("window"): window, t("share"): round(float(walk.shares[f]), 5)}
        for f, width, window in windows
    ] + [{t("filter"): "b", t("share"): round(walk.bias_share, 5)}]


def direction(walk: Walk, *, backward: bool) -> tuple[list[str], Rows]:
    reading = walk.backward if backward else walk.forward
    names = [str(k + 1) for k in range(len(reading.steps))]
    options = {"default": "1", "required": True, "help": t("LSTM 1 reads spellings, LSTM 2 reads its output.")}
    layer = st.segmented_control(t("Layer"), names, **bound("howlayer"), **options) or "1"
    k = names.index(layer) if layer in names else 0
    step = reading.steps[k]
    word = walk.tokens[walk.position]
    cells = np.sort(step.most_moved(CELLS))
    values = {"word": plain(shorten(word)), "n": len(cells), "all": len(step.cell)}
    st.markdown(t("**At “{word}”**: the {n} of {all:,} cells that change most", **values))
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
    values = {"layer": layer, "kept": float(step.forget_gate.mean()), "taken": float(step.input_gate.mean())}
    lines = [t("Words read before “{word}” in this direction: {n}.", word=word, n=read)]
    lines.append(t("On average, layer {layer} keeps {kept:.0%} of a cell and adds {taken:.0%} of the new content.", **values))
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
        _show_skip(walk)
    lengths = np.linalg.norm(walk.layers[:, walk.position], axis=1)
    word = shorten(walk.tokens[walk.position])
    listed = ", ".join(f"{n:.1f}" for n in lengths)
    lines = [t("Vector lengths of “{word}” by layer: {lengths}.", word=word, lengths=listed), _compare_repeated_word(walk)]
    halves = np.linalg.norm(walk.layers.reshape(*walk.layers.shape[:2], 2, -1), axis=-1)  # (L, T, 2)
    return lines, [
        {t("word"): token, t("layer"): k, t("forward length"): round(float(ahead), 3), t("backward length"): round(float(behind), 3)}
        for n, token in enumerate(walk.tokens)
        for k, (ahead, behind) in enumerate(halves[:, n])
    ]


def _show_skip(walk: Walk) -> None:
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
        first, second, *_ = (k for k, token in enumerate(walk.tokens) if token == word)
        a, b = walk.layers[:, first], walk.layers[:, second]
        cosines = (a * b).sum(1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-12)
        values = {"word": shorten(word), "cosines": ", ".join(f"{c:.2f}" for c in cosines)}
        return t("“{word}” occurs more than once. Cosines of its first two vectors by layer: {cosines}.", **values)
    return t("Repeat a word: its two vectors are equal only at layer 0.")


def draw_angle(in_use: InUse, first: Chosen, walk: Walk) -> tuple[list[str], Rows]:
    second = sentence(st.container(), "b", t("Second sentence"), t("Word, second sentence"))
    if second.position is None:
        return [t("Type a second sentence to compare.")], []
    result = verdict.compare_pair(in_use, first, second)
    top = model_layers.in_use().top
    degrees = {name: math.degrees(angle_of(cosine)) for name, cosine in result.cosines.items()}
    left, right = st.columns(2, gap="large")
    with left:
        labels = t("1st"), t("2nd")
        alt = t("Two arrows, {degrees:.0f}° apart at {layer}.", degrees=degrees[top], layer=layer_title(top))
        draw(angle_figure(result.cosines[top], labels, same_word=result.same, layer=top, glove=result.static), key="how.angle", alt=alt)
    with right:
        named = ", ".join(f"{name}: {cosine:.2f}" for name, cosine in result.bars.items())
        draw(cosine_bars(result.bars, chosen=top), key="how.cosines", alt=t("Cosines by layer. {named}.", named=named))
    low = next(iter(result.cosines))
    values = {
        "word": shorten(walk.tokens[walk.position]),
        "low": degrees[low],
        "high": degrees[top],
        "below": model_layers.in_use().at(low),
        "at": model_layers.in_use().at(top),
    }
    if first.word.casefold() == second.word.casefold():
        line = t("The two vectors of “{word}” are {low:.0f}° apart {below} and {high:.0f}° {at}.", **values)
    else:
        other = shorten(second.word)
        line = t("The vectors of “{word}” and “{other}” are {low:.0f}° apart {below} and {high:.0f}° {at}.", other=other, **values)
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
    cosines = h @ vector / np.maximum(length * np.linalg.norm(h, axis=1), 1e-12)
    lengths = np.linalg.norm(parts[:-1], axis=1)
    values = {"length": length, "layer": int(cosines.argmax()), "cosine": float(cosines.max())}
    lines = [t("The vector has length {length:.2f} and is closest to layer {layer} (cosine {cosine:.2f}).", **values)]
    values = {"layer": int(lengths.argmax()), "part": float(lengths.max()), "share": float(weights[lengths.argmax()])}
    lines.append(t("Layer {layer} contributes most: length {part:.2f}, with weight {share:.0%}.", **values))
    return lines, [
        {t("part"): name} | {str(d + 1): round(float(v), 4) for d, v in enumerate(row)} for name, row in zip(names, parts, strict=True)
    ]
