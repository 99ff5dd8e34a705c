"""The time, passed in wherever a rule or a record needs it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Something that knows what time it is."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the machine's current time in UTC, with microseconds."""
        return datetime.now(UTC)


NEVER = datetime(9999, 12, 31, tzinfo=UTC)
"""Stands for "does not expire": indexes cannot filter on a missing value."""


def iso(moment: datetime) -> str:
    """Return ISO 8601 in UTC with a `Z`, e.g. `2025-11-05T10:30:00Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
