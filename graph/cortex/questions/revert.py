"""The use cases that revert a question or a story to an earlier version.

question  restored: text, priority, owner, tags, goal and status. Refused if the goal is gone, or if the
          question would be deprecated or archived while stories of it are not archived. Stories that were
          archived with the question stay archived, and a warning reports that
story     restored: narrative, criteria and status. References and observations that were added since stay,
          and a warning reports that. Refused if the story would no longer be archived although its question
          is deprecated or archived
kept      ids, space, authors, client keys, version numbers, and the question that a story answers
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.locks import lock_writable
from prefrontal.graph.cortex.questions.patch import next_version, unique_items
from prefrontal.graph.cortex.questions.record import CLOSED, Question, Story, StoryStatus
from prefrontal.graph.errors import Conflict, Forbidden, NotFound
from prefrontal.graph.history.record import Content, RevertWarning
from prefrontal.graph.history.revert import LockedRecord, RestoredRecord, Reverter
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

_QUESTION = (
    "text",
    "goal_id",
    "priority",
    "priority_rank",
    "status",
    "status_reason",
    "owner",
    "tags",
    "archived_at",
)
_STORY = ("narrative", "acceptance_criteria", "status", "status_reason", "archived_at")


def restore_question(question: Question, content: Content, now: datetime) -> Question:
    """Return the question with the content of an earlier version; it is the next version if that differs."""
    fields = {name: content.fields[name] for name in _QUESTION if name in content.fields}
    after = Question.model_validate({**question.model_dump(), **fields})
    return question if after == question else next_version(after, question, now)


def restore_story(story: Story, content: Content, now: datetime) -> Story:
    """Return the story with the content of an earlier version; it is the next version if that differs."""
    fields: dict[str, Any] = {name: content.fields[name] for name in _STORY if name in content.fields}
    references = unique_items(content.fields.get("references") or (), story.references)
    if set(references) != set(story.references):
        fields["references"] = references
    after = Story.model_validate({**story.model_dump(), **fields})
    return story if after == story else next_version(after, story, now)


def question_conflicts(before: Question, after: Question, count: int) -> list[Conflict]:
    """Return the conflicts that forbid the revert; `count` is the number of stories that are not archived."""
    if count and after.status in CLOSED and before.status not in CLOSED:
        said = f"it would be {after.status.value}, but not all of its stories are; archive them first"
        return [Conflict(said, field="version")]
    return []


def question_warnings(before: Question, after: Question) -> list[RevertWarning]:
    """Return warnings about everything that the revert of a question does not restore."""
    if before.status in CLOSED and after.status not in CLOSED:
        said = "stories that were archived with it stay archived"
        return [RevertWarning(code="stories_kept", message=said)]
    return []


def story_conflicts(before: Story, after: Story, question: Question | None) -> list[Conflict]:
    """Return the conflicts that forbid the revert of a story."""
    stories = after.status is not StoryStatus.ARCHIVED and before.status is StoryStatus.ARCHIVED
    if question is None or (stories and question.status in CLOSED):
        closed = question.status.value if question is not None else "archived"
        return [
            Conflict(f"its question is {closed}; give the question another status first", field="version")
        ]
    return []


def story_warnings(after: Story, content: Content, linked_since: int) -> list[RevertWarning]:
    """Return warnings about everything that the revert of a story does not restore."""
    named = content.fields.get("references") or ()
    more = len([ref for ref in after.references if ref not in named]) + linked_since
    if not more:
        return []
    said = counted(
        more,
        "piece of evidence that was added since is kept",
        "pieces of evidence that were added since are kept",
    )
    return [RevertWarning(code="evidence_kept", message=said)]


_ACTIVE_STATUSES = [status for status in StoryStatus if status is not StoryStatus.ARCHIVED]


class QuestionReverts(Reverter[Question]):
    """Reverts questions."""

    event = EventType.QUESTION_REVERTED

    async def lock(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        content: Content | None,  # noqa: ARG002 - it names no other record that is locked
        now: datetime,
    ) -> LockedRecord[Question]:
        return LockedRecord(await lock_writable(tx, caller, store.questions, uid, now, "id"))

    async def restored(
        self, tx: Tx, caller: Caller, locked: LockedRecord[Question], content: Content, now: datetime
    ) -> RestoredRecord[Question]:
        """Return the question with the fields, and give it the goal, of an earlier version."""
        before = locked.record
        uid, after = before.uid, restore_question(before, content, now)
        warnings = question_warnings(before, after)
        if after == before:
            return RestoredRecord(after, warnings)
        stories = await store.list_stories(tx, caller, [uid], _ACTIVE_STATUSES, before="story_~", limit=1)
        problems = question_conflicts(before, after, len(stories))
        moved = after.goal_id != before.goal_id
        if moved and not problems and not await store.relink(tx, caller, uid, after.goal_id, now):
            problems.append(Conflict("the goal it was about is gone", field="goalId"))
        return RestoredRecord(after, warnings, problems)

    async def save(
        self,
        tx: Tx,
        caller: Caller,
        before: Question,
        after: Question,
        more: Mapping[str, Any],
        turn_id: str | None,
    ) -> None:
        """Store the next version of the question."""
        await store.save_question(tx, caller, before, after, turn_id, more)

    def data(self, after: Question) -> dict[str, Any]:
        """Return the data of the event."""
        return {"question_id": after.uid, "status": after.status.value}


class StoryReverts(Reverter[Story]):
    """Reverts stories."""

    event = EventType.STORY_REVERTED

    async def lock(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        content: Content | None,  # noqa: ARG002 - it names no other record that is locked
        now: datetime,
    ) -> LockedRecord[Story]:
        """Lock the story and its question."""
        found = (await store.stories.find(tx, caller, [uid])).get(uid)
        if found is None:
            raise NotFound("no such story", field="id")
        # Every use case that changes both locks the question first, so that no deadlock is possible.
        question = await store.questions.lock(tx, caller, [found.question_id], now)
        story = (await store.stories.lock(tx, caller, [uid], now)).get(uid, found)
        if story.scope_id not in caller.writable:
            raise Forbidden("you may read this story but not change it", field="id")
        return LockedRecord(story, question)

    async def restored(
        self, tx: Tx, caller: Caller, locked: LockedRecord[Story], content: Content, now: datetime
    ) -> RestoredRecord[Story]:
        """Return the story with the content of an earlier version."""
        before = locked.record
        after = restore_story(before, content, now)
        warnings = story_warnings(
            after, content, await store.count_linked(tx, caller, before.uid, content.at)
        )
        if after == before:
            return RestoredRecord(after, warnings)
        question = locked.beside.get(before.question_id)
        return RestoredRecord(after, warnings, story_conflicts(before, after, question))

    async def save(
        self,
        tx: Tx,
        caller: Caller,
        before: Story,
        after: Story,
        more: Mapping[str, Any],
        turn_id: str | None,
    ) -> None:
        """Store the next version of the story."""
        await store.save_story(tx, caller, before, after, turn_id, more)

    def data(self, after: Story) -> dict[str, Any]:
        """Return the data of the event."""
        return {"question_id": after.question_id, "story_id": after.uid, "status": after.status.value}
