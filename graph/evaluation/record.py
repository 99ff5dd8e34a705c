"""Records of evaluation: decisions, reasons and reviews (source 001, §Decision Points 1 and 2)."""

from __future__ import annotations

from enum import StrEnum

from prefrontal.graph.record import Record
from prefrontal.graph.scratch.record import Observation, Reviewable


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
    OPERATIONAL = "operational"
    SEVERAL_GOALS = "several_goals"
    GOAL_NOT_ACTIVE = "goal_not_active"
    GOAL_NOT_WRITABLE = "goal_not_writable"
    EXPIRED = "expired"
    RESOLVED = "resolved"
    DUPLICATE = "duplicate"
    NOT_EVALUATED = "not_evaluated"


class Importance(Record):
    """The importance of an observation: the weighted sum and its five parts, each between 0 and 1."""

    value: float
    relevance_to_goals: float
    relevance_to_user: float
    confidence: float
    novelty: float
    actionability: float


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


class Review(Record):
    """One page of a review of the scratch page, oldest observation first."""

    evaluations: tuple[Evaluation, ...]
    cursor: str | None
    has_next: bool
