"""The use cases that take a question or a story back to an earlier version."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.checks import require_version
from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.record import StoryStatus
from prefrontal.graph.cortex.questions.restoring import (
    question_conflicts,
    question_warnings,
    restore_question,
    restore_story,
    story_conflicts,
    story_warnings,
)
from prefrontal.graph.errors import Conflict, Forbidden, NotFound, SeveralConflicts
from prefrontal.graph.history.journaling import result_of, reverted
from prefrontal.graph.history.record import Revert
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.versions import changed_fields

if TYPE_CHECKING:
    from prefrontal.graph.access.record import Caller
    from prefrontal.graph.history.service import HistoryService
    from prefrontal.graph.storage.unit_of_work import Tx

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
