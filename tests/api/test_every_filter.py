"""Every filter, as the schema lists them: names that nothing has are refused, and borders hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from graphql import GraphQLInputObjectType, get_named_type, is_list_type, is_scalar_type

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import SCHEMA, SURVEY

NAMES = re.compile(r"(status|statuses|type|types|kind|kinds|typeId)$", re.IGNORECASE)
FREE = {
    # What has any text as its type or kind: clients choose it, and the registry lists none.
    "observations types": "observations have any type",
    "goals goalType": "goals have any type",
    "activeContext contentTypes": "items have any type",
    "searchWorkingMemory contentTypes": "items have any type",
    "entities kinds": "entities have any kind",
    # A proposal may be about a type that does not exist yet.
    "registryProposals typeId": "proposals name new types",
}


def named_texts() -> Iterator[tuple[str, str, bool]]:
    """Give each text of a filter that is a status, a type or a kind, and whether it is a list of them."""
    assert SCHEMA.query_type
    for query, field in SCHEMA.query_type.fields.items():
        # What a query is about, such as the steps of a plan, is no filter.
        if "filter" not in field.args:
            continue
        filter_type = get_named_type(field.args["filter"].type)
        assert isinstance(filter_type, GraphQLInputObjectType)
        for name, part in filter_type.fields.items():
            if NAMES.search(name) and is_scalar_type(get_named_type(part.type)):
                inner = getattr(part.type, "of_type", part.type)
                yield query, name, is_list_type(part.type) or is_list_type(inner)


async def nodes_of(client: Client, query: str, **conditions: object) -> list[dict[str, str]]:
    assert SCHEMA.query_type
    field = SCHEMA.query_type.fields[query]
    type_ = field.args["filter"].type
    session = 'sessionId: "none", ' if "sessionId" in field.args else ""
    body = (
        await client.post(
            f"query ($filter: {type_}) {{ {query}({session}filter: $filter) {{ __typename }} }}",
            filter=conditions,
        )
    ).json()
    return [error["extensions"] for error in body.get("errors", ())]


async def test_a_status_type_or_kind_that_nothing_has_is_refused_with_its_field(api: Api) -> None:
    client = api.client()
    refused: dict[str, list[tuple[str, str]]] = {}
    for query, name, many in named_texts():
        problems = await nodes_of(client, query, **{name: ["no such thing"] if many else "no such thing"})
        if problems or f"{query} {name}" not in FREE:
            refused[f"{query} {name}"] = [(each["code"], each["field"]) for each in problems]

    assert refused == {
        "pendingActions status": [("invalid", "filter.status[0]")],
        "pendingActions type": [("invalid", "filter.type[0]")],
        "auditLog kind": [("invalid", "filter.kind")],
    }
    assert {f"{query} {name}" for query, name, _ in named_texts()} == {*refused, *FREE}


@pytest.mark.covers("ACT-21")
async def test_the_types_and_statuses_of_the_own_organisation_are_known(api: Api) -> None:
    client, maintainer = api.client(), api.client(roles=("maintainer",))
    ways = [{"status": "pending", "to": ["sent"]}, {"status": "sent", "to": ["completed"]}]
    own = SURVEY | {"allowedStatuses": ["pending", "sent", "completed"], "allowedTransitions": ways}
    for conditions in ({"status": ["sent"]}, {"type": ["survey"]}, {"type": ["research", "survey"]}):
        (problem,) = await nodes_of(client, "pendingActions", **conditions)
        (name, values) = conditions.popitem()
        assert problem == {"code": "invalid", "field": f"filter.{name}[{len(values) - 1}]"}

    # A deprecated type has its actions still.
    for name, given in (
        ("registerActionType", {"definition": own, "approved": True}),
        ("deprecateActionType", {"id": "survey"}),
    ):
        kind = f"{name[0].upper()}{name[1:]}"
        text = f"mutation ($input: {kind}Input!) {{ it: {name}(input: $input) {{ __typename }} }}"
        assert (await maintainer.run(text, input=given))["it"]["__typename"] == f"{kind}Payload"
        assert await nodes_of(client, "pendingActions", status=["sent"], type=["survey"]) == []
