"""A reader may look and nothing else: every mutation of the schema is tried, so a new one is too."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import GraphQLInputObjectType, GraphQLNonNull, get_named_type
from graphql.type import GraphQLEnumType, GraphQLList, is_required_input_field

from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api
from tests.support.thinned import first_by_day

SCHEMA = build_schema(Settings())._schema
MUTATIONS = SCHEMA.mutation_type.fields if SCHEMA.mutation_type else {}


TYPES = {"registerActionType", "deprecateActionType", "withdrawActionTypeOverride"}
MAINTAINED = {"reviewRegistryProposal", "exportProposalAsPr", "eraseUserData"} | TYPES
"""What is for maintainers."""
FOR_READERS = {"acceptGrant", "leaveSpace", "acknowledgeEvents", "resetEventConsumer"}
"""What others have done to the caller, and which events it has, is said with every token that may read."""


def example(kind: Any) -> Any:
    """The least that a type takes: required fields only, lists with one entry."""
    if isinstance(kind, GraphQLNonNull):
        return example(kind.of_type)
    if isinstance(kind, GraphQLList):
        return [example(kind.of_type)]
    if isinstance(kind, GraphQLInputObjectType):
        return {n: example(field.type) for n, field in kind.fields.items() if is_required_input_field(field)}
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    return {"Int": 1, "Float": 0.5, "Boolean": True, "Seq": 9}.get(kind.name, "x")


def statement(name: str) -> tuple[str, Any]:
    kind = MUTATIONS[name].args["input"].type
    query = (
        f"mutation ($input: {get_named_type(kind).name}!) {{ it: {name}(input: $input) "
        "{ __typename ... on Problem { code message field } } }"
    )
    return query, example(kind)


@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.parametrize("role", first_by_day(["reader", ""], "a token that only reads"))
async def test_who_may_not_write_gets_forbidden_and_nothing_is_written(
    api: Api, name: str, role: str
) -> None:
    roles = (role,) if role else ()
    client = api.client(roles=roles)
    await client.post("{ me { orgId } }")
    before = await api.world.counts()
    query, given = statement(name)
    problem = (await client.run(query, input=given))["it"]
    if name in FOR_READERS and roles:
        # There is no such space, and no such event.
        code = "not_found" if "Space" in name or "Grant" in name else "invalid"
        assert (problem["__typename"], problem["code"]) == ("Problem", code)
    else:
        assert (problem["__typename"], problem["code"]) == ("Problem", "forbidden")
        needed = "maintain" if name in TYPES else "write"
        assert f"'{'read' if name in FOR_READERS else needed}'" in problem["message"]
    assert await api.world.counts() == before


async def test_the_same_inputs_are_not_forbidden_to_a_writer(api: Api) -> None:
    codes = {}
    for name in MUTATIONS:
        query, given = statement(name)
        codes[name] = (await api.client().run(query, input=given))["it"].get("code")
    assert {name for name, code in codes.items() if code == "forbidden"} == MAINTAINED
    assert {name for name, code in codes.items() if code is None} >= {
        "addObservation",
        "createGoal",
        "remember",
    }


async def test_a_reader_reads_and_without_a_role_nothing_is_read(api: Api) -> None:
    assert (await api.client(roles=("reader",)).run("{ goals { totalCount } }"))["goals"]["totalCount"] == 0
    looking = '{ searchMemory(text: "x") { nodes { id } } checkPlan(goal: {title: "x"}) { satisfied } }'
    assert await api.client(roles=("reader",)).run(looking) == {
        "searchMemory": {"nodes": []},
        "checkPlan": {"satisfied": True},
    }
    nobody = api.client(roles=())
    for query in (
        "{ observations { nodes { id } } }",
        "{ goals { nodes { id } } }",
        "{ activeGoals { id } }",
        "{ spaces { nodes { id } } }",
        "{ spaces { totalCount } }",
        "{ me { actor { id } } }",
        "{ me { readableSpaces { totalCount } } }",
        "{ actionTypes { id } }",
        '{ goalLineage(id: "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD") { depth } }',
        '{ node(id: "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD") { id } }',
        '{ turn(id: "t") { id } }',
        '{ turnTrace(turnId: "t") { nodes { id } } }',
        "{ trace { nodes { id } } }",
        '{ contextReceipt(turnId: "t") { id } }',
        '{ searchMemory(text: "x") { partial } }',
        '{ checkPlan(goal: {title: "x"}) { satisfied } }',
        '{ previewContext(input: {prompt: "p", budget: 10}) { text } }',
    ):
        (error,) = await nobody.errors(query)
        assert error["extensions"]["code"] == "forbidden", query
