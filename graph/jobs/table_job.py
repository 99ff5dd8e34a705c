"""What periodic jobs share: the table of a job, by its name, and the journal of what a job did by itself."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from prefrontal.graph.journal.store import append_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import JobTable
    from prefrontal.graph.journal.record import Change
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class TableJob:
    """A job whose interval, lease and batch size stand under its name in `registry/operations/jobs.yaml`."""

    name: ClassVar[str]

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def table(self) -> JobTable:
        """The interval, lease and batch size of the job."""
        table: JobTable = getattr(self._catalog.jobs, self.name)
        return table


async def append_by_organisation(
    tx: Tx, rows: Iterable[Row], change_of: Callable[[Sequence[Row]], Change], now: datetime
) -> None:
    """Append to the journal of each organisation what a job did there.

    Args:
        tx: The transaction of the job.
        rows: What the job changed, each with `org_id` and `uid`.
        change_of: Returns the change of the rows of one organisation, which come by `uid`.
        now: The time of the change.
    """
    ordered = sorted(rows, key=lambda row: (row["org_id"], row["uid"]))
    for org_id, group in groupby(ordered, key=lambda row: str(row["org_id"])):
        change = change_of(list(group))
        # No client asked for the change, so the organisation itself is the actor.
        await append_rows(tx, org_id=org_id, actor_id=org_id, home=org_id, change=change, now=now)
