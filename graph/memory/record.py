"""Remembered things as values (source 000, §Response: WM Returns Context)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.record import Record


class MemoryKind(StrEnum):
    """What can be remembered until it is forgotten."""

    MANDATE = "mandate"
    CAPABILITY = "capability"


class MemoryDraft(Record):
    """Something to remember."""

    kind: MemoryKind
    content: str
    essential: bool = True
    """For a mandate: a context that has no room for it says so."""


class Memory(Record):
    """A remembered mandate or capability."""

    uid: str
    scope_id: str
    kind: MemoryKind
    content: str
    essential: bool
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
