"""Outcomes as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, list_field, node_field, space_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.ids import Kind
from prefrontal.graph.lessons.outcome_record import Outcome, OutcomeFilter

if TYPE_CHECKING:

    class OutcomeFilterInput:
        """The filter of `outcomes`, made from the record."""

else:
    OutcomeFilterInput = input_type(OutcomeFilter, "OutcomeFilterInput")


@strawberry.type(description="What went well in a turn, and what could go better.")
class FeedbackType:
    """The feedback about an outcome."""

    what_worked: str | None
    what_could_improve: str | None


@graphql_type_of(Outcome, "What came of a turn.", name="Outcome")
class OutcomeType(RecordType, Node):
    """An outcome."""

    record: strawberry.Private[Outcome]
    space = space_field()
    turn = node_field(Kind.TURN, "turn_uid", "The turn that it is the outcome of.")
    success: bool
    result: str | None
    user_satisfaction: str | None
    conflicting: bool = strawberry.field(
        description="Whether success and feedback contradict each other: a failure that is praised, or the "
        "same words for what worked and for what could improve."
    )
    episode = node_field(Kind.EPISODE, "episode_uid", "The episode that tells the outcome.")
    lessons = list_field("outcome_lessons", Kind.LESSON, "The lessons that the outcome taught or confirmed.")
    client_key: str | None
    created_at: datetime = strawberry.field(description="When it was recorded.")
    created_by = actor_field("by_uid", "Who recorded the outcome")

    @strawberry.field(description="The feedback; its fields are null if nothing was said.")
    def feedback(self) -> FeedbackType:
        return FeedbackType(
            what_worked=self.record.what_worked, what_could_improve=self.record.what_could_improve
        )


@strawberry.type(description="The outcome.")
class RecordOutcomePayload:
    """The result of `recordOutcome`."""

    outcome: OutcomeType
    created: bool = strawberry.field(
        description="Whether it is new; an outcome that its `clientKey` names is recorded once."
    )
