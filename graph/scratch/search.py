"""Pages of observations: newest first, last changed first, or best matches of a text first (decision G-007).

    order     with a text, at most 100 ranked observations, best match first; then all others, newest first
    cursor    without a text, the id of the last observation; with a text, the number of ranked observations
              already returned, the id reached in the order of time, and the ids of the ranked observations;
              in the order of change, the name of the order, and the time and the id of the last observation

The ranking is made once, for the first page, and is carried in the cursor. Scores change with every new
observation, so a new ranking for each page would repeat some observations and skip others. The cursor keeps
only those ranked ids that later pages need. A client that changes the ids in a cursor gains nothing: the
caller's spaces and the filter apply to them too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.scratch import search_store
from prefrontal.graph.scratch.record import Observation, ObservationFilter, ObservationOrder
from prefrontal.graph.storage.paging import (
    LATEST,
    Page,
    decode_cursor,
    encode_cursor,
    not_a_cursor,
    time_cursor,
    time_of,
    time_part,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import LimitsTable, RankingTable
    from prefrontal.graph.storage.unit_of_work import Tx

_PREFIX = f"{Kind.OBSERVATION.value}_"


@dataclass(frozen=True, slots=True)
class PageStart:
    """The position at which a page starts."""

    before: str = search_store.NEWEST
    """In the order of time, the page starts below this id."""
    returned: int = 0
    """The number of ranked observations that earlier pages returned."""
    ranked: tuple[str, ...] | None = None
    """The ids of the ranked observations; None before the ranking, empty without a text."""
    changed: int | None = None
    """In the order of change, the page starts below this time and, at it, below `before`; else None."""


@dataclass(frozen=True, slots=True)
class ObservationPage(Page[Observation]):
    """A page of observations, and how it was read."""

    query_time_ms: float
    partial: bool = False
    """Whether the query exceeded its deadline. The page then has what was found until then."""
    total: int | None = None
    """The number of matches on all pages, if it was asked for; of a partial page, the number on it."""


def filter_problems(
    wanted: ObservationFilter, limits: LimitsTable, order: ObservationOrder = ObservationOrder.CREATED_AT
) -> list[InvalidInput]:
    """Return the problems of a filter and an order that can be found without reading the graph."""
    problems = limit_problems(wanted, limits, "filter")
    if not wanted.statuses:
        problems.append(InvalidInput("at least one status", field="filter.status"))
    if wanted.query is not None and order is not ObservationOrder.CREATED_AT:
        problems.append(InvalidInput("not together with `query`, which has its own order", field="orderBy"))
    return problems


def page_start(
    cursor: str | None,
    wanted: ObservationFilter,
    most: int,
    order: ObservationOrder = ObservationOrder.CREATED_AT,
) -> PageStart:
    """Return the position after a cursor; the start of the list if the cursor is None.

    Raises:
        InvalidInput: If the cursor does not belong to this list.
    """
    if order is ObservationOrder.UPDATED_AT:
        return _changed_page_start(cursor)
    if wanted.query is None:
        return (
            PageStart() if cursor is None else PageStart(before=str(decode_cursor(cursor, str)[0]), ranked=())
        )
    if cursor is None:
        return PageStart()
    shown, before, ids = decode_cursor(cursor, int, str, str)
    ranked = tuple(_PREFIX + part for part in str(ids).split())
    known = all(kind_of(uid) is Kind.OBSERVATION for uid in ranked)
    if not known or not 0 <= int(shown) <= len(ranked) <= most:
        raise not_a_cursor("after")
    return PageStart(before=str(before), returned=int(shown), ranked=ranked)


def _changed_page_start(cursor: str | None) -> PageStart:
    if cursor is None:
        return PageStart(changed=LATEST)
    changed, before = time_cursor(cursor, ObservationOrder.UPDATED_AT.value)
    return PageStart(before=before, changed=changed)


def cursor_of(start: PageStart, wanted: ObservationFilter) -> str:
    """Return the cursor of a position. `page_start` turns it back into the position."""
    if start.changed is not None:
        return encode_cursor(ObservationOrder.UPDATED_AT.value, start.changed, start.before)
    if wanted.query is None:
        return encode_cursor(start.before)
    ids = " ".join(uid.removeprefix(_PREFIX) for uid in start.ranked or ())
    return encode_cursor(start.returned, start.before, ids)


def after(start: PageStart, ranked: tuple[str, ...], uid: str) -> PageStart:
    """Return the position after an observation on the page that starts at `start`."""
    if uid in ranked[start.returned :]:
        return PageStart(start.before, ranked.index(uid) + 1, ranked)
    # Only the ranked ids that the order of time has not reached yet are still needed, to be left out there.
    left = tuple(other for other in ranked if other < uid)
    return PageStart(uid, len(left), left)


async def read_parts(
    tx: Tx,
    caller: Caller,
    wanted: ObservationFilter,
    start: PageStart,
    *,
    limit: int,
    now: datetime,
    table: RankingTable,
) -> AsyncIterator[list[tuple[Observation, PageStart]]]:
    """Give up to `limit` observations that start at a position, each with the position after it.

    The ranked ones come as a part of their own, so that they are not lost if the deadline passes while the
    others are read.
    """
    if start.changed is not None:
        before = (time_of(start.changed), start.before)
        changed = await search_store.list_by_update(tx, caller, wanted, before=before, limit=limit, now=now)
        yield [(item, PageStart(item.uid, changed=time_part(item.updated_at))) for item in changed]
        return
    ranked = start.ranked
    if ranked is None:
        ranked = await search_store.rank(tx, caller, wanted, now, table) if wanted.query else ()
    coming = ranked[start.returned :]
    found = await search_store.list_among(tx, caller, wanted, coming, limit, now) if coming else []
    yield [(item, after(start, ranked, item.uid)) for item in found]
    if len(found) < limit:
        others = await search_store.list_page(
            tx, caller, wanted, before=start.before, limit=limit - len(found), now=now, excluded=ranked
        )
        yield [(item, after(start, ranked, item.uid)) for item in others]
