"""Sweeps: moving expired observations out of the active set (source 001, §Decision Points 4; decision G-002).

An observation reads as expired from its expiry time on, so readers do not depend on sweeps. The job sweeps
all spaces; a caller sweeps the spaces that it may write to. Each observation is checked again under its lock,
so that concurrent sweeps write only one version, trace entry and event per expiry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.scratch import store
from prefrontal.graph.scratch.record import Sweep, SweepExpired

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class ObservationExpiry:
    """Sweeps a caller's spaces on request."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter) -> None:
        self._catalog = catalog
        self._changes = changes

    async def sweep(self, caller: Caller, command: SweepExpired) -> Sweep:
        """Move one batch of expired observations out of the active set.

        Returns:
            The numbers of archived and deleted observations, and whether expired observations are left.

        Raises:
            NotFound: If the space is unknown or not readable.
            Forbidden: If the caller may read the space but not write to it.
        """
        require(caller, Permission.WRITE)
        writable = caller.writable if command.space is None else (target_space(caller, command.space),)
        batch = self._catalog.jobs.expire_observations.batch
        delete = self._catalog.scratch.on_expiry == "delete"

        async def work(tx: Tx, now: datetime) -> Change:
            faded = await store.find_faded(tx, now, batch + 1, writable)
            rows = await store.expire(
                tx,
                now,
                faded[:batch],
                delete=delete,
                writable=writable,
                by_uid=caller.actor_id,
                turn_id=command.turn_id,
            )
            change = expired(rows, command.turn_id)
            deleted = sum(1 for row in rows if row["gone"])
            result = Sweep(archived=len(rows) - deleted, deleted=deleted, has_more=len(faded) > batch)
            return change.model_copy(update={"result": result.model_dump()})

        result = await self._changes.run(caller, command, work)
        return Sweep.model_validate(result)


def expired(rows: Sequence[Row], turn_id: str | None = None) -> Change:
    """Return the journal of expired observations: one trace entry and one event for each."""
    return Change(
        result={},
        traces=tuple(
            Trace(
                kind=TraceKind.OBSERVATION_EXPIRED,
                message="Observation expired",
                ids=(row["uid"],),
                turn=turn_id,
                scope_id=row["scope_id"],
            )
            for row in rows
        ),
        events=tuple(
            Event(
                type=EventType.OBSERVATION_DELETED if row["gone"] else EventType.OBSERVATION_EXPIRED,
                aggregate=row["uid"],
                aggregate_version=row["version"],
                scope_id=row["scope_id"],
                data={"observation_id": row["uid"], "status": "expired"},
                turn=turn_id,
            )
            for row in rows
        ),
    )


def deleted(rows: Sequence[Row]) -> Change:
    """Return the journal of observations that were deleted after their time in the archive: an event each."""
    return Change(
        result={},
        events=tuple(
            Event(
                type=EventType.OBSERVATION_DELETED,
                aggregate=row["uid"],
                aggregate_version=row["version"],
                scope_id=row["scope_id"],
                data={"observation_id": row["uid"], "status": row["status"]},
            )
            for row in rows
        ),
    )
