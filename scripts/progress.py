"""How a script shows how far it is, and how it says what is wrong."""

from __future__ import annotations

import sys

WIDTH = 30


class Bar:
    """A bar on a terminal; elsewhere one line that says what is done."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = False

    def draw(self, done: int, total: int) -> None:
        """Show how much of it is done."""
        done = min(done, total)
        if sys.stderr.isatty():
            filled = WIDTH * done // total
            sys.stderr.write(f"\r{self._what} {'━' * filled}{' ' * (WIDTH - filled)} {done}/{total}")
        elif not self._said:
            sys.stderr.write(f"{self._what} ({total}) …\n")
        self._said = True
        sys.stderr.flush()

    def end(self) -> None:
        """Go on to the next line."""
        if self._said and sys.stderr.isatty():
            sys.stderr.write("\n")


def fail(message: str) -> int:
    """Say what is wrong and return the exit status."""
    sys.stderr.write(f"error: {message}\n")
    return 1
