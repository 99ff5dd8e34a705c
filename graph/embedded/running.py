"""Running servers, started by this or another process: find one by its record, inspect it, stop it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import neo4j
from neo4j.exceptions import DatabaseError, DriverError, Neo4jError

from prefrontal.graph.embedded import processes
from prefrontal.graph.embedded.archive import Archive
from prefrontal.graph.embedded.child import bury_ended
from prefrontal.graph.embedded.config import HOST, USER
from prefrontal.graph.embedded.password import read_password

STOP_TIMEOUT_S = 30.0
"""A stop takes half a second, or five when it writes the class-data archive; longer on a busy machine."""

_ASK_TIMEOUT_S = 1.0


@dataclass(frozen=True)
class RunningServer:
    """A running server, started by this or another process: its addresses, password and `stop`."""

    home: Path
    record: processes.Record

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self.record.pid

    @property
    def bolt_uri(self) -> str:
        """The URI for drivers."""
        return f"bolt://{HOST}:{self.record.bolt_port}"

    @property
    def http_url(self) -> str:
        """The base URL of the HTTP API; Neo4j Browser is at `/browser/` below it."""
        return f"http://{HOST}:{self.record.http_port}"

    @property
    def user(self) -> str:
        """The database user."""
        return USER

    @property
    def password(self) -> str:
        """The database user's password; empty for a server without authentication."""
        return read_password(self.home) if self.record.auth else ""

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop the server, and kill it after the timeout; do nothing if it has ended already."""
        process = self.record.process()
        if process and has_panicked(self):
            processes.kill(self.pid)
        if process and processes.stop_process(process, timeout_s):
            archive_of(self.record).keep()
        bury_ended()
        processes.remove_record(self.home, self.pid)


@dataclass(frozen=True)
class ServerStatus:
    """The state of the server in a home folder; unknown values are None."""

    running: bool
    pid: int | None
    bolt_port: int | None
    http_port: int | None
    version: str | None
    started_at: str | None
    detached: bool
    store_bytes: int


def find_running(home: Path) -> RunningServer | None:
    """Return the server that serves this folder now, started by any process; None without one.

    A server that is about to end is not returned, because connections to it would break in a moment.
    """
    home = home.resolve()
    bury_ended()
    record = processes.read_record(home)
    return RunningServer(home, record) if record and record.process() and not record.is_ending else None


def await_ending(home: Path) -> None:
    """Wait until a server of this folder that is about to end has ended; keep its class-data archive."""
    home = home.resolve()
    record = processes.read_record(home)
    if record and record.is_ending:
        RunningServer(home, record).stop()


def stop_running(home: Path, timeout_s: float = STOP_TIMEOUT_S) -> bool:
    """Stop the server of this folder; return False when none was running."""
    running = find_running(home)
    if running:
        running.stop(timeout_s)
    return running is not None


def server_status(home: Path) -> ServerStatus:
    """Return the state of the folder's server; without a running server only the store's size is known."""
    running = find_running(home)
    record = running.record if running else None
    data = home / "data"
    files = (file for file in data.rglob("*") if file.is_file()) if data.exists() else ()
    size = 0
    for file in files:
        with suppress(FileNotFoundError):  # a running server rotates its files
            size += file.stat().st_size
    return ServerStatus(
        running=record is not None,
        pid=record.pid if record else None,
        bolt_port=record.bolt_port if record else None,
        http_port=record.http_port if record else None,
        version=record.version if record else None,
        started_at=record.started_at if record else None,
        detached=bool(record and record.detached),
        store_bytes=size,
    )


def has_panicked(running: RunningServer) -> bool:
    """Return whether the server has stopped its database by itself (a panic), e.g. on a full disk.

    Such a server must be killed. If it is asked to stop after space has become free, it appends its unwritten
    data to a transaction log that ends in an incomplete transaction, and the next start cannot read the log
    (2026.09.0). Killing it loses nothing: acknowledged transactions are in the log, before the incomplete
    one. The server's own log file may not mention the panic, since there was no space for that either.
    """
    auth = (running.user, running.password)
    try:
        # One attempt only: by default the driver retries for half a minute when the server has ended.
        with neo4j.GraphDatabase.driver(
            running.bolt_uri,
            auth=auth,
            telemetry_disabled=True,
            connection_timeout=_ASK_TIMEOUT_S,
            max_transaction_retry_time=0,
        ) as driver:
            driver.execute_query(neo4j.Query("RETURN 1", timeout=_ASK_TIMEOUT_S))
    except DatabaseError:
        return True
    except (DriverError, Neo4jError, OSError):
        return False
    return False


def archive_of(record: processes.Record) -> Archive:
    """Return the class-data archive that the recorded run writes when it stops; empty if none."""
    if not record.archive_draft or not record.archive_final:
        return Archive(())
    return Archive((), Path(record.archive_draft), Path(record.archive_final))
