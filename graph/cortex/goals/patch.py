"""How an update changes a goal (source 003, §Interfaces: upsert_goal).

    field in the input    the field gets that value; null clears it, and a cleared priority becomes the
                          default
    field left out        the field keeps its value
    no field differs      nothing changes: no new version, no new `updated_at`

A title cannot be cleared. Status and progress have operations of their own.
"""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.goals.record import Goal, GoalChanges, GoalDraft, GoalUpdate, UpsertGoal
from prefrontal.graph.cortex.priorities import priority_of

_SIMPLE_FIELDS = ("description", "goal_type", "horizon")
_LISTS = ("constraints", "milestones")


def draft_of(command: UpsertGoal) -> GoalDraft:
    """Return the draft of a new goal with the given fields; the title is empty if none is given."""
    names = GoalDraft.model_fields.keys() & command.model_fields_set
    given = {name: value for name in names if (value := getattr(command, name)) is not None}
    return GoalDraft.model_validate({"title": "", **given})


def update_of(command: UpsertGoal, uid: str) -> GoalUpdate:
    """Return the changes of an existing goal that an upsert has, with the id of the goal."""
    names = GoalUpdate.model_fields.keys() & command.model_fields_set
    return GoalUpdate(**{name: getattr(command, name) for name in names} | {"id": uid})


def revise(goal: Goal, changes: GoalChanges, now: datetime, table: GoalsTable) -> Goal:
    """Return the goal with the given fields; it is the next version if a field differs."""
    given = changes.model_fields_set
    fields = {name: getattr(changes, name) for name in _SIMPLE_FIELDS if name in given}
    fields |= {name: getattr(changes, name) or () for name in _LISTS if name in given}
    if "metrics" in given:
        fields["metrics"] = changes.metrics or None
    if changes.title is not None:
        fields["title"] = changes.title
    if "priority" in given:
        name, rank = priority_of(changes.priority, table) or (goal.priority, goal.priority_rank)
        fields |= {"priority": name, "priority_rank": rank}
    after = goal.model_copy(update=fields)
    return goal if after == goal else next_version(after, now)


def next_version(goal: Goal, now: datetime) -> Goal:
    return goal.model_copy(update={"updated_at": now, "version": goal.version + 1})
