"""Neo4j driver: its configuration, and the translation of its errors into the project's errors."""

from __future__ import annotations

import asyncio
import re
import sys
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Protocol

from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    ConstraintError,
    DatabaseError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransactionError,
    TransientError,
)

from prefrontal.graph.errors import (
    NOTHING_WRITTEN,
    WITH_THE_SAME_KEY,
    Duplicate,
    InvalidInput,
    OutcomeUnknown,
    PrefrontalError,
    SettingsError,
    TimedOut,
    Unavailable,
)
from prefrontal.graph.storage.packing import pack_times_once

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from contextlib import AbstractContextManager

    from neo4j import AsyncSession


CONNECT_TIMEOUT_S = 5.0
GRACE_S = 5.0
"""How long to wait for an answer after a transaction's deadline: the server checks it every two seconds."""
DOWN = f"the database does not answer; {NOTHING_WRITTEN}, try again in a moment"
_BUSY = f"all connections to the database are in use; {NOTHING_WRITTEN}, try again in a moment"
_UNSURE = f"The change may or may not have been written; {WITH_THE_SAME_KEY}"
UNKNOWN = f"the connection to the database broke while the change was being committed. {_UNSURE}"
_HELP = "its disk may be full or read-only, or it needs a restart; its log says which"
_OUTRUN = f"others keep changing what this change uses; {NOTHING_WRITTEN}, try again in a moment"
BEHIND = (
    "the database has not yet come as far as the `bookmark` of the request; "
    f"{NOTHING_WRITTEN}, try again in a moment, or without the bookmark"
)
DEADLINE_PASSED = f"the deadline passed; {NOTHING_WRITTEN}, try again or ask for less"
_TIMEOUTS = (
    "TransactionTimedOut",
    "LockAcquisitionTimeout",
    "ExecutionTimeout",
    # A transaction that waits for a lock, or is about to, when its deadline passes. The driver does not retry
    # these two, because an operator may have ended the transaction.
    "Transaction.LockClientStopped",
    "Transaction.Terminated",
)
_TAKEN = re.compile(
    r"already exists with label `\w+` and propert(?:y|ies) (?:`\w+` = '[^']*', )*?`(?:client_|name_)?key` = "
)
"""What the server says of a key that is taken; the space, or what else the key belongs to, comes first."""
_READ_ONLY = ("WriteOnReadOnlyAccessDatabase", "ForbiddenOnReadOnlyDatabase", "DatabaseUnavailable")


class ConnectionSettings(Protocol):
    """The settings that a driver depends on."""

    @property
    def pool_size(self) -> int:
        """The largest number of connections."""

    @property
    def retry_time_s(self) -> float:
        """How long a transaction is retried, in seconds."""

    @property
    def query_timeout_s(self) -> float:
        """The deadline of one transaction, in seconds."""


def connect(settings: ConnectionSettings, uri: str, user: str, password: str | None) -> AsyncDriver:
    """Return a driver for the server at `uri`; it connects when first used.

    Raises:
        SettingsError: If the driver does not understand the URI.
    """
    _wait_without_tasks()
    pack_times_once()
    try:
        return AsyncGraphDatabase.driver(
            uri,
            auth=(user, password) if password is not None else None,
            max_connection_pool_size=settings.pool_size,
            max_transaction_retry_time=settings.retry_time_s,
            connection_timeout=CONNECT_TIMEOUT_S,
            # A connection returns to the pool at the latest when its transaction's deadline passes, so a
            # request that waits for a free connection waits that long.
            connection_acquisition_timeout=max(CONNECT_TIMEOUT_S, settings.query_timeout_s),
            # The server may have restarted while a pooled connection was idle: test it before use.
            liveness_check_timeout=30.0,
            user_agent="prefrontal",
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            telemetry_disabled=True,
        )
    except (ConfigurationError, ValueError) as error:
        raise SettingsError(f"NEO4J_URI {uri!r}: {error}") from error


def _wait_without_tasks() -> None:
    """Let the driver wait for its sockets on Python 3.11 as it does from Python 3.12 on.

    From 3.12 on the driver uses `asyncio.wait_for`. For 3.11 it has a function of its own, because the one of
    3.11 could lose a cancellation; that function starts a task and a timer for each read. A message takes two
    reads, so this was a third of the CPU time of a small request. A driver without the private name that is
    replaced here only is slower.
    """
    if sys.version_info >= (3, 12):
        return
    with suppress(ImportError):
        from neo4j._async_compat.network import _bolt_socket  # noqa: PLC0415

        usual = getattr(_bolt_socket, "wait_for", None)
        if usual is None or usual.__module__ == __name__:
            return

        async def wait_for(reading: Awaitable[Any], timeout: float | None) -> Any:  # noqa: ASYNC109
            if timeout is not None and timeout <= 0:
                return await usual(reading, timeout)
            async with asyncio.timeout(timeout):
                return await reading

        _bolt_socket.wait_for = wait_for  # type: ignore[attr-defined]


def pipelined(session: AsyncSession) -> AbstractContextManager[None]:
    """Return a context in which `BEGIN` is sent together with the first statement, saving a round trip.

    The driver's own `execute_query` does the same, through a private attribute of the session. With a
    driver that lacks the attribute, `BEGIN` costs its own round trip.
    """
    switch: AbstractContextManager[None] = getattr(session, "_pipelined_begin", nullcontext())
    return switch


FOREIGN_ERRORS = (Neo4jError, DriverError, OSError, UnicodeEncodeError, OverflowError)


def is_away(error: Exception) -> bool:
    """Return whether the error means that the database is unreachable, as opposed to a refused statement."""
    if isinstance(error, IncompleteCommit):
        return False  # this connection broke; others may still work
    return isinstance(error, ServiceUnavailable | SessionExpired | OSError)


def is_outrun(error: Exception) -> bool:
    """Return whether another transaction deleted a node that this one uses, or linked one that it deletes.

    The transaction was rolled back. A new one reads what the other transaction has committed.
    """
    code = getattr(error, "code", None) or ""
    if isinstance(error, ConstraintError):
        return "still has relationships" in str(error)
    return isinstance(error, Neo4jError) and code.endswith(".EntityNotFound")


def is_taken(error: Exception) -> bool:
    """Return whether another node has the key that a client chose for this one: another attempt finds it.

    Any other constraint is broken by this program, or by what was stored before: no client can mend that.
    """
    return isinstance(error, ConstraintError) and _TAKEN.search(str(error)) is not None


def breaks_constraint(error: Exception) -> bool:
    """Return whether something that is there has an id or a key that has to be unique."""
    return isinstance(error, ConstraintError) and not is_outrun(error)


def is_refused(error: Exception) -> bool:
    """Return whether the database refused a statement for what it says: another attempt gives the same.

    The transaction is lost, but the database works.
    """
    code = getattr(error, "code", None) or ""
    if isinstance(error, UnicodeEncodeError | OverflowError):
        return True
    passing = isinstance(error, AuthError) or is_taken(error) or is_outrun(error)
    late = any(name in code for name in (*_TIMEOUTS, *_READ_ONLY))
    return (
        isinstance(error, ClientError) and not isinstance(error, TransientError) and not passing and not late
    )


def cause_of_retry(error: Exception) -> str:
    """Return in one word why a transaction that failed with this error runs again, for a metric."""
    if is_outrun(error):
        return "outrun"
    if is_away(error):
        return "connection"
    if "DeadlockDetected" in (getattr(error, "code", None) or ""):
        return "deadlock"
    return "busy" if isinstance(error, TransientError) else "other"


def translate(  # noqa: PLR0911 - a table
    error: Exception, *, committing: bool = False
) -> PrefrontalError | None:
    """Return the project's error for an error of the driver, or None for a defect of this program.

    The caller lets a defect surface as it is.

    Args:
        error: The exception that the driver raised.
        committing: Whether all statements of the transaction had run before the error.
    """
    code = getattr(error, "code", None) or ""
    if isinstance(error, UnicodeEncodeError | OverflowError):
        # Only an id or a cursor that a client made up: the database can hold no such value.
        return InvalidInput("holds half of a surrogate pair or a number beyond 64 bits")
    if isinstance(error, IncompleteCommit) or (committing and is_away(error)):
        return OutcomeUnknown(UNKNOWN)
    if isinstance(error, ConstraintError) or is_outrun(error):
        return _of_others(error)
    if "Bookmark" in code:
        return _of_a_bookmark(code)
    if isinstance(error, AuthError):
        return Unavailable("the database refuses the user or password; check NEO4J_USER and NEO4J_PASSWORD")
    if any(name in code for name in _TIMEOUTS):
        return TimedOut(DEADLINE_PASSED)
    if isinstance(error, DatabaseError) or any(name in code for name in _READ_ONLY):
        return _unable(code, committing=committing)
    if isinstance(error, ConnectionAcquisitionTimeoutError):
        return Unavailable(_BUSY)
    if isinstance(error, TransientError):
        return Unavailable(f"the database is too busy ({code}); {NOTHING_WRITTEN}, try again in a moment")
    return Unavailable(DOWN) if _is_down(error) else None


def _of_others(error: Exception) -> PrefrontalError | None:
    """Return the error for what others have taken, deleted or linked; None for any other constraint."""
    if is_outrun(error):
        return Unavailable(_OUTRUN)
    return Duplicate("something with this key exists already") if is_taken(error) else None


def _of_a_bookmark(code: str) -> PrefrontalError:
    if "InvalidBookmark" in code:
        return InvalidInput("the database cannot read this bookmark: leave it out", field="bookmark")
    return Unavailable(BEHIND)


def _unable(code: str, *, committing: bool) -> Unavailable:
    """Return the error for a server that cannot do this at all now: a full disk, a read-only store."""
    if committing:
        # The server may have failed after writing its transaction log; a restart then recovers the change.
        return OutcomeUnknown(f"the database failed ({code}): {_HELP}. {_UNSURE}")
    return Unavailable(f"the database cannot do this now ({code}); {NOTHING_WRITTEN}. {_HELP.capitalize()}")


def _is_down(error: Exception) -> bool:
    if isinstance(error, ServiceUnavailable | SessionExpired | OSError):
        return True
    if isinstance(error, TransactionError) and not isinstance(error, ClientError):
        return True
    # The driver raises the base class itself only when it is closed: the process is about to stop.
    return type(error) is DriverError
