"""The schema as a contract: written down, permitted, answerable, repeatable, described.

Each rule is a function from a schema to its breaches, shown to find one in a small broken schema first.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest
import strawberry
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLUnionType,
    get_named_type,
    parse,
    print_schema,
    validate,
)
from graphql import build_schema as parsed

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.permissions import DECIDES, MAINTAINS, WRITES, Requires
from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph import errors
from prefrontal.graph.caller import Permission
from prefrontal.graph.config.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
Rule = Callable[[strawberry.Schema], list[str]]


@pytest.fixture(scope="module")
def schema() -> strawberry.Schema:
    return build_schema(Settings())


@pytest.fixture(scope="module")
def exporting() -> ModuleType:
    spec = importlib.util.spec_from_file_location("export_schema", ROOT / "scripts" / "export_schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def mutations(schema: strawberry.Schema) -> Iterator[tuple[str, Any, Any]]:
    """Every mutation's name, as strawberry and as GraphQL know it."""
    assert schema._schema.mutation_type is not None
    definition = schema.get_type_by_name("Mutation")
    known = {schema.config.name_converter.get_graphql_name(f): f for f in definition.fields}
    for name, field in schema._schema.mutation_type.fields.items():
        yield name, known[name], field


OWN_ACCESS = {"acceptGrant", "leaveSpace", "acknowledgeEvents", "resetEventConsumer"}
"""What everybody decides about its own access and its own place, also who may only read."""


def fields_without_permission(schema: strawberry.Schema) -> list[str]:
    """Mutations that do not declare who may call them, or let whoever may only read."""
    found = []
    for name, declared, _ in mutations(schema):
        needed = [e.permission for e in declared.extensions if isinstance(e, Requires)]
        if not needed or (Permission.READ in needed and name not in OWN_ACCESS):
            found.append(name)
    return found


def without_problem(schema: strawberry.Schema) -> list[str]:
    """Mutations that do not answer with their payload or a Problem, or do not show `ok` and `problem`."""
    found = []
    for name, _, field in mutations(schema):
        answer = get_named_type(field.type)
        upper = name[0].upper() + name[1:]
        kinds, shown, shared = set(), {}, []
        if isinstance(answer, GraphQLInterfaceType):
            kinds = {kind.name for kind in schema._schema.get_possible_types(answer)}
            shown = {key: str(each.type) for key, each in answer.fields.items()}
            shared = [each.name for each in answer.interfaces]
        if (
            kinds != {f"{upper}Payload", "Problem"}
            or answer.name != f"{upper}Result"
            or shown != {"ok": "Boolean!", "problem": "Problem"}
            or shared != ["MutationResult"]
        ):
            found.append(name)
    return found


def document_of_all(schema: strawberry.Schema) -> str:
    """Every mutation of the schema, as one document with nothing but the shared fields."""
    given = {name: field.args["input"].type for name, _, field in mutations(schema)}
    variables = " ".join(f"${name}: {kind}" for name, kind in given.items())
    fields = " ".join(
        f"{name}(input: ${name}) {{ ok problem {{ code message field }} ... on Problem {{ code }} }}"
        for name in given
    )
    return f"mutation ({variables}) {{ {fields} }}"


def not_repeatable(schema: strawberry.Schema) -> list[str]:
    """Mutations that do not take one input with an optional idempotencyKey."""
    found = []
    for name, _, field in mutations(schema):
        upper = name[0].upper() + name[1:]
        given = field.args.get("input")
        kind = get_named_type(given.type) if given else None
        fields = kind.fields if isinstance(kind, GraphQLInputObjectType) else {}
        named = list(field.args) == ["input"] and kind is not None and kind.name == f"{upper}Input"
        if not named or str(getattr(fields.get("idempotencyKey"), "type", "")) != "String":
            found.append(name)
    return found


def undescribed(schema: strawberry.Schema) -> list[str]:
    """Types, inputs, unions, enums, and fields of Query and Mutation that nobody described."""
    roots = {"Query", "Mutation"}
    described = (
        GraphQLObjectType,
        GraphQLInterfaceType,
        GraphQLInputObjectType,
        GraphQLUnionType,
        GraphQLEnumType,
    )
    found = []
    for name, kind in schema._schema.type_map.items():
        if name.startswith("__") or not isinstance(kind, described):
            continue
        if name in roots:
            assert isinstance(kind, GraphQLObjectType)
            found += [f"{name}.{key}" for key, field in kind.fields.items() if not field.description]
        elif not kind.description:
            found.append(name)
    return sorted(found)


def badly_paged(schema: strawberry.Schema) -> list[str]:
    """Fields that give a connection without taking `first` and `after`, or without saying where it ends."""
    found = []
    for name, kind in schema._schema.type_map.items():
        if not isinstance(kind, GraphQLObjectType) or name.startswith("__"):
            continue
        for key, field in kind.fields.items():
            answer = get_named_type(field.type)
            if answer.name.endswith("Connection"):
                assert isinstance(answer, GraphQLObjectType)
                if not (
                    {"first", "after"} <= set(field.args) and {"nodes", "pageInfo"} <= set(answer.fields)
                ):
                    found.append(f"{name}.{key}")
    return found


def leaking(schema: strawberry.Schema) -> list[str]:
    """Fields of types that show what is never shown: embeddings; and arguments that say who asks."""
    found = []
    for name, kind in schema._schema.type_map.items():
        if not isinstance(kind, GraphQLObjectType) or name.startswith("__"):
            continue
        for key, field in kind.fields.items():
            if "embedding" in key.lower():
                found.append(f"{name}.{key}")
            found += [f"{name}.{key}({a})" for a in field.args if a in ("orgId", "agentId", "organisation")]
    return found


@strawberry.enum
class Colour(Enum):
    RED = "red"


@strawberry.input
class PaintInput:
    colour: Colour


@strawberry.type
class PaintPayload:
    embedding: list[float]


@strawberry.type
class PaintConnection:
    nodes: list[PaintPayload]


@strawberry.type(name="Query")
class BrokenQuery:
    @strawberry.field
    def paints(self, org_id: str) -> PaintConnection:
        raise NotImplementedError(org_id)


@strawberry.type(name="Mutation")
class BrokenMutation:
    @strawberry.mutation(extensions=[Requires(Permission.READ)])
    async def paint(self, given: Annotated[PaintInput, strawberry.argument(name="input")]) -> PaintPayload:
        raise NotImplementedError(given)

    @strawberry.mutation
    async def spill(
        self, colour: Colour
    ) -> Annotated[PaintPayload | Problem, strawberry.union("SpillResult")]:
        raise NotImplementedError(colour)


BROKEN = strawberry.Schema(query=BrokenQuery, mutation=BrokenMutation)

RULES: list[tuple[Rule, list[str]]] = [
    (fields_without_permission, ["paint", "spill"]),
    (without_problem, ["paint", "spill"]),
    (not_repeatable, ["paint", "spill"]),
    (
        undescribed,
        [
            "Colour",
            "Mutation.paint",
            "Mutation.spill",
            "PaintConnection",
            "PaintInput",
            "PaintPayload",
            "Query.paints",
            "SpillResult",
        ],
    ),
    (badly_paged, ["Query.paints"]),
    (leaking, ["PaintPayload.embedding", "Query.paints(orgId)"]),
]


@pytest.mark.parametrize(("rule", "breaches"), RULES, ids=[rule.__name__ for rule, _ in RULES])
def test_each_rule_finds_its_breaches_and_the_schema_has_none(
    schema: strawberry.Schema, rule: Rule, breaches: list[str]
) -> None:
    assert sorted(rule(BROKEN)) == breaches
    assert rule(schema) == []


def test_the_shared_fields_are_a_selection_of_every_mutation(schema: strawberry.Schema) -> None:
    assert validate(schema._schema, parse(document_of_all(schema))) == []


def test_there_are_mutations_to_look_at(schema: strawberry.Schema) -> None:
    named = [name for name, _, _ in mutations(schema)]
    assert {"addObservation", "addObservations", "createGoal", "remember", "assembleContext"} <= set(named)
    assert {WRITES.permission, MAINTAINS.permission, DECIDES.permission} == {
        e.permission
        for _, declared, _ in mutations(schema)
        for e in declared.extensions
        if isinstance(e, Requires)
    }


def test_the_committed_schema_is_the_one_that_is_served(
    schema: strawberry.Schema, exporting: ModuleType
) -> None:
    text = (ROOT / "schema.graphql").read_text()
    assert text == exporting.schema_text()
    # Nothing but the breaks of lines differs from the schema that is served.
    assert print_schema(parsed(text)) == print_schema(parsed(schema.as_str()))


def test_the_check_finds_a_stale_file_and_writes_nothing(
    exporting: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale, page = tmp_path / "schema.graphql", tmp_path / "errors.md"
    stale.write_text("type Query { old: Int }\n")
    page.write_text(f"# Words stay\n{exporting.BEGIN}\nold\n{exporting.END}\nand these\n")
    monkeypatch.setattr(exporting, "SCHEMA", stale)
    monkeypatch.setattr(exporting, "ERRORS", page)
    assert exporting.main(["--check"]) == 1
    assert "schema.graphql is not up to date" in capsys.readouterr().err
    assert stale.read_text() == "type Query { old: Int }\n"
    assert exporting.main([]) == 0
    assert exporting.main(["--check"]) == 0
    assert page.read_text().startswith("# Words stay\n")
    assert page.read_text().endswith("\nand these\n")
    page.write_text("no marks")
    with pytest.raises(ValueError, match="lacks the marks"):
        exporting.main(["--check"])


def test_the_table_of_codes_has_every_error_and_what_to_do(exporting: ModuleType) -> None:
    page = (ROOT / "docs" / "errors.md").read_text()
    assert exporting.errors_text(page) == page
    named = {
        kind.code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.PrefrontalError)
    }
    rows = [line.split("|") for line in exporting.code_table().splitlines()[2:]]
    assert {row[1].strip(" `") for row in rows} == named
    assert len(rows) == len(named)
    assert set(exporting.TO_DO) == named, "advice for a code that no error has"
    assert all(len(row) == 5 and row[2].strip() and row[3].strip() for row in rows)


def test_every_code_stands_in_the_tree_of_the_docstring() -> None:
    tree = errors.__doc__ or ""
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, errors.PrefrontalError):
            line = next(line for line in tree.splitlines() if f" {kind.__name__} " in line)
            assert kind is errors.PrefrontalError or kind.code in line.split()


def test_ids_are_never_null_and_lists_never_hold_null(schema: strawberry.Schema) -> None:
    for name, kind in schema._schema.type_map.items():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and not name.startswith("__"):
            for key, field in kind.fields.items():
                text = str(field.type)
                assert key != "id" or text == "ID!", (name, key)
                assert "[" not in text or "!]" in text, (name, key)
