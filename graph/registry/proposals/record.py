"""Registry proposals as values (source 003, §Planner Suggestion Pathway)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from prefrontal.graph.record import Record


class ProposalType(StrEnum):
    """What is to become of what is proposed; nothing is ever removed."""

    ADD = "add"
    MODIFY = "modify"
    DEPRECATE = "deprecate"


class ProposalSubject(StrEnum):
    """What is proposed: a type, or a generic key that types of the future may use."""

    ACTION_TYPE = "action_type"
    POLICY = "policy"
    HANDLER = "handler"


class ProposalStatus(StrEnum):
    """Where a proposal stands."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    MERGED = "merged"


class ReviewDecision(StrEnum):
    """What a maintainer decides."""

    APPROVE = "approve"
    REJECT = "reject"


class Review(Record):
    """What a maintainer said of a proposal."""

    by: str
    decision: ReviewDecision
    comments: str | None
    at: datetime


class ProposalDraft(Record):
    """A proposal as a caller gives it: of an open one only what is to change (`model_fields_set`).

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
    """The name of the unknown type that was used, as it was written."""
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
    """Who submitted it and who revised it: none of them decides about it."""
    reviewers: tuple[str, ...]
    reviews: tuple[Review, ...]
    name_key: str | None
    """The folded name of the type to be added; one proposal of an organisation has it."""
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
    """Which proposals; every condition that is given holds."""

    statuses: tuple[ProposalStatus, ...] | None = None
    type_id: str | None = None
    turn_id: str | None = None


class ProposalPage(Record):
    """One page of proposals, newest first."""

    items: tuple[RegistryProposal, ...]
    cursors: tuple[str, ...]
    has_next: bool


class UnknownUse(Record):
    """An action that asked for a type nobody knows."""

    action_id: str
    name: str
    owner: str | None
    staged: bool
    """The registry has it, but new actions cannot have it yet."""


class Awaited(Record):
    """What an action waits for that was made the user's because its type was unknown."""

    name: str
    owner: str | None
    proposal_id: str


class Export(Record):
    """Where a proposal was exported to."""

    repo: str
    branch: str
    commit: str
    pr_url: str
