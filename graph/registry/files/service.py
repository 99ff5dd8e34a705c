"""Keeps the definitions of the registry's files in the graph, and compares the files with them at a start."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.registry.files import store
from prefrontal.graph.registry.files.record import (
    SETTINGS,
    TURN_LASTS,
    CommonSpace,
    DefinitionState,
    LockedDefinitions,
    TypeDefinition,
)
from prefrontal.graph.registry.files.rules import (
    advice,
    fields_changed,
    moments_of,
    new_versions,
    retired_uses,
)
from prefrontal.graph.validation import camel

if TYPE_CHECKING:
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.registry.definitions import ActionTypes, Moment
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_COUNTED_FOR = timedelta(minutes=1)


class DefinitionService:
    """Keeps what the files of a registry say with versions, so that a restart loses nothing.

    All servers that have the same registry share the definitions under its name.
    """

    def __init__(self, database: Database, clock: Clock, types: ActionTypes, registry: str) -> None:
        self._database = database
        self._clock = clock
        self._types = types
        self._registry = registry
        self._counted: tuple[Moment, datetime] | None = None
        self.degraded: list[str] = []
        """What a maintainer has to do about open actions whose type or status the files dropped."""

    async def keep(self) -> int:
        """Compare the loaded files with the kept definitions, keep what changed; return how many did.

        Afterwards the types in force are the same in every process with these files: with the times of their
        changes, and with retired types and statuses for actions that still have them. Every organisation gets
        an event for each change.

        Raises:
            Unavailable: If the database does not answer; a repeated call does the same.
        """
        loaded = self._types.loaded
        now = self._clock.now()

        async def work(tx: Tx) -> tuple[Sequence[TypeDefinition], int]:
            locked = await store.lock_definitions(tx, self._registry, now - TURN_LASTS)
            rows = [
                row if row.type_uid else row.model_copy(update={"type_uid": new_id(Kind.ACTION_TYPE, now)})
                for row in new_versions(locked.definitions, loaded, now)
            ]
            if rows:
                events = list(_events(locked, rows, now)) if locked.definitions else []
                await store.save(tx, self._registry, rows, events, now)
            return (*locked.definitions, *rows), len(rows)

        kept, number = await self._database.write(work)
        self._types.restore(moments_of(kept))
        return number

    async def follow(self) -> None:
        """Count the open actions of retired types and statuses, at most once a minute, for `degraded`.

        Raises:
            Unavailable: If the database does not answer.
        """
        moment, now = self._types.moments[-1], self._clock.now()
        if self._counted is not None and self._counted[0] is moment and now - self._counted[1] < _COUNTED_FOR:
            return
        names = {*moment.retired, *(name for name, kind in moment.types.items() if kind.retired_statuses)}

        async def work(tx: Tx) -> list[str]:
            return advice(retired_uses(await store.count_open(tx, names), moment))

        self.degraded = await self._database.read(work) if names else []
        self._counted = moment, now


def _events(
    locked: LockedDefinitions, rows: Sequence[TypeDefinition], now: datetime
) -> Iterator[dict[str, Any]]:
    """Yield an event for each change and organisation; the organisation itself is the actor."""
    before = {row.type_id: row for row in sorted(locked.definitions, key=lambda each: each.number)}
    pairs: list[tuple[TypeDefinition, CommonSpace]] = [
        (row, space) for row in rows for space in locked.spaces
    ]
    for uid, (row, space) in zip(new_ids(Kind.OUTBOX_EVENT, now, len(pairs)), pairs, strict=True):
        fields = fields_changed(before.get(row.type_id), row)
        data = {
            "type_id": None if row.type_id == SETTINGS else row.type_id,
            "retired": row.state is DefinitionState.RETIRED,
            "fields": [camel(name) for name in fields],
        }
        yield {
            "uid": uid,
            "org_id": space.org_id,
            "scope_id": space.scope_id,
            "by_uid": space.org_id,
            "name": EventType.ACTION_TYPE_FILE_CHANGED.value,
            "type": EventType.ACTION_TYPE_FILE_CHANGED.value,
            "aggregate": row.type_uid,
            "aggregate_version": row.number,
            "created_at": now,
            "data": json.dumps(data),
        }
