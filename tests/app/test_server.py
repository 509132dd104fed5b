"""What the server answers before Streamlit: documents that name the scripts a view needs, and Streamlit's files from memory."""

import asyncio
import itertools
import re

import pytest
from starlette.applications import Starlette

from pages._frame import server
from pages._frame.menu import door, menu
from pages._frame.server import BY_PLOTLY, ON_EVERY_PAGE, PLOTLY, SCRIPTS, STATIC, TABLE, WITHOUT_TABLE, FromMemory, routes, scripts

VIEWS = [view for entry in menu() for page in entry.pages for view in page.views]


def answer(app, path: str, query: str = "", method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a request."""
    sent = []

    async def receive() -> dict:
        return {"type": "http.request"}

    async def send(message: dict) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": [], "server": ("localhost", 80)}
    asyncio.run(app(scope | {"scheme": "http"}, receive, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


def preloaded(view: str) -> list[str]:
    file, parameters = door(view)
    path = "/" if file == "app.py" else "/" + file.removeprefix("pages/").removesuffix(".py")
    _, _, body = answer(Starlette(routes=routes()), path, "&".join(f"{name}={value}" for name, value in parameters.items()))
    return re.findall(r'rel="modulepreload" crossorigin href="\./static/js/([^"]+)"', body.decode())


@pytest.mark.parametrize("view", VIEWS)
def test_a_document_names_each_script_once_and_those_of_charts_and_tables_where_it_has_some(view):
    names = preloaded(view)
    assert len(names) == len(set(names)) and all((SCRIPTS / name).is_file() for name in names)
    kinds = {name.split(".")[0] for name in names}
    assert set(ON_EVERY_PAGE) <= kinds
    assert (PLOTLY in kinds) == (view in BY_PLOTLY) and (TABLE in kinds) == (view not in WITHOUT_TABLE)


def test_nothing_that_a_preloaded_script_imports_is_left_to_be_asked_for_later():
    document = set(re.findall(r"\./static/js/([^\"]+)", (STATIC / "index.html").read_text("utf-8")))
    for kinds in itertools.product((False, True), repeat=2):
        names = scripts(*kinds)
        for name in names:
            first = (SCRIPTS / name).read_text("utf-8", "replace")
            imports = re.findall(r'(?:^|;)import(?:[^"();]*from)?"\./([^"]+)"', first)
            assert set(imports) <= set(names) | document, name


def test_streamlits_files_come_from_memory_and_all_else_from_streamlit(monkeypatch):
    passed = []

    async def streamlit(scope, receive, send) -> None:
        passed.append((scope["method"], scope["path"]))
        await send({"type": "http.response.start", "status": 404, "headers": []})

    app = FromMemory(streamlit)
    for name in scripts(True, True):
        status, headers, body = answer(app, f"/static/js/{name}")
        assert status == 200 and body == (SCRIPTS / name).read_bytes() and int(headers["content-length"]) == len(body)
        assert headers["content-type"].startswith("application/javascript") and "immutable" in headers["cache-control"]
    assert not passed
    others = [
        ("GET", "/static/js/../../index.html"),
        ("GET", "/_stcore/health"),
        ("HEAD", f"/static/js/{scripts(True, True)[0]}"),
        ("GET", "/static/js/none.js"),
    ]
    for method, path in others:
        answer(app, path, method=method)
    assert passed == others
    monkeypatch.setattr(server.st, "get_option", lambda name: "sub" if name == "server.baseUrlPath" else None)
    assert answer(FromMemory(streamlit), f"/sub/static/js/{scripts(True, True)[0]}")[0] == 200
