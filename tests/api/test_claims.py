"""What fails, what is completed twice, and what several want to start at once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.api.conftest import Api
from tests.api.test_actions import ANN, PROBLEM, call, in_space, new_action, shared

pytestmark = pytest.mark.nightly(
    "the life of an action: tests/graph/test_actions_*.py; each mutation over HTTP: the walks"
)

COMPLETE = f"""mutation ($input: CompletePendingActionInput!) {{ it: completePendingAction(input: $input) {{
  ... on CompletePendingActionPayload {{ repeated action {{ status version result completedAt }} }}
  {PROBLEM} }} }}"""
START = f"""mutation ($input: TransitionPendingActionInput!) {{ it: transitionPendingAction(input: $input) {{
  ... on TransitionPendingActionPayload {{ repeated action {{ status version }} }} {PROBLEM} }} }}"""
COMMIT = """mutation ($input: CommitAtTurnEndInput!) { it: commitAtTurnEnd(input: $input) {
  ... on CommitAtTurnEndPayload { ok results { repeated action { status result } problem { code } } } } }"""


async def journal(api: Api, uid: str) -> list[str]:
    rows = await api.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $uid}) "
        "RETURN e.type AS type ORDER BY e.aggregate_version",
        uid=uid,
    )
    return [row["type"].split(".")[1] for row in rows]


@pytest.mark.covers("ACT-42", "ACT-62")
async def test_a_failure_is_logged_and_the_action_can_be_begun_again(api: Api) -> None:
    client = api.client()
    ways: dict[str, dict[str, Any]] = {
        "completePendingAction": {"result": {"ok": False, "why": "no net"}},
        "transitionPendingAction": {"status": "completed", "result": {"error": "no net"}},
        "upsertPendingActions": {"result": {"status": "failed"}},
        "commitAtTurnEnd": {"result": {"success": False}},
    }
    for name, given in ways.items():
        action = await new_action(api, type="agent_task")
        uid = action["id"]
        await call(api, "transitionPendingAction", id=uid, status="in_progress")

        if name == "upsertPendingActions":
            done = await call(api, name, actions=[{"id": uid, **given}], turnId=name)
            found = done["results"][0]["action"]
        elif name == "commitAtTurnEnd":
            sent = {"turnId": name, "completedActions": [{"id": uid, **given}]}
            (result,) = (await client.run(COMMIT, input=sent))["it"]["results"]
            assert (result["repeated"], result["problem"]) == (False, None)
            found = {**result["action"], "completedAt": None, "version": 3}
        else:
            found = (await call(api, name, id=uid, turnId=name, **given))["action"]
        assert (found["status"], found["result"]) == ("pending", given["result"]), name
        assert (found["completedAt"], found["version"]) == (None, 3), name
        assert await journal(api, uid) == ["created", "transitioned", "failed"], name
        trace = await client.run(
            "query ($t: String!) { turnTrace(turnId: $t) { nodes { kind ids } } }", t=name
        )
        assert [(n["kind"], n["ids"]) for n in trace["turnTrace"]["nodes"]] == [("ACTION_FAILED", [uid])], (
            name
        )

        # It is open, so it is listed, begun and completed like before.
        again = await call(api, "transitionPendingAction", id=uid, status="in_progress")
        assert again["action"]["status"] == "in_progress"
        done = await call(api, "completePendingAction", id=uid, result={"ok": True})
        assert (done["action"]["status"], done["action"]["result"]) == ("completed", {"ok": True})


@pytest.mark.covers("ACT-42", "ACT-62")
async def test_who_completes_twice_gets_the_first_result(api: Api) -> None:
    client = api.client()
    action = await new_action(api, type="agent_task")
    given = [{"id": action["id"], "result": {"n": number}} for number in range(3)]

    answers = await asyncio.gather(*(client.run(COMPLETE, input=each) for each in given))

    found = [answer["it"] for answer in answers]
    assert sorted(each["repeated"] for each in found) == [False, True, True]
    (first,) = [
        number for number, each in enumerate(found) if not each["repeated"] and each["action"]["version"] == 2
    ]
    assert [each["action"] for each in found] == [found[first]["action"]] * 3
    assert found[first]["action"]["result"] == {"n": first}
    assert await journal(api, action["id"]) == ["created", "transitioned"]

    late = await client.run(
        COMMIT, input={"turnId": "t", "completedActions": [{"id": action["id"], "result": {"n": 9}}]}
    )
    (result,) = late["it"]["results"]
    assert (result["repeated"], result["action"]["result"]) == (True, {"n": first})
    # What was completed does not fail later.
    (failed,) = [await client.run(COMPLETE, input={"id": action["id"], "result": {"ok": False}})]
    assert (failed["it"]["repeated"], failed["it"]["action"]["status"]) == (True, "completed")


@pytest.mark.covers("ACT-62")
async def test_of_several_that_start_an_action_one_has_it(api: Api) -> None:
    space = await shared(api)
    action = await in_space(api, space, type="follow_up")
    clients = {"bot": api.client(), "bot again": api.client(), "ann": api.client(**ANN)}
    given = {"id": action["id"], "status": "in_progress"}

    answers = await asyncio.gather(*(each.run(START, input=given) for each in clients.values()))

    found = dict(zip(clients, (answer["it"] for answer in answers), strict=True))
    (winner,) = [name for name, each in found.items() if "action" in each]
    assert found[winner] == {"repeated": False, "action": {"status": "in_progress", "version": 2}}
    (row,) = await api.world.rows(
        "MATCH (v:Version {of_uid: $uid, number: 2}) MATCH (a:Actor {uid: v.by_uid}) "
        "RETURN a.kind + ' ' + a.key + ' (' + a.uid + '), since ' + toString(v.created_at) AS who",
        uid=action["id"],
    )
    assert winner.split()[0] in row["who"]
    for name in {*clients} - {winner}:
        assert found[name] == {
            "code": "conflict",
            "message": f"{row['who']}, has it in progress; an action is started once",
            "field": "status",
        }
    assert await journal(api, action["id"]) == ["created", "transitioned"]
    # A request that is sent again under its key is no second start.
    other = await in_space(api, space, type="follow_up")
    once = {"id": other["id"], "status": "in_progress", "idempotencyKey": "k"}
    first, same = [json.dumps(await clients["bot"].run(START, input=once)) for _ in range(2)]
    assert first == same
