"""Searches for memories through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.test_limits import answer_of

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

SEARCH = """query ($text: String!, $filter: SearchFilterInput, $first: Int, $after: String) {
  searchMemory(text: $text, filter: $filter, first: $first, after: $after) {
    partial pageInfo { hasNextPage endCursor }
    edges { cursor relevance kind text at space { id kind }
      parts { words meaning neighbours conversation subject time doubt answer identifier }
      node { __typename id
        ... on RememberedMemory { content speaker tags conversation }
        ... on Observation { content source { name } } } }
    nodes { __typename id ... on RememberedMemory { content } ... on Observation { confidence } }
  }
}"""
TEXTS = """query ($text: String!, $filter: SearchFilterInput, $first: Int, $after: String) {
  searchMemory(text: $text, filter: $filter, first: $first, after: $after) {
    edges { text cursor } pageInfo { hasNextPage endCursor } } }"""
REMEMBER = """mutation ($input: RememberInput!) { it: remember(input: $input) {
  ... on RememberPayload { memories { id } } ... on Problem { code message field } } }"""
NOTICE = """mutation ($input: AddObservationInput!) { it: addObservation(input: $input) {
  ... on AddObservationPayload { observation { id } } ... on Problem { code message field } } }"""
ANY = {"minRelevance": 0}


async def remember(client: Client, *memories: dict[str, Any], space: str | None = None) -> list[str]:
    given = {"memories": list(memories), "space": space}
    return [each["id"] for each in (await client.run(REMEMBER, input=given))["it"]["memories"]]


async def notice(client: Client, content: str, **given: Any) -> str:
    sent = {"content": content, "evaluate": False, **given}
    return str((await client.run(NOTICE, input=sent))["it"]["observation"]["id"])


async def search(client: Client, text: str, **given: Any) -> Any:
    return (await client.run(SEARCH, text=text, **given))["searchMemory"]


async def texts(client: Client, text: str, **given: Any) -> list[str]:
    found = (await client.run(TEXTS, text=text, **given))["searchMemory"]
    return [edge["text"] for edge in found["edges"]]


PLANS = """query ($text: String!, $filter: SearchFilterInput) { searchMemory(text: $text, filter: $filter) {
  edges { kind text at relevance space { id } parts { words }
    node { __typename id ... on Goal { title } ... on Question { status } ... on Story { narrative } } }
  nodes { __typename id } } }"""
ASK = """mutation ($input: UpsertQuestionStoryInput!) { it: upsertQuestionStory(input: $input) {
  ... on UpsertQuestionStoryPayload { question { id createdAt } story { id } } ... on Problem { code } } }"""
CREATE = """mutation ($input: CreateGoalInput!) { it: createGoal(input: $input) {
  ... on CreateGoalPayload { goal { id createdAt } } ... on Problem { code message } } }"""
SHARE = """mutation ($input: ShareGoalInput!) { it: shareGoal(input: $input) {
  ... on ShareGoalPayload { permission } ... on Problem { code message } } }"""


async def test_goals_questions_and_stories_are_found_by_their_kinds(api: Api) -> None:
    client = api.client()
    given = {"title": "Repair the red kettle", "description": "It leaks"}
    goal = (await client.run(CREATE, input=given))["it"]["goal"]
    asked_for = {
        "question": {"text": "Who repairs a kettle?", "goalId": goal["id"]},
        "story": {"narrative": "A smith mends the kettle"},
    }
    made = (await client.run(ASK, input=asked_for))["it"]
    home = (await client.run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]

    wanted = ANY | {"kinds": ["GOAL", "QUESTION", "STORY"]}
    page = (await client.run(PLANS, text="the red kettle", filter=wanted))["searchMemory"]

    found = {edge["kind"]: edge for edge in page["edges"]}
    first = page["edges"][0]
    assert (first["kind"], first["text"], first["at"]) == (
        "GOAL",
        "Repair the red kettle\nIt leaks",
        goal["createdAt"],
    )
    assert first["relevance"] > 0.25
    assert first["parts"]["words"] > 0
    assert {kind: edge["node"] for kind, edge in found.items()} == {
        "GOAL": {"__typename": "Goal", "id": goal["id"], "title": "Repair the red kettle"},
        "QUESTION": {"__typename": "Question", "id": made["question"]["id"], "status": "OPEN"},
        "STORY": {
            "__typename": "Story",
            "id": made["story"]["id"],
            "narrative": "A smith mends the kettle",
        },
    }
    assert {edge["space"]["id"] for edge in page["edges"]} == {home}
    assert [node["id"] for node in page["nodes"]] == [edge["node"]["id"] for edge in page["edges"]]
    assert await texts(client, "the red kettle", filter=ANY) == []

    other = api.client(agent="other")
    assert await texts(other, "the red kettle", filter=wanted) == []
    share = {"goalId": goal["id"], "actor": {"kind": "AGENT", "key": "other"}, "permission": "READ"}
    assert (await client.run(SHARE, input=share))["it"] == {"permission": "READ"}
    page = (await other.run(PLANS, text="the red kettle", filter=wanted))["searchMemory"]
    # The goal is shared; its space is not.
    assert {(edge["kind"], edge["space"]) for edge in page["edges"]} == {
        (kind, None) for kind in ("GOAL", "QUESTION", "STORY")
    }


async def test_a_search_shows_the_passage_of_a_long_memory_that_answers(api: Api) -> None:
    client = api.client()
    parts = [f"In the {room} there are things. " * 30 for room in ("garden", "cellar", "attic")]
    long, short = await remember(
        client,
        {"kind": "FACT", "content": "\n\n".join(parts)},
        {"kind": "FACT", "content": "The cellar is dark"},
    )

    found = await client.run(
        '{ searchMemory(text: "cellar", filter: {minRelevance: 0}) '
        "{ edges { node { id } text passage { text place total } } } }"
    )

    by_id = {edge["node"]["id"]: edge for edge in found["searchMemory"]["edges"]}
    assert by_id[long]["text"] == "\n\n".join(parts)
    assert by_id[long]["passage"] == {"text": parts[1].strip(), "place": 2, "total": 3}
    assert by_id[short]["passage"] is None


async def test_a_search_shows_what_was_found_and_why(api: Api) -> None:
    client = api.client()
    message, _ = await remember(
        client,
        {
            "kind": "MESSAGE",
            "content": "The red kettle leaks",
            "speaker": "Ann",
            "conversation": "kitchen",
            "happenedAt": "2025-05-06T07:08:09Z",
            "tags": ["broken"],
        },
        {"kind": "FACT", "content": "Tea is served at five"},
    )
    seen = await notice(client, "The red kettle leaks water", confidence=0.5, source={"tool": "camera"})
    home = (await client.run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]

    # Without the floor, and without the fact about tea.
    wanted = ANY | {"kinds": ["OBSERVATION", "MESSAGE"]}
    page = await search(client, "What did Ann say, which red kettle leaks?", filter=wanted)

    assert page["partial"] is False
    by_id = {edge["node"]["id"]: edge for edge in page["edges"]}
    assert list(by_id) == [message, seen]
    assert by_id[message]["node"] == {
        "__typename": "RememberedMemory",
        "id": message,
        "content": "The red kettle leaks",
        "speaker": "Ann",
        "tags": ["broken"],
        "conversation": "kitchen",
    }
    assert by_id[seen]["node"] == {
        "__typename": "Observation",
        "id": seen,
        "content": "The red kettle leaks water",
        "source": {"name": "camera"},
    }
    at = {message: "2025-05-06T07:08:09+00:00", seen: api.world.clock.now().isoformat()}
    for uid, kind in ((message, "MESSAGE"), (seen, "OBSERVATION")):
        edge = by_id[uid]
        assert (edge["kind"], edge["text"]) == (kind, edge["node"]["content"])
        assert (edge["at"], edge["space"]) == (at[uid], {"id": home, "kind": "private"})
        assert edge["parts"]["words"] > 0
        assert edge["parts"]["meaning"] > 0
    # Ann is whom the question names.
    assert by_id[message]["parts"]["subject"] > 0 > by_id[seen]["parts"]["subject"]
    assert by_id[message]["relevance"] > by_id[seen]["relevance"] > 0
    # The encoder of tests has no reranker.
    assert (by_id[message]["parts"]["answer"], by_id[seen]["parts"]["answer"]) == (None, None)
    # What is certain has no doubt; half a confidence takes something away.
    assert by_id[message]["parts"]["doubt"] == 0 > by_id[seen]["parts"]["doubt"]
    assert page["nodes"] == [
        {"__typename": "RememberedMemory", "id": message, "content": "The red kettle leaks"},
        {"__typename": "Observation", "id": seen, "confidence": 0.5},
    ]
    assert page["pageInfo"] == {"hasNextPage": False, "endCursor": page["edges"][-1]["cursor"]}


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"text": ""}, "invalid", "text"),
        ({"first": 101}, "invalid", "first"),
        ({"after": "nonsense"}, "invalid", "after"),
        ({"filter": {"tags": [""]}}, "invalid", "filter.tags[0]"),
        ({"filter": {"tags": ["x"] * 10_000}}, "too_large", "filter.tags"),
        ({"filter": {"entities": [""]}}, "invalid", "filter.entities[0]"),
        ({"filter": {"conversation": "x" * 10_000}}, "too_large", "filter.conversation"),
        ({"filter": {"minRelevance": -0.1}}, "invalid", "filter.minRelevance"),
        ({"filter": {"kinds": ["RUMOUR"]}}, "invalid", "kinds[0]"),
        ({"filter": {"since": "yesterday"}}, "invalid", "since"),
    ],
    ids=lambda given: str(given)[:50],
)
async def test_a_search_that_cannot_be_is_an_error_with_its_field(
    api: Api, given: dict[str, Any], code: str, field: str
) -> None:
    api.world.statements.clear()

    (error,) = await api.client().errors(SEARCH, **({"text": "x"} | given))

    assert (error["extensions"]["code"], error["extensions"]["field"]) == (code, field)
    assert not {name for name in api.world.statements.names if name.startswith("search/")}


@pytest.mark.parametrize("number", [1, 20])
async def test_a_search_with_its_nodes_costs_the_same_for_one_and_for_many(api: Api, number: int) -> None:
    client = api.client()
    facts = [{"kind": "FACT", "content": f"kettle {'very ' * n}{n} boils"} for n in range(number)]
    await remember(client, *facts)
    for n in range(number):
        await notice(client, f"kettle {n} {'hot ' * n}")
    api.world.statements.clear()

    page = await search(client, "kettle", filter=ANY, first=100)

    assert len({node["id"] for node in page["nodes"]}) == 2 * number
    assert api.world.statements.counts == {
        "access/find_caller": 1,
        "search/find_names": 1,
        "search/search_memory": 1,
        "memory/find_memories": 1,
        "scratch/find_observations": 1,
        "access/find_spaces": 1,
    }


async def test_what_a_search_returns_counts_towards_the_limit_of_nodes(api: Api) -> None:
    def page(selected: str, first: str = "") -> str:
        return f'{{ searchMemory(text: "x"{first}) {{ {selected} }} }}'

    nested = page("edges { node { ... on Observation { goals(first: 3) { nodes { id } } } } }", ", first: 2")
    for limit, query in ((20, page("nodes { id }")), (7, page("nodes { id }", ", first: 7")), (8, nested)):
        assert "errors" not in await answer_of(api, query, max_query_nodes=limit)
        api.world.statements.clear()
        (error,) = (await answer_of(api, query, max_query_nodes=limit - 1))["errors"]
        assert error["message"].startswith(f"the query's nodes may be at most {limit - 1}")
        assert error["extensions"]["code"] == "invalid"
        assert api.world.statements.names == []
