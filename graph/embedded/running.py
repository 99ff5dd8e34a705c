"""A server that runs, whoever started it: found by its record, looked at, ended."""

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
"""A stop takes half a second, the one that writes the class-data archive five, more when busy."""

_ASK_TIMEOUT_S = 1.0


@dataclass(frozen=True)
class RunningServer:
    """A server that runs, whoever started it: how to reach it, and how to end it."""

    home: Path
    record: processes.Record

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self.record.pid

    @property
    def bolt_uri(self) -> str:
        """Where drivers connect."""
        return f"bolt://{HOST}:{self.record.bolt_port}"

    @property
    def http_url(self) -> str:
        """The HTTP API's address; `/browser/` below it is Neo4j Browser."""
        return f"http://{HOST}:{self.record.http_port}"

    @property
    def user(self) -> str:
        """The database user."""
        return USER

    @property
    def password(self) -> str:
        """The database user's password; any text will do for a server without authentication."""
        return read_password(self.home) if self.record.auth else ""

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """End the server, killing it after the timeout; fine if it has ended already."""
        process = self.record.process()
        if process and has_panicked(self):
            processes.kill(self.pid)
        if process and processes.stop_process(process, timeout_s):
            archive_of(self.record).keep()
        bury_ended()
        processes.remove_record(self.home, self.pid)


@dataclass(frozen=True)
class ServerStatus:
    """What is known of the server in a home folder."""

    running: bool
    pid: int | None
    bolt_port: int | None
    http_port: int | None
    version: str | None
    started_at: str | None
    detached: bool
    store_bytes: int


def find_running(home: Path) -> RunningServer | None:
    """Return the server that serves this folder now, started by whichever process; None without one.

    One that is ending is not returned: whoever connected to it would lose it in a moment.
    """
    home = home.resolve()
    bury_ended()
    record = processes.read_record(home)
    return RunningServer(home, record) if record and record.process() and not record.is_ending else None


def await_ending(home: Path) -> None:
    """Return when no server of this folder is about to end; what it writes while ending is kept."""
    home = home.resolve()
    record = processes.read_record(home)
    if record and record.is_ending:
        RunningServer(home, record).stop()


def stop_running(home: Path, timeout_s: float = STOP_TIMEOUT_S) -> bool:
    """End the server of this folder; False when none was running."""
    running = find_running(home)
    if running:
        running.stop(timeout_s)
    return running is not None


def server_status(home: Path) -> ServerStatus:
    """Return what is known of the folder's server; with nothing running the last three facts remain."""
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
    """Tell whether the server has stopped its database by itself, e.g. because the disk was full.

    Such a server has to be killed. Asked to stop once there is space again, it appends what it could not
    write before to a log that ends in half a transaction, and the next start cannot read it (2026.09.0).
    Killed it loses nothing: what was acknowledged is in the log, before that half. Its own log does not say
    so for certain, since there was no space for that either.
    """
    auth = (running.user, running.password)
    try:
        # Asked once: the driver would go on asking a server that is gone for half a minute.
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
    """Return the class-data archive that the recorded run was to write."""
    if not record.archive_draft or not record.archive_final:
        return Archive(())
    return Archive((), Path(record.archive_draft), Path(record.archive_final))
