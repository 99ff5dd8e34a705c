"""Use cases that check goals and plans against the mandates that bind their caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.mandates.record import Plan, Violation

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.cortex.mandates.violations import MandateChecker
    from prefrontal.graph.memory.record import Mandate
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.storage.unit_of_work import Tx


class MandateService:
    """Finds the mandates that goals and plans violate."""

    def __init__(self, memory: MemoryService, checker: MandateChecker) -> None:
        self._memory = memory
        self._checker = checker

    async def binding(self, tx: Tx, caller: Caller, scope_id: str) -> Sequence[Mandate]:
        """Return the mandates that bind a goal that the caller puts or has in a space."""
        return await self._memory.mandates_in(tx, caller, scope_id)

    async def live(self, tx: Tx, caller: Caller, uids: Sequence[str]) -> Sequence[str]:
        """Return the ids of the mandates that are still active, also of those that are not readable."""
        return await self._memory.live_in(tx, caller, uids)

    def check(self, mandates: Sequence[Mandate], plan: Plan) -> tuple[Violation, ...]:
        """Return the violations of a plan, in the order of the mandates."""
        return self._checker.check(mandates, plan) if mandates else ()
