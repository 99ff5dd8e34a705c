"""A page of observations: newest first, or with a text its best matches first (decision G-007).

    order     the ranked: at most 100 that fit the text best, best first; then all others, newest first
    cursor    without a text the id; with one: how many of the ranked were shown, the id in the time order,
              and the ranked themselves

The ranked are decided once, for the first page, and travel in the cursor: a score changes with everything
that is added, so asking again would show some twice and others never. Of the ranked the cursor keeps what
the rest of the list still needs. Ids in a cursor give nothing away: they are held to the caller's spaces
and the filter like every other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch import search_store
from prefrontal.graph.scratch.record import Observation, ObservationFilter
from prefrontal.graph.storage.paging import decode_cursor, encode_cursor
from prefrontal.graph.validation import list_problems, text_problems

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import LimitsTable, RankingTable
    from prefrontal.graph.storage.unit_of_work import Tx

_PREFIX = f"{Kind.OBSERVATION.value}_"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page starts: so many of the ranked are shown, and in the time order all down to `before`."""

    before: str = search_store.NEWEST
    shown: int = 0
    ranked: tuple[str, ...] | None = None
    """None until they are decided; there are none without a text."""


def filter_problems(wanted: ObservationFilter, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with a filter whatever the graph holds."""
    problems = list_problems(wanted.tags, "filter.tags", limits.tags)
    problems += list_problems(wanted.types, "filter.types", limits.list_items)
    if not wanted.statuses:
        problems.append(InvalidInput("at least one status", field="filter.status"))
    problems += list_problems(wanted.entities, "filter.entities", limits.entities)
    for number, name in enumerate(wanted.entities[: limits.entities]):
        problems += text_problems(name, f"filter.entities[{number}]", limits.entity_characters)
    for number, tag in enumerate(wanted.tags[: limits.tags]):
        problems += text_problems(tag, f"filter.tags[{number}]", limits.tag_characters)
    for number, kind in enumerate(wanted.types[: limits.list_items]):
        problems += text_problems(kind, f"filter.types[{number}]", limits.key_characters)
    for name, key in (("goalId", wanted.goal_id), ("goalKey", wanted.goal_key), ("userId", wanted.user_id)):
        problems += text_problems(key, f"filter.{name}", limits.key_characters)
    problems += text_problems(wanted.query, "filter.query", limits.prompt_characters, required=False)
    return problems


def place_of(cursor: str | None, wanted: ObservationFilter, most: int) -> Place:
    """Return where the page after the cursor starts.

    Raises:
        InvalidInput: It is no cursor of this list.
    """
    if wanted.query is None:
        return Place() if cursor is None else Place(before=str(decode_cursor(cursor, str)[0]), ranked=())
    if cursor is None:
        return Place()
    shown, before, ids = decode_cursor(cursor, int, str, str)
    ranked = tuple(_PREFIX + part for part in str(ids).split())
    known = all(kind_of(uid) is Kind.OBSERVATION for uid in ranked)
    if not known or not 0 <= int(shown) <= len(ranked) <= most:
        raise InvalidInput("not a cursor of this list; take `endCursor` of the page before", field="after")
    return Place(before=str(before), shown=int(shown), ranked=ranked)


def cursor_of(place: Place, wanted: ObservationFilter) -> str:
    """Return the cursor from which `place_of` makes the place."""
    if wanted.query is None:
        return encode_cursor(place.before)
    ids = " ".join(uid.removeprefix(_PREFIX) for uid in place.ranked or ())
    return encode_cursor(place.shown, place.before, ids)


def after(place: Place, ranked: tuple[str, ...], uid: str) -> Place:
    """Return the place after an observation that was shown on the page that starts at `place`."""
    if uid in ranked[place.shown :]:
        return Place(place.before, ranked.index(uid) + 1, ranked)
    # From here on only those of the ranked matter that the time order would still come to.
    left = tuple(other for other in ranked if other < uid)
    return Place(uid, len(left), left)


async def read_page(
    tx: Tx,
    caller: Caller,
    wanted: ObservationFilter,
    place: Place,
    *,
    limit: int,
    now: datetime,
    table: RankingTable,
) -> list[tuple[Observation, Place]]:
    """Return up to `limit` observations from a place on, each with the place after it."""
    ranked = place.ranked
    if ranked is None:
        ranked = await search_store.rank(tx, caller, wanted, now, table) if wanted.query else ()
    coming = ranked[place.shown :]
    found = await search_store.list_among(tx, caller, wanted, coming, limit, now) if coming else []
    if len(found) < limit:
        found += await search_store.list_page(
            tx, caller, wanted, before=place.before, limit=limit - len(found), now=now, without=ranked
        )
    return [(item, after(place, ranked, item.uid)) for item in found]
