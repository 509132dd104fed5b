"""GloVe's one dot among its neighbors, and the shares of senses around a dot."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.common.i18n import t
from core.common.markup import html
from core.figures import style
from core.figures.style import GLOVE, GRID, RIM, Figure, add_text, base, ink, sense_colour
from core.text.tokens import letter_count

PIXELS, LETTER, LINE = 340, 6.4, 13  # a side of the picture on a small screen, and a label's width a letter and height
WORD = 34  # pixels from the middle to the lower end of its word
UNDECIDED = "#9A9AA3"  # a neighbor of no clear sense
RINGS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)


def dot_figure(
    word: str,
    words: Sequence[str],
    cosines: Sequence[float],
    numbers: Sequence[int],
    senses: Sequence[str],
    *,
    height: int,
    key: str,
    letters: float = 1.0,
) -> go.Figure:
    """A word in the middle, its neighbors around it: as far out as 1 - cosine, side by side with those of their sense.

    `numbers` are the neighbours' senses, -1 for undecided. The angle has no meaning but the sense: a sense's part of the
    circle is its share. As many are named as have room, nearest first; `letters` is how many times as large they will be drawn.
    """
    figure = Figure()
    order = sorted(range(len(words)), key=lambda k: (numbers[k] if numbers[k] >= 0 else len(senses), -cosines[k]))
    angle = np.empty(len(words))
    out = 1 - np.asarray(cosines, float)
    angle[order] = math.pi / 2 - 2 * math.pi * (np.arange(len(words)) + 0.5) / max(1, len(words))
    points = np.column_stack([out * np.cos(angle), out * np.sin(angle)])
    reach = 1.38 * out.max(initial=0.1)
    _rings(figure, out.max(initial=0.1), PIXELS / (2 * reach))
    named = _with_room(words, points, PIXELS / (2 * reach), letters)
    for number in sorted(set(numbers), reverse=True):
        here = [k for k in range(len(words)) if numbers[k] == number]
        sense = senses[number] if number >= 0 else t("undecided")
        cards = [html("<b>{}</b><br>{}<br>{}", words[k], sense, t("cosine {cosine:.2f}", cosine=cosines[k])) for k in here]
        labels = [words[k][:24] if k in named else "" for k in here]
        look = {"name": sense, "textposition": ["middle right" if points[k, 0] >= 0 else "middle left" for k in here]}
        style.add_dots(figure, points[here], cards, style.sense_dots(number, 9, UNDECIDED), labels=labels, size=12, **look)
    look = {"mode": "markers+text", "marker": {"color": GLOVE, "size": 20, "line": {"color": RIM, "width": 2}}, "textfont": {"size": 15}}
    label = html("<b>{}</b>", word[:24])
    figure.add_scatter(x=[0], y=[0], text=[label], textposition="bottom center", hoverinfo="skip", name="GloVe", **look)
    figure.update_xaxes(visible=False, range=[-reach, reach], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.82 * reach, 0.82 * reach], scaleanchor="x", fixedrange=True)
    return base(figure, height=height, key=key)


def lean_figure(
    first: Sequence[float],
    second: Sequence[float],
    sides: Sequence[int],
    hovers: Sequence[str],
    names: tuple[str, str],
    *,
    labels: Sequence[str] = (),
    height: int,
    key: str,
) -> go.Figure:
    """Each dot by what it is nearer to: (n,) cosines with the word in the first sentence and in the second.

    Across: the second minus the first, so that what is nearer to the second stands right of the line; up: the nearer of the two.
    `sides` as core.senses.cloud.sides tells them; `labels` stand beside their dots where they have room.
    """
    figure = Figure()
    x = np.subtract(second, first)
    y = np.maximum(first, second)
    sides = np.asarray(sides)
    reach = 1.35 * max(0.05, float(np.abs(x).max(initial=0.0)))
    low, high = float(y.min(initial=1.0)), float(y.max(initial=0.0))
    room = max(0.05, 0.2 * (high - low))
    scale = np.array([PIXELS / (2 * reach), 300 / (high - low + 2 * room)])
    named = _with_room(labels, np.column_stack([x, y - high - room]) * scale, 1.0, 1.0) if len(labels) else set()
    figure.add_vline(x=0, line={"color": "rgba(140,140,150,0.6)", "width": 1.5})
    for side in (-1, 0, 1):
        here = np.flatnonzero(sides == side)
        look = {"textposition": ["middle right" if x[k] >= 0 else "middle left" for k in here]}
        look |= {"name": names[side] if side >= 0 else t("inconclusive"), "labels": [labels[k][:24] if k in named else "" for k in here]}
        marker = style.sense_dots(side, 10, UNDECIDED)
        style.add_dots(figure, np.column_stack([x, y])[here], [hovers[k] for k in here], marker, **look)
    for side, anchor in ((0, "left"), (1, "right")):
        at = (-1, 1)[side] * reach
        marker = style.star(side, 17, line={"color": RIM, "width": 1.5})
        figure.add_scatter(x=[0.93 * at], y=[high + room], mode="markers", hoverinfo="skip", name=f"end {side}", marker=marker)
        add_text(figure, 0.86 * at, high + room, html("<b>{}</b>", names[side]), xanchor=anchor)
    figure.update_xaxes(title=t("cosine difference"), range=[-reach, reach], fixedrange=True)
    figure.update_yaxes(title=t("higher cosine"), range=[low - room, high + 1.7 * room], fixedrange=True, gridcolor=GRID, nticks=5)
    figure.update_xaxes(showgrid=False, zeroline=False, nticks=5, tickformat="+.2f", title_standoff=4)
    return base(figure, height=height, key=key).update_layout(margin={"l": 48, "b": 44})


def share_bars(rows: Sequence[tuple[str, dict[str | None, float]]], senses: Sequence[str]) -> go.Figure:
    """A bar a dot, all of it shared out among the senses (None: undecided); a per cent is written where it has room."""
    figure = Figure()
    names = [name for name, _ in rows]
    for number, sense in [*enumerate(senses), (-1, None)]:
        values = [shares.get(sense, 0.0) for _, shares in rows]
        if not any(values):
            continue
        label = sense or t("undecided")
        colour = sense_colour(number) if sense else UNDECIDED
        texts = [html("<b>{:.0%}</b>", v) if v >= 0.045 else "" for v in values]
        look = {"name": label, "insidetextanchor": "middle", "textfont": {"size": 14, "color": ink(colour)}}
        style.add_parts(figure, values, names, colour, texts, html("%{{y}}<br>{}: %{{x:.0%}}", label), **look)
    figure.update_layout(barmode="stack", bargap=0.3, uniformtext={"minsize": 11, "mode": "show"})
    figure.update_xaxes(visible=False, range=[0, 1], fixedrange=True)
    figure.update_yaxes(**style.ROWS)
    return base(figure, height=44 * len(rows) + 36, key="shares").update_layout(margin_t=4)


def _rings(figure: go.Figure, farthest: float, pixels: float) -> None:
    """Circles of equal cosine, each named at its foot, but for those whose foot is on the word itself; `pixels` are those of a unit."""
    turn = np.linspace(0, 2 * math.pi, 90)
    for cosine in (c for c in RINGS if 1 - c <= farthest * 1.02):
        radius = 1 - cosine
        faint = {"color": "rgba(140,140,150,0.28)", "width": 1}
        figure.add_scatter(x=radius * np.cos(turn), y=radius * np.sin(turn), mode="lines", line=faint, hoverinfo="skip")
        if radius * pixels > WORD:
            add_text(figure, 0, -radius, f"{cosine:.1f}", opacity=0.6, yshift=-7, size=11)


def _with_room(words: Sequence[str], points: np.ndarray, pixels: float, letters: float) -> set[int]:
    """Which labels can be drawn without standing on another or on the word itself, in the order given."""
    boxes = [(-60.0, -WORD, 60.0, 12.0)]
    named = set()
    dots = [(x - 3, y - 3, x + 3, y + 3) for x, y in points * pixels]
    for k, (x, y) in enumerate(points * pixels):
        width = letters * (LETTER * letter_count(words[k][:24]) + 14)
        left = x if x >= 0 else x - width
        box = (left, y - letters * LINE / 2, left + width, y + letters * LINE / 2)
        inside = abs(left) < letters * PIXELS / 2 and abs(left + width) < letters * PIXELS / 2
        others = boxes + dots[:k] + dots[k + 1 :]
        if inside and all(box[0] > b[2] or box[2] < b[0] or box[1] > b[3] or box[3] < b[1] for b in others):
            boxes.append(box)
            named.add(k)
    return named
