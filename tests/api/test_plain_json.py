"""What leaves the service is JSON: no type, no id and no word of a database or of a language is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLScalarType
from jsonschema import Draft202012Validator

from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import ROOT, Settings
from tests.api.conftest import Api
from tests.support.events import relayed

SCALARS = {"Boolean", "DateTime", "Float", "ID", "Int", "JSON", "Priority", "Seq", "String"}
FOREIGN = re.compile(
    # An id of a node of Neo4j, an object or a type of Python, a point or a duration of a driver.
    r"^\d+:[0-9a-f-]{36}:\d+$|<[\w.]+ object at|datetime\.datetime\(|neo4j|neomodel|pydantic|^POINT\(",
    re.IGNORECASE,
)
CLOCK = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\S*$")
TURN = """mutation ($input: CommitTurnInput!) {
  commitTurn(input: $input) { ok problem { code message field }
    ... on CommitTurnPayload { commitStatus export { id text body } } } }"""
GOAL = """mutation { createGoal(input: {title: "Weather", turnId: "t",
  pendingActions: [{title: "Ask", type: "reminder", dueAt: "2026-01-05T10:00:00Z",
    metadata: {a: [1, 2.5, null, true]}}]}) {
    ok problem { code message } ... on CreateGoalPayload { goal { id createdAt progress
      actions { nodes { id dueAt effort metadata score { density } } } } } } }"""
EVENTS = "{ events(first: 100) { id source type subject subjectVersion time seq space by turn data } }"


def strict(text: str) -> Any:
    """Read JSON; what ECMA-404 does not know (NaN, Infinity) is refused."""

    def refuse(name: str) -> None:
        raise ValueError(f"no JSON: {name}")

    return json.loads(text, parse_constant=refuse)


def is_odd_time(text: str) -> bool:
    """Whether a text is a time, but not ISO 8601 with its distance from UTC."""
    try:
        return bool(CLOCK.match(text)) and datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return True


def foreign(value: Any, path: str = "") -> Iterator[str]:
    """Where a JSON value says something that only one technology understands."""
    if isinstance(value, dict):
        for key, each in value.items():
            if FOREIGN.search(key):
                yield f"{path}/{key}"
            yield from foreign(each, f"{path}/{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from foreign(each, f"{path}/{number}")
    elif isinstance(value, str) and (FOREIGN.search(value) or is_odd_time(value)):
        yield path


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": [1, 2.5, None, True, "text"], "at": "2026-01-05T10:00:00Z"}, []),
        ({"at": "2026-01-05T10:00:00"}, ["/at"]),
        ({"at": "2026-01-05T10:00:00.000000000[Europe/Paris]"}, ["/at"]),
        ({"a": [{"id": "4:0a1b2c3d-0000-4000-8000-000000000000:17"}]}, ["/a/0/id"]),
        ({"neo4j.time": 1}, ["/neo4j.time"]),
        ({"a": "datetime.datetime(2026, 1, 5)"}, ["/a"]),
    ],
)
def test_what_is_foreign_is_found(value: Any, found: list[str]) -> None:
    assert list(foreign(value)) == found


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        strict('{"a": NaN}')


@pytest.mark.covers("OPS-65")
def test_the_schema_has_scalars_that_json_can_say_and_no_others() -> None:
    types = build_schema(Settings())._schema.type_map
    assert {name for name, kind in types.items() if isinstance(kind, GraphQLScalarType)} == SCALARS


@pytest.mark.alone
@pytest.mark.covers("OPS-65")
async def test_answers_events_exports_and_files_are_plain_json(api: Api, tmp_path: Path) -> None:
    world, client = api.world, api.client()

    async def sent(query: str, **variables: Any) -> dict[str, Any]:
        found: dict[str, Any] = strict((await client.post(query, **variables)).text)
        assert "errors" not in found, found
        return found

    goal = await sent(GOAL)
    assert goal["data"]["createGoal"]["ok"], goal
    said = {"userInput": "What is the weather?", "assistantResponse": "15 degrees."}
    outcome = {"success": True, "result": "15 degrees"}
    turn = await sent(TURN, input={"turnId": "t", **said, "outcome": outcome})
    assert turn["data"]["commitTurn"]["commitStatus"] == "OK", turn
    await relayed(world)
    events = await sent(EVENTS)
    export = strict(turn["data"]["commitTurn"]["export"]["text"])
    schema = json.loads((ROOT / "docs" / "state_export.schema.json").read_text())
    Draft202012Validator(schema).validate(export)
    path = tmp_path / "organisation.jsonl"
    await world.services.transfer.export.write(world.org_id, world.org, path)
    lines = [strict(line) for line in path.read_text(encoding="utf-8").splitlines()]

    told = events["data"]["events"]
    assert {"goal.created", "pending_action.created", "turn.exported"} <= {each["type"] for each in told}
    assert len(lines) > 20
    for each in (goal, turn, events, export, lines):
        assert list(foreign(each)) == []
