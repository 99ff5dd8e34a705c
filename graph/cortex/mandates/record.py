"""Records of plans and of the mandates that they violate (source 000, §Example 1; decision G-038)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.record import Key, Limit, Record, Text, Title


class ViolationKind(StrEnum):
    """Whether a mandate forbids a step, or asks for a confirmation before it."""

    PROHIBITED = "prohibited"
    CONFIRMATION_REQUIRED = "confirmation_required"


class PlanGoalDraft(Record):
    """What a plan is to achieve."""

    title: Title
    description: Text | None = None


class PlanStepDraft(Record):
    """A step of a plan."""

    description: Text
    action_type: Key | None = Field(default=None, description="The type of the action that it would be.")
    parameters: Annotated[dict[str, Any], Limit("metadata_characters")] | None = Field(
        default=None, description="What it would be done with, e.g. the arguments of a tool."
    )


class PlanDraft(Record):
    """A goal and the steps towards it."""

    goal: PlanGoalDraft | None = None
    steps: Annotated[tuple[PlanStepDraft, ...], Limit("actions_per_goal")] = ()


class Step(Record):
    """A step as it is checked."""

    texts: tuple[str, ...]
    action_type: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    confirmed: bool = False
    """Whether it is not done before a person has confirmed it."""


class Plan(Record):
    """A plan as it is checked: the texts of its goal, and its steps in order."""

    texts: tuple[str, ...]
    steps: tuple[Step, ...] = ()


class Violation(Record):
    """A mandate that a plan violates, and where."""

    mandate_id: str
    kind: ViolationKind
    step: int | None
    """The place of the step in the plan; None for the goal itself."""
    reason: str


class FoundViolation(Record):
    """A violation as a caller sees it: the step is one of the plan's, or an action of the stored goal."""

    mandate_id: str
    kind: ViolationKind
    step: int | None
    action_id: str | None
    reason: str


class PlanCheck(Record):
    """Whether a plan satisfies the mandates, those that it violates, and how many there are."""

    violations: tuple[FoundViolation, ...]
    checked: int

    @property
    def satisfied(self) -> bool:
        """Whether no mandate is violated."""
        return not self.violations
