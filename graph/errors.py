"""Every error this project raises on purpose, as one tree.

    PrefrontalError                 code, message, field; what to do next is in the message
    ├── InvalidInput                invalid            the caller's input breaks a rule
    │   ├── TooLarge                too_large          a text, list or body is over its limit
    │   └── SeveralProblems         invalid            more than one of the above, in `problems`
    ├── NotFound                    not_found          unknown or not readable: the same answer
    ├── Unauthenticated             unauthenticated    no token, or not a valid one
    ├── Forbidden                   forbidden          known caller, missing role or permission
    ├── Conflict                    conflict           it contradicts an earlier request, or what others built
    │   ├── SeveralConflicts        conflict           what others have built on is not taken back: `problems`
    │   └── VersionConflict         version_conflict   somebody changed the node in between
    ├── Duplicate                   duplicate          it exists already
    ├── Expired                     expired            the observation has faded
    ├── IllegalTransition           illegal_transition the status machine has no such edge
    ├── OwnerViolation              owner_violation    an agent does what is a user's alone
    ├── ConfirmationRequired        confirmation_required  a user has to confirm the action first
    ├── ActionBlocked               blocked            another action has to be done first
    ├── Unavailable                 unavailable        the database, or the token issuer, does not answer
    │   └── OutcomeUnknown          unavailable        connection or database broke during the commit
    ├── TimedOut                    timeout            the deadline passed
    ├── CatalogError                catalog            a registry file is wrong: file, line, key
    ├── FixtureError                fixture            a fixture file is wrong: file, line, key
    ├── QueryFileError              query_file         a Cypher file breaks the header contract
    ├── MigrationError              migration          the schema cannot be brought up to date
    ├── SettingsError               settings           an environment variable is wrong
    └── ServerError                 server             the embedded Neo4j
        ├── PrerequisiteMissing     prerequisite       something has to be installed first
        ├── DownloadFailed          download           an artefact did not arrive
        │   └── ChecksumMismatch    checksum           it arrived, but it is not what was asked for
        ├── PortTaken               port_taken         another process listens there
        ├── StoreLocked             store_locked       another process has the data folder
        └── ServerDied              server_died        the child ended; its log is in the message

Foreign errors (driver, YAML, JWT, pydantic) are translated once, at the border where they enter,
with ``raise … from``. The codes of the first block are what GraphQL clients see in a ``Problem``.
"""

from __future__ import annotations

from typing import ClassVar


class PrefrontalError(Exception):
    """Base of all errors raised on purpose; `code` is stable and part of the API."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        """Keep what went wrong and what to do next, and the path of the input field at fault."""
        super().__init__(message)
        self.message = message
        self.field = field

    @property
    def extensions(self) -> dict[str, object]:
        """What GraphQL puts beside the message of an error: the code and the field at fault."""
        return {"code": self.code, "field": self.field}


def cause_of(error: PrefrontalError) -> str:
    """Return what an error came from, for logs: names and codes, never a text that may hold content."""
    cause = error.__cause__
    if isinstance(cause, PrefrontalError):
        return cause_of(cause)
    if cause is None:
        return type(error).__name__
    return str(getattr(cause, "code", None) or type(cause).__name__)


class InvalidInput(PrefrontalError):
    """The caller's input breaks a rule; `field` is its path, e.g. `observations[17].confidence`."""

    code = "invalid"


class TooLarge(InvalidInput):
    """A text, a list or a request body is over its documented limit."""

    code = "too_large"


class SeveralProblems(InvalidInput):
    """More than one thing is wrong with the input; each is in `problems`."""

    def __init__(self, problems: list[InvalidInput]) -> None:
        """Take the first problem's message and field as the summary."""
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.message + more, field=first.field)
        self.problems = tuple(problems)


class NotFound(PrefrontalError):
    """The id is unknown or not readable by the caller; both give the same answer."""

    code = "not_found"


class Unauthenticated(PrefrontalError):
    """The request carries no token, or one that is not valid."""

    code = "unauthenticated"


class Forbidden(PrefrontalError):
    """The caller is known but lacks the role or the permission."""

    code = "forbidden"


class Conflict(PrefrontalError):
    """It contradicts an earlier request with the same idempotency key, or what was built since."""

    code = "conflict"


class SeveralConflicts(Conflict):
    """Something cannot be taken back, since others have built on it; each reason is in `problems`."""

    def __init__(self, problems: list[Conflict]) -> None:
        """Take the first reason's message and field as the summary."""
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(first.message + more, field=first.field)
        self.problems = tuple(problems)


class VersionConflict(Conflict):
    """`expectedVersion` is not the node's version any more."""

    code = "version_conflict"


class Duplicate(PrefrontalError):
    """What should be created exists already."""

    code = "duplicate"


class Expired(PrefrontalError):
    """The observation has passed its `expiresAt`, so nothing can be built on it."""

    code = "expired"


class IllegalTransition(PrefrontalError):
    """The status machine has no such edge."""

    code = "illegal_transition"


class OwnerViolation(PrefrontalError):
    """An agent does what only a user may: end a user's action, or confirm one."""

    code = "owner_violation"


class ConfirmationRequired(PrefrontalError):
    """The action is not started or completed before a user has confirmed it."""

    code = "confirmation_required"


class ActionBlocked(PrefrontalError):
    """Another action of the goal has to be done before this one is started."""

    code = "blocked"


class Unavailable(PrefrontalError):
    """The database (or the token issuer) does not answer now; nothing was written, and a retry may work."""

    code = "unavailable"


class OutcomeUnknown(Unavailable):
    """The commit broke off: whether it was written is only known by asking again with its key."""


class TimedOut(PrefrontalError):
    """The deadline passed before the answer was there; nothing was written."""

    code = "timeout"


class CatalogError(PrefrontalError):
    """A registry file is wrong; the message names file, line and key."""

    code = "catalog"


class FixtureError(PrefrontalError):
    """A fixture file is wrong, or its graph cannot be made; the message names file, line and key."""

    code = "fixture"


class QueryFileError(PrefrontalError):
    """A Cypher file breaks the header contract, or was called with other parameters."""

    code = "query_file"


class MigrationError(PrefrontalError):
    """The database's schema cannot be brought up to date."""

    code = "migration"


class SettingsError(PrefrontalError):
    """A setting (an environment variable) is missing or wrong."""

    code = "settings"


class ServerError(PrefrontalError):
    """The embedded Neo4j could not be provided."""

    code = "server"


class PrerequisiteMissing(ServerError):
    """Something has to be installed first; the message has the command."""

    code = "prerequisite"


class DownloadFailed(ServerError):
    """An artefact did not arrive; the message says which and how to go on."""

    code = "download"


class ChecksumMismatch(DownloadFailed):
    """An artefact arrived but its SHA-256 sum is not the committed one."""

    code = "checksum"


class PortTaken(ServerError):
    """Another process listens on a port the server needs."""

    code = "port_taken"


class StoreLocked(ServerError):
    """Another process is using the data folder."""

    code = "store_locked"


class ServerDied(ServerError):
    """The server process ended by itself; the end of its log is in the message."""

    code = "server_died"
