"""Registry proposals as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, refs_field, space_field, turn_of
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.ids import Kind
from prefrontal.graph.registry.proposals.proposed_type import definition_of
from prefrontal.graph.registry.proposals.record import (
    ProposalFilter,
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

if TYPE_CHECKING:

    class RegistryProposalFilterInput:
        """The filter of `registryProposals`, made from the record."""

else:
    RegistryProposalFilterInput = input_type(ProposalFilter, "RegistryProposalFilterInput")


@graphql_type_of(Review, "A maintainer's review of a proposal.", name="RegistryReview")
class ReviewType(RecordType):
    """A review."""

    by = actor_field("by", "Who reviewed the proposal")
    decision: ReviewDecision
    comments: str | None
    at: datetime


@graphql_type_of(
    RegistryProposal,
    "A proposed change of the registry. It has no effect until it is approved, exported, merged and loaded.",
)
class RegistryProposalType(RecordType, Node):
    """A proposal."""

    space = space_field()
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
    created_by = actor_field("by_uid", "Who submitted the proposal")
    created_from_turn_id: str | None
    turn = turn_of()
    status: ProposalStatus
    status_reason: str | None = strawberry.field(
        description="Why the proposal was withdrawn, if a reason was given."
    )
    authors = refs_field(
        Kind.AGENT,
        "authors",
        "The actors that submitted or revised the proposal; none of them may review it.",
    )
    reviewers = refs_field(Kind.AGENT, "reviewers", "The actors that reviewed the proposal.")
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
        types = info.context.services.registry.files.snapshot()
        if self.record.subject is not ProposalSubject.ACTION_TYPE:
            return None
        try:
            return ActionTypeType.from_record(definition_of(self.record, types), types)
        except PrefrontalError:
            return None


@strawberry.type(description="The proposal as it is now.")
class SubmitRegistryProposalPayload:
    """The result of `submitRegistryProposal`."""

    proposal: RegistryProposalType


@strawberry.type(description="The proposal as it is now.")
class ReviewRegistryProposalPayload:
    """The result of `reviewRegistryProposal`."""

    proposal: RegistryProposalType


@strawberry.type(description="The proposal as it is now.")
class WithdrawRegistryProposalPayload:
    """The result of `withdrawRegistryProposal`."""

    proposal: RegistryProposalType


@graphql_type_of(
    RegistryProposal,
    "The branch with the change of the registry, for people to review and merge.",
    name="ExportProposalAsPrPayload",
)
class ExportProposalAsPrPayload(RecordType):
    """The result of `exportProposalAsPr`."""

    repo: str
    branch: str
    pr_url: str
    commit: str

    @strawberry.field
    def proposal(self) -> RegistryProposalType:
        return RegistryProposalType.from_record(self.record)
