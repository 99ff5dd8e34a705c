"""Records of a search for memories (source 003, §Retrieval Guidance)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from prefrontal.graph.record import Limit, Record, Reference


class SearchKind(StrEnum):
    """The kind of memory that a search finds."""

    OBSERVATION = "observation"
    FACT = "fact"
    SKILL = "skill"
    EPISODE = "episode"
    MESSAGE = "message"
    MANDATE = "mandate"
    CAPABILITY = "capability"


class SearchFilter(Record):
    """Conditions on the memories that a search finds; all given conditions must hold."""

    kinds: tuple[SearchKind, ...] | None = Field(default=None, description="Any of these.")
    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = Field(
        default=(), description="All of these tags, without regard to case."
    )
    entities: Annotated[tuple[Annotated[str, Limit("entity_characters")], ...], Limit("entities")] = Field(
        default=(), description="Memories that mention any of these people or things by name."
    )
    since: AwareDatetime | None = Field(
        default=None, description="The earliest time at which it was noticed, said or happened (inclusive)."
    )
    until: AwareDatetime | None = Field(
        default=None, description="The latest time at which it was noticed, said or happened (inclusive)."
    )
    conversation: Annotated[str, Limit("key_characters")] | None = Field(
        default=None, description="Messages of the conversation with this key."
    )
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="The lowest confidence (inclusive). Memories without one are certain."
    )
    min_relevance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="The lowest relevance (inclusive). By default what is not relevant enough to answer the "
        "question is left out; 0 returns the nearest memories however far they are.",
    )
    space: Reference | None = Field(default=None, description="Memories of this space.")


class Parts(Record):
    """What the relevance of a memory is made of (`graph.search.rules`); each part adds or takes away."""

    words: float
    meaning: float | None
    neighbours: float
    conversation: float
    subject: float
    time: float
    doubt: float


class Found(Record):
    """A memory that a search found, with its relevance for the question."""

    uid: str
    scope_id: str
    by_uid: str
    kind: SearchKind
    content: str
    speaker: str | None = None
    conversation: str | None = None
    at: datetime
    confidence: float | None = None
    relevance: float
    closeness: float
    """The relevance that it would have if nothing better was found."""
    parts: Parts
    about: tuple[str, ...] = ()
    """The ids of the entities that the question names and that it mentions."""
    same: tuple[str, ...] = ()
    """The ids of less relevant memories that say the same."""


class Search(Record):
    """A question."""

    text: Annotated[str, Limit("prompt_characters")]
