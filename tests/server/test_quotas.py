"""Test with raw clients that texts and jobs of one visit never block another visit of a public server."""

import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

from websockets.exceptions import ConnectionClosed

from tests.raw_client import Client, Page, Server

TEXT = "The bank of the river was steep and the bank in town lent money to nobody at all. "
WAIT_S = 150.0
PASTE = "corpus_way=paste"


class ServerFromElsewhere(Server):
    """A server whose clients connect from another address."""

    def connect(self, seconds: float = WAIT_S) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=seconds, source_address=("127.0.0.2", 0))


def find_texts(server: Server) -> set[Path]:
    return set((server.log.parent / "cache" / "corpora" / ".own").glob("*.jsonl"))


def count_stored_bytes(server: Server) -> int:
    """Return the size of everything that visits make in the cache."""
    folders = [server.log.parent / "cache" / name for name in ("corpora", "encoded", "indexes", "maps")]
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


def make_text(kilobytes: float, name: str) -> str:
    return (f"{name}. " + TEXT * (1 + int(1000 * kilobytes) // len(TEXT)))[: int(1000 * kilobytes)]


def paste(client: Client, text: str) -> Page:
    page = client.run("texts", PASTE) if "Your text" not in client.page.widgets else client.page
    return client.run("texts", PASTE, widgets={page.widgets["Your text"]: text})


def press(client: Client, text: str, button: str) -> Page:
    page = paste(client, text)
    return client.run("texts", PASTE, widgets={page.widgets["Your text"]: text, page.widgets[button]: "click"})


def stores(server: Server, client: Client, text: str) -> bool:
    texts = find_texts(server)
    paste(client, text)
    return len(find_texts(server) - texts) == 1


def test_visit_that_fills_the_disk_is_refused_and_others_are_not(public):
    with Client(public) as greedy, Client(public) as other:
        stored = [stores(public, greedy, make_text(199, f"Text {k}")) for k in range(8)]
        assert stored[0] and sum(stored) <= 5 and count_stored_bytes(public) <= 5e6
        for kilobytes in (0.1, 150):
            assert stores(public, other, make_text(kilobytes, "From another visit")) and count_stored_bytes(public) <= 5e6
        assert not stores(public, greedy, make_text(199, "Once more")) and "all texts use" in greedy.page.text


def test_text_without_an_index_can_be_deleted(public):
    with Client(public) as client:
        texts, text = find_texts(public), make_text(180, "To be deleted")
        page = paste(client, text)
        new_texts = find_texts(public) - texts
        assert len(new_texts) == 1 and "all texts use" in page.text  # its index is refused
        assert "Your texts are deleted 6 h after your visit ends" in page.text and "Delete for good" in page.widgets
        page = press(client, text, "Delete for good")
        assert not new_texts & find_texts(public) and "Delete for good" not in page.widgets


def test_text_that_one_visit_deletes_stays_for_another_that_uses_it(public):
    text = make_text(1, "Stored by two")
    with Client(public) as first, Client(public) as second:
        texts = find_texts(public)
        paste(first, text)
        paste(second, text)
        press(first, text, "Delete for good")
        assert len(find_texts(public) - texts) == 1
        press(second, text, "Delete for good")
        assert not find_texts(public) - texts


def test_texts_of_ended_visits_are_removed_for_new_ones(public):
    for k in range(12):
        with Client(public) as client:
            assert stores(public, client, make_text(90, f"Visit {k}"))
    assert count_stored_bytes(public) <= 5e6


def test_visits_of_one_address_do_not_fill_the_queue_for_another(uploading):
    elsewhere = ServerFromElsewhere(uploading.process, uploading.host, uploading.port, uploading.log)
    use = "Use these texts everywhere"
    with Client(uploading) as other:
        with ExitStack() as stack:
            pages = [press(stack.enter_context(Client(elsewhere)), make_text(150, f"Greedy {k}"), use) for k in range(6)]
            assert any("3 jobs are waiting, the limit here" in page.text for page in pages)
            page = press(other, make_text(20, "Modest"), use)
            assert "jobs are waiting, the limit" not in page.text
            assert re.search(r"Waiting: [12] jobs? ahead|Reading all words|These texts are used everywhere", page.text), page.text[-2000:]
        deadline = time.monotonic() + WAIT_S
        while "These texts are used everywhere (" not in other.run("texts", other.page.query).text:
            assert time.monotonic() < deadline, other.page.text[-2000:]
            time.sleep(0.5)


def test_endless_typed_text_is_cut_before_the_model_reads_it(uploading):
    for name in ("", "predict", "classify"):
        with Client(uploading) as client, Client(uploading) as other:
            page = client.run(name)
            boxes = [key for label, key in page.widgets.items() if re.search("sentence|text|headline|message", label, re.IGNORECASE)]
            client.run(name, widgets={box: "An ordinary text." for box in boxes[:2]})
            other.run("")
            uploading.wait_until_idle()
            uploading.reset_peak()
            start_mb, start = uploading.memory_mb(), time.monotonic()
            client.send_run(name, widgets={box: "endless text " * 100_000 for box in boxes[:2]})  # the largest possible message
            with ThreadPoolExecutor(1) as threads, suppress(ConnectionClosed):  # the server may refuse the message
                answer = threads.submit(other.run)
                client.wait()
            assert answer.result() and time.monotonic() - start < 60 and uploading.peak_mb() - start_mb < 400
