"""Serve the HTML document of every page and Streamlit's scripts before Streamlit does.

Streamlit's own document has the title "Streamlit", and its script first looks for the server below the page's address, which costs two
requests with status 404. Our document has the app's title and the server's address. It also names the scripts that the page will need:
Streamlit requests them only when the first element of a kind arrives, some forty small files and the 4.7 MB of Plotly, while Python runs
the page. They are served from memory, because Streamlit reads files in threads, which wait for the page's thread.
"""

import json
import re
import time
from functools import lru_cache
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_storage import MediaFileKind

from pages._frame.gate import Gate
from pages._frame.listening import apply_address
from pages._frame.menu import list_pages

STATIC = Path(get_static_dir())
SCRIPTS = STATIC / "static" / "js"
ON_EVERY_PAGE = ("PageLink", "Selectbox", "Checkbox", "Button", "ButtonGroup", "BidiComponent", "Html")  # kinds of elements
PLOTLY, TABLE = "PlotlyChart", "DataFrame"
BY_PLOTLY = {"why", "map", "found", "spread", "classify", "about", "search", "compare", "how", "lessons"}  # views
WITHOUT_TABLE = {"train", "texts", "change", "slides", "guess"}  # pages that open without a table
IMPORTED = re.compile(r"""\b(?:from|import)\s*["']\./([\w.~-]+\.js)["']""")
HEAD_BYTES = 8192  # the beginning of a script, with its imports
KINDS = {".js": "application/javascript", ".css": "text/css", ".woff2": "font/woff2"}
DOWNLOAD_LIFETIME_S = 60.0  # seconds in which a browser can fetch a download
FOREVER = {"Cache-Control": "public, immutable, max-age=31536000"}  # Streamlit's own header for files whose names contain their version

WHERE = """<script>
  // The address without the page's name: what lies before it, a proxy's prefix, is the server's.
  const page = new RegExp("/(" + %s.join("|") + ")/?$");
  window.__streamlit = { BACKEND_BASE_URL: location.origin + location.pathname.replace(page, "/") };
</script>"""
TITLE = "<title>Streamlit</title>"
HEAD = """<title>Elmoscope</title>
    <meta name="description" content="What a word means in its sentence: ELMo beside GloVe." />"""


def routes() -> list[Route]:
    """Return the routes of the pages' documents. Streamlit would open Home under a dialog with the message that the page was not found."""
    base = st.get_option("server.baseUrlPath").strip("/")
    by_name = {"" if page.file == "app.py" else Path(page.file).stem: page for page in list_pages()}
    html = (STATIC / "index.html").read_text("utf-8")
    html = html.replace(TITLE, HEAD + WHERE % json.dumps([name for name in by_name if name]), 1)
    own_scripts = set(re.findall(r"[\w.~-]+\.js", html))

    async def answer(request: Request) -> Response:
        page = by_name.get(request.url.path.rstrip("/").rpartition("/")[2], by_name[""])
        view = request.query_params.get(page.control, page.views[0])
        names = [name for name in scripts(view in BY_PLOTLY, view not in WITHOUT_TABLE) if name not in own_scripts]
        links = "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)
        return HTMLResponse(html.replace("</head>", links + "</head>", 1), headers={"Cache-Control": "no-cache"})

    return [Route("/" + f"{base}/{name}".strip("/"), answer) for name in by_name]


@lru_cache(maxsize=4)
def scripts(charts: bool, tables: bool) -> tuple[str, ...]:
    """Return the names of the scripts that draw a view's elements, with their imports, the largest last."""
    names: list[str] = []
    for kinds in (ON_EVERY_PAGE, (PLOTLY,) * charts, (TABLE, "DownloadButton") * tables):
        new = [file.name for kind in kinds for file in SCRIPTS.glob(f"{kind}.*.js")]
        for name in new:  # grows meanwhile
            with (SCRIPTS / name).open(encoding="utf-8", errors="replace") as file:
                head = file.read(HEAD_BYTES)
            new += [script for script in dict.fromkeys(IMPORTED.findall(head)) if script not in (*names, *new)]
        names += new
    return tuple(names)


class FromMemory:
    """Middleware that serves Streamlit's scripts, styles and fonts from memory, and passes on all other requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        base = f"/{st.get_option('server.baseUrlPath').strip('/')}".rstrip("/")
        self._files = {
            f"{base}/{file.relative_to(STATIC).as_posix()}": file for file in SCRIPTS.parent.rglob("*.*") if file.suffix in KINDS
        }
        self._read = lru_cache(maxsize=None)(Path.read_bytes)  # the files that browsers request, about 12 MB

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file = self._files.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        answer = self._app if file is None else Response(self._read(file), media_type=KINDS[file.suffix], headers=FOREVER)
        await answer(scope, receive, send)


class Download(media_file_manager.MediaFileMetadata):
    """Streamlit's record of a file, with a minimum lifetime. Two runs of any page would delete it before a slow browser requests it."""

    def __init__(self, kind: MediaFileKind = MediaFileKind.MEDIA) -> None:
        super().__init__(kind)
        self._deadline = time.monotonic() + DOWNLOAD_LIFETIME_S

    @property
    def is_marked_for_delete(self) -> bool:
        return super().is_marked_for_delete and time.monotonic() > self._deadline


def middleware() -> list[Middleware]:
    """Return the middleware that handles requests before Streamlit, after applying the server's address and the record of downloads."""
    apply_address()
    media_file_manager.MediaFileMetadata = Download
    return [Middleware(Gate), Middleware(FromMemory)]
