"""Anything by its id, and evidence in the order it was given."""

from __future__ import annotations

import pytest

from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api

CREATE = """
mutation ($input: CreateGoalInput!) {
  createGoal(input: $input) { ... on CreateGoalPayload { goal { id observationId observationIds } } }
}
"""


async def test_a_turn_is_found_by_its_id(api: Api) -> None:
    caller = await api.world.caller()
    await api.world.services.scratch.service.add(
        caller, [ObservationDraft(content="noticed")], turn_id="monday"
    )
    client = api.client()
    turn = (await client.run('{ turn(id: "monday") { id key } }'))["turn"]

    query = "query ($id: ID!) { node(id: $id) { id ... on Turn { key } } }"
    assert (await client.run(query, id=turn["id"]))["node"] == turn
    assert (await api.client("stranger").run(query, id=turn["id"]))["node"] is None


@pytest.mark.covers("GOAL-27", "GOAL-38")
async def test_evidence_comes_back_in_the_order_it_was_given(api: Api) -> None:
    caller = await api.world.caller()
    drafts = [ObservationDraft(content=f"note {number}", confidence=0.9) for number in range(4)]
    stored = [o.uid for o in await api.world.services.scratch.service.add(caller, drafts)]
    given = [stored[2], stored[0], stored[3], stored[1]]

    evidence = [{"observationId": uid} for uid in given]
    goal = (await api.client().run(CREATE, input={"title": "In order", "evidence": evidence}))["createGoal"][
        "goal"
    ]

    assert goal["observationId"] == given[0]
    assert goal["observationIds"] == given
