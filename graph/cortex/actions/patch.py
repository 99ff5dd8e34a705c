"""How an update changes an action (source 003, §Interfaces: upsert).

    field in the input    the field gets that value; null clears it, and a cleared policy falls back to the
                          type's
    field left out        the field keeps its value
    no field differs      nothing changes: no new version, no new `updated_at`

If the update names another event, the action waits for that event from the beginning.
Null as the title means the first line of the description, as in a new action. Type, owner and goal are set at
creation only (`validation.fixed_problems`); the status has operations of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.actions.record import PendingAction, PendingActionUpsert
from prefrontal.graph.cortex.actions.utility import awaited, density, event_problems, option_problems
from prefrontal.graph.cortex.priorities import priority_of
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.validation import raise_all

_SIMPLE_FIELDS = ("description", "effort", "due_at", "result")
_POLICIES = ("blocking", "auto_complete")


def revise(
    action: PendingAction,
    changes: PendingActionUpsert,
    kind: ActionType,
    now: datetime,
    table: GoalsTable,
    default_effort: float,
    *,
    person_id: str | None,
) -> PendingAction:
    """Return the action with the given fields; it is the next version if a field differs.

    `person_id` is the person whose the action is from now on.

    Raises:
        InvalidInput: If `metadata.event` does not name an event.
    """
    given = changes.model_fields_set
    fields = {name: getattr(changes, name) for name in _SIMPLE_FIELDS if name in given}
    fields["person_id"] = person_id
    for name in _POLICIES:
        if name in given:
            value = getattr(changes, name)
            fields[name] = getattr(kind.default_policies, name) if value is None else value
    if "requires_confirmation" in given:
        wanted = changes.requires_confirmation
        fields["requires_confirmation"] = kind.asks_for_confirmation if wanted is None else wanted
        fields["confirmation_requested"] = wanted is True
    if changes.title is not None:
        fields["title"] = changes.title
    if "evidence_refs" in given:
        fields["evidence_refs"] = changes.evidence_refs or ()
    if "metadata" in given:
        fields["metadata"] = changes.metadata or {}
        raise_all(event_problems(changes.metadata, kind, "metadata.event"))
        raise_all(option_problems(changes.metadata, kind, "metadata.options"))
        if awaited(changes.metadata) != awaited(action.metadata):
            fields["event_at"] = None
    rank = action.priority_rank
    if "priority" in given:
        name, rank = priority_of(changes.priority, table) or (action.priority, rank)
        fields |= {"priority": name, "priority_rank": rank}
    fields["density"] = density(rank, fields.get("effort", action.effort), default_effort)
    after = action.model_copy(update=fields)
    if after == action:
        return action
    return after.model_copy(update={"updated_at": now, "version": action.version + 1})


def counterpart(kind: ActionType, status: str, statuses: Mapping[str, str]) -> str | None:
    """Return the status of the new type that corresponds to a status of the old type; None if there is none.

    `statuses` comes first, then the status of the same name, then `former_statuses` of the type.
    """
    if status in statuses:
        return statuses[status]
    return status if status in kind.allowed_statuses else kind.former_statuses.get(status)


def converted(
    action: PendingAction,
    kind: ActionType,
    former: ActionType | None,
    statuses: Mapping[str, str],
    now: datetime,
) -> PendingAction:
    """Return the next version of the action with another type; the action itself if nothing differs.

    Owner, confirmation and blocking stay as the first type set them, because somebody may rely on them. What
    waits for an approval by its former type, or by the new one, requires a confirmation from then on.

    Raises:
        InvalidInput: If the type has no corresponding status, or does not allow the owner.
    """
    status = counterpart(kind, action.status, statuses)
    if status is None:
        raise InvalidInput(f"{kind.id} has no status for {action.status}", field="status")
    if action.type != kind.id and action.owner.value not in kind.allowed_owners:
        raise InvalidInput(f"{kind.id} is not owned by {action.owner.value}", field="owner")
    if (action.type, action.status) == (kind.id, status):
        return action
    fields = {"type": kind.id, "status": status, "updated_at": now, "version": action.version + 1}
    approval = kind.asks_for_approval or (former is not None and former.asks_for_approval)
    if approval and action.confirmed_at is None:
        fields["requires_confirmation"] = True
    return action.model_copy(update=fields)
