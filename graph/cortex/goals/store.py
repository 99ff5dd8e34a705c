"""Reads and writes goals and their shares: runs named queries and returns records.

Evidence is in `evidence_store`, lineage in `tree_store`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals.record import Goal, GoalShare, GoalStatus
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.history.rows import version_row
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Actor, Caller, SpacePermission
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


NO_MORE = "you may not change this goal any more"
"""For a share that has ended since the goal was locked; the exception rolls back the whole transaction."""


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
    """Store a goal with its links and first version.

    Returns the links that were created, or None if the space is not writable.
    """
    return await tx.optional(
        "goals/create_goal",
        properties=_properties(goal) | {"topic_keys": list(topics)},
        version=_version(
            goal,
            caller,
            turn_id,
            json.dumps(
                # Parent and predecessors are links; the first version records them beside the properties.
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
    """Return the readable goals among some ids, by id."""
    row = await tx.one(
        "goals/find_goals", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {item["uid"]: goal_record(item) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> dict[str, Goal]:
    """Lock the readable goals among some ids, in order of their ids, and return them."""
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
    """Store changed goals and return how many.

    Each change is a tuple: the goal before, the goal after, and further changes that the version records.

    Raises:
        Forbidden: If the caller may no longer change one of the goals.
    """
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
        raise Forbidden(NO_MORE)
    return len(rows)


async def find_by_client_key(tx: Tx, caller: Caller, scope_id: str, client_key: str) -> str | None:
    """Return the id of the goal with a client key in a writable space, or None."""
    row = await tx.optional(
        "goals/find_goal_by_client_key",
        scope_id=scope_id,
        client_key=client_key,
        writable=list(caller.writable),
    )
    return str(row["uid"]) if row else None


async def list_page(
    tx: Tx,
    caller: Caller,
    statuses: Sequence[GoalStatus],
    *,
    before: tuple[int, str],
    limit: int,
    goal_type: str | None,
) -> list[Goal]:
    """Return up to `limit` goals after the position `before`, in order of urgency."""
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
    """Return the number of goals that have one of the statuses."""
    row = await tx.one(
        "goals/count_goals",
        readable=list(caller.readable),
        statuses=[status.value for status in statuses],
        goal_type=goal_type,
        grantees=caller.grantees,
    )
    return int(row["total"])


async def shared_permissions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the permissions that shares give the caller on some goals, the shares of ancestors included.

    Permissions by space are not among them.
    """
    row = await tx.one(
        "goals/list_permissions", uids=list(uids), grantees=caller.grantees, org_id=caller.org_id
    )
    return {item["uid"]: tuple(item["permissions"]) for item in row["items"]}


async def shares_of(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[GoalShare, ...]]:
    """Return the shares of each of some goals; the caller must administer the goals."""
    row = await tx.one("goals/list_shares", uids=list(uids), org_id=caller.org_id)
    return {
        item["uid"]: tuple(GoalShare.model_validate(share) for share in item["shares"])
        for item in row["items"]
    }


async def share(
    tx: Tx,
    caller: Caller,
    goal_id: str,
    actor: Actor,
    permission: SpacePermission,
    now: datetime,
) -> str | None:
    """Share a goal with an actor and return the actor's id, or None if there is no such actor."""
    row = await tx.optional(
        "goals/share_goal",
        org_id=caller.org_id,
        goal_id=goal_id,
        kind=actor.kind.value,
        key=actor.key,
        permission=permission.value,
        actor_id=caller.actor_id,
        now=now,
    )
    return str(row["actor_id"]) if row else None


async def unshare(tx: Tx, caller: Caller, goal_id: str, actor: Actor, now: datetime) -> str | None:
    """End the share of a goal with an actor and return the actor's id, or None if there was no share."""
    row = await tx.optional(
        "goals/unshare_goal",
        org_id=caller.org_id,
        goal_id=goal_id,
        kind=actor.kind.value,
        key=actor.key,
        actor_id=caller.actor_id,
        now=now,
    )
    return str(row["actor_id"]) if row and row["ended"] else None


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
    """Return the record of a result row."""
    value, unit = row.pop("horizon_value"), row.pop("horizon_unit")
    return Goal.model_validate(
        {
            **row,
            "horizon": {"value": value, "unit": unit} if unit else None,
            "metrics": json.loads(row["metrics"]) if row["metrics"] else None,
            "milestones": json.loads(row["milestones"]) if row["milestones"] else (),
        }
    )
