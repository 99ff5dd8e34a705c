"""Use case of searching memories by words, meaning and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.search import rules, store
from prefrontal.graph.search.record import Found, Search, SearchFilter
from prefrontal.graph.storage.paging import (
    Page,
    checked_first,
    encode_cursor,
    start_of,
    time_of,
    time_part,
)
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.text.embedding import Embeddings

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FoundPage(Page[Found]):
    """A page of what was found, best first."""

    partial: bool = False
    """Whether the question could not be encoded in time, so that it was searched for by words alone."""


class SearchService:
    """Finds the memories of the caller's spaces that answer a question."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog, embeddings: Embeddings) -> None:
        """Store the database, the clock, the registry and what makes vectors."""
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._embeddings = embeddings

    async def search(
        self,
        caller: Caller,
        text: str,
        wanted: SearchFilter | None = None,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> FoundPage:
        """Return a page of the memories that answer a question, most relevant first.

        What is not relevant enough is left out, so the page may be empty. Later pages search again with the
        time of the first one.

        Raises:
            InvalidInput: If the text is empty, the filter or the page size is invalid, or the cursor is not
                one of this list.
        """
        require(caller, Permission.READ)
        wanted = wanted or SearchFilter()
        limit = checked_first(first)
        raise_all(
            [
                *limit_problems(Search(text=text), self._catalog.limits),
                *limit_problems(wanted, self._catalog.limits, "filter"),
            ]
        )
        started, relevance, uid = start_of(after, time_part(self._clock.now()), 2.0, "")
        now = time_of(started)
        found, partial = await self._ranked(caller, text, wanted, now)
        rest = [each for each in found if (-each.relevance, each.uid) > (-relevance, uid)]
        kept = rest[:limit]
        return FoundPage(
            items=tuple(kept),
            cursors=tuple(encode_cursor(started, each.relevance, each.uid) for each in kept),
            has_next=len(rest) > limit,
            partial=partial,
        )
