"""Neo4j is away for a while and comes back; nothing is restarted but Neo4j.

The outage is real and lasts as long as the checks of it take. `FAULT_OUTAGE_SECONDS=60` makes it a minute.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time

import httpx
import pytest
from structlog.testing import capture_logs

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, GoalDraft
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.errors import Unavailable
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter, ObservationStatus
from tests.fault.conftest import Site, client_of
from tests.fault.test_database_killed import until_ready
from tests.support.integrity import halves
from tests.support.server_process import ApiProcess
from tests.support.stream import Call, Refused

SECONDS = float(os.environ.get("FAULT_OUTAGE_SECONDS", "0"))
CROWD = 40
BOLT_HANDSHAKE = bytes.fromhex("6060b017 00000405 00000000 00000000 00000000")
ME = "{ observations(first: 1) { nodes { id } } }"


async def unavailable_message(http: httpx.AsyncClient, call: Call) -> str:
    with pytest.raises(Refused) as caught:
        await call.send(http)
    assert caught.value.code == "unavailable"
    return caught.value.message


@pytest.mark.nightly("one that is killed: test_database_killed; one that is frozen: below")
async def test_while_neo4j_is_away_every_request_says_so_and_afterwards_all_is_well(
    site: Site, settings: Settings, api: ApiProcess
) -> None:
    pid = api.process.pid
    await site.world.caller()
    calls = [
        Call("addObservations", {"idempotencyKey": f"k{n}", "observations": [{"content": f"{n}"}]})
        for n in range(CROWD)
    ]
    async with client_of(api, settings, site.world) as http:
        await asyncio.gather(*(call.send(http) for call in calls[:4]))

        await asyncio.to_thread(site.server.stop)
        until = time.monotonic() + SECONDS
        while True:
            said = await asyncio.gather(*(unavailable_message(http, call) for call in calls))
            (told,) = set(said)
            assert told == (
                "the database does not answer; this attempt wrote nothing, try again in a moment, "
                "with the same idempotencyKey"
            )
            query = (await http.post("/graphql", json={"query": ME})).json()
            assert [error["extensions"]["code"] for error in query["errors"]] == ["unavailable"]
            ready = await http.get("/readyz")
            assert (ready.status_code, ready.json()["code"]) == (503, "unavailable")
            assert (await http.get("/healthz")).status_code == 200
            assert (await http.get("/metrics")).status_code == 200
            if time.monotonic() >= until:
                break
        await asyncio.to_thread(site.server.start)
        await until_ready(http)

        for number in range(0, CROWD, 8):  # a cold server, on a machine that may be busy
            await asyncio.gather(*(call.send(http) for call in calls[number : number + 8]))
    assert (api.process.pid, api.process.poll()) == (pid, None)
    assert (await site.world.counts())["Observation"] == CROWD
    assert await halves(site.world) == []


async def until_frozen(server: EmbeddedNeo4j) -> None:
    """Wait until the server leaves a Bolt handshake unanswered: on a busy machine a stop takes a while."""
    uri = httpx.URL(server.bolt_uri)
    for _ in range(20):
        reader, writer = await asyncio.open_connection(uri.host, uri.port)
        try:
            writer.write(BOLT_HANDSHAKE)
            async with asyncio.timeout(0.5):
                await reader.readexactly(4)
        except TimeoutError:
            return
        finally:
            writer.close()
    pytest.fail("the server still answers after its process was stopped")


@pytest.mark.covers("OBS-64", "OBS-66", "TRC-18", "TRC-19", "GOAL-45")
@pytest.mark.nightly(
    "a connection that freezes: test_frozen_anywhere; a server that is killed: test_database_killed"
)
async def test_a_frozen_neo4j_is_away_as_well_and_what_fails_meanwhile_is_logged(site: Site) -> None:
    # It takes connections and says nothing, as one behind a network that swallows every packet.
    services, caller = site.world.services, await site.world.caller()
    (seen,) = await services.scratch.service.add(caller, [ObservationDraft(content="seen before")])
    goal = GoalDraft(title="a secret goal", evidence=(EvidenceDraft(observation_id=seen.uid),))
    before = await site.world.counts()
    database = services.database
    database.timeout_s = database.patience_s = database.grace_s = 0.25

    os.kill(site.server.pid, signal.SIGSTOP)
    try:
        await until_frozen(site.server)
        with capture_logs() as logs:
            with pytest.raises(Unavailable):
                await services.scratch.service.add(
                    caller, [ObservationDraft(content="a secret note")], idempotency_key="note"
                )
            with pytest.raises(Unavailable):
                await services.goals.service.create(caller, CreateGoal(**dict(goal), idempotency_key="goal"))
            with pytest.raises(Unavailable):
                await services.scratch.service.find(caller, ObservationFilter())
    finally:
        os.kill(site.server.pid, signal.SIGCONT)
    database.timeout_s = database.patience_s = 30.0
    await asyncio.sleep(0.3)  # the next try of a database that was away

    failed = [entry for entry in logs if entry["event"] == "change_failed"]
    assert [entry["operation"] for entry in failed] == ["addObservations", "createGoal"]
    assert {(entry["code"], entry["log_level"]) for entry in failed} == {("unavailable", "error")}
    assert {(entry["org"], entry["actor"]) for entry in failed} == {(site.world.org, caller.actor_id)}
    assert failed[0]["cause"] == "TimeoutError"
    assert "secret" not in str(logs)
    # Nothing happened to the evidence, and what is tried again happens once.
    after = (await services.scratch.service.get(caller, [seen.uid]))[seen.uid]
    assert (after.status, after.version) == (ObservationStatus.ACTIVE, 1)
    assert await services.scratch.service.linked_goals(caller, [seen.uid]) == {}
    assert await site.world.counts() == before
    for _ in range(2):
        made = await services.goals.service.create(caller, CreateGoal(**dict(goal), idempotency_key="goal"))
    assert await services.scratch.service.linked_goals(caller, [seen.uid]) == {seen.uid: (made.uid,)}
    assert (await site.world.counts())["Goal"] == 1
