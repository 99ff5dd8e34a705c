"""Warms up a freshly started database server: planning a new statement takes hundreds of milliseconds.

The warm-up runs the common reads and writes once, for a caller without data and with empty lists to write.
The plan cache is then filled and the server's code is compiled before the first request arrives. The model of
the sentence encoder is loaded beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.access.store import find_caller
from prefrontal.graph.caller import Caller, Permission, Principal
from prefrontal.graph.context.record import Request
from prefrontal.graph.errors import Conflict, EncoderUnavailable, SettingsError, Unavailable
from prefrontal.graph.scratch.record import ObservationFilter

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.downloads.artifacts import Progress
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.text.encoder import Encoder

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
_ENCODER_AGAIN_S = (60.0, 120.0, 300.0, 600.0)
"""If the encoder's model cannot be had, it is tried again after so long; the last one is repeated."""


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


async def load_encoder(
    encoder: Encoder, progress: Progress | None = None, *, again_s: Sequence[float] = _ENCODER_AGAIN_S
) -> bool:
    """Load the encoder's model, and try again as long as it cannot be had; return whether it is loaded.

    Meanwhile everything works by words alone. What the settings name and is no encoder is given up.
    """
    log = structlog.get_logger(__name__)
    attempt = 0
    while True:
        try:
            await encoder.load(progress)
        except EncoderUnavailable as error:
            wait = again_s[min(attempt, len(again_s) - 1)]
            log.warning("encoder_missing", reason=error.message, again_in_s=wait)
            attempt += 1
            await asyncio.sleep(wait)
        except SettingsError as error:
            log.error("encoder_wrong", reason=error.message)  # noqa: TRY400 - it is no defect
            return False
        else:
            log.info("encoder_ready", encoder=encoder.name, dimensions=encoder.dimensions)
            return True


async def ready_to_encode(services: Services, progress: Progress | None = None) -> None:
    """Load the encoder's model, if there is an encoder, and what evaluation and searches measure by.

    If the stored vectors are of another encoder, a warning says what to do.
    """
    if services.encoder is None:
        return
    try:
        await services.embedding.check()
    except Conflict as error:
        structlog.get_logger(__name__).warning("encoder_changed", reason=error.message)
    except Unavailable:
        # `doctor` says it, too; the encoder is loaded all the same.
        pass
    if await load_encoder(services.encoder, progress):
        await services.evaluation.prepare()
        await services.search.prepare()


async def _reads(tx: Tx) -> None:
    await find_caller(tx, Principal(org="none", agent="none"))
    await tx.one("scratch/find_observations", uids=[], readable=[])
    await tx.one("goals/find_goals", uids=[], readable=[], grantees=[])


async def _writes(tx: Tx) -> None:
    await tx.one(
        "scratch/create_observations",
        rows=[],
        texts=[],
        tags=[],
        entities=[],
        topics=[],
        frames=[],
        near=[],
        encoder=None,
        most=1,
        nearest=1,
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
