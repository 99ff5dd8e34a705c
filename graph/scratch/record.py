"""Records of observations (source 001, §API Contracts)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from prefrontal.graph.entities.record import EntityName, EntityNames, Name
from prefrontal.graph.journal.command import ChangeCommand, ChangeEntry, TurnCommand
from prefrontal.graph.record import Id, Key, Limit, Record, Reference

Content = Annotated[str, Limit("content_characters")]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Minutes = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Tags = Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")]
Metadata = Annotated[dict[str, Any], Limit("metadata_characters")]


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
    PLACE = "place"
    PERSON = "person"
    LIKING = "liking"
    STATE = "state"


class ConflictSource(StrEnum):
    """How a contradiction became known."""

    DECLARED = "declared"
    """A client declared it."""
    DETECTED = "detected"
    """The texts are equal except for what they differ in."""
    INFERRED = "inferred"
    """The texts say it in different words. It is shown and may be asked about, and decides nothing."""


class Source(Record):
    """The source of an observation, with the turn and the time."""

    kind: SourceKind | None = None
    name: Key | None = None
    turn_id: Key | None = None
    timestamp: AwareDatetime | None = None


class ObservationContext(Record):
    """The goal or user that a new observation relates to.

    The goal is named by its id, or by its type as a key.
    """

    goal_id: Reference | None = None
    goal_key: Key | None = None
    user_id: Key | None = None


class ObservationDraft(Record):
    """An observation to add; only `content` is required."""

    content: Content
    type: Key | None = Field(default=None, description="Default: `contextual_insight`.")
    confidence: Confidence | None = Field(default=None, description="0–1; default: 0.5.")
    tags: Tags = ()
    source: Source = Source()
    context: ObservationContext = ObservationContext()
    ttl_minutes: Minutes | None = Field(
        default=None,
        description="How long the observation stays active, in minutes; default: 1440. 0 expires it at once.",
    )
    metadata: Metadata | None = Field(default=None, description="A JSON object, stored unchanged.")
    client_key: Key | None = Field(
        default=None,
        description="Your own id for the observation; adding the same observation again with this id "
        "returns the first one.",
    )
    contradicts: Annotated[tuple[Reference, ...], Limit("list_items")] = Field(
        default=(),
        description="Observations that you know it contradicts. The service detects contradictions in the "
        "wording by itself.",
    )
    entities: EntityNames = Field(
        default=(), description="The people and things that the observation mentions by name."
    )


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

    @property
    def expiry(self) -> datetime | None:
        """When the observation expires; None if it is pinned."""
        return None if self.pinned else self.expires_at


class Reviewable(Record):
    """An observation with the facts that evaluation needs."""

    observation: Observation
    linked: bool
    """Whether the observation is evidence of a goal, readable or not."""
    goal_ids: tuple[str, ...]
    """The ids of those goals that the caller may read, oldest link first."""
    text_key: str
    """A digest that is equal for equal texts of a space."""
    repeated: bool = False
    """Whether an older observation in the space has the same text about the same person."""
    twin_linked: bool = False
    """Whether another observation with the same text about the same person is evidence of a goal."""
    vector: tuple[float, ...] | None = Field(default=None, repr=False)
    """The vector of the text, if it was asked for and is made."""


class ObservationChanges(Record):
    """The fields of an observation to change: those in `model_fields_set`; None clears metadata and lists."""

    content: Content | None = None
    type: Key | None = None
    confidence: Confidence | None = Field(default=None, description="0–1.")
    tags: Tags | None = Field(
        default=None, description="The complete new list of tags; it replaces the present one."
    )
    ttl_minutes: Minutes | None = Field(
        default=None, description="How long the observation stays active from now, in minutes."
    )
    metadata: Metadata | None = None
    entities: EntityNames | None = Field(
        default=None, description="The complete new list of entities; it replaces the present one."
    )


class ObservationUpdate(ObservationChanges, ChangeEntry):
    """An observation and its new values. An omitted field keeps its value; null clears `metadata`, `tags` and
    `entities`, and is refused for the others.
    """  # noqa: D205 - one paragraph: it is the description of the input


class ObservationEntry(ChangeEntry):
    """An observation."""


class UpdateObservation(ObservationUpdate, ChangeCommand):
    """The observation and its new values. An omitted field keeps its value; null clears `metadata`, `tags`
    and `entities`, and is refused for the others.
    """  # noqa: D205 - one paragraph: it is the description of the input


class ResolveObservation(ObservationEntry, ChangeCommand):
    """The observation to resolve."""


class ArchiveObservation(ObservationEntry, ChangeCommand):
    """The observation to archive."""


class UpdateObservations(TurnCommand):
    """Up to 100 observations to change: all or none."""

    observations: Annotated[tuple[ObservationUpdate, ...], Limit("changes_per_call")]


class ResolveObservations(TurnCommand):
    """Up to 100 observations to resolve: all or none."""

    observations: Annotated[tuple[ObservationEntry, ...], Limit("changes_per_call")]


class ArchiveObservations(TurnCommand):
    """Up to 100 observations to archive: all or none."""

    observations: Annotated[tuple[ObservationEntry, ...], Limit("changes_per_call")]


class PinObservation(ChangeCommand):
    """The observation to pin or unpin."""

    pinned: bool = Field(
        default=True, description="False unpins the observation: it expires `ttlMinutes` from now."
    )


class SweepExpired(TurnCommand):
    """The space to sweep."""

    space: Id | None = Field(default=None, description="Default: all spaces that you may write to.")


class ObservationFilter(Record):
    """Conditions on observations; all given conditions must hold."""

    tags: Tags = Field(default=(), description="All of these; letter case and character width are ignored.")
    any_tags: Tags = Field(
        default=(), description="At least one of these; letter case and character width are ignored."
    )
    status: tuple[ObservationStatus, ...] | None = Field(
        default=None, description="Any of these; default: ACTIVE."
    )
    types: Annotated[tuple[Key, ...], Limit("list_items")] = Field(default=(), description="Any of these.")
    min_confidence: Confidence | None = Field(default=None, description="The lowest confidence (inclusive).")
    goal_id: Reference | None = Field(
        default=None, description="Observations that are evidence of this goal or name it in their context."
    )
    goal_key: Key | None = None
    user_id: Key | None = None
    entities: Annotated[tuple[Name, ...], Limit("entities")] = Field(
        default=(),
        description="Names of entities; all of them must be mentioned. Letter case and white space are "
        "ignored.",
    )
    space: Reference | None = None
    client_key: Key | None = Field(default=None, description="Your own id for the observation.")
    turn_id: Key | None = Field(
        default=None,
        description="Your name for the turn in which the observation was added, or the turn's `id`.",
    )
    source_kind: SourceKind | None = None
    source_name: Key | None = Field(
        default=None, description="The tool, the daemon, the agent or the person that made the observation."
    )
    since: AwareDatetime | None = Field(default=None, description="Added at this time or later.")
    until: AwareDatetime | None = Field(default=None, description="Added before this time.")
    query: Annotated[str, Limit("prompt_characters", may_be_empty=True)] | None = Field(
        default=None,
        description="A search text that affects only the order: its best matches come first, then all "
        "others, newest first.",
    )

    @property
    def statuses(self) -> tuple[ObservationStatus, ...]:
        """The statuses of which an observation must have one."""
        return (ObservationStatus.ACTIVE,) if self.status is None else self.status


class ObservationOrder(StrEnum):
    """The order of a list of observations."""

    CREATED_AT = "created_at"
    """Newest first."""
    UPDATED_AT = "updated_at"
    """Last changed first."""


class Sweep(Record):
    """The numbers of observations that a sweep archived and deleted, and whether expired ones are left."""

    archived: int
    deleted: int
    has_more: bool


class Contradiction(Record):
    """A contradiction between two observations, before it is stored."""

    source_id: str
    """The id of the later observation."""
    target_id: str
    """The id of the earlier observation."""
    how: ConflictSource
    kind: ConflictKind | None
    """The kind of difference; None if the contradiction was declared and the detector does not find it."""

    @property
    def observation_ids(self) -> tuple[str, str]:
        """Both ids, that of the later observation first."""
        return self.source_id, self.target_id


class Conflict(Contradiction):
    """A stored contradiction that has not ended."""

    since: datetime
    open: bool
    """Whether both observations are active, so that it is not decided yet which one is true."""
