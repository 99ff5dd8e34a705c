"""The use case that takes a pending action back to an earlier version.

restored  everything that is said of it, its status with result, times and confirmation, its owner, and
          its type, when it was given another one since
kept      its id, space, goal, makers, key and version; evidence that was named since; that it has
          escalated, and that what it waited for has happened
refused   its type is gone, or has not the status any more; the type it had then takes no actions any more;
          it would be started while another blocks it
users     what only a user may do, only a user takes back: start or end what a user owns, confirm, lift
          a confirmation, give a user's action to an agent
types     actions are given another type by maintainers, so only they take that back
warned    it would be open, and its goal has ended
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission
from prefrontal.graph.cortex.actions import locks, store
from prefrontal.graph.cortex.actions.events import event_payload
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction
from prefrontal.graph.cortex.actions.rules import is_open, next_version, type_to_become
from prefrontal.graph.errors import Conflict, Forbidden, OwnerViolation, SeveralConflicts
from prefrontal.graph.history.events import result_of, reverted
from prefrontal.graph.history.record import Content, Revert, RevertWarning
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.registry.definitions import COMPLETED, STARTED, ActionTypes
from prefrontal.graph.validation import require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.history.service import HistoryService
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Tx

_CONTENT = (
    "type",
    "title",
    "description",
    "owner",
    "priority",
    "priority_rank",
    "effort",
    "status",
    "due_at",
    "blocking",
    "requires_confirmation",
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
    """Return the action with the content of an earlier version, of the next version if that differs."""
    fields: dict[str, Any] = {name: content.fields[name] for name in _CONTENT if name in content.fields}
    named = content.fields.get("evidence_refs") or ()
    # Evidence is not taken back: what was named since is named after what was named then.
    fields["evidence_refs"] = tuple(dict.fromkeys([*named, *action.evidence_refs]))
    if set(named) >= set(action.evidence_refs):
        fields["evidence_refs"] = tuple(named)
    after = PendingAction.model_validate({**action.model_dump(), **fields})
    return action if after == action else next_version(after, now)


def conflicts_with(
    before: PendingAction, after: PendingAction, types: ActionTypes, blocked_by: tuple[str, ...]
) -> list[Conflict]:
    """Return what stands against a revert."""
    kind = types.get(after.type)
    if kind is None:
        return [Conflict(f"the registry does not know the type {after.type} any more", field="id")]
    found: list[Conflict] = []
    if after.type != before.type and type_to_become(types, after.type) is None:
        said = f"it was a {kind.id} then, which no action becomes any more; it stays a {before.type}"
        found.append(Conflict(said, field="version"))
    if after.status not in kind.allowed_statuses:
        said = f"a {kind.id} cannot be {after.status} any more"
        found.append(Conflict(said, field="version"))
    if after.owner.value not in kind.allowed_owners:
        found.append(Conflict(f"a {kind.id} is not owned by {after.owner.value} any more", field="version"))
    started = after.status == STARTED and before.status != STARTED
    others = [uid for uid in blocked_by if uid != after.uid]
    if started and others and not after.blocking:
        found.append(Conflict(f"to be done first: {', '.join(others)}", field="version"))
    return found


def require_type(before: PendingAction, after: PendingAction, *, maintains: bool) -> None:
    """Return when the caller may give the action the type it gets by a revert.

    Raises:
        Forbidden: It is another one, and the caller is no maintainer.
    """
    if before.type != after.type and not maintains:
        said = f"it was a {after.type} then: only a maintainer gives actions another type"
        raise Forbidden(said, field="version")


def require_user(before: PendingAction, after: PendingAction, *, by_user: bool) -> None:
    """Return when the caller may do what the revert does.

    Raises:
        OwnerViolation: An agent would do, or undo, what only a user may.
    """
    if by_user:
        return
    moved = before.status != after.status and bool({before.status, after.status} & {STARTED, COMPLETED})
    if moved and ActionOwner.USER in (before.owner, after.owner):
        raise OwnerViolation("a user owns it: only a user starts, completes or reopens it", field="id")
    if before.confirmed_at != after.confirmed_at:
        raise OwnerViolation("only a user confirms, and takes that back", field="id")
    if before.requires_confirmation and not after.requires_confirmation:
        raise OwnerViolation("only a user lifts a confirmation", field="id")
    if before.owner is ActionOwner.USER and after.owner is ActionOwner.AGENT:
        raise OwnerViolation("a user owns it: only a user gives it to an agent", field="id")


def warnings_of(
    after: PendingAction, content: Content, goal_status: str | None, active_statuses: Collection[str]
) -> list[RevertWarning]:
    """Return what a revert leaves as it is."""
    found: list[RevertWarning] = []
    named = content.fields.get("evidence_refs") or ()
    more = [ref for ref in after.evidence_refs if ref not in named]
    if more:
        said = f"{len(more)} references that were named since stay named"
        found.append(RevertWarning(code="evidence_kept", message=said))
    if goal_status is not None and goal_status not in active_statuses and is_open(after):
        found.append(RevertWarning(code="goal_ended", message=f"its goal is {goal_status}"))
    return found


class ActionReverts:
    """Takes actions back, under the locks of any other change."""

    def __init__(self, catalog: Catalog, types: EffectiveTypes, history: HistoryService) -> None:
        """Take what the use case needs."""
        self._catalog = catalog
        self._types = types
        self._history = history

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give an action the content of an earlier version; see `history.reverting`."""
        before = await locks.lock_one(tx, caller, asked.uid, now)
        require_version(before.version, asked.expected_version)
        content = await self._history.content_in(tx, caller, asked.uid, asked.number)
        after = restore(before, content, now)
        goals = await store.goals_of(tx, caller, [before.goal_id]) if before.goal_id else {}
        status = next((goal.status for goal in goals.values()), None)
        warnings = warnings_of(after, content, status, self._catalog.goals.active_statuses)
        if after == before:
            return Change(result=result_of(before.version, warnings))
        blocked_by = await locks.blockers(tx, caller, before)
        problems = conflicts_with(before, after, self._types.of(caller), blocked_by)
        if problems:
            raise SeveralConflicts(problems)
        require_type(before, after, maintains=Permission.MAINTAIN in caller.permissions)
        require_user(before, after, by_user=locks.is_user(caller))
        said = {REVERTED_TO: asked.number}
        await store.update(tx, caller, [(before, after)], turn_id=asked.turn_id, more=said)
        return reverted(
            EventType.PENDING_ACTION_REVERTED,
            after,
            asked,
            fields=changed_fields(before, after),
            data=event_payload(after),
            warnings=warnings,
        )
