"""Queries for the observations that match a filter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.scratch.record import Observation, ObservationFilter
from prefrontal.graph.scratch.rows import observation
from prefrontal.graph.scratch.validation import fold_tag, stored_slices
from prefrontal.graph.text.lucene import longest_words, ordering_query
from prefrontal.graph.text.relevance import relevance

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import RankingTable
    from prefrontal.graph.storage.unit_of_work import Tx

NEWEST = "obs_~"
"""Sorts after the id of every observation. The first page starts here."""
OLDEST = "obs_"
"""Sorts before the id of every observation."""

_LIST = {
    "entities": "scratch/list_observations_by_entities",
    "goal": "scratch/list_observations_by_goal",
    "source": "scratch/list_observations_by_source",
    "tags": "scratch/list_observations_by_tags",
    "time": "scratch/list_observations_by_time",
}
_COUNT = {
    "entities": "scratch/count_observations_by_entities",
    "goal": "scratch/count_observations_by_goal",
    "source": "scratch/count_observations_by_source",
    "tags": "scratch/count_observations_by_tags",
    "time": "scratch/count_observations_by_time",
}


async def list_page(
    tx: Tx,
    caller: Caller,
    wanted: ObservationFilter,
    *,
    before: str,
    limit: int,
    now: datetime,
    excluded: Sequence[str] = (),
) -> list[Observation]:
    """Return up to `limit` matches with ids below `before` and not in `excluded`, newest first."""
    way, params = _query_for(caller, wanted, now)
    params["before"] = min(before, params["before"])
    row = await tx.one(_LIST[way], **params, without=list(excluded), limit=limit)
    return [observation(item, now) for item in row["items"]]


async def list_by_update(
    tx: Tx,
    caller: Caller,
    wanted: ObservationFilter,
    *,
    before: tuple[datetime, str],
    limit: int,
    now: datetime,
) -> list[Observation]:
    """Return up to `limit` matches that were changed before a time, last changed first.

    `before` is the time and the id of an observation; those that were changed at exactly that time have lower
    ids.
    """
    row = await tx.one(
        "scratch/list_observations_by_update",
        **_every_condition(caller, wanted, now),
        before_at=before[0],
        before=before[1],
        limit=limit,
    )
    return [observation(item, now) for item in row["items"]]


async def rank(
    tx: Tx, caller: Caller, wanted: ObservationFilter, now: datetime, table: RankingTable
) -> tuple[str, ...]:
    """Return the ids of the matching observations that match the text best, best first.

    Which ones they are, and their order, depends on what the caller may read alone.
    """
    text = wanted.query or ""
    readable = _readable(caller, wanted)
    search = ordering_query(text, readable, table.words)
    if not search or not readable:
        return ()
    row = await tx.one(
        "scratch/rank_observations_by_text",
        **_every_condition(caller, wanted, now),
        search=search,
        look=table.look,
        most=table.most,
        longest=table.longest,
    )
    scores = relevance(longest_words(text, table.words), [item["text"] for item in row["items"]])
    ranked = zip(scores, (item["uid"] for item in row["items"]), strict=True)
    # Of two that match alike the newer one comes first.
    return tuple(uid for _, uid in sorted(ranked, reverse=True))


async def list_among(
    tx: Tx, caller: Caller, wanted: ObservationFilter, uids: Sequence[str], limit: int, now: datetime
) -> list[Observation]:
    """Return up to `limit` of the observations in `uids` that match the filter, in the order of `uids`."""
    row = await tx.one(
        "scratch/list_observations_among",
        **_every_condition(caller, wanted, now),
        uids=list(uids),
        limit=limit,
    )
    return [observation(item, now) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: ObservationFilter, now: datetime) -> int:
    """Return the number of observations that match the filter."""
    way, params = _query_for(caller, wanted, now)
    row = await tx.one(_COUNT[way], **params)
    return int(row["total"])


def _query_for(caller: Caller, wanted: ObservationFilter, now: datetime) -> tuple[str, dict[str, Any]]:
    """Return the key of the query for the filter's most selective condition, and the query's parameters."""
    params = _conditions(caller, wanted, now) | _bounds(wanted)
    ways = (
        ("goal", wanted.goal_id is not None or wanted.goal_key is not None),
        ("source", wanted.client_key is not None or wanted.turn_id is not None),
        # Entities are usually more selective than tags.
        ("entities", wanted.entities),
        ("tags", wanted.tags),
        ("source", wanted.source_name is not None),
        ("tags", wanted.any_tags),
    )
    way = next((name for name, given in ways if given), "time")
    if way == "goal":
        params |= {"goal_id": wanted.goal_id, "goal_key": wanted.goal_key}
    if way == "source":
        params |= _source_keys(wanted)
    return way, params if way == "time" else params | _tag_keys(wanted)


def _source_keys(wanted: ObservationFilter) -> dict[str, str | None]:
    """Return the key by which observations are looked up, and null for the others, which so find nothing.

    A condition that another key is given would be checked after the walk over what a key finds.
    """
    keys = {
        "by_client_key": wanted.client_key,
        "by_turn_key": wanted.turn_id,
        "by_source_name": wanted.source_name,
    }
    chosen = next(name for name, key in keys.items() if key is not None)
    return {name: key if name == chosen else None for name, key in keys.items()}


def _every_condition(caller: Caller, wanted: ObservationFilter, now: datetime) -> dict[str, Any]:
    """Return the parameters of a query that checks every condition of the filter."""
    goal = {"goal_id": wanted.goal_id, "goal_key": wanted.goal_key}
    return _conditions(caller, wanted, now) | goal | _tag_keys(wanted)


def _tag_keys(wanted: ObservationFilter) -> dict[str, Any]:
    return {"tag_keys": _folded(wanted.tags)}


def _folded(tags: Sequence[str]) -> list[str]:
    return sorted({fold_tag(tag) for tag in tags})


def _readable(caller: Caller, wanted: ObservationFilter) -> list[str]:
    return [uid for uid in caller.readable if wanted.space in (None, uid)]


def _bounds(wanted: ObservationFilter) -> dict[str, Any]:
    """Return the bounds of the ids of what was added in the wanted time.

    Ids are exact to the millisecond only, so the bounds include the whole milliseconds of both times. The
    queries also compare the exact times.
    """
    kind = Kind.OBSERVATION
    return {
        "since_uid": OLDEST if wanted.since is None else floor_id(kind, wanted.since),
        "before": NEWEST if wanted.until is None else floor_id(kind, wanted.until) + "~",
    }


def _conditions(caller: Caller, wanted: ObservationFilter, now: datetime) -> dict[str, Any]:
    return {
        "readable": _readable(caller, wanted),
        "slices": stored_slices(wanted.statuses),
        "now": now,
        "types": list(wanted.types) or None,
        "min_confidence": wanted.min_confidence,
        "user_id": wanted.user_id,
        "entity_uids": sorted({entity_id(caller.org_id, name) for name in wanted.entities}),
        "any_tag_keys": _folded(wanted.any_tags),
        "client_key": wanted.client_key,
        "turn_key": wanted.turn_id,
        "source_kind": wanted.source_kind.value if wanted.source_kind else None,
        "source_name": wanted.source_name,
        "since": wanted.since,
        "until": wanted.until,
    }
