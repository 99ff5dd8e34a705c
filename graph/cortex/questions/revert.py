"""The use cases that take a question or a story back to an earlier version.

question  text, priority, owner, tags, goal and status; refused: its goal is gone; archived again although
          stories of it are told still. Stories that were archived with it stay archived, and are told
story     narrative, criteria and status; references and observations that were added since stay, and are
          told; refused: told again although its question is archived
kept      ids, space, makers, keys, versions, which question a story answers
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.patch import next_version, united
from prefrontal.graph.cortex.questions.record import Question, QuestionStatus, Story, StoryStatus
from prefrontal.graph.errors import Conflict, Forbidden, NotFound, SeveralConflicts
from prefrontal.graph.history.events import result_of, reverted
from prefrontal.graph.history.record import Content, Revert, RevertWarning
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.validation import require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.history.service import HistoryService
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
    """Return the question with the content of an earlier version, of the next version if that differs."""
    fields = {name: content.fields[name] for name in _QUESTION if name in content.fields}
    after = Question.model_validate({**question.model_dump(), **fields})
    return question if after == question else next_version(after, question, now)


def restore_story(story: Story, content: Content, now: datetime) -> Story:
    """Return the story with the content of an earlier version, of the next version if that differs."""
    fields: dict[str, Any] = {name: content.fields[name] for name in _STORY if name in content.fields}
    references = united(content.fields.get("references") or (), story.references)
    if set(references) != set(story.references):
        fields["references"] = references
    after = Story.model_validate({**story.model_dump(), **fields})
    return story if after == story else next_version(after, story, now)


def question_conflicts(before: Question, after: Question, told: int) -> list[Conflict]:
    """Return what stands against taking a question back; `told` counts its stories that are not archived."""
    archived = QuestionStatus.ARCHIVED
    if told and after.status is archived and before.status is not archived:
        said = "it would be archived, but stories of it are told still; archive them first"
        return [Conflict(said, field="version")]
    return []


def question_warnings(before: Question, after: Question) -> list[RevertWarning]:
    """Return what taking a question back leaves as it is."""
    archived = QuestionStatus.ARCHIVED
    if before.status is archived and after.status is not archived:
        said = "stories that were archived with it stay archived"
        return [RevertWarning(code="stories_kept", message=said)]
    return []


def story_conflicts(before: Story, after: Story, question: Question | None) -> list[Conflict]:
    """Return what stands against taking a story back."""
    told = after.status is not StoryStatus.ARCHIVED and before.status is StoryStatus.ARCHIVED
    if question is None or (told and question.status is QuestionStatus.ARCHIVED):
        return [Conflict("its question is archived; give that another status first", field="version")]
    return []


def story_warnings(after: Story, content: Content, linked_since: int) -> list[RevertWarning]:
    """Return what taking a story back leaves as it is."""
    named = content.fields.get("references") or ()
    more = len([ref for ref in after.references if ref not in named]) + linked_since
    if not more:
        return []
    said = f"{more} pieces of evidence that were added since stay with it"
    return [RevertWarning(code="evidence_kept", message=said)]


_TOLD = [status for status in StoryStatus if status is not StoryStatus.ARCHIVED]


class QuestionReverts:
    """Takes questions back, under the lock of any other change."""

    def __init__(self, history: HistoryService) -> None:
        """Take what the use case needs."""
        self._history = history

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give a question the content of an earlier version; see `history.reverting`."""
        uid = asked.uid
        before = await store.lock_question(tx, caller, uid, now)
        if before is None:
            raise NotFound("no such question", field="id")
        if before.scope_id not in caller.writable:
            raise Forbidden("you may read this question but not change it", field="id")
        require_version(before.version, asked.expected_version)
        content = await self._history.content_in(tx, caller, uid, asked.number)
        after = restore_question(before, content, now)
        warnings = question_warnings(before, after)
        if after == before:
            return Change(result=result_of(before.version, warnings))
        told = await store.stories_of(tx, caller, [uid], _TOLD, before="story_~", limit=1)
        problems = question_conflicts(before, after, len(told))
        moved = after.goal_id != before.goal_id
        if moved and not problems and not await store.relink(tx, caller, uid, after.goal_id, now):
            problems.append(Conflict("the goal it was about is gone", field="goalId"))
        if problems:
            raise SeveralConflicts(problems)
        said = {REVERTED_TO: asked.number}
        if not await store.save_question(tx, caller, before, after, asked.turn_id, said):
            raise Forbidden("you may not write to this space any more", field="id")
        return reverted(
            EventType.QUESTION_REVERTED,
            after,
            asked,
            fields=changed_fields(before, after),
            data={"question_id": uid, "status": after.status.value},
            warnings=warnings,
        )


class StoryReverts:
    """Takes stories back, under the lock of any other change."""

    def __init__(self, history: HistoryService) -> None:
        """Take what the use case needs."""
        self._history = history

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give a story the content of an earlier version; see `history.reverting`."""
        uid = asked.uid
        found = (await store.find_stories(tx, caller, [uid])).get(uid)
        if found is None:
            raise NotFound("no such story", field="id")
        # The question first, as everybody who changes both locks it first.
        question = await store.lock_question(tx, caller, found.question_id, now)
        before = next(iter(await store.lock_stories(tx, caller, [uid], now)), found)
        if before.scope_id not in caller.writable:
            raise Forbidden("you may read this story but not change it", field="id")
        require_version(before.version, asked.expected_version)
        content = await self._history.content_in(tx, caller, uid, asked.number)
        after = restore_story(before, content, now)
        warnings = story_warnings(after, content, await store.count_linked(tx, caller, uid, content.at))
        if after == before:
            return Change(result=result_of(before.version, warnings))
        problems = story_conflicts(before, after, question)
        if problems:
            raise SeveralConflicts(problems)
        said = {REVERTED_TO: asked.number}
        if not await store.save_story(tx, caller, before, after, asked.turn_id, said):
            raise Forbidden("you may not write to this space any more", field="id")
        return reverted(
            EventType.STORY_REVERTED,
            after,
            asked,
            fields=changed_fields(before, after),
            data={"question_id": after.question_id, "story_id": uid, "status": after.status.value},
            warnings=warnings,
        )
