"""Two processes of the API change the same goal at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import httpx
import pytest

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.fault.conftest import Site, client_of
from tests.support.integrity import halves
from tests.support.lists import evidence_of
from tests.support.server_process import ApiProcess
from tests.support.stream import Call

LINKS, GAIN = 10, 0.05
STEPS, DELTA = 20, 0.02


@pytest.fixture
async def pair(
    site: Site, settings: Settings, both: tuple[ApiProcess, ApiProcess]
) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncClient]]:
    await site.world.caller()
    async with (
        client_of(both[0], settings, site.world) as one,
        client_of(both[1], settings, site.world) as other,
    ):
        yield one, other


@pytest.mark.covers("GOAL-60")
async def test_two_processes_lose_no_update_of_one_goal(
    site: Site, pair: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    services, caller = site.world.services, await site.world.caller()
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
    assert await halves(site.world) == []


async def test_one_request_sent_to_two_processes_at_once_happens_once(
    site: Site, pair: tuple[httpx.AsyncClient, httpx.AsyncClient]
) -> None:
    caller = await site.world.caller()
    shared = await site.world.services.goals.service.create(caller, CreateGoal(title="shared"))
    (seen,) = await site.world.services.scratch.service.add(
        caller, [ObservationDraft(content="x", confidence=0.5)]
    )
    before = await site.world.counts()
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
    counts = await site.world.counts()
    assert counts["Request"] - before.get("Request", 0) == len(calls)
    assert counts["Observation"] - before["Observation"] == 10
    assert counts["Goal"] - before["Goal"] == 5
    goal = (await site.world.services.goals.service.get(caller, [shared.uid]))[shared.uid]
    assert (goal.progress, goal.version) == (round(GAIN + 5 * DELTA, 9), 7)
    assert await halves(site.world) == []
