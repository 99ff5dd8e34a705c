"""Rules for overdue actions and for actions that wait for an event (source 003, §Action Types).

    overdue      the action is open and its due time has passed
    escalates    the action is overdue, its type defines an escalation, the delay `escalation.after` has
                 passed as well, and the action has not escalated since its present due time
    notify           only a version, a trace entry and an event are written, as with every handler
    raise_priority   the priority rises by one step, and the rank in lists with it
    hand_to_user     the user becomes the owner; the action is then for the person whose goal it is for, or
                     whose private space it is in
    ask_question     a question asks the user how to continue
    due          the type is due `after_event`, and the event named by `metadata.event` has happened since the
                 action was created: the due time becomes the time of the event, unless it was earlier

An action that is postponed to a later due time can escalate again. The time window of an action that waits
for an event is its due time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction
from prefrontal.graph.cortex.actions.utility import density
from prefrontal.graph.registry.definitions import CLOSED, ActionType


def is_overdue(action: PendingAction, now: datetime) -> bool:
    """Tell whether the action is open and its due time has passed."""
    return action.status not in CLOSED and action.due_at is not None and action.due_at <= now


def has_escalated(action: PendingAction) -> bool:
    """Tell whether the action has already escalated for its present due time."""
    at = action.escalated_at
    return at is not None and action.due_at is not None and at >= action.due_at


def escalates(action: PendingAction, kind: ActionType, now: datetime) -> bool:
    """Tell whether the action must escalate now."""
    escalation = kind.default_policies.escalation
    return (
        escalation is not None
        and action.due_at is not None
        and is_overdue(action, now)
        and action.due_at + escalation.delay <= now
        and not has_escalated(action)
    )


def escalated(
    action: PendingAction,
    kind: ActionType,
    now: datetime,
    priorities: Mapping[str, int],
    default_effort: float,
    heir: str | None = None,
) -> PendingAction:
    """Return the next version of the action, changed by the escalation handler of its type.

    Args:
        action: The action.
        kind: Its type.
        now: The time.
        priorities: The priorities that there are, with their ranks.
        default_effort: The effort of an action that names none.
        heir: The person whose the action becomes if it is handed to the user.
    """
    escalation = kind.default_policies.escalation
    fields: dict[str, object] = {"escalated_at": now}
    policy = escalation.policy if escalation else None
    if policy == "raise_priority":
        name, rank = _one_higher(action, priorities)
        fields |= {
            "priority": name,
            "priority_rank": rank,
            "density": density(rank, action.effort, default_effort),
        }
    if policy == "hand_to_user":
        fields |= {"owner": ActionOwner.USER, "person_id": action.person_id or heir}
    return _next(action, now, fields)


def set_due(action: PendingAction, event_at: datetime, now: datetime) -> PendingAction:
    """Return the next version of the action, due because its event happened at `event_at`."""
    due = event_at if action.due_at is None else min(action.due_at, event_at)
    return _next(action, now, {"event_at": event_at, "due_at": due})


def _one_higher(action: PendingAction, priorities: Mapping[str, int]) -> tuple[str, int]:
    higher = [(rank, name) for name, rank in priorities.items() if rank > action.priority_rank]
    rank, name = min(higher, default=(action.priority_rank, action.priority))
    return name, rank


def _next(action: PendingAction, now: datetime, fields: dict[str, object]) -> PendingAction:
    return action.model_copy(update={**fields, "updated_at": now, "version": action.version + 1})
