"""A view as one HTML file that opens offline: its sentences, figures, tables and provenance.

Plotly's script is in the file once for all figures. A content security policy keeps the file from any request.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from jinja2 import Environment, StrictUndefined

from core.common.i18n import language, t
from core.common.markup import Markup
from pages._export.record import Taken

MOST_ROWS = 500  # of a table; its CSV holds all
LONG = 40  # letters of a cell that may be broken into lines
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
STYLE = """
body {font: 1rem/1.55 system-ui, sans-serif; color: #1B1F27; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;}
figure {margin: 1.6rem 0;} figcaption, .small {font-size: 0.9rem; color: #4A5160;}
dt {font-size: 0.9rem; color: #4A5160;} dd {margin: 0 0 0.6rem 0; font-size: 1.15rem; white-space: pre-wrap; overflow-wrap: anywhere;}
.notice {border-left: 4px solid #2171B5; padding: 0.2rem 0 0.2rem 0.9rem;}
table {border-collapse: collapse; font-size: 0.9rem;} .wide {overflow-x: auto;} summary {cursor: pointer; font-weight: 600;}
th, td {text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid #D9DCE3;}
.wide td.long {min-width: 16rem; max-width: 32rem; overflow-wrap: anywhere;} .facts td {overflow-wrap: anywhere;}
"""


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
    """Return the file."""
    from plotly.offline import get_plotlyjs

    return _PAGE.render(
        page=page,
        language=language(),
        policy=POLICY,
        style=Markup(STYLE),  # noqa: S704
        most=MOST_ROWS,
        texts=_texts(page),
        script=Markup(get_plotlyjs()) if page.figures else "",  # noqa: S704
        figures=[(_figure_html(figure, number), alt) for number, (figure, alt) in enumerate(page.figures, 1)],
        link=page.link if page.link.startswith(("http://", "https://")) else "",  # only what a browser opens
    )


def _texts(page: HtmlPage) -> dict[str, str | list[str]]:
    """Return the file's own texts in the language of the interface."""
    return {
        "cut": [t("First {n:,} of {all:,} rows.", n=MOST_ROWS, all=len(table)) for table, _ in page.tables],
        "whence": t("Source"),
        "link": t("Open in Elmoscope"),
    }


def _figure_html(figure: go.Figure, number: int) -> Markup:
    """Return a figure as Plotly writes it. Its JSON has `<` and `>` as numbers, so that no text ends the script."""
    drawn = go.Figure(figure).update_layout(paper_bgcolor="white").update_xaxes(automargin=True).update_yaxes(automargin=True)
    html = drawn.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure-{number}", config={"displaylogo": False, "responsive": True}
    )
    return Markup(html)  # noqa: S704


def _cell(value: object) -> str:
    """Return a number rounded for reading. The CSV has all its digits."""
    if isinstance(value, float):
        return _number(value)
    return "" if value is None or value is pd.NA else str(value)


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.3g}" if 0 < abs(value) < 0.001 else f"{value:.4f}".rstrip("0").rstrip(".")


_TEMPLATES = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
_TEMPLATES.filters["cell"] = _cell
_PAGE = _TEMPLATES.from_string(
    """\
<!DOCTYPE html>
<html lang="{{ language }}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}"><title>{{ page.question }} · Elmoscope</title>
<style>{{ style }}</style>{% if script %}<script>{{ script }}</script>{% endif %}</head>
<body><main><h1>{{ page.question }}</h1>
{% if page.typed %}
<dl class="typed">
{% for label, text in page.typed %}
<dt>{{ label }}</dt><dd>{{ text }}</dd>
{% endfor %}
</dl>
{% endif %}
<p>{{ page.lede }}</p>
{% for drawn, alt in figures %}
<figure aria-label="{{ alt }}">{{ drawn }}<figcaption>{{ alt }}</figcaption></figure>
{% endfor %}
{% for notice in page.notices %}
<p class="notice">{{ notice }}</p>
{% endfor %}
{% for table, label in page.tables %}
<details open><summary>{{ label }}</summary>
{% if table | length > most %}
<p class="small">{{ texts.cut[loop.index0] }}</p>
{% endif %}
<div class="wide"><table>
<thead><tr>{% for name in table.columns %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.head(most).itertuples(index=False) %}
<tr>{% for value in row %}{% set text = value | cell %}<td{% if text | length > long %} class="long"{% endif %}>{{ text }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div></details>
{% endfor %}
<h2>{{ texts.whence }}</h2><table class="facts">
{% for label, fact in page.provenance %}
<tr><th scope="row">{{ label }}</th><td>{{ fact }}</td></tr>
{% endfor %}
</table>
{% if link %}
<p><a href="{{ link }}">{{ texts.link }}</a></p>
{% endif %}
</main></body></html>
""",
    globals={"long": LONG},
)
