"""Value types of registry proposals (source 003, §Planner Suggestion Pathway)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from prefrontal.graph.record import Record


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


class ProposalDraft(Record):
    """A proposal as the client sends it; of an open proposal, only fields to change (`model_fields_set`).

    `diff`, `suggested_policies` and `allowed_transitions` have the keys of the registry's files.
    """

    proposal_type: ProposalType | None = None
    subject: ProposalSubject = ProposalSubject.ACTION_TYPE
    type_id: str | None = None
    display_name: str | None = None
    description: str | None = None
    diff: dict[str, Any] | None = None
    suggested_policies: dict[str, Any] | None = None
    allowed_statuses: tuple[str, ...] | None = None
    allowed_transitions: dict[str, Any] | None = None
    rationale: str | None = None
    examples: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


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
    """Conditions of a list of proposals; all given conditions must match."""

    statuses: tuple[ProposalStatus, ...] | None = None
    type_id: str | None = None
    turn_id: str | None = None


class ProposalPage(Record):
    """One page of proposals, newest first."""

    items: tuple[RegistryProposal, ...]
    cursors: tuple[str, ...]
    has_next: bool


class UnknownUse(Record):
    """An action that asked for an unknown type."""

    action_id: str
    name: str
    owner: str | None
    staged: bool
    """Whether the registry has the type, but new actions cannot have it yet."""


class Awaited(Record):
    """The type that an action waits for; the action is a user task because its type was unknown."""

    name: str
    owner: str | None
    proposal_id: str


class Export(Record):
    """Where a proposal was exported to."""

    repo: str
    branch: str
    commit: str
    pr_url: str
