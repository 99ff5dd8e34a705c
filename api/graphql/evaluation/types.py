"""Decisions about observations, with their reasons, as GraphQL types."""

from __future__ import annotations

from typing import Any

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionInput
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.input_types import record_of
from prefrontal.api.graphql.inputs import draft, key_field, space_field, turn_field
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationInput, ObservationType
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import GoalDraft
from prefrontal.graph.evaluation.record import Decision, Evaluation, Importance, Reason, Review

strawberry.enum(Decision, name="EvaluationDecision", description="The decision about an observation.")
strawberry.enum(Reason, name="EvaluationReason", description="The reason for a decision.")


@strawberry.type(
    name="Importance",
    description="The importance of an observation, 0–1: a weighted sum of five parts, each 0–1.",
)
class ImportanceType:
    """An importance and its parts."""

    value: float
    relevance_to_goals: float = strawberry.field(
        description="1 if the observation names an active goal, 0.5 if it shares a topic with one."
    )
    relevance_to_user: float
    confidence: float
    novelty: float = strawberry.field(description="0 for an exact repetition of another observation.")
    actionability: float

    @classmethod
    def from_record(cls, i: Importance) -> ImportanceType:
        """Return the type of a record."""
        return cls(**i.model_dump())


@strawberry.type(name="Evaluation", description="The decision about an observation, with the reason.")
class EvaluationType:
    """A decision."""

    observation: ObservationType
    decision: Decision
    reason: Reason
    message: str = strawberry.field(description="The reason as a sentence.")
    importance: ImportanceType | None = strawberry.field(
        description="Null if the decision did not depend on the importance."
    )
    goal_id: strawberry.ID | None = strawberry.field(
        description="The goal that the observation is evidence of, or names in its context."
    )

    @strawberry.field(description="The goal with the id `goalId`, if it is readable.")
    async def goal(self, info: Context) -> GoalType | None:
        """Return the goal."""
        found = await info.context.loaders.goals.load(self.goal_id) if self.goal_id else None
        return GoalType.from_record(found) if found else None

    @classmethod
    def from_record(cls, e: Evaluation) -> EvaluationType:
        """Return the type of a record."""
        return cls(
            observation=ObservationType.from_record(e.observation),
            decision=e.decision,
            reason=e.reason,
            message=e.message,
            importance=ImportanceType.from_record(e.importance) if e.importance else None,
            goal_id=strawberry.ID(e.goal_id) if e.goal_id else None,
        )


@strawberry.input(
    description="The goal that the review creates if it promotes observations to a new goal; its evidence "
    "comes from the review."
)
class FoundedGoalInput:
    """The title, fields and first actions of the goal that a review creates."""

    title: str
    description: str | None = None
    goal_type: str | None = None
    priority: str | None = strawberry.field(
        default=None, description="low, medium, high, critical or 1–4; default medium."
    )
    parent_goal_id: strawberry.ID | None = None
    pending_actions: list[PendingActionInput] = strawberry.field(
        default_factory=list,
        description="Default: the one action in `registry/evaluation.yaml`, key `first_action`.",
    )

    def spellings(self) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        for number, action in enumerate(self.pending_actions):
            found |= record_of(action, PendingActionDraft, f"goal.pendingActions[{number}]")[1]
        return found

    def draft(self) -> GoalDraft:
        """Return the draft; raise `InvalidInput` for values of the wrong form."""
        return draft(
            GoalDraft,
            {
                "title": self.title,
                "description": self.description,
                "goal_type": self.goal_type,
                "priority": self.priority,
                "parent_goal_id": self.parent_goal_id,
                "pending_actions": tuple(
                    record_of(action, PendingActionDraft, f"goal.pendingActions[{number}]")[0]
                    for number, action in enumerate(self.pending_actions)
                ),
            },
            "goal",
        )


@strawberry.input(
    description="The observations to review; default: all active and resolved observations that you may "
    "write to."
)
class EvaluateScratchPageInput:
    """The input of `evaluateScratchPage`."""

    observation_ids: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Only these observations, up to 500."
    )
    space: strawberry.ID | None = strawberry.field(
        default=None, description="Only this space; default: all spaces that you may write to."
    )
    goal: FoundedGoalInput | None = strawberry.field(
        default=None,
        description="The goal to create. Refused as `invalid` if the review would not create exactly one "
        "goal.",
    )
    first: int | None = strawberry.field(
        default=None, description="Page size, oldest first: 1 to 500; default 100."
    )
    after: str | None = strawberry.field(default=None, description="`endCursor` of the previous page.")
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The decision about each observation, oldest first.")
class EvaluateScratchPagePayload:
    """The result of `evaluateScratchPage`."""

    evaluations: list[EvaluationType]
    end_cursor: str | None = strawberry.field(description="Pass it as `after` to review the next page.")
    has_next_page: bool

    @strawberry.field(description="The number of observations that became evidence of a goal.")
    def promoted(self) -> int:
        """Return the number."""
        return self._count(Decision.PROMOTE)

    @strawberry.field(description="The number of observations that were not changed.")
    def kept(self) -> int:
        """Return the number."""
        return self._count(Decision.KEEP)

    @strawberry.field(description="The number of observations that were archived.")
    def archived(self) -> int:
        """Return the number."""
        return self._count(Decision.ARCHIVE)

    def _count(self, decision: Decision) -> int:
        return sum(evaluation.decision is decision for evaluation in self.evaluations)

    @classmethod
    def from_record(cls, review: Review) -> EvaluateScratchPagePayload:
        """Return the type of a record."""
        return cls(
            evaluations=[EvaluationType.from_record(item) for item in review.evaluations],
            end_cursor=review.cursor,
            has_next_page=review.has_next,
        )


def evaluate_field() -> Any:
    """Return the field `evaluate`: whether new observations are evaluated at once."""
    return strawberry.field(
        default=None,
        description="Whether to evaluate at once, as `evaluateScratchPage` does later; default: the server's "
        "setting, usually true.",
    )


@strawberry.input(description="An observation to add.")
class AddObservationInput(ObservationInput):
    """The input of `addObservation`."""

    space: strawberry.ID | None = space_field()
    evaluate: bool | None = evaluate_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input(description="Observations to add: all or none.")
class AddObservationsInput:
    """The input of `addObservations`."""

    observations: list[ObservationInput]
    space: strawberry.ID | None = space_field()
    evaluate: bool | None = evaluate_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


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
