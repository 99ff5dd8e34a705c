"""What has expired is not read any more, whether a sweep has deleted it or not."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import NotFound
from prefrontal.graph.memory.record import MemoryFilter, MemoryKind
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from prefrontal.graph.sessions.record import StartSession
from prefrontal.graph.storage.related import PageOf
from prefrontal.graph.tools.record import InvocationFilter, TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitTurn, StateDraft
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
    done = await services.turns.finalization.commit(
        caller, CommitTurn(turn_id="t", events=[StateDraft(content="it boiled", importance=1)])
    )
    (episode,) = (each.memory for each in done.selection if each.memory is not None)
    of_kind = MemoryFilter(kinds=(MemoryKind.EPISODE,))
    key = done.turn.handle

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
            "export": len(await services.turns.trace.exports(caller, [done.export_id])),
            "episode": len(await services.memory.get(caller, [episode])),
            "episodes": len((await services.memory.list(caller, of_kind)).items),
            "episodes counted": await services.memory.count(caller, of_kind),
            "trace": len((await services.turns.trace.trace(caller, key)).items),
            "trace counted": await services.turns.trace.count(caller, key),
            "trace of spaces": len((await services.turns.trace.of_spaces(caller)).items),
        }
        for name, reader in (
            ("receipts", services.context.receipts),
            ("seen", services.turns.trace.seen),
            ("calls", services.tools.of_turns),
            ("entries", services.turns.trace.entries),
            ("exports", services.turns.trace.exports_of_turns),
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
    assert retention.receipt_days == retention.invocation_days == retention.export_days == 30
    assert retention.classes.events.days == 30
    world.clock.advance(days=30)
    traced = {"trace", "trace counted", "trace of spaces", "entries", "entries counted"}
    assert {name for name, number in (await read()).items() if number} == {"accesses", *traced}
    assert retention.trace_days == retention.access_days
    world.clock.advance(days=retention.access_days)
    assert {name for name, number in (await read()).items() if number} == set()
    # Nothing has been swept: it is there, and nobody reads it.
    left = await world.counts()
    once = ("ContextReceipt", "ToolInvocation", "Observation", "StateExport")
    assert {name: left[name] for name in once} == dict.fromkeys(once, 1)
    assert left["Episode"] > 0
    assert left["TraceEvent"] > 0
    assert left["AccessLog"] > 0


@pytest.mark.covers("TURN-61")
async def test_an_idempotency_key_answers_for_its_time_and_not_after_swept_or_not(world: World) -> None:
    caller, create = await world.caller(), world.services.goals.service.create
    command = CreateGoal(title="tea", idempotency_key="k")
    first = await create(caller, command)
    world.clock.advance(days=world.services.catalog.retention.request_days, seconds=-1)
    assert (await create(caller, command)).uid == first.uid
    world.clock.advance(seconds=1)
    # Two calls at once: the key is free again, for one of them.
    later = await asyncio.gather(create(caller, command), create(caller, command))
    assert {each.uid for each in later} == {later[0].uid}
    assert later[0].uid != first.uid
    # Another body, too, is a new call.
    world.clock.advance(days=world.services.catalog.retention.request_days)
    other = await create(caller, CreateGoal(title="coffee", idempotency_key="k"))
    assert other.title == "coffee"
    rows = await world.rows("MATCH (r:Request {org_id: $org}) RETURN r.key AS key")
    assert rows == [{"key": "k"}]
