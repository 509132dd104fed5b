"""Three real servers for all tests of this folder, without the preparations after the first visit, which would disturb measurements."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.raw_client import LOCAL, PUBLIC, RUN_WITHOUT_WARM_UP, STREAMLIT_RUN, Server, start_server

ALLOWED_HOST = "elmo.example.org"
OFFLINE = '''
"""Run Streamlit without a network: each connection to another machine is logged, and fails after ten seconds."""
import os, runpy, sys, time

LOG = open(sys.argv.pop(1), "a", buffering=1)
LOCAL_ADDRESSES = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "", None)

def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        place = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        place = arguments[1][0] if isinstance(arguments[1], tuple) else None
    else:
        return
    if (place.decode() if isinstance(place, bytes) else place) not in LOCAL_ADDRESSES:
        LOG.write(f"{event} {arguments}\\n")
        time.sleep(10)
        raise OSError("offline")

sys.addaudithook(refuse)
sys.path[0] = os.getcwd()  # as python -m
from pages._frame import listening
from pages._home import live

listening.SILENT_S = 5.0  # to wait for the end of silent connections
live.WARM_UP_AFTER_S = 86_400.0
runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
'''


@pytest.fixture(scope="package")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """README's command without a network. A session may upload 10 MB. `network_log` lists refused connections, `temporary` is TMPDIR."""
    folder = tmp_path_factory.mktemp("local")
    (folder / "offline.py").write_text(OFFLINE)
    (folder / "tmp").mkdir()
    command = (sys.executable, str(folder / "offline.py"), str(folder / "network.log"), *STREAMLIT_RUN[3:])
    environment = {"ELMOSCOPE_MAX_UNPACKED_MB": "5", "TMPDIR": str(folder / "tmp")}
    with start_server(LOCAL, folder / "server", environment=environment, command=command) as server:
        server.network_log, server.temporary = folder / "network.log", folder / "tmp"
        yield server


@pytest.fixture(scope="package")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The Dockerfile's environment behind a proxy, with five megabytes of disk space."""
    environment = {"STREAMLIT_SERVER_ALLOWED_HOSTS": ALLOWED_HOST, "ELMOSCOPE_MAX_DISK_MB": "5"}
    with start_server(PUBLIC, tmp_path_factory.mktemp("public"), environment=environment, command=RUN_WITHOUT_WARM_UP) as server:
        yield server


@pytest.fixture(scope="package")
def uploading(tmp_path_factory: pytest.TempPathFactory, built_index: Path) -> Iterator[Server]:
    """A public server with uploads and three places in the queue. The index of the bundled sentences is in its cache."""
    environment = {"ELMOSCOPE_UPLOADS": "on", "STREAMLIT_SERVER_MAX_UPLOAD_SIZE": "10", "ELMOSCOPE_MAX_WAITING": "3"}
    folder = tmp_path_factory.mktemp("uploading")
    with start_server(PUBLIC, folder, environment=environment, command=RUN_WITHOUT_WARM_UP, index=built_index) as server:
        yield server
