"""Use cases that read entities. An entity is visible while a memory that the caller may read mentions it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.entities import store
from prefrontal.graph.entities.record import Entity, EntityFilter
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

T = TypeVar("T")


class EntityService:
    """Reads the entities that are visible to the caller. Other entities are treated as not existing."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self._database = database
        self._catalog = catalog

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Entity]:
        """Return the visible entities among `uids`, by id."""
        return await self._read(caller, lambda tx: store.find(tx, caller, uids))

    async def list(
        self, caller: Caller, wanted: EntityFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Entity]:
        """Return a page of visible entities in the order of their folded names.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is not valid.
        """
        limit = checked_first(first)
        self._check(wanted)
        (after_key,) = start_of(after, "")
        found = await self._read(
            caller, lambda tx: store.list_page(tx, caller, wanted, after_key=after_key, limit=limit + 1)
        )
        return page_of(found, limit, lambda item: (item.key,))

    async def count(self, caller: Caller, wanted: EntityFilter) -> int:
        """Return the number of visible entities that match a filter, on all pages together."""
        self._check(wanted)
        return await self._read(caller, lambda tx: store.count(tx, caller, wanted))

    async def count_mentions(self, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
        """Return, by entity id, the number of readable memories that mention the entity."""
        return await self._read(caller, lambda tx: store.count_mentions(tx, caller, uids))

    async def _read(self, caller: Caller, work: Callable[[Tx], Awaitable[T]]) -> T:
        require(caller, Permission.READ)
        return await self._database.read(work)

    def _check(self, wanted: EntityFilter) -> None:
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
