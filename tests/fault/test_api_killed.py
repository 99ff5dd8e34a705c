"""`kill -9` of the API in the middle of a stream of writes over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded import find_running
from prefrontal.graph.embedded.running import RunningServer
from tests.fault.conftest import api_environment, client_of, world_at
from tests.support.database import endpoint_of
from tests.support.integrity import halves
from tests.support.server_process import ApiProcess
from tests.support.stream import Stream
from tests.support.world import World

WRITERS = 6
ENOUGH = 40
"""How many answers there are before the kill: in the middle of the stream, not at its beginning."""


async def stream_on(world: World) -> Stream:
    goal = await world.services.goals.service.create(await world.caller(), CreateGoal(title="shared"))
    return Stream(goal.uid)


async def until_killed(
    stream: Stream, api: ApiProcess, settings: Settings, world: World, enough: int = ENOUGH
) -> None:
    """Write with several clients until the process is killed under them."""
    async with client_of(api, settings, world) as http:
        writing = asyncio.create_task(stream.run([http] * WRITERS, lambda: False))
        while len(stream.acknowledged) < enough:
            await asyncio.sleep(0.005)
            assert not writing.done(), stream.failures
        await asyncio.to_thread(api.kill)
        await writing


async def nothing_lost_and_each_once(
    stream: Stream, api: ApiProcess, settings: Settings, world: World
) -> None:
    """What was acknowledged is there, nothing is half there, and what is sent again happens once."""
    assert await stream.losses(world) == []
    assert await halves(world) == []
    async with client_of(api, settings, world) as http:
        await stream.send_again(http, stream.unsure)
        assert stream.unsure == []
        # Every request once more: each is answered as it was, and nothing happens.
        before = await world.counts()
        await stream.send_again(http, list(stream.calls.values()))
    assert await world.counts() == before
    assert before["Request"] == len(stream.calls)
    assert await stream.losses(world) == []
    assert await halves(world) == []


async def test_nothing_acknowledged_is_lost_when_the_api_is_killed(
    world: World, settings: Settings, both: tuple[ApiProcess, ApiProcess]
) -> None:
    api, stream = both[0], await stream_on(world)

    await until_killed(stream, api, settings, world)
    # A client has one request under way: that many may be written without an answer, and no more.
    assert len(stream.failures) == WRITERS
    assert len(stream.unsure) <= WRITERS
    await asyncio.to_thread(api.start)

    await nothing_lost_and_each_once(stream, api, settings, world)


@pytest.mark.nightly("each is killed by itself: here, and in test_database_killed")
async def test_nothing_acknowledged_is_lost_when_api_and_database_are_killed_at_once(
    settings: Settings, tmp_path: Path
) -> None:
    # Without NEO4J_URI the API has a database of its own, which dies with it.
    env = api_environment(tmp_path / "data", PREFRONTAL_BOLT_PORT="0", PREFRONTAL_BROWSER_PORT="0")
    api = ApiProcess(env, tmp_path / "api.log")
    try:
        await asyncio.to_thread(api.start)
        running = find_running(tmp_path / "data" / "neo4j")
        assert running
        async for world in world_at(settings, endpoint_of(running)):
            stream = await stream_on(world)
            await until_killed(stream, api, settings, world, enough=16)

        await asyncio.to_thread(api.start)
        running = find_running(tmp_path / "data" / "neo4j")
        assert running
        async for again in world_at(settings, endpoint_of(running)):
            world.services = again.services
            await nothing_lost_and_each_once(stream, api, settings, world)
    finally:
        await asyncio.to_thread(api.stop)


async def the_next_server(home: Path, pid: int) -> RunningServer:
    """What runs in `home` after the process `pid`; half a minute is more than any start took."""
    for _ in range(600):
        found = find_running(home)
        if found is not None and found.pid != pid:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError("no server was started again")


@pytest.mark.nightly("tests/embedded/test_keeper.py has a server that is started again")
async def test_a_database_of_its_own_that_is_killed_is_started_again(
    settings: Settings, tmp_path: Path
) -> None:
    env = api_environment(
        tmp_path / "data",
        PREFRONTAL_BOLT_PORT="0",
        PREFRONTAL_BROWSER_PORT="0",
        # What starts without the warm-up does without it after a restart, too.
        PREFRONTAL_FAST_START="0",
    )
    api = ApiProcess(env, tmp_path / "api.log")
    try:
        await asyncio.to_thread(api.start)
        first = find_running(tmp_path / "data" / "neo4j")
        assert first
        async for world in world_at(settings, endpoint_of(first)):
            stream = await stream_on(world)
            async with client_of(api, settings, world) as http:
                over = asyncio.Event()
                writing = asyncio.create_task(stream.run([http] * WRITERS, over.is_set))
                while len(stream.acknowledged) < 16:
                    await asyncio.sleep(0.005)
                    assert not writing.done(), stream.failures
                os.kill(first.pid, signal.SIGKILL)
                second = await the_next_server(tmp_path / "data" / "neo4j", first.pid)
                await asyncio.to_thread(api.wait_ready)
                # Who was not refused meanwhile writes on, so somebody has to say that it is enough.
                over.set()
                await writing
            assert second.bolt_uri == first.bolt_uri
            assert api.process.poll() is None
            await nothing_lost_and_each_once(stream, api, settings, world)
        assert "neo4j_started_again" in api.log_text()
        # Its plans are made before somebody waits for them.
        await asyncio.to_thread(api.wait_for_log, '"warmed_up"')
        assert "not_warmed_up" not in api.log_text()
    finally:
        await asyncio.to_thread(api.stop)
