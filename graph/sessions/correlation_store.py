"""Queries for what sessions are about, and for how they are related."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.sessions.correlation import Correlation, Digest, digest_of
from prefrontal.graph.sessions.correlation_record import (
    Relationship,
    SessionCorrelation,
    SharedKind,
    SharedPath,
    UnfinishedItem,
)
from prefrontal.graph.sessions.digest import AboutName, ItemNames
from prefrontal.graph.sessions.record import Session, SessionStatus
from prefrontal.graph.sessions.store import owner_params, session_record
from prefrontal.graph.topics.rows import topic_rows

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.session_tables import CorrelationTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_UPTO = f"{Kind.SESSION.value}_~"
"""Sorts after the id of every session, and before the ids of no other kind that begin with it."""

_NUMBERS = (
    "correlation_score",
    "entity_overlap",
    "theme_similarity",
    "content_similarity",
    "temporal_proximity",
)
"""What is stored of a relation as it is measured."""


class LockedDigest(NamedTuple):
    """A locked session, with the names of what it holds and what it is about."""

    session: Session
    items: Sequence[ItemNames]
    digest: Digest
    """What it is about, as it was written last."""
    encoder: str | None
    is_kept: bool
    """Whether what it was about is kept, if it has ended."""


class Candidate(NamedTuple):
    """A session that another one may be related to."""

    digest: Digest
    device_id: str | None
    cosine: float | None


class UnfinishedItems(NamedTuple):
    """What an earlier session left unfinished and another one does not hold, the most salient first."""

    session: str
    """The id of the other one."""
    status: SessionStatus
    is_same: bool
    """Whether the two are one session."""
    items: list[UnfinishedItem]


async def list_uncorrelated(tx: Tx, limit: int, now: datetime) -> list[Row]:
    """Return sessions of all organisations that changed since they were compared, as whose they are."""
    return list((await tx.one("sessions/list_uncorrelated", limit=limit, now=now))["items"])


async def lock(tx: Tx, uid: str, now: datetime) -> LockedDigest | None:
    """Lock a session until the commit; None if it does not exist any more."""
    row = await tx.optional("sessions/lock_for_correlation", uid=uid, now=now)
    if row is None:
        return None
    session = session_record(row["session"])
    held = [ItemNames(each["entities"], each["themes"], each["is_fragment"]) for each in row["held"]]
    digest = digest_of(session.uid, _names(row["names"]), session.created_at, session.ended_at)
    return LockedDigest(session, held, digest, row["encoder"], row["is_kept"])


async def write_digest(
    tx: Tx,
    caller: Caller,
    session: Session,
    names: Sequence[AboutName],
    now: datetime,
    *,
    encoder: str | None,
    until: datetime | None,
    is_empty: bool,
) -> None:
    """Write what a locked session is about.

    Args:
        tx: The transaction that has locked the session.
        caller: Who writes it.
        session: The session.
        names: What it is about.
        now: The time of the change.
        encoder: The encoder of the vectors.
        until: Until when others are compared with it, if it ends.
        is_empty: Whether it holds nothing, so that it is about its task.
    """
    rows = topic_rows(
        ((session.scope_id, each.key) for each in names),
        org_id=caller.org_id,
        by_uid=caller.actor_id,
        now=now,
    )
    by_key = {each.key: each for each in names}
    topics = [
        {
            **row,
            "spelled": by_key[row["key"]].name,
            "entity": by_key[row["key"]].entity,
            "theme": by_key[row["key"]].theme,
            "durable": by_key[row["key"]].durable,
        }
        for row in rows
    ]
    await tx.one(
        "sessions/write_digest",
        uid=session.uid,
        writable=list(caller.writable),
        topics=topics,
        keys=sorted(by_key),
        encoder=encoder,
        until=until,
        is_empty=is_empty,
        now=now,
    )


async def find_correlated(
    tx: Tx, session: Session, since: datetime, table: CorrelationTable
) -> list[Candidate]:
    """Return the sessions that one may be related to, none of which started before a time."""
    row = await tx.one(
        "sessions/find_correlated",
        uid=session.uid,
        since=floor_id(Kind.SESSION, since),
        upto=_UPTO,
        hubs=table.hubs,
        fan=table.fan,
        candidates=table.candidates,
        pull=table.pull.model_dump(),
    )
    return [
        Candidate(
            digest_of(
                each["uid"],
                _names(each["names"]),
                datetime.fromisoformat(each["started_at"]),
                None if each["ended_at"] is None else datetime.fromisoformat(each["ended_at"]),
            ),
            each["device_id"],
            each["cosine"],
        )
        for each in row["found"]
    ]


async def write_correlations(
    tx: Tx, session: Session, found: Iterable[tuple[Correlation, str, bool]], now: datetime
) -> int:
    """Write how a locked session is related to others; return the number of relations.

    `found` has each relation with the other session, and whether that is the later one.
    """
    rows = [
        {
            "uid": other,
            "is_later": is_later,
            "properties": {
                **{name: getattr(each, name) for name in _NUMBERS},
                "relationship_type": each.relationship_type.value,
                "at": now,
            },
        }
        for each, other, is_later in found
    ]
    # Sorted, so that concurrent transactions lock the sessions in the same order.
    rows.sort(key=lambda row: str(row["uid"]))
    row = await tx.one("sessions/write_correlations", uid=session.uid, rows=rows)
    return int(row["written"])


async def expire_digests(tx: Tx, limit: int, now: datetime) -> int:
    """Delete what up to `limit` sessions were about, as far as it goes with the look-back; return how many.

    What memories have stays.
    """
    return int((await tx.one("sessions/expire_digests", limit=limit, now=now))["written"])


async def list_correlations(
    tx: Tx,
    caller: Caller,
    session: str,
    limit: int,
    shown: int,
    now: datetime,
    *,
    only_earlier: bool = False,
) -> list[SessionCorrelation] | None:
    """Return how a session of the caller, by its id or its key, is related to others, the most first.

    None if the session is unknown or not the caller's.
    """
    row = await tx.optional(
        "sessions/list_correlations",
        session=session,
        **owner_params(caller),
        only_earlier=only_earlier,
        limit=limit,
        shared=shown,
        unfinished=shown,
        now=now,
    )
    return None if row is None else [_correlation(each) for each in row["items"]]


async def find_unfinished(
    tx: Tx, caller: Caller, session: str, earlier: str, limit: int, now: datetime
) -> UnfinishedItems | None:
    """Return what an earlier session left unfinished, and the session that may get it.

    None if the caller does not have both sessions.
    """
    values = {"session": session, "from": earlier, **owner_params(caller), "limit": limit, "now": now}
    row = await tx.optional("sessions/list_unfinished", **values)
    if row is None:
        return None
    items = [_unfinished(item) for item in row["items"]]
    return UnfinishedItems(row["session"], SessionStatus(row["status"]), row["is_same"], items)


async def link_devices(tx: Tx, caller: Caller, *, across: bool, since: datetime, now: datetime) -> int | None:
    """Say whether the caller's sessions on different devices may be related.

    Returns the version of its space; None if the caller may not write to it.
    """
    row = await tx.optional(
        "sessions/link_devices",
        scope_id=caller.session_space,
        writable=list(caller.writable),
        across=across,
        since=floor_id(Kind.SESSION, since),
        upto=_UPTO,
        now=now,
    )
    return None if row is None else int(row["version"])


def _correlation(row: Row) -> SessionCorrelation:
    shared = [
        SharedPath(kind=kind, name=topic["name"], node_uid=None)
        for topic in row["topics"]
        for kind in (SharedKind.ENTITY, SharedKind.THEME)
        if topic[kind.value]
    ]
    for kind, nodes in ((SharedKind.GOAL, row["goals"]), (SharedKind.MEMORY, row["memories"])):
        shared += [SharedPath(kind=kind, name=node["name"], node_uid=node["uid"]) for node in nodes]
    return SessionCorrelation(
        session=session_record(row["session"]),
        is_earlier=row["is_earlier"],
        relationship_type=Relationship(row["relationship_type"]),
        **{name: row[name] for name in _NUMBERS},
        shared=tuple(shared),
        unfinished=tuple(_unfinished(item) for item in row["unfinished"]),
    )


def _unfinished(row: Row) -> UnfinishedItem:
    return UnfinishedItem(**{**row, "entities": tuple(row["entities"])})


def _names(rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, bool, bool]]:
    return ((each["name"], each["entity"], each["theme"]) for each in rows)
