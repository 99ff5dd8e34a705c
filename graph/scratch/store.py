"""Queries for observations, their tags, mentions and topics, and their contradictions."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.clock import iso
from prefrontal.graph.embedding.embeddings import Vectors
from prefrontal.graph.embedding.rules import memory_terms, passage_of
from prefrontal.graph.entities.rows import entity_rows, mention_rows, name_rows
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.history.rows import version_row
from prefrontal.graph.history.versions import changes_json
from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.journal.record import turn_mark
from prefrontal.graph.scratch.contradiction import Candidate
from prefrontal.graph.scratch.record import (
    Conflict,
    Contradiction,
    Observation,
    ObservationStatus,
    Reviewable,
)
from prefrontal.graph.scratch.rows import observation, observations
from prefrontal.graph.scratch.validation import fold_tag
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.topics.rows import topic_rows
from prefrontal.graph.topics.rules import kept_topics
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import ExtractionTable, TopicsTable
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class TextTables(NamedTuple):
    """The tables of the registry for what is derived from the text of an observation."""

    topics: TopicsTable
    names: ExtractionTable


class CreateResult(NamedTuple):
    """What became of new observations."""

    written: int
    """How many were stored."""
    known: dict[str, list[Candidate]]
    """By key, the active earlier observations, newest first."""
    near: dict[str, list[Candidate]]
    """By id of a new observation, the earlier ones that are nearest in meaning."""
    forgotten: frozenset[str]
    """The keys of texts that were forgotten in their space. If there is one, nothing was stored."""


async def create(
    tx: Tx,
    caller: Caller,
    observations: Sequence[Observation],
    hashes: Sequence[str | None],
    frame_keys: Sequence[str],
    vectors: Vectors,
    *,
    tables: TextTables,
    stating: Collection[str],
    bounds: Mapping[str, int],
) -> CreateResult:
    """Store observations, unless a text was forgotten; return earlier ones of the same frames or nearby.

    Observations in spaces that the caller may not write to are skipped. Until the commit no text of their
    spaces is forgotten.

    Args:
        tx: The transaction.
        caller: The caller that adds the observations.
        observations: The observations.
        hashes: For each observation, the digest of its draft, or None without a client key.
        frame_keys: For each observation, its frame key.
        vectors: The vectors of their texts.
        tables: The tables for what is derived from texts.
        stating: The ids of those that are compared with others that are near in meaning.
        bounds: How many earlier observations to return per frame key (`most`) and for each of `stating`
            (`nearest`), and the maximum length of their texts in characters (`longest`).
    """
    rows = [
        {
            "properties": _properties(o, caller.org_id, digest) | {"frame_key": frame_key},
            "vector": vectors.of(passage_of(o.content)),
            "mentions": mention_rows(caller.org_id, o.entities, o.content),
            "names": name_rows(o.content, tables.names),
        }
        for o, digest, frame_key in zip(observations, hashes, frame_keys, strict=True)
    ]
    now = observations[0].created_at
    frames = {(o.scope_id, frame_key) for o, frame_key in zip(observations, frame_keys, strict=True)}
    row = await tx.one(
        "scratch/create_observations",
        rows=rows,
        texts=_texts(observations),
        tags=_tags(caller, observations, now),
        entities=entity_rows(caller, [(o.scope_id, o.entities) for o in observations], now),
        topics=_topics(caller, observations, tables.topics, now),
        encoder=vectors.encoder,
        writable=list(caller.writable),
        frames=[{"scope_id": scope_id, "key": key} for scope_id, key in sorted(frames)],
        near=_near([o for o in observations if o.uid in stating], vectors),
        **bounds,
        now=now,
    )
    return CreateResult(
        int(row["written"]),
        {item["key"]: candidates(item["found"]) for item in row["known"]},
        {item["uid"]: candidates(item["found"]) for item in row["near"]},
        frozenset(row["forgotten"]),
    )


async def find_named_goals(tx: Tx, caller: Caller, uids: Sequence[str]) -> frozenset[str]:
    """Return the ids of the goals among `uids` that the caller may read."""
    row = await tx.one(
        "scratch/find_named_goals", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return frozenset(row["uids"])


async def end_conflicts(
    tx: Tx,
    caller: Caller,
    reworded: Sequence[tuple[str, Observation]],
    vectors: Vectors,
    now: datetime,
    *,
    stating: Collection[str],
    bounds: Mapping[str, int],
) -> tuple[dict[str, list[Candidate]], dict[str, list[Candidate]]]:
    """End the contradictions that were detected for the old texts of observations.

    Each observation comes with the frame key of its new text.

    Returns:
        By observation id, the other active observations of its space with that frame key, newest first,
        without those whose text changes as well; and of those in `stating` the nearest in meaning.
    """
    changed = {o.uid for _, o in reworded}
    row = await tx.one(
        "scratch/end_conflicts",
        rows=[{"uid": o.uid, "frame_key": key} for key, o in reworded],
        uids=[o.uid for _, o in reworded],
        writable=list(caller.writable),
        near=_near([o for _, o in reworded if o.uid in stating], vectors),
        encoder=vectors.encoder,
        **bounds,
        now=now,
    )
    near = {
        item["uid"]: [other for other in candidates(item["found"]) if other.uid not in changed]
        for item in row["near"]
    }
    return {item["uid"]: candidates(item["found"]) for item in row["items"]}, near


async def link_conflicts(
    tx: Tx, caller: Caller, found: Sequence[Contradiction], now: datetime
) -> set[tuple[str, str]]:
    """Store contradictions between observations that the caller may read; return the pairs of ids stored."""
    row = await tx.one(
        "scratch/link_conflicts",
        # Sorted, so that concurrent transactions lock the same observations in the same order.
        rows=[
            item.model_dump(mode="json")
            for item in sorted(found, key=lambda item: (item.target_id, item.source_id))
        ],
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
    )
    return {(item["source_id"], item["target_id"]) for item in row["items"]}


def _conflict(item: Row, _: datetime) -> Conflict:
    return Conflict.model_validate({name: item[name] for name in Conflict.model_fields})


conflicts = RelatedList(
    "scratch/list_conflicts", "scratch/count_conflicts", _conflict, int, str, shared=False, timed=True
)
of_entities = RelatedList(
    "scratch/list_observations_of_entities",
    "scratch/count_observations_of_entities",
    lambda item, now: observation(item["node"], now),
    str,
    shared=False,
)


def candidates(rows: Sequence[Row]) -> list[Candidate]:
    """Return the candidates of a query's rows."""
    return [
        Candidate(row["uid"], row["content"], row.get("user_id"), frozenset(row.get("entity_uids") or ()))
        for row in rows
    ]


async def find_by_client_keys(
    tx: Tx, caller: Caller, keys: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Return, by client key, the id and the draft's digest of stored observations with these client keys.

    `keys` are pairs of a space's id and a client key.
    """
    row = await tx.one(
        "scratch/find_observations_by_client_keys",
        keys=[{"scope_id": scope, "key": key} for scope, key in keys],
        writable=list(caller.writable),
    )
    return {item["client_key"]: (item["uid"], item["client_hash"]) for item in row["items"]}


async def find(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> dict[str, Observation]:
    """Return the observations among `uids` that the caller may read, by id."""
    row = await tx.one("scratch/find_observations", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: observation(item, now) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> dict[str, Observation]:
    """Lock the readable observations among `uids`; return them by id, as they are at `now`."""
    row = await tx.one("scratch/lock_observations", uids=list(uids), readable=list(caller.readable), now=now)
    return {item["uid"]: observation(item, now) for item in row["items"]}


async def await_evaluation(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> list[str]:
    """Mark observations whose evaluation failed; return the ids of the marked ones."""
    row = await tx.one("scratch/await_evaluation", uids=sorted(uids), writable=list(caller.writable), now=now)
    return list(row["uids"])


async def lock_awaiting(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> list[str]:
    """Lock observations until the commit; return the ids of those that wait for an evaluation still."""
    row = await tx.one("scratch/lock_awaiting", uids=sorted(uids), writable=list(caller.writable), now=now)
    return list(row["uids"])


async def lock_candidates(
    tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, *, encoder: str | None
) -> list[Reviewable]:
    """Lock the observations among `uids` that the caller may write to; return them for evaluation.

    They have the vectors that `encoder` made. Repeated texts are not known yet: see `lock_statement_keys`.
    """
    row = await tx.one(
        "scratch/lock_candidates",
        uids=sorted(uids),
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
        encoder=encoder,
    )
    return [
        Reviewable(
            observation=observation(item, now),
            goal_ids=tuple(item["goal_ids"]),
            linked=item["linked"],
            text_key=item["text_key"],
            vector=item["vector"],
        )
        for item in row["items"]
    ]


async def lock_statement_keys(
    tx: Tx, caller: Caller, candidates: Sequence[Reviewable], keys: Iterable[tuple[str, str]]
) -> list[Reviewable]:
    """Lock keys until the commit; return the candidates with what is known of equal texts.

    `keys` are pairs of a space's id and the key of a lock in the space.
    """
    row = await tx.one(
        "scratch/lock_statement_keys",
        keys=[{"scope_id": scope_id, "key": key} for scope_id, key in sorted(keys)],
        uids=[c.observation.uid for c in candidates],
        writable=list(caller.writable),
    )
    twins = {item["uid"]: (item["repeated"], item["twin_linked"]) for item in row["items"]}
    return [
        c.model_copy(update=dict(zip(("repeated", "twin_linked"), twins[c.observation.uid], strict=True)))
        for c in candidates
    ]


async def list_reviewable(
    tx: Tx, caller: Caller, scope_ids: Sequence[str], *, after: str, limit: int
) -> list[str]:
    """Return up to `limit` ids above `after` of active and resolved observations, oldest first."""
    row = await tx.one(
        "scratch/list_reviewable",
        writable=[uid for uid in scope_ids if uid in caller.writable],
        statuses=[ObservationStatus.ACTIVE.value, ObservationStatus.RESOLVED.value],
        after=after,
        limit=limit,
    )
    uids: list[str] = row["uids"]
    return uids


async def find_settled(tx: Tx, caller: Caller, scope_id: str, now: datetime, *, most: int) -> list[str]:
    """Return the ids of resolved observations of a space and of faded ones, `most` of each."""
    row = await tx.one(
        "scratch/find_settled",
        scope_id=scope_id,
        writable=list(caller.writable),
        resolved=ObservationStatus.RESOLVED.value,
        active=ObservationStatus.ACTIVE.value,
        now=now,
        most=most,
    )
    uids: list[str] = row["uids"]
    return uids


async def update(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[Observation, Observation, str]],
    vectors: Vectors,
    now: datetime,
    *,
    tables: TextTables,
    turn_id: str | None,
    forget: bool = False,
) -> frozenset[str]:
    """Store changed observations, each with its next version; return the forgotten ones of the new texts.

    If a new text was forgotten in its space, the caller has to roll the transaction back. Until the commit no
    text of the spaces of new texts is forgotten.

    Each change is the observation before and after the change, and the frame key of the text after the
    change. `vectors` has those of the new texts. With `forget` the observations lose
    their vectors, terms and topics.

    Raises:
        Forbidden: If the caller may no longer change one of the observations.
    """
    rows = []
    for before, after, frame_key in changes:
        properties = _properties(after, caller.org_id, None) | {"frame_key": frame_key}
        del properties["client_hash"]
        if forget:
            properties["terms"] = None
        version = version_row(
            caller,
            of_uid=after.uid,
            number=after.version,
            scope_id=after.scope_id,
            caption=after.status.value,
            changes=changes_json(before, after),
            # Observations are numerous, so their first versions are not stored. Each version has the old
            # values instead.
            before=changes_json(after, before),
            at=now,
            turn_id=turn_id,
        )
        reworded = before.content != after.content
        retopic = before.tags != after.tags or reworded
        remention = reworded or before.entities != after.entities
        rows.append(
            {
                "properties": properties,
                "version": version,
                "revector": reworded or forget,
                "vector": vectors.of(passage_of(after.content)) if reworded else None,
                "retag": before.tags != after.tags,
                "remention": remention,
                "mentions": mention_rows(caller.org_id, after.entities, after.content) if remention else [],
                "names": name_rows(after.content, tables.names) if remention else [],
                "retopic": retopic or forget,
                "topics": _topics(caller, [after], tables.topics, now) if retopic and not forget else [],
            }
        )
    row = await tx.one(
        "scratch/update_observations",
        rows=rows,
        texts=_texts([after for before, after, _ in changes if before.content != after.content]),
        tags=_tags(caller, [after for before, after, _ in changes if before.tags != after.tags], now),
        entities=entity_rows(
            caller,
            [
                (after.scope_id, after.entities)
                for before, after, _ in changes
                if before.entities != after.entities
            ],
            now,
        ),
        encoder=vectors.encoder,
        writable=list(caller.writable),
    )
    if row["written"] != len(rows):
        # The exception rolls back the whole transaction.
        raise Forbidden("you may not change this observation any more", field="id")
    return frozenset(row["forgotten"])


async def linked_goals(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return, by observation id, the readable goals that it is evidence of, oldest link first."""
    row = await tx.one(
        "scratch/list_linked_goals", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {item["uid"]: tuple(item["goals"]) for item in row["items"]}


async def find_faded(
    tx: Tx, now: datetime, batch: int, writable: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Return the ids of up to `batch` expired observations that still have the stored status active.

    `writable` limits the search to some spaces; None searches all spaces.
    """
    if writable is None:
        row = await tx.one("scratch/find_faded_observations", now=now, batch=batch)
    else:
        row = await tx.one(
            "scratch/find_faded_observations_by_space", now=now, batch=batch, writable=list(writable)
        )
    return tuple(row["uids"])


async def expire(
    tx: Tx,
    now: datetime,
    uids: Sequence[str],
    *,
    delete: bool,
    writable: Sequence[str] | None = None,
    by_uid: str | None = None,
    turn_id: str | None = None,
) -> list[Row]:
    """Move expired observations out of the active set.

    Expired observations are archived. With `delete`, those that are evidence of nothing are deleted instead.
    Without `writable` all spaces are allowed. Without `by_uid` the actor of each change is the organisation.

    Returns:
        A row per moved observation with its `uid`, `org_id`, `scope_id` and `version`, and `gone`, which is
        true if it was deleted.
    """
    row = await tx.one(
        "scratch/expire_observations",
        now=now,
        uids=sorted(uids),
        writable=list(writable) if writable is not None else None,
        delete=delete,
        versions=new_ids(Kind.VERSION, now, len(uids)),
        by_uid=by_uid,
        turn_uid=turn_mark(turn_id),
        changes=json.dumps({"archived_at": iso(now), "status": ObservationStatus.EXPIRED.value}),
        before=json.dumps({"archived_at": None, "status": ObservationStatus.ACTIVE.value}),
    )
    items: list[Row] = row["items"]
    return items


def _near(observations: Iterable[Observation], vectors: Vectors) -> list[dict[str, Any]]:
    """Return one row per observation whose vector is known: what others are near it is asked for."""
    rows = []
    for o in observations:
        vector = vectors.of(passage_of(o.content))
        if vector is not None:
            subject = o.context.user_id or ""
            rows.append({"uid": o.uid, "scope_id": o.scope_id, "vector": vector, "user_id": subject})
    return rows


def _texts(observations: Iterable[Observation]) -> list[dict[str, Any]]:
    """Return one row per space with the keys of texts, sorted for the order of the locks."""
    keys: dict[str, set[str]] = {}
    for o in observations:
        keys.setdefault(o.scope_id, set()).add(text_key(o.scope_id, o.content))
    return [{"scope_id": scope_id, "keys": sorted(found)} for scope_id, found in sorted(keys.items())]


def _tags(caller: Caller, observations: Sequence[Observation], now: datetime) -> list[dict[str, Any]]:
    """Return one row per tag, sorted, so that concurrent transactions lock tags in the same order."""
    names = {(o.scope_id, fold_tag(tag)): tag for o in observations for tag in o.tags}
    return [
        {
            "scope_id": scope_id,
            "key": key,
            "name": short_name(name),
            "uid": new_id(Kind.TAG, now),
            "org_id": caller.org_id,
            "created_at": now,
            "by_uid": caller.actor_id,
        }
        for (scope_id, key), name in sorted(names.items())
    ]


def _topics(
    caller: Caller, observations: Sequence[Observation], table: TopicsTable, now: datetime
) -> list[dict[str, Any]]:
    """Return one row per topic, with the observations that are linked to it and their places in the list."""
    about: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for place, o in enumerate(observations):
        for key in kept_topics(o.tags, o.content, table):
            about.setdefault((o.scope_id, key), []).append({"place": place, "uid": o.uid})
    rows = topic_rows(about, org_id=caller.org_id, by_uid=caller.actor_id, now=now)
    return [row | {"about": about[row["scope_id"], row["key"]]} for row in rows]


def _properties(o: Observation, org_id: str, digest: str | None) -> dict[str, Any]:
    live = o.status is ObservationStatus.ACTIVE
    return observations.properties(o) | {
        "org_id": org_id,
        "name": short_name(o.content),
        "kind": "observation",
        "tag_keys": sorted(fold_tag(tag) for tag in o.tags),
        "live": live,
        "searchable_in": o.scope_id if live else None,
        "client_hash": digest,
        "text_key": text_key(o.scope_id, o.content),
        "terms": memory_terms(
            o.content, o.created_at, tags=o.tags, names=[entity.name for entity in o.entities]
        ),
        "entity_uids": [entity_id(org_id, entity.name) for entity in o.entities],
        "entity_names": [entity.name for entity in o.entities],
        "entity_kinds": [entity.kind or "" for entity in o.entities],
    }
