"""Test the server in front of Streamlit: preloaded scripts, files from memory, and refused requests."""

import asyncio
import os
import re
import socket
from types import SimpleNamespace
from unittest.mock import MagicMock
from urllib.parse import urlencode

import pytest
import uvicorn
from starlette.applications import Starlette
from streamlit import config, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import media_file_manager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from uvicorn.protocols.http.h11_impl import H11Protocol

from core.common.limits import limits
from pages._frame import gate, listening, server
from pages._frame.gate import Gate
from pages._frame.menu import list_views, page_address
from pages._frame.server import BY_PLOTLY, ON_EVERY_PAGE, PLOTLY, SCRIPTS, TABLE, WITHOUT_TABLE, FromMemory, routes, scripts


def page_of(content: bytes):
    async def page(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": content})

    return page


SESSION, FILE = "b406b738-a4a0-4ac8-b378-59d598a79409", "bfc22c90-4218-46f1-bbd9-53ebd466d258"
OWN, OPEN = "127.0.0.1", "0.0.0.0"


@pytest.fixture
def listen(monkeypatch):
    """Set the server's address, at first this machine's own, and its allowed hosts, as the start of a server does."""
    names = "server.address", "server.allowedHosts", "server.baseUrlPath"
    old_values = [config.get_option(name) for name in names]
    for variable in ("ELMOSCOPE_PUBLIC", "ELMOSCOPE_PATHS", "ELMOSCOPE_UPLOADS"):
        monkeypatch.setenv(variable, "")  # so that monkeypatch restores what `apply_address` sets
        monkeypatch.delenv(variable)

    def listen(address: str = OWN, hosts: tuple[str, ...] = (), base: str = "") -> None:
        for name, value in zip(names, (address, list(hosts), base), strict=True):
            config.set_option(name, value)
        listening.apply_address()

    listen()
    yield listen
    for name, value in zip(names, old_values, strict=True):
        config.set_option(name, value)


@pytest.fixture
def sessions(monkeypatch) -> SimpleNamespace:
    active = {SESSION}
    manager = MemoryUploadedFileManager("/_stcore/upload_file")
    instance = SimpleNamespace(is_active_session=active.__contains__, uploaded_file_mgr=manager, active=active)
    monkeypatch.setattr(runtime, "get_instance", lambda: instance)
    return instance


def request(path="/", host="localhost:8501", *headers: tuple[str, str], method="GET", kind="http", body=(), app=None, query=b""):
    """Send a request through the gate. In the result, `reached` is the scope that the app received, or None."""
    sent_messages, parts, result = [], list(body), SimpleNamespace(reached=None, read=0)

    async def receive() -> dict:
        result.read += 1
        if kind == "websocket":
            return {"type": "websocket.connect"}
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)} if parts else {"type": "http.disconnect"}

    async def send(message: dict) -> None:
        sent_messages.append(message)

    async def streamlit(scope, receive, send) -> None:
        result.reached = scope
        if app or kind == "http":
            await (app or page_of(b"page"))(scope, receive, send)

    named = [*([("host", host)] if host is not None else []), *headers]
    encoded = [(name.lower().encode(), value.encode("latin-1")) for name, value in named]
    scope = {"type": kind, "method": method, "path": path, "raw_path": path.encode(), "query_string": query, "headers": encoded}
    scope |= {"scheme": "http", "server": ("localhost", 80), "extensions": {"websocket.http.response": {}}}
    try:
        asyncio.run(Gate(streamlit)(scope, receive, send))
    except gate.HTTPException as error:  # Starlette turns it into a response
        result.status, result.text = error.status_code, error.detail
        return result
    result.status = sent_messages[0].get("status") if sent_messages else None
    result.headers = {name.decode(): value.decode() for name, value in sent_messages[0].get("headers", ())} if sent_messages else {}
    result.text = b"".join(message.get("body", b"") for message in sent_messages).decode("utf-8", "replace")
    result.bodies = [message["body"] for message in sent_messages if message.get("body")]
    return result


@pytest.mark.parametrize("view", list_views())
def test_document_preloads_the_scripts_that_its_view_needs(listen, view):
    file, parameters = page_address(view)
    path = "/" if file == "app.py" else "/" + file.removeprefix("pages/").removesuffix(".py")
    document = request(path, app=Starlette(routes=routes()), query=urlencode(parameters).encode())
    names = re.findall(r'rel="modulepreload" crossorigin href="\./static/js/([^"]+)"', document.text)
    assert len(names) == len(set(names)) and all((SCRIPTS / name).is_file() for name in names)
    kinds = {name.split(".")[0] for name in names}
    assert set(ON_EVERY_PAGE) <= kinds
    assert (PLOTLY in kinds) == (view in BY_PLOTLY) and (TABLE in kinds) == (view not in WITHOUT_TABLE)


def test_static_files_are_answered_from_memory(listen, monkeypatch):
    def fetch(path: str, method: str = "GET") -> SimpleNamespace:
        return request(path, method=method, app=FromMemory(page_of(b"of Streamlit")))

    names = scripts(True, True)
    for name in names:
        answered = fetch(f"/static/js/{name}")
        body, headers = b"".join(answered.bodies), answered.headers
        assert answered.status == 200 and body == (SCRIPTS / name).read_bytes() and int(headers["content-length"]) == len(body)
        assert headers["content-type"].startswith("application/javascript") and "immutable" in headers["cache-control"]
    for path in ("/static/js/../../index.html", "/_stcore/health", "/static/js/none.js"):
        assert fetch(path).text == "of Streamlit", path
    assert fetch(f"/static/js/{names[0]}", "HEAD").text == "of Streamlit"
    monkeypatch.setattr(server.st, "get_option", lambda name: "sub" if name == "server.baseUrlPath" else None)
    assert fetch(f"/sub/static/js/{names[0]}").text != "of Streamlit"


LOCAL = ["localhost", "localhost:8501", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8501", "[::1]:8501", "[::1]"]
INVALID = [None, "", "a b", "localhost@other.test", "other.test/localhost", "localhost:x", "localhost,other.test"]
INVALID += ["[::1", "http://localhost"]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(("address", "status"), [(OWN, 403), (OPEN, 200), ("::1", 403), ("::", 200)])
def test_server_answers_to_its_own_hosts_and_open_server_to_ip_addresses(listen, sessions, kind, address, status):
    listen(address)
    for host in LOCAL:
        assert request(host=host, kind=kind).reached, host
    for host in ["192.168.1.7:8501", "10.0.0.1", "[fe80::1]:8501", "8.8.8.8"]:
        assert bool(request(host=host, kind=kind).reached) == (status == 200), host
    for host in ["other.test", "other.test:8501", "localhost.other.test", "other.test.", "127.0.0.1.other.test:80", "xn--bcher-kva.test"]:
        refused = request(host=host, kind=kind)
        assert refused.status == 403 and not refused.reached, host
        assert refused.text.startswith(f'This server does not answer to "{host.split(":")[0]}".') and "ALLOWED_HOSTS=" in refused.text
    for host in INVALID:
        refused = request(host=host, kind=kind)
        assert refused.status == 400 and not refused.reached, host
    assert request("/", "localhost", ("Host", "other.test"), kind=kind).status == 400


@pytest.mark.parametrize(
    ("address", "named", "answered", "refused"),
    [
        (OPEN, "elmo.example.org", "elmo.example.org ELMO.example.org:443 localhost:8501 127.0.0.1:8501", "other.test"),
        (OPEN, "a.example.org,b.example.org", "b.example.org", "c.example.org"),  # the form of the environment variable
        (OPEN, "*.example.org", "a.example.org", "example.org.other.test"),
        *((OPEN, "*", "other.test", ""), (OPEN, "", socket.gethostname(), "elmo.example.org")),
        *((OWN, "elmo.example.org", "elmo.example.org", "other.test"), ("192.168.1.7", "", "192.168.1.7:8501", "other.test")),
        ("lab.example.org", "", "lab.example.org:8501", "other.test"),
    ],
)
def test_server_answers_to_allowed_hosts(listen, address, named, answered, refused):
    listen(address, (named,) if named else ())
    assert all(request(host=host).reached for host in answered.split())
    assert not any(request(host=host).reached for host in refused.split())


DOMAIN, PORT = "elmo.example.org", "localhost:8501"
SAME_ORIGIN = [(PORT, f"http://{PORT}"), ("[::1]:8501", "http://[::1]:8501"), ("Elmo.Example.Org", f"https://{DOMAIN}")]
SAME_ORIGIN += [(DOMAIN, f"https://{DOMAIN}"), (f"{DOMAIN}:443", f"https://{DOMAIN}")]  # a proxy with TLS
SAME_ORIGIN += [(f"{DOMAIN}:8443", f"https://{DOMAIN}:8443"), (DOMAIN, f"http://{DOMAIN}:80")]
# Also of another program on this machine, at another port.
OTHER_ORIGINS = ["http://other.test", "http://other.test:8501", "http://localhost:3000", "http://127.0.0.1:8501", "null", "", "file://"]
OTHER_ORIGINS += [f"http://{PORT}.other.test", f"http://{PORT}@other.test", f"http://{PORT}/", f"chrome-extension://{PORT}", "http://["]
OTHER_ORIGIN = [(DOMAIN, f"https://{DOMAIN}:8443"), *((PORT, origin) for origin in (*OTHER_ORIGINS, "\u00ff"))]


@pytest.mark.parametrize(("pairs", "allowed"), [(SAME_ORIGIN, True), (OTHER_ORIGIN, False)], ids=["same", "other"])
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_requests_from_another_origin_are_refused(listen, sessions, pairs, allowed, kind):
    listen(OPEN, (DOMAIN,))
    for host, origin in pairs:
        answered = request("/_stcore/stream", host, ("Origin", origin), ("X-Forwarded-Host", origin.partition("://")[2]), kind=kind)
        assert bool(answered.reached) == allowed, (host, origin)
        if allowed and kind == "websocket":
            assert not [name for name, _ in answered.reached["headers"] if name == b"origin"]  # Streamlit would look up addresses
        if not allowed:
            assert answered.status == 403 and answered.read == 0 and "may not use this server" in answered.text, (host, origin)
        assert request("/", host, ("Origin", f"http://{host}"), ("Origin", origin), kind=kind).status == 403, (host, origin)


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "OPTIONS", "GET"])
@pytest.mark.parametrize("path", [f"/_stcore/upload_file/{SESSION}/{FILE}", "/_stcore/upload_file/a/b", "/_stcore/upload_file"])
def test_upload_is_refused_before_a_byte_is_read_if_uploads_are_off(listen, sessions, monkeypatch, method, path):
    listen(OPEN)
    monkeypatch.setenv("ELMOSCOPE_PUBLIC", "on")
    refused = request(path, method=method, body=[b"x"])
    assert (refused.status, refused.read, refused.reached) == (403, 0, None) and "ELMOSCOPE_UPLOADS" in refused.text


def test_upload_needs_an_active_session_and_an_issued_id(listen, sessions):
    for method, status in (("PUT", 200), ("DELETE", 200), ("POST", 404)):
        assert request(f"/_stcore/upload_file/{SESSION}/{FILE}", method=method, body=[b"x"]).status == status, method
    for name in ("..", f"../{FILE}", f"{FILE}/x", f"{FILE}\n", "secret.csv"):
        assert request(f"/_stcore/upload_file/{SESSION}/{name}", method="PUT", body=[b"x"]).status == 404, name
    assert request(f"/_stcore/upload_file/{FILE}/{SESSION}", method="PUT", body=[b"x"]).status == 400  # not a session


def store_files(sessions, session: str, *sizes: int) -> None:
    manager = sessions.uploaded_file_mgr
    for k, size in enumerate(sizes):
        manager.add_file(session, UploadedFileRec(file_id=f"{len(manager.file_storage[session])}.{k}", name="a", type="", data=bytes(size)))


async def read_all(scope, receive, send) -> None:
    while (await receive()).get("more_body", False):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


UPLOADS = [((), [b"x" * 1000] * 3, 204), ((), [b"x" * 500_000] * 5, 413)]  # counted as it arrives, without a Content-Length
UPLOADS += [((1_500_000,), [b"x" * 600_000], 413), ((1_500_000,), [b"x" * 400_000], 204), ((10,), [b"x"], 204), ((10,) * 2, [b"x"], 413)]


@pytest.mark.parametrize(("sizes", "body", "status"), UPLOADS)
def test_uploads_of_a_session_are_limited_in_bytes_and_files(listen, sessions, monkeypatch, sizes, body, status):
    monkeypatch.setenv("ELMOSCOPE_MAX_UNPACKED_MB", "1")  # a session may upload twice as much
    monkeypatch.setenv("ELMOSCOPE_MAX_FILES", "2")
    store_files(sessions, SESSION, *sizes)
    answered = request(f"/_stcore/upload_file/{SESSION}/{FILE}", method="PUT", body=body, app=read_all)
    assert answered.status == status and answered.read <= 5
    assert status == 204 or answered.text == "A visit may upload 2 MB and 2 files at once. Remove some."


def test_largest_session_loses_its_files_for_a_smaller_one(listen, sessions, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_UNPACKED_MB", "1")
    for k in range(5):
        store_files(sessions, f"hostile {k}", 1_900_000 + k)
    assert request(f"/_stcore/upload_file/{SESSION}/{FILE}", method="PUT", body=[bytes(900_000)], app=read_all).status == 204
    stored_files = sessions.uploaded_file_mgr.file_storage
    assert "hostile 4" not in stored_files and "hostile 0" in stored_files
    store_files(sessions, SESSION, 1_999_000)
    store_files(sessions, "hostile 4", 1_900_000)
    assert request(f"/_stcore/upload_file/{SESSION}/{FILE}", method="PUT", body=[bytes(500)], app=read_all).status == 503


def test_files_of_ended_sessions_are_freed_when_a_page_is_closed(listen, sessions):
    store_files(sessions, SESSION, 10)
    store_files(sessions, "ended", 10)
    request("/_stcore/stream", kind="websocket")
    assert set(sessions.uploaded_file_mgr.file_storage) == {SESSION}


UNUSED = ["metrics", "metrics/", "script-health-check", "agent/mcp", "agent/interact", "agent/openapi.json", "new-in-another-version"]


@pytest.mark.parametrize(("address", "public", "base"), [(OWN, "", ""), (OWN, "on", ""), (OPEN, "", ""), (OPEN, "on", "sub/elmo")])
def test_unused_routes_of_streamlit_are_open_only_on_a_users_own_machine(listen, monkeypatch, address, public, base):
    listen(address, base=base)
    if public:
        monkeypatch.setenv("ELMOSCOPE_PUBLIC", public)
    base = f"/{base}".rstrip("/")
    for path in (*(f"{base}/_stcore/{name}" for name in UNUSED), f"{base}/auth/login", f"{base}/oauth2callback"):
        assert request(path).status == (200 if address == OWN and not public else 404), path
    for name in ("_stcore/health", "_stcore/host-config", "_stcore/bidi-components/a/b.js", "media/a.html", "static/js/a.js", "", "map"):
        assert request(f"{base}/{name}").status == 200, name


@pytest.mark.parametrize(("path", "query"), [("/" + "a" * 70_000, b""), ("/", b"a=" + b"%ea" * 30_000)])
def test_too_long_address_is_refused(listen, path, query):
    assert request(path, query=query).status == 414
    assert request("/", query=b"a=" + b"%ea%b0%80" * 4000).status == 200  # two sentences in Korean


def test_large_response_is_sent_in_pieces(listen):
    for size in (0, gate.PIECE, gate.PIECE + 1, 5 * gate.PIECE + 7):
        content = os.urandom(size)
        bodies = request(app=page_of(content)).bodies
        assert b"".join(bodies) == content and all(len(body) <= gate.PIECE for body in bodies)


def test_page_beyond_the_limit_is_refused_with_a_sentence(listen, sessions, monkeypatch):
    monkeypatch.setattr(gate, "MAX_SOCKETS", 0)
    refused = request("/_stcore/stream", kind="websocket")
    assert refused.status == 503 and refused.text == "This server has 0 open pages, which is its limit. Try again later.\n"


@pytest.mark.parametrize("address", [OWN, "localhost", "::1", OPEN, "", "::", "192.168.1.7", "lab.example.org"])
def test_paths_of_the_machine_are_off_on_an_open_server_by_default(listen, monkeypatch, address):
    listen(address)
    assert listening.is_open() != limits().paths == (address in (OWN, "localhost", "::1"))
    for given in ("on", "off"):
        monkeypatch.setenv("ELMOSCOPE_PATHS", given)
        listen(address)
        assert limits().paths == (given == "on")


@pytest.mark.parametrize("public", ["", "on"])
def test_only_messages_that_pages_send_reach_streamlit(listen, monkeypatch, public):
    if public:
        monkeypatch.setenv("ELMOSCOPE_PUBLIC", public)
    page, files, many, download, install, dismiss = (BackMsg() for _ in range(6))
    page.rerun_script.query_string = "a=x"
    files.file_urls_request.file_names.append("a.txt")
    many.file_urls_request.file_names.extend([""] * 100_000)
    download.backend_operation_request.deferred_file.file_id = "a"
    install.backend_operation_request.install_skills.SetInParent()
    dismiss.backend_operation_request.dismiss_skills_nudge.SetInParent()
    flags = ("clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime", "debug_disconnect_websocket")
    unknown = [*(BackMsg(**{flag: True}) for flag in flags), BackMsg(), install, dismiss]
    two_messages = page.SerializeToString() + unknown[0].SerializeToString()  # the last one counts
    contents = [message.SerializeToString() for message in (*unknown, many, files, page, download)] + [two_messages, b"\xff\xff"]
    queue = [{"type": "websocket.receive", "bytes": data} for data in contents]

    async def receive() -> dict:
        return queue.pop(0) if queue else {"type": "websocket.disconnect", "code": 1000}

    async def receive_all() -> list[bytes]:
        read = gate.filter_messages(receive)
        return [message["bytes"] for message in [await read() for _ in range(5 - bool(public))] if "bytes" in message]

    expected = [page.SerializeToString(), download.SerializeToString(), b"\xff\xff"]
    assert asyncio.run(receive_all()) == ([] if public else [files.SerializeToString()]) + expected


def test_connection_without_a_first_message_is_ended(listen, monkeypatch):
    monkeypatch.setattr(gate, "FIRST_MESSAGE_S", 0.01)
    queue = [{"type": "websocket.connect"}]

    async def receive() -> dict:
        if not queue:
            await asyncio.sleep(60)
        return queue.pop()

    async def receive_two() -> list[str]:
        read = gate.require_message(receive)
        return [(await read())["type"] for _ in range(2)]

    assert asyncio.run(receive_two()) == ["websocket.connect", "websocket.disconnect"]


def test_idle_connections_are_replaced_and_closed(monkeypatch):
    monkeypatch.setattr(H11Protocol, "connection_made", H11Protocol.connection_made)  # so that monkeypatch restores it after the test
    monkeypatch.setattr(listening, "_raise_open_files", lambda: 5)
    monkeypatch.setattr(listening, "SILENT_S", 0.5)
    listening.limit_connections()

    async def connect_many() -> tuple[bytes, list, int]:
        running = listening._SecondServer(uvicorn.Config(page_of(b"page"), lifespan="off", log_config=None))
        bound = socket.create_server(("127.0.0.1", 0))
        bound.setblocking(False)
        task = asyncio.create_task(running.serve(sockets=[bound]))
        place = bound.getsockname()
        idle = [await asyncio.open_connection(*place) for _ in range(20)]
        idle[-1][1].write(b"GET / HTTP/1.1\r\nHost: local")
        reader, writer = await asyncio.open_connection(*place)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        ends = await asyncio.gather(*(asyncio.wait_for(reader.read(), 60) for reader, _ in idle), return_exceptions=True)
        n_connections = len(running.server_state.connections)
        running.should_exit = True
        await task
        for _, writer in idle:
            writer.close()
        return answer, ends, n_connections

    answer, ends, n_connections = asyncio.run(connect_many())
    assert answer.endswith(b"page\r\n0\r\n\r\n") and n_connections == 0
    assert all(end == b"" or isinstance(end, ConnectionError) for end in ends)


def test_pings_are_answered_only_while_the_answers_are_read():
    handshake = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    handshake += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ping = b"\x89\x81" + bytes(5)

    async def page(scope, receive, send) -> None:
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass

    async def count_answers() -> list[int]:
        setting = uvicorn.Config(page, lifespan="off", log_config=None)
        setting.load()
        transport = MagicMock(get_extra_info=lambda name: None, is_closing=lambda: False)
        connection = listening._BoundedSocket(setting, uvicorn.server.ServerState(), {})
        connection.connection_made(transport)
        connection.data_received(handshake.encode())
        await asyncio.sleep(0.01)
        counts = []
        for step in (lambda: None, connection.pause_writing, connection.resume_writing):
            step()
            before = transport.write.call_count
            for _ in range(10):
                connection.data_received(ping)
            counts.append(transport.write.call_count - before)
        connection.connection_lost(None)
        await asyncio.sleep(0.01)
        return counts

    assert asyncio.run(count_answers()) == [10, 0, 10]


def test_download_can_be_fetched_while_other_pages_run(monkeypatch):
    server.middleware()
    clock = [0.0]
    monkeypatch.setattr(server.time, "monotonic", lambda: clock[0])
    manager = media_file_manager.MediaFileManager(MemoryMediaFileStorage("/media"))
    file = manager.execute_deferred(manager.add_deferred(lambda: b"cosines", "text/csv", "button", "a.csv")).rpartition("/")[2]
    for _ in range(5):  # ends of runs
        manager.remove_orphaned_files()
    assert manager.read_file(file).content == b"cosines"
    clock[0] = server.DOWNLOAD_LIFETIME_S + 1
    manager.remove_orphaned_files()
    assert manager.read_file(file) is None
