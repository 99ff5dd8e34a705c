"""Records of mandates and capabilities (source 000, §Response: WM Returns Context)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.record import Record


class MemoryKind(StrEnum):
    """The kind of a permanent memory."""

    MANDATE = "mandate"
    CAPABILITY = "capability"


class MemoryDraft(Record):
    """A mandate or capability to store."""

    kind: MemoryKind
    content: str
    essential: bool = True
    """For a mandate: whether a context reports the mandate as missing if it does not fit."""


class Memory(Record):
    """A stored mandate or capability."""

    uid: str
    scope_id: str
    kind: MemoryKind
    content: str
    essential: bool
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int
