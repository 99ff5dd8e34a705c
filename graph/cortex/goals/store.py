"""Reads and writes goals and their shares: runs named queries and returns records.

Evidence is in `evidence_store`, lineage in `tree_store`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.actions.gates import require_answered
from prefrontal.graph.cortex.goals.record import Goal, GoalFilter, GoalOrder, GoalShare, GoalStatus
from prefrontal.graph.cortex.goals.topics import topics_of_title
from prefrontal.graph.embedding.rules import plan_properties
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.history.repository import Repository
from prefrontal.graph.storage.paging import time_of
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.text.folding import words_to_find
from prefrontal.graph.topics.rows import topic_rows

if TYPE_CHECKING:
    from prefrontal.graph.caller import Actor, Caller, SpacePermission
    from prefrontal.graph.config.tables import TopicsTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


NO_MORE = "you may not change this goal any more"
"""For a share that has ended since the goal was locked; the exception rolls back the whole transaction."""


class _Goals(Repository[Goal]):
    """Goals, which are also stored with what searches find them by."""

    def properties(self, record: Goal) -> dict[str, Any]:
        """Return the properties of a goal's node."""
        return super().properties(record) | plan_properties(
            "goal",
            (record.title, record.description),
            record.created_at,
            space=None if record.status is GoalStatus.ARCHIVED else record.scope_id,
        )


_goals = _Goals(
    RecordMapper(Goal, flat=["horizon"]),
    "goal",
    caption="title",
    find="goals/find_goals",
    lock="goals/lock_goals",
    update="goals/update_goals",
    by_client_key="goals/find_goal_by_client_key",
)
find, lock, goal_record = _goals.find, _goals.lock, _goals.record
find_by_client_key = _goals.find_by_client_key


async def update(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[Goal, Goal, Mapping[str, Any]]],
    *,
    turn_id: str | None,
    fields: Sequence[str] = (),
) -> None:
    """Store changed goals, which are locked, as `Repository.update` does.

    Every way by which a goal gets another status passes here, so here a goal that is completed is judged.
    `fields` are the input fields of the new statuses, one for each change.

    Raises:
        ActionBlocked: If an agent would complete a goal that waits for a person.
        Forbidden: If the caller may no longer change one of the goals.
    """
    done = {
        after.uid: fields[number] if fields else "status"
        for number, (before, after, _) in enumerate(changes)
        if before.status is not after.status is GoalStatus.COMPLETED
    }
    if done and not caller.is_person:
        # Who makes a goal wait for a person locks it as well, so no such action is missed.
        row = await tx.one("goals/find_gates", uids=list(done), org_id=caller.org_id)
        for uid, field in done.items():
            require_answered([item["uid"] for item in row["items"] if item["goal_id"] == uid], field)
    await _goals.update(tx, caller, changes, turn_id=turn_id)


async def create(
    tx: Tx,
    caller: Caller,
    goal: Goal,
    *,
    parent_id: str | None,
    derived_from: Sequence[str],
    evidence: Sequence[dict[str, Any]],
    evidence_topics: Collection[str],
    table: TopicsTable,
    turn_id: str | None,
) -> Row | None:
    """Store a goal with its links, its topics and first version.

    `evidence_topics` are the topics of its evidence; those of its title and type are added by the rules of
    `table`. Returns the links that were created, or None if the space is not writable.
    """
    own = topics_of_title(goal.title, goal.goal_type, table)
    return await tx.optional(
        "goals/create_goal",
        properties={**_goals.properties(goal), "person_id": caller.person_id},
        # Parent and predecessors are links; the first version records them beside the properties.
        version=_goals.version(
            caller, None, goal, turn_id, {"parent_goal_id": parent_id, "derived_from": list(derived_from)}
        ),
        parent_id=parent_id,
        derived_from=list(derived_from),
        evidence=[
            {**item, "position": position, "turn_key": turn_id} for position, item in enumerate(evidence)
        ],
        topics=[
            row | {"own": row["key"] in own, "evidence": row["key"] in evidence_topics}
            for row in rows_of_topics(caller, goal, own | set(evidence_topics), goal.created_at)
        ],
        actors=[uid for uid in (caller.agent_id, caller.person_id) if uid],
        writable=list(caller.writable),
        now=goal.created_at,
        **caller.reads,
    )


async def revise(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[Goal, Goal, Mapping[str, Any]]],
    *,
    table: TopicsTable,
    turn_id: str | None,
    fields: Sequence[str] = (),
) -> None:
    """Store changed goals as `update` does and, where the title or the type changed, other topics.

    The further changes of a goal are those of its links. The errors are those of `update`.
    """
    await update(tx, caller, changes, turn_id=turn_id, fields=fields)
    rows = []
    for before, after, _ in changes:
        own = topics_of_title(after.title, after.goal_type, table)
        if own != topics_of_title(before.title, before.goal_type, table):
            topics = rows_of_topics(caller, after, own, after.updated_at)
            rows.append({"goal_id": after.uid, "topics": topics})
    if not rows:
        return
    row = await tx.one("goals/replace_topics", rows=rows, **caller.writes)
    if row["replaced"] != len(rows):
        raise Forbidden(NO_MORE, field="id")


def rows_of_topics(caller: Caller, goal: Goal, keys: Iterable[str], now: datetime) -> list[dict[str, Any]]:
    """Return one row per topic of a goal, sorted."""
    named = [(goal.scope_id, key) for key in keys]
    return topic_rows(named, org_id=goal.org_id, by_uid=caller.actor_id, now=now)


async def list_page(
    tx: Tx,
    caller: Caller,
    wanted: GoalFilter,
    statuses: Sequence[GoalStatus],
    order: GoalOrder,
    *,
    before: tuple[int, str],
    limit: int,
) -> list[Goal]:
    """Return up to `limit` goals after the position `before`: a place in the order, and an id."""
    given = {**_filter(caller, wanted, statuses), "before_uid": before[1], "limit": limit}
    if wanted.parent_goal_id is not None or wanted.client_key is not None:
        row = await tx.one(
            "goals/list_goals_by_parent_or_key",
            parent_id=wanted.parent_goal_id,
            order=order.value,
            before_place=before[0],
            **given,
        )
    elif order is GoalOrder.PRIORITY:
        row = await tx.one("goals/list_goals", before_rank=before[0], **given)
    else:
        by_update = order is GoalOrder.UPDATED_AT
        row = await tx.one(
            "goals/list_goals_by_time",
            before_at=time_of(before[0]) if by_update else None,
            created_before="" if by_update else before[1],
            **given,
        )
    return [goal_record(item) for item in row["items"]]


async def list_own(tx: Tx, caller: Caller, statuses: Sequence[GoalStatus], limit: int) -> list[Goal]:
    """Return up to `limit` goals that the caller's actors created or that are for them, most urgent first."""
    row = await tx.one(
        "goals/list_own_goals",
        statuses=[status.value for status in statuses],
        actors=sorted({caller.actor_id, *caller.actors}),
        limit=limit,
        **caller.reads,
    )
    return [goal_record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: GoalFilter, statuses: Sequence[GoalStatus]) -> int:
    """Return the number of goals that match a filter and have one of the statuses."""
    row = await tx.one(
        "goals/count_goals", parent_id=wanted.parent_goal_id, **_filter(caller, wanted, statuses)
    )
    return int(row["total"])


def _filter(caller: Caller, wanted: GoalFilter, statuses: Sequence[GoalStatus]) -> dict[str, Any]:
    return {
        **caller.reads,
        "statuses": [status.value for status in statuses],
        "goal_type": wanted.goal_type,
        "space": wanted.space,
        "client_key": wanted.client_key,
        "user_id": wanted.user_id,
        "person": wanted.person,
        "agent": wanted.agent,
        "words": words_to_find(wanted.text),
    }


async def shared_permissions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the permissions that shares give the caller on some goals, the shares of ancestors included.

    Permissions by space are not among them.
    """
    if not caller.grantees:
        return {}
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
