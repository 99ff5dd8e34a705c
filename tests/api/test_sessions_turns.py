"""Turns and contexts in sessions, and queries of working memory, through GraphQL."""

from __future__ import annotations

import pytest
import structlog
from structlog.testing import capture_logs

from tests.api.conftest import Api
from tests.api.test_sessions import UPDATE, adding

NIGHTLY = pytest.mark.nightly("sessions: tests/graph/test_sessions_*.py; each mutation over HTTP: the walks")

TURN = """mutation ($input: StartTurnInput!) { it: startTurn(input: $input) {
  ok problem { code field } ... on StartTurnPayload { turn { id key session { id key } } } } }"""
CONTEXT = """mutation ($input: AssembleContextInput!) { it: assembleContext(input: $input) {
  ok problem { code field } ... on AssembleContextPayload { context { text turn { id session { id } }
    receipt { included { reason path via { id } node { id } } } } } } }"""
END = """mutation ($input: CommitAtTurnEndInput!) { it: commitAtTurnEnd(input: $input) {
  ok problem { code field } ... on CommitAtTurnEndPayload { results { path } } } }"""
TURNS = """query ($id: ID!) { session(id: $id) { turns(first: 1) {
  totalCount pageInfo { hasNextPage } nodes { key status session { id } } } } }"""


@NIGHTLY
async def test_a_turn_goes_on_in_a_session_and_its_context_has_what_that_holds(api: Api) -> None:
    me, stranger = api.client(person="alice"), api.client(person="bob")
    session = (await me.run(UPDATE, input=adding()))["it"]["session"]["id"]

    begun = (await me.run(TURN, input={"turnId": "turn-1", "sessionId": "trip"}))["it"]["turn"]
    context = (
        await me.run(
            CONTEXT, input={"prompt": "x", "budget": 500, "turnId": begun["id"], "sessionId": session}
        )
    )["it"]["context"]
    ended = await me.run(END, input={"turnId": begun["id"], "sessionId": session})
    await me.run(TURN, input={"turnId": "turn-2", "sessionId": session})
    listed = await me.run(TURNS, id=session)
    theirs = await stranger.run("query ($id: String!) { turn(id: $id) { session { id } } }", id=begun["id"])

    assert begun == {"id": begun["id"], "key": "turn-1", "session": {"id": session, "key": "trip"}}
    assert context["text"].startswith("# Working memory\n- ")
    assert "Family vacation planning" in context["text"]
    assert context["turn"] == {"id": begun["id"], "session": {"id": session}}
    assert context["receipt"]["included"] == [
        {"reason": "HELD", "path": [session], "via": {"id": session}, "node": None}
    ]
    assert ended["it"] == {"ok": True, "problem": None, "results": []}
    assert listed["session"]["turns"] == {
        "totalCount": 2,
        "pageInfo": {"hasNextPage": True},
        "nodes": [{"key": "turn-2", "status": "OPEN", "session": {"id": session}}],
    }
    # The turn is of the agent, which works for both; the session is alice's.
    assert theirs["turn"] == {"session": None}


BUNDLE = """query ($id: ID!) { activeContext(sessionId: $id) {
  session { id person { id } createdAt lastActivity itemsProcessed capacity { itemsCount } dominantThemes
            coherence }
  items { itemId content salience admissionTime lastAccess accessCount entities source confidence
          priorityRank } } }"""


@pytest.mark.covers("WMS-119", "WMS-121")
async def test_the_active_context_is_a_bundle_of_the_session_its_person_and_its_items(api: Api) -> None:
    me = api.client(person="alice")
    await me.run(UPDATE, input=adding(content={**adding()["content"], "source": "context_bundle"}))
    now = api.world.clock.now().isoformat()

    first = (await me.run(BUNDLE, id="trip"))["activeContext"]
    await api.world.services.sessions.accesses.batcher.flush()
    second = (await me.run(BUNDLE, id="trip"))["activeContext"]

    assert set(first["session"].pop("person")) == {"id"}
    assert first["session"].pop("id").startswith("ses_")
    assert first["session"] == {
        "createdAt": now,
        "lastActivity": now,
        "itemsProcessed": 1,
        "capacity": {"itemsCount": 1},
        "dominantThemes": ["family", "planning", "vacation"],
        "coherence": 1.0,
    }
    (item,) = first["items"]
    assert item == {
        "itemId": "plan",
        "content": "Family vacation planning",
        "salience": 0.772,
        "admissionTime": now,
        "lastAccess": now,
        "accessCount": 0,
        "entities": ["family"],
        "source": "context_bundle",
        "confidence": 1.0,
        "priorityRank": 1,
    }
    assert second["items"] == [{**item, "accessCount": 1}]


QUERIES = {
    "get_active_context": "activeContext({}) {{ session {{ id }} }}",
    "search_working_memory": "searchWorkingMemory({}) {{ session {{ id }} }}",
    "get_session_history": "sessionHistory({}) {{ totalCount }}",
}


@pytest.mark.covers("WMS-100", "WMS-102")
@pytest.mark.parametrize("kind", QUERIES)
async def test_the_ids_of_a_query_are_in_its_log_line_and_forge_none(api: Api, kind: str) -> None:
    me = api.client(person="alice")
    await me.run(UPDATE, input=adding())
    field = QUERIES[kind].format("sessionId: $id, queryId: $asked, traceId: $trace")
    query = f"query ($id: ID!, $asked: String, $trace: String) {{ it: {field} }}"

    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        await me.run(query, id="trip", asked="wm-query-1", trace="trace\n2026 forged\x1b[0m")
        await me.run(query, id="trip")
    refused = await me.errors(query, id="trip", asked="q" * 201, trace=" ")

    # Each in the line of its request.
    lines = [entry for entry in logs if entry["event"] == "request"]
    said = [query for entry in lines for query in entry["working_memory_queries"]]
    assert len(lines) == len(said)
    assert [(each["query_type"], each["query_id"], each["trace_id"]) for each in said] == [
        (kind, "wm-query-1", "trace\\n2026 forged\\x1b[0m"),
        (kind, None, None),
    ]
    assert "Family" not in str(logs)
    assert [(each["extensions"]["code"], each["extensions"]["field"]) for each in refused] == [
        ("invalid", "queryId")
    ]


@pytest.mark.covers("WMS-103")
async def test_a_query_of_another_type_is_refused(api: Api) -> None:
    me = api.client(person="alice")
    body = (
        await me.post("query ($id: ID!) { getOtherContext(sessionId: $id) { items { itemId } } }", id="trip")
    ).json()

    assert body["errors"][0]["message"].startswith("Cannot query field 'getOtherContext' on type 'Query'")
    assert "data" not in body or body["data"] is None
