"""Observations as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.inputs import draft, key_field, turn_field, version_field
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.scratch.record import (
    Conflict,
    ConflictKind,
    ConflictSource,
    Observation,
    ObservationChanges,
    ObservationDraft,
    ObservationFilter,
    ObservationPage,
    ObservationStatus,
    SourceKind,
)
from prefrontal.graph.scratch.rules import minutes_left
from prefrontal.graph.validation import at

strawberry.enum(
    ObservationStatus,
    name="ObservationStatus",
    description="Where an observation is in its life. Past its `expiresAt` an active one reads as EXPIRED.",
)
strawberry.enum(SourceKind, name="SourceKind", description="What kind of thing noticed something.")


strawberry.enum(
    ConflictKind, name="ConflictKind", description="In what two contradicting observations differ."
)
strawberry.enum(
    ConflictSource,
    name="ConflictSource",
    description="How a contradiction came to be known: a caller declared it, or it was detected.",
)


@strawberry.type(name="ObservationConflict", description="That two observations contradict each other.")
class ObservationConflictType:
    """A contradiction."""

    observation_ids: list[strawberry.ID] = strawberry.field(
        description="Two: the one that came later, and the one it contradicts."
    )
    how: ConflictSource
    kind: ConflictKind | None = strawberry.field(
        description="In what they differ; null when it was declared and is no difference of wording."
    )
    since: datetime
    open: bool = strawberry.field(
        description="Both are active: nobody has resolved, archived or outlived one of them yet."
    )

    @classmethod
    def from_record(cls, conflict: Conflict) -> ObservationConflictType:
        """Return the type of a record."""
        return cls(
            observation_ids=[strawberry.ID(conflict.source_id), strawberry.ID(conflict.target_id)],
            how=conflict.how,
            kind=conflict.kind,
            since=conflict.since,
            open=conflict.open,
        )


@strawberry.type(name="Source", description="Who or what noticed it, in which turn, and when.")
class SourceType:
    """The source of an observation."""

    kind: SourceKind | None
    name: str | None
    turn_id: str | None
    timestamp: datetime | None


@strawberry.type(name="ObservationContext", description="What an observation relates to.")
class ObservationContextType:
    """The context of an observation."""

    goal_id: strawberry.ID | None
    goal_key: str | None = strawberry.field(description="A name that related observations and goals share.")
    user_id: str | None


@strawberry.type(name="EntityMention", description="An entity as an observation names it.")
class EntityMention:
    """A mention."""

    name: str = strawberry.field(description="As it was written there.")
    kind: str | None

    @strawberry.field(description="The id of the `Entity`.")
    async def entity_id(self, info: Context) -> strawberry.ID:
        """Return the entity's id."""
        return strawberry.ID(entity_id((await info.context.caller()).org_id, self.name))


@strawberry.input(description="An entity by its name: equal names, but for case and white space, are one.")
class EntityInput:
    """An entity that an observation mentions."""

    name: str
    kind: str | None = strawberry.field(default=None, description="Any word: person, place, product …")


def _names(given: list[EntityInput]) -> tuple[dict[str, str | None], ...]:
    return tuple({"name": entity.name, "kind": entity.kind} for entity in given)


@strawberry.type(
    name="Observation", description="A low-commitment note on the scratch page; it fades at `expiresAt`."
)
class ObservationType(Node):
    """An observation."""

    record: strawberry.Private[Observation]
    space: strawberry.ID
    type: str
    content: str = strawberry.field(description="As it was given, unchanged.")
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
    expires_at: datetime = strawberry.field(description="When it fades.")
    archived_at: datetime | None
    pinned: bool = strawberry.field(description="It does not fade while it is pinned.")
    created_by: strawberry.ID
    version: int = strawberry.field(description="Give it as `expectedVersion` to change it safely.")
    entities: list[EntityMention] = strawberry.field(description="Who and what it mentions by name.")

    @strawberry.field(
        description="How long until it fades; null when it does not, or is not active any more."
    )
    def fades_in_minutes(self, info: Context) -> float | None:
        """Return the minutes that are left."""
        return minutes_left(self.record, info.context.now)

    @strawberry.field(description="The readable goals this is evidence of, oldest link first.")
    async def linked_goal_ids(self, info: Context) -> list[strawberry.ID]:
        """Return the goals' ids."""
        goals = await info.context.loaders.linked_goals.load(self.record.uid)
        return [strawberry.ID(uid) for uid in goals]

    @strawberry.field(
        description="What it contradicts and what contradicts it, newest first; only what is readable."
    )
    async def conflicts(self, info: Context) -> list[ObservationConflictType]:
        """Return the contradictions."""
        found = await info.context.loaders.conflicts.load(self.record.uid)
        return [ObservationConflictType.from_record(conflict) for conflict in found]

    @strawberry.field(description="Whether it is evidence of a readable goal.")
    async def linked_to_goal(self, info: Context) -> bool:
        """Tell whether there is such a goal."""
        return bool(await info.context.loaders.linked_goals.load(self.record.uid))

    @classmethod
    def from_record(cls, o: Observation) -> ObservationType:
        """Return the type of a record."""
        return cls(
            record=o,
            id=strawberry.ID(o.uid),
            space=strawberry.ID(o.scope_id),
            type=o.type,
            content=o.content,
            confidence=o.confidence,
            tags=list(o.tags),
            status=o.status,
            source=SourceType(
                kind=o.source.kind,
                name=o.source.name,
                turn_id=o.source.turn_id,
                timestamp=o.source.timestamp,
            ),
            context=ObservationContextType(
                goal_id=strawberry.ID(o.context.goal_id) if o.context.goal_id else None,
                goal_key=o.context.goal_key,
                user_id=o.context.user_id,
            ),
            ttl_minutes=o.ttl_minutes,
            metadata=JSON(o.metadata) if o.metadata is not None else None,
            client_key=o.client_key,
            created_at=o.created_at,
            updated_at=o.updated_at,
            expires_at=o.expires_at,
            archived_at=o.archived_at,
            pinned=o.pinned,
            created_by=strawberry.ID(o.by_uid),
            version=o.version,
            entities=[EntityMention(name=entity.name, kind=entity.kind) for entity in o.entities],
        )


@strawberry.type(description="An observation in a page.")
class ObservationEdge:
    """An edge of the connection."""

    cursor: str
    node: ObservationType


@strawberry.type(
    description="A page of observations: the best matches of the filter's `query`, then newest first."
)
class ObservationConnection:
    """A page of observations."""

    wanted: strawberry.Private[ObservationFilter]
    edges: list[ObservationEdge]
    nodes: list[ObservationType]
    page_info: PageInfo
    query_time_ms: float = strawberry.field(description="How long the database took for this page.")
    partial: bool = strawberry.field(
        description="The deadline passed and the page holds what was found until then; ask for less."
    )

    @strawberry.field(description="Every match, whatever the page; counted only when asked for.")
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.scratch.service.count(await info.context.caller(), self.wanted)

    @strawberry.field(
        description="The contradictions among the page's observations, and of these with others; each once. "
        "All sides are returned and none is held to be right. Looked up only when asked for."
    )
    async def conflicts(self, info: Context) -> list[ObservationConflictType]:
        """Return the contradictions."""
        found = await info.context.loaders.conflicts.load_many([node.record.uid for node in self.nodes])
        pairs = {(c.source_id, c.target_id): c for conflicts in found for c in conflicts}
        return [ObservationConflictType.from_record(conflict) for conflict in pairs.values()]

    @classmethod
    def from_page(cls, page: ObservationPage, wanted: ObservationFilter) -> ObservationConnection:
        """Return the connection of a page."""
        nodes = [ObservationType.from_record(item) for item in page.items]
        return cls(
            wanted=wanted,
            edges=[ObservationEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
            query_time_ms=page.query_time_ms,
            partial=page.partial,
        )


@strawberry.input(description="Who or what noticed it. `tool` and `daemon` are short for kind and name.")
class SourceInput:
    """The source of a new observation."""

    kind: SourceKind | None = None
    name: str | None = None
    tool: str | None = None
    daemon: str | None = None
    turn_id: str | None = None
    timestamp: datetime | None = None

    def values(self, path: str) -> dict[str, object]:
        """Return the values of the draft; raise `InvalidInput` when it is named in two ways."""
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
            raise InvalidInput(f"says something else than `{kind}`", field=f"{path}.kind")
        return {"kind": kind, "name": name, "turn_id": self.turn_id, "timestamp": self.timestamp}

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that were given under another name, as problems name them."""
        given = [name for name, text in (("tool", self.tool), ("daemon", self.daemon)) if text is not None]
        return {f"{path}.name": f"{path}.{name}" for name in given}


@strawberry.input(description="What a new observation relates to.")
class ObservationContextInput:
    """The context of a new observation."""

    goal_id: strawberry.ID | None = None
    goal_key: str | None = None
    user_id: str | None = None


@strawberry.input(description="An observation to add; all but `content` may be left out.")
class ObservationInput:
    """A new observation."""

    content: str
    type: str | None = strawberry.field(default=None, description="Default `contextual_insight`.")
    confidence: float | None = strawberry.field(default=None, description="0–1; default 0.5.")
    tags: list[str] = strawberry.field(default_factory=list)
    source: SourceInput | None = None
    context: ObservationContextInput | None = None
    ttl_minutes: float | None = strawberry.field(
        default=None, description="How long it stays active; default 1440, 0 expires it at once."
    )
    metadata: JSON | None = strawberry.field(default=None, description="An object, kept as it is.")
    client_key: str | None = strawberry.field(
        default=None, description="Your own id; adding the same observation under it again gives the first."
    )
    contradicts: list[strawberry.ID] = strawberry.field(
        default_factory=list,
        description="Observations that it contradicts, as you know; what its wording shows is found without.",
    )

    entities: list[EntityInput] = strawberry.field(
        default_factory=list, description="Who and what it mentions by name."
    )

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that were given under another name, as problems name them."""
        return self.source.spellings(at(path, "source")) if self.source else {}

    def draft(self, path: str) -> ObservationDraft:
        """Return the draft; raise `InvalidInput` for values of the wrong form."""
        return draft(
            ObservationDraft,
            {
                "content": self.content,
                "type": self.type,
                "confidence": self.confidence,
                "tags": tuple(self.tags),
                "source": self.source.values(at(path, "source")) if self.source else {},
                "context": {
                    "goal_id": self.context.goal_id,
                    "goal_key": self.context.goal_key,
                    "user_id": self.context.user_id,
                }
                if self.context
                else {},
                "ttl_minutes": self.ttl_minutes,
                "metadata": self.metadata,
                "client_key": self.client_key,
                "contradicts": tuple(self.contradicts),
                "entities": _names(self.entities),
            },
            path,
        )


@strawberry.input(description="Which observations; everything given must hold.")
class ObservationFilterInput:
    """The filter of `observations`."""

    tags: list[str] = strawberry.field(
        default_factory=list, description="Each must be there; case and width do not matter."
    )
    status: list[ObservationStatus] | None = strawberry.field(
        default=None, description="Any of them; default ACTIVE."
    )
    types: list[str] = strawberry.field(default_factory=list, description="Any of them.")
    min_confidence: float | None = strawberry.field(default=None, description="Inclusive.")
    goal_id: strawberry.ID | None = strawberry.field(
        default=None, description="Is evidence of the goal, or names it in its context."
    )
    goal_key: str | None = None
    user_id: str | None = None
    entities: list[str] = strawberry.field(
        default_factory=list, description="Names, in any spelling; each must be mentioned."
    )
    query: str | None = strawberry.field(
        default=None,
        description="Only orders: the best matches of this text come first, all others follow, newest first.",
    )

    def wanted(self) -> ObservationFilter:
        """Return the filter; raise `InvalidInput` for values out of range."""
        return draft(
            ObservationFilter,
            {
                "tags": tuple(self.tags),
                "statuses": (ObservationStatus.ACTIVE,) if self.status is None else tuple(self.status),
                "types": tuple(self.types),
                "min_confidence": self.min_confidence,
                "goal_id": self.goal_id,
                "goal_key": self.goal_key,
                "user_id": self.user_id,
                "entities": tuple(self.entities),
                "query": self.query,
            },
            "filter",
        )


@strawberry.input
class _Named:
    id: strawberry.ID


@strawberry.input
class StepInput(_Named):
    """What the input of every step in an observation's life has, in this order, after what is its own."""

    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input
class _Changes(_Named):
    content: str | None = None
    type: str | None = None
    confidence: float | None = strawberry.field(default=None, description="0–1.")
    tags: list[str] | None = strawberry.field(default=None, description="All its tags from now on.")
    ttl_minutes: float | None = strawberry.field(default=None, description="How long it lives from now.")
    metadata: JSON | None = None
    entities: list[EntityInput] | None = strawberry.field(
        default=None, description="All that it mentions from now on."
    )

    def changes(self) -> ObservationChanges:
        """Return the changes; raise `InvalidInput` for values out of range."""
        return draft(
            ObservationChanges,
            {
                "content": self.content,
                "type": self.type,
                "confidence": self.confidence,
                "tags": tuple(self.tags) if self.tags is not None else None,
                "ttl_minutes": self.ttl_minutes,
                "metadata": self.metadata,
                "entities": _names(self.entities) if self.entities is not None else None,
            },
        )


@strawberry.input
class _Pinned(_Named):
    pinned: bool = strawberry.field(
        default=True, description="False lets it fade again, `ttlMinutes` from now."
    )


@strawberry.input(description="Which observation to change, and what of it; what is left out stays.")
class UpdateObservationInput(_Changes, StepInput):
    """The input of `updateObservation`."""


@strawberry.input(description="Which observation is dealt with.")
class ResolveObservationInput(StepInput):
    """The input of `resolveObservation`."""


@strawberry.input(description="Which observation is put away.")
class ArchiveObservationInput(StepInput):
    """The input of `archiveObservation`."""


@strawberry.input(description="Which observation is kept from fading, or let fade again.")
class PinObservationInput(_Pinned, StepInput):
    """The input of `pinObservation`."""


@strawberry.input(description="Which space to sweep.")
class SweepExpiredInput:
    """The input of `sweepExpired`."""

    space: strawberry.ID | None = strawberry.field(
        default=None, description="Default every space you may write to."
    )
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="How many faded observations left the active set by this call.")
class SweepExpiredPayload:
    """The result of `sweepExpired`."""

    archived: int = strawberry.field(description="They are still there, as EXPIRED.")
    deleted: int
    has_more: bool = strawberry.field(description="One call moves a batch; call again, with a new key.")


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
