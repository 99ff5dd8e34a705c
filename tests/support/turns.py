"""Deltas of a turn in any order; a client's input has one list for each kind."""

from __future__ import annotations

from typing import Annotated

from prefrontal.graph.record import OneByOne
from prefrontal.graph.turns.record import CommitAtTurnEnd, Delta


class InAnyOrder(CommitAtTurnEnd):
    """The end of a turn with deltas of mixed kinds."""

    given: Annotated[tuple[Delta, ...], OneByOne()] = ()

    @property
    def deltas(self) -> list[Delta]:
        """The given deltas."""
        return list(self.given)
