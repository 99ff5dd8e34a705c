"""Records of observations (source 001, §API Contracts)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.record import Record

Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ObservationStatus(StrEnum):
    """The status of an observation. An active one reads as expired as soon as `expires_at` has passed."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    EXPIRED = "expired"
    ARCHIVED = "archived"


class SourceKind(StrEnum):
    """The kind of source that made an observation."""

    TOOL = "tool"
    DAEMON = "daemon"
    AGENT = "agent"
    PERSON = "person"


class ConflictKind(StrEnum):
    """The kind of difference between two contradicting observations."""

    NUMBER = "number"
    DATE = "date"
    UNIT = "unit"
    NEGATION = "negation"


class ConflictSource(StrEnum):
    """Whether a contradiction was declared by a client or detected by the service."""

    DECLARED = "declared"
    DETECTED = "detected"


class Source(Record):
    """The source of an observation, with the turn and the time."""

    kind: SourceKind | None = None
    name: str | None = None
    turn_id: str | None = None
    timestamp: AwareDatetime | None = None


class ObservationContext(Record):
    """What an observation relates to: a goal, by its id or by its type as a key, and a person."""

    goal_id: str | None = None
    goal_key: str | None = None
    user_id: str | None = None


class ObservationDraft(Record):
    """An observation as a client sends it. Only `content` is required."""

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
    """The entities that the observation mentions by name."""


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
    """Whether the observation is pinned. A pinned observation does not expire."""
    by_uid: str
    version: int
    entities: tuple[EntityName, ...] = ()


class Reviewable(Record):
    """An observation with the facts that evaluation needs."""

    observation: Observation
    linked: bool
    """Whether the observation is evidence of a goal, readable or not."""
    goal_ids: tuple[str, ...]
    """The ids of those goals that the caller may read, oldest link first."""
    text_key: str
    """A digest that is equal for equal texts about the same person."""
    repeated: bool
    """Whether an older observation in the space has exactly the same text."""
    twin_linked: bool
    """Whether another observation with exactly the same text is evidence of a goal."""


class ObservationChanges(Record):
    """The fields of an observation to change. Omitted fields stay as they are."""

    content: str | None = None
    type: str | None = None
    confidence: Confidence | None = None
    tags: tuple[str, ...] | None = None
    ttl_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    metadata: dict[str, Any] | None = None
    entities: tuple[EntityName, ...] | None = None


class ObservationFilter(Record):
    """A filter of observations. An observation must meet every condition. The default status is active."""

    tags: tuple[str, ...] = ()
    statuses: tuple[ObservationStatus, ...] = (ObservationStatus.ACTIVE,)
    types: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    goal_id: str | None = None
    goal_key: str | None = None
    user_id: str | None = None
    entities: tuple[str, ...] = ()
    """Names of entities, in any spelling. The observation must mention all of them."""
    query: str | None = None
    """A text that only affects the order: the observations that match it best come first."""


class Sweep(Record):
    """The numbers of observations that a sweep archived and deleted, and whether expired ones are left."""

    archived: int
    deleted: int
    has_more: bool


class ObservationPage(Record):
    """One page of observations."""

    items: tuple[Observation, ...]
    cursors: tuple[str, ...]
    has_next: bool
    query_time_ms: float
    partial: bool = False
    """Whether the query exceeded its deadline. The page is then empty."""


class Contradiction(Record):
    """A contradiction between two observations, before it is stored."""

    source_id: str
    """The id of the later observation."""
    target_id: str
    """The id of the earlier observation."""
    how: ConflictSource
    kind: ConflictKind | None
    """The kind of difference; None if the contradiction was declared and the detector does not find it."""


class Conflict(Contradiction):
    """A stored contradiction that has not ended."""

    since: datetime
    open: bool
    """Whether both observations are active, so that it is not decided yet which one is true."""
