"""Entities as GraphQL types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import list_field
from prefrontal.api.graphql.paging import Connection, Edge
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.entities.record import Entity, EntityFilter, EntityName
from prefrontal.graph.ids import Kind

if TYPE_CHECKING:

    class EntityFilterInput:
        """The filter of `entities`, made from the record."""

else:
    EntityFilterInput = input_type(EntityFilter, "EntityFilterInput")


@graphql_type_of(
    Entity,
    "A person or thing that memories of the organisation mention by name. You see an entity only "
    "while a memory that you may read mentions it; its name is spelled as it was first written "
    "there.",
)
class EntityType(RecordType, Node):
    """An entity."""

    name: str
    kind: str | None

    @strawberry.field(description="The number of readable memories that mention the entity.")
    async def mention_count(self, info: Context) -> int:
        count: int = await info.context.loaders.mention_counts.load(self.id)
        return count

    observations = list_field(
        "mentioning",
        Kind.OBSERVATION,
        "The readable observations that mention the entity, in any status, newest first. The query "
        "`observations` with the filter `entities` finds those of a status.",
    )

    memories = list_field(
        "remembering",
        Kind.FACT,
        "The readable durable memories that mention the entity, in any status, by kind and newest first.",
    )


@strawberry.type(description="The mention of an entity in a memory.")
class EntityMentionEdge(Edge[EntityType]):
    """A mention."""

    name: str = strawberry.field(description="The name as written in the memory.")
    kind: str | None


@strawberry.type(description="A page of the entities that a memory mentions.")
class EntityMentionConnection(Connection[EntityType]):
    """A page of mentions."""

    edges: list[EntityMentionEdge]  # type: ignore[assignment]  # edges with more fields

    @classmethod
    def edge_of(cls, cursor: str, link: tuple[Entity, EntityName]) -> EntityMentionEdge:
        entity, mention = link
        node = EntityType.from_record(entity)
        return EntityMentionEdge(cursor=cursor, node=node, name=mention.name, kind=mention.kind)
