"""The jobs that delete what the commits of turns kept for a time: episodes, and StateExports."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.jobs.table_job import TableJob, append_by_organisation
from prefrontal.graph.journal.record import Change, Event, EventType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class DeleteEpisodes(TableJob):
    """Deletes episodes whose time is over (source 004, §Retention Policies); each deletion is an event.

    No read sees them from that time on; the job frees their room.
    """

    name = "delete_episodes"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Delete up to a batch of episodes, those whose time is over first, and return how many."""
        row = await tx.one("jobs/delete_episodes", now=now, batch=self.table.batch)
        await append_by_organisation(tx, row["items"], _deleted, now)
        return len(row["items"])


class DeleteExports(TableJob):
    """Deletes StateExports after `export_days`, and what is left of parts of commits that were done later."""

    name = "delete_exports"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Delete up to a batch of exports and of parts, oldest first, and return how many."""
        since = now - timedelta(days=self._catalog.retention.export_days)
        row = await tx.one(
            "jobs/delete_exports",
            exports_before=floor_id(Kind.STATE_EXPORT, since),
            parts_before=floor_id(Kind.PENDING_COMMIT, since),
            batch=self.table.batch,
        )
        return int(row["deleted"])


def _deleted(rows: Sequence[Row]) -> Change:
    return Change(
        result={},
        events=tuple(
            Event(
                type=EventType.EPISODE_DELETED,
                aggregate=row["uid"],
                aggregate_version=row["version"],
                scope_id=row["scope_id"],
                data={"memory_id": row["uid"], "kind": "episode"},
            )
            for row in rows
        ),
    )
