"""How an upsert changes a question and its story (source 003, §Testing Requirements; G-057).

    a field       if given, it gets that value, and null clears it; if left out, it keeps its value
    criteria      the union of old and new ones, each once; only those named for removal are removed
    references    the union of old and new ones, each once
    status        only along `transitions` of `registry/questions.yaml`
    archived      no other field changes unless the status changes as well
    no difference nothing changes: no new version, no new `updated_at`

Text and narrative cannot be cleared. Former narratives stay in the history.
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
from prefrontal.graph.text.folding import fold, unique_folded
from prefrontal.graph.wording import counted, with_article

T = TypeVar("T", Question, Story)


def unique_items(*lists: Iterable[str]) -> tuple[str, ...]:
    """Return the items of all lists, each once, in order of first appearance."""
    return tuple(dict.fromkeys(item for each in lists for item in each))


def tag_keys(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the folded keys by which tags are searched, each once."""
    return unique_items(fold(tag) for tag in tags)


def revise_question(
    before: Question, changes: QuestionChanges, now: datetime, table: StatusesTable, goals: GoalsTable
) -> Question:
    """Return the question with the given fields; it is the next version if a field differs.

    Raises:
        IllegalTransition: If the registry does not allow the transition, or the question stays archived.
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
        fields["tags"] = unique_folded(changes.tags or ())
    if "priority" in given:
        name, rank = priority_of(changes.priority, goals) or (before.priority, before.priority_rank)
        fields |= {"priority": name, "priority_rank": rank}
    fields |= _moved(before, changes.status, table, "question")
    return _next(before, fields, now, QuestionStatus.ARCHIVED, "question")


def revise_story(before: Story, changes: StoryChanges, now: datetime, table: QuestionsTable) -> Story:
    """Return the story with the given fields; it is the next version if something differs.

    `evidence_refs` may hold references only: observations are linked, not stored as text.

    Raises:
        IllegalTransition: If the registry does not allow the transition, or the story stays archived.
        TooLarge: If the story would have more criteria than allowed.
    """
    removed = set(changes.remove_acceptance_criteria)
    criteria = unique_items(before.acceptance_criteria, changes.acceptance_criteria)
    fields: dict[str, Any] = {
        "acceptance_criteria": tuple(item for item in criteria if item not in removed),
        "references": unique_items(before.references, changes.evidence_refs),
    }
    if changes.narrative is not None:
        fields["narrative"] = changes.narrative
    fields |= _moved(before, changes.status, table.stories, "story")
    after = _next(before, fields, now, StoryStatus.ARCHIVED, "story")
    if len(after.acceptance_criteria) > table.acceptance_criteria:
        raise TooLarge(
            f"a story holds at most {table.acceptance_criteria} criteria, "
            f"not {len(after.acceptance_criteria)}",
            field="story.acceptanceCriteria",
        )
    return after


def with_evidence(before: Story, after: Story, new: Iterable[str], now: datetime, most: int) -> Story:
    """Return the story with observations linked to it; it is the next version if there are new ones.

    Raises:
        TooLarge: If the story would have more evidence than allowed.
        IllegalTransition: If the story is archived and stays so.
    """
    linked = unique_items(after.evidence_ids, new)
    if len(linked) + len(after.references) > most:
        raise TooLarge(
            f"a story holds at most {counted(most, 'piece of evidence', 'pieces of evidence')}, "
            f"not {len(linked) + len(after.references)}",
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
    """Return a new question: an empty one with the given fields."""
    return revise_question(base, changes, now, table, goals).model_copy(update={"version": 1})


def new_story(changes: StoryChanges, base: Story, now: datetime, table: QuestionsTable) -> Story:
    """Return a new story: an empty one with the given fields."""
    return revise_story(base, changes, now, table).model_copy(update={"version": 1})


def transition_to_archived(before: T, reason: str | None, now: datetime, table: QuestionsTable) -> T:
    """Return the question or story archived; the same one if it is archived already."""
    archived = type(before.status)("archived")
    if before.status is archived:
        return before
    kind, statuses = (
        ("question", table.questions) if isinstance(before, Question) else ("story", table.stories)
    )
    _require_transition(before.status, archived, statuses, "status", kind)
    fields = {"status": archived, "status_reason": reason, "archived_at": now}
    return next_version(before.model_copy(update=fields), before, now)


def next_version(after: T, before: T, now: datetime) -> T:
    """Return `after` with the version number that follows `before`."""
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
    _require_transition(before.status, to, table, f"{kind}.status", kind)
    return {"status": to, "status_reason": None, "archived_at": None}


def _require_transition(at: str, to: str, table: StatusesTable, field: str, kind: str) -> None:
    ways = table.transitions.get(at, ())
    if to not in ways:
        named = ", ".join(ways) or "none"
        raise IllegalTransition(
            f"{with_article(kind)} that is {at} cannot become {to}; it can become: {named}", field=field
        )


def _put_away(kind: str) -> IllegalTransition:
    return IllegalTransition(
        f"the {kind} is archived; give it another status to change it", field=f"{kind}.status"
    )
