"""A cluster is open to its own machine alone, unless its user says otherwise; where it is open without TLS, a command says so."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.cli.shared import cluster_of
from core.cluster.jobs import is_unprotected, scheduler_command, worker_command
from core.common.errors import BadInput

ROOT = Path(__file__).resolve().parents[3]
LOOPBACK = "0100007F"  # 127.0.0.1, as /proc writes it
LISTENING = "0A"


def listening(process: subprocess.Popen) -> set[tuple[str, str]]:
    """Return the address and port of every socket on which a process listens, as /proc writes them."""
    links = [os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir() if path.is_symlink()]
    own = {link.removeprefix("socket:[").removesuffix("]") for link in links}
    rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()]
    return {tuple(row[1].split(":")) for row in rows if row[3] == LISTENING and row[9] in own}


def start(command: str, *more: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *shlex.split(command)[1:], *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(process: subprocess.Popen, sockets: int) -> set[tuple[str, str]]:
    end = time.monotonic() + 60
    while len(found := listening(process)) < sockets and time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_proposed_commands_listen_on_this_machine_only():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    processes = [start(scheduler_command(), "--port", str(port), "--dashboard-address", "127.0.0.1:0")]
    try:
        assert {address for address, _ in wait_for(processes[0], 2)} == {LOOPBACK}
        processes.append(start(worker_command(f"tcp://127.0.0.1:{port}"), "--no-nanny"))
        assert {address for address, _ in wait_for(processes[1], 2)} == {LOOPBACK}
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_the_readme_starts_what_the_messages_propose():
    text = (ROOT / "core" / "cluster" / "README.md").read_text(encoding="utf-8")
    assert f"\n{scheduler_command()}\n" in text
    for name in ("--host=127.0.0.1", "--dashboard-address=127.0.0.1:0"):
        assert name in re.search(r"^python -m dask worker .*$", text, re.MULTILINE)[0] and name in worker_command("tcp://127.0.0.1:8786")
    assert "unpickle" in text and "password" in text and "tls://" in text


@pytest.mark.parametrize(
    "address",
    ["tcp://10.0.0.7:8786", "scheduler.example:8786", "10.0.0.7:8786", "ws://10.0.0.7:1", "tcp://[2001:db8::1]:8786", "TCP://A:1"],
)
def test_another_machine_s_scheduler_without_tls_is_unprotected(address):
    assert is_unprotected(address)
    assert "--host" not in worker_command(address)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://127.0.0.1:8786",
        "tcp://127.0.1.9:1",
        "localhost:8786",
        "tcp://[::1]:8786",
        "tls://10.0.0.7:8786",
        "TLS://A:1",
        "wss://a:1",
        "inproc://1/2",
    ],
)
def test_this_machine_s_scheduler_or_one_with_tls_is_protected(address):
    assert not is_unprotected(address)


@pytest.mark.parametrize(
    ("address", "said"), [("tcp://scheduler.invalid:8786", True), ("tls://scheduler.invalid:8786", False), ("tcp://127.0.0.1:9", False)]
)
def test_a_command_says_that_a_cluster_is_unprotected_and_goes_on(address, said, capsys, monkeypatch):
    monkeypatch.setattr("core.cluster.jobs.CONNECT_S", 0.3)
    with pytest.raises(BadInput, match="No Dask scheduler answers"), cluster_of(address):  # so it did try
        pass
    error = capsys.readouterr().err
    assert ("without TLS" in error and address in error and "core/cluster/README.md" in error) is said
