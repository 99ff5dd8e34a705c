"""The start and the end of a turn over HTTP, and every query that takes a turn."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import get_named_type

from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api, Client
from tests.api.test_proposals import FULL, MAINTAINER, listed, review, submit

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

START = """mutation ($input: StartTurnInput!) { it: startTurn(input: $input) { __typename
    ... on StartTurnPayload { turn { key } goals { title } agentActions { title } userActions { title }
        questions { text stories { nodes { narrative } } } }
    ... on Problem { code field } } }"""
CREATE = """mutation { createGoal(input: {title: "Plan", pendingActions: [{title: "do", type: "agent_task"},
    {title: "sign", type: "user_task"}]}) { ... on CreateGoalPayload { goal { id } } } }"""
ASK = """mutation ($text: String!) { upsertQuestionStory(input: {question: {text: $text},
    story: {narrative: "Nobody knows"}}) { ... on UpsertQuestionStoryPayload { question { id } } } }"""


async def started(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(START, input=given))["it"]


async def test_a_turn_is_started_with_what_is_to_be_done(api: Api) -> None:
    client = api.client()
    await client.run(CREATE)
    for text in ("Who?", "When?"):
        api.world.clock.advance(seconds=1)
        await client.run(ASK, text=text)
    api.world.statements.clear()

    found = await started(client, turnId="turn-1")

    stories = {"nodes": [{"narrative": "Nobody knows"}]}
    assert found == {
        "__typename": "StartTurnPayload",
        "turn": {"key": "turn-1"},
        "goals": [{"title": "Plan"}],
        "agentActions": [{"title": "do"}],
        "userActions": [{"title": "sign"}],
        "questions": [{"text": "When?", "stories": stories}, {"text": "Who?", "stories": stories}],
    }
    # The stories came with the questions; nothing asks for them again.
    assert api.world.statements.counts["questions/list_stories_of_questions"] == 1


COMMIT = """mutation ($input: CommitAtTurnEndInput!) { it: commitAtTurnEnd(input: $input) { __typename
    ... on CommitAtTurnEndPayload { ok results { path key kind created before after
        observation { content source { turnId } } memory { content kind } goal { status progress }
        action { title status } question { text } story { narrative evidenceRefs }
        problem { code field } } }
    ... on Problem { code field } } }"""
NOTHING = dict.fromkeys(
    ("key", "before", "after", "observation", "memory", "goal", "action", "question", "story", "problem")
)


async def ended(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(COMMIT, input={"turnId": "turn-1", **given}))["it"]


async def test_a_turn_ends_with_each_delta_answered_where_it_stands(api: Api) -> None:
    client = api.client()
    goal = (await client.run(CREATE))["createGoal"]["goal"]["id"]

    found = await ended(
        client,
        observations=[{"content": "The kettle is on", "key": "seen"}],
        memories=[{"kind": "MANDATE", "content": "Never pour cold water"}],
        progress=[{"goalId": goal, "delta": 0.5}],
        newActions=[{"title": "next", "type": "agent_task"}, {"title": ""}],
        storyUpdates=[{"question": {"text": "How?"}, "story": {"narrative": "So", "evidenceRefs": ["log"]}}],
        completedGoals=[{"id": goal}],
    )

    assert (found["__typename"], found["ok"]) == ("CommitAtTurnEndPayload", False)
    done = {"status": "COMPLETED", "progress": 0.5}
    answers: dict[tuple[str, str, bool], dict[str, Any]] = {
        ("observations[0]", "OBSERVATION", True): {
            "key": "seen",
            "observation": {"content": "The kettle is on", "source": {"turnId": "turn-1"}},
        },
        ("memories[0]", "MEMORY", True): {"memory": {"content": "Never pour cold water", "kind": "MANDATE"}},
        ("progress[0]", "PROGRESS", False): {"before": 0, "after": 0.5, "goal": done},
        ("newActions[0]", "NEW_ACTION", True): {"action": {"title": "next", "status": "pending"}},
        ("newActions[1]", "NEW_ACTION", False): {
            "problem": {"code": "invalid", "field": "newActions[1].title"}
        },
        ("storyUpdates[0]", "STORY_UPDATE", True): {
            "question": {"text": "How?"},
            "story": {"narrative": "So", "evidenceRefs": ["log"]},
        },
        ("completedGoals[0]", "COMPLETED_GOAL", False): {"goal": done},
    }
    assert found["results"] == [
        {**NOTHING, "path": path, "kind": kind, "created": created, **more}
        for (path, kind, created), more in answers.items()
    ]


@pytest.mark.covers("REG-52", "REG-54", "REG-58")
async def test_types_are_proposed_while_planning_and_in_reflection_and_change_nothing(api: Api) -> None:
    bot, use = api.client(), [{"title": "t", "type": "survey"}]
    await started(bot, turnId="turn-1")
    planned = await submit(bot, **FULL, turnId="turn-1")
    before = await ended(bot, newActions=use)
    api.world.clock.advance(minutes=1)
    reflected = await submit(bot, **{**FULL, "typeId": "poll"}, turnId="turn-1")
    changed = await submit(
        bot, proposalType="MODIFY", typeId="agent_task", suggestedPolicies={"blocking": True}, rationale="r"
    )
    ended_type = await submit(bot, proposalType="DEPRECATE", typeId="agent_task", rationale="r")
    for proposal in (planned, reflected, changed, ended_type):
        assert (await review(api.client(**MAINTAINER), proposal["id"]))["status"] == "APPROVED"

    assert {each["id"] for each in await listed(bot, turnId="turn-1")} == {planned["id"], reflected["id"]}
    # Neither in the turn in which they came nor in the next one.
    for turn in ("turn-1", "turn-2"):
        news = [{**use[0], "title": turn}, {"title": f"task in {turn}", "type": "agent_task"}]
        await ended(bot, turnId=turn, newActions=news)
    rows = await api.world.rows(
        "MATCH (a:PendingAction {org_id: $org}) "
        "RETURN a.title AS title, a.type AS type, a.blocking AS blocking ORDER BY title"
    )
    assert [(row["title"], row["type"], row["blocking"]) for row in rows] == [
        ("t", "user_task", False),
        ("task in turn-1", "agent_task", False),
        ("task in turn-2", "agent_task", False),
        ("turn-1", "user_task", False),
        ("turn-2", "user_task", False),
    ]
    assert before["ok"]


IDS = """query ($id: String!) {
    turn(id: $id) { id key status endedAt }
    turnTrace(turnId: $id) { totalCount }
    turns(status: OPEN) { totalCount nodes { id key } }
    auditLog(filter: {turnId: $id}) { nodes { turn { id } turnId } }
    registryProposals(filter: {turnId: $id}) { totalCount }
    executionLog(filter: {turnId: $id}) { totalCount nodes { turn { id } } }
    outcomes(filter: {turnId: $id}) { totalCount nodes { turn { id } } }
    observations(filter: {turnId: $id}) { totalCount nodes { turn { id } } }
    contextReceipt(turnId: $id) { turn { id } } }"""


def test_each_query_that_takes_a_turn_is_tried_with_its_id() -> None:
    query = build_schema(Settings())._schema.query_type
    assert query
    taking = {
        name
        for name, field in query.fields.items()
        for place in [
            field.args,
            *(getattr(get_named_type(a.type), "fields", ()) for a in field.args.values()),
        ]
        if "turnId" in place
    }
    assert len(taking) > 4
    assert {name for name in taking if f" {name}(" not in IDS} == set()


async def test_a_turn_is_named_by_its_id_wherever_a_call_names_one(api: Api) -> None:
    client, other = api.client(), api.client("other")
    begin = """mutation ($t: String!) {
        it: startTurn(input: {turnId: $t}) { ... on StartTurnPayload { turn { id } } } }"""
    first = (await client.run(begin, t="t"))["it"]["turn"]["id"]
    # The token lasts an hour, so the turn is made older instead.
    await api.world.rows(
        "MATCH (t:Turn {org_id: $org}) SET t.created_at = t.created_at - duration({days: 1})"
    )
    second = (await client.run(begin, t="t"))["it"]["turn"]["id"]
    write = """mutation ($t: String!) {
        it: createGoal(input: {title: "g", turnId: $t}) {
          ... on CreateGoalPayload { goal { turn { id key } } } ... on Problem { code field } }
        seen: addObservation(input: {content: "o", confidence: 1, turnId: $t}) {
          ... on AddObservationPayload { observation { turn { id } } } ... on Problem { code field } }
        context: assembleContext(input: {prompt: "p", budget: 100, turnId: $t}) {
          ... on AssembleContextPayload { context { receipt { turn { id } } } }
          ... on Problem { code field } }
        call: trackToolInvocation(input: {tool: "search", result: {n: 1}, turnId: $t}) {
          ... on TrackToolInvocationPayload { invocation { turn { id } } } ... on Problem { code field } }
        came: recordOutcome(input: {outcome: {success: true}, turnId: $t}) {
          ... on RecordOutcomePayload { outcome { turn { id } } } ... on Problem { code field } } }"""
    for turn in (first, second):
        written = await client.run(write, t=turn)
        assert written["it"]["goal"]["turn"] == {"id": turn, "key": "t"}
        seen = await client.run(IDS, id=turn)
        assert seen["turn"] == {"id": turn, "key": "t", "status": "OPEN", "endedAt": None}
        assert {entry["turn"]["id"] for entry in seen["auditLog"]["nodes"]} == {turn}
        assert {entry["turnId"] for entry in seen["auditLog"]["nodes"]} == {"t"}
        assert seen["contextReceipt"] == {"turn": {"id": turn}}
        assert seen["observations"] == {"totalCount": 1, "nodes": [{"turn": {"id": turn}}]}
        assert seen["turnTrace"]["totalCount"] > 1
        for field in ("executionLog", "outcomes"):
            assert seen[field] == {"totalCount": 1, "nodes": [{"turn": {"id": turn}}]}
        assert [node["id"] for node in seen["turns"]["nodes"]] == [second, first]
    assert (await client.run(IDS, id="t"))["turn"]["id"] == second

    # The id of another's turn is that of none.
    unknown = "turn_01JBXM3Z8K0QF3W4T9V2C7H5RD"
    refused = {"code": "not_found", "field": "turnId"}
    await other.run("{ me { orgId } }")
    before = await api.world.counts()
    for turn in (first, unknown):
        names = ("it", "seen", "context", "call", "came")
        assert await other.run(write, t=turn) == dict.fromkeys(names, refused)
        seen = await other.run(IDS, id=turn)
        assert seen["observations"] == {"totalCount": 0, "nodes": []}
        assert seen["executionLog"] == seen["outcomes"] == {"totalCount": 0, "nodes": []}
        assert (seen["turn"], seen["contextReceipt"]) == (None, None)
        assert (seen["turnTrace"]["totalCount"], seen["auditLog"]["nodes"]) == (0, [])
    assert await api.world.counts() == before
