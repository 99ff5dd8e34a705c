"""Rows of observations as records; also used by domains whose queries return observations."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.scratch.record import Observation, ObservationStatus
from prefrontal.graph.scratch.validation import effective_status
from prefrontal.graph.storage.records import RecordMapper

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row

observations = RecordMapper(
    Observation,
    flat=["source", "context"],
    columns={"context_goal_key": "goal_key", "context_user_id": "user_id"},
    unstored=["entities"],
)


def observation(row: Row, now: datetime) -> Observation:
    """Return the record of a row, with the status that a reader sees at `now`."""
    times = ("created_at", "updated_at", "expires_at")
    values = row | {name: datetime.fromisoformat(row[name]) for name in times}
    values["status"] = effective_status(ObservationStatus(row["status"]), values["expires_at"], now)
    values["entities"] = tuple(
        EntityName(name=name, kind=kind or None)
        for name, kind in zip(row["entity_names"] or (), row["entity_kinds"] or (), strict=True)
    )
    return observations.record(values)
