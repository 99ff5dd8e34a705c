"""Records of a search for memories, goals, questions and stories (source 003, §Retrieval Guidance)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from prefrontal.graph.record import Limit, Record, Reference


class SearchKind(StrEnum):
    """The kind of what a search finds: a memory, or a goal, question or story."""

    OBSERVATION = "observation"
    FACT = "fact"
    SKILL = "skill"
    LESSON = "lesson"
    EPISODE = "episode"
    MESSAGE = "message"
    MANDATE = "mandate"
    CAPABILITY = "capability"
    GOAL = "goal"
    QUESTION = "question"
    STORY = "story"


PLANS = frozenset({SearchKind.GOAL, SearchKind.QUESTION, SearchKind.STORY})
"""What a search finds only if it is asked for it by its kind."""
MEMORIES = tuple(kind for kind in SearchKind if kind not in PLANS)
"""What a search finds otherwise."""


class SearchFilter(Record):
    """Conditions on what a search finds; all given conditions must hold."""

    kinds: tuple[SearchKind, ...] | None = Field(
        default=None,
        description="Any of these. By default memories of all kinds; goals, questions and stories are found "
        "only if they are named.",
    )
    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = Field(
        default=(), description="All of these tags, without regard to case."
    )
    entities: Annotated[tuple[Annotated[str, Limit("entity_characters")], ...], Limit("entities")] = Field(
        default=(), description="Memories that mention any of these people or things by name."
    )
    extracted: bool = Field(
        default=False,
        description="Whether `entities` also finds memories that do not declare the name but have it in "
        "their text (it was known in their space when they were stored).",
    )
    since: AwareDatetime | None = Field(
        default=None,
        description="The earliest time at which it was noticed, said or happened (inclusive). Of a goal, "
        "question or story its creation counts.",
    )
    until: AwareDatetime | None = Field(default=None, description="The latest such time (inclusive).")
    conversation: Annotated[str, Limit("key_characters")] | None = Field(
        default=None, description="Messages of the conversation with this key."
    )
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="The lowest confidence (inclusive). What has none is certain."
    )
    min_relevance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None,
        description="The lowest relevance (inclusive). By default what is unlikely to answer the question is "
        "held back, and counted as `weaker`; 0 returns the nearest memories however far they are.",
    )
    space: Reference | None = Field(default=None, description="What belongs to this space.")


class Parts(Record):
    """The parts of the sum by which a memory stands in the order (`graph.search.rules`)."""

    words: float
    meaning: float | None
    neighbours: float
    conversation: float
    subject: float
    time: float
    doubt: float
    answer: float | None = None
    """None: it was not read again together with the question (`graph.search.reranking`)."""
    identifier: float = 0.0


class Passage(Record):
    """A part of a long text: the characters from `start` up to `end`."""

    place: int
    """1 for the first part."""
    total: int
    """How many parts the text has."""
    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of a text."""
        return text[self.start : self.end]


class SearchResult(Record):
    """A memory, goal, question or story that a search found, with its relevance for the question."""

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
    """How much it has to do with the question, 0-1, whether it answers or not (`graph.search.rules`)."""
    parts: Parts
    about: tuple[str, ...] = ()
    """The ids of the entities that the question names and that it mentions."""
    same: tuple[str, ...] = ()
    """The ids of less relevant memories that say the same."""
    newer: str | None = None
    """The id of the newest that answers the question, too; None if there is no newer one."""
    passage: Passage | None = None
    """The part of a long memory that answers the question best."""


class ReplacementReason(StrEnum):
    """Why a memory seems to replace another one."""

    OTHER_VALUE = "other_value"
    CHANGE = "change"


class Replacement(Record):
    """A memory, and an older one that it seems to replace."""

    newer: str
    older: str
    reason: ReplacementReason


class Search(Record):
    """A question."""

    text: Annotated[str, Limit("prompt_characters")]
