"""What was measured: the layer weights, and accuracies beside chance."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log10
from textwrap import wrap

import plotly.graph_objects as go

from core.figures.style import GLOVE, GRID, LAYER_COLOURS, base, layer_title
from core.texts import t


def weight_bars(weights) -> go.Figure:
    """softmax(w), (L,), as bars from 0 to 1, layer by layer."""
    names = [f"s{k}" for k in range(len(weights))]
    figure = go.Figure(
        go.Bar(
            x=list(weights),
            y=names,
            orientation="h",
            marker_color=[LAYER_COLOURS[str(min(k, 2))] for k in range(len(weights))],
            text=[f"{w:.0%}" for w in weights],
            textposition="outside",
            textfont={"size": 15},
            cliponaxis=False,
            hovertemplate="%{y} = %{x:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(range=[0, 1.15], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 15})
    return base(figure, height=58 * len(names) + 24, key="weights")


def ratio_bars(rows: Sequence[tuple[str, str, float]]) -> go.Figure:
    """(what, the peer, how many times as fast as it): bars from 1, where both are equally fast, on a scale of ratios."""
    times = [ratio for *_, ratio in rows]
    logs, places = [log10(ratio) for ratio in times], list(range(len(rows)))
    figure = go.Figure(
        go.Bar(
            x=logs, y=places, orientation="h", width=0.36, marker_color=[LAYER_COLOURS["2"] if ratio >= 1 else GLOVE for ratio in times],
            text=[f"{ratio:.2g} ×" if ratio < 10 else f"{ratio:.0f} ×" for ratio in times], textposition="outside", textfont={"size": 14},
            cliponaxis=False, customdata=times, hovertemplate="%{customdata:.3g} ×<extra></extra>",
        )
    )  # fmt: skip
    for place, (what, peer, _) in zip(places, rows, strict=True):  # above its bar: beside it a phone has no room
        lines = wrap(what, 44)
        apart = "<br>" if len(lines) == 1 and len(what) + len(peer) > 46 else "  "
        name = "<br>".join(map(escape, lines)) + f'{apart}<span style="font-size:11px">{escape(peer)}</span>'
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", y=place, yanchor="bottom", yshift=13, text=name, showarrow=False, align="left", font={"size": 13}
        )  # fmt: skip
        # Where both are equally fast, beside the bar alone: a line through all would strike the names out.
        figure.add_shape(type="line", x0=0, x1=0, y0=place - 0.26, y1=place + 0.26, line={"color": "#888", "width": 1})
    low, high = min([0.0, *logs]), max([0.0, *logs])
    ticks = [k for k in range(-3, 6) if low - 0.2 <= k <= high + 0.2]
    figure.update_xaxes(
        range=[low - 0.45, high + 0.5], tickvals=ticks, ticktext=[f"{10.0**k:g} ×" for k in ticks], showgrid=False, zeroline=False,
        fixedrange=True, automargin=True, tickangle=0,
        title={"text": t("times as fast as the peer in small print"), "standoff": 10},
    )  # fmt: skip
    figure.update_yaxes(range=[len(rows) - 0.6, -0.85], visible=False, fixedrange=True)
    return base(figure, height=64 * len(rows) + 80, key="ratios")


def accuracy_lines(
    curves: dict[str, dict[str, float]], *, null: float | None, majority: float | None, static: float | None = None
) -> go.Figure:
    """1-NN sense accuracy per layer and mix as bars on one scale, with chance, majority and the static context as lines."""
    figure = go.Figure()
    for name, values in curves.items():
        layers = list(values)
        figure.add_bar(
            x=[layer_title(n) for n in layers],
            y=list(values.values()),
            name=name,
            text=[f"{v:.0%}" for v in values.values()],
            textposition=[
                "inside" if v > 0.15 else "outside" for v in values.values()
            ],  # at its foot, where no line strikes it out
            insidetextanchor="start",
            textangle=0,
            textfont={"size": 14},
            marker_color=[LAYER_COLOURS[n] for n in layers],
            hovertemplate="%{x}: %{y:.1%}<extra></extra>",
        )
    lines = _merged_lines(null, majority)
    if static is not None:
        lines.append((static, t("other words’<br>static vectors"), "dashdot"))
    at = -1.0  # of the label below
    for value, label, dash in sorted(lines):
        at = max(value, at + 0.19)  # two lines of text
        figure.add_hline(y=value, line={"dash": dash, "color": GLOVE if dash == "dashdot" else "#888", "width": 1.5})
        figure.add_annotation(
            x=1.01, xref="paper", y=at, text=label, showarrow=False, xanchor="left", align="left", font={"size": 12}
        )
    figure.update_yaxes(range=[0, 1.12], tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=5)
    figure.update_xaxes(fixedrange=True, tickfont={"size": 14})
    base(figure, height=270, key="accuracy")
    return figure.update_layout(margin_r=112)


def _merged_lines(null: float | None, majority: float | None) -> list[tuple[float, str, str]]:
    """The lines of chance and of the commonest sense, as one where they would lie on each other."""
    if null is not None and majority is not None and abs(null - majority) < 0.09:
        return [((null + majority) / 2, t("chance,<br>commonest sense"), "dot")]
    lines = [(null, t("chance<br>(shuffled)"), "dot"), (majority, t("commonest<br>sense"), "dash")]
    return [(value, label, dash) for value, label, dash in lines if value is not None]
