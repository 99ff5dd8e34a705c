"""Use cases of pending actions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from graph.access.record import Permission
from graph.access.rules import require
from graph.cortex.actions import store
from graph.cortex.actions.drafting import action_of, draft_problems
from graph.cortex.actions.record import PendingAction, PendingActionDraft
from graph.errors import Forbidden, InvalidInput
from graph.ids import Kind, new_ids
from graph.journal.record import Event, EventType, Trace, TraceKind

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.storage.unit_of_work import Database, Tx


class ActionService:
    """Creates pending actions beside their goal and finds them again."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        """Take what every use case needs."""
        self._database = database
        self._catalog = catalog

    def problems(self, drafts: Sequence[PendingActionDraft], path: str) -> list[InvalidInput]:
        """Return what is wrong with some drafts, before anything is written."""
        found: list[InvalidInput] = []
        for number, draft in enumerate(drafts):
            found += draft_problems(
                draft, self._catalog.limits, self._catalog.action_types, f"{path}[{number}]"
            )
        return found

    async def create_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[PendingActionDraft],
        *,
        goal_id: str,
        scope_id: str,
        turn_id: str | None,
        priorities: Sequence[tuple[str, int]],
        now: datetime,
    ) -> tuple[PendingAction, ...]:
        """Store a goal's actions inside the transaction that creates the goal, and return them."""
        actions = tuple(
            action_of(
                draft,
                uid=uid,
                scope_id=scope_id,
                goal_id=goal_id,
                turn_id=turn_id,
                by_uid=caller.actor_id,
                now=now,
                types=self._catalog.action_types,
                priority=priority,
                title_characters=self._catalog.limits.title_characters,
            )
            for draft, priority, uid in zip(
                drafts, priorities, new_ids(Kind.PENDING_ACTION, now, len(drafts)), strict=True
            )
        )
        if actions and await store.create(tx, caller, actions) != len(actions):
            raise Forbidden("you may not write to this space any more", field="space")
        return actions

    async def of_goals(self, caller: Caller, goal_ids: Sequence[str]) -> dict[str, tuple[PendingAction, ...]]:
        """Return the readable actions of each goal, in order of creation."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> list[PendingAction]:
            return await store.list_by_goal(tx, caller, goal_ids)

        found: dict[str, list[PendingAction]] = {}
        for action in await self._database.read(work):
            found.setdefault(action.goal_id or "", []).append(action)
        return {goal_id: tuple(actions) for goal_id, actions in found.items()}

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, PendingAction]:
        """Return the readable ones of some actions by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)


def creation_journal(actions: Sequence[PendingAction]) -> tuple[tuple[Trace, ...], tuple[Event, ...]]:
    """Return what the journal says of new actions: an event each, and a trace entry per coercion."""
    traces = tuple(
        Trace(
            kind=TraceKind.ACTION_TYPE_COERCED,
            message="Unknown action type made a user task",
            ids=(action.uid,),
            details={"type": action.type},
            turn=action.created_from_turn_id,
            scope_id=action.scope_id,
        )
        for action in actions
        if action.original_type is not None
    )
    events = tuple(
        Event(
            type=EventType.PENDING_ACTION_CREATED,
            aggregate=action.uid,
            aggregate_version=action.version,
            scope_id=action.scope_id,
            data={
                "action_id": action.uid,
                "goal_id": action.goal_id,
                "type": action.type,
                "status": action.status,
            },
            turn=action.created_from_turn_id,
        )
        for action in actions
    )
    return traces, events
