"""Entities through GraphQL over HTTP."""

from __future__ import annotations

import pytest

from prefrontal.graph.entities.rules import entity_id
from tests.api.conftest import Api

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

ADD = """
mutation ($input: AddObservationInput!) {
  addObservation(input: $input) {
    ... on AddObservationPayload { observation { id version entities { edges { name kind node { id } } } } }
    ... on Problem { code field }
  }
}"""
CHANGE = """
mutation ($input: UpdateObservationInput!) {
  updateObservation(input: $input) {
    ... on UpdateObservationPayload { observation { entities { edges { name kind } } } }
    ... on Problem { code field }
  }
}"""
ONE = "name kind mentionCount observations { nodes { id entities { edges { name } } } }"
ENTITY = f"query ($id: ID!) {{ entity(id: $id) {{ {ONE} }} node(id: $id) {{ id ... on Entity {{ name }} }} }}"


async def test_an_entity_and_what_mentions_it(api: Api) -> None:
    client = api.client("bot")
    given = {"content": "Ann likes tea", "entities": [{"name": "Ann", "kind": "person"}, {"name": "tea"}]}
    added = (await client.run(ADD, input=given))["addObservation"]["observation"]
    uid = entity_id(api.world.org_id, "ann")
    assert added["entities"]["edges"][0] == {"name": "Ann", "kind": "person", "node": {"id": uid}}

    found = await client.run(ENTITY, id=uid)
    assert found["entity"] == {
        "name": "Ann",
        "kind": "person",
        "mentionCount": 1,
        "observations": {
            "nodes": [{"id": added["id"], "entities": {"edges": [{"name": "Ann"}, {"name": "tea"}]}}]
        },
    }
    assert found["node"] == {"id": uid, "name": "Ann"}

    changed = await client.run(CHANGE, input={"id": added["id"], "entities": [{"name": "Bob"}]})
    assert changed["updateObservation"]["observation"]["entities"] == {
        "edges": [{"name": "Bob", "kind": None}]
    }
    assert await client.run(ENTITY, id=uid) == {"entity": None, "node": None}
    listed = await client.run("{ entities { totalCount nodes { name } pageInfo { hasNextPage } } }")
    assert listed["entities"] == {
        "totalCount": 1,
        "nodes": [{"name": "Bob"}],
        "pageInfo": {"hasNextPage": False},
    }


async def test_an_entity_of_another_space_answers_like_an_unknown_one(api: Api) -> None:
    await api.client("bot").run(ADD, input={"content": "x", "entities": [{"name": "Secret Project"}]})
    other = api.client("other")
    uid = entity_id(api.world.org_id, "Secret Project")

    assert await other.run(ENTITY, id=uid) == {"entity": None, "node": None}
    assert await other.run(ENTITY, id="ent_01JBXM3Z8K0QF3W4T9V2C7H5RD") == {"entity": None, "node": None}
    listed = await other.run(
        '{ entities(filter: {prefix: "secret"}) { totalCount nodes { id } } '
        'observations(filter: {entities: ["secret project"]}) { totalCount } }'
    )
    assert listed == {"entities": {"totalCount": 0, "nodes": []}, "observations": {"totalCount": 0}}
