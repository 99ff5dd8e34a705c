"""Reads and writes parents, predecessors and lineage of goals: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals.record import (
    BuiltOn,
    Goal,
    GoalChanges,
    GoalLinks,
    Lineage,
    LineageBounds,
    LineageEdge,
    LineageNode,
)
from prefrontal.graph.cortex.goals.store import NO_MORE, goal_record
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_PARTS = ("evidence", "actions", "questions", "stories", "grounds", "outcomes", "calls")
"""The parts of a lineage besides goals, in drawing order; `grounds` is the evidence of stories."""


def _goal(item: Row, _: datetime) -> Goal:
    return goal_record(item["node"])


children = RelatedList("goals/list_children", "goals/count_children", _goal, int, str)
predecessors = RelatedList("goals/list_predecessors", "goals/count_predecessors", _goal, str)
origins = RelatedList("goals/list_origins", "goals/count_origins", _goal, int, str)


async def lock_ancestors(
    tx: Tx, caller: Caller, uids: Sequence[str], types: Sequence[str], now: datetime
) -> dict[str, frozenset[str]]:
    """Lock the ancestors of some goals in the organisation; return them for each goal, the goal included."""
    row = await tx.one(
        "goals/lock_ancestors", uids=list(uids), types=list(types), org_id=caller.org_id, now=now
    )
    return {item["uid"]: frozenset(item["ancestors"]) for item in row["items"]}


async def measure_tree(tx: Tx, caller: Caller, parent_id: str, goal_id: str | None) -> tuple[int, int]:
    """Return the number of goals above `parent_id` and the number of levels below `goal_id`."""
    row = await tx.one("goals/measure_tree", parent_id=parent_id, goal_id=goal_id, org_id=caller.org_id)
    return row["above"], row["below"]


async def relink(tx: Tx, caller: Caller, goal_id: str, changes: GoalChanges, now: datetime) -> dict[str, Any]:
    """Set parent and predecessors of a goal, as far as given; return those that changed."""
    given = changes.model_fields_set
    sources = list(changes.derived_from or ())
    row = await tx.one(
        "goals/relink_goal",
        goal_id=goal_id,
        new_parent="parent_goal_id" in given,
        parent_id=changes.parent_goal_id,
        new_sources="derived_from" in given,
        sources=sources,
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    changed: dict[str, Any] = {}
    if row["parents"]:
        changed["parent_goal_id"] = changes.parent_goal_id
    if row["sources"]:
        changed["derived_from"] = sources
    return changed


async def links_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, GoalLinks]:
    """Return the place of each readable goal in the lineage."""
    row = await tx.one(
        "goals/list_links", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {
        item["uid"]: GoalLinks(
            parent_goal_id=next((d["uid"] for d in item["direct"] if d["type"] == "CHILD_OF"), None),
            derived_from=tuple(d["uid"] for d in item["direct"] if d["type"] == "DERIVED_FROM"),
        )
        for item in row["items"]
    }


async def parents_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Goal]:
    """Return the readable parent of each readable goal that has one, by the id of the child."""
    row = await tx.one("goals/find_parents", uids=list(uids), **caller.reads)
    return {item["uid"]: goal_record(item["parent"]) for item in row["items"]}


async def built_on(
    tx: Tx, caller: Caller, uid: str, since: datetime, active_statuses: Sequence[str]
) -> BuiltOn:
    """Return what was added to a goal since a time, as counts.

    Raises:
        Forbidden: If the share that allowed the access has ended since the goal was locked.
    """
    row = await tx.optional(
        "goals/count_built_on",
        uid=uid,
        since=since,
        statuses=list(active_statuses),
        readable=list(caller.readable),
        grantees=caller.grantees,
    )
    if row is None:
        raise Forbidden(NO_MORE, field="id")
    return BuiltOn.model_validate(row)


async def trace_lineage(tx: Tx, caller: Caller, uid: str, bounds: LineageBounds) -> Lineage | None:
    """Return the lineage of a readable goal; None if the goal is not readable."""
    # One more node than may be returned is read, to tell whether there are more.
    row = await tx.optional(
        "goals/trace_lineage",
        uid=uid,
        readable=list(caller.readable),
        depth=bounds.depth,
        most=bounds.most + 1,
        latest=bounds.latest,
        oldest=bounds.oldest,
        grantees=caller.grantees,
    )
    return None if row is None else _lineage(uid, bounds, row)


async def trace_lineage_as_of(
    tx: Tx, caller: Caller, uid: str, at: datetime, bounds: LineageBounds
) -> Lineage | None:
    """Return the lineage of a readable goal at a time; None if the goal did not exist then."""
    row = await tx.optional(
        "goals/trace_lineage_as_of",
        uid=uid,
        at=at,
        readable=list(caller.readable),
        depth=bounds.depth,
        most=bounds.most + 1,
        latest=bounds.latest,
        oldest=bounds.oldest,
        grantees=caller.grantees,
    )
    if row is None:
        return None
    words: dict[str, dict[str, Any]] = {}
    for word in row["words"]:
        words.setdefault(word["uid"], {}).update(json.loads(word["changes"] or "{}"))
    for node in [*row["goals"], *(item["node"] for item in _linked(row))]:
        node.update(_drawn_then(node, words.get(node["uid"], {})))
    return _lineage(uid, bounds, row)


def _drawn_then(node: Row, then: dict[str, Any]) -> dict[str, Any]:
    """Return the properties of a node that differed at that time, according to its versions."""
    drawn = {
        name: then[name] for name in ("status", "progress", "confidence") if name in node and name in then
    }
    # The property that holds the display text has another name for each kind of node.
    text = next((then[name] for name in ("title", "text", "narrative") if name in then), None)
    return drawn | ({"name": short_name(text)} if text is not None else {})


def _linked(row: Row) -> list[Row]:
    """Return the nodes linked to the goals of a lineage, each with its edge."""
    return [item for part in _PARTS for item in row[part]]


def _lineage(uid: str, bounds: LineageBounds, row: Row) -> Lineage:
    linked = _linked(row)
    nodes = {node["uid"]: node for node in [*row["goals"], *(item["node"] for item in linked)]}
    kept = list(nodes.values())[: bounds.most]
    uids = {node["uid"] for node in kept}
    edges = [
        edge
        for edge in [*row["tree"], *(item["edge"] for item in linked)]
        if edge["source"] in uids and edge["target"] in uids
    ]
    return Lineage(
        goal_id=uid,
        depth=bounds.depth,
        nodes=tuple(LineageNode.model_validate(node) for node in kept),
        edges=tuple(LineageEdge.model_validate(edge) for edge in edges),
        truncated=any(
            len(part) > bounds.most for part in (row["goals"], *(row[part] for part in _PARTS), nodes)
        ),
    )
