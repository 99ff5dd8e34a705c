"""Questions and stories as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.inputs import draft
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.questions.record import (
    Question,
    QuestionFilter,
    QuestionPage,
    QuestionStatus,
    Story,
    StoryPage,
    StoryStatus,
)

strawberry.enum(
    QuestionStatus,
    name="QuestionStatus",
    description="The status of a question; only an OPEN question waits for an answer.",
)
strawberry.enum(StoryStatus, name="StoryStatus", description="The status of a story.")


@strawberry.type(name="Story", description="A narrative that answers a question and is updated over time.")
class StoryType(Node):
    """A story."""

    space: strawberry.ID
    org_id: strawberry.ID
    question_id: strawberry.ID
    narrative: str
    acceptance_criteria: list[str] = strawberry.field(
        description="The conditions under which the story is true; updates add to the list."
    )
    evidence_refs: list[str] = strawberry.field(
        description="The evidence for the story: the ids of readable observations in the order in which they "
        "were linked, then free-text references."
    )
    evidence_ids: list[strawberry.ID] = strawberry.field(
        description="The ids of the observations in `evidenceRefs`, for `node(id)`."
    )
    status: StoryStatus
    status_reason: str | None = strawberry.field(description="The reason for archiving, if one was given.")
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    last_updated: datetime = strawberry.field(description="Alias of `updatedAt`.")
    created_by: strawberry.ID
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the record.")

    @classmethod
    def from_record(cls, s: Story) -> StoryType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(s.uid),
            space=strawberry.ID(s.scope_id),
            org_id=strawberry.ID(s.org_id),
            question_id=strawberry.ID(s.question_id),
            narrative=s.narrative,
            acceptance_criteria=list(s.acceptance_criteria),
            evidence_refs=[*s.evidence_ids, *s.references],
            evidence_ids=[strawberry.ID(uid) for uid in s.evidence_ids],
            status=s.status,
            status_reason=s.status_reason,
            archived_at=s.archived_at,
            created_at=s.created_at,
            updated_at=s.updated_at,
            last_updated=s.updated_at,
            created_by=strawberry.ID(s.by_uid),
            version=s.version,
            client_key=s.client_key,
        )


@strawberry.type(name="Question", description="An open issue to find out; it is listed until it is answered.")
class QuestionType(Node):
    """A question."""

    space: strawberry.ID
    org_id: strawberry.ID
    text: str
    goal_id: strawberry.ID | None = strawberry.field(
        description="The goal that the question is about, if it is readable."
    )
    priority: str
    priority_rank: int
    status: QuestionStatus
    status_reason: str | None = strawberry.field(description="The reason for archiving, if one was given.")
    owner: ActionOwner | None = strawberry.field(description="Who should answer the question.")
    tags: list[str]
    archived_at: datetime | None
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int
    client_key: str | None = strawberry.field(description="Your own name for the record.")

    @strawberry.field(description="The stories that are not archived, newest first; at most 100.")
    async def stories(self, info: Context) -> list[StoryType]:
        """Return the stories."""
        found = await info.context.loaders.question_stories.load(self.id)
        return [StoryType.from_record(story) for story in found]

    @classmethod
    def from_record(cls, q: Question) -> QuestionType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(q.uid),
            space=strawberry.ID(q.scope_id),
            org_id=strawberry.ID(q.org_id),
            text=q.text,
            goal_id=strawberry.ID(q.goal_id) if q.goal_id else None,
            priority=q.priority,
            priority_rank=q.priority_rank,
            status=q.status,
            status_reason=q.status_reason,
            owner=q.owner,
            tags=list(q.tags),
            archived_at=q.archived_at,
            created_at=q.created_at,
            updated_at=q.updated_at,
            created_by=strawberry.ID(q.by_uid),
            version=q.version,
            client_key=q.client_key,
        )


@strawberry.type(description="A question in a page.")
class QuestionEdge:
    """An edge of the connection."""

    cursor: str
    node: QuestionType


@strawberry.type(
    description="A page of questions, most urgent first; questions of equal priority newest first."
)
class QuestionConnection:
    """A page of questions."""

    wanted: strawberry.Private[QuestionFilter]
    edges: list[QuestionEdge]
    nodes: list[QuestionType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.questions.service.count(await info.context.caller(), self.wanted)

    @classmethod
    def from_page(cls, page: QuestionPage, wanted: QuestionFilter) -> QuestionConnection:
        """Return the connection of a page."""
        nodes = [QuestionType.from_record(question) for question in page.items]
        return cls(
            wanted=wanted,
            edges=[QuestionEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@strawberry.type(description="A story in a page.")
class StoryEdge:
    """An edge of the connection."""

    cursor: str
    node: StoryType


@strawberry.type(description="A page of stories, newest first.")
class StoryConnection:
    """A page of stories."""

    question_id: strawberry.Private[str | None]
    statuses: strawberry.Private[list[StoryStatus] | None]
    edges: list[StoryEdge]
    nodes: list[StoryType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.questions.service.count_stories(
            await info.context.caller(), question_id=self.question_id, statuses=self.statuses
        )

    @classmethod
    def from_page(
        cls, page: StoryPage, question_id: str | None, statuses: list[StoryStatus] | None
    ) -> StoryConnection:
        """Return the connection of a page."""
        nodes = [StoryType.from_record(story) for story in page.items]
        return cls(
            question_id=question_id,
            statuses=statuses,
            edges=[StoryEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


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


def wanted_questions(goal_id: str | None, given: QuestionFilterInput | None) -> QuestionFilter:
    """Return the filter for the arguments of a query."""
    statuses = given.status if given else None
    return draft(
        QuestionFilter,
        {
            "goal_id": goal_id,
            "statuses": tuple(statuses) if statuses is not None else None,
            "owner": given.owner if given else None,
            "tags": tuple(given.tags) if given else (),
        },
    )
