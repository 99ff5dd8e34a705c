"""People find what agents left for them, and reach nothing else by it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

PROBLEM = "... on Problem { code field message }"
CREATE = f"""mutation ($input: CreateGoalInput!) {{ it: createGoal(input: $input) {{
    ... on CreateGoalPayload {{ goal {{ id actions {{ nodes {{ id title person {{ key }} }} }} }} }}
    {PROBLEM} }} }}"""
UPSERT = f"""mutation ($actions: [PendingActionUpsertInput!]!, $space: ID) {{
    it: upsertPendingActions(input: {{actions: $actions, space: $space}}) {{
    ... on UpsertPendingActionsPayload {{ results {{ action {{ id title owner person {{ key }} }}
        problem {{ code field }} }} }} {PROBLEM} }} }}"""
MINE = """{ me { pendingActions { totalCount nodes { title } } }
    pendingActions { totalCount nodes { title } }
    due: pendingActions(orderBy: DUE_AT) { nodes { title } }
    mine: pendingActions(filter: {mine: true, owner: USER}, first: 1) { totalCount nodes { title } }
    goals { totalCount } observations { nodes { id } } questions { totalCount } }"""
START = """mutation { it: startTurn(input: {turnId: "t"}) { ... on StartTurnPayload { goals { id }
    userActions { title } agentActions { title } } } }"""
ONE = """query ($id: ID!) { it: node(id: $id) { ... on PendingAction {
    title description metadata status owner person { kind key } createdBy { key } goal { id } space { id }
    evidence { nodes { id } } blockedBy { totalCount } turn { id } confirmedBy { key } completedAt result } }
    history(id: $id) { nodes { number } } auditLog(filter: {entityId: $id}) { nodes { operation } } }"""
CONFIRM = f"""mutation ($id: ID!) {{ it: confirmPendingAction(input: {{id: $id}}) {{
    ... on ConfirmPendingActionPayload {{ action {{ confirmedBy {{ key }} }} }} {PROBLEM} }} }}"""
MOVE = f"""mutation ($id: ID!, $to: String!) {{
    it: transitionPendingAction(input: {{id: $id, status: $to}}) {{
    ... on TransitionPendingActionPayload {{ action {{ status }} }} {PROBLEM} }} }}"""
COMPLETE = f"""mutation ($id: ID!) {{
    it: completePendingAction(input: {{id: $id, result: {{said: "yes"}}}}) {{
    ... on CompletePendingActionPayload {{ action {{ status result }} }} {PROBLEM} }} }}"""


def titles(listed: Any) -> list[str]:
    return [node["title"] for node in listed["nodes"]]


async def upsert(client: Client, *actions: dict[str, Any], space: str | None = None) -> list[Any]:
    said = (await client.run(UPSERT, actions=list(actions), space=space))["it"]
    return [each["problem"] or each["action"] for each in said["results"]]


@pytest.mark.covers("ACT-33")
async def test_a_person_with_nothing_but_a_token_finds_confirms_and_completes_it(api: Api) -> None:
    # The agent works for hanna; what it writes lies in its own private space, and nothing is shared.
    bot = api.client("bot", person="hanna")
    made = (
        await bot.run(
            CREATE,
            input={
                "title": "private plan",
                "pendingActions": [
                    {
                        "type": "approval_request",
                        "title": "approve",
                        "description": "Pay 40 €?",
                        "priority": "high",
                    },
                    {"type": "user_task", "title": "sign"},
                    {"type": "research", "title": "read on"},
                    {"type": "no_such_type", "title": "what is this"},
                ],
            },
        )
    )["it"]["goal"]
    ids = {action["title"]: action["id"] for action in made["actions"]["nodes"]}
    assert {a["title"]: a["person"] for a in made["actions"]["nodes"]} == {
        "approve": {"key": "hanna"},
        "sign": {"key": "hanna"},
        "read on": None,
        "what is this": {"key": "hanna"},
    }
    hanna = api.client(None, person="hanna")

    # What hanna finds with nothing but a token: the actions, and nothing of the rest.
    seen = await hanna.run(MINE)
    wanted = ["approve", "sign", "what is this"]
    assert seen == {
        "me": {"pendingActions": {"totalCount": 3, "nodes": [{"title": title} for title in wanted]}},
        "pendingActions": {"totalCount": 3, "nodes": [{"title": title} for title in wanted]},
        "due": {"nodes": [{"title": title} for title in wanted]},
        "mine": {"totalCount": 3, "nodes": [{"title": "approve"}]},
        "goals": {"totalCount": 0},
        "observations": {"nodes": []},
        "questions": {"totalCount": 0},
    }
    started = (await hanna.run(START))["it"]
    # The others of the goal wait for the approval.
    assert started == {"goals": [], "userActions": [{"title": "approve"}], "agentActions": []}
    found = await hanna.run(ONE, id=ids["approve"])
    assert found["it"] == {
        "title": "approve",
        "description": "Pay 40 €?",
        "metadata": {},
        "status": "pending",
        "owner": "USER",
        "person": {"kind": "PERSON", "key": "hanna"},
        "createdBy": {"key": "bot"},
        "goal": None,
        "space": None,
        "evidence": {"nodes": []},
        "blockedBy": {"totalCount": 0},
        "turn": None,
        "confirmedBy": None,
        "completedAt": None,
        "result": None,
    }
    assert (found["history"], found["auditLog"]) == (
        {"nodes": [{"number": 1}]},
        {"nodes": [{"operation": "PENDING_ACTION_CREATED"}]},
    )

    # Confirmed and completed.
    assert (await hanna.run(CONFIRM, id=ids["approve"]))["it"] == {
        "action": {"confirmedBy": {"key": "hanna"}}
    }
    assert (await hanna.run(MOVE, id=ids["approve"], to="in_progress"))["it"] == {
        "action": {"status": "in_progress"}
    }
    for title in ("approve", "sign"):
        said = (await hanna.run(COMPLETE, id=ids[title]))["it"]
        assert said == {"action": {"status": "completed", "result": {"said": "yes"}}}
    assert titles((await hanna.run(MINE))["pendingActions"]) == ["what is this"]

    # The agent sees what became of it.
    said = (await bot.run(ONE, id=ids["approve"]))["it"]
    assert (said["status"], said["result"], said["confirmedBy"]) == (
        "completed",
        {"said": "yes"},
        {"key": "hanna"},
    )


@pytest.mark.covers("ACT-33")
async def test_an_action_is_for_the_person_who_is_named_known_or_at_home(api: Api) -> None:
    bot, hanna = api.client(), api.client(None, person="hanna")
    otto = api.client(None, person="otto")
    home = (await hanna.run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]
    await bot.run("{ me { orgId } }")
    task = {"type": "user_task", "title": "task"}

    # A name counts most; nobody is known to an agent that names none.
    named, nobody, unknown, agents = await upsert(
        bot,
        {**task, "person": "hanna"},
        task,
        {**task, "person": "nobody"},
        {"type": "agent_task", "title": "t", "person": "hanna"},
    )
    assert (named["person"], nobody["person"]) == ({"key": "hanna"}, None)
    assert unknown == {"code": "not_found", "field": "actions[2].person"}
    assert agents == {"code": "invalid", "field": "actions[3].person"}
    # Then the person whose goal it is for, and the one whose space it is in.
    goal = (await api.client("bot", person="otto").run(CREATE, input={"title": "for otto"}))["it"]["goal"][
        "id"
    ]
    (of_goal,) = await upsert(bot, {**task, "goalId": goal})
    assert of_goal["person"] == {"key": "otto"}
    await hanna.run(
        """mutation ($space: ID!) { grantAccess(input: {space: $space, permission: WRITE,
           actor: {kind: AGENT, key: "bot"}}) { __typename } }""",
        space=home,
    )
    await bot.run("mutation ($space: ID!) { acceptGrant(input: {space: $space}) { __typename } }", space=home)
    (in_space,) = await upsert(bot, task, space=home)
    assert in_space["person"] == {"key": "hanna"}
    said = await bot.run(
        CREATE, input={"title": "g", "space": home, "pendingActions": [task, {**task, "person": "otto"}]}
    )
    assert [a["person"] for a in said["it"]["goal"]["actions"]["nodes"]] == [
        {"key": "hanna"},
        {"key": "otto"},
    ]
    said = await bot.run(CREATE, input={"title": "g", "pendingActions": [task, {**task, "person": "nobody"}]})
    assert (said["it"]["code"], said["it"]["field"]) == ("not_found", "pendingActions[1].person")

    assert (await hanna.run(MINE))["me"]["pendingActions"]["totalCount"] == 3
    assert (await otto.run(MINE))["me"]["pendingActions"]["totalCount"] == 2

    # An agent gives nobody's task to a person, and takes none away; a person hands it on.
    given = {"id": nobody["id"], "person": "otto"}
    assert (await upsert(bot, given))[0]["person"] == {"key": "otto"}
    for taken in ("hanna", None):
        (refused,) = await upsert(bot, {"id": nobody["id"], "person": taken})
        assert refused == {"code": "owner_violation", "field": "actions[0].person"}
    (gone,) = await upsert(otto, {"id": nobody["id"], "person": "hanna"})
    assert gone is None
    assert (await otto.run(ONE, id=nobody["id"]))["it"] is None
    assert (await hanna.run(ONE, id=nobody["id"]))["it"]["person"]["key"] == "hanna"
    rows = await api.world.rows(
        "MATCH (a:PendingAction {org_id: $org}) OPTIONAL MATCH (a)-[:FOR]->(p:Person) "
        "WITH a, collect(p.uid) AS people WHERE people <> coalesce([a.person_id], []) AND "
        "NOT (people = [] AND a.person_id IS NULL) RETURN count(a) AS wrong"
    )
    assert rows == [{"wrong": 0}]


@pytest.mark.covers("SEC-11", "SEC-12")
async def test_what_is_for_a_person_opens_nothing_else_and_for_nobody_else(api: Api) -> None:
    bot = api.client("bot", person="hanna")
    made = (
        await bot.run(
            CREATE,
            input={
                "title": "plan",
                "pendingActions": [
                    {"type": "user_task", "title": "sign"},
                    {"type": "agent_task", "title": "the agent's"},
                ],
            },
        )
    )["it"]["goal"]
    sign, agents = (action["id"] for action in made["actions"]["nodes"])
    hanna = api.client(None, person="hanna")
    others = [
        api.client(None, person="otto"),
        api.client("other"),
        # An agent that works for hanna too is not hanna.
        api.client("other", person="hanna"),
        api.client(None, device="phone"),
    ]
    before = await api.world.counts()
    for other in others:
        await other.run("{ me { orgId } }")
    before = await api.world.counts()

    for client, uid in [*((other, sign) for other in others), (hanna, agents)]:
        seen = await client.run(MINE)
        assert "sign" not in str(seen) or client is hanna
        found = (await client.post(ONE, id=uid)).json()
        assert found["data"] is None or found["data"]["it"] is None
        for change in (CONFIRM, COMPLETE):
            assert (await client.run(change, id=uid))["it"]["code"] == "not_found"
        assert (await client.run(MOVE, id=uid, to="cancelled"))["it"]["code"] == "not_found"
        assert await upsert(client, {"id": uid, "title": "x"}) == [
            {"code": "not_found", "field": "actions[0].id"}
        ]
    # The goal of her action stays closed to her.
    (refused,) = await upsert(hanna, {"type": "user_task", "title": "t", "goalId": made["id"]})
    assert refused == {"code": "not_found", "field": "actions[0].goalId"}
    assert (await hanna.run("query ($id: ID!) { node(id: $id) { id } }", id=made["id"])) == {"node": None}
    (listed,) = (
        await hanna.run(
            "query ($id: ID!) { it: pendingActions(filter: {goalId: $id}) { totalCount nodes { title } } }",
            id=made["id"],
        )
    ).values()
    assert listed == {"totalCount": 1, "nodes": [{"title": "sign"}]}
    assert await api.world.counts() == before
