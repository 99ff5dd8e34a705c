"""Pending actions as values (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.record import Record


class ActionOwner(StrEnum):
    """Who does it."""

    AGENT = "agent"
    USER = "user"


class PendingActionDraft(Record):
    """A pending action as a caller gives it: a type, and a title or a description."""

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
    """Fields of an action to set; what is left out stays, and null clears what may be empty."""

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
    """What a caller wants of an action's status."""

    to: str
    result: dict[str, Any] | None = None
    choice: str | None = None
    by_user: bool
    by_uid: str
    blocked_by: tuple[str, ...] = ()
    field: str = "status"
    """What a complaint about the status names: the input's field, or the action where none says a status."""


class ActionDone(Record):
    """That an action is done: which one, by its id or its caller's own key, and what came of it."""

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
    """Priority through effort: what the order begins with."""
    evidence_refs: tuple[str, ...]
    confirmed_by: str | None
    confirmed_at: datetime | None
    result: dict[str, Any] | None
    completed_at: datetime | None
    archived_at: datetime | None
    """When it was put away: it is not listed among the pending ones any more."""
    escalated_at: datetime | None
    """When it escalated last, because it was overdue."""
    event_at: datetime | None
    """When the event happened that it waited for."""
    client_key: str | None
    metadata: dict[str, Any]
    created_from_turn_id: str | None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int

    @property
    def original_type(self) -> str | None:
        """The unknown type that was asked for, when the action was made a user's task instead."""
        value = self.metadata.get("original_type")
        return str(value) if value is not None else None


class ActionOrder(StrEnum):
    """What a list of actions is ordered by."""

    UTILITY = "utility"
    DUE_AT = "due_at"


class ActionFilter(Record):
    """Which actions; what is left out does not matter, and without `statuses` the open ones are meant."""

    owner: ActionOwner | None = None
    statuses: tuple[str, ...] | None = None
    types: tuple[str, ...] | None = None
    goal_id: str | None = None
    space: str | None = None
    due_after: AwareDatetime | None = None
    """Due then or later; what has no due time is not."""
    due_before: AwareDatetime | None = None
    blocking: bool | None = None


class ActionPage(Record):
    """A page of actions, each with its cursor."""

    items: tuple[PendingAction, ...]
    cursors: tuple[str, ...]
    has_next: bool


class ActionUpsert(Record):
    """One entry of an upsert: an action to change by its id or key, or one to make."""

    uid: str | None = None
    expected_version: int | None = None
    goal_id: str | None = None
    draft: PendingActionDraft
    changes: PendingActionChanges


class EntryProblem(Record):
    """Why an entry was not applied: what a `Problem` says."""

    code: str
    message: str
    field: str | None
    problems: tuple[EntryProblem, ...] = ()


class ActionPlace(Record):
    """Where actions stand together: a space, open ones or the others, of one owner."""

    scope_id: str
    open: bool
    owner: ActionOwner


class MigrationPlan(Record):
    """What moving the actions of one type to another would do, and the reasons against it."""

    moves: dict[str, int]
    """How many actions go from each status to which."""
    reasons: dict[str, int]
    """Why it cannot be done, and for how many actions."""

    @property
    def total(self) -> int:
        """How many actions would move."""
        return sum(self.moves.values())


class UpsertResult(Record):
    """What became of one entry of an upsert."""

    action: PendingAction | None
    created: bool
    problem: EntryProblem | None
