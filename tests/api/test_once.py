"""The same request sent again over HTTP: the first answer, and nothing happens a second time."""

from __future__ import annotations

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
