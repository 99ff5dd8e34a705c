"""Versions and earlier states as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, cast

import strawberry
from strawberry.scalars import JSON

import prefrontal.api.graphql.events.types  # noqa: F401 - names the enum of operations
from prefrontal.api.graphql.history.words import word_in, words_for
from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, node_field, refs_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.caller import SpacePermission
from prefrontal.graph.history.record import (
    AuditEntry,
    AuditFilter,
    FieldChange,
    PastLink,
    PastState,
    RevertWarning,
    VersionEntry,
)
from prefrontal.graph.ids import Kind
from prefrontal.graph.journal.record import EventType

if TYPE_CHECKING:

    class AuditFilterInput:
        """The filter of `auditLog`, made from the record."""

else:
    AuditFilterInput = input_type(AuditFilter, "AuditFilterInput")


def _changes(self: RecordType) -> list[FieldChangeType]:
    words = words_for(self.record.entity_id)
    named = [
        each.model_copy(update={"name": word})
        for each in self.record.changes
        if (word := word_in(words, each.name)) is not None
    ]
    return [FieldChangeType.from_record(each) for each in sorted(named, key=lambda each: each.name)]


def _past_fields(self: RecordType) -> JSON:
    words = words_for(self.record.uid)
    named = {
        word: value
        for name, value in self.record.fields.items()
        if (word := word_in(words, name)) is not None
    }
    return cast("JSON", dict(sorted(named.items())))


def _fields(self: RecordType) -> list[str]:
    if self.record.operation is EventType.ACTION_TYPE_FILE_CHANGED:
        # Its event names the fields as the type does; a file is no record with versions of its own.
        return sorted(self.record.fields)
    words = words_for(self.record.entity_id)
    found = {word_in(words, name) for name in self.record.fields}
    return sorted(name for name in found if name is not None)


@graphql_type_of(FieldChange, "A field's values before and after a change.")
class FieldChangeType(RecordType):
    """A changed field."""

    name: str = strawberry.field(description="The name of the field in the record's GraphQL type.")
    before: JSON | None = strawberry.field(
        description="Null if there was no value. Ids that you may not read are left out."
    )
    after: JSON | None


@graphql_type_of(
    VersionEntry,
    "One version of a record, with the changes that made it.",
    name="Version",
    rename={"evidence_refs": "evidence"},
)
class VersionType(RecordType):
    """A version."""

    number: int = strawberry.field(description="The record's `version` after this change; 1 for the first.")
    at: datetime
    by = actor_field("by_uid", "The actor that made the change")
    turn_id: str | None = strawberry.field(description="The turn of the change.")
    changes: list[FieldChangeType] = strawberry.field(
        resolver=_changes,
        description="The changed fields; all fields for the first version. `evidence` has what was "
        "unlinked as the value before, and what was linked as the value after. Null values of a text of an "
        "observation: it was changed before the service kept texts.",
    )
    evidence = refs_field(
        Kind.OBSERVATION,
        "evidence",
        "The evidence for the change: the readable observations that it linked or unlinked, or named.",
    )
    evidence_refs: list[str] = strawberry.field(
        description="The ids of these observations, and the other references of the change as written."
    )
    note: str | None = strawberry.field(description="The note given with the change.")
    reverted_to: int | None = strawberry.field(description="The version that a revert restored.")
    request: str | None = strawberry.field(description="The `idempotencyKey` of the call, if it was yours.")


@graphql_type_of(PastLink, "A link of a record that existed at the requested time.")
class PastLinkType(RecordType):
    """A link."""

    type: str = strawberry.field(description="CHILD_OF, DERIVED_FROM, ABOUT, EVIDENCES or CONTRADICTS.")
    node = node_field(None, "other_id", "The node at the other end.")
    outgoing: bool = strawberry.field(description="Whether the link starts at the record.")
    since: datetime
    until: datetime | None = strawberry.field(description="When the link ended; null if it still exists.")


@graphql_type_of(
    PastState,
    "A record as it was at the requested time.",
    name="RecordAsOf",
)
class RecordAsOf(RecordType):
    """A past state."""

    node = node_field(None, "uid", "The record as it is now.")
    version: int
    at: datetime = strawberry.field(description="When this version was made.")
    by = actor_field("by_uid", "The actor that made this version")
    fields: JSON = strawberry.field(
        resolver=_past_fields,
        description="The record's fields under their GraphQL names. A text of an observation is left "
        "out if it was changed before the service kept texts.",
    )
    links: list[PastLinkType] = strawberry.field(
        description="The links that existed then and whose other ends you may read; at most 500."
    )


@graphql_type_of(AuditEntry, "One change: the actor, the operation, the time, the turn and the evidence.")
class AuditEntryType(RecordType):
    """An entry of the audit log."""

    id: strawberry.ID
    at: datetime
    by = actor_field("by_uid", "The actor that made the change")
    operation: EventType
    entity_id: strawberry.ID = strawberry.field(
        description="The id of the changed record, which may have been deleted since."
    )
    node = node_field(
        None,
        "entity_id",
        "The changed record as it is now; null if it was deleted, or has no type with an id.",
    )
    version: int = strawberry.field(description="The record's version after the change.")
    turn = node_field(
        Kind.TURN, "turn_uid", "The turn of the change; null if it had none, or if you may not read the turn."
    )
    turn_id: str | None = strawberry.field(
        description="The name that the actor gave the turn, also if you may not read the turn."
    )
    fields: list[str] = strawberry.field(
        resolver=_fields,
        description="The names of the changed fields, as in the type of the record; `history` has the "
        "values. Empty only if the record was deleted.",
    )
    grantee = node_field(
        Kind.AGENT, "grantee_id", "For a share or a grant, the actor that it was given to or taken from."
    )
    permission: SpacePermission | None = strawberry.field(
        description="For a share or a grant, what the grantee may do since then; null if it has ended."
    )
    type_id: str | None = strawberry.field(
        description="For a change of an action type, by a file of the registry or by the organisation, the "
        "id of the type; null for the settings that all types share."
    )
    evidence = refs_field(
        Kind.OBSERVATION, "evidence", "The readable observations that were evidence for the change."
    )


@graphql_type_of(RevertWarning, "Something that a revert did not restore.")
class RevertWarningType(RecordType):
    """A warning."""

    code: str = strawberry.field(
        description="progress_kept, goal_begun, evidence_kept, parent_ended, goal_ended or stories_kept; "
        "see docs/spec/history.md."
    )
    message: str


@strawberry.type(description="The reverted record.")
class RevertPayload:
    """The result of `revert`."""

    node: Node
    version: int = strawberry.field(
        description="The record's version now: a new one, unless the content was the same already."
    )
    warnings: list[RevertWarningType]
