"""Records of how sessions are related."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from prefrontal.graph.record import Record
from prefrontal.graph.sessions.record import Session, WorkingMemoryUpdate


class Relationship(StrEnum):
    """How a session is related to an earlier one."""

    CONTINUATION = "continuation"
    RELATED = "related"
    ADJACENT = "adjacent"
    WEAK = "weak"


class SharedKind(StrEnum):
    """What two sessions have in common."""

    ENTITY = "entity"
    THEME = "theme"
    GOAL = "goal"
    MEMORY = "memory"


class SharedPath(Record):
    """Something that two sessions have in common: a path from the one to the other."""

    kind: SharedKind
    name: str
    node_uid: str | None
    """The goal or the memory; null for an entity or a theme."""


class UnfinishedItem(Record):
    """A memory that an earlier session holds, or held when it ended, and the later one does not hold."""

    item_id: str
    memory_uid: str
    content: str
    content_type: str
    entities: tuple[str, ...] = ()
    salience: float


class SessionCorrelation(Record):
    """How a session is related to another one, each number between 0 and 1."""

    session: Session
    """The other session."""
    is_earlier: bool
    """Whether the other session is the earlier one."""
    correlation_score: float
    relationship_type: Relationship
    entity_overlap: float
    theme_similarity: float
    content_similarity: float
    temporal_proximity: float
    shared: tuple[SharedPath, ...] = ()
    unfinished: tuple[UnfinishedItem, ...] = ()

    @property
    def shared_entities(self) -> Sequence[str]:
        """The names of the entities that both have."""
        return [each.name for each in self.shared if each.kind is SharedKind.ENTITY]

    @property
    def shared_themes(self) -> Sequence[str]:
        """The themes that both have."""
        return [each.name for each in self.shared if each.kind is SharedKind.THEME]


class BridgeResult(Record):
    """What came of the items of an earlier session that were offered to another one."""

    session: Session
    updates: tuple[WorkingMemoryUpdate, ...]
