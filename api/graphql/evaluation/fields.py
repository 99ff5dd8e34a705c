"""Mutations that add observations, with their evaluation, and that review the scratch page."""

from __future__ import annotations

from collections.abc import Sequence

import strawberry

from prefrontal.api.graphql.evaluation.types import (
    AddObservationPayload,
    AddObservationsPayload,
    EvaluateScratchPagePayload,
    EvaluationType,
)
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.graph.errors import NotFound
from prefrontal.graph.evaluation.record import (
    AddObservation,
    AddObservations,
    EvaluateScratchPage,
    Evaluation,
)
from prefrontal.graph.scratch.record import ObservationDraft


async def _add(
    info: Context,
    command: AddObservation | AddObservations,
    drafts: Sequence[ObservationDraft],
    *,
    path: str,
) -> tuple[Evaluation, ...]:
    """Store the observations of a command; `path` is where they stand in the input."""
    return await info.context.services.evaluation.add(
        await info.context.caller(),
        drafts,
        space=command.space,
        turn_id=command.turn_id,
        idempotency_key=command.idempotency_key,
        path=path,
        evaluate=command.evaluate,
        ask=command.ask,
    )


@strawberry.type
class EvaluationMutation:
    """Mutations of evaluation."""

    @mutation(
        "Adds an observation to the scratch page; this executes nothing.",
        "The stored observation, or the problem.",
    )
    async def add_observation(self, info: Context, command: AddObservation) -> AddObservationPayload:
        stored = await _add(info, command, [command.draft], path="")
        if not stored:
            # A repeated call, by a caller who may no longer read what the first one stored.
            raise NotFound("no such observation", field="space")
        (made,) = stored
        return AddObservationPayload(
            observation=ObservationType.from_record(made.observation),
            evaluation=EvaluationType.from_record(made),
        )

    @mutation(
        "Adds observations in one transaction: all or none.", "The stored observations, or the problem."
    )
    async def add_observations(self, info: Context, command: AddObservations) -> AddObservationsPayload:
        made = await _add(info, command, command.observations, path="observations")
        return AddObservationsPayload(
            observations=[ObservationType.from_record(item.observation) for item in made],
            evaluations=[EvaluationType.from_record(item) for item in made],
        )

    @mutation(
        "Reviews observations, oldest first: each one is promoted to evidence of a goal, kept, or archived, "
        "with the reason. A repeated review does not change earlier decisions.",
        "The decision about each observation, or the problem.",
    )
    async def evaluate_scratch_page(
        self, info: Context, command: EvaluateScratchPage
    ) -> EvaluateScratchPagePayload:
        """Review the scratch page."""
        review = await info.context.services.evaluation.review(await info.context.caller(), command)
        return EvaluateScratchPagePayload.from_record(review)
