"""Value types of questions and stories (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.record import Record


class QuestionStatus(StrEnum):
    """The status of a question."""

    OPEN = "open"
    ANSWERED = "answered"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"


class StoryStatus(StrEnum):
    """The status of a story."""

    DRAFT = "draft"
    ACTIVE = "active"
    ACCEPTED = "accepted"
    ARCHIVED = "archived"


class Named(Record):
    """How the input names a question or a story: by id, by client key, or not at all for a new one.

    `expected_version` is the version that the caller has read.
    """

    uid: str | None = None
    client_key: str | None = None
    expected_version: int | None = None


class QuestionChanges(Record):
    """Fields of a question to change: those in `model_fields_set`; None clears a field."""

    text: str | None = None
    goal_id: str | None = None
    priority: str | None = None
    owner: ActionOwner | None = None
    tags: tuple[str, ...] | None = None
    status: QuestionStatus | None = None


class StoryChanges(Record):
    """Fields of a story to change; criteria and evidence are added to the present ones."""

    narrative: str | None = None
    acceptance_criteria: tuple[str, ...] = ()
    remove_acceptance_criteria: tuple[str, ...] = ()
    evidence_refs: tuple[str, ...] = ()
    status: StoryStatus | None = None


class PairDraft(Record):
    """A question and a story to create or change together."""

    question_named: Named
    question: QuestionChanges
    story_named: Named = Named()
    story: StoryChanges | None = None


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


class QuestionPage(Record):
    """One page of questions, most urgent first, then newest."""

    items: tuple[Question, ...]
    cursors: tuple[str, ...]
    has_next: bool


class StoryPage(Record):
    """One page of stories, newest first."""

    items: tuple[Story, ...]
    cursors: tuple[str, ...]
    has_next: bool
