"""Records of entities."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from prefrontal.graph.record import Limit, Record

Name = Annotated[str, Limit("entity_characters")]
Word = Annotated[str, Limit("tag_characters")]


class EntityName(Record):
    """An entity by its name. Names that differ only in letter case or white space denote the same entity."""

    name: Name
    kind: Word | None = Field(default=None, description="A word of your choice: person, place, product …")


EntityNames = Annotated[tuple[EntityName, ...], Limit("entities")]


class Entity(Record):
    """An entity as a caller sees it. The spelling and the kind come from a space that the caller may read."""

    uid: str
    key: str
    """The folded name."""
    name: str
    kind: str | None


class EntityFilter(Record):
    """Conditions on entities; all given conditions must hold."""

    prefix: Annotated[str, Limit("entity_characters", may_be_empty=True)] | None = Field(
        default=None, description="The beginning of the name; letter case and character width are ignored."
    )
    kinds: Annotated[tuple[Word, ...], Limit("list_items")] = Field(default=(), description="Any of these.")
