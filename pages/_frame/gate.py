"""Check the host, origin, path and uploads of every request before Streamlit handles it.

Each check is a function for one kind of input. It refuses by raising HTTPException.
"""

import asyncio
import re
from collections import defaultdict

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
CORE_ROUTES = ("health", "host-config", "stream", "bidi-components/", "upload_file")  # below _stcore, that the app uses
ACCOUNT_ROUTES = ("auth/", "oauth2callback")
ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
UPLOAD = re.compile(f"upload_file/({ID})/({ID})")
MESSAGES = ("rerun_script", "stop_script", "app_heartbeat")
OPERATIONS = ("deferred_file", "dataframe_chunk")  # a download that is computed on request, additional rows of a table
BODY_S = 300.0  # from the first to the last byte of an upload
MAX_SOCKETS = 1_000  # pages connected at the same time
FIRST_MESSAGE_S = 30.0  # a page sends its first message as soon as it is connected
PIECE = 1 << 18  # bytes of a response that are passed on at a time
MB = 1_000_000
SHARES = 5  # all sessions together may upload as much as this number of sessions


class Gate:
    """The first middleware. It refuses requests that no page sends, and bounds the size of the others."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._prefix = f"/{config.get_option('server.baseUrlPath').strip('/')}".rstrip("/") + "/"
        self._uploads = Uploads()
        self._n_sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path = scope["path"].removeprefix(self._prefix)
        is_upload = path.startswith(f"{CORE}upload_file")
        upload = UPLOAD.fullmatch(path.removeprefix(CORE)) if is_upload else None
        try:
            if len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") > LONGEST_ADDRESS:
                raise refusal(414, f"The address has more than {LONGEST_ADDRESS:,} characters.")
            check_host(scope)
            check_origin(scope)
            check_route(path)
            if is_upload:
                check_upload(upload and upload[1], scope["method"])
            if scope["type"] == "websocket" and self._n_sockets >= MAX_SOCKETS:
                raise refusal(503, f"This server has {MAX_SOCKETS:,} open pages, which is its limit. Try again later.")
        except HTTPException as error:
            await PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        elif upload:
            await self._uploads.receive_upload(self._app, upload[1], scope, receive, send)
        else:
            await self._app(scope, receive, split_body(send))

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Connect a page to Streamlit without the checked origin: Streamlit would look up this machine's addresses to check it."""
        scope["headers"] = [(name, value) for name, value in scope["headers"] if name != b"origin"]
        self._n_sockets += 1
        try:
            await self._app(scope, filter_messages(require_message(receive)), send)
        finally:
            self._n_sockets -= 1
            self._uploads.free_ended()


def refusal(status: int, sentence: str) -> HTTPException:
    """Return an exception that answers with a status and a sentence and ends the connection."""
    return HTTPException(status, sentence, {"Connection": "close"})


def check_host(scope: Scope) -> None:
    """Refuse a foreign host name. A website could point its own name at this machine and read the responses (DNS rebinding)."""
    parts = HOST.fullmatch(_single_header(scope, b"host") or "")
    if not parts:
        raise refusal(400, "The request names no valid host. Open the server by its name.")
    if not answers_to(parts[1]):
        name = shorten(parts[1], 100)
        raise refusal(403, f'This server does not answer to "{name}". If it is yours, name the host: STREAMLIT_SERVER_ALLOWED_HOSTS={name}')


def check_origin(scope: Scope) -> None:
    """Refuse requests from pages of other websites. The Host header alone determines this server's origin. Other clients send none."""
    if not any(name == b"origin" for name, _ in scope["headers"]):
        return
    origin, host = _single_header(scope, b"origin") or "", _single_header(scope, b"host") or ""
    if not is_same_origin(origin, host) and not is_allowed_origin(origin):
        raise refusal(403, f'Pages of "{shorten(origin, 100)}" may not use this server. Behind a proxy, pass the Host header on unchanged.')


def is_same_origin(origin: str, host: str) -> bool:
    """Return whether an origin has the host and port of a Host header. A missing port is the default port of the origin's scheme."""
    scheme, _, place = origin.partition("://")
    parts = [HOST.fullmatch(text) for text in (place, host)]
    first, second = ((match[1].lower(), match[2] or PORTS.get(scheme)) if match else None for match in parts)
    return scheme in PORTS and first is not None and first == second


def check_route(path: str) -> None:
    """Refuse the routes of Streamlit that the app does not use, such as metrics, on open and on public servers."""
    is_unused = path.startswith(ACCOUNT_ROUTES) or (path.startswith(CORE) and not path.removeprefix(CORE).startswith(CORE_ROUTES))
    if is_unused and (is_open() or is_public()):
        raise refusal(404, "This server has no such page.")


def check_upload(session: str | None, method: str) -> None:
    """Refuse an upload, before a byte is read, if uploads are off, its address is invalid, or its page is closed."""
    if not limits().uploads:
        raise refusal(403, "Uploads are off on this server (ELMOSCOPE_UPLOADS).")
    if session is None or method not in ("PUT", "DELETE", "OPTIONS"):
        raise refusal(404, "There is no such upload.")
    if not runtime.get_instance().is_active_session(session):
        raise refusal(400, "The page of this upload is closed. Open it again.")


class Uploads:
    """The files that sessions have uploaded, with limits for one session and for all. Streamlit bounds one file."""

    def __init__(self) -> None:
        self._arrived: dict[str, dict[object, int]] = defaultdict(dict)  # bytes so far of each upload in progress, by session

    async def receive_upload(self, app: ASGIApp, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload to the app and count its bytes as they arrive. Raises HTTPException before too many are stored."""
        deadline = asyncio.get_running_loop().time() + BODY_S
        upload = object()
        self._arrived[session][upload] = 0

        async def receive_counted() -> Message:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                raise refusal(408, f"The upload took more than {BODY_S:.0f} s. Try again.") from None
            self._arrived[session][upload] += len(message.get("body", b""))
            self._check_room(session)
            return message

        try:
            await app(scope, receive_counted, send)
        finally:
            del self._arrived[session][upload]
            if not self._arrived[session]:
                del self._arrived[session]

    def free_ended(self) -> None:
        manager = _manager()
        for session in [session for session in manager.file_storage if not runtime.get_instance().is_active_session(session)]:
            manager.remove_session_files(session)

    def _check_room(self, session: str) -> None:
        """Refuse uploads of a session beyond its limit. At the limit of all sessions, free the files of larger sessions first."""
        caps = limits()
        sizes = self._count_bytes()
        max_bytes = 2 * caps.max_unpacked_mb * MB
        n_files = len(_manager().file_storage.get(session, ())) + len(self._arrived[session])
        if sizes[session] > max_bytes or n_files > caps.max_files:
            raise refusal(413, f"A visit may upload {max_bytes // MB:,} MB and {caps.max_files:,} files at once. Remove some.")
        while sum(sizes.values()) > SHARES * max_bytes:
            largest = max(_manager().file_storage, key=lambda key: sizes[key], default=session)
            if sizes[largest] <= sizes[session]:
                raise refusal(503, "Too many files are sent at this time. Try again later.")
            _manager().remove_session_files(largest)
            sizes = self._count_bytes()

    def _count_bytes(self) -> dict[str, int]:
        sizes = defaultdict(int, {session: sum(uploads.values()) for session, uploads in self._arrived.items()})
        for session, files in list(_manager().file_storage.items()):
            sizes[session] += sum(len(file.data) for file in list(files.values()))
        return sizes


def _manager() -> MemoryUploadedFileManager:
    return runtime.get_instance().uploaded_file_mgr


def is_known_message(data: bytes) -> bool:
    """Return whether the app's pages send such a message. Others could clear all caches or write into the app's folder."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return True  # Streamlit closes the connection and states the reason
    kind = message.WhichOneof("type")
    if kind == "file_urls_request":
        return limits().uploads and len(message.file_urls_request.file_names) <= limits().max_files
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in OPERATIONS
    return kind in MESSAGES


def filter_messages(receive: Receive) -> Receive:
    """Wrap `receive` to skip messages that no page sends."""

    async def receive_known() -> Message:
        message = await receive()
        while message["type"] == "websocket.receive" and not is_known_message(message.get("bytes") or b""):
            message = await receive()
        return message

    return receive_known


def require_message(receive: Receive) -> Receive:
    """Wrap `receive` to end a connection that sends no message after the handshake."""
    timeouts = iter((FIRST_MESSAGE_S, FIRST_MESSAGE_S))  # for the handshake and the first message

    async def receive_in_time() -> Message:
        try:
            async with asyncio.timeout(next(timeouts, None)):
                return await receive()
        except TimeoutError:
            return {"type": "websocket.disconnect", "code": 1008}

    return receive_in_time


def split_body(send: Send) -> Send:
    """Wrap `send` to split a large body, so that the connection of a slow client buffers one piece."""

    async def send_pieces(message: Message) -> None:
        body = message.get("body", b"")
        for start in range(0, len(body) - PIECE, PIECE):
            await send({"type": "http.response.body", "body": body[start : start + PIECE], "more_body": True})
        rest = (len(body) - 1) // PIECE * PIECE if len(body) > PIECE else 0
        await send({**message, "body": body[rest:]} if rest else message)

    return send_pieces


def _single_header(scope: Scope, name: bytes) -> str | None:
    """Return the value of a header, or None if it is missing or repeated."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else None
