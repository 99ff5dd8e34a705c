"""The use case that tracks a call of a tool, and evaluates the observations that it brings.

The observations are stored in the transaction of the call. Their evaluation has transactions of its own, as
for `addObservations`: the call stays recorded if it fails.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.journal.record import Trace
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.tools.record import Invocation, TrackToolInvocation
    from prefrontal.graph.tools.service import ToolService
    from prefrontal.graph.turns.commit import FollowUp


@dataclass(frozen=True, slots=True)
class TrackedCall:
    """A call of a tool that was tracked."""

    invocation: Invocation
    created: bool
    """Whether it was new."""
    evaluations: tuple[Any, ...]
    """The decisions about its observations, oldest first."""


class ToolTracking:
    """Tracks calls of tools with the observations that they bring."""

    def __init__(
        self,
        tools: ToolService,
        *,
        follow_up: FollowUp,
        doubts: Callable[[Sequence[Observation]], Sequence[Trace]] | None,
    ) -> None:
        """Store the use cases.

        `follow_up` evaluates observations; `doubts` returns the trace entries of new ones that can found no
        goal.
        """
        self._tools = tools
        self._follow_up = follow_up
        self._doubts = doubts

    async def track(self, caller: Caller, command: TrackToolInvocation) -> TrackedCall:
        """Record a call as `ToolService.track` does, and evaluate its observations.

        A repeated call has the same answer, as long as nobody has changed its observations.
        """
        done = await self._tools.track(caller, command, also=self._doubts)
        evaluations: tuple[Any, ...] = ()
        if done.observations:
            evaluations = await self._follow_up(
                caller,
                done.observations,
                turn_id=done.turn,
                idempotency_key=_key_of(done.invocation, done.observations),
            )
        return TrackedCall(done.invocation, done.created, evaluations)


def _key_of(invocation: Invocation, observations: Sequence[Observation]) -> str:
    """Return the key of an evaluation: it is repeated if the observations are as they were."""
    states = [invocation.uid, *(f"{each.uid} {each.version} {each.status.value}" for each in observations)]
    return hashlib.sha256("\n".join(states).encode()).hexdigest()
