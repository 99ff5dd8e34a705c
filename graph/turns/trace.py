"""Use cases that read turns and their trace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.ids import Kind, floor_id, kind_of
from prefrontal.graph.journal.record import NAME_LASTS, TraceEntry, TraceKind
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.turns import store
from prefrontal.graph.turns.commit_record import StoredExport
from prefrontal.graph.turns.record import Neighbours, Turn, TurnStatus

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.storage.unit_of_work import Database, Tx

T = TypeVar("T")


class TurnTrace:
    """Reads turns and what happened in them."""

    def __init__(self, database: Database, clock: Clock, export_days: int, trace_days: int) -> None:
        """Store the database, the clock, and for how many days exports and entries of traces are kept.

        `seen` is the list of what the contexts of a turn included, `entries` the list of a turn's trace,
        `exports_of_turns` the list of a turn's exports, and `of_sessions` the list of the turns in a session.
        """
        self._export_days, self._trace_days = export_days, trace_days
        self._database = database
        self._clock = clock
        self.seen = RelatedReader(database, clock, store.seen, require_reader, read_at=clock.now)
        self.of_sessions = RelatedReader(database, clock, store.of_sessions, require_reader)
        self.entries = RelatedReader(
            database, clock, store.entries, require_reader, oldest=self._oldest_entry
        )
        self.exports_of_turns = RelatedReader(
            database, clock, store.exports_of_turns, require_reader, oldest=self._oldest_export
        )

    async def get(self, caller: Caller, turn_id: str) -> Turn | None:
        """Return the readable turn with that name, or with that id if its name has passed on; or None."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> Turn | None:
            return await store.find(tx, caller, turn_id)

        return await self._database.read(work)

    async def handle(self, caller: Caller, name: str) -> str | None:
        """Return what the turn with a name or an id is known by; None if it is the id of no readable turn.

        A name needs no turn: it may begin one. A turn whose name is free again is named by its id.
        """
        if kind_of(name) is not Kind.TURN:
            return name
        found = (await self.get_by_ids(caller, [name])).get(name)
        if found is None:
            return None
        return found.uid if found.created_at <= self._clock.now() - NAME_LASTS else found.handle

    async def list(
        self,
        caller: Caller,
        status: TurnStatus | None = None,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[Turn]:
        """Return a page of the readable turns, newest first.

        Raises:
            InvalidInput: If the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)

        async def work(tx: Tx, start: str, limit: int) -> Sequence[Turn]:
            return await store.list_turns(tx, caller, _of(status), before=start, limit=limit)

        return await self._page(work, first, after, f"{Kind.TURN.value}_~", _uid)

    async def count_turns(self, caller: Caller, status: TurnStatus | None = None) -> int:
        """Return the number of turns that `list` gives on all pages together."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> int:
            return await store.count_turns(tx, caller, _of(status))

        return await self._database.read(work)

    async def get_by_ids(self, caller: Caller, uids: Sequence[str]) -> dict[str, Turn]:
        """Return the readable turns among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Turn]:
            return await store.find_by_ids(tx, caller, uids)

        return await self._database.read(work)

    async def exports(self, caller: Caller, uids: Sequence[str]) -> dict[str, StoredExport]:
        """Return the readable StateExports among some ids that are still kept, by id."""
        require(caller, Permission.READ)
        oldest = self._oldest_export()

        async def work(tx: Tx) -> dict[str, StoredExport]:
            return await store.find_exports(tx, caller, uids, oldest)

        return await self._database.read(work)

    def _oldest_export(self) -> str:
        """Return what sorts before the ids of the exports that are kept, after all others."""
        return floor_id(Kind.STATE_EXPORT, self._clock.now() - timedelta(days=self._export_days))

    def _oldest_entry(self) -> str:
        """Return what sorts before the ids of the entries that are kept, after all others."""
        return floor_id(Kind.TRACE_EVENT, self._clock.now() - timedelta(days=self._trace_days))

    async def neighbours(self, caller: Caller, uids: Sequence[str]) -> dict[str, Neighbours]:
        """Return the readable turns before and after the readable turns among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Neighbours]:
            return await store.find_neighbours(tx, caller, uids)

        return await self._database.read(work)

    async def of(self, caller: Caller, uids: Sequence[str]) -> dict[str, Turn]:
        """Return the readable turns that created the records among some ids, by the id of the record."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Turn]:
            return await store.find_of(tx, caller, uids)

        return await self._database.read(work)

    async def made(
        self, caller: Caller, uid: str, *, first: int | None = None, after: str | None = None
    ) -> Page[str]:
        """Return a page of the ids of what a turn created or changed, in order of the ids.

        Records that the caller may not read are left out, and all of them if the turn itself is not readable.

        Raises:
            InvalidInput: If the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)

        async def work(tx: Tx, start: str, limit: int) -> list[str]:
            return await store.list_made(tx, caller, uid, after=start, limit=limit)

        return await self._page(work, first, after, "", str)

    async def count_made(self, caller: Caller, uid: str) -> int:
        """Return the number of records that `made` lists on all pages together."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> int:
            return await store.count_made(tx, caller, uid)

        return await self._database.read(work)

    async def trace(
        self,
        caller: Caller,
        turn_id: str,
        *,
        kinds: Sequence[TraceKind] | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[TraceEntry]:
        """Return a page of a turn's trace, oldest first; empty if the turn is unknown or not readable.

        Raises:
            InvalidInput: If the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)
        oldest = self._oldest_entry()

        async def work(tx: Tx, start: str, limit: int) -> list[TraceEntry]:
            return await store.list_trace(
                tx, caller, turn_id, kinds=kinds, after=start, oldest=oldest, limit=limit
            )

        return await self._page(work, first, after, "", _uid)

    async def of_spaces(
        self,
        caller: Caller,
        *,
        kinds: Sequence[TraceKind] | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[TraceEntry]:
        """Return a page of the trace of the readable spaces, newest first, also of what belongs to no turn.

        Raises:
            InvalidInput: If the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)
        oldest = self._oldest_entry()

        async def work(tx: Tx, start: str, limit: int) -> list[TraceEntry]:
            return await store.list_trace_of_spaces(
                tx, caller, kinds=kinds, before=start, oldest=oldest, limit=limit
            )

        return await self._page(work, first, after, f"{Kind.TRACE_EVENT.value}_~", _uid)

    async def count(self, caller: Caller, turn_id: str, kinds: Sequence[TraceKind] | None = None) -> int:
        """Return the number of entries of a turn's trace."""
        require(caller, Permission.READ)
        oldest = self._oldest_entry()

        async def work(tx: Tx) -> int:
            return await store.count_trace(tx, caller, turn_id, kinds, oldest=oldest)

        return await self._database.read(work)

    async def _page(
        self,
        work: Callable[[Tx, str, int], Awaitable[Sequence[T]]],
        first: int | None,
        after: str | None,
        beginning: str,
        key: Callable[[T], str],
    ) -> Page[T]:
        """Return a page of what `work` reads after a start, at most so many; an item's key is a start."""
        limit = checked_first(first)
        (start,) = start_of(after, beginning)
        found = await self._database.read(lambda tx: work(tx, start, limit + 1))
        return page_of(found, limit, lambda item: (key(item),))


def _uid(item: Turn | TraceEntry) -> str:
    return item.uid


def _of(status: TurnStatus | None) -> Sequence[TurnStatus]:
    return tuple(TurnStatus) if status is None else (status,)
