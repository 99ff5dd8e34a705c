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
    description="The status of an observation. An active one reads as EXPIRED from its `expiresAt` on.",
)
strawberry.enum(SourceKind, name="SourceKind", description="The kind of source of an observation.")


strawberry.enum(
    ConflictKind, name="ConflictKind", description="The difference between two contradicting observations."
)
strawberry.enum(
    ConflictSource,
    name="ConflictSource",
    description="How a contradiction was found: a client declared it, or the service detected it.",
)


@strawberry.type(name="ObservationConflict", description="A contradiction between two observations.")
class ObservationConflictType:
    """A contradiction."""

    observation_ids: list[strawberry.ID] = strawberry.field(
        description="Two ids: the later observation, and the one that it contradicts."
    )
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


@strawberry.type(
    name="Source",
    description="The source of an observation: who or what noticed it, in which turn, and when.",
)
class SourceType:
    """The source of an observation."""

    kind: SourceKind | None
    name: str | None
    turn_id: str | None
    timestamp: datetime | None


@strawberry.type(name="ObservationContext", description="The goal or user that an observation relates to.")
class ObservationContextType:
    """The context of an observation."""

    goal_id: strawberry.ID | None
    goal_key: str | None = strawberry.field(description="A common name for related observations and goals.")
    user_id: str | None


@strawberry.type(name="EntityMention", description="A mention of an entity in an observation.")
class EntityMention:
    """A mention."""

    name: str = strawberry.field(description="The name as written in the observation.")
    kind: str | None

    @strawberry.field(description="The id of the `Entity`.")
    async def entity_id(self, info: Context) -> strawberry.ID:
        """Return the entity's id."""
        return strawberry.ID(entity_id((await info.context.caller()).org_id, self.name))


@strawberry.input(
    description="An entity by its name. Names that differ only in letter case or white space denote the same "
    "entity."
)
class EntityInput:
    """An entity that an observation mentions."""

    name: str
    kind: str | None = strawberry.field(
        default=None, description="A word of your choice: person, place, product …"
    )


def _names(given: list[EntityInput]) -> tuple[dict[str, str | None], ...]:
    return tuple({"name": entity.name, "kind": entity.kind} for entity in given)


@strawberry.type(
    name="Observation",
    description="An observation: a low-commitment note on the scratch page; it expires at `expiresAt`.",
)
class ObservationType(Node):
    """An observation."""

    record: strawberry.Private[Observation]
    space: strawberry.ID
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
    expires_at: datetime = strawberry.field(description="When the observation expires.")
    archived_at: datetime | None
    pinned: bool = strawberry.field(
        description="Whether the observation is pinned; a pinned observation does not expire."
    )
    created_by: strawberry.ID
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )
    entities: list[EntityMention] = strawberry.field(
        description="The people and things that the observation mentions by name."
    )

    @strawberry.field(
        description="Minutes until the observation expires; null if it is pinned or no longer active."
    )
    def fades_in_minutes(self, info: Context) -> float | None:
        """Return the minutes that are left."""
        return minutes_left(self.record, info.context.now)

    @strawberry.field(
        description="The readable goals that the observation is evidence of, oldest link first."
    )
    async def linked_goal_ids(self, info: Context) -> list[strawberry.ID]:
        """Return the goals' ids."""
        goals = await info.context.loaders.linked_goals.load(self.record.uid)
        return [strawberry.ID(uid) for uid in goals]

    @strawberry.field(description="The contradictions with other readable observations, newest first.")
    async def conflicts(self, info: Context) -> list[ObservationConflictType]:
        """Return the contradictions."""
        found = await info.context.loaders.conflicts.load(self.record.uid)
        return [ObservationConflictType.from_record(conflict) for conflict in found]

    @strawberry.field(description="Whether the observation is evidence of a readable goal.")
    async def linked_to_goal(self, info: Context) -> bool:
        """Return whether there is such a goal."""
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
    description="A page of observations: the best matches of the filter's `query` first, then newest first."
)
class ObservationConnection:
    """A page of observations."""

    wanted: strawberry.Private[ObservationFilter]
    edges: list[ObservationEdge]
    nodes: list[ObservationType]
    page_info: PageInfo
    query_time_ms: float = strawberry.field(
        description="How long the database took for this page, in milliseconds."
    )
    partial: bool = strawberry.field(
        description="Whether the deadline passed: the page then holds only the observations found until "
        "then; use a smaller page or filter."
    )

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.scratch.service.count(await info.context.caller(), self.wanted)

    @strawberry.field(
        description="The contradictions between the page's observations and any others, each once. The "
        "service does not decide which side is right. Looked up only if the field is selected."
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


@strawberry.input(description="The goal or user that a new observation relates to.")
class ObservationContextInput:
    """The context of a new observation."""

    goal_id: strawberry.ID | None = None
    goal_key: str | None = None
    user_id: str | None = None


@strawberry.input(description="An observation to add; only `content` is required.")
class ObservationInput:
    """A new observation."""

    content: str
    type: str | None = strawberry.field(default=None, description="Default: `contextual_insight`.")
    confidence: float | None = strawberry.field(default=None, description="0–1; default: 0.5.")
    tags: list[str] = strawberry.field(default_factory=list)
    source: SourceInput | None = None
    context: ObservationContextInput | None = None
    ttl_minutes: float | None = strawberry.field(
        default=None,
        description="How long the observation stays active, in minutes; default: 1440. 0 expires it at once.",
    )
    metadata: JSON | None = strawberry.field(default=None, description="A JSON object, stored unchanged.")
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own id for the observation; adding the same observation again with this id "
        "returns the first one.",
    )
    contradicts: list[strawberry.ID] = strawberry.field(
        default_factory=list,
        description="Observations that you know it contradicts. The service detects contradictions in the "
        "wording by itself.",
    )

    entities: list[EntityInput] = strawberry.field(
        default_factory=list, description="The people and things that the observation mentions by name."
    )

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
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


@strawberry.input(description="Conditions on observations; all given conditions must hold.")
class ObservationFilterInput:
    """The filter of `observations`."""

    tags: list[str] = strawberry.field(
        default_factory=list, description="All of these; letter case and character width are ignored."
    )
    status: list[ObservationStatus] | None = strawberry.field(
        default=None, description="Any of these; default: ACTIVE."
    )
    types: list[str] = strawberry.field(default_factory=list, description="Any of these.")
    min_confidence: float | None = strawberry.field(
        default=None, description="The lowest confidence (inclusive)."
    )
    goal_id: strawberry.ID | None = strawberry.field(
        default=None, description="Observations that are evidence of this goal or name it in their context."
    )
    goal_key: str | None = None
    user_id: str | None = None
    entities: list[str] = strawberry.field(
        default_factory=list,
        description="Names of entities; all of them must be mentioned. Letter case and white space are "
        "ignored.",
    )
    query: str | None = strawberry.field(
        default=None,
        description="A search text that affects only the order: its best matches come first, then all "
        "others, newest first.",
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
    """The common fields of the inputs that change one observation; they follow the input's own fields."""

    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.input
class _Changes(_Named):
    content: str | None = None
    type: str | None = None
    confidence: float | None = strawberry.field(default=None, description="0–1.")
    tags: list[str] | None = strawberry.field(
        default=None, description="The complete new list of tags; it replaces the present one."
    )
    ttl_minutes: float | None = strawberry.field(
        default=None, description="How long the observation stays active from now, in minutes."
    )
    metadata: JSON | None = None
    entities: list[EntityInput] | None = strawberry.field(
        default=None, description="The complete new list of entities; it replaces the present one."
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
        default=True, description="False unpins the observation: it expires `ttlMinutes` from now."
    )


@strawberry.input(description="The observation and its new values; omitted fields keep their values.")
class UpdateObservationInput(_Changes, StepInput):
    """The input of `updateObservation`."""


@strawberry.input(description="The observation to resolve.")
class ResolveObservationInput(StepInput):
    """The input of `resolveObservation`."""


@strawberry.input(description="The observation to archive.")
class ArchiveObservationInput(StepInput):
    """The input of `archiveObservation`."""


@strawberry.input(description="The observation to pin or unpin.")
class PinObservationInput(_Pinned, StepInput):
    """The input of `pinObservation`."""


@strawberry.input(description="The space to sweep.")
class SweepExpiredInput:
    """The input of `sweepExpired`."""

    space: strawberry.ID | None = strawberry.field(
        default=None, description="Default: all spaces that you may write to."
    )
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The numbers of expired observations that this call archived or deleted.")
class SweepExpiredPayload:
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
