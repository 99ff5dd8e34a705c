"""Contexts: what goes in, within the budget, and what is said of what does not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from prefrontal.graph.context.record import (
    AssembleContext,
    CandidateKind,
    Constraints,
    Context,
    Reason,
    Request,
    Section,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.errors import BudgetTooSmall, Forbidden, InvalidInput, NotFound, TooLarge
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World


def names(context: Context, kind: CandidateKind) -> list[str]:
    return [item.text.split('"')[1] for item in context.selection.items if item.kind is kind]


async def filled(world: World, caller: Any) -> None:
    await world.services.memory.remember(
        caller,
        Remember(
            memories=[
                MemoryDraft(kind=MemoryKind.MANDATE, content="Never order without asking"),
                MemoryDraft(kind=MemoryKind.MANDATE, content="Prefer local shops", essential=False),
                MemoryDraft(kind=MemoryKind.CAPABILITY, content="Can search wines"),
            ]
        ),
    )
    dinner = await world.services.goals.service.create(
        caller, CreateGoal(title="Plan the dinner", priority="low")
    )
    await world.services.goals.service.create(
        caller, CreateGoal(title="Find a wine", priority="high", parent_goal_id=dinner.uid)
    )
    await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(content="User prefers Burgundy wine", confidence=0.95),
            ObservationDraft(content="The oven is hot", confidence=0.4),
        ],
    )


@pytest.mark.covers(
    "CTX-01", "CTX-04", "CTX-07", "CTX-08", "CTX-12..14", "CTX-17", "CTX-21", "CTX-22", "CTX-45", "CTX-50"
)
async def test_a_context_has_everything_there_is_and_accounts_for_it(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    world.statements.clear()

    context = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine?", budget=1000, turn_id="t")
    )

    sent = world.statements.names
    assert sent[:4] == [
        "search/find_names",
        "search/search_memory",
        "search/search_plans",
        "context/read_candidates",
    ]
    # These two go at once.
    assert sorted(sent[4:6]) == ["context/read_conflicts", "context/read_steps"]
    assert sent[6:] == ["context/record_receipt", "journal/append_entries"]
    assert names(context, CandidateKind.MANDATE) == ["Never order without asking", "Prefer local shops"]
    assert names(context, CandidateKind.CAPABILITY) == ["Can search wines"]
    assert names(context, CandidateKind.GOAL) == ["Find a wine", "Plan the dinner"]
    assert names(context, CandidateKind.OBSERVATION) == ["User prefers Burgundy wine", "The oven is hot"]
    count = world.services.context._count
    assert context.selection.used == count(context.selection.text)
    assert context.budget_remaining == 1000 - count(context.selection.text)
    assert (context.timestamp, context.tokenizer, context.turn_id) == (world.clock.now(), "o200k_base", "t")
    assert (context.selection.truncated, context.selection.missing_mandates) == (False, ())
    (goal,) = [item for item in context.selection.items if "Find a wine" in item.text]
    assert goal.text == f'- {goal.uid} "Find a wine" (high, pending, 0%) part of "Plan the dinner"\n'
    assert [item.rank for item in context.selection.items] == list(range(1, 8))


@pytest.mark.covers("CTX-15", "CTX-27", "CTX-45")
async def test_empty_stores_give_an_empty_context(world: World) -> None:
    caller = await world.caller()

    context = await world.services.context.assemble(caller, AssembleContext(prompt="wine?", budget=1000))

    assert (context.selection.items, context.selection.text, context.budget_remaining) == ((), "", 1000)
    assert [section.value for section in Section] == [
        "consciousness",
        "frontal_cortex",
        "episodic_memory",
        "semantic_memory",
        "conversation_history",
        "scratch_page",
    ]


@pytest.mark.covers("CTX-24", "CTX-25")
async def test_what_matches_the_prompt_comes_before_what_is_merely_recent(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="Paris is rainy in May"), ObservationDraft(content="Rome is sunny")]
    )
    world.clock.advance(hours=6)
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"noise {n}") for n in range(60)]
    )

    paris = await world.services.context.preview(caller, Request(prompt="Weather in PARIS", budget=5000))
    rome = await world.services.context.preview(caller, Request(prompt="weather in rome", budget=5000))
    again = await world.services.context.preview(caller, Request(prompt="weather in rome", budget=5000))

    def reasons(context: Context, content: str) -> list[Reason]:
        return [item.reason for item in context.selection.items if content in item.text]

    assert names(paris, CandidateKind.OBSERVATION)[:1] == ["Paris is rainy in May"]
    assert names(rome, CandidateKind.OBSERVATION)[:1] == ["Rome is sunny"]
    assert reasons(rome, "Rome") == [Reason.MATCHING]
    assert reasons(paris, "noise") == [Reason.RECENT] * 9
    assert again.selection == rome.selection


@pytest.mark.covers("CTX-05", "CTX-06")
async def test_constraints_limit_observations_only(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"at {value}", confidence=value) for value in (0.79, 0.8, 0.81)]
    )

    async def seen(**constraints: Any) -> tuple[int, set[str]]:
        context = await world.services.context.preview(
            caller, Request(prompt="x", budget=5000, constraints=Constraints(**constraints))
        )
        others = sum(item.kind is not CandidateKind.OBSERVATION for item in context.selection.items)
        return others, set(names(context, CandidateKind.OBSERVATION))

    assert await seen(max_items=0) == (5, set())
    assert len((await seen(max_items=2))[1]) == 2
    assert await seen(min_confidence=0.8) == (5, {"User prefers Burgundy wine", "at 0.8", "at 0.81"})
    assert await seen(min_confidence=1.0) == (5, set())
    assert len((await seen(min_confidence=0.0))[1]) == 5


@pytest.mark.covers("CTX-31..36", "CTX-38", "CTX-39", "CTX-41", "TRC-02")
async def test_a_small_budget_keeps_the_essential_and_whole_items(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"{n} " + "a long wine story " * 20) for n in range(20)]
    )
    count = world.services.context._count
    whole = await world.services.context.preview(
        caller, Request(prompt="wine", budget=20_000, constraints=Constraints(max_items=100))
    )
    assert whole.selection.used > 1500

    context = await world.services.context.assemble(
        caller,
        AssembleContext(prompt="wine", budget=1000, constraints=Constraints(max_items=100), turn_id="t"),
    )

    assert count(context.selection.text) == context.selection.used <= 1000
    assert context.budget_remaining == 1000 - context.selection.used >= 0
    assert context.selection.truncated
    assert context.selection.missing_mandates == ()
    assert "Never order without asking" in names(context, CandidateKind.MANDATE)
    all_lines = {item.text for item in whole.selection.items}
    assert {item.text for item in context.selection.items} < all_lines
    left_out = [item for item in context.selection.excluded if item.reason is Reason.OVER_BUDGET]
    assert len(left_out) == len(whole.selection.items) - len(context.selection.items)
    (entry,) = (await world.services.turns.trace.trace(caller, "t")).items
    assert entry.message == "Context truncated to the budget"
    assert entry.details == {
        "receipt_id": context.receipt.uid if context.receipt else None,
        "budget": 1000,
        "used": context.selection.used,
        "included": len(context.selection.items),
        "excluded": {"over_budget": len(left_out)},
        "missing_mandates": [],
        "late": [],
    }


@pytest.mark.covers("CTX-29", "CTX-32")
async def test_a_budget_that_is_used_exactly_cuts_nothing_and_one_less_does(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    whole = await world.services.context.preview(caller, Request(prompt="wine", budget=5000))

    exact = await world.services.context.preview(caller, Request(prompt="wine", budget=whole.selection.used))
    less = await world.services.context.preview(
        caller, Request(prompt="wine", budget=whole.selection.used - 1)
    )

    assert (exact.selection.text, exact.budget_remaining) == (whole.selection.text, 0)
    assert not exact.selection.truncated
    assert less.selection.truncated
    assert less.budget_remaining >= 0


@pytest.mark.covers("CTX-40")
@pytest.mark.parametrize("budget", [0, 1, 5])
async def test_a_budget_without_room_names_the_missing_mandates(world: World, budget: int) -> None:
    caller = await world.caller()
    await filled(world, caller)
    rows = await world.rows("MATCH (m:Mandate {org_id: $org, essential: true}) RETURN m.uid AS uid")

    context = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine", budget=budget, idempotency_key="k")
    )
    again = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine", budget=budget, idempotency_key="k")
    )

    assert context.selection.missing_mandates == tuple(row["uid"] for row in rows)
    assert context.selection.used <= budget
    # Who asks again must not take the second answer for a complete one.
    assert again.selection.missing_mandates == context.selection.missing_mandates
    assert again.selection.truncated is context.selection.truncated is True


@pytest.mark.covers("CTX-40")
async def test_a_strict_context_is_refused_instead_and_says_which_budget_it_needs(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    (row,) = await world.rows("MATCH (m:Mandate {org_id: $org, essential: true}) RETURN m.uid AS uid")
    need = world.services.context._count('# Mandates\n- "Never order without asking"\n')
    before = await world.counts()

    for ask in (world.services.context.assemble, world.services.context.preview):
        with pytest.raises(BudgetTooSmall) as caught:
            await ask(caller, AssembleContext(prompt="wine", budget=need - 1, strict=True))
        assert (caught.value.code, caught.value.field) == ("budget_too_small", "budget")
        assert caught.value.message == (
            f"no room for 1 essential mandate: {row['uid']}. All essential mandates, with those that come "
            f"before them, need {need} tokens, not {need - 1}"
        )
    assert await world.counts() == before

    context = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine", budget=need, strict=True, idempotency_key="k")
    )
    assert [item.uid for item in context.selection.items] == [row["uid"]]
    # Who repeats a call that was done gets its receipt, although one more mandate is too many now.
    await world.services.memory.remember(
        caller, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content="Be brief")])
    )
    again = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine", budget=need, strict=True, idempotency_key="k")
    )
    assert (again.receipt, again.selection.text) == (context.receipt, context.selection.text)


@pytest.mark.covers("CTX-02", "CTX-03")
@pytest.mark.parametrize(
    ("request_fields", "error", "field"),
    [
        ({"prompt": "", "budget": 1}, InvalidInput, "prompt"),
        ({"prompt": " \n", "budget": 1}, InvalidInput, "prompt"),
        ({"prompt": "half \ud800", "budget": 1}, InvalidInput, "prompt"),
        ({"prompt": "p" * 20_001, "budget": 1}, TooLarge, "prompt"),
        ({"prompt": "p", "budget": -1}, InvalidInput, "budget"),
        ({"prompt": "p", "budget": 200_001}, InvalidInput, "budget"),
        (
            {"prompt": "p", "budget": 1, "constraints": Constraints(max_items=101)},
            InvalidInput,
            "constraints.maxItems",
        ),
    ],
)
async def test_a_wrong_request_is_refused_and_writes_nothing(
    world: World, request_fields: dict[str, Any], error: type[InvalidInput], field: str
) -> None:
    caller = await world.caller()
    before = await world.counts()
    request = AssembleContext(**request_fields)

    for ask in (world.services.context.assemble, world.services.context.preview):
        with pytest.raises(error) as caught:
            await ask(caller, request)
        assert caught.value.field == field

    assert await world.counts() == before


@pytest.mark.covers("CTX-02", "CTX-03")
@pytest.mark.parametrize(
    "fields",
    [{"prompt": "p"}, {"budget": 1}, {"prompt": "p", "budget": "many"}, {"prompt": "p", "budget": 1.5}],
    ids=str,
)
def test_prompt_and_budget_are_required(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Request(**fields)


async def test_a_preview_writes_nothing_and_says_the_same(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    before = await world.counts()
    world.statements.clear()

    preview = await world.services.context.preview(caller, Request(prompt="wine", budget=500))

    assert sorted(world.statements.names) == [
        "context/read_candidates",
        "context/read_conflicts",
        "context/read_steps",
        "search/find_names",
        "search/search_memory",
        "search/search_plans",
    ]
    assert await world.counts() == before
    assert (preview.turn_id, preview.turn_uid) == (None, None)
    assert [each.uid for each in preview.receipt.included] == [each.uid for each in preview.selection.items]
    assert preview.receipt.used == preview.selection.used
    context = await world.services.context.assemble(caller, AssembleContext(prompt="wine", budget=500))
    assert context.selection == preview.selection


@pytest.mark.covers("SEC-11..14")
async def test_a_context_holds_nothing_of_a_space_the_caller_may_not_read(world: World) -> None:
    caller, other = await world.caller("bot"), await world.caller("other")
    await filled(world, other)

    context = await world.services.context.preview(caller, Request(prompt="wine", budget=5000))

    assert (context.selection.items, context.selection.excluded) == ((), ())


async def test_who_may_only_read_gets_a_preview_and_no_receipt(world: World) -> None:
    writer, reader = await world.caller(), await world.caller(roles=("reader",))
    nobody = await world.caller(roles=())
    await filled(world, writer)
    before = await world.counts()
    request = Request(prompt="wine", budget=500)

    preview = await world.services.context.preview(reader, request)
    with pytest.raises(Forbidden):
        await world.services.context.assemble(reader, AssembleContext(**dict(request)))
    with pytest.raises(Forbidden):
        await world.services.context.preview(nobody, request)
    with pytest.raises(Forbidden):
        await world.services.context.receipt(nobody, "t")
    with pytest.raises(NotFound):
        await world.services.context.receipt(reader, "t")

    assert len(preview.selection.items) == 7
    assert await world.counts() == before


@pytest.mark.covers("GOAL-22", "GOAL-23")
async def test_goals_are_chosen_by_the_prompt_too(world: World) -> None:
    caller = await world.caller()
    goals = world.services.goals.service
    for number in range(6):
        await goals.create(caller, CreateGoal(title=f"Errand {number}", priority="critical"))
    await goals.create(caller, CreateGoal(title="Repair the greenhouse", priority="low"))

    async def chosen(prompt: str) -> list[str]:
        context = await world.services.context.preview(caller, Request(prompt=prompt, budget=5000))
        return names(context, CandidateKind.GOAL)

    greenhouse = await chosen("Which panes does the greenhouse need?")
    assert greenhouse[0] == "Repair the greenhouse"
    assert len(greenhouse) == 5
    assert await chosen("Which panes does the greenhouse need?") == greenhouse
    assert "Repair the greenhouse" not in await chosen("What next?")


async def test_a_goal_is_found_through_what_is_evidence_for_it(world: World) -> None:
    caller = await world.caller()
    goals = world.services.goals.service
    (seen,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="The panes are cracked", confidence=0.9)]
    )
    for number in range(6):
        await goals.create(caller, CreateGoal(title=f"Errand {number}", priority="critical"))
    goal = await goals.create(
        caller,
        CreateGoal(title="Repair", priority="low", evidence=(EvidenceDraft(observation_id=seen.uid),)),
    )
    request = Request(prompt="Are the panes cracked?", budget=5000)

    context = await world.services.context.preview(caller, request)
    stranger = await world.services.context.preview(await world.caller("stranger"), request)

    (item,) = [item for item in context.selection.items if item.uid == goal.uid]
    assert (item.reason, item.via) == (Reason.MATCHING, seen.uid)
    assert stranger.selection.items == ()


async def test_an_item_says_which_name_of_the_prompt_led_to_it(world: World) -> None:
    caller = await world.caller()
    draft = MemoryDraft(kind=MemoryKind.FACT, content="Prefers oolong", entities=(EntityName(name="Ann"),))
    await world.services.memory.remember(caller, Remember(memories=(draft,)))

    context = await world.services.context.preview(
        caller, Request(prompt="What oolong does Ann prefer?", budget=500)
    )

    (item,) = context.selection.items
    assert item.via == entity_id(caller.org_id, "Ann")
