"""`prefrontal serve` as a process of its own, which a test may kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx

from prefrontal.graph.config.settings import ROOT

_PATIENCE_S = 300


class ApiProcess:
    """The API in a process; started again it is where it was."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        self.env = env
        self.url = f"http://127.0.0.1:{env['PREFRONTAL_PORT']}"
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "it was not started"
        return self._process

    def spawn(self) -> ApiProcess:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "prefrontal.api.cli", "serve"],
                cwd=ROOT,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        return self

    def wait_ready(self) -> ApiProcess:
        """Return when it serves; a process that ended instead fails the test with what it said."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=10).status_code == httpx.codes.OK:
                    return self
            except httpx.HTTPError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"it is not ready: {self.log_text()}")

    def wait_for_log(self, text: str) -> None:
        """Return when its log has the text."""
        deadline = time.monotonic() + _PATIENCE_S
        while text not in self.log_text():
            assert self.process.poll() is None, f"it ended: {self.log_text()}"
            assert time.monotonic() < deadline, f"it did not say {text}: {self.log_text()}"
            time.sleep(0.02)

    def start(self) -> ApiProcess:
        return self.spawn().wait_ready()

    def ensure(self, *, wait: bool = True) -> ApiProcess:
        """Start it unless it runs."""
        if self._process is None or self._process.poll() is not None:
            self.spawn()
        return self.wait_ready() if wait else self

    def kill(self) -> None:
        """End it as a power cut would."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()

    def log_text(self) -> str:
        return self._log.read_text(errors="replace")
