"""A figure of lines, marks and words as a plain picture, there before the browser has fetched the code that draws charts.

It knows what `angle_figure` uses: scatter traces, annotations of one or two lines, one scale for both axes. Words are grey, for a
picture knows nothing of the page's theme.
"""

from __future__ import annotations

import html
import math
import re
from urllib.parse import quote

import plotly.graph_objects as go

INK = "#80868F"
STAR = " ".join(
    f"{(1 if k % 2 == 0 else 0.45) * math.sin(k * math.pi / 5):.3f},{-(1 if k % 2 == 0 else 0.45) * math.cos(k * math.pi / 5):.3f}"
    for k in range(10)
)  # five points round (0, 0)


def sketch(figure: go.Figure, *, width: int) -> str:
    """The figure as the address of an SVG image (data:...), drawn for that width in pixels; it scales as a whole."""
    (x0, x1), (y0, y1) = figure.layout.xaxis.range, figure.layout.yaxis.range
    margin = figure.layout.margin
    height = figure.layout.height - margin.t - margin.b
    scale = min((width - margin.l - margin.r) / (x1 - x0), height / (y1 - y0))  # pixels a unit, along both axes
    parts = []

    def at(x: float, y: float) -> tuple[float, float]:
        return round((x - x0) * scale, 1), round((y1 - y) * scale, 1)

    for trace in figure.data:
        places = [at(x, y) for x, y in zip(trace.x, trace.y, strict=True)]
        line = " ".join(f"{x},{y}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{trace.line.color}" stroke-width="{trace.line.width}"/>')
        if "markers" in trace.mode:
            marks = zip(places, trace.marker.color, trace.marker.size, trace.marker.symbol, trace.text, strict=True)
            parts += [_mark(*mark, rim=trace.marker.line.color, where=trace.textposition) for mark in marks]
    for note in figure.layout.annotations:
        x, y = at(note.x, note.y)
        for number, words in enumerate(note.text.split("<br>")):
            parts.append(_words(x, y + 16 + 18 * number, words, note.font.size, bold=words.startswith("<b>")))
    size = f"{(x1 - x0) * scale:.0f} {(y1 - y0) * scale:.0f}"
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif">{"".join(parts)}</svg>'
    return f"data:image/svg+xml,{quote(drawn)}"


def _mark(place: tuple[float, float], colour: str, size: float, symbol: str, label: str, *, rim: str, where: str) -> str:
    (x, y), drawn = place, ""
    if size > 1:  # smaller: only the line's end
        turn = f'transform="translate({x} {y}) scale({size * 0.62:.1f})"'
        style = f'fill="{colour}" stroke="{rim}" stroke-width="0.1"'
        drawn = f'<polygon points="{STAR}" {turn} {style}/>' if symbol == "star" else f'<circle r="0.8" {turn} {style}/>'
    if not label:
        return drawn
    if where == "top center":
        return drawn + _words(x, y - size, label, 15)
    side, anchor = (-1, "end") if where == "middle left" else (1, "start")
    return drawn + _words(x + side * size * 0.7, y + 5, label, 15, anchor=anchor)


def _words(x: float, y: float, words: str, size: float, *, bold: bool = False, anchor: str = "middle") -> str:
    plain = html.escape(html.unescape(re.sub(r"</?b>", "", words)))
    return f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{700 if bold else 400}" fill="{INK}">{plain}</text>'
