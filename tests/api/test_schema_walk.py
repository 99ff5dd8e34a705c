"""The schema is a graph: every type is reached from `me` by fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from graphql import (
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    build_schema,
    get_named_type,
)

from prefrontal.api.graphql.schema import build_schema as served
from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api

EXCEPTIONS: Mapping[str, str] = {
    "Query": "the root",
    "Subscription": "the root of what comes by itself",
    "EventConsumer": "a reader of events, with its place: `eventConsumers`",
    "Event": "a change, from a place on: `events`",
    "AssembledContext": "made for a prompt: `previewContext` and `assembleContext`",
    "ContextSectionContent": "a part of a context",
    "ContextItem": "a part of a context",
    "Tool": "how often a tool was used: `tools`",
    "ToolConnection": "a page of tools",
    "ToolEdge": "a part of a page of tools",
    "BrowserLink": "a link into Neo4j Browser, made for a moment: `browserLink`",
    "GoalLineage": "a part of the graph, with a depth and a time: `goalLineage`",
    "LineageNode": "a part of a lineage",
    "GoalSuggestion": "where to link an observation: `suggestGoals`",
    "LineageEdge": "a part of a lineage",
    "Version": "read for one record at a time: `history`",
    "FieldChange": "a part of a version",
    "VersionConnection": "a page of versions",
    "VersionEdge": "a part of a page of versions",
    "RecordAsOf": "a record at a time of the caller's choice: `asOf`",
    "ActiveContext": "what a session holds now, with a filter: `activeContext`",
    "WorkingMemoryItem": "a part of an active context",
    "PastItem": "what a session held: `sessionHistory`",
    "PastItemConnection": "a page of what a session held",
    "PastItemEdge": "a part of such a page",
    "SessionPatterns": "how sessions used what they held, with a filter: `sessionPatterns`",
    "EvictionCount": "a part of these patterns",
    "AttendedMemory": "a part of these patterns",
    "AttendedEntity": "a part of these patterns",
    "ContextSwitches": "a part of these patterns",
    "AccessEntry": "who accessed a session: `accessLog`",
    "AccessEntryConnection": "a page of who accessed it",
    "AccessEntryEdge": "a part of such a page",
    "CognitiveEvent": "what is published about a session: `cognitiveEvents`",
    "CognitiveEventConnection": "a page of these events",
    "CognitiveEventEdge": "a part of such a page",
    "SessionCheckpoint": "what a session held at a time: `sessionCheckpoints`",
    "SessionCorrelation": "how a session is related to others: `sessionCorrelations`",
    "SharedThing": "a part of such a relation",
    "UnfinishedItem": "a part of such a relation",
    "CrossSessionLink": "a part of an active context",
    "ConversationSummary": "made from its messages and turns: `conversationSummary`",
    "ConversationTopic": "a part of such a summary",
    "ConversationDecision": "a part of such a summary",
    "PlanCheck": "made for a plan: `checkPlan`",
    "PlanViolation": "a part of the check of a plan",
    "SearchParts": "what a relevance is made of, for a question: `searchMemory`",
    "MemoryPassage": "the part of a memory that answers a question: `searchMemory`",
    "PastLink": "a part of a record as it was",
}
"""The types that no field leads to from `me`, and why."""


def following(schema: GraphQLSchema, kind: GraphQLNamedType) -> Iterator[GraphQLNamedType]:
    """The types that a client selects next: of the fields, and those that an abstract type stands for."""
    if isinstance(kind, GraphQLInterfaceType | GraphQLUnionType):
        yield from schema.get_possible_types(kind)
    if isinstance(kind, GraphQLInterfaceType | GraphQLObjectType):
        yield from (get_named_type(field.type) for field in kind.fields.values())


def reached(schema: GraphQLSchema, start: str) -> set[str]:
    """The names of the types that fields lead to from a type."""
    found: set[str] = set()
    waiting = [schema.type_map[start]]
    while waiting:
        kind = waiting.pop()
        if kind.name not in found:
            found.add(kind.name)
            waiting += following(schema, kind)
    return found


def unreached(schema: GraphQLSchema) -> set[str]:
    """The object types without a way from `Me`.

    Those that only answers of mutations have are left out, and the pages of lists that only `Query` has: what
    is on the pages has to be reached.
    """
    objects = {
        name
        for name, kind in schema.type_map.items()
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
    }
    assert schema.query_type is not None
    answered = reached(schema, "Mutation") - reached(schema, schema.query_type.name)
    ways = reached(schema, "Me")
    pages = {name for name in objects if item(schema, name) in ways}
    return objects - ways - answered - pages


def item(schema: GraphQLSchema, name: str) -> str | None:
    """The name of the type of what is on a page, or at the edge of a page; None for other types."""
    kind = schema.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    for mark, held in (("pageInfo", "nodes"), ("cursor", "node")):
        if mark in kind.fields:
            return get_named_type(kind.fields[held].type).name
    return None


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return served(Settings())._schema


def test_every_type_is_reached_from_me(schema: GraphQLSchema) -> None:
    assert sorted(unreached(schema) - set(EXCEPTIONS)) == []


def test_every_exception_is_needed(schema: GraphQLSchema) -> None:
    assert sorted(set(EXCEPTIONS) - unreached(schema)) == []


def test_a_type_without_a_way_is_found() -> None:
    small = build_schema(
        """
        interface Node { id: ID! }
        type Tea implements Node { id: ID! maker: Maker }
        type Maker { name: String }
        type Lost { name: String }
        type Me { favourite: Node }
        type MakePayload { made: Made }
        type Made { number: Int }
        type TeaConnection { nodes: [Tea] edges: [TeaEdge] pageInfo: Int }
        type TeaEdge { cursor: ID node: Tea }
        type LostEdge { cursor: ID node: Lost }
        type Query { me: Me lost: Lost teas: TeaConnection edge: LostEdge }
        type Mutation { make: MakePayload }
        """
    )
    assert unreached(small) == {"Query", "Lost", "LostEdge"}


WALK = """{ me { homeSpace { goals(first: 3) { nodes { title
    space { owner { key } } createdBy { key }
    evidence(first: 3) { edges { confidence node { content
        entities(first: 3) { nodes { name
            observations(first: 3) { nodes { goals(first: 3) { nodes { title } } } } } }
    } } } } } } } }"""
TURN = """query ($first: Int, $after: String) { turn(id: "monday") { key createdBy { key } space { name }
    saw(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor }
        edges { section rank reason node { __typename id ... on Goal { title } } } nodes { id } }
    receipts { totalCount nodes { turn { key } included { rank node { id } } excluded { reason } } }
    trace { totalCount nodes { kind } } } }"""


async def test_a_client_walks_from_itself_to_what_is_mentioned_and_back(api: Api) -> None:
    caller = await api.world.caller()
    (noticed,) = await api.world.services.scratch.service.add(
        caller, [ObservationDraft(content="Ann likes tea", entities=(EntityName(name="Ann"),))]
    )
    await api.world.services.goals.service.create(
        caller, CreateGoal(title="Buy tea", evidence=(EvidenceDraft(observation_id=noticed.uid),))
    )

    api.world.statements.clear()
    me = (await api.client().run(WALK))["me"]

    (goal,) = me["homeSpace"]["goals"]["nodes"]
    assert (goal["title"], goal["space"]["owner"], goal["createdBy"]) == (
        "Buy tea",
        {"key": "bot"},
        {"key": "bot"},
    )
    (edge,) = goal["evidence"]["edges"]
    assert (edge["confidence"], edge["node"]["content"]) == (0.5, "Ann likes tea")
    assert edge["node"]["entities"]["nodes"] == [
        {"name": "Ann", "observations": {"nodes": [{"goals": {"nodes": [{"title": "Buy tea"}]}}]}}
    ]
    # Each step costs one statement; actors and spaces that were read already cost none.
    assert max(api.world.statements.counts.values()) == 1


@pytest.mark.covers("SEC-11")
async def test_a_turn_leads_to_what_it_saw_its_receipts_and_its_trace(api: Api) -> None:
    caller = await api.world.caller()
    services = api.world.services
    (noticed,) = await services.scratch.service.add(
        caller, [ObservationDraft(content="Ann likes tea")], turn_id="monday"
    )
    goal = await services.goals.service.create(caller, CreateGoal(title="Buy tea", turn_id="monday"))
    for prompt in ("Which tea?", "And now?"):
        await services.context.assemble(caller, AssembleContext(prompt=prompt, budget=500, turn_id="monday"))
        api.world.clock.advance(minutes=1)
    client = api.client()

    api.world.statements.clear()
    turn = (await client.run(TURN))["turn"]
    assert max(api.world.statements.counts.values()) == 1
    assert (turn["key"], turn["createdBy"], turn["space"]) == ("monday", {"key": "bot"}, {"name": "bot"})
    # The newest context first: its prompt matches nothing.
    assert [(e["section"], e["rank"], e["reason"], e["node"]["id"]) for e in turn["saw"]["edges"]] == [
        ("FRONTAL_CORTEX", 1, "ACTIVE", goal.uid),
        ("SCRATCH_PAGE", 2, "RECENT", noticed.uid),
        ("FRONTAL_CORTEX", 1, "MATCHING", goal.uid),
        ("SCRATCH_PAGE", 2, "MATCHING", noticed.uid),
    ]
    assert turn["saw"]["edges"][0]["node"]["title"] == "Buy tea"
    assert [node["id"] for node in turn["saw"]["nodes"]] == [goal.uid, noticed.uid] * 2
    assert (turn["saw"]["totalCount"], turn["receipts"]["totalCount"]) == (4, 2)
    included = [{"rank": 1, "node": {"id": goal.uid}}, {"rank": 2, "node": {"id": noticed.uid}}]
    receipt = {"turn": {"key": "monday"}, "included": included, "excluded": []}
    assert turn["receipts"]["nodes"] == [receipt, receipt]
    kinds = ["OBSERVATIONS_ADDED", "GOAL_CREATED", "CONTEXT_ASSEMBLED", "CONTEXT_ASSEMBLED"]
    assert [entry["kind"] for entry in turn["trace"]["nodes"]] == kinds
    assert turn["trace"]["totalCount"] == 4

    first = (await client.run(TURN, first=3))["turn"]["saw"]
    assert (len(first["edges"]), first["pageInfo"]["hasNextPage"]) == (3, True)
    last = (await client.run(TURN, after=first["pageInfo"]["endCursor"]))["turn"]["saw"]
    assert [edge["node"]["id"] for edge in last["edges"]] == [noticed.uid]
    assert last["pageInfo"]["hasNextPage"] is False
    assert (await api.client("stranger").run(TURN))["turn"] is None


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_a_reader_of_a_turn_sees_of_its_lists_what_it_may_read_itself(api: Api) -> None:
    access = api.world.services.access
    bot = await api.world.caller("bot")
    await api.world.caller("other")
    team = await access.create_space(bot, CreateSpace(name="Team"))
    bot = await api.world.caller("bot")
    for space in (bot.home, team):
        await api.world.services.goals.service.create(bot, CreateGoal(title=f"In {space}", space=space))
    command = AssembleContext(prompt="What now?", budget=500, turn_id="monday")
    await api.world.services.context.assemble(bot, command)
    other = Actor(kind=ActorKind.AGENT, key="other")
    await api.world.grant(bot, GrantAccess(space=bot.home, actor=other, permission=SpacePermission.READ))

    own = (await api.client("bot").run(TURN))["turn"]
    theirs = (await api.client("other").run(TURN))["turn"]

    assert (own["saw"]["totalCount"], theirs["saw"]["totalCount"]) == (2, 1)
    (seen,) = theirs["saw"]["edges"]
    assert seen["node"]["title"] == f"In {bot.home}"
    (receipt,) = theirs["receipts"]["nodes"]
    assert [item["node"] for item in receipt["included"]] == [{"id": seen["node"]["id"]}]
    assert theirs["createdBy"] == {"key": "bot"}
