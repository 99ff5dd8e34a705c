"""The access log: every access of a session, by its owner and by strangers, allowed and refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.test_redaction import HIGH, asking, changing
from tests.support.world import World

LOG = """query ($id: ID!, $outcome: AccessOutcome, $first: Int, $after: String) {
  it: accessLog(sessionId: $id, outcome: $outcome, first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { operation outcome problem items itemIds at by { key } person { key } device { key } } } }"""
CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("updateWorkingMemory", {"operation": "ADD", "content": {"itemId": "a", "content": "The boat"}}),
    ("updateWorkingMemory", {"operation": "UPDATE", "content": {"itemId": "a", "confidence": 0.5}}),
    ("updateWorkingMemory", {"operation": "REFRESH", "content": {"itemId": "a"}}),
    ("updateWorkingMemory", {"operation": "EVICT", "content": {"itemId": "gone"}}),
    ("startTurn", {"turnId": "monday"}),
    ("assembleContext", {"turnId": "monday", "prompt": "What is hidden?", "budget": 4000}),
    ("commitAtTurnEnd", {"turnId": "monday"}),
    ("commitTurn", {"turnId": "monday"}),
    ("updateWorkingMemory", {"operation": "EVICT", "content": {"itemId": "a"}}),
    ("updateWorkingMemory", {"operation": "ADD", "content": {"itemId": "a", "content": "The boat"}}),
    ("checkpointSession", {"name": "before"}),
    ("restoreCheckpoint", {"checkpoint": "before"}),
]
QUERIES = [
    "session",
    "activeContext",
    "searchWorkingMemory",
    "sessionHistory",
    "sessionCorrelations",
    "sessionCheckpoints",
    "sessionPatterns",
    "cognitiveEvents",
    "previewContext",
]


async def logged(world: World, client: Client, session: str, **wanted: Any) -> list[dict[str, Any]]:
    """Return the access log of a session, the oldest entry first, without what reads of it add."""
    await world.services.access_log.batcher.flush()
    found = (await client.run(LOG, id=session, first=100, **wanted))["it"]
    return [each for each in reversed(found["nodes"]) if each["operation"] != "GET_ACCESS_LOG"]


def ask(name: str) -> str:
    """Return a query alone: what it leads to and what `asking` reads besides is accessed, too."""
    return asking(name, 0).replace("session(id: $id) { id }", "me { orgId }")


async def each_way(api: Api, client: Client, session: str) -> None:
    """Access a session in every way."""
    for name, input_ in CHANGES:
        # What happens at once has no order.
        api.world.clock.advance(milliseconds=1)
        more = {"salience": HIGH} if input_.get("operation") == "ADD" else {}
        body = (await client.post(changing(name, 1), input={"sessionId": session, **input_, **more})).json()
        assert "errors" not in body, body
    for name in QUERIES:
        api.world.clock.advance(milliseconds=1)
        await client.post(ask(name), id=session)
    api.world.clock.advance(milliseconds=1)


async def started(client: Client, **fields: Any) -> str:
    return (await client.run(changing("startSession", 1), input=fields))["it"]["session"]["id"]


DONE = [
    ("ADD", ["a"]),
    ("UPDATE", ["a"]),
    ("REFRESH", ["a"]),
    ("EVICT", ["gone"]),
    ("JOIN_TURN", []),
    ("ASSEMBLE_CONTEXT", ["a"]),
    ("JOIN_TURN", []),
    ("JOIN_TURN", []),
    ("EVICT", ["a"]),
    ("ADD", ["a"]),
    ("CHECKPOINT", []),
    ("RESTORE", []),
    ("GET_SESSION", []),
    ("GET_ACTIVE_CONTEXT", ["a"]),
    # The search has other words.
    ("SEARCH_WORKING_MEMORY", []),
    ("GET_SESSION_HISTORY", ["a"]),
    ("GET_CORRELATIONS", []),
    ("GET_CHECKPOINTS", []),
    ("GET_PATTERNS", []),
    ("GET_EVENTS", []),
    ("ASSEMBLE_CONTEXT", ["a"]),
]


@pytest.mark.covers("SEC-04..06")
async def test_every_access_is_in_the_log_of_the_session(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    session = await started(me, key="trip")
    await each_way(api, me, session)
    await me.run(changing("endSession", 0), input={"id": "trip"})

    found = await logged(api.world, me, session)

    assert [(each["operation"], each["itemIds"]) for each in found] == [
        ("START", []),
        *DONE,
        ("END", ["a"]),
    ]
    assert all(each["items"] == len(each["itemIds"]) for each in found)
    assert {(each["outcome"], each["problem"]) for each in found} == {("ALLOWED", None)}
    who = {(each["by"]["key"], each["person"]["key"], each["device"]["key"]) for each in found}
    assert who == {("bot", "alice", "laptop")}
    # By pages, without a gap; and by the key.
    keys, after = [], None
    while True:
        page = (await me.run(LOG, id="trip", first=4, after=after))["it"]
        keys += [each["operation"] for each in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert [key for key in reversed(keys) if key != "GET_ACCESS_LOG"] == [each["operation"] for each in found]


@pytest.mark.nightly("the log of accesses that were allowed is read with each change")
@pytest.mark.covers("SEC-05", "SEC-06")
async def test_refused_accesses_are_in_the_log_of_the_owner_and_in_nobody_elses(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    session = await started(me, key="trip")
    strangers = [api.client(person="bob", device="tablet"), api.client(person="alice", device="phone")]
    for stranger in strangers:
        await each_way(api, stranger, session)
        await stranger.run(changing("endSession", 0), input={"id": session})
        assert (await stranger.run(LOG, id=session))["it"] is None
        assert (await stranger.run(LOG, id="unknown"))["it"] is None
    other = await started(strangers[0], key="trip")

    found = await logged(api.world, me, session, outcome="REFUSED")

    # Of the turns the first one is refused, and so is the last: the turn is not begun.
    assert [each["operation"] for each in found] == [*[name for name, _ in DONE], "END"] * 2
    assert {(each["outcome"], each["problem"], each["items"]) for each in found} == {
        ("REFUSED", "not_found", 0)
    }
    assert [(each["person"]["key"], each["device"]["key"]) for each in found] == [
        *[("bob", "tablet")] * (len(found) // 2),
        *[("alice", "phone")] * (len(found) // 2),
    ]
    log = (await me.run(LOG, id=session, outcome="REFUSED", first=100))["it"]["nodes"]
    assert [each["operation"] for each in log if each["operation"] == "GET_ACCESS_LOG"] == [
        "GET_ACCESS_LOG"
    ] * 2
    assert [each["operation"] for each in await logged(api.world, me, session, outcome="ALLOWED")] == [
        "START"
    ]
    # Nothing of it is in the log of the session that the stranger calls by the same key.
    assert [each["operation"] for each in await logged(api.world, strangers[0], other)] == ["START"]


@pytest.mark.covers("SEC-05")
async def test_what_is_bridged_is_in_both_logs_and_a_redacted_item_in_neither(api: Api) -> None:
    me = api.client(person="alice", device="laptop")
    one, two = await started(me, key="one"), await started(me, key="two")
    fact = """mutation ($text: String!) { it: remember(input: {memories: [{kind: FACT, content: $text}]}) {
      ... on RememberPayload { memories { id } } } }"""
    shown, hidden = [
        (await me.run(fact, text=text))["it"]["memories"][0]["id"] for text in ("A boat", "A secret")
    ]
    for item, redacted in ((shown, False), (hidden, True)):
        content = {"itemId": item, "redacted": redacted}
        sent = {"sessionId": one, "operation": "ADD", "content": content, "salience": HIGH}
        await me.run(changing("updateWorkingMemory", 0), input=sent)
    await me.run(ask("activeContext"), id=one)
    await me.run(changing("bridgeSession", 0), input={"sessionId": two, "fromSessionId": one})

    logs = [await logged(api.world, me, session) for session in (one, two)]

    assert [(each["operation"], each["itemIds"]) for each in logs[0]][3:] == [
        ("GET_ACTIVE_CONTEXT", [shown]),
        ("BRIDGE", [shown]),
    ]
    assert [(each["operation"], each["itemIds"]) for each in logs[1]] == [("START", []), ("BRIDGE", [shown])]
