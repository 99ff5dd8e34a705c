"""What is written after the answer: notes of a process, remembered for a moment and written many at once.

    note     after an answer: remembers a note under its key; writes nothing
    flush    a moment later: writes what was remembered, a batch in each transaction

So a query stays a read, and no answer waits for its notes. What a process remembers is bounded: beyond `most`
of its table further keys are dropped, which a metric and the log say. A process that is killed loses what it
has not written yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Generic, TypeVar

import structlog

from prefrontal.graph.errors import PrefrontalError

if TYPE_CHECKING:
    from prefrontal.graph.config.session_tables import BatcherTable

log = structlog.get_logger(__name__)

K = TypeVar("K")
V = TypeVar("V")


class Batcher(Generic[K, V]):
    """The notes that this process has yet to write."""

    def __init__(
        self,
        name: str,
        table: BatcherTable,
        write: Callable[[list[tuple[K, V]]], Awaitable[int]],
        *,
        added: Callable[[V, V], V] = lambda _first, second: second,
        weight: Callable[[V], int] = lambda _value: 1,
        on_counted: Callable[[str, int], None] | None = None,
    ) -> None:
        """Store how notes are written.

        Args:
            name: What the log calls the notes.
            table: How often, how many at once, and how many are remembered.
            write: Writes a batch in one transaction; returns how many of it the database took.
            added: Makes one note of two under the same key, the earlier one first.
            weight: How many a note counts for.
            on_counted: Called with `written` or `dropped` and a number, for a metric.
        """
        self._name = name
        self._table = table
        self._write = write
        self._added = added
        self._weight = weight
        self._on_counted = on_counted or (lambda _outcome, _number: None)
        self._noted: dict[K, V] = {}
        self._dropped = 0
        self._flushing = asyncio.Lock()

    def note(self, key: K, value: V) -> None:
        """Remember a note, or drop it if there are too many."""
        earlier = self._noted.get(key)
        if earlier is None and len(self._noted) >= self._table.most:
            self._dropped += self._weight(value)
            self._on_counted("dropped", self._weight(value))
            return
        self._noted[key] = value if earlier is None else self._added(earlier, value)

    async def flush(self) -> int:
        """Write what was remembered; return how many the database took.

        What cannot be written is remembered on.

        Raises:
            PrefrontalError: If the database does not take it.
        """
        async with self._flushing:
            if self._dropped:
                log.warning("notes_dropped", notes=self._name, number=self._dropped)
                self._dropped = 0
            written = 0
            while self._noted:
                batch = [*self._noted.items()][: self._table.batch]
                for key, _ in batch:
                    del self._noted[key]
                try:
                    written += await self._write(batch)
                except PrefrontalError:
                    for key, value in batch:
                        self.note(key, value)
                    raise
                self._on_counted("written", sum(self._weight(value) for _, value in batch))
            return written

    async def flush_last(self) -> None:
        """Write what was remembered, when the process ends; what cannot be written is lost, and logged."""
        try:
            await self.flush()
        except PrefrontalError as error:
            log.warning("notes_lost", notes=self._name, code=error.code, number=len(self._noted))

    async def run_forever(self) -> None:
        """Write what was remembered again and again, until cancelled; a failure is logged."""
        while True:
            await asyncio.sleep(self._table.every_seconds)
            try:
                # Who is cancelled meanwhile lets the statement end: nothing is written twice.
                await asyncio.shield(self.flush())
            except PrefrontalError as error:
                log.warning("notes_not_written", notes=self._name, code=error.code)
            except Exception:
                # A defect must not end the loop.
                log.exception("notes_not_written", notes=self._name)
