"""Records of checkpoints: what a session held at a time, as references (source 002 §6.2, decision G-074)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from prefrontal.graph.journal.command import TurnCommand
from prefrontal.graph.record import Key, Record, Reference
from prefrontal.graph.sessions.record import EvictedItem, Scores, Session


class MissingReason(StrEnum):
    """Why an item of a checkpoint does not come back."""

    DESTROYED = "destroyed"
    GONE = "gone"
    EXPIRED = "expired"
    UNREADABLE = "unreadable"
    CAPACITY = "capacity"


class CheckpointSession(TurnCommand):
    """A session to keep as it is now. It keeps references; texts stay in the session alone."""

    session_id: Reference = Field(description="The id of the session, or your key of it.")
    name: Key | None = Field(
        default=None,
        description="Your name of the checkpoint; an earlier one of the name is replaced. Default: its id.",
    )


class RestoreCheckpoint(TurnCommand):
    """A checkpoint to put back."""

    session_id: Reference = Field(description="The id of the session, or your key of it.")
    checkpoint: Reference | None = Field(
        default=None, description="The id of the checkpoint, or your name of it; default: the newest."
    )


class Checkpoint(Record):
    """A stored checkpoint."""

    uid: str
    key: str
    """The client's name of it, else its id."""
    session_uid: str
    task: str | None = None
    focus: tuple[str, ...] = ()
    item_ids: tuple[str, ...] = ()
    created_at: datetime


class KeptItem(Scores):
    """An item of a checkpoint, and what became of its memory since."""

    item_id: str
    memory_uid: str
    content_type: str
    temporal_context: datetime | None = None
    confidence: float
    salience: float
    contextual_importance: float | None = None
    threshold: float
    pinned: bool = False
    is_fragment: bool = False
    redacted: bool = False
    """Whether the session has redacted it, now or earlier."""
    content: str | None = None
    """The text of the memory as it is now; None if the caller may not read it."""
    entities: tuple[str, ...] = ()
    """The names that the memory mentions now."""
    missing: MissingReason | None = None
    """Why it cannot come back."""


class KeptCheckpoint(Record):
    """A checkpoint with its items."""

    checkpoint: Checkpoint
    items: tuple[KeptItem, ...]
    task_vector: tuple[float, ...] | None = None
    task_encoder: str | None = None


class MissingItem(Record):
    """An item of a checkpoint that did not come back."""

    item_id: str
    reason: MissingReason


class RestoredSession(Record):
    """What came of a checkpoint that was put back."""

    session: Session
    restored_items: tuple[str, ...]
    """The ids of the items that came back; those that the session still held are not among them."""
    evicted_items: tuple[EvictedItem, ...]
    missing_items: tuple[MissingItem, ...]
