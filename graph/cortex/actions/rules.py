"""Rules for the status of an action, decided by the registry's entry for its type alone.

    status        must be a status of the type, reachable from the present one
    owner         an action that a user owns is started and completed by a user only, never by an agent
    confirmation  an action that requires a confirmation is completed only after the confirmation is recorded;
                  completion by a user counts as the confirmation
    guards        choice_required: completion names one of `metadata.options`, stored as `metadata.choice`
                  approval_required: the action is neither started nor completed before a confirmation
    blocking      while a blocking action of a goal is open, other actions of the goal cannot be started,
                  except those that are blocking themselves
    completed     completion sets `completed_at` and archives the action; it stays readable
    auto_complete if the agent reports a result for an action that it has started, the action is completed

A transition to the present status changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from prefrontal.graph.cortex.actions.record import ActionMove, ActionOwner, PendingAction
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    IllegalTransition,
    InvalidInput,
    OwnerViolation,
)
from prefrontal.graph.registry.definitions import CLOSED, COMPLETED, STARTED, ActionType, ActionTypes

OPTIONS = "options"
CHOICE = "choice"


def type_to_become(types: ActionTypes, name: str) -> ActionType | None:
    """Return the type of that name if existing actions can be migrated to it, else None.

    The type must be in use for new actions and not deprecated.
    """
    kind = types.get(name)
    return kind if kind is not None and not kind.deprecated and types.for_new(name) is kind else None


def is_open(action: PendingAction) -> bool:
    """Tell whether the action is neither completed nor cancelled."""
    return action.status not in CLOSED


def blocking_of(actions: Iterable[PendingAction]) -> tuple[str, ...]:
    """Return the ids of the open blocking actions of a goal; while there are any, the goal is blocked."""
    return tuple(action.uid for action in actions if action.blocking and is_open(action))


def transition(action: PendingAction, move: ActionMove, kind: ActionType, now: datetime) -> PendingAction:
    """Return the next version of the action in its new status; the same action if the status is equal.

    Raises:
        InvalidInput: If the type does not have the status, or the choice is missing or wrong.
        IllegalTransition: If the type does not allow this transition.
        OwnerViolation: If an agent would start or complete an action that a user owns.
        ConfirmationRequired: If a required confirmation is missing.
        ActionBlocked: If another action of the goal must be completed first.
    """
    if move.to not in kind.allowed_statuses:
        raise InvalidInput(f"{kind.id} has the statuses {', '.join(kind.allowed_statuses)}", field=move.field)
    if move.to == action.status:
        return action
    ways = kind.ways_from(action.status)
    if move.to not in ways:
        raise IllegalTransition(
            f"a {kind.id} that is {action.status} cannot become {move.to}; "
            f"it can become: {', '.join(ways) or 'none'}",
            field=move.field,
        )
    acts = move.to in (STARTED, COMPLETED)
    if acts and action.owner is ActionOwner.USER and not move.by_user:
        raise OwnerViolation("a user owns the action: only a user may start or complete it", field="id")
    guard = kind.policy_handlers.completion_guard
    _require_confirmation(action, move, guard)
    if move.to == STARTED and move.blocked_by and not action.blocking:
        raise ActionBlocked(f"complete the blocking actions first: {', '.join(move.blocked_by)}", field="id")
    fields: dict[str, object] = {"status": move.to}
    if move.result is not None:
        fields["result"] = move.result
    if move.to == COMPLETED:
        fields |= {"completed_at": now, "metadata": _chosen(action, move.choice, guard)}
        if action.requires_confirmation and action.confirmed_at is None:
            fields |= {"confirmed_by": move.by_uid, "confirmed_at": now}
    if move.to in CLOSED:
        fields["archived_at"] = now
    return next_version(action, now, **fields)


def require_lasting(action: PendingAction, present: ActionType, field: str) -> None:
    """Check that an action has a way out of its status when its turn is over.

    A turn sees the types of its beginning; the present definition may have lost the status meanwhile.

    Raises:
        IllegalTransition: If the present definition does not know the status.
    """
    if not present.has(action.status) and action.status not in present.retired_statuses:
        raise IllegalTransition(
            f"{present.id} has lost the status {action.status} since this turn began", field=field
        )


def confirmed(action: PendingAction, by_uid: str, now: datetime) -> PendingAction:
    """Return the action with a user's confirmation; the action itself if it is confirmed already.

    Raises:
        IllegalTransition: If the action is completed or cancelled.
    """
    if action.confirmed_at is not None:
        return action
    if not is_open(action):
        raise IllegalTransition(f"it is {action.status}, so there is nothing to confirm", field="id")
    return next_version(action, now, confirmed_by=by_uid, confirmed_at=now)


def next_version(action: PendingAction, now: datetime, **fields: object) -> PendingAction:
    """Return the next version of the action, with the given fields set."""
    return action.model_copy(update={**fields, "updated_at": now, "version": action.version + 1})


def _require_confirmation(action: PendingAction, move: ActionMove, guard: str | None) -> None:
    if action.confirmed_at is not None:
        return
    if guard == "approval_required" and move.to in (STARTED, COMPLETED):
        raise ConfirmationRequired(
            "the action must be approved first: let a user call confirmPendingAction", field="id"
        )
    if move.to == COMPLETED and action.requires_confirmation and not move.by_user:
        raise ConfirmationRequired(
            "the action must be confirmed first: let a user call confirmPendingAction", field="id"
        )


def _chosen(action: PendingAction, choice: str | None, guard: str | None) -> dict[str, object]:
    """Return the metadata with the choice."""
    options = action.metadata.get(OPTIONS)
    listed = options if isinstance(options, list) else []
    if guard == "choice_required" and choice is None:
        raise InvalidInput("completing this action needs one of metadata.options as `choice`", field="choice")
    if choice is not None and choice not in listed:
        raise InvalidInput("the choice is not one of metadata.options", field="choice")
    return {**action.metadata, CHOICE: choice} if choice is not None else action.metadata
