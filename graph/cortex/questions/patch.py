"""What becomes of a question and its story when they are written (source 003, §Testing Requirements; G-057).

    a field       given: it has that value, null clears it; left out: it stays
    criteria      those there were, then the new ones, each once; gone are only those named to be removed
    references    those there were, then the new ones, each once
    status        only along `transitions` of `registry/questions.yaml`
    archived      nothing else changes before the status does
    equal already nothing changes: no version, no new `updated_at`

A text and a narrative cannot be cleared. The narrative there was stays in the history.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from prefrontal.graph.config.tables import GoalsTable, QuestionsTable, StatusesTable
from prefrontal.graph.cortex.priorities import priority_of
from prefrontal.graph.cortex.questions.record import (
    Question,
    QuestionChanges,
    QuestionStatus,
    Story,
    StoryChanges,
    StoryStatus,
)
from prefrontal.graph.errors import IllegalTransition, TooLarge
from prefrontal.graph.text.folding import fold

T = TypeVar("T", Question, Story)


def united(*lists: Iterable[str]) -> tuple[str, ...]:
    """Return what the lists hold, each once, in the order it first appears."""
    return tuple(dict.fromkeys(item for each in lists for item in each))


def tag_keys(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the keys under which tags are found, each once."""
    return united(fold(tag) for tag in tags)


def unique_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags in their order, each key once, as first written."""
    seen: dict[str, str] = {}
    for tag in tags:
        seen.setdefault(fold(tag), tag)
    return tuple(seen.values())


def revise_question(
    before: Question, changes: QuestionChanges, now: datetime, table: StatusesTable, goals: GoalsTable
) -> Question:
    """Return the question with the given fields, of the next version if one differs.

    Raises:
        IllegalTransition: The registry has no such way, or the question is archived and stays so.
    """
    given = changes.model_fields_set
    fields: dict[str, Any] = {}
    if changes.text is not None:
        fields["text"] = changes.text
    if "owner" in given:
        fields["owner"] = changes.owner
    if "goal_id" in given:
        fields["goal_id"] = changes.goal_id
    if "tags" in given:
        fields["tags"] = unique_tags(changes.tags or ())
    if "priority" in given:
        name, rank = priority_of(changes.priority, goals) or (before.priority, before.priority_rank)
        fields |= {"priority": name, "priority_rank": rank}
    fields |= _moved(before, changes.status, table, "question")
    return _next(before, fields, now, QuestionStatus.ARCHIVED, "question")


def revise_story(before: Story, changes: StoryChanges, now: datetime, table: QuestionsTable) -> Story:
    """Return the story with what is given, of the next version if something differs.

    `evidence_refs` are the references only: observations are linked, not written down.

    Raises:
        IllegalTransition: The registry has no such way, or the story is archived and stays so.
        TooLarge: There would be more criteria or evidence than a story holds.
    """
    removed = set(changes.remove_acceptance_criteria)
    criteria = united(before.acceptance_criteria, changes.acceptance_criteria)
    fields: dict[str, Any] = {
        "acceptance_criteria": tuple(item for item in criteria if item not in removed),
        "references": united(before.references, changes.evidence_refs),
    }
    if changes.narrative is not None:
        fields["narrative"] = changes.narrative
    fields |= _moved(before, changes.status, table.stories, "story")
    after = _next(before, fields, now, StoryStatus.ARCHIVED, "story")
    if len(after.acceptance_criteria) > table.acceptance_criteria:
        raise TooLarge(
            f"a story holds {table.acceptance_criteria} criteria, not {len(after.acceptance_criteria)}",
            field="story.acceptanceCriteria",
        )
    return after


def with_evidence(before: Story, after: Story, new: Iterable[str], now: datetime, most: int) -> Story:
    """Return the story with observations linked to it, of the next version if there are new ones.

    Raises:
        TooLarge: There would be more evidence than a story holds.
        IllegalTransition: The story is archived and stays so.
    """
    linked = united(after.evidence_ids, new)
    if len(linked) + len(after.references) > most:
        raise TooLarge(
            f"a story holds {most} pieces of evidence, not {len(linked) + len(after.references)}",
            field="story.evidenceRefs",
        )
    if linked == after.evidence_ids:
        return after
    if after.status is StoryStatus.ARCHIVED:
        raise _put_away("story")
    return next_version(after.model_copy(update={"evidence_ids": linked}), before, now)


def new_question(
    changes: QuestionChanges, base: Question, now: datetime, table: StatusesTable, goals: GoalsTable
) -> Question:
    """Return the question that some fields make of an empty one."""
    return revise_question(base, changes, now, table, goals).model_copy(update={"version": 1})


def new_story(changes: StoryChanges, base: Story, now: datetime, table: QuestionsTable) -> Story:
    """Return the story that some fields make of an empty one."""
    return revise_story(base, changes, now, table).model_copy(update={"version": 1})


def transition_to_archived(before: T, reason: str | None, now: datetime, table: StatusesTable) -> T:
    """Return the question or story archived; as it is when it is so already."""
    archived = type(before.status)("archived")
    if before.status is archived:
        return before
    _require_way(before.status, archived, table, "status", type(before).__name__.lower())
    fields = {"status": archived, "status_reason": reason, "archived_at": now}
    return next_version(before.model_copy(update=fields), before, now)


def next_version(after: T, before: T, now: datetime) -> T:
    """Return `after` as the version that follows `before`."""
    return after.model_copy(update={"updated_at": now, "version": before.version + 1})


def _next(
    before: T, fields: dict[str, Any], now: datetime, archived: QuestionStatus | StoryStatus, kind: str
) -> T:
    after = before.model_copy(update=fields)
    if after == before:
        return before
    if after.status is archived:
        raise _put_away(kind)
    return next_version(after, before, now)


def _moved(
    before: Question | Story, to: QuestionStatus | StoryStatus | None, table: StatusesTable, kind: str
) -> dict[str, Any]:
    if to is None or to is before.status:
        return {}
    _require_way(before.status, to, table, f"{kind}.status", kind)
    return {"status": to, "status_reason": None, "archived_at": None}


def _require_way(at: str, to: str, table: StatusesTable, field: str, kind: str) -> None:
    ways = table.transitions.get(at, ())
    if to not in ways:
        named = ", ".join(ways) or "none"
        raise IllegalTransition(
            f"a {kind} that is {at} cannot become {to}; it can become: {named}", field=field
        )


def _put_away(kind: str) -> IllegalTransition:
    return IllegalTransition(
        f"the {kind} is archived; give it another status to change it", field=f"{kind}.status"
    )
