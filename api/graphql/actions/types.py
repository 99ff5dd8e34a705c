"""Pending actions and the registry's action types as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from api.graphql.node import Node
from graph.cortex.actions.record import ActionOwner, PendingAction
from graph.errors import InvalidInput


@strawberry.type(name="PendingAction", description="A concrete next step towards a goal.")
class PendingActionType(Node):
    """A pending action."""

    space: strawberry.ID
    goal_id: strawberry.ID | None
    type: str = strawberry.field(description="An id of `actionTypes`.")
    original_type: str | None = strawberry.field(
        description="The unknown type that was asked for, when it was made a `user_task` instead."
    )
    title: str
    description: str | None
    owner: ActionOwner
    priority: str
    effort: float | None
    status: str
    due_at: datetime | None
    blocking: bool
    requires_confirmation: bool
    metadata: JSON
    created_from_turn_id: str | None
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int

    @classmethod
    def from_record(cls, a: PendingAction) -> PendingActionType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(a.uid),
            space=strawberry.ID(a.scope_id),
            goal_id=strawberry.ID(a.goal_id) if a.goal_id else None,
            type=a.type,
            original_type=a.original_type,
            title=a.title,
            description=a.description,
            owner=a.owner,
            priority=a.priority,
            effort=a.effort,
            status=a.status,
            due_at=a.due_at,
            blocking=a.blocking,
            requires_confirmation=a.requires_confirmation,
            metadata=JSON(a.metadata),
            created_from_turn_id=a.created_from_turn_id,
            created_at=a.created_at,
            updated_at=a.updated_at,
            created_by=strawberry.ID(a.by_uid),
            version=a.version,
        )


@strawberry.input(
    description="A pending action to create. `actionType` is another name of `type`, `assignedTo` of `owner`."
)
class PendingActionInput:
    """A new pending action."""

    type: str | None = None
    action_type: str | None = None
    title: str | None = strawberry.field(
        default=None, description="Default: the first line of the description."
    )
    description: str | None = None
    owner: ActionOwner | None = None
    assigned_to: ActionOwner | None = None
    priority: str | None = strawberry.field(default=None, description="low, medium, high, critical or 1–4.")
    effort: float | None = strawberry.field(default=None, description="Above 0; a missing one counts as 1.")
    due_at: datetime | None = None
    blocking: bool | None = None
    requires_confirmation: bool | None = None
    metadata: JSON | None = None

    def values(self, path: str) -> dict[str, object]:
        """Return the values of the draft; raise `InvalidInput` when two names say different things."""
        return {
            "type": _one(self.type, self.action_type, f"{path}.actionType"),
            "title": self.title,
            "description": self.description,
            "owner": _one(self.owner, self.assigned_to, f"{path}.assignedTo"),
            "priority": self.priority,
            "effort": self.effort,
            "due_at": self.due_at,
            "blocking": self.blocking,
            "requires_confirmation": self.requires_confirmation,
            "metadata": self.metadata,
        }

    def spellings(self, path: str) -> dict[str, str]:
        """Return the fields that were given under another name, as problems name them."""
        found: dict[str, str] = {}
        if self.type is None and self.action_type is not None:
            found[f"{path}.type"] = f"{path}.actionType"
        if self.owner is None and self.assigned_to is not None:
            found[f"{path}.owner"] = f"{path}.assignedTo"
        return found


def _one(first: str | None, second: str | None, field: str) -> str | None:
    if first is not None and second is not None and first != second:
        raise InvalidInput("is another name of the same thing and says something else", field=field)
    return first if first is not None else second
