"""Validation of a question and its story, before anything is written.

question   a text; a priority of `registry/goals.yaml`; tags with the same limits as those of observations
story      a narrative; criteria and evidence within the limits of `registry/questions.yaml`
both       named by id or by client key, not by both; archived only by the operations for that
"""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config.tables import GoalsTable, LimitsTable, QuestionsTable
from prefrontal.graph.cortex.priorities import priority_problems
from prefrontal.graph.cortex.questions.record import (
    Named,
    QuestionChanges,
    QuestionFilter,
    QuestionStatus,
    StoryChanges,
    StoryStatus,
)
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.validation import at, list_problems, text_problems


def question_problems(changes: QuestionChanges, limits: LimitsTable, goals: GoalsTable) -> list[InvalidInput]:
    """Return everything that is wrong with the given fields of a question."""
    given = changes.model_fields_set
    problems: list[InvalidInput] = []
    if "text" in given:
        problems += text_problems(changes.text or "", "question.text", limits.description_characters)
    problems += text_problems(changes.goal_id, "question.goalId", limits.key_characters)
    if "priority" in given:
        problems += priority_problems(changes.priority, goals, "question.priority")
    problems += tag_problems(changes.tags or (), "question.tags", limits)
    if "status" in given:
        problems += _status_problems(changes.status, QuestionStatus.ARCHIVED, "question")
    return problems


def story_problems(changes: StoryChanges, limits: LimitsTable, table: QuestionsTable) -> list[InvalidInput]:
    """Return everything that is wrong with the given fields of a story."""
    given = changes.model_fields_set
    problems: list[InvalidInput] = []
    if "narrative" in given:
        problems += text_problems(changes.narrative or "", "story.narrative", limits.content_characters)
    for name, values in (
        ("acceptanceCriteria", changes.acceptance_criteria),
        ("removeAcceptanceCriteria", changes.remove_acceptance_criteria),
    ):
        field, most = at("story", name), table.acceptance_criteria
        problems += list_problems(values, field, most)
        problems += _each(values[:most], field, table.criterion_characters)
    both = set(changes.acceptance_criteria) & set(changes.remove_acceptance_criteria)
    for number, criterion in enumerate(changes.remove_acceptance_criteria):
        if criterion in both:
            field = f"story.removeAcceptanceCriteria[{number}]"
            problems.append(InvalidInput("the criterion is both added and removed", field=field))
    problems += list_problems(changes.evidence_refs, "story.evidenceRefs", table.evidence_refs)
    problems += _each(
        changes.evidence_refs[: table.evidence_refs], "story.evidenceRefs", table.reference_characters
    )
    if "status" in given:
        problems += _status_problems(changes.status, StoryStatus.ARCHIVED, "story")
    return problems


def name_problems(named: Named, path: str, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with the id and client key of a question or a story."""
    problems: list[InvalidInput] = []
    if named.client_key is not None:
        problems += text_problems(named.client_key, at(path, "clientKey"), limits.key_characters)
        if named.uid is not None:
            problems.append(
                InvalidInput(f"name the {path} by `id` or by `clientKey`", field=at(path, "clientKey"))
            )
    return problems


def tag_problems(tags: Sequence[str], field: str, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with some tags."""
    return list_problems(tags, field, limits.tags) + _each(tags[: limits.tags], field, limits.tag_characters)


def filter_problems(wanted: QuestionFilter, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with a filter of questions."""
    problems = tag_problems(wanted.tags, "filter.tags", limits)
    problems += text_problems(wanted.goal_id, "goalId", limits.key_characters)
    if wanted.statuses is not None and not wanted.statuses:
        problems.append(InvalidInput("name at least one status", field="filter.status"))
    return problems


def _status_problems(
    status: QuestionStatus | StoryStatus | None, archived: QuestionStatus | StoryStatus, path: str
) -> list[InvalidInput]:
    if status is None:
        return [InvalidInput("cannot be cleared", field=at(path, "status"))]
    if status is archived:
        return [InvalidInput(f"use archive{path.capitalize()}", field=at(path, "status"))]
    return []


def _each(values: Sequence[str], field: str, most: int) -> list[InvalidInput]:
    problems: list[InvalidInput] = []
    for number, value in enumerate(values):
        problems += text_problems(value, f"{field}[{number}]", most)
    return problems
