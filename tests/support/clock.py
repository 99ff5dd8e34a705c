"""A clock that stands still until it is told to move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FixedClock:
    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime.now(UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, **delta: float) -> datetime:
        """Move on, e.g. `advance(seconds=61)`; ids made later sort later."""
        self._now += timedelta(**delta)
        return self._now
