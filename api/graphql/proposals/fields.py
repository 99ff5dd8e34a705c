"""Queries and mutations of registry proposals."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.loaders import forget
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.proposals.types import (
    ExportProposalAsPrPayload,
    RegistryProposalFilterInput,
    RegistryProposalType,
    ReviewRegistryProposalPayload,
    SubmitRegistryProposalPayload,
    WithdrawRegistryProposalPayload,
)
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import with_turn
from prefrontal.graph.registry.proposals.record import (
    ExportProposalAsPr,
    ProposalFilter,
    ReviewRegistryProposal,
    SubmitRegistryProposal,
    WithdrawRegistryProposal,
)


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
    ) -> Connection[RegistryProposalType]:
        wanted = await with_turn(info, filter_of(filter, ProposalFilter))
        caller = await info.context.caller()
        proposals = info.context.services.registry.proposals.service
        page = await proposals.list(caller, wanted, first=first, after=after)
        return Connection.of(RegistryProposalType, page, partial(proposals.count, caller, wanted))


@strawberry.type
class ProposalMutation:
    """Mutations of registry proposals."""

    @mutation(
        "Proposes a change of the registry, or revises an open proposal. The registry itself is not changed.",
        "The proposal, or the problem.",
    )
    async def submit_registry_proposal(
        self, info: Context, command: SubmitRegistryProposal
    ) -> SubmitRegistryProposalPayload:
        proposals = info.context.services.registry.proposals
        proposal = await proposals.submission.submit(await info.context.caller(), command)
        forget(info.context.loaders.proposals, proposal.uid)
        return SubmitRegistryProposalPayload(proposal=RegistryProposalType.from_record(proposal))

    @mutation(
        "Approves or rejects an open proposal. Only for maintainers who are not among its authors.",
        "The reviewed proposal, or the problem.",
    )
    async def review_registry_proposal(
        self, info: Context, command: ReviewRegistryProposal
    ) -> ReviewRegistryProposalPayload:
        """Decide about the proposal."""
        proposals = info.context.services.registry.proposals
        proposal = await proposals.review.review(await info.context.caller(), command)
        forget(info.context.loaders.proposals, proposal.uid)
        return ReviewRegistryProposalPayload(proposal=RegistryProposalType.from_record(proposal))

    @mutation(
        "Takes back a proposal that is open, or approved and not exported. Only for who submitted it, and "
        "for maintainers. The name of its type is free for another proposal.",
        "The withdrawn proposal, or the problem.",
    )
    async def withdraw_registry_proposal(
        self, info: Context, command: WithdrawRegistryProposal
    ) -> WithdrawRegistryProposalPayload:
        """Take the proposal back."""
        proposals = info.context.services.registry.proposals
        proposal = await proposals.withdrawal.withdraw(await info.context.caller(), command)
        forget(info.context.loaders.proposals, proposal.uid)
        return WithdrawRegistryProposalPayload(proposal=RegistryProposalType.from_record(proposal))

    @mutation(
        "Creates a branch with an approved proposal in the registry's git repository; for maintainers. The "
        "repository's checked-out files are not touched. The change takes effect only after it is merged "
        "and loaded.",
        "The branch, or the problem.",
    )
    async def export_proposal_as_pr(
        self, info: Context, command: ExportProposalAsPr
    ) -> ExportProposalAsPrPayload:
        proposals = info.context.services.registry.proposals
        proposal = await proposals.export.export(await info.context.caller(), command)
        forget(info.context.loaders.proposals, proposal.uid)
        return ExportProposalAsPrPayload.from_record(proposal)
