"""Warms a cold server up: the first use of a statement costs the planner tens of milliseconds and more.

Runs real reads for a caller, as often as asked, so that the first client does not pay for compilation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.access.record import Caller, Permission
from graph.context.record import Request
from graph.scratch.record import ObservationFilter

if TYPE_CHECKING:
    from graph.services import Services

_NOBODY = Caller(
    org_id="org_none",
    org_key="none",
    actor_id="agt_none",
    home="spc_none",
    readable=("spc_none",),
    writable=(),
    permissions=frozenset({Permission.READ}),
)


async def warm_up(services: Services, rounds: int = 3) -> None:
    """Plan and run the reads that clients begin with, as a caller who may see nothing."""
    for _ in range(rounds):
        await services.scratch.find(_NOBODY, ObservationFilter())
        await services.scratch.find(_NOBODY, ObservationFilter(tags=("none",)))
        await services.goals.list(_NOBODY)
        await services.context.preview(_NOBODY, Request(prompt="warm up", budget=100))
