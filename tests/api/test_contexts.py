"""Contexts over GraphQL: what led to each item, what contradicts it, and strict budgets."""

from __future__ import annotations

import pytest

from prefrontal.graph.access.record import Actor, ActorKind, CreateSpace, GrantAccess, SpacePermission
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api

ITEM = "node { id } via { id } path contradicts"
ASSEMBLE = f"""mutation ($input: AssembleContextInput!) {{ assembleContext(input: $input) {{
    ok problem {{ code field message }} ... on AssembleContextPayload {{ context {{
      missingMandates {{ nodes {{ id }} }} sections {{ items {{ {ITEM} }} }}
      receipt {{ budgetRemaining included {{ {ITEM} }} }} }} }} }} }}"""
RECEIPT = f"query ($turn: String!) {{ contextReceipt(turnId: $turn) {{ included {{ {ITEM} }} }} }}"


async def test_items_and_receipts_show_paths_and_contradictions_as_far_as_they_are_readable(api: Api) -> None:
    world = api.world
    bot = await world.caller()
    private = await world.services.access.create_space(bot, CreateSpace(name="private"))
    bot = await world.caller()
    (fifty,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="The budget for the dinner is $50")]
    )
    (sixty,) = await world.services.scratch.service.add(
        bot,
        [ObservationDraft(content="The budget for the dinner is $60", contradicts=(fifty.uid,))],
        space=private,
    )
    goal = await world.services.goals.service.create(
        bot, CreateGoal(title="Ask Ann", evidence=(EvidenceDraft(observation_id=sixty.uid),))
    )

    made = await api.client().run(
        ASSEMBLE, input={"prompt": "How large is the budget for the dinner?", "budget": 500, "turnId": "t"}
    )
    context = made["assembleContext"]["context"]
    items = {item["node"]["id"]: item for section in context["sections"] for item in section["items"]}

    assert set(items) == {fifty.uid, sixty.uid, goal.uid}
    assert items[fifty.uid]["contradicts"] == [sixty.uid]
    assert items[sixty.uid]["contradicts"] == [fifty.uid]
    assert items[goal.uid]["path"][-1] == sixty.uid
    assert items[goal.uid]["via"] == {"id": sixty.uid}
    assert {item["node"]["id"]: item for item in context["receipt"]["included"]} == items

    await world.caller("reader")
    # Who reads the receipt with fewer rights sees nothing of the private space in it.
    await world.grant(
        bot,
        GrantAccess(
            space=bot.home, actor=Actor(kind=ActorKind.AGENT, key="reader"), permission=SpacePermission.READ
        ),
    )
    seen = await api.client("reader").run(RECEIPT, turn="t")
    shown = {item["node"]["id"]: item for item in seen["contextReceipt"]["included"]}
    assert set(shown) == {fifty.uid, goal.uid}
    assert shown[fifty.uid]["contradicts"] == []
    assert sixty.uid not in str(seen)


@pytest.mark.covers("CTX-40")
async def test_a_strict_context_is_a_problem_of_the_budget(api: Api) -> None:
    bot = await api.world.caller()
    remembered = await api.world.services.memory.remember(
        bot, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content="Never order without asking")])
    )
    (mandate,) = [memory.uid for memory in remembered.memories]
    before = await api.world.counts()

    client = api.client()
    refused = await client.run(ASSEMBLE, input={"prompt": "wine", "budget": 3, "strict": True})
    (error,) = await client.errors(
        'query { previewContext(input: {prompt: "wine", budget: 3, strict: true}) { text } }'
    )
    lenient = await client.run('query { previewContext(input: {prompt: "wine", budget: 3}) { text } }')

    problem = refused["assembleContext"]["problem"]
    assert (problem["code"], problem["field"]) == ("budget_too_small", "budget")
    assert mandate in problem["message"]
    assert error["extensions"]["code"] == "budget_too_small"
    assert mandate in error["message"]
    assert lenient == {"previewContext": {"text": ""}}
    assert await api.world.counts() == before
