"""Queries and mutations of registry proposals."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.proposals.inputs import (
    ExportProposalAsPrInput,
    ExportProposalAsPrPayload,
    ReviewRegistryProposalInput,
    ReviewRegistryProposalPayload,
    SubmitRegistryProposalInput,
    SubmitRegistryProposalPayload,
)
from prefrontal.api.graphql.proposals.types import (
    RegistryProposalConnection,
    RegistryProposalFilterInput,
    RegistryProposalType,
    wanted_proposals,
)
from prefrontal.api.graphql.request_context import Context


@strawberry.type
class ProposalQuery:
    """Queries of registry proposals."""

    @strawberry.field(description="A page of the proposals to change the registry, newest first.")
    async def registry_proposals(
        self,
        info: Context,
        filter: RegistryProposalFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> RegistryProposalConnection:
        """Return the page."""
        wanted = wanted_proposals(filter)
        page = await info.context.services.registry.proposals.service.list(
            await info.context.caller(), wanted, first=first, after=after
        )
        return RegistryProposalConnection.from_page(page, wanted)


@strawberry.type
class ProposalMutation:
    """Mutations of registry proposals."""

    @strawberry.mutation(
        description="Proposes a change of the registry, or revises an open proposal. The registry itself "
        "is not changed.",
        extensions=[WRITES],
    )
    async def submit_registry_proposal(
        self, info: Context, input: SubmitRegistryProposalInput
    ) -> Annotated[
        SubmitRegistryProposalPayload | Problem,
        strawberry.union("SubmitRegistryProposalResult", description="The proposal, or the problem."),
    ]:
        """Store the proposal."""
        proposal = await info.context.services.registry.proposals.submission.submit(
            await info.context.caller(),
            input.draft(),
            uid=input.id,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.proposals, proposal.uid)
        return SubmitRegistryProposalPayload(proposal=RegistryProposalType.from_record(proposal))

    @strawberry.mutation(
        description="Approves or rejects an open proposal. Only for maintainers who are not among its "
        "authors.",
        extensions=[WRITES],
    )
    async def review_registry_proposal(
        self, info: Context, input: ReviewRegistryProposalInput
    ) -> Annotated[
        ReviewRegistryProposalPayload | Problem,
        strawberry.union(
            "ReviewRegistryProposalResult", description="The reviewed proposal, or the problem."
        ),
    ]:
        """Decide about the proposal."""
        proposal = await info.context.services.registry.proposals.review.review(
            await info.context.caller(),
            input.id,
            input.decision,
            comments=input.comments,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.proposals, proposal.uid)
        return ReviewRegistryProposalPayload(proposal=RegistryProposalType.from_record(proposal))

    @strawberry.mutation(
        description="Creates a branch with an approved proposal in the registry's git repository; for "
        "maintainers. The repository's checked-out files are not touched. The change takes effect "
        "only after it is merged and loaded.",
        extensions=[WRITES],
    )
    async def export_proposal_as_pr(
        self, info: Context, input: ExportProposalAsPrInput
    ) -> Annotated[
        ExportProposalAsPrPayload | Problem,
        strawberry.union("ExportProposalAsPrResult", description="The branch, or the problem."),
    ]:
        """Export the proposal."""
        proposal = await info.context.services.registry.proposals.export.export(
            await info.context.caller(),
            input.id,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        forget(info.context.loaders.proposals, proposal.uid)
        return ExportProposalAsPrPayload.from_record(proposal)
