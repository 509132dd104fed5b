"""Steps 5 and 6 of How it works: one step of an LSTM in each direction, with its gates."""

import numpy as np
import streamlit as st

from core.analysis.walk import LSTMStep, Walk, most_moved
from core.common.config import ModelShape
from core.common.i18n import t, tn
from core.common.markup import plain
from core.figures.walk import heat_figure, limit_of
from core.text.tokens import SENTENCE_BEGIN, SENTENCE_END
from pages._frame.choices import choice
from pages._how.parts import Rows, shorten
from pages._widgets.charts import draw

CELLS, READ = 48, 16  # cells shown, and tokens of those read before


def direction(way: Walk, shape: ModelShape, *, backward: bool) -> tuple[list[str], Rows]:
    of = way.backward if backward else way.forward
    names = [str(k + 1) for k in range(len(of.steps))]
    layer = choice("howlayer", t("Layer"), names, "1", required=True, help=t("LSTM 1 reads spellings, LSTM 2 reads its output."))
    k = names.index(layer) if layer in names else 0
    step, word = of.steps[k], way.tokens[way.position]
    cells = np.sort(most_moved(step, CELLS))
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
        t("o · tanh c, output"): step.told,
    }
    values = np.stack(list(rows.values()))[:, cells]
    cell_names = [t("cell {number:,}", number=int(c)) for c in cells]
    hovers = [[f"{name}, {cell}" for cell in cell_names] for name in rows]
    figure = heat_figure(values, list(rows), key="how.gates", limit=max(1.0, limit_of(values)), hovers=hovers)
    alt = t("Heat map of gates and values for the {n} cells that “{word}” changes most.", n=len(cells), word=shorten(word))
    draw(figure, key=f"how.gates.{backward}", alt=alt)
    st.latex(step.arithmetic(int(most_moved(step, 1)[0])))
    _read_so_far(way, of.outputs[k], backward=backward)
    return _write_notices(way, step, layer, backward=backward), [
        {t("cell"): int(c)} | {name: round(float(row[c]), 4) for name, row in rows.items()} for c in cells
    ]


def _read_so_far(way: Walk, outputs: np.ndarray, *, backward: bool) -> None:
    """Show the output of the layer at each word up to this one, in reading order."""
    tokens = [SENTENCE_BEGIN, *way.tokens, SENTENCE_END]
    at = way.position + 1
    places = list(range(len(tokens) - 1, at - 1, -1) if backward else range(at + 1))[-READ:]
    st.markdown(t("**Output at each word read so far**, {n} numbers each", n=outputs.shape[1]))
    rows = [shorten(tokens[k], 14) for k in places]
    values = outputs[places]
    figure = heat_figure(values, rows, key="how.read", limit=limit_of(values), bold=len(rows) - 1, row=20)
    read = " ".join(shorten(tokens[k], 14) for k in places)
    draw(figure, key=f"how.read.{backward}", alt=t("Heat map of the layer’s output at each word read: {read}.", read=read))


def _write_notices(way: Walk, step: LSTMStep, layer: str, *, backward: bool) -> list[str]:
    word = shorten(way.tokens[way.position])
    read = len(way.tokens) - 1 - way.position if backward else way.position
    if not read:
        lines = [t("This direction has read no word before “{word}”.", word=word)]
    else:
        lines = [
            tn("This direction has read one word before “{word}”.", "This direction has read {n} words before “{word}”.", read, word=word)
        ]
    kept, taken = float(step.forget_gate.mean()), float(step.input_gate.mean())
    lines.append(
        t(
            "On average, layer {layer} keeps {kept:.0%} of a cell and adds {taken:.0%} of the new content.",
            layer=layer,
            kept=kept,
            taken=taken,
        )
    )
    if step.n_cells_clipped or step.n_outputs_clipped:
        lines.append(t("Clipped: {cells:,} cells, {outputs:,} outputs.", cells=step.n_cells_clipped, outputs=step.n_outputs_clipped))
    return lines
