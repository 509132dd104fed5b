"""Test that a cluster listens only on its machine by default, and that commands warn of an open cluster without TLS."""

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.cli.shared import cluster_of
from core.cluster.jobs import is_unprotected, scheduler_command, worker_command
from core.common.config import ROOT
from core.common.errors import BadInput
from tests.raw_client import free_port

LOOPBACK = "0100007F"  # 127.0.0.1 in the form of /proc
LISTENING = "0A"


def find_sockets(process: subprocess.Popen) -> set[tuple[str, str]]:
    """Return the address and the port of every socket on which a process listens, in the form of /proc."""
    links = [os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir() if path.is_symlink()]
    inodes = {link.removeprefix("socket:[").removesuffix("]") for link in links}
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()]
    return {tuple(row[1].split(":")) for row in rows if row[3] == LISTENING and row[9] in inodes}


def start(command: str, *options: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *shlex.split(command)[1:], *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_sockets(process: subprocess.Popen, n_sockets: int) -> set[tuple[str, str]]:
    deadline = time.monotonic() + 60
    while len(sockets := find_sockets(process)) < n_sockets and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    return sockets


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_proposed_commands_listen_only_on_this_machine():
    port = free_port()
    processes = [start(scheduler_command(), "--port", str(port), "--dashboard-address", "127.0.0.1:0")]
    try:
        assert {address for address, _ in wait_for_sockets(processes[0], 2)} == {LOOPBACK}
        processes.append(start(worker_command(f"tcp://127.0.0.1:{port}"), "--no-nanny"))
        assert {address for address, _ in wait_for_sockets(processes[1], 2)} == {LOOPBACK}
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_readme_has_the_commands_of_the_messages():
    text = (ROOT / "core" / "cluster" / "README.md").read_text(encoding="utf-8")
    assert f"\n{scheduler_command()}\n" in text
    for name in ("--host=127.0.0.1", "--dashboard-address=127.0.0.1:0"):
        assert name in re.search(r"^python -m dask worker .*$", text, re.MULTILINE)[0] and name in worker_command("tcp://127.0.0.1:8786")
    assert "unpickle" in text and "password" in text and "tls://" in text


def test_scheduler_on_another_machine_without_tls_is_unprotected():
    for address in ("tcp://10.0.0.7:8786", "a.example:8786", "10.0.0.7:1", "ws://10.0.0.7:1", "tcp://[2001:db8::1]:8786", "TCP://A:1"):
        assert is_unprotected(address) and "--host" not in worker_command(address), address
    here = ("tcp://127.0.0.1:8786", "tcp://127.0.1.9:1", "localhost:8786", "tcp://[::1]:8786", "inproc://1/2")
    assert [address for address in (*here, "tls://10.0.0.7:8786", "TLS://A:1", "wss://a:1") if is_unprotected(address)] == []


@pytest.mark.parametrize(
    ("address", "has_warning"),
    [("tcp://scheduler.invalid:8786", True), ("tls://scheduler.invalid:8786", False), ("tcp://127.0.0.1:9", False)],
)
def test_command_warns_of_an_unprotected_cluster_and_continues(address, has_warning, capsys, monkeypatch):
    monkeypatch.setattr("core.cluster.jobs.CONNECT_S", 0.3)
    with pytest.raises(BadInput, match="No Dask scheduler answers"), cluster_of(address):
        pass
    error = capsys.readouterr().err
    assert ("without TLS" in error and address in error and "core/cluster/README.md" in error) is has_warning
