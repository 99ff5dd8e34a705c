"""Two processes of the API change the same goal at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from prefrontal.api.bookmarks import HEADER, Bookmarks
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.fault.conftest import SECRET, Site, client_of, process_on
from tests.support.bookmarks import later
from tests.support.database import endpoint_of
from tests.support.integrity import halves
from tests.support.lists import evidence_of
from tests.support.server_process import ApiProcess
from tests.support.stream import Call
from tests.support.world import World

LINKS, GAIN = 10, 0.05
STEPS, DELTA = 20, 0.02


@pytest.fixture
async def pair(
    world: World, settings: Settings, both: tuple[ApiProcess, ApiProcess]
) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    await world.caller()
    async with (
        client_of(both[0], settings, world) as one,
        client_of(both[1], settings, world) as other,
    ):
        yield one, other


@pytest.mark.covers("GOAL-60")
async def test_two_processes_lose_no_update_of_one_goal(
    world: World, pair: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    services, caller = world.services, await world.caller()
    goal = await services.goals.service.create(caller, CreateGoal(title="shared"))
    drafts = [ObservationDraft(content=f"seen {number}", confidence=0.5) for number in range(LINKS)]
    seen = [observation.uid for observation in await services.scratch.service.add(caller, drafts)]
    links = [
        Call("linkObservation", {"idempotencyKey": f"link-{uid}", "goalId": goal.uid, "observationId": uid})
        for uid in seen
    ]
    steps = [
        Call(
            "updateProgress",
            {"idempotencyKey": f"step-{number}", "deltas": [{"goalId": goal.uid, "delta": DELTA}]},
        )
        for number in range(STEPS)
    ]

    # Each link is sent to both at once, the same observation under two keys; the steps are shared out.
    again = [Call(call.name, {**call.input, "idempotencyKey": f"again-{call.key}"}) for call in links]
    linked, doubled, stepped = await asyncio.gather(
        asyncio.gather(*(call.send(pair[0]) for call in links)),
        asyncio.gather(*(call.send(pair[1]) for call in again)),
        asyncio.gather(*(call.send(pair[number % 2]) for number, call in enumerate(steps))),
    )

    after = (await services.goals.service.get(caller, [goal.uid]))[goal.uid]
    assert after.progress == round(LINKS * GAIN + STEPS * DELTA, 9)
    assert after.version == 1 + LINKS + STEPS
    evidence = (await evidence_of(services, caller, [goal.uid]))[goal.uid]
    assert sorted(item.observation_id for item in evidence) == sorted(seen)
    # All moves are one chain from 0 to the end: none was made from a figure that was already old.
    results = [answer["result"] for answer in [*linked, *doubled]]
    results += [result for answer in stepped for result in answer["results"]]
    moves = sorted((move["before"], move["after"]) for move in results if move["before"] != move["after"])
    assert len(moves) == LINKS + STEPS
    assert (moves[0][0], moves[-1][1]) == (0, after.progress)
    assert all(former[1] == later[0] for former, later in pairwise(moves))
    assert await halves(world) == []


async def test_one_request_sent_to_two_processes_at_once_happens_once(
    world: World, pair: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    caller = await world.caller()
    shared = await world.services.goals.service.create(caller, CreateGoal(title="shared"))
    (seen,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x", confidence=0.5)]
    )
    before = await world.counts()
    requests = [
        ("addObservations", {"observations": [{"content": "a"}, {"content": "b"}]}),
        ("createGoal", {"title": "g", "evidence": [{"observationId": seen.uid}]}),
        ("linkObservation", {"goalId": shared.uid, "observationId": seen.uid}),
        ("updateProgress", {"deltas": [{"goalId": shared.uid, "delta": DELTA}]}),
    ]
    calls = [
        Call(name, {"idempotencyKey": f"{name} {number}", **input_})
        for name, input_ in requests
        for number in range(1 if name == "linkObservation" else 5)
    ]

    answers = await asyncio.gather(*(asyncio.gather(*(call.send(http) for http in pair)) for call in calls))

    assert [mine for mine, _ in answers] == [theirs for _, theirs in answers]
    counts = await world.counts()
    assert counts["Request"] - before.get("Request", 0) == len(calls)
    assert counts["Observation"] - before["Observation"] == 10
    assert counts["Goal"] - before["Goal"] == 5
    goal = (await world.services.goals.service.get(caller, [shared.uid]))[shared.uid]
    assert (goal.progress, goal.version) == (round(GAIN + 5 * DELTA, 9), 7)
    assert await halves(world) == []


@pytest.mark.nightly("a bookmark in one process: tests/api/test_bookmarks.py")
async def test_what_was_written_through_one_process_is_read_through_another_behind_its_bookmark(
    site: Site, settings: Settings, tmp_path: Path
) -> None:
    # As a cluster is reached; the server is a single one.
    endpoint = endpoint_of(site.server)
    cluster = replace(endpoint, uri=endpoint.uri.replace("bolt://", "neo4j://"))
    apis = [process_on(cluster, tmp_path / name) for name in ("one", "other")]
    add = 'mutation { addObservation(input: {content: "seen"}) { ok } }'
    count = {"query": "{ observations { totalCount } }"}
    try:
        for api in apis:
            await asyncio.to_thread(api.start)
        await site.world.caller()
        async with (
            client_of(apis[0], settings, site.world) as one,
            client_of(apis[1], settings, site.world) as other,
        ):
            for number in range(1, 11):
                wrote = await (one, other)[number % 2].post("/graphql", json={"query": add})
                headers = {HEADER: wrote.headers[HEADER]}
                read = await (other, one)[number % 2].post("/graphql", json=count, headers=headers)
                assert read.json() == {"data": {"observations": {"totalCount": number}}}
            # Of the transaction after the last one: a read through one waits for a write through the other.
            seal = Bookmarks(settings.model_copy(update={"jwt_secret": SecretStr(SECRET)}))
            (raw,) = seal.of_header(headers[HEADER], site.world.org)
            ahead = {HEADER: seal.text_of([later(raw, 1)], site.world.org)}
            waiting = asyncio.create_task(other.post("/graphql", json=count, headers=ahead))
            for _ in range(3):
                assert (await one.post("/graphql", json=count)).json() == {
                    "data": {"observations": {"totalCount": 10}}
                }
            assert not waiting.done()
            await one.post("/graphql", json={"query": add})
            assert (await waiting).json() == {"data": {"observations": {"totalCount": 11}}}
    finally:
        for api in apis:
            await asyncio.to_thread(api.stop)
