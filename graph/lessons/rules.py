"""What a lesson becomes: learned, counted for and against, retired and restored.

learned    with the outcome that taught it as the first one for it, and against it too if the outcome also
           shows the opposite
counted    an outcome for it adds its tags and tools; the confidence follows (`confidence`)
retired    it is not shown any more, until it is restored; outcomes still count
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from prefrontal.graph.config.lesson_tables import PriorsTable
from prefrontal.graph.errors import IllegalTransition
from prefrontal.graph.lessons.confidence import confidence
from prefrontal.graph.lessons.merging import ExistingLesson
from prefrontal.graph.lessons.record import Lesson, LessonDraft
from prefrontal.graph.memory.record import MemoryKind, MemoryStatus
from prefrontal.graph.text.folding import unique_folded


def key_of(draft: LessonDraft) -> str:
    """Return the key of a lesson in its space: a digest of what identifies it."""
    return hashlib.sha256(draft.key.encode("utf-8", "surrogatepass")).hexdigest()


def existing_lesson(lesson: Lesson) -> ExistingLesson:
    """Return a stored lesson as merging looks at it."""
    return ExistingLesson(
        uid=lesson.uid,
        key=lesson.lesson_key,
        statement=lesson.content,
        says=lesson.says,
        source=lesson.source,
        subject=lesson.subject,
        holds=lesson.holds,
        tools=lesson.tools,
        forgotten=lesson.status is MemoryStatus.FORGOTTEN,
    )


def learned(
    draft: LessonDraft,
    *,
    uid: str,
    scope_id: str,
    by_uid: str,
    contradicted: bool,
    now: datetime,
    priors: PriorsTable,
) -> Lesson:
    """Return the lesson of a draft that an outcome teaches at `now`."""
    against = int(contradicted)
    return Lesson(
        uid=uid,
        scope_id=scope_id,
        kind=MemoryKind.LESSON,
        content=draft.statement,
        essential=False,
        confidence=confidence(1, against, draft.source, priors),
        tags=draft.tags,
        happened_at=now,
        created_at=now,
        updated_at=now,
        by_uid=by_uid,
        version=1,
        says=draft.says,
        source=draft.source,
        subject=draft.subject,
        holds=draft.holds,
        aspect=draft.aspect,
        lesson_key=key_of(draft),
        tools=draft.tools,
        support=1,
        contradiction=against,
        conflicting=draft.conflicting or contradicted,
    )


def counted(
    lesson: Lesson,
    drafts: Iterable[LessonDraft],
    *,
    supported: bool,
    contradicted: bool,
    most_tags: int,
    now: datetime,
    priors: PriorsTable,
) -> Lesson:
    """Return a lesson after an outcome for it, against it or both; `drafts` say the same as the lesson."""
    support = lesson.support + int(supported)
    contradiction = lesson.contradiction + int(contradicted)
    same = tuple(drafts)
    return lesson.model_copy(
        update={
            "support": support,
            "contradiction": contradiction,
            "confidence": confidence(support, contradiction, lesson.source, priors),
            "conflicting": lesson.conflicting or contradicted or any(draft.conflicting for draft in same),
            "tags": unique_folded((*lesson.tags, *(tag for draft in same for tag in draft.tags)))[:most_tags],
            "tools": unique_folded((*lesson.tools, *(tool for draft in same for tool in draft.tools))),
            "version": lesson.version + 1,
            "updated_at": now,
        }
    )


def retired(lesson: Lesson, reason: str, now: datetime) -> Lesson:
    """Return a lesson that is not shown any more; one that was retired is returned as it is.

    Raises:
        IllegalTransition: If it was forgotten.
    """
    return _moved(
        lesson, MemoryStatus.ACTIVE, MemoryStatus.RETIRED, now, retired_at=now, retired_reason=reason
    )


def restored(lesson: Lesson, now: datetime) -> Lesson:
    """Return a retired lesson that is shown again; one that is shown is returned as it is.

    Raises:
        IllegalTransition: If it was forgotten.
    """
    return _moved(
        lesson, MemoryStatus.RETIRED, MemoryStatus.ACTIVE, now, retired_at=None, retired_reason=None
    )


def _moved(lesson: Lesson, before: MemoryStatus, after: MemoryStatus, now: datetime, **fields: Any) -> Lesson:
    """Return the next version of a lesson with another status; one that has it is returned as it is."""
    if lesson.status is after:
        return lesson
    if lesson.status is not before:
        raise IllegalTransition("it was forgotten", field="id")
    live = after is MemoryStatus.ACTIVE
    changed = {"status": after, "live": live, "version": lesson.version + 1, "updated_at": now}
    return lesson.model_copy(update=changed | fields)
