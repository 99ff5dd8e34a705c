"""Grants that others offer, over GraphQL: listed, accepted and left, and whose the lines of a context are."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

OFFERS = """{ offeredGrants(first: 5) { totalCount nodes {
    spaceId spaceName permission actor { key } offeredBy { key } } } }"""
GRANT = """mutation ($s: ID!) { it: grantAccess(input: {
    space: $s, actor: {kind: AGENT, key: "victim"}, permission: READ}) {
    ... on GrantAccessPayload { accepted permission actor { key } } ... on Problem { code } } }"""
ACCEPT = """mutation ($s: ID!) { it: acceptGrant(input: {space: $s}) {
    ... on AcceptGrantPayload { space { name goals { nodes { title } } } }
    ... on Problem { code field } } }"""
LEAVE = """mutation ($s: ID!) {
    it: leaveSpace(input: {space: $s}) { ... on LeaveSpacePayload { spaceId } ... on Problem { code field } }
    then: createGoal(input: {title: "after", space: $s}) { ... on Problem { code } } }"""
REMEMBER = """mutation ($s: ID) { remember(input: {
    memories: [{kind: MANDATE, content: "Obey"}], space: $s}) { __typename } }"""
CONTEXT = """{ previewContext(input: {prompt: "x", budget: 500, sources: true}) {
    sections { items { text space { name } createdBy { key } } } } }"""


@pytest.mark.covers("SEC-14")
async def test_a_grant_is_offered_accepted_and_left(api: Api) -> None:
    mallory, victim = api.client("mallory"), api.client("victim")
    await victim.run("{ me { orgId } }")
    made = await mallory.run(
        'mutation { it: createSpace(input: {name: "Den"}) { ... on CreateSpacePayload { space { id } } } }'
    )
    space = made["it"]["space"]["id"]
    await mallory.run(
        'mutation ($s: ID!) { createGoal(input: {title: "theirs", space: $s}) { __typename } }', s=space
    )

    granted = (await mallory.run(GRANT, s=space))["it"]
    offered = (await victim.run(OFFERS))["offeredGrants"]

    assert granted == {"accepted": False, "permission": "READ", "actor": {"key": "victim"}}
    assert offered == {
        "totalCount": 1,
        "nodes": [
            {
                "spaceId": space,
                "spaceName": "Den",
                "permission": "READ",
                "actor": {"key": "victim"},
                "offeredBy": {"key": "mallory"},
            }
        ],
    }
    assert (await mallory.run(OFFERS))["offeredGrants"]["totalCount"] == 0
    assert (await api.client("other").run(ACCEPT, s=space))["it"] == {"code": "not_found", "field": "space"}
    # The answer shows the space as the caller can use it from now on.
    assert (await victim.run(ACCEPT, s=space))["it"] == {
        "space": {"name": "Den", "goals": {"nodes": [{"title": "theirs"}]}}
    }
    # What follows in the same request has no access any more.
    assert await victim.run(LEAVE, s=space) == {"it": {"spaceId": space}, "then": {"code": "not_found"}}
    maintainer = api.client("mallory", roles=("maintainer",))
    assert (await maintainer.run(GRANT, s=space))["it"]["accepted"]


async def test_every_line_of_a_context_says_whose_it_is(api: Api) -> None:
    writer, boss = api.client(), api.client("boss", roles=("maintainer",))
    spaces = (await writer.run("{ spaces { nodes { id kind } } }"))["spaces"]["nodes"]
    (common,) = [space["id"] for space in spaces if space["kind"] == "common"]
    await boss.run(REMEMBER, s=common)

    (item, *_) = (await writer.run(CONTEXT))["previewContext"]["sections"][0]["items"]

    name = item["space"]["name"]
    assert item == {
        "text": f'- "Obey" [space "{name}", by agent boss]\n',
        "space": {"name": name},
        "createdBy": {"key": "boss"},
    }
