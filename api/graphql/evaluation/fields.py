"""Mutations that add observations, with their evaluation, and that review the scratch page."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.evaluation.types import (
    AddObservationInput,
    AddObservationPayload,
    AddObservationsInput,
    AddObservationsPayload,
    EvaluateScratchPagePayload,
    EvaluationType,
)
from prefrontal.api.graphql.input_types import record_of
from prefrontal.api.graphql.inputs import each, spelled
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.scratch.types import ObservationType
from prefrontal.graph.evaluation.record import EvaluateScratchPage
from prefrontal.graph.scratch.record import ObservationDraft


@strawberry.type
class EvaluationMutation:
    """Mutations of evaluation."""

    @strawberry.mutation(
        description="Adds an observation to the scratch page; this executes nothing.", extensions=[WRITES]
    )
    async def add_observation(
        self,
        info: Context,
        input: AddObservationInput,
    ) -> Annotated[
        AddObservationPayload | Problem,
        strawberry.union("AddObservationResult", description="The stored observation, or the problem."),
    ]:
        """Store the observation."""
        draft, names = record_of(input, ObservationDraft)
        with spelled(names):
            (made,) = await info.context.services.evaluation.add(
                await info.context.caller(),
                [draft],
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
                path="",
                evaluate=input.evaluate,
            )
        return AddObservationPayload(
            observation=ObservationType.from_record(made.observation),
            evaluation=EvaluationType.from_record(made),
        )

    @strawberry.mutation(
        description="Adds observations in one transaction: all or none.", extensions=[WRITES]
    )
    async def add_observations(
        self,
        info: Context,
        input: AddObservationsInput,
    ) -> Annotated[
        AddObservationsPayload | Problem,
        strawberry.union("AddObservationsResult", description="The stored observations, or the problem."),
    ]:
        """Store the observations."""
        read = each(
            input.observations, "observations", lambda given, path: record_of(given, ObservationDraft, path)
        )
        with spelled({field: alias for _, names in read for field, alias in names.items()}):
            made = await info.context.services.evaluation.add(
                await info.context.caller(),
                [draft for draft, _ in read],
                space=input.space,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
                evaluate=input.evaluate,
            )
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
