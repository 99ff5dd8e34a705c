"""Records of working-memory sessions (source 002 §1; decisions G-059 to G-093)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field

from prefrontal.graph.journal.command import ChangeCommand, TurnCommand
from prefrontal.graph.record import Key, Limit, Record, Reference

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Words = Annotated[tuple[Key, ...], Limit("list_items")]


class SessionStatus(StrEnum):
    """Whether a session goes on: an ended one is read, and not written to."""

    ACTIVE = "active"
    ENDED = "ended"


class WorkingMemoryOperation(StrEnum):
    """What an update of working memory does with one item."""

    ADD = "add"
    UPDATE = "update"
    EVICT = "evict"
    REFRESH = "refresh"


class OperationResult(StrEnum):
    """What came of an update of working memory."""

    ADDED = "added"
    UPDATED = "updated"
    EVICTED = "evicted"
    REFRESHED = "refreshed"
    REJECTED = "rejected"
    NOT_FOUND = "not_found"


class EvictionReason(StrEnum):
    """Why an item left a session."""

    CAPACITY = "capacity"
    EMERGENCY = "emergency"
    REQUESTED = "requested"
    GONE = "gone"
    RESTORED = "restored"
    REPAIRED = "repaired"
    SESSION_ENDED = "session_ended"


class AdmissionReason(StrEnum):
    """What speaks for an item: the parts of its salience that are high."""

    HIGH_RELEVANCE = "high_relevance"
    HIGH_URGENCY = "high_urgency"
    RECENT_ACCESS = "recent_access"
    USER_ATTENTION = "user_attention"


class StartSession(TurnCommand):
    """A new session, in the private space of your person, else of your agent."""

    key: Key | None = Field(
        default=None, description="Your own id for the session, unique in its space; default: its `id`."
    )
    session_type: Key | None = Field(
        default=None, description="What kind of session it is; the registry may give a kind its capacity."
    )
    max_capacity: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="How many items it holds at most; default: that of the registry, 7."
    )
    task: Key | None = Field(default=None, description="What you are doing.")
    focus: Words = Field(default=(), description="What the attention is on: words and names.")


class ItemContent(Record):
    """An item of working memory: a memory by its id, or a text that lives in the session alone."""

    item_id: Reference | None = Field(
        default=None,
        description="The id of a memory or an observation that you may read; or your own name for a text, "
        "unique in the session. A text without a name gets an id.",
    )
    content: Annotated[str, Limit("content_characters")] | None = Field(
        default=None, description="The text of an item that is no memory. It is destroyed when it leaves."
    )
    content_type: Key | None = Field(
        default=None, description="What kind of item it is; default: `memory_fragment`."
    )
    entities: Words | None = Field(default=None, description="The people and things that it mentions.")
    temporal_context: AwareDatetime | None = Field(
        default=None, description="The time that it is about, with a time zone; default: now."
    )
    source: Key | None = Field(default=None, description="Where it comes from, e.g. `context_bundle`.")
    confidence: Score | None = Field(default=None, description="0–1; default: that of the memory, else 1.")
    pinned: bool | None = Field(
        default=None,
        description="A pinned item is never evicted to make room; at most all but one of the capacity.",
    )
    redacted: bool | None = Field(
        default=None,
        description="A redacted item has a place in the session and is never returned. Its text, if it is no "
        "memory, and its names are not stored, or destroyed. That is not taken back: evict the item and add "
        "it again.",
    )


class Salience(Record):
    """How salient an item is, each part 0–1. What is not given is computed."""

    relevance_score: Score | None = Field(default=None, description="How well it fits the session.")
    urgency: Score | None = Field(default=None, description="How urgent it is.")
    recency: Score | None = Field(default=None, description="How recent it is.")
    user_attention: Score | None = Field(
        default=None, description="How far the attention of the user is on it."
    )
    contextual_importance: Score | None = Field(
        default=None, description="Kept, and decides between items that are equally salient."
    )


class SessionContext(Record):
    """What the session is about from now on. What is not given stays as it is."""

    current_task: Key | None = None
    conversation_turn: Annotated[int, Field(ge=0)] | None = None
    attention_focus: Words | None = None
    active_duration_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class InSession(Record):
    """What may name the session of working memory that its turn is in."""

    session_id: Reference | None = Field(
        default=None,
        description="The session of working memory that the turn is in: its `id`, or your key of it. A turn "
        "is in one session at most, and its name stands for one turn in each session. A context considers "
        "what the session holds now.",
    )


class UpdateWorkingMemory(TurnCommand):
    """What to do with one item of a session (the update request of source 002 §1.1)."""

    request_id: Key | None = Field(default=None, description="Your id of the request; it is returned.")
    session_id: Reference = Field(
        description="The id of the session, or your key of it; a new key starts a session."
    )
    operation: WorkingMemoryOperation
    content: ItemContent
    salience: Salience = Field(default=Salience())
    session_context: SessionContext = Field(default=SessionContext())
    trace_id: Key | None = Field(default=None, description="Your trace; it is in the events.")
    version: Key | None = Field(default=None, description="The version of the request's format.")


class BridgeSession(TurnCommand):
    """Items of an earlier session of yours to offer to another one."""

    session_id: Reference = Field(description="The id of the session that gets them, or your key of it.")
    from_session_id: Reference = Field(description="The id of the earlier session, or your key of it.")
    item_ids: Annotated[tuple[Reference, ...], Limit("list_items")] | None = Field(
        default=None, description="The items; default: all that the earlier session left unfinished."
    )


class LinkSessions(TurnCommand):
    """Whether your sessions on different devices may be related to each other."""

    across_devices: bool


class EndSession(ChangeCommand):
    """A session to end, by its id or your key of it. What it holds leaves it."""


class SessionFilter(Record):
    """Conditions on sessions; all given conditions must hold."""

    status: SessionStatus | None = Field(default=None, description="Default: any.")
    key: Key | None = Field(default=None, description="Your own id for the session.")
    entity: Key | None = Field(
        default=None,
        description="Sessions that hold something that mentions this person or thing, or held it at their "
        "end.",
    )


class ActiveContextFilter(Record):
    """Conditions on the items of a session; all given conditions must hold (source 002 §1.2)."""

    content_types: Words | None = Field(default=None, description="Items of any of these kinds.")
    min_salience: Score | None = Field(default=None, description="Inclusive.")
    time_window_minutes: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Items last accessed within so many minutes."
    )
    max_results: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="At most so many, the highest priority first."
    )


class WorkingMemorySearch(ActiveContextFilter):
    """What to look for among the items of a session, and conditions on them (decision G-083)."""

    text: Annotated[str, Limit("prompt_characters")] | None = Field(
        default=None, description="Items that have any of its words, those with the rarest ones first."
    )
    entities: Words = Field(default=(), description="Items that name any of these.")


class Capacity(Record):
    """How full a session is."""

    items_count: int
    max_capacity: int
    utilization_ratio: float
    """Items / capacity, to two decimals."""


class Session(Record):
    """A stored session."""

    uid: str
    scope_id: str
    key: str
    session_type: str
    status: SessionStatus
    max_capacity: int
    task: str | None = None
    focus: tuple[str, ...] = ()
    conversation_turn: int | None = None
    active_duration_minutes: float | None = None
    dominant_themes: tuple[str, ...] = ()
    coherence: float = 1.0
    thematic_coherence: float = 1.0
    entity_coherence: float = 1.0
    temporal_coherence: float = 1.0
    focus_strength: float = 0.0
    items: int = 0
    items_processed: int = 0
    focus_changes: int = 0
    person_id: str | None = None
    device_id: str | None = None
    last_activity: datetime
    ended_at: datetime | None = None
    created_at: datetime
    updated_at: datetime
    by_uid: str
    version: int

    @property
    def capacity(self) -> Capacity:
        """How full it is."""
        return Capacity(
            items_count=self.items,
            max_capacity=self.max_capacity,
            utilization_ratio=round(self.items / self.max_capacity, 2),
        )


class Scores(Record):
    """How an item was judged among those that the session held; each 0–1, the admission score up to 1.5."""

    relevance: float
    urgency: float
    recency: float
    attention: float
    task_relevance: float
    coherence_boost: float
    admission_score: float
    reasons: tuple[AdmissionReason, ...]


class Item(Scores):
    """An item that a session holds."""

    item_id: str
    memory_uid: str
    content: str
    content_type: str
    entities: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    temporal_context: datetime | None = None
    source: str | None = None
    confidence: float
    salience: float
    contextual_importance: float | None = None
    threshold: float
    admission_time: datetime
    last_access: datetime
    access_count: int = 0
    pinned: bool = False
    redacted: bool = False
    is_fragment: bool = False
    priority_rank: int = 0


class ActiveContext(Record):
    """A session and what it holds now, the highest priority first."""

    session: Session
    items: tuple[Item, ...]


class ThemesAndFocus(Record):
    """What a session is about after an update."""

    dominant_themes: tuple[str, ...]
    attention_focus_strength: float
    session_coherence: float


class PastItem(Record):
    """An item that a session holds or held: ids, times and numbers, no content (decision G-073)."""

    item_id: str
    memory_uid: str
    is_fragment: bool
    redacted: bool
    salience: float
    admission_score: float
    threshold: float
    reasons: tuple[AdmissionReason, ...] = ()
    admission_time: datetime
    last_access: datetime
    access_count: int
    left_at: datetime | None = None
    left_because: EvictionReason | None = None
    eviction_score: float | None = None

    @property
    def shown_uid(self) -> str | None:
        """The id of the memory; None if it was redacted."""
        return None if self.redacted else self.memory_uid


class EvictedItem(Record):
    """An item that left a session."""

    item_id: str
    reason: EvictionReason
    score: float | None = None
    """How much spoke for its eviction, if it had to make room."""


class Admission(Scores):
    """Whether an item was admitted, and why."""

    admitted: bool
    item_salience: float
    salience_threshold: float


class WorkingMemoryUpdate(Record):
    """What came of an update, with the session after it (source 002 §1.3)."""

    request_id: str | None
    session: Session
    item_id: str
    operation_result: OperationResult
    evicted_items: tuple[EvictedItem, ...] = ()
    admission: Admission | None = None
    """Only of an item that was offered: by `add`."""

    @property
    def session_id(self) -> str:
        return self.session.uid

    @property
    def current_capacity(self) -> Capacity:
        """How full the session is."""
        return self.session.capacity

    @property
    def eviction_occurred(self) -> bool:
        """Whether anything left."""
        return bool(self.evicted_items)

    @property
    def updated_session_context(self) -> ThemesAndFocus:
        """What the session is about now."""
        return ThemesAndFocus(
            dominant_themes=self.session.dominant_themes,
            attention_focus_strength=self.session.focus_strength,
            session_coherence=self.session.coherence,
        )


class ActiveMemory(Record):
    """A memory, or a text of the session alone, that a session holds now."""

    uid: str
    item_id: str
    kind: str
    scope_id: str
    by_uid: str
    content: str
    essential: bool | None = None
    confidence: float | None = None
    created_at: datetime
    happened_at: datetime | None = None
    speaker: str | None = None
    passage: Mapping[str, int] | None = None
    """The part of a long memory that stands for it: its place of how many, and where it starts and ends."""
    salience: float
    admission_time: datetime

    @property
    def correlation(self) -> float | None:
        """How much the session that held it has in common with the present one; None if that holds it."""
        return None


class RelatedMemory(ActiveMemory):
    """A memory that an earlier session left unfinished."""

    session: str
    """The id of the earlier session."""
    correlation_score: float
    """How much both sessions have in common, above 0 and at most 1."""

    @property
    def correlation(self) -> float | None:
        """How much both sessions have in common, above 0 and at most 1."""
        return self.correlation_score


class SessionContents(Record):
    """What a session holds now, the most salient first."""

    session: str
    turn: str | None
    """What the turn is known by that was asked for; None if it has not begun."""
    memories: tuple[ActiveMemory, ...]
    redacted: frozenset[str] = frozenset()
    """The ids of what was redacted in it, also of what has left it."""
    related: tuple[RelatedMemory, ...] = ()
    """What earlier sessions left unfinished and this one does not hold, the most relevant first."""

    @property
    def by_id(self) -> Mapping[str, ActiveMemory]:
        """All of these memories by their ids; what two earlier sessions left is of the more related one."""
        return {each.uid: each for each in (*reversed(self.related), *self.memories)}

    @property
    def led(self) -> Mapping[str, str]:
        """The id of the session, by the ids of the earlier ones that it led to."""
        return {each.session: self.session for each in self.related}


class Accesses(Record):
    """How often an item was delivered that a session held since a time."""

    item_id: str
    since: datetime
    number: int
    at: datetime
    """When it was delivered last."""


class TurnMembership(Record):
    """Where a turn belongs that names a session, or none."""

    turn: str
    """What the turn is known by; a name that no turn has begins one."""
    session: str | None = None
    """The id of the session."""
    has_ended: bool = False
    """Whether the session has ended."""
    takes_name: bool = False
    """Whether the turn begins now, with a name that stands for a turn of another session."""


class NamedMemory(Record):
    """A memory that an update names."""

    uid: str
    content: str
    confidence: float | None
    at: datetime
    entities: tuple[str, ...]


class LockedSession(Record):
    """A locked session with what it holds."""

    session: Session
    items: tuple[Item, ...] = ()
    gone: tuple[str, ...] = ()
    """The ids of items whose memory was forgotten, has expired, or may not be read any more."""
    cosines: Mapping[str, float] = {}
    """How near the item of the update is to each held item whose vector is known, by item id."""
    task_cosine: float | None = None
    """How near the item of the update is to the task of the session, if both vectors are known."""
    named: NamedMemory | None = None
    """The memory that the update names, if the caller may read it."""
    is_forgotten: bool = False
    """Whether the text of the update was forgotten in the space."""
