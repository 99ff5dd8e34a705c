"""The jobs that make summaries: of goals, logs of finished actions (source 003, G-039) and conversations.

A summariser may be slow, so its texts are made before the transaction that stores them. A job goes on behind
the last record that it looked at, and begins from the start in the next run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.jobs.table_job import TableJob

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.summaries.record import OldLog, Summary
    from prefrontal.graph.summaries.rolling import ConversationSummaries
    from prefrontal.graph.summaries.service import SummaryService


class SummariseGoals(TableJob):
    """Writes the summaries of goals that are due, and the narratives of milestones and completions."""

    name = "summarise_goals"

    def __init__(self, catalog: Catalog, summaries: SummaryService) -> None:
        super().__init__(catalog)
        self._summaries = summaries
        self._after = ""
        self._new: Sequence[Summary] = ()
        self._looked: Sequence[str] = ()

    async def prepare(self) -> None:
        """Make the summaries that are due of the next goals."""
        self._new, self._looked = await self._summaries.due(after=self._after, limit=self.table.batch)

    async def batch(self, tx: Tx, now: datetime) -> int:  # noqa: ARG002 - summaries have the time of their text
        """Store the summaries; return the number of goals that were looked at."""
        await self._summaries.write_in(tx, self._new)
        return len(self._looked)

    def committed(self) -> None:
        """Move the position behind the last goal, or back to the start after the last page."""
        self._after = self._looked[-1] if len(self._looked) == self.table.batch else ""


class CompactLogs(TableJob):
    """Replaces the old logs of finished actions by summaries."""

    name = "compact_logs"

    def __init__(self, catalog: Catalog, summaries: SummaryService) -> None:
        super().__init__(catalog)
        self._summaries = summaries
        self._found: Sequence[OldLog] = ()

    async def prepare(self) -> None:
        """Make the summaries of the next old logs."""
        # What is compacted is not found again, so each page is the first one.
        self._found = await self._summaries.due_logs(after="", limit=self.table.batch)

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Store the summaries and delete the entries; return the number of logs."""
        for old in self._found:
            await self._summaries.compact_in(tx, old, now)
        return len(self._found)


class SummariseConversations(TableJob):
    """Summarises the older messages of conversations that have gone on."""

    name = "summarise_conversations"

    def __init__(self, catalog: Catalog, conversations: ConversationSummaries) -> None:
        super().__init__(catalog)
        self._conversations = conversations

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Summarise a batch of conversations and return how many were looked at."""
        return await self._conversations.roll_in(tx, now, self.table.batch)
