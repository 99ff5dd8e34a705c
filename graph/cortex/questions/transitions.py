"""Use cases that archive questions and stories; links and history stay (source 003, §Summarization)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.events import QUESTION_ARCHIVED, STORY_ARCHIVED, change_of
from prefrontal.graph.cortex.questions.patch import transition_to_archived
from prefrontal.graph.cortex.questions.record import Question, Story, StoryStatus
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.storage.paging import MOST_FIRST
from prefrontal.graph.validation import raise_all, require_version, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.questions.service import QuestionService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx


class QuestionTransitions:
    """Archives questions together with their stories, and single stories."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, questions: QuestionService) -> None:
        """Store the tables, the change writer and the service that reads questions."""
        self._catalog = catalog
        self._changes = changes
        self._questions = questions

    async def archive_question(
        self,
        caller: Caller,
        uid: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Question:
        """Archive a question and every story that answers it; return the question.

        Raises:
            NotFound: If the question is unknown or not readable.
            Forbidden: If the question is readable but not writable.
            VersionConflict: If the question has another version than expected.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(reason, turn_id))

        async def work(tx: Tx, now: datetime) -> Change:
            before = await store.lock_question(tx, caller, uid, now)
            if before is None:
                raise NotFound("no such question", field="id")
            if before.scope_id not in caller.writable:
                raise Forbidden("you may read this question but not change it", field="id")
            require_version(before.version, expected_version)
            after = transition_to_archived(before, reason, now, self._catalog.questions.questions)
            if after == before:
                return Change(result={"uid": uid})
            await store.save_question(tx, caller, before, after, turn_id)
            done = [
                change_of(QUESTION_ARCHIVED, after, turn_id, {"from": before.status.value}),
                await self._stories_in(tx, caller, uid, reason, turn_id, now),
            ]
            return merged(done, {"uid": uid})

        await self._changes.write(
            caller,
            work,
            operation="archiveQuestion",
            body=[uid, reason, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        found = (await self._questions.get(caller, [uid])).get(uid)
        if found is None:
            raise NotFound("no such question", field="id")
        return found

    async def archive_story(
        self,
        caller: Caller,
        uid: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Story:
        """Archive a story and return it; its question does not change.

        Raises:
            NotFound: If the story is unknown or not readable.
            Forbidden: If the story is readable but not writable.
            VersionConflict: If the story has another version than expected.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(reason, turn_id))

        async def work(tx: Tx, now: datetime) -> Change:
            before = next(iter(await store.lock_stories(tx, caller, [uid], now)), None)
            if before is None:
                raise NotFound("no such story", field="id")
            if before.scope_id not in caller.writable:
                raise Forbidden("you may read this story but not change it", field="id")
            require_version(before.version, expected_version)
            change = await self._archived(tx, caller, [before], reason, turn_id, now)
            return merged([change], {"uid": uid})

        await self._changes.write(
            caller,
            work,
            operation="archiveStory",
            body=[uid, reason, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        found = (await self._questions.get_stories(caller, [uid])).get(uid)
        if found is None:
            raise NotFound("no such story", field="id")
        return found

    async def _stories_in(
        self, tx: Tx, caller: Caller, uid: str, reason: str | None, turn_id: str | None, now: datetime
    ) -> Change:
        """Archive every story of a locked question, a page at a time; return the journal."""
        statuses = [status for status in StoryStatus if status is not StoryStatus.ARCHIVED]
        done: list[Change] = []
        before = "story_~"
        while True:
            page = await store.stories_of(tx, caller, [uid], statuses, before=before, limit=MOST_FIRST)
            if page:
                stories = await store.lock_stories(tx, caller, [story.uid for story in page], now)
                done.append(await self._archived(tx, caller, stories, reason, turn_id, now))
            if len(page) < MOST_FIRST:
                return merged(done)
            before = page[-1].uid

    async def _archived(
        self,
        tx: Tx,
        caller: Caller,
        stories: list[Story],
        reason: str | None,
        turn_id: str | None,
        now: datetime,
    ) -> Change:
        table = self._catalog.questions.stories
        pairs = [(story, transition_to_archived(story, reason, now, table)) for story in stories]
        changed = [(before, after) for before, after in pairs if after != before]
        if changed:
            await store.save_stories(tx, caller, changed, turn_id)
        return merged(
            change_of(STORY_ARCHIVED, after, turn_id, {"from": before.status.value}, after.question_id)
            for before, after in changed
        )

    def _problems(self, reason: str | None, turn_id: str | None) -> list[InvalidInput]:
        limits = self._catalog.limits
        problems: list[InvalidInput] = []
        problems += text_problems(reason, "reason", limits.title_characters)
        problems += text_problems(turn_id, "turnId", limits.key_characters)
        return problems
