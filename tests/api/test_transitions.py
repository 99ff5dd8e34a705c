"""The life of observations and goals through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

PROBLEM = "... on Problem { code message field }"
STEPS = {
    "updateObservation": "observation { content tags status pinned version }",
    "resolveObservation": "observation { status version }",
    "archiveObservation": "observation { status archivedAt version }",
    "pinObservation": "observation { pinned expiresAt version }",
    "transitionGoal": "goal { status statusReason completedAt version }",
    "updateProgress": "results { before after clamped goal { id progress status } }",
    "linkObservation": "result { before after goal { evidence { nodes { id } } } }",
    "unlinkObservation": "result { before after goal { evidence { nodes { id } } } }",
}


async def call(api: Api, name: str, **given: Any) -> dict[str, Any]:
    kind = name[0].upper() + name[1:]
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) "
        f"{{ ... on {kind}Payload {{ {STEPS[name]} }} {PROBLEM} }} }}"
    )
    return (await api.client().run(query, input=given))[name]


async def start(api: Api) -> tuple[str, str]:
    caller = await api.world.caller()
    draft = ObservationDraft(content="User likes tea", confidence=0.9, tags=("tea",))
    (o,) = await api.world.services.scratch.service.add(caller, [draft])
    goal = await api.world.services.goals.service.create(caller, CreateGoal(title="Make tea"))
    return o.uid, goal.uid


async def test_an_observation_lives(api: Api) -> None:
    uid, _ = await start(api)
    changed = await call(api, "updateObservation", id=uid, content="User likes oolong", expectedVersion=1)
    assert changed["observation"] == {
        "content": "User likes oolong",
        "tags": ["tea"],
        "status": "ACTIVE",
        "pinned": False,
        "version": 2,
    }
    pinned = await call(api, "pinObservation", id=uid)
    assert pinned["observation"]["pinned"] is True
    assert pinned["observation"]["expiresAt"] is None
    assert (await call(api, "pinObservation", id=uid, pinned=False))["observation"]["version"] == 4
    assert (await call(api, "resolveObservation", id=uid))["observation"]["status"] == "RESOLVED"
    assert (await call(api, "archiveObservation", id=uid))["observation"]["status"] == "ARCHIVED"
    refused = await call(api, "resolveObservation", id=uid)
    assert (refused["code"], refused["field"]) == ("illegal_transition", "id")


@pytest.mark.covers("OBS-21")
async def test_every_answer_says_how_long_until_it_fades(api: Api) -> None:
    fields = "nodes { content expiresAt fadesInMinutes }"
    every = f"{{ observations(filter: {{status: [ACTIVE, EXPIRED, RESOLVED]}}) {{ {fields} }} }}"

    async def left() -> dict[str, float | None]:
        nodes = (await api.client("bot").run(every))["observations"]["nodes"]
        return {node["content"]: node["fadesInMinutes"] for node in nodes}

    caller = await api.world.caller()
    drafts = [ObservationDraft(content=name, ttl_minutes=10) for name in ("plain", "pinned", "resolved")]
    _, pinned, resolved = await api.world.services.scratch.service.add(caller, drafts)
    await api.world.services.scratch.service.add(caller, [ObservationDraft(content="flash", ttl_minutes=0)])
    assert await left() == {"plain": 10.0, "pinned": 10.0, "resolved": 10.0, "flash": None}

    await call(api, "pinObservation", id=pinned.uid)
    await call(api, "resolveObservation", id=resolved.uid)
    api.world.clock.advance(seconds=90)
    assert await left() == {"plain": 8.5, "pinned": None, "resolved": None, "flash": None}
    api.world.clock.advance(seconds=510)
    assert await left() == {"plain": None, "pinned": None, "resolved": None, "flash": None}


async def test_a_goal_moves(api: Api) -> None:
    uid, goal = await start(api)
    linked = await call(api, "linkObservation", observationId=uid, goalId=goal)
    assert linked["result"] == {"before": 0, "after": 0.09, "goal": {"evidence": {"nodes": [{"id": uid}]}}}
    moved = await call(api, "updateProgress", deltas=[{"goalId": goal, "delta": 0.5}], idempotencyKey="k")
    assert moved["results"][0]["after"] == 0.59
    again = await call(api, "updateProgress", deltas=[{"goalId": goal, "delta": 0.5}], idempotencyKey="k")
    assert again == moved
    unlinked = await call(api, "unlinkObservation", observationId=uid, goalId=goal)
    assert unlinked["result"] == {"before": 0.59, "after": 0.5, "goal": {"evidence": {"nodes": []}}}
    done = await call(api, "transitionGoal", id=goal, status="COMPLETED", reason="Poured")
    assert (done["goal"]["status"], done["goal"]["statusReason"]) == ("COMPLETED", "Poured")
