"""The jobs of pending actions: overdue actions escalate, and actions become due after their events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.escalation import escalated, escalates, set_due
from prefrontal.graph.cortex.actions.events import change_of
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction
from prefrontal.graph.cortex.actions.utility import awaited
from prefrontal.graph.cortex.questions.record import PairDraft, QuestionDraft
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.jobs.table_job import TableJob
from prefrontal.graph.journal.record import Change, EventType, TraceKind, merged
from prefrontal.graph.journal.store import append_rows
from prefrontal.graph.registry.overrides import store as registry_store

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.registry.definitions import ActionType, ActionTypes
    from prefrontal.graph.storage.unit_of_work import Tx

log = structlog.get_logger(__name__)

_ESCALATED = (TraceKind.ACTION_ESCALATED, EventType.PENDING_ACTION_ESCALATED, "Action overdue")
_DUE = (TraceKind.ACTION_DUE, EventType.PENDING_ACTION_DUE, "Event of an action happened")


class EscalateActions(TableJob):
    """Escalates open actions whose due time has passed, each once for its present due time.

    An index that holds only open actions with a due time finds the candidates, and each is checked again
    under its lock: a second process finds that the action has escalated already.
    """

    name = "escalate_actions"

    def __init__(
        self,
        catalog: Catalog,
        types: ActionTypes,
        questions: QuestionUpserts,
        *,
        on_change: Callable[[Change], None] | None = None,
        on_overdue: Callable[[dict[str, int]], None] | None = None,
    ) -> None:
        """Store the tables, the types of the files and the use case that asks questions.

        `on_change` is called with each committed change, `on_overdue` with the number of overdue actions by
        type.
        """
        super().__init__(catalog)
        self._types = types
        self._questions = questions
        self._on_change = on_change
        self._on_overdue = on_overdue
        self._done: list[Change] = []
        self._overdue: dict[str, int] | None = None

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Escalate up to a batch of actions and return how many."""
        types = await TypesInForce.read(tx, self._types)
        # A retry of the transaction starts with empty results.
        self._done, self._overdue = [], None
        done = 0
        found = await store.find_overdue(tx, types.overdue(now), self.table.batch)
        for org_id, locked in (await store.lock_by_organisation(tx, found, now)).items() if found else ():
            actions = locked.actions
            changes: list[Change] = []
            pairs: list[tuple[PendingAction, PendingAction]] = []
            caller = _acting_for(org_id, actions)
            for action in actions:
                kind = types.of(org_id, action.type)
                escalation = kind.default_policies.escalation if kind else None
                if kind is None or escalation is None or not escalates(action, kind, now):
                    continue
                default_effort = self._types.table.default_effort
                heir = locked.heirs.get(action.uid)
                after = escalated(action, kind, now, self._catalog.goals.priorities, default_effort, heir)
                details = {"policy": escalation.policy, "due_at": _text(action.due_at)}
                pairs.append((action, after))
                changes.append(change_of(action, after, _ESCALATED, turn_id=None, details=details))
                if escalation.policy == "ask_question":
                    changes += await self._ask(tx, caller, after, now)
            await _store(tx, caller, pairs, changes, now)
            self._done += changes
            done += len(pairs)
        if done < self.table.batch and self._on_overdue is not None:
            self._overdue = await store.count_overdue(tx, types.names, now)
        return done

    def committed(self) -> None:
        """Report the changes of the last batch to the listeners, now that they are committed."""
        _tell(self._on_change, self._done)
        if self._on_overdue is not None and self._overdue is not None:
            self._on_overdue(self._overdue)

    async def _ask(self, tx: Tx, caller: Caller, action: PendingAction, now: datetime) -> list[Change]:
        """Ask the user about an overdue action; return its journal, empty if it is refused."""
        due = _text(action.due_at)
        draft = PairDraft(
            question=QuestionDraft(
                client_key=f"escalation:{action.uid}:{due}",
                text=f"Overdue since {due}: {action.title} - how should it continue?",
                goal_id=action.goal_id,
                priority=action.priority,
                owner=ActionOwner.USER,
            ),
        )
        try:
            return [await self._questions.upsert_in(tx, caller, draft, action.scope_id, None, now)]
        except PrefrontalError as error:
            # A question with this key exists and is archived: the escalation is recorded without a new
            # question.
            log.warning("escalation_not_asked", action=action.uid, code=error.code)
            return []


class AwaitEvents(TableJob):
    """Makes actions due if their event has happened since they were created."""

    name = "await_events"

    def __init__(
        self, catalog: Catalog, types: ActionTypes, *, on_change: Callable[[Change], None] | None = None
    ) -> None:
        """Store the tables and the types of the files; `on_change` is called with each committed change."""
        super().__init__(catalog)
        self._types = types
        self._on_change = on_change
        self._after = ""
        self._last = ""
        self._done: list[Change] = []

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Check a batch of the waiting actions and return how many were checked."""
        types = await TypesInForce.read(tx, self._types)
        self._done = []
        found = await store.find_awaiting(tx, types.after_event, self._after, self.table.batch)
        # Actions that still wait are skipped by the next batch, and checked again in the next run.
        self._last = found[-1][0] if len(found) == self.table.batch else ""
        happened = {uid: at for uid, at in found if at is not None}
        for org_id, locked in (
            (await store.lock_by_organisation(tx, happened, now)).items() if happened else ()
        ):
            actions = locked.actions
            pairs = [
                (action, set_due(action, happened[action.uid], now))
                for action in actions
                if awaits(action, types.of(org_id, action.type))
            ]
            changes = [
                change_of(
                    before,
                    after,
                    _DUE,
                    turn_id=None,
                    details={"event": event[0], "event_of": event[1], "event_at": _text(after.event_at)},
                )
                for before, after in pairs
                if (event := awaited(before.metadata))
            ]
            await _store(tx, _acting_for(org_id, actions), pairs, changes, now)
            self._done += changes
        return len(found)

    def committed(self) -> None:
        """Move the position behind the last batch, and report its changes, now that they are committed."""
        self._after = self._last
        _tell(self._on_change, self._done)


@dataclass(frozen=True, slots=True)
class TypesInForce:
    """The action types of the files, and the types that organisations put in force for themselves."""

    files: Mapping[str, ActionType]
    own: Mapping[tuple[str, str], ActionType]

    @classmethod
    async def read(cls, tx: Tx, files: ActionTypes) -> TypesInForce:
        """Return the present types."""
        return cls(files.snapshot(), await registry_store.list_in_force(tx))

    def of(self, org_id: str, name: str) -> ActionType | None:
        """Return the definition of a type in an organisation, or None."""
        return self.own.get((org_id, name)) or self.files.get(name)

    @property
    def names(self) -> list[str]:
        """The ids of all types, of the files and of every organisation."""
        return sorted({*self.files, *(name for _, name in self.own)})

    @property
    def after_event(self) -> list[str]:
        """The ids of the types that are due after an event, in at least one organisation."""
        kinds = [*self.files.items(), *((name, kind) for (_, name), kind in self.own.items())]
        return sorted({name for name, kind in kinds if kind.policy_handlers.due == "after_event"})

    def overdue(self, now: datetime) -> list[store.Overdue]:
        """Return the searches for overdue actions: a type, the latest due time, and the organisations."""
        found = []
        for name, kind in sorted(self.files.items()):
            if (escalation := kind.default_policies.escalation) is not None:
                without = tuple(org_id for org_id, other in self.own if other == name)
                found.append(store.Overdue(name, now - escalation.delay, excluded=without))
        for (org_id, name), kind in sorted(self.own.items(), key=lambda item: item[0]):
            if (escalation := kind.default_policies.escalation) is not None:
                found.append(store.Overdue(name, now - escalation.delay, org_id))
        return found


def awaits(action: PendingAction, kind: ActionType | None) -> bool:
    """Tell whether an action of this type still waits for an event."""
    open_yet = action.archived_at is None and action.event_at is None
    due = kind is not None and kind.policy_handlers.due == "after_event"
    return open_yet and due and awaited(action.metadata) is not None


def _acting_for(org_id: str, actions: Iterable[PendingAction]) -> Caller:
    return Caller.organisation(org_id, (action.scope_id for action in actions))


async def _store(
    tx: Tx,
    caller: Caller,
    pairs: Sequence[tuple[PendingAction, PendingAction]],
    changes: Sequence[Change],
    now: datetime,
) -> None:
    if pairs:
        await store.update(tx, caller, [(*pair, {}) for pair in pairs], turn_id=None)
        # No client asked for the change, so the organisation itself is the actor.
        org_id = caller.org_id
        await append_rows(tx, org_id=org_id, actor_id=org_id, home=org_id, change=merged(changes), now=now)


def _tell(listener: Callable[[Change], None] | None, done: Iterable[Change]) -> None:
    if listener is not None:
        for change in done:
            listener(change)


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
