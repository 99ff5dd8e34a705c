"""Use cases that archive questions and stories; links and history stay (source 003, §Summarization)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.apply import archive, archive_stories
from prefrontal.graph.cortex.questions.locks import T, writable_of
from prefrontal.graph.cortex.questions.patch import transition_to_archived
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveQuestions,
    ArchiveStory,
    Question,
    QuestionArchival,
    Story,
)
from prefrontal.graph.history.repository import Repository
from prefrontal.graph.journal.command import entry_problems, paths_of
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.validation import error_path, found_or_gone, join_path, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.questions.service import QuestionService
    from prefrontal.graph.errors import InvalidInput
    from prefrontal.graph.journal.command import TurnCommand
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx


class QuestionTransitions:
    """Archives questions together with their stories, and single stories."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, questions: QuestionService) -> None:
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
        (question,) = await self._archive(
            caller, command, [command], [""], store.questions, self._questions.get
        )
        return question

    async def archive_questions(self, caller: Caller, command: ArchiveQuestions) -> tuple[Question, ...]:
        """Archive questions with every story that answers them, all or none; return the questions.

        The errors are those of `archive_question`, and the field of each is under the path of its entry.
        """
        entries = command.questions
        paths = paths_of("questions", entries)
        problems = entry_problems(entries, "questions")
        return await self._archive(
            caller, command, entries, paths, store.questions, self._questions.get, problems
        )

    async def archive_story(self, caller: Caller, command: ArchiveStory) -> Story:
        """Archive a story and return it; its question does not change.

        Raises:
            NotFound: If the story is unknown or not readable.
            Forbidden: If the story is readable but not writable.
            VersionConflict: If the story has another version than expected.
        """
        (story,) = await self._archive(
            caller, command, [command], [""], store.stories, self._questions.get_stories
        )
        return story

    async def _archive(
        self,
        caller: Caller,
        command: TurnCommand,
        entries: Sequence[QuestionArchival | ArchiveStory],
        paths: Sequence[str],
        kept: Repository[T],
        get: Callable[[Caller, Sequence[str]], Awaitable[dict[str, T]]],
        problems: Sequence[InvalidInput] = (),
    ) -> tuple[T, ...]:
        turn_id = command.turn_id

        async def work(tx: Tx, now: datetime) -> Change:
            locked = await kept.lock(tx, caller, [entry.id for entry in entries], now)
            items: list[tuple[T, str | None]] = []
            for entry, path in zip(entries, paths, strict=True):
                with error_path(path):
                    before = writable_of(locked, caller, kept.noun, entry.id, "id")
                    require_version(before.version, entry.expected_version)
                    # Asked here for the path of its error.
                    transition_to_archived(before, entry.reason, now, self._catalog.questions)
                items.append((before, entry.reason))
            table = self._catalog.questions
            done = await archive(tx, caller, kept, items, now, table, turn_id=turn_id)
            if isinstance(command, ArchiveQuestion | ArchiveQuestions):
                # The stories of a question that was archived before were archived then.
                reasons = {item.uid: why for item, why in items if item.status.value != "archived"}
                done += await archive_stories(tx, caller, reasons, now, table, turn_id=turn_id)
            return merged(done, {"uid": entries[0].id})

        await self._changes.run(caller, command, work, problems=problems)
        found = await get(caller, [entry.id for entry in entries])
        return tuple(
            found_or_gone(found, entry.id, kept.noun, join_path(path, "id"))
            for entry, path in zip(entries, paths, strict=True)
        )
