"""Decisions about observations, with their reasons, as GraphQL types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.importance import ImportanceType
from prefrontal.api.graphql.nodes import node_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.graph.evaluation.record import Decision, Evaluation, Reason, Review
from prefrontal.graph.ids import Kind

strawberry.enum(Decision, name="EvaluationDecision", description="The decision about an observation.")
strawberry.enum(Reason, name="EvaluationReason", description="The reason for a decision.")


@graphql_type_of(Evaluation, "The decision about an observation, with the reason.")
class EvaluationType(RecordType):
    """A decision."""

    observation: ObservationType
    decision: Decision
    reason: Reason
    message: str = strawberry.field(description="The reason as a sentence.")
    importance: ImportanceType | None = strawberry.field(
        description="Null if the decision did not depend on the importance."
    )
    goal = node_field(
        Kind.GOAL,
        "goal_id",
        "The goal that the observation is evidence of, or names in its context; null if it is not readable.",
    )


@graphql_type_of(
    Review,
    "The decision about each observation, oldest first.",
    name="EvaluateScratchPagePayload",
    rename={"end_cursor": "cursor", "has_next_page": "has_next"},
)
class EvaluateScratchPagePayload(RecordType):
    """The result of `evaluateScratchPage`."""

    evaluations: list[EvaluationType]
    end_cursor: str | None = strawberry.field(description="Pass it as `after` to review the next page.")
    has_next_page: bool
    promoted: int = strawberry.field(description="The number of observations that became evidence of a goal.")
    kept: int = strawberry.field(description="The number of observations that were not changed.")
    archived: int = strawberry.field(description="The number of observations that were archived.")


@strawberry.type(description="The stored observation.")
class AddObservationPayload:
    """The result of `addObservation`."""

    observation: ObservationType
    evaluation: EvaluationType = strawberry.field(
        description="The decision about the observation, with the reason."
    )


@strawberry.type(description="The stored observations, in the order of the input.")
class AddObservationsPayload:
    """The result of `addObservations`."""

    observations: list[ObservationType]
    evaluations: list[EvaluationType] = strawberry.field(
        description="The decision about each observation, in the same order, with the reasons."
    )
