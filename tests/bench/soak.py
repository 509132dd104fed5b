"""Run many clients on a public server, a tenth of them hostile, and report response times, memory and lost pages.

usage: python -m tests.bench.soak [--clients 200] [--minutes 10] [--seed N]

Clients have no browser (tests/raw_client.py). They connect within two minutes, or sooner in short runs. An ordinary client types a new
sentence into Home once a minute. Each answer must be about that sentence and no other client's. At the end the last one must still be on the
page. Hostile clients send uploads, addresses of 10 MB, foreign origins and endless texts, at most once a second. The exit status is 1 if a
target is missed.
"""

import logging
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from pathlib import Path

import numpy as np

from tests.bench.measure import options
from tests.raw_client import PUBLIC, Client, Server, multipart, start_server

TARGET_S, TARGET_SHARE = 2.0, 0.95  # the response time, and the share of answers within it
MAX_MB, MAX_GROWTH = 4000.0, 1.25  # the peak of memory, and memory after all clients have left as a multiple of the start
CONNECT_S = 120.0  # in which all clients connect
SENTENCE_S = 60.0  # between two sentences of a client
HOSTILE_S = 1.0  # between two attempts of a hostile client, at least
ANSWER_S = 60.0  # the longest time for which a client waits for an answer
WARM_S = 50.0  # from the first page until the server prepares what comes next
LEFT_S = 120.0  # from the end of the clients to the last measurement of memory
BOX = "First sentence"
ANSWER = ('class="verdict"', 'class="notice"')  # the first and the last element of an answer
LARGE = 10_000_000  # bytes
NOUNS = ("river", "money", "boat", "loan", "teller", "meadow", "water", "credit", "shore", "stone", "bridge", "letter", "market", "harbor")
VERBS = ("watched", "found", "passed", "drew", "left", "saw", "reached", "crossed")


@dataclass
class Log:
    """What all clients observed."""

    seconds: list[float] = field(default_factory=list)  # response time of each sentence
    first_page_seconds: list[float] = field(default_factory=list)  # one for each client
    losses: list[str] = field(default_factory=list)
    outcomes: Counter = field(default_factory=Counter)  # (hostile attempt, its outcome) -> count


def make_sentence(mark: str, turn: int, generator: random.Random) -> str:
    """Return a sentence that no client has typed before."""
    verb, *nouns = generator.choice(VERBS), *(generator.choice(NOUNS) for _ in range(3))
    return f"{mark}n{turn} {verb} the {nouns[0]} near the bank of the {nouns[1]} before the {nouns[2]}."


def type_in(client: Client, sentence: str) -> str:
    """Type a sentence into Home, of which one fragment then runs. Return the text of the page."""
    fragment = next(delta.fragment_id for delta in client.page.elements.values() if getattr(delta, "fragment_id", ""))
    return client.run(query=client.page.query, widgets={client.page.widgets[BOX]: sentence}, fragment=fragment).text


class User:
    """A client that types sentences and checks the answers."""

    def __init__(self, server: Server, number: int, log: Log, seed: int) -> None:
        self.server, self.mark, self.log, self.generator = server, f"user{number:03d}", log, random.Random(f"{seed}/{number}")
        self.sentence = ""

    def act(self, delay: float, end: float) -> None:
        time.sleep(delay)
        try:
            start = time.monotonic()
            with Client(self.server, seconds=ANSWER_S) as client:
                client.run()
                self.log.first_page_seconds.append(time.monotonic() - start)
                time.sleep(self.generator.uniform(0, SENTENCE_S / 2))
                for turn in count():
                    if (start := time.monotonic()) >= end:
                        break
                    self._type(client, turn)
                    time.sleep(max(0.0, min(start + SENTENCE_S, end) - time.monotonic()))
                self._check(client.run(query=client.page.query).text, "at the end")
        except Exception as error:  # any error means that this user has lost the page
            self.log.losses.append(f"{self.mark}: {type(error).__name__}: {str(error)[:160]}")

    def _type(self, client: Client, turn: int) -> None:
        self.sentence, start = make_sentence(self.mark, turn, self.generator), time.monotonic()
        try:
            text = type_in(client, self.sentence)
        except TimeoutError:
            self.log.seconds.append(ANSWER_S)
            text = client.wait(10 * ANSWER_S).text  # a late answer is not a loss
        else:
            self.log.seconds.append(time.monotonic() - start)
        self._check(text, f"at sentence {turn}")

    def _check(self, text: str, when: str) -> None:
        if self.sentence and self.sentence.split()[0] not in text:
            self.log.losses.append(f"{self.mark} {when}: the answer is not about “{self.sentence}”")
        if any(part not in text for part in ANSWER):
            self.log.losses.append(f"{self.mark} {when}: no verdict, or no picture, for “{self.sentence}”")
        if others := set(re.findall(r"user\d{3}", text)) - {self.mark}:
            self.log.losses.append(f"{self.mark} {when}: sees {', '.join(sorted(others))}")


class Attacker:
    """A client that sends requests that a server must refuse."""

    def __init__(self, server: Server, number: int, log: Log) -> None:
        self.server, self.log, self.box, self.session = server, log, "", ""
        body, headers = multipart("x.txt", bytes(1_000_000))
        attempts = {
            # a file for the client's session, under an id that the server has not issued
            "upload": lambda: self._send("PUT", f"/_stcore/upload_file/{self.session}/mine", body, headers),
            "address": lambda: self._run("a=" + LARGE * "x", {}),
            "long_path": lambda: self._send("GET", "/?a=" + LARGE * "x"),
            "origin": lambda: Client(self.server, origin="http://other.test", seconds=ANSWER_S).socket.close() or "connected",
            "text": lambda: self._run("", {self.box: LARGE // 5 * "bank "}),
            # 100 MB in parts, without a stated length
            "body": lambda: self._send("POST", "/_stcore/health", (bytes(1_000_000) for _ in range(100))),
        }
        self.attempts = islice(cycle(attempts.items()), number % len(attempts), None)  # clients begin with different attempts

    def act(self, delay: float, end: float) -> None:
        time.sleep(delay)
        try:
            with Client(self.server, seconds=ANSWER_S) as client:  # stays open, so that its session is active
                self.box, self.session = client.run().widgets[BOX], client.session
                while time.monotonic() < end:
                    start, (name, attempt) = time.monotonic(), next(self.attempts)
                    self.log.outcomes[name, self._outcome(attempt)] += 1
                    time.sleep(max(0.0, start + HOSTILE_S - time.monotonic()))
        except Exception as error:
            self.log.outcomes["open Home", type(error).__name__] += 1

    def _outcome(self, attempt: Callable[[], str]) -> str:
        try:
            return attempt()
        except Exception as error:  # every refusal is an outcome
            return type(error).__name__

    def _send(self, *request) -> str:
        return str(self.server.request(*request, seconds=ANSWER_S).status)

    def _run(self, query: str, widgets: dict[str, str]) -> str:
        with Client(self.server, seconds=ANSWER_S) as client:
            client.run(query=query, widgets=widgets)
            return "answered"


def warm_up(server: Server) -> None:
    """Open Home once and wait for the server's preparations in the background."""
    with Client(server) as client:
        client.run()
        type_in(client, make_sentence("somebody", 0, random.Random(0)))
    time.sleep(WARM_S)
    server.wait_until_idle()


def soak(server: Server, clients: int, minutes: float, seed: int) -> Log:
    """Let all clients act for some minutes. Return their observations."""
    log, end = Log(), time.monotonic() + 60 * minutes
    connect_s = min(CONNECT_S, 20 * minutes)
    threads = []
    for number in range(clients):
        client = Attacker(server, number // 10, log) if number % 10 == 9 else User(server, number, log, seed)
        threads.append(threading.Thread(target=client.act, args=(connect_s * number / clients, end + connect_s), daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join()
    return log


def write_report(log: Log, *, start_mb: float, left_mb: float, peak_mb: float, cpu_s: float) -> tuple[str, bool]:
    """Return the figures as Markdown, and whether every target is met."""
    seconds, first = log.seconds or [ANSWER_S], log.first_page_seconds
    share = float(np.mean(np.array(seconds) <= TARGET_S))
    p50, p95 = np.percentile(seconds, [50, 95])
    after = f"memory {left_mb:,.0f} MB, {LEFT_S:.0f} s after all have left; {start_mb:,.0f} at the start"
    targets = {
        f"{share:.1%} of {len(log.seconds):,} answers within {TARGET_S:.0f} s (target: {TARGET_SHARE:.0%})": share >= TARGET_SHARE,
        f"peak of memory {peak_mb:,.0f} MB (target: under {MAX_MB:,.0f})": peak_mb < MAX_MB,
        f"{after} (target: at most {MAX_GROWTH} times)": left_mb <= MAX_GROWTH * start_mb,
        f"lost: {len(log.losses)} (target: 0)": not log.losses,
    }
    lines = [f"- {'met' if is_met else 'MISSED'}: {line}" for line, is_met in targets.items()]
    lines += [
        f"- seconds of an answer: median {p50:.2f}, 95th percentile {p95:.2f}, longest {max(seconds):.2f}",
        f"- seconds of the first page: median {np.median(first or [ANSWER_S]):.2f}, {len(first)} pages",
        f"- processor: {cpu_s:,.0f} s of the server, {cpu_s / len(seconds):.2f} s for each answer with all else; {os.cpu_count()} cores",
    ]
    lines += [f"- hostile, {attempt}: {outcome}, {n} times" for (attempt, outcome), n in sorted(log.outcomes.items())]
    return "\n".join([*lines, *(f"- {line}" for line in log.losses[:40])]), all(targets.values())


def main() -> int:
    args = options(__doc__, clients=200, minutes=10.0, seed=0).parse_args()
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # refused connections are counted, not logged
    with tempfile.TemporaryDirectory() as folder, start_server(PUBLIC, Path(folder)) as server:
        warm_up(server)
        start_mb, start_cpu_s = server.memory_mb(), server.cpu_seconds()
        server.reset_peak()
        log = soak(server, args.clients, args.minutes, args.seed)
        cpu_s = server.cpu_seconds() - start_cpu_s
        peak_mb = server.peak_mb()
        time.sleep(LEFT_S)
        text, is_met = write_report(log, start_mb=start_mb, left_mb=server.memory_mb(), peak_mb=peak_mb, cpu_s=cpu_s)
        print(text)
    return not is_met


if __name__ == "__main__":
    sys.exit(main())
