"""The use case that migrates actions from one type to another, when a type is renamed or retired.

All actions are of one organisation. First they are checked: an action whose status or owner the new type does
not have, or that would be started although it waits for a user, is a reason against the migration, and then
no action is changed. An approval that the old type asks for stays required. After that the actions are
migrated in batches, each in a transaction with its versions, traces and events. Migrated actions no longer
have the old type, so a command that was interrupted can be run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime
from itertools import product
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.actions import gates, store
from prefrontal.graph.cortex.actions.events import change_of
from prefrontal.graph.cortex.actions.patch import converted, counterpart
from prefrontal.graph.cortex.actions.record import ActionOwner, ActionRange, MigrationPlan, PendingAction
from prefrontal.graph.cortex.actions.rules import type_to_become
from prefrontal.graph.cortex.actions.utility import sort_key
from prefrontal.graph.errors import ConfirmationRequired, InvalidInput, NotFound, OwnerViolation
from prefrontal.graph.journal.record import Change, EventType, TraceKind, merged
from prefrontal.graph.registry.definitions import CLOSED
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.registry.definitions import ActionType
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_MIGRATED = (TraceKind.ACTION_UPDATED, EventType.PENDING_ACTION_UPDATED, "Action has another type")
Progress = Callable[[int, int], None]


class TypeMigration:
    """Migrates actions from one type to another."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, types: EffectiveTypes
    ) -> None:
        self._catalog = catalog
        self._database = database
        self._changes = changes
        self._types = types

    async def plan(
        self, caller: Caller, old: str, new: str, statuses: Mapping[str, str], *, batch: int = 500
    ) -> MigrationPlan:
        """Return what `migrate` would do, and the reasons why it cannot run; writes nothing.

        Raises:
            NotFound: If new actions cannot have the type `new`, or there is neither a type `old` nor an
                action of it.
            InvalidInput: If a status is mapped to one that the type does not have, or an open status to a
                closed one.
        """
        require(caller, Permission.MAINTAIN)
        kind, former = self._target(caller, old, new, statuses), self._types.of(caller).get(old)
        moves: Counter[tuple[str, str]] = Counter()
        reasons: Counter[str] = Counter()
        known = old in self._types.of(caller)
        async for within, items in self._pages(caller, old, batch):
            known = True
            for action in items:
                status, to = action.status, counterpart(kind, action.status, statuses)
                if to is None:
                    reasons[f"{new} has no status for {status}; say which: --status {status}=…"] += 1
                elif within.owner.value not in kind.allowed_owners and old != new:
                    reasons[f"{new} is not owned by {within.owner.value}"] += 1
                elif refusal := _refusal(action, kind, former, statuses):
                    reasons[f"{status} → {to}: {refusal}"] += 1
                elif (old, status) != (new, to):
                    moves[status, to] += 1
        if not known:
            # Actions may outlive the file of their type; a name without type and actions is a spelling
            # mistake.
            names = ", ".join(sorted(self._types.of(caller)))
            raise NotFound(f"there is no type {old!r}, and no action has it; there are {names}", field="old")
        return MigrationPlan(
            moves={f"{status} → {to}": number for (status, to), number in sorted(moves.items())},
            reasons=dict(sorted(reasons.items())),
        )

    async def migrate(
        self,
        caller: Caller,
        old: str,
        new: str,
        statuses: Mapping[str, str],
        *,
        batch: int = 500,
        progress: Progress | None = None,
    ) -> int:
        """Migrate every action in the caller's writable spaces from `old` to `new`; return how many changed.

        `progress` is called after each batch with the number of migrated actions and the total.

        Raises:
            InvalidInput: If an action has no counterpart in the new type; nothing is changed before the first
                batch.
            NotFound: If `plan` would raise it.
        """
        plan = await self.plan(caller, old, new, statuses, batch=batch)
        if plan.reasons:
            reasons = "; ".join(
                f"{counted(number, 'action')}: {reason}" for reason, number in plan.reasons.items()
            )
            raise InvalidInput(f"no action was changed. {reasons}")
        kind, former = self._target(caller, old, new, statuses), self._types.of(caller).get(old)
        moved = 0
        async for within, items in self._pages(caller, old, batch):
            uids = [action.uid for action in items]

            async def work(
                tx: Tx, now: datetime, within: ActionRange = within, uids: list[str] = uids
            ) -> Change:
                return await self._move(tx, _within(caller, within), uids, old, kind, former, statuses, now)

            done = await self._changes.write(
                _within(caller, within), work, operation="migrateActionType", body=[old, new]
            )
            moved += int(done["moved"])
            if progress:
                progress(moved, plan.total)
        return moved

    def _target(self, caller: Caller, old: str, new: str, statuses: Mapping[str, str]) -> ActionType:
        types = self._types.of(caller)
        kind = types.get(new) if old == new else type_to_become(types, new)
        if kind is None:
            usable = ", ".join(name for name in sorted(types) if types.for_new(name) is types[name])
            raise NotFound(
                f"there is no type {new!r} that new actions can have; there are {usable}", field="new"
            )
        for status, to in statuses.items():
            if to not in kind.allowed_statuses:
                has = ", ".join(kind.allowed_statuses)
                raise InvalidInput(f"{status}={to}: {new} has the statuses {has}", field="status")
            if (status in CLOSED) != (to in CLOSED):
                raise InvalidInput(
                    f"{status}={to}: one of them is open and the other is closed", field="status"
                )
        return kind

    async def _pages(
        self, caller: Caller, type_id: str, batch: int
    ) -> AsyncIterator[tuple[ActionRange, list[PendingAction]]]:
        """Yield every action of a type, space by space, in batches."""
        for scope_id, is_open, owner in product(caller.writable, (True, False), ActionOwner):
            within = ActionRange(scope_id=scope_id, open=is_open, owner=owner)
            after = ""
            while True:

                async def read(
                    tx: Tx, within: ActionRange = within, after: str = after
                ) -> list[PendingAction]:
                    return await store.list_of_type(
                        tx, _within(caller, within), type_id, within, after=after, limit=batch
                    )

                items = await self._database.read(read)
                if items:
                    yield within, items
                if len(items) < batch:
                    break
                after = sort_key(items[-1])

    async def _move(
        self,
        tx: Tx,
        caller: Caller,
        uids: list[str],
        old: str,
        kind: ActionType,
        former: ActionType | None,
        statuses: Mapping[str, str],
        now: datetime,
    ) -> Change:
        # The plan was made without locks: an action that changed meanwhile is judged by its present state.
        held = (await store.lock(tx, caller, uids, now, self._catalog.goals)).actions
        pairs: list[tuple[PendingAction, PendingAction, dict[str, Any]]] = [
            (action, after, {})
            for uid in sorted(held)
            if (action := held[uid]).type == old
            and (after := converted(action, kind, former, statuses, now)) != action
        ]
        for before, after, _ in pairs:
            gates.require_open(before, after, kind, by_user=False, former=former)
        if pairs:
            await store.update(tx, caller, pairs, turn_id=None)
        changes = [change_of(before, after, _MIGRATED, turn_id=None) for before, after, _ in pairs]
        return merged(changes, {"moved": len(pairs)})


def _refusal(
    action: PendingAction, kind: ActionType, former: ActionType | None, statuses: Mapping[str, str]
) -> str | None:
    """Return why a gate of the action forbids the migration, or None."""
    after = converted(action, kind, former, statuses, action.updated_at)
    try:
        gates.require_open(action, after, kind, by_user=False, former=former)
    except (ConfirmationRequired, OwnerViolation) as error:
        return error.message
    return None


def _within(caller: Caller, within: ActionRange) -> Caller:
    """Return the caller restricted to one space, so that the query's parameters stay small."""
    return caller.model_copy(update={"readable": (within.scope_id,), "writable": (within.scope_id,)})
