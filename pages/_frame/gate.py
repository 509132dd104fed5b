"""Check every request before Streamlit handles it: the host it names, where it comes from, its path, and what it uploads.

A check is one function for one kind of input. It returns a refusal, or None.
"""

import asyncio
import re
from collections import defaultdict
from dataclasses import dataclass

from google.protobuf.message import DecodeError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.web.server.server_util import is_allowed_origin

from core.common.limits import is_public, limits
from core.common.markup import shorten
from core.common.short_links import LONGEST_ADDRESS
from pages._frame.listening import answers_to, is_open

HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[0-9a-z_.-]{1,253})(?::([0-9]{1,5}))?", re.IGNORECASE)
PORTS = {"http": "80", "https": "443"}
CORE = "_stcore/"
USED = ("health", "host-config", "stream", "bidi-components/", "upload_file")  # below _stcore, by every server
ACCOUNTS = ("auth/", "oauth2callback")
ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
UPLOAD = re.compile(f"upload_file/({ID})/({ID})")
MESSAGES = ("rerun_script", "stop_script", "app_heartbeat")
OPERATIONS = ("deferred_file", "dataframe_chunk")  # a download made when it is asked for, a table's further rows
BODY_S = 300.0  # for an upload, from its first byte to its last
SOCKETS = 1_000  # visitors at once
FIRST_MESSAGE_S = 30.0  # a page sends one as soon as it is connected
PIECE = 1 << 18  # bytes of a response that are handed over at once
MB = 1_000_000
VISITS = 5  # that the room for uploads in all is made for


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a request is refused, as a status and a sentence."""

    status: int
    sentence: str


class Gate:
    """The first middleware: refuses what no page asks for, and bounds what is taken."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._prefix = f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/") + "/"
        self._uploads = Uploads()
        self._sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(self._prefix)
        refusal = check_address(scope) or check_host(scope) or check_origin(scope) or check_route(path)
        upload = UPLOAD.fullmatch(path.removeprefix(CORE)) if path.startswith(f"{CORE}upload_file") else None
        if refusal is None and path.startswith(f"{CORE}upload_file"):
            refusal = check_upload(upload and upload[1], scope["method"])
        if refusal is None and scope["type"] == "websocket" and self._sockets >= SOCKETS:
            refusal = Refusal(503, f"This server has {SOCKETS:,} visitors, which is its limit. Try again later.")
        if refusal is not None:
            answer = PlainTextResponse(refusal.sentence + "\n", refusal.status, headers={"Connection": "close"})
            await answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._visit(scope, receive, send)
        elif upload:
            await self._uploads.take(self._app, upload[1], scope, receive, send)
        else:
            await self._app(scope, receive, in_pieces(send))

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a page. The origin was checked, so it is left out: Streamlit would look up this machine's addresses to check it again."""
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        self._sockets += 1
        try:
            await self._app(scope, checked(soon(receive)), send)
        finally:
            self._sockets -= 1
            self._uploads.forget_ended()


def check_address(scope: Scope) -> Refusal | None:
    """Refuse a path with parameters that is longer than any page's."""
    if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > LONGEST_ADDRESS:
        return Refusal(414, f"The address has more than {LONGEST_ADDRESS:,} characters.")
    return None


def check_host(scope: Scope) -> Refusal | None:
    """Refuse a host that is not this server's: a website could point its own name at this machine, and read what the app answers."""
    parts = HOST.fullmatch(_only(scope, b"host") or "")
    if parts and answers_to(parts[1]):
        return None
    if not parts:
        return Refusal(400, "The request names no valid host. Open the server by its name.")
    name = shorten(parts[1], 100)
    return Refusal(403, f'This server does not answer to "{name}". If it is yours, name the host: STREAMLIT_SERVER_ALLOWED_HOSTS={name}')


def check_origin(scope: Scope) -> Refusal | None:
    """Refuse requests of another website's pages. What is no browser sends no origin.

    The Host header says which origin is the server's own, also behind a proxy, whatever it says of other headers.
    """
    if not any(name == b"origin" for name, _ in scope["headers"]):
        return None
    origin, host = _only(scope, b"origin") or "", _only(scope, b"host") or ""
    if is_same_origin(origin, host) or is_allowed_origin(origin):
        return None
    return Refusal(403, f'Pages of "{shorten(origin, 100)}" may not use this server. Behind a proxy, pass the Host header on unchanged.')


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an origin has the host and port of a Host header; a port that is left out is that of the origin's scheme."""
    scheme, _, place = origin.partition("://")
    port = PORTS.get(scheme)
    theirs, ours = HOST.fullmatch(place), HOST.fullmatch(host)
    if port is None or not theirs or not ours:
        return False
    return theirs[1].lower() == ours[1].lower() and (theirs[2] or port) == (ours[2] or port)


def check_route(path: str) -> Refusal | None:
    """Refuse Streamlit's routes that the app does not use, metrics among them, where others than this machine's user may ask."""
    unused = path.startswith(ACCOUNTS) or (path.startswith(CORE) and not path.removeprefix(CORE).startswith(USED))
    return Refusal(404, "This server has no such page.") if unused and (is_open() or is_public()) else None


def check_upload(session: str | None, method: str) -> Refusal | None:
    """Refuse files where uploads are off, and those whose ids the server has not given out, before a byte is read."""
    if not limits().uploads:
        return Refusal(403, "Uploads are off on this server (ELMOSCOPE_UPLOADS).")
    if session is None or method not in ("PUT", "DELETE", "OPTIONS"):
        return Refusal(404, "There is no such upload.")
    if not runtime.get_instance().is_active_session(session):
        return Refusal(400, "The page of this upload is closed. Open it again.")
    return None


@dataclass(eq=False, slots=True)
class Coming:
    """An upload in progress."""

    size: int = 0


class Uploads:
    """The files that visits have sent, with bounds for one visit and for all. Streamlit bounds one file (`server.maxUploadSize`)."""

    def __init__(self) -> None:
        self._coming: dict[str, list[Coming]] = defaultdict(list)  # by session

    async def take(self, app: ASGIApp, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and count its bytes as they come; too many end it with a sentence, before they are kept."""
        end, came = asyncio.get_running_loop().time() + BODY_S, Coming()
        self._coming[session].append(came)

        async def counted() -> Message:
            try:
                async with asyncio.timeout_at(end):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, f"The file was not here after {BODY_S:.0f} s.", {"Connection": "close"}) from None
            came.size += len(message.get("body", b""))
            if refusal := self._check_room(session):
                raise HTTPException(refusal.status, refusal.sentence, {"Connection": "close"})
            return message

        try:
            await app(scope, counted, send)
        finally:
            self._coming[session].remove(came)
            if not self._coming[session]:
                del self._coming[session]

    def forget_ended(self) -> None:
        """Free what was sent by visits that have ended."""
        server, manager = runtime.get_instance(), _manager()
        for session in [session for session in manager.file_storage if not server.is_active_session(session)]:
            manager.remove_session_files(session)

    def _check_room(self, session: str) -> Refusal | None:
        """Refuse what is over a bound. Where the room for all is used up, the visit that holds most loses its files, if it holds more."""
        caps, held = limits(), self._held()
        most = 2 * caps.max_unpacked_mb * MB
        files = len(_manager().file_storage.get(session, ())) + len(self._coming[session])
        if held[session] > most or files > caps.max_files:
            return Refusal(413, f"A visit may send {most // MB:,} MB and {caps.max_files:,} files at once.")
        while sum(held.values()) > VISITS * most:
            largest = max(_manager().file_storage, key=lambda other: held[other], default=session)
            if held[largest] <= held[session]:
                return Refusal(503, "Too many files are sent at this time. Try again later.")
            _manager().remove_session_files(largest)
            held = self._held()
        return None

    def _held(self) -> dict[str, int]:
        """Return the bytes in memory by session."""
        held = defaultdict(int, {session: sum(request.size for request in coming) for session, coming in self._coming.items()})
        for session, files in list(_manager().file_storage.items()):
            held[session] += sum(len(file.data) for file in list(files.values()))
        return held


def _manager() -> MemoryUploadedFileManager:
    return runtime.get_instance().uploaded_file_mgr


def check_message(data: bytes) -> bool:
    """Return whether a page's message is one that the app's pages send.

    Others would empty everybody's caches, write into the app's folder, or ask for millions of upload addresses at once.
    """
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return True  # Streamlit closes the connection, and says why
    kind = message.WhichOneof("type")
    if kind == "file_urls_request":
        return limits().uploads and len(message.file_urls_request.file_names) <= limits().max_files
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in MESSAGES


def checked(receive: Receive) -> Receive:
    """Return `receive` that leaves out messages which no page sends."""

    async def passed() -> Message:
        message = await receive()
        while message["type"] == "websocket.receive" and not check_message(message.get("bytes") or b""):
            message = await receive()
        return message

    return passed


def soon(receive: Receive) -> Receive:
    """Return `receive` that ends a connection over which no message comes after the handshake."""
    waiting = 2  # the handshake, and the first message

    async def bounded() -> Message:
        nonlocal waiting
        waiting -= 1
        if waiting < 0:
            return await receive()
        try:
            async with asyncio.timeout(FIRST_MESSAGE_S):
                return await receive()
        except TimeoutError:
            return {"type": "websocket.disconnect", "code": 1008}

    return bounded


def in_pieces(send: Send) -> Send:
    """Return `send` that hands a large body over piece by piece, so that one who does not read it holds one piece in memory."""

    async def sent(message: Message) -> None:
        body = message.get("body", b"")
        for start in range(0, len(body) - PIECE, PIECE):
            await send({"type": "http.response.body", "body": body[start : start + PIECE], "more_body": True})
        rest = (len(body) - 1) // PIECE * PIECE if len(body) > PIECE else 0
        await send({**message, "body": body[rest:]} if rest else message)

    return sent


def _only(scope: Scope, name: bytes) -> str | None:
    """Return the value of a header that is there once."""
    values = [value for other, value in scope["headers"] if other == name]
    return values[0].decode("latin-1") if len(values) == 1 else None
