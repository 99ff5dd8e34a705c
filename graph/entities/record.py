"""Records of entities."""

from __future__ import annotations

from prefrontal.graph.record import Record


class EntityName(Record):
    """An entity's name as a memory spells it, and the kind of entity if it is known."""

    name: str
    kind: str | None = None


class Entity(Record):
    """An entity as a caller sees it. The spelling and the kind come from a space that the caller may read."""

    uid: str
    key: str
    """The folded name."""
    name: str
    kind: str | None


class EntityFilter(Record):
    """A filter of entities. An entity must meet every condition that is given."""

    prefix: str | None = None
    """The beginning of the name. It is folded like the names before the comparison."""
    kinds: tuple[str, ...] = ()
