"""Plays the fixtures of an action type and compares them with what the rules do.

    starts     the values that a new action of the type has
    steps      who does what; a step that must be refused names the error code
    reports    a reported result gives the action the status that the step names
    overdue    the action escalates, or does not, so long after it was due
    other      another action of the goal is started or completed, or held back while this one is open
    coverage   every status of the type is reached; every refusal by confirmation or guard is shown, and so is
               what the type's escalation, blocking and automatic completion do

Nothing is stored: only the rules run, the same ones as for actions in the graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from prefrontal.graph.cortex.actions.escalation import escalated, escalates
from prefrontal.graph.cortex.actions.gates import blocker_of, require_open
from prefrontal.graph.cortex.actions.record import (
    ActionMove,
    ActionOwner,
    Holds,
    PendingAction,
    PendingActionDraft,
)
from prefrontal.graph.cortex.actions.rules import confirmed, is_open, next_version, reported, transition
from prefrontal.graph.cortex.actions.validation import action_of
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    InvalidInput,
    OwnerViolation,
    PrefrontalError,
)
from prefrontal.graph.registry.definitions import (
    COMPLETED,
    ActionsTable,
    ActionType,
    ActionTypes,
    FixtureStep,
    TypeFixture,
    completes_by_result,
    time_of,
)

_START = datetime(2026, 1, 1, tzinfo=UTC)
_MINUTE = timedelta(minutes=1)
_PRIORITY = ("medium", 2)
_PRIORITIES = {"medium": 2, "high": 3}
"""The priority of an action in a fixture, and one that is higher."""
_OTHER = ActionType(
    id="other",
    display_name="Other",
    allowed_owners=("agent",),
    allowed_statuses=("pending", "in_progress", "completed"),
    allowed_transitions={"pending": ("in_progress", "completed"), "in_progress": ("completed",)},
)
"""The type of another action of the same goal."""

KeyPath = tuple[str | int, ...]
Complaint = tuple[KeyPath, str]
"""The place in the type's file, and what is wrong there."""


def fixture_complaints(kind: ActionType) -> tuple[Complaint, ...]:
    """Return where a type behaves differently from its fixtures, and what its fixtures do not cover."""
    if not kind.fixtures:
        return (
            (
                ("fixtures",),
                "there are none: add short scenarios that show how an action of the type behaves",
            ),
        )
    reached: set[str] = set()
    found: list[Complaint] = []
    for number, fixture in enumerate(kind.fixtures):
        found += _play(kind, fixture, ("fixtures", number), reached)
    if missing := [status for status in kind.allowed_statuses if status not in reached]:
        found.append((("fixtures",), f"no fixture reaches {', '.join(missing)}"))
    refused = {step.refused for fixture in kind.fixtures for step in fixture.steps}
    for code in _refusals(kind):
        if code not in refused:
            found.append((("fixtures",), f"no fixture shows what its policies refuse with {code}"))
    steps = [step for fixture in kind.fixtures for step in fixture.steps]
    found += [(("fixtures",), message) for message in _unshown(kind, steps)]
    return tuple(found)


def _unshown(kind: ActionType, steps: Sequence[FixtureStep]) -> Iterator[str]:
    """Yield what no fixture shows of the policies that work by themselves, and the step that would."""
    policies = kind.default_policies
    escalation = policies.escalation
    if escalation is not None and not any(step.escalates == escalation.policy for step in steps):
        yield (
            "no fixture shows the escalation: add a step "
            f"{{overdue: {escalation.after}, escalates: {escalation.policy}}}"
        )
    if policies.blocking and not any(step.other and step.refused == ActionBlocked.code for step in steps):
        yield (
            "no fixture shows that other actions of the goal are blocked: add a step "
            "{other: in_progress, refused: blocked}"
        )
    completes = any(step.reports == "done" and step.becomes == COMPLETED for step in steps)
    if completes_by_result(kind) and not completes:
        yield (
            "no fixture shows that a result completes the action: add a step, once it is in_progress, "
            "{by: agent, reports: done, becomes: completed}"
        )


def _refusals(kind: ActionType) -> Iterator[str]:
    """Yield the error codes with which the type's confirmation and guard refuse the first owner."""
    guard = kind.policy_handlers.completion_guard
    # Completion by a user counts as the confirmation, so only an agent is refused here.
    confirmed_by_end = kind.default_policies.requires_confirmation and kind.allowed_owners[0] == "user"
    if guard == "approval_required":
        yield ConfirmationRequired.code
    elif confirmed_by_end:
        yield OwnerViolation.code
    elif kind.default_policies.requires_confirmation:
        yield ConfirmationRequired.code
    if guard == "choice_required":
        yield InvalidInput.code


def _play(kind: ActionType, fixture: TypeFixture, path: KeyPath, reached: set[str]) -> Iterator[Complaint]:
    if fixture.owner is not None and fixture.owner not in kind.allowed_owners:
        yield (*path, "owner"), f"{fixture.owner} is not among allowed_owners"
        return
    action = _new_action(kind, fixture)
    reached.add(action.status)
    for name, wanted in fixture.starts.model_dump(exclude_none=True).items():
        if (real := getattr(action, name)) != wanted:
            yield (*path, "starts", name), f"a new action has {real!s}, not {wanted!s}"
    for number, step in enumerate(fixture.steps):
        at = (*path, "steps", number)
        before = action
        try:
            action = _apply_step(action, step, kind, _START + (number + 1) * _MINUTE)
        except PrefrontalError as error:
            if step.refused != error.code:
                yield at, f"refused with {error.code}: {error.message}"
            continue
        if step.refused is not None:
            yield at, f"was not refused with {step.refused}"
        yield from ((at, message) for message in _otherwise(step, before, action, kind))
        reached.add(action.status)


def _new_action(kind: ActionType, fixture: TypeFixture) -> PendingAction:
    # The fixtures of a deprecated or staged type are played as if the type were in use.
    used = kind.model_copy(
        update={
            "deprecation_status": "active",
            "replaced_by": None,
            "block_new": False,
            "rollout_flag": None,
        }
    )
    return action_of(
        PendingActionDraft(
            type=kind.id,
            title=fixture.name,
            owner=ActionOwner(fixture.owner) if fixture.owner else None,
            due_at=_START,
            metadata=json.loads(json.dumps(dict(fixture.metadata))),
        ),
        uid="act_fixture",
        scope_id="spc_fixture",
        goal_id=None,
        turn_id=None,
        by_uid="agent",
        now=_START,
        types=ActionTypes({kind.id: used}, ActionsTable(safe_type=kind.id, default_effort=1.0)),
        priority=_PRIORITY,
        title_characters=len(fixture.name),
    )


def _apply_step(action: PendingAction, step: FixtureStep, kind: ActionType, now: datetime) -> PendingAction:
    user = step.by == "user"
    if step.to is not None:
        return transition(
            action, ActionMove(to=step.to, choice=step.choice, by_user=user, by_uid=step.by), kind, now
        )
    if step.reports is not None:
        return _reported(action, step, kind, now)
    if step.overdue is not None:
        late = _START + time_of(step.overdue)
        if not escalates(action, kind, late):
            return action
        return escalated(action, kind, late, _PRIORITIES, default_effort=1.0)
    if step.other is not None:
        blockers = (blocker_of(action),) if action.blocking and is_open(action) else ()
        other = _new_action(_OTHER, TypeFixture(name="other"))
        move = ActionMove(to=step.other, by_user=user, by_uid=step.by, holds=Holds(blockers=blockers))
        transition(other, move, _OTHER, now)
        return action
    return confirmed(action, step.by, now, by_user=user)


def _reported(action: PendingAction, step: FixtureStep, kind: ActionType, now: datetime) -> PendingAction:
    user, result = step.by == "user", {"ok": step.reports == "done"}
    after = next_version(action, now, result=result)
    require_open(action, after, kind, by_user=user)
    return reported(action, after, result, kind, now, by_user=user, by_uid=step.by, holds=Holds())


def _otherwise(
    step: FixtureStep, before: PendingAction, after: PendingAction, kind: ActionType
) -> Iterator[str]:
    """Yield what a step that was not refused did otherwise than it expects."""
    if step.becomes is not None and step.becomes != after.status:
        yield f"the action is {after.status}, not {step.becomes}"
    escalation = kind.default_policies.escalation
    policy = escalation.policy if escalation is not None and after != before else None
    if step.overdue is not None and policy != step.escalates:
        yield f"escalation: {policy or 'none'}, not {step.escalates or 'none'}"
