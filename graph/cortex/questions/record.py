"""Value types of questions and stories (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.journal.command import ChangeCommand, ChangeEntry, TurnCommand, expected_version, space
from prefrontal.graph.record import Id, Key, Limit, Priority, Record, Reference, Title


class QuestionStatus(StrEnum):
    """The status of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"


CLOSED = frozenset({QuestionStatus.DEPRECATED, QuestionStatus.ARCHIVED})
"""The statuses in which all stories of a question are archived."""


class StoryStatus(StrEnum):
    """The status of a story."""

    DRAFT = "draft"
    ACTIVE = "active"
    ACCEPTED = "accepted"
    ARCHIVED = "archived"


QuestionText = Annotated[str, Limit("description_characters")]
Narrative = Annotated[str, Limit("content_characters")]
Tags = Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")]


class QuestionChanges(Record):
    """Fields of a question to change: those in `model_fields_set`; None clears a field."""

    text: QuestionText | None = Field(
        default=None, description="Required for a new question; cannot be cleared."
    )
    goal_id: Reference | None = Field(
        default=None, description="The goal that the question is about; null for none."
    )
    priority: Priority | None = Field(
        default=None, description="low, medium, high, critical or 1–4; null means medium."
    )
    owner: ActionOwner | None = Field(default=None, description="Who should answer the question.")
    tags: Tags | None = Field(default=None, description="The complete new list; it replaces the present one.")
    status: QuestionStatus | None = Field(
        default=None, description="Default: OPEN. To archive a question, use `archiveQuestion`."
    )


class StoryChanges(Record):
    """Fields of a story to change; criteria and evidence are added to the present ones."""

    narrative: Narrative | None = Field(
        default=None,
        description="Required for a new story. The earlier narrative stays in the history.",
    )
    acceptance_criteria: tuple[str, ...] = Field(
        default=(), description="Criteria to add to the present ones."
    )
    remove_acceptance_criteria: tuple[str, ...] = Field(
        default=(), description="The exact texts of the criteria to remove."
    )
    evidence_refs: tuple[str, ...] = Field(
        default=(),
        description="Evidence to add: ids of observations, which are linked, or free-text references to "
        "other sources.",
    )
    status: StoryStatus | None = Field(
        default=None, description="Default: DRAFT. To archive a story, use `archiveStory`."
    )


class DraftReference(Record):
    """How a draft names its record: by id, by client key, or not at all for a new record."""

    id: Id | None = None
    client_key: Key | None = None
    expected_version: int | None = expected_version()


class QuestionDraft(QuestionChanges, DraftReference):
    """A question to create or to change. An omitted field keeps its value, or gets its default in a new
    question; null clears the field.
    """  # noqa: D205 - one paragraph: it is the description of the input

    id: Id | None = Field(default=None, description="The question to change.")
    client_key: Key | None = Field(
        default=None,
        description="Your own name for the question, instead of `id`; unique in a space. The question with "
        "this name is changed, or created if there is none.",
    )


class StoryDraft(StoryChanges, DraftReference):
    """A story to create or to update. Criteria and evidence are added to the present ones."""

    id: Id | None = Field(default=None, description="The story to update.")
    client_key: Key | None = Field(
        default=None,
        description="Your own name for the story, instead of `id`; unique in a space. The story with this "
        "name is updated, or created if there is none.",
    )


class PairDraft(Record):
    """A question and a story to create or change together."""

    question: QuestionDraft
    story: StoryDraft | None = Field(
        default=None, description="Without a story only the question is written."
    )


class UpsertQuestionStory(PairDraft, TurnCommand):
    """A question and a story that answers it, written in one transaction."""

    space: Id | None = space()


class QuestionArchival(ChangeEntry):
    """A question to archive, with the stories that answer it."""

    reason: Title | None = None


class ArchiveQuestion(QuestionArchival, ChangeCommand):
    """A question to archive, with the stories that answer it."""


class ArchiveQuestions(TurnCommand):
    """Up to 100 questions to archive, with the stories that answer them: all or none."""

    questions: Annotated[tuple[QuestionArchival, ...], Limit("changes_per_call")]


class ArchiveStory(ChangeCommand):
    """A story to archive."""

    reason: Title | None = None


class Question(Record):
    """A stored question."""

    uid: str
    org_id: str
    scope_id: str
    text: str
    goal_id: str | None
    """The goal that the question is about; None if the caller may not read the goal."""
    priority: str
    priority_rank: int
    status: QuestionStatus
    status_reason: str | None
    owner: ActionOwner | None
    tags: tuple[str, ...]
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
    client_key: str | None


class Story(Record):
    """A stored story."""

    uid: str
    org_id: str
    scope_id: str
    question_id: str
    narrative: str
    acceptance_criteria: tuple[str, ...]
    references: tuple[str, ...]
    """Evidence outside this graph, as text."""
    evidence_ids: tuple[str, ...]
    """The readable observations linked as evidence, in the order in which they were linked."""
    status: StoryStatus
    status_reason: str | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
    client_key: str | None

    @property
    def evidence_refs(self) -> tuple[str, ...]:
        """All evidence: the ids of the observations, then the references outside this graph."""
        return (*self.evidence_ids, *self.references)


class Pair(Record):
    """A question and the story that was written with it."""

    question: Question
    story: Story | None
    question_created: bool
    story_created: bool


class QuestionFilter(Record):
    """Conditions of a list of questions; all given conditions must match."""

    goal_id: str | None = None
    statuses: tuple[QuestionStatus, ...] | None = None
    owner: ActionOwner | None = None
    tags: tuple[str, ...] = ()
    space: str | None = None
    """Only questions in this space; not looked at together with `goal_id`."""
