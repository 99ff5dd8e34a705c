"""What is foreign is read exactly as what never existed: the same bytes. For writes see test_every_border."""

from __future__ import annotations

from datetime import timedelta

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
MAKE_QUESTION = """mutation { it: upsertQuestionStory(input: {
    question: {text: "private"}, story: {narrative: "private"}}) {
    ... on UpsertQuestionStoryPayload { question { id } story { id } } } }"""
MAKE_CONTEXT = """mutation { assembleContext(input: {prompt: "p", budget: 100, turnId: "their-turn"}) {
    ... on AssembleContextPayload { context { receipt { id } } } } }"""

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
    "history": "query ($id: ID!) { it: history(id: $id) { totalCount } }",
    "suggestions": "query ($id: ID!) { it: suggestGoals(observationId: $id) { likelihood } }",
    "questions of a goal": "query ($id: ID!) { it: questions(goalId: $id) { totalCount nodes { id } } }",
    "stories of a question": "query ($id: ID!) { it: stories(questionId: $id) { totalCount nodes { id } } }",
    "node": "query ($id: ID!) { it: node(id: $id) { id } }",
}
TURN_QUERIES = {
    "turn": "query ($id: String!) { it: turn(id: $id) { id } }",
    "trace": "query ($id: String!) { it: turnTrace(turnId: $id) { nodes { id } } }",
    "receipt": "query ($id: String!) { it: contextReceipt(turnId: $id) { id } }",
}


async def belongings(client: Client) -> dict[Kind, str]:
    """One of everything that has an id, in the client's private space."""
    observation = (await client.run(MAKE_OBSERVATION))["addObservation"]["observation"]["id"]
    evidence = [{"observationId": observation}]
    goal = (await client.run(MAKE_GOAL, evidence=evidence))["createGoal"]["goal"]
    memories = (await client.run(MAKE_MANDATE))["remember"]["memories"]
    space = (await client.run(MAKE_SPACE))["createSpace"]["space"]["id"]
    await client.run(MAKE_CONTEXT)
    pair = (await client.run(MAKE_QUESTION))["it"]
    (action,) = goal["actions"]["nodes"]
    return {
        Kind.OBSERVATION: observation,
        Kind.GOAL: goal["id"],
        Kind.PENDING_ACTION: action["id"],
        Kind.MANDATE: memories[0]["id"],
        Kind.SPACE: space,
        Kind.QUESTION: pair["question"]["id"],
        Kind.STORY: pair["story"]["id"],
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
                if "(id: $id)" not in query:
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
