"""What a list of a hundred costs: an exact number of statements, the same for one item and for many."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

OBSERVATIONS = """query { observations(first: 100) { %s nodes {
    id goals { nodes { id } } linkedToGoal } } }"""
GOALS = """query { goals(first: 100) { %s nodes {
    id evidence(first: 2) { nodes { content } } actions { nodes { id } } lineage(first: 15) { nodes { id } }
    parent { id } children { nodes { id } } derivedFrom { nodes { id } } blockedBy { nodes { id } }
    questions { nodes { id } } summaries { nodes { id } } createdBy { key } space { kind }
    agent { id } } } }"""
ADD = """mutation ($input: AddObservationsInput!) { addObservations(input: $input) {
    ... on AddObservationsPayload { observations { id } } } }"""
CREATE = """mutation ($input: CreateGoalInput!) { createGoal(input: $input) {
    ... on CreateGoalPayload { goal { id } } ... on Problem { code message field } } }"""


async def add(client: Client, number: int) -> list[str]:
    added = await client.run(ADD, input={"observations": [{"content": f"o{n}"} for n in range(number)]})
    return [o["id"] for o in added["addObservations"]["observations"]]


async def create(client: Client, observation: str, parent: str | None) -> str:
    given = {
        "title": "t",
        "evidence": [{"observationId": observation}],
        "pendingActions": [{"type": "research", "title": "a"}],
        "parentGoalId": parent,
    }
    return (await client.run(CREATE, input=given))["createGoal"]["goal"]["id"]


@pytest.mark.parametrize("number", [1, 100])
async def test_a_page_of_observations_with_their_goals_costs_four_statements(api: Api, number: int) -> None:
    client = api.client()
    observations = await add(client, number)
    linked = {observations[0]: [await create(client, observations[0], None)]}
    if number > 1:
        linked[observations[-1]] = [await create(client, observations[-1], None)]
    api.world.statements.clear()
    nodes = (await client.run(OBSERVATIONS % ""))["observations"]["nodes"]
    assert {
        node["id"]: [goal["id"] for goal in node["goals"]["nodes"]] for node in nodes if node["linkedToGoal"]
    } == linked
    assert sum(len(node["goals"]["nodes"]) for node in nodes) == len(linked)
    assert [node["id"] for node in nodes] == observations[::-1]
    expected = {
        "access/find_caller": 1,
        "scratch/list_observations_by_time": 1,
        "scratch/list_linked_goals": 1,
        "goals/list_goals_by_evidence": 1,
    }
    assert api.world.statements.counts == expected
    api.world.statements.clear()
    counted = await client.run(OBSERVATIONS % "totalCount")
    assert counted["observations"]["totalCount"] == number
    assert api.world.statements.counts == {**expected, "scratch/count_observations_by_time": 1}


@pytest.mark.parametrize("number", [1, 12])
async def test_a_page_of_goals_with_all_that_hangs_on_them_costs_one_statement_for_each_field(
    api: Api, number: int
) -> None:
    client = api.client()
    observations = await add(client, number)
    parents: dict[str, str | None] = {}
    last = None
    for observation in observations:
        goal = await create(client, observation, last)
        parents[goal] = last
        last = goal
    api.world.statements.clear()
    nodes = (await client.run(GOALS % ""))["goals"]["nodes"]
    assert {node["id"]: node["parent"] and node["parent"]["id"] for node in nodes} == parents
    below = {node["id"]: [child["id"] for child in node["children"]["nodes"]] for node in nodes}
    assert below == {uid: [child for child in parents if parents[child] == uid] for uid in parents}
    contents = [each["content"] for node in nodes for each in node["evidence"]["nodes"]]
    assert sorted(contents) == sorted(f"o{n}" for n in range(number))
    assert all(len(node["actions"]["nodes"]) == 1 for node in nodes)
    assert max(len(node["lineage"]["nodes"]) for node in nodes) == number - 1
    assert {node["createdBy"]["key"] for node in nodes} == {"bot"}
    assert {node["space"]["kind"] for node in nodes} == {"private"}
    expected = {
        "access/find_caller": 1,
        "goals/list_goals": 1,
        "goals/list_evidence": 1,
        "goals/list_origins": 1,
        "goals/find_parents": 1,
        "goals/list_children": 1,
        "goals/list_predecessors": 1,
        "actions/list_actions_of_goals": 1,
        "actions/list_blockers_of_goals": 1,
        "questions/list_questions_of_goals": 1,
        "summaries/list_summaries_of_goals": 1,
        "access/find_actors": 1,
        "access/find_spaces": 1,
    }
    assert api.world.statements.counts == expected
    api.world.statements.clear()
    counted = await client.run(GOALS % "totalCount")
    assert counted["goals"]["totalCount"] == number
    assert api.world.statements.counts == {**expected, "goals/count_goals": 1}


async def test_ids_asked_for_twice_and_beside_each_other_are_looked_up_once(api: Api) -> None:
    client = api.client()
    first, second = await add(client, 2)
    api.world.statements.clear()
    found = await client.run(
        "query ($a: ID!, $b: ID!) { a: observation(id: $a) { id } b: observation(id: $b) { id } "
        'c: node(id: $a) { id } d: observation(id: "made up") { id } }',
        a=first,
        b=second,
    )
    assert found == {"a": {"id": first}, "b": {"id": second}, "c": {"id": first}, "d": None}
    assert api.world.statements.counts == {"access/find_caller": 1, "scratch/find_observations": 1}


async def test_what_asks_nothing_of_the_graph_costs_nothing(api: Api) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    api.world.statements.clear()
    await client.run("{ __typename }")
    assert api.world.statements.names == []
    await client.run("{ me { orgId roles } again: me { permissions } }")
    assert api.world.statements.counts == {"access/find_caller": 1}


async def test_who_asks_and_what_is_asked_share_one_transaction(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api.client()
    await client.run("{ me { orgId } }")
    driver = api.world.services.database.driver
    real, opened = driver.session, []

    def session(**config: Any) -> Any:
        opened.append(config["default_access_mode"])
        return real(**config)

    monkeypatch.setattr(driver, "session", session)
    api.world.statements.clear()
    await client.run("{ observations { nodes { id } } goals { nodes { id } } }")
    assert opened == ["READ"]
    assert api.world.statements.names[0] == "access/find_caller"
    assert len(api.world.statements.names) == 3
