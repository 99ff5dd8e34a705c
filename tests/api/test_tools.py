"""Tools and outcomes over GraphQL: what a client sends and gets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

TRACK = """mutation ($input: TrackToolInvocationInput!) { it: trackToolInvocation(input: $input) { __typename
  ... on TrackToolInvocationPayload { created invocation {
    id tool status error parameters result resultPreview resultBytes executionTimeMs executionTimeReported
    clientKey goal { title } turn { key } createdBy { name } } }
  ... on Problem { code field message } } }"""
LOG = """query ($filter: ToolInvocationFilterInput) { executionLog(filter: $filter, first: 10) {
  totalCount nodes { id tool status result } } }"""
OUTCOME = """mutation ($input: RecordOutcomeInput!) { it: recordOutcome(input: $input) { __typename
  ... on RecordOutcomePayload { created outcome {
    id success result userSatisfaction conflicting feedback { whatWorked whatCouldImprove }
    episode { content } turn { key } } }
  ... on Problem { code field message } } }"""


@pytest.mark.covers("TOOL-01..06", "TOOL-14..18")
async def test_scenarios_3_and_6_as_a_client_sees_them(api: Api) -> None:
    bot = api.client()
    done = (
        await bot.run(
            TRACK,
            input={
                "turnId": "t",
                "tool": "weather_api",
                "parameters": {"location": "Paris"},
                "result": {"temperature": 15},
            },
        )
    )["it"]
    call = done["invocation"]
    assert done["created"] is True
    assert (call["tool"], call["status"], call["error"]) == ("weather_api", "SUCCESS", None)
    assert (call["parameters"], call["result"]) == ({"location": "Paris"}, {"temperature": 15})
    assert (call["executionTimeMs"], call["executionTimeReported"]) == (0, False)
    assert (call["turn"], call["createdBy"]) == ({"key": "t"}, {"name": "bot"})
    assert (call["resultPreview"], call["resultBytes"]) == ('{"temperature": 15}', 19)
    api.world.clock.advance(seconds=1)
    failed = (
        await bot.run(
            TRACK, input={"turnId": "t", "tool": "weather_api", "result": {"error": "Rate limit exceeded"}}
        )
    )["it"]["invocation"]
    assert (failed["status"], failed["error"]) == ("FAILED", "Rate limit exceeded")
    assert failed["result"] == {"error": "Rate limit exceeded"}

    log = (await bot.run(LOG))["executionLog"]
    assert (log["totalCount"], [node["id"] for node in log["nodes"]]) == (2, [failed["id"], call["id"]])
    only = (await bot.run(LOG, filter={"status": "FAILED", "tool": "weather_api", "turnId": "t"}))[
        "executionLog"
    ]
    assert (only["totalCount"], [node["result"] for node in only["nodes"]]) == (1, [failed["result"]])
    of_turn = await bot.run(
        """query ($id: ID!) {
             turn(id: "t") { invocations { totalCount nodes { id } } } node(id: $id) { id __typename } }""",
        id=call["id"],
    )
    assert of_turn == {
        "turn": {"invocations": {"totalCount": 2, "nodes": [{"id": call["id"]}, {"id": failed["id"]}]}},
        "node": {"id": call["id"], "__typename": "ToolInvocation"},
    }
    other = api.client("other")
    seen = await other.run("query ($id: ID!) { toolInvocation(id: $id) { id } }", id=call["id"])
    assert seen == {"toolInvocation": None}
    assert (await other.run(LOG))["executionLog"]["totalCount"] == 0


@pytest.mark.covers("TOOL-21")
@pytest.mark.parametrize("value", ["done", 3, [1, 2], None, True])
async def test_a_result_of_any_form_is_recorded(api: Api, value: Any) -> None:
    call = (await api.client().run(TRACK, input={"turnId": "t", "tool": "x", "result": value}))["it"][
        "invocation"
    ]
    assert call["status"] == "FAILED"
    assert call["error"].startswith("invalid response: ")
    assert call["result"] == {"error": call["error"]} | ({} if value is None else {"raw": value})


@pytest.mark.covers("OUT-01..06", "OUT-11", "OUT-13")
async def test_scenario_4_as_a_client_sees_it(api: Api) -> None:
    bot = api.client()
    done = (
        await bot.run(
            OUTCOME,
            input={
                "turnId": "t",
                "outcome": {
                    "success": True,
                    "result": "Weather provided",
                    "userSatisfaction": "high",
                    "feedback": {"whatWorked": "the tool"},
                },
                "feedback": {"whatWorked": "API reliable"},
                "clientKey": "c",
            },
        )
    )["it"]
    outcome = done["outcome"]
    assert (done["created"], outcome["success"], outcome["result"]) == (True, True, "Weather provided")
    assert outcome["feedback"] == {"whatWorked": "API reliable", "whatCouldImprove": None}
    assert (outcome["userSatisfaction"], outcome["conflicting"]) == ("high", False)
    assert outcome["episode"]["content"].startswith("Succeeded: Weather provided.")
    listed = await bot.run(
        """{ outcomes(filter: {success: true, turnId: "t"}) { totalCount nodes { id } }
             none: outcomes(filter: {success: false}) { totalCount }
             turn(id: "t") { outcomes { nodes { id } } } tools { nodes { name } } }"""
    )
    assert listed == {
        "outcomes": {"totalCount": 1, "nodes": [{"id": outcome["id"]}]},
        "none": {"totalCount": 0},
        "turn": {"outcomes": {"nodes": [{"id": outcome["id"]}]}},
        "tools": {"nodes": []},
    }
    other = api.client("other")
    seen = await other.run("query ($id: ID!) { outcome(id: $id) { id } }", id=outcome["id"])
    assert seen == {"outcome": None}


async def test_turns_name_their_neighbours(api: Api) -> None:
    bot = api.client()
    for name in ("one", "two", "three"):
        api.world.clock.advance(seconds=1)
        await bot.run(OUTCOME, input={"turnId": name, "outcome": {"success": True}})
    found = await bot.run("""{ turns { nodes { key previous { key } next { key } } } }""")
    assert found["turns"]["nodes"] == [
        {"key": "three", "previous": {"key": "two"}, "next": None},
        {"key": "two", "previous": {"key": "one"}, "next": {"key": "three"}},
        {"key": "one", "previous": None, "next": {"key": "two"}},
    ]
