"""The arguments and the page information that all connections share."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.graph.storage.paging import DEFAULT_FIRST, MOST_FIRST

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
