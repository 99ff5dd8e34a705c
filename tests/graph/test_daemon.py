"""The reference daemon of `examples/`, as processes of their own, with a real NATS server."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js.errors import NotFoundError

from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import ROOT, Settings
from tests.support.nats import NatsServer
from tests.support.publishing import (
    a_goal_that_changes,
    closed,
    noted,
    process,
    publish,
    readable_events,
)
from tests.support.world import World

pytestmark = [pytest.mark.slow, pytest.mark.alone]


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


class Daemon:
    """`python examples/daemon.py NAME`, with its state in a file."""

    def __init__(self, name: str, server: NatsServer, world: World, folder: Path, **env: str) -> None:
        self.name = name
        self.state = folder / f"{name}.sqlite"
        self._env = {
            "PATH": os.environ["PATH"],
            "NATS_URL": server.url,
            "ORG": world.org,
            "DAEMON_STATE": str(self.state),
            "ACK_WAIT": "1",
            **env,
        }
        self.process: asyncio.subprocess.Process | None = None

    async def start(self, program: str | None = None) -> None:
        given = [str(ROOT / "examples" / "daemon.py")] if program is None else ["-c", program]
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *given, self.name, env=self._env, stdout=asyncio.subprocess.PIPE
        )

    async def reads(self, number: int) -> list[tuple[int, str, str]]:
        """The next lines: place, type and record of events that were new to it."""
        assert self.process is not None
        assert self.process.stdout is not None
        found = []
        async with asyncio.timeout(60):
            for _ in range(number):
                seq, kind, subject = (await self.process.stdout.readline()).decode().split()
                found.append((int(seq), kind, subject))
        return found

    async def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(how)
        return await self.process.wait()

    def rows(self, query: str) -> list[Any]:
        with sqlite3.connect(self.state) as state:
            found = state.execute(query).fetchall()
        state.close()
        return found


@pytest.mark.covers("TURN-128")
async def test_each_daemon_gets_its_own_copy_and_goes_on_where_it_was(
    world: World, server: NatsServer, services: Services, tmp_path: Path
) -> None:
    goal = await a_goal_that_changes(world)
    await noted(world, "one")
    await publish(services)
    expected = [seq for seq, _ in await readable_events(world)]
    mailer, counter = (Daemon(name, server, world, tmp_path) for name in ("mailer", "counter"))
    await mailer.start()
    first = await mailer.reads(len(expected))
    # One is away; what it has done changes nothing for the other.
    assert await mailer.end() == 0
    await counter.start()
    other = await counter.reads(len(expected))
    await noted(world, "two", "three")
    await publish(services)
    await mailer.start()
    again = await mailer.reads(2)
    other += await counter.reads(2)

    assert sorted(seq for seq, _, _ in first) == expected
    assert sorted(first + again) == sorted(other)
    assert [seq for seq, _, _ in again] == [len(expected) + 1, len(expected) + 2]
    assert [await each.end() for each in (mailer, counter)] == [0, 0]
    last = mailer.rows(f"SELECT version, type FROM records WHERE subject = '{goal}'")
    assert last == counter.rows(f"SELECT version, type FROM records WHERE subject = '{goal}'")
    rows = await world.rows("MATCH (g:Goal {uid: $uid}) RETURN g.version AS version", uid=goal)
    assert last[0][0] == rows[0]["version"]


# The client says "nothing came" with an error of its own, or, where an answer comes at the last moment, with
# Python's.
NOTHING_CAME = """
import runpy
from nats.js.client import JetStreamContext
fetch = JetStreamContext.PullSubscription.fetch
async def nothing(self, *given, **named):
    JetStreamContext.PullSubscription.fetch = fetch
    raise TimeoutError
JetStreamContext.PullSubscription.fetch = nothing
runpy.run_path({path!r}, run_name="__main__")
"""


async def test_a_daemon_goes_on_where_nothing_came(
    world: World, server: NatsServer, services: Services, tmp_path: Path
) -> None:
    await noted(world, "one")
    await publish(services)
    daemon = Daemon("mailer", server, world, tmp_path)
    await daemon.start(NOTHING_CAME.format(path=str(ROOT / "examples" / "daemon.py")))

    assert [seq for seq, _, _ in await daemon.reads(1)] == [1]
    assert await daemon.end() == 0


DIES = """
import os, runpy, signal
from nats.aio.msg import Msg
async def never(*_):
    os.kill(os.getpid(), signal.SIGKILL)
Msg.ack_sync = never
runpy.run_path({path!r}, run_name="__main__")
"""


async def test_a_daemon_that_is_killed_before_it_acknowledges_gets_the_event_again(
    world: World, server: NatsServer, services: Services, tmp_path: Path
) -> None:
    await noted(world, "one", "two")
    await publish(services)
    daemon = Daemon("mailer", server, world, tmp_path)
    # It has dealt with the first event, and dies where it would have acknowledged it.
    await daemon.start(DIES.format(path=str(ROOT / "examples" / "daemon.py")))
    died = await daemon.reads(1)
    assert await daemon.end(signal.SIGKILL) == -signal.SIGKILL

    await daemon.start()
    # The first one comes again, and is not done again: only the second is new to it.
    new = await daemon.reads(1)
    async with asyncio.timeout(60):
        while (info := await acknowledged(server)) != (0, 0):  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)
    await daemon.end()

    assert (died[0][0], new[0][0], info) == (1, 2, (0, 0))
    assert daemon.rows("SELECT count(*) FROM done") == [(2,)]


async def acknowledged(server: NatsServer) -> tuple[int, int] | None:
    """How many events wait for the daemon, and for its acknowledgement."""
    client = await nats.connect(server.url)
    try:
        info = await client.jetstream().consumer_info("PREFRONTAL", "mailer")
    except NotFoundError:
        return None
    finally:
        await client.close()
    return info.num_pending or 0, info.num_ack_pending or 0


@pytest.mark.nightly("a daemon that is killed before it acknowledges is tried with each change")
async def test_a_server_that_is_killed_leaves_the_daemon_where_it_was(
    world: World, settings: Settings, server: NatsServer, services: Services, tmp_path: Path
) -> None:
    daemon = Daemon("mailer", server, world, tmp_path)
    # There is no stream yet: it comes with the first event.
    await daemon.start()
    await noted(world, "one")
    await publish(services)
    first = await daemon.reads(1)
    server.kill()
    await server.start()
    await noted(world, "two")
    world.clock.advance(seconds=10)
    other = process(world, settings, server)
    await publish(other)

    second = await daemon.reads(1)

    assert await daemon.end() == 0
    assert [seq for seq, _, _ in first + second] == [1, 2]
    await closed(other)
