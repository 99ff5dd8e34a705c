"""The commit of a turn in six phases, as a client sees it (source 004)."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from unittest.mock import ANY

from tests.api.conftest import Api, Client
from tests.api.test_tools import TRACK

COMMIT = """mutation ($input: CommitTurnInput!) { it: commitTurn(input: $input) { __typename
  ... on CommitTurnPayload { ok commitStatus
    turn { id key status completedAt finalAt commitStatus summary endedAt }
    results { kind path key repeated problem { code field } action { title goal { id } }
      observation { id status } goal { title status progress } }
    outcome { success result lessons { nodes { statement } } }
    evaluation { success needsFollowUp followUp issues { code tool recovered } }
    patterns { kind tool turns }
    selection { type origin retention rule importance { value relevanceToGoals novelty }
      memory { content importance retention retainedUntil tags } }
    stores { store status attempts code } phases { phase milliseconds }
    export { id digest text } }
  ... on Problem { code field message } } }"""
GOAL = """mutation { createGoal(input: {title: "Plan the trip to Paris"}) {
  ... on CreateGoalPayload { goal { id } } } }"""


async def committed(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(COMMIT, input={"turnId": "t", **given}))["it"]


async def goal_of(client: Client) -> str:
    return (await client.run(GOAL))["createGoal"]["goal"]["id"]


async def test_a_turn_is_committed_whole(api: Api) -> None:
    bot = api.client()
    goal = await goal_of(bot)
    await bot.run('mutation { startTurn(input: {turnId: "t"}) { __typename } }')
    api.world.clock.advance(seconds=1)
    tracked = await bot.run(
        TRACK,
        input={
            "turnId": "t",
            "tool": "weather_api",
            "parameters": {"location": "Paris"},
            "result": {"temperature": 15},
            "goalId": goal,
        },
    )
    call = tracked["it"]["invocation"]["id"]
    api.world.clock.advance(seconds=1)
    done = await committed(
        bot,
        userInput="What is the weather in Paris?",
        assistantResponse="It is 15 degrees.",
        outcome={"success": True, "result": "told the weather"},
        progress=[{"goalId": goal, "delta": 0.25}],
        toolInvocations=[{"tool": "calendar", "result": {"free": True}}],
        events=[{"content": "The user chose Paris", "importance": 0.9}],
    )
    assert done["__typename"] == "CommitTurnPayload", done
    assert (done["ok"], done["commitStatus"]) == (True, "OK")
    assert [(each["type"], each["origin"], each["rule"]) for each in done["selection"]] == [
        ("TOOL_EXECUTION", call, None),
        ("TOOL_EXECUTION", ANY, "IMPORTANCE"),
        ("EVENT", "events[0]", None),
    ]
    assert (
        done["selection"][0]["memory"]["content"]
        == 'weather_api(location: Paris) returned {"temperature": 15}'
    )
    assert {each["status"] for each in done["stores"]} == {"COMMITTED"}
    assert done["phases"][0]["phase"] == "COMPLETION"
    export = done["export"]
    assert hashlib.sha256(export["text"].encode()).hexdigest() == export["digest"]
    (lesson, _) = done["outcome"]["lessons"]["nodes"]
    assert lesson == {"statement": "weather_api is reliable for location queries"}
    read = "query ($id: ID!) { it: stateExport(id: $id) { digest body turn { key } } }"
    found = (await bot.run(read, id=export["id"]))["it"]
    assert (found["digest"], found["turn"]) == (export["digest"], {"key": "t"})
    assert found["body"] == json.loads(export["text"])
    assert (await api.client("other").run(read, id=export["id"]))["it"] is None
    of_turn = await bot.run('{ turn(id: "t") { exports { totalCount nodes { id } } status commitStatus } }')
    assert of_turn["turn"] == {
        "exports": {"totalCount": 1, "nodes": [{"id": export["id"]}]},
        "status": "COMPLETE",
        "commitStatus": "OK",
    }
    api.world.clock.advance(days=30, seconds=1)
    assert (await api.client().run(read, id=export["id"]))["it"] is None


async def test_a_wrong_commit_is_a_problem_and_nothing_is_written(api: Api) -> None:
    bot = api.client()
    await bot.run("{ me { actor { id } } }")
    before = await api.world.counts()
    for given, code, field in (
        ({"budgetUsed": -1}, "invalid", "budgetUsed"),
        ({"feedback": {"whatWorked": "w"}}, "invalid", "outcome"),
        ({"events": [{"content": ""}]}, "invalid", "events[0].content"),
        ({"events": [{"content": "e", "importance": 1.5}]}, "invalid", "events[0].importance"),
        ({"toolInvocations": [{"tool": "x", "goalId": "goal_x"}]}, "not_found", "toolInvocations[0].goalId"),
        ({"sessionId": "nowhere"}, "not_found", "sessionId"),
        ({"space": "spc_x"}, "not_found", "space"),
    ):
        done = await committed(bot, **given)
        assert (done.get("code"), done.get("field")) == (code, field), done
    assert await api.world.counts() == before
