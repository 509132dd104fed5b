"""Steps 4 and 5 of How it works: one step of an LSTM in each direction, with its gates."""

import numpy as np
import streamlit as st

from core.analysis.walk import LSTMStep, Walk, most_moved
from core.common.config import ModelShape
from core.common.i18n import t, tn
from core.figures.walk import heat_figure, limit_of
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END
from pages._frame.choices import choice
from pages._how.parts import Rows, in_markdown, shown
from pages._widgets.charts import draw

CELLS, READ = 48, 16  # cells shown, and tokens of those read before


def forward(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    return _direction(way, shape, backward=False)


def backward(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    return _direction(way, shape, backward=True)


def _direction(way: Walk, shape: ModelShape, *, backward: bool) -> tuple[list[str], Rows]:
    direction = way.backward if backward else way.forward
    names = [str(k + 1) for k in range(len(direction.steps))]
    layer = choice(
        "howlayer",
        t("Layer"),
        names,
        "1",
        required=True,
        help=t("The LSTMs stand on each other: the first reads the spellings, the second what the first told."),
    )
    k = names.index(layer) if layer in names else 0
    step, word = direction.steps[k], way.tokens[way.position]
    cells = np.sort(most_moved(step, CELLS))
    st.markdown(
        t(
            "**The step at “{word}”**: the {n} of {all:,} cells it changed most, a column each",
            word=in_markdown(word),
            n=len(cells),
            all=len(step.cell),
        )
    )
    rows = {
        t("c before"): step.cell_before,
        t("f, forget gate"): step.forget_gate,
        t("i, input gate"): step.input_gate,
        t("g, what is new"): step.candidate,
        t("c, the cell"): step.cell,
        t("o, output gate"): step.output_gate,
        t("o · tanh c, told"): step.told,
    }
    values = np.stack(list(rows.values()))[:, cells]
    cell_names = [t("cell {number:,}", number=int(c)) for c in cells]
    hovers = [[f"{name}, {cell}" for cell in cell_names] for name in rows]
    figure = heat_figure(values, list(rows), key="how.gates", limit=max(1.0, limit_of(values)), hovers=hovers)
    alt = t(
        "A heat map: gates, new values and the cell before and after, for the {n} cells that “{word}” changes most.",
        n=len(cells),
        word=shown(word),
    )
    draw(figure, key=f"how.gates.{backward}", alt=alt)
    st.latex(_arithmetic(step, int(most_moved(step, 1)[0])))
    _read_so_far(way, direction.outputs[k], backward=backward)
    return _noticed(way, step, layer, backward=backward), [
        {t("cell"): int(c)} | {name: round(float(row[c]), 4) for name, row in rows.items()} for c in cells
    ]


def _arithmetic(step: LSTMStep, c: int) -> str:
    """The cell's new value written out in its own numbers."""
    f, before, i, g, cell = (float(a[c]) for a in (step.forget_gate, step.cell_before, step.input_gate, step.candidate, step.cell))
    before, g = (f"{v:.2f}" if v >= 0 else f"({v:.2f})" for v in (before, g))
    return rf"\small c_{{{c}}} \approx {f:.2f} \cdot {before} + {i:.2f} \cdot {g} \approx {cell:.2f}"


def _read_so_far(way: Walk, outputs: np.ndarray, *, backward: bool) -> None:
    """What the layer told at each word up to this one, in the order of reading."""
    tokens = [SENTENCE_BEGIN, *way.tokens, SENTENCE_END]
    at = way.position + 1
    places = list(range(len(tokens) - 1, at - 1, -1) if backward else range(at + 1))[-READ:]
    st.markdown(t("**What it told at every word it has read**, this one last: {n} numbers a row", n=outputs.shape[1]))
    rows = [shown(tokens[k], 14) for k in places]
    values = outputs[places]
    figure = heat_figure(values, rows, key="how.read", limit=limit_of(values), bold=len(rows) - 1, row=20)
    read = " ".join(shown(tokens[k], 14) for k in places)
    draw(figure, key=f"how.read.{backward}", alt=t("A heat map of what the layer told at each word, in the order read: {read}.", read=read))


def _noticed(way: Walk, step: LSTMStep, layer: str, *, backward: bool) -> list[str]:
    word = shown(way.tokens[way.position])
    n = len(step.cell)
    read = len(way.tokens) - 1 - way.position if backward else way.position
    if not read:
        lines = [t("No word stands before “{word}” in this direction: only the sentence's boundary mark has been read.", word=word)]
    else:
        lines = [
            tn(
                "When it comes to “{word}”, this direction has read one word and the boundary mark.",
                "When it comes to “{word}”, this direction has read {n} words and the boundary mark.",
                read,
                word=word,
            )
        ]
    kept, taken = float(step.forget_gate.mean()), float(step.input_gate.mean())
    lines.append(
        t(
            "Layer {layer} keeps {kept:.0%} of its cells on average, and takes in {taken:.0%} of what is new.",
            layer=layer,
            kept=kept,
            taken=taken,
        )
    )
    turned = int((np.sign(step.cell) != np.sign(step.cell_before)).sum())
    lines.append(t("{turned:,} of {n:,} cells change their sign at this word.", turned=turned, n=n))
    if step.n_cells_clipped or step.n_outputs_clipped:
        lines.append(
            t("Cut by the clips here: cells {cells:,}, outputs {outputs:,}.", cells=step.n_cells_clipped, outputs=step.n_outputs_clipped)
        )
    else:
        lines.append(t("No cell and no output reaches the clip here."))
    return lines
