"""Download one file: resumable, checked before it gets its name, stoppable, with progress.

Only https is allowed, and plain http to this machine. The file grows as `NAME.part`, with the server's ETag in `NAME.part.json`. One download
at a time holds it. What a server may do is defined by RFC 9110, sections 13.1.5 and 14 (If-Range, Range, Content-Range).
"""

import contextlib
import http.client
import os
import re
import shutil
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from filelock import Timeout

from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from .artifacts import read_json, write_json
from .atomic import cannot_write, locked, rename
from .sums import file_sum

RETRIED = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses after which another try may help
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
CHUNK = 1 << 16  # bytes read at a time, at most
TRIES = 5  # in a row without a byte of progress
BACKOFF_S, LONGEST_WAIT_S = 0.5, 10.0  # the first wait between tries, doubled each time
REPORT_S = 0.1  # between two reports
MAX_BYTES = 20_000_000_000  # of a file of unknown size


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a download. `total` is None if the server does not state it."""

    name: str
    done: int  # bytes, including those of earlier tries
    total: int | None
    bytes_per_s: float


Report = Callable[[Progress], None]


class DownloadStopped(MissingArtifact):
    """The end of a download that the user stopped. The part that has arrived stays for the next time."""


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
    """Download `url` to `target`. Known sizes and sums are checked before the file gets that name.

    An md5, which publishers of data sets state, shows damage but not forgery. `report` is called about ten times a second. `stop` is called
    between reads, within `timeout_s` if the connection is dead.

    Raises MissingArtifact (no network, 404), CorruptArtifact (wrong size or sum; the file is removed), BadInput (address, full disk) or
    DownloadStopped.
    """
    check_url(url)
    transfer = _Transfer(url, Path(target), size, report, timeout_s, stop)
    try:
        with locked(transfer.part, timeout_s=0), contextlib.ExitStack() as stack:
            stack.callback(transfer.remove_empty_part)
            with transfer.part.open("ab", buffering=0) as transfer.stream:
                transfer.run()
                transfer.check({"sha256": sha256, "md5": md5})
                os.fsync(transfer.stream.fileno())
            rename(transfer.part, transfer.target)
            transfer.note.unlink(missing_ok=True)
    except Timeout:
        raise MissingArtifact(t("{name} is already downloading elsewhere. Wait.", name=transfer.target.name)) from None
    except OSError as error:
        if (refusal := cannot_write(transfer.target, error)) is not error:
            raise refusal from None
        raise MissingArtifact(t("{path} could not be saved: {error}. Try again.", path=transfer.target, error=error)) from None
    return transfer.target


@dataclass(slots=True)
class _Transfer:
    """One running download and its `.part` file."""

    url: str
    target: Path
    size: int | None
    report: Report | None
    timeout_s: float
    stop: Callable[[], bool]
    stream: BinaryIO | None = None
    noted_total: int | None = None  # size of the file that the part belongs to
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
    def names(self) -> dict[str, str]:
        """Return the values of messages: the file's name, its host and its address."""
        return {"name": self.target.name, "host": urlsplit(self.url).hostname or self.url, "url": self.url}

    def run(self) -> None:
        """Request the file, then what is missing, until it is complete. Give up after TRIES in a row without progress."""
        failures = 0
        while failures < TRIES:
            before = self.stream.tell()
            problem = t("connection lost")
            try:
                if self.request(self.resume_headers()):
                    return
            except (OSError, http.client.HTTPException) as error:
                problem = self.describe_failure(error)
            failures = 0 if self.stream.tell() > before else failures + 1
            if failures < TRIES:
                self.wait(min(BACKOFF_S * 2**failures, LONGEST_WAIT_S))
        values = self.names | {"problem": problem, "n": self.stream.tell()}
        raise MissingArtifact(t("{name} from {host} failed: {problem}. {n:,} bytes kept. Try again.", **values))

    def describe_failure(self, error: Exception) -> str:
        """Describe an error after which another try may help. Raises MissingArtifact if none can."""
        reason = getattr(error, "reason", error)
        if isinstance(error, urllib.error.HTTPError):
            if error.code in RETRIED:
                return t("server: {code} {reason}", code=error.code, reason=reason)
            values = self.names | {"code": error.code, "reason": reason}
            raise MissingArtifact(t("{host} answers {code} {reason} for {url}. Use another source.", **values)) from None
        if isinstance(reason, ssl.SSLCertVerificationError):
            values = self.names | {"reason": reason.verify_message}
            raise MissingArtifact(t("Certificate of {host} refused ({reason}). Check date and network.", **values)) from None
        if isinstance(reason, socket.gaierror) and not self.answered:  # a host that has answered exists
            raise MissingArtifact(t("{host} not found (for {name}). Check the network.", **self.names)) from None
        return t("timeout") if isinstance(reason, TimeoutError) else f"{reason}" or type(reason).__name__

    def check(self, sums: dict[str, str | None]) -> None:
        """Compare the sums with the published ones. Remove the file and raise CorruptArtifact if they differ."""
        for kind, expected in sums.items():
            digest = file_sum(self.part, kind) if expected else None
            if digest != expected:
                self.restart()
                values = self.names | {"kind": kind, "found": digest, "expected": expected}
                raise CorruptArtifact(t("{name} from {url} has {kind} {found}, not {expected}: removed. Try again.", **values))

    def resume_headers(self) -> dict[str, str]:
        """Return headers that request what is missing, or the complete file if it has changed."""
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
        """Send one request and append its answer to the part. Return whether the file is complete."""
        self.check_stop()
        try:
            answer = _make_opener(self.names["host"]).open(urllib.request.Request(self.url, headers=headers), timeout=self.timeout_s)
        except urllib.error.HTTPError as error:
            with error:
                if error.code != 416:
                    raise
                ends_here = error.headers.get("Content-Range", "").endswith(f"*/{self.stream.tell()}")
            if ends_here and self.size in (None, self.stream.tell()):
                return True  # the part was complete already
            self.restart()
            return False
        with answer:
            self.answered = True
            total = self.place(answer)
            self.receive(answer, total)
        return total is None or self.stream.tell() == total

    def place(self, answer: http.client.HTTPResponse) -> int | None:
        """Move to where the answer begins in the part. Return the size of the complete file, if known."""
        headers = answer.headers
        done = self.stream.tell()
        if answer.status == 206:
            span = re.fullmatch(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15})", headers.get("Content-Range", "").strip())
            if not span or int(span[1]) != done or self.noted_total not in (None, int(span[2])):
                self.restart()
                raise http.client.HTTPException(t("the server sent a different part"))
            total = int(span[2])
        else:  # the complete file: Range was ignored, the file has changed, or this is the start
            self.restart()
            done = 0
            total = answer.length
            etag = headers.get("ETag", "")  # a weak one (W/"...") is not valid in If-Range
            validator = etag if etag.startswith('"') else headers.get("Last-Modified", "")
            write_json(self.note, {"url": self.url, "validator": validator, "total": total})
        if self.size is not None and total not in (None, self.size):
            self.restart()
            values = self.names | {"n": total, "size": self.size}
            raise CorruptArtifact(t("{host} offers {name} with {n:,} bytes instead of {size:,}. Use another source.", **values))
        total = self.size if total is None else total
        free = shutil.disk_usage(self.target.parent).free
        if total is not None and total - done > free:
            values = self.names | {"needed": (total - done) / 1e6, "folder": self.target.parent, "free": free / 1e6}
            raise BadInput(t("{name} needs {needed:,.0f} MB; {folder} has {free:,.0f} MB. Free space, or set ELMOSCOPE_CACHE.", **values))
        return total

    def receive(self, answer: http.client.HTTPResponse, total: int | None) -> None:
        max_bytes = MAX_BYTES if total is None else total
        while (total is None or self.stream.tell() < total) and (chunk := answer.read1(CHUNK)):
            if self.stream.tell() + len(chunk) > max_bytes:
                self.restart()
                raise CorruptArtifact(t("{host} sent over {most:,} bytes of {name}. Use another source.", most=max_bytes, **self.names))
            try:
                view = memoryview(chunk)
                while view:
                    view = view[self.stream.write(view) :]
            except OSError as error:
                raise cannot_write(self.target, error) from None
            self.received += len(chunk)
            self.report_progress(total)
            self.check_stop()

    def report_progress(self, total: int | None) -> None:
        seconds = time.monotonic()
        done = self.stream.tell()
        if self.report and (seconds - self.reported >= REPORT_S or done == total):
            self.reported = seconds
            self.report(Progress(self.target.name, done, total, self.received / max(seconds - self.started, 1e-3)))

    def restart(self) -> None:
        self.stream.seek(0)
        self.stream.truncate()
        self.note.unlink(missing_ok=True)

    def remove_empty_part(self) -> None:
        if self.part.is_file() and not self.part.stat().st_size:
            self.part.unlink()

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.check_stop()
            time.sleep(min(0.05, seconds))

    def check_stop(self) -> None:
        if self.stop():
            raise DownloadStopped(t("Download of {name} stopped; {n:,} bytes are kept.", name=self.target.name, n=self.stream.tell()))


def _make_opener(host: str) -> urllib.request.OpenerDirector:
    """Return an opener for a host. Requests to this machine bypass proxies."""
    direct = [urllib.request.ProxyHandler({})] if host in THIS_MACHINE else []
    return urllib.request.build_opener(_Redirects, *direct)


def check_url(url: str) -> None:
    """Raise BadInput for an address other than https, and http to this machine."""
    try:
        parts = urlsplit(url)
        fine = parts.hostname and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in THIS_MACHINE))
    except ValueError:
        fine = False
    if not fine:
        raise BadInput(t("{url} is not an https address. Use one.", url=shorten(url, 200)))


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if req.type == "https" and not newurl.lower().startswith("https:"):
            raise BadInput(t("{url} redirects to {other}, not https. Use another source.", url=req.full_url, other=shorten(newurl, 200)))
        check_url(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
