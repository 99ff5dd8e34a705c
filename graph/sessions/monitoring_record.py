"""Records of what sessions hold and do, as numbers (source 002 §4.5 and §9)."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from prefrontal.graph.record import Record, Reference
from prefrontal.graph.sessions.correlation_record import Relationship
from prefrontal.graph.sessions.record import EvictionReason


class ActiveSessions(Record):
    """The active sessions of a type, of all organisations."""

    session_type: str
    items: int
    """How many items they hold."""
    places: int
    """How many they may hold."""
    filled: int
    """How many of the sessions hold something."""
    coherence: float
    """The sum of the coherence of those."""


class PatternsFilter(Record):
    """Which of your sessions; all given conditions must hold."""

    session_id: Reference | None = Field(
        default=None, description="One session, by its `id` or your key of it."
    )
    since: AwareDatetime | None = Field(default=None, description="Started at or after it.")
    until: AwareDatetime | None = Field(default=None, description="Started before it.")


class ReasonCount(Record):
    """How many items left for a reason."""

    reason: EvictionReason
    items: int


class AttendedMemory(Record):
    """A memory that sessions held."""

    memory_uid: str
    stays: int
    """How often a session held it."""
    accesses: int


class AttendedEntity(Record):
    """A name that memories mention which sessions held."""

    name: str
    stays: int
    accesses: int


class ContextSwitches(Record):
    """The sessions that followed an earlier one, of a kind of relationship."""

    relationship_type: Relationship
    number: int
    correlation_score: float
    """The mean."""
    preserved: float | None
    """The mean share of what the later one held that the earlier one held too; None if it held nothing."""


class SessionPatterns(Record):
    """How sessions used what they held."""

    sessions: int
    offered: int
    slots: int
    accesses: int
    gone: int
    unused: int
    seen: int
    focus_changes: int
    load: float | None
    mean_stay: float | None
    reasons: tuple[ReasonCount, ...]
    memories: tuple[AttendedMemory, ...]
    entities: tuple[AttendedEntity, ...]
    switches: tuple[ContextSwitches, ...]

    @property
    def unused_share(self) -> float | None:
        """The share of the items that left which nobody was shown; None if none left."""
        return self.unused / self.gone if self.gone else None

    @property
    def seen_share(self) -> float | None:
        """The share of the items held that a context of a turn of the session included; None without any."""
        return self.seen / self.slots if self.slots else None
