"""The use case that reverts a pending action to an earlier version.

restored  all descriptive fields; the status with result, times and confirmation; the owner; and the type, if
          the action has another type now
kept      id, space, goal, authors, client key and version number; evidence that was added since; that the
          action has escalated, and that its awaited event has happened
refused   if the type no longer exists or no longer has the status; if no action can get the former type any
          more; if the revert would start the action although its goal is blocked or has ended
gates     the revert is judged like any other change: only a user opens what waits for a user
types     only maintainers give actions another type, so only maintainers revert that
warned    if the action would be open although its goal has ended
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission
from prefrontal.graph.cortex.actions import gates, locks, store
from prefrontal.graph.cortex.actions.events import event_payload
from prefrontal.graph.cortex.actions.record import ActionOwner, Holds, PendingAction
from prefrontal.graph.cortex.actions.rules import is_open, next_version, type_to_become
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    Conflict,
    Forbidden,
    IllegalTransition,
    OwnerViolation,
)
from prefrontal.graph.history.record import Content, RevertWarning
from prefrontal.graph.history.revert import LockedRecord, RestoredRecord, Reverter
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.wording import counted, with_article

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Tx

_CONTENT = (
    "type",
    "title",
    "description",
    "owner",
    "person_id",
    "priority",
    "priority_rank",
    "effort",
    "status",
    "due_at",
    "blocking",
    "requires_confirmation",
    "confirmation_requested",
    "auto_complete",
    "density",
    "confirmed_by",
    "confirmed_at",
    "result",
    "completed_at",
    "archived_at",
    "metadata",
)


def restore(action: PendingAction, content: Content, now: datetime) -> PendingAction:
    """Return the action with the content of an earlier version; it is the next version if that differs."""
    fields: dict[str, Any] = {name: content.fields[name] for name in _CONTENT if name in content.fields}
    named = content.fields.get("evidence_refs") or ()
    # Evidence is not reverted: references that were added since follow those of the earlier version.
    fields["evidence_refs"] = tuple(dict.fromkeys([*named, *action.evidence_refs]))
    if set(named) >= set(action.evidence_refs):
        fields["evidence_refs"] = tuple(named)
    if fields.get("owner") == ActionOwner.AGENT:
        fields["person_id"] = None
    after = PendingAction.model_validate({**action.model_dump(), **fields})
    return action if after == action else next_version(after, now)


def conflicts_with(before: PendingAction, after: PendingAction, types: ActionTypes) -> list[Conflict]:
    """Return the conflicts that forbid the revert."""
    kind = types.get(after.type)
    if kind is None:
        return [Conflict(f"the registry does not know the type {after.type} any more", field="id")]
    found: list[Conflict] = []
    if after.type != before.type and type_to_become(types, after.type) is None:
        was, stays = with_article(kind.id), with_article(before.type)
        said = f"it was {was} then, and no action can get that type any more; it stays {stays}"
        found.append(Conflict(said, field="version"))
    if after.status not in kind.allowed_statuses:
        said = f"{with_article(kind.id)} cannot be {after.status} any more"
        found.append(Conflict(said, field="version"))
    if after.owner.value not in kind.allowed_owners:
        found.append(
            Conflict(f"{with_article(kind.id)} is not owned by {after.owner.value} any more", field="version")
        )
    return found


def require_type(before: PendingAction, after: PendingAction, *, maintains: bool) -> None:
    """Check that the caller may give the action the type that it gets by a revert.

    Raises:
        Forbidden: If the type differs from the present one and the caller is no maintainer.
    """
    if before.type != after.type and not maintains:
        said = f"it was {with_article(after.type)} then: only a maintainer may give an action another type"
        raise Forbidden(said, field="version")


def gate_conflicts(
    before: PendingAction, after: PendingAction, types: ActionTypes, holds: Holds, *, by_user: bool
) -> list[Conflict]:
    """Return the conflict with the goal of the action, if the revert would start or complete the action.

    Raises:
        OwnerViolation: If an agent would do, or undo, something that only a user may do.
        ConfirmationRequired: If a user must confirm the action first.
    """
    kind, former = types[after.type], types.get(before.type)
    try:
        gates.require_open(before, after, kind, by_user=by_user, holds=holds, former=former)
    except (ActionBlocked, IllegalTransition) as error:
        return [Conflict(error.message, field="version")]
    except (OwnerViolation, ConfirmationRequired) as error:
        error.field = "id"
        raise
    return []


def warnings_of(after: PendingAction, content: Content, holds: Holds) -> list[RevertWarning]:
    """Return warnings about everything that the revert does not restore."""
    found: list[RevertWarning] = []
    named = content.fields.get("evidence_refs") or ()
    more = [ref for ref in after.evidence_refs if ref not in named]
    if more:
        said = counted(
            len(more),
            "reference that was added since is kept",
            "references that were added since are kept",
        )
        found.append(RevertWarning(code="evidence_kept", message=said))
    if holds.goal_ended and is_open(after):
        found.append(RevertWarning(code="goal_ended", message=f"its goal is {holds.goal_status}"))
    return found


class ActionReverts(Reverter[PendingAction]):
    """Reverts pending actions."""

    event = EventType.PENDING_ACTION_REVERTED

    def __init__(self, catalog: Catalog, types: EffectiveTypes) -> None:
        self._catalog = catalog
        self._types = types

    async def lock(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        content: Content | None,  # noqa: ARG002 - it names no other record that is locked
        now: datetime,
    ) -> LockedRecord[PendingAction]:
        action, holds = await locks.lock_one(tx, caller, uid, now, self._catalog.goals)
        return LockedRecord(action, {uid: holds})

    async def restored(
        self,
        tx: Tx,  # noqa: ARG002 - everything that decides came with the lock
        caller: Caller,
        locked: LockedRecord[PendingAction],
        content: Content,
        now: datetime,
    ) -> RestoredRecord[PendingAction]:
        """Return the action with the content of an earlier version."""
        before = locked.record
        after = restore(before, content, now)
        holds: Holds = locked.beside[before.uid]
        warnings = warnings_of(after, content, holds)
        if after == before:
            return RestoredRecord(after, warnings)
        types = self._types.of(caller)
        problems = conflicts_with(before, after, types)
        if not problems:
            require_type(before, after, maintains=Permission.MAINTAIN in caller.permissions)
            problems = gate_conflicts(before, after, types, holds, by_user=caller.is_person)
        return RestoredRecord(after, warnings, problems)

    async def save(
        self,
        tx: Tx,
        caller: Caller,
        before: PendingAction,
        after: PendingAction,
        more: Mapping[str, Any],
        turn_id: str | None,
    ) -> None:
        """Store the next version of the action."""
        await store.update(tx, caller, [(before, after, more)], turn_id=turn_id)

    def data(self, after: PendingAction) -> dict[str, Any]:
        """Return the data of the event."""
        return event_payload(after)
