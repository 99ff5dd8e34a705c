"""Queries for sessions and for what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.clock import NEVER
from prefrontal.graph.embedding.embeddings import NO_VECTORS, Vectors
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import NAME_LASTS
from prefrontal.graph.sessions.event_record import CognitiveEvent
from prefrontal.graph.sessions.names import key as name_key
from prefrontal.graph.sessions.record import (
    Accesses,
    ActiveMemory,
    EvictedItem,
    Item,
    LockedSession,
    NamedMemory,
    PastItem,
    RelatedMemory,
    Session,
    SessionContents,
    SessionFilter,
    SessionStatus,
    TurnMembership,
)
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.text.folding import text_key

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import CandidatesTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_sessions, _past = RecordMapper(Session), RecordMapper(PastItem)
# What is of the memory, and what follows from the other items, is no property of the link.
_items = RecordMapper(Item, unstored=("memory_uid", "content", "is_fragment", "priority_rank"))
FRAGMENT_NAME = "Working memory text"
"""The caption of every text that lives in a session alone: it says nothing of the text."""
_AS_COLUMNS = {"admission_time": "since", "source": "item_source"}


def owner_params(caller: Caller) -> dict[str, Any]:
    """Return the parameters of whose sessions a statement may read: those of a caller on its device."""
    return {
        "scope_id": caller.session_space,
        "device_id": caller.device_id or "",
        "readable": list(caller.readable),
    }


def session_properties(session: Session) -> dict[str, Any]:
    """Return what is stored of a session."""
    return _sessions.properties(session)


def session_record(row: Row) -> Session:
    return _sessions.record(row)


async def start(tx: Tx, caller: Caller, session: Session, vectors: Vectors, *, idle_minutes: float) -> int:
    """Store a new session; return the number written, 0 if the caller may not write to its space.

    `vectors` has the vector of its task, if there is one. The session ends after `idle_minutes` without use.
    """
    row = await tx.one(
        "sessions/start_session",
        session={
            **_sessions.properties(session),
            "org_id": caller.org_id,
            "name": "Session",
            "idle_minutes": idle_minutes,
        },
        task_vector=None if session.task is None else vectors.of(session.task),
        encoder=vectors.encoder,
        writable=list(caller.writable),
    )
    return int(row["written"])


async def lock(
    tx: Tx,
    caller: Caller,
    session: str,
    now: datetime,
    *,
    item: str | None = None,
    text: str | None = None,
    task: str | None = None,
    vectors: Vectors = NO_VECTORS,
) -> LockedSession | None:
    """Lock a session of the caller until the commit, by its id or its key; return it with what it holds.

    Args:
        tx: The transaction.
        caller: Whose session it is.
        session: Its id or its key.
        now: The time of the change.
        item: The memory that an update names, or its name of a text.
        text: The text that an update brings.
        task: The task that an update brings.
        vectors: The vectors of the text and the task.
    """
    row = await tx.optional(
        "sessions/lock_session",
        session=session,
        **owner_params(caller),
        item=item,
        texts=[]
        if text is None
        else [{"scope_id": caller.session_space, "keys": [text_key(caller.session_space, text)]}],
        vector=None if text is None else vectors.of(text),
        task=task,
        task_vector=None if task is None else vectors.of(task),
        encoder=vectors.encoder,
        now=now,
    )
    if row is None:
        return None
    named = row["named"]
    return LockedSession(
        session=_sessions.record(row["session"]),
        items=tuple(_items.record(each) for each in row["held"] if each["is_there"]),
        gone=tuple(sorted(each["item_id"] for each in row["held"] if not each["is_there"])),
        cosines={each["item_id"]: each["cosine"] for each in row["held"] if each["cosine"] is not None},
        task_cosine=row["task_cosine"],
        is_forgotten=row["is_forgotten"],
        named=None
        if named is None
        else NamedMemory(
            uid=named["uid"],
            content=named["content"],
            confidence=named["confidence"],
            at=datetime.fromisoformat(named["at"]),
            entities=tuple(named["entities"]),
        ),
    )


async def write(
    tx: Tx,
    caller: Caller,
    session: Session,
    now: datetime,
    *,
    ended: Iterable[EvictedItem] = (),
    added: Sequence[Item] = (),
    changed: Sequence[Item] = (),
    new_text: str | None = None,
    new_task: str | None = None,
    vectors: Vectors = NO_VECTORS,
    topics_may_differ: bool = True,
    redacted: Iterable[str] = (),
) -> int:
    """Write what an update did to a locked session; return the number of sessions written, 0 or 1.

    Args:
        tx: The transaction that has locked the session.
        caller: Who changes it.
        session: The session after the change.
        now: The time of the change.
        ended: What left the session.
        added: What came.
        changed: The items that changed.
        new_text: The new text of the one that changed, if it is one that lives in the session alone.
        new_task: The task, if the update brings one.
        vectors: The vectors of new texts and of the new task.
        topics_may_differ: Whether what the session is about may have changed, so that it is compared anew.
        redacted: The ids of memories and texts that are redacted in the session.
    """
    row = await tx.one(
        "sessions/write_session",
        uid=session.uid,
        session=_sessions.properties(session),
        ended=[{"item_id": each.item_id, "reason": each.reason.value, "score": each.score} for each in ended],
        fragments=[
            {"properties": _fragment(caller, each, session, now), "vector": vectors.of(each.content)}
            for each in added
            if each.is_fragment
        ],
        held=[{"memory_uid": each.memory_uid, "properties": _slot(each, session, caller)} for each in added],
        changed=[
            {
                "item_id": each.item_id,
                "properties": _slot(each, session, caller),
                "content": new_text,
                "text_key": _digest(session, new_text),
                "vector": None if new_text is None else vectors.of(new_text),
            }
            for each in changed
        ],
        topics_may_differ=topics_may_differ,
        is_text_gone=new_text is not None,
        redacted=list(redacted),
        task=[] if new_task is None else [{"vector": vectors.of(new_task)}],
        encoder=vectors.encoder,
        writable=list(caller.writable),
        readable=list(caller.readable),
        now=now,
    )
    return int(row["written"])


def _turn_in(caller: Caller, session: str, turn: str | None, now: datetime) -> dict[str, Any]:
    """Return the parameters of a session of the caller and a turn in it."""
    return {
        "session": session,
        **owner_params(caller),
        "home": caller.home,
        "turn_key": turn,
        "free_before": now - NAME_LASTS,
        "now": now,
    }


async def lock_for_turn(
    tx: Tx, caller: Caller, session: str, turn: str, now: datetime
) -> TurnMembership | None:
    """Lock a session of the caller, by its id or its key, and find the turn with a name or an id in it."""
    row = await tx.optional(
        "sessions/lock_session_of_turn",
        **_turn_in(caller, session, turn, now),
    )
    if row is None:
        return None
    return TurnMembership(
        turn=row["turn"] or turn,
        session=row["session"],
        has_ended=row["status"] == SessionStatus.ENDED.value,
        takes_name=row["turn"] is None and row["is_taken"],
    )


async def read_contents(
    tx: Tx, caller: Caller, session: str, turn: str | None, table: CandidatesTable, now: datetime
) -> SessionContents | None:
    """Return what a session of the caller, by its id or its key, holds now, for a turn by its name or id.

    `table` says how many earlier sessions that it is related to are read, and how many memories of them.
    """
    row = await tx.optional(
        "sessions/read_contents",
        **_turn_in(caller, session, turn, now),
        org_id=caller.org_id,
        related_sessions=table.related_sessions,
        related=table.related,
    )
    if row is None:
        return None
    held = tuple(ActiveMemory.model_validate(each) for each in row["held"])
    related = tuple(RelatedMemory.model_validate(each) for each in row["related"])
    return SessionContents(
        session=row["session"],
        turn=row["turn"],
        memories=held,
        related=related,
        redacted=frozenset(row["redacted"]),
    )


async def join_turn(tx: Tx, caller: Caller, session: str, turn_uid: str, now: datetime) -> None:
    """Put a turn into a session of the caller, unless it is in one; the session was used now."""
    await tx.one(
        "sessions/join_turn",
        session=session,
        **owner_params(caller),
        writable=list(caller.writable),
        turn_uid=turn_uid,
        now=now,
    )


async def find_of_turns(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Session]:
    """Return the caller's sessions that some turns are in, by the id of the turn."""
    row = await tx.one("sessions/find_sessions_of_turns", uids=list(uids), **owner_params(caller))
    return {item["of"]: _sessions.record(item["session"]) for item in row["items"]}


async def count_accesses(tx: Tx, sessions: Mapping[str, Sequence[Accesses]], now: datetime) -> int:
    """Add accesses to what sessions hold, by their ids; return how many items still were as delivered."""
    row = await tx.one(
        "sessions/count_accesses",
        sessions=[
            {"uid": uid, "items": [each.model_dump() for each in sessions[uid]]} for uid in sorted(sessions)
        ],
        now=now,
    )
    return int(row["items"])


async def forget_in_sessions(
    tx: Tx, caller: Caller, uids: Iterable[str], texts: Iterable[tuple[str, str]], now: datetime
) -> int:
    """Destroy what running sessions keep of forgotten memories, and the same texts in their spaces.

    The next operation of a session lets the items go. Returns the number of items.

    Args:
        tx: The transaction that forgets them and has locked their texts.
        caller: Who forgets.
        uids: The ids of the memories.
        texts: Each text that is forgotten, with the space.
        now: The time of the change.
    """
    rows = [
        {"scope_id": scope, "text_key": key} for scope, key in sorted({(s, text_key(s, t)) for s, t in texts})
    ]
    row = await tx.one(
        "sessions/forget_in_sessions", uids=sorted(uids), texts=rows, writable=list(caller.writable), now=now
    )
    return int(row["slots"])


async def list_idle(tx: Tx, before: datetime, now: datetime, limit: int) -> list[Row]:
    """Return active sessions of all organisations that are idle for too long, as whose they are.

    None of them was used since `before`, nor since as long ago as its own limit says.
    """
    row = await tx.one("sessions/list_idle_sessions", before=before, now=now, limit=limit)
    return list(row["items"])


async def read_active(
    tx: Tx, caller: Caller, session: str, now: datetime
) -> tuple[Session, list[Item]] | None:
    """Return a session of the caller, by its id or its key, with what it holds that the caller may be shown.

    Its number of items has what was redacted too.
    """
    row = await tx.optional(
        "sessions/read_active",
        session=session,
        **owner_params(caller),
        now=now,
    )
    if row is None:
        return None
    # What was forgotten meanwhile is not counted, before the next operation lets it go.
    session_now = _sessions.record(row["session"]).model_copy(update={"items": row["number"]})
    return session_now, [_items.record(each) for each in row["held"]]


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Session]:
    """Return the caller's sessions among some ids, by id."""
    known = [uid for uid in uids if kind_of(uid) is Kind.SESSION]
    row = await tx.one("sessions/find_sessions", uids=known, **owner_params(caller))
    return {item["uid"]: _sessions.record(item) for item in row["items"]}


async def list_page(
    tx: Tx, caller: Caller, wanted: SessionFilter, *, before: str, limit: int
) -> list[Session]:
    """Return up to `limit` of the caller's sessions with ids before one, newest first."""
    row = await tx.one(
        "sessions/list_sessions", **owner_params(caller), **_filter(wanted), before=before, limit=limit
    )
    return [_sessions.record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: SessionFilter) -> int:
    """Return the number of the caller's sessions that match a filter."""
    row = await tx.one("sessions/count_sessions", **owner_params(caller), **_filter(wanted))
    return int(row["total"])


async def list_slots(
    tx: Tx, caller: Caller, session: str, *, before: tuple[datetime, str], limit: int
) -> list[PastItem] | None:
    """Return up to `limit` of what a session of the caller holds and held, the last admitted first.

    None if the session is unknown or not the caller's.
    `before` is the time of admission and the memory of the last one of the page before.
    """
    row = await tx.optional(
        "sessions/list_slots",
        session=session,
        **owner_params(caller),
        before_at=before[0],
        before_uid=before[1],
        limit=limit,
    )
    return None if row is None else [_past.record(item) for item in row["items"]]


async def list_events(
    tx: Tx, caller: Caller, session: str, *, after: str, limit: int
) -> list[CognitiveEvent] | None:
    """Return up to `limit` events of a session of the caller with ids after one, oldest first.

    None if the session is unknown or not the caller's.
    """
    row = await tx.optional(
        "sessions/list_events", session=session, **owner_params(caller), after=after, limit=limit
    )
    return None if row is None else [CognitiveEvent.model_validate(each) for each in row["items"]]


async def count_slots(tx: Tx, caller: Caller, session: str) -> int:
    """Return how many items a session of the caller holds and held."""
    return int((await tx.one("sessions/count_slots", session=session, **owner_params(caller)))["total"])


def _filter(wanted: SessionFilter) -> dict[str, Any]:
    statuses = list(SessionStatus) if wanted.status is None else [wanted.status]
    return {
        "statuses": [status.value for status in statuses],
        "key": wanted.key,
        "entity": None if wanted.entity is None else name_key(wanted.entity),
    }


def _slot(item: Item, session: Session, caller: Caller) -> dict[str, Any]:
    """Return the properties of the link to an item."""
    values = _items.properties(item)
    return {_AS_COLUMNS.get(name, name): value for name, value in values.items()} | {
        "by": caller.actor_id,
        "scope_id": session.scope_id,
        "memory_uid": item.memory_uid,
        "from_uid": session.uid,
    }


def _digest(session: Session, text: str | None) -> str | None:
    """Return the digest of a text, to find it when it is forgotten; None for a redacted one: it is empty."""
    return text_key(session.scope_id, text) if text else None


def _fragment(caller: Caller, item: Item, session: Session, now: datetime) -> dict[str, Any]:
    return {
        "uid": item.memory_uid,
        "org_id": caller.org_id,
        "scope_id": session.scope_id,
        "name": FRAGMENT_NAME,
        "kind": "fragment",
        "content": item.content,
        "text_key": _digest(session, item.content),
        "live": True,
        "expires_at": NEVER,
        "created_at": now,
        "updated_at": now,
        "by_uid": caller.actor_id,
        "version": 1,
    }
