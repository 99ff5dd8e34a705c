"""Entities as values."""

from __future__ import annotations

from prefrontal.graph.record import Record


class EntityName(Record):
    """A name as a memory writes it, and what kind of thing bears it."""

    name: str
    kind: str | None = None


class Entity(Record):
    """An entity as a caller may see it: its spelling and kind come from a space that the caller reads."""

    uid: str
    key: str
    """The folded name."""
    name: str
    kind: str | None


class EntityFilter(Record):
    """Which entities; everything given must hold."""

    prefix: str | None = None
    """How the name begins, folded like names are."""
    kinds: tuple[str, ...] = ()
