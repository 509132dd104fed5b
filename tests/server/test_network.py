"""Test which requests real servers accept from the network: README's command, and the Dockerfile's environment behind a proxy."""

import contextlib
import itertools
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pages._frame import listening
from tests.raw_client import LOCAL, PUBLIC, ROOT, XSRF, Client, Server, multipart
from tests.server.conftest import ALLOWED_HOST

pytestmark = pytest.mark.slow
UNUSED_ID = "b406b738-a4a0-4ac8-b378-59d598a79409"
MB = 1_000_000
LOOK_UP_S = 10.0
LOOPBACK = {"0100007F", "00000000000000000000000001000000"}  # 127.0.0.1 and ::1 in the form of /proc


@pytest.fixture(scope="module")
def silent_connections(local) -> list[socket.socket]:
    """Open connections that never send a complete request."""
    connections = [local.connect() for _ in range(100)]
    for connection in connections[::2]:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    return connections


@pytest.fixture(params=[LOCAL, PUBLIC])
def server(request) -> Server:
    return request.getfixturevalue(request.param)


def connect_refused(server: Server, **options) -> tuple[int, str]:
    """Check that the server refuses a WebSocket, and return the status and the sentence of the refusal."""
    with pytest.raises(InvalidStatus) as error, Client(server, **options):
        pass
    return error.value.response.status_code, error.value.response.body.decode()


def test_readmes_command_listens_only_on_this_machine(local, silent_connections):
    assert "0100007F" in local.find_addresses() and local.find_addresses() <= LOOPBACK
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing
        address = probe.getsockname()[0]
        with pytest.raises(OSError):
            socket.create_connection((address, local.port), timeout=5)


@pytest.mark.skipif("1" not in Path("/proc/net/if_inet6").read_text() if Path("/proc/net/if_inet6").exists() else True, reason="no IPv6")
def test_local_server_answers_over_ipv6(local):
    with Client(Server(local.process, "::1", local.port, local.log)) as client:
        assert "bank" in client.run("", "a=We+sat+on+the+bank.&ai=bank").text


def test_the_dockerfiles_server_is_open_and_its_health_check_passes(public):
    assert public.find_addresses() & {"00000000", "0" * 32}
    check = re.search(r'HEALTHCHECK .*\\\n\s*CMD \["python", "-c", "(.*)"\]', (ROOT / ".deploy" / "Dockerfile").read_text("utf-8"))[1]
    subprocess.run([sys.executable, "-c", check.replace("8501", str(public.port))], check=True, timeout=60)


@pytest.mark.parametrize("path", ["/", "/texts?find=bank", "/_stcore/health", "/_stcore/host-config", "/media/a.html"])
def test_website_that_points_its_name_at_the_server_is_refused(server, path):
    answer = server.request("GET", path, host=f"other.test:{server.port}")
    assert answer.status == 403 and answer.seconds < LOOK_UP_S
    assert answer.text.startswith('This server does not answer to "other.test".')
    status, sentence = connect_refused(server, host=f"other.test:{server.port}")
    assert status == 403 and sentence == answer.text


def test_foreign_origins_are_refused_at_once_without_a_network(local):
    path, (body, headers) = f"/_stcore/upload_file/{UNUSED_ID}/{UNUSED_ID}", multipart("a.txt", b"x")
    for k in range(20):
        start = time.monotonic()
        for origin in (f"http://other{k}.test", f"http://localhost:{3000 + k}", "null"):
            status, sentence = connect_refused(local, origin=origin)
            assert status == 403 and "may not use this server" in sentence
        assert local.request("PUT", path, body, headers | XSRF | {"Origin": f"http://other{k}.test"}).status == 403
        assert time.monotonic() - start < LOOK_UP_S  # 3 ms on idle cores


@pytest.mark.parametrize("host", [ALLOWED_HOST, f"{ALLOWED_HOST}:443"])
def test_page_behind_a_proxy_with_tls_has_the_same_origin(public, host):
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "other.test", "X-Forwarded-For": "198.51.100.7"}
    with Client(public, host=host, origin=f"https://{ALLOWED_HOST}", headers=forwarded) as client:
        assert "bank" in client.run("", "a=We+sat+on+the+bank.&ai=bank").text
    assert connect_refused(public, host=host, origin="https://other.test", headers=forwarded)[0] == 403


def test_public_server_refuses_uploads(public):
    with Client(public) as client:
        client.run("texts")
        path = f"/_stcore/upload_file/{client.session}/{UNUSED_ID}"
        with public.growing_at_most(60):
            for k in range(150):
                body, headers = multipart(f"{k}.txt", bytes(MB))
                with contextlib.suppress(ConnectionError):  # the server closed the connection before the end of the body
                    answer = public.request("PUT", path, body if k % 2 else iter([body[:1000], body[1000:]]), headers | XSRF)
                    assert answer.status == 403 and "ELMOSCOPE_UPLOADS" in answer.text


def test_session_on_a_local_server_uploads_files_up_to_its_limit(local):
    with Client(local) as client:
        client.run("texts", "corpus_way=files")
        statuses = []
        with local.growing_at_most(80):
            for k in range(40):
                path, _ = client.upload_url()
                body, headers = multipart(f"{k}.txt", bytes(2 * MB))
                statuses.append(local.request("PUT", path, body if k % 2 else iter([body[:MB], body[MB:]]), headers | XSRF).status)
        assert statuses[:4] == [204] * 4 and set(statuses[5:]) == {413}
    body, headers = multipart("a.txt", b"x")  # of a longer one the rest would be sent to a closed connection
    assert local.request("PUT", path, body, headers | XSRF).status == 400
    with Client(local) as client:  # the uploads of the first session do not block this one
        client.run("texts", "corpus_way=files")
        path, _ = client.upload_url()
        assert local.request("PUT", path, body, headers | XSRF).status == 204


def test_endless_addresses_and_headers_are_refused_in_little_memory(public):
    with public.growing_at_most(30):
        for head in (b"GET /?a=", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"GET / HTTP/1.1\r\nHost: localhost\r\n", b""):
            part = b"X-A: b\r\n" * 20_000 if head.endswith(b"\n") else b"a" * 160_000
            answer = public.send_raw([head, *[part] * 64], 20)  # 10 MB
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer[:100]
    assert public.request("GET", "/").status == 200


HANDSHAKE = "GET /_stcore/stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
HANDSHAKE += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"


def test_too_large_message_and_endless_fragments_end_the_connection(public):
    for message in (bytes(60 * MB), iter([bytes(MB)] * 60)):
        with public.growing_at_most(100), Client(public) as client, pytest.raises(ConnectionClosed):
            client.socket.send(message)
            client.wait()
    with public.growing_at_most(30), public.connect(20) as connection:
        connection.sendall(HANDSHAKE.encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 101")
        with pytest.raises(ConnectionError):
            for part in (b"\x02\x80" + bytes(4), *[(b"\x00\x80" + bytes(4)) * 10_000] * 60):
                connection.sendall(part)


def test_messages_that_no_page_sends_are_ignored(server):
    skills = BackMsg()
    skills.backend_operation_request.install_skills.SetInParent()
    many = BackMsg()
    many.file_urls_request.file_names.extend([""] * 500_000)
    with server.growing_at_most(100), Client(server) as client:
        client.run("")
        for message in (skills, many, BackMsg(clear_cache=True), BackMsg(debug_shutdown_runtime=True), BackMsg(load_git_info=True)):
            client.send(message)
        client.send_run("", "a=We+sat+on+the+bank.&ai=bank")
        kinds = set(itertools.takewhile(lambda kind: kind != "script_finished", (m.WhichOneof("type") for m in client.messages())))
        assert "bank" in client.page.text and not {"file_urls_response", "backend_operation_response", "git_info_changed"} & kinds
    assert not [path for path in ROOT.rglob("SKILL.md") if ".venv" not in path.parts]


def test_silent_connections_are_closed(local, silent_connections):
    assert listening.SILENT_S <= 15  # the server of this test has 5 s
    for connection in silent_connections:
        connection.settimeout(30)
        with contextlib.suppress(ConnectionResetError), connection:
            assert connection.recv(100) == b""
    assert local.request("GET", "/").status == 200


def test_server_connects_to_no_other_machine(local):
    """Check the log of all other tests. This one must be the last."""
    assert local.network_log.read_text() == ""
    assert "localhost" in local.log.read_text() and "Traceback" not in local.log.read_text()
