"""Records of evaluation: decisions, reasons and reviews (source 001, §Decision Points 1 and 2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.importance import Importance
from prefrontal.graph.journal.command import TurnCommand, space
from prefrontal.graph.record import Id, Key, Priority, Record, Reference, Text, Title
from prefrontal.graph.scratch.record import Observation, ObservationDraft, Reviewable


class Decision(StrEnum):
    """The decision about an observation."""

    PROMOTE = "promote"
    KEEP = "keep"
    ARCHIVE = "archive"


class Reason(StrEnum):
    """The reason for a decision."""

    FOUNDED_GOAL = "founded_goal"
    JOINED_GOAL = "joined_goal"
    ALREADY_LINKED = "already_linked"
    BELOW_THRESHOLD = "below_threshold"
    LOW_IMPORTANCE = "low_importance"
    CALLS_FOR_NOTHING = "calls_for_nothing"
    OPERATIONAL = "operational"
    SEVERAL_GOALS = "several_goals"
    GOAL_NOT_FOUND = "goal_not_found"
    GOAL_NOT_ACTIVE = "goal_not_active"
    GOAL_NOT_WRITABLE = "goal_not_writable"
    EXPIRED = "expired"
    RESOLVED = "resolved"
    DUPLICATE = "duplicate"
    NOT_EVALUATED = "not_evaluated"
    AWAITS_EVALUATION = "awaits_evaluation"


class Verdict(Record):
    """The decision about one observation, before it is applied."""

    candidate: Reviewable
    decision: Decision
    reason: Reason
    importance: Importance
    goal_id: str | None = None
    """The existing goal that the observation joins, names or is linked to already."""
    group: int | None = None
    """The index in `Plan.groups` of the new goal that the observation founds or joins."""
    names_goal: bool = False
    """Whether the observation joins a goal that it names by id."""
    founder: bool = False
    """Whether the observation founds the goal, or could have founded it if the goal had not existed."""


class Group(Record):
    """Observations from which one goal is created: the goal's founders."""

    scope_id: str
    key: str | None
    user_id: str | None
    founders: tuple[Observation, ...]


class Plan(Record):
    """The decisions about a batch of observations, in the order of the batch, and the goals to create."""

    verdicts: tuple[Verdict, ...]
    groups: tuple[Group, ...]


class Evaluation(Record):
    """The decision about an observation, with its reason, as returned to the client."""

    observation: Observation
    decision: Decision
    reason: Reason
    message: str
    importance: Importance | None = None
    goal_id: str | None = None


def _ask() -> Any:
    return Field(
        default=None,
        description="Whether to ask the user which of two contradicting observations holds: one question for "
        "each open contradiction. Default: `ask` of the server's `registry/contradiction.yaml`, usually "
        "false.",
    )


class _Adding(TurnCommand):
    space: Id | None = space()
    ask: bool | None = _ask()
    evaluate: bool | None = Field(
        default=None,
        description="Whether to evaluate at once, as `evaluateScratchPage` does later; default: the server's "
        "setting, usually true.",
    )


class AddObservation(ObservationDraft, _Adding):
    """An observation to add."""

    @property
    def draft(self) -> ObservationDraft:
        """The observation without what says how the call is made."""
        return ObservationDraft(**{name: getattr(self, name) for name in ObservationDraft.model_fields})


class AddObservations(_Adding):
    """Observations to add: all or none."""

    observations: tuple[ObservationDraft, ...]


class FoundedGoalDraft(Record):
    """The goal that the review creates if it promotes observations to a new goal; its evidence comes from the
    review.
    """  # noqa: D205 - one paragraph: it is the description of the input

    title: Title
    description: Text | None = None
    goal_type: Key | None = None
    priority: Priority | None = Field(
        default=None, description="low, medium, high, critical or 1–4; default medium."
    )
    parent_goal_id: Reference | None = None
    pending_actions: tuple[PendingActionDraft, ...] = Field(
        default=(),
        description="Default: the one action in `registry/evaluation.yaml`, key `first_action`.",
    )


class EvaluateScratchPage(TurnCommand):
    """The observations to review; default: all active and resolved observations that you may write to."""

    observation_ids: tuple[Id, ...] | None = Field(
        default=None, description="Only these observations, up to 500."
    )
    space: Id | None = Field(
        default=None, description="Only this space; default: all spaces that you may write to."
    )
    goal: FoundedGoalDraft | None = Field(
        default=None,
        description="The goal to create. Refused as `invalid` if the review would not create exactly one "
        "goal.",
    )
    ask: bool | None = _ask()
    first: int | None = Field(default=None, description="Page size, oldest first: 1 to 500; default 100.")
    after: str | None = Field(default=None, description="`endCursor` of the previous page.")


class Review(Record):
    """One page of a review of the scratch page, oldest observation first."""

    evaluations: tuple[Evaluation, ...]
    cursor: str | None
    has_next: bool

    @property
    def promoted(self) -> int:
        """The number of observations that became evidence of a goal."""
        return self._count(Decision.PROMOTE)

    @property
    def kept(self) -> int:
        """The number of observations that were not changed."""
        return self._count(Decision.KEEP)

    @property
    def archived(self) -> int:
        """The number of observations that were archived."""
        return self._count(Decision.ARCHIVE)

    def _count(self, decision: Decision) -> int:
        return sum(evaluation.decision is decision for evaluation in self.evaluations)
