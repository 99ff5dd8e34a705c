"""Inputs and payloads of the mutations of questions and stories."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.inputs import draft, key_field, space_field, turn_field, version_field
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.questions.record import (
    Named,
    PairDraft,
    QuestionChanges,
    QuestionStatus,
    StoryChanges,
    StoryStatus,
)


@strawberry.input(
    description="A question to create or to change. An omitted field keeps its value, or gets its default in "
    "a new question; null clears the field."
)
class QuestionInput:
    """A question."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The question to change.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the question, instead of `id`; unique in a space. The question with "
        "this name is changed, or created if there is none.",
    )
    text: str | None = strawberry.field(
        default=strawberry.UNSET, description="Required for a new question; cannot be cleared."
    )
    goal_id: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET, description="The goal that the question is about; null for none."
    )
    priority: str | None = strawberry.field(
        default=strawberry.UNSET, description="low, medium, high, critical or 1–4; null means medium."
    )
    owner: ActionOwner | None = strawberry.field(
        default=strawberry.UNSET, description="Who should answer the question."
    )
    tags: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="The complete new list; it replaces the present one."
    )
    status: QuestionStatus | None = strawberry.field(
        default=strawberry.UNSET, description="Default: OPEN. To archive a question, use `archiveQuestion`."
    )
    expected_version: int | None = version_field()

    def changes(self) -> QuestionChanges:
        """Return the fields that are given."""
        values = {
            "text": self.text,
            "goal_id": self.goal_id,
            "priority": self.priority,
            "owner": self.owner,
            "tags": tuple(self.tags) if self.tags else self.tags,
            "status": self.status,
        }
        given = {name: value for name, value in values.items() if value is not strawberry.UNSET}
        return draft(QuestionChanges, given, "question")


@strawberry.input(
    description="A story to create or to update. Criteria and evidence are added to the present ones."
)
class StoryInput:
    """A story."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The story to update.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the story, instead of `id`; unique in a space. The story with this "
        "name is updated, or created if there is none.",
    )
    narrative: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="Required for a new story. The earlier narrative stays in the history.",
    )
    acceptance_criteria: list[str] = strawberry.field(
        default_factory=list, description="Criteria to add to the present ones."
    )
    remove_acceptance_criteria: list[str] = strawberry.field(
        default_factory=list, description="The exact texts of the criteria to remove."
    )
    evidence_refs: list[str] = strawberry.field(
        default_factory=list,
        description="Evidence to add: ids of observations, which are linked, or free-text references to "
        "other sources.",
    )
    status: StoryStatus | None = strawberry.field(
        default=strawberry.UNSET, description="Default: DRAFT. To archive a story, use `archiveStory`."
    )
    expected_version: int | None = version_field()

    def changes(self) -> StoryChanges:
        """Return the fields that are given."""
        values = {
            "narrative": self.narrative,
            "acceptance_criteria": tuple(self.acceptance_criteria),
            "remove_acceptance_criteria": tuple(self.remove_acceptance_criteria),
            "evidence_refs": tuple(self.evidence_refs),
            "status": self.status,
        }
        given = {name: value for name, value in values.items() if value is not strawberry.UNSET}
        return draft(StoryChanges, given, "story")


@strawberry.input(description="A question and a story that answers it, written in one transaction.")
class UpsertQuestionStoryInput:
    """The input of `upsertQuestionStory`."""

    question: QuestionInput
    story: StoryInput | None = strawberry.field(
        default=None, description="Without a story only the question is written."
    )
    space: strawberry.ID | None = space_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def draft(self) -> PairDraft:
        """Return the draft; raise `InvalidInput` for values of the wrong form."""
        return PairDraft(
            question_named=_named(self.question),
            question=self.question.changes(),
            story_named=_named(self.story) if self.story else Named(),
            story=self.story.changes() if self.story else None,
        )


@strawberry.type(description="The question and the story as they are now.")
class UpsertQuestionStoryPayload:
    """The result of `upsertQuestionStory`."""

    question: QuestionType
    story: StoryType | None
    question_created: bool = strawberry.field(
        description="True if the question was created, false if it was changed."
    )
    story_created: bool = strawberry.field(
        description="True if the story was created, false if it was updated."
    )


@strawberry.input(description="A question to archive, with the stories that answer it.")
class ArchiveQuestionInput:
    """The input of `archiveQuestion`."""

    id: strawberry.ID
    reason: str | None = None
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The question as it is now.")
class ArchiveQuestionPayload:
    """The result of `archiveQuestion`."""

    question: QuestionType


@strawberry.input(description="A story to archive.")
class ArchiveStoryInput:
    """The input of `archiveStory`."""

    id: strawberry.ID
    reason: str | None = None
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The story as it is now.")
class ArchiveStoryPayload:
    """The result of `archiveStory`."""

    story: StoryType


def _named(given: QuestionInput | StoryInput) -> Named:
    return Named(uid=given.id, client_key=given.client_key, expected_version=given.expected_version)
