"""A real NATS server with JetStream, which a test may stop, kill and start again."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from prefrontal.graph.embedded.processes import free_port

# Debian installs servers where a user's PATH does not look.
_SYSTEM = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin")
_PATIENCE_S = 60.0


def installed() -> str | None:
    """The NATS server of this machine, or None; the one that PREFRONTAL_NATS_SERVER names comes first."""
    if named := os.environ.get("PREFRONTAL_NATS_SERVER"):
        return named
    path = os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM))
    return shutil.which("nats-server", path=path)


@dataclass
class NatsServer:
    """A server on a port of its own, which it keeps."""

    folder: Path
    max_payload: int = 1_000_000
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def launch(self) -> None:
        """Start it without waiting for it."""
        program = installed()
        assert program is not None, "no nats-server on this machine; `make deps` gets one"
        self.folder.mkdir(parents=True, exist_ok=True)
        config = self.folder / "nats.conf"
        config.write_text(
            f'host: "127.0.0.1"\nport: {self.port}\nmax_payload: {self.max_payload}\n'
            f'jetstream {{ store_dir: "{self.folder / "store"}" }}\n'
        )
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [program, "--config", str(config)], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    async def start(self) -> None:
        self.launch()
        assert self.process is not None
        async with asyncio.timeout(_PATIENCE_S):
            while not self._answers():
                assert self.process.poll() is None, (self.folder / "log").read_text()
                await asyncio.sleep(0.02)

    def kill(self) -> None:
        """`kill -9`, as a machine that loses its power."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                return connection.recv(4) == b"INFO"
        except OSError:
            return False
