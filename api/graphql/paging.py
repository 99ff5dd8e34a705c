"""Connections: the pages of all lists, after the Relay specification, forward only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, Self, TypeVar

import strawberry
from strawberry.types.nodes import SelectedField

from prefrontal.api.graphql.records import RecordType
from prefrontal.graph.storage.paging import (
    DEFAULT_FIRST,
    MOST_FIRST,
    Page,
    checked_first,
    decode_cursor,
    encode_cursor,
    not_a_cursor,
)

if TYPE_CHECKING:
    from strawberry.dataloader import DataLoader

T = TypeVar("T")
R = TypeVar("R")

First = Annotated[
    int | None, strawberry.argument(description=f"Page size, 1 to {MOST_FIRST}; default {DEFAULT_FIRST}.")
]
After = Annotated[
    str | None, strawberry.argument(description="`endCursor` of the previous page; omit for the first page.")
]


@strawberry.type(description="Information for fetching the next page.")
class PageInfo:
    """Page information as in the Relay specification, forward only."""

    has_next_page: bool = strawberry.field(description="Whether more items follow.")
    end_cursor: str | None = strawberry.field(description="Pass it as `after` to get the next page.")

    @classmethod
    def of(cls, cursors: tuple[str, ...], *, has_next: bool) -> PageInfo:
        """Return the page information for a page with these cursors."""
        return cls(has_next_page=has_next, end_cursor=cursors[-1] if cursors else None)


@strawberry.type(description="An item of a page.")
class Edge(Generic[T]):
    """An edge of a connection."""

    cursor: str
    node: T


@strawberry.type(name="Connection", description="A page of a list, and where the next page starts.")
class UncountedPage(Generic[T]):
    """A page of a list whose length nobody counts: a log."""

    edges: list[Edge[T]]
    nodes: list[T]
    page_info: PageInfo

    @classmethod
    def of_page(cls, kind: type[RecordType], page: Page[Any], **more: Any) -> Self:
        """Return the connection of a page of records; `more` are the values of further fields."""
        nodes: list[Any] = [kind.from_record(record) for record in page.items]
        edges = [Edge(cursor=cursor, node=node) for cursor, node in zip(page.cursors, nodes, strict=True)]
        info = PageInfo.of(page.cursors, has_next=page.has_next)
        return cls(edges=edges, nodes=nodes, page_info=info, **more)


@strawberry.type(description="A page of a list, and where the next page starts.")
class Connection(UncountedPage[T]):
    """A page of a list."""

    counted: strawberry.Private[Callable[[], Awaitable[int]]]

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self) -> int:
        return await self.counted()

    @classmethod
    def of(
        cls, kind: type[RecordType], page: Page[Any], counted: Callable[[], Awaitable[int]], **more: Any
    ) -> Self:
        """Return the connection of a page of records.

        Args:
            kind: The GraphQL type of the nodes.
            page: The page.
            counted: Returns the number of matches on all pages.
            more: The values of further fields of a subclass.
        """
        return cls.of_page(kind, page, counted=counted, **more)

    @classmethod
    def of_links(cls, page: Page[Any], counted: Callable[[], Awaitable[int]]) -> Self:
        """Return the connection of a page of links, whose edges have fields of their own.

        Args:
            page: The page.
            counted: Returns the number of matches on all pages.
        """
        edges = [cls.edge_of(cursor, link) for cursor, link in zip(page.cursors, page.items, strict=True)]
        info = PageInfo.of(page.cursors, has_next=page.has_next)
        return cls(counted=counted, edges=edges, nodes=[edge.node for edge in edges], page_info=info)

    @classmethod
    def edge_of(cls, cursor: str, link: Any) -> Any:
        """Return the edge of a link; connections with fields at their edges define it."""
        raise NotImplementedError


def is_counted(info: strawberry.Info[Any, Any]) -> bool:
    """Return whether the query selects `totalCount` of the connection that is being resolved."""

    def among(selections: Sequence[Any]) -> bool:
        # A field has a name and selections, too, but what is below it is not the connection's.
        return any(
            selection.name == "totalCount"
            if isinstance(selection, SelectedField)
            else among(selection.selections)
            for selection in selections
        )

    return any(among(field.selections) for field in info.selected_fields)


async def loaded_page(
    loader: DataLoader[str, R | None], uids: Sequence[str], first: int | None, after: str | None
) -> Page[R]:
    """Return a page of the records with some ids, in their order; a record that is not found is left out.

    Args:
        loader: The loader of the records.
        uids: The ids of all items of the list, each once.
        first: The page size.
        after: The cursor of the last record of the page before.

    Raises:
        InvalidInput: If the page size is out of range, or the cursor is not one of this list.
    """
    limit, start = checked_first(first), 0
    if after is not None:
        (uid,) = decode_cursor(after, str)
        if uid not in uids:
            raise not_a_cursor("after")
        start = uids.index(str(uid)) + 1
    found: list[tuple[str, R]] = []
    # One more than requested shows whether there is a next page.
    while start < len(uids) and len(found) <= limit:
        some = uids[start : start + limit + 1]
        records = await loader.load_many(some)
        found += [(uid, record) for uid, record in zip(some, records, strict=True) if record is not None]
        start += len(some)
    kept = found[:limit]
    return Page(
        items=tuple(record for _, record in kept),
        cursors=tuple(encode_cursor(uid) for uid, _ in kept),
        has_next=len(found) > limit,
    )
