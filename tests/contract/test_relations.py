"""Every relation is declared on both ends, written by a statement, and keeps its cardinality."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from neo4j import GraphDatabase
from neomodel import OneOrMore, StringProperty, ZeroOrOne, db
from neomodel.exceptions import CardinalityViolation

from prefrontal.api.demo.load import tell_story
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.goals.node import Goal
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, UnlinkObservation, UpsertGoal
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.node import Node
from prefrontal.graph.relations import CHILD_OF, GOAL, OBSERVATION, Relation
from prefrontal.graph.scratch.node import Observation
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema_of_nodes import (
    Cardinality,
    Edge,
    End,
    NodeSchema,
    declared_schema,
    node_classes,
)
from tests.contract.cypher_text import written_edges
from tests.support.cardinality import edges_in, undeclared, violations
from tests.support.world import World


@pytest.fixture(scope="module")
def declared() -> NodeSchema:
    return declared_schema(node_classes())


def one_sided(schema: NodeSchema) -> set[Edge]:
    """The relations of which only one end is declared."""
    out = {end.edge for end in schema.ends if end.outgoing}
    into = {end.edge for end in schema.ends if end.outgoing is False}
    return out ^ into


def written(schema: NodeSchema) -> set[Edge]:
    """Every relation that a statement creates, between the most special of the labels in the statement."""

    def special(labels: frozenset[str]) -> frozenset[str]:
        return labels.difference(*(schema.parents[label] for label in labels))

    found = set()
    for query in load_queries(ROOT / "cypher").values():
        for starts, kind, ends in written_edges(query.text):
            assert starts, f"{query.name}: {kind} begins at a node without a label"
            assert ends, f"{query.name}: {kind} ends at a node without a label"
            found |= {Edge(start, kind, end) for start in special(starts) for end in special(ends)}
    return found


def test_every_relation_is_declared_on_both_ends(declared: NodeSchema) -> None:
    assert one_sided(declared) == set()


def test_every_relation_of_a_statement_is_declared(declared: NodeSchema) -> None:
    assert undeclared(declared, written(declared)) == set()


def test_every_declared_relation_is_written_by_a_statement(declared: NodeSchema) -> None:
    made = written(declared)
    special = {
        edge: {
            Edge(start, edge.type, end)
            for start in (edge.start, *declared.kinds_of(edge.start))
            for end in (edge.end, *declared.kinds_of(edge.end))
        }
        for edge in declared.edges
    }
    assert {edge for edge, kinds in special.items() if not kinds & made} == set()


def test_the_reader_of_statements_sees_the_direction() -> None:
    text = (
        "MATCH (g:Goal {uid: $x})<-[:MAY]-(a:Actor), (o:Observation&Memory) "
        "CREATE (o)-[link:EVIDENCES {weight: 1.0}]->(g) MERGE (g)<-[:MAY]-(a) CREATE (:Tag)-[:NEAR]->(g) "
        "UNWIND [g, a] AS member CREATE (member)-[:IN]->(:Space)"
    )

    assert written_edges(text) == {
        (frozenset({"Observation", "Memory"}), "EVIDENCES", frozenset({"Goal"})),
        (frozenset({"Actor"}), "MAY", frozenset({"Goal"})),
        (frozenset({"Tag"}), "NEAR", frozenset({"Goal"})),
        (frozenset({"Goal", "Actor"}), "IN", frozenset({"Space"})),
    }


def test_a_relation_that_is_declared_once_or_never_is_found(declared: NodeSchema) -> None:
    class Gadget(Node):
        maker = StringProperty()
        owners = Relation("OWNS").from_(GOAL, OneOrMore)
        copies = CHILD_OF.to(OBSERVATION, ZeroOrOne)

    gadget = declared_schema([Gadget])

    many, one = Cardinality.ONE_OR_MORE, Cardinality.ZERO_OR_ONE
    assert gadget.ends == {
        End("Gadget", "owners", "OWNS", "Goal", outgoing=False, cardinality=many, ends=False),
        End("Gadget", "copies", "CHILD_OF", "Observation", outgoing=True, cardinality=one, ends=True),
    }
    assert one_sided(gadget) == {Edge("Goal", "OWNS", "Gadget"), Edge("Gadget", "CHILD_OF", "Observation")}
    strange = {Edge("Goal", "ADVANCES", "Goal"), Edge("Observation", "EVIDENCES", "Goal")}
    assert undeclared(declared, strange) == {Edge("Goal", "ADVANCES", "Goal")}


async def test_the_demo_keeps_the_cardinalities(declared: NodeSchema, world: World) -> None:
    org = f"{world.org}-demo"
    story = await tell_story(world.services, org, now=world.clock.now())
    try:
        assert undeclared(declared, await edges_in(world, story.org_id)) == set()
        assert await violations(world, story.org_id, declared) == []
    finally:
        await clear_organisation(world.services, org)


async def test_a_broken_cardinality_is_found(declared: NodeSchema, world: World) -> None:
    caller = await world.caller()
    goals = [
        await world.services.goals.service.create(caller, CreateGoal(title=title))
        for title in ("a", "b", "c")
    ]
    a, b, c = (goal.uid for goal in goals)
    await world.rows(
        "MATCH (a {uid: $a}), (b {uid: $b}), (c {uid: $c}), (v:Version)-[of:OF]->(c) "
        "CREATE (a)-[:CHILD_OF]->(b), (a)-[:CHILD_OF]->(c), (b)-[:CHILD_OF {until: datetime()}]->(c) "
        "DELETE of CREATE (:Version {org_id: $org, uid: 'v'})-[:OF]->(:Question {org_id: $org, uid: 'q'})"
        "<-[:OF]-(:Version {org_id: $org, uid: 'w'})-[:OF]->(b)",
        a=a,
        b=b,
        c=c,
    )

    assert await violations(world, world.org_id, declared) == [
        f"Goal.parent 0..1: {a} leads to 2",
        f"Goal.versions 1..*: {c} leads to 0",
        "Version.group of: w leads to 2",
    ]


@pytest.fixture
async def connected(neo4j: Endpoint) -> AsyncIterator[None]:
    """neomodel's own connection to the server of the tests."""
    driver = GraphDatabase.driver(
        neo4j.uri, auth=(neo4j.user, neo4j.password), notifications_min_severity="OFF"
    )
    db.set_connection(driver=driver)
    yield
    db.close_connection()
    driver.close()


@pytest.mark.usefixtures("connected")
async def test_the_classes_lead_along_the_links_in_force(world: World) -> None:
    caller = await world.caller()
    notes = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=text) for text in ("one", "two")]
    )
    evidence = tuple(EvidenceDraft(observation_id=note.uid) for note in notes)
    create = world.services.goals.service.create
    old, new = [await create(caller, CreateGoal(title=title)) for title in ("old", "new")]
    goal = await create(caller, CreateGoal(title="goal", parent_goal_id=old.uid, evidence=evidence))
    await world.services.goals.upsert.upsert(caller, UpsertGoal(id=goal.uid, parent_goal_id=new.uid))
    await world.services.goals.evidence.unlink(
        caller, UnlinkObservation(goal_id=goal.uid, observation_id=notes[0].uid)
    )

    def walk() -> None:
        node = Goal.nodes.get(uid=goal.uid)
        assert node.parent.single().title == "new"
        before = node.parent.all_relationships(Goal.nodes.get(uid=old.uid))
        assert [link.until is None for link in before] == [False]
        assert node.parent.relationship(Goal.nodes.get(uid=old.uid)) is None
        assert Goal.nodes.get(uid=old.uid).children.all() == []
        (left,) = node.evidence.all()
        assert (type(left), left.content) == (Observation, "two")
        assert (len(node.evidence), len(node.versions)) == (1, 2)
        assert node.evidence.match(confidence__gt=2).all() == []
        assert [found.title for found in left.goals.all()] == ["goal"]
        assert Observation.nodes.get(uid=notes[0].uid).goals.all() == []

    await asyncio.to_thread(walk)
    await world.rows(
        "MATCH (g {uid: $uid}), (o:Goal {title: 'old', org_id: $org}) CREATE (g)-[:CHILD_OF]->(o)",
        uid=goal.uid,
    )

    def walk_again() -> None:
        with pytest.raises(CardinalityViolation):
            Goal.nodes.get(uid=goal.uid).parent.single()

    await asyncio.to_thread(walk_again)
