"""Processes that publish to a real NATS server, and what its stream has of an organisation."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import nats
from nats.aio.client import Client

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal, TransitionGoal
from prefrontal.graph.jobs.outbox import PublishEvents
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.events import relayed
from tests.support.nats import NatsServer
from tests.support.registry import registry_of
from tests.support.world import World


def process(world: World, settings: Settings, server: NatsServer, **publish: Any) -> Services:
    """A process of its own, which publishes to the server."""
    return build_services(
        settings.model_copy(update={"nats_url": server.url}),
        world.services.database.driver,
        clock=world.clock,
        **with_publish(registry_of(settings), **publish),
    )


def with_publish(registry: dict[str, Any], **more: Any) -> dict[str, Any]:
    outbox = registry["catalog"].outbox
    publish = outbox.publish.model_copy(update={"answer_seconds": 2.0} | more)
    changed = {"outbox": outbox.model_copy(update={"publish": publish})}
    return registry | {"catalog": registry["catalog"].model_copy(update=changed)}


async def closed(services: Services) -> None:
    assert services.outbox.publisher is not None
    await services.outbox.publisher.close()


def job_of(services: Services) -> PublishEvents:
    job = services.jobs.named["publish_events"]
    assert isinstance(job, PublishEvents)
    return job


async def publish(services: Services) -> int | None:
    return await services.jobs.run_once(job_of(services))


async def noted(world: World, *contents: str, agent: str = "bot") -> None:
    caller = await world.caller(agent)
    for content in contents:
        await world.services.scratch.service.add(caller, [ObservationDraft(content=content)])
    await relayed(world)


async def a_goal_that_changes(world: World, title: str = "Ship") -> str:
    caller, goals = await world.caller(), world.services.goals
    goal = await goals.service.create(caller, CreateGoal(title=title))
    for status in ("in_progress", "completed"):
        await goals.transitions.transition(caller, TransitionGoal(id=goal.uid, status=status))
    return goal.uid


async def readable_events(world: World) -> list[tuple[int, str]]:
    """The places and ids of the events that readers may go by."""
    rows = await world.rows(
        "MATCH (c:EventCounter {org_id: $org}) MATCH (e:OutboxEvent {org_id: $org}) WHERE e.seq <= c.told "
        "RETURN e.seq AS seq, e.uid AS uid ORDER BY seq"
    )
    return [(row["seq"], row["uid"]) for row in rows]


async def broker_seq(world: World) -> int:
    rows = await world.rows("MATCH (c:EventConsumer {scope_id: $org, key: 'nats'}) RETURN c.place AS place")
    return rows[0]["place"] if rows else 0


@contextlib.asynccontextmanager
async def connected(server: NatsServer) -> AsyncIterator[Client]:
    client = await nats.connect(server.url, allow_reconnect=False)
    try:
        yield client
    finally:
        await client.close()


async def stored(server: NatsServer, world: World) -> list[dict[str, Any]]:
    """The events of this organisation in the stream, in the order in which they were stored."""
    found = []
    async with connected(server) as client:
        js = client.jetstream()
        subscription = await js.pull_subscribe(f"prefrontal.{world.org}.>", stream="PREFRONTAL")
        while waiting := (await subscription.consumer_info()).num_pending:
            batch = await subscription.fetch(min(waiting, 100), timeout=60)
            for message in batch:
                event = json.loads(message.data)
                assert message.headers == {
                    "Nats-Msg-Id": event["id"],
                    "Nats-Expected-Stream": "PREFRONTAL",
                    "Content-Type": "application/cloudevents+json; charset=UTF-8",
                }
                assert message.subject == f"prefrontal.{world.org}.{event['type']}"
                found.append(event)
                await message.ack()
        return found


async def grown(world: World, seq: int, size: int) -> str:
    """Make an event larger than the server takes."""
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, seq: $seq}) SET e.data = $data RETURN e.uid AS uid",
        seq=seq,
        data=json.dumps({"codes": "x" * size}),
    )
    return str(rows[0]["uid"])
