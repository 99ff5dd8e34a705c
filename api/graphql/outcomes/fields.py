"""Queries and mutations of outcomes."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.outcomes.types import OutcomeFilterInput, OutcomeType, RecordOutcomePayload
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import turn_uid_of, with_turn
from prefrontal.graph.lessons.outcome_record import OutcomeFilter, RecordOutcome


@strawberry.type
class OutcomeQuery:
    """Queries of outcomes."""

    @strawberry.field(description="An outcome; null if it is unknown or not readable.")
    async def outcome(self, info: Context, id: strawberry.ID) -> OutcomeType | None:
        return OutcomeType.maybe(await info.context.loaders.outcomes.load(id))

    @strawberry.field(description="A page of the outcomes that you may read, newest first.")
    async def outcomes(
        self,
        info: Context,
        filter: OutcomeFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[OutcomeType]:
        outcomes, caller = info.context.services.outcomes, await info.context.caller()
        wanted = await with_turn(info, filter_of(filter, OutcomeFilter))
        turn_uid = await turn_uid_of(info, wanted.turn_id)
        page = await outcomes.list(caller, wanted, turn_uid, first=first, after=after)
        return Connection.of(OutcomeType, page, partial(outcomes.count, caller, wanted, turn_uid))


@strawberry.type
class OutcomeMutation:
    """Mutations of outcomes."""

    @mutation(
        "Records what came of a turn and the feedback about it, as an episode that searches and contexts "
        "find. A new name of a turn begins it.",
        "The outcome, or the problem.",
    )
    async def record_outcome(self, info: Context, command: RecordOutcome) -> RecordOutcomePayload:
        done = await info.context.services.outcomes.record(await info.context.caller(), command)
        return RecordOutcomePayload(outcome=OutcomeType.from_record(done.outcome), created=done.created)
