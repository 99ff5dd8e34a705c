"""Queries of entities."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.entities.types import EntityConnection, EntityFilterInput, EntityType
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.request_context import Context


@strawberry.type
class EntityQuery:
    """Queries of entities."""

    @strawberry.field(description="An entity; null if no memory that you may read mentions it.")
    async def entity(self, info: Context, id: strawberry.ID) -> EntityType | None:
        """Return the entity."""
        found = await info.context.loaders.entities.load(id)
        return EntityType.from_record(found) if found else None

    @strawberry.field(
        description="A page of the entities that memories readable to you mention, ordered by name."
    )
    async def entities(
        self,
        info: Context,
        filter: EntityFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> EntityConnection:
        """Return the page."""
        wanted = (filter or EntityFilterInput()).wanted()
        page = await info.context.services.entities.list(
            await info.context.caller(), wanted, first=first, after=after
        )
        return EntityConnection.from_page(page, wanted)
