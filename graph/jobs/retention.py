"""The jobs that delete what was kept for its time: archived observations, trace entries, delivered events.

Some of what is old is kept for longer, because a history needs it. So each job goes on behind the last record
that it looked at, and begins from the start in the next run.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Generic, TypeVar

import structlog

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.jobs.table_job import TableJob, append_by_organisation
from prefrontal.graph.scratch.expiry import deleted

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Tx

log = structlog.get_logger(__name__)

_START = (datetime(1970, 1, 1, tzinfo=UTC), "")

P = TypeVar("P")


class _Deletion(TableJob, Generic[P]):
    """What the jobs share: a position behind what was looked at, and the number of deletions."""

    def __init__(self, catalog: Catalog, start: P) -> None:
        super().__init__(catalog)
        self._after = self._last = start
        self._deleted = 0

    def committed(self) -> None:
        """Move the position behind the last batch, and log the deletions, now that they are committed."""
        self._after = self._last
        if self._deleted:
            log.info("outdated_deleted", job=self.name, deleted=self._deleted)


class DeleteArchived(_Deletion[tuple[datetime, str]]):
    """Deletes observations `archive_days` after they were archived or expired (source 004, §Retention).

    Kept are pinned observations and whatever a history needs: evidence, what a summary rests on, and a side
    of a contradiction whose other side is still there. Each deletion is an event.
    """

    name = "delete_archived"

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog, _START)

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Look at a batch of the observations whose time is over, oldest first; return how many."""
        row = await tx.one(
            "jobs/delete_archived",
            before=now - timedelta(days=self._catalog.scratch.archive_days),
            after_at=self._after[0],
            after_uid=self._after[1],
            batch=self.table.batch,
            now=now,
        )
        looked = int(row["looked"])
        self._last = _START
        if looked == self.table.batch:
            self._last = (datetime.fromisoformat(row["last_at"]), row["last_uid"])
        self._deleted = len(row["items"])
        await append_by_organisation(tx, row["items"], deleted, now)
        return looked


class DeleteTraces(_Deletion[str]):
    """Deletes trace entries after `trace_days`, but the log of an action only once it has been compacted."""

    name = "delete_traces"

    def __init__(self, catalog: Catalog) -> None:
        super().__init__(catalog, "")

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Look at a batch of the entries whose time is over, oldest first; return how many."""
        row = await tx.one(
            "jobs/delete_traces",
            before=floor_id(Kind.TRACE_EVENT, now - timedelta(days=self._catalog.retention.trace_days)),
            after=self._after,
            batch=self.table.batch,
        )
        looked = int(row["looked"])
        self._last = row["last_uid"] if looked == self.table.batch else ""
        self._deleted = int(row["deleted"])
        return looked


class DeleteEvents(_Deletion[str]):
    """Deletes delivered events after `event_days`; does nothing without that number."""

    name = "delete_events"

    def __init__(self, catalog: Catalog, *, published_to: str = "") -> None:
        """Store the tables, and the consumer of the broker that has to have an event first, if any."""
        super().__init__(catalog, "")
        self._published_to = published_to

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Delete up to a batch of events in a batch of spaces; return how many of the two were more."""
        days, size = self._catalog.retention.event_days, self.table.batch
        if days is None:
            return 0
        row = await tx.one(
            "jobs/delete_events",
            before=floor_id(Kind.OUTBOX_EVENT, now - timedelta(days=days)),
            after=self._after,
            published_to=self._published_to,
            batch=size,
        )
        self._deleted, spaces = int(row["deleted"]), int(row["spaces"])
        # While a full batch of events is deleted, the same spaces may have more.
        self._last = self._after if self._deleted == size else row["last_uid"] if spaces == size else ""
        return max(self._deleted, spaces)
