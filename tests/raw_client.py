"""Start real servers as README or the Dockerfile does, and talk to them without a browser: HTTP, raw bytes, Streamlit's WebSocket."""

import contextlib
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

from tests.links import address

ROOT = Path(__file__).resolve().parents[1]
WAIT_S = 120.0
START_S = 300.0  # an upper limit: a start takes ten seconds on idle cores
STREAMLIT_RUN = (sys.executable, "-m", "streamlit", "run", "app.py")
# The warm-up would disturb measurements of memory and time.
WITHOUT_WARM_UP = "import runpy; from pages._home import live; live.WARM_UP_AFTER_S = 86_400.0; "
WITHOUT_WARM_UP += "runpy.run_module('streamlit', run_name='__main__', alter_sys=True)"
RUN_WITHOUT_WARM_UP = (sys.executable, "-c", WITHOUT_WARM_UP, *STREAMLIT_RUN[3:])
LOCAL, PUBLIC = "local", "public"
SOCKET = {"subprotocols": ["streamlit"], "compression": None, "close_timeout": 2, "ping_interval": None}
SOCKET |= {"max_size": None, "proxy": None, "legacy": True}
EMPTY = MappingProxyType({})
XSRF = {"X-Xsrftoken": "aa", "Cookie": "_streamlit_xsrf=aa"}  # headers of an upload with any token, as the cookie repeats it
SETTINGS = ("ELMOSCOPE_", "STREAMLIT_")  # beginnings of environment variables that the server does not inherit from the tests


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


@dataclass
class Server:
    process: subprocess.Popen
    host: str  # the address for connections; the server may listen on others as well
    port: int
    log: Path

    @property
    def address(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def connect(self, seconds: float = WAIT_S) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=seconds)

    def request(
        self, method: str, path: str, body: bytes | Iterable[bytes] = b"", headers: Mapping = EMPTY, host: str = "", seconds: float = WAIT_S
    ) -> Answer:
        """Return the response, even if it comes before the body is read. A body that is not bytes is sent in chunks without Content-Length."""
        start = time.monotonic()
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        with contextlib.closing(connection):
            connection._validate_path = lambda url: None  # http.client refuses some paths that an attacker would send
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            is_chunked = not isinstance(body, bytes)
            fields = {"Host": host or self.address.removeprefix("http://"), **headers}
            fields |= {"Transfer-Encoding": "chunked"} if is_chunked else {"Content-Length": str(len(body))} if body else {}
            for name, value in fields.items():
                connection.putheader(name, value)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.endheaders(None if body == b"" else body, encode_chunked=is_chunked)
            response = connection.getresponse()
            content = response.read()
            return Answer(response.status, {n.lower(): v for n, v in response.getheaders()}, content, time.monotonic() - start)

    def send_raw(self, data: bytes | Iterable[bytes], seconds: float = WAIT_S) -> bytes:
        """Send raw bytes. Return the bytes received until the server closes the connection or `seconds` have passed."""
        received = b""
        with self.connect(seconds) as connection, contextlib.suppress(OSError):
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                for part in [data] if isinstance(data, bytes) else data:
                    connection.sendall(part)
            while part := connection.recv(1 << 16):
                received += part
        return received

    @contextlib.contextmanager
    def growing_at_most(self, megabytes: float) -> Iterator[None]:
        """Check that the memory of the process never grows by more than this within the context."""
        start_mb = self.memory_mb()
        self.reset_peak()
        yield
        assert self.peak_mb() < start_mb + megabytes

    def memory_mb(self) -> float:
        return self._read_status("VmRSS")

    def peak_mb(self) -> float:
        """Return the peak of memory since the start or the last `reset_peak`."""
        return self._read_status("VmHWM")

    def reset_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def wait_until_idle(self) -> None:
        """Wait until the process has been idle for a second, so that its preparations after the first visit are done."""
        deadline, last_cpu_s = time.monotonic() + START_S, -1.0
        while (cpu_s := self.cpu_seconds()) - last_cpu_s > 0.05:
            assert time.monotonic() < deadline, "the server is not idle"
            last_cpu_s = cpu_s
            time.sleep(1)

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime

    def _read_status(self, name: str) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1000

    def find_addresses(self) -> set[str]:
        """Return the addresses on which the server listens, in the form of /proc: 0100007F is 127.0.0.1."""
        rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{self.process.pid}/net/{name}").read_text().splitlines()]
        return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(f":{self.port:04X}")}

    def stop(self) -> None:
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.process.kill()  # does nothing if it has ended
        self.process.wait()


@contextlib.contextmanager
def start_server(
    kind: str,
    folder: Path,
    *,
    environment=EMPTY,
    options=(),
    port: int = 0,
    command=STREAMLIT_RUN,
    cwd: Path = ROOT,
    index: Path | None = None,
) -> Iterator[Server]:
    """Start a server, wait until it is healthy, and stop it at the end of the context.

    `kind` is "local" (README's command) or "public" (the environment of the Dockerfile and of the compose file).
    `folder` holds the cache and the log; the folder `index` is linked into the cache first."""
    port = port or free_port()
    folder.mkdir(parents=True, exist_ok=True)
    if index:
        shutil.copytree(index, folder / "cache" / "indexes" / index.name, copy_function=os.link)
    log = folder / "server.log"
    variables = {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
    variables |= public_environment() if kind == PUBLIC else {}
    variables |= {"ELMOSCOPE_CACHE": str(folder / "cache"), "STREAMLIT_SERVER_PORT": str(port), **environment}
    with log.open("w") as file:
        process = subprocess.Popen([*command, *options], cwd=cwd, env=variables, stdout=file, stderr=subprocess.STDOUT)
    server = Server(process, "127.0.0.1", port, log)
    try:
        deadline = time.monotonic() + START_S
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if server.request("GET", "/_stcore/health", seconds=5).status == 200:
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server has not started:\n{log.read_text()}")
            time.sleep(0.1)
        yield server
    finally:
        server.stop()


def public_environment() -> dict[str, str]:
    """Return the environment of the Dockerfile, without its folders, and the defaults of the compose file."""
    text = (ROOT / ".deploy" / "Dockerfile").read_text("utf-8")
    variables = dict(re.findall(r"([A-Z_]+)=(\S+)", re.search(r"^ENV ((?:.*\\\n)*.*)$", text, re.MULTILINE).group(1)))
    defaults = re.findall(r"^\s+([A-Z_]+): \$\{\1:-([^}]+)\}", (ROOT / ".deploy" / "compose.yaml").read_text("utf-8"), re.MULTILINE)
    variables |= {name: value for name, value in defaults if name not in variables}
    return {name: value for name, value in variables.items() if not value.startswith("/") and name != "PYTHONDONTWRITEBYTECODE"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Page:
    """The elements of a page after its last runs."""

    elements: dict[tuple[int, ...], Message] = field(default_factory=dict)  # by their path
    query: str = ""  # of the address, after changes by the page

    @property
    def widgets(self) -> dict[str, str]:
        """The ids of the widgets by label. Of several widgets with the same label, the last one counts."""
        widgets = [message for message in self.messages() if {"id", "label"} <= set(message.DESCRIPTOR.fields_by_name)]
        return {message.label: message.id for message in widgets if message.id}

    @property
    def text(self) -> str:
        return "\n".join(value for message in self.messages() for value in _strings(message))

    def messages(self) -> Iterator[Message]:
        """Yield the messages of all elements with the messages within them, in the order of the page."""
        for path in sorted(self.elements):
            yield from _walk(self.elements[path])


class Client:
    """A client without a browser: one WebSocket connection with the protocol of Streamlit's page.

    with Client(server, origin="http://other.test") as client:  # raises InvalidStatus or ConnectionClosed if the server refuses it
        page = client.run("texts", "texts_view=search&find=bank")  # runs the page and waits until the script has finished
        client.run("texts", widgets={page.widgets["Word or phrase"]: "river"})
    """

    def __init__(self, server: Server, *, origin: str | None = "same", host: str = "", headers: Mapping = EMPTY, seconds=WAIT_S) -> None:
        """Connect to a server. `origin=None` sends no origin. `host` is the Host header, and the host of the origin "same"."""
        host = host or server.address.removeprefix("http://")
        self.seconds, self.page, self.session, self.page_hash = seconds, Page(), "", ""
        self.socket = connect(
            f"ws://{host}/_stcore/stream",
            sock=server.connect(seconds),
            origin=f"http://{host}" if origin == "same" else origin,
            additional_headers=headers,
            open_timeout=seconds,
            **SOCKET,
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def run(self, page: str = "", query: str = "", widgets: Mapping[str, Any] | None = None, *, fragment: str = "") -> Page:
        """Run a page and return it when the script has finished. `page` is its name in the address, "" for Home. `widgets` are values by id."""
        self.send_run(page, query, widgets, fragment=fragment)
        return self.wait()

    def send_run(self, page: str = "", query: str = "", widgets: Mapping[str, Any] | None = None, *, fragment: str = "") -> None:
        message = BackMsg()
        name, _, parameters = address(page).partition("?")
        message.rerun_script.query_string, message.rerun_script.page_name = "&".join(filter(None, [parameters, query])), name
        message.rerun_script.fragment_id, message.rerun_script.page_script_hash = fragment, self.page_hash if fragment else ""
        message.rerun_script.widget_states.SetInParent()
        for key, value in (widgets or {}).items():
            message.rerun_script.widget_states.widgets.append(_state(key, value))
        self.send(message)

    def send(self, message: BackMsg | bytes) -> None:
        self.socket.send(message if isinstance(message, bytes) else message.SerializeToString())

    def wait(self) -> Page:
        """Read messages until the script has finished. Raises TimeoutError after the seconds of this client."""
        early = ForwardMsg.FINISHED_EARLY_FOR_RERUN
        next(m for m in self.messages() if m.WhichOneof("type") == "script_finished" and m.script_finished != early)
        return self.page

    def messages(self) -> Iterator[ForwardMsg]:
        """Yield the messages of the server, and store the elements of the page."""
        deadline = time.monotonic() + self.seconds
        while True:
            message = ForwardMsg()
            message.ParseFromString(self.socket.recv(timeout=max(0.0, deadline - time.monotonic()), decode=False))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.session = message.new_session.initialize.session_id or self.session
                if not message.metadata.run.fragment_ids:
                    self.page = Page(query=self.page.query)
            elif kind == "delta":
                self.page.elements[tuple(message.metadata.delta_path)] = message.delta
            elif kind == "navigation":
                self.page_hash = message.navigation.page_script_hash
            elif kind == "page_info_changed":
                self.page.query = message.page_info_changed.query_string
            yield message

    def upload_url(self, name: str = "file.txt") -> tuple[str, str]:
        """Request an address for an upload. Return its path and the id of the file."""
        message = BackMsg()
        message.file_urls_request.request_id, message.file_urls_request.session_id = "1", self.session
        message.file_urls_request.file_names.append(name)
        self.send(message)
        response = next(reply for reply in self.messages() if reply.WhichOneof("type") == "file_urls_response").file_urls_response
        return response.file_urls[0].upload_url, response.file_urls[0].file_id


def multipart(name: str, data: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of an upload of one file, in the form that a browser sends."""
    head = f'--elmoscope\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'
    body = head.encode() + data + b"\r\n--elmoscope--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=elmoscope"}


def _state(key: str, value: str | WidgetState) -> WidgetState:
    if isinstance(value, WidgetState):
        return value
    return WidgetState(id=key, **({"trigger_value": True} if value == "click" else {"string_value": value}))


def _walk(message: Message) -> Iterator[Message]:
    yield message
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None and not descriptor.message_type.GetOptions().map_entry:
            for item in [value] if isinstance(value, Message) else value:
                yield from _walk(item)


def _strings(message: Message) -> Iterator[str]:
    for _, value in message.ListFields():
        if not isinstance(value, (Message, bytes, int, float)):
            yield from (item for item in ([value] if isinstance(value, str) else value) if isinstance(item, str))
