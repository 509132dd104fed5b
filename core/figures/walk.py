"""Numbers inside the biLM: heat maps centered at zero, and the contribution of each filter."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .style import RIM, Figure, base

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
    drawn = Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}" fill-opacity="{:.2f}"/>')
    return Markup().join(drawn.format(x + k * cell, y, cell, height, color, 0.12 + 0.88 * size) for k, size in enumerate(sizes.tolist()))
