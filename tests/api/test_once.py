"""The same request sent again over HTTP: the first answer, and nothing happens a second time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.api.conftest import Api, Client

OBSERVATION = "observation { id content createdAt version }"
SENT: dict[str, tuple[str, dict[str, Any]]] = {
    "addObservation": (f"AddObservationPayload {{ {OBSERVATION} }}", {"content": "c", "tags": ["t"]}),
    "addObservations": (
        f"AddObservationsPayload {{ {OBSERVATION.replace('observation', 'observations', 1)} }}",
        {"observations": [{"content": "a"}, {"content": "b"}], "turnId": "t-1"},
    ),
    "createGoal": (
        "CreateGoalPayload { goal { id title createdAt actions { nodes { id } } } }",
        {"title": "g", "pendingActions": [{"type": "research", "title": "a"}], "turnId": "t-1"},
    ),
    "upsertGoal": (
        "UpsertGoalPayload { created goal { id title clientKey version } }",
        {"title": "g", "description": None, "turnId": "t-1"},
    ),
    "remember": (
        "RememberPayload { memories { id kind content } }",
        {"memories": [{"kind": "MANDATE", "content": "m"}, {"kind": "CAPABILITY", "content": "c"}]},
    ),
    "createSpace": ("CreateSpacePayload { space { id key name permission } }", {"name": "s"}),
    "assembleContext": (
        (
            "AssembleContextPayload { context { text timestamp turn { key } budgetRemaining "
            "sections { name items { node { id } text tokens } } "
            "receipt { id used included { node { id } rank tokens } excluded { node { id } reason } } } }"
        ),
        {"prompt": "what about burgundy?", "budget": 300},
    ),
}


def mutation(name: str) -> str:
    kind = name[0].upper() + name[1:]
    return (
        f"mutation ($input: {kind}Input!) {{ it: {name}(input: $input) "
        f"{{ __typename ... on {SENT[name][0]} ... on Problem {{ code message field }} }} }}"
    )


async def send(client: Client, name: str, key: str) -> bytes:
    return (await client.post(mutation(name), input={**SENT[name][1], "idempotencyKey": key})).content


@pytest.mark.parametrize("name", SENT)
async def test_a_repeated_request_gets_the_first_answer_in_the_same_bytes(api: Api, name: str) -> None:
    client = api.client()
    await client.run(mutation("addObservation"), input={"content": "User likes burgundy", "tags": ["wine"]})
    await client.run(mutation("remember"), input={"memories": [{"kind": "MANDATE", "content": "Be brief"}]})
    first = await send(client, name, "once")
    assert b"Payload" in first
    counted = await api.world.counts()
    api.world.clock.advance(minutes=5)
    assert await send(client, name, "once") == first
    assert await api.world.counts() == counted
    other = await send(client, name, "twice")
    assert other != first
    assert b"Payload" in other


async def test_a_key_belongs_to_who_used_it(api: Api) -> None:
    mine = await send(api.client("bot"), "addObservation", "once")
    theirs = await send(api.client("other"), "addObservation", "once")
    assert b"AddObservationPayload" in theirs
    assert mine != theirs
    assert (await api.world.counts())["Observation"] == 2


async def test_requests_sent_at_once_under_one_key_happen_once(api: Api) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    answers = await asyncio.gather(*(send(client, "createGoal", "once") for _ in range(5)))
    assert len(set(answers)) == 1
    assert b"CreateGoalPayload" in answers[0]
    counted = await api.world.counts()
    assert (counted["Goal"], counted["PendingAction"], counted["Request"]) == (1, 1, 1)


async def test_a_refused_request_does_not_use_up_its_key(api: Api) -> None:
    client = api.client()
    refused = {"content": "", "idempotencyKey": "once"}
    assert (await client.run(mutation("addObservation"), input=refused))["it"]["code"] == "invalid"
    unknown = {"title": "g", "parentGoalId": "goal_x", "idempotencyKey": "once"}
    assert (await client.run(mutation("createGoal"), input=unknown))["it"]["code"] == "not_found"
    assert b"AddObservationPayload" in await send(client, "addObservation", "once")


async def test_a_grant_is_repeated_without_a_second_event(api: Api) -> None:
    client = api.client()
    await api.client("other").run("{ me { orgId } }")
    space = (await client.run(mutation("createSpace"), input={"name": "s"}))["it"]["space"]["id"]
    for name, payload in (("grantAccess", "permission: READ, "), ("revokeAccess", "")):
        query = (
            f'mutation ($s: ID!) {{ it: {name}(input: {{space: $s, actor: {{kind: AGENT, key: "other"}}, '
            f'{payload} idempotencyKey: "{name}"}}) {{ __typename }} }}'
        )
        first = (await client.post(query, s=space)).content
        assert b"Payload" in first
        counted = await api.world.counts()
        assert (await client.post(query, s=space)).content == first
        assert await api.world.counts() == counted
