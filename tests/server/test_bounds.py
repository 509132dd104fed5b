"""What small files take on a real public server that takes uploads: refused by name, seconds, and memory at its peak."""

import io
import lzma
import time
import zipfile

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.raw_client import PUBLIC, XSRF, Client, Server, multipart, started

pytestmark = pytest.mark.slow
MB = 1_000_000
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bounds")
    vectors = folder / "vectors.txt.xz"
    vectors.write_bytes(lzma.compress(b"bank 0.1 0.2 0.3 0.4\n" * 3_000_000, preset=0))
    environment = {"ELMOSCOPE_UPLOADS": "on", "ELMOSCOPE_PATHS": "on", "STREAMLIT_SERVER_MAX_UPLOAD_SIZE": "10"}
    with started(PUBLIC, folder, environment=environment) as running:
        running.vectors = vectors
        yield running


def paragraphs() -> bytes:
    """A Word document of 28 kB with 3.2 million empty paragraphs."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made, made.open("word/document.xml", "w") as member:
        member.write(f"<w:document {WORD}><w:body>".encode())
        for _ in range(25):
            member.write(b"<w:p/>" * 100_000)
        member.write(b"</w:body></w:document>")
    return out.getvalue()


def wide() -> bytes:
    """A table of 1,000 columns."""
    names = ",".join(f"c{k}" for k in range(998))
    rest = ",".join(["1"] * 998)
    return "".join([f"text,label,{names}\n", *(f"The bank {k}.,{'ab'[k % 2]},{rest}\n" for k in range(4_500))]).encode()


def bring(server: Server, client: Client, page: str, query: str, label: str, name: str, data: bytes) -> None:
    """Upload a file as a browser does, and put it into the page's box."""
    shown = client.run(page, query)
    box = next(key for each, key in shown.widgets.items() if each.startswith(label))
    path, key = client.upload_url(name)
    body, headers = multipart(name, data)
    assert server.request("PUT", path, body, headers | XSRF).status == 204
    state = WidgetState(id=box)
    info = state.file_uploader_state_value.uploaded_file_info.add()
    info.file_id, info.name, info.size = key, name, len(data)
    info.file_urls.file_id, info.file_urls.upload_url = key, path
    client.run(page, query, {box: state})


def wait_for_text(client: Client, page: str, query: str, text: str, seconds: float = 60) -> None:
    """Run the page until a text is on it, whatever Markdown is escaped there: a job may be reading beside it."""
    end = time.monotonic() + seconds
    while text not in client.page.text.replace("\\", ""):
        assert time.monotonic() < end, client.page.text[-2000:]
        time.sleep(0.5)
        client.run(page, query)


def test_millions_of_empty_paragraphs_are_refused_while_others_are_answered(server):
    with Client(server) as client, Client(server) as other:
        other.run("corpus")
        server.settle()
        server.reset_peak()
        before = server.memory_mb()
        bring(server, client, "corpus", "corpus_way=files", "Texts", "a.docx", paragraphs())
        began = time.monotonic()
        assert other.run("corpus").texts
        assert time.monotonic() - began < 30
        wait_for_text(client, "corpus", "corpus_way=files", "a.docx has over 100,000 lines or paragraphs")
    assert server.peak_mb() - before < 300


def test_a_wide_table_takes_memory_for_its_texts_and_labels(server):
    with Client(server) as client:
        client.run("train")  # the page's own modules
        server.settle()
        before = server.memory_mb()
        server.reset_peak()
        data = wide()
        assert 8 * MB < len(data) < 10 * MB
        bring(server, client, "train", "train_task=own", "CSV", "a.csv", data)
        wait_for_text(client, "train", "train_task=own", "4,500 texts, 2 classes: a, b")
    assert server.peak_mb() - before < 200


def test_vectors_that_unpack_to_repetitions_are_refused(server):
    with Client(server) as client:
        shown = client.run("neighbors")
        server.settle()
        before = server.memory_mb()
        server.reset_peak()
        widgets = {shown.widgets["Static vectors"]: str(server.vectors)}
        client.run("neighbors", widgets=widgets)
        end = time.monotonic() + 60
        while "the rest is blank or repeated" not in client.page.text:
            assert time.monotonic() < end, client.page.text[-2000:]
            time.sleep(0.5)
            client.run("neighbors", widgets=widgets)
    assert server.peak_mb() - before < 200
