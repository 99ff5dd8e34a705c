"""Queries for the observations that match a filter."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.entities.rules import entity_id
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

_LIST = {
    "entities": "scratch/list_observations_by_entities",
    "goal": "scratch/list_observations_by_goal",
    "tags": "scratch/list_observations_by_tags",
    "time": "scratch/list_observations_by_time",
}
_COUNT = {
    "entities": "scratch/count_observations_by_entities",
    "goal": "scratch/count_observations_by_goal",
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
    without: Sequence[str] = (),
) -> list[Observation]:
    """Return up to `limit` matches with ids below `before` and not in `without`, newest first."""
    way, params = _way_in(caller, wanted, now)
    row = await tx.one(_LIST[way], **params, before=before, without=list(without), limit=limit)
    return [observation(item, now) for item in row["items"]]


async def rank(
    tx: Tx, caller: Caller, wanted: ObservationFilter, now: datetime, table: RankingTable
) -> tuple[str, ...]:
    """Return the ids of the matching observations that match the text best, best first.

    Which ones they are, and their order, depends on what the caller may read alone.
    """
    text = wanted.query or ""
    search = ordering_query(text, caller.readable, table.words)
    if not search:
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
    way, params = _way_in(caller, wanted, now)
    row = await tx.one(_COUNT[way], **params)
    return int(row["total"])


def _way_in(caller: Caller, wanted: ObservationFilter, now: datetime) -> tuple[str, dict[str, Any]]:
    """Return the key of the query for the filter's most selective condition, and the query's parameters."""
    params = _conditions(caller, wanted, now)
    tag_keys = _tag_keys(wanted)
    if wanted.goal_id is not None or wanted.goal_key is not None:
        params |= {"goal_id": wanted.goal_id, "goal_key": wanted.goal_key, "tag_keys": tag_keys}
        return "goal", params
    if wanted.entities:
        # Entities are usually more selective than tags.
        return "entities", params | {"tag_keys": tag_keys}
    if tag_keys:
        return "tags", params | {"tag_keys": tag_keys}
    return "time", params


def _every_condition(caller: Caller, wanted: ObservationFilter, now: datetime) -> dict[str, Any]:
    """Return the parameters of a query that checks every condition of the filter."""
    return _conditions(caller, wanted, now) | {
        "goal_id": wanted.goal_id,
        "goal_key": wanted.goal_key,
        "tag_keys": _tag_keys(wanted),
    }


def _tag_keys(wanted: ObservationFilter) -> list[str]:
    return sorted({fold_tag(tag) for tag in wanted.tags})


def _conditions(caller: Caller, wanted: ObservationFilter, now: datetime) -> dict[str, Any]:
    return {
        "readable": list(caller.readable),
        "slices": stored_slices(wanted.statuses),
        "now": now,
        "types": list(wanted.types) or None,
        "min_confidence": wanted.min_confidence,
        "user_id": wanted.user_id,
        "entity_uids": sorted({entity_id(caller.org_id, name) for name in wanted.entities}),
    }
