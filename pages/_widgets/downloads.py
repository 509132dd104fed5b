"""The icon row of every page: tables, CSV files, pictures, an HTML file that opens offline, a notebook of the view, and its link."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from core import __version__
from core.common import short_links
from core.common.errors import ElmoscopeError
from core.common.i18n import language, t
from core.common.markup import Markup, plain
from pages._export import record
from pages._export.notebook_values import NOTEBOOKS, name_of, notebook
from pages._export.record import Taken
from pages._frame.markup import component, pathless
from pages._widgets import lists

MOST_ROWS = 500  # rows of a table on the page; its CSV has all
LONG = 40  # letters of a cell that may be broken into lines
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"


@st.fragment
def show() -> None:
    """Show the icon row. Each list is built when it opens, each file when it is downloaded."""
    view = record.now()
    name = f"elmoscope-{view.view}"
    with st.container(horizontal=True, gap=None, key="take"):
        _popover(t("Tables"), "table", partial(_draw_tables, False), view)
        _popover(t("CSV files"), "download", partial(_draw_tables, True), view)
        _popover(t("Pictures"), "image", partial(_draw, "figures"), view)
        _button(t("HTML file"), "web", f"{name}.html", "text/html", partial(html_of_view, view), "take.html", type="tertiary")
        if name_of(view.view, view.settings) in NOTEBOOKS:
            make = partial(_notebook, view)
            _button(t("Notebook"), "code_blocks", f"{name}.ipynb", "application/x-ipynb+json", make, "take.ipynb", type="tertiary")
        _popover(t("Link to this view"), "link", partial(_draw, "link"), view)


def _popover(label: str, icon: str, draw: Callable[[Taken], None], view: Taken) -> None:
    place = st.popover(label, icon=f":material/{icon}:", help=label, key=f"take.{icon}", type="tertiary", on_change="rerun")
    if place.open:
        view.look()
        with place:
            draw(view)


def _draw_tables(as_csv: bool, view: Taken) -> None:
    """Draw the tables of the view, or with `as_csv` a button that downloads each."""
    for key, table in view.tables().items():
        if as_csv:
            label = t("CSV: {table}", table=plain(table.label))
            _button(label, "download", f"{table.name}.csv", "text/csv", partial(_csv, view, key), f"take.{key}")
        else:
            st.markdown(f"**{plain(table.label)}**")
            lists.grid(table.table)
    if not view.tables():
        st.caption(t("No table on this page."))


_pictures = component("pictures", Path(__file__).with_name("pictures"))


def _draw(part: str, view: Taken) -> None:
    """Draw a part: "link", the address with a button that copies it, or "figures", PNG and SVG files of each figure.

    The browser makes the files. Plotly can save a figure only by the button in the menu of its chart (charts.py), so the script presses that
    button while the chart has a white background. Title and source are above and below each picture, as Plotly reads text, so markup in them must be
    escaped.
    """
    query = view.query()
    used = view.in_use
    texts = {
        "link": t("Link to this view"),
        "copy": t("Copy link"),
        "copy_short": t("Copy short link"),
        "copied": t("Copied."),
        "no_link": t("This view is too long for a link. Save it as a file instead."),
        "figures": t("Figures"),
        "no_figure": t("No figure on this page."),
    }
    data = {
        "part": part,
        "name": f"elmoscope-{view.view}",
        "title": view.question or view.title,
        "source": t("Elmoscope · model {model}, vectors {vectors}", model=used.model, vectors=used.vectors),
        "query": urlencode(query),
        "short": short_links.shortened(query) if query else "",
        "longest": short_links.LONGEST_ADDRESS,
    }
    _pictures(data=texts | data, key=f"take.{part}.box", on_moved_change=lambda: None)


def _button(label: str, icon: str, file: str, mime: str, make: Callable[[], str | bytes], key: str, **options: Any) -> None:
    lists.download(label, make, file, mime, key=key, icon=icon, help=label, **options)


def _csv(view: Taken, key: str) -> bytes:
    from core.files.formats import encode_csv  # not at the top: a page's title does not wait for tables

    with view.drawing:
        return encode_csv(view.tables()[key].table)


def _notebook(view: Taken) -> str:
    """Return the notebook as JSON. Streamlit calls this in a separate thread."""
    used = {name: getattr(view.in_use, name) for name in ("model", "vectors", "corpus")}
    settings = view.settings | used | {"lang": view.language}
    with view.exported():
        address = view.link() or view.place()
        return notebook(view.view, settings, question=view.question or view.title, lede=view.lede, address=address)


def provenance(view: Taken) -> list[tuple[str, str]]:
    """Return where the view comes from, as labels and values: model, data, settings, date and address."""
    used = view.in_use
    chosen = [f"{key} = {value}" for key, value in view.query() if value]
    return [
        (t("Model"), _with_hash(used.model, "model")),
        (t("Static vectors"), _with_hash(used.vectors, "vectors")),
        (t("Sentences"), used.corpus),
        (t("Engine"), used.engine),
        (t("Settings"), "; ".join(chosen) or t("defaults")),
        (t("Made"), t("{date}, Elmoscope {version}", date=datetime.now().astimezone().isoformat(" ", "minutes"), version=__version__)),
        (t("Address"), view.link()) if view.link() else (t("View"), view.place()),
    ]


def _with_hash(name: str, kind: str) -> str:
    from core.elmo.models import numbers_sha256

    try:
        return f"{name}, sha256 {numbers_sha256(name, kind)}"
    except ElmoscopeError as error:
        return f"{name} ({pathless(str(error))})"


def html_of_view(view: Taken) -> str:
    """Return the file of a view, in its language, from any thread."""
    with view.exported():
        figures = [(item.figure() if callable(item.figure) else item.figure, item.alt) for item in view.figures().values()]
        tables = [(table.table, table.label) for table in view.tables().values()]
        page = {"question": view.question or view.title, "lede": view.lede, "typed": view.list_texts(), "notices": view.notices()}
        return html_of(figures, tables, view.link(), **page, provenance=provenance(view))


def html_of(figures: Sequence[tuple[go.Figure, str]], tables: Sequence[tuple[pd.DataFrame, str]], link: str = "", **page: Any) -> str:
    """Return a file with figures and their descriptions, tables and their titles, and a link. All that is not Markup is plain text.

    `page` is the question, the lede, typed texts (label, text), notices and the provenance (label, fact).
    """
    from plotly.offline import get_plotlyjs

    return _PAGE.render(
        **page,
        tables=tables,
        language=language(),
        policy=POLICY,
        style=Markup(Path(__file__).with_name("html_file.css").read_text("utf-8")),  # noqa: S704
        most=MOST_ROWS,
        texts={
            "cut": [t("First {n:,} of {all:,} rows.", n=MOST_ROWS, all=len(table)) for table, _ in tables],
            "whence": t("Source"),
            "link": t("Open in Elmoscope"),
        },
        script=Markup(get_plotlyjs()) if figures else "",  # noqa: S704
        figures=[(_figure_html(figure, number), alt) for number, (figure, alt) in enumerate(figures, 1)],
        link=link if link.startswith(("http://", "https://")) else "",  # only what a browser opens
    )


def _figure_html(figure: go.Figure, number: int) -> Markup:
    """Return a figure as Plotly writes it. Its JSON has `<` and `>` as numbers, so that no text ends the script."""
    figure = go.Figure(figure).update_layout(paper_bgcolor="white").update_xaxes(automargin=True).update_yaxes(automargin=True)
    options = {"full_html": False, "include_plotlyjs": False, "config": {"displaylogo": False, "responsive": True}}
    return Markup(figure.to_html(div_id=f"figure-{number}", **options))  # noqa: S704


def _cell(value: object) -> str:
    """Return a number rounded for reading. The CSV has all its digits."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3g}" if 0 < abs(value) < 0.001 else f"{value:.4f}".rstrip("0").rstrip(".")


_LOADER = FileSystemLoader(Path(__file__).parent)
_TEMPLATES = Environment(loader=_LOADER, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
_TEMPLATES.filters["cell"] = _cell
_PAGE = _TEMPLATES.get_template("html_file.html", globals={"long": LONG})
