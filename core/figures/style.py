"""The look that all figures share: palette, hover texts and layout.

Senses have the Okabe-Ito colors (safe for color-blind users; then shapes repeat them), layers one blue from light to dark, the layer mix
the darkest, GloVe orange, and the user's own sentence a star with a dark rim. Colors are readable on a white and on a near-black page; text
takes the page's own color.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from markupsafe import Markup, escape

from ..common import model_layers
from ..common.markup import html, shorten
from ..text.tokens import bare, is_joined, letter_count

SENSE_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A600", "#7F7F7F")
SENSE_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "pentagon", "hexagon")
LAYER_COLORS = {"0": "#8EC1E8", "1": "#4292C6", "2": "#2171B5", "mix": "#5E5BC8"}
SHADES = ("#DCEBF7", "#2171B5")  # the cell of a share of 0 and of 1: neither white nor black, so that both themes show them
SENSE_SPACE = "#9C4FA8"
GLOVE = "#E8871E"
OTHER_MODEL = "#1E9E78"  # the second of two models
GRAY = "rgba(140,140,150,0.35)"
GRID = "rgba(140,140,150,0.2)"
PHONE = 290  # pixels of a plot on a phone, between its axis and its right end
TICK_LINES, TICK_LETTERS, TICK_LETTER = 3, 14, 7.5  # words along an axis: on how many lines, of at most how many letters, a letter's width
CARD_LETTERS = 60  # of a line of a hover card
FOR, AGAINST = "0,114,178", "213,94,0"  # red, green, blue of what gives or speaks for, and of what takes or speaks against
SAME, DIFFERENT = "#7B5EC6", "#B4691F"  # curves of pairs with one meaning, and with two: neither is a sense's color
OWN = ("#FFD23F", "#FF7AB6")  # the stars of the first and the second sentence
RIM = "#1B1B1F"
MARKED_RIM = "#808086"  # rim of dots without a fill; visible in both themes
# The page's own, then what Windows, macOS, Android and Linux have for Hangul: a name for each, since an exported figure has no page.
FONTS = (
    '"Source Sans", "Source Sans Pro", "Noto Sans KR", "Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo", NanumGothic, sans-serif'
)
# Parts that figures share: an axis whose grid is faint, one without a grid, one of rows' names, first on top; what values are compared with;
# the rim of a small dot; the names of lines above a plot; a text at its left edge.
QUIET = {"fixedrange": True, "gridcolor": GRID, "zeroline": False}
EMPTY = {"fixedrange": True, "showgrid": False, "zeroline": False}
ROWS = {"autorange": "reversed", "fixedrange": True, "automargin": True, "tickfont": {"size": 14}}
DOTTED = {"color": "#888", "width": 1.5, "dash": "dot"}
THIN = {"width": 0.7, "color": "rgba(255,255,255,0.7)"}
LEGEND = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
AT_LEFT = {"xref": "paper", "xanchor": "left", "align": "left"}
# Plotly's configurations. The page's export presses the camera button, which is hidden there.
CONFIG = {"displaylogo": False, "responsive": True, "displayModeBar": True, "modeBarButtons": [["toImage"]]}
MAP_CONFIG = {"displaylogo": False, "responsive": True, "scrollZoom": True, "modeBarButtonsToRemove": ["autoScale2d"]}


class Figure(go.Figure):
    """A Plotly figure that shows texts literally unless they are Markup, and hover texts without the trace's name."""


def _escaping(name: str):
    def method(self: Figure, *args: Any, **parts: Any) -> Figure:
        return getattr(go.Figure, name)(self, *args, **_escape_parts(parts))

    return method


for _name in ("bar", "heatmap", "scatter", "scatter3d", "scattergl", "annotation"):
    setattr(Figure, f"add_{_name}", _escaping(f"add_{_name}"))
for _name in ("layout", "xaxes", "yaxes"):
    setattr(Figure, f"update_{_name}", _escaping(f"update_{_name}"))


def _escape_parts(part: Any, name: str = "") -> Any:
    if isinstance(part, str) and not name.endswith("family"):
        text = escape(part)
        return text + Markup("<extra></extra>") if name == "hovertemplate" and "<extra>" not in text else text
    if isinstance(part, dict):
        return {name: _escape_parts(value, name) for name, value in part.items()}
    several = isinstance(part, list | tuple) or getattr(getattr(part, "dtype", None), "kind", None) in ("O", "U")
    return [_escape_parts(item) for item in part] if several else part


def sense_color(number: int) -> str:
    """Return the color of a sense by its number."""
    return SENSE_COLORS[number % len(SENSE_COLORS)]


def ink(background: str) -> str:
    """Return black or white, "#rrggbb", whichever has more contrast on a color (relative luminance, WCAG 2.1)."""
    channels = [channel / 255 for channel in _channels(background)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "#FFFFFF"


def add_shades(figure: go.Figure, shares, x: Sequence, y: Sequence, texts, *, size: float = 13, ends=SHADES, **options) -> None:
    """Draw a heat map of (rows, columns) shares, 0 to 1, from one of two colors to the other, with a black or white text in each cell.

    Plotly's own choice for a half transparent shade is readable in one theme only.
    """
    shares = np.asarray(shares, float)
    figure.add_heatmap(z=shares, x=x, y=y, zmin=0, zmax=1, showscale=False, xgap=3, ygap=3, colorscale=[*enumerate(ends)], **options)
    colors = [ink(between(*ends, share)) for share in shares.clip(0, 1).ravel()]
    across, down = [*x] * len(y), [name for name in y for _ in x]
    texts = np.ravel(texts).tolist()
    figure.add_scatter(x=across, y=down, mode="text", text=texts, textfont={"size": size, "color": colors}, hoverinfo="skip")


def between(low: str, high: str, along: float) -> str:
    """Return the color at `along` (0 to 1) between two colors "#rrggbb"."""
    return "#" + "".join(f"{round(a + along * (b - a)):02X}" for a, b in zip(_channels(low), _channels(high), strict=True))


def see_through(color: str, opacity: str) -> str:
    """Return a color "#rrggbb" with an opacity."""
    return "rgba({},{},{},{})".format(*_channels(color), opacity)


def _channels(color: str) -> tuple[int, ...]:
    """Return the red, green and blue of a color "#rrggbb", 0 to 255."""
    return tuple(bytes.fromhex(color[1:7]))


def mark(tokens: list[str] | tuple[str, ...], position: int) -> Markup:
    """Return a sentence with its token in bold, wrapped for a hover card."""
    lines, line, length = [], "", 0  # escaped by hand: Markup would cost ten times as much, and maps have thousands
    for k, token in enumerate(tokens):
        joined = is_joined(tokens, k)
        if length > CARD_LETTERS and not joined:  # a word stays on one line
            lines.append(line)
            line, length = "", 0
        if len(lines) == 6:
            return Markup("<br>".join(lines) + " …")  # noqa: S704
        text = str(escape(bare(token)[:60]))
        line += " " * (length > 0 and not joined) + (f"<b>{text}</b>" if k == position else text)
        length += len(bare(token)) + (not joined)
    return Markup("<br>".join([*lines, line] if line else lines))  # noqa: S704


def base(figure: go.Figure, *, height: int, key: str) -> go.Figure:
    """Apply the common layout: no box, no background, the page's font. Plotly restores the zoom of the same `key`."""
    return figure.update_layout(
        height=height,
        font_family=FONTS,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        uirevision=key,
        hoverlabel={"align": "left", "font": {"size": 13}},
        transition={"duration": 450, "easing": "cubic-in-out"},
    )


def add_line(figure: go.Figure, x, y, color: str, card: str, *, width: float = 2.5, dash: str | None = None, **more) -> None:
    """Add a line with a dot at each value."""
    look = {"line": {"color": color, "width": width, "dash": dash}, "marker": {"size": 7}} | more
    figure.add_scatter(x=list(x), y=list(y), mode="lines+markers", hovertemplate=card, **look)


def add_dots(figure: go.Figure, points, cards: Sequence[str], marker: dict, *, labels=None, size: float = 13, **more) -> None:
    """Add dots at (n, 2) points with hover cards and, with `labels`, names next to them."""
    x, y = np.asarray(points, float).reshape(-1, 2).T
    look = {"mode": "markers"} if labels is None else {"mode": "markers+text", "text": labels, "textfont": {"size": size}}
    figure.add_scatter(x=x, y=y, marker=marker, hovertext=list(cards), hovertemplate="%{hovertext}", **look, **more)


def add_rows(figure: go.Figure, values, names, colors, texts: Sequence[str], card: str, **more) -> None:
    """Add a bar for each row, with its number behind it."""
    look = {"textposition": "outside", "cliponaxis": False, "marker_color": colors} | more
    figure.add_bar(x=list(values), y=list(names), orientation="h", text=list(texts), hovertemplate=card, **look)


def add_parts(figure: go.Figure, shares, names, color: str, texts: Sequence[str], card: str, **more) -> None:
    """Add a part to the bar of each row, with horizontal text within it."""
    look = {"textposition": "inside", "textangle": 0, "marker_line_width": 0, "cliponaxis": None} | more
    add_rows(figure, shares, names, color, texts, card, **look)


def add_text(figure: go.Figure, x, y, text: str, *, size: float = 13, **place) -> None:
    """Add a text at a place, with options of Plotly's annotations."""
    figure.add_annotation(x=x, y=y, text=text, showarrow=False, font={"size": size}, **place)


def add_plate(figure: go.Figure, x, y, name: str, color: str, *, size: float = 13, **place) -> None:
    """Add a name in white on a plate of its color."""
    look = {"font": {"size": size, "color": "#ffffff"}, "bgcolor": color, "borderpad": 3} | place
    figure.add_annotation(x=x, y=y, text=html("<b>{}</b>", name), showarrow=False, **look)


def star(number: int, size: float, **look) -> dict[str, Any]:
    """Return the marker of the user's first or second sentence."""
    return {"symbol": "star", "size": size, "color": OWN[number % 2], "line": {"color": RIM, "width": 2}, **look}


def hollow_dots(size: float, color: str, rim: float, filled: Sequence[bool]) -> dict[str, Any]:
    """Return the marker of dots, each hollow or filled."""
    symbols = ["circle" if is_filled else "circle-open" for is_filled in filled]
    return {"size": size, "color": color, "symbol": symbols, "line": {"width": rim, "color": color}}


def error_bars(middle: Sequence[float], low: Sequence[float | None], high: Sequence[float | None], **look) -> dict[str, Any]:
    """Return intervals around values, (n,) each. None: the value has none."""
    up = [None if end is None else end - value for value, end in zip(middle, high, strict=True)]
    down = [None if end is None else value - end for value, end in zip(middle, low, strict=True)]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, **look}


def spread_heights(ends: dict[str, float], gap: float) -> dict[str, float]:
    """Return heights for names at the ends of lines, at least `gap` from each other."""
    heights: dict[str, float] = {}
    for name, height in sorted(ends.items(), key=lambda item: item[1]):
        heights[name] = max(height, max(heights.values(), default=-np.inf) + gap)
    return heights


def line_name(name: str, color: str) -> Markup:
    """Return a line's name with a sign in the line's color, which would be too pale for letters."""
    return html('<span style="color:{}">\u25a0</span> {}', color, name)


def enlarge(figure: go.Figure, factor: float, *, height: int) -> go.Figure:
    """Return a figure for reading from afar: letters and dots `factor` times as large, `height` pixels high."""
    parts = figure.to_plotly_json()
    parts.get("layout", {}).pop("template", None)
    larger = go.Figure(_times(parts, factor))
    margin = figure.layout.margin
    sides = {side: (getattr(margin, side) or 0) * factor for side in "lrtb"}
    for update in (larger.for_each_xaxis, larger.for_each_yaxis):  # Streamlit's theme sets a size for ticks without one
        update(lambda axis: axis.tickfont.size or axis.update(tickfont_size=12 * factor))
    return larger.update_layout(height=height, margin=sides, font_size=12 * factor)


def _times(part, factor: float, is_size: bool = False):
    """Return parts of a figure with every number of a `size` in them multiplied."""
    if isinstance(part, list | tuple):
        return [_times(item, factor, is_size) for item in part]
    if isinstance(part, dict):
        return {name: _times(value, factor, name == "size") for name, value in part.items()}
    return part * factor if is_size and isinstance(part, int | float) else part


def word_ticks(words: Sequence[str], marked: Mapping[int, str]) -> dict[str, Any]:
    """Return an axis of horizontal words that do not overlap on a phone, on up to TICK_LINES lines.

    `marked` are the words to label first, by number, with the HTML around them. A word that does not fit has no label.
    """
    slot = PHONE / max(1, len(words))
    lines: list[list[tuple[int, float]]] = [[] for _ in range(TICK_LINES)]
    labels: dict[int, Markup] = {}
    for k in sorted(range(len(words)), key=lambda k: (k not in marked, k)):
        word = shorten(words[k], TICK_LETTERS)
        half = (TICK_LETTER * letter_count(word) + TICK_LETTER) / 2
        free = (n for n, line in enumerate(lines) if all(abs(k - place) * slot >= half + wide for place, wide in line))
        if (line := next(free, None)) is not None:
            lines[line].append((k, half))
            labels[k] = Markup("<br>") * line + html(marked.get(k, "{}"), word)
    texts = [labels[k] for k in sorted(labels)]
    return {"tickvals": sorted(labels), "ticktext": texts, "tickangle": 0, "tickfont": {"size": 13}, "automargin": True}


def layer_title(name: str) -> str:
    """Return a layer's name for the middle of a sentence."""
    return model_layers.in_use().title(name)


def layer_color(name: str) -> str:
    """Return the color of a layer, the mix or the sense space. Layers run from light to dark blue."""
    if name == model_layers.SENSES:
        return SENSE_SPACE
    if name in ("0", model_layers.MIX):
        return LAYER_COLORS[name]
    share = min(1.0, int(name) / max(1, model_layers.in_use().n - 1))
    if share < 0.5:
        return between(LAYER_COLORS["0"], LAYER_COLORS["1"], 2 * share)
    return between(LAYER_COLORS["1"], LAYER_COLORS["2"], 2 * share - 1)
