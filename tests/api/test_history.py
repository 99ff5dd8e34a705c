"""History over HTTP: versions, what was true, who did what, and the way back."""

from __future__ import annotations

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from tests.api.conftest import Api
from tests.api.test_proposals import FULL, MAINTAINER, review, submit
from tests.api.test_registry import put, registered
from tests.graph.test_scratch_expiry import expire

NIGHTLY = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

MAKE = """mutation ($title: String!, $key: String!) {
  upsertGoal(input: {title: $title, clientKey: $key}) { ... on UpsertGoalPayload { goal { id } } } }"""
HISTORY = """query ($id: ID!) { history(id: $id) {
  totalCount pageInfo { hasNextPage } edges { cursor node { number } }
  nodes { number at by { id } turnId evidence { nodes { id } } evidenceRefs note
    revertedTo request changes { name before after } } } }"""
AS_OF = """query ($id: ID!, $at: DateTime!) { asOf(id: $id, at: $at) {
  node { id } version at by { id } fields links { type node { id } outgoing since until } } }"""
AUDIT = """query ($filter: AuditFilterInput) { auditLog(filter: $filter) {
  nodes { at by { id } operation entityId node { id } version turnId fields
    evidence { nodes { id } } } edges { cursor } } }"""
LINEAGE = """query ($id: ID!, $at: DateTime) { goalLineage(id: $id, at: $at) {
  nodes { id name status } edges { type since until } } }"""
REVERT = """mutation ($id: ID!, $version: Int!, $expected: Int) {
  it: revert(input: {id: $id, version: $version, expectedVersion: $expected}) {
    ... on RevertPayload { version node { id ... on Goal { title version } } warnings { code message } }
    ... on Problem { code field message problems { code message field } } } }"""


async def changed(api: Api) -> tuple[str, str, str]:
    """A goal with two versions, and the times of both."""
    client = api.client()
    made = (await client.run(MAKE, title="Dine", key="dine"))["upsertGoal"]["goal"]
    first = api.world.clock.now().isoformat()
    second = api.world.clock.advance(minutes=1).isoformat()
    await client.run(MAKE, title="Lunch", key="dine")
    return made["id"], first, second


@NIGHTLY
async def test_a_history_is_read_with_what_was_and_what_became(api: Api) -> None:
    uid, *_ = await changed(api)

    found = (await api.client().run(HISTORY, id=uid))["history"]

    assert (found["totalCount"], found["pageInfo"]) == (2, {"hasNextPage": False})
    assert found["nodes"][0]["changes"] == [{"name": "title", "before": "Dine", "after": "Lunch"}]
    assert [edge["node"]["number"] for edge in found["edges"]] == [2, 1]
    kept = {change["name"] for change in found["nodes"][1]["changes"]}
    assert {"id", "title", "parent", "createdAt", "createdBy", "space"} <= kept


@NIGHTLY
async def test_a_record_and_its_lineage_are_read_as_they_were(api: Api) -> None:
    uid, first, second = await changed(api)
    client = api.client()

    then = (await client.run(AS_OF, id=uid, at=first))["asOf"]
    now = (await client.run(AS_OF, id=uid, at=second))["asOf"]

    assert (then["version"], then["fields"]["title"], then["links"]) == (1, "Dine", [])
    assert (then["node"], then["by"]) == ({"id": uid}, {"id": (await api.world.caller()).actor_id})
    assert (now["version"], now["fields"]["title"]) == (2, "Lunch")
    for at, name in ((first, "Dine"), (second, "Lunch"), (None, "Lunch")):
        (node,) = (await client.run(LINEAGE, id=uid, at=at))["goalLineage"]["nodes"]
        assert (node["id"], node["name"]) == (uid, name)
    before = "2001-01-01T00:00:00Z"
    assert (await client.run(AS_OF, id=uid, at=before))["asOf"] is None
    assert (await client.run(LINEAGE, id=uid, at=before))["goalLineage"] is None


ADD = """mutation ($content: String!) { it: addObservation(input: {content: $content, confidence: 1.0,
  ttlMinutes: 30, evaluate: false}) { ... on AddObservationPayload { observation { id } } } }"""
LINK = """mutation ($o: ID!, $g: ID!) { it: linkObservation(input: {observationId: $o, goalId: $g}) {
  ... on LinkObservationPayload { result { before after clamped } } } }"""
EDIT = """mutation ($o: ID!, $content: String!) { it: updateObservation(input: {id: $o, content: $content}) {
  ... on UpdateObservationPayload { observation { version } } } }"""
EVIDENCE = """query ($g: ID!) { goal(id: $g) { progress
  evidence { edges { content node { content status } } } } }"""
TRACE = """{ trace(kinds: [OBSERVATION_EXPIRED]) { nodes { kind message turnId ids } } }"""


@pytest.mark.alone
@pytest.mark.covers("GOAL-47", "TRC-16")
@NIGHTLY
async def test_evidence_is_read_with_its_first_text_after_edits_and_an_expiry_that_the_trace_tells(
    api: Api,
) -> None:
    client = api.client()
    goal, *_ = await changed(api)
    seen = (await client.run(ADD, content="The train leaves at 9"))["it"]["observation"]["id"]
    linked = (await client.run(LINK, o=seen, g=goal))["it"]["result"]
    assert linked == {"before": 0.0, "after": 0.1, "clamped": False}
    api.world.clock.advance(minutes=1)
    assert (await client.run(EDIT, o=seen, content="The train is cancelled"))["it"] == {
        "observation": {"version": 2}
    }
    api.world.clock.advance(minutes=30)
    await expire(api.world)

    found = (await client.run(EVIDENCE, g=goal))["goal"]
    now = {"content": "The train is cancelled", "status": "EXPIRED"}
    assert found["evidence"]["edges"] == [{"content": "The train leaves at 9", "node": now}]
    # The job expired it, in no turn.
    assert (await client.run(TRACE))["trace"]["nodes"] == [
        {"kind": "OBSERVATION_EXPIRED", "message": "Observation expired", "turnId": None, "ids": [seen]}
    ]
    assert (await api.client("other").run(TRACE))["trace"]["nodes"] == []


@pytest.mark.covers("VER-05")
@NIGHTLY
async def test_the_turn_of_a_change_is_a_node_for_those_who_may_read_it(api: Api) -> None:
    bot = await api.world.caller()
    space = await api.world.services.access.create_space(bot, CreateSpace(name="team"))
    await api.world.caller("other")
    reader = Actor(kind=ActorKind.AGENT, key="other")
    await api.world.grant(
        await api.world.caller(), GrantAccess(space=space, actor=reader, permission=SpacePermission.READ)
    )
    make = """mutation ($space: ID!, $title: String!, $turn: String) {
      upsertGoal(input: {title: $title, space: $space, turnId: $turn}) { __typename } }"""
    for title, turn in (("Dine", "turn-1"), ("Shop", "turn-2"), ("Cook", None)):
        await api.client().run(make, space=space, title=title, turn=turn)
    ask = """{ auditLog(filter: {kind: "goal"}) {
      nodes { turnId turn { key createdBy { id } made { totalCount } } } } }"""

    api.world.statements.clear()
    own = (await api.client().run(ask))["auditLog"]["nodes"]

    made = {"createdBy": {"id": bot.actor_id}, "made": {"totalCount": 1}}
    assert own == [
        {"turnId": None, "turn": None},
        {"turnId": "turn-2", "turn": {"key": "turn-2", **made}},
        {"turnId": "turn-1", "turn": {"key": "turn-1", **made}},
    ]
    assert api.world.statements.counts["turns/find_turns"] == 1
    others = (await api.client("other").run(ask))["auditLog"]["nodes"]
    assert others == [{"turnId": each["turnId"], "turn": None} for each in own]


@NIGHTLY
async def test_a_record_is_taken_back(api: Api) -> None:
    uid, *_ = await changed(api)
    client = api.client()

    refused = (await client.run(REVERT, id=uid, version=1, expected=1))["it"]
    done = (await client.run(REVERT, id=uid, version=1, expected=2))["it"]

    assert (refused["code"], refused["field"]) == ("version_conflict", "expectedVersion")
    assert done == {"version": 3, "node": {"id": uid, "title": "Dine", "version": 3}, "warnings": []}


@pytest.mark.covers("VER-04")
async def test_own_action_types_and_proposals_have_a_history_and_a_past(api: Api) -> None:
    first = await registered(api)
    then = api.world.clock.now().isoformat()
    api.world.clock.advance(minutes=1)
    await put(api, "deprecateActionType", id="survey", note="Ask them in person")
    proposal = await submit(api.client(), **{**FULL, "typeId": "tasting", "displayName": "Tasting"})
    api.world.clock.advance(minutes=1)
    await review(api.client(**MAINTAINER), proposal["id"], comments="Yes")
    client = api.client()

    for uid in (first["override"]["id"], proposal["id"]):
        found = (await client.run(HISTORY, id=uid))["history"]
        assert [version["number"] for version in found["nodes"]] == [2, 1], uid
        logged = (await client.run(AUDIT, filter={"entityId": uid}))["auditLog"]["nodes"]
        assert [entry["version"] for entry in logged] == [2, 1]
    statuses = [c for c in found["nodes"][0]["changes"] if c["name"] == "status"]
    assert statuses == [{"name": "status", "before": "open", "after": "approved"}]
    past = (await client.run(AS_OF, id=first["override"]["id"], at=then))["asOf"]
    assert (past["version"], past["fields"]["inForce"]["deprecation_status"]) == (1, "active")
