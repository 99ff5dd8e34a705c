"""The driver, set up once, and its errors translated at this border."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Protocol

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
    Duplicate,
    InvalidInput,
    OutcomeUnknown,
    PrefrontalError,
    SettingsError,
    TimedOut,
    Unavailable,
)

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from neo4j import AsyncSession


CONNECT_TIMEOUT_S = 5.0
GRACE_S = 5.0
"""How long after a transaction's deadline its answer may come: the server looks every two seconds."""
DOWN = "the database does not answer; nothing was written, try again in a moment"
_BUSY = "all connections to the database are in use; nothing was written, try again in a moment"
_UNSURE = (
    "The change may or may not have been written; "
    "send it again with the same idempotencyKey and it happens exactly once"
)
UNKNOWN = f"the connection to the database broke while the change was being committed. {_UNSURE}"
_HELP = "its disk may be full or read-only, or it needs a restart; its log says which"
DEADLINE_PASSED = "the deadline passed; nothing was written, try again or ask for less"
_TIMEOUTS = ("TransactionTimedOut", "LockAcquisitionTimeout")
_READ_ONLY = ("WriteOnReadOnlyAccessDatabase", "ForbiddenOnReadOnlyDatabase", "DatabaseUnavailable")


class ConnectionSettings(Protocol):
    """What a driver needs to know of the settings."""

    @property
    def pool_size(self) -> int:
        """How many connections there are at most."""

    @property
    def retry_time_s(self) -> float:
        """For how long a transaction is retried, in seconds."""

    @property
    def query_timeout_s(self) -> float:
        """How long a query may take, in seconds."""


def connect(settings: ConnectionSettings, uri: str, user: str, password: str | None) -> AsyncDriver:
    """Return a driver for the server at `uri`; it connects when first used.

    Raises:
        SettingsError: The URI is not one the driver understands.
    """
    try:
        return AsyncGraphDatabase.driver(
            uri,
            auth=(user, password) if password is not None else None,
            max_connection_pool_size=settings.pool_size,
            max_transaction_retry_time=settings.retry_time_s,
            connection_timeout=CONNECT_TIMEOUT_S,
            # Who has a connection gives it back when its deadline passes: whoever queues waits that long.
            connection_acquisition_timeout=max(CONNECT_TIMEOUT_S, settings.query_timeout_s),
            # A pooled connection that slept while the server was restarted is tested before it is used.
            liveness_check_timeout=30.0,
            user_agent="prefrontal",
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            telemetry_disabled=True,
        )
    except (ConfigurationError, ValueError) as error:
        raise SettingsError(f"NEO4J_URI {uri!r}: {error}") from error


def pipelined(session: AsyncSession) -> AbstractContextManager[None]:
    """Let a transaction begin together with its first statement, which saves a way to the server and back.

    The driver does so in its own `execute_query`, and keeps the switch for itself; a driver without it
    waits for the beginning.
    """
    switch: AbstractContextManager[None] = getattr(session, "_pipelined_begin", nullcontext())
    return switch


FOREIGN_ERRORS = (Neo4jError, DriverError, OSError, UnicodeEncodeError, OverflowError)


def is_away(error: Exception) -> bool:
    """Tell whether an error says that the database cannot be reached, not that it refuses something."""
    if isinstance(error, IncompleteCommit):
        return False  # only this connection is known to be broken
    return isinstance(error, ServiceUnavailable | SessionExpired | OSError)


def translate(error: Exception, *, committing: bool = False) -> PrefrontalError | None:  # noqa: PLR0911
    """Return our error for one of the driver's, or None when it is a defect of ours and must surface.

    Args:
        error: What the driver raised.
        committing: All statements of the transaction had been run before.
    """
    code = getattr(error, "code", None) or ""
    if isinstance(error, UnicodeEncodeError | OverflowError):
        # An id or a cursor made up by a client: nothing that is stored can be named so.
        return InvalidInput("holds half of a surrogate pair or a number beyond 64 bits")
    if isinstance(error, IncompleteCommit):
        return OutcomeUnknown(UNKNOWN)
    if isinstance(error, ConstraintError):
        return Duplicate("something with this key exists already")
    if isinstance(error, AuthError):
        return Unavailable("the database refuses the user or password; check NEO4J_USER and NEO4J_PASSWORD")
    if any(name in code for name in _TIMEOUTS):
        return TimedOut(DEADLINE_PASSED)
    if isinstance(error, DatabaseError) or any(name in code for name in _READ_ONLY):
        return _unable(code, committing=committing)
    if isinstance(error, ConnectionAcquisitionTimeoutError):
        return Unavailable(_BUSY)
    return Unavailable(DOWN) if _is_down(error) else None


def _unable(code: str, *, committing: bool) -> Unavailable:
    """Return what to say when the server cannot do this at all now: a full disk, a read-only store."""
    if committing:
        # It may have failed after the transaction was in the log, from which a restart brings it back.
        return OutcomeUnknown(f"the database failed ({code}): {_HELP}. {_UNSURE}")
    return Unavailable(f"the database cannot do this now ({code}); nothing was written. {_HELP.capitalize()}")


def _is_down(error: Exception) -> bool:
    if isinstance(error, ServiceUnavailable | SessionExpired | TransientError | OSError):
        return True
    if isinstance(error, TransactionError) and not isinstance(error, ClientError):
        return True
    # The class itself is only raised for a closed driver: the process is about to stop.
    return type(error) is DriverError
