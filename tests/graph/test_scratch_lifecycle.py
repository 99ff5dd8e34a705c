"""An observation's life: changed, resolved, archived, pinned; each step with its version and event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from prefrontal.graph.clock import NEVER
from prefrontal.graph.errors import (
    Expired,
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    VersionConflict,
)
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
    PinObservation,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.world import World

STEPS: dict[str, Callable[..., Any]] = {
    "resolve": ResolveObservation,
    "archive": ArchiveObservation,
    "pin": PinObservation,
    "unpin": partial(PinObservation, pinned=False),
}


async def noted(world: World, **given: Any) -> Observation:
    draft = ObservationDraft.model_validate({"content": "User likes tea", **given})
    (stored,) = await world.services.scratch.service.add(await world.caller(), [draft])
    return stored


async def take(world: World, o: Observation, name: str, **options: Any) -> Observation:
    command = STEPS[name](id=o.uid, **options)
    return await world.services.scratch.service.change(await world.caller(), command)


async def history(world: World, o: Observation) -> list[tuple[int, dict[str, Any]]]:
    rows = await world.rows(
        "MATCH (v:Version {of_uid: $uid}) RETURN v.number AS number, v.changes AS changes ORDER BY number",
        uid=o.uid,
    )
    return [(row["number"], json.loads(row["changes"])) for row in rows]


async def events(world: World, o: Observation) -> list[tuple[str, int]]:
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $uid}) "
        "RETURN e.type AS type, e.aggregate_version AS version ORDER BY e.aggregate_version",
        uid=o.uid,
    )
    return [(row["type"], row["version"]) for row in rows]


@pytest.mark.covers("OBS-23")
async def test_a_resolved_observation_is_no_longer_active_but_evidence(world: World) -> None:
    o = await noted(world)
    world.clock.advance(minutes=1)
    resolved = await take(world, o, "resolve", turn_id="turn_7")

    assert (resolved.status, resolved.version) == (ObservationStatus.RESOLVED, 2)
    assert resolved.updated_at == world.clock.now()
    assert await history(world, o) == [(2, {"status": "resolved"})]
    assert await events(world, o) == [("observation.added", 1), ("observation.resolved", 2)]
    found = await world.services.scratch.service.find(await world.caller(), ObservationFilter())
    assert found.items == ()
    trace = (await world.services.turns.trace.trace(await world.caller(), "turn_7")).items
    assert [(entry.kind, entry.message, entry.ids) for entry in trace] == [
        ("observation_changed", "Observation resolved", (o.uid,))
    ]


async def test_what_is_so_already_writes_nothing(world: World) -> None:
    o = await noted(world)
    await take(world, o, "archive")
    before = await world.counts()
    again = await take(world, o, "archive")
    assert again.version == 2
    assert await world.counts() == before


async def test_an_archived_observation_keeps_its_time_and_is_found_when_asked_for(world: World) -> None:
    o = await noted(world, tags=("tea",))
    world.clock.advance(minutes=5)
    archived = await take(world, o, "archive")
    assert archived.archived_at == world.clock.now()
    caller = await world.caller()
    wanted = ObservationFilter(status=(ObservationStatus.ARCHIVED,), tags=("tea",))
    assert [x.uid for x in (await world.services.scratch.service.find(caller, wanted)).items] == [o.uid]
    with pytest.raises(IllegalTransition):
        await take(world, o, "resolve")


@pytest.mark.alone
async def test_a_pinned_observation_does_not_fade_until_it_is_let(world: World) -> None:
    o = await noted(world, ttl_minutes=60)
    pinned = await take(world, o, "pin")
    assert (pinned.pinned, pinned.expires_at) == (True, NEVER)
    world.clock.advance(days=400)
    for job in world.services.jobs._jobs:
        await world.services.jobs.run_once(job)
    caller = await world.caller()
    assert [
        x.uid for x in (await world.services.scratch.service.find(caller, ObservationFilter())).items
    ] == [o.uid]

    unpinned = await take(world, o, "unpin")
    assert unpinned.expires_at == world.clock.now() + timedelta(minutes=60)
    world.clock.advance(minutes=60)
    assert (await world.services.scratch.service.find(caller, ObservationFilter())).items == ()


@pytest.mark.parametrize("name", ["resolve", "pin"])
async def test_a_faded_observation_takes_no_step_but_away(world: World, name: str) -> None:
    o = await noted(world, ttl_minutes=1)
    world.clock.advance(seconds=60)
    before = await world.counts()
    with pytest.raises(Expired):
        await take(world, o, name)
    assert await world.counts() == before
    assert (await take(world, o, "archive")).status is ObservationStatus.ARCHIVED


async def test_given_fields_change_and_others_stay(world: World) -> None:
    o = await noted(world, tags=("tea", "morning"), confidence=0.9, metadata={"a": 1}, ttl_minutes=60)
    caller = await world.caller()
    world.clock.advance(minutes=10)
    changes = UpdateObservation(
        id=o.uid, content="User likes oolong", tags=("tea", "Oolong"), ttl_minutes=30, expected_version=1
    )
    after = await world.services.scratch.service.change(caller, changes)

    assert (after.content, after.tags, after.confidence, after.metadata) == (
        "User likes oolong",
        ("tea", "Oolong"),
        0.9,
        {"a": 1},
    )
    assert after.expires_at == world.clock.now() + timedelta(minutes=30)
    ((number, told),) = await history(world, o)
    assert number == 2
    assert told["content"] == "User likes oolong"
    assert told["tags"] == ["tea", "Oolong"]
    find = world.services.scratch.service.find
    assert [x.uid for x in (await find(caller, ObservationFilter(tags=("oolong",)))).items] == [o.uid]
    assert (await find(caller, ObservationFilter(tags=("morning",)))).items == ()
    again = await world.services.scratch.service.change(
        caller, UpdateObservation(id=o.uid, content="User likes oolong", tags=("tea", "Oolong"))
    )
    assert again.version == 2


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, None),
        ({"content": " "}, "content"),
        ({"tags": ("x" * 101,)}, "tags[0]"),
        ({"ttl_minutes": 1e9}, "ttlMinutes"),
    ],
)
async def test_a_wrong_change_changes_nothing(
    world: World, changes: dict[str, Any], field: str | None
) -> None:
    o = await noted(world)
    before = await world.counts()
    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.service.change(
            await world.caller(), UpdateObservation(id=o.uid, **changes)
        )
    assert caught.value.field == field
    assert await world.counts() == before


async def test_of_two_who_read_the_same_version_one_is_refused(world: World) -> None:
    o = await noted(world)
    caller = await world.caller()
    one = world.services.scratch.service.change(
        caller, UpdateObservation(id=o.uid, confidence=0.1, expected_version=1)
    )
    other = world.services.scratch.service.change(
        caller, UpdateObservation(id=o.uid, confidence=0.2, expected_version=1)
    )
    results = await asyncio.gather(one, other, return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Observation", "VersionConflict"]
    assert [number for number, _ in await history(world, o)] == [2]


async def test_steps_at_once_are_all_kept(world: World) -> None:
    # None of the steps gives it again: a step without an effect makes no version.
    o = await noted(world, confidence=0.95)
    caller = await world.caller()
    many = [UpdateObservation(id=o.uid, confidence=number / 10) for number in range(1, 9)]
    await asyncio.gather(*(world.services.scratch.service.change(caller, one) for one in many))
    assert [number for number, _ in await history(world, o)] == list(range(2, 10))


async def test_foreign_and_unknown_observations_are_not_there_and_read_only_ones_stay(world: World) -> None:
    o = await noted(world)
    stranger = await world.caller("stranger")
    before = await world.counts()
    for uid in (o.uid, "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD", "nonsense"):
        with pytest.raises(NotFound):
            await world.services.scratch.service.change(stranger, UpdateObservation(id=uid, confidence=0.1))
    owner = await world.caller()
    reader = stranger.model_copy(update={"readable": (*stranger.readable, owner.home)})
    with pytest.raises(Forbidden):
        await world.services.scratch.service.change(reader, UpdateObservation(id=o.uid, confidence=0.1))
    with pytest.raises(VersionConflict):
        await take(world, o, "archive", expected_version=7)
    assert await world.counts() == before
