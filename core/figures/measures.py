"""Measures of a model, its training and what its layers know; the angle between two vectors, and cosines per layer."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from ..common import model_layers
from ..common.i18n import format_rate, t, tn
from ..common.markup import Markup, html
from ..text.tokens import letter_count
from . import style
from .style import GLOVE, GRID, OWN, RIM, Figure, add_text, base, layer_color, layer_title, line_name

if TYPE_CHECKING:  # it imports torch
    from ..views.card import Panel

FORWARD, BACKWARD = "#0072B2", "#D55E00"
FREQUENCY = "rgba(120,125,140,0.75)"
Part = tuple[str, int, int]  # its name, hits in it, its tokens
QUANTITIES = {"perplexity": ".0f", "loss": ".3f", "learning_rate": ".2e", "tokens_per_second": ",.0f"}  # of a training log -> format


def weight_bars(weights) -> go.Figure:
    """Draw softmax(w), (L,), as a bar from 0 to 1 for each layer."""
    names = [f"s{k}" for k in range(len(weights))]
    figure = Figure()
    colors = [layer_color(str(k)) for k in range(len(weights))]
    style.add_rows(figure, weights, names, colors, [f"{w:.0%}" for w in weights], "%{y} = %{x:.3f}", textfont={"size": 15})
    figure.update_xaxes(range=[0, 1.15], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 15})
    return base(figure, height=58 * len(names) + 24, key="weights")


def accuracy_lines(accuracies: dict[str, float], *, null: float | None, majority: float | None, static: float | None = None) -> go.Figure:
    """Draw 1-NN sense accuracy per layer and mix as bars, with chance, majority and the static context as lines."""
    names = [layer_title(n) if n.isdecimal() else model_layers.in_use().label(n) for n in accuracies]
    shares = list(accuracies.values())
    positions = ["inside" if share > 0.15 else "outside" for share in shares]  # at the bar's foot, where no line crosses it
    texts = {"text": [f"{share:.0%}" for share in shares], "textposition": positions, "textfont": {"size": 14}, "textangle": 0}
    colors = [layer_color(n) for n in accuracies]
    figure = Figure()
    figure.add_bar(x=names, y=shares, marker_color=colors, hovertemplate="%{x}: %{y:.1%}", insidetextanchor="start", **texts)
    lines = _merged_lines(null, majority)
    if static is not None:
        lines.append((static, t("static vectors"), "dashdot"))
    label_y = -1.0  # of the label below
    for value, label, dash in sorted(lines):
        label_y = max(value, label_y + 0.19)  # two lines of text
        figure.add_hline(y=value, line={"dash": dash, "color": GLOVE if dash == "dashdot" else "#888", "width": 1.5})
        add_text(figure, 1.01, label_y, label, xref="paper", xanchor="left", align="left", size=12)
    figure.update_yaxes(range=[0, 1.12], tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=5)
    on_two_lines = [Markup("<br>").join(name.split(" ")) for name in names]  # next to a menu a bar is narrower than its name
    figure.update_xaxes(fixedrange=True, tickfont={"size": 14}, tickangle=0, tickvals=names, ticktext=on_two_lines)
    return base(figure, height=270, key="accuracy").update_layout(margin_r=112)


def _merged_lines(null: float | None, majority: float | None) -> list[tuple[float, str, str]]:
    """Return the lines of chance and of the most frequent sense, as one if they would overlap."""
    if null is not None and majority is not None and abs(null - majority) < 0.09:
        return [((null + majority) / 2, html("{},<br>{}", t("chance"), t("majority")), "dot")]
    lines = [(null, t("chance"), "dot"), (majority, t("majority"), "dash")]
    return [(value, label, dash) for value, label, dash in lines if value is not None]


def quantity_titles() -> dict[str, str]:
    """Return the titles of QUANTITIES for their axes."""
    return {
        "perplexity": t("held-out perplexity"),
        "loss": t("sampled loss (nats/word)"),
        "learning_rate": t("learning rate"),
        "tokens_per_second": t("tokens/s"),
    }


def training_figure(steps: list[dict], validations: list[dict], ends: dict[str, int], *, quantity: str) -> go.Figure:
    """Draw a training log over tokens. `quantity` is one of QUANTITIES. `ends` names each stage and its end."""
    figure = Figure()
    value = f"%{{y:{QUANTITIES[quantity]}}}"
    if quantity == "perplexity":
        for name, label, color in (("forward", t("forward"), FORWARD), ("backward", t("backward"), BACKWARD)):
            _line(figure, validations, name, label, color, value, mode="lines+markers")
    else:
        _line(figure, steps, quantity, "", FORWARD, value, mode="lines")
    last_stage = list(ends)[-1] if ends else ""
    for stage, end in ends.items():
        if stage != last_stage:
            figure.add_vline(x=end / 1e6, line=style.DOTTED)
        begin = max([0, *(other_end for other_end in ends.values() if other_end < end)])
        add_text(figure, (begin + end) / 2e6, 1.0, stage, yref="paper", yanchor="bottom", size=12)
    values = [line[name] for line in validations for name in ("forward", "backward") if name in line]
    is_wide = bool(values) and max(values) > 8 * min(values)  # Plotly would name every digit of a decade
    scale = {"type": "log", "tickformat": ",", "dtick": "D2" if is_wide else None} if quantity == "perplexity" else {"type": "linear"}
    figure.update_xaxes(title=t("million tokens"), rangemode="tozero", **style.QUIET)
    figure.update_yaxes(title=quantity_titles()[quantity], nticks=6, **scale, **style.QUIET)
    return base(figure, height=340, key=f"training.{quantity}")


def _line(figure: go.Figure, lines: list[dict], name: str, label: str, color: str, card: str, *, mode: str) -> None:
    lines = [line for line in lines if name in line]
    x = [line["tokens"] / 1e6 for line in lines]
    y = [line[name] for line in lines]
    card = html("{}<extra>{}</extra>", t("{tokens} million: {value}", tokens="%{x:.2f}", value=card), label)
    figure.add_scatter(x=x, y=y, mode=mode, name=label, hovertemplate=card, line={"color": color, "width": 2.5}, marker={"size": 8})
    if label and x:
        add_text(figure, x[-1], np.log10(y[-1]), line_name(label, color), xanchor="left", xshift=8, yshift=8 if name == "forward" else -8)


def panel_figure(panel: "Panel", *, limits: tuple[float, float]) -> go.Figure:
    """Draw the accuracy of each layer on one task; `limits` of the axis are the same in all panels."""
    layers, values = list(panel.accuracy), list(panel.accuracy.values())
    best = max(values)
    titles = [layer_title(layer) for layer in layers]
    figure = Figure()
    marker = {"size": [18 if v == best else 12 for v in values], "color": [layer_color(layer) for layer in layers]}
    look = {"width": 2, "marker": marker, "customdata": titles}  # the axis's own names have the numbers
    style.add_line(figure, titles, values, "rgba(120,120,130,0.5)", "%{customdata}: %{y:.2%}", **look)
    figure.add_hline(y=panel.baseline, line=style.DOTTED)
    names = [html('<span style="color:#888">\u22ef</span> {} {:.1%}', panel.baseline_name, panel.baseline)]
    if panel.static is not None:
        figure.add_hline(y=panel.static, line={"dash": "dashdot", "color": GLOVE, "width": 1.5})
        names.append(line_name(t("static vectors {share:.1%}", share=panel.static), GLOVE))
    add_text(figure, 0.5, 0, Markup("<br>").join(names), size=12, xref="paper", yref="paper", yanchor="top", yshift=-44)
    figure.update_yaxes(range=limits, tickformat=".0%", dtick=0.1, gridcolor=GRID, fixedrange=True)
    names_below = [html("{}<br><b>{:.1%}</b>" if v == best else "{}<br>{:.1%}", title, v) for title, v in zip(titles, values, strict=True)]
    figure.update_xaxes(tickvals=titles, ticktext=names_below, tickfont={"size": 13}, range=[-0.45, len(layers) - 0.55], **style.EMPTY)
    return base(figure, height=290, key=f"panel.{panel.title}").update_layout(margin_b=84)


def find_axis(panels: "Sequence[Panel]") -> tuple[float, float]:
    """Return the limits of one axis for all panels, with room for dots."""
    values = [value for panel in panels for value in (*panel.accuracy.values(), panel.baseline, panel.static) if value is not None]
    room = 0.12 * (max(values) - min(values))
    return min(values) - room, max(values) + room


def _rate(part: Part) -> str:
    _, n, size = part
    if not size:
        return t("no text")
    rate = format_rate(1e6 * n / size)
    return tn("{n:,} occurrence, {rate} per million tokens", "{n:,} occurrences, {rate} per million tokens", n, rate=rate)


def frequency_bars(parts: Sequence[Part], names: list[str], title: str) -> go.Figure:
    """Draw how often something occurs in each part, by name."""
    counts = [n for _, n, _ in parts]
    figure = Figure()
    texts = [f"{n:,}" for n in counts]
    style.add_rows(figure, counts, range(len(counts)), FREQUENCY, texts, "%{customdata}", customdata=list(map(_rate, parts)))
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickvals=list(range(len(names))), ticktext=names, automargin=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, 1.2 * max(counts)])
    return _titled(figure, title, height=26 * len(counts) + 52, bargap=0.35)


def frequency_columns(parts: Sequence[Part]) -> go.Figure:
    """Draw occurrences per million tokens by year, since years differ in how much text they have."""
    rates = [1e6 * n / size if size else None for _, n, size in parts]
    look = {"marker_color": FREQUENCY, "customdata": list(map(_rate, parts)), "hovertemplate": "%{x}: %{customdata}"}
    figure = Figure().add_bar(x=[name for name, _, _ in parts], y=rates, **look)
    figure.update_xaxes(type="category", fixedrange=True, tickangle=-90)  # Plotly's choice of an angle leaves the labels in the plot
    figure.update_yaxes(fixedrange=True, rangemode="tozero")
    return _titled(figure, t("Per million tokens, by date"), height=260, bargap=0.25)


def _titled(figure: go.Figure, title: str, *, height: int, bargap: float) -> go.Figure:
    base(figure, height=height, key="corpus")
    return figure.update_layout(title={"text": title, "font": {"size": 14}, "x": 0}, margin_t=34, bargap=bargap)


# Pixels: a letter of a star's name (15 px) and of the text below (14 px), a star or dot with its rim, between both pictures.
LETTER, LETTER_BELOW, STAR, BETWEEN = 8.6, 7.8, 15.0, 18.0
NARROWEST = 342.0  # pixels of width that must hold it all: a phone's


def angle_figure(cosine: float, labels: tuple[str, str], *, same_word: bool, layer: str, glove: float | None) -> go.Figure:
    """Draw two vectors as rays at the angle of their cosine, with those of GloVe to their left.

    `glove` is the cosine of the two words' GloVe vectors (1 for the same word), None if one has none. The distance between both pictures is
    what their names need on a phone.
    """
    if glove is None:
        message = t("no vector")
    else:
        message = t("one vector") if same_word else t("two vectors")
    degrees = t("{degrees:.0f}° apart", degrees=math.degrees(angle_of(cosine)))
    below = (("GloVe", message), (t("{model}, {layer}", model=model_layers.in_use().called, layer=layer_title(layer)), degrees))
    wide = [max(map(letter_count, lines)) * LETTER_BELOW / 2 for lines in below]
    names = [letter_count(label) * LETTER + STAR for label in labels]
    spread = [math.sin(angle_of(1.0 if glove is None else glove) / 2), math.sin(angle_of(cosine) / 2)]

    def reach(scale: float) -> list[float]:
        """Return the pixels needed to the left and right of GloVe's foot and of ELMo's."""
        dots = max(spread[0] * scale + STAR, wide[0])
        return [dots, dots, *(max(spread[1] * scale + STAR + name, wide[1]) for name in names)]

    scale = next((float(s) for s in range(150, 30, -2) if sum(reach(s)) + BETWEEN <= NARROWEST), 30.0)
    left, inner, outer, right = (pixels / scale for pixels in reach(scale))
    foot = inner + BETWEEN / scale + outer
    figure = Figure()
    _rays(figure, 0.0, glove, GLOVE, (GLOVE, GLOVE), ("", ""))
    _rays(figure, foot, cosine, layer_color(layer), OWN, labels)
    for x, (title, text) in zip((0.0, foot), below, strict=True):
        add_text(figure, x, -0.08, html("<b>{}</b><br>{}", title, text), yanchor="top", size=14)
    figure.update_xaxes(visible=False, range=[-left, foot + right], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.08 - 50 / scale, 1 + STAR / scale], fixedrange=True, scaleanchor="x")
    return base(figure, height=280, key="angle").update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})


def angle_of(cosine: float) -> float:
    """Return the angle in radians of a cosine, which rounding may have left beyond 1."""
    return math.acos(max(-1.0, min(1.0, cosine)))


def _rays(figure: go.Figure, x0: float, cosine: float | None, line: str, dots: tuple[str, str], labels: tuple[str, str]) -> None:
    if cosine is None:
        return
    half = angle_of(cosine) / 2
    arc = np.linspace(-half, half, 40)
    figure.add_scatter(x=x0 + 0.32 * np.sin(arc), y=0.32 * np.cos(arc), mode="lines", line={"color": line, "width": 3}, hoverinfo="skip")
    for side, dot, label in ((-1, dots[0], labels[0]), (1, dots[1], labels[1])):
        x, y = x0 + math.sin(side * half), math.cos(half)
        marker = {"color": ["rgba(0,0,0,0)", dot], "size": [1, 22 if label else 16], "line": {"color": RIM, "width": 1.5}}
        marker["symbol"] = ["circle", "star" if label else "circle"]
        text, place = (f"{label}\u00a0", "middle left") if side < 0 else (f"\u00a0{label}", "middle right")
        look = {"text": ["", label and text], "textposition": place, "textfont": {"size": 15}, "hoverinfo": "skip", "cliponaxis": False}
        figure.add_scatter(x=[x0, x], y=[0, y], mode="lines+markers+text", line={"color": line, "width": 3}, marker=marker, **look)


def cosine_bars(values: dict[str, float], *, chosen: str, random: Mapping[str, float] | None = None) -> go.Figure:
    """Draw the cosine of each layer as a bar from 0 to 1, or from below 0 if a cosine is negative.

    `random` has the mean cosine of two random words by layer, drawn as a line across its bar.
    """
    names = list(values)
    lowest = min(0.0, *values.values())
    figure = Figure()
    rows = [layer_title(n) if n != "GloVe" else n for n in names]
    colors = [GLOVE if n == "GloVe" else layer_color(n) for n in names]
    look = {"textfont": {"size": 15}, "marker_opacity": [1.0 if n in (chosen, "GloVe") else 0.55 for n in names]}
    card = t("{layer}: cosine {cosine}", layer="%{y}", cosine="%{x:.3f}")
    style.add_rows(figure, values.values(), rows, colors, [f"{v:.2f}" for v in values.values()], card, **look)
    if level := {name: value for name, value in (random or {}).items() if name in values}:
        places = {"x": list(level.values()), "y": [layer_title(name) for name in level], "mode": "markers", "cliponaxis": False}
        card = t("{layer}: random pairs, mean {cosine}", layer="%{y}", cosine="%{x:.2f}")
        for width, color in ((7, "#ffffff"), (3, "#4b5563")):  # dark gray with a light rim: visible on every bar and in both themes
            marker = {"symbol": "line-ns", "size": 24, "opacity": 1, "line": {"width": width, "color": color}}
            figure.add_scatter(**places, marker=marker, hovertemplate=card)
    figure.update_xaxes(range=[lowest - (0.2 * (1.2 - lowest) if lowest < 0 else 0.02), 1.2], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 14})
    return base(figure, height=44 * len(names) + 20, key="cosines").update_layout(margin={"t": 8})
