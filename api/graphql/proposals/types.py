"""Registry proposals as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.inputs import draft
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.registry.proposals.proposed_type import definition_of
from prefrontal.graph.registry.proposals.record import (
    ProposalFilter,
    ProposalPage,
    ProposalStatus,
    ProposalSubject,
    ProposalType,
    RegistryProposal,
    Review,
    ReviewDecision,
)

strawberry.enum(
    ProposalType,
    name="RegistryProposalType",
    description="Whether the proposal adds, changes or deprecates its subject.",
)
strawberry.enum(
    ProposalSubject,
    name="RegistryProposalSubject",
    description="The subject of a proposal: an action type, or a generic policy or handler for action types.",
)
strawberry.enum(ProposalStatus, name="RegistryProposalStatus", description="The status of a proposal.")
strawberry.enum(
    ReviewDecision, name="ReviewDecision", description="A maintainer's decision about a proposal."
)


@strawberry.type(name="RegistryReview", description="A maintainer's review of a proposal.")
class ReviewType:
    """A review."""

    by: strawberry.ID
    decision: ReviewDecision
    comments: str | None
    at: datetime

    @classmethod
    def from_record(cls, r: Review) -> ReviewType:
        """Return the type of a record."""
        return cls(by=strawberry.ID(r.by), decision=r.decision, comments=r.comments, at=r.at)


@strawberry.type(
    name="RegistryProposal",
    description="A proposed change of the registry. It has no effect until it is approved, exported, merged "
    "and loaded.",
)
class RegistryProposalType(Node):
    """A proposal."""

    record: strawberry.Private[RegistryProposal]
    space: strawberry.ID
    org_id: strawberry.ID
    proposal_type: ProposalType
    subject: ProposalSubject
    type_id: strawberry.ID | None = strawberry.field(description="The id of the type, policy or handler.")
    requested_name: str | None = strawberry.field(
        description="The name of the unknown type that caused the proposal, as the client wrote it."
    )
    display_name: str | None
    description: str | None
    diff: JSON | None = strawberry.field(description="Further keys of the type's file and their values.")
    suggested_policies: JSON | None = strawberry.field(description="Keys of `default_policies`.")
    allowed_statuses: list[str] | None
    allowed_transitions: JSON | None = strawberry.field(description="The allowed target statuses, by status.")
    rationale: str
    examples: list[str]
    risks: list[str]
    created_by: strawberry.ID
    created_from_turn_id: str | None
    status: ProposalStatus
    authors: list[strawberry.ID] = strawberry.field(
        description="The actors that submitted or revised the proposal; none of them may review it."
    )
    reviewers: list[strawberry.ID]
    reviews: list[ReviewType] = strawberry.field(description="The decisions, with actor and comments.")
    repo: str | None = strawberry.field(description="The repository that the proposal was exported to.")
    branch: str | None
    commit: str | None
    pr_url: str | None
    exported_at: datetime | None
    merged_at: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int

    @strawberry.field(
        description="The action type as it would be if the proposal were merged now; null if that is "
        "impossible."
    )
    async def definition(self, info: Context) -> ActionTypeType | None:
        """Return the definition."""
        types = info.context.services.registry.files.snapshot()
        if self.subject is not ProposalSubject.ACTION_TYPE:
            return None
        try:
            return ActionTypeType.from_record(definition_of(self.record, types), types)
        except PrefrontalError:
            return None

    @classmethod
    def from_record(cls, p: RegistryProposal) -> RegistryProposalType:
        """Return the type of a record."""
        return cls(
            record=p,
            id=strawberry.ID(p.uid),
            space=strawberry.ID(p.scope_id),
            org_id=strawberry.ID(p.org_id),
            proposal_type=p.proposal_type,
            subject=p.subject,
            type_id=strawberry.ID(p.type_id) if p.type_id else None,
            requested_name=p.requested_name,
            display_name=p.display_name,
            description=p.description,
            diff=JSON(p.diff) if p.diff is not None else None,
            suggested_policies=JSON(p.suggested_policies) if p.suggested_policies is not None else None,
            allowed_statuses=list(p.allowed_statuses) if p.allowed_statuses is not None else None,
            allowed_transitions=JSON(p.allowed_transitions) if p.allowed_transitions is not None else None,
            rationale=p.rationale,
            examples=list(p.examples),
            risks=list(p.risks),
            created_by=strawberry.ID(p.by_uid),
            created_from_turn_id=p.created_from_turn_id,
            status=p.status,
            authors=[strawberry.ID(uid) for uid in p.authors],
            reviewers=[strawberry.ID(uid) for uid in p.reviewers],
            reviews=[ReviewType.from_record(review) for review in p.reviews],
            repo=p.repo,
            branch=p.branch,
            commit=p.commit,
            pr_url=p.pr_url,
            exported_at=p.exported_at,
            merged_at=p.merged_at,
            created_at=p.created_at,
            updated_at=p.updated_at,
            version=p.version,
        )


@strawberry.type(description="A proposal in a page.")
class RegistryProposalEdge:
    """An edge of the connection."""

    cursor: str
    node: RegistryProposalType


@strawberry.type(description="A page of proposals, newest first.")
class RegistryProposalConnection:
    """A page of proposals."""

    wanted: strawberry.Private[ProposalFilter]
    edges: list[RegistryProposalEdge]
    nodes: list[RegistryProposalType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.registry.proposals.service.count(
            await info.context.caller(), self.wanted
        )

    @classmethod
    def from_page(cls, page: ProposalPage, wanted: ProposalFilter) -> RegistryProposalConnection:
        """Return the connection of a page."""
        nodes = [RegistryProposalType.from_record(proposal) for proposal in page.items]
        return cls(
            wanted=wanted,
            edges=[RegistryProposalEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@strawberry.input(description="Conditions on proposals; all given conditions must hold.")
class RegistryProposalFilterInput:
    """The filter of `registryProposals`."""

    status: list[ProposalStatus] | None = strawberry.field(default=None, description="Any of these.")
    type_id: str | None = None
    turn_id: str | None = strawberry.field(
        default=None,
        description="Proposals that were submitted in this turn, or whose unknown type was used in it.",
    )


def wanted_proposals(given: RegistryProposalFilterInput | None) -> ProposalFilter:
    """Return the filter for the arguments of a query."""
    if given is None:
        return ProposalFilter()
    statuses = tuple(given.status) if given.status is not None else None
    return draft(
        ProposalFilter, {"statuses": statuses, "type_id": given.type_id, "turn_id": given.turn_id}, "filter"
    )
