"""Use cases that read questions and stories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.record import (
    Question,
    QuestionFilter,
    QuestionStatus,
    Story,
    StoryStatus,
)
from prefrontal.graph.cortex.questions.validation import filter_problems
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.storage.paging import MOST_FIRST, Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import PageOf, RelatedReader
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_FIRST = (2**31, "qst_~")
"""A position before every question in the list's order: the first page starts here."""

_NEWEST = "story_~"
"""An id that sorts after the id of every story: lists begin with the newest."""


class QuestionService:
    """Reads questions and their stories: by goal, by status, by id."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog) -> None:
        """Store the database, the clock and the tables.

        `of_goals` is the list of the open questions about a goal, `answered_of_goals` that of the answered
        ones, `of_questions` the list of a question's stories that are not archived.
        """
        self._database = database
        self._catalog = catalog
        table = catalog.questions
        self.of_goals = RelatedReader(
            database, clock, store.of_goals, require_reader, statuses=list(table.questions.listed_statuses)
        )
        answered = [QuestionStatus.ANSWERED.value]
        self.answered_of_goals = RelatedReader(
            database, clock, store.of_goals, require_reader, statuses=answered
        )
        self.of_questions = RelatedReader(
            database, clock, store.of_questions, require_reader, statuses=list(table.stories.listed_statuses)
        )

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Question]:
        """Return the readable questions among some ids, by id; other ids are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Question]:
            return await store.questions.find(tx, caller, uids)

        return await self._database.read(work)

    async def get_stories(self, caller: Caller, uids: Sequence[str]) -> dict[str, Story]:
        """Return the readable stories among some ids, by id; other ids are left out."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Story]:
            return await store.stories.find(tx, caller, uids)

        return await self._database.read(work)

    async def list(
        self, caller: Caller, wanted: QuestionFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Question]:
        """Return a page of questions, most urgent first, newest first among equals.

        Without statuses in the filter, the open questions.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)
        raise_all(filter_problems(wanted, self._catalog.limits))
        limit = checked_first(first)
        before = start_of(after, *_FIRST)
        statuses = self._question_statuses(wanted)

        about = None if wanted.goal_id is None else [wanted.goal_id]

        async def work(tx: Tx) -> list[Question]:
            return await store.list_questions(
                tx, caller, wanted, statuses, about, before=before, limit=limit + 1
            )

        found = await self._database.read(work)
        return page_of(found, limit, lambda item: (item.priority_rank, item.uid))

    async def count(self, caller: Caller, wanted: QuestionFilter) -> int:
        """Return the number of matching questions on all pages."""
        require(caller, Permission.READ)
        raise_all(filter_problems(wanted, self._catalog.limits))
        statuses = self._question_statuses(wanted)

        async def work(tx: Tx) -> int:
            return await store.count_questions(tx, caller, wanted, statuses)

        return await self._database.read(work)

    async def stories(
        self,
        caller: Caller,
        *,
        question_id: str | None = None,
        statuses: Sequence[StoryStatus] | None = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[Story]:
        """Return a page of stories, newest first; without statuses, those that are not archived.

        Raises:
            InvalidInput: If an argument, the page size or the cursor is invalid.
        """
        require(caller, Permission.READ)
        wanted = self._story_statuses(question_id, statuses)
        limit = checked_first(first)
        (before,) = start_of(after, _NEWEST)
        of = None if question_id is None else [question_id]

        async def work(tx: Tx) -> list[Story]:
            return await store.list_stories(tx, caller, of, wanted, before=before, limit=limit + 1)

        found = await self._database.read(work)
        return page_of(found, limit, lambda item: (item.uid,))

    async def count_stories(
        self,
        caller: Caller,
        *,
        question_id: str | None = None,
        statuses: Sequence[StoryStatus] | None = None,
    ) -> int:
        """Return the number of matching stories on all pages."""
        require(caller, Permission.READ)
        wanted = self._story_statuses(question_id, statuses)

        async def work(tx: Tx) -> int:
            return await store.count_stories(tx, caller, question_id, wanted)

        return await self._database.read(work)

    async def stories_of(self, caller: Caller, question_ids: Sequence[str]) -> dict[str, tuple[Story, ...]]:
        """Return the stories of each question that are not archived, newest first, at most 100 for each."""
        if not question_ids:
            return {}
        pages = await self.of_questions.pages(caller, [PageOf(uid, MOST_FIRST) for uid in question_ids])
        return {page.uid: found.items for page, found in pages.items()}

    def _question_statuses(self, wanted: QuestionFilter) -> Sequence[QuestionStatus]:
        if wanted.statuses is None:
            return [QuestionStatus(name) for name in self._catalog.questions.questions.listed_statuses]
        return sorted(set(wanted.statuses))

    def _story_statuses(
        self, question_id: str | None, statuses: Sequence[StoryStatus] | None
    ) -> Sequence[StoryStatus]:
        raise_all(text_problems(question_id, "questionId", self._catalog.limits.key_characters))
        if statuses is None:
            return [StoryStatus(name) for name in self._catalog.questions.stories.listed_statuses]
        if not statuses:
            raise InvalidInput("name at least one status", field="filter.status")
        return sorted(set(statuses))
