"""The jobs of turns: those that were left open are closed, and the execution log keeps its time."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.jobs.table_job import TableJob
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.journal.store import append_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Tx


class CloseAbandonedTurns(TableJob):
    """Closes turns that are open although nothing was heard of them for `abandoned_after_hours`.

    An entry of its trace is a sign of a turn's life. What a turn has written stays as it is.
    """

    name = "close_abandoned_turns"

    def __init__(self, catalog: Catalog, *, on_change: Callable[[Change], None]) -> None:
        """Store the tables, and what is called with each change that was committed."""
        super().__init__(catalog)
        self._on_change = on_change
        self._after = self._last = ""
        self._changes: list[Change] = []

    def committed(self) -> None:
        """Move the position behind the last batch, and count it, now that it is committed."""
        self._after = self._last
        for change in self._changes:
            self._on_change(change)

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Look at a batch of old open turns, oldest first, and close the silent ones; return how many."""
        self._changes = []
        since = now - timedelta(hours=self._catalog.turns.abandoned_after_hours)
        row = await tx.one(
            "jobs/close_abandoned_turns",
            before=floor_id(Kind.TURN, since),
            silent_since=floor_id(Kind.TRACE_EVENT, since),
            after=self._after,
            batch=self.table.batch,
            now=now,
        )
        looked = int(row["looked"])
        self._last = row["last_uid"] if looked == self.table.batch else ""
        by_home = sorted(row["items"], key=lambda item: (item["org_id"], item["scope_id"], item["uid"]))
        for (org_id, home), group in groupby(by_home, key=lambda item: (item["org_id"], item["scope_id"])):
            change = _abandoned(list(group))
            # No client asked for the change, so the organisation itself is the actor. The turns are those of
            # one space, in which the journal finds them by the names that they have.
            await append_rows(
                tx, org_id=org_id, actor_id=org_id, home=home, change=change, now=now, keeping_names=True
            )
            self._changes.append(change)
        return looked


class DeleteInvocations(TableJob):
    """Deletes invocations of tools, with their results, after `invocation_days`."""

    name = "delete_invocations"

    async def batch(self, tx: Tx, now: datetime) -> int:
        """Delete up to a batch of invocations, oldest first, and return how many."""
        days = self._catalog.retention.invocation_days
        row = await tx.one(
            "jobs/delete_invocations",
            before=floor_id(Kind.TOOL_INVOCATION, now - timedelta(days=days)),
            batch=self.table.batch,
        )
        return int(row["deleted"])


def _abandoned(items: Sequence[Mapping[str, Any]]) -> Change:
    """Return the journal of turns of one space that were abandoned; `key` is what each is known by."""
    return Change(
        result={},
        traces=tuple(
            Trace(
                kind=TraceKind.TURN_ABANDONED,
                message="Turn abandoned",
                ids=(item["uid"],),
                turn=item["key"],
                scope_id=item["scope_id"],
            )
            for item in items
        ),
        events=tuple(
            Event(
                type=EventType.TURN_ABANDONED,
                aggregate=item["uid"],
                aggregate_version=item["version"],
                scope_id=item["scope_id"],
                turn=item["key"],
            )
            for item in items
        ),
    )
