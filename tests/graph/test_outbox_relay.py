"""The relay gives each organisation's events their order, whoever else runs or dies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config import Catalog
from prefrontal.graph.cortex.goals.record import CreateGoal, TransitionGoal
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.jobs.outbox import RelayEvents
from prefrontal.graph.jobs.runner import JobRunner, LeaseLost
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.unit_of_work import Tx
from tests.support.registry import registry_of
from tests.support.world import World

pytestmark = pytest.mark.alone


def with_batch(world: World, batch: int, **more: Any) -> Catalog:
    catalog = world.services.catalog
    table = catalog.jobs.relay_events.model_copy(update={"batch": batch, **more})
    return catalog.model_copy(update={"jobs": catalog.jobs.model_copy(update={"relay_events": table})})


def job(world: World, batch: int = 500, **more: Any) -> RelayEvents:
    return RelayEvents(with_batch(world, batch), world.services.outbox.relay, **more)


def runner(world: World) -> JobRunner:
    """A process of its own."""
    return JobRunner(world.services.database, world.clock, [])


async def noted(world: World, *contents: str, agent: str = "bot") -> None:
    caller = await world.caller(agent)
    for content in contents:
        await world.services.scratch.service.add(caller, [ObservationDraft(content=content)])


async def places(world: World) -> list[int]:
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.seq > 0 RETURN e.seq AS seq ORDER BY seq"
    )
    return [row["seq"] for row in rows]


async def waiting(world: World, uid: str, aggregate: str, version: int) -> None:
    """Commit an event with an id and a version of the test's choice."""
    await world.rows(
        "CREATE (:OutboxEvent:Unsequenced {uid: $uid, org_id: $org, scope_id: $org, name: 'n', "
        "created_at: $now, by_uid: $org, type: 'goal.updated', aggregate: $aggregate, "
        "aggregate_version: $version, data: '{}'})",
        uid=uid,
        now=world.clock.now(),
        aggregate=aggregate,
        version=version,
    )


async def order(world: World) -> list[tuple[str, int]]:
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.seq IS NOT NULL "
        "RETURN e.aggregate AS aggregate, e.aggregate_version AS version ORDER BY e.seq"
    )
    return [(row["aggregate"], row["version"]) for row in rows]


async def elsewhere(world: World) -> World:
    org = f"{world.org}-b"
    org_id = await world.services.access.create_organisation(org)
    return World(world.services, world.clock, world.statements, org, org_id)


@pytest.mark.parametrize("batch", [1, 3, 500])
async def test_a_backlog_of_several_organisations_is_stamped_without_a_gap(world: World, batch: int) -> None:
    other = await elsewhere(world)
    for number in range(4):
        await noted(world, f"one {number}")
        await noted(other, f"other {number}", f"more {number}")
    stamped: list[int] = []
    told: list[dict[str, int]] = []

    relay = job(world, batch, on_stamped=stamped.append, on_told=lambda heads: told.append(dict(heads)))
    done = await runner(world).run_once(relay)

    assert done == 12
    assert await places(world) == [1, 2, 3, 4]
    assert await places(other) == list(range(1, 9))
    assert sum(stamped) == 12
    assert {org: head for heads in told for org, head in heads.items()} == {
        world.org_id: 4,
        other.org_id: 8,
    }
    assert not {"Unsequenced", "Untold"} & (await world.counts()).keys()
    # The next ones go on behind the last.
    await noted(world, "later")
    await runner(world).run_once(relay)
    assert await places(world) == [1, 2, 3, 4, 5]
    assert await runner(world).run_once(relay) == 0


async def test_two_relays_at_once_stamp_each_event_once_and_without_a_gap(world: World) -> None:
    """Even without the lease: the counter is locked before it is read."""
    await noted(world, *(f"note {number}" for number in range(40)))
    relay = world.services.outbox.relay

    async def stamp(tx: Tx) -> int:
        return (await relay.stamp_in(tx, world.clock.now(), 7))[0]

    async def until_done() -> None:
        while await world.services.database.write(stamp):
            pass

    await asyncio.gather(until_done(), until_done(), until_done())

    assert await places(world) == list(range(1, 41))
    rows = await world.rows("MATCH (c:EventCounter {org_id: $org}) RETURN c.seq AS seq")
    assert rows == [{"seq": 40}]


async def test_of_two_processes_one_stamps_while_others_write(world: World) -> None:
    relays = [(runner(world), job(world, 5)) for _ in range(2)]

    async def write() -> None:
        await noted(world, *(f"note {number}" for number in range(20)))

    async def relay(which: JobRunner, stamps: RelayEvents) -> None:
        while not writing.done():
            await which.run_once(stamps)

    writing = asyncio.create_task(write())
    await asyncio.gather(writing, *(relay(*each) for each in relays))
    await runner(world).run_once(job(world))

    assert await places(world) == list(range(1, 21))


async def test_a_relay_that_slept_past_its_lease_stamps_nothing(world: World) -> None:
    await noted(world, "one", "two")
    one, other, relay = runner(world), runner(world), job(world)
    lease = await one.acquire(relay)
    assert lease is not None
    world.clock.advance(seconds=relay.table.lease_seconds + 1)
    taken = await other.acquire(relay)
    assert taken is not None

    with pytest.raises(LeaseLost):
        await one.run_batch(relay, lease)

    assert await places(world) == []
    assert (await world.counts())["Unsequenced"] == 2
    assert "EventCounter" not in await world.counts()
    assert await other.run_batch(relay, taken) == 2


async def test_an_older_event_that_commits_late_gets_a_later_place(world: World) -> None:
    old = new_id(Kind.OUTBOX_EVENT, world.clock.now())
    world.clock.advance(seconds=1)
    await noted(world, "younger")
    await runner(world).run_once(job(world))
    # Its transaction was under way all the time.
    await waiting(world, old, "goal_late", 1)

    await runner(world).run_once(job(world))

    rows = await world.rows("MATCH (e:OutboxEvent {org_id: $org, uid: $uid}) RETURN e.seq AS seq", uid=old)
    assert rows == [{"seq": 2}]
    assert await places(world) == [1, 2]


@pytest.mark.parametrize("batch", [1, 2, 500])
async def test_an_aggregate_keeps_the_order_of_its_versions(world: World, batch: int) -> None:
    ids = sorted(new_id(Kind.OUTBOX_EVENT, world.clock.now()) for _ in range(5))
    # The ids of the first are in another order than its versions, also beyond a batch.
    for uid, aggregate, version in zip(ids, "aabaa", (4, 2, 1, 3, 1), strict=True):
        await waiting(world, uid, aggregate, version)

    await runner(world).run_once(job(world, batch))

    found = await order(world)
    assert [version for aggregate, version in found if aggregate == "a"] == [1, 2, 3, 4]
    assert len(found) == 5


async def test_the_changes_of_a_goal_are_in_the_order_of_its_versions(world: World) -> None:
    caller, goals = await world.caller(), world.services.goals
    goal = await goals.service.create(caller, CreateGoal(title="Ship"))
    for status in ("in_progress", "completed"):
        await goals.transitions.transition(caller, TransitionGoal(id=goal.uid, status=status))

    await runner(world).run_once(job(world, 1))

    versions = [version for aggregate, version in await order(world) if aggregate == goal.uid]
    assert versions == sorted(versions)
    assert len(versions) >= 3


async def test_what_is_deleted_meanwhile_leaves_no_gap(world: World) -> None:
    await noted(world, "one", "gone", "three")
    relay = world.services.outbox.relay

    async def work(tx: Tx) -> None:
        one = tx.one

        async def and_delete(name: str, /, **params: Any) -> Any:
            row = await one(name, **params)
            if name == "outbox/find_waiting":
                await world.rows(
                    "MATCH (e:Unsequenced {org_id: $org}) WITH e ORDER BY e.uid SKIP 1 LIMIT 1 DELETE e"
                )
            return row

        tx.one = and_delete  # type: ignore[method-assign]
        await relay.stamp_in(tx, world.clock.now(), 10)

    await world.services.database.write(work)

    assert await places(world) == [1, 2]


async def test_a_commit_wakes_the_relay_of_its_process(world: World) -> None:
    stamped = asyncio.Event()
    relay = RelayEvents(
        with_batch(world, 500, every_seconds=3600.0),
        world.services.outbox.relay,
        on_stamped=lambda *_: stamped.set(),
    )
    running = asyncio.create_task(JobRunner(world.services.database, world.clock, [relay]).run_forever())
    try:
        await noted(world, "first")
        await stamped.wait()
        stamped.clear()
        # By now the job waits: an hour, or the next commit.
        await noted(world, "second")
        await stamped.wait()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    assert await places(world) == [1, 2]


async def test_what_another_process_commits_is_found_by_a_look(world: World, settings: Any) -> None:
    # Another process has a signal of its own: nothing wakes this one.
    other = build_services(
        settings, world.services.database.driver, clock=world.clock, **registry_of(settings)
    )
    stamped = asyncio.Event()
    relay = RelayEvents(
        with_batch(world, 500, every_seconds=0.01),
        world.services.outbox.relay,
        on_stamped=lambda *_: stamped.set(),
    )
    running = asyncio.create_task(JobRunner(world.services.database, world.clock, [relay]).run_forever())
    try:
        await noted(World(other, world.clock, world.statements, world.org, world.org_id), "from elsewhere")
        await stamped.wait()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    assert await places(world) == [1]


async def test_the_metrics_say_what_waits_and_what_was_stamped(world: World) -> None:
    registry = world.services.metrics.registry
    relay = world.services.jobs.named["relay_events"]
    assert isinstance(relay, RelayEvents)
    await noted(world, "one", "two")
    world.clock.advance(seconds=90)

    assert await relay.is_due(world.clock.now())
    assert registry.get_sample_value("prefrontal_outbox_backlog") == 2
    assert registry.get_sample_value("prefrontal_outbox_lag_seconds") == 90
    await world.services.jobs.run_once(relay)
    assert not await relay.is_due(world.clock.now())

    assert registry.get_sample_value("prefrontal_outbox_backlog") == 0
    assert registry.get_sample_value("prefrontal_outbox_lag_seconds") == 0
    assert registry.get_sample_value("prefrontal_outbox_stamped_total") == 2
