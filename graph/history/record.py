"""Versions, what was true at a time, and the audit log as values (source 003, §Policies)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from prefrontal.graph.journal.record import EventType
from prefrontal.graph.record import Record


class StoredVersion(Record):
    """A version as it is stored: what changed, not yet set against what was before."""

    number: int
    changes: dict[str, Any]
    before: dict[str, Any] | None = None
    """What the fields were, where no first version is stored."""


class FieldChange(Record):
    """What one field was and what it became."""

    name: str
    before: Any
    after: Any


class VersionEntry(Record):
    """One version of a record: who made it, when, in which turn, what changed and what spoke for it."""

    number: int
    at: datetime
    by_uid: str
    turn_id: str | None
    changes: tuple[FieldChange, ...]
    evidence: tuple[str, ...]
    note: str | None
    reverted_to: int | None
    """The version whose content it took over again."""
    request: str | None
    """The idempotency key it was made under, for the actor that chose it."""


class VersionPage(Record):
    """One page of a history, newest first."""

    items: tuple[VersionEntry, ...]
    cursors: tuple[str, ...]
    has_next: bool
    total: int


class Revert(Record):
    """What is to be taken back: a record, to which version, and in which turn."""

    uid: str
    number: int
    expected_version: int | None
    turn_id: str | None


class Content(Record):
    """What a record was at one of its versions, and which fields were changed since."""

    number: int
    at: datetime
    fields: dict[str, Any]
    since: frozenset[str]


class RevertWarning(Record):
    """What a revert did not, or could not, take back."""

    code: str
    message: str


class PastLink(Record):
    """A link that held at a time."""

    type: str
    other_id: str
    outgoing: bool
    since: datetime
    until: datetime | None
    """When it ended, if it has."""


class PastState(Record):
    """A record as it was at a time."""

    uid: str
    version: int
    at: datetime
    """Since when it was so."""
    by_uid: str
    fields: dict[str, Any]
    links: tuple[PastLink, ...]


class AuditFilter(Record):
    """Which entries of the audit log; every condition that is given holds."""

    actor_id: str | None = None
    entity_id: str | None = None
    kind: str | None = None
    turn_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    operations: tuple[EventType, ...] = ()


class AuditEntry(Record):
    """One change: who, what, when, in which turn, and what spoke for it."""

    uid: str
    at: datetime
    by_uid: str
    operation: EventType
    entity_id: str
    version: int
    turn_id: str | None
    fields: tuple[str, ...]
    evidence: tuple[str, ...]


class AuditPage(Record):
    """One page of the audit log, newest first."""

    items: tuple[AuditEntry, ...]
    cursors: tuple[str, ...]
    has_next: bool
