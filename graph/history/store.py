"""Queries for versions and the audit log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.history.record import AuditEntry, AuditFilter, Content, PastLink, StoredVersion
from prefrontal.graph.history.rules import fold
from prefrontal.graph.journal.record import EventType

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a version: its time, actor, turn and idempotency key."""

    at: datetime
    by_uid: str
    turn_id: str | None
    request: str | None


@dataclass(frozen=True, slots=True)
class Versions:
    """A page of a record's versions, newest first, with the data needed to compute what each one changed."""

    observed: bool
    """Whether the record is an observation. Its first version is not stored; the others have old values."""
    node: Provenance
    total: int
    page: tuple[tuple[StoredVersion, Provenance], ...]
    earlier: tuple[StoredVersion, ...]
    """For each field in the page, the latest earlier version that contains the field; oldest first."""
    evidence: dict[datetime, tuple[str, ...]]
    """The ids of the readable observations that were linked as evidence, by the time of linking."""


@dataclass(frozen=True, slots=True)
class Past:
    """The stored data from which a record's state at a time is rebuilt."""

    versions: tuple[StoredVersion, ...]
    """The versions up to that time that decide the value of a field, oldest first."""
    later: tuple[StoredVersion, ...]
    """For an observation, the versions after that time that have the old value of a field, oldest first."""
    last: tuple[int, datetime, str] | None
    """The number, time and actor of the last version up to that time; None if there is none."""
    links: tuple[PastLink, ...]
    created: tuple[datetime, str]
    """The time at which the record was created, and the actor that created it."""
    now: dict[str, Any] | None
    """For an observation, its current fields; else None."""


async def list_versions(tx: Tx, caller: Caller, uid: str, *, before: int, limit: int) -> Versions | None:
    """Return up to `limit` versions of a record with numbers below `before`; None if it is not readable."""
    row = await tx.optional(
        "history/list_versions",
        uid=uid,
        before_number=before,
        limit=limit,
        people=caller.people,
        **caller.reads,
    )
    if row is None:
        return None
    evidence: dict[datetime, list[str]] = {}
    for item in row["evidence"]:
        evidence.setdefault(datetime.fromisoformat(item["at"]), []).append(item["uid"])
    node = row["node"]
    return Versions(
        observed="Observation" in row["labels"],
        node=Provenance(datetime.fromisoformat(node["at"]), node["by_uid"], node["source_turn_id"], None),
        total=node["version"],
        page=tuple((_version(item), _provenance(item)) for item in row["page"]),
        earlier=tuple(_version(item) for item in row["earlier"]),
        evidence={at: tuple(uids) for at, uids in evidence.items()},
    )


async def read_as_of(tx: Tx, caller: Caller, uid: str, at: datetime, most: int) -> Past | None:
    """Return the data of a record's state at a time, with up to `most` links; None if it is not readable."""
    row = await tx.optional(
        "history/read_as_of",
        uid=uid,
        at=at,
        most=most,
        people=caller.people,
        **caller.reads,
    )
    if row is None:
        return None
    last = row["last"]
    return Past(
        versions=tuple(_version(item) for item in row["versions"]),
        later=tuple(_version(item) for item in row["later"]),
        last=(last["number"], last["created_at"], last["by_uid"]) if last else None,
        links=tuple(PastLink.model_validate(item) for item in row["links"]),
        created=(row["created_at"], row["by_uid"]),
        now=_observed(row["now"]),
    )


async def read_version(tx: Tx, caller: Caller, uid: str, number: int) -> Content | None:
    """Return a record's content at a version, or None if it has no such version or is not readable."""
    row = await tx.optional(
        "history/read_version",
        uid=uid,
        number=number,
        people=caller.people,
        **caller.reads,
    )
    if row is None:
        return None
    return Content(
        number=number,
        at=row["at"],
        fields=fold(_version(item) for item in row["versions"]),
        since=frozenset(row["since"]),
    )


async def find_readable(tx: Tx, caller: Caller, uids: Iterable[str]) -> frozenset[str]:
    """Return those of the ids that belong to nodes the caller may read."""
    row = await tx.one(
        "history/find_readable",
        uids=sorted(uids),
        people=caller.people,
        **caller.reads,
    )
    found: Sequence[str] = row["items"]
    return frozenset(found)


async def list_audit(
    tx: Tx, caller: Caller, wanted: AuditFilter, *, since_uid: str, before_uid: str, limit: int
) -> list[AuditEntry]:
    """Return up to `limit` changes before an event id, newest first.

    The query is chosen by the filter's most selective condition: the record, the turn, the actor, the
    operations, and then the time.
    """
    page: dict[str, Any] = {
        "since_uid": since_uid,
        "before_uid": before_uid,
        "since": wanted.since,
        "until": wanted.until,
        "limit": limit,
        "readable": list(caller.readable),
    }
    operations = [each.value for each in wanted.operation or ()] or None
    if wanted.entity_id is not None:
        row = await tx.one(
            "history/list_audit_by_entity",
            entity_id=wanted.entity_id,
            turn_key=wanted.turn_id,
            actor_id=wanted.actor,
            operations=operations,
            people=caller.people,
            grantees=caller.grantees,
            **page,
        )
    elif wanted.turn_id is not None:
        row = await tx.one(
            "history/list_audit_by_turn",
            org_id=caller.org_id,
            turn_key=wanted.turn_id,
            actor_id=wanted.actor,
            operations=operations,
            **page,
        )
    elif wanted.actor is not None:
        row = await tx.one(
            "history/list_audit_by_actor", actor_id=wanted.actor, operations=operations, **page
        )
    elif operations is not None:
        row = await tx.one("history/list_audit_by_type", operations=operations, **page)
    else:
        row = await tx.one("history/list_audit_by_time", **page)
    return [_audit_entry(item) for item in row["items"]]


def _observed(item: Row | None) -> dict[str, Any] | None:
    return item and item | {"metadata": json.loads(item["metadata"]) if item["metadata"] else None}


_OF_FILES = EventType.ACTION_TYPE_FILE_CHANGED.value


def _audit_entry(item: Row) -> AuditEntry:
    data = json.loads(item["data"])
    one, several = data.get("observation_id"), data.get("observation_ids") or ()
    return AuditEntry(
        uid=item["uid"],
        at=datetime.fromisoformat(item["at"]),
        by_uid=item["by_uid"],
        operation=item["type"],
        entity_id=item["aggregate"],
        version=item["aggregate_version"],
        turn_uid=item["turn_uid"],
        turn_id=item["turn_key"],
        # A change of the registry's files has no version in the organisation: its event names the fields.
        fields=tuple(item["fields"] or (data["fields"] if item["type"] == _OF_FILES else ())),
        grantee_id=data.get("actor_id"),
        permission=data.get("permission"),
        type_id=data.get("type_id"),
        evidence=((one,) if one else tuple(several)),
    )


def _version(item: Row) -> StoredVersion:
    before = item.get("before")
    return StoredVersion(
        number=item["number"],
        changes=json.loads(item["changes"]),
        before=json.loads(before) if before else None,
    )


def _provenance(item: Row) -> Provenance:
    return Provenance(
        datetime.fromisoformat(item["at"]), item["by_uid"], item["turn_key"], item["request_key"]
    )
