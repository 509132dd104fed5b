"""Addresses, widgets' values and uploads that no browser of ours sends, tried on a running server of one's own."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.raw_client import OWN, XSRF, Client, Page, Server, multipart, started

SECRET = "The otter slept on the bank."
ROWS = "text,label\n" + "".join(f"remark {k % 2} of number {k},{'ab'[k % 2]}\n" for k in range(60))


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("inputs")


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    (place / "tmp").mkdir()
    with started(OWN, place / "server", environment={"TMPDIR": str(place / "tmp")}) as running:
        yield running


@pytest.fixture(autouse=True)
def log_without_traceback(server: Server) -> Iterator[None]:
    """No test here may end a run with an exception, seen or not."""
    before = len(server.log.read_text("utf-8"))
    yield
    said = server.log.read_text("utf-8")[before:]
    assert "Traceback" not in said, said[-3_000:]


def well(page: Page, server: Server) -> Page:
    """The page, which has no exception and names no folder of the server."""
    assert not [found for found in page.elements.values() if found.new_element.WhichOneof("type") == "exception"]
    assert not re.search(r"Traceback|/server/cache|elmoscope-\w+/|site-packages", page.text)
    return page


def button(page: Page, label: str) -> str:
    return page.widgets[label]


# a folder in an address


def test_a_link_alone_reads_no_folder_of_this_machine(server: Server, place: Path):
    folder = place / "texts"
    folder.mkdir()
    (folder / "secret.txt").write_text(f"{SECRET}\n", newline="\n")
    query = urlencode({"corpus_way": "folder", "corpus_folder": folder, "find": "bank"})
    for _ in range(2):  # the second visit by the same link asks again
        with Client(server) as client:
            page = well(client.run("corpus", query), server)
            assert "otter" not in page.text and f"`{folder}`" in page.text and "corpus_folder" not in page.query
            page = well(client.run("corpus", page.query, {button(page, "Read it"): "click"}), server)
            assert "otter" in page.text and "Read it" not in page.widgets


@pytest.mark.parametrize("name", ["corpus", "model", "vectors", "beside"])
def test_a_link_alone_opens_no_file_of_this_machine(server: Server, place: Path, name: str):
    with Client(server) as client:
        page = well(client.run("", urlencode({name: place / "none such"})), server)
        assert f"{place / 'none such'}" in page.text and "Read it" in page.widgets and name not in page.query


# addresses

HOSTILE = [
    "nan",
    "inf",
    "1e999",
    "-1",
    "٣",
    "9" * 400,
    "a\x00b",
    "\ud800",
    "%ED%A0%80",
    "true",
    "[]",
    "../..",
    "'\"<b>",
    "=1+1",
    "\u202e",
    " " * 600,
    "",
]
PARAMETERS = ["a", "ai", "lang", "model", "corpus", "k", "layer", "s", "front", "engine", "v", "embed", "\x00", "\u202e" * 50]


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
def test_no_value_of_an_address_ends_a_run_with_an_exception(server: Server, value: str):
    query = urlencode(dict.fromkeys(PARAMETERS, value), errors="surrogatepass")
    with Client(server) as client:
        page = well(client.run("neighbours", query), server)
        assert "Neighbors" in page.text


def test_an_address_is_answered_in_a_sentence_however_it_is_made(server: Server):
    made = {
        "k=3&k=4&k=5": "given 3 times",
        "k=٣": "not a whole number",
        "k=inf": "not a whole number",
        "a=" + "x" * 10_000: "10,000 characters",
        "a=%00": "invalid characters",
        "corpus=/a%E2%80%AEb": "invalid characters",
        "&".join(f"n{k}=%00" for k in range(900)): "897 more parameters were ignored",
    }
    for query, sentence in made.items():
        with Client(server) as client:  # a visit that opens with this address
            assert sentence in well(client.run("neighbours", query), server).text, query[:40]
    with Client(server) as client:
        for query in ("&" * 5_000, "=" * 5_000, "%" * 5_000, ";" * 100, "a" * 600_000, "\ufffe=\ufffe", "?a=b#c", "a[]=1&a[b]=2"):
            well(client.run("neighbours", query), server)


# values of widgets


def states(key: str) -> Iterator[WidgetState]:
    """What a client can send for a widget, a value of every type and some of other shapes."""
    rows = {"selection": {"rows": [-1, 99_999, "a", {}], "cells": [[]], "points": [{"customdata": {}}]}}
    edits = {"edited_rows": {"99999": {"label": "a", "no such": 1}}}
    told = {
        "set": {"w": [1e30, 10**400], "layer": []},
        "clicked": -99,
        "zooms": {"a": "b"},
        "put": {},
        "taken": "a:" + "9" * 5_000,
        "at": ":٣",
        "near": [[]],
    }
    for text in ("\x00" + "x" * 5_000, "null", json.dumps(rows), json.dumps(edits), "[" * 50_000):
        yield WidgetState(id=key, string_value=text)
    for text in ("{", "null", json.dumps({"set": 5, "clicked": "x", "zooms": 5, "presses": "x"}), json.dumps(told)):
        yield WidgetState(id=key, json_value=text)
    yield WidgetState(id=key, json_trigger_value='[{"event": 5}, 5]')
    yield WidgetState(id=key, double_value=float("nan"))
    yield WidgetState(id=key, int_value=-(2**62))
    yield WidgetState(id=key, bool_value=True)
    yield WidgetState(id=key, bytes_value=b"\xff")
    yield WidgetState(id=key, file_uploader_state_value=FileUploaderState(uploaded_file_info=[UploadedFileInfo(file_id="..", name="..")]))
    for field, values in (
        ("string_array_value", ["", "\x00", "x" * 5_000]),
        ("double_array_value", [float("inf")] * 2),
        ("int_array_value", [-1]),
    ):
        state = WidgetState(id=key)
        getattr(state, field).data.extend(values)
        yield state


def ids(page: Page) -> list[str]:
    """Of all widgets, with components, whose ids are not by a label."""
    found = {message.id for message in page._messages() if "id" in message.DESCRIPTOR.fields_by_name and isinstance(message.id, str)}
    return sorted(key for key in found if key.startswith("$$ID"))


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("", ""),
        ("neighbours", ""),
        ("mix", "map_part=mix"),
        ("corpus", "find=bank"),
        ("predict", ""),
        ("train", "train_task=own"),
        ("change", ""),
    ],
)
def test_no_value_of_a_widget_ends_a_run_with_an_exception(server: Server, name: str, query: str):
    """Every widget of a page at once has a value of one kind, kind after kind; then the page works on."""
    with Client(server) as client:
        page = well(client.run(name, query), server)
        keys = ids(page)
        assert len(keys) > 10
        kinds = [list(states(key)) for key in keys]
        for sent in list(zip(*kinds, strict=True)):
            page = well(client.run(name, query, dict(zip(keys, sent, strict=True))), server)
        assert len(ids(well(client.run(name, query), server))) > 10


# uploads


def box_with(page: Page, file_id: str, path: str, shown: str, size: int) -> WidgetState:
    """Return the state of a page's box that holds a file by that id and name."""
    box = next(found.new_element.file_uploader for found in page.elements.values() if found.new_element.HasField("file_uploader"))
    info = UploadedFileInfo(file_id=file_id, name=shown, size=size)
    info.file_urls.file_id, info.file_urls.upload_url = file_id, path
    return WidgetState(id=box.id, file_uploader_state_value=FileUploaderState(uploaded_file_info=[info]))


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("file_id", ["..", "%2e%2e", ".", "a", "../../secret.csv", "\x00", ""], ids=ascii)
def test_an_upload_s_id_is_no_part_of_a_path(server: Server, place: Path, file_id: str):
    """A file of that name in the temporary folder is neither read nor replaced."""
    (place / "tmp" / "secret.csv").write_text(ROWS, newline="\n")
    before = files_in(place / "tmp")
    with Client(server) as client:
        page = client.run("train", "train_task=own")
        path = client.upload_url()[0].rpartition("/")[0] + f"/{file_id}"
        body, headers = multipart("secret.csv", b"text,label\n")
        if file_id.isprintable():
            assert server.request("PUT", path, body, headers | XSRF).status in (400, 403, 404, 405)
        state = box_with(page, file_id, path, "secret.csv", 11)
        page = well(client.run("train", "train_task=own", {state.id: state}), server)
        assert "60 texts" not in page.text and files_in(place / "tmp") == before


NAMES = [
    "rows.csv",
    "../rows.csv",
    "..\\rows.csv",
    "/etc/rows.csv",
    "NUL.csv",
    "-rf.csv",
    "a\u202evsc.csv",
    "x" * 300 + ".csv",
    "눈 2.CSV",
    "..",
    "rows.exe",
]


@pytest.mark.parametrize("shown", NAMES, ids=ascii)
def test_an_upload_s_name_is_no_part_of_a_path(server: Server, place: Path, shown: str):
    before = files_in(place / "tmp")
    with Client(server) as client:
        page = client.run("train", "train_task=own")
        path, file_id = client.upload_url(shown)
        body, headers = multipart(shown, ROWS.encode())
        assert server.request("PUT", path, body, headers | XSRF).status == 204
        state = box_with(page, file_id, path, shown, len(ROWS))
        page = well(client.run("train", "train_task=own", {state.id: state}), server)
        (new,) = files_in(place / "tmp").keys() - before.keys()
        assert re.fullmatch(r"elmoscope-\w+/[0-9a-f]{16}(\.csv)?", new) and files_in(place / "tmp")[new] == ROWS.encode()
        assert ("60 texts, 2 classes" in page.text) is shown.casefold().endswith(".csv")
        assert "\u202e" not in page.text and not re.search(r"\b[0-9a-f]{16}\b", page.text)


# what the browser is told


def test_tables_offer_no_export_of_unquoted_cells(server: Server):
    with Client(server) as client:
        client.send_run("")
        session = next(message.new_session for message in client.messages() if message.WhichOneof("type") == "new_session")
        assert session.config.disable_data_export
