"""A view as one HTML file that opens anywhere, with no network: its words, figures, tables, and where all of it comes from.

Plotly's own script is written into the file, once for all figures, and a content security policy keeps the file from asking
anything of any host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import pandas as pd
import plotly.graph_objects as go

from core.texts import language, t

MOST_ROWS = 500  # of a table; its CSV holds all
LONG = 40  # letters of a cell that may be broken into lines
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
STYLE = """
body {font: 1rem/1.55 system-ui, sans-serif; color: #1B1F27; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;}
figure {margin: 1.6rem 0;} figcaption, .small {font-size: 0.9rem; color: #4A5160;}
.notice {border-left: 4px solid #2171B5; padding: 0.2rem 0 0.2rem 0.9rem;}
table {border-collapse: collapse; font-size: 0.9rem;} .wide {overflow-x: auto;} summary {cursor: pointer; font-weight: 600;}
th, td {text-align: left; vertical-align: top; padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid #D9DCE3;}
.wide td.long {min-width: 16rem; max-width: 32rem; overflow-wrap: anywhere;} .facts td {overflow-wrap: anywhere;}
"""


@dataclass(frozen=True, slots=True)
class Page:
    """What is written. `lede` and `notices` are HTML of ours in which user text is escaped; everything else is plain text."""

    question: str
    lede: str
    notices: Sequence[str]
    figures: Sequence[tuple[go.Figure, str]]  # and what it shows, in words
    tables: Sequence[tuple[pd.DataFrame, str]]  # and what it is called
    provenance: Sequence[tuple[str, str]]  # label, fact
    address: str = ""


def html_of(page: Page) -> str:
    """The whole file."""
    from plotly.offline import get_plotlyjs

    script = f"<script>{get_plotlyjs()}</script>" if page.figures else ""
    figures = "".join(_figure(figure, alt, number) for number, (figure, alt) in enumerate(page.figures, 1))
    tables = "".join(_table(table, label) for table, label in page.tables)
    notices = "".join(f'<p class="notice">{notice}</p>' for notice in page.notices)
    facts = "".join(f"<tr><th scope='row'>{escape(label)}</th><td>{escape(fact)}</td></tr>" for label, fact in page.provenance)
    return (
        f'<!DOCTYPE html><html lang="{language()}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>{escape(page.question)} · Elmoscope</title>'
        f"<style>{STYLE}</style>{script}</head><body><main><h1>{escape(page.question)}</h1><p>{page.lede}</p>{figures}{notices}{tables}"
        f"<h2>{t('Where this comes from')}</h2><table class='facts'>{facts}</table>{_link(page.address)}</main></body></html>"
    )


def _figure(figure: go.Figure, alt: str, number: int) -> str:
    drawn = go.Figure(figure).update_layout(paper_bgcolor="white").update_xaxes(automargin=True).update_yaxes(automargin=True)
    html = drawn.to_html(
        full_html=False, include_plotlyjs=False, div_id=f"figure-{number}", config={"displaylogo": False, "responsive": True}
    )
    return f'<figure aria-label="{escape(alt)}">{html}<figcaption>{escape(alt)}</figcaption></figure>'


def _table(table: pd.DataFrame, label: str) -> str:
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in table.columns)
    rows = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>" for row in table.head(MOST_ROWS).itertuples(index=False))
    cut = t("The first {n:,} of {all:,} rows.", n=MOST_ROWS, all=len(table)) if len(table) > MOST_ROWS else ""
    return (
        f"<details open><summary>{escape(label)}</summary><p class='small'>{cut}</p>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>'
    )


def _cell(value: object) -> str:
    """A number as one reads it: the CSV has all its digits. Long text may take two lines, anything else stays on one."""
    if isinstance(value, float):
        return f"<td>{_number(value)}</td>"
    text = "" if value is None or value is pd.NA else escape(str(value))
    return f'<td class="long">{text}</td>' if len(text) > LONG else f"<td>{text}</td>"


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.3g}" if 0 < abs(value) < 0.001 else f"{value:.4f}".rstrip("0").rstrip(".")


def _link(address: str) -> str:
    """The address as a link, if it is one that a browser opens."""
    if not address.startswith(("http://", "https://")):
        return ""
    return f'<p><a href="{escape(address)}">{t("The same view in Elmoscope, where it is running")}</a></p>'
