"""What becomes of a question or a story that is taken back to an earlier version, and what stands against it.

question  text, priority, owner, tags, goal and status; refused: its goal is gone; archived again although
          stories of it are told still. Stories that were archived with it stay archived, and are told
story     narrative, criteria and status; references and observations that were added since stay, and are
          told; refused: told again although its question is archived
kept      ids, space, makers, keys, versions, which question a story answers
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from prefrontal.graph.cortex.questions.record import Question, QuestionStatus, Story, StoryStatus
from prefrontal.graph.cortex.questions.revising import renewed, united
from prefrontal.graph.errors import Conflict
from prefrontal.graph.history.record import Content, RevertWarning

_QUESTION = (
    "text",
    "goal_id",
    "priority",
    "priority_rank",
    "status",
    "status_reason",
    "owner",
    "tags",
    "archived_at",
)
_STORY = ("narrative", "acceptance_criteria", "status", "status_reason", "archived_at")


def restore_question(question: Question, content: Content, now: datetime) -> Question:
    """Return the question with the content of an earlier version, of the next version if that differs."""
    fields = {name: content.fields[name] for name in _QUESTION if name in content.fields}
    after = Question.model_validate({**question.model_dump(), **fields})
    return question if after == question else renewed(after, question, now)


def restore_story(story: Story, content: Content, now: datetime) -> Story:
    """Return the story with the content of an earlier version, of the next version if that differs."""
    fields: dict[str, Any] = {name: content.fields[name] for name in _STORY if name in content.fields}
    references = united(content.fields.get("references") or (), story.references)
    if set(references) != set(story.references):
        fields["references"] = references
    after = Story.model_validate({**story.model_dump(), **fields})
    return story if after == story else renewed(after, story, now)


def question_conflicts(before: Question, after: Question, told: int) -> list[Conflict]:
    """Return what stands against taking a question back; `told` counts its stories that are not archived."""
    archived = QuestionStatus.ARCHIVED
    if told and after.status is archived and before.status is not archived:
        said = "it would be archived, but stories of it are told still; archive them first"
        return [Conflict(said, field="version")]
    return []


def question_warnings(before: Question, after: Question) -> list[RevertWarning]:
    """Return what taking a question back leaves as it is."""
    archived = QuestionStatus.ARCHIVED
    if before.status is archived and after.status is not archived:
        said = "stories that were archived with it stay archived"
        return [RevertWarning(code="stories_kept", message=said)]
    return []


def story_conflicts(before: Story, after: Story, question: Question | None) -> list[Conflict]:
    """Return what stands against taking a story back."""
    told = after.status is not StoryStatus.ARCHIVED and before.status is StoryStatus.ARCHIVED
    if question is None or (told and question.status is QuestionStatus.ARCHIVED):
        return [Conflict("its question is archived; give that another status first", field="version")]
    return []


def story_warnings(after: Story, content: Content, linked_since: int) -> list[RevertWarning]:
    """Return what taking a story back leaves as it is."""
    named = content.fields.get("references") or ()
    more = len([ref for ref in after.references if ref not in named]) + linked_since
    if not more:
        return []
    said = f"{more} pieces of evidence that were added since stay with it"
    return [RevertWarning(code="evidence_kept", message=said)]
