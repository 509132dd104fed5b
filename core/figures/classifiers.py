"""Figures of classifiers: predictions, reliability, confusions, training curves and accuracies."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html, shorten
from . import style
from .style import AGAINST, FOR, GRID, SENSE_COLORS, Figure, add_shades, add_text, base, layer_title, line_name, spread_heights

LABEL = 30  # letters of a class's name on a confusion matrix
CLOSEST = 0.3  # least distance of two labeled ticks, as a share of the logarithmic axis
GRADES = ("#A6341B", "#E08A5B", "#9A9AA3", "#5FA8D3", "#1B5E8C")  # ordered classes, from bad to good
KINDS = {"with ELMo": "#2171B5", "without ELMo": "#E8871E", "plain baseline": "#7F7F7F"}


def class_colors(labels: Sequence[str], *, ordered: bool) -> dict[str, str]:
    """Return a color for each class. Ordered classes run from red to blue."""
    if ordered and len(labels) > 1:
        places = np.linspace(0, len(GRADES) - 1, len(labels)).round().astype(int)
        return {label: GRADES[k] for label, k in zip(labels, places, strict=True)}
    return {label: SENSE_COLORS[k % len(SENSE_COLORS)] for k, label in enumerate(labels)}


def chain_colors(n_chains: int) -> dict[str, str]:
    """Return a color for each chain's number, from "1". Chains beyond the number of colors have none."""
    return {str(k): color for k, color in zip(range(1, n_chains + 1), SENSE_COLORS, strict=False)}


def answers_figure(titles: Sequence[str], probabilities: Sequence[dict[str, float]], colors: dict[str, str]) -> go.Figure:
    """Draw a bar for each classifier, divided among the classes and named by the predicted one; those against the majority are bold."""
    figure = Figure()
    predicted = [max(row, key=row.get) for row in probabilities]
    majority = max(predicted, key=predicted.count)
    names = [name if answer == majority else html("<b>≠ {}</b>", name) for name, answer in zip(titles, predicted, strict=True)]
    for label, color in colors.items():
        shares = [row.get(label, 0.0) for row in probabilities]
        texts = [html("<b>{}</b> {:.0%}", label, p) if label == answer else "" for p, answer in zip(shares, predicted, strict=True)]
        look = {"name": label, "opacity": 1.0, "insidetextanchor": "start", "textfont": {"color": "#ffffff", "size": 14}}
        style.add_parts(figure, shares, names, color, texts, html("%{{y}}<br>{}: %{{x:.1%}}", label), **look)
    figure.update_layout(barmode="stack", bargap=0.28, uniformtext={"minsize": 9, "mode": "show"})
    return _finish_shares(figure, height=38 * len(names) + 40, key="answers")


def shares_figure(titles: Sequence[str], shares: Sequence[dict[str, float]], colors: Sequence[str]) -> go.Figure:
    """Draw a bar of each classifier for each answer, side by side and labeled, so that no color has to be distinguished."""
    figure = Figure()
    for title, row, color in zip(titles, shares, colors, strict=True):
        texts = [f"{p:.0%} {title}" for p in row.values()]
        card = html("{}<br>%{{y}}: %{{x:.1%}}", title)
        style.add_parts(figure, row.values(), row, color, texts, card, name=title, textposition="auto")
    figure.update_layout(barmode="group", bargap=0.25, bargroupgap=0.08)
    return _finish_shares(figure, height=34 * len(titles) * max(map(len, shares)) + 40, key="shares")


def _finish_shares(figure: go.Figure, *, height: int, key: str) -> go.Figure:
    figure.update_xaxes(visible=False, range=[0, 1.0], fixedrange=True)
    figure.update_yaxes(**style.ROWS)
    return base(figure, height=height, key=key)


def layer_weights_figure(weights: dict[str, Sequence[float]]) -> go.Figure:
    """Draw the learned weight s_j of each layer as a heat map. Rows are tasks with the place of their layer mix."""
    figure = Figure()
    names = list(weights)
    values = np.array([list(row) for row in weights.values()])
    layers = [layer_title(str(k)) for k in range(values.shape[1])]
    card = Markup("%{y}<br>%{x}: s = %{customdata:.3f}")
    texts = [f"{value:.2f}" for value in values.ravel()]
    add_shades(figure, values / values.max(), layers, names, texts, customdata=values, hovertemplate=card)
    figure.update_yaxes(autorange="reversed", fixedrange=True, automargin=True, showgrid=False)
    figure.update_xaxes(side="top", fixedrange=True)
    return base(figure, height=36 * len(names) + 60, key="layer-weights")


def token_marks(tokens: Sequence[str], values: Sequence[float], *, title: str) -> Markup:
    """Mark each token by its support for (blue) or against (orange) a class. Hovering shows the log-odds."""
    strongest = max([1.0, *(abs(v) for v in values)])  # one nat at full strength at least: weak reasons stay pale
    parts = []
    for token, value in zip(tokens, values, strict=True):
        background = f"rgba({FOR if value >= 0 else AGAINST},{abs(value) / strongest * 0.62:.2f})"
        parts.append(html('<span class="token" style="background:{}" title="{:+.2f} {}">{}</span>', background, value, title, token))
    return html('<div class="tokens">{}</div>', Markup(" ").join(parts))


def reliability_figure(bins: Sequence[dict], *, color: str) -> go.Figure:
    """Draw accuracy by confidence (Guo et al. 2017, fig. 1). `bins` are (confidence, accuracy, n). Calibrated bins are on the diagonal."""
    filled = [item for item in bins if item["n"]]
    sizes = [item["n"] for item in filled]
    figure = Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=style.DOTTED, hoverinfo="skip")
    card = t("confidence {said}, accuracy {right}, {n} texts", said="%{x:.0%}", right="%{y:.0%}", n="%{customdata:,}")
    marker = {"color": color, "size": [7 + 17 * (n / max(sizes)) ** 0.5 for n in sizes]}
    x = [item["confidence"] for item in filled]
    y = [item["accuracy"] for item in filled]
    style.add_line(figure, x, y, color, card, width=2, marker=marker, customdata=sizes)
    axis = {"range": [0, 1.04], "tickformat": ".0%", **style.QUIET}
    figure.update_xaxes(title=t("confidence"), **axis)
    figure.update_yaxes(title=t("accuracy"), **axis)
    return base(figure, height=320, key="reliability")


def confusion_figure(confusion: Sequence[Sequence[int]], labels: Sequence[str]) -> go.Figure:
    """Draw (C, C) counts with a row for each true class, shaded by the row's shares."""
    counts = np.asarray(confusion, float)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    names = [shorten(label, LABEL) for label in labels]
    if len(set(names)) < len(names):
        names = [f"{k}: {name}" for k, name in enumerate(names, 1)]
    figure = Figure()
    card = t("label {label}, prediction {called}: {n} ({share})", label="%{y}", called="%{x}", n="%{text:,}", share="%{z:.1%}")
    add_shades(figure, shares, names, names, [f"{count:,.0f}" for count in counts.ravel()], text=counts.astype(int), hovertemplate=card)
    figure.update_yaxes(type="category", autorange="reversed", title=t("label"), fixedrange=True, showgrid=False)
    figure.update_xaxes(type="category", title=t("prediction"), fixedrange=True, side="bottom")
    return base(figure, height=90 + 52 * len(names), key="confusion")


def curves_figure(curves: dict[str, list[tuple[float, float]]], *, y: str, percent: bool, x: str = "", log_x: bool = False) -> go.Figure:
    """Draw lines of (x, y) points, named at the right edge. `x` and `y` are the axes' titles; without `x` the axis counts epochs."""
    figure = Figure()
    x = x or t("epoch")
    heights = [point[1] for points in curves.values() for point in points]
    gap = (max(heights) - min(heights)) / 13 if heights else 0.0
    ends = spread_heights({name: points[-1][1] for name, points in curves.items() if points}, gap)
    edge = max((points[-1][0] for points in curves.values() if points), default=1)
    for k, (name, points) in enumerate(curves.items()):
        color = SENSE_COLORS[k % len(SENSE_COLORS)]
        card = html("{}<br>{} %{{x:,}}: %{{y:{}}}", name, x, ".1%" if percent else ".3f")
        style.add_line(figure, [p[0] for p in points], [p[1] for p in points], color, card, name=name)
        if points:  # at the right edge, because a longer line may cross the end of a short one
            add_text(figure, np.log10(edge) if log_x else edge, ends[name], line_name(name, color), xanchor="left", xshift=8, size=12)
            if points[-1][0] < edge:
                line = {"x0": points[-1][0], "y0": points[-1][1], "x1": edge, "y1": ends[name]}
                figure.add_shape(type="line", **line, line={"color": color, "width": 1, "dash": "dot"}, opacity=0.7)
    ticks = sorted({p[0] for points in curves.values() for p in points}) or [1, 2]
    ends = np.array([ticks[0], ticks[-1]])
    low, high = np.log10(ends) if log_x else ends
    room = 0.03 * (high - low)
    scale = {"type": "log", "tickvals": _spaced(ticks), "tickformat": ","} if log_x else {"type": "linear"}
    figure.update_xaxes(title=x, **style.QUIET, **scale, range=[low - room, high + room])  # explicit, since the names would widen it
    figure.update_yaxes(title=y, tickformat=".0%" if percent else None, **style.QUIET)
    return base(figure, height=340, key=f"curves.{y}").update_layout(margin_r=20 + 7 * max(map(len, curves), default=0))


def _spaced(ticks: Sequence[float]) -> list[float]:
    """Return the ticks of a logarithmic axis whose names do not overlap, the first and the last among them."""
    gap = np.log10(ticks[-1] / ticks[0]) * CLOSEST
    result = [ticks[0]]
    for value in ticks[1:-1]:
        if min(np.log10(value / result[-1]), np.log10(ticks[-1] / value)) >= gap:
            result.append(value)
    return [*result, ticks[-1]]


def leads_figure(
    leads: dict[str, list[tuple[float, float, float | None, float | None, bool]]], colors: dict[str, str], *, x: str, y: str
) -> go.Figure:
    """Draw lines of differences around 0: (x, mean, low, high, shown). Points that are not shown to differ from 0 are hollow."""
    figure = Figure()
    span = t("{low} to {high}", low="%{customdata[1]:+.1%}", high="%{customdata[2]:+.1%}")
    figure.add_hline(y=0, line=style.DOTTED)
    for k, (name, points) in enumerate(leads.items()):
        places, means, lows, highs, shown = zip(*points, strict=True)
        shift = 1.035 ** (k - (len(leads) - 1) / 2)  # side by side, or one interval would hide another
        card = html("{}<br>{} %{{customdata[0]:,}}: %{{y:+.1%}} ({})", name, x, span)
        look = {
            "name": name,
            "marker": style.hollow_dots(10, colors[name], 2, shown),
            "error_y": style.error_bars(means, lows, highs, thickness=1.5, width=3),
            "customdata": list(zip(places, lows, highs, strict=True)),
        }
        style.add_line(figure, [place * shift for place in places], means, colors[name], card, width=1.5, **look)
    ticks = sorted({p[0] for points in leads.values() for p in points})
    figure.update_xaxes(title=x, type="log", tickvals=ticks, tickformat=",", **style.QUIET)
    figure.update_yaxes(title=y, tickformat="+.0%", **style.QUIET)
    return base(figure, height=430, key=f"leads.{y}").update_layout(showlegend=True, legend=style.LEGEND, margin_t=70)


def accuracy_dots(scores: dict[str, tuple[float, float | None]], kinds: dict[str, str]) -> go.Figure:
    """Draw a dot for each classifier, best on top, with twice its standard deviation over seeds. Colors are kinds."""
    figure = Figure()
    names = list(scores)
    titles = {"with ELMo": t("with ELMo"), "without ELMo": t("without ELMo"), "plain baseline": t("baseline")}
    for kind in dict.fromkeys(kinds.values()):
        title = titles.get(kind, kind)
        rows = {name: score for name, score in scores.items() if kinds[name] == kind}
        shares = [accuracy for accuracy, _ in rows.values()]
        text = {"mode": "markers+text", "text": [f"  {share:.1%}" for share in shares], "textposition": "top center"}
        bars = {"array": [2 * (spread or 0.0) for _, spread in rows.values()], "thickness": 1.5, "width": 4}
        card = html("%{{y}}: %{{x:.2%}}<extra>{}</extra>", title)
        marker = {"size": 12, "color": KINDS.get(kind, "#7F7F7F")}
        figure.add_scatter(x=shares, y=list(rows), name=title, marker=marker, error_x=bars, hovertemplate=card, **text)
    figure.update_xaxes(tickformat=".0%", **style.QUIET, title=t("test accuracy"))
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], fixedrange=True, automargin=True, gridcolor=GRID)
    return base(figure, height=46 * len(names) + 90, key="accuracy.dots").update_layout(showlegend=True, legend=style.LEGEND)
