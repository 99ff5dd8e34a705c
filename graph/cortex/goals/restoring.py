"""What becomes of a goal that is taken back to an earlier version, and what stands against it.

restored  everything that is said of it: title to milestones, status with its reason and times, its place
progress  restored while only steps moved it; evidence that was linked, unlinked or counted since has its
          say still, so then the progress stays, and is told
kept      its id, space, makers, key and version; evidence, actions, children, shares
refused   ended while goals below it or actions were added since and are open; pending again although
          evidence has moved it on since; a place that is gone, or below itself
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from prefrontal.graph.catalog.models import GoalsTable
from prefrontal.graph.cortex.goals.record import BuiltOn, Goal, GoalChanges, GoalLinks
from prefrontal.graph.cortex.goals.revising import renewed
from prefrontal.graph.errors import Conflict
from prefrontal.graph.history.record import Content, RevertWarning
from prefrontal.graph.history.rules import EVIDENCE

_CONTENT = (
    "title",
    "description",
    "goal_type",
    "priority",
    "priority_rank",
    "horizon",
    "metrics",
    "constraints",
    "milestones",
    "status",
    "status_reason",
    "completed_at",
    "archived_at",
)


def restore(goal: Goal, content: Content, now: datetime) -> Goal:
    """Return the goal with the content of an earlier version, of the next version if that differs."""
    names = [*_CONTENT] if progress_is_kept(content) else [*_CONTENT, "progress"]
    fields: dict[str, Any] = {name: content.fields[name] for name in names if name in content.fields}
    after = Goal.model_validate({**goal.model_dump(), **fields})
    return goal if after == goal else renewed(after, now)


def progress_is_kept(content: Content) -> bool:
    """Tell whether evidence moved the goal since, which is not undone with it."""
    return bool(content.since & {*EVIDENCE})


def place_of(links: GoalLinks, content: Content) -> GoalChanges:
    """Return where the goal stood then, as far as it stands elsewhere now."""
    place: dict[str, Any] = {}
    if content.fields.get("parent_goal_id", links.parent_goal_id) != links.parent_goal_id:
        place["parent_goal_id"] = content.fields["parent_goal_id"]
    sources = content.fields.get("derived_from", links.derived_from)
    if set(sources) != set(links.derived_from):
        place["derived_from"] = tuple(sources)
    return GoalChanges.model_validate(place)


def conflicts_with(before: Goal, after: Goal, built: BuiltOn, table: GoalsTable) -> list[Conflict]:
    """Return what was built on the goal since and would contradict it."""
    active = set(table.active_statuses)
    found: list[Conflict] = []
    if before.status.value in active and after.status.value not in active:
        found += [
            Conflict(
                f"it would be {after.status.value}, but {number} open {what} since; end or move them first",
                field="version",
            )
            for number, what in (
                (built.goals, "goals were put below it"),
                (built.actions, "actions were added to it"),
            )
            if number
        ]
    begun = after.status.value == table.initial_status and after.progress > 0
    if begun and before.status is not after.status:
        found.append(
            Conflict(
                f"it would be {after.status.value} with a progress of {after.progress:g}, since evidence was "
                "linked to it; unlink that first",
                field="version",
            )
        )
    return found


def warnings_of(
    goal: Goal, content: Content, built: BuiltOn, parent: Goal | None, table: GoalsTable
) -> list[RevertWarning]:
    """Return what a revert leaves as it is."""
    found: list[RevertWarning] = []
    if progress_is_kept(content) and goal.progress != content.fields.get("progress"):
        said = f"evidence moved it since, so its progress stays at {goal.progress:g}"
        found.append(RevertWarning(code="progress_kept", message=said))
    if built.evidence:
        said = f"{built.evidence} observations that were linked since stay linked"
        found.append(RevertWarning(code="evidence_kept", message=said))
    if parent is not None and parent.status.value not in table.active_statuses:
        found.append(RevertWarning(code="parent_ended", message=f"its parent is {parent.status.value}"))
    return found


def gone(place: GoalChanges, goals: Mapping[str, Goal]) -> list[Conflict]:
    """Return what is not there any more of where the goal stood, for the caller at least."""
    found: list[Conflict] = []
    if place.parent_goal_id is not None and place.parent_goal_id not in goals:
        found.append(Conflict("the goal it was part of is gone", field="parentGoalId"))
    found += [
        Conflict("a goal it was derived from is gone", field=f"derivedFrom[{number}]")
        for number, uid in enumerate(place.derived_from or ())
        if uid not in goals
    ]
    return found
