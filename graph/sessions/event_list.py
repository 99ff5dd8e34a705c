"""The events of a session, as a list (source 002 §1.5, `cognitive_events`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.sessions import store
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.event_record import CognitiveEvent
    from prefrontal.graph.storage.unit_of_work import Database

_OLDEST = ""
"""Sorts before the id of every event."""


class SessionEvents:
    """Lists what is published about sessions of an actor."""

    def __init__(self, database: Database, access_log: AccessLog) -> None:
        self._database = database
        self._access_log = access_log

    async def page(
        self, caller: Caller, session: str, *, first: int | None = None, after: str | None = None
    ) -> Page[CognitiveEvent] | None:
        """Return a page of the events of a session, by its id or its key, oldest first.

        None if the session is unknown or not the caller's.

        Raises:
            InvalidInput: If the page size or the cursor is not valid.
        """
        with self._access_log.access(caller, AccessOperation.GET_EVENTS, session) as access:
            require(caller, Permission.READ)
            limit, (start,) = checked_first(first), start_of(after, _OLDEST)
            found = await self._database.read(
                lambda tx: store.list_events(tx, caller, session, after=start, limit=limit + 1)
            )
            if found is None:
                access.finds_nothing()
                return None
        return page_of(found, limit, lambda event: (event.uid,))
