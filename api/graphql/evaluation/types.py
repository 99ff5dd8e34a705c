"""What became of observations, and why, as GraphQL types."""

from __future__ import annotations

from typing import Any

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionInput
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.inputs import draft, key_field, space_field, turn_field
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationInput, ObservationType
from prefrontal.graph.cortex.goals.record import GoalDraft
from prefrontal.graph.evaluation.record import Decision, Evaluation, Importance, Reason, Review

strawberry.enum(Decision, name="EvaluationDecision", description="What became of an observation.")
strawberry.enum(Reason, name="EvaluationReason", description="Why.")


@strawberry.type(
    name="Importance",
    description="How much an observation matters, 0–1: a weighted sum of five parts, each 0–1.",
)
class ImportanceType:
    """An importance and its parts."""

    value: float
    relevance_to_goals: float = strawberry.field(
        description="1 if it names an active goal, 0.5 if it shares a topic with one."
    )
    relevance_to_user: float
    confidence: float
    novelty: float = strawberry.field(description="0 for an exact repeat.")
    actionability: float

    @classmethod
    def from_record(cls, i: Importance) -> ImportanceType:
        """Return the type of a record."""
        return cls(**i.model_dump())


@strawberry.type(name="Evaluation", description="What became of an observation, and why.")
class EvaluationType:
    """A decision."""

    observation: ObservationType
    decision: Decision
    reason: Reason
    message: str = strawberry.field(description="The reason in words.")
    importance: ImportanceType | None = strawberry.field(
        description="Null where the decision did not depend on it."
    )
    goal_id: strawberry.ID | None = strawberry.field(description="The goal it is evidence of, or names.")

    @strawberry.field(description="That goal, where it is readable.")
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
    description="What the goal is to be that a review founds; its evidence comes from the review."
)
class FoundedGoalInput:
    """How a founded goal is called and what it begins with."""

    title: str
    description: str | None = None
    goal_type: str | None = None
    priority: str | None = strawberry.field(
        default=None, description="low, medium, high, critical or 1–4; default medium."
    )
    parent_goal_id: strawberry.ID | None = None
    pending_actions: list[PendingActionInput] = strawberry.field(
        default_factory=list, description="Default one next step, as `registry/evaluation.yaml` says."
    )

    def spellings(self) -> dict[str, str]:
        """Return the fields that were given under another name, as problems name them."""
        found: dict[str, str] = {}
        for number, action in enumerate(self.pending_actions):
            found |= action.spellings(f"goal.pendingActions[{number}]")
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
                    action.values(f"goal.pendingActions[{number}]")
                    for number, action in enumerate(self.pending_actions)
                ),
            },
            "goal",
        )


@strawberry.input(description="Which observations to review; all active and resolved ones you may write.")
class EvaluateScratchPageInput:
    """The input of `evaluateScratchPage`."""

    observation_ids: list[strawberry.ID] | None = strawberry.field(
        default=None, description="Only these; up to 500."
    )
    space: strawberry.ID | None = strawberry.field(
        default=None, description="Only this space; all you may write to when it is left out."
    )
    goal: FoundedGoalInput | None = strawberry.field(
        default=None,
        description="Refused as `invalid` when the review would not found exactly one goal.",
    )
    first: int | None = strawberry.field(
        default=None, description="How many at most, oldest first: 1 to 500, default 100."
    )
    after: str | None = strawberry.field(default=None, description="The `endCursor` of the page before.")
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="What became of each observation, oldest first.")
class EvaluateScratchPagePayload:
    """The result of `evaluateScratchPage`."""

    evaluations: list[EvaluationType]
    end_cursor: str | None = strawberry.field(description="Give it as `after` for the next page.")
    has_next_page: bool

    @strawberry.field(description="How many became evidence of a goal.")
    def promoted(self) -> int:
        """Return the number."""
        return self._count(Decision.PROMOTE)

    @strawberry.field(description="How many stay as they are.")
    def kept(self) -> int:
        """Return the number."""
        return self._count(Decision.KEEP)

    @strawberry.field(description="How many were put away.")
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
    """Return the field that says whether what is added is evaluated at once."""
    return strawberry.field(
        default=None,
        description="Whether to decide at once what becomes of it, as `evaluateScratchPage` does later; "
        "default as the server is set, usually true.",
    )


@strawberry.input(description="An observation to add, where to, and once.")
class AddObservationInput(ObservationInput):
    """The input of `addObservation`."""

    space: strawberry.ID | None = space_field()
    evaluate: bool | None = evaluate_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input(description="Observations to add, all or none.")
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
    evaluation: EvaluationType = strawberry.field(description="What became of it, and why.")


@strawberry.type(description="The stored observations in the order given.")
class AddObservationsPayload:
    """The result of `addObservations`."""

    observations: list[ObservationType]
    evaluations: list[EvaluationType] = strawberry.field(
        description="What became of each, in the same order, and why."
    )
