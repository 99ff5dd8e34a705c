"""Questions and stories as values (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.record import Record


class QuestionStatus(StrEnum):
    """Where a question stands."""

    OPEN = "open"
    ANSWERED = "answered"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"


class StoryStatus(StrEnum):
    """Where a story stands."""

    DRAFT = "draft"
    ACTIVE = "active"
    ACCEPTED = "accepted"
    ARCHIVED = "archived"


class Named(Record):
    """Which one is meant: by its id, by the caller's own key, or a new one; and as which version."""

    uid: str | None = None
    client_key: str | None = None
    expected_version: int | None = None


class QuestionChanges(Record):
    """What is to change of a question: the fields that are given (`model_fields_set`); None clears one."""

    text: str | None = None
    goal_id: str | None = None
    priority: str | None = None
    owner: ActionOwner | None = None
    tags: tuple[str, ...] | None = None
    status: QuestionStatus | None = None


class StoryChanges(Record):
    """What is to change of a story; criteria and evidence are added to those there are."""

    narrative: str | None = None
    acceptance_criteria: tuple[str, ...] = ()
    remove_acceptance_criteria: tuple[str, ...] = ()
    evidence_refs: tuple[str, ...] = ()
    status: StoryStatus | None = None


class PairDraft(Record):
    """A question and a story that are made or changed together."""

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
    """The goal it is about, for who may read that."""
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
    """Evidence that is no node of this graph, as it was named."""
    evidence_ids: tuple[str, ...]
    """The readable observations that speak for it, in the order they were linked."""
    status: StoryStatus
    status_reason: str | None
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
    client_key: str | None


class Pair(Record):
    """A question with the story that was written with it."""

    question: Question
    story: Story | None
    question_created: bool
    story_created: bool


class QuestionFilter(Record):
    """Which questions; every condition that is given holds."""

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
