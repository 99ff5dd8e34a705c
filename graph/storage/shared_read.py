"""One read transaction for all reads of a request, so that who asks and what is asked cost one `BEGIN`.

    opened     by the first read inside `Database.one_read()`; who only writes, or reads nothing, opens none
    used       by one read at a time; statements of one transaction cannot run side by side anyway
    given up   at the end of the request, before a write, and when the database fails: reads after that have
               transactions of their own, with the driver's retries

Reads see what is committed when their statement begins, as in transactions of their own. A request never
holds two connections, so many requests at once cannot wait for each other.
"""

from __future__ import annotations

import asyncio
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from neo4j import READ_ACCESS
from neo4j.exceptions import DriverError, Neo4jError

from prefrontal.graph.errors import TimedOut, Unavailable
from prefrontal.graph.storage.driver import (
    DEADLINE_PASSED,
    DOWN,
    FOREIGN_ERRORS,
    GRACE_S,
    pipelined,
    translate,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from neo4j import AsyncDriver, AsyncSession, AsyncTransaction

    from prefrontal.graph.storage.circuit_breaker import Outage

T = TypeVar("T")

# Of a deadline: a transaction that is older when a read begins may have left that read too little time.
_YOUNG = 0.1

current: ContextVar[SharedRead | None] = ContextVar("shared_read", default=None)
"""The shared transaction of the request that this task works for."""


class NotShared(Exception):
    """There is no shared transaction any more; the read takes one of its own."""


class SharedRead:
    """The read transaction of one request."""

    def __init__(self, driver: AsyncDriver, database: str, timeout_s: float, outage: Outage) -> None:
        """Take where it is opened, the deadline of the whole, and what is known of the database's absence."""
        self._outage = outage
        self._driver = driver
        self._database = database
        self._timeout_s = timeout_s
        self._lock = asyncio.Lock()
        self._session: AsyncSession | None = None
        self._tx: AsyncTransaction | None = None
        self._began = 0.0
        self._over = False

    async def run(self, work: Callable[[AsyncTransaction], Awaitable[T]], timeout_s: float | None) -> T:
        """Return the result of `work` in the shared transaction.

        Raises:
            NotShared: It was given up before, or failed now in a way that another attempt may mend.
            Unavailable: The database cannot do it.
            TimedOut: The deadline passed.
        """
        async with self._lock:
            if self._over or (self._tx is None and self._outage.known):
                raise NotShared
            lost = time.monotonic() - self._began if self._tx else 0.0
            try:
                tx = self._tx or await self._open()
                # The server ends it at its deadline: one that says nothing by then has gone silent.
                async with asyncio.timeout(timeout_s or self._timeout_s + GRACE_S) as deadline:
                    return await work(tx)
            except TimeoutError as error:
                await self._give_up(failed=True)
                if not deadline.expired():
                    raise NotShared from error
                if timeout_s is None:
                    self._outage.begin()
                    raise Unavailable(DOWN) from error
                raise TimedOut(DEADLINE_PASSED) from error
            except asyncio.CancelledError:
                await self._give_up(failed=True)
                raise
            except FOREIGN_ERRORS as error:
                await self._give_up(failed=True)
                ours = translate(error)
                if _worth_another(error) or (isinstance(ours, TimedOut) and lost > _YOUNG * self._timeout_s):
                    raise NotShared from error
                if ours is None:
                    raise
                raise ours from error

    async def end(self) -> None:
        """Give the transaction up once nothing runs in it; the connection goes back to the pool."""
        if self._over:
            return
        async with self._lock:
            await self._give_up(failed=False)

    async def _open(self) -> AsyncTransaction:
        self._session = self._driver.session(database=self._database, default_access_mode=READ_ACCESS)
        with pipelined(self._session):
            self._tx = await self._session.begin_transaction(
                metadata={"app": "prefrontal"}, timeout=self._timeout_s
            )
        self._began = time.monotonic()
        return self._tx

    async def _give_up(self, *, failed: bool) -> None:
        self._over = True
        session, tx = self._session, self._tx
        self._session = self._tx = None
        try:
            async with asyncio.timeout(GRACE_S):
                if tx is not None and not failed:
                    await tx.commit()
                if session is not None:
                    await session.close()
        except FOREIGN_ERRORS:
            # Nothing was written and every result is there already.
            if session is not None:
                session.cancel()


def _worth_another(error: Exception) -> bool:
    return isinstance(error, Neo4jError | DriverError) and error.is_retryable()
