"""Records of the access log: who did what with which session, and whether it was allowed (source 002 §7)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.record import Record

ALL_SESSIONS = ""
"""Named by who accesses no session in particular: no session has this key."""


class AccessOperation(StrEnum):
    """What is done with a session: operations and query types of the source document, and others."""

    START = "start"
    ADD = "add"
    UPDATE = "update"
    EVICT = "evict"
    REFRESH = "refresh"
    END = "end"
    GET_ACTIVE_CONTEXT = "get_active_context"
    SEARCH_WORKING_MEMORY = "search_working_memory"
    GET_SESSION_HISTORY = "get_session_history"
    GET_SESSION = "get_session"
    GET_CORRELATIONS = "get_correlations"
    BRIDGE = "bridge"
    CHECKPOINT = "checkpoint"
    RESTORE = "restore"
    GET_CHECKPOINTS = "get_checkpoints"
    GET_PATTERNS = "get_patterns"
    ASSEMBLE_CONTEXT = "assemble_context"
    JOIN_TURN = "join_turn"
    GET_ACCESS_LOG = "get_access_log"
    GET_EVENTS = "get_events"


class AccessOutcome(StrEnum):
    """What came of an access."""

    ALLOWED = "allowed"
    REFUSED = "refused"


class SessionAccess(Record):
    """One access of a session: ids, codes and times, no content."""

    uid: str
    operation: AccessOperation
    session: str
    """The session as the caller named it: its id, or a key."""
    item_ids: tuple[str, ...] = ()
    items: int = 0
    """How many there were; more than `item_ids` if those are too many to keep."""
    problem: str | None = None
    """The code of the problem; None if it was allowed."""
    org_id: str
    scope_id: str
    """The space of the caller's own sessions."""
    by_uid: str
    agent_id: str | None = None
    person_id: str | None = None
    device_id: str | None = None
    at: datetime


class AccessEntry(Record):
    """A stored entry of the access log."""

    uid: str
    operation: AccessOperation
    item_ids: tuple[str, ...]
    items: int
    problem: str | None = None
    by_uid: str
    agent_id: str | None = None
    person_id: str | None = None
    device_id: str | None = None
    at: datetime

    @property
    def outcome(self) -> AccessOutcome:
        """Whether it was allowed."""
        return AccessOutcome.ALLOWED if self.problem is None else AccessOutcome.REFUSED
