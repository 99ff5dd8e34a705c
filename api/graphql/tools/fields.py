"""Queries and mutations of tool invocations."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.evaluation.types import EvaluationType
from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.tools.types import (
    ToolConnection,
    ToolInvocationFilterInput,
    ToolInvocationType,
    ToolType,
    TrackToolInvocationPayload,
)
from prefrontal.api.graphql.turn_names import turn_uid_of, with_turn
from prefrontal.graph.tools.record import InvocationFilter, TrackToolInvocation


@strawberry.type
class ToolQuery:
    """Queries of tool invocations."""

    @strawberry.field(
        description="A tool invocation; null if it is unknown or not readable, or kept no longer."
    )
    async def tool_invocation(self, info: Context, id: strawberry.ID) -> ToolInvocationType | None:
        return ToolInvocationType.maybe(await info.context.loaders.tool_invocations.load(id))

    @strawberry.field(
        description="A page of the tool invocations that you may read, newest first. `turn { invocations }` "
        "has those of a turn in call order."
    )
    async def execution_log(
        self,
        info: Context,
        filter: ToolInvocationFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[ToolInvocationType]:
        tools, caller = info.context.services.tools, await info.context.caller()
        wanted = await with_turn(info, filter_of(filter, InvocationFilter))
        turn_uid = await turn_uid_of(info, wanted.turn_id)
        page = await tools.list(caller, wanted, turn_uid, first=first, after=after)
        return Connection.of(ToolInvocationType, page, partial(tools.count, caller, wanted, turn_uid))

    @strawberry.field(
        description="A page of the tools of your spaces by name, with how often each was used; the calls of "
        "a turn count once its outcome is recorded."
    )
    async def tools(self, info: Context, first: First = None, after: After = None) -> ToolConnection:
        found = await info.context.services.tools.uses(await info.context.caller(), first=first, after=after)
        return ToolConnection.of_page(ToolType, found)


@strawberry.type
class ToolMutation:
    """Mutations of tool invocations."""

    @mutation(
        "Records a call of a tool in a turn and what came back, also a failure. A new name of a turn begins "
        "it.",
        "The invocation, or the problem.",
    )
    async def track_tool_invocation(
        self, info: Context, command: TrackToolInvocation
    ) -> TrackToolInvocationPayload:
        """Record the call."""
        done = await info.context.services.turns.tracking.track(await info.context.caller(), command)
        return TrackToolInvocationPayload(
            invocation=ToolInvocationType.maybe(done.invocation),
            created=done.created,
            evaluations=[EvaluationType.from_record(each) for each in done.evaluations],
        )
