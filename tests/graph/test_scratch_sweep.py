"""Sweeping on demand: what faded leaves the active set where the caller may write, each once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.expiry import ObservationExpiry
from prefrontal.graph.scratch.record import ObservationDraft, Sweep, SweepExpired
from tests.support.world import World


async def add_brief(world: World, caller: Caller, *contents: str, space: str | None = None) -> list[str]:
    drafts = [ObservationDraft(content=content, ttl_minutes=1) for content in contents]
    return [o.uid for o in await world.services.scratch.service.add(caller, drafts, space=space)]


async def statuses(world: World) -> dict[str, str]:
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) RETURN o.content AS content, o.status AS is"
    )
    return {row["content"]: row["is"] for row in rows}


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


def sweeper(world: World, *, batch: int | None = None, **scratch: Any) -> ObservationExpiry:
    catalog = world.services.catalog
    jobs = catalog.jobs
    if batch is not None:
        job = jobs.expire_observations.model_copy(update={"batch": batch})
        jobs = jobs.model_copy(update={"expire_observations": job})
    table = catalog.scratch.model_copy(update=scratch)
    return ObservationExpiry(
        catalog.model_copy(update={"scratch": table, "jobs": jobs}), world.services.scratch.expiry._changes
    )


@pytest.mark.covers("OBS-58", "OBS-63", "TRC-16")
async def test_a_sweep_puts_away_what_faded_in_the_name_of_the_caller_and_the_turn(world: World) -> None:
    caller = await world.caller()
    (brief,) = await add_brief(world, caller, "brief")
    await world.services.scratch.service.add(caller, [ObservationDraft(content="lasting")])
    assert await world.services.scratch.expiry.sweep(caller, SweepExpired()) == Sweep(
        archived=0, deleted=0, has_more=False
    )
    world.clock.advance(seconds=61)

    swept = await world.services.scratch.expiry.sweep(caller, SweepExpired(turn_id="t-1"))

    assert swept == Sweep(archived=1, deleted=0, has_more=False)
    assert await statuses(world) == {"brief": "expired", "lasting": "active"}
    trace = await world.services.turns.trace.trace(caller, "t-1")
    assert [(entry.kind, entry.ids) for entry in trace.items] == [(TraceKind.OBSERVATION_EXPIRED, (brief,))]
    rows = await world.rows(
        "MATCH (n {org_id: $org}) WHERE n:Version OR n.type = 'observation.expired' "
        "MATCH (turn:Turn {uid: n.turn_uid}) RETURN n.by_uid AS by, turn.key AS turn"
    )
    assert rows == [{"by": caller.actor_id, "turn": "t-1"}] * 2
    assert await world.services.scratch.expiry.sweep(caller, SweepExpired()) == Sweep(
        archived=0, deleted=0, has_more=False
    )


@pytest.mark.covers("OBS-58")
async def test_a_sweep_deletes_when_the_setting_says_so_but_not_what_a_goal_rests_on(world: World) -> None:
    caller = await world.caller()
    evidence, loose = await add_brief(world, caller, "evidence", "loose")
    await world.services.goals.service.create(
        caller, CreateGoal(title="x", evidence=(EvidenceDraft(observation_id=evidence),))
    )
    world.clock.advance(seconds=61)

    swept = await sweeper(world, on_expiry="delete").sweep(caller, SweepExpired())

    assert swept == Sweep(archived=1, deleted=1, has_more=False)
    assert await statuses(world) == {"evidence": "expired"}
    assert await written(world) == {
        "OutboxEvent observation.deleted": [loose],
        "OutboxEvent observation.expired": [evidence],
        "TraceEvent": sorted([evidence, loose]),
        "Version": [evidence],
    }


async def test_a_sweep_moves_a_batch_and_says_that_more_is_left(world: World) -> None:
    caller = await world.caller()
    (common,) = set(caller.readable) - {caller.home}
    await add_brief(world, caller, *"abcd")
    await add_brief(world, caller, *"efg", space=common)
    world.clock.advance(seconds=61)

    sweeps = [await sweeper(world, batch=3).sweep(caller, SweepExpired()) for _ in range(3)]

    assert [(swept.archived, swept.has_more) for swept in sweeps] == [(3, True), (3, True), (1, False)]
    assert set((await statuses(world)).values()) == {"expired"}


async def test_the_same_key_sweeps_once_and_gives_the_first_numbers(world: World) -> None:
    caller = await world.caller()
    await add_brief(world, caller, "first")
    world.clock.advance(seconds=61)
    first = await world.services.scratch.expiry.sweep(caller, SweepExpired(idempotency_key="k"))
    await add_brief(world, caller, "second")
    world.clock.advance(seconds=61)

    again = await world.services.scratch.expiry.sweep(caller, SweepExpired(idempotency_key="k"))

    assert first == again == Sweep(archived=1, deleted=0, has_more=False)
    assert await statuses(world) == {"first": "expired", "second": "active"}


async def test_a_sweep_stays_within_the_spaces_it_may_write_to(world: World) -> None:
    other = await world.caller("other")
    await world.caller()
    theirs = await world.services.access.create_space(other, CreateSpace(name="theirs"))
    await world.grant(
        await world.caller("other"),
        GrantAccess(
            space=theirs, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=SpacePermission.READ
        ),
    )
    other, caller = await world.caller("other"), await world.caller()
    (common,) = set(caller.readable) - {caller.home, theirs}
    await add_brief(world, caller, "mine")
    await add_brief(world, caller, "everybody's", space=common)
    await add_brief(world, other, "readable", space=theirs)
    await add_brief(world, other, "private")
    world.clock.advance(seconds=61)
    before = await world.counts()
    reader = await world.caller(roles=("reader",))

    for refused, space, problem in (
        (caller, theirs, Forbidden),
        (caller, other.home, NotFound),
        (caller, "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        (reader, None, Forbidden),
    ):
        with pytest.raises(problem):
            await world.services.scratch.expiry.sweep(refused, SweepExpired(space=space))
    with pytest.raises(InvalidInput):
        await world.services.scratch.expiry.sweep(caller, SweepExpired(turn_id=" "))
    assert await world.counts() == before
    assert set((await statuses(world)).values()) == {"active"}

    assert (await world.services.scratch.expiry.sweep(caller, SweepExpired(space=caller.home))).archived == 1
    assert (await world.services.scratch.expiry.sweep(caller, SweepExpired())).archived == 1
    assert await statuses(world) == {
        "mine": "expired",
        "everybody's": "expired",
        "readable": "active",
        "private": "active",
    }


@pytest.mark.alone
@pytest.mark.covers("OBS-61", "OBS-63", "TRC-16")
async def test_the_job_and_sweeps_at_the_same_time_write_each_expiry_once(world: World) -> None:
    caller = await world.caller()
    uids = await add_brief(world, caller, *(f"{number}" for number in range(60)))
    world.clock.advance(seconds=61)
    services = world.services
    runners = [JobRunner(services.database, world.clock, []) for _ in range(2)]

    done = await asyncio.gather(
        *(services.scratch.expiry.sweep(caller, SweepExpired(turn_id=f"t-{number}")) for number in range(4)),
        *(runner.run_once(ExpireObservations(services.catalog)) for runner in runners),
        *(sweeper(world, batch=7).sweep(caller, SweepExpired()) for _ in range(4)),
    )

    assert sum(each.archived for each in done if isinstance(each, Sweep)) <= 60
    assert await written(world) == {
        "OutboxEvent observation.expired": sorted(uids),
        "TraceEvent": sorted(uids),
        "Version": sorted(uids),
    }
    assert set((await statuses(world)).values()) == {"expired"}
