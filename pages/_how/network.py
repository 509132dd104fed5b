"""An overview of the network with the user's sentence. Every box opens its step.

From the top down it shows letters, filters, the spelling vector, an LSTM for each layer and direction, the layers and their mix, with a
column for each word. The color of a cell is the size of the model's numbers there, relative to the largest of its row. The network is drawn
twice: with many words for a wide page, with few for a phone.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import streamlit as st

from core.analysis.walk import BEGIN_SIGN, END_SIGN, Walk
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.style import layer_color
from core.figures.walk import cell_sizes, draw_strip
from pages._how.parts import shorten
from pages._how.words import Step

WIDE, MIDDLE, NARROW = (
    (1000, 7, 190),
    (640, 4, 190),
    (380, 3, 0),
)  # pixels, words at most, pixels for the names at the left (0: they stand above)
LEAST, MOST = 5, 13  # height of a strip: all layers of a kind have some 30 pixels
PAD, GAP = 7, 8
PLACES = (0, 1, 2, 4, 5, 6, 8)  # the step of each row, from 0; the others are no part of the network
STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")
# A box presses its step's number, which is the browser's own state and so stands at once (pages._widgets.step_keys). What had the
# keyboard's focus keeps it when the picture is drawn anew.
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
_network = st.components.v2.component("elmoscope_network", html='<div class="network"></div>', css=STYLE, js=SCRIPT)
Painted = Callable[[float, float, float, int], Markup]  # x, y, width, number of the word -> SVG


def show(way: Walk, all_steps: Sequence[Step], number: int) -> None:
    """Show the network with the step `number` (from 0) highlighted."""
    sizes = {"wide": WIDE, "middle": MIDDLE, "narrow": NARROW}
    drawn = html("{}", [html('<div class="{}">{}</div>', name, drawing(way, all_steps, number, *size)) for name, size in sizes.items()])
    _network(key="how.network", data={"drawn": drawn}, width="stretch", height="content")
    st.caption(t("One column per word. Stronger color means larger. Select a box to open its step."))


def drawing(way: Walk, all_steps: Sequence[Step], number: int, width: int, most: int, left: int) -> Markup:
    """Return the network as SVG: a row for each step that is part of it, and a column for each word around the target."""
    first = max(0, min(way.position - most // 2, len(way.tokens) - most))
    words = range(first, min(len(way.tokens), first + most))
    column = (width - left - 2 * PAD) / max(len(words), 1)
    above = 0 if left else 17  # for a name over its row
    names = _names(len(way.layers) - 1)
    parts = []
    y = 0.0
    ends = []
    for k, (height, painted) in enumerate(_rows(way)):
        place = PLACES[k]
        step = all_steps[place]
        tall = height + above + 2 * PAD
        cells = [painted(left + PAD + n * column + 10, y + PAD + above, column - 20, word) for n, word in enumerate(words)]
        x, name_y = (12, y + tall / 2 + 4) if left else (PAD + 3, y + 15)
        parts.append(
            html(
                '<g role="button" tabindex="0" data-step="{n}" aria-label="{n} {name}: {title}"{current}>'
                '<rect class="box" x="1" y="{y:.1f}" width="{width}" height="{tall:.1f}" rx="7"/>'
                '<text x="{x}" y="{name_y:.1f}" font-size="14" font-weight="600">{n} {name}</text><g aria-hidden="true">{cells}</g></g>',
                n=place + 1,
                name=names[k],
                title=step.title,
                current=Markup(' aria-current="step"') if place == number else "",
                x=x,
                name_y=name_y,
                y=y + 1,
                width=width - 2,
                tall=tall - 2,
                cells=cells,
            )
        )
        ends.append((y, y + tall))
        y += tall + GAP
    wires = [
        _arrow(left + PAD + (n + 0.5) * column, bottom, left + PAD + (n + 0.5) * column, top)
        for (_, bottom), (top, _) in pairwise(ends)
        for n in range(len(words))
    ]
    at = left + PAD + (way.position - first) * column
    alt = t(
        "The network for {n} words, “{word}” marked: characters, filters, {layers} LSTM layers per direction, layer mix.",
        n=len(words),
        word=shorten(way.tokens[way.position]),
        layers=len(way.layers) - 1,
    )
    return html(
        '<svg viewBox="0 0 {width} {tall:.0f}" role="group" aria-label="{alt}">'
        '<rect x="{at:.1f}" y="0" width="{column:.1f}" height="{tall:.1f}" rx="7" fill="#FFD23F" fill-opacity="0.16"/>'
        '{parts}<g aria-hidden="true">{wires}</g></svg>',
        width=width,
        tall=y - GAP,
        alt=alt,
        at=at,
        column=column,
        parts=parts,
        wires=wires,
    )


def _names(top: int) -> tuple[str, ...]:
    """Return the names of the boxes by step."""
    return (
        t("Characters"),
        t("Filters"),
        t("Spelling vector"),
        t("LSTMs, left to right"),
        t("LSTMs, right to left"),
        t("Layers 0 to {top}", top=top),
        t("Layer mix"),
    )


def _rows(way: Walk) -> list[tuple[float, Painted]]:
    """Return the rows of the steps in order: the height, and the function that draws a word's cell."""
    n, half = len(way.layers) - 1, way.layers.shape[-1] // 2
    strip = min(MOST, max(LEAST, 30 // max(n, 1)))
    above = [str(j) for j in range(1, n + 1)]
    forward, backward = ([cell_sizes(way.layers[j][:, part]) for j in range(1, n + 1)] for part in (slice(0, half), slice(half, None)))
    whole = [cell_sizes(layer) for layer in way.layers]
    strongest = np.array([bank.pooled.max() for bank in way.banks])
    filters = strongest / max(float(strongest.max()), 1e-9)

    def letters(x: float, y: float, width: float, word: int) -> Markup:
        text = f"{BEGIN_SIGN}{shorten(way.tokens[word], 14)}{END_SIGN}"
        size = min(14.0, 1.55 * width / max(len(shorten(way.tokens[word], 14)) + 2, 1))
        weight = Markup(' font-weight="700"') if word == way.position else ""
        element = '<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="middle"{}>{}</text>'
        return html(element, x + width / 2, y + 13, size, weight, text)

    def filled(x: float, y: float, width: float, word: int) -> Markup:
        if word != way.position:
            return html('<rect class="unseen" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>', x, y, width, MOST)
        return draw_strip(x, y, width, filters, layer_color("0"), MOST)

    def of_layers(sizes: list[np.ndarray], names: list[str], arrow: int) -> Painted:
        def painted(x: float, y: float, width: float, word: int) -> Markup:
            return Markup().join(
                draw_strip(x, y + k * (strip + 3), width, each[word], layer_color(name), strip)
                + _arrow(x + width + (0 if arrow > 0 else 18), y + k * (strip + 3) + strip / 2, x + width + (18 if arrow > 0 else 0), None)
                * bool(arrow)
                for k, (each, name) in enumerate(zip(sizes, names, strict=True))
            )

        return painted

    def tall(rows: int) -> float:
        return rows * (strip + 3) - 3

    vectors = [cell_sizes(way.layers[0][:, :half])]
    return [
        (17, letters),
        (MOST, filled),
        (strip, of_layers(vectors, ["0"], 0)),
        (tall(n), of_layers(forward, above, 1)),
        (tall(n), of_layers(backward, above, -1)),
        (tall(n + 1), of_layers(whole, ["0", *above], 0)),
        (strip, of_layers([cell_sizes(way.layers.mean(axis=0))], ["mix"], 0)),
    ]


def _arrow(x0: float, y0: float, x1: float, y1: float | None) -> Markup:
    """Return an arrow, horizontal if y1 is None."""
    if y1 is None:
        d = 4 if x1 > x0 else -4
        return html('<path class="wire" d="M{:.1f} {:.1f}H{:.1f}m{} -3l{} 3l{} 3"/>', x0 + d / 2, y0, x1 - d / 2, -d, d, -d)
    return html('<path class="wire" d="M{:.1f} {:.1f}V{:.1f}m-3 -4l3 4l3 -4"/>', x0, y0, y1)
