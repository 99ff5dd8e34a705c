"""One read transaction for all reads of a request: finding the caller and reading the data cost one `BEGIN`.

    opened   by the first read inside `Database.read_transaction()`; a request that reads nothing opens none
    used     by one read at a time; Neo4j cannot run statements of one transaction in parallel anyway
    ended    at the end of the request, before a write, and when the database fails; later reads run in
             their own transactions, with the driver's retries

Each statement sees the data that is committed when the statement begins, just as in separate transactions.
A request never holds two connections, so concurrent requests cannot deadlock on the connection pool.

A row that an earlier request has read, the caller's, may be expected to be the same. The first statement that
can is then sent together with the one that reads the row, in a transaction of its own: one way to the server
and back instead of three. If the row has changed, the request is `outdated`: whoever opened the block has to
throw away what was read, and to begin again without an expectation.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from neo4j import READ_ACCESS
from neo4j import Query as Statement
from neo4j.exceptions import DriverError, Neo4jError

from prefrontal.graph.errors import TimedOut, Unavailable
from prefrontal.graph.storage.bookmarks import current_chain, options_of
from prefrontal.graph.storage.driver import (
    BEHIND,
    CONNECT_TIMEOUT_S,
    DEADLINE_PASSED,
    DOWN,
    FOREIGN_ERRORS,
    GRACE_S,
    pipelined,
    translate,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from neo4j import AsyncDriver, AsyncResult, AsyncSession, AsyncTransaction

    from prefrontal.graph.storage.circuit_breaker import CircuitBreaker
    from prefrontal.graph.storage.rows import Row

T = TypeVar("T")

# A fraction of the deadline. A read that begins in an older transaction may have had too little time left,
# so after a timeout it is repeated in its own transaction.
_YOUNG = 0.1

current: ContextVar[SharedRead | None] = ContextVar("shared_read", default=None)
"""The shared transaction of the request that the current task belongs to."""


class NotShared(Exception):
    """The shared transaction has ended; the read must run in its own transaction."""


class Runs(Protocol):
    """Whatever runs a statement in a transaction."""

    async def run(self, query: Any, parameters: dict[str, Any] | None = None) -> AsyncResult:
        """Run a statement."""


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """A row that an earlier request has read, and the query that reads it again."""

    query: str
    params: dict[str, Any]
    row: Row
    """The row; its lists are in any order."""

    def is_row(self, row: Row | None) -> bool:
        return row is not None and _in_order(row) == _in_order(self.row)


def _in_order(row: Row) -> Row:
    return {
        name: sorted(value, key=repr) if isinstance(value, list) else value for name, value in row.items()
    }


class SharedRead:
    """The read transaction of one request."""

    expected: ExpectedRow | None = None
    """The row that no statement has confirmed yet."""
    outdated: bool = False
    """Whether an expected row has changed."""

    def __init__(self, driver: AsyncDriver, database: str, timeout_s: float, breaker: CircuitBreaker) -> None:
        self._breaker = breaker
        self._driver = driver
        self._database = database
        self._timeout_s = timeout_s
        self._lock = asyncio.Lock()
        self._session: AsyncSession | None = None
        self._tx: AsyncTransaction | None = None
        self._began = 0.0
        self._over = False

    def confirm(self, row: Row | None) -> None:
        """Compare the expected row with the one that a statement has read."""
        expected, self.expected = self.expected, None
        self.outdated = self.outdated or (expected is not None and not expected.is_row(row))

    async def run(self, work: Callable[[Runs], Awaitable[T]], timeout_s: float | None) -> T:
        """Return the result of `work` in the shared transaction.

        Raises:
            NotShared: If the transaction had ended before, or failed now in a way that a retry may solve.
            Unavailable: If the database cannot run the statement.
            TimedOut: If the deadline passed.
        """
        async with self._lock:
            if self._over or (self._tx is None and self._breaker.is_open):
                raise NotShared
            if self._tx is None and current_chain().waits:
                await self._reach()
            lost = time.monotonic() - self._began if self._tx else 0.0
            # The first plan of two statements together takes longer than each of them may need.
            together = self.expected is not None
            try:
                tx: Runs = self._tx or (_First(self) if self.expected else await self.open())
                # The server ends a transaction at its deadline. No answer by then means a silent server.
                async with asyncio.timeout(timeout_s or self._timeout_s + GRACE_S) as deadline:
                    return await work(tx)
            except TimeoutError as error:
                await self._give_up(failed=True)
                if not deadline.expired() or (together and timeout_s is not None):
                    raise NotShared from error
                if timeout_s is None:
                    self._breaker.record_failure()
                    raise Unavailable(DOWN) from error
                raise TimedOut(DEADLINE_PASSED) from error
            except asyncio.CancelledError:
                await self._give_up(failed=True)
                raise
            except FOREIGN_ERRORS as error:
                await self._give_up(failed=True)
                ours = translate(error)
                late = isinstance(ours, TimedOut) and (together or lost > _YOUNG * self._timeout_s)
                if late or _worth_another(error):
                    raise NotShared from error
                if ours is None:
                    raise
                raise ours from error

    async def _reach(self) -> None:
        """Begin the transaction on a server that has come as far as the client's bookmarks.

        Raises:
            NotShared: If it failed in a way that a retry may solve.
            Unavailable: If no server has come so far, or none answers.
            InvalidInput: If the bookmarks are of another database.
        """
        try:
            async with asyncio.timeout(self._timeout_s + CONNECT_TIMEOUT_S) as deadline:
                await self.open(at_once=False)
        except TimeoutError as error:
            await self._give_up(failed=True)
            if not deadline.expired():
                raise NotShared from error
            raise Unavailable(BEHIND) from error
        except asyncio.CancelledError:
            await self._give_up(failed=True)
            raise
        except FOREIGN_ERRORS as error:
            await self._give_up(failed=True)
            ours = translate(error)
            if ours is None or _worth_another(error):
                raise NotShared from error
            raise ours from error

    async def end(self) -> None:
        """Wait for the running read, then end the transaction and return the connection to the pool."""
        if self._over:
            return
        async with self._lock:
            await self._give_up(failed=False)

    async def run_alone(self, text: str, params: dict[str, Any] | None) -> AsyncResult:
        """Run a statement in a transaction of its own: `BEGIN` and `COMMIT` are not sent."""
        statement = Statement(text, metadata={"app": "prefrontal"}, timeout=self._timeout_s)
        return await self._opened().run(statement, params)

    def _opened(self) -> AsyncSession:
        if self._session is None:
            self._session = self._driver.session(
                database=self._database, default_access_mode=READ_ACCESS, **options_of(current_chain())
            )
        return self._session

    async def open(self, *, at_once: bool = True) -> AsyncTransaction:
        """Begin the transaction, or return the one that has begun; `at_once` does not wait for the server."""
        if self._tx is not None:
            return self._tx
        self._session = self._opened()
        with pipelined(self._session) if at_once else nullcontext():
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
                await session.close()


class _First:
    """Runs the first statement in a transaction of its own, and the next ones in the shared one."""

    def __init__(self, shared: SharedRead) -> None:
        self._shared = shared
        self._used = False

    async def run(self, query: Any, parameters: dict[str, Any] | None = None) -> AsyncResult:
        if self._used:
            return await (await self._shared.open()).run(query, parameters)
        self._used = True
        return await self._shared.run_alone(query, parameters)


def _worth_another(error: Exception) -> bool:
    return isinstance(error, Neo4jError | DriverError) and error.is_retryable()
