"""The commit of a turn in six phases, as a client sees it (source 004)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.test_tools import OUTCOME, TRACK

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
NOTE = """mutation ($input: AddObservationInput!) { it: addObservation(input: $input) {
  ... on AddObservationPayload { observation { id } } } }"""


async def committed(client: Client, **given: Any) -> dict[str, Any]:
    return (await client.run(COMMIT, input={"turnId": "t", **given}))["it"]


async def goal_of(client: Client) -> str:
    return (await client.run(GOAL))["createGoal"]["goal"]["id"]


async def noted(client: Client, **given: Any) -> str:
    return (await client.run(NOTE, input=given))["it"]["observation"]["id"]


async def test_a_turn_is_committed_whole(api: Api) -> None:
    bot = api.client()
    goal = await goal_of(bot)
    await bot.run('mutation { startTurn(input: {turnId: "t"}) { __typename } }')
    api.world.clock.advance(seconds=1)
    call = (
        await bot.run(
            TRACK,
            input={
                "turnId": "t",
                "tool": "weather_api",
                "parameters": {"location": "Paris"},
                "result": {"temperature": 15},
                "goalId": goal,
            },
        )
    )["it"]["invocation"]["id"]
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
    print(json.dumps(done, indent=1))
