"""The review of the scratch page through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

REVIEW = """
mutation ($input: EvaluateScratchPageInput!) {
  it: evaluateScratchPage(input: $input) {
    __typename
    ... on EvaluateScratchPagePayload {
      promoted kept archived hasNextPage endCursor
      evaluations {
        observation { id } decision reason message importance { value }
        goal { id title description goalType priority actions { nodes { title type } } }
      }
    }
    ... on Problem { code field message problems { code field } }
  }
}
"""
ADD = """
mutation ($input: AddObservationsInput!) {
  addObservations(input: $input) {
    ... on AddObservationsPayload { observations { id } }
    ... on Problem { code field }
  }
}
"""


async def noted(client: Client, *contents: str, confidence: float = 0.95) -> list[str]:
    notes = [{"content": content, "confidence": confidence} for content in contents]
    made = await client.run(ADD, input={"observations": notes, "evaluate": False})
    return [o["id"] for o in made["addObservations"]["observations"]]


async def reviewed(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(REVIEW, input=given))["it"]


@pytest.mark.covers("OBS-40", "OBS-41")
async def test_a_review_says_what_became_of_each(api: Api) -> None:
    client = api.client()
    wine, late = await noted(client, "User prefers Burgundy", "The API has a latency of 80 ms")
    (doubt,) = await noted(client, "Ann may come", confidence=0.3)
    page = await reviewed(
        client,
        goal={"title": "Know the taste", "pendingActions": [{"type": "research", "title": "Read about it"}]},
    )
    goal = page["evaluations"][0]["goal"]
    assert (page["promoted"], page["kept"], page["archived"], page["hasNextPage"]) == (1, 2, 0, False)
    assert [
        (item["observation"]["id"], item["decision"], item["reason"], item["goal"] and item["goal"]["id"])
        for item in page["evaluations"]
    ] == [
        (wine, "PROMOTE", "FOUNDED_GOAL", goal["id"]),
        (late, "KEEP", "OPERATIONAL", None),
        (doubt, "KEEP", "BELOW_THRESHOLD", None),
    ]
    assert goal["title"] == "Know the taste"
    assert goal["actions"]["nodes"] == [{"title": "Read about it", "type": "research"}]

    # The same in pages.
    first = await reviewed(client, first=2)
    rest = await reviewed(client, first=2, after=first["endCursor"])
    seen = [item["observation"]["id"] for found in (first, rest) for item in found["evaluations"]]
    assert (seen, first["hasNextPage"], rest["hasNextPage"]) == ([wine, late, doubt], True, False)


CONTRADICTING = """mutation ($one: Boolean, $several: Boolean, $review: Boolean) {
  fifty: addObservation(input: {content: "The budget is $50", ask: $one}) { ok }
  sixty: addObservation(input: {content: "The budget is $60", ask: $one}) { ok }
  seats: addObservations(input: {ask: $several, observations: [
    {content: "The room has 5 seats"}, {content: "The room has 6 seats"}]}) { ok }
  all: evaluateScratchPage(input: {ask: $review}) { ok } }"""


@pytest.mark.covers("OBS-71")
async def test_each_call_says_whether_it_asks(api: Api) -> None:
    budget = 'Which holds: "The budget is $50" or "The budget is $60"?'
    seats = 'Which holds: "The room has 5 seats" or "The room has 6 seats"?'
    for agent, given, asked in (
        ("silent", {}, []),
        ("one", {"one": True}, [budget]),
        ("several", {"several": True}, [seats]),
        ("review", {"review": True}, [budget, seats]),
    ):
        client = api.client(agent)
        done = await client.run(CONTRADICTING, **given)
        assert [each["ok"] for each in done.values()] == [True] * 4
        found = await client.run("{ questions { nodes { text owner status } } }")
        assert sorted(found["questions"]["nodes"], key=lambda node: node["text"]) == [
            {"text": text, "owner": "USER", "status": "OPEN"} for text in asked
        ], agent
