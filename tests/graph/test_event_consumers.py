"""Named consumers: a reader of events goes on where it acknowledged, whoever else reads or dies."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import CapacityReached, Forbidden, InvalidInput, NotFound
from prefrontal.graph.outbox.record import AcknowledgeEvents, Consumer, ResetEventConsumer
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.events import relayed
from tests.support.world import World

pytestmark = pytest.mark.alone


async def noted(world: World, number: int, agent: str = "bot") -> Caller:
    caller = await world.caller(agent)
    drafts = [ObservationDraft(content=f"note {each}") for each in range(number)]
    await world.services.scratch.service.add(caller, drafts)
    await relayed(world)
    return caller


async def acknowledge(
    world: World, caller: Caller, seq: int, name: str = "mailer", key: str | None = None
) -> Consumer:
    command = AcknowledgeEvents(consumer=name, seq=seq, idempotency_key=key)
    return await world.services.outbox.consumers.acknowledge(caller, command)


async def reset(world: World, caller: Caller, seq: int, name: str = "mailer") -> Consumer:
    return await world.services.outbox.consumers.reset(caller, ResetEventConsumer(consumer=name, seq=seq))


async def read(world: World, caller: Caller, name: str = "mailer", after: int | None = None) -> list[int]:
    events = world.services.outbox.events
    page = await events.page(caller, after=await events.start_seq(caller, after, name))
    return [event.seq for event in page.items]


async def test_a_consumer_goes_on_behind_what_it_acknowledged(world: World) -> None:
    caller = await noted(world, 5)
    before = await read(world, caller)
    unwritten = await world.counts()

    done = await acknowledge(world, caller, 3)

    assert before == [1, 2, 3, 4, 5]
    assert "EventConsumer" not in unwritten
    assert (done.key, done.place, done.last, done.lag) == ("mailer", 3, 5, 2)
    assert await read(world, caller) == [4, 5]
    # Another name is another reader.
    assert await read(world, caller, "counter") == [1, 2, 3, 4, 5]
    # Who names a later place has those events already.
    assert await read(world, caller, after=4) == [5]
    assert await read(world, caller, after=1) == [4, 5]


async def test_a_late_acknowledgement_never_goes_back_and_a_reset_does(world: World) -> None:
    caller = await noted(world, 5)
    await acknowledge(world, caller, 4, key="k")

    late = await acknowledge(world, caller, 2)
    back = await reset(world, caller, 1)
    # The same request once more: it was done, and is not done again.
    await acknowledge(world, caller, 4, key="k")

    assert late.place == 4
    assert back.place == 1
    assert await read(world, caller) == [2, 3, 4, 5]
    assert (await reset(world, caller, 5)).place == 5
    assert await read(world, caller) == []


async def test_a_reset_to_the_beginning_forgets_the_consumer(world: World) -> None:
    caller = await noted(world, 2)
    await acknowledge(world, caller, 2)

    gone = await reset(world, caller, 0)

    assert gone.place == 0
    assert await world.services.outbox.consumers.list(caller) == []
    assert await read(world, caller) == [1, 2]
    with pytest.raises(NotFound):
        await reset(world, caller, 0)


async def test_two_processes_that_acknowledge_at_once_leave_the_later_place_of_one_consumer(
    world: World,
) -> None:
    caller = await noted(world, 20)

    await asyncio.gather(*(acknowledge(world, caller, seq) for seq in (7, 20, 3, 12, 1, 19)))

    (found,) = await world.services.outbox.consumers.list(caller)
    assert (found.key, found.place, found.lag) == ("mailer", 20, 0)


async def test_a_place_that_no_event_has_yet_is_refused(world: World) -> None:
    caller = await noted(world, 2)

    with pytest.raises(InvalidInput) as refused:
        await acknowledge(world, caller, 3)
    assert refused.value.field == "seq"
    assert "EventConsumer" not in await world.counts()

    await acknowledge(world, caller, 1)
    with pytest.raises(InvalidInput):
        await reset(world, caller, 3)
    assert await read(world, caller) == [2]


@pytest.mark.parametrize("name", ["", "  ", "x" * 300])
async def test_a_name_that_is_none_is_refused(world: World, name: str) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as refused:
        await acknowledge(world, caller, 0, name)
    assert refused.value.field == "consumer"
    with pytest.raises(InvalidInput):
        await read(world, caller, name)
    assert "EventConsumer" not in await world.counts()


@pytest.mark.covers("SEC-12")
async def test_a_consumer_is_its_actors_alone(world: World) -> None:
    caller = await noted(world, 3)
    other = await world.caller("another")
    await acknowledge(world, caller, 3)

    assert await world.services.outbox.consumers.list(other) == []
    assert await world.services.outbox.consumers.acknowledged_seq(other, "mailer") == 0
    with pytest.raises(NotFound):
        await reset(world, other, 1)
    await acknowledge(world, other, 1)
    assert await world.services.outbox.consumers.acknowledged_seq(caller, "mailer") == 3
    org = f"{world.org}-b"
    org_id = await world.services.access.create_organisation(org)
    elsewhere = World(world.services, world.clock, world.statements, org, org_id)
    assert await world.services.outbox.consumers.list(await elsewhere.caller()) == []


async def test_a_reader_may_acknowledge_and_who_may_not_read_may_not(world: World) -> None:
    reader = await world.caller(roles=("reader",))
    done = await acknowledge(world, reader, 0)
    nobody = reader.model_copy(update={"permissions": frozenset()})

    assert done.place == 0
    with pytest.raises(Forbidden):
        await acknowledge(world, nobody, 0)
    with pytest.raises(Forbidden):
        await world.services.outbox.consumers.list(nobody)


async def test_an_actor_has_a_bounded_number_of_consumers(world: World) -> None:
    caller = await noted(world, 1)
    consumers = world.services.outbox.consumers
    most = consumers._catalog.outbox.most_consumers
    for number in range(most):
        await acknowledge(world, caller, 1, f"c{number}")

    with pytest.raises(CapacityReached):
        await acknowledge(world, caller, 1)

    # Those that there are go on, and one that is forgotten makes room.
    await acknowledge(world, caller, 1, "c0")
    await reset(world, caller, 0, "c1")
    await acknowledge(world, caller, 1)
    assert len(await consumers.list(caller)) == most
