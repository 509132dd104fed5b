"""A page of the app opened by its address, as a visitor opens a link."""

import csv
import io
import json
import re
import runpy
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from core.common.markup import Markup
from core.files.formats import encode_csv
from pages._cached.cache import memo
from pages._frame.menu import HOME, list_views, page_address
from pages._frame.parameters import ALLOWED

HANGUL = re.compile("[가-힣]")
PATHS = ["app.py" if view == HOME else f"pages/{view}.py" for view in list_views() if view not in ("spread", "change")]
APP = Path(__file__).parents[2] / "app.py"


def forget(maker: str) -> None:
    for place in [place for place in memo._values if place[0] == maker]:
        memo._drop(place)


def code_cells(notebook: str) -> list[str]:
    """Return the code of an exported notebook's cells, with the modules that this process has imported as `core`."""
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]).replace("elmoscope.core", "core") for cell in cells if cell["cell_type"] == "code"]


def run_notebook(folder: Path, notebook: str, *until: str) -> dict:
    """Run the cells of an exported notebook, up to the first one with a text of `until`, and return the variables."""
    cells = code_cells(notebook)
    n = next(k for k, cell in enumerate(cells, 1) if any(text in cell for text in until)) if until else len(cells)
    (file := folder / "cells.py").write_text("\n\n".join(cells[:n]), encoding="utf-8")
    return runpy.run_path(str(file))


def opened(path: str = "app.py", **address: str) -> AppTest:
    """Return a page after its first run with these parameters in its address. The user has allowed all paths among them."""
    return linked(path, allowed=address.values(), **address)


def linked(path: str = "app.py", *, allowed: Iterable[str] = (), **address: str) -> AppTest:
    """Return a page after its first run, opened by a link. The user has allowed only the paths `allowed`."""
    page = AppTest.from_file(str(APP), default_timeout=300)
    if path != "app.py":
        file, parameters = page_address(Path(path).stem)  # of a page, or of a view on one
        page.switch_page(file)
        address = parameters | address
    for name, value in address.items():
        page.query_params[name] = value
    page.session_state[ALLOWED] = {*allowed}
    return page.run()


def opened_whole(path: str = "app.py", **address: str) -> AppTest:
    """Return a page after its first run, and check that nothing went wrong."""
    page = opened(path, **address)
    assert not page.exception and not page.error
    return page


def written(lines: Iterable[str]) -> list[str]:
    """Lines as a notice writes them; apostrophes stay what they are."""
    return [str(Markup.escape(line)).replace("&#39;", "'") for line in lines]


def tables(page: AppTest) -> list[pd.DataFrame]:
    return [*(frame.value for frame in page.dataframe), *offered(page)]


def offered(page: AppTest) -> list[pd.DataFrame]:
    return [noted.table for noted in page.session_state["_taken"].tables().values()] if "_taken" in page.session_state else []


def rows_of(table: pd.DataFrame) -> list[list[str]]:
    """Return the cells of a table as its CSV file has them, the header first."""
    return list(csv.reader(io.StringIO(encode_csv(table).decode("utf-8-sig"), newline="")))


def html_of(page: AppTest) -> str:
    return " ".join(block.proto.body for block in page.get("html"))


def text_of(page: AppTest) -> str:
    return re.sub("<[^>]*>", "", html_of(page))


def verdict_of(page: AppTest) -> str:
    return next(block.proto.body for block in page.get("html") if 'class="verdict"' in block.proto.body)


def address_of(page: AppTest, key: str) -> str | None:
    value = page.query_params.get(key)
    return value[-1] if isinstance(value, list) else value


def data_of(page: AppTest, component: str) -> dict:
    """Return the data that a page sent last to a component."""
    return [json.loads(block.proto.json) for block in page.get("bidi_component") if block.proto.component_name == component][-1]


def export_of(page: AppTest, name: str) -> pd.DataFrame | None:
    entry = page.session_state["_taken"].tables().get(name)
    return None if entry is None else entry.table


def captions(page: AppTest) -> str:
    """Return the captions, notes and warnings on the page, without escapes of Markdown."""
    return " ".join(item.value for item in (*page.caption, *page.warning, *page.info)).replace("\\", "")


def read_through(page: AppTest) -> AppTest:
    """Run a page until it waits for no work in the background, and check that nothing went wrong."""
    while page.get("progress") or "sentences are read" in html_of(page) + captions(page):
        assert not page.exception
        page.run()
    page.run()  # the work may have ended while the last run drew the page
    assert not page.exception and not page.error
    return page


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def words_on(page: AppTest) -> list[str]:
    """Return the labels, texts and helps of everything on a page."""
    result = [html_of(page)]
    for element in [*page.main, *page.sidebar]:
        result += [str(getattr(element, name, "")) for name in ("label", "value", "help", "placeholder", "body")]
    return result
