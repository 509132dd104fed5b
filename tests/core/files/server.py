"""A server on this machine that behaves as publishers' servers do."""

import hashlib
import http.server
import re
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from core.files import download

DATA = bytes(range(256)) * 2000  # 512,000 bytes
SHA256 = hashlib.sha256(DATA).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """A server of `state["data"]`, in the way that the path names."""

    def log_message(self, *args) -> None:
        pass

    def do_GET(self) -> None:
        state = self.server.state
        state["requests"].append(dict(self.headers))
        kind, _, rest = self.path.strip("/").partition("/")
        with suppress(ConnectionError):
            getattr(self, f"serve_{kind}")(rest, state, state["data"])

    def head(self, code: int, length: int | None, **headers: str) -> None:
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def serve_plain(self, rest, state, data) -> None:
        """Serve ETag, Range and If-Range as S3 does. Close the connection after `state["cut"]` bytes while that list lasts."""
        etag = f'"{hashlib.md5(data).hexdigest()}"'
        request = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(request[1]) if request and self.headers.get("If-Range", etag) == etag else 0
        if start >= len(data):
            return self.head(416, 0, Content_Range=f"bytes */{len(data)}")
        span = {"Content_Range": f"bytes {start}-{len(data) - 1}/{len(data)}"} if start else {}
        self.head(206 if start else 200, len(data) - start, ETag=etag, **span)
        self.wfile.write(data[start:][: state["cut"].pop(0) if state["cut"] else None])

    def serve_norange(self, rest, state, data) -> None:
        self.head(200, len(data))
        self.wfile.write(data[: state["cut"].pop(0) if state["cut"] else None])

    def serve_wrongrange(self, rest, state, data) -> None:
        request = "Range" in self.headers
        self.head(206 if request else 200, len(data), **({"Content_Range": f"bytes 7-9/{len(data)}"} if request else {}))
        self.wfile.write(data[: state["cut"].pop(0) if state["cut"] else None])

    def serve_nolength(self, rest, state, data) -> None:
        self.head(200, None)
        self.wfile.write(data)

    def serve_options(self, rest, state, data) -> None:
        self.serve_body(state.get("options", b"{}"))

    def serve_body(self, body: bytes) -> None:
        self.head(200, len(body))
        self.wfile.write(body)

    def serve_silent(self, rest, state, data) -> None:
        self.head(200, len(data))
        self.wfile.write(data[:1000])
        time.sleep(1.0)

    def serve_moved(self, rest, state, data) -> None:
        self.head(302, 0, Location=rest)

    def serve_status(self, rest, state, data) -> None:
        state["failures"] -= 1
        if state["failures"] >= 0:
            return self.send_error(int(rest))
        return self.serve_plain("", state, data)


Server = namedtuple("Server", "url state")


@contextmanager
def serving(handler: type[Handler] = Handler, **state) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch, http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        patch.setattr(download, "BACKOFF_S", 0.01)
        running.daemon_threads = True
        running.state = {"requests": [], "paths": [], "cut": [], "data": DATA, "failures": 10**6} | state
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield Server(f"http://127.0.0.1:{running.server_port}", running.state)
        running.shutdown()
        thread.join()
