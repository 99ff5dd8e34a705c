"""Records of what sessions hold and do, as numbers (source 002 §4.5 and §9)."""

from __future__ import annotations

from prefrontal.graph.record import Record


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
