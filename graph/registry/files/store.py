"""Reads and writes the kept definitions of a registry: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.registry.files.record import CommonSpace, LockedDefinitions, RetiredUse, TypeDefinition
from prefrontal.graph.storage.records import RecordMapper

if TYPE_CHECKING:
    from prefrontal.graph.storage.unit_of_work import Tx

_definitions = RecordMapper(TypeDefinition)


async def lock_definitions(tx: Tx, registry: str, ended_after: datetime) -> LockedDefinitions:
    """Lock the kept definitions of a registry until the commit and return them.

    Versions that ended before a time are left out.
    """
    row = await tx.one("registry/lock_definitions", registry=registry, ended_after=ended_after)
    return LockedDefinitions(
        definitions=tuple(_definitions.record(item) for item in row["items"]),
        spaces=tuple(CommonSpace.model_validate(item) for item in row["spaces"]),
    )


async def save(
    tx: Tx, registry: str, rows: Sequence[TypeDefinition], events: Sequence[dict[str, Any]], now: datetime
) -> None:
    """Store new versions of definitions, each in the place of the one before it, and their events."""
    await tx.execute(
        "registry/save_definitions",
        registry=registry,
        rows=[
            {
                "type_id": row.type_id,
                "number": row.number,
                "properties": {
                    **_definitions.properties(row),
                    "registry": registry,
                    "retired_statuses": json.dumps(row.retired_statuses, sort_keys=True),
                },
            }
            for row in rows
        ],
        events=list(events),
        now=now,
    )


async def count_open(tx: Tx, types: Iterable[str]) -> list[RetiredUse]:
    """Return the number of open actions of some types, by type and status.

    Actions of organisations that define the type themselves are left out.
    """
    row = await tx.one("registry/count_retired", types=sorted(types))
    return [RetiredUse.model_validate(item) for item in row["items"]]
