"""Use cases that archive questions and stories; links and history stay (source 003, §Summarization)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.apply import archive, archive_stories
from prefrontal.graph.cortex.questions.locks import T, lock_writable
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveStory,
    Question,
    Story,
)
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.repository import Repository
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.validation import require_version

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

    async def archive_question(self, caller: Caller, command: ArchiveQuestion) -> Question:
        """Archive a question and every story that answers it; return the question.

        Raises:
            NotFound: If the question is unknown or not readable.
            Forbidden: If the question is readable but not writable.
            VersionConflict: If the question has another version than expected.
        """
        return await self._archive(caller, command, store.questions, self._questions.get)

    async def archive_story(self, caller: Caller, command: ArchiveStory) -> Story:
        """Archive a story and return it; its question does not change.

        Raises:
            NotFound: If the story is unknown or not readable.
            Forbidden: If the story is readable but not writable.
            VersionConflict: If the story has another version than expected.
        """
        return await self._archive(caller, command, store.stories, self._questions.get_stories)

    async def _archive(
        self,
        caller: Caller,
        command: ArchiveQuestion | ArchiveStory,
        kept: Repository[T],
        get: Callable[[Caller, Sequence[str]], Awaitable[dict[str, T]]],
    ) -> T:
        async def work(tx: Tx, now: datetime) -> Change:
            before = await lock_writable(tx, caller, kept, command.id, now, "id")
            require_version(before.version, command.expected_version)
            table, said = self._catalog.questions, {"reason": command.reason, "turn_id": command.turn_id}
            done = await archive(tx, caller, kept, [before], now, table, **said)
            if done and isinstance(command, ArchiveQuestion):
                done += await archive_stories(tx, caller, command.id, now, table, **said)
            return merged(done, {"uid": command.id})

        await self._changes.run(caller, command, work)
        found = (await get(caller, [command.id])).get(command.id)
        if found is None:
            raise NotFound(f"no such {kept.noun}", field="id")
        return found
