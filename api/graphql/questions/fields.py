"""Queries and mutations of questions and stories."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import strawberry

from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.questions.types import (
    ArchiveQuestionPayload,
    ArchiveQuestionsPayload,
    ArchiveStoryPayload,
    QuestionFilterInput,
    QuestionType,
    StoryFilterInput,
    StoryType,
    UpsertQuestionStoryPayload,
)
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveQuestions,
    ArchiveStory,
    QuestionFilter,
    UpsertQuestionStory,
)


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
    ) -> Connection[QuestionType]:
        questions, caller = info.context.services.questions.service, await info.context.caller()
        given = filter or QuestionFilterInput()
        wanted = QuestionFilter(
            goal_id=goal_id,
            statuses=None if given.status is None else tuple(given.status),
            owner=given.owner,
            tags=tuple(given.tags),
        )
        page = await questions.list(caller, wanted, first=first, after=after)
        return Connection.of(QuestionType, page, partial(questions.count, caller, wanted))

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
    ) -> Connection[StoryType]:
        questions, caller = info.context.services.questions.service, await info.context.caller()
        statuses = filter.status if filter else None
        page = await questions.stories(
            caller, question_id=question_id, statuses=statuses, first=first, after=after
        )
        counted = partial(questions.count_stories, caller, question_id=question_id, statuses=statuses)
        return Connection.of(StoryType, page, counted)


@strawberry.type
class QuestionMutation:
    """Mutations of questions and stories."""

    @mutation(
        "Creates or changes a question and a story that answers it, in one transaction.",
        "The question and the story, or the problem.",
    )
    async def upsert_question_story(
        self, info: Context, command: UpsertQuestionStory
    ) -> UpsertQuestionStoryPayload:
        """Create or change the question and the story."""
        pair = await info.context.services.questions.upsert.upsert(await info.context.caller(), command)
        return UpsertQuestionStoryPayload.from_record(pair)

    @mutation(
        "Archives a question and its stories. They are no longer listed; their links and history are kept.",
        "The archived question, or the problem.",
    )
    async def archive_question(self, info: Context, command: ArchiveQuestion) -> ArchiveQuestionPayload:
        question = await info.context.services.questions.transitions.archive_question(
            await info.context.caller(), command
        )
        return ArchiveQuestionPayload(question=QuestionType.from_record(question))

    @mutation(
        "Archives up to 100 questions and their stories: all or none.",
        "The archived questions, or the problem; its field names the entry, e.g. `questions[3].id`.",
    )
    async def archive_questions(self, info: Context, command: ArchiveQuestions) -> ArchiveQuestionsPayload:
        questions = await info.context.services.questions.transitions.archive_questions(
            await info.context.caller(), command
        )
        return ArchiveQuestionsPayload(questions=[QuestionType.from_record(each) for each in questions])

    @mutation(
        "Archives a story. It is no longer listed; its links and history are kept.",
        "The archived story, or the problem.",
    )
    async def archive_story(self, info: Context, command: ArchiveStory) -> ArchiveStoryPayload:
        story = await info.context.services.questions.transitions.archive_story(
            await info.context.caller(), command
        )
        return ArchiveStoryPayload(story=StoryType.from_record(story))
