"""`kill -9` of the process that relays or publishes, behind each statement of its transaction."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from tests.cli.conftest import clean_environment
from tests.support.database import environment_of
from tests.support.events import relayed
from tests.support.nats import NatsServer
from tests.support.publishing import (
    a_goal_that_changes,
    broker_seq,
    closed,
    noted,
    process,
    publish,
    readable_events,
    stored,
)
from tests.support.world import World

pytestmark = [pytest.mark.slow, pytest.mark.alone]
AT_ANOTHER = pytest.mark.nightly("a kill behind another statement")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    server = NatsServer(tmp_path / "nats")
    await server.start()
    yield server
    server.kill()


async def dies(neo4j: Endpoint, server: NatsServer, folder: Path, job: str, behind: str) -> None:
    """Run a job in a process that is killed behind a statement."""
    env = clean_environment(folder) | {
        **environment_of(neo4j),
        "PREFRONTAL_NATS_URL": server.url,
    }
    run = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.support.dies", job, behind, cwd=ROOT, env=env
    )
    assert await run.wait() == -signal.SIGKILL


@pytest.mark.nightly("a publisher that is killed is tried with each change")
@pytest.mark.parametrize(
    "behind",
    [
        "outbox/stamp_events",
        *(
            pytest.param(behind, marks=AT_ANOTHER)
            for behind in ("jobs/check_fence", "outbox/advance_stream_positions", "outbox/find_waiting")
        ),
    ],
)
async def test_a_relay_that_is_killed_stamps_a_batch_as_a_whole_or_not_at_all(
    world: World, neo4j: Endpoint, server: NatsServer, tmp_path: Path, behind: str
) -> None:
    await noted(world, "before")
    goal = await a_goal_that_changes(world)
    await dies(neo4j, server, tmp_path, "relay_events", behind)
    rows = await world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN count(e) AS all")
    # The lease of the dead process ends by itself.
    world.clock.advance(minutes=1)

    assert len(await readable_events(world)) == 1
    await relayed(world)

    found = await readable_events(world)
    assert [seq for seq, _ in found] == list(range(1, rows[0]["all"] + 1))
    versions = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $uid}) "
        "RETURN e.aggregate_version AS version ORDER BY e.seq",
        uid=goal,
    )
    assert [row["version"] for row in versions] == sorted(row["version"] for row in versions)


@pytest.mark.parametrize(
    "behind",
    [
        "outbox/move_publisher",
        *(
            pytest.param(behind, marks=AT_ANOTHER)
            for behind in ("outbox/find_unpublished", "jobs/check_fence")
        ),
    ],
)
async def test_a_publisher_that_is_killed_loses_nothing_and_nothing_arrives_twice(
    world: World, settings: Settings, neo4j: Endpoint, server: NatsServer, tmp_path: Path, behind: str
) -> None:
    goal = await a_goal_that_changes(world)
    await noted(world, "one", "two")
    expected = await readable_events(world)
    await dies(neo4j, server, tmp_path, "publish_events", behind)
    assert await broker_seq(world) == 0
    world.clock.advance(minutes=1)

    services = process(world, settings, server)
    await publish(services)

    found = await stored(server, world)
    assert sorted((event["seq"], event["id"]) for event in found) == expected
    of_goal = [event["subjectversion"] for event in found if event["subject"] == goal]
    assert of_goal == sorted(of_goal)
    assert await broker_seq(world) == len(expected)
    await closed(services)
