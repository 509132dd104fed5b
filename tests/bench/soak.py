"""Many visitors at once on a public server, a tenth of them hostile: how soon the others are answered, how much memory it takes, what is lost.

usage: python -m tests.bench.soak [--clients 200] [--minutes 10] [--seed N]

Clients have no browser (tests/raw_client.py). They connect within two minutes (less for short runs). Each ordinary one types a new sentence into
Home once a minute, as a part of the page runs again for each key in a browser. Each answer must be about the client's own sentence and nobody else's,
and at the end the sentence typed last must still be there. Hostile clients send uploads, addresses of 10 MB, foreign origins and endless texts, as
often as they are answered, at most once a second. Prints Markdown; the exit status is 1 if a target is missed.
"""

import argparse
import logging
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from tests.bench.sessions import cpu_seconds
from tests.raw_client import PUBLIC, Client, Server, multipart, started

SOON_S, SHARE = 2.0, 0.95  # the answers wanted, and how many of them
MOST_MB, NEAR = 4000.0, 1.25  # of memory; times its start, when all have left
CONNECT_S = 120.0  # within which all connect
EVERY_S = 60.0  # between two sentences of a client
HOSTILE_S = 1.0  # between two attempts of a hostile client, at least
ANSWER_S = 60.0  # for which a client waits
WARM_S = 50.0  # from the first page until the server has opened what it opens in the background
LEFT_S = 120.0  # after which memory must be back
BOX = "First sentence"
ANSWER = ('class="verdict"', 'class="notice"')  # the first and the last of an answer's elements
LARGE = 10_000_000  # bytes
NOUNS = (
    "river",
    "money",
    "boat",
    "loan",
    "teller",
    "meadow",
    "water",
    "credit",
    "shore",
    "stone",
    "bridge",
    "letter",
    "market",
    "harbor",
    "garden",
    "window",
)
VERBS = ("watched", "found", "passed", "drew", "left", "saw", "reached", "crossed")


@dataclass
class Log:
    """What all clients saw."""

    seconds: list[float] = field(default_factory=list)  # of each sentence's answer
    first: list[float] = field(default_factory=list)  # of each first page
    lost: list[str] = field(default_factory=list)
    hostile: Counter = field(default_factory=Counter)  # (attempt, how it ended) -> times


def sentence(mark: str, turn: int, draw: random.Random) -> str:
    """Return a sentence that no client has typed before."""
    return f"{mark}n{turn} {draw.choice(VERBS)} the {draw.choice(NOUNS)} near the bank of the {draw.choice(NOUNS)} before the {draw.choice(NOUNS)}."


def fragment(client: Client) -> str:
    """Return the part of Home that runs again when one types."""
    return next(delta.fragment_id for delta in client.page.elements.values() if getattr(delta, "fragment_id", ""))


class Visitor:
    """A client that types sentences and checks their answers."""

    def __init__(self, server: Server, number: int, log: Log, seed: int) -> None:
        self.server, self.mark, self.log, self.draw = server, f"visitor{number:03d}", log, random.Random(f"{seed}/{number}")
        self.typed = ""

    def act(self, after: float, end: float) -> None:
        time.sleep(after)
        try:
            began = time.monotonic()
            with Client(self.server, seconds=ANSWER_S) as client:
                client.run()
                self.log.first.append(time.monotonic() - began)
                time.sleep(self.draw.uniform(0, EVERY_S / 2))
                turn = 0
                while time.monotonic() < end:
                    began = time.monotonic()
                    self._type(client, turn)
                    turn += 1
                    time.sleep(max(0.0, min(began + EVERY_S, end) - time.monotonic()))
                self._check(client.run(query=client.page.query).text, "at the end")
        except Exception as error:  # whatever it is, this visitor has lost its page
            self.log.lost.append(f"{self.mark}: {type(error).__name__}: {str(error)[:160]}")

    def _type(self, client: Client, turn: int) -> None:
        self.typed = sentence(self.mark, turn, self.draw)
        box, began = client.page.widgets[BOX], time.monotonic()
        try:
            page = client.run(query=client.page.query, widgets={box: self.typed}, fragment=fragment(client))
        except TimeoutError:
            self.log.seconds.append(ANSWER_S)
            client.wait(10 * ANSWER_S)  # late, not lost
            page = client.page
        else:
            self.log.seconds.append(time.monotonic() - began)
        self._check(page.text, f"at sentence {turn}")

    def _check(self, text: str, when: str) -> None:
        if self.typed and self.typed.split()[0] not in text:
            self.log.lost.append(f"{self.mark} {when}: the answer is not about “{self.typed}”")
        if any(part not in text for part in ANSWER):
            self.log.lost.append(f"{self.mark} {when}: no verdict, or no picture, of “{self.typed}”")
        if others := set(re.findall(r"visitor\d{3}", text)) - {self.mark}:
            self.log.lost.append(f"{self.mark} {when}: sees {', '.join(sorted(others))}")


class Attacker:
    """A client that sends what a server must refuse."""

    def __init__(self, server: Server, number: int, log: Log) -> None:
        self.server, self.log, self.box, self.session = server, log, "", ""
        attempts = (self.upload, self.address, self.long_path, self.origin, self.text, self.body)
        self.attempts = islice(cycle(attempts), number % len(attempts), None)  # each client begins with another one

    def act(self, after: float, end: float) -> None:
        time.sleep(after)
        try:
            with Client(self.server, seconds=ANSWER_S) as client:  # stays open, so that its session lives
                self.box, self.session = client.run().widgets[BOX], client.session
                self._attack(end)
        except Exception as error:
            self.log.hostile["open Home", type(error).__name__] += 1

    def _attack(self, end: float) -> None:
        while time.monotonic() < end:
            began, attempt = time.monotonic(), next(self.attempts)
            try:
                ended = attempt()
            except Exception as error:  # refused, one way or another
                ended = type(error).__name__
            self.log.hostile[attempt.__name__, ended] += 1
            time.sleep(max(0.0, began + HOSTILE_S - time.monotonic()))

    def upload(self) -> str:
        """Send a file of 1 MB to a session's upload route, under the client's own id."""
        body, headers = multipart("x.txt", bytes(1_000_000))
        return str(self.server.request("PUT", f"/_stcore/upload_file/{self.session}/mine", body, headers, seconds=ANSWER_S).status)

    def address(self) -> str:
        """Run Home with a query string of 10 MB."""
        return self._run("a=" + LARGE * "x", {})

    def long_path(self) -> str:
        """Ask for a document by an address of 10 MB."""
        return str(self.server.request("GET", "/?a=" + LARGE * "x", seconds=ANSWER_S).status)

    def origin(self) -> str:
        """Connect from another website's page."""
        with Client(self.server, origin="http://other.test", seconds=ANSWER_S):
            return "connected"

    def text(self) -> str:
        """Type a sentence of 10 MB."""
        return self._run("", {self.box: LARGE // 5 * "bank "})

    def body(self) -> str:
        """Send a body of 100 MB in parts, of no stated length."""
        parts: Iterator[bytes] = (bytes(1_000_000) for _ in range(100))
        return str(self.server.request("POST", "/_stcore/health", parts, seconds=ANSWER_S).status)

    def _run(self, query: str, widgets: dict[str, str]) -> str:
        with Client(self.server, seconds=ANSWER_S) as client:
            client.run(query=query, widgets=widgets)
            return "answered"


def warm(server: Server) -> None:
    """Open Home once and wait until the server has opened the rest in the background."""
    with Client(server) as client:
        client.run()
        client.run(widgets={client.page.widgets[BOX]: sentence("somebody", 0, random.Random(0))}, fragment=fragment(client))
    time.sleep(WARM_S)


def soak(server: Server, clients: int, minutes: float, seed: int) -> Log:
    """Let all clients act until the time is over; return what they saw."""
    log, end = Log(), time.monotonic() + 60 * minutes
    spread = min(CONNECT_S, 20 * minutes)
    acts: list[Callable[[float, float], None]] = [
        Attacker(server, number // 10, log).act if number % 10 == 9 else Visitor(server, number, log, seed).act for number in range(clients)
    ]
    threads = [threading.Thread(target=act, args=(spread * number / clients, end + spread), daemon=True) for number, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return log


def report_of(log: Log, *, start_mb: float, left_mb: float, peak_mb: float, cpu_s: float) -> tuple[str, bool]:
    """Return the figures as Markdown, and whether every target is met."""
    seconds = log.seconds or [ANSWER_S]
    share = float(np.mean(np.array(seconds) <= SOON_S))
    p50, p95 = np.percentile(seconds, [50, 95])
    met = {
        f"{share:.1%} of {len(log.seconds):,} answers within {SOON_S:.0f} s (wanted: {SHARE:.0%})": share >= SHARE,
        f"peak of memory {peak_mb:,.0f} MB (wanted: under {MOST_MB:,.0f})": peak_mb < MOST_MB,
        f"memory {left_mb:,.0f} MB, {LEFT_S:.0f} s after all have left; {start_mb:,.0f} at the start (wanted: at most {NEAR} times)": left_mb
        <= NEAR * start_mb,
        f"lost: {len(log.lost)} (wanted: 0)": not log.lost,
    }
    lines = [f"- {'met' if good else 'MISSED'}: {line}" for line, good in met.items()]
    lines.append(f"- seconds of an answer: median {p50:.2f}, 95th percentile {p95:.2f}, longest {max(seconds):.2f}")
    lines.append(f"- seconds of the first page: median {np.median(log.first or [ANSWER_S]):.2f}, {len(log.first)} pages")
    lines.append(
        f"- processor: the server used {cpu_s:,.0f} s, {cpu_s / len(seconds):.2f} s for each answer with all else; {os.cpu_count()} cores"
    )
    lines += [f"- hostile, {attempt}: {ended}, {times} times" for (attempt, ended), times in sorted(log.hostile.items())]
    return "\n".join([*lines, *(f"- {line}" for line in log.lost[:40])]), all(met.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # of refused connections, which are counted
    with tempfile.TemporaryDirectory() as folder, started(PUBLIC, Path(folder)) as server:
        warm(server)
        start_mb, before = server.memory_mb(), cpu_seconds(server.process.pid)
        server.reset_peak()
        log = soak(server, args.clients, args.minutes, args.seed)
        cpu_s = cpu_seconds(server.process.pid) - before
        peak_mb = server.peak_mb()
        time.sleep(LEFT_S)
        text, met = report_of(log, start_mb=start_mb, left_mb=server.memory_mb(), peak_mb=peak_mb, cpu_s=cpu_s)
        print(text)
    return not met


if __name__ == "__main__":
    sys.exit(main())
