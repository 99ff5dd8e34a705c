"""Questions and stories as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, list_field, node_field, refs_field, space_field, turn_of
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.questions.record import Pair, Question, QuestionStatus, Story, StoryStatus
from prefrontal.graph.ids import Kind

strawberry.enum(
    QuestionStatus,
    name="QuestionStatus",
    description="The status of a question; only an OPEN question waits for an answer.",
)
strawberry.enum(StoryStatus, name="StoryStatus", description="The status of a story.")


@graphql_type_of(Story, "A narrative that answers a question and is updated over time.")
class StoryType(RecordType, Node):
    """A story."""

    space = space_field()
    org_id: strawberry.ID
    question = node_field(Kind.QUESTION, "question_id", "The question that the story answers.")
    narrative: str
    acceptance_criteria: list[str] = strawberry.field(
        description="The conditions under which the story is true; updates add to the list."
    )
    evidence_refs: list[str] = strawberry.field(
        description="The evidence for the story: the ids of readable observations in the order in which they "
        "were linked, then free-text references."
    )
    evidence = refs_field(
        Kind.OBSERVATION,
        "evidence_ids",
        "The readable observations that support the story, oldest link first.",
    )
    status: StoryStatus
    status_reason: str | None = strawberry.field(description="The reason for archiving, if one was given.")
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    last_updated: datetime = strawberry.field(description="Alias of `updatedAt`.")
    created_by = actor_field("by_uid", "Who created the story")
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the record.")
    turn = turn_of()


@graphql_type_of(Question, "An open issue to find out; it is listed until it is answered.")
class QuestionType(RecordType, Node):
    """A question."""

    space = space_field()
    org_id: strawberry.ID
    text: str
    goal = node_field(Kind.GOAL, "goal_id", "The goal that the question is about, if it is readable.")
    priority: str
    priority_rank: int
    status: QuestionStatus
    status_reason: str | None = strawberry.field(description="The reason for archiving, if one was given.")
    owner: ActionOwner | None = strawberry.field(description="Who should answer the question.")
    tags: list[str]
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    created_by = actor_field("by_uid", "Who created the question")
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the record.")
    stories = list_field("question_stories", Kind.STORY, "The stories that are not archived, newest first.")
    turn = turn_of()


@strawberry.input(description="Conditions on questions; all given conditions must hold.")
class QuestionFilterInput:
    """The filter of `questions`."""

    status: list[QuestionStatus] | None = strawberry.field(
        default=None, description="Any of these; default: OPEN."
    )
    owner: ActionOwner | None = None
    tags: list[str] = strawberry.field(
        default_factory=list, description="All of these; letter case and character width are ignored."
    )


@strawberry.input(description="Conditions on stories.")
class StoryFilterInput:
    """The filter of `stories`."""

    status: list[StoryStatus] | None = strawberry.field(
        default=None, description="Any of these; default: all but ARCHIVED."
    )


@graphql_type_of(Pair, "The question and the story as they are now.", name="UpsertQuestionStoryPayload")
class UpsertQuestionStoryPayload(RecordType):
    """The result of `upsertQuestionStory`."""

    question: QuestionType
    story: StoryType | None
    question_created: bool = strawberry.field(
        description="True if the question was created, false if it was changed."
    )
    story_created: bool = strawberry.field(
        description="True if the story was created, false if it was updated."
    )


@strawberry.type(description="The question as it is now.")
class ArchiveQuestionPayload:
    """The result of `archiveQuestion`."""

    question: QuestionType


@strawberry.type(description="The questions as they are now, in the order of the input.")
class ArchiveQuestionsPayload:
    """The result of `archiveQuestions`."""

    questions: list[QuestionType]


@strawberry.type(description="The story as it is now.")
class ArchiveStoryPayload:
    """The result of `archiveStory`."""

    story: StoryType
