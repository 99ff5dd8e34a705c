"""What the changes of one mutation have committed, so that an error says truly what was written.

A surface that calls use cases for a client sets `COMMITS` for each mutation, and gives the client
`told(error)` instead of an error. A use case that fails after its commit, because its result cannot be read,
then does not say that nothing was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from prefrontal.graph.errors import (
    NOTHING_WRITTEN,
    WITH_THE_SAME_KEY,
    AnswerLost,
    OutcomeUnknown,
    PrefrontalError,
    TimedOut,
    Unavailable,
)

_WRITTEN = "the change was written, but its result could not be read; "
_LOOK = "look whether it was written before you send it again, and give calls an idempotencyKey"

_LATE = "the deadline passed before everything was read; try again, or ask for less"


class Commits:
    """Counts the changes of one mutation that are committed."""

    number = 0


COMMITS: ContextVar[Commits | None] = ContextVar("commits", default=None)
"""Set by whoever calls a mutation. `ChangeWriter.write` counts each change whose commit it knows of."""


@contextmanager
def of_earlier_calls() -> Iterator[None]:
    """Keep the changes inside the block out of what an error of this request says was written."""
    token = COMMITS.set(None)
    try:
        yield
    finally:
        COMMITS.reset(token)


def reported_read_error(error: PrefrontalError) -> PrefrontalError:
    """Return the error that a client is told instead of an error of a query: nothing about writing."""
    if isinstance(error, TimedOut):
        return TimedOut(_LATE, field=error.field)
    if isinstance(error, Unavailable) and NOTHING_WRITTEN in error.message:
        return type(error)(error.message.replace(f"; {NOTHING_WRITTEN}", ""), field=error.field)
    return error


def reported_error(error: PrefrontalError, *, committed: bool, key: str | None) -> PrefrontalError:
    """Return the error that a client is told instead of an error of a mutation.

    Args:
        error: An error that a mutation raised, or that was raised while its answer was read.
        committed: Whether a change of the mutation was committed, by this call or, with its key,
            by an earlier one.
        key: The idempotency key of the call, or None.
    """
    if not isinstance(error, Unavailable | TimedOut):
        return error
    if committed:
        return AnswerLost(
            _WRITTEN + ("send it again with the same idempotencyKey to get it" if key else _LOOK)
        )
    if isinstance(error, OutcomeUnknown):
        message = error.message if key else error.message.replace(WITH_THE_SAME_KEY, _LOOK)
        return OutcomeUnknown(message, field=error.field)
    if key and NOTHING_WRITTEN in error.message:
        # An earlier call with the key, whose answer was lost, may have been written.
        message = error.message.replace(NOTHING_WRITTEN, "this attempt wrote nothing")
        again = ", with" if "try again" in message else "; try again with"
        return type(error)(f"{message}{again} the same idempotencyKey", field=error.field)
    return error
