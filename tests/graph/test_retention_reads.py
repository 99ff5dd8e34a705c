"""What has expired is not read any more, whether a sweep has deleted it or not."""

from __future__ import annotations

import pytest

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.errors import NotFound
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from prefrontal.graph.sessions.record import StartSession
from prefrontal.graph.storage.related import PageOf
from prefrontal.graph.tools.record import InvocationFilter, TrackToolInvocation
from tests.support.world import World


@pytest.mark.covers("TURN-61")
async def test_each_kind_that_expires_is_read_until_its_time_and_not_after(world: World) -> None:
    services, caller, retention = world.services, await world.caller(), world.services.catalog.retention
    await services.scratch.service.add(caller, [ObservationDraft(content="a kettle", ttl_minutes=60)])
    request = AssembleContext(prompt="kettle", budget=1000, turn_id="t", idempotency_key="c")
    turn = (await services.context.assemble(caller, request)).receipt.turn_uid
    assert turn is not None
    await services.tools.track(caller, TrackToolInvocation(turn_id="t", tool="stove"))
    session = await services.sessions.start(caller, StartSession(task="tea"))
    await services.access_log.batcher.flush()

    async def read() -> dict[str, int]:
        """How much of each kind every way in gives."""
        wanted = ObservationFilter()
        page = PageOf(turn, 10, None)
        accesses = await services.access_log.page(caller, session.uid)
        assert accesses is not None
        try:
            receipt = await services.context.receipt(caller, "t")
        except NotFound:
            receipt = None
        found = {
            "observations": len((await services.scratch.service.find(caller, wanted)).items),
            "observations counted": await services.scratch.service.count(caller, wanted),
            "receipt": int(receipt is not None),
            "invocations": len((await services.tools.list(caller, InvocationFilter())).items),
            "accesses": len(accesses.items),
        }
        for name, reader in (
            ("receipts", services.context.receipts),
            ("seen", services.turns.trace.seen),
            ("calls", services.tools.of_turns),
        ):
            pages = await reader.pages(caller, [page])
            found[name] = len(pages[page].items) if page in pages else 0
            found[f"{name} counted"] = (await reader.counts(caller, [turn])).get(turn, 0)
        return found

    assert [name for name, number in (await read()).items() if not number] == []
    world.clock.advance(minutes=60)
    assert {name for name, number in (await read()).items() if not number} == {
        "observations",
        "observations counted",
    }
    assert retention.receipt_days == retention.invocation_days == 30
    world.clock.advance(days=30)
    assert {name for name, number in (await read()).items() if number} == {"accesses"}
    with pytest.raises(NotFound, match="the receipt of the first call no longer exists"):
        await services.context.assemble(caller, request)
    world.clock.advance(days=retention.access_days)
    assert {name for name, number in (await read()).items() if number} == set()
    # Nothing has been swept: it is there, and nobody reads it.
    left = await world.counts()
    assert {name: left[name] for name in ("ContextReceipt", "ToolInvocation", "Observation")} == {
        "ContextReceipt": 1,
        "ToolInvocation": 1,
        "Observation": 1,
    }
    assert left["AccessLog"] > 0
