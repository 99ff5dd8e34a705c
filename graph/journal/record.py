"""Records of the journal: trace entries, events and changes. They hold ids and codes, never content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from pydantic import Field

from prefrontal.graph.record import Record

NAME_LASTS = timedelta(days=1)
"""A client's name stands for the turn that began with it for this long.

Then the name is free for a new turn, and the earlier turn is known by its id.
"""


class TurnRef(Record):
    """The turn that a change belongs to."""

    uid: str
    handle: str
    """What statements find the turn by: its name, or its id once the name has passed on."""
    created_at: datetime
    ended_at: datetime | None
    """When it ended, if that was before the change."""
    deltas_of: str
    """What identifies the deltas of the turn, together with their content."""
    session_uid: str | None = None
    """The session that it is in, if that was named before the change."""
    awaiting: tuple[str, ...] = ()
    """The ids of observations that wait for an evaluation, of the spaces that were asked for."""


class EventType(StrEnum):
    """The type of an event, `<aggregate>.<what happened>`; those of sessions are named by source 002."""

    OBSERVATION_ADDED = "observation.added"
    OBSERVATION_UPDATED = "observation.updated"
    OBSERVATION_RESOLVED = "observation.resolved"
    OBSERVATION_ARCHIVED = "observation.archived"
    OBSERVATION_PINNED = "observation.pinned"
    OBSERVATION_UNPINNED = "observation.unpinned"
    OBSERVATION_EXPIRED = "observation.expired"
    OBSERVATION_DELETED = "observation.deleted"
    OBSERVATION_CONFLICTED = "observation.conflicted"
    OBSERVATION_PROMOTED = "observation.promoted"
    GOAL_CREATED = "goal.created"
    GOAL_UPDATED = "goal.updated"
    GOAL_PROGRESSED = "goal.progressed"
    GOAL_TRANSITIONED = "goal.transitioned"
    GOAL_REVERTED = "goal.reverted"
    PENDING_ACTION_REVERTED = "pending_action.reverted"
    QUESTION_REVERTED = "question.reverted"
    STORY_REVERTED = "story.reverted"
    GOAL_SHARED = "goal.shared"
    GOAL_UNSHARED = "goal.unshared"
    GOAL_EVIDENCE_LINKED = "goal.evidence_linked"
    GOAL_EVIDENCE_UNLINKED = "goal.evidence_unlinked"
    PENDING_ACTION_CREATED = "pending_action.created"
    QUESTION_ASKED = "question.asked"
    QUESTION_UPDATED = "question.updated"
    QUESTION_ARCHIVED = "question.archived"
    STORY_CREATED = "story.created"
    STORY_UPDATED = "story.updated"
    STORY_ARCHIVED = "story.archived"
    PENDING_ACTION_UPDATED = "pending_action.updated"
    PENDING_ACTION_TRANSITIONED = "pending_action.transitioned"
    PENDING_ACTION_CONFIRMED = "pending_action.confirmed"
    PENDING_ACTION_FAILED = "pending_action.failed"
    PENDING_ACTION_DUE = "pending_action.due"
    PENDING_ACTION_ESCALATED = "pending_action.escalated"
    ACTION_TYPE_REGISTERED = "action_type.registered"
    ACTION_TYPE_DEPRECATED = "action_type.deprecated"
    ACTION_TYPE_OVERRIDE_REMOVED = "action_type.override_removed"
    ACTION_TYPE_FILE_CHANGED = "action_type.file_changed"
    REGISTRY_PROPOSAL_SUBMITTED = "registry_proposal.submitted"
    REGISTRY_PROPOSAL_REVISED = "registry_proposal.revised"
    REGISTRY_PROPOSAL_REVIEWED = "registry_proposal.reviewed"
    REGISTRY_PROPOSAL_EXPORTED = "registry_proposal.exported"
    REGISTRY_PROPOSAL_MERGED = "registry_proposal.merged"
    REGISTRY_PROPOSAL_WITHDRAWN = "registry_proposal.withdrawn"
    MANDATE_REMEMBERED = "mandate.remembered"
    CAPABILITY_REMEMBERED = "capability.remembered"
    EPISODE_REMEMBERED = "episode.remembered"
    FACT_REMEMBERED = "fact.remembered"
    SKILL_REMEMBERED = "skill.remembered"
    MESSAGE_REMEMBERED = "message.remembered"
    MANDATE_SUPERSEDED = "mandate.superseded"
    CAPABILITY_SUPERSEDED = "capability.superseded"
    EPISODE_SUPERSEDED = "episode.superseded"
    FACT_SUPERSEDED = "fact.superseded"
    SKILL_SUPERSEDED = "skill.superseded"
    MESSAGE_SUPERSEDED = "message.superseded"
    MANDATE_FORGOTTEN = "mandate.forgotten"
    CAPABILITY_FORGOTTEN = "capability.forgotten"
    EPISODE_FORGOTTEN = "episode.forgotten"
    EPISODE_ARCHIVED = "episode.archived"
    EPISODE_DELETED = "episode.deleted"
    FACT_FORGOTTEN = "fact.forgotten"
    SKILL_FORGOTTEN = "skill.forgotten"
    MESSAGE_FORGOTTEN = "message.forgotten"
    LESSON_LEARNED = "lesson.learned"
    LESSON_SUPPORTED = "lesson.supported"
    LESSON_CONTRADICTED = "lesson.contradicted"
    LESSON_RETIRED = "lesson.retired"
    LESSON_RESTORED = "lesson.restored"
    LESSON_FORGOTTEN = "lesson.forgotten"
    CONTEXT_ASSEMBLED = "context.assembled"
    TOOL_INVOCATION_TRACKED = "tool_invocation.tracked"
    OUTCOME_RECORDED = "outcome.recorded"
    TURN_ABANDONED = "turn.abandoned"
    TURN_EXPORTED = "turn.exported"
    TURN_COMMIT_ESCALATED = "turn.commit_escalated"
    TURN_COMMIT_RECOVERED = "turn.commit_recovered"
    WORKING_MEMORY_UPDATED = "cognitive.working_memory.updated"
    WORKING_MEMORY_EVICTED = "cognitive.working_memory.evicted"
    SESSION_STARTED = "cognitive.working_memory.session.started"
    SESSION_ENDED = "cognitive.working_memory.session.ended"
    SESSION_CHECKPOINTED = "cognitive.working_memory.session.checkpointed"
    SESSION_RESTORED = "cognitive.working_memory.session.restored"
    SESSION_REPAIRED = "cognitive.working_memory.session.repaired"
    SPACE_CREATED = "space.created"
    DEVICES_LINKED = "space.devices_linked"
    ACCESS_OFFERED = "access.offered"
    ACCESS_GRANTED = "access.granted"
    ACCESS_REVOKED = "access.revoked"
    RECORD_ERASED = "record.erased"
    PERSON_ERASED = "person.erased"


class TraceKind(StrEnum):
    """The kind of a trace entry. A turn's trace has one entry per decision (decision on G-016)."""

    OBSERVATIONS_ADDED = "observations_added"
    OBSERVATION_CHANGED = "observation_changed"
    OBSERVATION_EXPIRED = "observation_expired"
    OBSERVATIONS_CONFLICT = "observations_conflict"
    GOAL_CREATED = "goal_created"
    GOAL_UPDATED = "goal_updated"
    PROGRESS_UPDATED = "progress_updated"
    PROGRESS_CLAMPED = "progress_clamped"
    GOAL_TRANSITIONED = "goal_transitioned"
    GOAL_SHARED = "goal_shared"
    GOAL_UNSHARED = "goal_unshared"
    OBSERVATION_LINKED = "observation_linked"
    OBSERVATION_UNLINKED = "observation_unlinked"
    CONFLICT_SETTLED = "conflict_settled"
    OBSERVATION_PROMOTED = "observation_promoted"
    OBSERVATION_KEPT = "observation_kept"
    QUESTION_ASKED = "question_asked"
    QUESTION_UPDATED = "question_updated"
    QUESTION_ARCHIVED = "question_archived"
    STORY_CREATED = "story_created"
    STORY_UPDATED = "story_updated"
    STORY_ARCHIVED = "story_archived"
    ACTION_TYPE_COERCED = "action_type_coerced"
    ACTION_TYPE_REPLACED = "action_type_replaced"
    REGISTRY_PROPOSAL_SUBMITTED = "registry_proposal_submitted"
    REGISTRY_PROPOSAL_LINKED = "registry_proposal_linked"
    REGISTRY_PROPOSAL_REVISED = "registry_proposal_revised"
    REGISTRY_PROPOSAL_REVIEWED = "registry_proposal_reviewed"
    REGISTRY_PROPOSAL_EXPORTED = "registry_proposal_exported"
    REGISTRY_PROPOSAL_MERGED = "registry_proposal_merged"
    REGISTRY_PROPOSAL_WITHDRAWN = "registry_proposal_withdrawn"
    ACTION_CREATED = "action_created"
    ACTION_UPDATED = "action_updated"
    ACTION_TRANSITIONED = "action_transitioned"
    ACTION_CONFIRMED = "action_confirmed"
    ACTION_FAILED = "action_failed"
    TURN_STARTED = "turn_started"
    TURN_ABANDONED = "turn_abandoned"
    TURN_EVALUATED = "turn_evaluated"
    STATE_SELECTED = "state_selected"
    STORE_COMMITTED = "store_committed"
    STORE_FAILED = "store_failed"
    COMMIT_ESCALATED = "commit_escalated"
    CONSISTENCY_ISSUE = "consistency_issue"
    STATE_PUBLISHED = "state_published"
    TURN_COMMITTED = "turn_committed"
    TOOL_INVOKED = "tool_invoked"
    TOOL_FAILED = "tool_failed"
    OUTCOME_RECORDED = "outcome_recorded"
    OUTCOME_FAILED = "outcome_failed"
    ACTION_DUE = "action_due"
    ACTION_ESCALATED = "action_escalated"
    ACTION_TYPE_REGISTERED = "action_type_registered"
    ACTION_TYPE_DEPRECATED = "action_type_deprecated"
    ACTION_TYPE_OVERRIDE_REMOVED = "action_type_override_removed"
    REVERTED = "reverted"
    DELTA_REFUSED = "delta_refused"
    REMEMBERED = "remembered"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"
    MEMORIES_ARCHIVED = "memories_archived"
    LESSONS_EXTRACTED = "lessons_extracted"
    LESSON_EXTRACTION_FAILED = "lesson_extraction_failed"
    LESSON_RETIRED = "lesson_retired"
    LESSON_RESTORED = "lesson_restored"
    CONTEXT_ASSEMBLED = "context_assembled"
    SESSION_STARTED = "session_started"
    SESSION_ENDED = "session_ended"
    SESSION_CHECKPOINTED = "session_checkpointed"
    SESSION_RESTORED = "session_restored"
    SESSION_REPAIRED = "session_repaired"
    WORKING_MEMORY_UPDATED = "working_memory_updated"
    WORKING_MEMORY_REJECTED = "working_memory_rejected"
    WORKING_MEMORY_EVICTED = "working_memory_evicted"
    DEVICES_LINKED = "devices_linked"
    SPACE_CREATED = "space_created"
    ACCESS_CHANGED = "access_changed"
    PERSON_ERASED = "person_erased"


class Trace(Record):
    """One trace entry to write: its kind, the ids concerned, a message for people, and codes and numbers."""

    kind: TraceKind
    message: str
    ids: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)
    turn: str | None = None
    scope_id: str | None = None


class Event(Record):
    """One change of one aggregate, for subscribers. The order of events is guaranteed per aggregate."""

    type: EventType
    aggregate: str
    aggregate_version: int
    scope_id: str
    data: dict[str, Any] = Field(default_factory=dict)
    turn: str | None = None


class PriorResult(Record):
    """The body hash and the result that are stored under an idempotency key."""

    body_hash: str
    result: dict[str, Any]


class Change(Record):
    """The outcome of a unit of work: the ids to return, and the entries to append to the journal."""

    result: dict[str, Any]
    traces: tuple[Trace, ...] = ()
    events: tuple[Event, ...] = ()
    turns: tuple[str, ...] = ()
    requests: dict[str, PriorResult] = Field(default_factory=dict)
    """The bodies and results of further requests claimed in the same transaction, by idempotency key."""

    @property
    def writes(self) -> bool:
        """Whether something has changed: a change that finds nothing to do has no entries."""
        return bool(self.traces or self.events or self.turns or self.requests)


CREATING = frozenset(
    {
        EventType.OBSERVATION_ADDED,
        EventType.GOAL_CREATED,
        EventType.PENDING_ACTION_CREATED,
        EventType.QUESTION_ASKED,
        EventType.STORY_CREATED,
        EventType.REGISTRY_PROPOSAL_SUBMITTED,
        EventType.SESSION_STARTED,
        EventType.LESSON_LEARNED,
        EventType.TOOL_INVOCATION_TRACKED,
        EventType.OUTCOME_RECORDED,
        *(kind for kind in EventType if kind.value.endswith(".remembered")),
    }
)
"""The types of the event of a new record."""


def turn_mark(turn_id: str | None) -> str | None:
    """Return what a version stores in the place of its turn's id until the journal is appended.

    Only then is the id known, because the client may name a new turn. No id begins like the mark.
    """
    return None if turn_id is None else f"key:{turn_id}"


def merged(changes: Iterable[Change], result: dict[str, Any] | None = None) -> Change:
    """Return one change with the journal entries of several changes, and with `result` as its result."""
    found = tuple(changes)
    return Change(
        result=result or {},
        traces=tuple(trace for change in found for trace in change.traces),
        events=tuple(event for change in found for event in change.events),
        turns=tuple(dict.fromkeys(turn for change in found for turn in change.turns)),
        requests={key: value for change in found for key, value in change.requests.items()},
    )


class Aggregate(Protocol):
    """A stored record with a version in a space. The journal records changes of aggregates."""

    @property
    def uid(self) -> str:
        """The id of the record."""

    @property
    def version(self) -> int:
        """The current version of the record."""

    @property
    def scope_id(self) -> str:
        """The id of the space that the record is in."""


JournalLabels = tuple[TraceKind, EventType, str]
"""The kind of a change's trace entry, the type of its event, and its message for people."""


def one_change(
    of: Aggregate,
    labels: JournalLabels,
    turn_id: str | None,
    *,
    ids: Iterable[str] = (),
    details: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    result: dict[str, Any] | None = None,
) -> Change:
    """Return the journal of one change of one record: one trace entry and one event.

    Args:
        of: The record after the change.
        labels: The trace kind, the event type and the message of the change.
        turn_id: The turn in which the change happens.
        ids: Further ids that the change concerns.
        details: Codes and numbers for the trace entry.
        data: The data of the event.
        result: The result of the request; empty when omitted.
    """
    kind, event, message = labels
    trace = Trace(
        kind=kind,
        message=message,
        ids=(of.uid, *ids),
        details=dict(details or {}),
        turn=turn_id,
        scope_id=of.scope_id,
    )
    published = Event(
        type=event,
        aggregate=of.uid,
        aggregate_version=of.version,
        scope_id=of.scope_id,
        data=dict(data or {}),
        turn=turn_id,
    )
    return Change(result=result or {}, traces=(trace,), events=(published,))


class TraceEntry(Record):
    """A stored trace entry."""

    uid: str
    created_at: datetime
    turn: str | None
    kind: TraceKind
    message: str
    ids: tuple[str, ...]
    details: dict[str, Any]
