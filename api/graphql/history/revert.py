"""The mutation that reverts a record to an earlier version."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.inputs import key_field, turn_field, version_field
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.record import RevertWarning
from prefrontal.graph.ids import Kind, kind_of


@strawberry.input(description="The record to revert, and the version to restore.")
class RevertInput:
    """The input of `revert`."""

    id: strawberry.ID = strawberry.field(description="A goal, a pending action, a question or a story.")
    version: int = strawberry.field(description="The `number` of the version to restore.")
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(name="RevertWarning", description="Something that a revert did not restore.")
class RevertWarningType:
    """A warning."""

    code: str = strawberry.field(
        description="progress_kept, evidence_kept, parent_ended, goal_ended or stories_kept; "
        "see docs/spec/history.md."
    )
    message: str

    @classmethod
    def from_record(cls, warning: RevertWarning) -> RevertWarningType:
        """Return the type of a record."""
        return cls(code=warning.code, message=warning.message)


@strawberry.type(description="The reverted record.")
class RevertPayload:
    """The result of `revert`."""

    node: Node
    version: int = strawberry.field(
        description="The record's version now: a new one, unless the content was the same already."
    )
    warnings: list[RevertWarningType]


@strawberry.type
class HistoryMutation:
    """Mutations of history."""

    @strawberry.mutation(
        description="Restores the content of an earlier version of a record, as a new version. Later "
        "changes of other records that depend on it are not undone: the revert is refused with reasons, or "
        "returns warnings.",
        extensions=[WRITES],
    )
    async def revert(
        self, info: Context, input: RevertInput
    ) -> Annotated[
        RevertPayload | Problem,
        strawberry.union("RevertResult", description="The reverted record, or the problem."),
    ]:
        """Revert the record."""
        version, warnings = await info.context.services.history.revert.revert(
            await info.context.caller(),
            input.id,
            input.version,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        node = await _read_again(info, input.id)
        if node is None:
            raise NotFound("the record was reverted, but you may no longer read it", field="id")
        return RevertPayload(
            node=node, version=version, warnings=[RevertWarningType.from_record(w) for w in warnings]
        )


async def _read_again(info: Context, uid: str) -> Node | None:
    """Return the record as it is after the revert."""
    loaders = info.context.loaders
    for kept in (loaders.goals, loaders.links, loaders.actions, loaders.questions, loaders.stories):
        forget(kept, uid)
    match kind_of(uid):
        case Kind.GOAL:
            goal = await loaders.goals.load(uid)
            return GoalType.from_record(goal) if goal else None
        case Kind.PENDING_ACTION:
            action = await loaders.actions.load(uid)
            return PendingActionType.from_record(action) if action else None
        case Kind.QUESTION:
            question = await loaders.questions.load(uid)
            return QuestionType.from_record(question) if question else None
        case _:
            story = await loaders.stories.load(uid)
            return StoryType.from_record(story) if story else None
