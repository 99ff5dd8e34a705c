"""What may become of an action, decided by its type's entry in the registry alone.

    status        allowed by the type, and on a way from the one it has
    owner         what a user owns is started and completed by that user only, never by an agent
    confirmation  what requires one is not completed before it is recorded; a user who completes an
                  action confirms it by that
    guards        choice_required: completing names one of `metadata.options`, kept as `metadata.choice`
                  approval_required: nothing starts or completes before a recorded confirmation
    blocking      while an open blocking action of the same goal waits, the others are not started;
                  one that blocks itself may be
    completed     has its time and is put away with it; it stays readable
    auto_complete a result that the agent reports for an action it has started completes it

A move to the status it has changes nothing.
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
    """Return the type of that name if an action of another one can be given it: new ones have it, too."""
    kind = types.get(name)
    return kind if kind is not None and not kind.deprecated and types.for_new(name) is kind else None


def is_open(action: PendingAction) -> bool:
    """Tell whether something is still to be done."""
    return action.status not in CLOSED


def blocking_of(actions: Iterable[PendingAction]) -> tuple[str, ...]:
    """Return the open blocking actions among those of a goal: while there are some, it is blocked."""
    return tuple(action.uid for action in actions if action.blocking and is_open(action))


def transition(action: PendingAction, move: ActionMove, kind: ActionType, now: datetime) -> PendingAction:
    """Return the action in its new status, of the next version; itself when it has the status.

    Raises:
        InvalidInput: The type does not know the status, or a choice is wrong.
        IllegalTransition: There is no such way.
        OwnerViolation: An agent starts or completes what a user owns.
        ConfirmationRequired: Nobody has confirmed it yet.
        ActionBlocked: Another action of the goal has to be done first.
    """
    if move.to not in kind.allowed_statuses:
        raise InvalidInput(f"{kind.id} has the statuses {', '.join(kind.allowed_statuses)}", field=move.field)
    if move.to == action.status:
        return action
    ways = kind.ways_from(action.status)
    if move.to not in ways:
        raise IllegalTransition(
            f"a {kind.id} goes from {action.status} to {', '.join(ways) or 'nowhere'}, not to {move.to}",
            field=move.field,
        )
    acts = move.to in (STARTED, COMPLETED)
    if acts and action.owner is ActionOwner.USER and not move.by_user:
        raise OwnerViolation("a user owns it: only a user starts or completes it", field="id")
    guard = kind.policy_handlers.completion_guard
    _require_confirmation(action, move, guard)
    if move.to == STARTED and move.blocked_by and not action.blocking:
        raise ActionBlocked(f"to be done first: {', '.join(move.blocked_by)}", field="id")
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


def confirmed(action: PendingAction, by_uid: str, now: datetime) -> PendingAction:
    """Return the action with a user's confirmation; itself when it has one.

    Raises:
        IllegalTransition: It is done with.
    """
    if action.confirmed_at is not None:
        return action
    if not is_open(action):
        raise IllegalTransition(f"it is {action.status}, so there is nothing to confirm", field="id")
    return next_version(action, now, confirmed_by=by_uid, confirmed_at=now)


def next_version(action: PendingAction, now: datetime, **fields: object) -> PendingAction:
    """Return the action with some fields set, as its next version."""
    return action.model_copy(update={**fields, "updated_at": now, "version": action.version + 1})


def _require_confirmation(action: PendingAction, move: ActionMove, guard: str | None) -> None:
    if action.confirmed_at is not None:
        return
    if guard == "approval_required" and move.to in (STARTED, COMPLETED):
        raise ConfirmationRequired("it is to be approved first: confirmPendingAction", field="id")
    if move.to == COMPLETED and action.requires_confirmation and not move.by_user:
        raise ConfirmationRequired("it is to be confirmed first: confirmPendingAction", field="id")


def _chosen(action: PendingAction, choice: str | None, guard: str | None) -> dict[str, object]:
    """Return the metadata with the choice that was made."""
    options = action.metadata.get(OPTIONS)
    listed = options if isinstance(options, list) else []
    if guard == "choice_required" and choice is None:
        raise InvalidInput("needs a choice among metadata.options", field="choice")
    if choice is not None and choice not in listed:
        raise InvalidInput("not among metadata.options", field="choice")
    return {**action.metadata, CHOICE: choice} if choice is not None else action.metadata
