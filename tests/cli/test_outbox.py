"""`prefrontal outbox`: what waits, who reads, what no broker takes, and sending it again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.outbox.record import AcknowledgeEvents
from tests.cli.conftest import Cli
from tests.support.nats import NatsServer
from tests.support.publishing import closed, grown, noted, process, publish, stored
from tests.support.world import World

# The commands act on the events of all organisations.
pytestmark = [pytest.mark.slow, pytest.mark.alone]


@pytest.fixture
async def server(world: World, tmp_path: Path) -> AsyncIterator[NatsServer]:
    await world.rows("MATCH (c:EventConsumer) WHERE c.org_id <> $org DELETE c")
    server = NatsServer(tmp_path / "nats", max_payload=2_000)
    await server.start()
    yield server
    server.kill()


@pytest.mark.nightly("test_publisher has dead letters")
async def test_an_operator_sees_the_outbox_and_sends_a_dead_letter_again(
    cli: Cli, world: World, settings: Settings, server: NatsServer
) -> None:
    services = process(world, settings, server, attempts=1)
    await noted(world, "one", "two")
    dead = await grown(world, 2, 3_000)
    await publish(services)
    await noted(world, "three")
    caller = await world.caller()
    await services.outbox.consumers.acknowledge(caller, AcknowledgeEvents(consumer="mailer", seq=1))
    broker = {"PREFRONTAL_NATS_URL": server.url}

    status = cli("outbox", "status", **broker)
    told = json.loads(cli("outbox", "status", "--json", **broker).stdout)
    letters = json.loads(cli("outbox", "dead", "--json").stdout)["dead"]
    listed = cli("outbox", "dead")
    refused = cli("outbox", "replay", dead, **broker)

    assert status.returncode == 0, status.stderr
    assert "1 event waiting" in status.stdout
    assert "1 dead letter." in status.stdout
    assert told["backlog"]["waiting"] == 0
    assert (told["unpublished"]["waiting"], told["unpublished"]["dead"]) == (1, 1)
    assert [(each["key"], each["actor"], each["place"], each["lag"]) for each in told["consumers"]] == [
        ("nats", None, 2, 1),
        ("mailer", "bot", 1, 2),
    ]
    assert {each["job"] for each in told["leases"]} == {"relay_events", "publish_events"}
    assert [(each["id"], each["organisation"], each["seq"], each["attempts"]) for each in letters] == [
        (dead, world.org, 2, 1)
    ]
    assert dead in listed.stdout
    assert (refused.returncode, "1 event refused again" in refused.stdout) == (1, True)

    server.kill()
    server.max_payload = 10_000
    await server.start()
    sent = cli("outbox", "replay", "--all", "--json", **broker)
    assert (sent.returncode, json.loads(sent.stdout)) == (0, {"sent": 1, "refused": 0})
    assert [event["seq"] for event in await stored(server, world)] == [1, 2]
    assert json.loads(cli("outbox", "dead", "--json").stdout) == {"dead": []}
    await closed(services)


def test_what_cannot_be_sent_is_said(cli: Cli) -> None:
    nothing = cli("outbox", "replay")
    both = cli("outbox", "replay", "evt_1", "--all")
    nowhere = cli("outbox", "replay", "--all")
    unreached = cli("outbox", "replay", "evt_1", PREFRONTAL_NATS_URL="nats://127.0.0.1:1")

    assert (nothing.returncode, both.returncode) == (2, 2)
    assert "--all" in nothing.stderr
    assert (nowhere.returncode, "PREFRONTAL_NATS_URL" in nowhere.stderr) == (1, True)
    assert (unreached.returncode, "no dead letter" in unreached.stderr) == (1, True)
