"""Starts a server again when it ends although nobody asked it to: killed, out of memory, crashed.

It comes back where it was, on the same ports, so drivers find it by themselves. A server that ends again and
again is left alone after `MOST` starts within `WITHIN_S`: what is wrong with it no start mends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Self

import structlog

from prefrontal.graph.embedded.server import EmbeddedNeo4j
from prefrontal.graph.errors import ServerError

MOST = 5
WITHIN_S = 600.0
_LOOK_S = 0.25
_FIRST_PAUSE_S = 0.5

log = structlog.get_logger(__name__)


class Keeper:
    """Watches a started server in a thread of its own, for as long as the block lasts."""

    def __init__(
        self,
        server: EmbeddedNeo4j,
        *,
        look_s: float = _LOOK_S,
        pause_s: float = _FIRST_PAUSE_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the server; look every `look_s` seconds, and double the pause before each further start."""
        self._server = server
        self._look_s, self._pause_s, self._now = look_s, pause_s, now
        self._starts: list[float] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="neo4j-keeper", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch; from now on the server stays on the ports that it has."""
        record = self._server.running.record
        config = self._server.config
        self._server.config = replace(config, bolt_port=record.bolt_port, http_port=record.http_port)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the watch, after a start that is under way; the server is left as it is."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._look_s):
            if not self._server.is_alive and not self._again():
                return

    def _again(self) -> bool:
        """Start the server once more; False when that was tried often enough, or the watch is over."""
        now = self._now()
        self._starts = [start for start in self._starts if start > now - WITHIN_S]
        tried = len(self._starts)
        if tried >= MOST:
            log.error("neo4j_given_up", starts=tried, log=str(self._server.log_path))
            return False
        log.error("neo4j_ended", start=tried + 1, of=MOST, log=str(self._server.log_path))
        # The first pause is none: a server that was killed once should be back at once.
        if tried and self._over.wait(self._pause_s * 2 ** (tried - 1)):
            return False
        self._starts.append(now)
        try:
            self._server.stop(0)
            self._server.start()
        except (ServerError, OSError) as error:
            log.error("neo4j_not_started", error=str(error))  # noqa: TRY400 - it is foreseen
        else:
            log.warning("neo4j_started_again", pid=self._server.pid)
        return True
