"""Measures of a model: layer weights, accuracies compared with chance, its training, and what its layers know."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from ..common import model_layers
from ..common.i18n import t, tn
from ..common.markup import Markup, html
from ..common.significance import Paired
from . import style
from .style import GLOVE, GRID, Figure, add_text, base, layer_color, layer_title, line_name

FORWARD, BACKWARD = "#0072B2", "#D55E00"
FREQUENCY = "rgba(120,125,140,0.75)"
Part = tuple[str, int, int]  # its name, hits in it, its tokens
QUANTITIES = {  # of a training log: how a value reads
    "perplexity": "%{y:.0f}",
    "loss": "%{y:.3f}",
    "learning_rate": "%{y:.2e}",
    "tokens_per_second": "%{y:,.0f}",
}


def weight_bars(weights) -> go.Figure:
    """Draw softmax(w), (L,), as a bar from 0 to 1 for each layer."""
    names = [f"s{k}" for k in range(len(weights))]
    figure = Figure()
    colors = [layer_color(str(k)) for k in range(len(weights))]
    style.add_rows(figure, weights, names, colors, [f"{w:.0%}" for w in weights], "%{y} = %{x:.3f}", textfont={"size": 15})
    figure.update_xaxes(range=[0, 1.15], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 15})
    return base(figure, height=58 * len(names) + 24, key="weights")


def accuracy_lines(
    curves: dict[str, dict[str, float]], *, null: float | None, majority: float | None, static: float | None = None
) -> go.Figure:
    """Draw 1-NN sense accuracy per layer and mix as bars, with chance, majority and the static context as lines."""
    figure = Figure()
    for name, values in curves.items():
        layers = list(values)
        figure.add_bar(
            x=[layer_title(n) if n.isdecimal() else model_layers.in_use().label(n) for n in layers],
            y=list(values.values()),
            name=name,
            text=[f"{v:.0%}" for v in values.values()],
            textposition=["inside" if v > 0.15 else "outside" for v in values.values()],  # at its foot, where no line strikes it out
            insidetextanchor="start",
            textangle=0,
            textfont={"size": 14},
            marker_color=[layer_color(n) for n in layers],
            hovertemplate="%{x}: %{y:.1%}",
        )
    lines = _merged_lines(null, majority)
    if static is not None:
        lines.append((static, t("static vectors"), "dashdot"))
    label_y = -1.0  # of the label below
    for value, label, dash in sorted(lines):
        label_y = max(value, label_y + 0.19)  # two lines of text
        figure.add_hline(y=value, line={"dash": dash, "color": GLOVE if dash == "dashdot" else "#888", "width": 1.5})
        add_text(figure, 1.01, label_y, label, xref="paper", xanchor="left", align="left", size=12)
    figure.update_yaxes(range=[0, 1.12], tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=5)
    names = list(dict.fromkeys(name for bars in figure.data for name in bars.x))
    on_two_lines = [Markup("<br>").join(name.split(" ")) for name in names]  # next to a menu a bar is narrower than its name
    figure.update_xaxes(fixedrange=True, tickfont={"size": 14}, tickangle=0, tickvals=names, ticktext=on_two_lines)
    base(figure, height=270, key="accuracy")
    return figure.update_layout(margin_r=112)


def _merged_lines(null: float | None, majority: float | None) -> list[tuple[float, str, str]]:
    """Return the lines of chance and of the most frequent sense, as one if they would overlap."""
    chance, commonest = t("chance"), t("majority")
    if null is not None and majority is not None and abs(null - majority) < 0.09:
        return [((null + majority) / 2, html("{},<br>{}", chance, commonest), "dot")]
    lines = [(null, chance, "dot"), (majority, commonest, "dash")]
    return [(value, label, dash) for value, label, dash in lines if value is not None]


def quantity_titles() -> dict[str, str]:
    """Return the titles of QUANTITIES for their axes."""
    return {
        "perplexity": t("held-out perplexity"),
        "loss": t("sampled loss (nats/word)"),
        "learning_rate": t("learning rate"),
        "tokens_per_second": t("tokens/s"),
    }


COARSE = (50, 75, 100, 150, 200, 300, 400, 600, 800)  # perplexities


def training_figure(steps: list[dict], validations: list[dict], ends: dict[str, int], *, quantity: str) -> go.Figure:
    """Draw a training log over tokens. `quantity` is one of QUANTITIES. `ends` names each stage and its end."""
    figure = Figure()
    title = quantity_titles()[quantity]
    quantity_name = QUANTITIES[quantity]
    if quantity == "perplexity":
        for name, label, color in (("forward", t("forward"), FORWARD), ("backward", t("backward"), BACKWARD)):
            _line(figure, validations, name, label, color, quantity_name, mode="lines+markers")
    else:
        _line(figure, steps, quantity, "", FORWARD, quantity_name, mode="lines")
    for (stage, end), last in zip(ends.items(), [*list(ends.values())[1:], None], strict=True):
        if last is not None:
            figure.add_vline(x=end / 1e6, line=style.DOTTED)
        begin = max([0, *(e for e in ends.values() if e < end)])
        add_text(figure, (begin + end) / 2e6, 1.0, stage, yref="paper", yanchor="bottom", size=12)
    ticks = {"type": "log", "tickvals": _ticks(validations)} if quantity == "perplexity" else {"type": "linear", "nticks": 6}
    figure.update_xaxes(title=t("million tokens"), rangemode="tozero", **style.QUIET)
    figure.update_yaxes(title=title, **ticks, **style.QUIET)
    return base(figure, height=340, key=f"training.{quantity}")


def _ticks(validations: list[dict]) -> list[int]:
    """Return round perplexities for the axis, at least three even if the training stayed within a narrow range."""
    values = [line[name] for line in validations for name in ("forward", "backward") if name in line]
    low, high = (min(values), max(values)) if values else (50, 800)
    for step in (COARSE, range(10, 1000, 20), range(10, 1000, 10), range(5, 1000, 5)):
        if sum(low <= tick <= high for tick in step) >= 3:
            break
    return [tick for tick in step if tick <= 2 * high]


def _line(figure: go.Figure, lines: list[dict], name: str, label: str, color: str, card: str, *, mode: str) -> None:
    x, y = ([line[key] / scale for line in lines if name in line] for key, scale in (("tokens", 1e6), (name, 1)))
    figure.add_scatter(
        x=x,
        y=y,
        mode=mode,
        name=label,
        line={"color": color, "width": 2.5},
        marker={"size": 8},
        hovertemplate=html("{}<extra>{}</extra>", t("{tokens} million: {value}", tokens="%{x:.2f}", value=card), label),
    )
    if label and x:
        shift = 8 if name == "forward" else -8
        add_text(figure, x[-1], np.log10(y[-1]), line_name(label, color), xanchor="left", xshift=8, yshift=shift)


@dataclass(frozen=True, slots=True)
class Panel:
    """A task of a figure with several."""

    title: str
    data: str  # on what
    accuracy: dict[str, float]  # by layer name, 0 to 1
    baseline: float
    baseline_name: str
    static: float | None = None  # by the other words' static vectors alone, where that was measured
    order: Paired | None = None  # layer 1 minus layer 2
    less_static: dict[str, Paired] = field(default_factory=dict)  # by layer: it minus `static`


def panel_figure(panel: Panel, *, limits: tuple[float, float]) -> go.Figure:
    """Draw the accuracy of each layer on one task; `limits` of the axis are the same in all panels."""
    layers, values = list(panel.accuracy), list(panel.accuracy.values())
    best = max(values)
    levels, span = _levels(panel), limits[1] - limits[0]
    figure = Figure().add_scatter(
        x=[layer_title(layer) for layer in layers],
        y=values,
        mode="lines+markers+text",
        text=[html("<b>{:.1%}</b>", v) if v == best else f"{v:.1%}" for v in values],
        textposition=_label_places(values, levels, span),
        textfont={"size": 14},
        cliponaxis=False,
        line={"color": "rgba(120,120,130,0.5)", "width": 2},
        marker={"size": [18 if v == best else 12 for v in values], "color": [layer_color(layer) for layer in layers]},
        hovertemplate="%{x}: %{y:.2%}",
    )
    figure.add_hline(y=panel.baseline, line=style.DOTTED)
    names = [html('<span style="color:#888">\u22ef</span> {} {:.1%}', panel.baseline_name, panel.baseline)]
    if panel.static is not None:
        figure.add_hline(y=panel.static, line={"dash": "dashdot", "color": GLOVE, "width": 1.5})
        names.append(line_name(t("static vectors {share:.1%}", share=panel.static), GLOVE))
    below = {"xref": "paper", "yref": "paper", "yanchor": "top", "yshift": -26}  # the names of the layers
    add_text(figure, 0.5, 0, Markup("<br>").join(names), size=12, **below)
    figure.update_yaxes(range=limits, tickformat=".0%", dtick=0.1, gridcolor=GRID, fixedrange=True)
    figure.update_xaxes(fixedrange=True, tickfont={"size": 13}, range=[-0.45, len(layers) - 0.55], showgrid=False, zeroline=False)
    return base(figure, height=270, key=f"panel.{panel.title}").update_layout(margin_b=64)


def _label_places(values: list[float], levels: list[float], span: float) -> list[str]:
    """Place each number away from the line to the neighboring dots, from horizontal lines, and from the next number."""
    below_dots, places = [], []
    for k, value in enumerate(values):
        neighbors = values[max(0, k - 1) : k] + values[k + 1 : k + 2]
        below = bool(neighbors) and sum(neighbors) / len(neighbors) > value + 0.1 * span
        struck = [any(abs(level - value - side * 0.085 * span) < 0.055 * span for level in levels) for side in (1, -1)]
        below_dots.append(below != (struck[below] and not struck[not below]))
    for k, (value, below) in enumerate(zip(values, below_dots, strict=True)):
        is_free = 0 < k < len(values) - 1 and values[k - 1] < value and not below_dots[k + 1]
        places.append("top center" if not below else "bottom right" if is_free else "bottom center")
    return places


def find_axis(panels: list[Panel]) -> tuple[float, float]:
    """Return the limits of one axis for all panels, with room for labels."""
    values = [value for panel in panels for value in (*panel.accuracy.values(), *_levels(panel))]
    room = 0.12 * (max(values) - min(values))
    return min(values) - room, max(values) + room


def _levels(panel: Panel) -> list[float]:
    """Return the accuracies of a panel's lines."""
    return [panel.baseline] if panel.static is None else [panel.baseline, panel.static]


def _rate(part: Part) -> str:
    _, n, size = part
    rate = 1e6 * n / max(1, size)
    return tn("{n:,} occurrence, {rate:,.0f} per million tokens", "{n:,} occurrences, {rate:,.0f} per million tokens", n, rate=rate)


def frequency_bars(parts: Sequence[Part], names: list[str], title: str) -> go.Figure:
    """Draw how often something occurs in each part, by name."""
    counts = [n for _, n, _ in parts]
    figure = Figure()
    texts, rates = [f"{n:,}" for n in counts], list(map(_rate, parts))
    style.add_rows(figure, counts, range(len(counts)), FREQUENCY, texts, "%{customdata}", customdata=rates)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickvals=list(range(len(names))), ticktext=names, automargin=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, 1.2 * max(counts)])
    base(figure, height=26 * len(counts) + 52, key="corpus")
    return figure.update_layout(title={"text": title, "font": {"size": 14}, "x": 0}, margin_t=34, bargap=0.35)


def frequency_columns(parts: Sequence[Part]) -> go.Figure:
    """Draw occurrences per million tokens by year, since years differ in how much text they have."""
    figure = Figure().add_bar(
        x=[name for name, _, _ in parts],
        y=[1e6 * n / max(1, size) for _, n, size in parts],
        marker_color=FREQUENCY,
        customdata=list(map(_rate, parts)),
        hovertemplate="%{x}: %{customdata}",
    )
    figure.update_xaxes(type="category", fixedrange=True)
    figure.update_yaxes(fixedrange=True, rangemode="tozero")
    base(figure, height=260, key="corpus")
    return figure.update_layout(title={"text": t("Per million tokens, by date"), "font": {"size": 14}, "x": 0}, margin_t=34, bargap=0.25)
