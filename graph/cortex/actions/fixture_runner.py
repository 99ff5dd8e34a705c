"""Plays the fixtures of an action type and compares them with what the rules do.

    starts     the values that a new action of the type has
    steps      who does what; a step that must be refused names the error code
    coverage   every status of the type is reached, and every refusal by confirmation or guard is shown

Nothing is stored: only the rules run, the same ones as for actions in the graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from prefrontal.graph.cortex.actions.record import ActionMove, ActionOwner, PendingAction, PendingActionDraft
from prefrontal.graph.cortex.actions.rules import confirmed, transition
from prefrontal.graph.cortex.actions.validation import action_of
from prefrontal.graph.errors import ConfirmationRequired, InvalidInput, OwnerViolation, PrefrontalError
from prefrontal.graph.registry.definitions import (
    ActionsTable,
    ActionType,
    ActionTypes,
    FixtureStep,
    TypeFixture,
)

_START = datetime(2026, 1, 1, tzinfo=UTC)
_MINUTE = timedelta(minutes=1)

Place = tuple[str | int, ...]
Complaint = tuple[Place, str]
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
    return tuple(found)


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


def _play(kind: ActionType, fixture: TypeFixture, place: Place, reached: set[str]) -> Iterator[Complaint]:
    if fixture.owner is not None and fixture.owner not in kind.allowed_owners:
        yield (*place, "owner"), f"{fixture.owner} is not among allowed_owners"
        return
    action = _made(kind, fixture)
    reached.add(action.status)
    for name, wanted in fixture.starts.model_dump(exclude_none=True).items():
        if (real := getattr(action, name)) != wanted:
            yield (*place, "starts", name), f"a new action has {real!s}, not {wanted!s}"
    for number, step in enumerate(fixture.steps):
        at = (*place, "steps", number)
        try:
            action = _taken(action, step, kind, _START + (number + 1) * _MINUTE)
        except PrefrontalError as error:
            if step.refused != error.code:
                yield at, f"refused with {error.code}: {error.message}"
            continue
        if step.refused is not None:
            yield at, f"was not refused with {step.refused}"
        reached.add(action.status)


def _made(kind: ActionType, fixture: TypeFixture) -> PendingAction:
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
            metadata=json.loads(json.dumps(dict(fixture.metadata))),
        ),
        uid="act_fixture",
        scope_id="spc_fixture",
        goal_id=None,
        turn_id=None,
        by_uid="agent",
        now=_START,
        types=ActionTypes({kind.id: used}, ActionsTable(safe_type=kind.id, default_effort=1.0)),
        priority=("medium", 2),
        title_characters=len(fixture.name),
    )


def _taken(action: PendingAction, step: FixtureStep, kind: ActionType, now: datetime) -> PendingAction:
    user = step.by == "user"
    if step.to is None:
        return confirmed(action, step.by, now, by_user=user)
    return transition(
        action, ActionMove(to=step.to, choice=step.choice, by_user=user, by_uid=step.by), kind, now
    )
