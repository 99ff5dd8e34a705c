"""Sessions of working memory through GraphQL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Api

UPDATE = """mutation ($input: UpdateWorkingMemoryInput!) { it: updateWorkingMemory(input: $input) {
  ok problem { code field }
  ... on UpdateWorkingMemoryPayload {
    requestId itemId operationResult evictionOccurred
    session { id key status }
    currentCapacity { itemsCount maxCapacity utilizationRatio }
    admissionDecision { admitted itemSalience salienceThreshold reasons }
    updatedSessionContext { dominantThemes attentionFocusStrength sessionCoherence }
  } } }"""
ACTIVE = """query ($id: ID!) { it: activeContext(sessionId: $id) {
  session { id person { key } device { key } capacity { itemsCount } }
  items { itemId content priorityRank entities memory { id } } } }"""


def adding(**fields: Any) -> dict[str, Any]:
    return {
        "sessionId": "trip",
        "operation": "ADD",
        "content": {"itemId": "plan", "content": "Family vacation planning", "entities": ["family"]},
        "salience": {"relevanceScore": 0.78, "urgency": 0.6, "recency": 0.9, "userAttention": 0.8},
        **fields,
    }


@pytest.mark.covers("WMS-22", "WMS-91", "WMS-127")
async def test_an_item_of_one_turn_is_there_in_the_next(api: Api) -> None:
    me = api.client(person="alice", device="laptop")

    done = await me.run(UPDATE, input=adding(requestId="r-1", turnId="turn-1", traceId="t-1"))
    again = await me.run(
        UPDATE, input=adding(operation="REFRESH", content={"itemId": "plan"}, turnId="turn-2")
    )
    found = await me.run(ACTIVE, id=done["it"]["session"]["id"])

    assert done["it"] == {
        "ok": True,
        "problem": None,
        "requestId": "r-1",
        "itemId": "plan",
        "operationResult": "ADDED",
        "evictionOccurred": False,
        "session": {"id": done["it"]["session"]["id"], "key": "trip", "status": "ACTIVE"},
        "currentCapacity": {"itemsCount": 1, "maxCapacity": 7, "utilizationRatio": 0.14},
        "admissionDecision": {
            "admitted": True,
            "itemSalience": 0.772,
            "salienceThreshold": 0.425,
            "reasons": ["HIGH_RELEVANCE", "RECENT_ACCESS", "USER_ATTENTION"],
        },
        "updatedSessionContext": {
            "dominantThemes": ["family", "planning", "vacation"],
            "attentionFocusStrength": 0.0,
            "sessionCoherence": 1.0,
        },
    }
    assert again["it"]["operationResult"] == "REFRESHED"
    assert found["it"] == {
        "session": {
            "id": done["it"]["session"]["id"],
            "person": {"key": "alice"},
            "device": {"key": "laptop"},
            "capacity": {"itemsCount": 1},
        },
        "items": [
            {
                "itemId": "plan",
                "content": "Family vacation planning",
                "priorityRank": 1,
                "entities": ["family"],
                "memory": None,
            }
        ],
    }
    events = await api.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $of}) RETURN e.data AS data ORDER BY e.uid",
        of=done["it"]["session"]["id"],
    )
    assert all("Family" not in row["data"] for row in events)
    said = [json.loads(row["data"]) for row in events]
    assert [each["trace_id"] for each in said] == ["t-1", "t-1", None]
    assert {each["session_id"] for each in said} == {done["it"]["session"]["id"]}
    now = api.world.clock.now().isoformat()
    assert all(each["person_id"].startswith("per_") and each["time"] == now for each in said)
    logged = await api.world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: 'working_memory_updated'}) RETURN e.details AS details"
    )
    assert ["t-1" in row["details"] for row in logged].count(True) == 1


async def test_the_same_request_twice_adds_once(api: Api) -> None:
    me = api.client(person="alice")
    first = await me.run(UPDATE, input=adding(idempotencyKey="k"))
    second = await me.run(UPDATE, input=adding(idempotencyKey="k"))

    assert second == first
    rows = await api.world.rows("MATCH (s:Session {org_id: $org}) RETURN s.items_processed AS number")
    assert [row["number"] for row in rows] == [1]


@pytest.mark.covers("WMS-04", "WMS-05")
@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"salience": {"urgency": 1.1}}, "salience.urgency"),
        ({"salience": {"relevanceScore": -0.1}}, "salience.relevanceScore"),
        ({"content": {"content": "c", "confidence": 2}}, "content.confidence"),
        ({"content": {"content": ""}}, "content.content"),
        ({"content": {}}, "content"),
        ({"operation": "EVICT", "content": {}}, "content.itemId"),
        ({"sessionContext": {"conversationTurn": -1}}, "sessionContext.conversationTurn"),
        ({"sessionId": ""}, "sessionId"),
    ],
)
async def test_a_wrong_request_is_refused_and_changes_nothing(
    api: Api, wrong: dict[str, Any], field: str
) -> None:
    me = api.client(person="alice")
    before = await api.world.counts()

    answer = await me.run(UPDATE, input=adding(**wrong))

    assert (answer["it"]["ok"], answer["it"]["problem"]) == (False, {"code": "invalid", "field": field})
    assert {k: v for k, v in (await api.world.counts()).items() if k in ("Session", "Fragment")} == {
        k: v for k, v in before.items() if k in ("Session", "Fragment")
    }
    body = (await me.post(UPDATE, input=adding(operation="FORGET"))).json()
    assert "does not exist in 'WorkingMemoryOperation'" in body["errors"][0]["message"]
