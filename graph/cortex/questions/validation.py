"""Validation of a question and its story, before anything is written.

question   a text; a priority of `registry/goals.yaml`; tags with the same limits as those of observations
story      a narrative; criteria and evidence within the limits of `questions.yaml`
both       named by id or by client key, not by both; archived only by the operations for that
"""

from __future__ import annotations

from collections.abc import Sequence

from prefrontal.graph.config.tables import GoalsTable, LimitsTable, QuestionsTable
from prefrontal.graph.cortex.priorities import priority_problems
from prefrontal.graph.cortex.questions.record import (
    DraftReference,
    PairDraft,
    QuestionDraft,
    QuestionFilter,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
)
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.validation import cleared_problems, join_path, list_problems, text_problems


def pair_problems(
    draft: PairDraft, limits: LimitsTable, goals: GoalsTable, table: QuestionsTable
) -> list[InvalidInput]:
    """Return everything that is wrong with a question and its story."""
    problems = limit_problems(draft, limits)
    problems += _question_problems(draft.question, goals)
    if draft.story is not None:
        problems += _story_problems(draft.story, table)
    return problems


def _question_problems(draft: QuestionDraft, goals: GoalsTable) -> list[InvalidInput]:
    problems = _name_problems(draft, "question")
    problems += cleared_problems(draft, ["text", "status"], "question")
    if "priority" in draft.model_fields_set:
        problems += priority_problems(draft.priority, goals, "question.priority")
    return problems + _status_problems(draft.status, QuestionStatus.ARCHIVED, "question")


def _story_problems(draft: StoryDraft, table: QuestionsTable) -> list[InvalidInput]:
    problems = _name_problems(draft, "story")
    problems += cleared_problems(draft, ["narrative", "status"], "story")
    # The limits of a story over all its updates are in `questions.yaml`.
    most, characters = table.acceptance_criteria, table.criterion_characters
    for name, values, entries, length in (
        ("acceptanceCriteria", draft.acceptance_criteria, most, characters),
        ("removeAcceptanceCriteria", draft.remove_acceptance_criteria, most, characters),
        ("evidenceRefs", draft.evidence_refs, table.evidence_refs, table.reference_characters),
    ):
        problems += _texts_problems(values, join_path("story", name), entries, length)
    added = set(draft.acceptance_criteria)
    problems += [
        InvalidInput(
            "the criterion is both added and removed", field=f"story.removeAcceptanceCriteria[{number}]"
        )
        for number, criterion in enumerate(draft.remove_acceptance_criteria)
        if criterion in added
    ]
    return problems + _status_problems(draft.status, StoryStatus.ARCHIVED, "story")


def _name_problems(draft: DraftReference, path: str) -> list[InvalidInput]:
    if draft.id is None or draft.client_key is None:
        return []
    return [InvalidInput(f"name the {path} by `id` or by `clientKey`", field=join_path(path, "clientKey"))]


def filter_problems(wanted: QuestionFilter, limits: LimitsTable) -> list[InvalidInput]:
    """Return what is wrong with a filter of questions."""
    problems = _texts_problems(wanted.tags, "filter.tags", limits.tags, limits.tag_characters)
    problems += text_problems(wanted.goal_id, "goalId", limits.key_characters)
    if wanted.statuses is not None and not wanted.statuses:
        problems.append(InvalidInput("name at least one status", field="filter.status"))
    return problems


def _status_problems(
    status: QuestionStatus | StoryStatus | None, archived: QuestionStatus | StoryStatus, path: str
) -> list[InvalidInput]:
    if status is archived:
        return [InvalidInput(f"use archive{path.capitalize()}", field=join_path(path, "status"))]
    return []


def _texts_problems(values: Sequence[str], field: str, most: int, characters: int) -> list[InvalidInput]:
    """Return what is wrong with a list of at most `most` texts."""
    problems = list_problems(values, field, most)
    for number, value in enumerate(values[:most]):
        problems += text_problems(value, f"{field}[{number}]", characters)
    return problems
