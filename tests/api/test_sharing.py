"""Sharing goals over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

PROBLEM = "... on Problem { code field }"
CREATE = """mutation ($input: CreateGoalInput!) { createGoal(input: $input) {
    ... on CreateGoalPayload { goal { id permission evidenceCount sharedWith { nodes { key } } } } } }"""
SHARE = f"""mutation ($input: ShareGoalInput!) {{ it: shareGoal(input: $input) {{
    ... on ShareGoalPayload {{ actor {{ id }} permission }} {PROBLEM} }} }}"""
UNSHARE = f"""mutation ($input: UnshareGoalInput!) {{ it: unshareGoal(input: $input) {{
    ... on UnshareGoalPayload {{ actor {{ id }} }} {PROBLEM} }} }}"""
CHANGE = f"""mutation ($id: ID!) {{ it: upsertGoal(input: {{id: $id, title: "changed"}}) {{
    ... on UpsertGoalPayload {{ goal {{ title permission }} }} {PROBLEM} }} }}"""
SEEN = """{ goals { totalCount nodes { id title permission evidenceCount
    evidence { totalCount nodes { content } } actions { nodes { title } } parent { id }
    sharedWith { edges { permission grantedBy { id } node { id kind key } } } } } }"""
ALIGNED = "{ pendingActions { nodes { title score { alignment } } } }"
OTHER = {"kind": "AGENT", "key": "other"}


async def goal(client: Client, **given: Any) -> str:
    made = (await client.run(CREATE, input={"title": "private", **given}))["createGoal"]["goal"]
    assert made["permission"] == "ADMIN"
    assert made["sharedWith"] == {"nodes": []}
    return str(made["id"])


async def share(client: Client, uid: str, permission: str = "READ") -> Any:
    sent = {"goalId": uid, "actor": OTHER, "permission": permission}
    return (await client.run(SHARE, input=sent))["it"]


async def unshare(client: Client, uid: str) -> Any:
    return (await client.run(UNSHARE, input={"goalId": uid, "actor": OTHER}))["it"]


@pytest.mark.covers("SEC-14")
async def test_a_goal_is_shared_read_changed_and_taken_back(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    said = await bot.run(
        'mutation { addObservation(input: {content: "secret", evaluate: false}) '
        "{ ... on AddObservationPayload { observation { id } } } }"
    )
    seen = said["addObservation"]["observation"]["id"]
    top = await goal(
        bot,
        evidence=[{"observationId": seen}],
        pendingActions=[{"type": "research", "title": "look"}],
    )
    await goal(bot, parentGoalId=top, title="below")
    assert await share(bot, top) == {"code": "not_found", "field": "actor"}
    me = (await other.run("{ me { agent { id } } }"))["me"]
    assert (await other.run(SEEN))["goals"]["totalCount"] == 0

    actor_id = (await share(bot, top))["actor"]["id"]

    assert actor_id == me["agent"]["id"]
    assert (await other.run(SEEN))["goals"] == {
        "totalCount": 2,
        "nodes": [
            {
                "id": node["id"],
                "title": title,
                "permission": "READ",
                "evidenceCount": number,
                "evidence": {"totalCount": 0, "nodes": []},
                "actions": {"nodes": [{"title": "look"}] * number},
                "parent": parent and {"id": parent},
                "sharedWith": None,
            }
            for node, title, number, parent in zip(
                (await bot.run(SEEN))["goals"]["nodes"],
                ("below", "private"),
                (0, 1),
                (top, None),
                strict=True,
            )
        ],
    }
    mine, theirs = await bot.run(ALIGNED), await other.run(ALIGNED)
    assert mine == theirs
    assert mine["pendingActions"]["nodes"][0]["score"]["alignment"] > 0
    assert (await other.run(CHANGE, id=top))["it"] == {"code": "forbidden", "field": "id"}
    assert await share(bot, top, "WRITE") == {"actor": {"id": actor_id}, "permission": "WRITE"}
    assert (await other.run(CHANGE, id=top))["it"] == {"goal": {"title": "changed", "permission": "WRITE"}}
    (shared,) = [n["sharedWith"] for n in (await bot.run(SEEN))["goals"]["nodes"] if n["id"] == top]
    granter = (await bot.run("{ me { agent { id } } }"))["me"]["agent"]["id"]
    assert shared["edges"] == [
        {"permission": "WRITE", "grantedBy": {"id": granter}, "node": {"id": actor_id, **OTHER}}
    ]
    assert await share(other, top, "ADMIN") == {"code": "forbidden", "field": "goalId"}
    assert await unshare(other, top) == {"code": "forbidden", "field": "goalId"}

    assert await unshare(bot, top) == {"actor": {"id": actor_id}}

    assert (await other.run(SEEN))["goals"] == {"totalCount": 0, "nodes": []}
    assert (await other.run(CHANGE, id=top))["it"] == {"code": "not_found", "field": "id"}
    assert await unshare(bot, top) == {"code": "not_found", "field": "actor"}


async def test_who_has_just_shared_sees_it_in_the_same_request(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    await other.run("{ me { orgId } }")
    top = await goal(bot)
    both = """mutation ($share: ShareGoalInput!, $end: UnshareGoalInput!) {
        a: shareGoal(input: $share) { __typename } b: unshareGoal(input: $end) { __typename }
        c: upsertGoal(input: {clientKey: "k", title: "t"}) { __typename } }"""
    end = {"goalId": top, "actor": OTHER}
    said = await bot.run(both, share={**end, "permission": "ADMIN"}, end=end)
    assert (said["a"]["__typename"], said["b"]["__typename"]) == ("ShareGoalPayload", "UnshareGoalPayload")
    assert (await other.run(SEEN))["goals"]["totalCount"] == 0
