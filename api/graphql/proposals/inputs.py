"""Inputs and payloads of the mutations of registry proposals."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.inputs import draft, key_field, turn_field, version_field
from prefrontal.api.graphql.proposals.types import RegistryProposalType
from prefrontal.graph.registry.proposals.record import (
    ProposalDraft,
    ProposalSubject,
    ProposalType,
    RegistryProposal,
    ReviewDecision,
)


@strawberry.input(
    description="A new proposal, or with an `id` an open proposal to revise: an omitted field then keeps its "
    "value, and null clears it. JSON objects have the keys of the registry's files, in "
    "snake_case."
)
class SubmitRegistryProposalInput:
    """The input of `submitRegistryProposal`."""

    id: strawberry.ID | None = strawberry.field(default=None, description="The open proposal to revise.")
    proposal_type: ProposalType | None = strawberry.field(
        default=strawberry.UNSET,
        description="Required for a new proposal; like `subject`, it cannot be changed later.",
    )
    subject: ProposalSubject | None = strawberry.field(
        default=strawberry.UNSET,
        description="Default: ACTION_TYPE. Behaviour that the present policies and handlers cannot express "
        "is proposed as a new generic policy or handler.",
    )
    type_id: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="The id of the type, policy or handler; required for a new proposal.",
    )
    display_name: str | None = strawberry.UNSET
    description: str | None = strawberry.UNSET
    diff: JSON | None = strawberry.field(
        default=strawberry.UNSET,
        description="Further keys of the type's file and their values, e.g. `allowed_owners`, "
        "`policy_handlers`, `replaced_by`; null removes a key from the file.",
    )
    suggested_policies: JSON | None = strawberry.field(
        default=strawberry.UNSET,
        description="Keys of `default_policies` to change; omitted keys keep their values.",
    )
    allowed_statuses: list[str] | None = strawberry.UNSET
    allowed_transitions: JSON | None = strawberry.field(
        default=strawberry.UNSET, description="The allowed target statuses, by status."
    )
    rationale: str | None = strawberry.field(
        default=strawberry.UNSET, description="Required for a new proposal; cannot be cleared."
    )
    examples: list[str] | None = strawberry.UNSET
    risks: list[str] | None = strawberry.UNSET
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()

    def draft(self) -> ProposalDraft:
        """Return the draft; raise `InvalidInput` for values of the wrong form."""
        values = {
            "proposal_type": self.proposal_type,
            "subject": self.subject,
            "type_id": self.type_id,
            "display_name": self.display_name,
            "description": self.description,
            "diff": self.diff,
            "suggested_policies": self.suggested_policies,
            "allowed_statuses": tuple(self.allowed_statuses)
            if self.allowed_statuses
            else self.allowed_statuses,
            "allowed_transitions": self.allowed_transitions,
            "rationale": self.rationale,
            "examples": tuple(self.examples or ())
            if self.examples is not strawberry.UNSET
            else self.examples,
            "risks": tuple(self.risks or ()) if self.risks is not strawberry.UNSET else self.risks,
        }
        given = {name: value for name, value in values.items() if value is not strawberry.UNSET}
        if given.get("subject", ...) is None:
            del given["subject"]
        return draft(ProposalDraft, given)


@strawberry.type(description="The proposal as it is now.")
class SubmitRegistryProposalPayload:
    """The result of `submitRegistryProposal`."""

    proposal: RegistryProposalType


@strawberry.input(description="An approved proposal to export as a branch; for maintainers.")
class ExportProposalAsPrInput:
    """The input of `exportProposalAsPr`."""

    id: strawberry.ID
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The branch with the change of the registry, for people to review and merge.")
class ExportProposalAsPrPayload:
    """The result of `exportProposalAsPr`."""

    repo: str
    branch: str
    pr_url: str
    commit: str
    proposal: RegistryProposalType

    @classmethod
    def from_record(cls, proposal: RegistryProposal) -> ExportProposalAsPrPayload:
        """Return the payload of a proposal that was exported."""
        return cls(
            repo=proposal.repo or "",
            branch=proposal.branch or "",
            pr_url=proposal.pr_url or "",
            commit=proposal.commit or "",
            proposal=RegistryProposalType.from_record(proposal),
        )


@strawberry.input(
    description="A decision about an open proposal. Only for maintainers who are not among its authors."
)
class ReviewRegistryProposalInput:
    """The input of `reviewRegistryProposal`."""

    id: strawberry.ID
    decision: ReviewDecision
    comments: str | None = None
    expected_version: int | None = version_field()
    turn_id: str | None = turn_field()
    idempotency_key: str | None = key_field()


@strawberry.type(description="The proposal as it is now.")
class ReviewRegistryProposalPayload:
    """The result of `reviewRegistryProposal`."""

    proposal: RegistryProposalType
