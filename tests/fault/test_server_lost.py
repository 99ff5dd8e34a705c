"""The server is stopped, killed and started again under a running service."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import OutcomeUnknown, Unavailable
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from tests.fault.conftest import Site

pytestmark = [
    pytest.mark.usefixtures("site"),
    pytest.mark.nightly("a server that is killed under an API: test_database_killed"),
]


async def kill(site: Site) -> None:
    """End the server as a power cut would: no shutdown, no checkpoint."""
    os.kill(site.server.pid, signal.SIGKILL)
    while site.server.is_alive:  # noqa: ASYNC110 - a process of the system
        await asyncio.sleep(0.01)
    await asyncio.to_thread(site.server.stop)


@pytest.mark.covers("OBS-64", "GOAL-16", "TURN-109")
async def test_a_service_outlives_its_database(site: Site) -> None:
    services, world = site.world.services, site.world
    caller = await world.caller()
    (before,) = await services.scratch.service.add(caller, [ObservationDraft(content="before")])
    goal = await services.goals.service.create(
        caller, CreateGoal(title="x", evidence=(EvidenceDraft(observation_id=before.uid),))
    )
    counts = await world.counts()

    await asyncio.to_thread(site.server.stop)
    with pytest.raises(Unavailable) as write:
        await services.scratch.service.add(
            caller, [ObservationDraft(content="meanwhile")], idempotency_key="k"
        )
    with pytest.raises(Unavailable) as read:
        await services.scratch.service.find(caller, ObservationFilter())
    with pytest.raises(Unavailable):
        await world.caller("somebody new")
    await asyncio.to_thread(site.server.start)
    afterwards = await world.counts()
    # The same services, wired before the stop; the same key, because the caller was told to try again.
    (again,) = await services.scratch.service.add(
        caller, [ObservationDraft(content="meanwhile")], idempotency_key="k"
    )
    page = await services.scratch.service.find(caller, ObservationFilter())

    for caught in (write, read):
        assert not isinstance(caught.value, OutcomeUnknown)
        assert caught.value.code == "unavailable"
        assert "nothing was written" in caught.value.message
    assert afterwards == counts
    assert [item.uid for item in page.items] == [again.uid, before.uid]
    assert set(await services.goals.service.get(caller, [goal.uid])) == {goal.uid}


async def test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_written(site: Site) -> None:
    services, world = site.world.services, site.world
    caller = await world.caller()
    acknowledged: list[str] = []
    refused: list[Unavailable] = []

    async def stream(writer: int) -> None:
        for number in range(10_000):
            drafts = [ObservationDraft(content=f"{writer}-{number}-{part}", tags=("t",)) for part in range(3)]
            try:
                added = await services.scratch.service.add(
                    caller, drafts, turn_id=f"turn-{writer}", idempotency_key=f"{writer}-{number}"
                )
            except Unavailable as error:
                refused.append(error)
                return
            acknowledged.extend(observation.uid for observation in added)

    writers = [asyncio.create_task(stream(writer)) for writer in range(4)]
    while len(acknowledged) < 60:  # noqa: ASYNC110 - killed in the middle of the stream, not at its beginning
        await asyncio.sleep(0.005)
    await kill(site)
    await asyncio.gather(*writers)
    await asyncio.to_thread(site.server.start)

    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) "
        "RETURN o.uid AS uid, split(o.content, '-')[0] + '-' + split(o.content, '-')[1] AS call, "
        "COUNT { (o)-[:TAGGED]->(:Tag) } AS tags, "
        "COUNT { MATCH (e:OutboxEvent {org_id: $org}) WHERE e.aggregate = o.uid } AS events, "
        "COUNT { MATCH (t:TraceEvent {org_id: $org}) WHERE o.uid IN t.ids } AS traces"
    )
    assert len(refused) == 4
    assert set(acknowledged) <= {row["uid"] for row in rows}
    # Each of the four may have been committed without its answer, and nothing else.
    assert 0 <= len(rows) - len(acknowledged) <= 4 * 3
    assert {(row["tags"], row["events"], row["traces"]) for row in rows} == {(1, 1, 1)}
    calls = [row["call"] for row in rows]
    assert {calls.count(call) for call in calls} == {3}
    counts = await world.counts()
    assert counts["Request"] == counts["TraceEvent"] == len(rows) / 3
    assert counts["OutboxEvent"] == len(rows)

    # Sent again with its key, what is unsure happens once; the services are the same ones.
    for call in sorted(set(calls))[-2:]:
        writer, number = call.split("-")
        drafts = [ObservationDraft(content=f"{call}-{part}", tags=("t",)) for part in range(3)]
        await services.scratch.service.add(
            caller, drafts, turn_id=f"turn-{writer}", idempotency_key=f"{writer}-{number}"
        )
    assert await world.counts() == counts
