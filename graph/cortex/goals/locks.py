"""Locks goals until the commit and checks who may change a goal and which parents it may have.

    cycle   a goal is never its own ancestor, through parents, predecessors or both
    depth   a tree has at most `lineage.max_tree_depth` (`goals.yaml`) edges from root to deepest
            goal

A transaction that gives a goal a new parent or predecessor first locks all ancestors and then reads them
again. So if two transactions are harmless alone but make a cycle together, the second one sees the first.
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
from prefrontal.graph.validation import found_or_gone, join_path
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_TREE = ("CHILD_OF",)
_LINEAGE = ("CHILD_OF", "DERIVED_FROM")


async def writable_of(tx: Tx, goals: Mapping[str, Goal], caller: Caller, uid: str, field: str) -> Goal:
    """Return one of the locked goals, if the caller may change it.

    Raises:
        NotFound: If the goal is unknown or not readable.
        Forbidden: If the goal is readable but not writable.
    """
    goal = goals.get(uid)
    if goal is None:
        raise NotFound("no such goal", field=field)
    if goal.scope_id not in caller.writable:
        # Shares are read only here: a caller who may write to the space needs no extra round trip.
        await require_share(tx, caller, goal, SpacePermission.WRITE, field)
    return goal


async def lock_writable(tx: Tx, caller: Caller, uid: str, now: datetime, field: str) -> Goal:
    """Lock a goal that the caller may change and return it; raises the same errors as `writable_of`."""
    return await writable_of(tx, await store.lock(tx, caller, [uid], now), caller, uid, field)


async def changed_goals(
    database: Database, caller: Caller, uids: Sequence[str], paths: Sequence[str]
) -> tuple[Goal, ...]:
    """Return the goals that a use case has changed; each id comes with the path of its entry in the input.

    Raises:
        NotFound: If the caller may no longer read a goal.
    """

    async def work(tx: Tx) -> dict[str, Goal]:
        return await store.find(tx, caller, uids)

    found = await database.read(work)
    return tuple(
        found_or_gone(found, uid, "goal", join_path(path, "id"))
        for uid, path in zip(uids, paths, strict=True)
    )


async def results_of(
    database: Database, caller: Caller, moves: Sequence[dict[str, Any]]
) -> tuple[ProgressResult, ...]:
    """Return recorded progress steps, each with the present state of its goal."""

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


async def result_of(database: Database, caller: Caller, moves: Sequence[dict[str, Any]]) -> ProgressResult:
    """Return the one recorded progress step, with the present state of its goal.

    Raises:
        NotFound: If the caller may no longer read the goal.
    """
    found = await results_of(database, caller, moves)
    if not found:
        raise NotFound("no such goal", field="goalId")
    return found[0]


async def require_share(tx: Tx, caller: Caller, goal: Goal, wanted: SpacePermission, field: str) -> None:
    """Check that the caller has a permission on a readable goal, by its space or by a share.

    Raises:
        Forbidden: If the caller's permission is weaker.
    """
    shared = await store.shared_permissions(tx, caller, [goal.uid])
    if not includes(permission_of(goal, caller, shared.get(goal.uid, ())), wanted):
        raise Forbidden(
            "you may read this goal but not change it"
            if wanted is SpacePermission.WRITE
            else "only an administrator of the goal may share it",
            field=field,
        )


async def is_there(tx: Tx, caller: Caller, goal: Goal, changes: GoalChanges) -> bool:
    """Tell whether a goal that is shared with the caller has the parent that a change names."""
    if changes.parent_goal_id is None or goal.scope_id in caller.writable:
        return False
    parent = (await tree_store.parents_of(tx, caller, [goal.uid])).get(goal.uid)
    return parent is not None and parent.uid == changes.parent_goal_id


async def require_movable(
    tx: Tx, caller: Caller, goal: Goal, goals: Mapping[str, Goal], changes: GoalChanges
) -> None:
    """Check that the caller may give a goal, which the caller may change, a new place in the tree.

    A share covers the goal and what is below it, but not the place of the goal, since the place decides who
    else sees the goal. So only a caller who may share a goal may put it below a goal of another space.

    Raises:
        Forbidden: If the goal itself is only shared with the caller, or its new parent only for reading.
    """
    if goal.scope_id not in caller.writable:
        field = "parentGoalId" if "parent_goal_id" in changes.model_fields_set else "derivedFrom"
        raise Forbidden("you may change this goal but not its parent or predecessors", field=field)
    if changes.parent_goal_id is None:
        return
    parent = goals[changes.parent_goal_id]
    if parent.scope_id not in caller.readable:
        await require_share(tx, caller, parent, SpacePermission.WRITE, "parentGoalId")
    if parent.scope_id != goal.scope_id and goal.scope_id not in caller.administrable:
        raise Forbidden(
            "only an administrator of the goal may give it a parent in another space", field="parentGoalId"
        )


async def space_beside(tx: Tx, caller: Caller, parent_id: str | None, scope_id: str) -> str:
    """Return the space of a new goal whose request names no space.

    Below a goal that is shared with the caller it is the space of that goal, so that the goal's owner sees
    what a grantee adds; else it is `scope_id`.
    """
    if parent_id is None or not caller.grantees:
        return scope_id
    parent = (await store.find(tx, caller, [parent_id])).get(parent_id)
    return scope_id if parent is None or parent.scope_id in caller.readable else parent.scope_id


async def lock_ancestors(tx: Tx, caller: Caller, parent_id: str, now: datetime, most: int) -> None:
    """Lock the ancestors of a new goal.

    Raises:
        NotFound: If the parent is unknown or not readable.
        InvalidInput: If the tree would become too deep.
    """
    # Read before the locks, so that an unreadable parent is treated like an unknown one in every respect.
    if not await store.find(tx, caller, [parent_id]):
        raise NotFound("no such goal", field="parentGoalId")
    await _lock_with_ancestors(tx, caller, [parent_id], _TREE, now)
    await _require_depth(tx, caller, parent_id, None, most)


async def lock_new_ancestors(
    tx: Tx, caller: Caller, goal_id: str, above: Mapping[str, str], now: datetime, most: int
) -> None:
    """Lock all future ancestors of a goal, and check cycle and depth.

    Args:
        tx: The transaction that will link the goal.
        caller: The caller.
        goal_id: The goal.
        above: The new parent and predecessors, each with the input field that names it.
        now: The time of the change.
        most: The maximum depth of a tree.

    Raises:
        InvalidInput: If the goal would become its own ancestor, or the tree too deep.
    """
    found = await _lock_with_ancestors(tx, caller, sorted(above), _LINEAGE, now)
    for uid, field in above.items():
        if goal_id in found.get(uid, frozenset()):
            raise InvalidInput("the goal would be its own ancestor", field=field)
    for uid, field in above.items():
        if field == "parentGoalId":
            await _require_depth(tx, caller, uid, goal_id, most)


async def _lock_with_ancestors(
    tx: Tx, caller: Caller, uids: list[str], types: tuple[str, ...], now: datetime
) -> dict[str, frozenset[str]]:
    """Lock some goals with their ancestors; return the ancestors once a round finds no further one."""
    held: frozenset[str] = frozenset()
    while True:
        found = await tree_store.lock_ancestors(tx, caller, uids, types, now)
        reached = frozenset[str]().union(*found.values())
        # The ancestors found in the round before are locked, so they cannot change any more.
        if reached <= held:
            return found
        held |= reached


async def _require_depth(tx: Tx, caller: Caller, parent_id: str, goal_id: str | None, most: int) -> None:
    above, below = await tree_store.measure_tree(tx, caller, parent_id, goal_id)
    if above + 1 + below > most:
        raise InvalidInput(
            f"a tree may be at most {counted(most, 'level')} deep, not {above + 1 + below}",
            field="parentGoalId",
        )
