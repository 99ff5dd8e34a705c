"""Tool invocations as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.evaluation.types import EvaluationType
from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, list_field, node_field, space_field
from prefrontal.api.graphql.paging import UncountedPage
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.ids import Kind
from prefrontal.graph.tools.record import Invocation, InvocationFilter, InvocationStatus, ToolUse

strawberry.enum(
    InvocationStatus,
    name="ToolInvocationStatus",
    description="SUCCESS: the tool did what it was called for. FAILED: it did not; `error` says why.",
)

if TYPE_CHECKING:

    class ToolInvocationFilterInput:
        """The filter of `executionLog`, made from the record."""

else:
    ToolInvocationFilterInput = input_type(InvocationFilter, "ToolInvocationFilterInput")


@graphql_type_of(
    Invocation, "A call of a tool and what came back, in the execution log.", name="ToolInvocation"
)
class ToolInvocationType(RecordType, Node):
    """A tool invocation."""

    record: strawberry.Private[Invocation]
    space = space_field()
    turn = node_field(Kind.TURN, "turn_uid", "The turn in which the tool was called.")
    goal = node_field(Kind.GOAL, "goal_uid", "The goal for which the tool was called.")
    observations = list_field(
        "observations_of_invocations",
        Kind.OBSERVATION,
        "The observations that the call brought, oldest first.",
    )
    tool: str = strawberry.field(description="The name of the tool.")
    status: InvocationStatus
    error: str | None = strawberry.field(description="Why the call failed; null if it did not.")
    parameters: JSON = strawberry.field(description="What the tool was called with.")
    execution_time_ms: int = strawberry.field(
        description="How long the call took, in milliseconds; 0 if the caller did not say it."
    )
    execution_time_reported: bool = strawberry.field(
        description="Whether the caller said how long the call took."
    )
    called_at: datetime = strawberry.field(description="When the tool was called.")
    client_key: str | None
    result_preview: str = strawberry.field(description="The first characters of the result's JSON.")
    result_bytes: int = strawberry.field(description="The length of the result's JSON in UTF-8.")
    result_digest: str = strawberry.field(description="The SHA-256 of the result's JSON, in hexadecimal.")
    created_at: datetime
    created_by = actor_field("by_uid", "Who recorded the call")

    @strawberry.field(
        description="What the tool returned, whole. Of a failed call it has an `error`; what was not an "
        "object stands under `raw`."
    )
    async def result(self, info: Context) -> JSON:
        return await info.context.loaders.tool_results.load(self.record.uid)  # type: ignore[no-any-return]


@graphql_type_of(ToolUse, "A tool, and how often a space used it.", name="Tool", rename={"name": "key"})
class ToolType(RecordType):
    """A tool with its uses."""

    id: strawberry.ID
    space = space_field()
    name: str
    uses: int = strawberry.field(description="How often it was called.")
    successes: int = strawberry.field(description="How often it did what it was called for.")
    failures: int = strawberry.field(description="How often it failed.")
    last_used_at: datetime = strawberry.field(
        description="When the last outcome of a turn with it was recorded."
    )


@strawberry.type(description="A page of tools.")
class ToolConnection(UncountedPage[ToolType]):
    """A page of tools."""


@strawberry.type(description="The invocation.")
class TrackToolInvocationPayload:
    """The result of `trackToolInvocation`."""

    invocation: ToolInvocationType | None = strawberry.field(
        description="Null if the database did not take it: then it is kept, cannot be read yet, and is tried "
        "again by the next `commitTurn` of the space."
    )
    created: bool = strawberry.field(
        description="Whether it is new; an invocation that its `clientKey` names is recorded once."
    )
    evaluations: list[EvaluationType] = strawberry.field(
        description="The decision about each observation that the call brought, oldest first, with the "
        "reasons."
    )
