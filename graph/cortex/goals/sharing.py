"""Use cases that share a goal, together with everything below it in its space (source 003, G-034)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import ActorKind, Permission, SpacePermission, require
from prefrontal.graph.cortex.goals import evidence_store, locks, store
from prefrontal.graph.cortex.goals.record import Goal, GoalShare, ShareGoal, UnshareGoal
from prefrontal.graph.cortex.goals.rules import includes, permission_of
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.journal.record import Change, EventType, TraceKind, one_change

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_SHARED = (TraceKind.GOAL_SHARED, EventType.GOAL_SHARED, "Goal shared")
_UNSHARED = (TraceKind.GOAL_UNSHARED, EventType.GOAL_UNSHARED, "Goal share ended")


class GoalSharing:
    """Shares goals, ends shares, and returns the caller's permissions on goals."""

    def __init__(self, database: Database, changes: ChangeWriter) -> None:
        self._database = database
        self._changes = changes

    async def share(self, caller: Caller, command: ShareGoal) -> str:
        """Share a goal, and everything below it in its space, with an actor; return the actor's id.

        Raises:
            NotFound: If the goal is unknown or not readable, or the organisation has no such actor.
            Forbidden: If the caller does not administer the goal.
            InvalidInput: If the actor is a device.
        """
        actor, permission = command.actor, command.permission
        device = InvalidInput("a goal can be shared with an agent or a person only", field="actor.kind")

        async def work(tx: Tx, now: datetime) -> Change:
            goal = await self._administered(tx, caller, command.goal_id, now)
            found = await store.share(tx, caller, goal.uid, actor, permission, now)
            if found is None:
                raise NotFound("no such actor; it appears with its first request", field="actor")
            return _change(goal, found, permission)

        result = await self._changes.run(
            caller, command, work, problems=[device] if actor.kind is ActorKind.DEVICE else []
        )
        return str(result["actor_id"])

    async def unshare(self, caller: Caller, command: UnshareGoal) -> str:
        """End the share of a goal with an actor, with immediate effect; return the actor's id.

        Raises:
            NotFound: If the goal is unknown or not readable, or the goal itself is not shared with the actor.
            Forbidden: If the caller does not administer the goal.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            goal = await self._administered(tx, caller, command.goal_id, now)
            found = await store.unshare(tx, caller, goal.uid, command.actor, now)
            if found is None:
                raise NotFound("this goal itself is not shared with the actor", field="actor")
            return _change(goal, found, None)

        result = await self._changes.run(caller, command, work)
        return str(result["actor_id"])

    async def permissions(self, caller: Caller, uids: Sequence[str]) -> dict[str, SpacePermission]:
        """Return the caller's permission on each readable goal."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, SpacePermission]:
            return await self._permissions(tx, caller, uids)

        return await self._database.read(work)

    async def shared_with(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[GoalShare, ...]]:
        """Return the shares of each goal that the caller administers."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, tuple[GoalShare, ...]]:
            found = await self._permissions(tx, caller, uids)
            mine = [uid for uid, has in found.items() if includes(has, SpacePermission.ADMIN)]
            return dict.fromkeys(mine, ()) | await store.shares_of(tx, caller, mine)

        return await self._database.read(work)

    async def count_evidence(self, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
        """Return the number of observations linked to each readable goal, unreadable ones included."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, int]:
            return await evidence_store.count_evidence(tx, caller, uids)

        return await self._database.read(work)

    @staticmethod
    async def _permissions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, SpacePermission]:
        goals = await store.find(tx, caller, uids)
        asked = [uid for uid, goal in goals.items() if goal.scope_id not in caller.administrable]
        shared = await store.shared_permissions(tx, caller, asked) if asked else {}
        found = {uid: permission_of(goal, caller, shared.get(uid, ())) for uid, goal in goals.items()}
        return {uid: has for uid, has in found.items() if has is not None}

    @staticmethod
    async def _administered(tx: Tx, caller: Caller, goal_id: str, now: datetime) -> Goal:
        goal = (await store.lock(tx, caller, [goal_id], now)).get(goal_id)
        if goal is None:
            raise NotFound("no such goal", field="goalId")
        if goal.scope_id not in caller.administrable:
            await locks.require_share(tx, caller, goal, SpacePermission.ADMIN, "goalId")
        return goal


def _change(goal: Goal, actor_id: str, permission: SpacePermission | None) -> Change:
    data = {"goal_id": goal.uid, "actor_id": actor_id, "permission": permission and permission.value}
    return one_change(
        goal,
        _SHARED if permission else _UNSHARED,
        None,
        ids=[actor_id],
        details=data,
        data=data,
        result={"actor_id": actor_id},
    )
