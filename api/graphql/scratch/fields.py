"""Queries and mutations of the scratch page."""

from __future__ import annotations

from typing import Annotated

import strawberry

from api.graphql.errors import Problem
from api.graphql.inputs import spelled
from api.graphql.paging import After, First
from api.graphql.permissions import WRITES
from api.graphql.scratch.types import (
    AddObservationInput,
    AddObservationPayload,
    AddObservationsInput,
    AddObservationsPayload,
    ObservationConnection,
    ObservationFilterInput,
    ObservationType,
)
from api.graphql.state import Context


@strawberry.type
class ScratchQuery:
    """Queries of the scratch page."""

    @strawberry.field(description="An observation, or null when it is unknown or not readable.")
    async def observation(self, info: Context, id: strawberry.ID) -> ObservationType | None:
        """Return the observation."""
        found = await info.context.loaders.observations.load(id)
        return ObservationType.from_record(found) if found else None

    @strawberry.field(description="A page of observations, newest first; active ones unless asked otherwise.")
    async def observations(
        self,
        info: Context,
        filter: ObservationFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> ObservationConnection:
        """Return the page."""
        wanted = (filter or ObservationFilterInput()).wanted()
        page = await info.context.services.scratch.find(
            await info.context.caller(), wanted, first=first, after=after
        )
        return ObservationConnection.from_page(page, wanted)


@strawberry.type
class ScratchMutation:
    """Mutations of the scratch page."""

    @strawberry.mutation(description="Adds an observation; nothing is executed by it.", extensions=[WRITES])
    async def add_observation(
        self,
        info: Context,
        input: AddObservationInput,
    ) -> Annotated[
        AddObservationPayload | Problem,
        strawberry.union("AddObservationResult", description="The stored observation, or why there is none."),
    ]:
        """Store the observation."""
        with spelled(input.spellings("")):
            (stored,) = await info.context.services.scratch.add(
                await info.context.caller(),
                [input.draft("")],
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
                path="",
            )
        return AddObservationPayload(observation=ObservationType.from_record(stored))

    @strawberry.mutation(description="Adds observations, all or none.", extensions=[WRITES])
    async def add_observations(
        self,
        info: Context,
        input: AddObservationsInput,
    ) -> Annotated[
        AddObservationsPayload | Problem,
        strawberry.union(
            "AddObservationsResult", description="The stored observations, or why there are none."
        ),
    ]:
        """Store the observations."""
        drafts = [o.draft(f"observations[{number}]") for number, o in enumerate(input.observations)]
        names: dict[str, str] = {}
        for number, observation in enumerate(input.observations):
            names |= observation.spellings(f"observations[{number}]")
        with spelled(names):
            stored = await info.context.services.scratch.add(
                await info.context.caller(),
                drafts,
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
            )
        return AddObservationsPayload(observations=[ObservationType.from_record(o) for o in stored])
