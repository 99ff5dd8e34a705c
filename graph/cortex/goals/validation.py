"""How a draft becomes a goal (source 001, §Create FC Goal; decisions G-025, G-032).

status    pending                progress  0
priority  a name of registry/goals.yaml or its number: low 1, medium 2, high 3, critical 4;
          a missing one counts as medium
"""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.config.tables import GoalsTable, LimitsTable
from prefrontal.graph.cortex.goals.record import (
    Goal,
    GoalChanges,
    GoalDraft,
    GoalOrigin,
    GoalStatus,
    UpsertGoal,
)
from prefrontal.graph.cortex.priorities import priority_of, priority_problems
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.validation import cleared_problems, join_path, repeated


def draft_problems(
    draft: GoalDraft | UpsertGoal, limits: LimitsTable, table: GoalsTable
) -> list[InvalidInput]:
    """Return everything that is wrong with the fields of a new goal, or of changes of one."""
    problems = limit_problems(draft, limits)
    if isinstance(draft, GoalChanges):
        return problems + change_problems(draft, table)
    problems += priority_problems(draft.priority, table, "priority")
    problems += repeated(draft.derived_from, "derivedFrom[{}]")
    observations = [item.observation_id for item in draft.evidence[: limits.evidence_per_goal]]
    return problems + repeated(observations, "evidence[{}].observationId")


def change_problems(changes: GoalChanges, table: GoalsTable, path: str = "") -> list[InvalidInput]:
    """Return what is wrong with changes of a goal besides their limits, each field under `path`."""
    problems = priority_problems(changes.priority, table, join_path(path, "priority"))
    problems += repeated(changes.derived_from or (), join_path(path, "derivedFrom[{}]"))
    return problems + cleared_problems(changes, ["title"], path)


def goal_of(
    draft: GoalDraft,
    *,
    uid: str,
    scope_id: str,
    org_id: str,
    agent_id: str | None,
    by_uid: str,
    now: datetime,
    table: GoalsTable,
    origin: GoalOrigin = GoalOrigin.REQUEST,
    client_key: str | None = None,
) -> Goal:
    """Return the goal that a valid draft becomes when it is created at `now`."""
    name, rank = priority_of(draft.priority, table) or ("", 0)
    return Goal(
        uid=uid,
        scope_id=scope_id,
        agent_id=agent_id,
        org_id=org_id,
        title=draft.title,
        description=draft.description,
        goal_type=draft.goal_type,
        user_id=draft.user_id,
        origin=origin,
        priority=name,
        priority_rank=rank,
        horizon=draft.horizon,
        status=GoalStatus(table.initial_status),
        progress=0.0,
        metrics=draft.metrics or None,
        constraints=draft.constraints,
        milestones=draft.milestones,
        status_reason=None,
        completed_at=None,
        archived_at=None,
        created_at=now,
        updated_at=now,
        by_uid=by_uid,
        version=1,
        client_key=client_key,
    )


def creation_message(evidence: int) -> str:
    """Return the trace message of a new goal, in the words of source 001's test scenarios."""
    if evidence == 0:
        return "Goal created"
    return f"Goal created from {evidence} observation{'s' if evidence > 1 else ''}"
