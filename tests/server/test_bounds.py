"""Test that small files with much content take little time and memory on a public server with uploads."""

import time

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.raw_client import XSRF, Client, Server, multipart
from tests.tiny import word_document

pytestmark = pytest.mark.slow
FILES = "corpus_way=files"


def upload(server: Server, client: Client, label: str, name: str, data: bytes) -> None:
    """Upload a file as a browser does, and put it into the box of the page whose label begins with `label`."""
    page = client.run("texts", FILES)
    path, key = client.upload_url(name)
    body, headers = multipart(name, data)
    assert server.request("PUT", path, body, headers | XSRF).status == 204
    state = WidgetState(id=next(box for title, box in page.widgets.items() if title.startswith(label)))
    info = state.file_uploader_state_value.uploaded_file_info.add()
    info.file_id, info.name, info.size = key, name, len(data)
    info.file_urls.file_id, info.file_urls.upload_url = key, path
    client.run("texts", FILES, {state.id: state})


def test_millions_of_empty_paragraphs_are_refused_while_others_are_answered(uploading):
    with Client(uploading) as client, Client(uploading) as other:
        other.run("texts")
        uploading.wait_until_idle()
        with uploading.growing_at_most(300):
            upload(uploading, client, "Texts", "a.docx", word_document("<w:p/>" * 2_500_000))
            start = time.monotonic()
            assert other.run("texts").texts
            assert time.monotonic() - start < 30
            while "a.docx has over 100,000 lines or paragraphs" not in client.page.text.replace("\\", ""):  # a job may still read it
                assert time.monotonic() - start < 90, client.page.text[-2000:]
                time.sleep(0.5)
                client.run("texts", FILES)
