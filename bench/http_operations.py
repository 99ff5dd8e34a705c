"""Measured operations over HTTP: GraphQL requests to the API in a separate process."""

from __future__ import annotations

from typing import Any

from bench.operations import BULK, BULK_ROWS_PER_S, READ, WRITE, Operation, WrongAnswer, fresh, goal_draft
from bench.web import graphql
from bench.words import HALF, RARE
from bench.world import CHAIN, World
from prefrontal.graph.cortex.goals.record import GoalDraft
from prefrontal.graph.scratch.record import ObservationDraft

_NODE = "query Node($id: ID!) { node(id: $id) { id ... on Observation { content confidence tags } } }"
_TAGGED = """query Tagged($tags: [String!]!) {
  observations(filter: {tags: $tags}) {
    edges { cursor node { id content confidence tags status createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}"""
_COUNTED = "query Counted($tags: [String!]!) { observations(filter: {tags: $tags}, first: 1) { totalCount } }"
_LINEAGE = """query Lineage($id: ID!, $depth: Int!) {
  goalLineage(id: $id, depth: $depth) { nodes { id kind role name } edges { __typename } truncated } }"""
_ADD = """mutation Add($input: AddObservationsInput!) { addObservations(input: $input) {
  ... on AddObservationsPayload { observations { id status } } ... on Problem { code message field } } }"""
_CREATE = """mutation Create($input: CreateGoalInput!) { createGoal(input: $input) {
  ... on CreateGoalPayload { goal { id status actions { nodes { id } } } }
    ... on Problem { code message } } }"""


async def _query(world: World, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    if world.http is None:
        raise WrongAnswer("the API is not served")
    return await graphql(world.http, query, variables)


async def _some_uid(world: World) -> Any:
    return {"id": world.random.choice(world.uids)}


async def _node(world: World, variables: Any) -> None:
    if (await _query(world, _NODE, variables))["node"]["id"] != variables["id"]:
        raise WrongAnswer("another node")


async def _page(world: World, _: Any) -> None:
    if not (await _query(world, _TAGGED, {"tags": [HALF, RARE]}))["observations"]["edges"]:
        raise WrongAnswer("an empty page")


async def _count(world: World, _: Any) -> None:
    if not (await _query(world, _COUNTED, {"tags": [HALF, RARE]}))["observations"]["totalCount"]:
        raise WrongAnswer("nothing counted")


async def _lineage(world: World, _: Any) -> None:
    found = await _query(world, _LINEAGE, {"id": world.chain[0], "depth": CHAIN})
    if not 3 * CHAIN <= len(found["goalLineage"]["nodes"]) <= 4 * CHAIN:
        raise WrongAnswer("another lineage")


def _observation(draft: ObservationDraft) -> dict[str, Any]:
    return {"content": draft.content, "tags": list(draft.tags), "type": draft.type}


def _inputs(number: int) -> Any:
    async def prepare(world: World) -> Any:
        return {"observations": [_observation(each) for each in await fresh(number)(world)]}

    return prepare


async def _add(world: World, given: Any) -> None:
    found = (await _query(world, _ADD, {"input": given}))["addObservations"]
    if len(found.get("observations", ())) != len(given["observations"]):
        raise WrongAnswer(str(found))


async def _goal(world: World) -> Any:
    draft: GoalDraft = await goal_draft(world)
    return {
        "title": draft.title,
        "description": draft.description,
        "priority": "high",
        "evidence": [{"observationId": each.observation_id} for each in draft.evidence],
        "pendingActions": [{"type": each.type, "title": each.title} for each in draft.pending_actions],
    }


async def _create(world: World, given: Any) -> None:
    found = (await _query(world, _CREATE, {"input": given}))["createGoal"]
    if len(found.get("goal", {}).get("actions", {}).get("nodes", ())) != len(given["pendingActions"]):
        raise WrongAnswer(str(found))


HTTP_OPERATIONS: tuple[Operation, ...] = (
    Operation("http-node", "HTTP: one observation by id", _node, _some_uid, aim=READ, http=True),
    Operation(
        "http-page-by-tags",
        "HTTP: page of 20 by two tags, 50 % and 1 %",
        _page,
        aim=READ,
        http=True,
        covers=("OBS-37",),
    ),
    Operation("http-count", "HTTP: totalCount of two tags, 50 % and 1 %", _count, aim=READ, http=True),
    Operation(
        "http-lineage-deep", f"HTTP: lineage of a line of {CHAIN} levels", _lineage, aim=READ, http=True
    ),
    Operation(
        "http-add-one", "HTTP: add one observation", _add, _inputs(1), aim=WRITE, writes=True, http=True
    ),
    Operation(
        "http-create-goal",
        "HTTP: create a goal, 2 evidences, 2 actions",
        _create,
        _goal,
        aim=WRITE,
        writes=True,
        http=True,
    ),
    Operation(
        "http-add-bulk",
        f"HTTP: add {BULK} observations in one call",
        _add,
        _inputs(BULK),
        rows=BULK,
        rows_per_s=BULK_ROWS_PER_S,
        writes=True,
        http=True,
    ),
)
