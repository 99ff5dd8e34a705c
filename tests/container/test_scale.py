"""The profile `scale` of docker-compose.yml: a container of the API is killed in the middle of commits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
from pydantic import SecretStr

from prefrontal.api.auth import Tokens
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.clock import SystemClock
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded.processes import free_port
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.storage.driver import connect
from scripts.containers.engine import Engine
from tests.container.test_compose import PATIENCE_S, Stack, container_of
from tests.support.clock import FixedClock
from tests.support.integrity import halves
from tests.support.registry import registry_of
from tests.support.statements import StatementCounter
from tests.support.stream import Stream
from tests.support.world import World

pytestmark = pytest.mark.nightly("two processes are killed without containers")

WRITERS = 6
ENOUGH = 40
"""How many answers there are before the kill, and as many after it."""
SECRET = "a secret of these tests, of at least 32 bytes"
EVENTS = "query ($after: Int!) { events(after: $after, first: 100) { seq } }"


@pytest.fixture(scope="module")
def stack(engine: Engine, images, api_image: str) -> Iterator[Stack]:
    names = ("PREFRONTAL_PORT", "PREFRONTAL_SCALE_PORT", "PREFRONTAL_BROWSER_PORT", "PREFRONTAL_BOLT_PORT")
    env = {
        **{name: str(free_port()) for name in names},
        "NEO4J_IMAGE": images.neo4j,
        "NEO4J_PASSWORD": f"pw-{uuid4().hex}",
        "NEO4J_HEAP": "512m",
        "NEO4J_PAGE_CACHE": "128m",
        "PREFRONTAL_IMAGE": api_image,
        "PREFRONTAL_JWT_SECRET": SECRET,
        "PROXY_IMAGE": images.proxy,
        "NATS_IMAGE": images.nats,
    }
    options = ("-f", "tests/container/quicker_scale.yml", "--profile", "scale")
    stack = Stack(engine, f"prefrontal-{uuid4().hex[:8]}", env, options=options)
    try:
        stack.up()
        yield stack
    finally:
        stack.http.close()
        stack.compose("down", "--volumes")


@pytest.fixture
async def world(stack: Stack) -> AsyncIterator[World]:
    """An organisation of its own, looked at past the API."""
    settings = Settings(encoder="hash", query_timeout_s=60.0)
    uri = f"bolt://127.0.0.1:{stack.env['PREFRONTAL_BOLT_PORT']}"
    async with connect(settings, uri, "neo4j", stack.env["NEO4J_PASSWORD"]) as driver:
        clock = FixedClock()
        services = build_services(settings, driver, clock=clock, **registry_of(settings))
        key = new_id(Kind.ORGANISATION, clock.now()).replace("_", "-").lower()
        org_id = await services.access.create_organisation(key)
        yield World(services, clock, StatementCounter(), key, org_id)


@pytest.fixture
async def proxy(stack: Stack, world: World) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(jwt_secret=SecretStr(SECRET))
    token, _ = Tokens(SECRET, settings, SystemClock()).issue(world.principal(), timedelta(hours=1))
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{stack.env['PREFRONTAL_SCALE_PORT']}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=60,
    ) as http:
        await until(lambda: serves(http))
        yield http


async def serves(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/readyz")).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


async def until(true) -> None:
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while not await true():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.1)


async def logs_of(stack: Stack, service: str) -> str:
    done = await asyncio.to_thread(stack.engine.run, "logs", container_of(stack, service))
    return done.stdout + done.stderr


async def test_a_killed_api_loses_no_acknowledged_commit_and_repeats_none(
    stack: Stack, world: World, proxy: httpx.AsyncClient
) -> None:
    # Both containers answer before one of them is killed.
    async def both() -> bool:
        await asyncio.gather(*(serves(proxy) for _ in range(4)))
        return all(['"route": "/readyz"' in await logs_of(stack, name) for name in ("api", "api-2")])

    await until(both)
    goal = await world.services.goals.service.create(await world.caller(), CreateGoal(title="shared"))
    stream, over = Stream(goal.uid), asyncio.Event()
    writing = asyncio.create_task(stream.run([proxy] * WRITERS, over.is_set))
    while len(stream.acknowledged) < ENOUGH:
        await asyncio.sleep(0.005)
        assert not writing.done(), stream.failures

    killed = container_of(stack, "api-2")
    await asyncio.to_thread(stack.engine.run, "kill", "--signal", "KILL", killed)
    # Clients whose request was under way there stop; the others write on, through the other container.
    before = len(stream.acknowledged)
    while len(stream.acknowledged) < before + ENOUGH and not writing.done():  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.005)
    over.set()
    await writing
    assert len(stream.failures) < WRITERS
    assert len(stream.acknowledged) >= before + ENOUGH
    assert len(stream.unsure) <= len(stream.failures)

    # What was acknowledged is there, nothing is half there.
    assert await stream.losses(world) == []
    assert await halves(world) == []
    # Who had no answer sends again, through the proxy, and gets it; nothing happens twice.
    await stream.send_again(proxy, stream.unsure)
    assert stream.unsure == []
    # The jobs write too; these are what requests write.
    labels = ("Request", "Observation", "Goal", "PendingAction", "Turn", "OutboxEvent")
    written = {label: number for label, number in (await world.counts()).items() if label in labels}
    await asyncio.to_thread(stack.engine.run, "start", killed)
    await stream.send_again(proxy, list(stream.calls.values()))
    assert {label: n for label, n in (await world.counts()).items() if label in labels} == written
    assert written["Request"] == len(stream.calls)
    assert await stream.losses(world) == []
    assert await halves(world) == []

    # Everyone is told: each event has its place, without a gap.
    async def stamped() -> bool:
        return await world.rows("MATCH (e:OutboxEvent:Unsequenced {org_id: $org}) RETURN e.uid") == []

    await until(stamped)
    rows = await world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN e.seq AS seq ORDER BY seq")
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))


async def test_the_killed_container_answers_again_and_what_was_written_through_one_is_read_through_the_other(
    stack: Stack, proxy: httpx.AsyncClient
) -> None:
    async def both_up() -> bool:
        done = await asyncio.to_thread(stack.compose, "ps")
        return await serves(proxy) and "api-2" in done

    await until(both_up)
    for number in range(1, 11):
        add = await proxy.post(
            "/graphql", json={"query": 'mutation { addObservation(input: {content: "seen"}) { ok } }'}
        )
        assert add.json() == {"data": {"addObservation": {"ok": True}}}
        read = await proxy.post("/graphql", json={"query": "{ observations { totalCount } }"})
        assert read.json() == {"data": {"observations": {"totalCount": number}}}


def test_nats_runs_beside_them_with_jetstream(stack: Stack) -> None:
    said = stack.engine.run("logs", container_of(stack, "nats"))
    assert "Starting JetStream" in said.stdout + said.stderr
    assert "Server is ready" in said.stdout + said.stderr
