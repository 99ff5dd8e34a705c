"""Use cases that change the status of pending actions: transition, completion and confirmation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.actions import gates, locks, store
from prefrontal.graph.cortex.actions.events import FAILED, change_of
from prefrontal.graph.cortex.actions.record import (
    ActionDone,
    ActionMove,
    ActionOutcome,
    CompletePendingAction,
    ConfirmPendingAction,
    MovedAction,
    PendingAction,
    TransitionPendingAction,
)
from prefrontal.graph.cortex.actions.rules import confirmed, transition
from prefrontal.graph.errors import InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, ChangeKind, EventType, TraceKind
from prefrontal.graph.registry.definitions import COMPLETED, STARTED
from prefrontal.graph.validation import require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.command import ChangeCommand
    from prefrontal.graph.journal.service import ChangeWriter, Work
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ActionTransitions:
    """Changes the status of pending actions; each change writes a version, a trace entry and an event."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        types: EffectiveTypes,
        *,
        on_refused: Callable[[str | None, str], None] | None = None,
    ) -> None:
        """Store the database, the tables, the change writer and the action types in force.

        `on_refused` is called with the action type (or None) and the error code of each refusal, for a
        metric.
        """
        self._on_refused = on_refused
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._types = types

    async def transition(self, caller: Caller, command: TransitionPendingAction) -> PendingAction:
        """Change the status of an action and return the action, as `move` does."""
        return (await self.move(caller, command)).action

    async def complete(self, caller: Caller, command: CompletePendingAction) -> PendingAction:
        """Complete an action and return it, as `move` does."""
        return (await self.move(caller, command)).action

    async def move(
        self, caller: Caller, command: TransitionPendingAction | CompletePendingAction
    ) -> MovedAction:
        """Change the status of an action; return the action, and whether it had that status already.

        An action is completed once: a second completion returns the first result. A result that says that
        the action failed does not complete it.

        Raises:
            NotFound: If the action is unknown or not readable.
            Forbidden: If the action is readable but not writable.
            InvalidInput: If the type does not have the status, or a choice is missing or wrong.
            IllegalTransition: If the type does not allow this transition, or the goal has ended.
            OwnerViolation: If only a user may do this.
            ConfirmationRequired: If a user must confirm the action first.
            ActionBlocked: If the goal of the action is blocked.
            VersionConflict: If the action has another version than expected.
            Conflict: If the action would be started and somebody has it in progress; the message says who.
        """
        # The field that an error about the status names.
        to, field = (
            (command.status, "status") if isinstance(command, TransitionPendingAction) else (COMPLETED, "id")
        )
        seen: list[str] = []

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._moved(tx, caller, command.id, to, command, command.turn_id, now, seen, field)

        action, result = await self._run(caller, command, work, seen)
        return MovedAction(action=action, repeated=bool(result.get("repeated")))

    def completion_problems(self, done: ActionDone) -> list[InvalidInput]:
        """Return what is wrong with a completion, as far as the input alone shows it."""
        problems = limit_problems(done, self._catalog.limits)
        if (done.id is None) == (done.client_key is None):
            field = "id" if done.id is None else "clientKey"
            problems.append(InvalidInput("name the action by `id` or by `clientKey`", field=field))
        return problems

    async def named_in(self, tx: Tx, caller: Caller, scope_id: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the ids of the actions in a space that the caller gave some client keys, by key."""
        return await store.find_by_client_keys(tx, caller, scope_id, keys)

    async def complete_in(
        self,
        tx: Tx,
        caller: Caller,
        done: ActionDone,
        scope_id: str,
        turn_id: str | None,
        now: datetime,
        seen: list[str],
        to: str = COMPLETED,
    ) -> Change:
        """Complete an action, or give it another status, inside a transaction; a refusal writes nothing.

        Returns the journal. Once the action is found, `seen` holds its type.

        Raises:
            NotFound: If the action is unknown or not readable, or no action in the space has the client key.
            PrefrontalError: If `transition` would refuse the completion; the errors are the same.
        """
        uid = done.id
        if done.client_key is not None:
            known = await store.find_by_client_keys(tx, caller, scope_id, [done.client_key])
            uid = known.get(done.client_key)
            if uid is None:
                raise NotFound("no such pending action", field="clientKey")
        field = "id" if to == COMPLETED else "status"
        return await self._moved(tx, caller, uid or "", to, done, turn_id, now, seen, field)

    async def _moved(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        to: str,
        done: ActionOutcome,
        turn_id: str | None,
        now: datetime,
        seen: list[str],
        field: str,
    ) -> Change:
        before, holds = await locks.lock_one(tx, caller, uid, now, self._catalog.goals)
        seen[:] = [before.type]
        require_version(before.version, done.expected_version)
        move = ActionMove(
            to=to,
            result=done.result,
            choice=done.choice,
            by_user=locks.is_user(caller),
            by_uid=caller.actor_id,
            holds=holds,
            field=field,
        )
        if to == before.status == STARTED:
            move = move.model_copy(update={"taken_by": await store.last_move(tx, caller, uid)})
        after = transition(before, move, locks.kind_of_action(self._types.of(caller), before), now)
        details = {"from": before.status, "to": after.status}
        failed = to == COMPLETED != after.status
        said = FAILED if failed else _TRANSITIONED
        change = await self._store(tx, caller, before, after, said, turn_id, details)
        return change.model_copy(update={"result": {"uid": before.uid, "repeated": to == before.status}})

    async def confirm(self, caller: Caller, command: ConfirmPendingAction) -> PendingAction:
        """Record a user's confirmation of an action and return the action.

        A second confirmation changes nothing.

        Raises:
            NotFound: If the action is unknown or not readable.
            Forbidden: If the action is readable but not writable.
            OwnerViolation: If the caller is not a user.
            IllegalTransition: If the action is completed or cancelled.
            VersionConflict: If the action has another version than expected.
        """
        seen: list[str] = []

        async def work(tx: Tx, now: datetime) -> Change:
            before, _ = await locks.lock_one(tx, caller, command.id, now, self._catalog.goals)
            seen[:] = [before.type]
            by_user = locks.is_user(caller)
            gates.require_confirmer(by_user=by_user)
            require_version(before.version, command.expected_version)
            after = confirmed(before, caller.actor_id, now, by_user=by_user)
            details = {"by": caller.actor_id}
            return await self._store(tx, caller, before, after, _CONFIRMED, command.turn_id, details)

        return (await self._run(caller, command, work, seen))[0]

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        before: PendingAction,
        after: PendingAction,
        said: ChangeKind,
        turn_id: str | None,
        details: Mapping[str, str],
    ) -> Change:
        if after == before:
            return Change(result={"uid": before.uid})
        await store.update(tx, caller, [(before, after, {})], turn_id=turn_id)
        return change_of(before, after, said, turn_id=turn_id, details=details)

    async def _run(
        self, caller: Caller, command: ChangeCommand, work: Work, seen: list[str]
    ) -> tuple[PendingAction, Mapping[str, Any]]:
        try:
            result = await self._changes.run(caller, command, work)
        except PrefrontalError as error:
            if self._on_refused is not None:
                # `seen` holds the type of the action once the action was found.
                self._on_refused(seen[0] if seen else None, error.code)
            raise

        async def read(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, [str(result["uid"])])

        found = (await self._database.read(read)).get(str(result["uid"]))
        if found is None:
            raise NotFound("no such pending action", field="id")
        return found, result


_TRANSITIONED = (TraceKind.ACTION_TRANSITIONED, EventType.PENDING_ACTION_TRANSITIONED, "Action transitioned")
_CONFIRMED = (TraceKind.ACTION_CONFIRMED, EventType.PENDING_ACTION_CONFIRMED, "Action confirmed")
