"""Queries and mutations of goals."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import (
    CreateGoalInput,
    CreateGoalPayload,
    GoalConnection,
    GoalFilterInput,
    GoalLineageType,
    GoalType,
    LinkObservationInput,
    LinkObservationPayload,
    ProgressResultType,
    TransitionGoalInput,
    TransitionGoalPayload,
    UnlinkObservationInput,
    UnlinkObservationPayload,
    UpdateProgressInput,
    UpdateProgressPayload,
)
from prefrontal.api.graphql.inputs import named, spelled
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import NotFound
from prefrontal.graph.storage.paging import checked_first


@strawberry.type
class GoalQuery:
    """Queries of goals."""

    @strawberry.field(description="A goal; null if it is unknown or not readable.")
    async def goal(self, info: Context, id: strawberry.ID) -> GoalType | None:
        """Return the goal."""
        found = await info.context.loaders.goals.load(id)
        return GoalType.from_record(found) if found else None

    @strawberry.field(description="A page of goals, most urgent first.")
    async def goals(
        self,
        info: Context,
        filter: GoalFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> GoalConnection:
        """Return the page."""
        statuses = list(filter.status) if filter and filter.status is not None else None
        goal_type = filter.goal_type if filter else None
        if goal_type is not None:
            most = info.context.services.catalog.limits.key_characters
            goal_type = named(goal_type, "filter.goalType", most)
        page = await info.context.services.goals.service.list(
            await info.context.caller(), statuses=statuses, goal_type=goal_type, first=first, after=after
        )
        return GoalConnection.from_page(page, statuses, goal_type)

    @strawberry.field(description="The active goals (pending, in progress, blocked), most urgent first.")
    async def active_goals(
        self,
        info: Context,
        limit: Annotated[int, strawberry.argument(description="1 to 100.")] = 20,
    ) -> list[GoalType]:
        """Return the goals."""
        page = await info.context.services.goals.service.list(
            await info.context.caller(), first=checked_first(limit, field="limit")
        )
        return [GoalType.from_record(goal) for goal in page.items]

    @strawberry.field(
        description="The lineage of a goal: what it comes from and what depends on it, as nodes and edges "
        "of a graph; null if the goal is unknown or not readable."
    )
    async def goal_lineage(
        self,
        info: Context,
        id: strawberry.ID,
        depth: Annotated[int | None, strawberry.argument(description="1 to 20; default 5.")] = None,
        at: Annotated[
            datetime | None,
            strawberry.argument(
                description="The lineage as it was at this time, links included; default: now."
            ),
        ] = None,
    ) -> GoalLineageType | None:
        """Return the lineage."""
        try:
            lineage = await info.context.services.goals.service.lineage(
                await info.context.caller(), id, depth, at
            )
        except NotFound:
            return None
        return GoalLineageType.from_record(lineage)


@strawberry.type
class GoalMutation:
    """Mutations of goals."""

    @strawberry.mutation(
        description="Creates a goal with its evidence and pending actions in one transaction.",
        extensions=[WRITES],
    )
    async def create_goal(
        self,
        info: Context,
        input: CreateGoalInput,
    ) -> Annotated[
        CreateGoalPayload | Problem,
        strawberry.union("CreateGoalResult", description="The new goal, or the problem."),
    ]:
        """Create the goal."""
        with spelled(input.spellings()):
            goal = await info.context.services.goals.service.create(
                await info.context.caller(),
                input.draft(),
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
            )
        return CreateGoalPayload(goal=GoalType.from_record(goal))

    @strawberry.mutation(description="Changes the status of a goal.", extensions=[WRITES])
    async def transition_goal(
        self,
        info: Context,
        input: TransitionGoalInput,
    ) -> Annotated[
        TransitionGoalPayload | Problem,
        strawberry.union("TransitionGoalResult", description="The goal with its new status, or the problem."),
    ]:
        """Change the status of the goal."""
        goal = await info.context.services.goals.transitions.transition(
            await info.context.caller(),
            input.id,
            input.status,
            reason=input.reason,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return TransitionGoalPayload(goal=GoalType.from_record(goal))

    @strawberry.mutation(
        description="Adds fractions to the progress of goals: all or none.", extensions=[WRITES]
    )
    async def update_progress(
        self,
        info: Context,
        input: UpdateProgressInput,
    ) -> Annotated[
        UpdateProgressPayload | Problem,
        strawberry.union(
            "UpdateProgressResult", description="The new progress of the goals, or the problem."
        ),
    ]:
        """Apply the deltas."""
        results = await info.context.services.goals.transitions.update_progress(
            await info.context.caller(),
            input.drafts(),
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return UpdateProgressPayload(results=[ProgressResultType.from_record(result) for result in results])

    @strawberry.mutation(
        description="Links an observation to a goal as evidence. Each observation adds to the goal's "
        "progress once.",
        extensions=[WRITES],
    )
    async def link_observation(
        self,
        info: Context,
        input: LinkObservationInput,
    ) -> Annotated[
        LinkObservationPayload | Problem,
        strawberry.union(
            "LinkObservationResult", description="The goal's progress after the link, or the problem."
        ),
    ]:
        """Link the observation."""
        result = await info.context.services.goals.evidence.link(
            await info.context.caller(),
            input.goal_id,
            input.draft(),
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return LinkObservationPayload(result=ProgressResultType.from_record(result))

    @strawberry.mutation(
        description="Ends the link of an observation to a goal and subtracts what the link had added to the "
        "progress.",
        extensions=[WRITES],
    )
    async def unlink_observation(
        self,
        info: Context,
        input: UnlinkObservationInput,
    ) -> Annotated[
        UnlinkObservationPayload | Problem,
        strawberry.union(
            "UnlinkObservationResult", description="The goal's progress without the link, or the problem."
        ),
    ]:
        """Unlink the observation."""
        result = await info.context.services.goals.evidence.unlink(
            await info.context.caller(),
            input.goal_id,
            input.observation_id,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return UnlinkObservationPayload(result=ProgressResultType.from_record(result))
