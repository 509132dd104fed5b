"""Expectations of a language model: bars behind and around words, and two versions of a text compared.

Forward is blue and backward vermilion, as in every figure of the training. Bars are style rules of the page's own buttons, so that
a word stays a button: reached by keyboard, read aloud, and wrapped with its line.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common.i18n import t
from ..common.markup import html
from . import style
from .measures import BACKWARD, FORWARD
from .style import PHONE, Figure, add_text, base, word_ticks

BOTH = "#5E5BC8"  # both directions together, as the mix of layers
FULL_BITS = 20.0  # a bar of full height: one word in a million
FULL_PIXELS = 38
NAME = 72  # pixels at the right of a line for its name
MOST_PLACES = 36  # of two versions drawn on one line: more words would not be readable
CHANGED = "rgba(230,159,0,0.20)"  # the ground of words that differ
OTHER = "rgba(128,128,140,0.95)"


def list_rules(selector: str, shares: Sequence[float], color: str) -> str:
    """Return style rules for a column of buttons. Button `selector`_k has a bar behind it, as wide as its share (0 to 1)."""
    rules = []
    for k, share in enumerate(shares):
        end = f"{100 * min(max(share, 0.0), 1.0):.1f}%"
        rules.append(
            f"{selector}_{k} button {{background: linear-gradient(to right, {color}4D {end}, transparent {end}) border-box no-repeat;}}"
        )
    return "\n".join(rules)


def ribbon_rules(selector: str, forward: Sequence[float], backward: Sequence[float]) -> str:
    """Return style rules for a row of word buttons: forward surprisal (bits) as a bar above each, backward as a bar below.

    A word outside the model's vocabulary (NaN) has a hatched stub on both sides.
    """
    rules = [
        f"{selector} button {{overflow: visible; margin: {FULL_PIXELS + 3}px 0;}}",
        f"{selector} button::before, {selector} button::after {{content: ''; position: absolute; left: 12%; right: 12%; pointer-events: none;}}",
        f"{selector} button::before {{bottom: calc(100% + 1px); background: {FORWARD}; border-radius: 3px 3px 0 0;}}",
        f"{selector} button::after {{top: calc(100% + 1px); background: {BACKWARD}; border-radius: 0 0 3px 3px;}}",
    ]
    hatched = "repeating-linear-gradient(45deg, rgba(140,140,150,.8) 0 2px, transparent 2px 5px)"
    for k, bits in enumerate(zip(forward, backward, strict=True), 1):
        for side, value in zip(("before", "after"), bits, strict=True):
            look = f"height: {bar_height(value)}px;" if np.isfinite(value) else f"height: 8px; background: {hatched};"
            rules.append(f"{selector} button:nth-of-type({k})::{side} {{{look}}}")
    return "\n".join(rules)


def bar_height(bits: float) -> int:
    """Return the height of a surprisal's bar in pixels, between one and the most that fits."""
    return max(1, round(FULL_PIXELS * min(bits, FULL_BITS) / FULL_BITS))


def versions_figure(
    words: Sequence[tuple[str | None, str | None]], old: Sequence[Sequence[float]], new: Sequence[Sequence[float]]
) -> go.Figure:
    """Draw surprisal along two versions of a text, aligned word by word: forward above, backward below.

    `words` are (word of the other version, of this version), None where one has no word. `old` and `new` are (2, n) bits, NaN without a
    score. Only the part around the edits of a long text is drawn (see `window`).
    """
    first, last = window(words)
    words = words[first:last]
    figure = make_subplots(
        2, 1, figure=Figure(), shared_xaxes=True, vertical_spacing=0.09, subplot_titles=(t("left context"), t("right context"))
    )
    figure.update_annotations(x=0, xanchor="left", font_size=13)
    for row, (before, after, color) in enumerate(zip(old, new, (FORWARD, BACKWARD), strict=True), 1):
        for values, side, name, look in (
            (before[first:last], 0, t("the other"), {"color": OTHER, "width": 2, "dash": "dot"}),
            (after[first:last], 1, t("yours"), {"color": color}),
        ):
            card = html("<b>%{{customdata}}</b>, {}", t("{version}: {bits} bits", version=name, bits="%{y:.1f}"))
            look |= {"name": name, "customdata": [(pair[side] or "")[:60] for pair in words], "connectgaps": False}
            style.add_line(figure, range(len(words)), values, card=card, row=row, col=1, **look)
            if row == 1:  # both panels' lines look alike, and the lower ones often end in one point
                _name_end(figure, values, name, above=_ends_above(before[first:last], after[first:last], side))
        figure.update_yaxes(title=t("bits"), rangemode="tozero", **style.QUIET, row=row, col=1)
    ground = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "fillcolor": CHANGED, "line_width": 0, "layer": "below"}
    figure.update_layout(shapes=[{**ground, "x0": k - 0.5, "x1": k + 0.5} for k, (a, b) in enumerate(words) if a != b])
    figure.update_xaxes(**style.EMPTY, range=[-0.6, len(words) + 0.1])
    changed = {k: "<b>{}</b>" if new else "<b><s>{}</s></b>" for k, (old, new) in enumerate(words) if old != new}
    figure.update_xaxes(**word_ticks([new or old or "" for old, new in words], changed, pixels=PHONE - NAME), row=2, col=1)
    return base(figure, height=470, key="versions").update_layout(margin_r=NAME, margin_t=34)


def window(words: Sequence[tuple[str | None, str | None]]) -> tuple[int, int]:
    """Return the (first, end) places to draw: all of a short text, the surroundings of the first edit of a long one."""
    if len(words) <= MOST_PLACES:
        return 0, len(words)
    change = next((k for k, (a, b) in enumerate(words) if a != b), 0)
    first = min(max(0, change - MOST_PLACES // 2), len(words) - MOST_PLACES)
    return first, first + MOST_PLACES


def _ends_above(old: Sequence[float], new: Sequence[float], side: int) -> bool:
    """Return whether a version's name goes above the end of its line, which the higher version's does."""
    ends = [next((v for v in reversed(list(values)) if np.isfinite(v)), 0.0) for values in (old, new)]
    return ends[side] > ends[1 - side] or (side == 1 and ends[0] == ends[1])


def _name_end(figure: go.Figure, values: Sequence[float], name: str, *, above: bool) -> None:
    scored = [k for k, value in enumerate(values) if np.isfinite(value)]
    if scored:
        add_text(figure, scored[-1], values[scored[-1]], name, xanchor="left", xshift=9, yshift=8 if above else -8, row=1, col=1)
