"""What has a history writes it: no statement changes a versioned node without its `Version`."""

from __future__ import annotations

import re

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.storage.queries import Query, load_queries
from prefrontal.graph.storage.schema_of_nodes import declared_schema, node_classes
from tests.contract.cypher_text import changes_of, code_of, sets_property

_NODES = declared_schema(node_classes())
# `Memory` stands for its kinds; of these, observations are versioned by status, see `lacks_version`. Passages
# follow from the text of their memory, which has the versions; a text of a session alone has no history.
VERSIONED = {
    kind
    for edge in _NODES.edges
    if edge.type == "OF"
    for kind in _NODES.kinds_of(edge.end) or [edge.end]
    if kind not in ("Observation", "Passage", "Fragment")
}
_WRITES_VERSION = re.compile(r"CREATE\s*\((\w+):Version(?:\)|\b.*CREATE\s*\(\1\))-\[:OF\]->", re.DOTALL)


def lacks_version(text: str) -> bool:
    """Whether a statement changes what is versioned and writes no version."""
    # Taking a lock is no change.
    text = re.sub(r"SET \w+\.locked_at = \$now\b(?!,)", "", text)
    # That a log was compacted says nothing of the action itself.
    text = re.sub(r"SET \w+\.compacted_at = \$now\b(?!,)", "", text)
    # Vectors and terms follow from the text, and are no content of a version.
    text = re.sub(r"SET \w+\.(terms|embedd\w+) = .*(?:\n\s+\w+\.embedd\w+ = .*)*", "", text)
    text = re.sub(r"(?:SET|REMOVE) \w+:Unembedded\b(?!,)", "", text)
    # That a type was never named is a mark until it is; the statement that names the type writes the version.
    text = re.sub(r"REMOVE \w+\.untyped\b(?!,)", "", text)
    changed = changes_of(text, VERSIONED)
    # What is remembered gets its label from the row; observations are memories too, versioned by status.
    changed |= changes_of(text, {"Memory"}) - changes_of(text, {"Observation", "Passage", "Fragment"})
    status = sets_property(text, "Observation", "status") or sets_property(text, "Memory", "status")
    return bool(changed or status) and not _WRITES_VERSION.search(code_of(text))


def writers() -> list[Query]:
    return [query for query in load_queries(ROOT / "cypher").values() if query.mode == "write"]


@pytest.mark.parametrize("query", writers(), ids=lambda query: query.name)
def test_a_change_of_a_versioned_kind_writes_its_version(query: Query) -> None:
    assert not lacks_version(query.text)


def test_the_rule_sees_the_queries_that_it_is_about() -> None:
    seen = {
        query.name
        for query in writers()
        if changes_of(query.text, VERSIONED | {"Memory"})
        or sets_property(query.text, "Observation", "status")
    }

    assert {
        "goals/create_goal",
        "actions/create_pending_actions",
        "memory/remember",
        "proposals/open_proposals",
        "scratch/expire_observations",
    } <= seen


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (g:Goal {uid: $uid}) SET g.status = 'completed'",
        "MATCH (g:Goal {uid: $uid}) SET g.updated_at = $now, g.status = 'completed'",
        "MATCH (g:Goal {uid: $uid}) SET g.locked_at = $now, g.status = 'completed'",
        "MATCH (a:PendingAction {uid: $uid}) REMOVE a.due_at",
        "CREATE (m:Mandate) SET m = $properties",
        "CREATE (m:Memory) SET m = row.properties, m:$(row.label)",
        "MATCH (o:Observation {uid: $uid}) SET o.status = 'archived', o.version = o.version + 1",
        "MATCH (g:Goal {uid: $uid}) SET g += $changes // CREATE (v:Version) CREATE (v)-[:OF]->(g)",
        "MATCH (g:Goal {uid: $uid}) SET g += $changes CREATE (v:Version) SET v = $version",
    ],
)
def test_a_change_without_its_version_is_found(text: str) -> None:
    assert lacks_version(text)


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (o:Observation {uid: $uid}) SET o.linked_at = $now",
        "MATCH (g:Goal {uid: $uid}) SET g.locked_at = $now RETURN g",
        "MATCH (g:Goal {uid: $uid}) RETURN g.status AS status",
        "MATCH (g:Goal {uid: $uid}) SET g += $new CREATE (v:Version) SET v = $version CREATE (v)-[:OF]->(g)",
    ],
)
def test_what_needs_no_version_or_has_one_is_let_be(text: str) -> None:
    assert not lacks_version(text)


ENDING = {"EVIDENCES", "CHILD_OF", "DERIVED_FROM", "ABOUT", "CONTRADICTS", "BLOCKS", "MAY"}
_RELATIONSHIP = re.compile(r"\[\s*(\w+)\s*:\s*([A-Z_|]+)")


def deletes_history(text: str) -> bool:
    """Whether a statement deletes a link that is to end, so that earlier times can still be asked for."""
    code = code_of(text)
    ending = {name for name, types in _RELATIONSHIP.findall(code) if ENDING & set(types.split("|"))}
    deleted = re.findall(r"\bDELETE\s+(\w+(?:\s*,\s*\w+)*)", code)
    return any(name in ending for names in deleted for name in re.split(r"\s*,\s*", names))


@pytest.mark.parametrize("query", writers(), ids=lambda query: query.name)
def test_a_link_that_can_end_is_ended_and_not_deleted(query: Query) -> None:
    assert not deletes_history(query.text)


def test_a_link_that_is_deleted_is_found() -> None:
    assert deletes_history("MATCH (o)-[link:EVIDENCES]->(g) DELETE link")
    assert deletes_history("MATCH (g)-[old:CHILD_OF|DERIVED_FROM]->(p) WITH old DELETE old")
    assert not deletes_history("MATCH (o)-[old:TAGGED]->(t) DELETE old")
