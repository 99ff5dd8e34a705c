"""Contradicting observations through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, LinkObservation
from tests.api.conftest import Api

ADD = """
mutation ($input: AddObservationsInput!) {
  addObservations(input: $input) {
    ... on AddObservationsPayload { observations { id } }
    ... on Problem { code message field }
  }
}
"""
CONFLICT = "observations { id } how kind open"
CONFLICTS = f"conflicts {{ nodes {{ {CONFLICT} }} }}"
PAGE = f"{{ observations {{ nodes {{ id {CONFLICTS} }} conflicts {{ {CONFLICT} }} }} }}"


async def add(api: Api, *observations: dict[str, Any], agent: str = "bot") -> Any:
    result = await api.client(agent).run(ADD, input={"observations": list(observations)})
    added = result["addObservations"]
    return [o["id"] for o in added["observations"]] if "observations" in added else added


@pytest.mark.covers("OBS-69")
async def test_all_sides_of_a_contradiction_are_returned_with_it(api: Api) -> None:
    fifty, sixty, tea = await add(
        api,
        {"content": "The budget is $50"},
        {"content": "The budget is 60 EUR"},
        {"content": "Tea is ready"},
    )
    (seventy,) = await add(api, {"content": "The budget is 70 EUR", "contradicts": [tea]})
    page = await api.client().run(PAGE)
    found = page["observations"]
    assert [node["id"] for node in found["nodes"]] == [seventy, tea, sixty, fifty]

    def conflict(*ids: str, kind: str | None) -> dict[str, Any]:
        how = "DETECTED" if kind else "DECLARED"
        return {"observations": [{"id": uid} for uid in ids], "how": how, "kind": kind, "open": True}

    euros = conflict(seventy, sixty, kind="NUMBER")
    declared = conflict(seventy, tea, kind=None)
    assert len(found["conflicts"]) == 2
    assert all(item in found["conflicts"] for item in (euros, declared))
    assert [node["conflicts"]["nodes"] for node in found["nodes"][1:]] == [[declared], [euros], []]


async def test_conflicts_cost_one_statement_for_a_page_and_none_unless_asked_for(api: Api) -> None:
    await add(api, {"content": "The budget is $50"}, {"content": "The budget is $60"})
    api.world.statements.clear()
    await api.client().run("{ observations { nodes { id } } }")
    assert api.world.statements.counts["scratch/list_conflicts"] == 0
    await api.client().run(PAGE)
    assert api.world.statements.counts["scratch/list_conflicts"] == 1


async def test_what_may_not_be_read_cannot_be_contradicted(api: Api) -> None:
    (foreign,) = await add(api, {"content": "Tea"}, agent="stranger")
    await add(api, {"content": "Tea"})
    before = await api.world.counts()
    for uid in (foreign, "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"):
        problem = await add(api, {"content": "x"}, {"content": "No tea", "contradicts": [uid]})
        assert problem == {
            "code": "not_found",
            "message": "no such observation",
            "field": "observations[1].contradicts[0]",
        }
    assert await api.world.counts() == before


@pytest.mark.parametrize(
    ("name", "given"),
    [("resolveObservation", {}), ("archiveObservation", {}), ("updateObservation", {"content": "It rains"})],
)
async def test_who_settles_a_conflict_moves_the_goal_that_waits_for_it(
    api: Api, name: str, given: dict[str, Any]
) -> None:
    caller = await api.world.caller()
    fifty, sixty = await add(api, {"content": "The budget is $50"}, {"content": "The budget is $60"})
    goal = await api.world.services.goals.service.create(caller, CreateGoal(title="Plan the trip"))
    for uid in (fifty, sixty):
        draft = EvidenceDraft(observation_id=uid)
        await api.world.services.goals.evidence.link(caller, LinkObservation(goal_id=goal.uid, **dict(draft)))
    kind = name[0].upper() + name[1:]
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) "
        f"{{ ... on {kind}Payload {{ observation {{ {CONFLICTS} }} }} }} }}"
    )
    done = await api.client().run(query, input={"id": fifty, "turnId": "turn_2", **given})
    closed = [
        {"observations": [{"id": sixty}, {"id": fifty}], "how": "DETECTED", "kind": "NUMBER", "open": False}
    ]
    assert done[name]["observation"]["conflicts"]["nodes"] == ([] if given else closed)
    moved = await api.client().run("query ($id: ID!) { goal(id: $id) { progress } }", id=goal.uid)
    assert moved["goal"]["progress"] == 0.1
    trace = await api.world.services.turns.trace.trace(caller, "turn_2")
    assert [entry.kind.value for entry in trace.items] == [
        "observation_changed",
        "conflict_settled",
        "progress_updated",
    ]
