"""The jobs that expire observations, link turns to what they saw, delete outdated records and count."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.jobs.table_job import TableJob, append_by_organisation
from prefrontal.graph.scratch import store as scratch_store
from prefrontal.graph.scratch.expiry import expired

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Tx


class ExpireObservations(TableJob):
    """Expires observations after their lifetime (source 001, §Decision Points 4).

    Readers never wait for the job: an observation reads as expired as soon as its lifetime is over. The job
    writes the status and, for each observation, a version, a trace entry and an event.
    """

    name = "expire_observations"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Expire up to a batch of observations and return how many."""
        faded = await scratch_store.find_faded(tx, now, self.table.batch)
        rows = await scratch_store.expire(tx, now, faded, delete=self._catalog.scratch.on_expiry == "delete")
        await append_by_organisation(tx, rows, expired, now)
        return len(rows)


class LinkIncluded(TableJob):
    """Links turns to what their contexts included, a moment after the contexts.

    The receipts say what was included from the beginning. The relationships are for whoever walks the graph.
    Each one locks a memory, so a batch is small, and no request waits for it.
    """

    name = "link_included"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Link a batch of receipts, oldest first, and return how many."""
        row = await tx.one("jobs/link_included", now=now, batch=self.table.batch)
        return int(row["receipts"])


class DeleteOutdated(TableJob):
    """Deletes requests, accesses, and context receipts with what their turns saw, after their retention."""

    name = "delete_outdated"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Delete up to a batch of requests, accesses, receipts and of what turns saw; return how many."""
        row = await tx.one("jobs/delete_outdated", now=now, batch=self.table.batch)
        return int(row["deleted"])


class CountItems(TableJob):
    """Counts the records of each organisation, for the limit on what it stores."""

    name = "count_items"

    def __init__(self, catalog: Catalog, most: int) -> None:
        """Store the tables, and the limit, beyond which nothing is counted; 0 is no limit."""
        super().__init__(catalog)
        self._most = most
        self._after = self._last = ""

    def committed(self) -> None:
        """Move the position behind the last batch, now that it is committed."""
        self._after = self._last

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Count the records of a batch of organisations and return how many organisations there were."""
        del now
        if not self._most:
            return 0
        row = await tx.one(
            "jobs/count_items", after_uid=self._after, batch=self.table.batch, most=self._most + 1
        )
        counted = int(row["counted"])
        self._last = row["last_uid"] if counted == self.table.batch else ""
        return counted
