"""The mutation that creates or changes a goal."""

from __future__ import annotations

from typing import Annotated

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType, HorizonInput, MilestoneInput
from prefrontal.api.graphql.inputs import draft, key_field, space_field, turn_field, version_field
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.goals.record import GoalChanges


@strawberry.input(
    description="A goal to create or to change. An omitted field keeps its value, or gets its default in a "
    "new goal; null clears the field."
)
class UpsertGoalInput:
    """The input of `upsertGoal`."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The goal to change.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the goal, instead of `id`; unique in a space. The goal with this "
        "name is changed, or created if there is none.",
    )
    title: str | None = strawberry.field(
        default=strawberry.UNSET, description="Required for a new goal; cannot be cleared."
    )
    description: str | None = strawberry.UNSET
    goal_type: str | None = strawberry.UNSET
    priority: str | None = strawberry.field(
        default=strawberry.UNSET, description="low, medium, high, critical or 1–4; null means medium."
    )
    horizon: HorizonInput | None = strawberry.UNSET
    metrics: JSON | None = strawberry.UNSET
    constraints: list[str] | None = strawberry.field(
        default=strawberry.UNSET, description="The complete new list; it replaces the present one."
    )
    milestones: list[MilestoneInput] | None = strawberry.field(
        default=strawberry.UNSET, description="The complete new list; it replaces the present one."
    )
    parent_goal_id: strawberry.ID | None = strawberry.field(
        default=strawberry.UNSET, description="The new parent goal; null for none."
    )
    derived_from: list[strawberry.ID] | None = strawberry.field(
        default=strawberry.UNSET,
        description="The complete new list of predecessors; it replaces the present one.",
    )
    space: strawberry.ID | None = space_field()
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def changes(self) -> GoalChanges:
        """Return the fields that are given; raise `InvalidInput` for values of the wrong form."""
        horizon, milestones = self.horizon, self.milestones
        values = {
            "title": self.title,
            "description": self.description,
            "goal_type": self.goal_type,
            "priority": self.priority,
            "horizon": {"value": horizon.value, "unit": horizon.unit} if horizon else horizon,
            "metrics": self.metrics,
            "constraints": tuple(self.constraints) if self.constraints else self.constraints,
            "milestones": tuple({"title": m.title, "reached_at": m.reached_at} for m in milestones)
            if milestones
            else milestones,
            "parent_goal_id": self.parent_goal_id,
            "derived_from": tuple(self.derived_from) if self.derived_from else self.derived_from,
        }
        return draft(
            GoalChanges, {name: value for name, value in values.items() if value is not strawberry.UNSET}
        )


@strawberry.type(description="The goal as it is now.")
class UpsertGoalPayload:
    """The result of `upsertGoal`."""

    goal: GoalType
    created: bool = strawberry.field(description="True if it was created, false if it was changed.")


@strawberry.type
class GoalUpsertMutation:
    """The mutation."""

    @strawberry.mutation(
        description="Creates a goal, or changes the fields and links of an existing one.", extensions=[WRITES]
    )
    async def upsert_goal(
        self,
        info: Context,
        input: UpsertGoalInput,
    ) -> Annotated[
        UpsertGoalPayload | Problem,
        strawberry.union("UpsertGoalResult", description="The goal, or the problem."),
    ]:
        """Create or change the goal."""
        goal, created = await info.context.services.goals.upsert.upsert(
            await info.context.caller(),
            input.changes(),
            uid=input.id,
            client_key=input.client_key,
            space=input.space,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        # Another mutation of the same request may have cached the goal's earlier links.
        forget(info.context.loaders.links, goal.uid)
        return UpsertGoalPayload(goal=GoalType.from_record(goal), created=created)
