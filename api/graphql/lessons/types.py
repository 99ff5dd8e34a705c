"""Lessons as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, list_field, refs_field, space_field, turn_of
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.ids import Kind
from prefrontal.graph.lessons.record import Lesson, LessonFilter, LessonKind, LessonSource

strawberry.enum(
    LessonKind,
    name="LessonSays",
    description="What a lesson says. WORKED, IMPROVE: what feedback says. RELIABLE: the calls of a tool "
    "work. SEVERAL: it can be called several times in a turn. FAILURE: it fails. FALLBACK: another tool "
    "takes its place. RETRY: trying again works.",
)
strawberry.enum(
    LessonSource,
    name="LessonSource",
    description="What a lesson was first learned from. LOG: the calls of tools alone, which is less sure.",
)

if TYPE_CHECKING:

    class LessonFilterInput:
        """The filter of `lessons`, made from the record."""

else:
    LessonFilterInput = input_type(LessonFilter, "LessonFilterInput")


@graphql_type_of(
    Lesson,
    "What outcomes have taught about how to work. It does not fade; `retireLesson` stops showing it, "
    "`forget` takes it back.",
    rename={"statement": "content"},
)
class LessonType(RecordType, Node):
    """A lesson."""

    space = space_field()
    statement: str = strawberry.field(
        description="What it says in general, without ids, times and values of one turn."
    )
    says: LessonKind
    source: LessonSource
    tags: list[str] = strawberry.field(description="`lesson`, the tools, and what it is about.")
    tools: list[str] = strawberry.field(description="The tools that it is about.")
    support: int = strawberry.field(description="How many outcomes speak for it.")
    contradiction: int = strawberry.field(description="How many outcomes speak against it.")
    confidence: float = strawberry.field(
        description="0–1: rises with each outcome for it and falls with each one against it."
    )
    conflicting: bool = strawberry.field(
        description="Whether an outcome taught it and showed the opposite, or another lesson says the "
        "opposite."
    )
    outcomes = list_field(
        "lesson_outcomes",
        Kind.OUTCOME,
        "The outcomes that taught or confirmed it, in the order in which they were recorded.",
    )
    contradicts = refs_field(Kind.LESSON, "contradicts", "The lessons of its space that say the opposite.")
    live: bool = strawberry.field(description="Whether it is shown: false once retired or forgotten.")
    retired_at: datetime | None
    retired_reason: str | None
    created_at: datetime = strawberry.field(description="When it was first learned.")
    updated_at: datetime
    created_by = actor_field("by_uid", "Who recorded the outcome that taught it")
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )
    turn = turn_of()


@strawberry.type(description="The lesson.")
class RetireLessonPayload:
    """The result of `retireLesson`."""

    lesson: LessonType


@strawberry.type(description="The lesson.")
class RestoreLessonPayload:
    """The result of `restoreLesson`."""

    lesson: LessonType
