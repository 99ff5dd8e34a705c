"""What runs on this machine: the record of a server in its home folder, and who holds a port or a store."""

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
_SHOWN = 160
KILL_WAIT_S = 10.0


@dataclass(frozen=True)
class Record:
    """The content of `server.json`: which process serves this folder, and how to reach it."""

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
        """Return the recorded process if it still runs; a later process with the same pid does not count."""
        return _process(self.pid, self.create_time)

    @property
    def is_ending(self) -> bool:
        """Whether the server is about to end, because the process that it may not survive has ended."""
        if self.detached or self.owner_pid is None:
            return False
        return _process(self.owner_pid, self.owner_create_time) is None


def _process(pid: int, create_time: float) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - create_time) < _SAME_START_S
        # In a container without an init nobody buries an orphan: a zombie holds nothing any more.
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def record_file(home: Path) -> Path:
    """Return where the record of the server in `home` is kept."""
    return home / "server.json"


def write_record(home: Path, record: Record) -> None:
    """Replace the record in one step."""
    draft = record_file(home).with_suffix(f".{os.getpid()}")
    draft.write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
    draft.replace(record_file(home))


def read_record(home: Path) -> Record | None:
    """Return the record, or None when there is none or it is from another version of this program."""
    try:
        return Record(**json.loads(record_file(home).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def remove_record(home: Path, pid: int) -> None:
    """Remove the record if it is about that process, and not about a server started since."""
    record = read_record(home)
    if record and record.pid == pid:
        record_file(home).unlink(missing_ok=True)


def free_port() -> int:
    """Return a port nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def is_taken(port: int) -> bool:
    """Tell whether somebody listens on the loopback port (or on all addresses)."""
    with socket.socket() as probe:
        # As the server's own socket does: connections that are only waiting to be forgotten do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def listening_ports(pid: int) -> set[int]:
    """Return the TCP ports the process listens on; none when it is gone."""
    with suppress(psutil.Error):
        found = psutil.Process(pid).net_connections("tcp")
        return {c.laddr.port for c in found if c.status == psutil.CONN_LISTEN}
    return set()


def port_holder(port: int) -> str:
    """Return who listens on the port, e.g. `process 4711 (python -m http.server)`."""
    with suppress(psutil.Error):  # macOS tells only an administrator
        for found in psutil.net_connections("tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr.port == port and found.pid:
                return describe(found.pid)
    return "a process of another user"


def store_holder(home: Path) -> str | None:
    """Return which server process was started for this home folder, with a record or without."""
    wanted = f"--home-dir={home}"
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        command: list[str] = process.info["cmdline"] or []
        # The supervisor carries the server's command line too.
        if wanted in command and not any(part.endswith("supervise.py") for part in command):
            return describe(process.info["pid"])
    return None


def describe(pid: int) -> str:
    """Return pid and command line, shortened."""
    try:
        command = shlex.join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return f"process {pid}"
    return f"process {pid} ({command[:_SHOWN]}{'…' if len(command) > _SHOWN else ''})"


def create_time(pid: int) -> float:
    """Return when the process was started; 0 when it has ended already."""
    try:
        created: float = psutil.Process(pid).create_time()
    except psutil.Error:
        return 0.0
    return created


def kill(pid: int) -> None:
    """Kill without asking; it may be gone."""
    with suppress(psutil.Error):
        psutil.Process(pid).kill()


def stop_process(process: psutil.Process, timeout_s: float) -> bool:
    """End a server that another process started; True when it ended in order."""
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
