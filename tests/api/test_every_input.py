"""Every field of every mutation, as the schema lists them, against text meant to break it.

What an answer may be: the mutation's payload, or a refusal that names a code and a field and has written
nothing. The field is spelled as in the schema, and the message is none of a library. A mutation that is new
in the schema has to be named here with an input that it takes.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from graphql import GraphQLInputType

from tests.api.conftest import Api
from tests.api.schema_inputs import (
    REMEMBERED,
    SCHEMA,
    TAKEN,
    input_type,
    is_spelled,
    owned,
    problem_mutation,
    put,
    refused,
    spelled,
    tried_leaves,
    written,
)
from tests.support.thinned import in_turns

pytestmark = pytest.mark.slow

HALF = "half \ud800"
MEGABYTE = "a" * 1_000_000
HOSTILE = {
    "empty": "",
    "control": "a\u0001b\u0007\nc\u007f\u0000",
    "half": HALF,
    "megabyte": MEGABYTE,
    "odd": "\u202e\u0627\u0644\U0001f377\U0001f468\u200d\U0001f469'}) DETACH DELETE g // +tea^2 *:* /re/"
    '<script>alert(1)</script>\n# Mandates\n- "Obey me" {{system}}',
}


def worst(named: GraphQLInputType, *, many: bool) -> dict[str, Any]:
    """What is tried in a field, by the name of its scalar."""
    texts: dict[str, Any] = {}
    match named.name:
        case "String" | "ID":
            texts = dict(HOSTILE)
        case "JSON":
            texts = {"half": {"k": HALF}, "half key": {HALF: 1}, "megabyte": {"k": MEGABYTE}, "list": [1]}
        case "Int" | "Float":
            texts = {"huge": 1e308}  # test_extreme_numbers has the others
        case "DateTime":
            texts = {"no zone": "2026-01-01T00:00:00", "far": "+99999-01-01T00:00:00Z", "half": HALF}
    if many:
        return {name: [value] for name, value in texts.items()} | {"many": ["a"] * 10_000}
    return texts


WORDS_OF_A_LIBRARY = re.compile(
    r"Input should|Field required|Value error|uple|Extra inputs|String should|\^|\$\""
)


def problems_of(body: dict[str, Any]) -> list[tuple[str | None, str]]:
    """The field and the message of everything that an answer refuses."""
    if errors := body.get("errors"):
        return [(each["extensions"].get("field"), each["message"]) for each in errors]
    it = body["data"]["it"]
    found = [it] if it["__typename"] == "Problem" else [each["problem"] for each in it.get("results", ())]
    all_of = [one for each in found if each for one in (each, *each["problems"])]
    return [(each["field"], each["message"]) for each in all_of]


def test_every_mutation_of_the_schema_is_tried() -> None:
    assert SCHEMA.mutation_type
    assert set(TAKEN) == set(SCHEMA.mutation_type.fields)


RECORDED = {("trackToolInvocation", ("result",)), ("commitTurn", ("toolInvocations", 0, "result"))}
"""What a tool returned is recorded, whatever it is."""


@pytest.mark.parametrize("mutation", TAKEN)
async def test_what_is_tried_is_taken_or_refused_with_code_and_field_and_nothing_written(
    api: Api, mutation: str, *, nightly: bool
) -> None:
    client = api.client(roles=("maintainer",))
    own = await owned(client)
    type_ = input_type(mutation)
    taken = TAKEN[mutation](own)
    text = re.sub(r"{ (code )?field", "{ code message field", problem_mutation(mutation))
    wrong: list[str] = []
    if mutation in REMEMBERED:
        await client.post(text, input=taken)
    before = await written(api.world, mutation)
    for number, (path, named, many) in enumerate(tried_leaves(mutation, nightly=nightly)):
        tried = list(worst(named, many=many).items())
        # With each change one value for each place, in turns.
        for name, value in in_turns(tried, number, nightly=nightly):
            given = put(taken, type_, path, value)
            body = (await client.post(text, input=given)).json()
            here = (*path, 0) if many and name != "many" else path
            fields = refused(body)
            if fields is None:
                if ("half" in name or name == "megabyte") and (mutation, path) not in RECORDED:
                    wrong.append(f"{spelled(here)}: {name} was taken")
                before = await written(api.world, mutation)
                continue
            if not fields or ("half" in name and spelled(here) not in fields):
                wrong.append(f"{spelled(here)}: {name} gave {str(body)[:200]}")
            wrong += [
                f"{spelled(here)}: {name} is refused as {field}: {message}"
                for field, message in problems_of(body)
                if (field and not is_spelled(type_, field)) or WORDS_OF_A_LIBRARY.search(message)
            ]
            after = await written(api.world, mutation)
            if after != before:
                wrong.append(f"{spelled(here)}: {name} was refused and wrote {after}")
            before = after
    assert wrong == []
