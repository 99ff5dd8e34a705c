"""A domain stands in each table of domains, kinds or labels where its absence would raise no error."""

from __future__ import annotations

from configparser import ConfigParser

import pytest

from prefrontal.api.graphql.loaders import Loaders
from prefrontal.api.graphql.nodes import NODES, graphql_type
from prefrontal.api.graphql.schema import build_schema
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.ids import Kind
from prefrontal.graph.journal.record import CREATING
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema_of_nodes import declared_schema, node_classes
from tests.contract.cypher_text import names_in


def modules(file: str) -> set[str]:
    """The packages of the graph that have a file of this name."""
    found = {path.relative_to(ROOT).parent for path in (ROOT / "graph").glob(f"*/**/{file}")}
    return {".".join(("prefrontal", *folder.parts)) for folder in found}


def contracts(kind: str, option: str) -> set[str]:
    """The modules that an option of the import contracts of a kind names, without comments."""
    parser = ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    sections = [section for section in parser.values() if section.get("type") == kind]
    return {line for section in sections for line in section.get(option, "").split()}


def test_every_domain_keeps_to_the_vocabulary() -> None:
    assert modules("record.py") - contracts("layers", "containers") == set()


def test_every_store_is_called_by_its_own_domain_alone() -> None:
    stores = {f"{package}.store" for package in modules("store.py")}

    assert stores - contracts("protected", "protected_modules") == set()


def test_every_kind_that_is_shown_by_id_has_its_loader() -> None:
    loaders = {kind: shape.records.__reduce__()[1][0] for kind, shape in NODES.items()}

    assert {kind: name for kind, name in loaders.items() if name not in vars(Loaders)} == {}


def test_what_has_versions_is_linked_to_the_turns_that_wrote_it() -> None:
    edges = declared_schema(node_classes()).edges

    versioned = {edge.end for edge in edges if edge.type == "OF"}
    assert {edge.end for edge in edges if edge.type == "MADE"} == versioned


@pytest.fixture(scope="module")
def with_turn() -> set[Kind]:
    """The kinds whose type has the field `turn`: the turn that created the record."""
    build_schema(Settings())
    kinds = {kind for kind in NODES if hasattr(graphql_type(kind), "turn")}
    # These store the id of their turn.
    kinds -= {Kind.TOOL_INVOCATION, Kind.OUTCOME, Kind.STATE_EXPORT}
    assert Kind.GOAL in kinds
    assert Kind.SPACE not in kinds
    return kinds


def test_a_record_that_shows_its_turn_has_one_event_of_its_creation(with_turn: set[Kind]) -> None:
    created = sorted(event.value.partition(".")[0] for event in CREATING)

    assert {kind.name.lower() for kind in with_turn} - set(created) == set()
    assert len(created) == len(set(created))


def test_the_turn_of_a_record_that_shows_it_is_found(with_turn: set[Kind]) -> None:
    labels = names_in(load_queries(ROOT / "cypher")["turns/find_turns_of"].text).labels

    assert {kind for kind in with_turn if not labels_of(kind) & labels} == set()


def labels_of(kind: Kind) -> set[str]:
    label = "".join(word.capitalize() for word in kind.name.split("_"))
    return {label, *declared_schema(node_classes()).parents[label]}
