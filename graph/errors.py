"""The errors that this project raises on purpose, as one tree.

Each line has the class, its stable code, and when it is raised.

    PrefrontalError                 code, message, field; the message says what to do next
    ├── InvalidInput                invalid            the caller's input breaks a rule
    │   ├── TooLarge                too_large          a text, list or body is over its limit
    │   └── SeveralProblems         invalid            more than one of the above, in `problems`
    ├── NotFound                    not_found          the id is unknown, or not readable: the same answer
    ├── Unauthenticated             unauthenticated    the token is missing or not valid
    ├── Forbidden                   forbidden          the caller lacks a role or a permission
    ├── Conflict                    conflict           it contradicts an earlier request or later changes
    │   ├── SeveralConflicts        conflict           a revert has more than one conflict, in `problems`
    │   └── VersionConflict         version_conflict   the node has changed since the caller read it
    ├── Duplicate                   duplicate          the record exists already
    ├── Forgotten                   forgotten          the text was forgotten in this space
    ├── Expired                     expired            the observation is past its `expiresAt`
    ├── IllegalTransition           illegal_transition the present status does not allow the change
    ├── OwnerViolation              owner_violation    an agent attempts what only a user may do
    ├── ConfirmationRequired        confirmation_required  a user must confirm the action first
    ├── ActionBlocked               blocked            the goal of the action is blocked, or waits for a user
    ├── RateLimited                 rate_limited       the caller sends too many requests, or too many at once
    ├── BudgetTooSmall              budget_too_small   the budget has no room for an essential mandate
    ├── CapacityReached             capacity           a session has no room for another pinned item
    ├── QuotaExceeded               quota_exceeded     the organisation has stored as much as it may
    ├── Unavailable                 unavailable        the database, or the token issuer, does not answer
    │   ├── OutcomeUnknown          unavailable        the connection or the database failed during the commit
    │   └── AnswerLost              answer_lost        the change was written, its answer could not be read
    ├── TimedOut                    timeout            the deadline passed before the answer
    ├── CatalogError                catalog            a registry file is wrong: file, line, key
    ├── FixtureError                fixture            a fixture file is wrong: file, line, key
    ├── QueryFileError              query_file         a Cypher file is wrong, or is called wrongly
    ├── MigrationError              migration          the schema cannot be brought up to date
    ├── SettingsError               settings           an environment variable is wrong
    ├── EncoderUnavailable          encoder            the model of the sentence encoder cannot be had
    ├── DownloadFailed              download           an artefact could not be downloaded
    │   └── ChecksumMismatch        checksum           its SHA-256 sum is not the committed one
    └── ServerError                 server             the embedded Neo4j cannot be provided
        ├── PrerequisiteMissing     prerequisite       something must be installed first
        ├── PortTaken               port_taken         another process listens on a port that is needed
        ├── StoreLocked             store_locked       another process uses the data folder
        └── ServerDied              server_died        the child process ended; the message has its log

Errors of libraries (driver, YAML, JWT, pydantic) are translated once, where they enter, with
``raise … from``. A GraphQL client gets the codes from `invalid` to `timeout`, in a ``Problem`` or in
`extensions.code`; the codes from `catalog` on end a command or keep the server from starting. With `encoder`
the service goes on, and finds memories by their words alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

NOTHING_WRITTEN = "nothing was written"
"""What the message of an error says if the attempt that failed has left the database as it was."""
WITH_THE_SAME_KEY = "send it again with the same idempotencyKey and it happens exactly once"
"""What the message of an error advises if the change may have been written."""


class PrefrontalError(Exception):
    """Base of all errors raised on purpose; `code` is stable and part of the API."""

    code: ClassVar[str] = "internal"
    problems: tuple[PrefrontalError, ...] = ()
    """The errors that this one stands for; none if it stands for itself alone."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field

    @property
    def extensions(self) -> dict[str, object]:
        """The `extensions` of the GraphQL error: the code, and the path of the field at fault or None."""
        return {"code": self.code, "field": self.field}


def _with_more(errors: Sequence[PrefrontalError]) -> str:
    """Return the message of the first error, and how many more there are."""
    return errors[0].message + (f" (and {len(errors) - 1} more)" if len(errors) > 1 else "")


def combine_errors(errors: Sequence[PrefrontalError]) -> PrefrontalError:
    """Return one error for one or more: of the kind and the field of the first, with all in `problems`."""
    first = errors[0]
    if len(errors) == 1:
        return first
    made = type(first)(_with_more(errors), field=first.field)
    made.problems = tuple(errors)
    return made


def code_of(error: Exception) -> str:
    """Return why something failed, for a log or a trace: a code or a class name, never text."""
    return error.code if isinstance(error, PrefrontalError) else type(error).__name__


def cause_of(error: PrefrontalError) -> str:
    """Return the cause of an error for the log: a code or a class name, never text that may hold content."""
    cause = error.__cause__
    if isinstance(cause, PrefrontalError):
        return cause_of(cause)
    if cause is None:
        return type(error).__name__
    return str(getattr(cause, "code", None) or type(cause).__name__)


class InvalidInput(PrefrontalError):
    """The input breaks a rule; `field` is the path of the value, e.g. `observations[17].confidence`."""

    code = "invalid"


class TooLarge(InvalidInput):
    """A text, a list or the request body is over its documented limit."""

    code = "too_large"


class SeveralProblems(InvalidInput):
    """The input breaks more than one rule; each violation is in `problems`."""

    def __init__(self, problems: list[InvalidInput]) -> None:
        """Store the problems; message and field are those of the first one."""
        super().__init__(_with_more(problems), field=problems[0].field)
        self.problems = tuple(problems)


class NotFound(PrefrontalError):
    """The id is unknown or not readable by the caller; both give the same answer."""

    code = "not_found"


class Unauthenticated(PrefrontalError):
    """The request has no bearer token, or one that is not valid."""

    code = "unauthenticated"


class Forbidden(PrefrontalError):
    """The caller is known but lacks the role or the permission."""

    code = "forbidden"


class Conflict(PrefrontalError):
    """The request contradicts an earlier one with the same idempotency key, or changes made since."""

    code = "conflict"


class SeveralConflicts(Conflict):
    """A record cannot be reverted because later changes depend on it; each reason is in `problems`."""

    def __init__(self, problems: list[Conflict]) -> None:
        """Store the reasons; message and field are those of the first one."""
        super().__init__(_with_more(problems), field=problems[0].field)
        self.problems = tuple(problems)


class VersionConflict(Conflict):
    """The node has changed: `expectedVersion` is no longer its version."""

    code = "version_conflict"


class Duplicate(PrefrontalError):
    """The record to be created exists already."""

    code = "duplicate"


class Forgotten(PrefrontalError):
    """The text was forgotten in this space, and does not come back."""

    code = "forgotten"


class Expired(PrefrontalError):
    """The observation is past its `expiresAt`, so it cannot become evidence or be changed."""

    code = "expired"


class IllegalTransition(PrefrontalError):
    """The present status of the record does not allow this change."""

    code = "illegal_transition"


class OwnerViolation(PrefrontalError):
    """An agent attempted what only a user may do, e.g. end a user's action, or weaken a confirmation."""

    code = "owner_violation"


class ConfirmationRequired(PrefrontalError):
    """The action cannot be started or completed before a user has confirmed it."""

    code = "confirmation_required"


class ActionBlocked(PrefrontalError):
    """The goal of the action is blocked by an open action or its status; or the goal waits for a user."""

    code = "blocked"


class BudgetTooSmall(PrefrontalError):
    """The budget of a strict context has no room for an essential mandate; the message names which."""

    code = "budget_too_small"


class RateLimited(PrefrontalError):
    """The caller or its organisation sends too many requests; `retryAfter` says when to try again."""

    code = "rate_limited"

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def extensions(self) -> dict[str, object]:
        """The `extensions` of the GraphQL error: the code, and after how many seconds to try again."""
        return {**super().extensions, "retryAfter": self.retry_after}


class CapacityReached(PrefrontalError):
    """The session has no room for another pinned item; the message says how many it may have."""

    code = "capacity"


class QuotaExceeded(PrefrontalError):
    """The organisation stores as many items as it may."""

    code = "quota_exceeded"


class Unavailable(PrefrontalError):
    """The database or the token issuer does not answer. The message says whether anything was written."""

    code = "unavailable"


class OutcomeUnknown(Unavailable):
    """The connection failed during the commit, so the change may or may not have been written.

    The same request with the same idempotency key gives the result, and writes it at most once.
    """


class AnswerLost(Unavailable):
    """The change was written, but the result of it could not be read."""

    code = "answer_lost"


class TimedOut(PrefrontalError):
    """A deadline passed: of a transaction, and nothing was written; or of the whole request (status 504)."""

    code = "timeout"


class CatalogError(PrefrontalError):
    """A registry file is wrong; the message names file, line and key."""

    code = "catalog"


class FixtureError(PrefrontalError):
    """A fixture file is wrong, or its graph cannot be built; the message names file, line and key."""

    code = "fixture"


class QueryFileError(PrefrontalError):
    """A Cypher file is wrong, or was called with other parameters than it uses."""

    code = "query_file"


class MigrationError(PrefrontalError):
    """The schema of the database cannot be migrated."""

    code = "migration"


class SettingsError(PrefrontalError):
    """A setting (an environment variable) is missing or wrong."""

    code = "settings"


class EncoderUnavailable(PrefrontalError):
    """The model of the sentence encoder cannot be had; the message has the next step."""

    code = "encoder"


class DownloadFailed(PrefrontalError):
    """An artefact could not be downloaded; the message names it and the next step."""

    code = "download"


class ChecksumMismatch(DownloadFailed):
    """A downloaded artefact does not have the committed SHA-256 sum."""

    code = "checksum"


class ServerError(PrefrontalError):
    """The embedded Neo4j cannot be provided."""

    code = "server"


class PrerequisiteMissing(ServerError):
    """Something must be installed first; the message has the command."""

    code = "prerequisite"


class PortTaken(ServerError):
    """Another process listens on a port that the server needs."""

    code = "port_taken"


class StoreLocked(ServerError):
    """Another process uses the data folder."""

    code = "store_locked"


class ServerDied(ServerError):
    """The Neo4j process ended unexpectedly; the message has the end of its log."""

    code = "server_died"
