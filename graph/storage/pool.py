"""The driver's pool of connections: how many are used and idle, and how long a transaction waits for one.

The driver tells nothing of its pool. Its private parts are read here and nowhere else; with a driver that has
none of these names nothing is told, and everything else works.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from neo4j import AsyncDriver

BOUNDS: Final = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
"""The upper bounds of the classes of waits, in seconds; one more class has the longer ones."""


class Pool:
    """What is known of the pool of one driver."""

    def __init__(self, pool: Any) -> None:
        """Watch the driver's own pool; None if it has none that is known here."""
        self._pool = pool
        self.waiting = 0
        """How many transactions wait for a connection now, or for a new one to open."""
        self.waits = [0] * (len(BOUNDS) + 1)
        """How many transactions waited so long, by the classes of `BOUNDS`, also in vain."""
        self.seconds = 0.0
        """How long all of them waited together."""
        acquire = getattr(pool, "acquire", None)
        if acquire is not None:
            pool.acquire = self._timed(acquire)

    @property
    def in_use(self) -> int:
        """How many connections carry a transaction."""
        return sum(connection.in_use for connection in self._connections())

    @property
    def idle(self) -> int:
        """How many connections are open and free."""
        return sum(not connection.in_use for connection in self._connections())

    def _connections(self) -> list[Any]:
        by_address = getattr(self._pool, "connections", {})
        return [connection for connections in list(by_address.values()) for connection in list(connections)]

    def _timed(self, acquire: Any) -> Any:
        async def timed(*given: Any, **named: Any) -> Any:
            started = time.perf_counter()
            self.waiting += 1
            try:
                return await acquire(*given, **named)
            finally:
                self.waiting -= 1
                seconds = time.perf_counter() - started
                self.seconds += seconds
                self.waits[bisect_left(BOUNDS, seconds)] += 1

        return timed


_POOLS: WeakKeyDictionary[AsyncDriver, Pool] = WeakKeyDictionary()


def pool_of(driver: AsyncDriver) -> Pool:
    """Return what is known of a driver's pool: one and the same for each driver."""
    known = _POOLS.get(driver)
    if known is None:
        known = _POOLS[driver] = Pool(getattr(driver, "_pool", None))
    return known
