"""The limit on what an organisation stores.

    stored   the number of its records when a job last counted them
    added    what this process has created for it since that number changed
    rule     a change that creates records is refused if stored + added + its own exceed the limit

The number is not exact: a job counts every ten minutes, and other processes do not know what this one adds.
It keeps one organisation from filling the disk of all. A change that creates nothing is never refused.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from prefrontal.graph.errors import QuotaExceeded
from prefrontal.graph.journal.record import CREATING
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import Change

_MOST_ORGANISATIONS = 10_000


class Quota:
    """Refuses changes that would store more than an organisation may."""

    def __init__(self, most: int = 0) -> None:
        """Store the limit; 0 is no limit."""
        self._most = most
        self._added: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def check(self, caller: Caller, change: Change) -> None:
        """Check that the organisation may store what a change creates.

        Raises:
            QuotaExceeded: If it would then have more records than it may.
        """
        created = _created(change)
        if not self._most or not created:
            return
        known = caller.stored + self._since(caller)
        if known + created > self._most:
            raise QuotaExceeded(
                f"your organisation may store {counted(self._most, 'record')} and has {known}; ask the "
                "operator for a larger quota; what is archived is deleted after its retention"
            )

    def stored(self, caller: Caller, change: Change) -> None:
        """Add what a committed change has created."""
        created = _created(change)
        if not self._most or not created:
            return
        self._added[caller.org_id] = (caller.stored, self._since(caller) + created)
        self._added.move_to_end(caller.org_id)
        while len(self._added) > _MOST_ORGANISATIONS:
            self._added.popitem(last=False)

    def _since(self, caller: Caller) -> int:
        counted, added = self._added.get(caller.org_id, (caller.stored, 0))
        return added if counted == caller.stored else 0


def _created(change: Change) -> int:
    return sum(event.type in CREATING for event in change.events)
