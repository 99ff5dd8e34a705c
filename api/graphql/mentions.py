"""The field `entities` of what mentions people and things by name."""

from __future__ import annotations

from typing import Any

import strawberry

from prefrontal.api.graphql.nodes import NamedLazyType
from prefrontal.api.graphql.paging import After, First, loaded_page
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.entities.rules import entity_id

_MENTIONS = NamedLazyType("entities.types", "EntityMentionConnection")


def mentions_field(description: str) -> Any:
    """Return a field that shows a page of the entities that the record names in `entities`."""

    async def resolve(root: Any, info: Context, first: First = None, after: After = None) -> Any:
        org_id = (await info.context.caller()).org_id
        mentions = {entity_id(org_id, mention.name): mention for mention in root.record.entities}
        entities = info.context.loaders.entities
        page = await loaded_page(entities, list(mentions), first, after)

        async def counted() -> int:
            return sum(entity is not None for entity in await entities.load_many(list(mentions)))

        links = page.with_items((entity, mentions[entity.uid]) for entity in page.items)
        return _MENTIONS.resolve_type().of_links(links, counted)

    return strawberry.field(resolver=resolve, description=description, graphql_type=_MENTIONS)
