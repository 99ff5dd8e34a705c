"""What the mutations of questions and stories take and give."""

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
    description="A question to make or to change. A field that is left out stays as it is or has its default "
    "in a new one; null clears it."
)
class QuestionInput:
    """A question."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The question to change.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the question instead, once in a space: what has it is changed; "
        "if there is none, it is made.",
    )
    text: str | None = strawberry.field(
        default=strawberry.UNSET, description="Needed for a new question; cannot be cleared."
    )
    goal_id: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET, description="The goal it is about from now on; null for none."
    )
    priority: str | None = strawberry.field(
        default=strawberry.UNSET, description="low, medium, high, critical or 1–4; null is medium."
    )
    owner: ActionOwner | None = strawberry.field(default=strawberry.UNSET, description="Who is to answer it.")
    tags: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="All of them from now on."
    )
    status: QuestionStatus | None = strawberry.field(
        default=strawberry.UNSET, description="Default OPEN; `archiveQuestion` archives."
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
    description="A story to begin or to update. Criteria and evidence are added to those there are."
)
class StoryInput:
    """A story."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The story to update.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the story instead, once in a space: what has it is updated; if "
        "there is none, it is begun.",
    )
    narrative: str | None = strawberry.field(
        default=strawberry.UNSET, description="Needed for a new story; the one before stays in the history."
    )
    acceptance_criteria: list[str] = strawberry.field(
        default_factory=list, description="More of them; those there are stay."
    )
    remove_acceptance_criteria: list[str] = strawberry.field(
        default_factory=list, description="Those that are to go, word for word."
    )
    evidence_refs: list[str] = strawberry.field(
        default_factory=list,
        description="More of them: ids of observations, which are linked, or your own words for what is "
        "elsewhere.",
    )
    status: StoryStatus | None = strawberry.field(
        default=strawberry.UNSET, description="Default DRAFT; `archiveStory` archives."
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


@strawberry.input(description="A question and a story that answers it, written together or not at all.")
class UpsertQuestionStoryInput:
    """The input of `upsertQuestionStory`."""

    question: QuestionInput
    story: StoryInput | None = strawberry.field(
        default=None, description="Without one only the question is written."
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
    question_created: bool = strawberry.field(description="The question was made, not changed.")
    story_created: bool = strawberry.field(description="The story was begun, not updated.")


@strawberry.input(description="A question to put away, with the stories that answer it.")
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


@strawberry.input(description="A story to put away.")
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
