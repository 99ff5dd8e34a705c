"""Archiving inside a transaction: of questions and stories, and of all stories of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    items: Sequence[tuple[T, str | None]],
    now: datetime,
    table: QuestionsTable,
    *,
    turn_id: str | None,
) -> list[Change]:
    """Archive those of some locked records that are not archived yet; return the journal of each.

    Each record comes with the reason.
    """
    pairs = ((before, transition_to_archived(before, reason, now, table)) for before, reason in items)
    changed = [(before, after) for before, after in pairs if after != before]
    if changed:
        rows: list[tuple[T, T, dict[str, Any]]] = [(before, after, {}) for before, after in changed]
        await kept.update(tx, caller, rows, turn_id=turn_id)
    return [archive_journal(before, after, turn_id) for before, after in changed]


async def archive_stories(
    tx: Tx,
    caller: Caller,
    reasons: Mapping[str, str | None],
    now: datetime,
    table: QuestionsTable,
    *,
    turn_id: str | None,
) -> list[Change]:
    """Archive every story of some locked questions, a page at a time; return the journal.

    `reasons` has the reason by the id of the question.
    """
    statuses = [status for status in StoryStatus if status is not StoryStatus.ARCHIVED]
    done: list[Change] = []
    while reasons:
        # What has been archived is not listed again, so every page is the first one.
        page = await store.list_stories(
            tx, caller, list(reasons), statuses, before="story_~", limit=MOST_FIRST
        )
        if page:
            locked = await store.stories.lock(tx, caller, [story.uid for story in page], now)
            items = [(story, reasons[story.question_id]) for story in locked.values()]
            done += await archive(tx, caller, store.stories, items, now, table, turn_id=turn_id)
        if len(page) < MOST_FIRST:
            break
    return done
