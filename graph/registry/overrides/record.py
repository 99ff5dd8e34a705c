"""Value types of overrides of action types."""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.record import Record
from prefrontal.graph.registry.definitions import ActionType


class ActionTypeOverride(Record):
    """An organisation's own definition of an action type, in force or waiting for approval, or both."""

    uid: str
    scope_id: str
    type_id: str
    definition: ActionType | None
    """The definition in force; None while there is only a draft."""
    draft: ActionType | None
    """The definition that waits for approval."""
    since: datetime | None
    """When new actions could first have the type; None if a file defined it before."""
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int


class HeldRegistry(Record):
    """An organisation's registry, locked until the commit."""

    revision: int
    scope_id: str
    """The organisation's common space, which holds the overrides."""
    overrides: dict[str, ActionTypeOverride]
