"""Remembers that the database is away, so that nobody waits for what was just found to be away.

    at hand   every unit of work runs, with the driver's retries
    away      one try every quarter of a second, without retries; all others are refused at once

Whichever try gets an answer ends it. So requests do not pile up behind a database that is away, and the
first one after its return finds it: nothing has to be restarted.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE_S = 0.25


class Outage:
    """Whether the database is known to be away."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin with the database at hand; `now` counts seconds."""
        self._now = now
        self._tried: float | None = None

    @property
    def known(self) -> bool:
        """Whether the latest answer about the database was that it is away."""
        return self._tried is not None

    def may_try(self) -> bool:
        """Tell whether to try now, and take note of the try."""
        if self._tried is None:
            return True
        if self._now() - self._tried < _PAUSE_S:
            return False
        self._tried = self._now()
        return True

    def begin(self) -> None:
        """Take note that the database did not answer."""
        self._tried = self._now()

    def end(self) -> None:
        """Take note that it answered, whatever it said."""
        self._tried = None
