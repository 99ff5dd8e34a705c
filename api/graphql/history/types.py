"""Versions and earlier states as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.paging import PageInfo
from prefrontal.graph.history.record import (
    AuditEntry,
    AuditFilter,
    AuditPage,
    FieldChange,
    PastLink,
    PastState,
    VersionEntry,
    VersionPage,
)
from prefrontal.graph.journal.record import EventType

strawberry.enum(
    EventType,
    name="Operation",
    description="What was done: the kind of record, and what happened to it. Events have the same names: "
    "`goal.created` and so on.",
)


@strawberry.type(name="FieldChange", description="What one field was and what it became.")
class FieldChangeType:
    """A changed field."""

    name: str = strawberry.field(description="As the record's own type names it.")
    before: JSON | None = strawberry.field(
        description="Null when it had none. Ids of what you may not read are left out."
    )
    after: JSON | None

    @classmethod
    def from_record(cls, change: FieldChange) -> FieldChangeType:
        """Return the type of a record."""
        return cls(
            name=change.name,
            before=None if change.before is None else JSON(change.before),
            after=None if change.after is None else JSON(change.after),
        )


@strawberry.type(name="Version", description="What one change made of a record.")
class VersionType:
    """A version."""

    number: int = strawberry.field(description="1 for the first; the record's `version` after this change.")
    at: datetime
    by: strawberry.ID = strawberry.field(description="The actor that made it.")
    turn_id: str | None = strawberry.field(description="The turn it happened in.")
    changes: list[FieldChangeType] = strawberry.field(
        description="Of the first version every field; of an observation never its texts."
    )
    evidence: list[str] = strawberry.field(
        description="What spoke for it: readable observations that were linked or unlinked with it, and the "
        "references that it named."
    )
    note: str | None = strawberry.field(description="What was said of it.")
    reverted_to: int | None = strawberry.field(description="The version whose content it took over again.")
    request: str | None = strawberry.field(
        description="The `idempotencyKey` it was made under, if that was yours."
    )

    @classmethod
    def from_record(cls, entry: VersionEntry) -> VersionType:
        """Return the type of a record."""
        return cls(
            number=entry.number,
            at=entry.at,
            by=strawberry.ID(entry.by_uid),
            turn_id=entry.turn_id,
            changes=[FieldChangeType.from_record(change) for change in entry.changes],
            evidence=list(entry.evidence),
            note=entry.note,
            reverted_to=entry.reverted_to,
            request=entry.request,
        )


@strawberry.type(description="A version in a page.")
class VersionEdge:
    """An edge of the connection."""

    cursor: str
    node: VersionType


@strawberry.type(description="A page of a record's versions, newest first.")
class VersionConnection:
    """A page of versions."""

    edges: list[VersionEdge]
    nodes: list[VersionType]
    page_info: PageInfo
    total_count: int = strawberry.field(description="How many versions there are.")

    @classmethod
    def from_page(cls, page: VersionPage) -> VersionConnection:
        """Return the connection of a page."""
        nodes = [VersionType.from_record(entry) for entry in page.items]
        edges = [
            VersionEdge(cursor=cursor, node=node) for cursor, node in zip(page.cursors, nodes, strict=True)
        ]
        return cls(
            edges=edges,
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
            total_count=page.total,
        )


@strawberry.type(name="PastLink", description="A link of a record that held at a time.")
class PastLinkType:
    """A link."""

    type: str = strawberry.field(description="CHILD_OF, DERIVED_FROM, ABOUT, EVIDENCES or CONTRADICTS.")
    id: strawberry.ID = strawberry.field(description="What is at its other end.")
    outgoing: bool = strawberry.field(description="Whether it leads away from the record.")
    since: datetime
    until: datetime | None = strawberry.field(description="When it ended, if it has.")

    @classmethod
    def from_record(cls, link: PastLink) -> PastLinkType:
        """Return the type of a record."""
        return cls(
            type=link.type,
            id=strawberry.ID(link.other_id),
            outgoing=link.outgoing,
            since=link.since,
            until=link.until,
        )


@strawberry.type(name="RecordAsOf", description="A record as it was at a time.")
class RecordAsOf:
    """A past state."""

    id: strawberry.ID
    version: int
    at: datetime = strawberry.field(description="Since when it was so.")
    by: strawberry.ID = strawberry.field(description="The actor that made it so.")
    fields: JSON = strawberry.field(
        description="Its fields as its own type names them; an observation's text if it is still the same."
    )
    links: list[PastLinkType] = strawberry.field(
        description="The links that held then, as far as you may read their other ends; 500 at most."
    )

    @classmethod
    def from_record(cls, state: PastState) -> RecordAsOf:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(state.uid),
            version=state.version,
            at=state.at,
            by=strawberry.ID(state.by_uid),
            fields=JSON(state.fields),
            links=[PastLinkType.from_record(link) for link in state.links],
        )


@strawberry.input(description="Which changes; every condition that is given holds.")
class AuditFilterInput:
    """The filter of `auditLog`."""

    actor: strawberry.ID | None = strawberry.field(default=None, description="Who did it, as `me` names ids.")
    entity_id: strawberry.ID | None = strawberry.field(default=None, description="The record it was done to.")
    kind: str | None = strawberry.field(
        default=None, description="goal, pending_action, question, story, observation, mandate and so on."
    )
    turn_id: str | None = strawberry.field(default=None, description="Your name for the turn.")
    since: datetime | None = strawberry.field(default=None, description="At this time or later.")
    until: datetime | None = strawberry.field(default=None, description="Before this time.")
    operation: list[EventType] | None = strawberry.field(default=None, description="One of these.")

    def wanted(self) -> AuditFilter:
        """Return the filter as a record."""
        return AuditFilter(
            actor_id=self.actor,
            entity_id=self.entity_id,
            kind=self.kind,
            turn_id=self.turn_id,
            since=self.since,
            until=self.until,
            operations=tuple(self.operation or ()),
        )


@strawberry.type(name="AuditEntry", description="One change: who did what, when, in which turn, and why.")
class AuditEntryType:
    """An entry of the audit log."""

    id: strawberry.ID
    at: datetime
    by: strawberry.ID = strawberry.field(description="The actor that did it.")
    operation: EventType
    entity_id: strawberry.ID = strawberry.field(description="The record it was done to.")
    version: int = strawberry.field(description="The version it left.")
    turn_id: str | None
    fields: list[str] = strawberry.field(description="What it changed; `history` has the values.")
    evidence: list[strawberry.ID] = strawberry.field(
        description="The observations it was done with, of those you may read."
    )

    @classmethod
    def from_record(cls, entry: AuditEntry) -> AuditEntryType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(entry.uid),
            at=entry.at,
            by=strawberry.ID(entry.by_uid),
            operation=entry.operation,
            entity_id=strawberry.ID(entry.entity_id),
            version=entry.version,
            turn_id=entry.turn_id,
            fields=list(entry.fields),
            evidence=[strawberry.ID(uid) for uid in entry.evidence],
        )


@strawberry.type(description="An entry in a page.")
class AuditEdge:
    """An edge of the connection."""

    cursor: str
    node: AuditEntryType


@strawberry.type(description="A page of the audit log, newest first.")
class AuditConnection:
    """A page of the audit log."""

    edges: list[AuditEdge]
    nodes: list[AuditEntryType]
    page_info: PageInfo

    @classmethod
    def from_page(cls, page: AuditPage) -> AuditConnection:
        """Return the connection of a page."""
        nodes = [AuditEntryType.from_record(entry) for entry in page.items]
        edges = [
            AuditEdge(cursor=cursor, node=node) for cursor, node in zip(page.cursors, nodes, strict=True)
        ]
        return cls(edges=edges, nodes=nodes, page_info=PageInfo.of(page.cursors, has_next=page.has_next))
