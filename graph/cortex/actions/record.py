"""Pending actions as values (source 003, §Data Model)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from graph.record import Record


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
    metadata: dict[str, Any] | None = None


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
