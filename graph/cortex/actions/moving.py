"""Use cases that move pending actions on: transitions, completion and confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graph.access.record import Permission
from graph.access.rules import require
from graph.catalog.action_types import COMPLETED
from graph.checks import json_problems, raise_all, require_version, text_problems
from graph.cortex.actions import holding, store
from graph.cortex.actions.record import ActionMove, PendingAction
from graph.cortex.actions.rules import confirmed, moved
from graph.cortex.actions.telling import change_of
from graph.errors import NotFound, OwnerViolation
from graph.journal.record import Change, EventType, TraceKind

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.journal.service import ChangeWriter
    from graph.storage.unit_of_work import Database, Tx


class ActionMoves:
    """Moves pending actions, each move with its version, trace and event."""

    def __init__(self, database: Database, catalog: Catalog, changes: ChangeWriter) -> None:
        """Take what every use case needs."""
        self._database = database
        self._catalog = catalog
        self._changes = changes

    async def transition(
        self,
        caller: Caller,
        uid: str,
        to: str,
        *,
        result: dict[str, Any] | None = None,
        choice: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
        operation: str = "transitionPendingAction",
    ) -> PendingAction:
        """Put an action into another status and return it.

        Raises:
            NotFound: It is unknown or not readable.
            Forbidden: It is readable but not writable.
            InvalidInput: The type does not know the status, or a choice is missing or wrong.
            IllegalTransition: The type has no such way.
            OwnerViolation: An agent starts or completes what a user owns.
            ConfirmationRequired: A user has to confirm it first.
            ActionBlocked: Another action of the goal has to be done first.
            VersionConflict: It has another version than expected.
        """
        require(caller, Permission.WRITE)
        limits = self._catalog.limits
        problems = text_problems(to, "status", limits.key_characters)
        problems += json_problems(result, "result", limits.metadata_characters)
        if choice is not None:
            problems += text_problems(choice, "choice", limits.description_characters)
        if turn_id is not None:
            problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)

        async def work(tx: Tx, now: datetime) -> Change:
            before = await holding.lock_one(tx, caller, uid, now)
            require_version(before.version, expected_version)
            move = ActionMove(
                to=to,
                result=result,
                choice=choice,
                by_user=holding.is_user(caller),
                by_uid=caller.actor_id,
                blocked_by=await holding.blockers(tx, caller, before),
            )
            after = moved(before, move, holding.kind_of_action(self._catalog, before), now)
            details = {"from": before.status, "to": after.status}
            return await self._store(tx, caller, before, after, _TRANSITIONED, turn_id, details)

        return await self._write(
            caller, work, operation, [uid, to, result, choice, expected_version, turn_id], idempotency_key
        )

    async def complete(
        self,
        caller: Caller,
        uid: str,
        *,
        result: dict[str, Any] | None = None,
        choice: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> PendingAction:
        """Complete an action and return it; the errors are those of `transition`."""
        return await self.transition(
            caller,
            uid,
            COMPLETED,
            result=result,
            choice=choice,
            expected_version=expected_version,
            turn_id=turn_id,
            idempotency_key=idempotency_key,
            operation="completePendingAction",
        )

    async def confirm(
        self,
        caller: Caller,
        uid: str,
        *,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> PendingAction:
        """Record that a user confirms an action, and return it; a second time changes nothing.

        Raises:
            NotFound: It is unknown or not readable.
            Forbidden: It is readable but not writable.
            OwnerViolation: The caller is no user.
            IllegalTransition: It is done with.
            VersionConflict: It has another version than expected.
        """
        require(caller, Permission.WRITE)
        if turn_id is not None:
            raise_all(text_problems(turn_id, "turnId", self._catalog.limits.key_characters))

        async def work(tx: Tx, now: datetime) -> Change:
            before = await holding.lock_one(tx, caller, uid, now)
            if not holding.is_user(caller):
                raise OwnerViolation(
                    "only a user confirms: a token of a person, without an agent", field="id"
                )
            require_version(before.version, expected_version)
            after = confirmed(before, caller.actor_id, now)
            return await self._store(tx, caller, before, after, _CONFIRMED, turn_id, {"by": caller.actor_id})

        return await self._write(
            caller, work, "confirmPendingAction", [uid, expected_version, turn_id], idempotency_key
        )

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        before: PendingAction,
        after: PendingAction,
        said: tuple[TraceKind, str, EventType],
        turn_id: str | None,
        details: Mapping[str, Any],
    ) -> Change:
        if after == before:
            return Change(result={"uid": before.uid})
        await store.update(tx, caller, [(before, after)], turn_id=turn_id)
        kind, message, event = said
        return change_of(before, after, (kind, message), event, turn_id=turn_id, details=details)

    async def _write(
        self, caller: Caller, work: Any, operation: str, body: list[Any], idempotency_key: str | None
    ) -> PendingAction:
        result = await self._changes.write(
            caller, work, operation=operation, body=body, idempotency_key=idempotency_key
        )

        async def read(tx: Tx) -> dict[str, PendingAction]:
            return await store.find(tx, caller, [str(result["uid"])])

        found = (await self._database.read(read)).get(str(result["uid"]))
        if found is None:
            raise NotFound("no such pending action", field="id")
        return found


_TRANSITIONED = (TraceKind.ACTION_TRANSITIONED, "Action moved on", EventType.PENDING_ACTION_TRANSITIONED)
_CONFIRMED = (TraceKind.ACTION_CONFIRMED, "Action confirmed", EventType.PENDING_ACTION_CONFIRMED)
