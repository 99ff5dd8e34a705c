"""Circuit breaker for the database: during an outage, units of work fail at once instead of waiting.

    state      what happens to a unit of work
    reachable  it runs, with the driver's retries
    outage     one attempt every quarter of a second, without retries; all others are refused at once

The first attempt that gets an answer ends the outage. Requests therefore do not pile up behind an
unreachable database, and the service recovers by itself when the database returns, without a restart.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE_S = 0.25


class CircuitBreaker:
    """The state of the circuit breaker: whether the database is known to be unreachable."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Begin in the state reachable; `now` returns a monotonic time in seconds."""
        self._now = now
        self._tried: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the latest attempt found the database unreachable."""
        return self._tried is not None

    def allows_attempt(self) -> bool:
        """Return whether the caller may try now; during an outage, record the attempt."""
        if self._tried is None:
            return True
        if self._now() - self._tried < _PAUSE_S:
            return False
        self._tried = self._now()
        return True

    def record_failure(self) -> None:
        """Record that the database did not answer."""
        self._tried = self._now()

    def record_answer(self) -> None:
        """Record that the database answered, with a result or with an error."""
        self._tried = None
