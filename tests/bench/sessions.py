"""Many people at once: browser sessions on one server, each with sentences of its own, mixed pages, for minutes.

usage: python -m tests.bench.sessions [--sessions 25] [--minutes 10] [--think 10 40] [--seed N]

Every session is a window of one browser, whose profile keeps what the server sends every page alike. It writes its own mark
("visitor07") into whatever it types. After each action its page is searched for errors and for anybody else's mark, and what
the page says of the same text must be what it said the last time. Times are from the click or the key to a page at rest;
browser and server share the machine's cores, which the table does not forgive. Prints Markdown.
"""

import argparse
import asyncio
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.async_api import TimeoutError

from tests.run import find_chromium

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 180.0  # for one action
SAMPLE_S = 5.0  # between two looks at the server's memory
THINK_S = (10.0, 40.0)  # a person reads before acting again
ARRIVE_S = 2.5  # from one's first page to the next one's
TYPED = {  # page: the box that is typed into, and the text, with the session's mark and a turn's own word
    "": ("First sentence", "{mark} sat on the bank of the {word}."),
    "neighbors": ("Second sentence", "The bank sent {mark} a {word}."),
    "why": ("First sentence", "We sat with {mark} on the grassy bank of the {word}."),
    "how": ("First sentence", "{mark} saw the {word}."),
    "classify": ("Your text", "{mark} shares slide after {word} cuts forecast"),
    "predict": ("Your text", "{mark} went to the {word} and"),
}
WORDS = ("brook", "letter", "harbour", "market")
OPENED = ("map", "about", "mix", *TYPED)
AT_REST = """() => document.querySelector('[data-test-script-state]')?.dataset.testScriptState === 'notRunning'
    && !!document.querySelector('.notice')"""
RUNS = """() => { window.runs = 0; new MutationObserver(() => {
    if (document.querySelector('[data-test-script-state]').dataset.testScriptState === 'running') window.runs += 1;
}).observe(document.querySelector('[data-test-script-state]'), { attributes: true }); }"""
RAN = "() => window.runs > 0 && document.querySelector('[data-test-script-state]').dataset.testScriptState === 'notRunning'"


@dataclass
class Log:
    """What all sessions saw."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    late: int = 0  # actions given up after WAIT_S
    megabytes: list[float] = field(default_factory=list)
    cpu: float = 0.0  # cores that the server used


class Session:
    """One person: a browser context, a mark, and what pages said of which text."""

    def __init__(self, number: int, address: str, log: Log, seed: int, think: tuple[float, float]) -> None:
        self.mark, self.address, self.log, self.think = f"visitor{number:02d}", address, log, think
        self.random, self.said = random.Random(f"{seed}/{number}"), {}

    async def act(self, browser, after: float, opening: asyncio.Lock, end: float) -> None:
        await asyncio.sleep(after)
        async with opening:  # or two would take the same window for theirs
            page = await _window(browser)
        page.set_default_timeout(1000 * WAIT_S)
        while time.monotonic() < end:
            path = self.random.choice(OPENED)
            try:
                await self._visit(page, path)
            except TimeoutError:
                self.log.late += 1
            except Exception as error:
                self.log.errors.append(f"{self.mark} on /{path}: {str(error).splitlines()[0][:160]}")
            await asyncio.sleep(self.random.uniform(*self.think))
        await page.close()

    async def _visit(self, page, path: str) -> None:
        own = {"a": f"{self.mark} sat on the bank of the river.", "ai": "bank", "b": "The bank lent us money.", "bi": "bank"}
        began = time.perf_counter()
        await page.goto(f"{self.address}/{path}?{urlencode(own)}", wait_until="commit")
        await page.wait_for_function(AT_REST, timeout=1000 * WAIT_S)
        self.log.seconds[f"open /{path}"].append(time.perf_counter() - began)
        await self._check(page, path, None)
        if path == "mix":
            await asyncio.sleep(self.random.uniform(*self.think))
            await self._timed(page, "slide on /mix", page.get_by_role("slider").first.press("ArrowRight"))
            await self._check(page, path, "moved")
        if path in TYPED:
            label, pattern = TYPED[path]
            text = pattern.format(mark=self.mark, word=self.random.choice(WORDS))
            await asyncio.sleep(self.random.uniform(*self.think))
            box = page.get_by_label(label, exact=True)
            await box.fill("")
            await self._timed(page, f"type on /{path}", self._type(box, text, path))
            await self._check(page, path, text)

    async def _type(self, box, text: str, path: str) -> None:
        await box.fill(text)
        await box.press("Control+Enter" if path in ("classify", "predict") else "Enter")

    async def _timed(self, page, name: str, action: Awaitable[None]) -> None:
        """Seconds from the beginning of an action to the end of the run that it starts; then the page comes to rest."""
        await page.evaluate(RUNS)
        began = time.perf_counter()
        await action
        await page.wait_for_function(RAN, timeout=1000 * WAIT_S)
        self.log.seconds[name].append(time.perf_counter() - began)
        await page.wait_for_timeout(1000)
        await page.wait_for_function(AT_REST, timeout=1000 * WAIT_S)

    async def _check(self, page, path: str, text: str | None) -> None:
        """No error, nobody else's mark, and the same words about the same text as ever; times aside."""
        if await page.get_by_test_id("stException").count():
            self.log.errors.append(f"{self.mark} on /{path}: a traceback")
        shown = await page.inner_text("body") + " ".join(
            await page.evaluate("() => [...document.querySelectorAll('input, textarea')].map((box) => box.value)")
        )
        if others := {mark for mark in re.findall(r"visitor\d\d", shown) if mark != self.mark}:
            self.log.errors.append(f"{self.mark} on /{path}: sees {', '.join(sorted(others))}")
        notice = re.sub(r"took [\d,.]+ m?s", "", await page.locator(".notice").first.inner_text())
        if text is not None and self.mark not in shown:
            self.log.errors.append(f"{self.mark} on /{path}: its own text is gone")
        before = self.said.setdefault((path, text), notice)
        if before != notice:
            self.log.errors.append(f"{self.mark} on /{path}: said “{before[:80]}” and now “{notice[:80]}”")


async def _window(browser):
    """A page in a window of its own: a tab behind another one is not drawn, and never at rest."""
    control = await browser.new_cdp_session(browser.pages[0])
    async with browser.expect_page() as opened:
        await control.send("Target.createTarget", {"url": "about:blank", "newWindow": True})
    await control.detach()
    return await opened.value


def started(folder: Path) -> tuple[subprocess.Popen, str]:
    """A server with an empty cache, up."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.headless", "true"]
    with (folder / "server.log").open("w") as file:
        environment = {**os.environ, "ELMOSCOPE_CACHE": str(folder / "cache")}
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return process, address
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"The server is not up: {(folder / 'server.log').read_text()}")


def resident(pid: int) -> float:
    """Megabytes that a process holds in memory."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1000


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def watched(process: subprocess.Popen, log: Log, end: float) -> None:
    began, before = time.monotonic(), cpu_seconds(process.pid)
    while time.monotonic() < end:
        log.megabytes.append(resident(process.pid))
        await asyncio.sleep(SAMPLE_S)
        log.cpu = (cpu_seconds(process.pid) - before) / (time.monotonic() - began)


async def run(process: subprocess.Popen, address: str, profile: Path, chromium: str | None, args: argparse.Namespace) -> Log:
    from playwright.async_api import async_playwright

    log, opening, end = Log(), asyncio.Lock(), time.monotonic() + 60 * args.minutes
    async with async_playwright() as playwright:
        options = {"args": ["--no-sandbox", "--disable-gpu"], "viewport": {"width": 1280, "height": 900}}
        browser = await playwright.chromium.launch_persistent_context(profile, executable_path=chromium, **options)
        sessions = [Session(number, address, log, args.seed, args.think) for number in range(args.sessions)]
        acting = (session.act(browser, number * ARRIVE_S, opening, end) for number, session in enumerate(sessions))
        await asyncio.gather(watched(process, log, end), *acting)
        await browser.close()
    return log


def report_of(log: Log, process: subprocess.Popen, server_log: str) -> str:
    lines = ["| action | times | median, s | 95%, s | longest, s |", "| --- | --- | --- | --- | --- |"]
    for name, seconds in sorted(log.seconds.items()):
        p50, p95 = np.percentile(seconds, [50, 95])
        lines.append(f"| {name} | {len(seconds)} | {p50:.2f} | {p95:.2f} | {max(seconds):.2f} |")
    parts = [np.mean(part) for part in np.array_split(log.megabytes, 5) if len(part)]
    lines += ["", f"server memory, mean MB by fifths of the time: {', '.join(f'{mean:,.0f}' for mean in parts)}"]
    lines.append(f"processor: the server {log.cpu:.2f} cores, all of the machine {os.cpu_count()}")
    lines.append(f"given up after {WAIT_S:.0f} s: {log.late}")
    lines.append(f"server up: {process.poll() is None}; tracebacks in its log: {server_log.count('Traceback')}")
    traces = [part[:1500] for part in re.findall(r"Traceback.*?(?=\n\d{4}-|\Z)", server_log, re.DOTALL)[:3]]
    return "\n".join([*lines, f"errors: {len(log.errors)}", *log.errors[:40], *traces])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=25)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--think", type=float, nargs=2, default=THINK_S, metavar=("FROM", "TO"), help="seconds between two actions")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, address = started(Path(folder))
        try:
            log = asyncio.run(run(process, address, Path(folder) / "profile", find_chromium(), args))
            print(report_of(log, process, (Path(folder) / "server.log").read_text()))
        finally:
            process.terminate()
            process.wait(20)
    return bool(log.errors)


if __name__ == "__main__":
    sys.exit(main())
