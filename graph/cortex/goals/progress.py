"""Rules of goal progress and status (source 001, §Test Scenario 5; source 003, §Interfaces; G-023..G-027).

    progress  after = clamp(before + delta, 0, 1); the result and the trace report a clamped step
    gain      a newly linked observation adds per_observation * its confidence, once
    link      keeps what it really added: of a step that the limit of 1 cut, the observations that come first
              have added theirs; unlinking subtracts exactly that
    withheld  an observation that contradicts other evidence adds nothing until the contradiction has ended
    founding  an observation that would have created a goal on its own adds nothing, as long as the goal was
              created by evaluation and has no progress yet: it is one more reason for the goal
    status    the first progress changes a pending goal to in_progress; reaching 1 does not complete the goal
    undone    a goal that evidence has changed to in_progress is pending again once unlinking takes back all
              progress since, unless something else has changed its status or progress since
    transit   only along `transitions` of `registry/goals.yaml`; completing and archiving record their time

A change to an equal value changes nothing: no version, no event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.goals.record import Course, Goal, GoalOrigin, GoalStatus, ProgressResult
from prefrontal.graph.errors import IllegalTransition
from prefrontal.graph.history.rules import EVIDENCE


def advance(
    goal: Goal, delta: float, now: datetime, table: GoalsTable, *, course: Course | None = None
) -> ProgressResult:
    """Return the goal after a step of `delta` (a fraction, possibly negative), and whether it was clamped.

    A step that unlinks evidence comes with the `course` of the goal, which decides whether the goal is
    pending again.
    """
    wanted = round(goal.progress + delta, 9)
    after = min(1.0, max(0.0, wanted))
    fields: dict[str, Any] = {}
    if after != goal.progress:
        fields["progress"] = after
        if after > goal.progress and goal.status.value == table.initial_status:
            fields["status"] = GoalStatus(table.progress.first_progress_status)
    if course is not None and is_undone(goal, after, course, table):
        fields["status"] = GoalStatus(table.initial_status)
    moved = _changed(goal, now, **fields)
    return ProgressResult(goal=moved, before=goal.progress, after=after, clamped=after != wanted)


def is_undone(goal: Goal, progress: float, course: Course, table: GoalsTable) -> bool:
    """Tell whether evidence alone has begun the goal, and nothing of this is left with such a progress."""
    return (
        goal.status.value == table.progress.first_progress_status
        and progress == course.progress
        and bool(course.moves)
        and all(not move.isdisjoint(EVIDENCE) for move in course.moves)
    )


def gain_of(confidence: float, table: GoalsTable) -> float:
    """Return the progress that a newly linked observation adds."""
    return round(table.progress.per_observation * confidence, 9)


def shares_of(
    gains: Mapping[str, float], conflicts: Iterable[tuple[str, str | None]]
) -> dict[str, tuple[float, float | None]]:
    """Return for each newly linked observation what it adds now, and what is withheld (None if nothing is).

    Args:
        gains: What each observation adds without a contradiction.
        conflicts: The observations that contradict other evidence; if two new ones contradict each other,
            neither adds anything.
    """
    contradicted = {uid for uid, _ in conflicts}
    return {uid: (0.0, gain) if uid in contradicted else (gain, None) for uid, gain in gains.items()}


def added_by(goal: Goal, gains: Mapping[str, float]) -> dict[str, float]:
    """Return what each of some observations really adds to a goal, whose progress is at most 1."""
    added: dict[str, float] = {}
    room = 1.0 - goal.progress
    for uid, gain in gains.items():
        added[uid] = round(min(gain, max(0.0, room)), 9)
        room -= gain
    return added


def is_being_founded(goal: Goal, table: GoalsTable) -> bool:
    """Tell whether further founding observations are only reasons for the goal, and no progress."""
    return (
        goal.origin is GoalOrigin.PROMOTION
        and goal.status.value == table.initial_status
        and goal.progress == 0
    )


def transition(goal: Goal, to: GoalStatus, reason: str | None, now: datetime, table: GoalsTable) -> Goal:
    """Return the goal in another status; the same goal if the status is equal.

    Raises:
        IllegalTransition: If the registry does not allow the transition; the message names the allowed ones.
    """
    if to is goal.status:
        return goal
    ways = table.transitions.get(goal.status.value, ())
    if to.value not in ways:
        named = ", ".join(ways) or "none"
        raise IllegalTransition(
            f"a goal that is {goal.status.value} cannot become {to.value}; it can become: {named}",
            field="status",
        )
    return _changed(
        goal,
        now,
        status=to,
        status_reason=reason,
        violates=(),
        completed_at=now if to is GoalStatus.COMPLETED else None,
        archived_at=now if to in (GoalStatus.COMPLETED, GoalStatus.ARCHIVED) else None,
    )


def _changed(goal: Goal, now: datetime, **fields: Any) -> Goal:
    after = goal.model_copy(update=fields)
    if after == goal:
        return goal
    return after.model_copy(update={"updated_at": now, "version": goal.version + 1})
