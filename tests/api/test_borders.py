"""What is foreign answers exactly as what never existed: the same bytes, and nothing is written."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.caller import Principal
from prefrontal.graph.ids import Kind, new_id
from tests.api.conftest import Api, Client

MAKE_OBSERVATION = """mutation { addObservation(input: {content: "private", turnId: "their-turn"}) {
    ... on AddObservationPayload { observation { id } } } }"""
MAKE_GOAL = """mutation ($evidence: [EvidenceInput!]!) { createGoal(input: {
    title: "private", evidence: $evidence, turnId: "their-turn",
    pendingActions: [{type: "research", title: "private"}]}) {
    ... on CreateGoalPayload { goal { id actions { nodes { id } } } } } }"""
MAKE_MANDATE = """mutation { remember(input: {memories: [{kind: MANDATE, content: "private"}]}) {
    ... on RememberPayload { memories { id } } } }"""
MAKE_SPACE = """mutation { createSpace(input: {name: "private"}) {
    ... on CreateSpacePayload { space { id } } } }"""
MAKE_CONTEXT = """mutation { assembleContext(input: {prompt: "p", budget: 100, turnId: "their-turn"}) {
    ... on AssembleContextPayload { context { receipt { id } } } } }"""

PROBLEM = "{ __typename ... on Problem { code message field problems { code message field } } }"
QUERIES = {
    "observation": "query ($id: ID!) { it: observation(id: $id) { id } }",
    "observations by goal": "query ($id: ID!) { it: observations(filter: {goalId: $id}) "
    "{ totalCount nodes { id } } }",
    "search in a space": 'query ($id: ID!) { it: searchMemory(text: "private", '
    "filter: {space: $id, minRelevance: 0}) { nodes { id } } }",
    "search for goals in a space": 'query ($id: ID!) { it: searchMemory(text: "private", '
    "filter: {space: $id, minRelevance: 0, kinds: [GOAL, QUESTION, STORY]}) { nodes { id } } }",
    "goal": "query ($id: ID!) { it: goal(id: $id) { id title } }",
    "lineage": "query ($id: ID!) { it: goalLineage(id: $id) { goal { id } } }",
    "node": "query ($id: ID!) { it: node(id: $id) { id } }",
}
TURN_QUERIES = {
    "turn": "query ($id: String!) { it: turn(id: $id) { id } }",
    "trace": "query ($id: String!) { it: turnTrace(turnId: $id) { nodes { id } } }",
    "receipt": "query ($id: String!) { it: contextReceipt(turnId: $id) { id } }",
}
MUTATIONS = {
    "evidence": "mutation ($id: ID!) { it: createGoal(input: "
    '{title: "t", evidence: [{observationId: $id}]}) %s }',
    "parent": 'mutation ($id: ID!) { it: createGoal(input: {title: "t", parentGoalId: $id}) %s }',
    "derived from": 'mutation ($id: ID!) { it: createGoal(input: {title: "t", derivedFrom: [$id]}) %s }',
    "upserted": 'mutation ($id: ID!) { it: upsertGoal(input: {id: $id, title: "t"}) %s }',
    "new parent": 'mutation ($id: ID!) { it: upsertGoal(input: {title: "t", parentGoalId: $id}) %s }',
    "goal space": 'mutation ($id: ID!) { it: createGoal(input: {title: "t", space: $id}) %s }',
    "observation space": 'mutation ($id: ID!) { it: addObservation(input: {content: "c", space: $id}) %s }',
    "observations space": "mutation ($id: ID!) { it: addObservations(input: "
    '{observations: [{content: "c"}], space: $id}) %s }',
    "reviewed": "mutation ($id: ID!) { it: evaluateScratchPage(input: {observationIds: [$id]}) %s }",
    "reviewed space": "mutation ($id: ID!) { it: evaluateScratchPage(input: {space: $id}) %s }",
    "memory space": "mutation ($id: ID!) { it: remember(input: "
    '{memories: [{kind: MANDATE, content: "c"}], space: $id}) %s }',
    "grant": "mutation ($id: ID!) { it: grantAccess(input: "
    '{space: $id, actor: {kind: AGENT, key: "bot"}, permission: READ}) %s }',
    "revoke": "mutation ($id: ID!) { it: revokeAccess(input: "
    '{space: $id, actor: {kind: AGENT, key: "bot"}}) %s }',
}


async def belongings(client: Client) -> dict[Kind, str]:
    """One of everything that has an id, in the client's private space."""
    observation = (await client.run(MAKE_OBSERVATION))["addObservation"]["observation"]["id"]
    evidence = [{"observationId": observation}]
    goal = (await client.run(MAKE_GOAL, evidence=evidence))["createGoal"]["goal"]
    memories = (await client.run(MAKE_MANDATE))["remember"]["memories"]
    space = (await client.run(MAKE_SPACE))["createSpace"]["space"]["id"]
    await client.run(MAKE_CONTEXT)
    (action,) = goal["actions"]["nodes"]
    return {
        Kind.OBSERVATION: observation,
        Kind.GOAL: goal["id"],
        Kind.PENDING_ACTION: action["id"],
        Kind.MANDATE: memories[0]["id"],
        Kind.SPACE: space,
    }


async def strangers(api: Api) -> list[Client]:
    """Another organisation's writer, and another agent of the same one."""
    other = f"{api.world.org}-b"
    await api.world.services.access.create_organisation(other)
    token, _ = api.tokens.issue(Principal(org=other, agent="bot", roles=("admin",)), timedelta(hours=1))
    return [Client(api.http, token), api.client("other", roles=("admin",))]


async def answers(client: Client, query: str, ids: list[str]) -> set[bytes]:
    return {(await client.post(query, id=id_)).content for id_ in ids}


@pytest.mark.covers("SEC-11", "SEC-12", "SEC-14", "GOAL-04")
async def test_queries_tell_nothing_of_what_is_foreign(api: Api) -> None:
    me = api.client()
    await me.run("{ me { orgId } }")
    for stranger in await strangers(api):
        theirs = await belongings(stranger)
        for name, query in QUERIES.items():
            for kind, foreign in theirs.items():
                mine_not = [
                    foreign,
                    new_id(kind, api.world.clock.now()),
                    "made up",
                    "",
                    "\ud800",
                    "x" * 5_000,
                ]
                if "filter" in query:
                    mine_not = mine_not[:3]  # a filter's texts have rules of their own
                given = await answers(me, query, mine_not)
                assert len(given) == 1, (name, kind)
                (body,) = given
                assert b'"errors"' not in body, (name, kind)
                own = await stranger.post(query, id=foreign)
                assert own.status_code == 200
        # The stranger does see its own, so the answer above was not just an empty shelf.
        assert (await stranger.run(QUERIES["goal"], id=theirs[Kind.GOAL]))["it"]["title"] == "private"
        assert (await stranger.run(QUERIES["node"], id=theirs[Kind.MANDATE]))["it"] is not None


@pytest.mark.covers("SEC-11", "SEC-12", "GOAL-49")
@pytest.mark.parametrize(("argument", "kind"), [("goalId", Kind.GOAL), ("space", Kind.SPACE)])
async def test_a_check_of_a_plan_tells_nothing_of_what_is_foreign(
    api: Api, argument: str, kind: Kind
) -> None:
    me = api.client()
    steps = "" if argument == "goalId" else ', steps: [{description: "private"}]'
    query = f"query ($id: ID!) {{ it: checkPlan({argument}: $id{steps}) {{ checked satisfied }} }}"
    for stranger in await strangers(api):
        foreign = (await belongings(stranger))[kind]
        given = await answers(me, query, [foreign, new_id(kind, api.world.clock.now()), "made up"])
        assert len(given) == 1
        (error,) = await me.errors(query, id=foreign)
        assert error["extensions"] == {"code": "not_found", "field": argument}
        assert (await stranger.run(query, id=foreign))["it"] == {"checked": 1, "satisfied": True}


async def test_turns_tell_nothing_of_what_is_foreign(api: Api) -> None:
    me = api.client()
    for stranger in await strangers(api):
        await belongings(stranger)
        for name, query in TURN_QUERIES.items():
            assert len(await answers(me, query, ["their-turn", "no-turn", ""])) == 1, name
            assert (await stranger.run(query, id="their-turn"))["it"] not in (None, {"nodes": []}), name


@pytest.mark.covers("SEC-11", "SEC-12")
@pytest.mark.parametrize("name", MUTATIONS)
async def test_mutations_answer_alike_for_foreign_and_unknown_and_write_nothing(api: Api, name: str) -> None:
    me = api.client()
    await me.run("{ me { orgId } }")
    query = MUTATIONS[name] % PROBLEM
    kinds = {
        "evidence": Kind.OBSERVATION,
        "reviewed": Kind.OBSERVATION,
        "parent": Kind.GOAL,
        "derived from": Kind.GOAL,
    }
    kind = kinds.get(name, Kind.SPACE)
    for stranger in await strangers(api):
        foreign = (await belongings(stranger))[kind]
        before = await api.world.counts()
        events = await api.world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN count(e) AS n")
        given = await answers(me, query, [foreign, new_id(kind, api.world.clock.now()), "made up"])
        assert len(given) == 1
        problem: dict[str, Any] = (await me.run(query, id=foreign))["it"]
        assert (problem["__typename"], problem["code"]) == ("Problem", "not_found")
        assert problem["field"]
        assert await api.world.counts() == before
        assert await api.world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN count(e) AS n") == events
