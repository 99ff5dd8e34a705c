"""Processes of this machine: the record of a server, and which process holds a port or a store."""

from __future__ import annotations

import json
import os
import shlex
import socket
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore] # stubs only with types-psutil

from prefrontal.graph.embedded.config import HOST

_SAME_START_S = 0.05
_SHOWN_CHARACTERS = 160
KILL_WAIT_S = 10.0


@dataclass(frozen=True)
class Record:
    """The content of `server.json`: the process that serves a home folder, and its ports."""

    pid: int
    create_time: float
    bolt_port: int
    http_port: int
    auth: bool
    detached: bool
    started_at: str
    version: str
    archive_draft: str | None = None
    archive_final: str | None = None
    owner_pid: int | None = None
    owner_create_time: float = 0.0

    def process(self) -> psutil.Process | None:
        """Return the recorded process, or None if it has ended or its pid belongs to a later process."""
        return _process(self.pid, self.create_time)

    @property
    def is_ending(self) -> bool:
        """Whether the server is about to end: it is attached, and the process that started it has ended."""
        if self.detached or self.owner_pid is None:
            return False
        return _process(self.owner_pid, self.owner_create_time) is None


def _process(pid: int, create_time: float) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - create_time) < _SAME_START_S
        # In a container without an init process an ended orphan stays a zombie; it counts as ended.
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def record_file(home: Path) -> Path:
    """Return the path of the record of the server in `home`."""
    return home / "server.json"


def write_record(home: Path, record: Record) -> None:
    """Write the record, replacing an earlier one atomically."""
    draft = record_file(home).with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    draft.replace(record_file(home))


def read_record(home: Path) -> Record | None:
    """Return the record; None if there is none or another version of this program wrote it."""
    try:
        return Record(**json.loads(record_file(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def remove_record(home: Path, pid: int) -> None:
    """Remove the record if it describes the process `pid`, not a server that was started later."""
    record = read_record(home)
    if record and record.pid == pid:
        record_file(home).unlink(missing_ok=True)


def free_port() -> int:
    """Return a loopback port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def is_taken(port: int) -> bool:
    """Return whether a process listens on the port, on loopback or on all addresses."""
    with socket.socket() as probe:
        # Like the server's own socket: closed connections in TIME_WAIT do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def listening_ports(pid: int) -> set[int]:
    """Return the TCP ports that the process listens on; empty when it has ended."""
    with suppress(psutil.Error):
        found = psutil.Process(pid).net_connections("tcp")
        return {c.laddr.port for c in found if c.status == psutil.CONN_LISTEN}
    return set()


def port_holder(port: int) -> str:
    """Return a description of the process that listens on the port.

    For example `process 4711 (python -m http.server)`.
    """
    with suppress(psutil.Error):  # macOS answers only to an administrator
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr.port == port and found.pid:
                return describe(found.pid)
    return "a process of another user"


def store_holder(home: Path) -> str | None:
    """Return a description of the server process of this home folder, even without a record; or None."""
    wanted = f"--home-dir={home}"
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        command: list[str] = process.info["cmdline"] or []
        # The supervisor's command line contains the server's command line.
        if wanted in command and not any(part.endswith("supervise.py") for part in command):
            return describe(process.info["pid"])
    return None


def describe(pid: int) -> str:
    """Return the process id and the command line, shortened to `_SHOWN_CHARACTERS` characters."""
    try:
        command = shlex.join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return f"process {pid}"
    return f"process {pid} ({command[:_SHOWN_CHARACTERS]}{'…' if len(command) > _SHOWN_CHARACTERS else ''})"


def create_time(pid: int) -> float:
    """Return when the process was started, in seconds since the epoch; 0 when it has ended."""
    try:
        created: float = psutil.Process(pid).create_time()
    except psutil.Error:
        return 0.0
    return created


def kill(pid: int) -> None:
    """Kill the process with SIGKILL; a process that has ended is fine."""
    with suppress(psutil.Error):
        psutil.Process(pid).kill()


def stop_process(process: psutil.Process, timeout_s: float) -> bool:
    """Stop a server that another process started, and kill it after the timeout.

    Return whether it ended in order.
    """
    try:
        process.terminate()
        process.wait(timeout_s)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(KILL_WAIT_S)
        return False
    return True
