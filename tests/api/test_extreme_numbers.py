"""Every number that the API takes, as the schema lists them, at its extremes: no list is poisoned by one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLScalarType,
    get_named_type,
    is_non_null_type,
    is_required_argument,
)

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import (
    REMEMBERED,
    SCHEMA,
    TAKEN,
    input_type,
    owned,
    problem_mutation,
    put,
    spelled,
    tried_leaves,
)
from tests.support.thinned import in_turns

NUMBERS = {"Int", "Float"}
EXTREMES: tuple[float, ...] = (
    *(0, -0.0, 1, -1, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 10**30),
    *(1e-308, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan),
)
CODES = {
    "invalid",
    "too_large",
    "version_conflict",
    "expired",
    "illegal_transition",
    "not_found",
    "forbidden",
    "owner_violation",
    "conflict",
}


def selection(kind: Any, depth: int) -> str:
    """All fields of a type that need no argument: scalars, and those of the objects below it."""
    names: list[str] = []
    for name, field in kind.fields.items():
        if any(is_required_argument(argument) for argument in field.args.values()):
            continue
        named = get_named_type(field.type)
        if isinstance(named, GraphQLScalarType | GraphQLEnumType):
            names.append(name)
        elif depth and isinstance(named, GraphQLObjectType) and not named.name.endswith("Connection"):
            below = selection(named, depth - 1)
            names += [f"{name} {below}"] if below != "{ __typename }" else []
    return f"{{ {' '.join(names or ['__typename'])} }}"


def lists() -> Iterator[tuple[str, str]]:
    """Every list of the schema that needs no argument, with the query that reads it."""
    assert SCHEMA.query_type
    for name, field in SCHEMA.query_type.fields.items():
        named = get_named_type(field.type)
        if not isinstance(named, GraphQLObjectType) or any(map(is_required_argument, field.args.values())):
            continue
        if named.name.endswith("Connection"):
            of = get_named_type(named.fields["nodes"].type)
            depth = 1 if name == "pendingActions" else 0
            yield name, f"{{ it: {name}(first: 100) {{ nodes {selection(of, depth)} }} }}"


async def read_all(client: Client) -> dict[str, int]:
    """Read every list without an error; return how many items each has."""
    counts: dict[str, int] = {}
    for name, query in lists():
        # Python reads NaN and Infinity, which no other client does.
        data = json.loads((await client.post(query)).text, parse_constant=_refuse)
        assert "errors" not in data, (name, data)
        counts[name] = len(data["data"]["it"]["nodes"])
    return counts


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def complaint(said: Any) -> str | None:
    """What is wrong with an answer: no payload, and no refusal with a code and a field."""
    if errors := said.get("errors"):
        codes = {error["extensions"]["code"] for error in errors}
        return None if codes <= {"invalid"} else f"errors {codes}"
    it = said["data"]["it"]
    problems = [it] if it["__typename"] == "Problem" else [each["problem"] for each in it.get("results", ())]
    for problem in filter(None, problems):
        if problem["code"] not in CODES or (problem["code"] == "invalid" and not problem["field"]):
            return f"{problem}"
    return None


@pytest.mark.slow
async def test_no_number_of_an_input_poisons_a_list(api: Api, *, nightly: bool) -> None:
    client = api.client(roles=("maintainer",))
    own = await owned(client)
    counts = await read_all(client)
    assert counts["goals"] == counts["pendingActions"] == counts["observations"] == 1
    wrong: list[str] = []
    tried = 0
    for mutation, taken in TAKEN.items():
        type_ = input_type(mutation)
        numbers = [
            (path, many)
            for path, leaf, many in tried_leaves(mutation, nightly=nightly)
            if leaf.name in NUMBERS
        ]
        for path, many in numbers:
            # With each change one of them for each place, in turns.
            for value in in_turns(EXTREMES, tried, nightly=nightly):
                given = put(taken(own), type_, path, [value] if many else value)
                if mutation in REMEMBERED:
                    given["turnId"] = f"t{tried}"
                tried += 1
                response = await client.post(problem_mutation(mutation), input=given)
                said = json.loads(response.text, parse_constant=_refuse)
                if found := complaint(said):
                    wrong.append(f"{mutation}.{spelled(path)} = {value}: {found}")
        if nightly:
            await read_all(client)
    await read_all(client)
    assert wrong == []
    assert tried > (500 if nightly else 50)


@pytest.mark.covers("ACT-08")
async def test_an_effort_and_a_due_time_have_the_bounds_that_are_promised(api: Api) -> None:
    client = api.client()
    document = problem_mutation("upsertPendingActions")

    async def refused(**given: Any) -> list[str]:
        """The fields that an upsert of one action names as wrong."""
        action = {"title": "a", "type": "research", **given}
        it = (await client.run(document, input={"actions": [action]}))["it"]
        return [each["field"] for each in it.get("problems", ())]

    for effort in (1e-300, 1e300, None):
        assert await refused(effort=effort) == []
    for effort in (0, -1, 9.9e-301, 1.1e300):
        assert await refused(effort=effort) == ["actions[0].effort"]
    assert await refused(dueAt="2026-12-01T10:00:00+01:00") == []
    assert await refused(dueAt="2026-12-01T10:00:00") == ["actions[0].dueAt"]
    assert len(await api.world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.uid")) == 4


@pytest.mark.covers("ACT-27")
async def test_an_effort_that_was_stored_before_the_bounds_poisons_no_list(api: Api) -> None:
    client = api.client()
    await owned(client)
    (row,) = await api.world.rows(
        "MATCH (a:PendingAction {org_id: $org}) SET a.effort = 1e-308, a.density = 4.0 / 0.0 "
        "RETURN a.density AS density"
    )
    assert row["density"] == math.inf

    assert (await read_all(client))["pendingActions"] == 1


def arguments() -> Iterator[tuple[str, str, str]]:
    """Every number that a list takes, as an argument or in its filter: how it is written, and its type."""
    assert SCHEMA.query_type
    for name, field in SCHEMA.query_type.fields.items():
        if any(map(is_required_argument, field.args.values())):
            continue
        for argument, taken in field.args.items():
            named = get_named_type(taken.type)
            if named.name in NUMBERS:
                yield name, f"{argument}: $v", named.name
            elif isinstance(named, GraphQLInputObjectType):
                for inner, below in named.fields.items():
                    if (kind := get_named_type(below.type).name) in NUMBERS:
                        assert not is_non_null_type(below.type)
                        yield name, f"{argument}: {{{inner}: $v}}", kind


async def test_no_number_of_an_argument_is_an_internal_error(api: Api) -> None:
    client = api.client(roles=("maintainer",))
    wrong: list[str] = []
    tried = list(arguments())
    for name, argument, kind in tried:
        for value in EXTREMES:
            query = f"query ($v: {kind}) {{ it: {name}({argument}) {{ __typename }} }}"
            response = await client.post(query, v=value)
            said = json.loads(response.text, parse_constant=_refuse)
            codes = {error["extensions"]["code"] for error in said.get("errors", ())}
            if not codes <= {"invalid"}:
                wrong.append(f"{name}({argument}) {value}: {said}")
    assert wrong == []
    assert {"observations", "goals", "pendingActions", "questions", "stories"} <= {
        name for name, _, _ in tried
    }
