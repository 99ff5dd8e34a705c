"""Records of the history: versions, past states, reverts and the audit log (source 003, §Policies)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.journal.command import ChangeCommand
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.record import Id, Key, Record, Reference


class StoredVersion(Record):
    """A version as stored: the new values of the changed fields, not yet compared with the old values."""

    number: int
    changes: dict[str, Any]
    before: dict[str, Any] | None = None
    """The old values of the changed fields. Stored only for kinds without a stored first version."""


class FieldChange(Record):
    """The old and the new value of one field."""

    name: str
    before: Any
    after: Any


class VersionEntry(Record):
    """One version of a record: its time, actor and turn, the changed fields, and the evidence."""

    entity_id: str
    number: int
    at: datetime
    by_uid: str
    turn_id: str | None
    changes: tuple[FieldChange, ...]
    evidence: tuple[str, ...]
    note: str | None
    reverted_to: int | None
    """The version that the record was reverted to, if this version is a revert."""
    request: str | None
    """The idempotency key of the request that made the version. Only the actor that made it sees the key."""


class Revert(ChangeCommand):
    """The record to revert, and the version to restore."""

    id: Id = Field(description="A goal, a pending action, a question or a story.")
    version: int = Field(description="The `number` of the version to restore.")


class Content(Record):
    """The content of a record at one of its versions."""

    number: int
    at: datetime
    fields: dict[str, Any]
    since: frozenset[str]
    """The names of the fields that later versions changed."""


class RevertWarning(Record):
    """Something that a revert did not or could not undo."""

    code: str
    message: str


class PastLink(Record):
    """A relationship of a record that was in force at a time."""

    type: str
    other_id: str
    outgoing: bool
    since: datetime
    until: datetime | None
    """The time at which the relationship ended; None if it has not ended."""


class PastState(Record):
    """A record as it was at a time in the past."""

    uid: str
    version: int
    at: datetime
    """The time of the version that was in force."""
    by_uid: str
    fields: dict[str, Any]
    links: tuple[PastLink, ...]


class AuditFilter(Record):
    """Conditions on changes; all given conditions must hold."""

    actor: Reference | None = Field(
        default=None, description="The id of the actor that made the change; your own ids are in `me`."
    )
    entity_id: Reference | None = Field(default=None, description="The changed record.")
    kind: str | None = Field(
        default=None,
        description="The kind of record: goal, pending_action, question, story, observation, mandate and "
        "so on.",
    )
    turn_id: Key | None = Field(default=None, description="Your name for the turn, or its `id`.")
    since: datetime | None = Field(default=None, description="At this time or later.")
    until: datetime | None = Field(default=None, description="Before this time.")
    operation: tuple[EventType, ...] | None = Field(default=None, description="Any of these.")


class AuditEntry(Record):
    """One change: its time, actor, operation and turn, the changed record and fields, and the evidence."""

    uid: str
    at: datetime
    by_uid: str
    operation: EventType
    entity_id: str
    version: int
    turn_uid: str | None
    turn_id: str | None
    """The key of the turn: the name that its actor gave it."""
    fields: tuple[str, ...]
    """The names of the changed fields; empty if the record was deleted."""
    grantee_id: str | None = None
    """For the change of a share or a grant, the actor that it concerns."""
    permission: SpacePermission | None = None
    """What the actor may do since then; None if the share or the grant has ended."""
    type_id: str | None = None
    """For the change of an action type, by a file or by the organisation, the id of the type."""
    evidence: tuple[str, ...]
