"""Units of work: async functions that receive a transaction and may run more than once.

The driver retries the function after a transient error (a deadlock, a new cluster leader, a connection
lost before the commit). It is also retried if a concurrent transaction deleted a node that it had found, or
linked one that it deletes. The function must therefore change nothing but the database. Ids, timestamps and
slow computations are made before it runs.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from neo4j import READ_ACCESS, WRITE_ACCESS, unit_of_work
from neo4j.exceptions import IncompleteCommit, TransientError

from prefrontal.graph.errors import NOTHING_WRITTEN, OutcomeUnknown, QueryFileError, TimedOut, Unavailable
from prefrontal.graph.storage.bookmarks import current_chain, options_of
from prefrontal.graph.storage.circuit_breaker import CircuitBreaker
from prefrontal.graph.storage.driver import (
    BEHIND,
    CONNECT_TIMEOUT_S,
    DOWN,
    FOREIGN_ERRORS,
    GRACE_S,
    UNKNOWN,
    cause_of_retry,
    is_away,
    is_outrun,
    pipelined,
    translate,
)
from prefrontal.graph.storage.plans import Plans
from prefrontal.graph.storage.queries import FIRST_ROWS, Mode, Query, Returns, join_statements, one_parameter
from prefrontal.graph.storage.rows import Row, row_of, to_parameters
from prefrontal.graph.storage.shared_read import ExpectedRow, NotShared, Runs, SharedRead, current

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping

    from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncResult

    from prefrontal.graph.errors import PrefrontalError

T = TypeVar("T")
_AGAIN_S = (0.1, 0.2, 0.4)
"""How long a statement by itself waits before it is run again, each time."""


class QueryObserver(Protocol):
    """A function that is called after every statement."""

    def __call__(self, query: Query, seconds: float, *, failed: bool) -> None:
        """Receive the query, its duration until the last row, and whether it raised."""
        ...


class Tx:
    """A transaction that runs query files by name."""

    def __init__(
        self,
        tx: Runs | AsyncManagedTransaction,
        queries: Mapping[str, Query],
        observers: list[QueryObserver],
        plans: Plans,
        new: set[str],
        shared: SharedRead | None = None,
    ) -> None:
        """Wrap one attempt of a managed transaction, or the shared read transaction of a request.

        Statements that have no plan yet are added to `new`.
        """
        self._tx = tx
        self._shared = shared
        self._plans = plans
        self._new = new
        self._queries = queries
        self._observers = observers

    async def one(self, name: str, /, **params: Any) -> Row:
        """Return the one row of a query that declares `returns: one`."""
        return (await self._rows(name, Returns.ONE, params))[0]

    async def optional(self, name: str, /, **params: Any) -> Row | None:
        """Return the row, or None, of a query that declares `returns: optional`."""
        rows = await self._rows(name, Returns.OPTIONAL, params)
        return rows[0] if rows else None

    async def many(self, name: str, /, **params: Any) -> list[Row]:
        """Return the rows of a query that declares `returns: many`."""
        return await self._rows(name, Returns.MANY, params)

    async def execute(self, name: str, /, **params: Any) -> None:
        """Run a query that declares `returns: none`."""
        await self._rows(name, Returns.NONE, params)

    async def stream(self, name: str, /, **params: Any) -> AsyncIterator[Row]:
        """Yield the rows of a query that declares `returns: many`, as they arrive: it may have any number.

        The server sends some of them ahead, and waits until they are taken.
        """
        query = check_call(self._queries, name, Returns.MANY, params)
        started = time.perf_counter()
        failed = True
        try:
            text = one_parameter(query.text_for(params))
            async for record in await self._tx.run(text, to_parameters(params)):
                yield row_of(record)
            failed = False
        finally:
            for observe in self._observers:
                observe(query, time.perf_counter() - started, failed=failed)

    async def _rows(self, name: str, expected: Returns, params: dict[str, Any]) -> list[Row]:
        query = check_call(self._queries, name, expected, params)
        ran = [query]
        text, given = query.text_for(params), params
        confirming = self._confirming(query)
        if confirming is not None:
            first = self._queries[confirming.query]
            ran = [first, query]
            text = join_statements(first.text_for(confirming.params), tuple(sorted(confirming.row)), text)
            given = confirming.params | params
        if not self._plans.have(text):
            self._new.add(text)
        started = time.perf_counter()
        failed = True
        try:
            rows = await _fetch(await self._tx.run(one_parameter(text), to_parameters(given)), query)
            failed = False
            self._plans.add(text)
        finally:
            seconds = time.perf_counter() - started
            for each in ran:
                for observe in self._observers:
                    observe(each, seconds, failed=failed)
        if confirming is not None and self._shared is not None:
            found = rows[0].pop(FIRST_ROWS)
            self._shared.confirm(found[0] if found else None)
        return rows

    def _confirming(self, query: Query) -> ExpectedRow | None:
        """Return the row that is expected if the query can be sent together with the one that reads it."""
        expected = None if self._shared is None else self._shared.expected
        if expected is None or query.mode is not Mode.READ or query.returns is not Returns.ONE:
            return None
        return None if query.params & expected.params.keys() else expected


def check_call(queries: Mapping[str, Query], name: str, expected: Returns, params: dict[str, Any]) -> Query:
    """Return the query `name`.

    Raises:
        QueryFileError: If there is no such query, or the call does not match the query's header.
    """
    query = queries.get(name)
    if query is None:
        raise QueryFileError(f"there is no query file {name}.cypher")
    if query.returns is not expected:
        raise QueryFileError(f"{name} declares `returns: {query.returns}`, called for {expected}")
    if query.params != params.keys():
        raise QueryFileError(f"{name} takes {sorted(query.params)}, called with {sorted(params)}")
    return query


async def _fetch(result: AsyncResult, query: Query) -> list[Row]:
    rows = [row_of(record) async for record in result]
    if query.returns is Returns.ONE and len(rows) != 1:
        raise QueryFileError(f"{query.name} declares one row and returned {len(rows)}")
    if query.returns is Returns.OPTIONAL and len(rows) > 1:
        raise QueryFileError(f"{query.name} declares at most one row and returned {len(rows)}")
    if query.returns is Returns.NONE and rows:
        raise QueryFileError(f"{query.name} declares no rows and returned {len(rows)}")
    return rows


_ATTEMPTS = 5
"""How often a transaction runs at most if concurrent transactions delete the nodes that it uses."""


async def _again_if_outrun(
    run: Callable[[Callable[[AsyncManagedTransaction], Awaitable[T]]], Awaitable[T]],
    attempt: Callable[[AsyncManagedTransaction], Awaitable[T]],
) -> T:
    for _ in range(_ATTEMPTS - 1):
        try:
            return await run(attempt)
        except FOREIGN_ERRORS as error:
            if not is_outrun(error):
                raise
    return await run(attempt)


COLD_S = 20.0
"""The deadline of a transaction with a statement that a cold server has to plan, in seconds."""


class Database:
    """One database behind a driver: read and write units of work over named query files."""

    def __init__(
        self,
        driver: AsyncDriver,
        queries: Mapping[str, Query],
        *,
        database: str,
        timeout_s: float,
        retry_time_s: float = 0.0,
        observers: list[QueryObserver] | None = None,
        on_retry: Callable[[str, str], None] | None = None,
    ) -> None:
        """Store the driver, the loaded query files, the default deadline and the driver's retry time.

        `on_retry` is called with `read` or `write` and a cause before a transaction runs once more.
        """
        self.driver = driver
        self.queries = queries
        self.database = database
        self.timeout_s = timeout_s
        self.patience_s = max(retry_time_s, CONNECT_TIMEOUT_S)
        self.grace_s = GRACE_S
        self.cold_s = COLD_S
        self.plans = Plans()
        self.breaker = CircuitBreaker()
        self.observers = observers if observers is not None else []
        self._on_retry = on_retry

    @contextmanager
    def extended_timeout(self, timeout_s: float) -> Iterator[None]:
        """Raise the default deadline inside the block, e.g. while a freshly started server warms up."""
        usual, self.timeout_s = self.timeout_s, max(timeout_s, self.timeout_s)
        try:
            yield
        finally:
            self.timeout_s = usual

    async def read(
        self,
        work: Callable[[Tx], Awaitable[T]],
        *,
        timeout_s: float | None = None,
        first_plan_counts: bool = True,
    ) -> T:
        """Run `work` in a read transaction and return its result.

        Inside `read_transaction()` this is the shared transaction of the request.

        Args:
            work: What to read; it may run more than once.
            timeout_s: The deadline in seconds; the default deadline if it is None.
            first_plan_counts: Whether the first plan of a statement counts against `timeout_s`. It never
                counts against the default deadline.

        Raises:
            Unavailable: If the database does not answer.
            TimedOut: If the deadline passed.
        """
        more = timeout_s is None or not first_plan_counts
        shared = current.get()
        if shared is not None:
            new: set[str] = set()
            try:
                return await shared.run(
                    lambda tx: work(Tx(tx, self.queries, self.observers, self.plans, new, shared)), timeout_s
                )
            except NotShared:
                pass
            except TimedOut:
                if not (more and new and self._is_short(timeout_s)):
                    raise
                return await self._run_cold(work, READ_ACCESS)
        return await self._run(work, READ_ACCESS, timeout_s, more=more)

    @asynccontextmanager
    async def read_transaction(self) -> AsyncIterator[SharedRead]:
        """Let all reads inside the block share one transaction, in this task and in the tasks it starts.

        A nested block joins the outer one: a request never holds two connections.
        """
        outer = current.get()
        if outer is not None:
            yield outer
            return
        shared = SharedRead(self.driver, self.database, self.timeout_s, self.breaker)
        token = current.set(shared)
        try:
            yield shared
        finally:
            current.reset(token)
            await shared.end()

    def speculate(self, expected: ExpectedRow) -> None:
        """Let the next statement of the request confirm a row that an earlier request has read.

        Whoever opened `read_transaction()` has to ask `verify` at the end.
        """
        shared = current.get()
        if shared is not None:
            shared.expected = expected

    async def verify(self, shared: SharedRead) -> bool:
        """Return whether the expected rows were as expected; a row that no statement has read is read now.

        Raises:
            Unavailable: If the database does not answer.
        """
        expected = shared.expected
        if expected is not None:
            shared.expected = None

            async def find(tx: Tx) -> Row | None:
                return await tx.optional(expected.query, **expected.params)

            if not expected.is_row(await self.read(find)):
                shared.outdated = True
        return not shared.outdated

    async def write(self, work: Callable[[Tx], Awaitable[T]], *, timeout_s: float | None = None) -> T:
        """Run `work` in a write transaction, commit it, and return its result.

        Raises:
            Unavailable: If the database does not answer; nothing was written.
            OutcomeUnknown: If the connection broke during the commit.
            TimedOut: If the deadline passed; nothing was written.
            Duplicate: If another node has a key that was chosen for a new one; nothing was written.
        """
        shared = current.get()
        if shared is not None:
            if not await self.verify(shared):
                raise Unavailable(f"the caller's rights changed during the request; {NOTHING_WRITTEN}")
            # A read after this write must see it, so it cannot run in the older shared transaction.
            await shared.end()
        return await self._run(work, WRITE_ACCESS, timeout_s, more=timeout_s is None)

    def _is_short(self, timeout_s: float | None) -> bool:
        """Return whether a deadline is shorter than the time of a cold server."""
        return (timeout_s or self.timeout_s) < self.cold_s

    async def _run(
        self, work: Callable[[Tx], Awaitable[T]], access: str, timeout_s: float | None, *, more: bool
    ) -> T:
        """Run `work`; if `more`, once more with the time of a cold server if a new statement was late."""
        new: set[str] = set()
        try:
            return await self._run_once(work, access, timeout_s or self.timeout_s, new)
        except TimedOut:
            if not (more and new and self._is_short(timeout_s)):
                raise
        return await self._run_cold(work, access)

    def _retried(self, access: str, cause: str) -> None:
        if self._on_retry is not None:
            self._on_retry(access.lower(), cause)

    async def _run_cold(self, work: Callable[[Tx], Awaitable[T]], access: str) -> T:
        self._retried(access, "plan")
        new: set[str] = set()
        try:
            return await self._run_once(work, access, self.cold_s, new)
        except TimedOut:
            # The time was enough for a plan: a statement of this work is slow itself.
            self.plans.add(*new)
            raise

    async def _run_once(  # noqa: C901 - one attempt, with all that may end it
        self, work: Callable[[Tx], Awaitable[T]], access: str, timeout_s: float, new: set[str]
    ) -> T:
        if not self.breaker.allows_attempt():
            raise Unavailable(DOWN)
        if self.breaker.is_open:
            self.plans.forget()
        patience: dict[str, Any] = {"max_transaction_retry_time": 0.0} if self.breaker.is_open else {}
        waiting = 0.0 if self.breaker.is_open else self.patience_s
        clock = asyncio.get_running_loop().time
        chain = current_chain()
        # The server waits for a bookmark for half a minute, whatever deadline the transaction has.
        latest = clock() + timeout_s + waiting + (0.0 if chain.waits else self.grace_s)
        committing = began = False
        failed: str | None = None
        read: list[T] = []
        done: list[T] = []

        @unit_of_work(timeout=timeout_s, metadata={"app": "prefrontal"})
        async def attempt(tx: AsyncManagedTransaction) -> T:
            nonlocal committing, failed, began
            began = True
            if failed is not None:
                self._retried(access, failed)
            # Whatever fails after the work fails in the commit.
            committing, failed = False, "commit"
            # The server ends a transaction at its deadline. No answer by then means a silent server.
            deadline.reschedule(clock() + timeout_s + self.grace_s)
            try:
                result = await work(Tx(tx, self.queries, self.observers, self.plans, new))
            except Exception as error:
                failed = cause_of_retry(error)
                deadline.reschedule(latest)
                raise
            committing = access == WRITE_ACCESS
            if not committing:
                read[:] = [result]
            deadline.reschedule(clock() + timeout_s + self.grace_s)
            return result

        try:
            async with (
                asyncio.timeout_at(latest) as deadline,
                self.driver.session(
                    database=self.database, default_access_mode=access, **options_of(chain), **patience
                ) as session,
            ):
                run = session.execute_read if access == READ_ACCESS else session.execute_write
                # Who waits for a bookmark waits for the answer to `BEGIN`, to tell the wait from the work.
                with nullcontext() if chain.waits else pipelined(session):
                    done.append(await _again_if_outrun(run, attempt))
                if access == WRITE_ACCESS:
                    chain.committed((await session.last_bookmarks()).raw_values)
        except FOREIGN_ERRORS as error:
            # A result has arrived if only the session could not be closed, or if a read was to be committed.
            arrived = done or (read if isinstance(error, IncompleteCommit) else [])
            if arrived:
                return arrived[0]
            behind = bool(chain.bookmarks) and not began
            ours = self._failure(error, committing=committing, behind=behind)
            if ours is None:
                raise
            raise ours from error
        self.breaker.record_answer()
        return done[0]

    def _failure(self, error: Exception, *, committing: bool, behind: bool) -> PrefrontalError | None:
        """Return the project's error for a failed transaction, or None for a defect of this program.

        Args:
            error: What the driver raised, or that the time is over.
            committing: Whether all statements had run.
            behind: Whether the transaction still waited for bookmarks.
        """
        silent = isinstance(error, TimeoutError)
        if silent and behind:
            # Others are answered: this is no outage.
            return Unavailable(BEHIND)
        if silent and committing:
            # The connection is open but silent: a frozen server, or a network that drops all packets.
            return OutcomeUnknown(UNKNOWN)
        if silent or is_away(error):
            self.breaker.record_failure()
        else:
            self.breaker.record_answer()
        return Unavailable(DOWN) if silent else translate(error, committing=committing)

    async def implicit(self, text: str) -> list[Row]:
        """Run one statement of a migration in an auto-commit transaction and return its rows.

        It is repeated a few times if the server undid it because of others, as in a deadlock.
        """
        try:
            for wait_s in _AGAIN_S:
                with suppress(TransientError):
                    return await self._implicit(text)
                await asyncio.sleep(wait_s)
            return await self._implicit(text)
        except FOREIGN_ERRORS as error:
            ours = translate(error)
            if ours is None:
                raise
            raise ours from error

    async def _implicit(self, text: str) -> list[Row]:
        async with self.driver.session(database=self.database) as session:
            result = await session.run(text)
            return [row_of(record) async for record in result]
