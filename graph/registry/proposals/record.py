"""Value types and commands of registry proposals (source 003, §Planner Suggestion Pathway)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.journal.command import ChangeCommand, TurnCommand, expected_version
from prefrontal.graph.record import Id, Key, Limit, Record, Text, Title


class ProposalType(StrEnum):
    """The kind of change; nothing is ever removed."""

    ADD = "add"
    MODIFY = "modify"
    DEPRECATE = "deprecate"


class ProposalSubject(StrEnum):
    """What a proposal is about: an action type, or a generic key for future types."""

    ACTION_TYPE = "action_type"
    POLICY = "policy"
    HANDLER = "handler"


class ProposalStatus(StrEnum):
    """The status of a proposal."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    MERGED = "merged"
    WITHDRAWN = "withdrawn"


class ReviewDecision(StrEnum):
    """The decision of a maintainer."""

    APPROVE = "approve"
    REJECT = "reject"


class Review(Record):
    """A maintainer's review of a proposal."""

    by: str
    decision: ReviewDecision
    comments: str | None
    at: datetime


Entries = Annotated[tuple[Annotated[str, Limit("proposal_entry_characters")], ...], Limit("proposal_entries")]
Map = Annotated[dict[str, Any], Limit("metadata_characters")]


class ProposalDraft(Record):
    """A proposal as the client sends it; of an open proposal, only fields to change (`model_fields_set`).

    `diff`, `suggested_policies` and `allowed_transitions` have the keys of the registry's files.
    """

    proposal_type: ProposalType | None = Field(
        default=None, description="Required for a new proposal; like `subject`, it cannot be changed later."
    )
    subject: ProposalSubject | None = Field(
        default=None,
        description="Default: ACTION_TYPE. Behaviour that the present policies and handlers cannot express "
        "is proposed as a new generic policy or handler.",
    )
    type_id: str | None = Field(
        default=None, description="The id of the type, policy or handler; required for a new proposal."
    )
    display_name: str | None = None
    description: Text | None = None
    diff: Map | None = Field(
        default=None,
        description="Further keys of the type's file and their values, e.g. `allowed_owners`, "
        "`policy_handlers`, `replaced_by`; null removes a key from the file.",
    )
    suggested_policies: Map | None = Field(
        default=None, description="Keys of `default_policies` to change; omitted keys keep their values."
    )
    allowed_statuses: Annotated[tuple[Key, ...], Limit("list_items")] | None = None
    allowed_transitions: Map | None = Field(
        default=None, description="The allowed target statuses, by status."
    )
    rationale: Annotated[str, Limit("description_characters")] | None = Field(
        default=None, description="Required for a new proposal; cannot be cleared."
    )
    examples: Entries | None = None
    risks: Entries | None = None

    @property
    def given_fields(self) -> dict[str, Any]:
        """The given fields of the proposal, with the default subject and empty lists for null."""
        fields = {
            name: getattr(self, name) for name in ProposalDraft.model_fields if name in self.model_fields_set
        }
        for name in ("examples", "risks"):
            if name in fields:
                fields[name] = fields[name] or ()
        if "subject" in fields:
            fields["subject"] = fields["subject"] or ProposalSubject.ACTION_TYPE
        return fields


class SubmitRegistryProposal(ProposalDraft, TurnCommand):
    """A new proposal, or with an `id` an open proposal to revise: an omitted field then keeps its value, and
    null clears it. JSON objects have the keys of the registry's files, in snake_case.
    """  # noqa: D205 - one paragraph, which describes the input in the schema

    id: Id | None = Field(default=None, description="The open proposal to revise.")
    expected_version: int | None = expected_version()


class ReviewRegistryProposal(ChangeCommand):
    """A decision about an open proposal. Only for maintainers who are not among its authors."""

    decision: ReviewDecision
    comments: Text | None = None


class ExportProposalAsPr(ChangeCommand):
    """An approved proposal to export as a branch; for maintainers."""


class WithdrawRegistryProposal(ChangeCommand):
    """A proposal to take back, and why. Only for who submitted it, and for maintainers."""

    reason: Title | None = None


class RegistryProposal(Record):
    """A stored proposal."""

    uid: str
    org_id: str
    scope_id: str
    proposal_type: ProposalType
    subject: ProposalSubject
    type_id: str | None
    requested_name: str | None
    """The requested unknown type, as written by the client."""
    display_name: str | None
    description: str | None
    diff: dict[str, Any] | None
    suggested_policies: dict[str, Any] | None
    allowed_statuses: tuple[str, ...] | None
    allowed_transitions: dict[str, Any] | None
    rationale: str
    examples: tuple[str, ...]
    risks: tuple[str, ...]
    created_from_turn_id: str | None
    status: ProposalStatus
    status_reason: str | None
    """Why the proposal was withdrawn, if that was said."""
    authors: tuple[str, ...]
    """The actors who submitted or revised the proposal; none of them can review it."""
    reviewers: tuple[str, ...]
    reviews: tuple[Review, ...]
    name_key: str | None
    """The folded name of the type to add; unique among the proposals of an organisation."""
    repo: str | None
    branch: str | None
    commit: str | None
    pr_url: str | None
    exported_at: datetime | None
    merged_at: datetime | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int


class ProposalFilter(Record):
    """Conditions on proposals; all given conditions must hold."""

    status: tuple[ProposalStatus, ...] | None = Field(default=None, description="Any of these.")
    type_id: Key | None = None
    turn_id: Key | None = Field(
        default=None,
        description="Proposals that were submitted in this turn, or whose unknown type was used in it; "
        "your name for the turn, or its `id`.",
    )


class UnknownUse(Record):
    """An action that asked for an unknown type."""

    action_id: str
    name: str
    owner: str | None
    staged: bool
    """Whether the registry has the type, but new actions cannot have it yet."""


class AwaitedType(Record):
    """The type that an action waits for; the action is a user task because its type was unknown.

    The name is empty, and there is no proposal, if no type was named.
    """

    name: str
    owner: str | None
    proposal_id: str | None


class Export(Record):
    """Where a proposal was exported to."""

    repo: str
    branch: str
    commit: str
    pr_url: str
