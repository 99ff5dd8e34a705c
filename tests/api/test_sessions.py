"""Sessions of working memory through GraphQL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Api

NIGHTLY = pytest.mark.nightly("sessions: tests/graph/test_sessions_*.py; each mutation over HTTP: the walks")

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


EVENTS = """query ($id: ID!, $first: Int, $after: String) {
  it: cognitiveEvents(sessionId: $id, first: $first, after: $after) {
    nodes { topic payload } pageInfo { hasNextPage endCursor } } }"""


@pytest.mark.covers("WMS-123..129")
async def test_the_events_of_a_session_are_a_list_of_topics_and_payloads(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    done = await me.run(UPDATE, input=adding(traceId="t-1"))
    session = done["it"]["session"]["id"]
    low = {"relevanceScore": 0.1, "urgency": 0, "recency": 0.1, "userAttention": 0}
    rejected = await me.run(
        UPDATE, input=adding(content={"itemId": "no", "content": "A stone"}, salience=low)
    )
    assert rejected["it"]["operationResult"] == "REJECTED"
    await me.run(UPDATE, input=adding(operation="EVICT", content={"itemId": "plan"}))
    await me.run('mutation { it: endSession(input: {id: "trip"}) { ok } }')

    found = (await me.run(EVENTS, id="trip"))["it"]

    about = "cognitive.working_memory"
    topics = ["session.started", "updated", "evicted", "session.ended"]
    assert [each["topic"] for each in found["nodes"]] == [f"{about}.{each}" for each in topics]
    now = api.world.clock.now().isoformat()
    for each in found["nodes"]:
        said = each["payload"]
        assert (said["session_id"], said["time"]) == (session, now)
        assert said["person_id"].startswith("per_")
        assert said["device_id"].startswith("dev_")
    assert [each["payload"]["trace_id"] for each in found["nodes"]] == ["t-1", "t-1", None, None]
    assert found["nodes"][2]["payload"]["item_id"] == "plan"
    assert found["nodes"][2]["payload"]["reason"] == "requested"
    # By pages, without a gap; by the id of the session.
    one = (await me.run(EVENTS, id=session, first=3))["it"]
    rest = (await me.run(EVENTS, id=session, first=3, after=one["pageInfo"]["endCursor"]))["it"]
    assert [*one["nodes"], *rest["nodes"]] == found["nodes"]
    assert (one["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (True, False)
    # Nobody else's, and not on another device.
    for stranger in (api.client(person="bob"), api.client(person="alice", device="phone")):
        for name in (session, "trip"):
            assert (await stranger.run(EVENTS, id=name))["it"] is None


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


CORRELATIONS = """query ($id: ID!) {
  it: sessionCorrelations(sessionId: $id) {
    isEarlier correlationScore relationshipType sharedEntities sharedThemes
    entityOverlap themeSimilarity contentSimilarity temporalProximity
    session { id } shared { kind name node { id } } unfinished { itemId content memory { id } } }
  active: activeContext(sessionId: $id) {
    crossSessionLinks { relatedSession { id } relationship similarity sharedEntities } } }"""
FACT = """mutation { it: remember(input: {memories: [{kind: FACT, content: "The boat costs 80 euros",
  entities: [{name: "boat"}]}]}) { ... on RememberPayload { memories { id } } } }"""
START = """mutation ($input: StartSessionInput!) { it: startSession(input: $input) {
  ... on StartSessionPayload { session { id } } } }"""
END = """mutation ($id: ID!) { it: endSession(input: {id: $id}) { ok } }"""
BRIDGE = """mutation ($input: BridgeSessionInput!) { it: bridgeSession(input: $input) {
  ok problem { code field }
  ... on BridgeSessionPayload { session { capacity { itemsCount } }
    items { itemId operationResult evictedItems { itemId } admissionDecision { admitted } } } } }"""
LINK = """mutation ($across: Boolean!) { it: linkSessions(input: {acrossDevices: $across}) { ok
  ... on LinkSessionsPayload { acrossDevices } } }"""


@pytest.mark.covers("COR-16", "COR-22", "WMS-122")
async def test_a_session_is_linked_to_an_earlier_one_and_gets_what_it_left(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    (boat,) = (await me.run(FACT))["it"]["memories"]
    first = (await me.run(START, input={"key": "plan", "focus": ["boat", "trip"]}))["it"]["session"]["id"]
    assert (await me.run(CORRELATIONS, id=first)) == {"it": [], "active": {"crossSessionLinks": []}}
    await me.run(UPDATE, input=adding(sessionId="plan", content={"itemId": boat["id"], "entities": ["boat"]}))
    await me.run(END, id=first)
    api.world.clock.advance(minutes=30)
    second = (await me.run(START, input={"key": "again", "task": "the boat", "focus": ["boat"]}))["it"]
    second_id = second["session"]["id"]

    found = await me.run(CORRELATIONS, id="again")

    (link,) = found["active"]["crossSessionLinks"]
    (related,) = found["it"]
    assert link == {
        "relatedSession": {"id": first},
        "relationship": related["relationshipType"],
        "similarity": related["correlationScore"],
        "sharedEntities": ["boat"],
    }
    assert (related["isEarlier"], related["session"]["id"], related["entityOverlap"]) == (True, first, 1.0)
    assert related["temporalProximity"] == pytest.approx(1 - 0.5 / 24)
    assert {"kind": "ENTITY", "name": "boat", "node": None} in related["shared"]
    assert related["unfinished"] == [
        {"itemId": boat["id"], "content": "The boat costs 80 euros", "memory": {"id": boat["id"]}}
    ]
    done = await me.run(BRIDGE, input={"sessionId": "again", "fromSessionId": "plan"})
    assert done["it"] == {
        "ok": True,
        "problem": None,
        "session": {"capacity": {"itemsCount": 1}},
        "items": [
            {
                "itemId": boat["id"],
                "operationResult": "ADDED",
                "evictedItems": [],
                "admissionDecision": {"admitted": True},
            }
        ],
    }
    found = await me.run(CORRELATIONS, id=second_id)
    assert found["it"][0]["unfinished"] == []
    assert {"kind": "MEMORY", "name": "The boat costs 80 euros", "node": {"id": boat["id"]}} in found["it"][
        0
    ]["shared"]
    stranger = api.client(person="bob", device="laptop")
    assert (await stranger.run(CORRELATIONS, id=second_id)) == {"it": [], "active": None}
    refused = await stranger.run(BRIDGE, input={"sessionId": "again", "fromSessionId": first})
    assert refused["it"] == {"ok": False, "problem": {"code": "not_found", "field": "fromSessionId"}}


@pytest.mark.covers("COR-20")
@NIGHTLY
async def test_whether_devices_are_linked_is_said_and_read(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    first = (await me.run(START, input={}))["it"]["session"]["id"]
    space = "query ($id: ID!) { it: session(id: $id) { space { linksDevices } } }"
    assert (await me.run(space, id=first))["it"] == {"space": {"linksDevices": False}}
    for across in (True, True, False):
        assert (await me.run(LINK, across=across))["it"] == {"ok": True, "acrossDevices": across}
        assert (await me.run(space, id=first))["it"] == {"space": {"linksDevices": across}}


@pytest.mark.covers("OPS-53")
async def test_operations_in_one_request_end_as_those_sent_one_by_one(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    texts = {"a": "The flight to Lisbon", "b": "The hotel in Lisbon", "c": "The tax form"}
    steps = [
        *(adding(content={"itemId": each, "content": text}) for each, text in texts.items()),
        adding(operation="REFRESH", content={"itemId": "b"}),
        adding(operation="EVICT", content={"itemId": "a"}),
        # An operation that fails says so in its place, and the others are as they are without it.
        adding(content={"itemId": "missing"}),
        adding(content={"itemId": "a", "content": texts["a"]}),
    ]
    start = UPDATE.index("{") + 1
    body = UPDATE[start : UPDATE.rindex("}")]
    together = "\n".join(
        body.replace("it:", f"s{n}:").replace("$input", f"$i{n}") for n, _ in enumerate(steps)
    )
    variables = ", ".join(f"$i{n}: UpdateWorkingMemoryInput!" for n, _ in enumerate(steps))

    one_by_one = [(await me.run(UPDATE, input=each | {"sessionId": "one by one"}))["it"] for each in steps]
    at_once = await me.run(
        f"mutation ({variables}) {{ {together} }}",
        **{f"i{n}": each | {"sessionId": "at once"} for n, each in enumerate(steps)},
    )

    def told(results: Any) -> list[dict[str, Any]]:
        """What was answered, without the names and ids of the sessions."""
        return [
            {**each, "requestId": None, "session": {**(each.get("session") or {}), "id": 0, "key": 0}}
            for each in results
        ]

    assert told(at_once.values()) == told(one_by_one)
    assert [each["ok"] for each in one_by_one] == [True, True, True, True, True, False, True]
    ended = [
        [
            {key: item[key] for key in ("itemId", "content", "priorityRank", "entities")}
            for item in (await me.run(ACTIVE, id=session))["it"]["items"]
        ]
        for session in ("one by one", "at once")
    ]
    assert ended[0] == ended[1]
    assert {each["itemId"] for each in ended[0]} == {"a", "b", "c"}


REMEMBER = """mutation ($input: RememberInput!) { it: remember(input: $input) {
  ... on RememberPayload { memories { id } } } }"""
RECALL = """query { it: previewContext(input: {prompt: "seasick", budget: 500}) {
  sections { items { node { id } } } } }"""
HELD = """query ($id: ID!) { it: activeContext(sessionId: $id) { items { itemId content source } } }"""


@pytest.mark.covers("WMS-24")
async def test_memories_contexts_and_attention_come_in_one_envelope_and_are_there_at_once(api: Api) -> None:
    """Source 002, §2: the source of an item says who sends it."""
    me = api.client(person="alice", device="laptop")
    facts = [{"kind": "FACT", "content": "Mom gets seasick", "confidence": 0.8}]
    ((formed,),) = (await me.run(REMEMBER, input={"memories": facts}))["it"].values()
    sections = (await me.run(RECALL))["it"]["sections"]
    (recalled,) = (item["node"]["id"] for each in sections for item in each["items"])
    text = "The boat leaves in ten minutes"

    for source, item, content in (
        ("memory_steward", formed["id"], None),
        ("context_bundle", recalled, None),
        ("attention_gate", "alarm", text),
    ):
        sent = adding(sessionId=source, content={"itemId": item, "content": content, "source": source})
        done = await me.run(UPDATE, input=sent)
        held = await me.run(HELD, id=source)
        assert done["it"]["operationResult"] == "ADDED"
        assert held["it"]["items"] == [
            {"itemId": item, "content": content or facts[0]["content"], "source": source}
        ]
