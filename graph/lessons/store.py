"""Reads and writes lessons: named queries in, records out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.clock import NEVER
from prefrontal.graph.embedding.rules import memory_terms, passage_of
from prefrontal.graph.entities.rows import name_rows
from prefrontal.graph.history.rows import version_row
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.lessons.extraction import TAG
from prefrontal.graph.lessons.merging import ExistingLesson
from prefrontal.graph.lessons.record import Lesson, LessonFilter, LessonKind, LessonSource
from prefrontal.graph.lessons.rules import key_of
from prefrontal.graph.memory.record import MemoryStatus
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.topics.rows import topic_rows
from prefrontal.graph.topics.rules import kept_topics
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Vectors
    from prefrontal.graph.lessons.record import LessonDraft
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_lessons = RecordMapper(Lesson, unstored=["contradicts"])
_UNVERSIONED = frozenset({"contradicts", "lesson_key", "subject", "aspect", "holds"})
"""What is no content: links, and what the service finds lessons by."""


def _record(row: Row, _: datetime) -> Lesson:
    return _lessons.record(row)


of_outcomes = RelatedList(
    "lessons/list_lessons_of_outcomes", "lessons/count_lessons_of_outcomes", _record, str, shared=False
)


class Near(NamedTuple):
    """A lesson that is near a draft by meaning."""

    draft_index: int
    cosine: float
    lesson: ExistingLesson


class LockedLessons(NamedTuple):
    """The lessons that an outcome may change, locked, and what is known of them."""

    lessons: tuple[Lesson, ...]
    link_types: Mapping[str, frozenset[str]]
    """By the id of a lesson the types of the links that it has with the outcome."""
    forgotten: frozenset[str]
    """Keys of texts that were forgotten in the space."""


class Taught(NamedTuple):
    """A lesson that an outcome speaks for."""

    uid: str
    first: bool
    """Whether the outcome is the one that taught it."""
    evidence: tuple[str, ...]


async def find_near(
    tx: Tx,
    caller: Caller,
    scope_id: str,
    vectors: Mapping[int, Sequence[float]],
    *,
    encoder: str,
    least: float,
    compared: int,
) -> list[Near]:
    """Return the lessons of a space that are near some drafts; for each the nearest first."""
    row = await tx.one(
        "lessons/find_near",
        scope_id=scope_id,
        drafts=[{"place": place, "vector": list(vector)} for place, vector in vectors.items()],
        encoder=encoder,
        least=least,
        compared=compared,
        readable=list(caller.readable),
    )
    return [
        Near(
            item["place"],
            item["cosine"],
            ExistingLesson(
                uid=item["uid"],
                key=item["key"],
                statement=item["statement"],
                says=LessonKind(item["says"]),
                source=LessonSource(item["source"]),
                subject=item["subject"],
                holds=item["holds"],
                tools=tuple(item["tools"]),
                forgotten=item["status"] == MemoryStatus.FORGOTTEN.value,
            ),
        )
        for item in row["items"]
    ]


async def lock_for_outcome(
    tx: Tx,
    caller: Caller,
    scope_id: str,
    drafts: Sequence[LessonDraft],
    *,
    near: Iterable[str],
    outcome_uid: str,
    now: datetime,
) -> LockedLessons:
    """Lock what lessons of a space are decided by until the commit; return the lessons that may change."""
    subjects = sorted({claim.subject for draft in drafts for claim in draft.claims})
    texts = sorted({text_key(scope_id, draft.statement) for draft in drafts})
    row = await tx.one(
        "lessons/lock_lessons_for_outcome",
        scope_id=scope_id,
        locks=sorted({*texts, *(f"lesson:{subject}" for subject in subjects)}),
        lesson_keys=sorted({key_of(draft) for draft in drafts}),
        subjects=subjects,
        text_keys=texts,
        uids=sorted(set(near)),
        outcome_uid=outcome_uid,
        now=now,
        writable=list(caller.writable),
    )
    return LockedLessons(
        tuple(_lessons.record(item) for item in row["items"]),
        {item["uid"]: frozenset(item["said"]) for item in row["items"]},
        frozenset(row["forgotten"]),
    )


async def learn(
    tx: Tx,
    caller: Caller,
    outcome_uid: str,
    *,
    new: Sequence[Lesson],
    changed: Sequence[tuple[Lesson, Lesson]],
    taught: Sequence[Taught],
    against: Iterable[str],
    conflicts: Iterable[tuple[str, str]],
    vectors: Vectors,
    catalog: Catalog,
    now: datetime,
    turn_id: str | None,
) -> bool:
    """Store what an outcome teaches; return whether all was stored and the outcome is there.

    Lessons of spaces that the caller may not write to are skipped.
    """
    row = await tx.one(
        "lessons/learn",
        outcome_uid=outcome_uid,
        new=[
            {
                "properties": _new_properties(caller, lesson),
                "vector": vectors.of(passage_of(lesson.content)),
                "version": _version(caller, None, lesson, turn_id),
                "mentions": [],
                "names": name_rows(lesson.content, catalog.memory.extraction),
            }
            for lesson in new
        ],
        changed=[
            {
                "properties": _lessons.properties(after) | {"terms": _terms(after)},
                "version": _version(caller, before, after, turn_id),
            }
            for before, after in changed
        ],
        taught=[{"uid": each.uid, "first": each.first, "evidence": list(each.evidence)} for each in taught],
        against=sorted(set(against)),
        conflicts=[{"uid": one, "other": other} for one, other in sorted(set(conflicts))],
        topics=_topics(caller, new, catalog, now),
        encoder=vectors.encoder,
        actor_id=caller.actor_id,
        now=now,
        writable=list(caller.writable),
    )
    return row["linked"] is True and (row["stored"], row["changed"]) == (len(new), len(changed))


async def update(
    tx: Tx, caller: Caller, changes: Sequence[tuple[Lesson, Lesson]], turn_id: str | None
) -> bool:
    """Store lessons that were retired or restored, as pairs of before and after; return whether all were."""
    row = await tx.one(
        "lessons/update_lessons",
        rows=[
            {
                "properties": _lessons.properties(after)
                | {"searchable_in": after.scope_id if after.live else None},
                "version": _version(caller, before, after, turn_id),
            }
            for before, after in changes
        ],
        writable=list(caller.writable),
    )
    return bool(row["written"] == len(changes))


async def find(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Lesson]:
    """Return the readable lessons among some ids, by id."""
    row = await tx.one("lessons/find_lessons", uids=list(uids), readable=list(caller.readable))
    return {item["uid"]: _lessons.record(item) for item in row["items"]}


async def lock(tx: Tx, caller: Caller, uids: Iterable[str], now: datetime) -> dict[str, Lesson]:
    """Lock the readable lessons among some ids, in the order of the ids; return them by id."""
    row = await tx.one(
        "lessons/lock_lessons", uids=sorted(set(uids)), readable=list(caller.readable), now=now
    )
    return {item["uid"]: _lessons.record(item) for item in row["items"]}


async def list_page(tx: Tx, caller: Caller, wanted: LessonFilter, *, before: str, limit: int) -> list[Lesson]:
    """Return up to `limit` matching lessons with ids below `before`, newest first."""
    row = await tx.one("lessons/list_lessons", before=before, limit=limit, **_filter(caller, wanted))
    return [_lessons.record(item) for item in row["items"]]


async def count(tx: Tx, caller: Caller, wanted: LessonFilter) -> int:
    """Return the number of matching lessons."""
    row = await tx.one("lessons/count_lessons", **_filter(caller, wanted))
    return int(row["total"])


def _filter(caller: Caller, wanted: LessonFilter) -> dict[str, Any]:
    statuses = [MemoryStatus.ACTIVE, *([MemoryStatus.RETIRED] if wanted.include_retired else [])]
    return {
        "readable": [uid for uid in caller.readable if wanted.space in (None, uid)],
        "live": sorted({status is MemoryStatus.ACTIVE for status in statuses}),
        "statuses": [status.value for status in statuses],
        "tags": [unicodedata.normalize("NFKC", tag).lower() for tag in wanted.tags],
        "tool": wanted.tool,
        "min_support": wanted.min_support,
        "min_confidence": wanted.min_confidence,
    }


def _new_properties(caller: Caller, lesson: Lesson) -> dict[str, Any]:
    return {
        **_lessons.properties(lesson),
        "org_id": caller.org_id,
        "name": short_name(lesson.content),
        "searchable_in": lesson.scope_id,
        "expires_at": NEVER,
        "text_key": text_key(lesson.scope_id, lesson.content),
        "terms": _terms(lesson),
    }


def _terms(lesson: Lesson) -> str:
    return memory_terms(lesson.content, lesson.happened_at, tags=lesson.tags)


def _version(caller: Caller, before: Lesson | None, after: Lesson, turn_id: str | None) -> dict[str, Any]:
    changes = {
        name: value for name, value in changed_fields(before, after).items() if name not in _UNVERSIONED
    }
    return version_row(
        caller,
        of_uid=after.uid,
        number=after.version,
        scope_id=after.scope_id,
        caption=after.content,
        changes=json.dumps(changes, ensure_ascii=False, sort_keys=True),
        at=after.updated_at,
        turn_id=turn_id,
    )


def _topics(
    caller: Caller, lessons: Sequence[Lesson], catalog: Catalog, now: datetime
) -> list[dict[str, Any]]:
    """Return one row per topic, with the new lessons that are linked to it and their places in the list."""
    about: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for place, lesson in enumerate(lessons):
        # Every lesson has this tag, so it says nothing about the subject.
        tags = [tag for tag in lesson.tags if tag != TAG]
        for key in kept_topics(tags, lesson.content, catalog.goals.topics):
            about.setdefault((lesson.scope_id, key), []).append({"place": place, "uid": lesson.uid})
    rows = topic_rows(about, org_id=caller.org_id, by_uid=caller.actor_id, now=now)
    return [row | {"about": about[row["scope_id"], row["key"]]} for row in rows]
