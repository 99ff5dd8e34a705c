"""Entities as GraphQL types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.inputs import draft
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.graph.entities.record import Entity, EntityFilter
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.storage.paging import Page


@strawberry.type(
    name="Entity",
    description="A person or thing that memories of the organisation mention by name. You see an entity only "
    "while a memory that you may read mentions it; its name is spelled as it was first written "
    "there.",
)
class EntityType(Node):
    """An entity."""

    name: str
    kind: str | None

    @strawberry.field(description="The number of readable memories that mention the entity.")
    async def mention_count(self, info: Context) -> int:
        """Return the number of mentions."""
        count: int = await info.context.loaders.mention_counts.load(self.id)
        return count

    @strawberry.field(
        description="The newest 20 observations that mention the entity, in any status. To page through "
        "all of them, use `observations` with the filter `entities`."
    )
    async def observations(self, info: Context) -> list[ObservationType]:
        """Return the observations, newest first."""
        uids = await info.context.loaders.mentioning.load(self.id)
        wanted = [uid for uid in uids if kind_of(uid) is Kind.OBSERVATION]
        found = await info.context.loaders.observations.load_many(wanted)
        return [ObservationType.from_record(item) for item in found if item is not None]

    @classmethod
    def from_record(cls, e: Entity) -> EntityType:
        """Return the type of a record."""
        return cls(id=strawberry.ID(e.uid), name=e.name, kind=e.kind)


@strawberry.type(description="An entity in a page.")
class EntityEdge:
    """An edge of the connection."""

    cursor: str
    node: EntityType


@strawberry.type(description="A page of entities, ordered by name.")
class EntityConnection:
    """A page of entities."""

    wanted: strawberry.Private[EntityFilter]
    edges: list[EntityEdge]
    nodes: list[EntityType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.entities.count(await info.context.caller(), self.wanted)

    @classmethod
    def from_page(cls, page: Page[Entity], wanted: EntityFilter) -> EntityConnection:
        """Return the connection of a page."""
        nodes = [EntityType.from_record(item) for item in page.items]
        return cls(
            wanted=wanted,
            edges=[EntityEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@strawberry.input(description="Conditions on entities; all given conditions must hold.")
class EntityFilterInput:
    """The filter of `entities`."""

    prefix: str | None = strawberry.field(
        default=None, description="The beginning of the name; letter case and character width are ignored."
    )
    kinds: list[str] = strawberry.field(default_factory=list, description="Any of these.")

    def wanted(self) -> EntityFilter:
        """Return the filter."""
        return draft(EntityFilter, {"prefix": self.prefix, "kinds": tuple(self.kinds)}, "filter")
