"""Restarts an embedded server that ended (killed, out of memory, crashed) or stopped its database.

Neo4j stops its database when it cannot write its log, e.g. on a full disk: the process then answers and
refuses every transaction until it is restarted. The keeper waits for space, then kills and starts it.

The server restarts on the same ports, so drivers reconnect by themselves. After `MOST` restarts within
`WITHIN_S` seconds the keeper gives up, because further restarts would not repair the cause.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from prefrontal.graph.embedded.running import RunningServer, has_panicked
from prefrontal.graph.embedded.server import EmbeddedNeo4j
from prefrontal.graph.errors import ServerError

MOST = 5
WITHIN_S = 600.0
ROOM = 64 << 20
"""The free bytes with which a server whose disk was full is started again."""
_LOOK_S = 0.25
_ASK_S = 5.0
_FIRST_PAUSE_S = 0.5

log = structlog.get_logger(__name__)


class Keeper:
    """Watches a started server in a background thread until the `with` block ends."""

    def __init__(
        self,
        server: EmbeddedNeo4j,
        *,
        look_s: float = _LOOK_S,
        ask_s: float = _ASK_S,
        pause_s: float = _FIRST_PAUSE_S,
        now: Callable[[], float] = time.monotonic,
        refuses: Callable[[RunningServer], bool] = has_panicked,
        free: Callable[[Path], int] = lambda home: shutil.disk_usage(home).free,
    ) -> None:
        """Store the server and the timing.

        Args:
            server: The server to watch; it is started before the block begins.
            look_s: The interval of the checks whether the process runs, in seconds.
            ask_s: The interval of the checks whether the server refuses transactions, in seconds.
            pause_s: The pause before the second restart, in seconds; it doubles with each further one.
            now: Returns a monotonic time in seconds.
            refuses: Returns whether a server that answers has stopped its database.
            free: Returns the free bytes of the disk that a folder is on.
        """
        self.on_start: Callable[[], None] | None = None
        """Called in the keeper's thread after each restart, when the server answers."""
        self._server = server
        self._look_s, self._pause_s, self._now = look_s, pause_s, now
        self._ask_s, self._refuses, self._free = ask_s, refuses, free
        self._asked, self._full = now(), False
        self._starts: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="neo4j-keeper", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch; a restart uses the ports that the server has now."""
        record = self._server.running.record
        config = self._server.config
        self._server.config = replace(config, bolt_port=record.bolt_port, http_port=record.http_port)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching, after a restart in progress; the server is left as it is."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._look_s):
            if (not self._server.is_alive or self._stuck()) and not self._again():
                return

    def _stuck(self) -> bool:
        """Return whether the server has stopped its database, and may be started again now."""
        if self._now() - self._asked < self._ask_s:
            return False
        stuck = self._refuses(self._server.running)
        self._asked = self._now()
        full = stuck and self._free(self._server.config.home) < ROOM
        if full and not self._full:
            log.error("neo4j_waits_for_space", bytes=ROOM, folder=str(self._server.config.home))
        self._full = full
        return stuck and not full

    def _again(self) -> bool:
        """Restart the server; return False when the keeper gives up or the watch has ended."""
        now = self._now()
        self._starts = [start for start in self._starts if start > now - WITHIN_S]
        tried = len(self._starts)
        if tried >= MOST:
            log.error("neo4j_given_up", starts=tried, log=str(self._server.log_path))
            return False
        log.error("neo4j_ended", start=tried + 1, of=MOST, log=str(self._server.log_path))
        # No pause before the first restart: a server that was killed once should return at once.
        if tried and self._over.wait(self._pause_s * 2 ** (tried - 1)):
            return False
        self._starts.append(now)
        try:
            self._server.stop(0)
            self._server.start()
        except (ServerError, OSError) as error:
            log.error("neo4j_not_started", error=str(error))  # noqa: TRY400 - an expected error needs no traceback
        else:
            log.warning("neo4j_started_again", pid=self._server.pid)
            if self.on_start is not None:
                self.on_start()
        return True
