"""Queries and mutations of the scratch page."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, First, is_counted
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import (
    ArchiveObservationPayload,
    ArchiveObservationsPayload,
    ObservationFilterInput,
    ObservationSearchConnection,
    ObservationType,
    PinObservationPayload,
    ResolveObservationPayload,
    ResolveObservationsPayload,
    SweepExpiredPayload,
    UpdateObservationPayload,
    UpdateObservationsPayload,
)
from prefrontal.api.graphql.turn_names import with_turn
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    ArchiveObservations,
    ObservationFilter,
    ObservationOrder,
    PinObservation,
    ResolveObservation,
    ResolveObservations,
    SweepExpired,
    UpdateObservation,
    UpdateObservations,
)

_NOW = "The changed observation, or the problem."
_ALL = "The changed observations, or the problem; its field names the entry, e.g. `observations[3].id`."


async def _change(
    info: Context,
    command: UpdateObservation | ResolveObservation | ArchiveObservation | PinObservation,
) -> ObservationType:
    """Change an observation; goals then add the progress that its contradictions have withheld."""
    services, caller = info.context.services, await info.context.caller()
    changed = await services.scratch.service.change(caller, command)
    if not isinstance(command, PinObservation):
        await services.goals.evidence.settle(caller, observation_ids=[command.id], turn_id=command.turn_id)
    return ObservationType.from_record(changed)


async def _change_all(
    info: Context, command: UpdateObservations | ResolveObservations | ArchiveObservations
) -> list[ObservationType]:
    """Change observations as `_change` changes one, all or none."""
    services, caller = info.context.services, await info.context.caller()
    changed = await services.scratch.service.change_all(caller, command)
    uids = [observation.uid for observation in changed]
    await services.goals.evidence.settle(caller, observation_ids=uids, turn_id=command.turn_id)
    return [ObservationType.from_record(observation) for observation in changed]


@strawberry.type
class ScratchQuery:
    """Queries of the scratch page."""

    @strawberry.field(description="An observation; null if it is unknown or not readable.")
    async def observation(self, info: Context, id: strawberry.ID) -> ObservationType | None:
        return ObservationType.maybe(await info.context.loaders.observations.load(id))

    @strawberry.field(
        description="A page of observations: the best matches of the filter's `query` first, then newest "
        "first, or in the given order; by default only active ones."
    )
    async def observations(
        self,
        info: Context,
        filter: ObservationFilterInput | None = None,
        order_by: Annotated[
            ObservationOrder,
            strawberry.argument(
                description="Default: CREATED_AT, newest first. UPDATED_AT: last changed first; not together "
                "with the filter's `query`."
            ),
        ] = ObservationOrder.CREATED_AT,
        first: First = None,
        after: After = None,
        deadline_ms: Annotated[
            int | None,
            strawberry.argument(
                description="How long the search may take, in milliseconds; at most the server's limit, "
                "which is the default (2000). After it, the page is `partial`."
            ),
        ] = None,
    ) -> ObservationSearchConnection:
        scratch, caller = info.context.services.scratch.service, await info.context.caller()
        wanted = await with_turn(info, filter_of(filter, ObservationFilter))
        page = await scratch.find(
            caller,
            wanted,
            order_by,
            first=first,
            after=after,
            deadline_ms=deadline_ms,
            with_total=is_counted(info),
        )

        async def counted() -> int:
            return await scratch.count(caller, wanted) if page.total is None else page.total

        return ObservationSearchConnection.of(
            ObservationType,
            page,
            counted,
            query_time_ms=page.query_time_ms,
            partial=page.partial,
        )


@strawberry.type
class ScratchMutation:
    """Mutations of the scratch page."""

    @mutation("Changes the given fields of an observation; omitted fields keep their values.", _NOW)
    async def update_observation(self, info: Context, command: UpdateObservation) -> UpdateObservationPayload:
        """Change the observation."""
        return UpdateObservationPayload(observation=await _change(info, command))

    @mutation("Marks an active observation as resolved: dealt with.", _NOW)
    async def resolve_observation(
        self, info: Context, command: ResolveObservation
    ) -> ResolveObservationPayload:
        return ResolveObservationPayload(observation=await _change(info, command))

    @mutation("Archives an observation; it stays readable by id and as evidence.", _NOW)
    async def archive_observation(
        self, info: Context, command: ArchiveObservation
    ) -> ArchiveObservationPayload:
        return ArchiveObservationPayload(observation=await _change(info, command))

    @mutation(
        "Changes the given fields of up to 100 observations as `updateObservation` does: all or none.", _ALL
    )
    async def update_observations(
        self, info: Context, command: UpdateObservations
    ) -> UpdateObservationsPayload:
        """Change the observations."""
        return UpdateObservationsPayload(observations=await _change_all(info, command))

    @mutation("Marks up to 100 active observations as resolved: all or none.", _ALL)
    async def resolve_observations(
        self, info: Context, command: ResolveObservations
    ) -> ResolveObservationsPayload:
        return ResolveObservationsPayload(observations=await _change_all(info, command))

    @mutation("Archives up to 100 observations: all or none.", _ALL)
    async def archive_observations(
        self, info: Context, command: ArchiveObservations
    ) -> ArchiveObservationsPayload:
        return ArchiveObservationsPayload(observations=await _change_all(info, command))

    @mutation("Pins an active observation, so that it does not expire, or unpins it.", _NOW)
    async def pin_observation(self, info: Context, command: PinObservation) -> PinObservationPayload:
        """Pin or unpin the observation."""
        return PinObservationPayload(observation=await _change(info, command))

    @mutation(
        "Archives or deletes expired observations now, instead of at the next run of the "
        "periodic job. Readers see an observation as EXPIRED from its `expiresAt` on in any case.",
        "The numbers of observations, or the problem.",
    )
    async def sweep_expired(self, info: Context, command: SweepExpired) -> SweepExpiredPayload:
        """Archive or delete expired observations."""
        swept = await info.context.services.scratch.expiry.sweep(await info.context.caller(), command)
        return SweepExpiredPayload.from_record(swept)
