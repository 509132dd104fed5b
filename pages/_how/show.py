"""How it works: an overview of the network, then nine steps of one token. The number of the step is a URL parameter."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import streamlit as st

from core.analysis.walk import BEGIN_SIGN, END_SIGN, Walk, walk
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.style import layer_color
from core.figures.walk import cell_sizes, draw_strip
from pages._cached.cache import view_part, workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import component, fragment, show_html
from pages._frame.menu import page_link
from pages._frame.parameters import keep_parameter
from pages._how import spellings
from pages._how.steps import characters, direction, draw_angle, filters, layers, mix, projection
from pages._how.texts import Step, shorten, steps
from pages._widgets import lists
from pages._widgets.components import stepper
from pages._widgets.inputs import Chosen

NUMBERS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
# The drawing for each width of the page: pixels, maximum of words, pixels for the names on the left (0: the names are above the boxes).
WIDE, MIDDLE, NARROW = (1000, 7, 190), (640, 4, 190), (380, 3, 0)
LEAST, MOST = 5, 13  # height of a strip; all layers of a kind share about 30 pixels
PAD, GAP = 7, 8
ANGLE = 7  # the number, from 0, of the step that has a box for the second sentence
PLACES = (0, 1, 2, 4, 5, 6, 8)  # the step of each row, from 0; the other steps are not part of the network
BOX = Markup(
    '<g role="button" tabindex="0" data-step="{n}" aria-label="{n} {name}: {title}"{current}>'
    '<rect class="box" x="1" y="{y:.1f}" width="{width}" height="{tall:.1f}" rx="7"/>'
    '<text x="{x}" y="{name_y:.1f}" font-size="14" font-weight="600">{n} {name}</text><g aria-hidden="true">{cells}</g></g>'
)
NETWORK = Markup(
    '<svg viewBox="0 0 {width} {tall:.0f}" role="group" aria-label="{alt}">'
    '<rect x="{at:.1f}" y="0" width="{column:.1f}" height="{tall:.1f}" rx="7" fill="#FFD23F" fill-opacity="0.16"/>'
    '{parts}<g aria-hidden="true">{wires}</g></svg>'
)
# A click on a box presses the number of its step, which the browser changes at once (pages._widgets.components). The script restores the
# keyboard focus when the picture is drawn again.
_network = component("elmoscope_network", Path(__file__).with_name("network"), html='<div class="network"></div>')
Painted = Callable[[float, float, float, int], Markup]  # x, y, width, number of the word -> SVG


@fragment
def show(in_use: InUse, chosen: Chosen) -> None:
    over = workspace(in_use)
    layers_in_use = model_layers.in_use()
    if not layers_in_use.is_elmo:
        _ = over.model.encoder  # raises the error if it cannot be opened
        notice([t("{model} is a transformer, without char-CNN or LSTMs.", model=layers_in_use.called)])
        page_link("home", t("Compare its layers"), icon=":material/arrow_forward:")
        return
    token_walk = view_part("model.encoder", walk, over, chosen.tokens, chosen.position)
    shape = over.model.encoder.model.shape
    all_steps = steps(shape)
    overview = st.container()
    following = [*(t("Next: {title}", title=step.title) for step in all_steps[1:]), t("Last step")]
    icons = ":material/arrow_back:", ":material/arrow_forward:"
    number = stepper("step", t("Step"), NUMBERS, buttons="how", following=following.__getitem__, icons=icons)
    with overview:
        sizes = ("wide", WIDE), ("middle", MIDDLE), ("narrow", NARROW)
        drawings = [html('<div class="{}">{}</div>', name, draw_network(token_walk, all_steps, number, *size)) for name, size in sizes]
        _network(key="how.network", data={"drawn": html("{}", drawings)}, width="stretch", height="content")
        st.caption(t("One column per word. Stronger color means larger. Select a box to open its step."))
    step = all_steps[number]
    st.subheader(t("{number} of {n}: {title}", number=number + 1, n=len(all_steps), title=step.title), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    show_html('<p class="lede" style="margin:0">{}</p>', step.words, place=left)
    with right:
        st.markdown(f"`{step.shape}`")
        for equation in step.equations:
            st.latex(equation)
        if step.source:
            st.caption(step.source)
    if number != ANGLE:
        keep_parameter("b")
        keep_parameter("bi")
    draw = (  # each draws its step, and returns what to notice and the rows of its table
        lambda: characters(token_walk, shape),
        lambda: filters(token_walk),
        lambda: projection(token_walk),
        lambda: spellings.draw_spellings(in_use),
        lambda: direction(token_walk, backward=False),
        lambda: direction(token_walk, backward=True),
        lambda: layers(token_walk, shape),
        lambda: draw_angle(in_use, chosen, token_walk),
        lambda: mix(token_walk),
    )
    lines, table = draw[number]()
    notice(lines)
    lists.offer_table(table, name=f"step-{number + 1}", key=f"how.table.{number + 1}")


def draw_network(token_walk: Walk, all_steps: Sequence[Step], number: int, width: int, max_words: int, left: int) -> Markup:
    """Return the network as SVG: a row for each step that is part of it, and a column for each word around the target."""
    first = max(0, min(token_walk.position - max_words // 2, len(token_walk.tokens) - max_words))
    words = range(first, min(len(token_walk.tokens), first + max_words))
    column = (width - left - 2 * PAD) / max(len(words), 1)
    above = 0 if left else 17  # for a name over its row
    lstms = t("LSTMs, left to right"), t("LSTMs, right to left")
    layers_shown = t("Layers 0 to {top}", top=len(token_walk.layers) - 1)
    names = t("Characters"), t("Filters"), t("Spelling vector"), *lstms, layers_shown, t("Layer mix")
    parts, ends, y = [], [], 0.0
    for place, name, (height, painted) in zip(PLACES, names, _rows(token_walk), strict=True):
        tall = height + above + 2 * PAD
        cells = [painted(left + PAD + n * column + 10, y + PAD + above, column - 20, word) for n, word in enumerate(words)]
        x, name_y = (12, y + tall / 2 + 4) if left else (PAD + 3, y + 15)
        current = Markup(' aria-current="step"') if place == number else ""
        values = {"n": place + 1, "name": name, "title": all_steps[place].title, "current": current, "x": x, "name_y": name_y}
        parts.append(BOX.format(**values, y=y + 1, width=width - 2, tall=tall - 2, cells=Markup().join(cells)))
        ends.append((y, y + tall))
        y += tall + GAP
    middles = [left + PAD + (n + 0.5) * column for n in range(len(words))]
    wires = [_arrow(x, bottom, x, top) for (_, bottom), (top, _) in pairwise(ends) for x in middles]
    values = {"n": len(words), "word": shorten(token_walk.tokens[token_walk.position]), "layers": len(token_walk.layers) - 1}
    alt = t("The network for {n} words, “{word}” marked: characters, filters, {layers} LSTM layers per direction, layer mix.", **values)
    at = left + PAD + (token_walk.position - first) * column
    parts, wires = Markup().join(parts), Markup().join(wires)
    return NETWORK.format(width=width, tall=y - GAP, alt=alt, at=at, column=column, parts=parts, wires=wires)


def _rows(token_walk: Walk) -> list[tuple[float, Painted]]:
    """Return the rows of the steps in order: the height, and the function that draws a word's cell."""
    n, half = len(token_walk.layers) - 1, token_walk.layers.shape[-1] // 2
    strip = min(MOST, max(LEAST, 30 // max(n, 1)))
    above = [str(j) for j in range(1, n + 1)]
    forward = [cell_sizes(layer[:, :half]) for layer in token_walk.layers[1:]]
    backward = [cell_sizes(layer[:, half:]) for layer in token_walk.layers[1:]]
    strongest = np.array([bank.pooled.max() for bank in token_walk.banks])
    filters = strongest / max(float(strongest.max()), 1e-9)

    def draw_letters(x: float, y: float, width: float, word: int) -> Markup:
        text = f"{BEGIN_SIGN}{shorten(token_walk.tokens[word], 14)}{END_SIGN}"
        size = min(14.0, 1.55 * width / len(text))
        weight = Markup(' font-weight="700"') if word == token_walk.position else ""
        element = '<text x="{:.1f}" y="{:.1f}" font-size="{:.1f}" text-anchor="middle"{}>{}</text>'
        return html(element, x + width / 2, y + 13, size, weight, text)

    def draw_filters(x: float, y: float, width: float, word: int) -> Markup:
        if word != token_walk.position:
            return html('<rect class="unseen" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"/>', x, y, width, MOST)
        return draw_strip(x, y, width, filters, layer_color("0"), MOST)

    def layer_row(sizes: list[np.ndarray], names: list[str], arrow: int = 0) -> tuple[float, Painted]:
        def painted(x: float, y: float, width: float, word: int) -> Markup:
            start, end = x + width, x + width + 18
            if arrow < 0:
                start, end = end, start
            parts = []
            for values, name in zip(sizes, names, strict=True):
                parts.append(draw_strip(x, y, width, values[word], layer_color(name), strip))
                if arrow:
                    parts.append(_arrow(start, y + strip / 2, end, None))
                y += strip + 3
            return Markup().join(parts)

        return len(names) * (strip + 3) - 3, painted

    return [
        (17, draw_letters),
        (MOST, draw_filters),
        layer_row([cell_sizes(token_walk.layers[0][:, :half])], ["0"]),
        layer_row(forward, above, 1),
        layer_row(backward, above, -1),
        layer_row([cell_sizes(layer) for layer in token_walk.layers], ["0", *above]),
        layer_row([cell_sizes(token_walk.layers.mean(axis=0))], ["mix"]),
    ]


def _arrow(x0: float, y0: float, x1: float, y1: float | None) -> Markup:
    """Return an arrow, horizontal if y1 is None."""
    if y1 is None:
        d = 4 if x1 > x0 else -4
        return html('<path class="wire" d="M{:.1f} {:.1f}H{:.1f}m{} -3l{} 3l{} 3"/>', x0 + d / 2, y0, x1 - d / 2, -d, d, -d)
    return html('<path class="wire" d="M{:.1f} {:.1f}V{:.1f}m-3 -4l3 4l3 -4"/>', x0, y0, y1)
