"""A view as one HTML file that opens offline: its sentences, figures, tables and provenance.

Plotly's script is in the file once for all figures. A content security policy keeps the file from any request.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from core.common.i18n import language, t
from core.common.markup import Markup
from pages._export.record import Taken

MOST_ROWS = 500  # of a table; its CSV holds all
LONG = 40  # letters of a cell that may be broken into lines
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """The contents of a file. All that is not Markup is plain text."""

    question: str
    lede: str
    typed: Sequence[tuple[str, str]]  # the label of a box, and what was typed there
    notices: Sequence[str]
    figures: Sequence[tuple[go.Figure, str]]  # and what it shows, in words
    tables: Sequence[tuple[pd.DataFrame, str]]  # and what it is called
    provenance: Sequence[tuple[str, str]]  # label, fact
    link: str = ""  # where others can open the view


def html_of_view(view: Taken, provenance: Callable[[Taken], Sequence[tuple[str, str]]]) -> str:
    """Return the file of a view, in its language, from any thread."""
    with view.exported():
        figures = [(figure.draw(), figure.alt) for figure in view.figures().values()]
        tables = [(table.table, table.label) for table in view.tables().values()]
        title = view.question or view.title
        return html_of(HtmlPage(title, view.lede, view.list_texts(), view.notices(), figures, tables, provenance(view), view.link()))


def html_of(page: HtmlPage) -> str:
    from plotly.offline import get_plotlyjs

    return _PAGE.render(
        page=page,
        language=language(),
        policy=POLICY,
        style=Markup((FOLDER / "html_file.css").read_text("utf-8")),  # noqa: S704
        most=MOST_ROWS,
        texts={
            "cut": [t("First {n:,} of {all:,} rows.", n=MOST_ROWS, all=len(table)) for table, _ in page.tables],
            "whence": t("Source"),
            "link": t("Open in Elmoscope"),
        },
        script=Markup(get_plotlyjs()) if page.figures else "",  # noqa: S704
        figures=[(_figure_html(figure, number), alt) for number, (figure, alt) in enumerate(page.figures, 1)],
        link=page.link if page.link.startswith(("http://", "https://")) else "",  # only what a browser opens
    )


def _figure_html(figure: go.Figure, number: int) -> Markup:
    """Return a figure as Plotly writes it. Its JSON has `<` and `>` as numbers, so that no text ends the script."""
    figure = go.Figure(figure).update_layout(paper_bgcolor="white").update_xaxes(automargin=True).update_yaxes(automargin=True)
    html = figure.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure-{number}", config={"displaylogo": False, "responsive": True}
    )
    return Markup(html)  # noqa: S704


def _cell(value: object) -> str:
    """Return a number rounded for reading. The CSV has all its digits."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if 0 < abs(value) < 0.001 else f"{value:.4f}".rstrip("0").rstrip(".")


_TEMPLATES = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
_TEMPLATES.filters["cell"] = _cell
_PAGE = _TEMPLATES.get_template("html_file.html", globals={"long": LONG})
