"""Observations as GraphQL types."""

from __future__ import annotations

from asyncio import gather
from datetime import datetime
from typing import TYPE_CHECKING

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.input_types import input_type, register_input
from prefrontal.api.graphql.mentions import mentions_field
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import (
    NamedLazyType,
    actor_field,
    list_field,
    node_field,
    space_field,
    turn_of,
)
from prefrontal.api.graphql.paging import Connection
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.ids import Kind
from prefrontal.graph.scratch.record import (
    Conflict,
    ConflictKind,
    ConflictSource,
    Observation,
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationOrder,
    ObservationStatus,
    Source,
    SourceKind,
    Sweep,
)
from prefrontal.graph.scratch.rules import minutes_left
from prefrontal.graph.storage.paging import MOST_FIRST

strawberry.enum(
    ObservationStatus,
    name="ObservationStatus",
    description="The status of an observation. An active one reads as EXPIRED from its `expiresAt` on.",
)
strawberry.enum(ObservationOrder, name="ObservationOrder", description="The order of a list of observations.")
strawberry.enum(SourceKind, name="SourceKind", description="The kind of source of an observation.")


strawberry.enum(
    ConflictKind, name="ConflictKind", description="The difference between two contradicting observations."
)
strawberry.enum(
    ConflictSource,
    name="ConflictSource",
    description="How a contradiction was found: a client declared it, the service detected it in texts that "
    "are equal except for one thing, or it inferred it from texts in different words. What is inferred is "
    "shown and can be asked about; it withholds no progress.",
)


@graphql_type_of(Conflict, "A contradiction between two observations.", name="ObservationConflict")
class ObservationConflictType(RecordType):
    """A contradiction."""

    how: ConflictSource
    kind: ConflictKind | None = strawberry.field(
        description="The difference between the two; null if the contradiction was declared and the wording "
        "shows none."
    )
    since: datetime
    open: bool = strawberry.field(
        description="Whether both observations are still active: neither has been resolved, archived or has "
        "expired."
    )

    @strawberry.field(description="Two observations: the later one, and the one that it contradicts.")
    async def observations(self, info: Context) -> list[ObservationType]:
        found = await info.context.loaders.observations.load_many(self.record.observation_ids)
        return [ObservationType.from_record(item) for item in found if item is not None]


@graphql_type_of(Source, "The source of an observation: who or what noticed it, in which turn, and when.")
class SourceType(RecordType):
    """The source of an observation."""

    kind: SourceKind | None
    name: str | None
    turn_id: str | None
    timestamp: datetime | None


@graphql_type_of(ObservationContext, "The goal or user that an observation relates to.")
class ObservationContextType(RecordType):
    """The context of an observation."""

    goal = node_field(
        Kind.GOAL, "goal_id", "The goal that the observation names; null if it is unknown or not readable."
    )
    goal_key: str | None = strawberry.field(description="A common name for related observations and goals.")
    user_id: str | None


@graphql_type_of(
    Observation,
    "An observation: a low-commitment note on the scratch page; it expires at `expiresAt`.",
    rename={"expires_at": "expiry"},
)
class ObservationType(RecordType, Node):
    """An observation."""

    record: strawberry.Private[Observation]
    space = space_field()
    type: str
    content: str = strawberry.field(description="The text as the client gave it.")
    confidence: float = strawberry.field(description="0–1.")
    tags: list[str]
    status: ObservationStatus
    source: SourceType
    context: ObservationContextType
    ttl_minutes: float
    metadata: JSON | None
    client_key: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = strawberry.field(
        description="When the observation expires; null if it is pinned, because it does not."
    )
    archived_at: datetime | None
    pinned: bool = strawberry.field(
        description="Whether the observation is pinned; a pinned observation does not expire."
    )
    created_by = actor_field("by_uid", "Who added the observation")
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )
    goals = list_field(
        "supported",
        NamedLazyType("goals.types", "SupportedGoalConnection"),
        "The readable goals that the observation is evidence of, oldest link first.",
    )
    conflicts = list_field(
        "conflicts",
        ObservationConflictType,
        "The contradictions with other readable observations, newest first.",
    )

    tool_invocations = list_field(
        "invocations_of_observations",
        Kind.TOOL_INVOCATION,
        "The tool invocations that brought the observation, in call order, as far as they are still kept.",
    )
    entities = mentions_field("The people and things that the observation mentions by name.")
    turn = turn_of()

    @strawberry.field(
        description="Minutes until the observation expires; null if it is pinned or no longer active."
    )
    def fades_in_minutes(self, info: Context) -> float | None:
        return minutes_left(self.record, info.context.now)

    @strawberry.field(description="Whether the observation is evidence of a readable goal.")
    async def linked_to_goal(self, info: Context) -> bool:
        return bool(await info.context.loaders.linked_goals.load(self.record.uid))


@strawberry.type(
    description="A page of observations: the best matches of the filter's `query` first, then newest first."
)
class ObservationSearchConnection(Connection[ObservationType]):
    """A page of observations."""

    query_time_ms: float = strawberry.field(
        description="How long the database took for this page, in milliseconds."
    )
    partial: bool = strawberry.field(
        description="Whether the deadline passed: the page then holds only the observations found until "
        "then, and `totalCount` is their number; use a smaller page or filter."
    )

    @strawberry.field(
        description="The contradictions between the page's observations and any others, each once. The "
        "service does not decide which side is right. At most 100 of each observation; looked up only if the "
        "field is selected."
    )
    async def conflicts(self, info: Context) -> list[ObservationConflictType]:
        lists = info.context.loaders.conflicts
        found = await gather(*(lists.page(node.record.uid, MOST_FIRST, None) for node in self.nodes))
        pairs = {(c.source_id, c.target_id): c for page in found for c in page.items}
        return [ObservationConflictType.from_record(conflict) for conflict in pairs.values()]


@register_input(Source)
@strawberry.input(
    description="The source of an observation. `tool` and `daemon` are short forms of `kind` and `name`."
)
class SourceInput:
    """The source of a new observation."""

    kind: SourceKind | None = None
    name: str | None = None
    tool: str | None = None
    daemon: str | None = None
    turn_id: str | None = None
    timestamp: datetime | None = None

    def values(self, path: str) -> dict[str, object]:
        """Return the values of the draft; raise `InvalidInput` if the source is named in two ways."""
        named = [
            (kind, name)
            for kind, name in (
                (self.kind, self.name),
                (SourceKind.TOOL, self.tool),
                (SourceKind.DAEMON, self.daemon),
            )
            if name is not None
        ]
        if len(named) > 1:
            raise InvalidInput("give exactly one of name, tool and daemon", field=path)
        kind, name = named[0] if named else (self.kind, None)
        if self.kind is not None and self.kind is not kind:
            raise InvalidInput(f"contradicts `{kind}`; omit `kind`", field=f"{path}.kind")
        return {"kind": kind, "name": name, "turn_id": self.turn_id, "timestamp": self.timestamp}

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        given = [name for name, text in (("tool", self.tool), ("daemon", self.daemon)) if text is not None]
        return {f"{path}.name": f"{path}.{name}" for name in given}


EntityInput = input_type(EntityName, "EntityInput")

if TYPE_CHECKING:

    class ObservationInput:
        """A new observation; the class is made from the draft."""

    class ObservationFilterInput:
        """The filter of `observations`; the class is made from the record."""

else:
    ObservationInput = input_type(ObservationDraft)
    ObservationFilterInput = input_type(ObservationFilter)


@graphql_type_of(
    Sweep,
    "The numbers of expired observations that this call archived or deleted.",
    name="SweepExpiredPayload",
)
class SweepExpiredPayload(RecordType):
    """The result of `sweepExpired`."""

    archived: int = strawberry.field(
        description="The number of observations that were kept, with status EXPIRED."
    )
    deleted: int
    has_more: bool = strawberry.field(
        description="Whether more expired observations remain: one call handles one batch. Call again with "
        "a new `idempotencyKey`."
    )


@strawberry.type
class _OneObservation:
    observation: ObservationType


@strawberry.type(description="The changed observation.")
class UpdateObservationPayload(_OneObservation):
    """The result of `updateObservation`."""


@strawberry.type(description="The resolved observation.")
class ResolveObservationPayload(_OneObservation):
    """The result of `resolveObservation`."""


@strawberry.type(description="The archived observation.")
class ArchiveObservationPayload(_OneObservation):
    """The result of `archiveObservation`."""


@strawberry.type(description="The pinned or unpinned observation.")
class PinObservationPayload(_OneObservation):
    """The result of `pinObservation`."""


@strawberry.type
class _ManyObservations:
    observations: list[ObservationType]


@strawberry.type(description="The changed observations, in the order of the input.")
class UpdateObservationsPayload(_ManyObservations):
    """The result of `updateObservations`."""


@strawberry.type(description="The resolved observations, in the order of the input.")
class ResolveObservationsPayload(_ManyObservations):
    """The result of `resolveObservations`."""


@strawberry.type(description="The archived observations, in the order of the input.")
class ArchiveObservationsPayload(_ManyObservations):
    """The result of `archiveObservations`."""
