"""Queries and mutations of goals."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated

import strawberry

from prefrontal.api.graphql.access.types import ActorRef
from prefrontal.api.graphql.goals.types import (
    CreateGoalPayload,
    GoalFilterInput,
    GoalLineageType,
    GoalSuggestionType,
    GoalType,
    LinkObservationPayload,
    LinkObservationsPayload,
    ProgressResultType,
    ShareGoalPayload,
    TransitionGoalPayload,
    TransitionGoalsPayload,
    UnlinkObservationPayload,
    UnshareGoalPayload,
    UpdateEvidencePayload,
    UpdateGoalsPayload,
    UpdateProgressPayload,
    UpsertGoalPayload,
)
from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.registry.types import TypeWarningType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    GoalFilter,
    GoalOrder,
    LinkObservation,
    LinkObservations,
    ShareGoal,
    TransitionGoal,
    TransitionGoals,
    UnlinkObservation,
    UnshareGoal,
    UpdateEvidence,
    UpdateGoals,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.errors import NotFound
from prefrontal.graph.registry.overrides.record import TypeWarning
from prefrontal.graph.storage.paging import checked_first


@strawberry.type
class GoalQuery:
    """Queries of goals."""

    @strawberry.field(description="A goal; null if it is unknown or not readable.")
    async def goal(self, info: Context, id: strawberry.ID) -> GoalType | None:
        return GoalType.maybe(await info.context.loaders.goals.load(id))

    @strawberry.field(description="A page of goals, by default most urgent first.")
    async def goals(
        self,
        info: Context,
        filter: GoalFilterInput | None = None,
        order_by: Annotated[
            GoalOrder,
            strawberry.argument(
                description="Default: PRIORITY, most urgent first and newest first among equals. CREATED_AT: "
                "newest first. UPDATED_AT: last changed first."
            ),
        ] = GoalOrder.PRIORITY,
        first: First = None,
        after: After = None,
    ) -> Connection[GoalType]:
        goals, caller = info.context.services.goals.service, await info.context.caller()
        wanted = filter_of(filter, GoalFilter)
        page = await goals.list(caller, wanted, order_by, first=first, after=after)
        return Connection.of(GoalType, page, partial(goals.count, caller, wanted))

    @strawberry.field(
        description="Your active goals (pending, in progress, blocked), most urgent first: those for your "
        "agent or your person, and those that you created."
    )
    async def active_goals(
        self,
        info: Context,
        limit: Annotated[int, strawberry.argument(description="1 to 100.")] = 20,
        *,
        of_all: Annotated[
            bool,
            strawberry.argument(
                name="all", description="True: all active goals that you may read, also those of others."
            ),
        ] = False,
    ) -> list[GoalType]:
        goals, caller = info.context.services.goals.service, await info.context.caller()
        first = checked_first(limit, field="limit")
        found = (await goals.list(caller, first=first)).items if of_all else await goals.own(caller, first)
        return [GoalType.from_record(goal) for goal in found]

    @strawberry.field(
        description="The lineage of a goal: what it comes from and what depends on it, as nodes and edges "
        "of a graph, with the latest outcomes of turns that wrote each goal and tool calls for it; "
        "null if the goal is unknown or not readable."
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
        goals = info.context.services.goals.service
        try:
            lineage = await goals.lineage(await info.context.caller(), id, depth, at)
        except NotFound:
            return None
        return GoalLineageType.from_record(lineage)

    @strawberry.field(
        description="The active goals that an observation most likely speaks for, likeliest first, to link "
        "it to one of them. It is not linked to any of them yet. Null if the observation is unknown or not "
        "readable."
    )
    async def suggest_goals(
        self,
        info: Context,
        observation_id: strawberry.ID,
        limit: Annotated[int, strawberry.argument(description="1 to 100.")] = 5,
    ) -> list[GoalSuggestionType] | None:
        suggestions = info.context.services.goals.suggestions
        try:
            found = await suggestions.suggest(await info.context.caller(), observation_id, limit)
        except NotFound:
            return None
        return [GoalSuggestionType.from_record(each) for each in found]


@strawberry.type
class GoalMutation:
    """Mutations of goals."""

    @mutation(
        "Creates a goal with its evidence and pending actions in one transaction.",
        "The new goal, or the problem.",
    )
    async def create_goal(self, info: Context, command: CreateGoal) -> CreateGoalPayload:
        warnings: list[TypeWarning] = []
        goals = info.context.services.goals.service
        goal = await goals.create(await info.context.caller(), command, warnings)
        return CreateGoalPayload(
            goal=GoalType.from_record(goal),
            warnings=[TypeWarningType.from_record(warning) for warning in warnings],
        )

    @mutation(
        "Creates a goal, or changes the fields and links of an existing one.", "The goal, or the problem."
    )
    async def upsert_goal(self, info: Context, command: UpsertGoal) -> UpsertGoalPayload:
        """Create or change the goal."""
        goal, created = await info.context.services.goals.upsert.upsert(await info.context.caller(), command)
        return UpsertGoalPayload(goal=GoalType.from_record(goal), created=created)

    @mutation(
        "Changes the status of a goal. An agent completes no goal that waits for a user (`blocked`).",
        "The goal with its new status, or the problem.",
    )
    async def transition_goal(self, info: Context, command: TransitionGoal) -> TransitionGoalPayload:
        """Change the status of the goal."""
        goal = await info.context.services.goals.transitions.transition(await info.context.caller(), command)
        return TransitionGoalPayload(goal=GoalType.from_record(goal))

    @mutation(
        "Changes the fields and links of up to 100 goals as `upsertGoal` does: all or none.",
        "The goals, or the problem; its field names the entry, e.g. `goals[3].title`.",
    )
    async def update_goals(self, info: Context, command: UpdateGoals) -> UpdateGoalsPayload:
        """Change the goals."""
        goals = await info.context.services.goals.upsert.update_all(await info.context.caller(), command)
        return UpdateGoalsPayload(goals=[GoalType.from_record(goal) for goal in goals])

    @mutation(
        "Changes the status of up to 100 goals, e.g. to archive them: all or none.",
        "The goals with their new statuses, or the problem; its field names the entry, e.g. `goals[3].id`.",
    )
    async def transition_goals(self, info: Context, command: TransitionGoals) -> TransitionGoalsPayload:
        """Change the statuses of the goals."""
        transitions = info.context.services.goals.transitions
        goals = await transitions.transition_all(await info.context.caller(), command)
        return TransitionGoalsPayload(goals=[GoalType.from_record(goal) for goal in goals])

    @mutation(
        "Adds fractions to the progress of goals: all or none.",
        "The new progress of the goals, or the problem.",
    )
    async def update_progress(self, info: Context, command: UpdateProgress) -> UpdateProgressPayload:
        """Apply the deltas."""
        results = await info.context.services.goals.transitions.update_progress(
            await info.context.caller(), command
        )
        return UpdateProgressPayload(results=[ProgressResultType.from_record(result) for result in results])

    @mutation(
        "Links an observation to a goal as evidence. Each observation adds to the goal's progress once.",
        "The goal's progress after the link, or the problem.",
    )
    async def link_observation(self, info: Context, command: LinkObservation) -> LinkObservationPayload:
        result = await info.context.services.goals.evidence.link(await info.context.caller(), command)
        return LinkObservationPayload(result=ProgressResultType.from_record(result))

    @mutation(
        "Links up to 100 observations to goals as evidence: all or none.",
        "The goals' progress after the links, or the problem; its field names the entry, e.g. "
        "`links[3].goalId`.",
    )
    async def link_observations(self, info: Context, command: LinkObservations) -> LinkObservationsPayload:
        results = await info.context.services.goals.evidence.link_all(await info.context.caller(), command)
        return LinkObservationsPayload(results=[ProgressResultType.from_record(result) for result in results])

    @mutation(
        "Ends the link of an observation to a goal and subtracts what the link had added to the progress. A "
        "goal that evidence alone had begun is pending again once nothing of that progress is left.",
        "The goal's progress without the link, or the problem.",
    )
    async def unlink_observation(self, info: Context, command: UnlinkObservation) -> UnlinkObservationPayload:
        result = await info.context.services.goals.evidence.unlink(await info.context.caller(), command)
        return UnlinkObservationPayload(result=ProgressResultType.from_record(result))

    @mutation(
        "Changes the confidence or the note of the link of an observation to a goal. The link as it was "
        "stays in the history, and the goal's progress counts the new confidence.",
        "The goal's progress with the changed link, or the problem.",
    )
    async def update_evidence(self, info: Context, command: UpdateEvidence) -> UpdateEvidencePayload:
        """Change the link."""
        result = await info.context.services.goals.evidence.update(await info.context.caller(), command)
        return UpdateEvidencePayload(result=ProgressResultType.from_record(result))

    @mutation(
        "Shares a goal that you administer, with everything below it in its space, with an agent or a "
        "person of your organisation.",
        "The share, or the problem.",
    )
    async def share_goal(self, info: Context, command: ShareGoal) -> ShareGoalPayload:
        actor_id = await info.context.services.goals.sharing.share(await info.context.caller(), command)
        return ShareGoalPayload(record=ActorRef(actor_id), permission=command.permission)

    @mutation(
        "Ends the share of a goal that you administer, immediately and for everything below the goal.",
        "The actor whose share ended, or the problem.",
    )
    async def unshare_goal(self, info: Context, command: UnshareGoal) -> UnshareGoalPayload:
        """End the share."""
        actor_id = await info.context.services.goals.sharing.unshare(await info.context.caller(), command)
        return UnshareGoalPayload(record=ActorRef(actor_id))
