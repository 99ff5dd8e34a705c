"""What both imports do with the lines of a file that cannot be imported."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from prefrontal.api.cli.console import err, printable

_SHOWN_LINES = 20
_LONGEST = 300


class OnError(StrEnum):
    """What to do with a file that has broken lines."""

    STOP = "stop"
    SKIP = "skip"


class Refused(NamedTuple):
    """A line that was not imported, and the reason."""

    file: str
    line: int
    problem: str


def show_refused(refused: Sequence[Refused]) -> None:
    """Print the first refused lines as `file:line: reason`, and how many more there are."""
    from prefrontal.graph.validation import short_name

    for each in refused[:_SHOWN_LINES]:
        err.print(
            f"[red]{printable(each.file)}:{each.line}:[/] {printable(short_name(each.problem, _LONGEST))}"
        )
    if len(refused) > _SHOWN_LINES:
        err.print(f"… and {len(refused) - _SHOWN_LINES} more refused")
