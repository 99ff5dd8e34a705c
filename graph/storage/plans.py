"""Statements without a plan: the first plan of a statement does not count against the deadline.

On a fresh server, planning a statement can take longer than the deadline of a transaction, and running it a
few milliseconds. A transaction that was late with a statement that has never completed is therefore run once
more, with the time of a cold server. A statement that is late even then is slow itself, and has no more time
from then on. A database that was away may have been restarted without its plans, so all statements are then
new again.
"""

from __future__ import annotations


class Plans:
    """The statements of a process that the database has planned."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def have(self, text: str) -> bool:
        """Return whether the statement has a plan."""
        return text in self._texts

    def add(self, *texts: str) -> None:
        """Record that statements have plans."""
        self._texts.update(texts)

    def forget(self) -> None:
        """Record that no statement has a plan: the database may have been restarted."""
        self._texts.clear()
