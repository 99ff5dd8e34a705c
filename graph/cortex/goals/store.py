"""Goals in the graph: named queries in, records out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graph.checks import short_name
from graph.cortex.goals.record import (
    BuiltOn,
    Evidence,
    Goal,
    GoalChanges,
    GoalLinks,
    GoalShare,
    GoalStatus,
    KnownGoal,
    Lineage,
    LineageEdge,
    LineageNode,
)
from graph.cortex.goals.topics import topics_of_goal
from graph.errors import Forbidden
from graph.version_rows import version_row
from graph.versions import changed_fields

if TYPE_CHECKING:
    from graph.access.record import ActorKind, Caller, SpacePermission
    from graph.catalog.models import GoalsTable
    from graph.storage.rows import Row
    from graph.storage.unit_of_work import Tx


_NO_MORE = "you may not change this goal any more"
"""The share that allowed it has ended since the goal was locked; raising undoes the whole transaction."""

_PARTS = ("evidence", "actions", "questions", "stories", "grounds")
"""What hangs on the goals of a lineage, in the order in which it is drawn; last what stories rest on."""


async def create(
    tx: Tx,
    caller: Caller,
    goal: Goal,
    *,
    parent_id: str | None,
    derived_from: Sequence[str],
    evidence: Sequence[dict[str, Any]],
    topics: Sequence[str],
    turn_id: str | None,
) -> Row | None:
    """Store a goal with its links and first version; return what was linked, or None if not writable."""
    return await tx.optional(
        "goals/create_goal",
        properties=_properties(goal) | {"topic_keys": list(topics)},
        version=_version(
            goal,
            caller,
            turn_id,
            json.dumps(
                # Where it stands is in links; what it was first is told with the rest.
                changed_fields(None, goal)
                | {"parent_goal_id": parent_id, "derived_from": list(derived_from)},
                ensure_ascii=False,
                sort_keys=True,
            ),
        ),
        parent_id=parent_id,
        derived_from=list(derived_from),
        evidence=[
            {**item, "position": position, "turn_key": turn_id} for position, item in enumerate(evidence)
        ],
        actors=[uid for uid in (caller.agent_id, caller.person_id) if uid],
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=goal.created_at,
        grantees=caller.grantees,
    )


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Goal]:
    """Return the readable ones of some goals by id."""
    row = await tx.one(
        "goals/find_goals", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {item["uid"]: goal_record(item) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> dict[str, Goal]:
    """Lock the readable ones of some goals, in order of their ids, and return them."""
    row = await tx.one(
        "goals/lock_goals",
        uids=sorted(set(uids)),
        readable=list(caller.readable),
        now=now,
        grantees=caller.grantees,
    )
    return {item["uid"]: goal_record(item) for item in row["items"]}


async def update(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[Goal, Goal, dict[str, Any]]],
    *,
    turn_id: str | None,
) -> int:
    """Store changed goals (before, after, what else their version says); return how many."""
    rows = [
        {
            "properties": _properties(after),
            "version": _version(
                after, caller, turn_id, json.dumps(changed_fields(before, after) | more, ensure_ascii=False)
            ),
        }
        for before, after, more in changes
    ]
    row = await tx.one(
        "goals/update_goals", rows=rows, writable=list(caller.writable), grantees=caller.grantees
    )
    if row["written"] != len(rows):
        raise Forbidden(_NO_MORE)
    return len(rows)


@dataclass(frozen=True, slots=True)
class Known:
    """What a goal knows of some observations."""

    gains: dict[str, float]
    """What those that are linked add to it."""
    conflicts: tuple[tuple[str, str | None], ...]
    """Which openly contradict other evidence, or each other; None for one that may not be read."""
    position: int
    """The place of the next one."""


async def find_by_client_key(tx: Tx, caller: Caller, scope_id: str, client_key: str) -> str | None:
    """Return the id of the goal that has a caller's own key in a writable space, or None."""
    row = await tx.optional(
        "goals/find_goal_by_client_key",
        scope_id=scope_id,
        client_key=client_key,
        writable=list(caller.writable),
    )
    return str(row["uid"]) if row else None


async def lock_ancestors(
    tx: Tx, caller: Caller, uids: Sequence[str], types: Sequence[str], now: datetime
) -> dict[str, frozenset[str]]:
    """Lock everything that some goals of the organisation come from; return it for each, itself included."""
    row = await tx.one(
        "goals/lock_ancestors", uids=list(uids), types=list(types), org_id=caller.org_id, now=now
    )
    return {item["uid"]: frozenset(item["ancestors"]) for item in row["items"]}


async def measure_tree(tx: Tx, caller: Caller, parent_id: str, goal_id: str | None) -> tuple[int, int]:
    """Return how many goals stand above a goal, and how many levels below another one."""
    row = await tx.one("goals/measure_tree", parent_id=parent_id, goal_id=goal_id, org_id=caller.org_id)
    return row["above"], row["below"]


async def relink(tx: Tx, caller: Caller, goal_id: str, changes: GoalChanges, now: datetime) -> dict[str, Any]:
    """Give a goal the parent and predecessors that are given; return those that are other than before."""
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


async def find_evidence(
    tx: Tx, caller: Caller, goal_id: str, observation_ids: Sequence[str], now: datetime
) -> Known:
    """Return what those of the observations that are linked add to a goal, and what contradicts them.

    Raises:
        Forbidden: What was allowed when the goal was locked has ended since.
    """
    row = await tx.optional(
        "goals/find_evidence",
        goal_id=goal_id,
        observation_ids=list(observation_ids),
        now=now,
        readable=list(caller.readable),
        grantees=caller.grantees,
    )
    if row is None:
        raise Forbidden(_NO_MORE, field="goalId")
    return Known(
        gains={item["observation_id"]: item["gain"] for item in row["links"]},
        conflicts=tuple((item["observation_id"], item["other_id"]) for item in row["conflicts"]),
        position=row["position"],
    )


async def find_withholding(tx: Tx, caller: Caller, observation_ids: Sequence[str]) -> list[str]:
    """Return the writable goals where some observations wait as evidence, or what they contradict or did."""
    row = await tx.one(
        "goals/find_withholding_goals",
        observation_ids=list(observation_ids),
        writable=list(caller.writable),
        grantees=caller.grantees,
    )
    return list(row["goals"])


async def count_settled(
    tx: Tx, caller: Caller, goal_ids: Sequence[str], now: datetime
) -> dict[str, dict[str, float]]:
    """Count evidence that nothing contradicts any more; return what each adds, by goal and observation."""
    row = await tx.one(
        "goals/count_settled_evidence",
        goal_ids=sorted(goal_ids),
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    gains: dict[str, dict[str, float]] = {}
    for item in row["items"]:
        gains.setdefault(item["goal_id"], {})[item["observation_id"]] = item["gain"]
    return gains


async def link(
    tx: Tx,
    caller: Caller,
    goal_id: str,
    evidence: Sequence[dict[str, Any]],
    *,
    topics: Sequence[str],
    most_topics: int,
    turn_id: str | None,
    now: datetime,
) -> int:
    """Make observations evidence of a goal and return how many links were made.

    Raises:
        Forbidden: What was allowed when the goal was locked has ended since.
    """
    row = await tx.one(
        "goals/link_observations",
        goal_id=goal_id,
        rows=list(evidence),
        topics=list(topics),
        most_topics=most_topics,
        turn_key=turn_id,
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    if row["linked"] != len(evidence):
        raise Forbidden(_NO_MORE, field="goalId")
    return len(evidence)


async def list_topics(
    tx: Tx, caller: Caller, scope_ids: Sequence[str], uids: Sequence[str], table: GoalsTable
) -> tuple[list[KnownGoal], list[KnownGoal]]:
    """Return the active goals of some spaces, newest first, and the readable ones among some ids."""
    row = await tx.one(
        "goals/list_topics",
        scopes=list(scope_ids),
        statuses=list(table.active_statuses),
        most=table.topics.most_goals,
        uids=list(uids),
        readable=list(caller.readable),
        writable=list(caller.writable),
        grantees=caller.grantees,
    )

    def known(item: Row) -> KnownGoal:
        return KnownGoal(
            uid=item["uid"],
            scope_id=item["scope_id"],
            goal_type=item["goal_type"],
            user_id=item["user_id"],
            status=item["status"],
            writable=item["writable"],
            topics=topics_of_goal(item["title"], item["goal_type"], item["topic_keys"] or (), table.topics),
        )

    return [known(item) for item in row["active"]], [known(item) for item in row["named"]]


async def unlink(tx: Tx, caller: Caller, goal_id: str, observation_id: str, now: datetime) -> int:
    """End an observation's link to a goal and return how many were ended."""
    row = await tx.one(
        "goals/unlink_observation",
        goal_id=goal_id,
        observation_id=observation_id,
        actor_id=caller.actor_id,
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    return int(row["ended"])


async def list_page(
    tx: Tx,
    caller: Caller,
    statuses: Sequence[GoalStatus],
    *,
    before: tuple[int, str],
    limit: int,
    goal_type: str | None,
) -> list[Goal]:
    """Return up to `limit` goals after `before` in the order of urgency."""
    row = await tx.one(
        "goals/list_goals",
        readable=list(caller.readable),
        statuses=[status.value for status in statuses],
        before_rank=before[0],
        before_uid=before[1],
        limit=limit,
        goal_type=goal_type,
        grantees=caller.grantees,
    )
    return [goal_record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, statuses: Sequence[GoalStatus], goal_type: str | None) -> int:
    """Return how many goals have one of the statuses."""
    row = await tx.one(
        "goals/count_goals",
        readable=list(caller.readable),
        statuses=[status.value for status in statuses],
        goal_type=goal_type,
        grantees=caller.grantees,
    )
    return int(row["total"])


async def evidence_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[Evidence, ...]]:
    """Return the readable evidence of each goal in the order it was linked."""
    row = await tx.one(
        "goals/list_evidence", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {
        item["uid"]: tuple(Evidence.model_validate(evidence) for evidence in item["evidence"])
        for item in row["items"]
    }


async def count_evidence(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
    """Return how many observations speak for each readable goal, readable or not."""
    row = await tx.one(
        "goals/count_evidence", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {item["uid"]: item["number"] for item in row["items"]}


async def shared_permissions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what is shared of some goals with the caller, itself or from above, without its spaces."""
    row = await tx.one(
        "goals/list_permissions", uids=list(uids), grantees=caller.grantees, org_id=caller.org_id
    )
    return {item["uid"]: tuple(item["permissions"]) for item in row["items"]}


async def shares_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[GoalShare, ...]]:
    """Return with whom each of some goals is shared; the caller was found to administer them."""
    row = await tx.one("goals/list_shares", uids=list(uids), org_id=caller.org_id)
    return {
        item["uid"]: tuple(GoalShare.model_validate(share) for share in item["shares"])
        for item in row["items"]
    }


async def share(
    tx: Tx,
    caller: Caller,
    goal_id: str,
    actor: tuple[ActorKind, str],
    permission: SpacePermission,
    now: datetime,
) -> str | None:
    """Share a goal with an actor and return the actor's id, or None for no such actor."""
    row = await tx.optional(
        "goals/share_goal",
        org_id=caller.org_id,
        goal_id=goal_id,
        kind=actor[0].value,
        key=actor[1],
        permission=permission.value,
        actor_id=caller.actor_id,
        now=now,
    )
    return str(row["actor_id"]) if row else None


async def unshare(
    tx: Tx, caller: Caller, goal_id: str, actor: tuple[ActorKind, str], now: datetime
) -> str | None:
    """End the share of a goal with an actor and return the actor's id, or None when there was none."""
    row = await tx.optional(
        "goals/unshare_goal",
        org_id=caller.org_id,
        goal_id=goal_id,
        kind=actor[0].value,
        key=actor[1],
        actor_id=caller.actor_id,
        now=now,
    )
    return str(row["actor_id"]) if row and row["ended"] else None


async def links_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, GoalLinks]:
    """Return where each readable goal stands in its tree."""
    row = await tx.one(
        "goals/list_links", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {
        item["uid"]: GoalLinks(
            parent_goal_id=next((d["uid"] for d in item["direct"] if d["type"] == "CHILD_OF"), None),
            derived_from=tuple(d["uid"] for d in item["direct"] if d["type"] == "DERIVED_FROM"),
            lineage_ids=tuple(item["lineage"]),
        )
        for item in row["items"]
    }


async def built_on(
    tx: Tx, caller: Caller, uid: str, since: datetime, active_statuses: Sequence[str]
) -> BuiltOn:
    """Return how much was built on a goal since a time.

    Raises:
        Forbidden: What was allowed when the goal was locked has ended since.
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
        raise Forbidden(_NO_MORE, field="id")
    return BuiltOn.model_validate(row)


async def trace_lineage(tx: Tx, caller: Caller, uid: str, *, depth: int, most: int) -> Lineage | None:
    """Return a readable goal's lineage, or None."""
    # One more than may be shown is read, to tell whether there is more.
    row = await tx.optional(
        "goals/trace_lineage",
        uid=uid,
        readable=list(caller.readable),
        depth=depth,
        most=most + 1,
        grantees=caller.grantees,
    )
    return None if row is None else _lineage(uid, depth, most, row)


async def trace_lineage_as_of(
    tx: Tx, caller: Caller, uid: str, at: datetime, *, depth: int, most: int
) -> Lineage | None:
    """Return a readable goal's lineage as it was at a time, or None if it was not there."""
    row = await tx.optional(
        "goals/trace_lineage_as_of",
        uid=uid,
        at=at,
        readable=list(caller.readable),
        depth=depth,
        most=most + 1,
        grantees=caller.grantees,
    )
    if row is None:
        return None
    words: dict[str, dict[str, Any]] = {}
    for word in row["words"]:
        words.setdefault(word["uid"], {}).update(json.loads(word["changes"] or "{}"))
    for node in [*row["goals"], *(item["node"] for item in _linked(row))]:
        node.update(_drawn_then(node, words.get(node["uid"], {})))
    return _lineage(uid, depth, most, row)


def _drawn_then(node: Row, then: dict[str, Any]) -> dict[str, Any]:
    """Return what is drawn otherwise of a node, as versions say of its time."""
    drawn = {
        name: then[name] for name in ("status", "progress", "confidence") if name in node and name in then
    }
    # Each kind has a name of its own for the text that it is drawn with.
    text = next((then[name] for name in ("title", "text", "narrative") if name in then), None)
    return drawn | ({"name": short_name(text)} if text is not None else {})


def _linked(row: Row) -> list[Row]:
    """Return what hangs on the goals of a drawing, each as a node with its edge."""
    return [item for part in _PARTS for item in row[part]]


def _lineage(uid: str, depth: int, most: int, row: Row) -> Lineage:
    linked = _linked(row)
    nodes = {node["uid"]: node for node in [*row["goals"], *(item["node"] for item in linked)]}
    kept = list(nodes.values())[:most]
    uids = {node["uid"] for node in kept}
    edges = [
        edge
        for edge in [*row["tree"], *(item["edge"] for item in linked)]
        if edge["source"] in uids and edge["target"] in uids
    ]
    return Lineage(
        goal_id=uid,
        depth=depth,
        nodes=tuple(LineageNode.model_validate(node) for node in kept),
        edges=tuple(LineageEdge.model_validate(edge) for edge in edges),
        truncated=any(len(part) > most for part in (row["goals"], *(row[part] for part in _PARTS), nodes)),
    )


def _version(goal: Goal, caller: Caller, turn_id: str | None, changes: str) -> dict[str, Any]:
    return version_row(
        caller,
        of_uid=goal.uid,
        number=goal.version,
        scope_id=goal.scope_id,
        caption=goal.title,
        changes=changes,
        at=goal.updated_at,
        turn_id=turn_id,
    )


def _properties(goal: Goal) -> dict[str, Any]:
    return {
        **goal.model_dump(
            mode="python", exclude={"metrics", "constraints", "milestones", "horizon", "status", "origin"}
        ),
        "name": short_name(goal.title),
        "status": goal.status.value,
        "origin": goal.origin.value,
        "horizon_value": goal.horizon.value if goal.horizon else None,
        "horizon_unit": goal.horizon.unit.value if goal.horizon else None,
        "metrics": json.dumps(goal.metrics) if goal.metrics else None,
        "constraints": list(goal.constraints),
        "milestones": json.dumps([m.model_dump(mode="json") for m in goal.milestones])
        if goal.milestones
        else None,
    }


def goal_record(row: Row) -> Goal:
    """Return the record of a row."""
    value, unit = row.pop("horizon_value"), row.pop("horizon_unit")
    return Goal.model_validate(
        {
            **row,
            "horizon": {"value": value, "unit": unit} if unit else None,
            "metrics": json.loads(row["metrics"]) if row["metrics"] else None,
            "milestones": json.loads(row["milestones"]) if row["milestones"] else (),
        }
    )
