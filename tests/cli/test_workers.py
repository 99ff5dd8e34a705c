"""`prefrontal serve --workers 2`: two processes on one port, a killed one comes back, both end together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import psutil
import pytest

from prefrontal.graph.config.settings import ROOT
from tests.cli.conftest import Cli
from tests.cli.test_serve import free_ports

pytestmark = [pytest.mark.slow, pytest.mark.alone]

_PATIENCE_S = 300


def until(found: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + _PATIENCE_S
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=30).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def serve_with_all(pids: set[int], port: int) -> None:
    """Open connections until each process has one; each connection is answered."""
    with ExitStack() as open_:

        def holds() -> set[int]:
            connection = open_.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(15).startswith(b"HTTP/1.1 200")
            return {
                pid
                for pid in pids
                for each in psutil.Process(pid).net_connections("tcp")
                if each.laddr.port == port and each.status == psutil.CONN_ESTABLISHED
            }

        until(lambda: holds() == pids)


@pytest.mark.nightly("two processes of the API: tests/fault/test_two_processes.py")
def test_two_processes_answer_on_one_port_and_end_together(cli: Cli, tmp_path: Path) -> None:
    (port,) = free_ports(1)
    env = cli.env | {"PREFRONTAL_PORT": str(port), "PREFRONTAL_LOG_FORMAT": "json"}
    with (tmp_path / "log").open("wb") as log:
        first = subprocess.Popen(
            [sys.executable, "-m", "prefrontal.api.cli", "serve", "--workers", "2"],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        until(lambda: first.poll() is not None or answers(f"http://127.0.0.1:{port}"))
        assert first.poll() is None, (tmp_path / "log").read_text()

        def workers() -> list[int]:
            return [each.pid for each in psutil.Process(first.pid).children()]

        until(lambda: len(workers()) == 1)
        (worker,) = workers()
        serve_with_all({first.pid, worker}, port)
        os.kill(worker, signal.SIGKILL)
        until(lambda: workers() not in ([], [worker]))
        (again,) = workers()
        serve_with_all({first.pid, again}, port)
        # Even if the first one cannot say goodbye, nothing is left behind that answers.
        first.kill()
        first.wait()
        until(lambda: not psutil.pid_exists(again))
        assert not answers(f"http://127.0.0.1:{port}")
    finally:
        first.kill()
        first.wait()
