"""Taking a proposal back: who may, until when, and what becomes of its name and of what waits for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.test_proposals import FULL, MAINTAINER, call, events, listed, review, submit
from tests.api.test_registry import registered
from tests.api.test_unknown_types import planned, upserted

NIGHTLY = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

HISTORY = """query ($id: ID!) { history(id: $id, first: 1) { totalCount nodes {
  number by { id } changes { name before after } } } }"""
NOT_YOURS = {
    "code": "forbidden",
    "message": "only who submitted a proposal, or a maintainer, can withdraw it",
    "field": "id",
}


async def withdraw(who: Client, uid: str, **given: Any) -> dict[str, Any]:
    return await call(who, "withdrawRegistryProposal", id=uid, **given)


@pytest.mark.covers("REG-34", "REG-44", "REG-53", "REG-54")
@NIGHTLY
async def test_a_proposal_is_withdrawn_once_with_its_reason_in_the_history(api: Api) -> None:
    bot = api.client()
    made = await submit(bot, **FULL)
    later = api.world.clock.advance(minutes=1)
    given = {"reason": "We ask by mail", "expectedVersion": 1, "turnId": "plan-2", "idempotencyKey": "k"}

    after = await withdraw(bot, made["id"], **given)

    changed = {"status": "WITHDRAWN", "statusReason": "We ask by mail", "version": 2}
    assert after == made | changed | {"updatedAt": after["updatedAt"]}
    assert after["updatedAt"] == later.isoformat()
    assert await withdraw(bot, made["id"], **given) == after
    assert await listed(bot, status=["WITHDRAWN"]) == [after]
    assert await listed(bot, status=["OPEN", "APPROVED", "REJECTED", "MERGED"]) == []
    history = (await bot.run(HISTORY, id=made["id"]))["history"]
    assert history["totalCount"] == 2
    assert history["nodes"] == [
        {
            "number": 2,
            "by": made["createdBy"],
            "changes": [
                {"name": "status", "before": "open", "after": "withdrawn"},
                {"name": "statusReason", "before": None, "after": "We ask by mail"},
            ],
        }
    ]
    (event,) = await events(api, "withdrawn")
    assert (event["aggregate"], event["version"], event["scope"]) == (made["id"], 2, made["space"]["id"])
    trace = await bot.run('{ turnTrace(turnId: "plan-2") { nodes { kind ids details } } }')
    (entry,) = trace["turnTrace"]["nodes"]
    assert (entry["kind"], entry["ids"]) == ("REGISTRY_PROPOSAL_WITHDRAWN", [made["id"]])
    # Ids and codes only.
    assert "mail" not in f"{event['data']} {entry['details']}"


@pytest.mark.covers("REG-44")
@NIGHTLY
async def test_who_submitted_it_or_a_maintainer_withdraws_a_proposal_and_nobody_else(api: Api) -> None:
    async def made(who: Client, name: str) -> str:
        return str((await submit(who, **{**FULL, "typeId": name}))["id"])

    bot, mia = api.client(), api.client(**MAINTAINER)
    with_ann, ann = api.client("bot", person="ann"), api.client(None, person="ann")
    cases = [
        (bot, await made(bot, "a")),
        # Every actor of the token that submitted it, by a token of their own.
        (ann, await made(with_ann, "b")),
        (bot, await made(with_ann, "c")),
        (with_ann, await made(bot, "d")),
        (mia, await made(bot, "e")),
        (mia, await made(mia, "f")),
    ]
    for who, uid in cases:
        assert (await withdraw(who, uid))["status"] == "WITHDRAWN"

    # Revising is no way to become who submitted it. Others learn nothing of its version.
    other, reviser, uid = api.client("other"), api.client("helper"), await made(bot, "g")
    assert (await submit(reviser, id=uid, displayName="Poll"))["authors"]["totalCount"] == 2
    await other.run("{ me { orgId } }")
    before = await api.world.counts()
    for who in (other, reviser):
        assert await withdraw(who, uid, expectedVersion=9) == NOT_YOURS
    assert await api.world.counts() == before

    # Who may only read the common space takes back its own and no other.
    own = await made(mia, "h")
    await api.world.rows(
        "MATCH (:Person {org_id: $org})-[may:MAY]->(:Space {key: 'common'}) SET may.permission = 'read'"
    )
    assert await withdraw(mia, uid) == {
        "code": "forbidden",
        "message": "you may read this proposal but not withdraw it",
        "field": "id",
    }
    assert (await withdraw(mia, own))["status"] == "WITHDRAWN"


@pytest.mark.covers("REG-44")
@NIGHTLY
async def test_what_is_settled_is_not_withdrawn_and_the_refusal_says_what_to_do(api: Api) -> None:
    bot, mia = api.client(), api.client(**MAINTAINER)
    rejected, merged, gone, approved = [
        (await submit(bot, **{**FULL, "typeId": name}))["id"] for name in ("a", "b", "c", "d")
    ]
    await review(mia, rejected, "REJECT")
    await registered(api, id="b")
    assert (await withdraw(bot, gone))["status"] == "WITHDRAWN"
    assert (await review(mia, approved))["status"] == "APPROVED"
    instead = {
        rejected: "rejected already: nothing of it takes effect; submit a new proposal to ask again",
        merged: "merged already: the registry has the change; submit a proposal that undoes it",
        gone: "withdrawn already: submit a new proposal to ask again",
    }
    before = await api.world.counts()

    for uid, said in instead.items():
        for who in (bot, mia):
            assert await withdraw(who, uid) == {
                "code": "illegal_transition",
                "message": f"the proposal is {said}",
                "field": "id",
            }
    late = await withdraw(bot, approved, expectedVersion=1)
    assert (late["code"], late["field"]) == ("version_conflict", "expectedVersion")
    # Nor does anything else happen to what was taken back.
    for refused in (
        await review(mia, gone),
        await review(mia, gone, "REJECT"),
        await submit(bot, id=gone, displayName="X"),
        await call(mia, "withdrawRegistryProposal", id=gone, reason="again"),
    ):
        assert (refused["code"], refused["field"]) == ("illegal_transition", "id")
    assert await api.world.counts() == before
    # What is approved and not exported is not in force: it can be taken back, and keeps its review.
    after = await withdraw(bot, approved, expectedVersion=2)
    assert (after["status"], after["version"], len(after["reviews"])) == ("WITHDRAWN", 3, 1)


@pytest.mark.covers("ACT-56", "REG-32", "REG-59")
async def test_what_waits_for_the_type_stays_and_its_next_use_opens_another_proposal(api: Api) -> None:
    bot, mia = api.client(), api.client(**MAINTAINER)
    (first, retyped) = await planned(
        bot, {"type": "wine tasting"}, {"type": "Wine Tasting", "owner": "AGENT"}
    )
    old = first["unknownType"]["proposal"]["id"]
    api.world.clock.advance(minutes=1)

    assert (await withdraw(bot, old, reason="no more wine"))["status"] == "WITHDRAWN"

    query = """query ($id: ID!) { node(id: $id) { ... on PendingAction { type status version
      unknownType { name proposal { id status } } } } }"""
    for uid, name in ((first["id"], "wine tasting"), (retyped["id"], "Wine Tasting")):
        assert (await bot.run(query, id=uid))["node"] == {
            "type": "user_task",
            "status": "pending",
            "version": 1,
            "unknownType": {"name": name, "proposal": {"id": old, "status": "WITHDRAWN"}},
        }
    (again,) = await planned(bot, {"type": "WINE TASTING"})
    new = again["unknownType"]["proposal"]
    assert (new["status"], new["id"] != old) == ("OPEN", True)
    (same,) = await planned(api.client("other"), {"type": "wine tasting"})
    assert same["unknownType"]["proposal"]["id"] == new["id"]
    assert [each["id"] for each in await listed(bot)] == [new["id"], old]
    # Each of them can be given another type.
    for action in (retyped, again):
        typed = await upserted(bot, id=action["id"], type="research", owner="AGENT")
        assert (typed["type"], typed["owner"], typed["unknownType"]) == ("research", "AGENT", None)
    # The first one is given the type that it asked for, once there is one of that name.
    (survey,) = await planned(bot, {"type": "survey", "owner": "AGENT"})
    await withdraw(mia, survey["unknownType"]["proposal"]["id"])
    refused = await upserted(bot, id=survey["id"], type="survey")
    assert (refused["code"], refused["message"]) == (
        "illegal_transition",
        "survey is not in use yet; name another type, or set it once it is in use",
    )
    await registered(api, id="survey")
    api.world.clock.advance(minutes=1)
    assert (await upserted(bot, id=survey["id"], type="survey"))["type"] == "survey"
    assert [each["status"] for each in await listed(bot, typeId="survey")] == ["WITHDRAWN"]
