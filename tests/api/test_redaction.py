"""A redacted item of a session is in no answer, event, log line or property, and neither is its vector."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from graphql import GraphQLField, GraphQLObjectType, get_named_type, is_non_null_type
from structlog.testing import capture_logs

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import SCHEMA, TAKEN, input_type, leaves
from tests.graph.test_sessions_privacy import indexed, places, vectors
from tests.support.correlating import compare
from tests.support.world import World

WORD = "xylophone"
SECRET = {
    "itemId": "secret",
    "content": f"The {WORD} is hidden at the sea",
    "contentType": f"{WORD} note",
    "entities": [f"{WORD} of Ann"],
    "source": f"{WORD} list",
}
HIGH = {"relevanceScore": 0.9, "urgency": 0.9, "recency": 0.9, "userAttention": 0.9}

QUERIES: dict[str, str] = {
    "session": "session(id: $id)",
    "sessions": 'sessions(filter: {entity: "Lisbon"}, first: 3)',
    "activeContext": "activeContext(sessionId: $id)",
    "searchWorkingMemory": 'searchWorkingMemory(sessionId: $id, filter: {text: "xylophone sea Lisbon"})',
    "sessionHistory": "sessionHistory(sessionId: $id, first: 5)",
    "sessionCorrelations": "sessionCorrelations(sessionId: $id)",
    "sessionCheckpoints": "sessionCheckpoints(sessionId: $id)",
    "sessionPatterns": "sessionPatterns(filter: {sessionId: $id})",
    "accessLog": "accessLog(sessionId: $id, first: 5)",
    "cognitiveEvents": "cognitiveEvents(sessionId: $id, first: 50)",
    "previewContext": 'previewContext(input: {prompt: "What is hidden?", budget: 4000, sessionId: $id})',
    "contextReceipt": 'contextReceipt(turnId: "monday")',
    "turn": 'turn(id: "monday")',
    "turns": "turns(first: 3)",
    "turnTrace": 'turnTrace(turnId: "monday", first: 20)',
    "trace": "trace(first: 20)",
    "auditLog": "auditLog(first: 20)",
    "searchMemory": 'searchMemory(text: "hidden at the sea", first: 5)',
    "memories": "memories(first: 5)",
    "entities": "entities(first: 5)",
    "node": "node(id: $id)",
}
"""The queries that lead to a session or to what it holds."""


def selection(of: Any, depth: int) -> str:
    """Select every field of a type that takes no argument, and of the types that it leads to."""
    named = get_named_type(of)
    if not isinstance(named, GraphQLObjectType):
        return "{ __typename id }" if getattr(named, "fields", None) else ""
    found = []
    for name, field in named.fields.items():
        inner = get_named_type(field.type)
        if any(is_non_null_type(arg.type) for arg in field.args.values()) or name == "edges":
            continue
        if not getattr(inner, "fields", None):
            found.append(name)
        elif depth > 0:
            pages = "(first: 2)" if "first" in field.args else ""
            # The page of a list is no level of its own.
            below = depth if inner.name.endswith("Connection") else depth - 1
            found.append(f"{name}{pages} {selection(inner, below)}")
    return "{ __typename " + " ".join(found) + " }"


def about_sessions(field: GraphQLField) -> bool:
    """Tell whether a query names a session, or answers with what it holds."""
    inputs = [get_named_type(arg.type) for arg in field.args.values()]
    names = {*field.args, *(key for each in inputs for key in getattr(each, "fields", {}))}
    return bool(names & {"sessionId", "session"}) or "Session" in get_named_type(field.type).name


def asking(name: str, depth: int = 2) -> str:
    assert SCHEMA.query_type
    shown = selection(SCHEMA.query_type.fields[name].type, depth)
    return f"query ($id: ID!) {{ session(id: $id) {{ id }} it: {QUERIES[name]} {shown} }}"


def changing(name: str, depth: int = 2) -> str:
    assert SCHEMA.mutation_type
    payload = SCHEMA.type_map[f"{name[0].upper()}{name[1:]}Payload"]
    return (
        f"mutation ($input: {input_type(name).name}!) {{ it: {name}(input: $input) "
        f"{{ ok problem {{ code message field }} ... on {payload.name} {selection(payload, depth)} }} }}"
    )


def naming_sessions() -> Iterator[str]:
    """Yield the mutations whose input names a session, or that answer with one."""
    for name in TAKEN:
        fields = [path[-1] for path, _, _ in leaves(input_type(name))]
        payload = SCHEMA.type_map.get(f"{name[0].upper()}{name[1:]}Payload")
        shown = getattr(payload, "fields", {})
        if "sessionId" in fields or "session" in shown:
            yield name


class Answers:
    """Everything that a client was answered."""

    def __init__(self, client: Client, *, hides: str = WORD) -> None:
        """Store the client, and what may be in no answer."""
        self.client = client
        self.hides = hides

    async def ask(self, document: str, name: str, **variables: Any) -> Any:
        """Return an answer, once it is certain that it has nothing of what is hidden."""
        body = (await self.client.post(document, **variables)).json()
        assert "errors" not in body, (name, body)
        assert self.hides not in json.dumps(body).lower(), name
        return body["data"]["it"]

    async def change(self, name: str, **input_: Any) -> Any:
        return await self.ask(changing(name), name, input=input_)

    async def look(self, session: str) -> None:
        """Ask every query of sessions."""
        for name in QUERIES:
            await self.ask(asking(name), name, id=session)


async def add(said: Answers, session: str, **content: Any) -> Any:
    done = await said.change(
        "updateWorkingMemory",
        sessionId=session,
        operation="ADD",
        content=content,
        salience=HIGH,
        turnId="monday",
    )
    assert done["operationResult"] in ("ADDED", "UPDATED"), done
    return done


async def at_once(_: World, said: Answers, session: str) -> None:
    await add(said, session, **SECRET, redacted=True)


async def afterwards(world: World, said: Answers, session: str) -> None:
    said.hides = "\0"
    await add(said, session, **SECRET)
    await compare(world)
    assert {"Fragment.content", "HOLDS.entities", "ON.name", "Session.dominant_themes"} <= {
        *await places(world)
    }
    said.hides = WORD
    await said.change(
        "updateWorkingMemory",
        sessionId=session,
        operation="UPDATE",
        content={"itemId": "secret", "redacted": True},
    )


async def again(world: World, said: Answers, session: str) -> None:
    await at_once(world, said, session)
    # What is given for it later is not kept either.
    await said.change("updateWorkingMemory", sessionId=session, operation="UPDATE", content=SECRET)


async def digest(world: World, session: str) -> Any:
    """Return the mean vector of what a session may show, once a job has made it."""
    await compare(world)
    (row,) = await world.rows("MATCH (s:Session {uid: $uid}) RETURN s.digest AS digest", uid=session)
    assert row["digest"] is not None
    return row["digest"]


Redacts = Callable[[World, Answers, str], Awaitable[None]]


def test_every_query_and_mutation_of_sessions_is_looked_at() -> None:
    assert SCHEMA.query_type
    fields = SCHEMA.query_type.fields
    assert [name for name in fields if about_sessions(fields[name]) and name not in QUERIES] == []
    # `linkSessions` answers with nothing of a session.
    assert sorted(naming_sessions()) == [
        "assembleContext",
        "bridgeSession",
        "checkpointSession",
        "commitAtTurnEnd",
        "commitTurn",
        "endSession",
        "recordOutcome",
        "restoreCheckpoint",
        "startSession",
        "startTurn",
        "trackToolInvocation",
        "updateWorkingMemory",
    ]


@pytest.mark.covers("SEC-07")
@pytest.mark.parametrize(
    "redacts",
    [at_once, *(pytest.param(each, marks=pytest.mark.nightly("at once")) for each in (afterwards, again))],
)
async def test_a_redacted_text_is_in_no_answer_property_event_or_log_line(api: Api, redacts: Redacts) -> None:
    said = Answers(api.client(person="alice", device="laptop"))
    start = {"focus": ["Lisbon"], "task": "Plan the trip to Lisbon"}
    with capture_logs() as logged:
        earlier = (await said.change("startSession", key="first", **start))["session"]["id"]
        session = (await said.change("startSession", key="trip", **start))["session"]["id"]
        await add(said, earlier, itemId="flight", content="The flight to Lisbon", entities=["Lisbon"])
        await add(said, session, itemId="hotel", content="The hotel in Lisbon", entities=["Lisbon"])
        plain = await digest(api.world, session)
        await redacts(api.world, said, session)

        await said.change("checkpointSession", sessionId=session)
        await said.change("restoreCheckpoint", sessionId=session)
        await said.change("startTurn", turnId="monday", sessionId=session)
        for _ in range(2):
            context = {"prompt": "What is hidden at the sea?", "budget": 4000, "idempotencyKey": "context"}
            await said.change("assembleContext", turnId="monday", sessionId=session, **context)
        await said.change(
            "trackToolInvocation", turnId="monday", sessionId=session, tool="search", result={"found": 0}
        )
        await said.change("recordOutcome", turnId="monday", sessionId=session, outcome={"success": True})
        await said.look(session)
        assert await digest(api.world, session) == plain
        await said.look(session)
        await said.change("bridgeSession", sessionId=earlier, fromSessionId=session)
        assert await places(api.world) == []
        # The key of a topic is a stem.
        assert await places(api.world, WORD[:-1]) == []
        assert await indexed(api.world) == []
        assert await vectors(api.world) == 2
        active = await said.ask(asking("activeContext"), "activeContext", id=session)
        assert [item["itemId"] for item in active["items"]] == ["hotel"]
        assert active["session"]["capacity"]["itemsCount"] == 2
        past = await said.ask(asking("sessionHistory"), "sessionHistory", id=session)
        assert {item["itemId"]: item["redacted"] for item in past["nodes"]} == {
            "hotel": False,
            "secret": True,
        }

        await said.change("commitAtTurnEnd", turnId="monday", sessionId=session)
        await said.change("commitTurn", turnId="monday", sessionId=session, userInput="What is hidden?")
        await said.change("endSession", id=session)
        await said.look(session)
    assert await places(api.world) == []
    assert WORD not in str(logged).lower()
