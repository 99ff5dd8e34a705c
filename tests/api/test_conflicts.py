"""Contradicting observations through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

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


async def add(api: Api, *observations: dict[str, Any]) -> list[str]:
    added = await api.client().run(ADD, input={"observations": list(observations)})
    return [o["id"] for o in added["addObservations"]["observations"]]


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
