"""Test that small files with much content take little time and memory on a public server with uploads."""

import io
import lzma
import time
import zipfile

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.raw_client import XSRF, Client, Server, multipart

pytestmark = pytest.mark.slow
MB = 1_000_000
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def make_document() -> bytes:
    """Return a small Word document with 2.5 million empty paragraphs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as member:
        member.write(f"<w:document {WORD}><w:body>".encode())
        for _ in range(25):
            member.write(b"<w:p/>" * 100_000)
        member.write(b"</w:body></w:document>")
    return out.getvalue()


def make_wide_table() -> bytes:
    """Return a table of 1,000 columns."""
    names = ",".join(f"c{k}" for k in range(998))
    rest = ",".join(["1"] * 998)
    return "".join([f"text,label,{names}\n", *(f"The bank {k}.,{'ab'[k % 2]},{rest}\n" for k in range(4_500))]).encode()


def upload(server: Server, client: Client, page: str, query: str, label: str, name: str, data: bytes) -> None:
    """Upload a file as a browser does, and put it into the box of a page whose label begins with `label`."""
    widgets = client.run(page, query).widgets
    box = next(key for title, key in widgets.items() if title.startswith(label))
    path, key = client.upload_url(name)
    body, headers = multipart(name, data)
    assert server.request("PUT", path, body, headers | XSRF).status == 204
    state = WidgetState(id=box)
    info = state.file_uploader_state_value.uploaded_file_info.add()
    info.file_id, info.name, info.size = key, name, len(data)
    info.file_urls.file_id, info.file_urls.upload_url = key, path
    client.run(page, query, {box: state})


def wait_for_text(client: Client, page: str, query: str, text: str, widgets: dict[str, str] | None = None) -> None:
    """Run the page until it shows a text, because a job may still read a file. Escapes of Markdown are ignored."""
    deadline = time.monotonic() + 60
    while text not in client.page.text.replace("\\", ""):
        assert time.monotonic() < deadline, client.page.text[-2000:]
        time.sleep(0.5)
        client.run(page, query, widgets)


def test_millions_of_empty_paragraphs_are_refused_while_others_are_answered(uploading):
    with Client(uploading) as client, Client(uploading) as other:
        other.run("texts")
        uploading.wait_until_idle()
        with uploading.growing_at_most(300):
            upload(uploading, client, "texts", "corpus_way=files", "Texts", "a.docx", make_document())
            start = time.monotonic()
            assert other.run("texts").texts
            assert time.monotonic() - start < 30
            wait_for_text(client, "texts", "corpus_way=files", "a.docx has over 100,000 lines or paragraphs")


def test_wide_table_takes_memory_only_for_its_texts_and_labels(uploading):
    with Client(uploading) as client:
        client.run("train")  # loads the modules of the page
        uploading.wait_until_idle()
        data = make_wide_table()
        assert 8 * MB < len(data) < 10 * MB
        with uploading.growing_at_most(200):
            upload(uploading, client, "train", "train_task=own", "CSV", "a.csv", data)
            wait_for_text(client, "train", "train_task=own", "4,500 texts, 2 classes: a, b")


def test_vectors_that_unpack_to_repetitions_are_refused(uploading, tmp_path):
    path = tmp_path / "vectors.txt.xz"
    path.write_bytes(lzma.compress(b"bank 0.1 0.2 0.3 0.4\n" * 3_000_000, preset=0))
    with Client(uploading) as client:
        page = client.run("neighbors")
        uploading.wait_until_idle()
        widgets = {page.widgets["Static vectors"]: str(path)}
        with uploading.growing_at_most(200):
            client.run("neighbors", widgets=widgets)
            wait_for_text(client, "neighbors", "", "Remove blank lines and repeated words", widgets)
