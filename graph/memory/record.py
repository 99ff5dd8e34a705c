"""Records of mandates and capabilities (source 000, §Response: WM Returns Context)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from prefrontal.graph.journal.command import ChangeCommand, TurnCommand, space
from prefrontal.graph.record import Id, Limit, Record


class MemoryKind(StrEnum):
    """The kind of a permanent memory."""

    MANDATE = "mandate"
    CAPABILITY = "capability"


class MemoryDraft(Record):
    """A mandate or capability to store."""

    kind: MemoryKind
    content: Annotated[str, Limit("content_characters")]
    essential: bool = Field(
        default=True,
        description="Only for a mandate: a context without room for an essential mandate reports it in "
        "`missingMandates`.",
    )


class Remember(TurnCommand):
    """Memories to store: all or none."""

    memories: Annotated[tuple[MemoryDraft, ...], Limit("remembered_per_call")]
    space: Id | None = space()


class Forget(ChangeCommand):
    """A mandate or capability to take back."""


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
    live: bool = True
    """False once it was taken back: contexts leave it out."""
