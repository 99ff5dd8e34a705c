"""The time at which the loaded data was noticed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

_OLDEST = timedelta(days=14)
_NEWEST = timedelta(hours=2)


class PastClock:
    """Stands still at some moment of the last two weeks until it is moved to another one."""

    def __init__(self, random: Random) -> None:
        """Begin two weeks ago."""
        self._random = random
        self._start = datetime.now(UTC) - _OLDEST
        self._now = self._start

    def now(self) -> datetime:
        """Return the moment it was moved to."""
        return self._now

    def move(self) -> None:
        """Go to another moment, so that what is loaded next lies between what is there."""
        self._now = self._start + (_OLDEST - _NEWEST) * self._random.random()
