"""Journal entries of questions and stories: ids, fields and codes, never texts."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.cortex.questions.record import Question, Story
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.record import Change, EventType, JournalLabels, TraceKind, one_change
from prefrontal.graph.validation import camel

QUESTION_ASKED = (TraceKind.QUESTION_ASKED, EventType.QUESTION_ASKED, "Question asked")
QUESTION_UPDATED = (TraceKind.QUESTION_UPDATED, EventType.QUESTION_UPDATED, "Question changed")
QUESTION_ARCHIVED = (TraceKind.QUESTION_ARCHIVED, EventType.QUESTION_ARCHIVED, "Question archived")
STORY_CREATED = (TraceKind.STORY_CREATED, EventType.STORY_CREATED, "Story begun")
STORY_UPDATED = (TraceKind.STORY_UPDATED, EventType.STORY_UPDATED, "Story updated")
STORY_ARCHIVED = (TraceKind.STORY_ARCHIVED, EventType.STORY_ARCHIVED, "Story archived")


def change_of(
    labels: JournalLabels, item: Question | Story, turn_id: str | None, details: dict[str, Any], *ids: str
) -> Change:
    """Return the trace entry and the event of one change."""
    key = "question_id" if isinstance(item, Question) else "story_id"
    about = {"question_id": item.question_id} if isinstance(item, Story) else {}
    data = {key: item.uid, **about, "status": item.status.value, **details}
    return one_change(item, labels, turn_id, ids=ids, details=details, data=data)


def question_journal(before: Question | None, after: Question, turn_id: str | None) -> Change:
    """Return the journal of a question that was asked (`before` is None) or changed."""
    if before is None:
        goal = {"goal_id": after.goal_id} if after.goal_id else {}
        return change_of(QUESTION_ASKED, after, turn_id, goal)
    return change_of(QUESTION_UPDATED, after, turn_id, {"fields": _fields(before, after)})


def story_journal(before: Story | None, after: Story, turn_id: str | None) -> Change:
    """Return the journal of a story that was begun (`before` is None) or updated."""
    known = before.evidence_ids if before else ()
    ids = (after.question_id, *(uid for uid in after.evidence_ids if uid not in known))
    if before is None:
        return change_of(STORY_CREATED, after, turn_id, {}, *ids)
    return change_of(STORY_UPDATED, after, turn_id, {"fields": _fields(before, after)}, *ids)


def archive_journal(before: Question | Story, after: Question | Story, turn_id: str | None) -> Change:
    """Return the journal of a question or a story that was archived."""
    details = {"from": before.status.value}
    if isinstance(after, Question):
        return change_of(QUESTION_ARCHIVED, after, turn_id, details)
    return change_of(STORY_ARCHIVED, after, turn_id, details, after.question_id)


def _fields(before: Question | Story, after: Question | Story) -> list[str]:
    names = {"references": "evidence_refs", "evidence_ids": "evidence_refs"}
    return sorted({camel(names.get(name, name)) for name in changed_fields(before, after)})
