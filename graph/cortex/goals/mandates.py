"""What mandates do to goals (G-038).

prohibition    a goal whose texts or actions violate one when it is created, or whose texts do when they are
               changed, is `blocked`; `violates` has the mandates, the reason of its status names them
confirmation   the actions of a new goal that a mandate wants to be confirmed require a confirmation; where
               the goal's own texts fall under the mandate, all of its actions do
on its way     a goal that was blocked, or had ended, goes on only if neither its texts nor its open actions
               violate a prohibition, and each mandate that blocks it without binding the caller is gone
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.actions.record import PendingAction, PendingActionDraft
from prefrontal.graph.cortex.goals.record import Goal, GoalStatus
from prefrontal.graph.cortex.mandates.record import Plan, Step, Violation, ViolationKind
from prefrontal.graph.cortex.mandates.rules import prohibited, texts_of


def plan_of(goal: Goal, drafts: Iterable[PendingActionDraft] = ()) -> Plan:
    """Return a goal with the first actions that it is to have, as a plan."""
    return Plan(
        texts=texts_of(goal.title, goal.description),
        steps=tuple(
            Step(
                texts=texts_of(draft.title, draft.description),
                action_type=draft.type or None,
                parameters=draft.metadata or {},
            )
            for draft in drafts
        ),
    )


def plan_with(goal: Goal, actions: Iterable[PendingAction]) -> Plan:
    """Return a stored goal with its open actions as a plan."""
    return Plan(
        texts=texts_of(goal.title, goal.description),
        steps=tuple(step_of(action) for action in actions),
    )


def step_of(action: PendingAction) -> Step:
    """Return an action as a step of a plan."""
    return Step(
        texts=texts_of(action.title, action.description),
        action_type=action.type,
        parameters=action.metadata,
        confirmed=action.requires_confirmation,
    )


def judged(goal: Goal, violations: Iterable[Violation], table: GoalsTable) -> Goal:
    """Return the goal, blocked if the violations have a prohibition; its version stays."""
    forbidden = prohibited(violations)
    if not forbidden:
        return goal
    named = tuple(dict.fromkeys((*goal.violates, *(each.mandate_id for each in forbidden))))
    return goal.model_copy(
        update={
            "status": GoalStatus(table.blocked_status),
            "status_reason": reason_of(forbidden),
            "violates": named,
        }
    )


def reason_of(forbidden: Sequence[Violation]) -> str:
    """Return why a goal is blocked: the mandates by their ids, and what of the goal violates the first one.

    The text of a mandate is not in it: whoever reads the goal may not be allowed to read the mandate.
    """
    first, *_ = forbidden
    others = dict.fromkeys(each.mandate_id for each in forbidden if each.mandate_id != first.mandate_id)
    what = "the goal" if first.step is None else f"action {first.step + 1}"
    more = f"; it violates {', '.join(others)}, too" if others else ""
    return f"violates the mandate {first.mandate_id}: of {what}, {first.reason}{more}"[:300]


def confirmable(
    drafts: Sequence[PendingActionDraft], violations: Iterable[Violation]
) -> tuple[PendingActionDraft, ...]:
    """Return drafts of which those that a mandate wants to be confirmed require a confirmation."""
    asked = {each.step for each in violations if each.kind is ViolationKind.CONFIRMATION_REQUIRED}
    return tuple(
        draft.model_copy(update={"requires_confirmation": True}) if asked & {None, number} else draft
        for number, draft in enumerate(drafts)
    )


def goes_on(before: Goal, after: Goal, table: GoalsTable) -> bool:
    """Tell whether the actions of a goal could not be started before, and can be now."""
    return _can_go_on(after, table) and not _can_go_on(before, table)


def has_other_texts(before: Goal, after: Goal) -> bool:
    """Tell whether a goal has other texts than before."""
    return (before.title, before.description) != (after.title, after.description)


def is_active(goal: Goal, table: GoalsTable) -> bool:
    """Tell whether a goal has not ended."""
    return goal.status.value in table.active_statuses


def _can_go_on(goal: Goal, table: GoalsTable) -> bool:
    return is_active(goal, table) and goal.status.value != table.blocked_status
