"""Warms up a freshly started database server: planning a new statement takes hundreds of milliseconds.

The warm-up runs the common reads and writes once, for a caller without data and with empty lists to write.
The plan cache is then filled and the server's code is compiled before the first request arrives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.access.store import find_caller
from prefrontal.graph.caller import Caller, Permission, Principal
from prefrontal.graph.context.record import Request
from prefrontal.graph.scratch.record import ObservationFilter

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.storage.unit_of_work import Tx

_NOBODY = Caller(
    org_id="org_none",
    org_key="none",
    actor_id="agt_none",
    home="spc_none",
    readable=("spc_none",),
    writable=(),
    permissions=frozenset({Permission.READ}),
)
_PATIENCE_S = 60.0


async def warm_up(services: Services, rounds: int = 2) -> None:
    """Plan and run the statements of the most common requests, `rounds` times; nothing is changed.

    Raises:
        Unavailable: If the database does not answer.
    """
    database = services.database
    usual = database.timeout_s
    # A cold server may need longer than the deadline of an ordinary request.
    database.timeout_s = max(usual, _PATIENCE_S)
    try:
        for _ in range(rounds):
            await database.read(_reads, timeout_s=_PATIENCE_S)
            await database.write(_writes, timeout_s=_PATIENCE_S)
            await services.scratch.service.find(_NOBODY, ObservationFilter())
            await services.scratch.service.find(_NOBODY, ObservationFilter(tags=("none",)))
            await services.scratch.service.find(_NOBODY, ObservationFilter(query="warm up"))
            await services.goals.service.list(_NOBODY)
            await services.goals.service.own(_NOBODY, 1)
            await services.context.preview(_NOBODY, Request(prompt="warm up", budget=100))
    finally:
        database.timeout_s = usual


async def _reads(tx: Tx) -> None:
    await find_caller(tx, Principal(org="none", agent="none"))
    await tx.one("scratch/find_observations", uids=[], readable=[])
    await tx.one("goals/find_goals", uids=[], readable=[], grantees=[])


async def _writes(tx: Tx) -> None:
    await tx.one(
        "scratch/create_observations",
        rows=[],
        tags=[],
        entities=[],
        topics=[],
        frames=[],
        encoder=None,
        most=1,
        longest=1,
        now=None,
        writable=[],
    )
    await tx.execute(
        "journal/append_entries",
        org_id="org_none",
        actor_id="agt_none",
        home="spc_none",
        now=None,
        turns=[],
        traces=[],
        events=[],
        made=[],
        versions=[],
        requests=[],
    )
