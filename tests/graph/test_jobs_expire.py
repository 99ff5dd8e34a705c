"""The expiry job beside other writers, and what it leaves of evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.lists import evidence_of
from tests.support.world import World

pytestmark = pytest.mark.alone


def deleting(world: World) -> ExpireObservations:
    catalog = world.services.catalog
    scratch = catalog.scratch.model_copy(update={"on_expiry": "delete"})
    return ExpireObservations(catalog.model_copy(update={"scratch": scratch}))


async def add_brief(world: World, contents: Sequence[str]) -> tuple[str, ...]:
    caller = await world.caller()
    drafts = [ObservationDraft(content=content, ttl_minutes=1) for content in contents]
    return tuple(o.uid for o in await world.services.scratch.service.add(caller, drafts))


async def written(world: World) -> dict[str, list[str]]:
    """The observations that versions, traces and events of an expiry name."""
    rows = await world.rows(
        "MATCH (n {org_id: $org}) WHERE n:Version AND n.of_uid STARTS WITH 'obs_' "
        "OR n.kind = 'observation_expired' OR n.type IN ['observation.expired', 'observation.deleted'] "
        "WITH labels(n)[0] + coalesce(' ' + n.type, '') AS what, "
        "coalesce(n.of_uid, n.aggregate, n.ids[0]) AS uid "
        "ORDER BY uid RETURN what, collect(uid) AS uids"
    )
    return {row["what"]: row["uids"] for row in rows}


@pytest.mark.covers("OBS-58", "GOAL-47")
async def test_deleting_keeps_what_a_goal_rests_on(world: World) -> None:
    evidence, loose = await add_brief(world, ["evidence", "loose"])
    caller = await world.caller()
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="x", evidence=(EvidenceDraft(observation_id=evidence),))
    )
    world.clock.advance(seconds=61)

    await world.services.jobs.run_once(deleting(world))

    rows = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid, o.status AS status")
    assert rows == [{"uid": evidence, "status": "expired"}]
    kept = await evidence_of(world.services, caller, [goal.uid])
    assert [item.content for item in kept[goal.uid]] == ["evidence"]
    assert await written(world) == {
        "OutboxEvent observation.deleted": [loose],
        "OutboxEvent observation.expired": [evidence],
        "TraceEvent": sorted([evidence, loose]),
        "Version": [evidence],
    }


@pytest.mark.covers("OBS-61", "TRC-16")
async def test_two_processes_expire_each_observation_once(world: World) -> None:
    uids = await add_brief(world, [f"{number}" for number in range(40)])
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="later", ttl_minutes=2)])
    world.clock.advance(seconds=61)
    services = world.services
    runners = [JobRunner(services.database, world.clock, []) for _ in range(4)]

    await asyncio.gather(*(runner.run_once(ExpireObservations(services.catalog)) for runner in runners))

    assert await written(world) == {
        "OutboxEvent observation.expired": sorted(uids),
        "TraceEvent": sorted(uids),
        "Version": sorted(uids),
    }
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org, status: 'active'}) RETURN o.content AS content"
    )
    assert rows == [{"content": "later"}]


@pytest.mark.covers("OBS-63")
async def test_what_somebody_put_away_while_the_job_waited_stays_as_it_is(world: World) -> None:
    taken, other = await add_brief(world, ["taken", "other"])
    world.clock.advance(seconds=61)
    job = ExpireObservations(world.services.catalog)

    async with world.services.database.driver.session() as session:
        tx = await session.begin_transaction()
        await tx.run(
            "CYPHER 25 MATCH (o:Memory {uid: $uid}) SET o.status = 'archived', o.version = 2", uid=taken
        )
        running = asyncio.create_task(world.services.jobs.run_once(job))
        # The job stands at the lock once the server says that it waits for one.
        while not await waits_for_a_lock(world):  # noqa: ASYNC110 - only the server knows
            await asyncio.sleep(0.01)
        await tx.commit()
    await running

    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) RETURN o.uid AS uid, o.status AS status, o.version AS version "
        "ORDER BY o.uid"
    )
    found = {row["uid"]: (row["status"], row["version"]) for row in rows}
    assert found == {taken: ("archived", 2), other: ("expired", 2)}
    assert await written(world) == {
        "OutboxEvent observation.expired": [other],
        "TraceEvent": [other],
        "Version": [other],
    }


async def waits_for_a_lock(world: World) -> bool:
    rows = await world.rows(
        "SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked' "
        "AND currentQuery CONTAINS 'o.archived_at = $p.now' RETURN status"
    )
    return bool(rows)
