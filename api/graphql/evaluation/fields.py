"""The review of the scratch page."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.evaluation.types import EvaluateScratchPageInput, EvaluateScratchPagePayload
from prefrontal.api.graphql.inputs import spelled
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.state import Context


@strawberry.type
class EvaluationMutation:
    """Mutations of evaluation."""

    @strawberry.mutation(
        description="Reviews observations, oldest first: each is promoted to evidence of a goal, kept, or "
        "archived, with the reason. Reviewing again changes nothing that was decided.",
        extensions=[WRITES],
    )
    async def evaluate_scratch_page(
        self,
        info: Context,
        input: EvaluateScratchPageInput,
    ) -> Annotated[
        EvaluateScratchPagePayload | Problem,
        strawberry.union(
            "EvaluateScratchPageResult", description="What became of each observation, or why nothing did."
        ),
    ]:
        """Review the scratch page."""
        goal = input.goal
        with spelled(goal.spellings() if goal else {}):
            review = await info.context.services.evaluation.review(
                await info.context.caller(),
                space=input.space,
                observation_ids=input.observation_ids,
                goal=goal.draft() if goal else None,
                first=input.first,
                after=input.after,
                turn_id=input.turn_id,
                idempotency_key=input.idempotency_key,
            )
        return EvaluateScratchPagePayload.from_record(review)
