"""What evaluation looks at and what it decides, as values (source 001, §Decision Points 1 and 2)."""

from __future__ import annotations

from enum import StrEnum

from prefrontal.graph.record import Record
from prefrontal.graph.scratch.record import Observation, Reviewable


class Decision(StrEnum):
    """What becomes of an observation."""

    PROMOTE = "promote"
    KEEP = "keep"
    ARCHIVE = "archive"


class Reason(StrEnum):
    """Why."""

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
    """How much an observation matters: the weighted sum and its five parts, each 0–1."""

    value: float
    relevance_to_goals: float
    relevance_to_user: float
    confidence: float
    novelty: float
    actionability: float


class Verdict(Record):
    """What is decided of one observation, before it is done."""

    candidate: Reviewable
    decision: Decision
    reason: Reason
    importance: Importance
    goal_id: str | None = None
    """The goal it joins, or is linked to already; of a duplicate the goal of the first one."""
    group: int | None = None
    """The new goal it is one of the founders of."""
    names_goal: bool = False
    """It names the goal by its id: it moves the goal on even while the goal is still being founded."""
    founder: bool = False
    """It would have founded the goal, had there been none."""


class Group(Record):
    """Observations that found one goal together."""

    scope_id: str
    key: str | None
    user_id: str | None
    founders: tuple[Observation, ...]


class Plan(Record):
    """All that is to be done with some observations: verdicts in their order, and new goals."""

    verdicts: tuple[Verdict, ...]
    groups: tuple[Group, ...]


class Evaluation(Record):
    """What was decided of an observation, and why."""

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
