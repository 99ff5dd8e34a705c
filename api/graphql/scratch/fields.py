"""Queries and mutations of the scratch page."""

from __future__ import annotations

from typing import Annotated, Any

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import (
    ArchiveObservationInput,
    ArchiveObservationPayload,
    ObservationConnection,
    ObservationFilterInput,
    ObservationType,
    PinObservationInput,
    PinObservationPayload,
    ResolveObservationInput,
    ResolveObservationPayload,
    StepInput,
    SweepExpiredInput,
    SweepExpiredPayload,
    UpdateObservationInput,
    UpdateObservationPayload,
)
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.scratch import rules

_NOW = "The changed observation, or the problem."


async def _settle(info: Context, uid: str, turn_id: str | None) -> None:
    """Let goals add the progress that was withheld because of this observation's contradictions."""
    caller = await info.context.caller()
    await info.context.services.goals.evidence.settle(caller, observation_ids=[uid], turn_id=turn_id)


async def _change(
    info: Context,
    input: StepInput,
    step: rules.Step,
    event: EventType,
    *,
    operation: str,
    body: Any = None,
) -> ObservationType:
    """Apply a change of status or pinning to an observation and return the changed observation."""
    changed = await info.context.services.scratch.service.change(
        await info.context.caller(),
        input.id,
        step,
        operation=operation,
        event=event,
        body=body,
        expected_version=input.expected_version,
        turn_id=input.turn_id,
        idempotency_key=input.idempotency_key,
    )
    return ObservationType.from_record(changed)


@strawberry.type
class ScratchQuery:
    """Queries of the scratch page."""

    @strawberry.field(description="An observation; null if it is unknown or not readable.")
    async def observation(self, info: Context, id: strawberry.ID) -> ObservationType | None:
        """Return the observation."""
        found = await info.context.loaders.observations.load(id)
        return ObservationType.from_record(found) if found else None

    @strawberry.field(
        description="A page of observations: the best matches of the filter's `query` first, then newest "
        "first; by default only active ones."
    )
    async def observations(
        self,
        info: Context,
        filter: ObservationFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> ObservationConnection:
        """Return the page."""
        wanted = (filter or ObservationFilterInput()).wanted()
        page = await info.context.services.scratch.service.find(
            await info.context.caller(), wanted, first=first, after=after
        )
        return ObservationConnection.from_page(page, wanted)


@strawberry.type
class ScratchMutation:
    """Mutations of the scratch page."""

    @strawberry.mutation(
        description="Changes the given fields of an observation; omitted fields keep their values.",
        extensions=[WRITES],
    )
    async def update_observation(
        self,
        info: Context,
        input: UpdateObservationInput,
    ) -> Annotated[
        UpdateObservationPayload | Problem,
        strawberry.union("UpdateObservationResult", description=_NOW),
    ]:
        """Change the observation."""
        changed = await info.context.services.scratch.service.update(
            await info.context.caller(),
            input.id,
            input.changes(),
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        await _settle(info, input.id, input.turn_id)
        return UpdateObservationPayload(observation=ObservationType.from_record(changed))

    @strawberry.mutation(
        description="Marks an active observation as resolved: dealt with.", extensions=[WRITES]
    )
    async def resolve_observation(
        self,
        info: Context,
        input: ResolveObservationInput,
    ) -> Annotated[
        ResolveObservationPayload | Problem,
        strawberry.union("ResolveObservationResult", description=_NOW),
    ]:
        """Resolve the observation."""
        changed = await _change(
            info, input, rules.resolve, EventType.OBSERVATION_RESOLVED, operation="resolveObservation"
        )
        await _settle(info, input.id, input.turn_id)
        return ResolveObservationPayload(observation=changed)

    @strawberry.mutation(
        description="Archives an observation; it stays readable by id and as evidence.", extensions=[WRITES]
    )
    async def archive_observation(
        self,
        info: Context,
        input: ArchiveObservationInput,
    ) -> Annotated[
        ArchiveObservationPayload | Problem,
        strawberry.union("ArchiveObservationResult", description=_NOW),
    ]:
        """Archive the observation."""
        changed = await _change(
            info, input, rules.archive, EventType.OBSERVATION_ARCHIVED, operation="archiveObservation"
        )
        await _settle(info, input.id, input.turn_id)
        return ArchiveObservationPayload(observation=changed)

    @strawberry.mutation(
        description="Pins an active observation, so that it does not expire, or unpins it.",
        extensions=[WRITES],
    )
    async def pin_observation(
        self,
        info: Context,
        input: PinObservationInput,
    ) -> Annotated[
        PinObservationPayload | Problem,
        strawberry.union("PinObservationResult", description=_NOW),
    ]:
        """Pin or unpin the observation."""
        step, event = (
            (rules.pin, EventType.OBSERVATION_PINNED)
            if input.pinned
            else (rules.unpin, EventType.OBSERVATION_UNPINNED)
        )
        changed = await _change(info, input, step, event, operation="pinObservation", body=input.pinned)
        return PinObservationPayload(observation=changed)

    @strawberry.mutation(
        description="Archives or deletes expired observations now, instead of at the next run of the "
        "periodic job. Readers see an observation as EXPIRED from its `expiresAt` on in any case.",
        extensions=[WRITES],
    )
    async def sweep_expired(
        self,
        info: Context,
        input: SweepExpiredInput,
    ) -> Annotated[
        SweepExpiredPayload | Problem,
        strawberry.union("SweepExpiredResult", description="The numbers of observations, or the problem."),
    ]:
        """Archive or delete expired observations."""
        swept = await info.context.services.scratch.expiry.sweep(
            await info.context.caller(),
            space=input.space,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        return SweepExpiredPayload(archived=swept.archived, deleted=swept.deleted, has_more=swept.has_more)
