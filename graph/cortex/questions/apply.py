"""Archiving inside a transaction: of questions and stories, and of all stories of a question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.events import archive_journal
from prefrontal.graph.cortex.questions.locks import T
from prefrontal.graph.cortex.questions.patch import transition_to_archived
from prefrontal.graph.cortex.questions.record import StoryStatus
from prefrontal.graph.storage.paging import MOST_FIRST

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import QuestionsTable
    from prefrontal.graph.history.repository import Repository
    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.storage.unit_of_work import Tx


async def archive(
    tx: Tx,
    caller: Caller,
    kept: Repository[T],
    items: Sequence[T],
    now: datetime,
    table: QuestionsTable,
    *,
    reason: str | None,
    turn_id: str | None,
) -> list[Change]:
    """Archive those of some locked records that are not archived yet; return the journal of each."""
    pairs = ((before, transition_to_archived(before, reason, now, table)) for before in items)
    changed = [(before, after) for before, after in pairs if after != before]
    if changed:
        rows: list[tuple[T, T, dict[str, Any]]] = [(before, after, {}) for before, after in changed]
        await kept.update(tx, caller, rows, turn_id=turn_id)
    return [archive_journal(before, after, turn_id) for before, after in changed]


async def archive_stories(
    tx: Tx,
    caller: Caller,
    question_id: str,
    now: datetime,
    table: QuestionsTable,
    *,
    reason: str | None,
    turn_id: str | None,
) -> list[Change]:
    """Archive every story of a locked question, a page at a time; return the journal."""
    statuses = [status for status in StoryStatus if status is not StoryStatus.ARCHIVED]
    done: list[Change] = []
    before = "story_~"
    while True:
        page = await store.list_stories(tx, caller, [question_id], statuses, before=before, limit=MOST_FIRST)
        if page:
            locked = await store.stories.lock(tx, caller, [story.uid for story in page], now)
            done += await archive(
                tx,
                caller,
                store.stories,
                list(locked.values()),
                now,
                table,
                reason=reason,
                turn_id=turn_id,
            )
        if len(page) < MOST_FIRST:
            return done
        before = page[-1].uid
