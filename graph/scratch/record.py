"""Observations as values (source 001, §API Contracts)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.record import Record

Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ObservationStatus(StrEnum):
    """Where an observation is in its life. One past its `expires_at` reads as expired at once."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    EXPIRED = "expired"
    ARCHIVED = "archived"


class SourceKind(StrEnum):
    """What kind of thing noticed it."""

    TOOL = "tool"
    DAEMON = "daemon"
    AGENT = "agent"
    PERSON = "person"


class ConflictKind(StrEnum):
    """In what two contradicting observations differ."""

    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    NEGATION = "negation"


class ConflictSource(StrEnum):
    """How a contradiction came to be known."""

    DECLARED = "declared"
    DETECTED = "detected"


class Source(Record):
    """Who or what noticed it, in which turn, and when."""

    kind: SourceKind | None = None
    name: str | None = None
    turn_id: str | None = None
    timestamp: AwareDatetime | None = None


class ObservationContext(Record):
    """What an observation relates to: a goal by id, or by a key that goals share, and a person."""

    goal_id: str | None = None
    goal_key: str | None = None
    user_id: str | None = None


class ObservationDraft(Record):
    """An observation as a caller gives it; all but `content` may be left out."""

    content: str
    type: str | None = None
    confidence: Confidence | None = None
    tags: tuple[str, ...] = ()
    source: Source = Source()
    context: ObservationContext = ObservationContext()
    ttl_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    metadata: dict[str, Any] | None = None
    client_key: str | None = None
    contradicts: tuple[str, ...] = ()
    entities: tuple[EntityName, ...] = ()
    """Who and what it mentions by name."""


class Observation(Record):
    """A stored observation."""

    uid: str
    scope_id: str
    type: str
    content: str
    confidence: float
    tags: tuple[str, ...]
    status: ObservationStatus
    source: Source
    context: ObservationContext
    ttl_minutes: float
    metadata: dict[str, Any] | None
    client_key: str | None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    archived_at: datetime | None
    pinned: bool
    """It does not fade while it is pinned."""
    by_uid: str
    version: int
    entities: tuple[EntityName, ...] = ()


class Reviewable(Record):
    """An observation as evaluation looks at it."""

    observation: Observation
    linked: bool
    """It is evidence of a goal, readable or not."""
    goal_ids: tuple[str, ...]
    """The readable ones among those goals, oldest link first."""
    text_key: str
    """Equal for equal texts about the same person."""
    repeated: bool
    """An older observation of the space says exactly the same."""
    twin_linked: bool
    """Another one that says exactly the same is evidence of a goal."""


class ObservationChanges(Record):
    """What to change of an observation; what is left out stays."""

    content: str | None = None
    type: str | None = None
    confidence: Confidence | None = None
    tags: tuple[str, ...] | None = None
    ttl_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    metadata: dict[str, Any] | None = None
    entities: tuple[EntityName, ...] | None = None


class ObservationFilter(Record):
    """Which observations; everything given must hold. Statuses default to active."""

    tags: tuple[str, ...] = ()
    statuses: tuple[ObservationStatus, ...] = (ObservationStatus.ACTIVE,)
    types: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    goal_id: str | None = None
    goal_key: str | None = None
    user_id: str | None = None
    entities: tuple[str, ...] = ()
    """Names, in any spelling; each entity must be mentioned."""
    query: str | None = None
    """Decides nothing but the order: the best matches of the text come first."""


class Sweep(Record):
    """What a sweep moved out of the active set, and whether faded observations are left."""

    archived: int
    deleted: int
    has_more: bool


class ObservationPage(Record):
    """One page of observations, newest first."""

    items: tuple[Observation, ...]
    cursors: tuple[str, ...]
    has_next: bool
    query_time_ms: float
    partial: bool = False
    """The deadline passed: the list holds what was found until then."""


class Contradiction(Record):
    """That one observation contradicts another, before it is stored."""

    source_id: str
    """The one that came later."""
    target_id: str
    how: ConflictSource
    kind: ConflictKind | None
    """In what they differ; None when it was declared and the detector sees no difference it knows."""


class Conflict(Contradiction):
    """A stored contradiction that has not ended."""

    since: datetime
    open: bool
    """Both are active: nobody has said yet which of them holds."""
