"""Test that a cluster listens only on its machine by default, and that an open one without TLS is recognized."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.cluster.jobs import is_unprotected, scheduler_command, worker_command
from tests.raw_client import free_port

LOOPBACK = "0100007F"  # 127.0.0.1 in the form of /proc


def find_addresses(process: subprocess.Popen, n_sockets: int) -> set[str]:
    """Wait until a process listens on so many sockets. Return the addresses of all, in the form of /proc."""
    deadline, sockets = time.monotonic() + 60, []
    while len(sockets) < n_sockets and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
        links = {os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir() if path.is_symlink()}
        rows = [row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()]
        sockets = [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in links]  # 0A: it listens
    return {each.partition(":")[0] for each in sockets}


def start(command: str, *options: str) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *shlex.split(command)[1:], *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_proposed_commands_listen_only_on_this_machine():
    port = free_port()
    processes = [start(scheduler_command(), "--port", str(port), "--dashboard-address", "127.0.0.1:0")]
    try:
        assert find_addresses(processes[0], 2) == {LOOPBACK}
        processes.append(start(worker_command(f"tcp://127.0.0.1:{port}"), "--no-nanny"))
        assert find_addresses(processes[1], 2) == {LOOPBACK}
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_scheduler_on_another_machine_without_tls_is_unprotected():
    for address in ("tcp://10.0.0.7:8786", "a.example:8786", "10.0.0.7:1", "ws://10.0.0.7:1", "tcp://[2001:db8::1]:8786", "TCP://A:1"):
        assert is_unprotected(address) and "--host" not in worker_command(address), address
    here = ("tcp://127.0.0.1:8786", "tcp://127.0.1.9:1", "localhost:8786", "tcp://[::1]:8786", "inproc://1/2")
    assert [address for address in (*here, "tls://10.0.0.7:8786", "TLS://A:1", "wss://a:1", "xx") if is_unprotected(address)] == []
