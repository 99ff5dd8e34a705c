"""Use cases of entities: looking at them. They come and go with what mentions them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.entities import store
from prefrontal.graph.entities.record import Entity, EntityFilter
from prefrontal.graph.storage.paging import Page, checked_first, decode_cursor, encode_cursor
from prefrontal.graph.validation import list_problems, raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

T = TypeVar("T")

NEWEST_MENTIONS = 20
"""How many of what mentions an entity come with it; all of them are found by filtering on it."""


class EntityService:
    """Finds the entities that something readable mentions; of others it says nothing."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        """Take what every use case needs."""
        self._database = database
        self._catalog = catalog

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Entity]:
        """Return the visible ones of some entities by id."""
        return await self._read(caller, lambda tx: store.find(tx, caller, uids))

    async def list(
        self, caller: Caller, wanted: EntityFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Entity]:
        """Return a page of visible entities in the order of their folded names.

        Raises:
            InvalidInput: The filter, the page size or the cursor is wrong.
        """
        limit = checked_first(first)
        self._check(wanted)
        after_key = str(decode_cursor(after, str)[0]) if after is not None else ""
        found = await self._read(
            caller, lambda tx: store.list_page(tx, caller, wanted, after_key=after_key, limit=limit + 1)
        )
        items = tuple(found[:limit])
        return Page(items, tuple(encode_cursor(item.key) for item in items), len(found) > limit)

    async def count(self, caller: Caller, wanted: EntityFilter) -> int:
        """Return how many visible entities match, whatever the page."""
        self._check(wanted)
        return await self._read(caller, lambda tx: store.count(tx, caller, wanted))

    async def mentioning(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the newest readable things that mention each entity, newest first."""
        return await self._read(caller, lambda tx: store.mentioning(tx, caller, uids, NEWEST_MENTIONS))

    async def count_mentions(self, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
        """Return how many readable things mention each entity."""
        return await self._read(caller, lambda tx: store.count_mentions(tx, caller, uids))

    async def _read(self, caller: Caller, work: Callable[[Tx], Awaitable[T]]) -> T:
        require(caller, Permission.READ)
        return await self._database.read(work)

    def _check(self, wanted: EntityFilter) -> None:
        limits = self._catalog.limits
        problems = list_problems(wanted.kinds, "filter.kinds", limits.list_items)
        for number, kind in enumerate(wanted.kinds[: limits.list_items]):
            problems += text_problems(kind, f"filter.kinds[{number}]", limits.tag_characters)
        problems += text_problems(wanted.prefix, "filter.prefix", limits.entity_characters, required=False)
        raise_all(problems)
