"""The evidence for a verdict as curves: calibration pairs of one meaning and of two, by kind of evidence, and the value of a pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common.i18n import t
from .style import DIFFERENT, EMPTY, SAME, Figure, base

ROW = 120  # pixels


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvidenceRow:
    """A kind of evidence: densities of the calibration pairs, and the value of this pair."""

    name: str
    low: float  # of the first bin
    high: float  # of the last bin
    same: Sequence[float]  # density of pairs of one meaning, bin by bin
    different: Sequence[float]  # and of two
    value: float

    @property
    def favors_same(self) -> bool:
        """Return whether pairs of one meaning are denser at this pair's value."""
        share = (self.value - self.low) / max(self.high - self.low, 1e-9)
        place = min(len(self.same) - 1, max(0, int(share * len(self.same))))
        return self.same[place] > self.different[place]

    @property
    def as_lists(self) -> dict:
        """Return the row for JSON."""
        curves = {name: [round(float(item), 4) for item in getattr(self, name)] for name in ("same", "different")}
        return {"name": self.name, "low": self.low, "high": self.high, "value": self.value} | curves


def curves_figure(rows: Sequence[EvidenceRow]) -> go.Figure:
    """Draw a row of two densities for each kind of evidence, and a line where the pair falls."""
    figure = Figure(make_subplots(rows=max(1, len(rows)), cols=1, subplot_titles=[row.name for row in rows], vertical_spacing=0.08))
    for k, row in enumerate(rows, 1):
        edges = np.linspace(row.low, row.high, len(row.same) + 1)
        places = (edges[1:] + edges[:-1]) / 2
        for name, values, color in ((t("different meanings"), row.different, DIFFERENT), (t("same meaning"), row.same, SAME)):
            look = {"mode": "lines", "fill": "tozeroy", "line": {"color": color, "width": 1.5}, "showlegend": k == 1}
            figure.add_scatter(x=places, y=list(values), name=name, hovertemplate="%{x:.2f}", row=k, col=1, **look)
        figure.add_vline(x=row.value, line={"color": "#6b7280", "width": 3}, row=k, col=1)
    figure.update_yaxes(visible=False, fixedrange=True)
    figure.update_xaxes(**EMPTY)
    return base(figure, height=ROW * max(1, len(rows)) + 40, key="curves").update_layout(showlegend=True, legend={"orientation": "h"})
