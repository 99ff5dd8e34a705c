"""Whether the clock can be believed: jobs that expire and delete must not follow a clock that has jumped.

    seen                                                     the time is
    as far as the monotonic clock has run                    believed
    ahead of that by more than `TOLERANCE`                   doubted
    ahead of the job's last batch by more than `HOLD`        doubted, in a process that has just started
    doubted for `HOLD` by the monotonic clock                believed: the machine slept, or was switched off

A clock that is set right within `HOLD` has expired nothing. Reads show what is over by the present time; that
is right again as soon as the clock is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

TOLERANCE = timedelta(minutes=1)
HOLD = timedelta(minutes=10)


class ClockWatch:
    """Compares the clock with the monotonic one and with the time of the last batch."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._believed: tuple[datetime, float] | None = None
        self._doubted: tuple[datetime, float] | None = None

    def believes(self, now: datetime, last: datetime | None) -> bool:
        """Return whether a job may act on the time `now`.

        Args:
            now: The time by the clock.
            last: When a process last did a batch of the job, by its clock; None if none ever did.
        """
        passed = self._monotonic()
        if self._believed is not None:
            ahead = _ahead(self._believed, now, passed) > TOLERANCE
        else:
            # Another process may have worked at the doubted time: a doubt lasts until the clock is set back.
            going_on = self._doubted is not None and _ahead(self._doubted, now, passed) >= -TOLERANCE
            ahead = going_on or (last is not None and now - last > HOLD)
        if ahead and not self._has_held(now, passed):
            return False
        self._believed, self._doubted = (now, passed), None
        return True

    def _has_held(self, now: datetime, passed: float) -> bool:
        """Return whether the doubted time has gone on like the monotonic clock for `HOLD`."""
        if self._doubted is None or abs(_ahead(self._doubted, now, passed)) > TOLERANCE:
            self._doubted = (now, passed)
        return timedelta(seconds=passed - self._doubted[1]) >= HOLD


def _ahead(since: tuple[datetime, float], now: datetime, passed: float) -> timedelta:
    """Return by how much the clock has run faster than the monotonic one since a moment."""
    return now - since[0] - timedelta(seconds=passed - since[1])
