"""Sessions of working memory as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_at, node_at, space_at
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.graph.ids import Kind
from prefrontal.graph.sessions.record import (
    ActiveContext,
    ActiveContextFilter,
    Admission,
    AdmissionReason,
    Capacity,
    Evicted,
    EvictionReason,
    Item,
    OperationResult,
    PastItem,
    Session,
    SessionFilter,
    SessionStatus,
    ThemesAndFocus,
    WorkingMemoryOperation,
    WorkingMemorySearch,
    WorkingMemoryUpdate,
)

strawberry.enum(
    SessionStatus,
    name="SessionStatus",
    description="ACTIVE: it goes on. ENDED: it is read, and not written to.",
)
strawberry.enum(
    WorkingMemoryOperation,
    name="WorkingMemoryOperation",
    description="ADD: offer an item; one that is held is updated. UPDATE: change a held item. EVICT: take it "
    "out. REFRESH: say that it was used.",
)
strawberry.enum(
    OperationResult, name="WorkingMemoryResult", description="What came of an update of working memory."
)
strawberry.enum(
    EvictionReason,
    name="EvictionReason",
    description="CAPACITY: it made room for another item. EMERGENCY: the session held more than it may. "
    "REQUESTED: a client evicted it. GONE: its memory was forgotten, has expired or may not be read any "
    "more. SESSION_ENDED: its session ended.",
)
strawberry.enum(
    AdmissionReason, name="AdmissionReason", description="A part of an item's salience that is high."
)

if TYPE_CHECKING:

    class SessionFilterInput:
        """The filter of `sessions`, made from the record."""

    class ActiveContextFilterInput:
        """The filter of `activeContext`, made from the record."""

    class WorkingMemorySearchInput:
        """The filter of `searchWorkingMemory`, made from the record."""

else:
    SessionFilterInput = input_type(SessionFilter, "SessionFilterInput")
    ActiveContextFilterInput = input_type(ActiveContextFilter, "ActiveContextFilterInput")
    WorkingMemorySearchInput = input_type(WorkingMemorySearch, "WorkingMemorySearchInput")


@shows(Capacity, "How full a session is.", name="WorkingMemoryCapacity")
class CapacityType(Shown):
    """How full a session is."""

    items_count: int
    max_capacity: int
    utilization_ratio: float = strawberry.field(description="Items / capacity, to two decimals.")


@shows(
    Session,
    "A session of working memory: what an actor attends to now. Its person has it on the device that started "
    "it, or its agent's.",
)
class SessionType(Shown, Node):
    """A session."""

    space = space_at()
    key: str = strawberry.field(description="Your own id for it; without one its `id`.")
    session_type: str
    status: SessionStatus
    capacity: CapacityType
    task: str | None
    focus: list[str]
    conversation_turn: int | None
    active_duration_minutes: float | None
    dominant_themes: list[str] = strawberry.field(description="The most frequent themes, five at most.")
    coherence: float = strawberry.field(
        description="How well the items belong together, 0–1: 0.4 thematic, 0.3 entity, 0.3 temporal."
    )
    thematic_coherence: float
    entity_coherence: float
    temporal_coherence: float
    focus_strength: float = strawberry.field(description="The share of the items that match the focus.")
    items_processed: int = strawberry.field(description="How many items were offered to it.")
    person = node_at(Kind.PERSON, "person_id", "Whose session it is; null for an agent's.")
    device = node_at(Kind.DEVICE, "device_id", "The device that started it.")
    created_at: datetime = strawberry.field(description="When it started.")
    last_activity: datetime
    ended_at: datetime | None
    updated_at: datetime
    created_by = actor_at("by_uid", "Who started the session")
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )


@shows(
    Item,
    "An item that a session holds: a reference to a memory, or a text of the session alone.",
    name="WorkingMemoryItem",
)
class WorkingMemoryItemType(Shown):
    """An item."""

    item_id: strawberry.ID
    memory = node_at(None, "memory_uid", "The memory; null for a text that lives in the session alone.")
    content: str
    content_type: str
    entities: list[str]
    themes: list[str] = strawberry.field(description="Its key phrases.")
    temporal_context: datetime | None = strawberry.field(description="The time that it is about.")
    source: str | None
    confidence: float
    salience: float = strawberry.field(
        description="0.4 relevance + 0.2 urgency + 0.2 recency + 0.2 attention."
    )
    relevance: float
    urgency: float
    recency: float
    attention: float
    contextual_importance: float | None
    task_relevance: float
    coherence_boost: float
    admission_score: float = strawberry.field(
        description="The salience, raised by the task and by what was held: 1.5 at most."
    )
    threshold: float = strawberry.field(description="What the score had to be above.")
    reasons: list[AdmissionReason]
    admission_time: datetime
    last_access: datetime
    access_count: int = strawberry.field(description="How often it was refreshed.")
    pinned: bool
    priority_rank: int = strawberry.field(description="1 for the highest priority.")


@shows(PastItem, "An item that a session holds or held: ids, times and numbers, no content.")
class PastItemType(Shown):
    """An item of the history."""

    item_id: strawberry.ID
    memory = node_at(None, "memory_uid", "The memory; null for a text that lived in the session alone.")
    salience: float
    admission_score: float
    threshold: float = strawberry.field(description="What the score had to be above.")
    reasons: list[AdmissionReason]
    admission_time: datetime
    last_access: datetime
    access_count: int
    left_at: datetime | None = strawberry.field(description="When it left; null while it is held.")
    left_because: EvictionReason | None
    eviction_score: float | None


@shows(ActiveContext, "A session, and what it holds now: the highest priority first.")
class ActiveContextType(Shown):
    """A session with its items."""

    session: SessionType
    items: list[WorkingMemoryItemType]


@shows(Evicted, "An item that left a session.", name="EvictedItem")
class EvictedType(Shown):
    """An item that left."""

    item_id: strawberry.ID
    reason: EvictionReason
    score: float | None = strawberry.field(
        description="How much spoke for its eviction, if it made room for another item."
    )


@shows(Admission, "Whether an item was admitted to a session, and why.", name="AdmissionDecision")
class AdmissionType(Shown):
    """A decision."""

    admitted: bool
    item_salience: float
    admission_score: float
    salience_threshold: float = strawberry.field(description="What the score had to be above.")
    task_relevance: float
    coherence_boost: float
    relevance: float
    urgency: float
    recency: float
    attention: float
    reasons: list[AdmissionReason]


@shows(ThemesAndFocus, "What a session is about after an update.", name="UpdatedSessionContext")
class ThemesAndFocusType(Shown):
    """Themes, focus and coherence."""

    dominant_themes: list[str]
    attention_focus_strength: float
    session_coherence: float


@shows(
    WorkingMemoryUpdate,
    "What came of an update of working memory.",
    name="UpdateWorkingMemoryPayload",
    rename={"admission_decision": "admission"},
)
class UpdateWorkingMemoryPayload(Shown):
    """The result of `updateWorkingMemory`."""

    request_id: str | None
    session_id: strawberry.ID
    session: SessionType
    item_id: strawberry.ID
    operation_result: OperationResult
    current_capacity: CapacityType
    eviction_occurred: bool
    evicted_items: list[EvictedType]
    admission_decision: AdmissionType | None = strawberry.field(
        description="Only of an item that was offered."
    )
    updated_session_context: ThemesAndFocusType


@strawberry.type(description="The new session.")
class StartSessionPayload:
    """The result of `startSession`."""

    session: SessionType


@strawberry.type(description="The session after it has ended.")
class EndSessionPayload:
    """The result of `endSession`."""

    session: SessionType
