"""Holds goals while something is decided about them: who may change one, and where one may stand.

    cycle   a goal never comes from itself, through parents, predecessors or both mixed
    depth   at most `lineage.max_tree_depth` of `registry/goals.yaml` edges from a root to its deepest goal

Whoever gives a goal a new parent or predecessor locks everything above it first and looks again. So of
two changes that are harmless alone and a cycle together, the second sees the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.cortex.goals import store, tree_store
from prefrontal.graph.cortex.goals.record import Goal, GoalChanges, ProgressResult
from prefrontal.graph.cortex.goals.rules import includes, permission_of
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_TREE = ("CHILD_OF",)
_LINEAGE = ("CHILD_OF", "DERIVED_FROM")


async def writable_of(tx: Tx, goals: Mapping[str, Goal], caller: Caller, uid: str, field: str) -> Goal:
    """Return a goal among those found that the caller may change.

    Raises:
        NotFound: It is not among them: unknown or not readable.
        Forbidden: It is readable but not writable.
    """
    goal = goals.get(uid)
    if goal is None:
        raise NotFound("no such goal", field=field)
    if goal.scope_id not in caller.writable:
        # Asked only here: who may write to its space pays nothing for shares.
        await require_share(tx, caller, goal, SpacePermission.WRITE, field)
    return goal


async def lock_writable(tx: Tx, caller: Caller, uid: str, now: datetime, field: str) -> Goal:
    """Lock a goal that the caller may change and return it; raises as `writable_of` does."""
    return await writable_of(tx, await store.lock(tx, caller, [uid], now), caller, uid, field)


async def results_of(
    database: Database, caller: Caller, moves: Sequence[dict[str, Any]]
) -> tuple[ProgressResult, ...]:
    """Return moves as they were written down, each with its goal as it is now."""

    async def work(tx: Tx) -> dict[str, Goal]:
        return await store.find(tx, caller, [move["uid"] for move in moves])

    goals = await database.read(work)
    return tuple(
        ProgressResult(
            goal=goals[move["uid"]], before=move["before"], after=move["after"], clamped=move["clamped"]
        )
        for move in moves
        if move["uid"] in goals
    )


async def require_share(tx: Tx, caller: Caller, goal: Goal, wanted: SpacePermission, field: str) -> None:
    """Return when the caller may do that much with a readable goal, by its space or by a share.

    Raises:
        Forbidden: It may only do less.
    """
    shared = await store.shared_permissions(tx, caller, [goal.uid])
    if not includes(permission_of(goal, caller, shared.get(goal.uid, ())), wanted):
        raise Forbidden(
            "you may read this goal but not change it"
            if wanted is SpacePermission.WRITE
            else "only who administers the goal shares it",
            field=field,
        )


async def require_movable(
    tx: Tx, caller: Caller, goal: Goal, goals: Mapping[str, Goal], changes: GoalChanges
) -> None:
    """Return when the caller may give a goal it may change this place.

    A share is for the goal and what is below it, not for its place, which decides who else sees it. So a
    goal is put under a goal of another space only by who may share it.

    Raises:
        Forbidden: The goal itself is only shared with the caller, or its new parent only for reading.
    """
    if goal.scope_id not in caller.writable:
        field = "parentGoalId" if "parent_goal_id" in changes.model_fields_set else "derivedFrom"
        raise Forbidden("you may change this goal but not where it belongs", field=field)
    if changes.parent_goal_id is None:
        return
    parent = goals[changes.parent_goal_id]
    if parent.scope_id not in caller.readable:
        await require_share(tx, caller, parent, SpacePermission.WRITE, "parentGoalId")
    if parent.scope_id != goal.scope_id and goal.scope_id not in caller.administrable:
        raise Forbidden(
            "only who administers the goal puts it under one of another space", field="parentGoalId"
        )


async def hold_branch(tx: Tx, caller: Caller, parent_id: str, now: datetime, most: int) -> None:
    """Lock the goals above a new goal.

    Raises:
        NotFound: The parent is unknown or not readable.
        InvalidInput: There are too many.
    """
    # Looked at first, so that a foreign parent is treated as an unknown one in every respect.
    if not await store.find(tx, caller, [parent_id]):
        raise NotFound("no such goal", field="parentGoalId")
    await _hold_above(tx, caller, [parent_id], _TREE, now)
    await _require_depth(tx, caller, parent_id, None, most)


async def hold_place(
    tx: Tx, caller: Caller, goal_id: str, above: Mapping[str, str], now: datetime, most: int
) -> None:
    """Lock everything that a goal will come from.

    Args:
        tx: The transaction that will link it.
        caller: Who moves it.
        goal_id: The goal.
        above: Its new parent and predecessors, each with the input's field that names it.
        now: The time of the change.
        most: How deep a tree may be.

    Raises:
        InvalidInput: It would come from itself, or its tree become too deep.
    """
    found = await _hold_above(tx, caller, sorted(above), _LINEAGE, now)
    for uid, field in above.items():
        if goal_id in found.get(uid, frozenset()):
            raise InvalidInput("the goal would be its own ancestor", field=field)
    for uid, field in above.items():
        if field == "parentGoalId":
            await _require_depth(tx, caller, uid, goal_id, most)


async def _hold_above(
    tx: Tx, caller: Caller, uids: list[str], types: tuple[str, ...], now: datetime
) -> dict[str, frozenset[str]]:
    """Lock what some goals come from, themselves included, and return it when nothing more appears."""
    held: frozenset[str] = frozenset()
    while True:
        found = await tree_store.lock_ancestors(tx, caller, uids, types, now)
        reached = frozenset[str]().union(*found.values())
        # What was found under the locks of the round before cannot change any more.
        if reached <= held:
            return found
        held |= reached


async def _require_depth(tx: Tx, caller: Caller, parent_id: str, goal_id: str | None, most: int) -> None:
    above, below = await tree_store.measure_tree(tx, caller, parent_id, goal_id)
    if above + 1 + below > most:
        raise InvalidInput(
            f"at most {most} goals above one another, not {above + 1 + below}", field="parentGoalId"
        )
