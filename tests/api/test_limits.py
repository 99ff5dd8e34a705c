"""Limits of a query: depth, tokens, aliases; and who may ask what the schema is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import structlog

from tests.api.conftest import Api, Client, in_process

INTROSPECTION = '{ __schema { queryType { name } } __type(name: "Goal") { name } }'

NODES = """{ spaces(first: 2) { edges { node { ...A } } }
    me { homeSpace { goals(first: %d) { nodes { id } } } } }
    fragment A on Space { owner { id } goals(first: 3) { nodes { ... on Goal { id } } } }"""


LISTS = """{ goals(first: 10) { nodes { ...A } } }
fragment A on Goal { children(first: 3) { edges { node { ...B } } } } """


async def answer_of(api: Api, query: str, **settings: Any) -> dict[str, Any]:
    services = api.world.services
    changed = replace(services, settings=services.settings.model_copy(update=settings))
    async with in_process(changed, api.tokens) as http:
        return (await Client(http, api.client().token).post(query)).json()


@pytest.mark.parametrize(
    ("changes", "allowed", "refused", "said"),
    [
        (
            {"max_query_depth": 3},
            "{ goals { nodes { parent { title } } } }",
            "{ goals { nodes { parent { parent { title } } } } }",
            "depth",
        ),
        (
            {"max_query_depth": 3},
            "{ goals { nodes { ...A } } } fragment A on Goal { parent { title } }",
            "{ goals { nodes { ...A } } } fragment A on Goal { parent { parent { title } } }",
            "depth",
        ),
        (
            {"max_query_tokens": 9},
            "{ me { orgId } }",
            "{ me { orgId roles permissions org: orgId } }",
            "tokens",
        ),
        (
            {"max_query_aliases": 2},
            "{ a: me { orgId } b: me { orgId } }",
            "{ a: me { orgId } b: me { orgId } c: me { orgId } }",
            "aliases",
        ),
        (
            {"max_query_aliases": 2},
            "{ me { a: orgId b: orgId } }",
            "{ me { ...A } } fragment A on Me { a: orgId b: orgId c: orgId }",
            "aliases",
        ),
        (
            {"max_query_fields": 5},
            "{ me { ...A ...A } } fragment A on Me { orgId roles }",
            "{ me { ...A ...A orgId } } fragment A on Me { orgId roles }",
            "fields",
        ),
        # 20 x (1 + 3)
        (
            {"max_query_nodes": 80},
            "{ spaces { nodes { goals(first: 3) { nodes { id } } } } }",
            "{ spaces { nodes { goals(first: 4) { nodes { id } } } } }",
            "nodes",
        ),
        # 2 x (1 + 1 + 3) in the fragment, and 1 + 2 for the space with its goals
        (
            {"max_query_nodes": 13},
            NODES % 2,
            NODES % 3,
            "nodes",
        ),
        # A list without a page size counts as one of 20, and one whose page size is a variable as one of 100.
        (
            {"max_query_nodes": 100},
            "query ($n: Int) { goals(first: $n) { nodes { id } } }",
            "query ($n: Int) { goals(first: $n) { nodes { id } } activeGoals(limit: 1) { id } }",
            "nodes",
        ),
        (
            {"max_query_nodes": 20},
            "{ activeGoals { id } }",
            "{ activeGoals { id } me { actor { id } } }",
            "nodes",
        ),
        # 10 x (1 + 3 x (1 + 5)) in lists of links, in fragments
        (
            {"max_query_nodes": 190},
            LISTS + "fragment B on Goal { evidence(first: 5) { edges { node { id } } } }",
            LISTS + "fragment B on Goal { evidence(first: 6) { edges { node { id } } } }",
            "nodes",
        ),
        (
            {"max_query_nodes": 8},
            '{ node(id: "goal_x") { ... on Goal { evidence(first: 7) { nodes { id } } } } }',
            '{ node(id: "goal_x") { ... on Goal { evidence(first: 8) { nodes { id } } } } }',
            "nodes",
        ),
    ],
    ids=[
        "depth",
        "depth in a fragment",
        "tokens",
        "aliases",
        "aliases in a fragment",
        "fields",
        "nodes of lists in lists",
        "nodes in a fragment",
        "nodes of a page size in a variable",
        "nodes of a default page size",
        "nodes of links in fragments",
        "nodes of a type that the document names",
    ],
)
async def test_one_step_within_a_limit_is_answered_and_one_beyond_is_not(
    api: Api, changes: dict[str, Any], allowed: str, refused: str, said: str
) -> None:
    assert "errors" not in await answer_of(api, allowed, **changes)
    api.world.statements.clear()
    body = await answer_of(api, refused, **changes)
    (error,) = body["errors"]
    assert said in error["message"]
    assert error["extensions"]["code"] == "invalid"
    assert api.world.statements.names == []


async def test_fragments_that_multiply_are_counted_without_walking_each_copy(api: Api) -> None:
    # Every fragment uses the next one twice: 2^60 fields, in less than a thousand tokens. A server that
    # walks them all never answers.
    chain = "".join(f"fragment F{i} on Me {{ ...F{i + 1} ...F{i + 1} }} " for i in range(60))
    api.world.statements.clear()
    (error,) = await api.client().errors("{ me { ...F0 } } " + chain + "fragment F60 on Me { orgId }")
    assert error["message"].startswith("the query's fields may be at most 2000")
    assert error["extensions"]["code"] == "invalid"
    assert api.world.statements.names == []


@pytest.mark.parametrize(
    "query",
    [
        "{ me { ...Nowhere } }",
        "{ me { ...A } } fragment A on Me { ...A }",
        "{ me { ...A } } fragment A on Me { ...B } fragment B on Me { ...A }",
    ],
    ids=["unknown", "of itself", "of each other"],
)
async def test_a_fragment_without_an_end_or_a_beginning_is_the_clients_mistake(api: Api, query: str) -> None:
    with structlog.testing.capture_logs() as lines:
        errors = await api.client().errors(query)
    assert {error["extensions"]["code"] for error in errors} == {"invalid"}
    assert {line["event"] for line in lines} == {"request"}


async def test_the_deepest_useful_query_is_within_the_default_depth(api: Api) -> None:
    await api.client().run(
        "{ goals { edges { node { evidence { edges { node { entities { edges { node { name } } } } } } "
        "actions { nodes { title } } } } } }"
    )


async def test_lists_in_lists_in_lists_are_refused_by_default(api: Api) -> None:
    inner = "evidence(first: 100) { nodes { goals(first: 100) { nodes { id } } } }"
    api.world.statements.clear()
    (error,) = await api.client().errors(f"{{ goals(first: 100) {{ nodes {{ {inner} }} }} }}")
    assert error["message"].startswith("the query's nodes may be at most 50000")
    assert api.world.statements.names == []


async def test_a_document_of_many_tokens_is_refused_by_default(api: Api) -> None:
    (error,) = await api.client().errors("{" + " me { orgId }" * 1_000 + "}")
    assert "2000 tokens" in error["message"]


async def test_the_schema_is_told_in_development_and_not_in_production(api: Api) -> None:
    told = await answer_of(api, INTROSPECTION)
    assert told["data"] == {"__schema": {"queryType": {"name": "Query"}}, "__type": {"name": "Goal"}}
    hidden = await answer_of(api, INTROSPECTION, production=True)
    assert "data" not in hidden
    assert {error["extensions"]["code"] for error in hidden["errors"]} == {"invalid"}


async def test_production_gives_no_hints_of_fields_either(api: Api) -> None:
    assert "Did you mean" in (await answer_of(api, "{ goalz { id } }"))["errors"][0]["message"]
    hidden = await answer_of(api, "{ goalz { id } }", production=True)
    assert "Did you mean" not in hidden["errors"][0]["message"]
    typed = await answer_of(api, "{ __typename me { orgId } }", production=True)
    assert typed["data"]["__typename"] == "Query"
