"""`suggestGoals` and `updateEvidence` as a client sees them."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

SUGGEST = """query ($id: ID!, $limit: Int! = 5) { suggestGoals(observationId: $id, limit: $limit) {
  goal { title } likelihood closeness sharedTopics sharedEntities named } }"""
CREATED = """mutation ($title: String!, $content: String!) {
  g: createGoal(input: {title: $title}) { ... on CreateGoalPayload { goal { id } } }
  o: addObservation(input: {content: $content, confidence: 0.8, evaluate: false}) {
    ... on AddObservationPayload { observation { id } } } }"""
LINK = """mutation ($o: ID!, $g: ID!) { linkObservation(input: {observationId: $o, goalId: $g}) { ok } }"""
UPDATE = """mutation ($input: UpdateEvidenceInput!) { it: updateEvidence(input: $input) { ok
  problem { code field } ... on UpdateEvidencePayload { result { before after goal {
    evidence { edges { confidence note } } } } } } }"""


async def test_a_suggested_goal_is_linked_and_its_link_is_changed(api: Api) -> None:
    bot = api.client()
    made = await bot.run(CREATED, title="Clean the kettle", content="The kettle is not clean")
    o, g = made["o"]["observation"]["id"], made["g"]["goal"]["id"]

    (found,) = (await bot.run(SUGGEST, id=o))["suggestGoals"]
    assert found["closeness"] > 0
    assert (found["goal"]["title"], found["sharedTopics"]) == ("Clean the kettle", ["clean", "kettle"])
    assert (found["sharedEntities"], found["named"]) == ([], False)
    assert (await bot.run(SUGGEST, id=o))["suggestGoals"] == [found]

    await bot.run(LINK, o=o, g=g)
    assert (await bot.run(SUGGEST, id=o))["suggestGoals"] == []
    changed = (await bot.run(UPDATE, input={"observationId": o, "goalId": g, "confidence": 0.5}))["it"]
    assert (changed["ok"], changed["result"]["before"], changed["result"]["after"]) == (True, 0.08, 0.05)
    assert changed["result"]["goal"]["evidence"]["edges"] == [{"confidence": 0.5, "note": None}]
    given = {"observationId": o, "goalId": g, "note": "seen twice"}
    noted = (await bot.run(UPDATE, input=given))["it"]
    assert noted["result"]["goal"]["evidence"]["edges"] == [{"confidence": 0.5, "note": "seen twice"}]
