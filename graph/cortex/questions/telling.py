"""What trace and events say of questions and stories: ids, fields and codes, never their texts."""

from __future__ import annotations

from typing import Any

from graph.checks import camel
from graph.cortex.questions.record import Question, Story
from graph.journal.record import Change, Event, EventType, Trace, TraceKind
from graph.versions import changed_fields


def told(
    kind: TraceKind,
    event: EventType,
    message: str,
    item: Question | Story,
    turn_id: str | None,
    details: dict[str, Any],
    *ids: str,
) -> Change:
    """Return the trace entry and the event of one change."""
    key = "question_id" if isinstance(item, Question) else "story_id"
    about = {"question_id": item.question_id} if isinstance(item, Story) else {}
    return Change(
        result={},
        traces=(
            Trace(
                kind=kind,
                message=message,
                ids=(item.uid, *ids),
                details=details,
                turn=turn_id,
                scope_id=item.scope_id,
            ),
        ),
        events=(
            Event(
                type=event,
                aggregate=item.uid,
                aggregate_version=item.version,
                scope_id=item.scope_id,
                data={key: item.uid, **about, "status": item.status.value, **details},
                turn=turn_id,
            ),
        ),
        turns=(turn_id,) if turn_id else (),
    )


def question_journal(before: Question | None, after: Question, turn_id: str | None) -> Change:
    """Return what is told of a question that was asked or changed."""
    if before is None:
        goal = {"goal_id": after.goal_id} if after.goal_id else {}
        return told(
            TraceKind.QUESTION_ASKED, EventType.QUESTION_ASKED, "Question asked", after, turn_id, goal
        )
    details = {"fields": _fields(before, after)}
    return told(
        TraceKind.QUESTION_UPDATED, EventType.QUESTION_UPDATED, "Question changed", after, turn_id, details
    )


def story_journal(before: Story | None, after: Story, turn_id: str | None) -> Change:
    """Return what is told of a story that was begun or updated, with the evidence that was linked."""
    known = before.evidence_ids if before else ()
    new = tuple(uid for uid in after.evidence_ids if uid not in known)
    ids = (after.question_id, *new)
    if before is None:
        kind, event, message = TraceKind.STORY_CREATED, EventType.STORY_CREATED, "Story begun"
        details: dict[str, Any] = {}
    else:
        kind, event, message = TraceKind.STORY_UPDATED, EventType.STORY_UPDATED, "Story updated"
        details = {"fields": _fields(before, after)}
    return told(kind, event, message, after, turn_id, details, *ids)


def _fields(before: Question | Story, after: Question | Story) -> list[str]:
    names = {"references": "evidence_refs", "evidence_ids": "evidence_refs"}
    return sorted({camel(names.get(name, name)) for name in changed_fields(before, after)})
