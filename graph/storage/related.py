"""Lists that belong to nodes, e.g. the children of goals: one statement reads a page of each.

A domain names two queries for each list, with these parameters and results:

    pages    pages, limit   one row: items, each `{number, found}`; `number` is the one of the page's request,
                            `found` up to `limit` items in order, each with its sort `key`
    counts   uids           one row: items, each `{uid, number}`

Each of the requests in `pages` has its `number`, the `uid` of the node, and `after`: the sort key of the last
item of the page before, or null. Both queries also take the parameters that limit a read to its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from prefrontal.graph.storage.paging import Page, checked_first, decode_cursor, encode_cursor

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx

R = TypeVar("R")


class Reads(Protocol):
    """Whoever reads, with the parameters that limit a query to what they may read."""

    @property
    def reads(self) -> dict[str, Any]:
        """The parameters of every query that reads for the caller."""
        ...


C = TypeVar("C", bound=Reads)


@dataclass(frozen=True, slots=True)
class PageOf:
    """Which page of a node's list is wanted."""

    uid: str
    first: int
    after: tuple[str | float, ...] | None = None
    """The sort key of the last item of the page before."""


class RelatedList(Generic[R]):
    """A list that belongs to a node: its queries, the record of an item, and the types of its sort key."""

    def __init__(
        self,
        pages: str,
        counts: str,
        record: Callable[[Row, datetime], R],
        *key: type,
        shared: bool = True,
        timed: bool = False,
    ) -> None:
        """Store how the list is read.

        Args:
            pages: The query that reads pages.
            counts: The query that counts.
            record: Returns the record of an item at a time.
            key: The types of the parts of the sort key.
            shared: Whether the queries take `grantees`, because shares of goals make more readable.
            timed: Whether the query that reads pages takes `now`.
        """
        self._pages, self._counts, self._record, self._key = pages, counts, record, key
        self._shared, self._timed = shared, timed

    def page_of(self, uid: str, first: int | None, after: str | None) -> PageOf:
        """Return the request of a page.

        Raises:
            InvalidInput: If the page size is out of range, or the cursor is not one of this list.
        """
        place = None if after is None else decode_cursor(after, *self._key)
        return PageOf(uid, checked_first(first), place)

    async def pages(
        self, tx: Tx, caller: Reads, wanted: Sequence[PageOf], now: datetime, **params: Any
    ) -> dict[PageOf, Page[R]]:
        """Return each page that has items, by its request; `params` are the further ones of the query."""
        if self._timed:
            params["now"] = now
        row = await tx.one(
            self._pages,
            pages=[
                {"number": number, "uid": page.uid, "after": None if page.after is None else [*page.after]}
                for number, page in enumerate(wanted)
            ],
            # One more than requested shows whether there is a next page.
            limit=max(page.first for page in wanted) + 1,
            **self._of(caller),
            **params,
        )
        pages: dict[PageOf, Page[R]] = {}
        for item in row["items"]:
            page, found = wanted[item["number"]], item["found"]
            kept = found[: page.first]
            pages[page] = Page(
                items=tuple(self._record(each, now) for each in kept),
                cursors=tuple(encode_cursor(*each["key"]) for each in kept),
                has_next=len(found) > page.first,
            )
        return pages

    async def counts(self, tx: Tx, caller: Reads, uids: Sequence[str], **params: Any) -> dict[str, int]:
        """Return the length of each list, by the id of its node."""
        row = await tx.one(self._counts, uids=list(uids), **self._of(caller), **params)
        return {item["uid"]: item["number"] for item in row["items"]}

    def _of(self, caller: Reads) -> dict[str, Any]:
        return {name: value for name, value in caller.reads.items() if self._shared or name != "grantees"}


class RelatedReader(Generic[C, R]):
    """The use cases that read a list of nodes' items: its pages and its length."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        related: RelatedList[R],
        allow: Callable[[C], None],
        **params: Any,
    ) -> None:
        """Store the database, the clock, the list, the check of the caller, and further parameters.

        A parameter that is a function is called for each read.
        """
        self._database, self._clock, self._related, self._allow = database, clock, related, allow
        self._params: Mapping[str, Any] = params
        self.page_of = related.page_of

    async def pages(self, caller: C, wanted: Sequence[PageOf]) -> dict[PageOf, Page[R]]:
        """Return each page that has items, by its request; the list of an unreadable node has none."""
        self._allow(caller)

        async def work(tx: Tx) -> dict[PageOf, Page[R]]:
            return await self._related.pages(tx, caller, wanted, self._clock.now(), **self._call_params())

        return await self._database.read(work)

    async def counts(self, caller: C, uids: Sequence[str]) -> dict[str, int]:
        """Return the length of each list, by the id of its node; the list of an unreadable node has none."""
        self._allow(caller)

        async def work(tx: Tx) -> dict[str, int]:
            return await self._related.counts(tx, caller, uids, **self._call_params())

        return await self._database.read(work)

    def _call_params(self) -> dict[str, Any]:
        return {name: value() if callable(value) else value for name, value in self._params.items()}
