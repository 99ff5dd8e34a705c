"""Sessions of working memory as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, list_field, node_field, space_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.ids import Kind
from prefrontal.graph.sessions.access_record import AccessEntry, AccessOperation, AccessOutcome
from prefrontal.graph.sessions.checkpoint_record import (
    Checkpoint,
    MissingItem,
    MissingReason,
    RestoredSession,
)
from prefrontal.graph.sessions.correlation_record import (
    BridgeResult,
    Relationship,
    SessionCorrelation,
    SharedKind,
    SharedPath,
    UnfinishedItem,
)
from prefrontal.graph.sessions.event_record import CognitiveEvent
from prefrontal.graph.sessions.monitoring_record import (
    AttendedEntity,
    AttendedMemory,
    ContextSwitches,
    PatternsFilter,
    ReasonCount,
    SessionPatterns,
)
from prefrontal.graph.sessions.record import (
    ActiveContext,
    ActiveContextFilter,
    Admission,
    AdmissionReason,
    Capacity,
    EvictedItem,
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
    "more. RESTORED: it came after a checkpoint that was put back. REPAIRED: the session was corrupt. "
    "SESSION_ENDED: its session ended.",
)
strawberry.enum(
    AdmissionReason, name="AdmissionReason", description="A part of an item's salience that is high."
)

strawberry.enum(
    Relationship,
    name="SessionRelationship",
    description="CONTINUATION: entities and themes are alike, and the later session started soon. RELATED: "
    "they are alike. ADJACENT: it started soon. WEAK: anything else.",
)
strawberry.enum(
    MissingReason,
    name="MissingReason",
    description="DESTROYED: the text lived in the session alone, and left it. GONE: the memory was "
    "forgotten, archived or deleted. EXPIRED: its time is over. UNREADABLE: you may not read it any more. "
    "CAPACITY: more salient ones fill the session.",
)
strawberry.enum(AccessOutcome, name="AccessOutcome", description="What came of an access.")
strawberry.enum(AccessOperation, name="SessionOperation", description="What is done with a session.")
strawberry.enum(SharedKind, name="SharedKind", description="What two sessions have in common.")

if TYPE_CHECKING:

    class SessionFilterInput:
        """The filter of `sessions`, made from the record."""

    class ActiveContextFilterInput:
        """The filter of `activeContext`, made from the record."""

    class SessionPatternsFilterInput:
        """The filter of `sessionPatterns`, made from the record."""

    class WorkingMemorySearchInput:
        """The filter of `searchWorkingMemory`, made from the record."""

else:
    SessionFilterInput = input_type(SessionFilter, "SessionFilterInput")
    ActiveContextFilterInput = input_type(ActiveContextFilter, "ActiveContextFilterInput")
    SessionPatternsFilterInput = input_type(PatternsFilter, "SessionPatternsFilterInput")
    WorkingMemorySearchInput = input_type(WorkingMemorySearch, "WorkingMemorySearchInput")


@graphql_type_of(Capacity, "How full a session is.", name="WorkingMemoryCapacity")
class CapacityType(RecordType):
    """How full a session is."""

    items_count: int
    max_capacity: int
    utilization_ratio: float = strawberry.field(description="Items / capacity, to two decimals.")


@graphql_type_of(
    Session,
    "A session of working memory: what an actor attends to now. Its person has it on the device that started "
    "it, or its agent's.",
)
class SessionType(RecordType, Node):
    """A session."""

    space = space_field()
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
    focus_changes: int = strawberry.field(description="How often its focus changed.")
    person = node_field(Kind.PERSON, "person_id", "Whose session it is; null for an agent's.")
    device = node_field(Kind.DEVICE, "device_id", "The device that started it.")
    turns = list_field("session_turns", Kind.TURN, "The turns that are in it, newest first.")
    created_at: datetime = strawberry.field(description="When it started.")
    last_activity: datetime
    ended_at: datetime | None
    updated_at: datetime
    created_by = actor_field("by_uid", "Who started the session")
    version: int = strawberry.field(
        description="Pass it as `expectedVersion` to avoid overwriting a concurrent change."
    )


@graphql_type_of(
    Item,
    "An item that a session holds: a reference to a memory, or a text of the session alone.",
    name="WorkingMemoryItem",
)
class WorkingMemoryItemType(RecordType):
    """An item."""

    item_id: strawberry.ID
    memory = node_field(None, "memory_uid", "The memory; null for a text that lives in the session alone.")
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
    access_count: int = strawberry.field(
        description="How often it was refreshed or delivered, up to a few seconds ago, without this time."
    )
    pinned: bool
    priority_rank: int = strawberry.field(description="1 for the highest priority.")


@graphql_type_of(PastItem, "An item that a session holds or held: ids, times and numbers, no content.")
class PastItemType(RecordType):
    """An item of the history."""

    item_id: strawberry.ID
    memory = node_field(
        None, "shown_uid", "The memory; null for a text that lived in the session alone, and if redacted."
    )
    redacted: bool = strawberry.field(description="Whether it is never returned.")
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


@graphql_type_of(AccessEntry, "One access of a session: who did what, and whether it was allowed.")
class AccessEntryType(RecordType):
    """An entry of the access log."""

    id: strawberry.ID
    at: datetime
    operation: AccessOperation
    by = actor_field("by_uid", "The actor that accessed it")
    agent = node_field(Kind.AGENT, "agent_id", "The agent that its token named.")
    person = node_field(Kind.PERSON, "person_id", "The person that its token named.")
    device = node_field(Kind.DEVICE, "device_id", "The device that its token named.")
    item_ids: list[strawberry.ID] = strawberry.field(
        description="The items that were shown or changed, or left; 100 at most."
    )
    items: int = strawberry.field(description="How many there were.")
    outcome: AccessOutcome
    problem: str | None = strawberry.field(description="The code, if it was refused.")


@graphql_type_of(CognitiveEvent, "An event of a session: what is published about it.")
class CognitiveEventType(RecordType):
    """An event."""

    topic: str = strawberry.field(description="Such as `cognitive.working_memory.updated`.")
    payload: JSON = strawberry.field(
        description="Who and what by their ids, when, and in which trace, with numbers; never a text."
    )


@graphql_type_of(
    SharedPath,
    "Something that two sessions have in common: a path from the one to the other.",
    name="SharedThing",
)
class SharedType(RecordType):
    """Something shared."""

    kind: SharedKind
    name: str
    node = node_field(None, "node_uid", "The goal or the memory; null for an entity or a theme.")


@graphql_type_of(
    UnfinishedItem,
    "A memory that an earlier session holds, or held when it ended, and the later one does not hold.",
)
class UnfinishedItemType(RecordType):
    """An item left unfinished."""

    item_id: strawberry.ID
    memory = node_field(None, "memory_uid", "The memory.")
    content: str
    content_type: str
    entities: list[str]
    salience: float = strawberry.field(description="That of the earlier session.")


@graphql_type_of(SessionCorrelation, "How a session is related to another one; each number is 0–1.")
class SessionCorrelationType(RecordType):
    """A relation."""

    session: SessionType = strawberry.field(description="The other session.")
    is_earlier: bool = strawberry.field(description="Whether the other session is the earlier one.")
    correlation_score: float = strawberry.field(
        description="0.3 entity overlap + 0.3 theme similarity + 0.2 content similarity + 0.2 temporal "
        "proximity."
    )
    relationship_type: Relationship
    entity_overlap: float
    theme_similarity: float
    content_similarity: float
    temporal_proximity: float = strawberry.field(
        description="1 if the later session started before the earlier one ended, 0 at the end of the "
        "look-back."
    )
    shared_entities: list[str]
    shared_themes: list[str]
    shared: list[SharedType] = strawberry.field(description="What leads from the one to the other.")
    unfinished: list[UnfinishedItemType] = strawberry.field(
        description="What the earlier session left and this one does not hold; `bridgeSession` offers it. "
        "Empty if the other session is the later one."
    )


@graphql_type_of(ReasonCount, "How many items left sessions for a reason.", name="EvictionCount")
class EvictionCountType(RecordType):
    """A number of items."""

    reason: EvictionReason
    items: int


@graphql_type_of(AttendedMemory, "A memory that sessions held.")
class AttendedMemoryType(RecordType):
    """A memory."""

    memory = node_field(None, "memory_uid", "The memory.")
    stays: int = strawberry.field(description="How often a session held it.")
    accesses: int = strawberry.field(description="How often it was refreshed or delivered there.")


@graphql_type_of(AttendedEntity, "A person or thing that memories mention which sessions held.")
class AttendedEntityType(RecordType):
    """An entity."""

    name: str = strawberry.field(description="Folded: case and accents do not matter.")
    stays: int
    accesses: int


@graphql_type_of(ContextSwitches, "The sessions that followed an earlier one, of one kind of relationship.")
class ContextSwitchesType(RecordType):
    """Transitions."""

    relationship_type: Relationship
    number: int
    correlation_score: float = strawberry.field(description="The mean.")
    preserved: float | None = strawberry.field(
        description="The mean share of what the later session held that the earlier one held too, 0–1."
    )


@graphql_type_of(
    SessionPatterns,
    "How sessions of yours used what they held.",
    rename={
        "items_offered": "offered",
        "items_held": "slots",
        "capacity_utilization": "load",
        "mean_stay_seconds": "mean_stay",
        "evictions": "reasons",
        "context_switches": "switches",
    },
)
class SessionPatternsType(RecordType):
    """Attention, load, switches and effectiveness."""

    sessions: int
    items_offered: int
    items_held: int = strawberry.field(description="How often an item was held, also of those that left.")
    accesses: int
    focus_changes: int
    capacity_utilization: float | None = strawberry.field(
        description="The mean share of the places that are taken now in the sessions that go on."
    )
    mean_stay_seconds: float | None = strawberry.field(description="Of the items that left.")
    unused_share: float | None = strawberry.field(
        description="The share of the items that left which were neither delivered nor refreshed, 0–1."
    )
    seen_share: float | None = strawberry.field(
        description="The share of the items held that a context of a turn of the session included, 0–1."
    )
    evictions: list[EvictionCountType]
    memories: list[AttendedMemoryType] = strawberry.field(description="The most accessed first.")
    entities: list[AttendedEntityType] = strawberry.field(description="The most accessed first.")
    context_switches: list[ContextSwitchesType]


@graphql_type_of(
    SessionCorrelation,
    "An earlier session that a session is related to.",
    name="CrossSessionLink",
    rename={
        "related_session": "session",
        "relationship": "relationship_type",
        "similarity": "correlation_score",
    },
)
class CrossSessionLinkType(RecordType):
    """A link of the active context (decision G-091)."""

    related_session: SessionType
    relationship: Relationship
    similarity: float
    shared_entities: list[str]


@graphql_type_of(ActiveContext, "A session, and what it holds now: the highest priority first.")
class ActiveContextType(RecordType):
    """A session with its items."""

    session: SessionType
    items: list[WorkingMemoryItemType]

    @strawberry.field(description="The earlier sessions that it is related to, the most related first.")
    async def cross_session_links(self, info: Context) -> list[CrossSessionLinkType]:
        found = await info.context.services.session_correlations.related(
            await info.context.caller(), self.session.id, only_earlier=True
        )
        return [CrossSessionLinkType.from_record(each) for each in found]


@graphql_type_of(EvictedItem, "An item that left a session.", name="EvictedItem")
class EvictedType(RecordType):
    """An item that left."""

    item_id: strawberry.ID
    reason: EvictionReason
    score: float | None = strawberry.field(
        description="How much spoke for its eviction, if it made room for another item."
    )


@graphql_type_of(Admission, "Whether an item was admitted to a session, and why.", name="AdmissionDecision")
class AdmissionType(RecordType):
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


@graphql_type_of(ThemesAndFocus, "What a session is about after an update.", name="UpdatedSessionContext")
class ThemesAndFocusType(RecordType):
    """Themes, focus and coherence."""

    dominant_themes: list[str]
    attention_focus_strength: float
    session_coherence: float


@graphql_type_of(
    WorkingMemoryUpdate,
    "What came of an update of working memory.",
    name="UpdateWorkingMemoryPayload",
    rename={"admission_decision": "admission"},
)
class UpdateWorkingMemoryPayload(RecordType):
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


@graphql_type_of(
    WorkingMemoryUpdate,
    "What came of an item of an earlier session.",
    name="BridgedItem",
    rename={"admission_decision": "admission"},
)
class BridgedItemType(RecordType):
    """An item that was offered."""

    item_id: strawberry.ID
    operation_result: OperationResult
    evicted_items: list[EvictedType]
    admission_decision: AdmissionType | None = strawberry.field(
        description="Null for an item that the session held already."
    )


@graphql_type_of(
    BridgeResult,
    "What came of the items that were offered.",
    name="BridgeSessionPayload",
    rename={"items": "updates"},
)
class BridgeSessionPayload(RecordType):
    """The result of `bridgeSession`."""

    session: SessionType = strawberry.field(description="The session that got the items.")
    items: list[BridgedItemType]


@graphql_type_of(
    Checkpoint,
    "What a session held at a time: references, without names and texts. It ends with the session.",
    name="SessionCheckpoint",
    rename={"id": "uid", "name": "key"},
)
class SessionCheckpointType(RecordType):
    """A checkpoint."""

    id: strawberry.ID
    name: str = strawberry.field(description="Your name of it; without one its `id`.")
    task: str | None
    focus: list[str]
    item_ids: list[strawberry.ID] = strawberry.field(description="The items, the most salient first.")
    created_at: datetime


@strawberry.type(description="The checkpoint.")
class CheckpointSessionPayload:
    """The result of `checkpointSession`."""

    checkpoint: SessionCheckpointType


@graphql_type_of(MissingItem, "An item of a checkpoint that did not come back, and why.")
class MissingItemType(RecordType):
    """An item."""

    item_id: strawberry.ID
    reason: MissingReason


@graphql_type_of(
    RestoredSession, "What came of a checkpoint that was put back.", name="RestoreCheckpointPayload"
)
class RestoreCheckpointPayload(RecordType):
    """The result of `restoreCheckpoint`."""

    session: SessionType = strawberry.field(description="The session after it.")
    restored_items: list[strawberry.ID] = strawberry.field(
        description="The items that came back; those that the session still held are not among them."
    )
    evicted_items: list[EvictedType] = strawberry.field(description="What came after the checkpoint.")
    missing_items: list[MissingItemType]


@strawberry.type(description="Whether your sessions on different devices may be related.")
class LinkSessionsPayload:
    """The result of `linkSessions`."""

    across_devices: bool


@strawberry.type(description="The new session.")
class StartSessionPayload:
    """The result of `startSession`."""

    session: SessionType


@strawberry.type(description="The session after it has ended.")
class EndSessionPayload:
    """The result of `endSession`."""

    session: SessionType
