"""Numbers inside the biLM: heat maps, the char-CNN's reading of a spelling, and the expectations of both directions.

Forward is blue and backward vermilion, as in every figure of the training. Bars of words are style rules of the page's own buttons, so that
a word stays a button: reached by keyboard, read aloud, and wrapped with its line.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common.i18n import format_number, t
from ..common.markup import Markup, html, shorten
from . import style
from .measures import BACKWARD, FORWARD
from .style import AGAINST, FOR, RIM, Figure, add_text, base, word_ticks

if TYPE_CHECKING:  # it imports torch
    from ..analysis.spelling import Firing

LETTER_SCALE = [[0, f"rgba({AGAINST},1)"], [0.499, f"rgba({AGAINST},0.05)"], [0.501, f"rgba({FOR},0.05)"], [1, f"rgba({FOR},1)"]]
LETTER = '<span style="background:{};padding:.1rem .16rem;border-radius:.2rem;font-size:1.3rem;font-weight:600" title="{:+.1%}">{}</span>'
LEAST = 0.05  # the share that is drawn at full strength at least: weak letters stay pale
SHOWN_LETTERS = 26
NEGATIVE, POSITIVE = "#D55E00", "#0072B2"  # below and above zero, on every heat map
SCALE = ((0.0, NEGATIVE), (0.5, "rgba(140,140,150,0.10)"), (1.0, POSITIVE))
ROW, LEGEND, NAMES = 25, 46, 40  # pixels of a row, of the scale below the last one, of the columns' names above the first
BAR = {"orientation": "h", "thickness": 9, "len": 0.5, "lenmode": "fraction", "outlinewidth": 0}  # the scale
BAR |= {"x": 0.0, "xanchor": "left", "y": 0.0, "yanchor": "top", "ypad": 10, "xpad": 0}
CELLS = 20  # cells of a strip; each is the mean size of one run of a vector's numbers
BOTH = "#5E5BC8"  # both directions together, as the mix of layers
FULL_BITS = 20.0  # a bar of full height: one word in a million
FULL_PIXELS = 38
MOST_PLACES = 36  # words of two versions on one line: more would not be readable
CHANGED = "rgba(230,159,0,0.20)"  # the background of words that differ
OTHER = "rgba(128,128,140,0.95)"


def limit_of(*arrays: np.ndarray, share: float = 99.0) -> float:
    """Return the end of a scale for all arrays, without their most extreme per cent, which would make all else pale."""
    numbers = np.abs(np.concatenate([np.ravel(a) for a in arrays]))
    numbers = numbers[np.isfinite(numbers)]
    return max(float(np.percentile(numbers, share)) if len(numbers) else 0.0, 1e-6)


def heat_figure(
    values, rows: Sequence[str], *, key: str, limit: float, columns: Sequence[str] | str = "", hovers=None, bold=None, row: int = ROW
) -> go.Figure:
    """Draw (R, C) numbers with a labeled row each: orange below zero, blue above, full color at `limit`, NaN empty.

    `columns` names the columns, or is a title above numbered ones. `hovers` (R, C) are shown on hover. `bold` is the selected row.
    """
    title = ""
    if isinstance(columns, str):
        title, columns = columns, None
    values = np.asarray(values, float)
    labels = [html("<b>{}</b>", r) if k == bold else r for k, r in enumerate(rows)]
    if columns is None:
        names = [t("number {number}", number=k + 1) for k in range(values.shape[1])]
    else:
        names = [column.replace(Markup("<br>"), Markup(" ")) for column in columns]
    cards = hovers or [[html("{}, {}", label, name) for name in names] for label in labels]
    finite = np.abs(values[np.isfinite(values)])
    beyond = bool(len(finite)) and float(finite.max()) > limit * 1.005
    ends = [f"≤ −{limit:.2g}", "0", f"≥ {limit:.2g}"] if beyond else [f"−{limit:.2g}", "0", f"{limit:.2g}"]
    look = {"colorscale": SCALE, "zmin": -limit, "zmax": limit, "xgap": 1 if values.shape[1] <= 64 else 0, "ygap": 2, "hoverongaps": False}
    bar = BAR | {"tickvals": [-limit, 0, limit], "ticktext": ends}
    card = Markup("%{customdata}<br><b>%{z:.3f}</b>")
    figure = Figure().add_heatmap(z=values, customdata=cards, hovertemplate=card, colorbar=bar, **look)
    ticks = {"tickvals": list(range(len(labels))), "ticktext": labels, "tickfont": {"size": 13}}
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks, **style.EMPTY)
    figure.update_xaxes(**style.EMPTY, showticklabels=columns is not None, side="top", title=title or None, title_standoff=2)
    figure.update_xaxes(title_font={"size": 12})
    above_px = 22 if title else 6
    if columns is not None:
        above_px = NAMES
        size = 13 if len(columns) <= 30 else 10
        figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=list(columns), tickfont={"size": size}, tickangle=0)
    base(figure, height=row * len(labels) + above_px + LEGEND, key=key)
    return figure.update_layout(margin={"t": above_px, "b": LEGEND})


def mark_cells(figure: go.Figure, cells: Sequence[tuple[int, int]]) -> go.Figure:
    """Add a dot at each (row, column) of a heat map."""
    marker = {"size": 8, "color": "#ffffff", "line": {"color": RIM, "width": 1.5}}
    return figure.add_scatter(x=[c for _, c in cells], y=[r for r, _ in cells], mode="markers", hoverinfo="skip", marker=marker)


def share_figure(labels: Sequence[str], shares: Sequence[float], hovers: Sequence[str]) -> go.Figure:
    """Draw the contribution of each part, -1 to 1, as bars from zero."""
    names = list(labels)
    figure = Figure()
    low, high = min(0.0, *shares), max(0.0, *shares)
    room = 0.28 * (high - low or 1.0)
    colors = [POSITIVE if s >= 0 else NEGATIVE for s in shares]
    texts = [f"{s:.1%}" for s in shares]
    card = Markup("%{customdata}<br><b>%{x:.1%}</b>")
    style.add_rows(figure, shares, range(len(names)), colors, texts, card, textfont={"size": 14}, customdata=list(hovers))
    figure.update_xaxes(visible=False, fixedrange=True, range=[low - (room if low < 0 else 0.02), high + room])
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, **style.ROWS)
    return base(figure, height=30 * len(names) + 40, key="walk.shares")


def cell_sizes(vectors: np.ndarray) -> np.ndarray:
    """Return the mean size of each run of numbers, (T, P) -> (T, CELLS), relative to the largest of all words."""
    runs = np.stack([np.abs(run).mean(axis=1) for run in np.array_split(vectors, min(CELLS, vectors.shape[1]), axis=1)], axis=1)
    return runs / max(float(runs.max()), 1e-9)


def draw_strip(x: float, y: float, width: float, sizes: np.ndarray, color: str, height: float) -> Markup:
    """Draw a vector as a row of cells."""
    cell = width / len(sizes)
    rectangle = Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="{:.2f}"/>')
    return Markup().join(
        rectangle.format(x + k * cell, y, cell, height, color, 0.12 + 0.88 * size) for k, size in enumerate(sizes.tolist())
    )


def letter_marks(firing: "Firing") -> Markup:
    """Mark each letter of a word, boundary marks included, by what it adds (blue) or takes (orange)."""
    shares = firing.grid.sum(axis=0)
    parts = []
    strongest = max(LEAST, np.abs(shares).max())
    for letter, share in zip(firing.letters[:SHOWN_LETTERS], shares, strict=False):
        background = f"rgba({FOR if share >= 0 else AGAINST},{abs(share) / strongest * 0.7:.2f})"
        parts.append(html(LETTER, background, share, visible(letter)))
    return html("{}{}", parts, "…" if len(firing.letters) > SHOWN_LETTERS else "")


def visible(letter: str) -> str:
    """Return a visible character as it is, any other as the number of its code point."""
    return letter if letter.isprintable() and not letter.isspace() else f"U+{ord(letter[0]):04X}"


def windows_figure(firing: "Firing", k: int = 8) -> go.Figure:
    """Draw each letter's contribution through the windows of each width; below it the k windows that contribute most."""
    letters = [visible(letter) for letter in firing.letters]
    n = len(firing.letters)
    spans = [window for window in firing.windows if window.lettered][:k]
    rows = [len(firing.widths), max(1, len(spans))]
    figure = make_subplots(2, 1, figure=Figure(), shared_xaxes=True, row_heights=rows, vertical_spacing=0.06)
    strongest = max(LEAST, np.abs(firing.grid).max())
    names = [t("{n} wide", n=width) for width in firing.widths]
    look = {"colorscale": LETTER_SCALE, "zmin": -strongest, "zmax": strongest, "showscale": False, "xgap": 2, "ygap": 3}
    texts = {"text": [letters] * len(names), "hovertemplate": "%{text}, %{y}: %{z:+.1%}"}
    figure.add_heatmap(z=firing.grid, x=list(range(n)), y=names, row=1, col=1, **look, **texts)
    for name, share in zip(names, firing.grid.sum(axis=1), strict=True):
        _add_text_right(figure, name, format_number(share, "+.0%"), axis="")
    cards = [
        t("“{text}”, width {width}, filters: {n}, {share:+.1%} of vector", text=w.text, width=w.width, n=w.filters, share=w.share)
        for w in spans
    ]
    largest = max([LEAST, *(abs(window.share) for window in spans)])
    places = [f"{number} " for number in range(len(spans))]
    colors = [f"rgba({FOR if w.share >= 0 else AGAINST},{0.25 + 0.7 * abs(w.share) / largest:.2f})" for w in spans]
    bars = {"x": [w.last - w.first + 0.9 for w in spans], "base": [w.first - 0.45 for w in spans], "y": places, "orientation": "h"}
    figure.add_bar(**bars, marker_color=colors, hovertext=cards, hovertemplate="%{hovertext}", row=2, col=1)
    for place, window in zip(places, spans, strict=True):
        _add_text_right(figure, place, html("<b>{}</b>  {}", window.text, format_number(window.share, "+.0%")), axis="2")
    size = 22 if n <= 14 else 15
    if n > 26:
        size = 11
    figure.update_xaxes(range=[-0.6, n - 0.4], **style.EMPTY)
    figure.update_xaxes(row=1, col=1, side="top", tickvals=list(range(n)), ticktext=letters, showticklabels=True, tickfont={"size": size})
    figure.update_xaxes(row=2, col=1, showticklabels=False)
    figure.update_yaxes(autorange="reversed", fixedrange=True, showgrid=False, tickfont={"size": 13}, automargin=True)
    figure.update_yaxes(row=2, col=1, showticklabels=True, tickvals=places, ticktext=[t("{n} wide", n=w.width) for w in spans])
    figure.update_layout(bargap=0.3)
    wide = max([4, *(len(window.text) for window in spans)])
    base(figure, height=70 + 25 * rows[0] + 30 * rows[1] + 20, key=f"windows.{len(firing.widths)}")
    return figure.update_layout(margin={"t": 40, "r": 50 + 8 * min(wide, 30)}, transition=None)


def _add_text_right(figure: go.Figure, y: str, text: str, *, axis: str) -> None:
    """Add a text at the right of a row of the subplot whose axes end in `axis`."""
    add_text(figure, 1.01, y, text, xref=f"x{axis} domain", yref=f"y{axis}", xanchor="left")


def cosine_table(words: Sequence[str], matrix: np.ndarray, color: str, *, key: str) -> go.Figure:
    """Draw (n, n) cosines as a shaded table. NaN, of a word without a vector, is "none"."""
    names = [shorten(word, 14) for word in words]
    places = list(range(len(names)))  # places are the axes' values: two long words may be cut to one name
    texts = [t("none") if np.isnan(value) else format_number(value, ".2f") for value in matrix.ravel()]
    figure = Figure()
    ends = (style.between("#FFFFFF", color, 0.15), color)
    style.add_shades(figure, np.clip(np.nan_to_num(matrix), 0, 1), places, places, texts, size=14, ends=ends, hoverinfo="skip")
    ticks = {"tickvals": places, "ticktext": names, "fixedrange": True, "showgrid": False, "zeroline": False, "tickfont": {"size": 13}}
    figure.update_xaxes(side="top", **ticks)
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks)
    return base(figure, height=70 + 40 * len(names), key=key).update_layout(margin={"t": 36})


def list_rules(selector: str, shares: Sequence[float], color: str) -> str:
    """Return style rules for a column of buttons. Button `selector`_k has a bar behind it, as wide as its share (0 to 1)."""
    ends = [f"{100 * min(max(share, 0.0), 1.0):.1f}%" for share in shares]
    look = "{{background: linear-gradient(to right, {0}4D {1}, transparent {1}) border-box no-repeat;}}"
    return "\n".join(f"{selector}_{k} button {look.format(color, end)}" for k, end in enumerate(ends))


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
            spellings = [(pair[side] or "")[:60] for pair in words]
            place = {"showlegend": row == 1, "row": row, "col": 1}
            style.add_line(
                figure, range(len(words)), values, card=card, name=name, customdata=spellings, connectgaps=False, **place, **look
            )
        figure.update_yaxes(title=t("bits"), rangemode="tozero", **style.QUIET, row=row, col=1)
    changed = {k: "<b>{}</b>" if after else "<b><s>{}</s></b>" for k, (before, after) in enumerate(words) if before != after}
    ground = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "fillcolor": CHANGED, "line_width": 0, "layer": "below"}
    figure.update_layout(shapes=[{**ground, "x0": k - 0.5, "x1": k + 0.5} for k in changed])
    figure.update_xaxes(**style.EMPTY, range=[-0.6, len(words) + 0.1])
    figure.update_xaxes(**word_ticks([after or before or "" for before, after in words], changed), row=2, col=1)
    return base(figure, height=470, key="versions").update_layout(
        showlegend=True, legend=style.LEGEND | {"x": 1, "xanchor": "right"}, margin_t=34
    )


def window(words: Sequence[tuple[str | None, str | None]]) -> tuple[int, int]:
    """Return the (first, end) places to draw: all of a short text, the surroundings of the first edit of a long one."""
    if len(words) <= MOST_PLACES:
        return 0, len(words)
    change = next((k for k, (a, b) in enumerate(words) if a != b), 0)
    first = min(max(0, change - MOST_PLACES // 2), len(words) - MOST_PLACES)
    return first, first + MOST_PLACES
