"""Numbers inside the biLM: heat maps, the contribution of each filter, and the char-CNN's reading of a spelling."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common.i18n import format_number, t
from ..common.markup import Markup, html, shorten
from . import style
from .style import AGAINST, FOR, RIM, Figure, add_text, base

if TYPE_CHECKING:  # it imports torch
    from ..analysis.spelling import Firing, Window

LETTER_SCALE = [[0, f"rgba({AGAINST},1)"], [0.499, f"rgba({AGAINST},0.05)"], [0.501, f"rgba({FOR},0.05)"], [1, f"rgba({FOR},1)"]]
LETTER = '<span style="background:{};padding:.1rem .16rem;border-radius:.2rem;font-size:1.3rem;font-weight:600" title="{:+.1%}">{}</span>'
LEAST = 0.05  # the share that is drawn at full strength at least: weak letters stay pale
SHOWN_LETTERS = 26
NEGATIVE, POSITIVE = "#D55E00", "#0072B2"  # below and above zero, on every heat map
SCALE = ((0.0, NEGATIVE), (0.5, "rgba(140,140,150,0.10)"), (1.0, POSITIVE))
ROW, LEGEND, NAMES = 25, 46, 40  # pixels of a row, of the scale below the last one, of the columns' names above the first
BAR = {"orientation": "h", "thickness": 9, "len": 0.5, "lenmode": "fraction", "outlinewidth": 0}  # the scale
BAR |= {"x": 0.0, "xanchor": "left", "y": 0.0, "yanchor": "top", "ypad": 10, "xpad": 0}
CELLS = 20  # of a strip: the mean size of so many runs of a vector's numbers


def limit_of(*arrays: np.ndarray, share: float = 99.0) -> float:
    """Return the end of a scale for all arrays, without their most extreme per cent, which would make all else pale."""
    numbers = np.abs(np.concatenate([np.ravel(a) for a in arrays]))
    numbers = numbers[np.isfinite(numbers)]
    return max(float(np.percentile(numbers, share)) if len(numbers) else 0.0, 1e-6)


def heat_figure(
    values: np.ndarray,
    rows: Sequence[str],
    *,
    key: str,
    limit: float,
    columns: Sequence[str] | str = "",
    hovers: Sequence[Sequence[str]] | None = None,
    bold: int | None = None,
    row: int = ROW,
) -> go.Figure:
    """Draw (R, C) numbers with a labeled row each: orange below zero, blue above, full color at `limit`, NaN empty.

    `columns` names the columns, or is a title above numbered ones. `hovers` (R, C) are shown on hover. `bold` is the selected row.
    """
    columns, title = (None, columns) if isinstance(columns, str) else (columns, "")
    values = np.asarray(values, float)
    labels = [html("<b>{}</b>", r) if k == bold else r for k, r in enumerate(rows)]
    above = hovers or [[html("{}, {}", label, name) for name in _names(columns, values.shape[1])] for label in labels]
    finite = np.abs(values[np.isfinite(values)])
    beyond = bool(len(finite)) and float(finite.max()) > limit * 1.005
    ends = [f"≤ −{limit:.2g}", "0", f"≥ {limit:.2g}"] if beyond else [f"−{limit:.2g}", "0", f"{limit:.2g}"]
    figure = Figure().add_heatmap(
        z=values,
        zmin=-limit,
        zmax=limit,
        colorscale=SCALE,
        xgap=1 if values.shape[1] <= 64 else 0,
        ygap=2,
        hoverongaps=False,
        customdata=above,
        hovertemplate=Markup("%{customdata}<br><b>%{z:.3f}</b>"),
        colorbar=BAR | {"tickvals": [-limit, 0, limit], "ticktext": ends},
    )
    ticks = {"tickvals": list(range(len(labels))), "ticktext": labels, "tickfont": {"size": 13}}
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks, **style.EMPTY)
    figure.update_xaxes(**style.EMPTY, showticklabels=columns is not None, side="top")
    if columns is not None:
        size = 13 if len(columns) <= 30 else 10
        figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=list(columns), tickfont={"size": size}, tickangle=0)
    figure.update_xaxes(title=title or None, title_standoff=2, title_font={"size": 12})
    above_px = NAMES if columns is not None else 22 if title else 6
    figure = base(figure, height=row * len(labels) + above_px + LEGEND, key=key)
    return figure.update_layout(margin={"t": above_px, "b": LEGEND})


def mark_cells(figure: go.Figure, cells: Sequence[tuple[int, int]]) -> go.Figure:
    """Add a dot at each (row, column) of a heat map."""
    marker = {"size": 8, "color": "#ffffff", "line": {"color": RIM, "width": 1.5}}
    return figure.add_scatter(x=[c for _, c in cells], y=[r for r, _ in cells], mode="markers", hoverinfo="skip", marker=marker)


def _names(columns: Sequence[str] | None, n: int) -> list[str]:
    if columns is None:
        return [t("number {number}", number=k + 1) for k in range(n)]
    return [c.replace(Markup("<br>"), Markup(" ")) for c in columns]


def share_figure(labels: Sequence[str], shares: Sequence[float], hovers: Sequence[str]) -> go.Figure:
    """Draw the contribution of each part, -1 to 1, as bars from zero."""
    names = list(labels)
    low = min(0.0, *shares)
    high = max(0.0, *shares)
    room = 0.28 * (high - low or 1.0)
    figure = Figure()
    colors, texts = [POSITIVE if s >= 0 else NEGATIVE for s in shares], [f"{s:.1%}" for s in shares]
    look = {"textfont": {"size": 14}, "customdata": list(hovers)}
    style.add_rows(figure, shares, range(len(names)), colors, texts, Markup("%{customdata}<br><b>%{x:.1%}</b>"), **look)
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
    shares = firing.by_letter
    parts = []
    strongest = max(LEAST, np.abs(shares).max())
    for letter, share in list(zip(firing.letters, shares, strict=True))[:SHOWN_LETTERS]:
        ground = f"rgba({FOR if share >= 0 else AGAINST},{abs(share) / strongest * 0.7:.2f})"
        parts.append(html(LETTER, ground, share, visible(letter)))
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
    figure.add_heatmap(
        z=firing.grid,
        x=list(range(n)),
        y=names,
        zmin=-strongest,
        zmax=strongest,
        showscale=False,
        xgap=2,
        ygap=3,
        row=1,
        col=1,
        colorscale=LETTER_SCALE,
        text=[letters] * len(names),
        hovertemplate="%{text}, %{y}: %{z:+.1%}",
    )
    for name, share in zip(names, firing.by_width, strict=True):
        _add_text_right(figure, name, format_number(share, "+.0%"), axis="")

    def card(window: "Window") -> str:
        values = {"text": window.text, "width": window.width, "n": window.filters, "share": window.share}
        return t("“{text}”, width {width}, filters: {n}, {share:+.1%} of vector", **values)

    largest = max([LEAST, *(abs(window.share) for window in spans)])
    places = [f"{number} " for number in range(len(spans))]
    figure.add_bar(
        y=places,
        x=[w.last - w.first + 0.9 for w in spans],
        base=[w.first - 0.45 for w in spans],
        orientation="h",
        row=2,
        col=1,
        marker={"color": [f"rgba({FOR if w.share >= 0 else AGAINST},{0.25 + 0.7 * abs(w.share) / largest:.2f})" for w in spans]},
        hovertext=[card(window) for window in spans],
        hovertemplate="%{hovertext}",
    )
    for place, window in zip(places, spans, strict=True):
        _add_text_right(figure, place, html("<b>{}</b>  {}", window.text, format_number(window.share, "+.0%")), axis="2")
    size = 22 if n <= 14 else 15 if n <= 26 else 11
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
    shares, ends = np.clip(np.nan_to_num(matrix), 0, 1), (style.between("#FFFFFF", color, 0.15), color)
    style.add_shades(figure, shares, places, places, texts, size=14, ends=ends, hoverinfo="skip")
    ticks = {"tickvals": places, "ticktext": names, "fixedrange": True, "showgrid": False, "zeroline": False, "tickfont": {"size": 13}}
    figure.update_xaxes(side="top", **ticks)
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks)
    return base(figure, height=70 + 40 * len(names), key=key).update_layout(margin={"t": 36})
