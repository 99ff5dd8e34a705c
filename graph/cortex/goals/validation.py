"""How a draft becomes a goal (source 001, §Create FC Goal; decisions G-025, G-032).

status    pending                progress  0
priority  a name of registry/goals.yaml or its number: low 1, medium 2, high 3, critical 4;
          a missing one counts as medium
"""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.config.tables import GoalsTable, LimitsTable
from prefrontal.graph.cortex.goals.record import Goal, GoalDraft, GoalOrigin, GoalStatus
from prefrontal.graph.cortex.priorities import priority_of, priority_problems
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.validation import json_problems, list_problems, text_problems


def draft_problems(draft: GoalDraft, limits: LimitsTable, table: GoalsTable) -> list[InvalidInput]:
    """Return everything that is wrong with the fields of a draft."""
    problems = text_problems(draft.title, "title", limits.title_characters)
    problems += text_problems(draft.description, "description", limits.description_characters, required=False)
    problems += text_problems(draft.goal_type, "goalType", limits.key_characters)
    problems += text_problems(draft.client_key, "clientKey", limits.key_characters)
    problems += text_problems(draft.user_id, "userId", limits.key_characters)
    problems += priority_problems(draft.priority, table, "priority")
    problems += json_problems(draft.metrics, "metrics", limits.metadata_characters)
    problems += list_problems(draft.constraints, "constraints", limits.list_items)
    problems += list_problems(draft.milestones, "milestones", limits.list_items)
    problems += list_problems(draft.derived_from, "derivedFrom", limits.list_items)
    problems += list_problems(draft.evidence, "evidence", limits.evidence_per_goal)
    problems += list_problems(draft.pending_actions, "pendingActions", limits.actions_per_goal)
    for number, constraint in enumerate(draft.constraints[: limits.list_items]):
        problems += text_problems(constraint, f"constraints[{number}]", limits.title_characters)
    for number, milestone in enumerate(draft.milestones[: limits.list_items]):
        problems += text_problems(milestone.title, f"milestones[{number}].title", limits.title_characters)
    return problems + _link_problems(draft, limits)


def _link_problems(draft: GoalDraft, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with the ids that a draft names."""
    problems: list[InvalidInput] = []
    problems += text_problems(draft.parent_goal_id, "parentGoalId", limits.key_characters)
    sources: set[str] = set()
    for number, uid in enumerate(draft.derived_from[: limits.list_items]):
        problems += text_problems(uid, f"derivedFrom[{number}]", limits.key_characters)
        if uid in sources:
            problems.append(InvalidInput("is named twice", field=f"derivedFrom[{number}]"))
        sources.add(uid)
    seen: set[str] = set()
    for number, evidence in enumerate(draft.evidence[: limits.evidence_per_goal]):
        where = f"evidence[{number}]"
        problems += text_problems(evidence.observation_id, f"{where}.observationId", limits.key_characters)
        if evidence.observation_id in seen:
            problems.append(InvalidInput("is named twice", field=f"{where}.observationId"))
        seen.add(evidence.observation_id)
        problems += text_problems(
            evidence.note, f"{where}.note", limits.description_characters, required=False
        )
    return problems


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
        client_key=draft.client_key,
    )


def creation_message(evidence: int) -> str:
    """Return the trace message of a new goal, in the words of source 001's test scenarios."""
    if evidence == 0:
        return "Goal created"
    return f"Goal created from {evidence} observation{'s' if evidence > 1 else ''}"
