"""Queries and mutations of questions and stories."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.questions.inputs import (
    ArchiveQuestionInput,
    ArchiveQuestionPayload,
    ArchiveStoryInput,
    ArchiveStoryPayload,
    UpsertQuestionStoryInput,
    UpsertQuestionStoryPayload,
)
from prefrontal.api.graphql.questions.types import (
    QuestionConnection,
    QuestionFilterInput,
    QuestionType,
    StoryConnection,
    StoryFilterInput,
    StoryType,
    wanted_questions,
)
from prefrontal.api.graphql.request_context import Context


@strawberry.type
class QuestionQuery:
    """Queries of questions and stories."""

    @strawberry.field(description="A page of questions, most urgent first; about one goal, or all.")
    async def questions(
        self,
        info: Context,
        goal_id: Annotated[
            strawberry.ID | None, strawberry.argument(description="Only questions about this goal.")
        ] = None,
        filter: QuestionFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> QuestionConnection:
        """Return the page."""
        wanted = wanted_questions(goal_id, filter)
        page = await info.context.services.questions.service.list(
            await info.context.caller(), wanted, first=first, after=after
        )
        return QuestionConnection.from_page(page, wanted)

    @strawberry.field(description="A page of stories, newest first; of one question, or all.")
    async def stories(
        self,
        info: Context,
        question_id: Annotated[
            strawberry.ID | None, strawberry.argument(description="Only stories that answer this question.")
        ] = None,
        filter: StoryFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> StoryConnection:
        """Return the page."""
        statuses = filter.status if filter else None
        page = await info.context.services.questions.service.stories(
            await info.context.caller(),
            question_id=question_id,
            statuses=statuses,
            first=first,
            after=after,
        )
        return StoryConnection.from_page(page, question_id, statuses)


@strawberry.type
class QuestionMutation:
    """Mutations of questions and stories."""

    @strawberry.mutation(
        description="Creates or changes a question and a story that answers it, in one transaction.",
        extensions=[WRITES],
    )
    async def upsert_question_story(
        self,
        info: Context,
        input: UpsertQuestionStoryInput,
    ) -> Annotated[
        UpsertQuestionStoryPayload | Problem,
        strawberry.union(
            "UpsertQuestionStoryResult", description="The question and the story, or the problem."
        ),
    ]:
        """Create or change the question and the story."""
        pair = await info.context.services.questions.upsert.upsert(
            await info.context.caller(),
            input.draft(),
            space=input.space,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.question_stories, pair.question.uid)
        return UpsertQuestionStoryPayload(
            question=QuestionType.from_record(pair.question),
            story=StoryType.from_record(pair.story) if pair.story else None,
            question_created=pair.question_created,
            story_created=pair.story_created,
        )

    @strawberry.mutation(
        description="Archives a question and its stories. They are no longer listed; their links and "
        "history are kept.",
        extensions=[WRITES],
    )
    async def archive_question(
        self,
        info: Context,
        input: ArchiveQuestionInput,
    ) -> Annotated[
        ArchiveQuestionPayload | Problem,
        strawberry.union("ArchiveQuestionResult", description="The archived question, or the problem."),
    ]:
        """Archive the question."""
        question = await info.context.services.questions.transitions.archive_question(
            await info.context.caller(),
            input.id,
            reason=input.reason,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.question_stories, question.uid)
        return ArchiveQuestionPayload(question=QuestionType.from_record(question))

    @strawberry.mutation(
        description="Archives a story. It is no longer listed; its links and history are kept.",
        extensions=[WRITES],
    )
    async def archive_story(
        self,
        info: Context,
        input: ArchiveStoryInput,
    ) -> Annotated[
        ArchiveStoryPayload | Problem,
        strawberry.union("ArchiveStoryResult", description="The archived story, or the problem."),
    ]:
        """Archive the story."""
        story = await info.context.services.questions.transitions.archive_story(
            await info.context.caller(),
            input.id,
            reason=input.reason,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.question_stories, story.question_id)
        return ArchiveStoryPayload(story=StoryType.from_record(story))
