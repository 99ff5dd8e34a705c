"""An unknown type in a request: nothing of it is executed, it is proposed once, and it may become known."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import problem_mutation
from tests.api.test_action_types import change, own
from tests.api.test_actions import ANN, in_space, shared
from tests.api.test_proposals import FULL, MAINTAINER, events, listed, review, submit
from tests.api.test_registry import registered

NIGHTLY = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

__all__ = ["own"]

UNKNOWN = "unknownType { name owner nearest knownTypes proposal { id status typeId } }"
ACTION = (
    f"{{ id type originalType owner status requiresConfirmation autoComplete version metadata {UNKNOWN} }}"
)
GOAL = f"""mutation ($actions: [PendingActionInput!]!, $turn: String) {{ createGoal(input: {{
  title: "Choose the wines", pendingActions: $actions, turnId: $turn}}) {{
  ... on CreateGoalPayload {{ goal {{ id actions {{ nodes {ACTION} }} }} }}
  ... on Problem {{ code field message }} }} }}"""
UPSERT = f"""mutation ($actions: [PendingActionUpsertInput!]!, $turn: String) {{
  upsertPendingActions(input: {{actions: $actions, turnId: $turn}}) {{
  ... on UpsertPendingActionsPayload {{ results {{ action {ACTION} problem {{ code field message }} }} }}
  ... on Problem {{ code field message }} }} }}"""
MOVE = """mutation ($id: ID!, $status: String!) {
  transitionPendingAction(input: {id: $id, status: $status}) {
  ... on TransitionPendingActionPayload { action { status } } ... on Problem { code field } } }"""


async def planned(who: Client, *actions: dict[str, Any], turn: str | None = None) -> list[dict[str, Any]]:
    done = (await who.run(GOAL, actions=[{"title": "t", **each} for each in actions], turn=turn))[
        "createGoal"
    ]
    found: list[dict[str, Any]] = done["goal"]["actions"]["nodes"]
    return found


async def upserted(who: Client, turn: str | None = None, **entry: Any) -> dict[str, Any]:
    done = (await who.run(UPSERT, actions=[entry], turn=turn))["upsertPendingActions"]
    (result,) = done["results"]
    found: dict[str, Any] = result["action"] or result["problem"]
    return found


@pytest.mark.covers("ACT-53", "ACT-56", "ACT-58", "REG-32", "REG-54", "REG-59")
async def test_an_unknown_type_is_proposed_and_what_there_is_instead_is_told(api: Api) -> None:
    bot = api.client()
    asked = {"actionType": "research_wines", "assignedTo": "AGENT"}

    (action,) = await planned(bot, asked, turn="turn-1")

    assert (action["type"], action["owner"], action["requiresConfirmation"]) == ("user_task", "USER", True)
    unknown = action["unknownType"]
    known = sorted(api.world.services.registry.files)
    assert (unknown["name"], unknown["owner"], unknown["nearest"]) == ("research_wines", "AGENT", "research")
    assert unknown["knownTypes"] == known
    (proposal,) = await listed(bot, turnId="turn-1")
    assert unknown["proposal"] == {"id": proposal["id"], "status": "OPEN", "typeId": "research_wines"}
    assert (proposal["proposalType"], proposal["requestedName"]) == ("ADD", "research_wines")
    assert (proposal["createdBy"]["id"], proposal["createdFromTurnId"]) == (
        (await api.world.caller()).actor_id,
        "turn-1",
    )
    assert "does not know" in proposal["rationale"]
    assert proposal["definition"]["requiresConfirmation"] is True
    for status in ("in_progress", "completed"):
        refused = (await bot.run(MOVE, id=action["id"], status=status))["transitionPendingAction"]
        assert refused["code"] == "owner_violation"
    trace = (await bot.run('{ turnTrace(turnId: "turn-1") { nodes { kind ids details } } }'))["turnTrace"]
    said = {node["kind"]: node["ids"] for node in trace["nodes"]}
    assert said["REGISTRY_PROPOSAL_SUBMITTED"] == [proposal["id"], action["id"]]
    assert said["ACTION_TYPE_COERCED"] == [action["id"]]
    assert len(await events(api, "submitted")) == 1
    assert "wines" not in str(trace)


@pytest.mark.covers("REG-59")
@NIGHTLY
async def test_one_name_is_proposed_once_however_often_and_however_it_is_spelled(api: Api) -> None:
    bot, other = api.client(), api.client("other")
    uses = [{"type": "research_wines"}, {"type": "Research_Wines"}, {"type": "vote"}]

    first = await planned(bot, *uses, turn="turn-1")
    again = await upserted(other, "turn-2", title="t", type="RESEARCH_WINES ")

    wines, vote = first[0]["unknownType"]["proposal"]["id"], first[2]["unknownType"]["proposal"]["id"]
    assert [each["unknownType"]["name"] for each in first] == ["research_wines", "Research_Wines", "vote"]
    assert first[1]["unknownType"]["proposal"]["id"] == again["unknownType"]["proposal"]["id"] == wines
    assert sorted(each["id"] for each in await listed(bot)) == sorted([wines, vote])
    assert [each["id"] for each in await listed(other, turnId="turn-2")] == [wines]
    assert len(await events(api, "submitted")) == 2
    trace = (await other.run('{ turnTrace(turnId: "turn-2") { nodes { kind ids } } }'))["turnTrace"]["nodes"]
    assert {"kind": "REGISTRY_PROPOSAL_LINKED", "ids": [wines, again["id"]]} in trace
    # What was proposed by hand, or decided, is not opened again.
    await review(api.client(**MAINTAINER), vote, "REJECT")
    by_hand = await submit(other, **FULL)
    (late, same) = await planned(bot, {"type": "vote"}, {"type": "survey"})
    assert late["unknownType"]["proposal"] == {"id": vote, "status": "REJECTED", "typeId": "vote"}
    assert same["unknownType"]["proposal"]["id"] == by_hand["id"]
    assert len(await listed(bot)) == 3


@pytest.mark.covers("REG-59")
@NIGHTLY
async def test_uses_at_the_same_time_open_one_proposal(api: Api) -> None:
    clients = [api.client(f"bot-{number}") for number in range(6)]
    await asyncio.gather(*(each.run("{ me { orgId } }") for each in clients))
    names = ["wine tasting", "Wine Tasting", "menu_card"]

    made = await asyncio.gather(
        *(
            planned(
                who,
                *[{"type": name} for name in names[number % 3 :] + names[: number % 3]],
                turn=f"t{number}",
            )
            for number, who in enumerate(clients)
        )
    )

    proposals = await listed(clients[0])
    assert len(proposals) == 2
    ids = {each["unknownType"]["proposal"]["id"] for actions in made for each in actions}
    assert ids == {each["id"] for each in proposals}
    assert [
        row["n"]
        for row in await api.world.rows(
            "MATCH (v:Version)-[:OF]->(:RegistryProposal {org_id: $org}) RETURN count(v) AS n"
        )
    ] == [2]
    assert len(await events(api, "submitted")) == 2


@pytest.mark.covers("ACT-56")
@NIGHTLY
async def test_the_planner_chooses_a_known_type_instead(api: Api) -> None:
    bot = api.client()
    (action,) = await planned(bot, {"type": "research_wines", "owner": "AGENT"}, turn="turn-1")

    chosen = await upserted(bot, "turn-1", id=action["id"], type="research")

    assert (chosen["type"], chosen["owner"], chosen["version"]) == ("research", "AGENT", 2)
    assert (chosen["requiresConfirmation"], chosen["unknownType"]) == (False, None)
    assert chosen["metadata"]["original_type"] == "research_wines"
    moved = (await bot.run(MOVE, id=action["id"], status="in_progress"))["transitionPendingAction"]
    assert moved == {"action": {"status": "in_progress"}}
    # It has a type now, which is given once.
    again = await upserted(bot, id=action["id"], type="agent_task")
    assert (again["code"], again["field"]) == ("invalid", "actions[0].type")


@pytest.mark.covers("ACT-57")
@NIGHTLY
async def test_nothing_but_an_unknown_type_can_be_exchanged(api: Api) -> None:
    bot = api.client()
    forged = await upserted(bot, title="t", type="user_task", metadata={"original_type": "agent_task"})
    empty = await upserted(bot, title="t", type="user_task", metadata={"original_type": ""})
    await upserted(bot, id=forged["id"], metadata={"original_type": "survey", "original_owner": "agent"})
    before = await api.world.counts()

    for action in (forged, empty):
        refused = await upserted(bot, id=action["id"], type="research")
        assert (refused["code"], refused["field"]) == ("invalid", "actions[0].type")
    assert await api.world.counts() == before
    assert await listed(bot) == []


@pytest.mark.covers("ACT-55", "ACT-57")
@NIGHTLY
async def test_an_action_without_a_type_can_be_given_one(api: Api) -> None:
    bot = api.client()
    action = await upserted(bot, title="t")
    assert (action["type"], action["owner"]) == ("user_task", "USER")
    assert (action["unknownType"]["name"], action["unknownType"]["proposal"]) == ("", None)
    assert await listed(bot) == []

    unknown = await upserted(bot, id=action["id"], type="no_such_type")
    assert (unknown["code"], unknown["field"]) == ("illegal_transition", "actions[0].type")
    typed = await upserted(bot, id=action["id"], type="research", owner="AGENT")
    assert (typed["type"], typed["owner"], typed["unknownType"]) == ("research", "AGENT", None)
    again = await upserted(bot, id=action["id"], type="agent_task")
    assert (again["code"], again["field"]) == ("invalid", "actions[0].type")


@NIGHTLY
async def test_what_is_done_keeps_its_type_and_an_owner_must_be_allowed(api: Api) -> None:
    bot = api.client()
    action, other = await planned(bot, {"type": "odd"}, {"type": "odd"})
    await api.world.rows(
        "MATCH (a:PendingAction {uid: $uid}) SET a.status = 'cancelled', a.open = false", uid=action["id"]
    )

    done = await upserted(bot, id=action["id"], type="research")
    wrong = await upserted(bot, id=other["id"], type="research", owner="USER")
    options = {"options": ["a", "b"]}
    confirmed = await upserted(
        bot, id=other["id"], type="decision", requiresConfirmation=False, metadata=options
    )

    assert (done["code"], done["field"]) == ("illegal_transition", "actions[0].type")
    assert (wrong["code"], wrong["field"]) == ("invalid", "actions[0].owner")
    assert (confirmed["code"], confirmed["field"]) == ("owner_violation", "actions[0].requiresConfirmation")


@NIGHTLY
async def test_a_staged_type_is_proposed_for_release(own: Api) -> None:
    change(own, "survey", "id: research", "id: survey\nrollout_flag: beta")
    assert own.world.services.registry.watch.look()

    (action,) = await planned(own.client(), {"type": "survey"})

    # Asking for it says that it is not in use yet; a client key repeats the first request.
    for title, said in (
        ("survey", "survey is not in use yet: its rollout flag is off, or it is newer than the turn"),
        ("no_such_type", "there is no type no_such_type"),
    ):
        asked = await upserted(own.client(), id=action["id"], type=title)
        assert (asked["code"], asked["field"]) == ("illegal_transition", "actions[0].type")
        assert asked["message"] == said
    first = await upserted(own.client(), clientKey="k", title="t", type="survey")
    again = await upserted(own.client(), clientKey="k", title="t", type="survey")
    assert (again["id"], again["version"]) == (first["id"], 1)
    (proposal,) = await listed(own.client())
    assert action["unknownType"]["proposal"]["id"] == proposal["id"]
    assert (proposal["proposalType"], proposal["diff"]) == ("MODIFY", {"rollout_flag": None})


@pytest.mark.covers("REG-59")
@NIGHTLY
async def test_a_proposal_is_settled_when_its_type_is_registered(api: Api) -> None:
    (action,) = await planned(api.client(), {"type": "survey"})
    await planned(api.client(), {"type": "raffle"})
    (raffle, survey) = await listed(api.client())
    assert (survey["typeId"], survey["status"]) == ("survey", "OPEN")

    await registered(api, "survey", approved=False)
    assert [each["status"] for each in await listed(api.client())] == ["OPEN", "OPEN"]
    await registered(api, "survey")

    found = {each["id"]: each["status"] for each in await listed(api.client())}
    assert found == {survey["id"]: "MERGED", raffle["id"]: "OPEN"}
    assert action["unknownType"]["proposal"]["id"] == survey["id"]


@NIGHTLY
async def test_who_may_not_read_the_common_space_sees_no_proposal(api: Api) -> None:
    bot = api.client()
    await bot.run("{ me { orgId } }")
    await api.world.rows(
        "MATCH (:Agent {org_id: $org})-[may:MAY]->(:Space {key: 'common'}) SET may.until = datetime()"
    )

    (action,) = await planned(bot, {"type": "research_wines"}, turn="turn-1")

    assert (action["unknownType"]["name"], action["unknownType"]["proposal"]) == ("research_wines", None)
    assert await listed(bot) == []
    assert len(await listed(api.client(**MAINTAINER))) == 1


CREATE = """mutation ($actions: [PendingActionInput!]!, $space: ID!) { createGoal(input: {
  title: "g", space: $space, pendingActions: $actions}) {
  ... on CreateGoalPayload { goal { actions { nodes { id } } } } ... on Problem { code field message } } }"""
AT_END = """mutation ($actions: [TurnActionInput!]!, $space: ID!) { commitAtTurnEnd(input: {
  turnId: "t", space: $space, newActions: $actions}) {
  ... on CommitAtTurnEndPayload { results { action { id } } } ... on Problem { code field } } }"""
ASKED = {"title": "t", "requiresConfirmation": True}


async def asked_in_a_goal(api: Api, space: str, **given: Any) -> str:
    made = (await api.client().run(CREATE, actions=[{**ASKED, **given}], space=space))["createGoal"]
    return str(made["goal"]["actions"]["nodes"][0]["id"])


async def asked_alone(api: Api, space: str, **given: Any) -> str:
    return str((await in_space(api, space, **ASKED, **given))["id"])


async def asked_at_the_end(api: Api, space: str, **given: Any) -> str:
    done = (await api.client().run(AT_END, actions=[{**ASKED, **given}], space=space))["commitAtTurnEnd"]
    return str(done["results"][0]["action"]["id"])


async def asked_later(api: Api, space: str, **given: Any) -> str:
    action = await in_space(api, space, title="t", **given)
    changed = await upserted(api.client(**ANN), id=action["id"], requiresConfirmation=True)
    # Nothing else differs: an unknown type has to be confirmed anyway.
    assert (changed["requiresConfirmation"], changed["version"]) == (True, 2)
    return str(action["id"])


async def asked_by_a_mandate(api: Api, space: str, **given: Any) -> str:
    told = {"memories": [{"kind": "MANDATE", "content": "Ask before buying wine"}]}
    assert (await api.client().run(problem_mutation("remember"), input=told))["it"][
        "__typename"
    ] == "RememberPayload"
    wine = [{"title": "Buy wine", **given}]
    made = (await api.client().run(CREATE, actions=wine, space=space))["createGoal"]
    return str(made["goal"]["actions"]["nodes"][0]["id"])


@pytest.mark.covers("ACT-41", "ACT-57")
@pytest.mark.parametrize("given", [{"type": "shopping"}, {}], ids=["unknown", "none"])
@pytest.mark.parametrize(
    "ask", [asked_in_a_goal, asked_alone, asked_at_the_end, asked_later, asked_by_a_mandate]
)
@NIGHTLY
async def test_a_confirmation_asked_for_by_name_stays_with_every_type(
    api: Api, ask: Callable[..., Awaitable[str]], given: dict[str, Any]
) -> None:
    bot, ann = api.client(), api.client(**ANN)
    uid = await ask(api, await shared(api), **given)
    before = await api.world.counts()
    for less in (False, None):
        for more in ({}, {"type": "research"}):
            refused = await upserted(bot, id=uid, requiresConfirmation=less, **more)
            assert (refused["code"], refused["field"]) == (
                "owner_violation",
                "actions[0].requiresConfirmation",
            )
    assert await api.world.counts() == before

    typed = await upserted(bot, id=uid, type="research", owner="AGENT")
    assert (typed["type"], typed["owner"], typed["requiresConfirmation"]) == ("research", "AGENT", True)
    moved = (await bot.run(MOVE, id=uid, status="completed"))["transitionPendingAction"]
    assert moved == {"code": "confirmation_required", "field": "id"}
    confirmed = await ann.run(
        "mutation ($id: ID!) { confirmPendingAction(input: {id: $id}) { __typename } }", id=uid
    )
    assert confirmed["confirmPendingAction"]["__typename"] == "ConfirmPendingActionPayload"
    moved = (await bot.run(MOVE, id=uid, status="completed"))["transitionPendingAction"]
    assert moved == {"action": {"status": "completed"}}


@pytest.mark.covers("ACT-41", "ACT-57")
@pytest.mark.parametrize("less", [False, None])
@NIGHTLY
async def test_a_person_takes_back_what_was_asked_for_by_name(api: Api, less: bool | None) -> None:
    bot, ann, space = api.client(), api.client(**ANN), await shared(api)
    first, second, third = [await asked_alone(api, space, type="shopping") for _ in range(3)]

    # Before the type, with it, and after it. What an unknown type asks for stays until then.
    taken = await upserted(ann, id=first, requiresConfirmation=less)
    assert taken["requiresConfirmation"] is (less is None)
    typed = [
        await upserted(bot, id=first, type="research", owner="AGENT"),
        await upserted(ann, id=second, type="research", owner="AGENT", requiresConfirmation=less),
    ]
    kept = await upserted(ann, id=third, type="research", owner="AGENT")
    assert kept["requiresConfirmation"] is True
    typed.append(await upserted(ann, id=third, requiresConfirmation=less))

    assert [each["requiresConfirmation"] for each in typed] == [False, False, False]


@pytest.mark.covers("ACT-41", "ACT-57")
@NIGHTLY
async def test_the_type_that_was_asked_for_by_name_asks_on(own: Api) -> None:
    """A staged type is known, so what it asks for is as well; another type that is set instead only adds."""
    change(own, "sign_off", "id: research", "id: sign_off\nrollout_flag: beta\n" + APPROVED)
    assert own.world.services.registry.watch.look()
    bot = own.client()
    (action,) = await planned(bot, {"type": "sign_off", "owner": "AGENT"})

    typed = await upserted(bot, id=action["id"], type="research")

    assert (typed["type"], typed["owner"], typed["requiresConfirmation"]) == ("research", "AGENT", True)


APPROVED = "policy_handlers: {completion_guard: approval_required}"
