"""Overrides of action types as values."""

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
    """What is in force; None while there is a draft only."""
    draft: ActionType | None
    """What waits to be approved."""
    since: datetime | None
    """When new actions could have the type first; None when a file gave it to them before."""
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int


class HeldRegistry(Record):
    """An organisation's registry as it is until the commit."""

    revision: int
    scope_id: str
    """The common space, where overrides belong."""
    overrides: dict[str, ActionTypeOverride]
