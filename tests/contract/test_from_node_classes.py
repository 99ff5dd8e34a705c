"""What is made from the node classes follows them: style, diagram, attributes, export and erasure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from neomodel import StringProperty

from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.api.fixtures.references import ENDS
from prefrontal.api.fixtures.store import Snapshot, snapshot
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.erasure import store
from prefrontal.graph.node import Node
from prefrontal.graph.relations import GOAL, Relation
from prefrontal.graph.storage.schema_of_nodes import Edge, NodeSchema, declared_schema, node_classes
from prefrontal.graph.storage.unit_of_work import Tx
from scripts import export_graph
from tests.contract.test_schema import GLOBAL
from tests.support.world import World

STAY = {"Organisation", "Actor", "Space", "EventCounter", "OutboxEvent", "Request", "Tombstone", "AccessLog"}
STAY |= {"ActionType", "RegistryProposal", "Entity"}
"""What the erasure of a person's data leaves, wherever it is."""
SHARED = {"Conversation", "Name", "Tag", "Tool", "Topic", "TraceEvent", "Version"}
"""What it takes from the private space alone: elsewhere it goes when nothing else has it."""


class Gadget(Node):
    """A label that no query and no table knows, with a relation of its own."""

    maker = StringProperty()

    owner = Relation("OWNED_BY").to(GOAL)


@pytest.fixture(scope="module")
def declared() -> NodeSchema:
    return declared_schema(node_classes())


@pytest.fixture(scope="module")
def extended() -> NodeSchema:
    return declared_schema([*node_classes(), Gadget])


def test_the_files_are_what_the_node_classes_say() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/export_graph.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_new_label_and_its_relation_are_in_every_file(declared: NodeSchema, extended: NodeSchema) -> None:
    before, after = export_graph.files(declared), export_graph.files(extended)

    def new_lines(path: Path) -> list[str]:
        known = set(before[path].splitlines())
        return [line for line in after[path].splitlines() if line not in known]

    assert [line for line in new_lines(export_graph.STYLE) if line.endswith("{")] == [
        "node.Gadget {",
        "relationship.OWNED_BY {",
    ]
    assert new_lines(export_graph.NOTEBOOK) == [
        "    Gadget -- OWNED_BY --> Goal",
        "| `Gadget` | `owner` | `Goal` | 0..* | `-OWNED_BY->` |",
    ]


def test_a_file_that_differs_from_the_node_classes_is_refused(
    extended: NodeSchema, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(export_graph, "declared_schema", lambda _: extended)

    assert export_graph.main(["--check"]) == 1
    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()] == [
        "style.grass",
        "notebook.md",
    ]


def test_a_colour_of_a_label_that_is_gone_is_refused(declared: NodeSchema) -> None:
    fewer = NodeSchema(
        labels={label: has for label, has in declared.labels.items() if label != "Tag"},
        parents=declared.parents,
        relationships=declared.relationships,
        ends=declared.ends,
    )

    with pytest.raises(ValueError, match="no node class declares Tag"):
        export_graph.style(fewer)


def test_every_label_has_one_style_and_a_label_comes_before_its_kinds(declared: NodeSchema) -> None:
    text = export_graph.style(declared)
    at = {label: text.index(f"node.{label} {{") for label in declared.labels}

    assert text.count("node.") == len(declared.labels)
    assert text.count("relationship.") == len(declared.relationships)
    assert [label for label, above in declared.parents.items() for up in above if at[up] > at[label]] == []


def test_the_edges_of_fixtures_are_declared(declared: NodeSchema) -> None:
    assert {Edge(start, kind, end) for kind, (start, end) in ENDS.items()} <= declared.edges


def test_what_accompanies_a_change_is_what_the_classes_say(declared: NodeSchema) -> None:
    assert declared.accompanying == {
        "AccessLog",
        "Actor",
        "Agent",
        "Checkpoint",
        "Conversation",
        "DeadLetter",
        "EventConsumer",
        "EventCounter",
        "Fragment",
        "Memory",
        "OutboxEvent",
        "Passage",
        "PendingCommit",
        "Remembered",
        "Request",
        "ResultPart",
        "StateExport",
        "Tombstone",
        "Tool",
        "Topic",
        "TraceEvent",
        "Turn",
        "Unembedded",
        "Unsequenced",
        "Untold",
        "Version",
    }


async def test_every_declared_label_and_relation_is_exported_and_erased(
    extended: NodeSchema, world: World
) -> None:
    """Both statements take everything of an organisation, so they need no list of labels."""
    labels = sorted(extended.labels.keys() - GLOBAL - {"Organisation"})
    for label in labels:
        both = ":".join([label, *sorted(extended.parents[label])])
        await world.rows(f"CREATE (:{both} {{org_id: $org, uid: $label}})", label=f"{world.org}-{label}")
    ends = {label: f"{world.org}-{label}" for label in labels} | {"Organisation": world.org_id}
    for start, kind, end in sorted(extended.edges):
        await world.rows(
            f"MATCH (a:{start} {{uid: $a}}), (b:{end} {{uid: $b}}) CREATE (a)-[:{kind}]->(b)",
            a=ends[start],
            b=ends[end],
        )

    async def read(tx: Tx) -> Snapshot:
        return await snapshot(tx, world.org_id)

    found = await world.services.database.read(read)
    assert set(found.counts()) == {*labels, "Organisation"}
    assert {(edge.source, edge.type, edge.target) for edge in found.edges} >= {
        (ends[start], kind, ends[end]) for start, kind, end in extended.edges
    }

    # The organisation itself and its common space as well.
    assert await clear_organisation(world.services, world.org) == len(labels) + 2
    assert await world.rows("MATCH (n) WHERE n.uid IN $all RETURN n.uid", all=list(ends.values())) == []


@pytest.mark.covers("TURN-51")
async def test_the_data_of_a_person_is_found_whatever_its_label(declared: NodeSchema, world: World) -> None:
    """The query has a list of labels, since each has an index of its own: a new one has to be in it."""
    ann, bot = await world.caller(None, person="ann"), await world.caller()
    # `Unembedded` is never the only label of a node.
    labels = declared.labels.keys() - GLOBAL - {"Unembedded"}
    for label in sorted(labels):
        both = ":".join([label, *sorted(declared.parents[label])])
        for where, scope in (("home", ann.home), ("elsewhere", bot.home)):
            await world.rows(
                f"CREATE (:{both} {{org_id: $org, scope_id: $scope, by_uid: $by, uid: $uid, key: $uid, "
                "seq: $seq, label: $label, where: $where})",
                scope=scope,
                by=ann.actor_id,
                uid=f"{where}-{label}",
                seq=f"{where}-{label}",
                label=label,
                where=where,
            )

    async def find(tx: Tx) -> list[str]:
        return await store.find_data(tx, bot, (ann.actor_id, ann.home), ["ann"])

    refs = await world.services.database.read(find)
    rows = await world.rows(
        "UNWIND $refs AS ref MATCH (n) WHERE elementId(n) = ref RETURN n.where AS where, n.label AS label",
        refs=refs,
    )

    stay = {label for label in labels if ({label} | declared.parents[label]) & STAY}
    for where, found in (("home", labels - stay), ("elsewhere", labels - stay - SHARED)):
        assert sorted(row["label"] for row in rows if row["where"] == where) == sorted(found), where
