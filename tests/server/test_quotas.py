"""On a public server, one visit's texts and jobs never keep another visit's out. A raw client tries."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.raw_client import PUBLIC, Client, Page, Server, started

MANY = "The bank of the river was steep and the bank in town lent money to nobody at all. "
WAIT_S = 150.0


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Iterator[Server]:
    """A server with room for five megabytes."""
    environment = {"ELMOSCOPE_MAX_DISK_MB": "5", "ELMOSCOPE_MAX_SESSION_TEXTS": "9"}
    with started(PUBLIC, tmp_path_factory.mktemp("small"), environment=environment) as server:
        yield server


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Iterator[Server]:
    with started(PUBLIC, tmp_path_factory.mktemp("large"), environment={"ELMOSCOPE_MAX_WAITING": "3"}) as server:
        yield server


class Elsewhere(Server):
    """The same server, connected to from another address."""

    def connect(self, seconds: float = WAIT_S) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=seconds, source_address=("127.0.0.2", 0))


def texts_of(server: Server) -> set[Path]:
    return set((server.log.parent / "cache" / "corpora" / ".own").glob("*.jsonl"))


def stored_bytes(server: Server) -> int:
    """Return the size of everything that visits make in the cache."""
    folders = [server.log.parent / "cache" / name for name in ("corpora", "encoded", "indexes", "maps")]
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


PASTE = "corpus_way=paste"


def text_of(kilobytes: float, name: str) -> str:
    return (f"{name}. " + MANY * (1 + int(1000 * kilobytes) // len(MANY)))[: int(1000 * kilobytes)]


def paste(client: Client, text: str) -> Page:
    page = client.run("corpus", PASTE) if "Your text" not in client.page.widgets else client.page
    return client.run("corpus", PASTE, widgets={page.widgets["Your text"]: text})


def in_use(client: Client, text: str) -> Page:
    """Paste a text and put it to use on every page, so that its reading begins."""
    page = paste(client, text)
    return client.run("corpus", PASTE, widgets={page.widgets["Your text"]: text, page.widgets["Use these texts everywhere"]: "click"})


def until(client: Client, found, query: str = "", seconds: float = WAIT_S) -> Page:
    """Run the page until it says something."""
    end = time.monotonic() + seconds
    while not found((page := client.run("corpus", query or client.page.query)).text):
        assert time.monotonic() < end, page.text[-2000:]
        time.sleep(0.5)
    return page


def stop(client: Client) -> Page:
    """Press Stop in the part of the page that shows the progress."""
    return client.run("corpus", client.page.query, widgets={client.page.widgets["Stop"]: "click"})


def test_who_fills_the_disk_is_refused_and_others_are_not(small):
    with Client(small) as greedy, Client(small) as other:
        refused = ["all texts use" in paste(greedy, text_of(199, f"Text {k}")).text for k in range(8)]
        assert refused[0] is False and sum(refused) >= 3 and stored_bytes(small) <= 5e6
        for kilobytes in (0.1, 150):
            before = texts_of(small)
            assert "all texts use" not in paste(other, text_of(kilobytes, "From another visit")).text
            assert len(texts_of(small) - before) == 1 and stored_bytes(small) <= 5e6
        assert "all texts use" in paste(greedy, text_of(199, "Once more")).text


def test_a_text_can_be_deleted_as_soon_as_it_is_stored_also_where_it_is_not_indexed(small):
    with Client(small) as client:
        before, text = texts_of(small), text_of(180, "To be deleted")
        page = paste(client, text)
        stored = texts_of(small) - before
        assert len(stored) == 1 and "This corpus needs" in page.text  # its index is refused
        assert "Your texts are deleted 6 hours after your visit ends" in page.text and "Delete for good" in page.widgets
        page = client.run("corpus", PASTE, widgets={page.widgets["Your text"]: text, page.widgets["Delete for good"]: "click"})
        assert not stored & texts_of(small) and "Delete for good" not in page.widgets


def test_what_one_visit_deletes_stays_for_another_that_uses_it(small):
    text = text_of(1, "Stored by two")
    with Client(small) as first, Client(small) as second:
        before, page = texts_of(small), paste(first, text)
        paste(second, text)
        first.run("corpus", PASTE, widgets={page.widgets["Your text"]: text, page.widgets["Delete for good"]: "click"})
        assert len(texts_of(small) - before) == 1
        page = paste(second, text)
        second.run("corpus", PASTE, widgets={page.widgets["Your text"]: text, page.widgets["Delete for good"]: "click"})
        assert not texts_of(small) - before


def test_texts_of_visits_that_have_ended_make_room(small):
    for k in range(12):
        with Client(small) as client:
            assert "all texts use" not in paste(client, text_of(90, f"Visit {k}")).text
    assert stored_bytes(small) <= 5e6


def test_a_visit_has_so_many_texts(small):
    with Client(small) as client:
        answers = [paste(client, f"Number {k}. {MANY}").text for k in range(11)]
        assert ["You have 9 texts, the limit here" in text for text in answers] == [False] * 9 + [True] * 2


def test_one_of_two_visits_stops_and_the_other_s_reading_goes_on(large):
    text = text_of(190, "Read by two")
    with Client(large) as first, Client(large) as second:
        in_use(first, text)
        until(first, lambda said: "Reading all words" in said)
        in_use(second, text)
        page = until(second, lambda said: "Reading all words" in said or "In use on every page" in said)
        if "Reading all words" in page.text:
            assert "Stopped at" in stop(first).text
            done = reached(until(second, lambda said: "Reading all words: " in said or "In use" in said).text)
            until(second, lambda said: reached(said) > done)
            assert "Stopped at" in until(first, lambda said: "Stopped at" in said or "In use on" in said).text


def reached(text: str) -> int:
    """How many tokens are read."""
    found = re.search(r"Reading all words: ([\d,]+) of", text)
    return int(found[1].replace(",", "")) if found else 10**9 if "In use on every page (" in text else 0


def test_many_visits_of_one_address_do_not_fill_the_queue_for_another(large):
    elsewhere = Elsewhere(large.process, large.host, large.port, large.log)
    clients, pages = [], []
    try:
        for k in range(6):
            clients.append(Client(elsewhere))
            pages.append(in_use(clients[-1], text_of(150, f"Greedy {k}")))
        assert any("3 jobs are waiting, the limit here" in page.text for page in pages)
        with Client(large) as other:
            page = in_use(other, text_of(20, "Modest"))
            assert "jobs are waiting, the limit" not in page.text
            assert re.search(r"Waiting: [12] jobs? ahead|Reading all words|In use on every page", page.text), page.text[-2000:]
            for client in clients:
                client.socket.close()
            until(other, lambda said: "In use on every page (" in said)
    finally:
        for client in clients:
            client.socket.close()


def test_endless_typed_texts_are_cut_before_they_are_read(large):
    for name in ("", "predict", "classify"):
        with Client(large) as client, Client(large) as other:
            page = client.run(name)
            boxes = [each for label, each in page.widgets.items() if re.search("sentence|text|headline|message", label, re.IGNORECASE)]
            client.run(name, widgets={box: "An ordinary text." for box in boxes[:2]})
            other.run("")
            large.settle()
            large.reset_peak()
            before, began = large.memory_mb(), time.monotonic()
            client.send_run(name, widgets={box: "endless text " * 100_000 for box in boxes[:2]})  # as much as a message may hold
            answer = []
            thread = threading.Thread(target=lambda answer=answer: answer.append(other.run("")))
            thread.start()
            with suppress(ConnectionClosed):  # a server may refuse the message
                client.wait()
            thread.join()
            assert answer and time.monotonic() - began < 60 and large.peak_mb() - before < 400
