"""Queries of entities."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.entities.types import EntityFilterInput, EntityType
from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.entities.record import EntityFilter


@strawberry.type
class EntityQuery:
    """Queries of entities."""

    @strawberry.field(description="An entity; null if no memory that you may read mentions it.")
    async def entity(self, info: Context, id: strawberry.ID) -> EntityType | None:
        return EntityType.maybe(await info.context.loaders.entities.load(id))

    @strawberry.field(
        description="A page of the entities that memories readable to you mention, ordered by name."
    )
    async def entities(
        self,
        info: Context,
        filter: EntityFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[EntityType]:
        entities, caller = info.context.services.entities, await info.context.caller()
        wanted = filter_of(filter, EntityFilter)
        page = await entities.list(caller, wanted, first=first, after=after)
        return Connection.of(EntityType, page, partial(entities.count, caller, wanted))
