"""Entities as GraphQL types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.graph.entities.record import Entity
from prefrontal.graph.ids import Kind, kind_of


@shows(
    Entity,
    "A person or thing that memories of the organisation mention by name. You see an entity only "
    "while a memory that you may read mentions it; its name is spelled as it was first written "
    "there.",
)
class EntityType(Shown, Node):
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


@strawberry.input(description="Conditions on entities; all given conditions must hold.")
class EntityFilterInput:
    """The filter of `entities`."""

    prefix: str | None = strawberry.field(
        default=None, description="The beginning of the name; letter case and character width are ignored."
    )
    kinds: list[str] = strawberry.field(default_factory=list, description="Any of these.")
