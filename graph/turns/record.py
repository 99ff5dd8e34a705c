"""Turns as values."""

from __future__ import annotations

from datetime import datetime

from prefrontal.graph.record import Record


class Turn(Record):
    """A turn: `key` is the id its client calls it by."""

    uid: str
    key: str
    scope_id: str
    created_at: datetime
    by_uid: str
