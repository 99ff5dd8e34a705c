"""What becomes of an action when some of its fields are given anew (source 003, §Interfaces: upsert).

    given         the field has that value; null clears it, and a cleared policy is the type's again
    left out      the field stays
    equal already nothing changes: no version, no new `updated_at`

A title cannot be cleared. Type, owner and goal are given once; the status has operations of its own.
"""

from __future__ import annotations

from datetime import datetime

from graph.catalog import ActionType
from graph.catalog.models import GoalsTable
from graph.cortex.actions.record import PendingAction, PendingActionChanges
from graph.cortex.actions.values import density
from graph.cortex.priorities import priority_of

_PLAIN = ("description", "effort", "due_at", "result")
_POLICIES = ("blocking", "requires_confirmation", "auto_complete")


def revise(
    action: PendingAction,
    changes: PendingActionChanges,
    kind: ActionType,
    now: datetime,
    table: GoalsTable,
    default_effort: float,
) -> PendingAction:
    """Return the action with the given fields, of the next version if one differs."""
    given = changes.model_fields_set
    fields = {name: getattr(changes, name) for name in _PLAIN if name in given}
    for name in _POLICIES:
        if name in given:
            value = getattr(changes, name)
            fields[name] = getattr(kind.default_policies, name) if value is None else value
    if changes.title is not None:
        fields["title"] = changes.title
    if "evidence_refs" in given:
        fields["evidence_refs"] = changes.evidence_refs or ()
    if "metadata" in given:
        fields["metadata"] = changes.metadata or {}
    rank = action.priority_rank
    if "priority" in given:
        name, rank = priority_of(changes.priority, table) or (action.priority, rank)
        fields |= {"priority": name, "priority_rank": rank}
    fields["density"] = density(rank, fields.get("effort", action.effort), default_effort)
    after = action.model_copy(update=fields)
    if after == action:
        return action
    return after.model_copy(update={"updated_at": now, "version": action.version + 1})
