"""Use cases that change the status of pending actions: transition, completion and confirmation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    Holds,
    MovedAction,
    PendingAction,
    TransitionPendingAction,
    TransitionPendingActions,
)
from prefrontal.graph.cortex.actions.rules import confirmed, require_lasting, transition
from prefrontal.graph.errors import InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.journal.command import entry_problems, limit_problems, paths_of
from prefrontal.graph.journal.record import Change, EventType, JournalLabels, TraceKind, merged
from prefrontal.graph.registry.definitions import COMPLETED, STARTED
from prefrontal.graph.validation import error_path, found_or_gone, join_path, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.command import ChangeCommand, TurnCommand
    from prefrontal.graph.journal.service import ChangeWriter, Work
    from prefrontal.graph.registry.definitions import ActionTypes
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.registry.overrides.service import OverrideService
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ActionTransitions:
    """Changes the status of pending actions; each change writes a version, a trace entry and an event."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        types: EffectiveTypes,
        overrides: OverrideService,
        *,
        on_refused: Callable[[str | None, str], None] | None = None,
    ) -> None:
        """Store the database, the tables, the change writer and the action types in force.

        `overrides` says which types a turn sees.
        `on_refused` is called with the action type (or None) and the error code of each refusal, for a
        metric.
        """
        self._on_refused = on_refused
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._types = types
        self._overrides = overrides

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
            move = _Move(command.id, to, command, field)
            return await self._moved_one(tx, caller, move, command.turn_id, now, seen)

        action, result = await self._run(caller, command, work, seen)
        return MovedAction(action=action, repeated=bool(result.get("repeated")))

    async def move_all(self, caller: Caller, command: TransitionPendingActions) -> tuple[MovedAction, ...]:
        """Change the statuses of actions in their order, all or none; return for each what `move` returns.

        An action that an earlier entry completes or cancels blocks the later ones no more. The errors are
        those of `move`, and the field of each is under the path of its entry.
        """
        entries = command.actions
        paths = paths_of("actions", entries)
        moves = [
            _Move(entry.id, entry.status, entry, "status", path)
            for entry, path in zip(entries, paths, strict=True)
        ]
        seen: list[str] = []

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._moved(tx, caller, moves, command.turn_id, now, seen)

        result = await self._counted(caller, command, work, seen, entry_problems(entries, "actions"))

        async def read(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, [entry.id for entry in entries])

        found = await self._database.read(read)
        return tuple(
            MovedAction(
                action=found_or_gone(found, move.uid, "pending action", join_path(move.path, "id")),
                repeated=bool(item["repeated"]),
            )
            for move, item in zip(moves, result["moves"], strict=True)
        )

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
        return await self._moved_one(tx, caller, _Move(uid or "", to, done, field), turn_id, now, seen)

    async def _moved_one(
        self, tx: Tx, caller: Caller, move: _Move, turn_id: str | None, now: datetime, seen: list[str]
    ) -> Change:
        change = await self._moved(tx, caller, [move], turn_id, now, seen)
        return change.model_copy(update={"result": change.result["moves"][0]})

    async def _moved(
        self,
        tx: Tx,
        caller: Caller,
        moves: Sequence[_Move],
        turn_id: str | None,
        now: datetime,
        seen: list[str],
    ) -> Change:
        """Apply moves of different actions in their order; return the journal, with the result of each."""
        table = self._catalog.goals
        held = await store.lock(tx, caller, [move.uid for move in moves], now, table)
        types: ActionTypes | None = None
        changed: list[tuple[PendingAction, PendingAction, dict[str, Any]]] = []
        journal: list[Change] = []
        done: list[dict[str, Any]] = []
        for move in moves:
            with error_path(move.path):
                before = locks.writable_of(held, move.uid, "id")
                seen[:] = [before.type]
                require_version(before.version, move.done.expected_version)
                holds = gates.holds_after(
                    held.holds_of(move.uid), before, (action for _, action, _ in changed)
                )
                wanted = await self._wanted(tx, caller, before, move, holds)
                if types is None:
                    types = await self._overrides.types_in_turn(tx, caller, turn_id, now)
                after = transition(before, wanted, locks.kind_of_action(types, before), now)
                require_lasting(after, locks.kind_of_action(self._types.of(caller), before), move.field)
            done.append({"uid": move.uid, "repeated": move.to == before.status, "status": after.status})
            if after == before:
                continue
            failed = move.to == COMPLETED != after.status
            details = {"from": before.status, "to": after.status}
            changed.append((before, after, {}))
            labels = FAILED if failed else _TRANSITIONED
            journal.append(change_of(before, after, labels, turn_id=turn_id, details=details))
        if changed:
            await store.update(tx, caller, changed, turn_id=turn_id)
        return merged(journal, {"moves": done})

    async def _wanted(
        self, tx: Tx, caller: Caller, before: PendingAction, move: _Move, holds: Holds
    ) -> ActionMove:
        """Return a move as the rules judge it."""
        wanted = ActionMove(
            to=move.to,
            result=move.done.result,
            choice=move.done.choice,
            by_user=caller.is_person,
            by_uid=caller.actor_id,
            holds=holds,
            field=move.field,
        )
        if move.to == before.status == STARTED:
            return wanted.model_copy(update={"taken_by": await store.last_move(tx, caller, move.uid)})
        return wanted

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
            by_user = caller.is_person
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
        labels: JournalLabels,
        turn_id: str | None,
        details: Mapping[str, str],
    ) -> Change:
        if after == before:
            return Change(result={"uid": before.uid})
        await store.update(tx, caller, [(before, after, {})], turn_id=turn_id)
        return change_of(before, after, labels, turn_id=turn_id, details=details)

    async def _counted(
        self,
        caller: Caller,
        command: TurnCommand,
        work: Work,
        seen: list[str],
        problems: Sequence[InvalidInput] = (),
    ) -> Mapping[str, Any]:
        """Run a change and return its result; a refusal is reported with the type of its action."""
        try:
            return await self._changes.run(caller, command, work, problems=problems)
        except PrefrontalError as error:
            if self._on_refused is not None:
                # `seen` holds the type of the action once the action was found.
                self._on_refused(seen[0] if seen else None, error.code)
            raise

    async def _run(
        self, caller: Caller, command: ChangeCommand, work: Work, seen: list[str]
    ) -> tuple[PendingAction, Mapping[str, Any]]:
        result = await self._counted(caller, command, work, seen)

        async def read(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, [str(result["uid"])])

        found = (await self._database.read(read)).get(str(result["uid"]))
        if found is None:
            raise NotFound("no such pending action", field="id")
        return found, result


@dataclass(frozen=True, slots=True)
class _Move:
    """An action that gets another status."""

    uid: str
    to: str
    done: ActionOutcome
    field: str
    """The field of the entry that an error about the status names."""
    path: str = ""
    """Where the entry stands in the input."""


_TRANSITIONED = (TraceKind.ACTION_TRANSITIONED, EventType.PENDING_ACTION_TRANSITIONED, "Action transitioned")
_CONFIRMED = (TraceKind.ACTION_CONFIRMED, EventType.PENDING_ACTION_CONFIRMED, "Action confirmed")
