"""Bookmarks: what a request has to see, whichever server of a cluster it reads from.

A server of a cluster may be behind the others. The database names each committed transaction by a bookmark; a
transaction that is given one begins when its server has come that far. A request follows the bookmarks that
its client has given, and from its first commit on the one of its own commit, which comes after them.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from neo4j import Bookmarks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Chain:
    """What one request has to see."""

    def __init__(self) -> None:
        self.bookmarks: frozenset[str] = frozenset()
        """The bookmarks that the next transaction waits for."""
        self.waits = False
        """Whether they are a client's: then a server may be behind them for long, or for ever."""

    def follow(self, bookmarks: Iterable[str]) -> None:
        """Wait for these too, which a client has given."""
        self.bookmarks |= frozenset(bookmarks)
        self.waits = bool(self.bookmarks)

    def committed(self, bookmarks: Iterable[str]) -> None:
        """Wait for a commit of this request from now on; it came after everything that was waited for."""
        self.bookmarks, self.waits = frozenset(bookmarks), False


_current: ContextVar[Chain | None] = ContextVar("bookmarks", default=None)


@contextmanager
def following() -> Iterator[Chain]:
    """Let the transactions of this block, and of the tasks that it starts, follow one chain."""
    chain = Chain()
    token = _current.set(chain)
    try:
        yield chain
    finally:
        _current.reset(token)


def current_chain() -> Chain:
    """Return the chain of the present request; outside of one, a chain that nobody else follows."""
    return _current.get() or Chain()


def options_of(chain: Chain) -> dict[str, Any]:
    """Return the options of a session that follows a chain."""
    return {"bookmarks": Bookmarks.from_raw_values(chain.bookmarks)} if chain.bookmarks else {}
