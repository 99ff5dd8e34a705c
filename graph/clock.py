"""The clock as a dependency: services read the time from a clock and pass it to rules and records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """A source of the current time. Tests use a clock that they set themselves."""

    def now(self) -> datetime:
        """Return the current time in UTC, with its time zone."""
        ...


class SystemClock:
    """The system clock of the machine."""

    def now(self) -> datetime:
        """Return the current system time in UTC, in microseconds."""
        return datetime.now(UTC)


NEVER = datetime(9999, 12, 31, tzinfo=UTC)
"""The expiry time of nodes that do not expire. A real value is needed because indexes skip missing ones."""


def iso(moment: datetime) -> str:
    """Return a time as ISO 8601 text in UTC with a `Z`, e.g. `2025-11-05T10:30:00Z`."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def sortable(moment: datetime) -> str:
    """Return a time as text in UTC that sorts like the time, e.g. `2025-11-05T10:30:00.000000`."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
