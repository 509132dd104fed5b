"""Listen where the settings say: by default on this machine alone, by IPv4 and IPv6, with a bound on connections that stay silent.

Streamlit binds one socket, to `server.address`. uvicorn waits without end for a request's first bytes, and Streamlit bounds a message
from a browser as it bounds its own, which may be large.
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
CONNECTIONS = 2_000  # at once, of all visitors; further ones take the place of those that are idle
FILES_BESIDE = 500  # open files that are no connections
SILENT_S = 15.0  # a connection without a request is closed after this time, or after twice as long
FRAGMENTS = 1_000  # of a message
REQUEST_S = 600.0  # from a request's headers to the end of its response
_HOSTS = list(LOCAL)  # patterns of the names that are answered


def is_open() -> bool:
    """Return whether other machines can reach the server."""
    address = config.get_option("server.address") or ""
    if address.lower() in LOCAL:
        return False
    try:
        return not ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True


def settle() -> None:
    """Set what follows from the address: the hosts that are answered, and whether paths of this machine may be named.

    `server.allowedHosts` is emptied: Streamlit checks the WebSocket alone by it, and knows no rule for IP addresses.
    """
    given = [name for entry in config.get_option("server.allowedHosts") or () for name in entry.replace(",", " ").split()]
    address = config.get_option("server.address") or ""
    named = [address] if address not in EVERYWHERE else []
    here = [socket.gethostname()] if is_open() else []
    _HOSTS[:] = [_plain(name) for name in (*LOCAL, *named, *here, *given)]
    config.set_option("server.allowedHosts", [])
    if is_open() and not os.environ.get("ELMOSCOPE_PATHS", "").strip():
        os.environ["ELMOSCOPE_PATHS"] = "off"


def answers_to(host: str) -> bool:
    """Return whether a host is this server's. One that is open to other machines has any IP address, as none can be pointed elsewhere."""
    name = _plain(host)
    return any(fnmatchcase(name, pattern) for pattern in _HOSTS) or (is_open() and _is_ip(name))


def _plain(host: str) -> str:
    return host.lower().strip("[]").rstrip(".")


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def serving(ahead: Callable[[object], AbstractAsyncContextManager[None]]) -> Callable[[object], AbstractAsyncContextManager[None]]:
    """Return the server's lifespan: what `ahead` opens before the first answer, then listening on both of localhost's addresses."""

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        bound_connections()
        async with ahead(app):
            second = None if is_open() else _second(app)
            task = second and asyncio.create_task(second[0].serve(sockets=[second[1]]))
            _announce()
            yield
            if second:
                second[0].should_exit = True
                await task

    return lifespan


class _Second(uvicorn.Server):
    """A server that leaves signals to the first one, which stops it."""

    capture_signals = staticmethod(nullcontext)


def _second(app: object) -> tuple[_Second, socket.socket] | None:
    """Return a server of the same app for IPv6 and its socket, or None where the address is taken or the machine has no IPv6."""
    if (config.get_option("server.address") or "").lower() not in ("localhost", "127.0.0.1"):
        return None
    with suppress(OSError):
        bound = socket.create_server(("::1", int(config.get_option("server.port"))), family=socket.AF_INET6)
        bound.setblocking(False)
        return _Second(uvicorn.Config(app, lifespan="off", **_get_uvicorn_config_kwargs())), bound
    return None


def _announce() -> None:
    """Say where the app is. Streamlit would look up this machine's external address at a third party for that."""
    scheme = "https" if config.get_option("server.sslCertFile") else "http"
    end = f":{config.get_option('server.port')}/{config.get_option('server.baseUrlPath').strip('/')}"
    address = config.get_option("server.address") or ""
    local = address in EVERYWHERE or not is_open()
    click.echo(f"\n  Elmoscope: {scheme}://{'localhost' if local else address}{end}")
    if is_open():
        click.echo(f"  Open to other machines, as {scheme}://{socket.gethostname()}{end} or by this machine's IP address.")
    click.echo("")


class _Socket(WebSocketsSansIOProtocol):
    """A WebSocket that bounds what uvicorn's keeps without limit: a message's fragments, and answers to pings that nobody reads."""

    def handle_cont(self, event: Any) -> None:
        """Take a fragment of a message; too many end the connection."""
        if len(self.frames) >= FRAGMENTS:
            self.transport.abort()
        else:
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """Answer a ping, unless earlier answers wait to be read."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()


def bound_connections() -> None:
    """Bound the number of connections and the time that one may stay without a request, and the size of a browser's message.

    Streamlit passes no such settings on to uvicorn, so the bounds are put into the class of its connections.
    """
    made, most = H11Protocol.connection_made, _raise_open_files()

    def connection_made(self: H11Protocol, transport: asyncio.Transport) -> None:
        self.config.ws_max_size, self.ws_protocol_class = get_max_widget_state_size_bytes(), _Socket
        if len(self.connections) >= most:
            idle = next((other for other in self.connections if _is_idle(other)), None)
            (idle.transport if idle else transport).abort()
        made(self, transport)
        self.loop.call_later(SILENT_S, _close_silent, self, None, self.loop.time())

    H11Protocol.connection_made = connection_made


def _is_idle(connection: object) -> bool:
    """Return whether an HTTP connection waits for a request. A WebSocket's never does."""
    return isinstance(connection, H11Protocol) and (connection.cycle is None or connection.cycle.response_complete)


def _close_silent(connection: H11Protocol, seen: object, since: float) -> None:
    """Close a connection that was idle when it was last looked at and has had no request since, or whose request takes too long."""
    if connection not in connection.connections or connection.transport.is_closing():
        return  # it is gone, or a WebSocket now
    cycle, now = connection.cycle, connection.loop.time()
    since = since if cycle is seen else now
    if (_is_idle(connection) and cycle is seen) or now - since > REQUEST_S:
        connection.transport.abort()
    else:
        connection.loop.call_later(SILENT_S, _close_silent, connection, cycle, since)


def _raise_open_files() -> int:
    """Allow as many open files as connections need, and return the number of connections that there is room for."""
    try:
        import resource
    except ImportError:  # Windows
        return CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + FILES_BESIDE
    if 0 <= soft < wanted:
        soft = wanted if hard < 0 else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS if soft < 0 else min(CONNECTIONS, max(soft - FILES_BESIDE, soft // 2))
