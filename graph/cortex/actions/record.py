"""Value types of pending actions (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.record import Record


class ActionOwner(StrEnum):
    """Who carries out an action."""

    AGENT = "agent"
    USER = "user"


class PendingActionDraft(Record):
    """A new pending action as the client describes it: a type, and a title or a description."""

    type: str | None = None
    title: str | None = None
    description: str | None = None
    owner: ActionOwner | None = None
    priority: str | None = None
    effort: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    due_at: AwareDatetime | None = None
    blocking: bool | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    evidence_refs: tuple[str, ...] = ()
    metadata: dict[str, Any] | None = None
    client_key: str | None = None


class PendingActionChanges(Record):
    """Fields of an action to set; a field left out keeps its value, and null clears an optional field."""

    title: str | None = None
    description: str | None = None
    priority: str | None = None
    effort: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    due_at: AwareDatetime | None = None
    blocking: bool | None = None
    requires_confirmation: bool | None = None
    auto_complete: bool | None = None
    evidence_refs: tuple[str, ...] | None = None
    metadata: dict[str, Any] | None = None
    result: dict[str, Any] | None = None


class ActionMove(Record):
    """A requested change of an action's status."""

    to: str
    result: dict[str, Any] | None = None
    choice: str | None = None
    by_user: bool
    by_uid: str
    blocked_by: tuple[str, ...] = ()
    field: str = "status"
    """The input field that an error about the status names; the id if the input has no status field."""


class ActionDone(Record):
    """A reported completion: the action (by id or by the client's own key) and its result."""

    uid: str | None = None
    client_key: str | None = None
    expected_version: int | None = None
    result: dict[str, Any] | None = None
    choice: str | None = None


class PendingAction(Record):
    """A stored pending action."""

    uid: str
    scope_id: str
    goal_id: str | None
    type: str
    title: str
    description: str | None
    owner: ActionOwner
    priority: str
    priority_rank: int
    effort: float | None
    status: str
    due_at: datetime | None
    blocking: bool
    requires_confirmation: bool
    auto_complete: bool
    density: float
    """Priority divided by effort; the first criterion of the order by utility."""
    evidence_refs: tuple[str, ...]
    confirmed_by: str | None
    confirmed_at: datetime | None
    result: dict[str, Any] | None
    completed_at: datetime | None
    archived_at: datetime | None
    """When the action was archived; from then on lists of pending actions leave it out."""
    escalated_at: datetime | None
    """When the action last escalated because it was overdue."""
    event_at: datetime | None
    """When the awaited event happened."""
    client_key: str | None
    metadata: dict[str, Any]
    created_from_turn_id: str | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int

    @property
    def original_type(self) -> str | None:
        """The unknown type that the client asked for, if the action became a user task instead; else None."""
        value = self.metadata.get("original_type")
        return str(value) if value is not None else None


class ActionOrder(StrEnum):
    """The order of a list of actions."""

    UTILITY = "utility"
    DUE_AT = "due_at"


class ActionFilter(Record):
    """Conditions of a list of actions; a field left out does not filter.

    Without `statuses`, open actions match.
    """

    owner: ActionOwner | None = None
    statuses: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    goal_id: str | None = None
    space: str | None = None
    due_after: AwareDatetime | None = None
    """Matches actions due at this time or later, never those without a due time."""
    due_before: AwareDatetime | None = None
    blocking: bool | None = None


class ActionPage(Record):
    """A page of actions, each with its cursor."""

    items: tuple[PendingAction, ...]
    cursors: tuple[str, ...]
    has_next: bool


class ActionUpsert(Record):
    """One entry of an upsert: an action to change, named by its id or key, or a new action."""

    uid: str | None = None
    expected_version: int | None = None
    goal_id: str | None = None
    draft: PendingActionDraft
    changes: PendingActionChanges


class EntryProblem(Record):
    """Why an entry was not applied; the same fields as a GraphQL `Problem`."""

    code: str
    message: str
    field: str | None
    problems: tuple[EntryProblem, ...] = ()


class ActionPlace(Record):
    """One range of the index of actions: a space, open or closed, and an owner."""

    scope_id: str
    open: bool
    owner: ActionOwner


class MigrationPlan(Record):
    """What a migration of actions from one type to another would do, and the reasons why it cannot run."""

    moves: dict[str, int]
    """Number of actions by change of status, as `old → new`."""
    reasons: dict[str, int]
    """Number of actions by the reason why they cannot be migrated."""

    @property
    def total(self) -> int:
        """The number of actions that would be migrated."""
        return sum(self.moves.values())


class UpsertResult(Record):
    """The result of one entry of an upsert."""

    action: PendingAction | None
    created: bool
    problem: EntryProblem | None
