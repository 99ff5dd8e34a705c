"""Queries and mutations of lessons."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.lessons.types import (
    LessonFilterInput,
    LessonType,
    RestoreLessonPayload,
    RetireLessonPayload,
)
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.lessons.record import LessonFilter, RestoreLesson, RetireLesson


@strawberry.type
class LessonQuery:
    """Queries of lessons."""

    @strawberry.field(description="A lesson, retired ones too; null if it is unknown or not readable.")
    async def lesson(self, info: Context, id: strawberry.ID) -> LessonType | None:
        return LessonType.maybe(await info.context.loaders.lessons.load(id))

    @strawberry.field(
        description="A page of lessons, newest first; without the retired ones, unless the filter says more. "
        "`searchMemory` with `kinds: [LESSON]` finds those that answer a question."
    )
    async def lessons(
        self,
        info: Context,
        filter: LessonFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[LessonType]:
        lessons, caller = info.context.services.lessons, await info.context.caller()
        wanted = filter_of(filter, LessonFilter)
        page = await lessons.list(caller, wanted, first=first, after=after)
        return Connection.of(LessonType, page, partial(lessons.count, caller, wanted))


@strawberry.type
class LessonMutation:
    """Mutations of lessons."""

    @mutation(
        "Stops showing a lesson in searches, contexts and lists. It stays readable by its id and in its "
        "history, and outcomes still count for and against it; `restoreLesson` shows it again.",
        "The lesson, or the problem.",
    )
    async def retire_lesson(self, info: Context, command: RetireLesson) -> RetireLessonPayload:
        done = await info.context.services.lessons.retire(await info.context.caller(), command)
        forget(info.context.loaders.lessons, done.uid)
        return RetireLessonPayload(lesson=LessonType.from_record(done))

    @mutation("Shows a retired lesson again.", "The lesson, or the problem.")
    async def restore_lesson(self, info: Context, command: RestoreLesson) -> RestoreLessonPayload:
        done = await info.context.services.lessons.restore(await info.context.caller(), command)
        forget(info.context.loaders.lessons, done.uid)
        return RestoreLessonPayload(lesson=LessonType.from_record(done))
