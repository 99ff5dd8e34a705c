"""Observations fade: for every reader at their very moment, in the store when the job comes by."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.clock import iso
from prefrontal.graph.context.record import Request
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter, ObservationStatus
from tests.support.world import World

pytestmark = pytest.mark.alone

ACTIVE, EXPIRED = ObservationStatus.ACTIVE, ObservationStatus.EXPIRED


async def contents(world: World, caller: Any, *statuses: ObservationStatus, **more: Any) -> set[str]:
    wanted = ObservationFilter(status=statuses or (ACTIVE,), **more)
    page = await world.services.scratch.service.find(caller, wanted, first=100)
    assert await world.services.scratch.service.count(caller, wanted) == len(page.items)
    return {observation.content for observation in page.items}


async def expire(world: World, **update: Any) -> None:
    """Run the job as a worker would; other tests' organisations are served too."""
    catalog = world.services.catalog
    job = ExpireObservations(
        catalog.model_copy(update={"scratch": catalog.scratch.model_copy(update=update)})
    )
    assert await world.services.jobs.run_once(job) is not None


async def stored(world: World) -> list[dict[str, Any]]:
    return await world.rows(
        "MATCH (o:Observation {org_id: $org}) "
        "RETURN o.content AS content, o.status AS status, o.live AS live, o.version AS version, "
        "o.searchable_in AS searchable_in, o.archived_at IS NOT NULL AS put_away ORDER BY content"
    )


@pytest.mark.covers("OBS-02", "OBS-55", "OBS-57")
async def test_a_minute_is_over_after_61_seconds_without_any_job(world: World) -> None:
    caller = await world.caller()
    (added,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="brief", ttl_minutes=1, tags=("t",))]
    )

    world.clock.advance(seconds=59)
    assert await contents(world, caller) == {"brief"}
    assert (await world.services.scratch.service.get(caller, [added.uid]))[added.uid].status is ACTIVE

    world.clock.advance(seconds=2)
    assert await contents(world, caller) == set()
    assert await contents(world, caller, tags=("t",)) == set()
    assert await contents(world, caller, EXPIRED) == {"brief"}
    assert (await world.services.scratch.service.get(caller, [added.uid]))[added.uid].status is EXPIRED
    # Nothing was written for it: reading does not write.
    assert [row["status"] for row in await stored(world)] == ["active"]


@pytest.mark.covers("OBS-57")
async def test_the_very_moment_of_expiry_is_expired(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="x", ttl_minutes=1)])

    world.clock.advance(microseconds=60_000_000 - 1)
    assert await contents(world, caller) == {"x"}
    world.clock.advance(microseconds=1)
    assert await contents(world, caller) == set()


@pytest.mark.covers("OBS-61")
async def test_each_fades_at_its_own_time(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller,
        [ObservationDraft(content=f"{m} min", ttl_minutes=m, tags=("t",)) for m in (1, 5, 60, 0.5)],
    )
    everything = {"0.5 min", "1 min", "5 min", "60 min"}

    for minutes, alive in [
        (0, everything),
        (0.5, {"1 min", "5 min", "60 min"}),
        (0.5, {"5 min", "60 min"}),
        (4, {"60 min"}),
        (55, set()),
    ]:
        world.clock.advance(minutes=minutes)
        for tags in ((), ("t",)):
            assert await contents(world, caller, ACTIVE, tags=tags) == alive
            assert await contents(world, caller, EXPIRED, tags=tags) == everything - alive
            assert await contents(world, caller, ACTIVE, EXPIRED, tags=tags) == everything


@pytest.mark.covers("OBS-22", "OBS-62", "TRC-16")
async def test_no_time_to_live_is_expired_from_the_start_and_logged(world: World) -> None:
    caller = await world.caller()

    (added,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="flash", ttl_minutes=0)], turn_id="t-1"
    )

    assert (added.status, added.expires_at, added.archived_at) == (
        EXPIRED,
        world.clock.now(),
        world.clock.now(),
    )
    assert await contents(world, caller) == set()
    assert await contents(world, caller, EXPIRED) == {"flash"}
    trace = await world.services.turns.trace.trace(caller, "t-1")
    assert [(entry.kind, entry.message, entry.ids) for entry in trace.items] == [
        (TraceKind.OBSERVATIONS_ADDED, "Observation added", (added.uid,)),
        (TraceKind.OBSERVATION_EXPIRED, "Observation expired", (added.uid,)),
    ]


@pytest.mark.covers("OBS-23", "OBS-56", "OBS-58", "OBS-63", "TRC-16")
async def test_the_job_puts_away_what_faded_and_says_so_once(world: World) -> None:
    caller = await world.caller()
    brief, _ = await world.services.scratch.service.add(
        caller,
        [ObservationDraft(content="brief", ttl_minutes=1), ObservationDraft(content="lasting")],
    )
    world.clock.advance(seconds=61)

    await expire(world)
    after = await world.counts()
    await expire(world)

    assert await stored(world) == [
        {
            "content": "brief",
            "status": "expired",
            "live": False,
            "version": 2,
            "searchable_in": None,
            "put_away": True,
        },
        {
            "content": "lasting",
            "status": "active",
            "live": True,
            "version": 1,
            "searchable_in": caller.home,
            "put_away": False,
        },
    ]
    assert await world.counts() == after
    entries = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org, kind: 'observation_expired'}) "
        "RETURN t.ids AS ids, t.message AS said"
    )
    assert entries == [{"ids": [brief.uid], "said": "Observation expired"}]
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'observation.expired'}) "
        "RETURN e.aggregate AS aggregate, e.aggregate_version AS version, e.data AS data"
    )
    assert [(row["aggregate"], row["version"]) for row in events] == [(brief.uid, 2)]
    assert json.loads(events[0]["data"]) == {"observation_id": brief.uid, "status": "expired"}
    versions = await world.rows(
        "MATCH (v:Version {org_id: $org})-[:OF]->(o:Observation) "
        "RETURN v.number AS number, v.changes AS changes"
    )
    assert [(row["number"], json.loads(row["changes"])) for row in versions] == [
        (2, {"archived_at": iso(world.clock.now()), "status": "expired"})
    ]
    assert (await world.services.scratch.service.get(caller, [brief.uid]))[
        brief.uid
    ].archived_at == world.clock.now()


@pytest.mark.covers("OBS-58")
async def test_the_job_deletes_instead_when_the_setting_says_so(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x", ttl_minutes=1, tags=("t",))]
    )
    world.clock.advance(seconds=61)

    await expire(world, on_expiry="delete")

    assert await stored(world) == []
    events = await world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN e.type AS type ORDER BY type")
    assert [row["type"] for row in events] == ["observation.added", "observation.deleted"]


@pytest.mark.nightly("the job runs in one batch with each change")
@pytest.mark.covers("OBS-56")
async def test_the_job_works_in_batches_until_nothing_is_left(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"{n:04}", ttl_minutes=1) for n in range(1000)]
    )
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"{n:04}", ttl_minutes=1) for n in range(1000, 1001)]
    )
    world.clock.advance(minutes=2)

    await expire(world)

    assert {row["status"] for row in await stored(world)} == {"expired"}
    assert len(await stored(world)) == 1001
    assert world.statements.counts["scratch/expire_observations"] >= 3


@pytest.mark.covers("CTX-16")
async def test_a_faded_observation_is_in_no_context(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller,
        [ObservationDraft(content="brief wine", ttl_minutes=1), ObservationDraft(content="lasting wine")],
    )
    await world.services.scratch.service.add(caller, [ObservationDraft(content="no wine", ttl_minutes=0)])
    request = Request(prompt="wine", budget=1000)

    before = await world.services.context.preview(caller, request)
    world.clock.advance(seconds=60)
    between = await world.services.context.preview(caller, request)
    await expire(world)
    after = await world.services.context.preview(caller, request)

    assert len(before.selection.items) == 2
    for context in (between, after):
        (item,) = context.selection.items
        assert "lasting wine" in item.text


async def test_a_long_life_is_ten_years_at_most(world: World) -> None:
    caller = await world.caller()

    (added,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x", ttl_minutes=5_256_000)]
    )

    assert added.expires_at == world.clock.now() + timedelta(days=3650)
