"""The publisher and a real NATS server: each event arrives, in the order of its record, whatever fails."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from nats.js.api import StreamConfig

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.errors import NotFound, Unavailable
from prefrontal.graph.jobs.outbox import PublishEvents
from prefrontal.graph.jobs.runner import JobRunner, LeaseLost
from prefrontal.graph.outbox.broker import Away, Broker, Message, Refusal
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.commit_record import CommitTurn, StateDraft
from prefrontal.graph.turns.export_record import StateExport
from tests.support.events import relayed
from tests.support.nats import NatsServer
from tests.support.publishing import (
    a_goal_that_changes,
    broker_seq,
    closed,
    connected,
    grown,
    job_of,
    noted,
    process,
    publish,
    readable_events,
    stored,
    with_publish,
)
from tests.support.registry import registry_of
from tests.support.world import World

pytestmark = pytest.mark.alone

NIGHTLY = pytest.mark.nightly("a publisher that is killed is tried with each change")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    await server.start()
    yield server
    server.kill()


@pytest.fixture
async def services(world: World, settings: Settings, server: NatsServer) -> AsyncIterator[Services]:
    services = process(world, settings, server)
    yield services
    await closed(services)


def versions_in_order(events: list[dict[str, Any]]) -> bool:
    by_subject: dict[str, list[int]] = {}
    for event in events:
        by_subject.setdefault(event["subject"], []).append(event["seq"])
    return all(places == sorted(places) for places in by_subject.values())


@pytest.mark.covers("TURN-129")
async def test_each_event_arrives_once_as_a_cloud_event(
    world: World, server: NatsServer, services: Services
) -> None:
    goal = await a_goal_that_changes(world)
    # Without a place: other transactions may still be under way.
    early = await publish(services)
    await noted(world, "one", agent="another")
    expected = await readable_events(world)

    sent = await publish(services)
    again = await publish(services)

    found = await stored(server, world)
    assert (early, sent, again) == (0, len(expected), 0)
    assert sorted((event["seq"], event["id"]) for event in found) == expected
    assert versions_in_order(found)
    # Of every space of the organisation: who may read the stream is decided there.
    assert len({event["space"] for event in found}) == 2
    event = JSONFormat().read(CloudEvent, json.dumps(found[0]))
    assert (event.get_source(), event.get_type()) == (f"/organisations/{world.org}", "goal.created")
    assert (event.get_subject(), event.get_extension("seq")) == (goal, 1)
    assert await broker_seq(world) == len(expected)
    # The next ones go on behind the last.
    await noted(world, "two")
    assert await publish(services) == 1


@pytest.mark.covers("TURN-125", "TURN-127")
async def test_a_daemon_gets_the_state_export_of_a_turn_whole(
    world: World, server: NatsServer, services: Services
) -> None:
    bot = await world.caller()
    event = StateDraft(content="It boiled", importance=0.9)
    done = await world.services.turns.finalization.commit(
        bot, CommitTurn(turn_id="t", user_input="Hot?", events=(event,))
    )
    await relayed(world)
    await publish(services)

    (found,) = [each for each in await stored(server, world) if each["type"] == "turn.exported"]
    export = (await world.services.turns.trace.exports(bot, [done.export_id]))[done.export_id]
    assert found["data"]["export"] == json.loads(export.body)
    assert (found["subject"], found["data"]["digest"]) == (export.uid, export.digest)
    assert StateExport.model_validate(found["data"]["export"]).text() == export.body


async def test_what_arrived_before_a_process_died_is_recognised_by_its_id(
    world: World, settings: Settings, server: NatsServer, services: Services
) -> None:
    await noted(world, "one", "two", "three")
    # It dies behind the answers of the broker and before its transaction.
    assert services.outbox.publisher is not None
    done = await services.outbox.publisher.send_round()
    other = process(world, settings, server)

    sent = await publish(other)

    found = await stored(server, world)
    assert (done.sent, sent, await broker_seq(world)) == (3, 3, 3)
    assert [event["seq"] for event in found] == [1, 2, 3]
    await closed(other)


@NIGHTLY
@pytest.mark.parametrize("pending", [1, 256])
async def test_a_server_that_is_killed_while_events_are_sent_misses_none(
    world: World, settings: Settings, server: NatsServer, pending: int
) -> None:
    services = process(world, settings, server, pending=pending, page=20, retry_seconds=0.001)
    for number in range(10):
        await a_goal_that_changes(world, f"Ship {number}")
    await noted(world, *(f"note {number}" for number in range(20)))
    expected = await readable_events(world)
    broker = services.outbox.publisher._broker  # type: ignore[union-attr]
    send, count = broker.send, 0

    async def and_kill(message: Message) -> None:
        nonlocal count
        count += 1
        if count == 15:
            server.kill()
        await send(message)

    broker.send = and_kill  # type: ignore[method-assign]

    await publish(services)
    before = await broker_seq(world)
    assert (
        services.metrics.registry.get_sample_value("prefrontal_publish_failures_total", {"reason": "away"})
        == 1
    )
    world.clock.advance(seconds=10)
    # It is not there: nothing moves, and nothing is lost.
    await publish(services)
    assert await broker_seq(world) == before < len(expected)
    await server.start()
    world.clock.advance(seconds=10)
    await publish(services)

    found = await stored(server, world)
    assert sorted((event["seq"], event["id"]) for event in found) == expected
    assert versions_in_order(found)
    assert await broker_seq(world) == len(expected)
    await closed(services)


@NIGHTLY
async def test_two_publishers_at_once_while_others_write(
    world: World, settings: Settings, server: NatsServer
) -> None:
    both = [process(world, settings, server, page=3) for _ in range(2)]
    # Each a process of its own: another owner of leases.
    runners = [JobRunner(each.database, world.clock, []) for each in both]

    async def write() -> None:
        for number in range(8):
            await a_goal_that_changes(world, f"Ship {number}")
            await relayed(world)

    async def go(runner: JobRunner, services: Services) -> None:
        while not writing.done():
            await runner.run_once(job_of(services))

    writing = asyncio.create_task(write())
    await asyncio.gather(writing, *(go(*each) for each in zip(runners, both, strict=True)))
    await relayed(world)
    await publish(both[0])

    found = await stored(server, world)
    expected = await readable_events(world)
    assert sorted((event["seq"], event["id"]) for event in found) == expected
    assert versions_in_order(found)
    assert await broker_seq(world) == len(expected)
    for each in both:
        await closed(each)


async def test_a_publisher_that_slept_past_its_lease_moves_nothing(
    world: World, settings: Settings, server: NatsServer, services: Services
) -> None:
    await noted(world, "one", "two")
    other = process(world, settings, server)
    one, another = (JobRunner(each.database, world.clock, []) for each in (services, other))
    job = job_of(services)
    lease = await one.acquire(job)
    assert lease is not None
    world.clock.advance(seconds=job.table.lease_seconds + 1)
    taken = await another.acquire(job_of(other))
    assert taken is not None

    with pytest.raises(LeaseLost):
        await one.run_batch(job, lease)

    assert await broker_seq(world) == 0
    assert await another.run_batch(job_of(other), taken) == 2
    assert [event["seq"] for event in await stored(server, world)] == [1, 2]
    await closed(other)


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[NatsServer]:
    server = NatsServer(tmp_path / "small", max_payload=2_000)
    await server.start()
    yield server
    server.kill()


async def test_an_event_that_the_server_refuses_becomes_a_dead_letter_and_the_others_go_on(
    world: World, settings: Settings, small: NatsServer
) -> None:
    services = process(world, settings, small)
    publisher, registry = services.outbox.publisher, services.metrics.registry
    assert publisher is not None
    goal = await a_goal_that_changes(world)
    await noted(world, "one", "two")
    expected = await readable_events(world)
    dead = await grown(world, 2, 3_000)
    attempts = services.catalog.outbox.publish.attempts
    places = []
    for _ in range(attempts):
        await publish(services)
        places.append(await broker_seq(world))
        # Until it is dead, nothing about its record overtakes it; others do.
        if places[-1] == 1:
            found = await stored(small, world)
            assert [event["seq"] for event in found if event["subject"] == goal] == [1]
            assert len(found) == 3
        world.clock.advance(seconds=services.catalog.outbox.publish.retry_seconds)

    (letter,) = [each async for each in services.outbox.overview.dead_letters()]
    found = await stored(small, world)
    assert places == [1] * (attempts - 1) + [len(expected)]
    assert (letter.event.uid, letter.event.seq, letter.attempts) == (dead, 2, attempts)
    assert (letter.org_key, letter.consumer, letter.event.subject) == (world.org, "nats", goal)
    assert "2000" in letter.reason
    assert sorted(event["seq"] for event in found) == [seq for seq, _ in expected if seq != 2]
    assert versions_in_order(found)
    assert await job_of(services).is_due(world.clock.now()) is False
    assert registry.get_sample_value("prefrontal_dead_letters", {"consumer": "nats"}) == 1
    refused = registry.get_sample_value("prefrontal_publish_failures_total", {"reason": "refused"})
    assert refused == attempts

    # Sent again it is refused again, and stays.
    with pytest.raises(NotFound):
        await publisher.replay("evt_unknown")
    assert (await publisher.replay(dead)).model_dump() == {"sent": 0, "refused": 1}
    (letter,) = [each async for each in services.outbox.overview.dead_letters()]
    assert letter.attempts == attempts + 1
    # A server that takes more gets it.
    await closed(services)
    small.kill()
    small.max_payload = 10_000
    await small.start()
    seen: list[tuple[int, int]] = []
    again = await publisher.replay(None, lambda done, total: seen.append((done, total)))
    assert (again.model_dump(), seen) == ({"sent": 1, "refused": 0}, [(1, 1)])
    assert [each async for each in services.outbox.overview.dead_letters()] == []
    assert {event["id"] for event in await stored(small, world)} == {uid for _, uid in expected}
    assert "DeadLetter" not in await world.counts()
    await closed(services)


async def test_a_dead_letter_that_no_broker_gets_stays(
    world: World, settings: Settings, small: NatsServer
) -> None:
    services = process(world, settings, small, attempts=1)
    await noted(world, "one")
    dead = await grown(world, 1, 3_000)
    await publish(services)
    small.kill()

    with pytest.raises(Unavailable):
        await services.outbox.publisher.replay(None)  # type: ignore[union-attr]

    (letter,) = [each async for each in services.outbox.overview.dead_letters()]
    assert (letter.event.uid, letter.attempts) == (dead, 1)
    await closed(services)


class Silent:
    """A server that takes connections and never answers."""

    def __init__(self) -> None:
        self.connections = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(ConnectionError):
            await reader.read()
            writer.close()
            await writer.wait_closed()


@pytest.mark.parametrize("kind", ["dead", "silent"])
@pytest.mark.covers("TURN-130")
async def test_a_broker_that_is_dead_or_silent_fails_no_commit(
    world: World, settings: Settings, tmp_path: Path, kind: str
) -> None:
    server = NatsServer(tmp_path / "nats")
    silent = Silent()
    listening = await asyncio.start_server(silent, "127.0.0.1", server.port) if kind == "silent" else None
    services = process(world, settings, server, answer_seconds=0.05)
    there = World(services, world.clock, world.statements, world.org, world.org_id)
    jobs = [services.jobs.named[name] for name in ("relay_events", "publish_events")]
    running = asyncio.create_task(JobRunner(services.database, world.clock, jobs).run_forever())
    try:
        caller = await there.caller()
        # As long as it takes until the broker was found to be away, people write.
        failures = {"reason": "away"}
        number = 0
        while not services.metrics.registry.get_sample_value("prefrontal_publish_failures_total", failures):
            number += 1
            (noted,) = await services.scratch.service.add(caller, [ObservationDraft(content=f"n {number}")])
            assert noted.uid
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        if listening is not None:
            listening.close()
            await listening.wait_closed()
    await relayed(there)
    waiting = await services.outbox.publisher.backlog()  # type: ignore[union-attr]

    assert (waiting.waiting, waiting.dead) == (number, 0)
    assert await broker_seq(world) == 0
    assert bool(silent.connections) is (kind == "silent")
    # It comes, and gets all of it.
    await server.start()
    world.clock.advance(seconds=10)
    patient = process(world, settings, server)
    assert await publish(patient) == number
    assert [event["seq"] for event in await stored(server, world)] == list(range(1, number + 1))
    server.kill()
    for each in (services, patient):
        await closed(each)


async def test_a_stream_that_is_there_is_used_as_it_is(
    world: World, server: NatsServer, services: Services
) -> None:
    async with connected(server) as client:
        made = StreamConfig(name="PREFRONTAL", subjects=["prefrontal.>", "other"], max_msg_size=900)
        await client.jetstream().add_stream(made)
    await noted(world, "one", "two")
    await grown(world, 1, 1_000)

    for _ in range(services.catalog.outbox.publish.attempts):
        await publish(services)
        world.clock.advance(seconds=10)

    (letter,) = [each async for each in services.outbox.overview.dead_letters()]
    assert "size" in letter.reason
    assert [event["seq"] for event in await stored(server, world)] == [2]


async def test_organisations_do_not_wait_for_each_other(
    world: World, settings: Settings, small: NatsServer
) -> None:
    services = process(world, settings, small, organisations=1, page=2)
    org = f"{world.org}.b"
    org_id = await services.access.create_organisation(org)
    other = World(services, world.clock, world.statements, org, org_id)
    await noted(world, "one", "two", "three", "four", "five")
    await noted(other, "a", "b", "c")
    await grown(world, 1, 3_000)

    await publish(services)

    assert await broker_seq(other) == 3
    assert await broker_seq(world) == 0
    async with connected(small) as client:
        info = await client.jetstream().stream_info("PREFRONTAL", subjects_filter=">")
    subject = f"prefrontal.{world.org}%2Eb.observation.added"
    assert (info.state.subjects or {})[subject] == 3
    await closed(services)


async def test_what_the_broker_lacks_or_refused_is_not_deleted(
    world: World, settings: Settings, small: NatsServer
) -> None:
    registry = with_publish(registry_of(settings), attempts=1)
    retention = registry["catalog"].retention.model_copy(update={"event_days": 1})
    registry["catalog"] = registry["catalog"].model_copy(update={"retention": retention})
    services = build_services(
        settings.model_copy(update={"nats_url": small.url}),
        world.services.database.driver,
        clock=world.clock,
        **registry,
    )
    await noted(world, "one", "two", "three")
    dead = await grown(world, 2, 3_000)
    await publish(services)
    await noted(world, "four")
    world.clock.advance(days=3)

    await services.jobs.run_once(services.jobs.named["delete_events"])

    left = await readable_events(world)
    assert [seq for seq, _ in left] == [2, 4]
    assert left[0][1] == dead
    # Who publishes nothing keeps nothing for a broker.
    without = build_services(settings, world.services.database.driver, clock=world.clock, **registry)
    await without.jobs.run_once(without.jobs.named["delete_events"])
    assert [seq for seq, _ in await readable_events(world)] == [2]
    await closed(services)


class Odd:
    """A broker in this process: what it does with a message is said by the test."""

    def __init__(self, judge: Callable[[Message, int], str]) -> None:
        self.judge = judge
        self.under_way: list[str] = []
        self.stored: list[Message] = []
        self.asked: list[str] = []

    async def send(self, message: Message) -> None:
        assert message.subject not in self.under_way, "two of a record are under way"
        self.under_way.append(message.subject)
        self.asked.append(message.uid)
        await asyncio.sleep(0)
        said = self.judge(message, len(self.asked))
        self.under_way.remove(message.subject)
        if said == "refused":
            raise Refusal("no")
        if said == "away":
            raise Away("gone")
        self.stored.append(message)

    async def close(self) -> None:
        pass


async def test_of_a_record_one_event_at_a_time_is_under_way_and_what_arrived_is_not_sent_again(
    world: World, settings: Settings
) -> None:
    """Every seventh answer is lost, so that rounds end at every place."""
    broker: Broker = Odd(lambda _, number: "away" if number % 7 == 0 else "stored")
    registry = with_publish(registry_of(settings), page=30, retry_seconds=0.001)
    services = build_services(
        settings, world.services.database.driver, clock=world.clock, broker=broker, **registry
    )
    for number in range(6):
        await a_goal_that_changes(world, f"Ship {number}")
    await relayed(world)
    expected = await readable_events(world)

    for _ in range(len(expected)):
        await publish(services)
        world.clock.advance(seconds=1)

    assert isinstance(broker, Odd)
    assert sorted((message.seq, message.uid) for message in broker.stored) == expected
    by_subject: dict[str, list[int]] = {}
    for message in broker.stored:
        by_subject.setdefault(message.subject, []).append(message.seq)
    assert all(places == sorted(places) for places in by_subject.values())
    assert await broker_seq(world) == len(expected)


async def test_a_place_follows_the_events_that_were_deleted(
    world: World, server: NatsServer, services: Services
) -> None:
    await noted(world, "one", "two")
    await world.rows("MATCH (e:OutboxEvent {org_id: $org}) DETACH DELETE e")

    assert await publish(services) == 0

    assert await broker_seq(world) == 2
    assert await job_of(services).is_due(world.clock.now()) is False


async def test_the_metrics_and_the_overview_say_what_the_broker_lacks(
    world: World, server: NatsServer, services: Services
) -> None:
    registry, job = services.metrics.registry, job_of(services)
    await noted(world, "one", "two")
    world.clock.advance(seconds=90)

    assert await job.is_due(world.clock.now())
    assert registry.get_sample_value("prefrontal_publisher_backlog") == 2
    assert registry.get_sample_value("prefrontal_publisher_lag_seconds") == 90
    assert registry.get_sample_value("prefrontal_dead_letters", {"consumer": "nats"}) == 0
    lease = await services.jobs.acquire(job)
    assert lease is not None
    status = await services.outbox.overview.status()
    assert (status.backlog.waiting, status.unpublished.waiting) == (0, 2)
    assert {each.job: each.holder for each in status.leases}["publish_events"] == services.jobs.owner
    await publish(services)
    assert not await job.is_due(world.clock.now())
    assert registry.get_sample_value("prefrontal_publisher_backlog") == 0
    assert registry.get_sample_value("prefrontal_published_total") == 2
    status = await services.outbox.overview.status()
    consumer = next(each for each in status.consumers if each.org_key == world.org)
    assert (consumer.key, consumer.actor, consumer.place, consumer.lag) == ("nats", None, 2, 0)


async def test_a_relay_wakes_the_publisher_of_its_process(
    world: World, settings: Settings, server: NatsServer
) -> None:
    services = process(world, settings, server)
    there = World(services, world.clock, world.statements, world.org, world.org_id)
    slow = services.catalog.jobs.publish_events.model_copy(update={"every_seconds": 3600.0})
    jobs_table = services.catalog.jobs.model_copy(update={"publish_events": slow})
    catalog = services.catalog.model_copy(update={"jobs": jobs_table})
    arrived = asyncio.Event()
    job = PublishEvents(
        catalog,
        services.outbox.publisher,  # type: ignore[arg-type]
        on_round=lambda done: arrived.set() if done.sent else None,
    )
    jobs = [services.jobs.named["relay_events"], job]
    running = asyncio.create_task(JobRunner(services.database, world.clock, jobs).run_forever())
    try:
        caller = await there.caller()
        for content in ("first", "second"):
            await services.scratch.service.add(caller, [ObservationDraft(content=content)])
            await arrived.wait()
            arrived.clear()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    assert [event["seq"] for event in await stored(server, world)] == [1, 2]
    await closed(services)
