"""Queries for durable memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.clock import NEVER
from prefrontal.graph.embedding.embeddings import Vectors
from prefrontal.graph.embedding.rules import kind_of_passages, memory_terms, passage_of, passage_terms
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rows import entity_rows, mention_rows, name_rows
from prefrontal.graph.history.rows import record_version_row
from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.memory.record import (
    Mandate,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
)
from prefrontal.graph.memory.rows import tombstone_rows
from prefrontal.graph.memory.rules import passage, passages
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.text.folding import fold, text_key
from prefrontal.graph.topics.rows import topic_rows
from prefrontal.graph.topics.rules import kept_topics
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import MemoryTable, TopicsTable
    from prefrontal.graph.storage.unit_of_work import Tx

_memories, _mandates = RecordMapper(Memory), RecordMapper(Mandate)
MOST_WITH_ONE = 1000
"""How many memories, and how many observations, are forgotten together with one."""


class DraftLookup(NamedTuple):
    """What is known of drafts.

    The memories of their space by client key, as id and digest, the forgotten text keys of the space, and the
    readable ones of their sources.
    """

    memories: Mapping[str, tuple[str, str]]
    forgotten: frozenset[str]
    sources: frozenset[str]


class New(NamedTuple):
    """A memory to store, what it mentions, and the digest of its draft if it has a client key."""

    memory: Memory
    mentions: tuple[EntityName, ...]
    digest: str | None


async def find_known(tx: Tx, caller: Caller, scope_id: str, drafts: Sequence[MemoryDraft]) -> DraftLookup:
    """Lock the texts of drafts for a space until the commit; return what is known of the drafts."""
    row = await tx.one(
        "memory/find_known",
        scope_id=scope_id,
        client_keys=sorted({draft.client_key for draft in drafts if draft.client_key is not None}),
        text_keys=sorted({text_key(scope_id, draft.content) for draft in drafts}),
        sources=sorted({uid for draft in drafts for uid in draft.derived_from}),
        readable=list(caller.readable),
        writable=list(caller.writable),
    )
    return DraftLookup(
        {item["client_key"]: (item["uid"], item["client_hash"]) for item in row["known"]},
        frozenset(row["forgotten"]),
        frozenset(row["sources"]),
    )


async def find_known_keys(
    tx: Tx, caller: Caller, scope_id: str, drafts: Sequence[MemoryDraft]
) -> frozenset[str]:
    """Return the client keys of drafts that memories of a space have."""
    keys = sorted({draft.client_key for draft in drafts if draft.client_key is not None})
    row = await tx.one(
        "memory/find_known_keys", scope_id=scope_id, client_keys=keys, writable=list(caller.writable)
    )
    return frozenset(row["known"])


async def find_texts(
    tx: Tx, caller: Caller, scope_id: str, texts: Iterable[str], now: datetime
) -> frozenset[str]:
    """Return those of some texts that a space remembers, folded alike."""
    keys = {text_key(scope_id, text): text for text in texts}
    row = await tx.one(
        "memory/find_text_keys",
        scope_id=scope_id,
        text_keys=sorted(keys),
        readable=list(caller.readable),
        now=now,
    )
    return frozenset(fold(keys[key]) for key in row["known"])


async def reserve_capacity(
    tx: Tx, caller: Caller, scope_id: str, now: datetime, *, new: int, most: int, spared: str
) -> tuple[int, list[Memory]]:
    """Hold the room of a space until the commit.

    Returns:
        How many of its episodes are kept for a time, and, locked, those of them that may leave if `new` more
        are too many, the least important first. What is kept as `spared` never leaves and takes no room.
    """
    row = await tx.one(
        "memory/reserve_capacity",
        scope_id=scope_id,
        writable=list(caller.writable),
        kind=MemoryKind.EPISODE.value,
        spared=spared,
        new=new,
        most=most,
        now=now,
    )
    return int(row["total"]), [_memories.record(item) for item in row["items"]]


async def lock_text_key(tx: Tx, caller: Caller, memory: Memory) -> None:
    """Lock the text of a memory in its space until the commit, so that nobody stores it meanwhile."""
    await tx.one(
        "memory/lock_text_key",
        scope_id=memory.scope_id,
        text_key=text_key(memory.scope_id, memory.content),
        writable=list(caller.writable),
    )


async def remember(
    tx: Tx,
    caller: Caller,
    new: Sequence[New],
    vectors: Vectors,
    now: datetime,
    *,
    table: MemoryTable,
    topics: TopicsTable,
    turn_id: str | None,
) -> int:
    """Store memories, each with its first version, vector, passages and links; return the number written.

    Memories of spaces that the caller may not write to are skipped. `table` and `topics` are the registry's
    tables of memories and of topics.
    """
    row = await tx.one(
        "memory/remember",
        rows=[_row(caller, each, vectors, table, turn_id) for each in new],
        encoder=vectors.encoder,
        entities=entity_rows(caller, [(each.memory.scope_id, each.mentions) for each in new], now),
        topics=_topics(caller, [each.memory for each in new], topics, now),
        conversations=_conversations(caller, [each.memory for each in new], now),
        readable=list(caller.readable),
        writable=list(caller.writable),
    )
    return int(row["written"])


def _row(
    caller: Caller, new: New, vectors: Vectors, table: MemoryTable, turn_id: str | None
) -> dict[str, Any]:
    memory, mentions, digest = new
    return {
        "label": memory.kind.value.capitalize(),
        "properties": {
            **_memories.properties(memory),
            "org_id": caller.org_id,
            "name": short_name(memory.content),
            "searchable_in": memory.scope_id,
            "expires_at": memory.retained_until or NEVER,
            "client_hash": digest,
            "text_key": text_key(memory.scope_id, memory.content),
            "terms": memory_terms(
                memory.content,
                memory.happened_at,
                speaker=memory.speaker,
                tags=memory.tags,
                names=[entity.name for entity in memory.entities],
            ),
        },
        "vector": vectors.of(passage(memory)),
        "passages": _passage_rows(memory, caller.org_id, vectors, table),
        "version": record_version_row(caller, None, memory, caption=memory.content, turn_id=turn_id),
        "mentions": mention_rows(caller.org_id, mentions, memory.content),
        "names": name_rows(memory.content, table.extraction),
        "sources": list(memory.derived_from),
    }


def _passage_rows(memory: Memory, org_id: str, vectors: Vectors, table: MemoryTable) -> list[dict[str, Any]]:
    """Return one row per passage of a memory, with its vector; none for a short one."""
    spans = passages(memory, table)
    rows = []
    uids = new_ids(Kind.PASSAGE, memory.created_at, len(spans))
    for place, (uid, (start, end)) in enumerate(zip(uids, spans, strict=True), start=1):
        content = memory.content[start:end]
        properties = {
            "uid": uid,
            "org_id": org_id,
            "scope_id": memory.scope_id,
            "name": short_name(content),
            "kind": kind_of_passages(memory.kind.value),
            "content": content,
            "speaker": memory.speaker,
            "terms": passage_terms(content, memory.speaker),
            "place": place,
            "total": len(spans),
            "start": start,
            "end": end,
            "live": True,
            "searchable_in": memory.scope_id,
            "expires_at": memory.retained_until or NEVER,
            "created_at": memory.created_at,
            "updated_at": memory.created_at,
            "by_uid": memory.by_uid,
            "version": 1,
        }
        rows.append({"properties": properties, "vector": vectors.of(passage_of(content, memory.speaker))})
    return rows


def _topics(
    caller: Caller, memories: Sequence[Memory], table: TopicsTable, now: datetime
) -> list[dict[str, Any]]:
    """Return one row per topic, with the memories that are linked to it and their places in the list."""
    about: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for place, memory in enumerate(memories):
        for key in kept_topics(memory.tags, memory.content, table):
            about.setdefault((memory.scope_id, key), []).append({"place": place, "uid": memory.uid})
    rows = topic_rows(about, org_id=caller.org_id, by_uid=caller.actor_id, now=now)
    return [row | {"about": about[row["scope_id"], row["key"]]} for row in rows]


def _conversations(caller: Caller, memories: Iterable[Memory], now: datetime) -> list[dict[str, Any]]:
    """Return one row per conversation with its new messages in order, sorted for the order of the locks."""
    by_speaker: dict[tuple[str, str], list[str]] = {}
    for memory in memories:
        if memory.kind is MemoryKind.MESSAGE and memory.conversation is not None:
            by_speaker.setdefault((memory.scope_id, memory.conversation), []).append(memory.uid)
    return [
        {
            "scope_id": scope_id,
            "key": key,
            "uid": new_id(Kind.CONVERSATION, now),
            "org_id": caller.org_id,
            "name": short_name(key),
            "created_at": now,
            "by_uid": caller.actor_id,
            "uids": uids,
            "last_uid": uids[-1],
        }
        for (scope_id, key), uids in sorted(by_speaker.items())
    ]


async def end(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[Memory, Memory]],
    *,
    tombstones: bool,
    now: datetime,
    turn_id: str | None,
) -> int:
    """Take memories out of recall, as pairs of before and after; return how many were changed.

    The nodes stay, so that their history and what refers to them stay readable; no search finds them. With
    `tombstones` their texts are not remembered in their spaces again.
    """
    keys = ((memory.scope_id, text_key(memory.scope_id, memory.content)) for _, memory in changes)
    row = await tx.one(
        "memory/end_memories",
        rows=[
            {
                "properties": _memories.properties(after),
                "version": record_version_row(caller, before, after, caption=after.content, turn_id=turn_id),
            }
            for before, after in changes
        ],
        tombstones=tombstone_rows(caller, keys, now) if tombstones else [],
        writable=list(caller.writable),
    )
    return int(row["written"])


async def find_derived(tx: Tx, caller: Caller, memory: Memory) -> tuple[list[str], list[str]]:
    """Return the ids of the live memories and of the observations that go with one that is forgotten.

    Of both at most `MOST_WITH_ONE`.
    """
    row = await tx.one(
        "memory/find_derived",
        uid=memory.uid,
        text_key=text_key(memory.scope_id, memory.content),
        most=MOST_WITH_ONE,
        writable=list(caller.writable),
    )
    return list(row["uids"]), list(row["observation_uids"])


async def find(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> dict[str, Memory]:
    """Return the durable memories among `uids` that the caller may read and that are still kept, by id."""
    row = await tx.one("memory/find_memories", uids=list(uids), readable=list(caller.readable), now=now)
    return {item["uid"]: _memories.record(item) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, uids: Iterable[str], now: datetime) -> dict[str, Memory]:
    """Lock the readable durable memories among `uids`, in the order of the ids; return them by id."""
    row = await tx.one(
        "memory/lock_memories", uids=sorted(set(uids)), readable=list(caller.readable), now=now
    )
    return {item["uid"]: _memories.record(item) for item in row["items"]}


async def list_mandates(tx: Tx, caller: Caller, spaces: Sequence[str]) -> list[Mandate]:
    """Return the active mandates of some readable spaces, oldest first."""
    row = await tx.one(
        "memory/list_mandates",
        readable=list(spaces),
        org_id=caller.org_id,
        mandate_kind=MemoryKind.MANDATE.value,
    )
    return [_mandates.record(item) for item in row["items"]]


async def find_live(tx: Tx, caller: Caller, uids: Sequence[str]) -> list[str]:
    """Return those ids that are of active memories of the organisation, readable or not."""
    return list((await tx.one("memory/find_live", uids=list(uids), org_id=caller.org_id))["uids"])


async def list_page(
    tx: Tx, caller: Caller, wanted: MemoryFilter, *, before: str, limit: int, now: datetime
) -> list[Memory]:
    """Return up to `limit` matching memories before a place in time, newest first."""
    kinds = [{"name": kind.value, "before": f"{ID_KIND[kind].value}_{before}"} for kind in _kinds(wanted)]
    row = await tx.one("memory/list_memories", kinds=kinds, limit=limit, **_filter(caller, wanted, now))
    return [_memories.record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: MemoryFilter, now: datetime) -> int:
    """Return the number of matching memories."""
    kinds = [{"name": kind.value} for kind in _kinds(wanted)]
    row = await tx.one("memory/count_memories", kinds=kinds, **_filter(caller, wanted, now))
    return int(row["total"])


of_entities = RelatedList(
    "memory/list_memories_of_entities",
    "memory/count_memories_of_entities",
    lambda item, _: _memories.record(item["node"]),
    str,
    shared=False,
)


ID_KIND = {kind: Kind[kind.name] for kind in MemoryKind}
"""The kind of the ids of each kind of memory."""


def _kinds(wanted: MemoryFilter) -> list[MemoryKind]:
    if wanted.kinds is not None:
        return sorted(set(wanted.kinds))
    return list(MemoryKind) if wanted.conversation is None else [MemoryKind.MESSAGE]


def _filter(caller: Caller, wanted: MemoryFilter, now: datetime) -> dict[str, Any]:
    statuses = sorted(set(wanted.statuses))
    return {
        "readable": [uid for uid in caller.readable if wanted.space in (None, uid)],
        "live": sorted({status is MemoryStatus.ACTIVE for status in statuses}),
        "statuses": [status.value for status in statuses],
        "client_key": wanted.client_key,
        "conversation": wanted.conversation,
        "tags": sorted({fold(tag) for tag in wanted.tags}),
        "since": wanted.since,
        "until": wanted.until,
        "min_importance": wanted.min_importance,
        "now": now,
    }
