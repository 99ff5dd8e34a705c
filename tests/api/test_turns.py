"""The start and the end of a turn over HTTP: what they cost, what is refused, what a stranger sees."""

from __future__ import annotations

import json
from typing import Any

import pytest
from graphql import get_named_type

from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api, Client
from tests.api.test_action_types import change, own
from tests.api.test_proposals import FULL, MAINTAINER, listed, review, submit

__all__ = ["own"]

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


async def test_a_stranger_starts_a_turn_of_the_same_name_with_nothing(api: Api) -> None:
    await api.client().run(CREATE)
    await started(api.client(), turnId="turn-1")

    found = await started(api.client("stranger"), turnId="turn-1")

    assert found == {
        "__typename": "StartTurnPayload",
        "turn": {"key": "turn-1"},
        "goals": [],
        "agentActions": [],
        "userActions": [],
        "questions": [],
    }


async def test_a_wrong_start_is_a_problem(api: Api) -> None:
    client = api.client()

    assert await started(client, turnId="t", most={"goals": 101}) == {
        "__typename": "Problem",
        "code": "invalid",
        "field": "most.goals",
    }
    assert await started(api.client(roles=("reader",)), turnId="t") == {
        "__typename": "Problem",
        "code": "forbidden",
        "field": None,
    }


COMMIT = """mutation ($input: CommitAtTurnEndInput!) { it: commitAtTurnEnd(input: $input) { __typename
    ... on CommitAtTurnEndPayload { ok results { kind path repeated created before after goal { progress }
        action { title status } question { text } story { narrative evidenceRefs }
        problem { code field problems { code field } } } }
    ... on Problem { code field } } }"""
NOTHING = {"goal": None, "before": None, "after": None, "action": None, "question": None, "story": None}


async def ended(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(COMMIT, input={"turnId": "turn-1", **given}))["it"]


@pytest.mark.covers("GOAL-51", "QST-23..24")
async def test_a_reflection_moves_a_goal_and_tells_a_story_with_its_evidence(api: Api) -> None:
    client = api.client()
    goal = (await client.run(CREATE))["createGoal"]["goal"]["id"]
    reflection = {
        "note": "It went well",
        "evidenceRefs": ["log 1"],
        "progress": {"goalId": goal, "delta": 0.5, "references": ["log 2"]},
        "storyUpdate": {"question": {"clientKey": "q", "text": "How?"}, "story": {"narrative": "So"}},
    }

    found = await ended(client, reflections=[reflection])

    same = {"repeated": False, "problem": None}
    assert found["results"] == [
        {
            **NOTHING,
            **same,
            "kind": "PROGRESS",
            "path": "reflections[0].progress",
            "created": False,
            "before": 0,
            "after": 0.5,
            "goal": {"progress": 0.5},
        },
        {
            **NOTHING,
            **same,
            "kind": "STORY_UPDATE",
            "path": "reflections[0].storyUpdate",
            "created": True,
            "question": {"text": "How?"},
            "story": {"narrative": "So", "evidenceRefs": ["log 1"]},
        },
    ]
    (version,) = await api.world.rows(
        "MATCH (v:Version {org_id: $org, of_uid: $goal, number: 2}) RETURN v.changes AS changes", goal=goal
    )
    changes = json.loads(version["changes"])
    assert (changes["note"], changes["references"]) == ("It went well", ["log 2", "log 1"])


async def test_a_turn_takes_its_notes_memories_statuses_and_completed_goals(api: Api) -> None:
    client = api.client()
    goal = (await client.run(CREATE))["createGoal"]["goal"]["id"]
    commit = """mutation ($input: CommitAtTurnEndInput!) { commitAtTurnEnd(input: $input) {
        ... on CommitAtTurnEndPayload { ok results { path key kind created
            observation { content source { turnId } } memory { content kind } goal { status }
            problem { code field } } }
        ... on Problem { code field } } }"""
    given = {
        "turnId": "turn-1",
        "observations": [{"content": "The kettle is on", "key": "seen"}],
        "memories": [{"kind": "MANDATE", "content": "Never pour cold water"}],
        "goalStatuses": [{"id": goal, "status": "BLOCKED", "reason": "no water"}],
        "reflections": [{"note": "Water first"}],
        "completedGoals": [{"id": goal}],
    }

    found = (await client.run(commit, input=given))["commitAtTurnEnd"]
    empty = await client.run(commit, input={"turnId": "turn-1", "reflections": [{"evidenceRefs": ["x"]}]})

    nothing = {
        "key": None,
        "created": False,
        "observation": None,
        "memory": None,
        "goal": None,
        "problem": None,
    }
    told = {"turnId": "turn-1"}
    assert found == {
        "ok": True,
        "results": [
            {
                **nothing,
                "path": "observations[0]",
                "key": "seen",
                "kind": "OBSERVATION",
                "created": True,
                "observation": {"content": "The kettle is on", "source": told},
            },
            {
                **nothing,
                "path": "memories[0]",
                "kind": "MEMORY",
                "created": True,
                "memory": {"content": "Never pour cold water", "kind": "MANDATE"},
            },
            {**nothing, "path": "goalStatuses[0]", "kind": "GOAL_STATUS", "goal": {"status": "COMPLETED"}},
            {
                **nothing,
                "path": "reflections[0]",
                "kind": "OBSERVATION",
                "created": True,
                "observation": {"content": "Water first", "source": told},
            },
            {
                **nothing,
                "path": "completedGoals[0]",
                "kind": "COMPLETED_GOAL",
                "goal": {"status": "COMPLETED"},
            },
        ],
    }
    assert empty["commitAtTurnEnd"] == {"code": "invalid", "field": "reflections[0]"}


@pytest.mark.covers("ACT-23..24", "ACT-37")
async def test_each_delta_is_answered_where_it_stands(api: Api) -> None:
    client = api.client()
    await client.run(CREATE)
    nodes = "{ pendingActions { nodes { id title } } }"
    known = {n["title"]: n["id"] for n in (await client.run(nodes))["pendingActions"]["nodes"]}

    found = await ended(
        client,
        newActions=[{"title": "next", "type": "agent_task"}, {"title": "", "effort": 1}],
        updatedActions=[{"id": known["do"], "title": "do it"}],
        completedActions=[{"id": known["sign"]}, {"id": known["do"], "result": {"done": True}}],
    )

    assert found["ok"] is False
    told = [(r["path"], r["action"], r["problem"] and r["problem"]["code"]) for r in found["results"]]
    assert told == [
        ("newActions[0]", {"title": "next", "status": "pending"}, None),
        ("newActions[1]", None, "invalid"),
        ("updatedActions[0]", {"title": "do it", "status": "completed"}, None),
        ("completedActions[0]", None, "owner_violation"),
        ("completedActions[1]", {"title": "do it", "status": "completed"}, None),
    ]
    assert found["results"][1]["problem"]["problems"] == [{"code": "invalid", "field": "newActions[1].title"}]


async def test_what_cannot_be_read_at_all_is_a_problem_of_the_call(api: Api) -> None:
    client = api.client()
    nowhere = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"
    wrong = [
        ({"progress": [{"goalId": nowhere, "delta": 2}]}, "progress[0].delta"),
        ({"completedActions": [{"id": "act_1", "result": [1]}]}, "completedActions[0].result"),
        ({"newActions": [{"title": "x", "effort": -1}]}, "newActions[0].effort"),
        ({"turnId": " "}, "turnId"),
    ]
    await client.run("{ me { organisation } }")
    before = await api.world.counts()

    assert [await ended(client, **given) for given, _ in wrong] == [
        {"__typename": "Problem", "code": "invalid", "field": field} for _, field in wrong
    ]
    assert await api.world.counts() == before


@pytest.mark.covers("REG-28")
async def test_a_type_that_one_file_added_goes_through_turns_like_the_shipped_ones(own: Api) -> None:
    change(own, "survey", "id: research", "id: research\ndefault_policies: {requires_confirmation: true}")
    path = own.world.services.settings.registry_dir / "action_types" / "survey.yaml"
    path.write_text(path.read_text().replace("id: research", "id: survey"))
    assert own.world.services.registry.watch.look()
    own.world.clock.advance(minutes=1)
    client = own.client()
    actions = [
        {"clientKey": "task", "title": "task", "type": "agent_task"},
        {"clientKey": "ask", "title": "ask", "type": "survey", "priority": "high"},
        {"clientKey": "last", "title": "last", "type": "survey", "priority": "low"},
    ]

    made = await ended(client, newActions=actions)
    assert [result["action"]["status"] for result in made["results"]] == ["pending"] * 3
    begun = await started(client, turnId="turn-2")
    assert [action["title"] for action in begun["agentActions"]] == ["ask", "task", "last"]

    # It asks for a confirmation, as its file says.
    found = await ended(
        client,
        turnId="turn-2",
        updatedActions=[{"clientKey": "last", "title": "at last", "priority": "critical"}],
        completedActions=[{"clientKey": "ask", "result": {"yes": 3}}, {"clientKey": "task"}],
    )
    assert [result["problem"] and result["problem"]["code"] for result in found["results"]] == [
        None,
        "confirmation_required",
        None,
    ]
    begun = await started(client, turnId="turn-3")
    assert [action["title"] for action in begun["agentActions"]] == ["at last", "ask"]
    await own.world.rows(
        "MATCH (a:PendingAction {client_key: 'ask', org_id: $org}) SET a.confirmed_at = a.created_at"
    )
    done = await ended(client, turnId="turn-3", completedActions=[{"clientKey": "ask", "result": {"yes": 3}}])
    assert done["results"][0]["action"] == {"title": "ask", "status": "completed"}
    begun = await started(client, turnId="turn-4")
    assert [action["title"] for action in begun["agentActions"]] == ["at last"]


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
