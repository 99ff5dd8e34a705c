"""A person's gates: what holds a pending action back, and who may open it. Every way in asks this one rule.

A change is judged by the action before and after it, whatever operation makes it: a transition, a completion,
an upsert, a result that completes, a new type, a migration, a revert, the end of a turn.

    gate          while it is closed                                     it opens when
    ------------  -----------------------------------------------------  -------------------------------------
    owner         an agent neither starts, ends, reopens nor takes over  a person does it
                  an action that a user owns
    confirmation  an agent does not complete an action that requires a   a person confirms it
                  confirmation; nor cancel it if others wait for it
    approval      nobody starts or completes an action whose type asks   a person confirms it
                  for an approval
    person        an agent does not take an action from the person whose    a person hands it on
                  it is
    policies      an agent does not confirm, does not remove a           a person does it
                  confirmation or the need for it, and does not make an
                  action stop blocking; a new action of an agent's is
                  never weaker than its type says, and a new type takes
                  nothing away that was asked for by name
    blocked       nobody starts an action whose goal is blocked, and an  the blocking actions are done, and
                  agent does not complete it either (`held_back_by`)     the goal is not `blocked` any more
    mandate       the same, for blocking actions too, while a mandate    the goal violates it no more, or the
                  blocks the goal                                        mandate is gone
    ended         nobody starts an action whose goal has ended           the goal is reopened
    goal          an agent does not complete a goal that an open         a person does what it waits for, or
                  blocking action makes wait for a person                completes the goal

A blocked action that a person completes is completed: the person says what has happened. `auto_complete` is
no gate: what a result completes passes this rule like any other completion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prefrontal.graph.cortex.actions.record import ActionOwner, Blocker, Holds, PendingAction
from prefrontal.graph.cortex.endings import ended_message
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    IllegalTransition,
    OwnerViolation,
)
from prefrontal.graph.registry.definitions import CANCELLED, CLOSED, COMPLETED, STARTED, ActionType

_CONFIRM = "let a user call confirmPendingAction"
_FREE = Holds()


def require_open(
    before: PendingAction,
    after: PendingAction,
    kind: ActionType,
    *,
    by_user: bool,
    holds: Holds = _FREE,
    former: ActionType | None = None,
    resolved: bool = False,
) -> None:
    """Check that no gate forbids a change of an action. An action that does not change passes.

    Args:
        before: The action before the change.
        after: The action after the change.
        kind: The type of the action after the change.
        by_user: Whether a person makes the change, and no agent.
        holds: What holds the actions of the goal back.
        former: The type before the change, if the change gives the action another type.
        resolved: Whether an unknown type becomes known. Then owner and confirmation come from the new type,
            as far as nobody asked for the confirmation; `require_handed_over` judges the owner.

    Raises:
        OwnerViolation: If only a person may make the change.
        ConfirmationRequired: If a person must confirm the action first.
        ActionBlocked: If the goal is blocked.
        IllegalTransition: If the goal has ended.
    """
    if not by_user and not resolved:
        _require_owner(before, after)
    _require_confirmation(before, after, kind, by_user=by_user)
    _require_free_goal(before, after, holds, by_user=by_user)
    if not by_user:
        _require_person(before, after)
        _require_policies(before, after, kind, former, resolved=resolved)
        if after.blocking and not before.blocking:
            # What blocks others waits for fewer: a blocked action cannot be freed in this way.
            _require_not_blocked(before, holds)


def require_new(action: PendingAction, kind: ActionType, *, by_user: bool) -> None:
    """Check that a new action is not weaker than its type says, unless a person makes it.

    Raises:
        OwnerViolation: If an agent leaves out a confirmation or a blocking that the type asks for.
    """
    if by_user:
        return
    if kind.asks_for_confirmation and not action.requires_confirmation:
        raise OwnerViolation(
            f"actions of type {kind.id} require a confirmation: only a user may create one without",
            field="requiresConfirmation",
        )
    if kind.default_policies.blocking and not action.blocking:
        raise OwnerViolation(
            f"actions of type {kind.id} block their goal: only a user may create one that does not",
            field="blocking",
        )


def require_handed_over(
    action: PendingAction, owner: ActionOwner, asked: str | None, *, by_user: bool
) -> None:
    """Check that an action of an unknown type may be given to `owner` with its new type.

    The safe type makes such an action the user's until the type is known. It becomes the agent's if that was
    intended (`asked` is the owner that was named with the unknown type), and no person has begun with it.

    Raises:
        OwnerViolation: If an agent would take over what is the user's.
    """
    if by_user or owner is ActionOwner.USER:
        return
    if asked == ActionOwner.USER.value:
        raise OwnerViolation("it was meant for a user: only a user may hand it to an agent", field="owner")
    if action.confirmed_at is not None or action.status == STARTED:
        raise OwnerViolation("a user has begun with it: only a user may hand it to an agent", field="owner")


def require_reporter(action: PendingAction, *, by_user: bool) -> None:
    """Check that the caller may report that the action has failed.

    Raises:
        OwnerViolation: If an agent reports about an action that a user owns.
    """
    if not by_user and action.owner is ActionOwner.USER:
        raise OwnerViolation("a user owns the action: only a user may report its result", field="id")


def require_confirmer(*, by_user: bool) -> None:
    """Check that the caller may confirm actions.

    Raises:
        OwnerViolation: If the caller is no person.
    """
    if not by_user:
        raise OwnerViolation(
            "only a user can confirm: send a token that names a person and no agent", field="id"
        )


def asks_for_confirmation(action: PendingAction, kind: ActionType) -> bool:
    """Tell whether the action, or its type, requires that a person confirms it."""
    return action.requires_confirmation or kind.asks_for_approval


def held_back_by(action: PendingAction, holds: Holds) -> tuple[str, ...]:
    """Return the ids of the open blocking actions that an action waits for.

    A blocking action waits for no other, or two of them would wait for each other. The exception is an
    agent's: it waits for an older one that a person must do or confirm, so that no agent passes a person's
    gate by making an action blocking.
    """
    if not action.blocking:
        return tuple(other.uid for other in holds.blockers)
    if action.owner is ActionOwner.USER:
        return ()
    return tuple(other.uid for other in holds.blockers if other.for_person and other.uid < action.uid)


def blocker_of(action: PendingAction) -> Blocker:
    """Return what an open blocking action is to the other actions of its goal."""
    unconfirmed = action.requires_confirmation and action.confirmed_at is None
    return Blocker(uid=action.uid, for_person=action.owner is ActionOwner.USER or unconfirmed)


def holds_for_person(action: PendingAction) -> bool:
    """Tell whether the action makes its goal wait for a person; `goals/find_gates` finds these actions."""
    return action.blocking and action.status not in CLOSED and blocker_of(action).for_person


def require_answered(waiting: Sequence[str], field: str) -> None:
    """Check that an agent may complete a goal.

    Args:
        waiting: The ids of the actions that hold the goal for a person.
        field: The input field that completes the goal.

    Raises:
        ActionBlocked: If the goal waits for a person.
    """
    if waiting:
        named = ", ".join(waiting)
        raise ActionBlocked(
            f"the goal waits for a user: let one complete or cancel {named}, or complete the goal",
            field=field,
        )


def holds_after(holds: Holds, action: PendingAction, moved: Iterable[PendingAction]) -> Holds:
    """Return what holds an action back after moves of others that `holds` does not contain."""
    blockers = {blocker.uid: blocker for blocker in holds.blockers}
    for other in moved:
        if action.goal_id is None or (other.goal_id, other.scope_id) != (action.goal_id, action.scope_id):
            continue
        blockers.pop(other.uid, None)
        if other.blocking and other.status not in CLOSED:
            blockers[other.uid] = blocker_of(other)
    return holds.model_copy(update={"blockers": tuple(blockers[uid] for uid in sorted(blockers))})


def is_blocked(action: PendingAction, holds: Holds) -> bool:
    """Tell whether an action waits until its goal is no longer blocked.

    A blocking action of a goal that a mandate blocks waits, too: it would do what is forbidden.
    """
    if holds.goal_forbidden:
        return True
    return bool(held_back_by(action, holds)) or (holds.goal_blocked and not action.blocking)


def _require_owner(before: PendingAction, after: PendingAction) -> None:
    if ActionOwner.USER not in (before.owner, after.owner):
        return
    if before.status != after.status and {before.status, after.status} & {STARTED, *CLOSED}:
        raise OwnerViolation(
            "a user owns the action: only a user may start, complete, cancel or reopen it", field="id"
        )
    if before.owner is ActionOwner.USER and after.owner is not ActionOwner.USER:
        raise OwnerViolation("a user owns the action: only a user may hand it to an agent", field="id")


def _require_person(before: PendingAction, after: PendingAction) -> None:
    # With another owner it is the owner's gate that counts.
    if before.person_id not in (None, after.person_id) and after.owner is ActionOwner.USER:
        raise OwnerViolation("the action is a person's: only a person may hand it on", field="person")


def _require_confirmation(
    before: PendingAction, after: PendingAction, kind: ActionType, *, by_user: bool
) -> None:
    if before.status == after.status or after.confirmed_at is not None:
        return
    if kind.asks_for_approval and after.status in (STARTED, COMPLETED):
        raise ConfirmationRequired(f"the action must be approved first: {_CONFIRM}", field="id")
    if by_user or not asks_for_confirmation(after, kind):
        return
    if after.status == COMPLETED:
        raise ConfirmationRequired(f"the action must be confirmed first: {_CONFIRM}", field="id")
    if after.status == CANCELLED and before.blocking:
        raise ConfirmationRequired(
            f"other actions wait until a user has confirmed this one: {_CONFIRM}, or cancel it", field="id"
        )


def _require_free_goal(before: PendingAction, after: PendingAction, holds: Holds, *, by_user: bool) -> None:
    if before.status == after.status:
        return
    starts = after.status == STARTED
    if starts and holds.goal_ended:
        raise IllegalTransition(ended_message(holds.goal_status), field="id")
    if not starts and (by_user or after.status != COMPLETED):
        return
    _require_not_blocked(after, holds)


def _require_not_blocked(action: PendingAction, holds: Holds) -> None:
    if others := held_back_by(action, holds):
        raise ActionBlocked(f"complete the blocking actions first: {', '.join(others)}", field="id")
    if is_blocked(action, holds):
        raise ActionBlocked("its goal is blocked; call transitionGoal when it can go on", field="id")


def _require_policies(
    before: PendingAction,
    after: PendingAction,
    kind: ActionType,
    former: ActionType | None,
    *,
    resolved: bool,
) -> None:
    if before.confirmed_at != after.confirmed_at:
        raise OwnerViolation("only a user may confirm an action or revert a confirmation", field="id")
    approval = former is not None and former.asks_for_approval
    if before.confirmed_at is None and approval and not asks_for_confirmation(after, kind):
        raise OwnerViolation("only a user may give it a type that needs no approval", field="type")
    lost = before.requires_confirmation and not after.requires_confirmation
    taken_back = before.confirmation_requested and not after.confirmation_requested
    if (lost and not resolved) or taken_back:
        raise OwnerViolation(
            "only a user may remove the need for a confirmation", field="requiresConfirmation"
        )
    if before.blocking and not after.blocking:
        raise OwnerViolation("only a user may let a blocking action block no more", field="blocking")
