"""One read transaction for all reads of a request: finding the caller and reading the data cost one `BEGIN`.

    opened   by the first read inside `Database.one_read()`; a request that reads nothing opens none
    used     by one read at a time; Neo4j cannot run statements of one transaction in parallel anyway
    ended    at the end of the request, before a write, and when the database fails; later reads run in
             their own transactions, with the driver's retries

Each statement sees the data that is committed when the statement begins, just as in separate transactions.
A request never holds two connections, so concurrent requests cannot deadlock on the connection pool.
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

# A fraction of the deadline. A read that begins in an older transaction may have had too little time left,
# so after a timeout it is repeated in its own transaction.
_YOUNG = 0.1

current: ContextVar[SharedRead | None] = ContextVar("shared_read", default=None)
"""The shared transaction of the request that the current task belongs to."""


class NotShared(Exception):
    """The shared transaction has ended; the read must run in its own transaction."""


class SharedRead:
    """The read transaction of one request."""

    def __init__(self, driver: AsyncDriver, database: str, timeout_s: float, outage: Outage) -> None:
        """Store the driver, the database name, the transaction's deadline and the circuit breaker."""
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
            NotShared: If the transaction had ended before, or failed now in a way that a retry may solve.
            Unavailable: If the database cannot run the statement.
            TimedOut: If the deadline passed.
        """
        async with self._lock:
            if self._over or (self._tx is None and self._outage.known):
                raise NotShared
            lost = time.monotonic() - self._began if self._tx else 0.0
            try:
                tx = self._tx or await self._open()
                # The server ends a transaction at its deadline. No answer by then means a silent server.
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
        """Wait for the running read, then end the transaction and return the connection to the pool."""
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
            # A read transaction has nothing to commit, and all results have arrived: drop the connection.
            if session is not None:
                session.cancel()


def _worth_another(error: Exception) -> bool:
    return isinstance(error, Neo4jError | DriverError) and error.is_retryable()
