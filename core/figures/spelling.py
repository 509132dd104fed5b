"""The char-CNN's reading of a spelling: contributions of letters and windows, and tables of cosines."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..analysis.spelling import Firing, Window
from ..common.i18n import format_number, t
from ..common.markup import Markup, html, shorten
from . import style
from .style import AGAINST, FOR, Figure, add_text, base

SCALE = [[0, f"rgba({AGAINST},1)"], [0.499, f"rgba({AGAINST},0.05)"], [0.501, f"rgba({FOR},0.05)"], [1, f"rgba({FOR},1)"]]
LETTER = '<span style="background:{};padding:.1rem .16rem;border-radius:.2rem;font-size:1.3rem;font-weight:600" title="{:+.1%}">{}</span>'
LEAST = 0.05  # the share that is drawn at full strength at least: weak letters stay pale
SHOWN_LETTERS = 26


def letter_marks(firing: Firing) -> Markup:
    """Mark each letter of a word, boundary marks included, by what it adds (blue) or takes (orange)."""
    shares = firing.by_letter
    parts = []
    most = max(LEAST, np.abs(shares).max())
    for letter, share in list(zip(firing.letters, shares, strict=True))[:SHOWN_LETTERS]:
        ground = f"rgba({FOR if share >= 0 else AGAINST},{abs(share) / most * 0.7:.2f})"
        parts.append(html(LETTER, ground, share, visible(letter)))
    return html("{}{}", parts, "…" if len(firing.letters) > SHOWN_LETTERS else "")


def visible(letter: str) -> str:
    """Return a visible character as it is, any other as the number of its code point."""
    return letter if letter.isprintable() and not letter.isspace() else f"U+{ord(letter[0]):04X}"


def windows_figure(firing: Firing, k: int = 8) -> go.Figure:
    """Draw each letter's contribution through the windows of each width; below it the k windows that contribute most."""
    letters = [visible(letter) for letter in firing.letters]
    n = len(firing.letters)
    spans = [window for window in firing.windows if window.lettered][:k]
    rows = [len(firing.widths), max(1, len(spans))]
    figure = make_subplots(2, 1, figure=Figure(), shared_xaxes=True, row_heights=rows, vertical_spacing=0.06)
    most = max(LEAST, np.abs(firing.grid).max())
    names = [t("{n} wide", n=width) for width in firing.widths]
    figure.add_heatmap(
        z=firing.grid,
        x=list(range(n)),
        y=names,
        zmin=-most,
        zmax=most,
        showscale=False,
        xgap=2,
        ygap=3,
        row=1,
        col=1,
        colorscale=SCALE,
        text=[letters] * len(names),
        hovertemplate="%{text}, %{y}: %{z:+.1%}",
    )
    for name, share in zip(names, firing.by_width, strict=True):
        _add_text_right(figure, name, format_number(share, "+.0%"), axis="")

    def card(window: Window) -> str:
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
    n = len(names)
    places = list(range(len(names)))  # places are the axes' values: two long words may be cut to one name
    figure = Figure().add_heatmap(
        z=np.clip(np.nan_to_num(matrix), 0, 1),
        x=places,
        y=places,
        zmin=0,
        zmax=1,
        xgap=3,
        ygap=3,
        showscale=False,
        hoverinfo="skip",
        colorscale=[[0, "rgba(140,140,150,0.15)"], [1, color]],
        opacity=0.6,
    )
    text = [t("none") if np.isnan(value) else format_number(value, ".2f") for value in matrix.ravel()]
    # A trace of its own: on a shade that is half transparent a heatmap's own text takes the wrong of black and white.
    figure.add_scatter(x=places * n, y=np.repeat(places, n).tolist(), mode="text", text=text, textfont={"size": 14}, hoverinfo="skip")
    ticks = {"tickvals": places, "ticktext": names, "fixedrange": True, "showgrid": False, "zeroline": False, "tickfont": {"size": 13}}
    figure.update_xaxes(side="top", **ticks)
    figure.update_yaxes(autorange="reversed", automargin=True, **ticks)
    return base(figure, height=70 + 40 * len(names), key=key).update_layout(margin={"t": 36})
