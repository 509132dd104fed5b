"""One file from the web: resumed where an earlier try ended, checked before it gets its name, stoppable, with progress.

https only (plain http to this very machine). The file grows as `NAME.part`, with the server's ETag in `NAME.part.json`;
one download at a time holds it, to the end. RFC 9110 sections 13.1.5 and 14 (If-Range, Range, Content-Range) say what a server may do.
"""

import contextlib
import http.client
import os
import re
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from filelock import Timeout

from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from . import https
from .artifacts import file_sum, read_json, write_json
from .atomic import cannot_write, locked, rename

CHUNK = 1 << 16  # bytes read at a time, at most
TRIES = 5  # in a row without a byte of progress
BACKOFF_S, LONGEST_WAIT_S = 0.5, 10.0  # the first wait between tries, doubled each time
REPORT_S = 0.1  # between two reports
MAX_BYTES = 20_000_000_000  # of a file whose size nobody states


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is; `total` is None where the server does not say."""

    name: str
    done: int  # bytes, those of earlier tries included
    total: int | None
    bytes_per_s: float


Report = Callable[[Progress], None]


class DownloadStopped(MissingArtifact):
    """The user stopped a download; what has arrived is kept for the next time."""


def download(
    url: str,
    target: str | Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    md5: str | None = None,
    report: Report | None = None,
    timeout_s: float = 20.0,
    stop: Callable[[], bool] = lambda: False,
) -> Path:
    """Fetch `url` into `target`; its size and sums, where known, are checked before it gets that name.

    An md5 is what publishers of data sets give: it shows damage, not forgery. `report` hears of progress about ten times a
    second. `stop` is asked between reads: at once as a rule, within `timeout_s` when the line is dead. Raises MissingArtifact
    (no network, 404, lost for good), CorruptArtifact (wrong size or sum; what came is removed), BadInput (address, full disk)
    or DownloadStopped.
    """
    https.check_url(url)
    transfer = _Transfer(url, Path(target), size, report, timeout_s, stop)
    try:
        with _held(transfer.part):
            with transfer.part.open("ab", buffering=0) as transfer.stream:
                transfer.run()
                transfer.check({"sha256": sha256, "md5": md5})
                os.fsync(transfer.stream.fileno())
            rename(transfer.part, transfer.target)
            transfer.note.unlink(missing_ok=True)
    except OSError as error:
        refusal = cannot_write(transfer.target, error)
        if refusal is not error:
            raise refusal from None
        raise MissingArtifact(t("{path} was not kept: {error}. Try again.", path=transfer.target, error=error)) from None
    return transfer.target


@dataclass(slots=True)
class _Transfer:
    """One download under way: what is asked for, and the `.part` file it grows in."""

    url: str
    target: Path
    size: int | None
    report: Report | None
    timeout_s: float
    stop: Callable[[], bool]
    stream: BinaryIO | None = None
    noted_total: int | None = None  # of the file that the part belongs to
    answered: bool = False  # by the server, since this run began
    received: int = 0  # bytes, since this run began
    started: float = field(default_factory=time.monotonic)
    reported: float = 0.0

    @property
    def part(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def note(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.json")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or self.url

    def run(self) -> None:
        """Ask, and ask again for the rest, until all is there; give up after TRIES in a row without progress."""
        failures = 0
        while failures < TRIES:
            before = self.stream.tell()
            problem = t("connection lost")
            try:
                if self.request(self.resume_headers()):
                    return
            except (OSError, http.client.HTTPException) as error:
                problem = https.problem(error, self.url, self.target.name, answered=self.answered)
            failures = 0 if self.stream.tell() > before else failures + 1
            if failures < TRIES:
                self.wait(min(BACKOFF_S * 2**failures, LONGEST_WAIT_S))
        raise MissingArtifact(
            t(
                "{name} from {host} failed: {problem}. {n:,} bytes kept. Try again.",
                name=self.target.name,
                host=self.host,
                problem=problem,
                n=self.stream.tell(),
            )
        )

    def check(self, sums: dict[str, str | None]) -> None:
        """That what has arrived is what was published; else it is removed."""
        for kind, expected in sums.items():
            digest = file_sum(self.part, kind) if expected else None
            if digest != expected:
                self.restart()
                raise CorruptArtifact(
                    t(
                        "{name} from {url} has {kind} {found}, not {expected}: removed. Try again.",
                        name=self.target.name,
                        url=self.url,
                        kind=kind,
                        found=digest,
                        expected=expected,
                    )
                )

    def resume_headers(self) -> dict[str, str]:
        """Headers that ask for what is missing, and for all of it should the file have changed since."""
        note = {}
        if self.note.is_file():
            with contextlib.suppress(CorruptArtifact):
                note = read_json(self.note, expect=dict)
        if note.get("url") != self.url:
            self.restart()
        done = self.stream.tell()
        validator = note.get("validator")
        self.noted_total = note.get("total")
        headers = {"User-Agent": "elmoscope", "Accept-Encoding": "identity"}
        if done:
            headers["Range"] = f"bytes={done}-"
            if isinstance(validator, str) and validator:
                headers["If-Range"] = validator
        return headers

    def request(self, headers: dict[str, str]) -> bool:
        """One request, its answer appended to the part; True when the file is complete."""
        self.check_stop()
        try:
            answer = https.opener(self.host).open(urllib.request.Request(self.url, headers=headers), timeout=self.timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                if error.code != 416:
                    raise
                ends_here = error.headers.get("Content-Range", "").endswith(f"*/{self.stream.tell()}")
            if ends_here and self.size in (None, self.stream.tell()):
                return True  # all had arrived before
            self.restart()
            return False
        with answer:
            self.answered = True
            total = self.place(answer)
            self.receive(answer, total)
        return total is None or self.stream.tell() == total

    def place(self, answer: http.client.HTTPResponse) -> int | None:
        """Put the part where the answer begins; the size of the whole file, if it is known."""
        headers = answer.headers
        done = self.stream.tell()
        if answer.status == 206:
            span = re.fullmatch(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15})", headers.get("Content-Range", "").strip())
            if not span or int(span[1]) != done or self.noted_total not in (None, int(span[2])):
                self.restart()
                raise http.client.HTTPException(t("the server sent a different part"))
            total = int(span[2])
        else:  # the whole file: Range was ignored, the file has changed, or this is the start
            self.restart()
            done = 0
            total = answer.length
            etag = headers.get("ETag", "")  # a weak one (W/"...") cannot stand in If-Range
            validator = etag if etag.startswith('"') else headers.get("Last-Modified", "")
            write_json(self.note, {"url": self.url, "validator": validator, "total": total})
        if self.size is not None and total not in (None, self.size):
            self.restart()
            raise CorruptArtifact(
                t(
                    "{host} offers {name} with {n:,} bytes instead of {size:,}. Use another source.",
                    host=self.host,
                    name=self.target.name,
                    n=total,
                    size=self.size,
                )
            )
        total = self.size if total is None else total
        free = shutil.disk_usage(self.target.parent).free
        if total is not None and total - done > free:
            raise BadInput(
                t(
                    "{name} needs {needed:,.0f} MB; {folder} has {free:,.0f} MB. Free space, or set ELMOSCOPE_CACHE.",
                    name=self.target.name,
                    needed=(total - done) / 1e6,
                    folder=self.target.parent,
                    free=free / 1e6,
                )
            )
        return total

    def receive(self, answer: http.client.HTTPResponse, total: int | None) -> None:
        most = MAX_BYTES if total is None else total
        while (total is None or self.stream.tell() < total) and (chunk := answer.read1(CHUNK)):
            if self.stream.tell() + len(chunk) > most:
                self.restart()
                raise CorruptArtifact(
                    t("{host} sent over {most:,} bytes of {name}. Use another source.", host=self.host, most=most, name=self.target.name)
                )
            try:
                view = memoryview(chunk)
                while view:
                    view = view[self.stream.write(view) :]
            except OSError as error:
                raise cannot_write(self.target, error) from None
            self.received += len(chunk)
            self.tell_progress(total)
            self.check_stop()

    def tell_progress(self, total: int | None) -> None:
        now = time.monotonic()
        done = self.stream.tell()
        if self.report and (now - self.reported >= REPORT_S or done == total):
            self.reported = now
            self.report(Progress(self.target.name, done, total, self.received / max(now - self.started, 1e-3)))

    def restart(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()
        self.note.unlink(missing_ok=True)

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check_stop()
            time.sleep(min(0.05, seconds))

    def check_stop(self) -> None:
        if self.stop():
            raise DownloadStopped(t("Download of {name} stopped; {n:,} bytes are kept.", name=self.target.name, n=self.stream.tell()))


@contextlib.contextmanager
def _held(part: Path) -> Iterator[None]:
    """Against a second download of the same, until this one's file has its name; an empty part is removed."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(part, timeout_s=0))
        except Timeout:
            raise MissingArtifact(t("{name} is already downloading elsewhere. Wait.", name=part.stem)) from None
        try:
            yield
        finally:
            if part.is_file() and not part.stat().st_size:
                part.unlink()
