"""The journal of lessons: ids and numbers, never texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind, one_change
from prefrontal.graph.lessons.record import Lesson
from prefrontal.graph.wording import counted

RETIRED = (TraceKind.LESSON_RETIRED, EventType.LESSON_RETIRED, "Lesson retired")
RESTORED = (TraceKind.LESSON_RESTORED, EventType.LESSON_RESTORED, "Lesson restored")


def extracted(
    outcome_uid: str,
    scope_id: str,
    turn_id: str | None,
    *,
    learned: Sequence[Lesson] = (),
    supported: Sequence[Lesson] = (),
    contradicted: Sequence[Lesson] = (),
    taught: Sequence[str] = (),
) -> Change:
    """Return the journal of what an outcome has taught; with an entry also if it is nothing.

    A lesson that the outcome speaks for and against is in `supported` alone.

    Args:
        outcome_uid: The id of the outcome.
        scope_id: The space of the lessons.
        turn_id: The turn of the outcome.
        learned: The new lessons.
        supported: The known lessons that the outcome speaks for.
        contradicted: The lessons that it speaks against.
        taught: The ids of all lessons that it teaches, for the result.
    """
    numbers = {
        "learned": len(learned),
        "supported": len(supported),
        "contradicted": len(contradicted),
    }
    trace = Trace(
        kind=TraceKind.LESSONS_EXTRACTED,
        message=f"{counted(len(taught), 'lesson')} extracted",
        ids=(outcome_uid, *(lesson.uid for lesson in (*learned, *supported, *contradicted))),
        details={"count": len(taught), **numbers},
        turn=turn_id,
        scope_id=scope_id,
    )
    groups = (
        (EventType.LESSON_LEARNED, learned),
        (EventType.LESSON_SUPPORTED, supported),
        (EventType.LESSON_CONTRADICTED, contradicted),
    )
    return Change(
        result={"lessons": list(taught), **numbers, "failed": False},
        traces=(trace,),
        events=tuple(
            _event(kind, lesson, outcome_uid, turn_id) for kind, lessons in groups for lesson in lessons
        ),
    )


def failed(outcome_uid: str, scope_id: str, code: str, turn_id: str | None) -> Change:
    """Return the journal of an outcome whose lessons could not be extracted."""
    trace = Trace(
        kind=TraceKind.LESSON_EXTRACTION_FAILED,
        message="Lessons could not be extracted",
        ids=(outcome_uid,),
        details={"code": code},
        turn=turn_id,
        scope_id=scope_id,
    )
    nothing = {"lessons": [], "learned": 0, "supported": 0, "contradicted": 0}
    return Change(result={**nothing, "failed": True}, traces=(trace,))


def changed(labels: tuple[TraceKind, EventType, str], lesson: Lesson, turn_id: str | None) -> Change:
    """Return the journal of a lesson that was retired or restored."""
    return one_change(lesson, labels, turn_id, data=_data(lesson))


def _event(kind: EventType, lesson: Lesson, outcome_uid: str, turn_id: str | None) -> Event:
    return Event(
        type=kind,
        aggregate=lesson.uid,
        aggregate_version=lesson.version,
        scope_id=lesson.scope_id,
        data={**_data(lesson), "outcome_id": outcome_uid},
        turn=turn_id,
    )


def _data(lesson: Lesson) -> dict[str, Any]:
    return {
        "lesson_id": lesson.uid,
        "support": lesson.support,
        "contradiction": lesson.contradiction,
        "confidence": lesson.confidence,
    }
