"""The access log: every access of a session, allowed or refused (source 002 §7; SEC-04 to SEC-06).

Use cases say what they do with a session around doing it; the entry is noted when it is known what came of
it, and written with others a moment later (`graph/journal/batcher.py`). Changes of sessions are events
besides, in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import NotFound, PrefrontalError
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.batcher import Batcher
from prefrontal.graph.sessions import access_store
from prefrontal.graph.sessions.access_record import AccessEntry, AccessOperation, AccessOutcome, SessionAccess
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database

_NEWEST = f"{Kind.ACCESS_LOG.value}_~"
"""Sorts after the id of every entry."""
MOST_ITEMS = 100
"""How many ids of items an entry keeps."""


class Access:
    """An access that is under way: what came of it so far."""

    def __init__(self, session: str | None) -> None:
        """Store the session as the caller names it; None if it is not known yet."""
        self.session = session
        self.items: tuple[str, ...] = ()
        self.problem: str | None = None

    def note_items(self, items: Iterable[str]) -> None:
        """Say which items are shown or changed."""
        self.items = tuple(items)

    def finds_nothing(self) -> None:
        """Say that the session is unknown or not the caller's, where that is an answer and no error."""
        self.problem = NotFound.code


class AccessLog:
    """Notes and lists the accesses of sessions."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        *,
        on_counted: Callable[[str, int], None] | None = None,
    ) -> None:
        """Store the database, the clock and the bounds.

        `on_counted` is called with `written` or `dropped` and a number of entries, for a metric.
        """
        self._database = database
        self._clock = clock
        self._days = catalog.retention.access_days
        self.batcher: Batcher[str, SessionAccess] = Batcher(
            "access_log", catalog.capacity.access_log, self._write, on_counted=on_counted
        )

    @contextmanager
    def access(self, caller: Caller, operation: AccessOperation, session: str | None) -> Iterator[Access]:
        """Note an access once it is over, with the code of the problem if it is refused."""
        access = Access(session)
        try:
            yield access
        except PrefrontalError as error:
            access.problem = error.code
            raise
        except BaseException:
            # Nobody knows what became of it.
            access.problem = PrefrontalError.code
            raise
        finally:
            if access.session is not None:
                self.note(caller, operation, access.session, access.items, problem=access.problem)

    def note(
        self,
        caller: Caller,
        operation: AccessOperation,
        session: str,
        items: Iterable[str] = (),
        *,
        problem: str | None = None,
    ) -> None:
        """Note an access of a session, by its id or the caller's key of it."""
        # An item that a caller evicts is the one that leaves.
        now, found = self._clock.now(), tuple(dict.fromkeys(items))
        entry = SessionAccess(
            uid=new_id(Kind.ACCESS_LOG, now),
            operation=operation,
            session=session,
            item_ids=found[:MOST_ITEMS],
            items=len(found),
            problem=problem,
            org_id=caller.org_id,
            scope_id=caller.session_space,
            by_uid=caller.actor_id,
            agent_id=caller.agent_id,
            person_id=caller.person_id,
            device_id=caller.device_id,
            at=now,
        )
        self.batcher.note(entry.uid, entry)

    async def page(
        self,
        caller: Caller,
        session: str,
        *,
        outcome: AccessOutcome | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[AccessEntry] | None:
        """Return a page of the accesses of a session, by its id or its key, newest first.

        None if the session is unknown or not the caller's. `outcome` keeps those that were allowed, or those
        that were refused. To read the log is an access, too.

        Raises:
            InvalidInput: If the page size or the cursor is not valid.
        """
        with self.access(caller, AccessOperation.GET_ACCESS_LOG, session) as access:
            require(caller, Permission.READ)
            limit, (before,) = checked_first(first), start_of(after, _NEWEST)
            now = self._clock.now()
            found = await self._database.read(
                lambda tx: access_store.list_page(
                    tx, caller, session, outcome=outcome, before=before, limit=limit + 1, now=now
                )
            )
            if found is None:
                access.finds_nothing()
                return None
        return page_of(found, limit, lambda entry: (entry.uid,))

    async def _write(self, batch: list[tuple[str, SessionAccess]]) -> int:
        entries = [entry for _, entry in batch]
        until = self._clock.now() + timedelta(days=self._days)
        return await self._database.write(lambda tx: access_store.append(tx, entries, until))
