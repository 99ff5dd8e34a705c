"""Rules for the status of an action, decided by the registry's entry for its type alone.

    status        must be a status of the type, reachable from the present one
    gates         what waits for a person, or for another action, is judged by `gates`
    confirmation  completion by a user counts as the confirmation
    choice        the guard choice_required: completion names one of `metadata.options`, stored as
                  `metadata.choice`
    failed        a result that says that the action failed does not complete it: the action keeps the result
                  and gets the status that its type names for that
    started once  an action in progress is not started again: somebody has it
    completed     completion sets `completed_at` and archives the action; it stays readable
    person        an action that a user owns is for one person, who finds and changes it wherever it lies: the
                  one that the draft names, else the person of the token, else the one whose goal it is for,
                  else the one whose private space it is in; if none is known, nobody in particular. Only a
                  person takes it from a person
    auto_complete if the agent reports a result for an action that it has started, the action is completed

Any other transition to the present status changes nothing, so a completion counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from prefrontal.graph.cortex.actions import gates
from prefrontal.graph.cortex.actions.outcomes import is_failed_result
from prefrontal.graph.cortex.actions.record import ActionMove, ActionOwner, Holds, PendingAction
from prefrontal.graph.cortex.actions.utility import OPTIONS
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    Conflict,
    IllegalTransition,
    InvalidInput,
)
from prefrontal.graph.registry.definitions import CLOSED, COMPLETED, STARTED, ActionType, ActionTypes
from prefrontal.graph.wording import with_article

AGENT_OWNED = "an agent owns the action; leave `person` out, or name the owner USER"
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


def transition(action: PendingAction, move: ActionMove, kind: ActionType, now: datetime) -> PendingAction:
    """Return the next version of the action in its new status; the same action if the status is equal.

    A completion whose result says that the action failed gives the action the status that its type names.

    Raises:
        Conflict: If the action would be started and is in progress already.
        InvalidInput: If the type does not have the status, or the choice is missing or wrong.
        IllegalTransition: If the type does not allow this transition, or the goal has ended.
        OwnerViolation: If only a user may do this.
        ConfirmationRequired: If a required confirmation is missing.
        ActionBlocked: If the goal of the action is blocked.
    """
    if move.to not in kind.allowed_statuses:
        raise InvalidInput(f"{kind.id} has the statuses {', '.join(kind.allowed_statuses)}", field=move.field)
    if move.to == action.status == STARTED:
        raise Conflict(f"{move.taken_by} has it in progress; an action is started once", field=move.field)
    if move.to == action.status:
        return action
    ways = kind.ways_from(action.status)
    if move.to not in ways:
        raise IllegalTransition(
            f"{with_article(kind.id)} that is {action.status} cannot become {move.to}; "
            f"it can become: {', '.join(ways) or 'none'}",
            field=move.field,
        )
    if move.to == COMPLETED and is_failed_result(move.result):
        gates.require_reporter(action, by_user=move.by_user)
        return _failed(action, move, kind, now)
    moved = action.model_copy(update={"status": move.to})
    gates.require_open(action, moved, kind, by_user=move.by_user, holds=move.holds)
    guard = kind.policy_handlers.completion_guard
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


def reported(
    before: PendingAction,
    after: PendingAction,
    result: Mapping[str, object] | None,
    kind: ActionType,
    now: datetime,
    *,
    by_user: bool,
    by_uid: str,
    holds: Holds,
) -> PendingAction:
    """Return an action for which a result was reported: completed, if that is what completes it.

    Args:
        before: The action before the report.
        after: The next version of the action, with the result.
        result: The result; None if none was reported.
        kind: The type of the action.
        now: The time.
        by_user: Whether a person reports, and no agent.
        by_uid: Who reports.
        holds: What holds the actions of the goal back.
    """
    if result is None or by_user or before.status != STARTED:
        return after
    if not after.auto_complete or after.owner is not ActionOwner.AGENT:
        return after
    move = ActionMove(to=COMPLETED, result=dict(result), by_user=False, by_uid=by_uid, holds=holds)
    try:
        done = transition(after, move, kind, now)
    except (ActionBlocked, ConfirmationRequired, IllegalTransition, InvalidInput):
        # The result is kept; somebody who may complete the action has to do it.
        return after
    return after if done is after else done.model_copy(update={"version": before.version + 1})


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


def confirmed(action: PendingAction, by_uid: str, now: datetime, *, by_user: bool) -> PendingAction:
    """Return the action with a user's confirmation; the action itself if it is confirmed already.

    Raises:
        OwnerViolation: If no user confirms it.
        IllegalTransition: If the action is completed or cancelled.
    """
    gates.require_confirmer(by_user=by_user)
    if action.confirmed_at is not None:
        return action
    if not is_open(action):
        raise IllegalTransition(f"it is {action.status}, so there is nothing to confirm", field="id")
    return next_version(action, now, confirmed_by=by_uid, confirmed_at=now)


def person_of(
    owner: ActionOwner, named: str | None, token: str | None, goal: str | None, space: str | None
) -> str | None:
    """Return the person whose a new action is, or None; the first one that is known counts."""
    if owner is not ActionOwner.USER:
        return None
    return named or token or goal or space


def reassigned(action: PendingAction, person_id: str | None) -> str | None:
    """Return the person whose the action is from now on; `gates` judges who may hand it on.

    Raises:
        InvalidInput: If an agent owns the action.
    """
    if person_id is not None and action.owner is not ActionOwner.USER:
        raise InvalidInput(AGENT_OWNED, field="person")
    return person_id


def next_version(action: PendingAction, now: datetime, **fields: object) -> PendingAction:
    """Return the next version of the action, with the given fields set."""
    return action.model_copy(update={**fields, "updated_at": now, "version": action.version + 1})


def _failed(action: PendingAction, move: ActionMove, kind: ActionType, now: datetime) -> PendingAction:
    fields = {"status": kind.status_after_failure, "result": move.result}
    after = action.model_copy(update=fields)
    return action if after == action else next_version(action, now, **fields)


def _chosen(action: PendingAction, choice: str | None, guard: str | None) -> dict[str, object]:
    """Return the metadata with the choice."""
    options = action.metadata.get(OPTIONS)
    listed = options if isinstance(options, list) else []
    if guard == "choice_required" and choice is None:
        raise InvalidInput("completing this action needs one of metadata.options as `choice`", field="choice")
    if choice is not None and choice not in listed:
        raise InvalidInput("the choice is not one of metadata.options", field="choice")
    return {**action.metadata, CHOICE: choice} if choice is not None else action.metadata
