"""Test a local server with addresses, widget values and uploads that no browser sends."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.raw_client import XSRF, Client, Page, Server, multipart

ROWS = "text,label\n" + "".join(f"remark {k % 2} of number {k},{'ab'[k % 2]}\n" for k in range(60))


@pytest.fixture(autouse=True)
def log_without_traceback(local: Server) -> Iterator[None]:
    """Check after each test that no run has ended with an exception, on a page or in the log."""
    start = len(local.log.read_text("utf-8"))
    yield
    lines = local.log.read_text("utf-8")[start:]
    assert "Traceback" not in lines, lines[-3_000:]


def check_page(page: Page) -> Page:
    """Check that a page has no exception and names no folder of the server, and return it."""
    assert not [element for element in page.elements.values() if element.new_element.WhichOneof("type") == "exception"]
    assert not re.search(r"Traceback|/server/cache|elmoscope-\w+/|site-packages", page.text)
    return page


HOSTILE = ["nan", "1e999", "-1", "٣", "9" * 400, "a\x00b", "\ud800", "%ED%A0%80", "[]", "../..", "'\"<b>", "\u202e", " " * 600, ""]
PARAMETERS = ["a", "ai", "lang", "model", "corpus", "k", "layer", "s", "front", "engine", "v", "embed", "\x00", "\u202e" * 50]


@pytest.mark.parametrize("value", HOSTILE, ids=ascii)
def test_no_value_of_an_address_raises_an_exception(local: Server, value: str):
    query = urlencode(dict.fromkeys(PARAMETERS, value), errors="surrogatepass")
    with Client(local) as client:
        assert "Neighbors" in check_page(client.run("neighbors", query)).text


def test_invalid_address_is_explained_in_a_sentence(local: Server):
    sentences = {"k=3&k=4&k=5": "given 3 times", "k=٣": "not a whole number", "k=inf": "not a whole number"}
    sentences |= {"a=" + "x" * 10_000: "10,000 characters", "a=%00": "invalid characters", "corpus=/a%E2%80%AEb": "invalid characters"}
    sentences |= {"&".join(f"n{k}=%00" for k in range(900)): "897 more parameters were ignored"}
    for query, sentence in sentences.items():
        with Client(local) as client:  # a session that opens with this address
            assert sentence in check_page(client.run("neighbors", query)).text, query[:40]
    with Client(local) as client:
        for query in ("&" * 5_000, "=" * 5_000, "%" * 5_000, ";" * 100, "a" * 600_000, "\ufffe=\ufffe", "?a=b#c", "a[]=1&a[b]=2"):
            check_page(client.run("neighbors", query))


def iterate_states(key: str) -> Iterator[WidgetState]:
    """Yield states that a client can send for a widget: a value of every type, and values of other shapes."""
    rows = {"selection": {"rows": [-1, 99_999, "a", {}], "cells": [[]], "points": [{"customdata": {}}]}}
    edits = {"edited_rows": {"99999": {"label": "a", "no such": 1}}}
    component_values = {"set": {"w": [1e30, 10**400], "layer": []}, "clicked": -99, "zooms": {"a": "b"}, "put": {}}
    component_values |= {"taken": "a:" + "9" * 5_000, "at": ":٣", "near": [[]]}
    for text in ("\x00" + "x" * 5_000, "null", json.dumps(rows), json.dumps(edits), "[" * 50_000):
        yield WidgetState(id=key, string_value=text)
    for text in ("{", "null", json.dumps({"set": 5, "clicked": "x", "zooms": 5, "presses": "x"}), json.dumps(component_values)):
        yield WidgetState(id=key, json_value=text)
    values = {"json_trigger_value": '[{"event": 5}, 5]', "double_value": float("nan"), "int_value": -(2**62), "bool_value": True}
    values |= {"bytes_value": b"\xff", "int_array_value": {"data": [-1]}, "double_array_value": {"data": [float("inf")] * 2}}
    values |= {"string_array_value": {"data": ["", "\x00", "x" * 5_000]}}
    values |= {"file_uploader_state_value": {"uploaded_file_info": [{"file_id": "..", "name": ".."}]}}
    for field, value in values.items():
        yield WidgetState(id=key, **{field: value})


def find_ids(page: Page) -> list[str]:
    keys = {message.id for message in page.messages() if "id" in message.DESCRIPTOR.fields_by_name and isinstance(message.id, str)}
    return sorted(key for key in keys if key.startswith("$$ID"))


@pytest.mark.parametrize(
    ("name", "query"),
    [("", ""), ("neighbors", ""), ("mix", ""), ("search", "find=bank"), ("predict", ""), ("train", "train_task=own"), ("change", "")],
)
def test_no_value_of_a_widget_raises_an_exception(local: Server, name: str, query: str):
    """Send values of one kind for all widgets of a page at once, kind after kind. Then the page must still work."""
    with Client(local) as client:
        keys = find_ids(check_page(client.run(name, query)))
        assert len(keys) > 10
        states = [list(iterate_states(key)) for key in keys]
        for states_of_kind in list(zip(*states, strict=True)):
            check_page(client.run(name, query, dict(zip(keys, states_of_kind, strict=True))))
        check_page(client.run(name, query))
    with Client(local) as client:  # the first visit may be on another view of the page by now
        assert len(find_ids(check_page(client.run(name, query)))) > 10


def make_upload_state(page: Page, file_id: str, path: str, name: str, size: int) -> WidgetState:
    """Return the state of a page's upload box with a file of that id and name."""
    uploaders = (item.new_element.file_uploader for item in page.elements.values() if item.new_element.HasField("file_uploader"))
    info = {"file_id": file_id, "name": name, "size": size, "file_urls": {"file_id": file_id, "upload_url": path}}
    return WidgetState(id=next(uploaders).id, file_uploader_state_value={"uploaded_file_info": [info]})


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("file_id", ["..", "%2e%2e", ".", "a", "../x", "../../secret.csv", "\x00", ""], ids=ascii)
def test_id_of_an_upload_is_not_part_of_a_path(local: Server, file_id: str):
    (local.temporary / "secret.csv").write_text(ROWS, newline="\n")
    files = read_files(local.temporary)
    with Client(local) as client:
        page = client.run("train", "train_task=own")
        path = client.upload_url()[0].rpartition("/")[0] + f"/{file_id}"
        body, headers = multipart("secret.csv", b"text,label\n")
        if file_id.isprintable():
            assert local.request("PUT", path, body, headers | XSRF).status in (400, 403, 404, 405)
        state = make_upload_state(page, file_id, path, "secret.csv", 11)
        page = check_page(client.run("train", "train_task=own", {state.id: state}))
        assert "60 texts" not in page.text and read_files(local.temporary) == files


NAMES = ["rows.csv", "../rows.csv", "..\\rows.csv", "/etc/rows.csv", "NUL.csv", "-rf.csv", "a\u202evsc.csv"]
NAMES += ["x" * 300 + ".csv", "눈 2.CSV", "..", "rows.exe"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_name_of_an_upload_is_not_part_of_a_path(local: Server, name: str):
    files = read_files(local.temporary)
    with Client(local) as client:
        page = client.run("train", "train_task=own")
        path, file_id = client.upload_url(name)
        body, headers = multipart(name, ROWS.encode())
        assert local.request("PUT", path, body, headers | XSRF).status == 204
        state = make_upload_state(page, file_id, path, name, len(ROWS))
        page = check_page(client.run("train", "train_task=own", {state.id: state}))
        (new_path,) = read_files(local.temporary).keys() - files.keys()
        assert re.fullmatch(r"elmoscope-\w+/[0-9a-f]{16}(\.csv)?", new_path) and read_files(local.temporary)[new_path] == ROWS.encode()
        assert ("60 texts, 2 classes" in page.text) is name.casefold().endswith(".csv")
        assert "\u202e" not in page.text and not re.search(r"\b[0-9a-f]{16}\b", page.text)


def test_tables_have_no_export_of_unquoted_cells(local: Server):
    with Client(local) as client:
        client.send_run("")
        session = next(message.new_session for message in client.messages() if message.WhichOneof("type") == "new_session")
        assert session.config.disable_data_export
