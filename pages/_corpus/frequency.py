"""How often a search has hits in each document, stretch or year: bars, the most of them first, years in their order."""

from collections.abc import Sequence

import plotly.graph_objects as go

from core.common.i18n import t, tn
from core.corpus.dispersion import Part
from core.figures.style import Figure, base
from core.views.concordance import Concordance
from pages._frame.choices import coded_choice
from pages._widgets.charts import draw

BARS, YEARS = 12, 40
BAR = "rgba(120,125,140,0.75)"
DOCUMENTS, DATES = "documents", "dates"


def show(result: Concordance) -> None:
    """The bars; of a corpus with dates and documents those that the reader chooses."""
    by = DATES if result.dates and len(result.documents) < 2 else DOCUMENTS
    if result.dates and len(result.documents) > 1:
        by = coded_choice("find_by", t("Frequency by"), {DOCUMENTS: t("document"), DATES: t("date")}, DATES)
    if by == DATES:
        figure = _columns(result.dates[-YEARS:])
        alt = t("{n:,} occurrences by date.", n=result.n)
    elif len(result.documents) > 1:
        ranked = sorted(result.documents, key=lambda part: -part[1])[:BARS]
        figure = _bars(ranked, [short(name, 20) for name, _, _ in ranked], t("Occurrences by document"))
        alt = t("{n:,} occurrences by document.", n=result.n)
    else:
        names = [t("{a} to {b}%", a=10 * k, b=10 * k + 10) for k in range(len(result.stretches))]
        figure = _bars(result.stretches, names, t("Where in the text"))
        alt = t("{n:,} occurrences by tenth of the text.", n=result.n)
    draw(figure, key="corpus.bars", alt=alt)


def short(name: str, most: int = 28) -> str:
    """A document's name, its middle left out where it is long."""
    return name if len(name) <= most else f"{name[: most - 9]}…{name[-8:]}"


def _said(part: Part) -> str:
    _, n, size = part
    rate = 1e6 * n / max(1, size)
    return tn("{n:,} occurrence, {rate:,.0f} per million tokens", "{n:,} occurrences, {rate:,.0f} per million tokens", n, rate=rate)


def _bars(parts: Sequence[Part], names: list[str], title: str) -> go.Figure:
    counts = [n for _, n, _ in parts]
    figure = Figure().add_bar(
        x=counts,
        y=list(range(len(counts))),
        orientation="h",
        marker_color=BAR,
        text=[f"{n:,}" for n in counts],
        textposition="outside",
        cliponaxis=False,
        customdata=list(map(_said, parts)),
        hovertemplate="%{customdata}",
    )
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickvals=list(range(len(names))), ticktext=names, automargin=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, 1.2 * max(counts)])
    base(figure, height=26 * len(counts) + 52, key="corpus")
    return figure.update_layout(title={"text": title, "font": {"size": 14}, "x": 0}, margin_t=34, bargap=0.35)


def _columns(parts: Sequence[Part]) -> go.Figure:
    """Per million tokens of each year: years differ in how much text they have."""
    figure = Figure().add_bar(
        x=[name for name, _, _ in parts],
        y=[1e6 * n / max(1, size) for _, n, size in parts],
        marker_color=BAR,
        customdata=list(map(_said, parts)),
        hovertemplate="%{x}: %{customdata}",
    )
    figure.update_xaxes(type="category", fixedrange=True)
    figure.update_yaxes(fixedrange=True, rangemode="tozero")
    base(figure, height=260, key="corpus")
    return figure.update_layout(title={"text": t("Per million tokens, by date"), "font": {"size": 14}, "x": 0}, margin_t=34, bargap=0.25)
