"""Listen on the configured address, by default only on this machine (IPv4 and IPv6), and bound idle connections.

Streamlit binds one socket, to `server.address`. uvicorn waits forever for the first bytes of a request. Streamlit applies the limit of its
own messages, which may be large, to messages from browsers as well.
"""

import asyncio
import ipaddress
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from fnmatch import fnmatchcase
from typing import Any

import click
import uvicorn
from streamlit import config
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LOCAL = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::", "")
MAX_CONNECTIONS = 2_000  # all users together; additional connections replace idle ones
OTHER_FILES = 500  # open files that are not connections
SILENT_S = 15.0  # a connection without a request is closed after one to two times this time
MAX_FRAGMENTS = 1_000  # fragments of a message
REQUEST_S = 600.0  # from the headers of a request to the end of its response
_HOSTS = list(LOCAL)  # patterns of the host names to which the server answers


def is_open() -> bool:
    address = config.get_option("server.address") or ""
    if address.lower() in LOCAL:
        return False
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True


def apply_address() -> None:
    """Set the allowed hosts; Streamlit's check knows only WebSockets and no IP addresses. Switch paths off on an open server."""
    allowed_hosts = [name for entry in config.get_option("server.allowedHosts") or () for name in entry.replace(",", " ").split()]
    address = config.get_option("server.address") or ""
    address_hosts = [address] if address not in EVERYWHERE else []
    machine_hosts = [socket.gethostname()] if is_open() else []
    _HOSTS[:] = [_normalize_host(name) for name in (*LOCAL, *address_hosts, *machine_hosts, *allowed_hosts)]
    config.set_option("server.allowedHosts", [])
    if is_open() and not os.environ.get("ELMOSCOPE_PATHS", "").strip():
        os.environ["ELMOSCOPE_PATHS"] = "off"


def answers_to(host: str) -> bool:
    """Return whether the server answers to a host name. An open server answers to every IP address, because nobody can redirect those."""
    name = _normalize_host(host)
    if any(fnmatchcase(name, pattern) for pattern in _HOSTS):
        return True
    with suppress(ValueError):
        return is_open() and bool(ipaddress.ip_address(name))
    return False


def _normalize_host(host: str) -> str:
    return host.lower().strip("[]").rstrip(".")


def make_lifespan(prepare: Callable[[object], AbstractAsyncContextManager[None]]) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """Return the server's lifespan: it enters the context `prepare`, then listens on both addresses of localhost."""

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        limit_connections()
        async with prepare(app):
            second = None if is_open() else _make_ipv6_server(app)
            task = second and asyncio.create_task(second[0].serve(sockets=[second[1]]))
            _announce()
            yield
            if second:
                second[0].should_exit = True
                await task

    return lifespan


class _SecondServer(uvicorn.Server):
    """A server without signal handlers. The first server receives the signals and stops this one."""

    capture_signals = staticmethod(nullcontext)


def _make_ipv6_server(app: object) -> tuple[_SecondServer, socket.socket] | None:
    """Return a server of the same app for IPv6 and its socket, or None if the address is taken or the machine has no IPv6."""
    if (config.get_option("server.address") or "").lower() not in ("localhost", "127.0.0.1"):
        return None
    with suppress(OSError):
        bound = socket.create_server(("::1", int(config.get_option("server.port"))), family=socket.AF_INET6)
        bound.setblocking(False)
        return _SecondServer(uvicorn.Config(app, lifespan="off", **_get_uvicorn_config_kwargs())), bound
    return None


def _announce() -> None:
    """Print the address of the app. Streamlit would get this machine's external address from a third party."""
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    end = f":{config.get_option('server.port')}/{config.get_option('server.baseUrlPath').strip('/')}"
    address = config.get_option("server.address") or ""
    is_local = address in EVERYWHERE or not is_open()
    click.echo(f"\n  Elmoscope: {scheme}://{'localhost' if is_local else address}{end}")
    if is_open():
        click.echo(f"  Open to other machines, as {scheme}://{socket.gethostname()}{end} or by this machine's IP address.")
    click.echo("")


class _BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket with bounds that uvicorn's class lacks, on the fragments of a message and on unread answers to pings."""

    def handle_cont(self, event: Any) -> None:
        """Add a fragment to the message, or close the connection if there are too many."""
        if len(self.frames) >= MAX_FRAGMENTS:
            self.transport.abort()
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping, unless the client has not read earlier answers."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()


def limit_connections() -> None:
    """Limit the number of connections, their time without a request, and the size of a message. Streamlit cannot set them."""
    original = H11Protocol.connection_made
    max_connections = _raise_open_files()

    def connection_made(self: H11Protocol, transport: asyncio.Transport) -> None:
        self.config.ws_max_size = get_max_widget_state_size_bytes()
        self.ws_protocol_class = _BoundedSocket
        if len(self.connections) >= max_connections:
            idle_connection = next((connection for connection in self.connections if _is_idle(connection)), None)
            (idle_connection.transport if idle_connection else transport).abort()
        original(self, transport)
        self.loop.call_later(SILENT_S, _close_silent, self, None, self.loop.time())

    H11Protocol.connection_made = connection_made


def _is_idle(connection: object) -> bool:
    """Return whether a connection is an HTTP connection that waits for a request."""
    return isinstance(connection, H11Protocol) and (connection.cycle is None or connection.cycle.response_complete)


def _close_silent(connection: H11Protocol, last_cycle: object, since: float) -> None:
    """Close a connection that has had no request since the last check, or that has served one request for too long."""
    if connection not in connection.connections or connection.transport.is_closing():
        return  # it is closed, or a WebSocket now
    cycle = connection.cycle
    time_now = connection.loop.time()
    since = since if cycle is last_cycle else time_now
    if (_is_idle(connection) and cycle is last_cycle) or time_now - since > REQUEST_S:
        connection.transport.abort()
    else:
        connection.loop.call_later(SILENT_S, _close_silent, connection, cycle, since)


def _raise_open_files() -> int:
    """Raise the limit of open files to the number that connections need. Return the number of connections that the limit allows."""
    try:
        import resource
    except ImportError:  # Windows
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MAX_CONNECTIONS + OTHER_FILES
    if 0 <= soft < needed:
        soft = needed if hard < 0 else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft < 0 else min(MAX_CONNECTIONS, max(soft - OTHER_FILES, soft // 2))
