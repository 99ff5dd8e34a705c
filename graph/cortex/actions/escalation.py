"""What becomes of an action that is overdue, and of one whose event has happened (source 003, §Action Types).

    overdue      it is open and its due time has passed
    escalates    it is overdue, its type has an escalation, `escalation.after` is over as well, and it has
                 not escalated since the due time it has now
    notify           it is told: a version, a trace entry and an event, as with every other handler
    raise_priority   its priority is one step higher, and its place with it
    hand_to_user     the user owns it from then on
    ask_question     the user is asked how it shall go on
    due          its type is due `after_event`, and the event of `metadata.event` has happened since it was
                 made: its due time is that of the event, unless it was earlier

An action that was put off to a later time escalates again then. The time window of an action that waits for
an event is its due time.
"""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction
from prefrontal.graph.cortex.actions.utility import density
from prefrontal.graph.registry.definitions import CLOSED, ActionType


def is_overdue(action: PendingAction, now: datetime) -> bool:
    """Tell whether an open action's due time has passed."""
    return action.status not in CLOSED and action.due_at is not None and action.due_at <= now


def has_escalated(action: PendingAction) -> bool:
    """Tell whether the action has escalated for the due time that it has."""
    at = action.escalated_at
    return at is not None and action.due_at is not None and at >= action.due_at


def escalates(action: PendingAction, kind: ActionType, now: datetime) -> bool:
    """Tell whether an action is to escalate now."""
    escalation = kind.default_policies.escalation
    return (
        escalation is not None
        and action.due_at is not None
        and is_overdue(action, now)
        and action.due_at + escalation.delay <= now
        and not has_escalated(action)
    )


def escalated(
    action: PendingAction, kind: ActionType, now: datetime, table: GoalsTable, default_effort: float
) -> PendingAction:
    """Return the action as its type's handler leaves it, of the next version."""
    escalation = kind.default_policies.escalation
    fields: dict[str, object] = {"escalated_at": now}
    policy = escalation.policy if escalation else None
    if policy == "raise_priority":
        name, rank = _one_higher(action, table)
        fields |= {
            "priority": name,
            "priority_rank": rank,
            "density": density(rank, action.effort, default_effort),
        }
    if policy == "hand_to_user":
        fields["owner"] = ActionOwner.USER
    return _next(action, now, fields)


def made_due(action: PendingAction, event_at: datetime, now: datetime) -> PendingAction:
    """Return the action whose event happened, of the next version."""
    due = event_at if action.due_at is None else min(action.due_at, event_at)
    return _next(action, now, {"event_at": event_at, "due_at": due})


def _one_higher(action: PendingAction, table: GoalsTable) -> tuple[str, int]:
    higher = [(rank, name) for name, rank in table.priorities.items() if rank > action.priority_rank]
    rank, name = min(higher, default=(action.priority_rank, action.priority))
    return name, rank


def _next(action: PendingAction, now: datetime, fields: dict[str, object]) -> PendingAction:
    return action.model_copy(update={**fields, "updated_at": now, "version": action.version + 1})
