"""The clock for loading data: moments of the last two weeks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

_OLDEST = timedelta(days=14)
_NEWEST = timedelta(hours=2)


class PastClock:
    """A clock that stands still at a moment of the last two weeks until `move` is called."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._start = datetime.now(UTC) - _OLDEST
        self._now = self._start

    def now(self) -> datetime:
        """Return the present moment of the clock."""
        return self._now

    def move(self) -> None:
        """Move to a random moment, so that later loaded data mixes in time with earlier loaded data."""
        self._now = self._start + (_OLDEST - _NEWEST) * self._random.random()
