"""Hundreds of valid but senseless operations, made from the schema: none of them is a defect of ours."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
import schemathesis
import structlog
from graphql import NameNode, ObjectFieldNode
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis_graphql import nodes
from schemathesis import APIOperation

from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from tests.api.conftest import Api, Client

pytestmark = pytest.mark.slow

EXAMPLES = 6
WORDS = st.text(max_size=20)
SCALARS = {
    "JSON": st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex(r"\A[a-z]{1,5}\Z"), inner),
        max_leaves=8,
    ),
    "Seq": st.integers(min_value=0, max_value=2**40),
}


def literal(value: Any) -> Any:
    """A JSON value as GraphQL writes it."""
    if isinstance(value, dict):
        fields = [ObjectFieldNode(name=NameNode(value=k), value=literal(v)) for k, v in value.items()]
        return nodes.Object(fields)
    if isinstance(value, list):
        return nodes.List([literal(each) for each in value])
    if value is None:
        return nodes.Null
    kinds = {bool: nodes.Boolean, int: nodes.Int, float: nodes.Float, str: nodes.String}
    return kinds[type(value)](value)


SEED = """mutation { addObservation(input: {content: "the kettle is empty", turnId: "morning"}) {
    ... on AddObservationPayload { observation { id } } } }"""
GOAL = """mutation ($evidence: [EvidenceInput!]!) { createGoal(input: {
    title: "tea", evidence: $evidence, pendingActions: [{type: "research", title: "where"}]}) {
    ... on CreateGoalPayload { goal { id actions { nodes { id } } } } } }"""


async def some_ids(client: Client) -> list[str]:
    """Ids that are there, and some that are not, for arguments to meet something now and then."""
    first = (await client.run(SEED))["addObservation"]["observation"]["id"]
    second = (await client.run(SEED))["addObservation"]["observation"]["id"]
    goal = (await client.run(GOAL, evidence=[{"observationId": first}]))["createGoal"]["goal"]
    me = (await client.run("{ me { homeSpace { id } } }"))["me"]
    return [first, second, goal["id"], goal["actions"]["nodes"][0]["id"], me["homeSpace"]["id"], "obs_?", ""]


def operations(root: str, ids: list[str]) -> list[APIOperation[Any, Any, Any, Any]]:
    """What schemathesis makes of each field of a root type of the schema as it is now."""
    schemathesis.graphql.scalar("ID", st.sampled_from(ids).map(nodes.String))
    for name, values in SCALARS.items():
        schemathesis.graphql.scalar(name, values.map(literal))
    schema = schemathesis.graphql.from_file(build_schema(Settings()).as_str())
    found = [each.ok() for each in schema.get_all_operations()]
    return [operation for operation in found if operation.label.startswith(root + ".")]


def examine(operation: APIOperation[Any, Any, Any, Any], http: httpx.Client) -> int:
    """Send examples of one field; return how many were more than a refusal."""
    answered = 0

    # The same examples in every run, and no file with what was found.
    @given(operation.as_strategy())
    @hypothesis_settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    def sends(case: Any) -> None:
        nonlocal answered
        response = http.post("/graphql", content=json.dumps({"query": case.body}))
        assert response.status_code == 200, (case.body, response.text)
        body = response.json()
        for error in body.get("errors", ()):
            assert error["extensions"]["code"] in ("invalid", "too_large", "not_found", "forbidden"), (
                case.body,
                error,
            )
        answered += bool(body.get("data"))

    sends()
    return answered


@pytest.mark.nightly("every field of every input is tried with hostile values by test_every_input")
@pytest.mark.parametrize("root", ["Query", "Mutation"])
async def test_no_valid_operation_is_a_defect(api: Api, served: tuple[str, Services], root: str) -> None:
    address, _ = served
    client = api.client(roles=("admin",))
    fields = operations(root, await some_ids(client))
    assert len(fields) >= 10
    headers = {"Authorization": f"Bearer {client.token}", "Content-Type": "application/json"}
    answered: dict[str, int] = {}

    def examine_all() -> None:
        with httpx.Client(base_url=f"http://{address}", headers=headers, timeout=60) as http:
            for operation in fields:
                answered[operation.label] = examine(operation, http)

    with structlog.testing.capture_logs() as lines:
        await asyncio.to_thread(examine_all)  # the server runs in this thread's event loop
    # A mutation tells a refusal as a problem in its data; what is not the client's fault is in the log.
    # A refused outcome is logged too, as a warning.
    usual = [("request", "info"), ("outcome_not_recorded", "warning")]
    assert [line for line in lines if (line["event"], line["log_level"]) not in usual] == []
    assert lines
    # If all were refused before anything ran, nothing would have been shown.
    assert sum(map(bool, answered.values())) >= len(fields) // 2, answered
