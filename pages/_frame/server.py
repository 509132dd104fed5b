"""What the server answers before Streamlit does: the document of every page, and the addresses of pages that are now part of another.

Streamlit's own document is called "Streamlit", and its script looks below a page's address for the server first, which costs two
requests answered 404. Ours has the app's name and says where the server is.
"""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit.file_util import get_static_dir

from pages._frame.menu import MOVED, door, menu

WHERE = """<script>
  // The address without the page's name: what lies before it, a proxy's prefix, is the server's.
  const page = new RegExp("/(" + %s.join("|") + ")/?$");
  window.__streamlit = { BACKEND_BASE_URL: location.origin + location.pathname.replace(page, "/") };
</script>"""
TITLE = "<title>Streamlit</title>"
HEAD = """<title>Elmoscope</title>
    <meta name="description" content="What a word means in its sentence: ELMo beside GloVe." />"""


def routes() -> list[Route]:
    """The pages' document, and where older addresses have gone to, with the same parameters.

    Streamlit itself would open Home under a dialog that says the page was not found.
    """
    base = st.get_option("server.baseUrlPath").strip("/")
    names = [Path(page.file).stem for entry in menu() for page in entry.pages if page.file != "app.py"]
    page = _document(names)
    return [
        *(Route("/" + f"{base}/{old}".lstrip("/"), _redirect(view)) for old, view in MOVED.items()),
        *(Route("/" + f"{base}/{name}".strip("/"), page) for name in ("", *names)),
    ]


def _document(names: list[str]) -> Callable[[Request], Awaitable[Response]]:
    html = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    html = html.replace(TITLE, HEAD + WHERE % json.dumps(names), 1)

    async def answer(_: Request) -> Response:
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})

    return answer


def _redirect(view: str) -> Callable[[Request], Awaitable[Response]]:
    file, parameters = door(view)

    async def answer(request: Request) -> Response:
        query = urlencode([*request.query_params.multi_items(), *parameters.items()])
        return RedirectResponse(Path(file).stem + (f"?{query}" if query else ""))  # relative, whatever stands before both

    return answer
