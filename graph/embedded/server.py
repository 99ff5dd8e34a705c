"""Start and stop of an embedded server.

All calls block; in a coroutine use `asyncio.to_thread`. One thread may start the server and another stop it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import neo4j
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from prefrontal.graph.clock import iso
from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.downloads.locks import exclusive
from prefrontal.graph.embedded import processes
from prefrontal.graph.embedded.archive import plan_archive
from prefrontal.graph.embedded.artifacts import Jars, ensure_jars
from prefrontal.graph.embedded.child import AttachedChild, Child, DetachedChild
from prefrontal.graph.embedded.config import (
    ADMIN_CLASS,
    MAIN_CLASS_SERVICE,
    ServerConfig,
    jvm_flags,
    neo4j_conf,
    server_logs_xml,
)
from prefrontal.graph.embedded.java import Java, find_java
from prefrontal.graph.embedded.password import (
    ensure_password,
    has_data,
    password_file,
    set_initial_password,
)
from prefrontal.graph.embedded.running import (
    STOP_TIMEOUT_S,
    RunningServer,
    archive_of,
    await_ending,
    find_running,
    has_panicked,
)
from prefrontal.graph.errors import PortTaken, PrerequisiteMissing, ServerDied, ServerError, StoreLocked

START_TIMEOUT_S = 180.0
"""Far more than a start takes: the first start on a busy machine has taken 15 s."""

LOG_LINES = 20
"""How many lines of the log an error message contains."""

_POLL_S = 0.05
_PORT_TRIES = 3
_EXIT_START_FAILED, _EXIT_STORE_LOCKED = 1, 2
_STORE_LOCKED = "FileLockException"
_PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR")
# No other environment variable is passed on: JAVA_TOOL_OPTIONS or NEO4J_* would change the server's
# configuration, and the server must not see the secrets of this process.


class EmbeddedNeo4j:
    """One Neo4j server as a child process.

    Unless it was started detached, the server ends when this process ends, even when this process is killed.
    Committed data survives in every case. The class is also a context manager:
    `with EmbeddedNeo4j(config, cache_dir=folder) as server: …`
    """

    def __init__(
        self,
        config: ServerConfig,
        *,
        jars: Jars | None = None,
        cache_dir: Path | None = None,
        java: Java | None = None,
    ) -> None:
        """Store the configuration; the server is not started yet.

        Args:
            config: How the server runs.
            jars: The server's jars; needed unless `cache_dir` is given.
            cache_dir: The cache folder; `start` downloads missing jars into it.
            java: The Java to use; by default `start` searches one.

        Raises:
            ServerError: If neither `jars` nor `cache_dir` is given.
        """
        if jars is None and cache_dir is None:
            raise ServerError("give EmbeddedNeo4j either jars or cache_dir")
        self.config = config
        self._jars = jars
        self._cache_dir = cache_dir
        self._java = java
        self._child: Child | None = None
        self._running: RunningServer | None = None
        self._held = False

    def start(
        self,
        progress: Progress | None = None,
        *,
        detached: bool = False,
        timeout_s: float = START_TIMEOUT_S,
    ) -> Self:
        """Start the server and return self as soon as it answers queries.

        Args:
            progress: Called as `(done, total, file name)` while jars are downloaded.
            detached: Leave the server running when this process ends.
            timeout_s: How long the start may take, without downloads, in seconds.

        Raises:
            PrerequisiteMissing: If there is no Java, or the platform has no POSIX processes.
            DownloadFailed: If a jar could not be downloaded.
            PortTaken: If another process listens on a configured port.
            StoreLocked: If another process uses the home folder.
            ServerDied: If the server ended by itself; the message contains the end of its log.
            ServerError: If the start fails otherwise, e.g. because the stored password is wrong.
        """
        if self._child:
            raise ServerError("this server is started already: stop it first")
        if os.name != "posix":
            raise PrerequisiteMissing("the embedded Neo4j needs Linux or macOS: set NEO4J_URI, or use Docker")
        config = self.config
        if self._jars is None and self._cache_dir:
            self._jars = ensure_jars(self._cache_dir, progress)
        self._java = self._java or find_java()
        with self._alone():
            chosen = 0 in {config.bolt_port, config.http_port}
            for attempt in range(1, _PORT_TRIES + 1):
                try:
                    self._launch(detached=detached, timeout_s=timeout_s)
                except PortTaken:
                    # Another process took the port after it was chosen: choose again.
                    if not chosen or attempt == _PORT_TRIES:
                        raise
                else:
                    break
        return self

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the home folder, so that no server starts in it.

        Raises:
            StoreLocked: If another process uses it.
        """
        config = self.config
        if self._held:
            yield
            return
        config.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with exclusive(config.home / "start.lock"):
            await_ending(config.home)
            if other := find_running(config.home):
                raise StoreLocked(
                    f"{config.home} is in use since {other.record.started_at} by "
                    f"{processes.describe(other.pid)}: stop it, or connect to {other.bolt_uri}"
                )
            if holder := processes.store_holder(config.home):
                # A server without a record: a start would overwrite its configuration and rename its log.
                raise StoreLocked(f"{config.home} is in use by {holder}: stop it first")
            yield

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let nobody else start a server in the home folder until the block ends, also between two starts.

        Raises:
            StoreLocked: If a server uses the home folder.
        """
        with self._alone():
            self._held = True
            try:
                yield
            finally:
                self._held = False

    def administer(self, *arguments: str, timeout_s: float) -> None:
        """Run a command of Neo4j's administration on the store, while no server uses it.

        Args:
            arguments: The command, e.g. `database`, `dump`, `neo4j`.
            timeout_s: How long it may take, in seconds.

        Raises:
            StoreLocked: If a server uses the home folder.
            ServerError: If the command fails; the message has what it said.
        """
        if self._jars is None and self._cache_dir:
            self._jars = ensure_jars(self._cache_dir)
        assert self._jars  # noqa: S101 - one of the two is given
        java = self._java = self._java or find_java()
        config = self.config
        with self._alone():
            for folder in (config.conf_dir, config.log_dir, config.home / "run", config.home / "plugins"):
                folder.mkdir(exist_ok=True)
            conf = neo4j_conf(config, *_choose_ports(replace(config, bolt_port=0, http_port=0)))
            (config.conf_dir / "neo4j.conf").write_text(conf, encoding="utf-8")
            command = _admin_command(config, java, self._jars)
            env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            done = subprocess.run(  # noqa: S603 - our own Java and our own arguments
                [*command, ADMIN_CLASS, *arguments],
                env=env | {"NEO4J_HOME": str(config.home), "NEO4J_CONF": str(config.conf_dir)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=timeout_s,
            )
        if done.returncode:
            said = (done.stderr or done.stdout).strip()
            raise ServerError(f"Neo4j's {' '.join(arguments[:2])} ended with {done.returncode}: {said}")

    def stop(self, timeout_s: float = STOP_TIMEOUT_S) -> None:
        """Stop the server, and kill it after the timeout; do nothing if it is not running."""
        child, running = self._child, self._running
        self._child = self._running = None
        if child and running:
            if child.poll() is None and has_panicked(running):
                processes.kill(running.pid)
            if child.stop(timeout_s):
                archive_of(running.record).keep()
            processes.remove_record(running.home, running.pid)

    def __enter__(self) -> Self:
        """Start the server unless it is started already."""
        return self if self._child else self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.stop()

    @property
    def running(self) -> RunningServer:
        """The started server with its addresses and its process.

        Raises:
            ServerError: If the server is not started.
        """
        if self._running is None:
            raise ServerError("the server is not started")
        return self._running

    @property
    def is_alive(self) -> bool:
        """Whether the server's process runs now."""
        return self._child is not None and self._child.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self.running.pid

    @property
    def bolt_uri(self) -> str:
        """The URI for drivers."""
        return self.running.bolt_uri

    @property
    def http_url(self) -> str:
        """The base URL of the HTTP API; Neo4j Browser is at `/browser/` below it."""
        return self.running.http_url

    @property
    def user(self) -> str:
        """The database user."""
        return self.running.user

    @property
    def password(self) -> str:
        """The database user's password; empty for a server without authentication."""
        return self.running.password

    @property
    def log_path(self) -> Path:
        """The file with the server's output since its latest start."""
        return self.config.console_log

    def _launch(self, *, detached: bool, timeout_s: float) -> None:
        """Configure the server, start its process and wait until it is ready; on failure, end the process."""
        config, jars, java = self.config, self._jars, self._java
        assert jars  # noqa: S101 - start() has set both
        assert java  # noqa: S101
        bolt_port, http_port = _choose_ports(config)
        env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        for folder in (config.conf_dir, config.log_dir, config.home / "run", config.home / "plugins"):
            folder.mkdir(exist_ok=True)
        conf = neo4j_conf(config, bolt_port, http_port)
        (config.conf_dir / "neo4j.conf").write_text(conf, encoding="utf-8")
        (config.conf_dir / "server-logs.xml").write_text(server_logs_xml(), encoding="utf-8")
        if config.auth:
            ensure_password(config.home)
            if not has_data(config.home):
                command = _admin_command(config, java, jars)
                set_initial_password(command, config.home, config.conf_dir, env)
        if config.console_log.exists():
            config.console_log.replace(config.console_log.with_suffix(".log.1"))
        flags = jvm_flags(config, java)
        archive = plan_archive(jars, java, flags, config.home / "run" / "classes.jsa", env)
        # Neo4j unpacks its Browser into a temporary folder and leaves it there when killed: empty it now.
        scratch = config.home / "run" / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        own = (*flags, *archive.flags, f"-Djava.io.tmpdir={scratch}")
        command = [
            *_java_command(java, own, jars, config.home / "run" / "server.args"),
            _main_class(jars),
            f"--home-dir={config.home}",
            f"--config-dir={config.conf_dir}",
            "--console-mode",
        ]
        spawn = DetachedChild if detached else AttachedChild
        self._child = spawn(command, config.console_log, env)
        try:
            record = processes.Record(
                pid=self._child.pid,
                create_time=processes.create_time(self._child.pid),
                bolt_port=bolt_port,
                http_port=http_port,
                auth=config.auth,
                detached=detached,
                started_at=iso(datetime.now(UTC).replace(microsecond=0)),
                version=jars.version,
                archive_draft=str(archive.draft) if archive.draft else None,
                archive_final=str(archive.final) if archive.final else None,
                owner_pid=os.getpid(),
                owner_create_time=processes.create_time(os.getpid()),
            )
            self._running = RunningServer(config.home, record)
            processes.write_record(config.home, record)
            self._wait_ready(self._child, timeout_s)
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        """Kill the server of a failed start at once: no client has written anything yet."""
        child, running = self._child, self._running
        self._child = self._running = None
        if child:
            child.stop(0)
        if running:
            processes.remove_record(running.home, running.pid)

    def _wait_ready(self, child: Child, timeout_s: float) -> None:
        """Wait until the server answers on both its ports; raise the error that ended the start."""
        running = self.running
        ports = {running.record.bolt_port, running.record.http_port}
        deadline = time.monotonic() + timeout_s
        auth = (running.user, running.password)
        last: Exception | None = None
        with neo4j.GraphDatabase.driver(running.bolt_uri, auth=auth, telemetry_disabled=True) as driver:
            while (status := child.poll()) is None:
                # Ask the kernel for the ports of *this* process, so that another server on the same port
                # is never mistaken for this one.
                if ports <= processes.listening_ports(child.pid):
                    try:
                        driver.verify_connectivity()
                    except AuthError as error:
                        raise ServerError(
                            f"the database in {running.home} does not accept the password kept in "
                            f"{password_file(running.home)}: put the right one there"
                        ) from error
                    except (DriverError, Neo4jError, OSError) as error:
                        last = error  # listening, but not ready
                    else:
                        return
                if time.monotonic() > deadline:
                    reason = f" ({last})" if last else ""
                    raise ServerError(
                        f"Neo4j did not answer within {timeout_s:.0f} s{reason}:\n{self._log_tail()}"
                    )
                time.sleep(_POLL_S)
        raise self._explain(status, ports)

    def _explain(self, status: int, ports: set[int]) -> ServerError:
        """Return the error for a server that ended by itself while starting."""
        log = self._log_tail()
        # For a locked store 2026.09 exits with 1; older versions and the manual use 2.
        if status == _EXIT_STORE_LOCKED or _STORE_LOCKED in self._log_text():
            return StoreLocked(f"{self.config.home} is in use by another process: stop it first\n{log}")
        if status == _EXIT_START_FAILED:
            for port in ports:
                if processes.is_taken(port):
                    return _port_taken(port)
        return ServerDied(
            f"Neo4j ended with status {status} while starting; the end of {self.log_path}:\n{log}"
        )

    def _log_tail(self) -> str:
        """Return the last `LOG_LINES` lines of this start's output."""
        return "\n".join(self._log_text().splitlines()[-LOG_LINES:])

    def _log_text(self) -> str:
        """Return all of this start's output."""
        try:
            return self.log_path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "(no log)"


def _choose_ports(config: ServerConfig) -> tuple[int, int]:
    """Return the Bolt port and the HTTP port; a configured 0 becomes a free port.

    Raises:
        PortTaken: If a configured port is in use.
    """
    for port in (config.bolt_port, config.http_port):
        if port and processes.is_taken(port):
            raise _port_taken(port)
    bolt_port = config.bolt_port or processes.free_port()
    http_port = config.http_port or processes.free_port()
    while http_port == bolt_port:
        http_port = processes.free_port()
    return bolt_port, http_port


def _port_taken(port: int) -> PortTaken:
    """Return the error that names the process on the port."""
    holder = processes.port_holder(port)
    return PortTaken(
        f"port {port} is in use by {holder}: stop it, or configure another port (0 chooses a free one)"
    )


def _java_command(java: Java, flags: Sequence[str], jars: Jars, args_file: Path) -> list[str]:
    """Return the Java command; flags and class path go into a file to keep process lists readable."""
    quoted = (arg.replace("\\", "\\\\").replace('"', '\\"') for arg in (*flags, "-cp", jars.classpath))
    args_file.write_text("".join(f'"{arg}"\n' for arg in quoted), encoding="utf-8")
    return [str(java.executable), f"@{args_file}"]


def _admin_command(config: ServerConfig, java: Java, jars: Jars) -> list[str]:
    """Return the Java command of Neo4j's admin tool: its JVM ends soon, however the server runs."""
    flags = jvm_flags(replace(config, fast_start=True, long_run=False), java)
    return _java_command(java, flags, jars, config.home / "run" / "admin.args")


def _main_class(jars: Jars) -> str:
    """Return the server's main class, which its jar declares."""
    with zipfile.ZipFile(jars.named("neo4j")) as jar:
        return jar.read(MAIN_CLASS_SERVICE).decode().split()[0]
