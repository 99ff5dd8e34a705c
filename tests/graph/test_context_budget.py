"""How a budget is used: by the sections of a context, in large stores, and by further steps of a turn."""

from __future__ import annotations

from collections import Counter

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext, Constraints, Reason, Request, Section
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.graph.test_context_assemble import filled
from tests.support.world import World

STORY = "a long story about wine and cheese and bread " * 6


async def full_stores(world: World) -> Caller:
    """A caller with far more long memories of each kind than a context of a thousand tokens has room for."""
    caller = await world.caller()
    await filled(world, caller)
    kinds = (MemoryKind.FACT, MemoryKind.SKILL, MemoryKind.EPISODE, MemoryKind.MESSAGE)
    for kind in kinds:
        of_conversation = {"speaker": "ann", "conversation": "c"} if kind is MemoryKind.MESSAGE else {}
        drafts = [
            MemoryDraft(kind=kind, content=f"{kind.value} {number}: {STORY}", **of_conversation)
            for number in range(60)
        ]
        await world.services.memory.remember(caller, Remember(memories=drafts))
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"Observation {number}: {STORY}") for number in range(60)]
    )
    for number in range(6):
        await world.services.goals.service.create(
            caller, CreateGoal(title=f"Wine {number}: {STORY}"[:200], priority="critical")
        )
    return caller


@pytest.mark.covers("CTX-26", "CTX-28")
async def test_large_stores_give_a_context_in_the_budget_and_each_section_its_part(world: World) -> None:
    caller = await full_stores(world)
    count = world.services.context._count
    shares = world.services.catalog.context.shares

    for budget in (1000, 1001, 2000):
        request = Request(prompt="wine and cheese", budget=budget, constraints=Constraints(max_items=100))
        context = await world.services.context.preview(caller, request)

        assert context.selection.used == count(context.selection.text) <= budget
        assert context.budget_remaining == budget - context.selection.used
        assert context.late == ()
        used = Counter[Section]()
        for item in context.selection.items:
            used[item.section] += item.tokens
        # Each has something, and the goals not more than their part.
        assert set(used) == set(Section)
        assert used[Section.FRONTAL_CORTEX] <= shares["frontal_cortex"] * budget
        waiting = {each.section for each in context.selection.excluded if each.reason is Reason.OVER_BUDGET}
        # Of so many equal texts it is open how many of a kind are candidates: twice the tokens may do.
        everything_fits = {Section.EPISODIC_MEMORY} if budget > 1001 else set()
        assert waiting >= set(Section) - {Section.CONSCIOUSNESS, Section.FRONTAL_CORTEX} - everything_fits


@pytest.mark.covers("CTX-42")
async def test_what_remains_of_the_budget_is_there_for_further_steps_of_the_turn(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    await world.services.memory.remember(
        caller,
        Remember(memories=[MemoryDraft(kind=MemoryKind.FACT, content="Cheese is kept in the cellar")]),
    )
    service = world.services.context
    first = await service.assemble(caller, AssembleContext(prompt="wine?", budget=1000, turn_id="t"))
    world.clock.advance(seconds=1)

    # Later in the turn its receipt still says what remains.
    receipt = await service.receipt(caller, "t")
    assert receipt.budget_remaining == first.budget_remaining == 1000 - first.selection.used > 0

    command = AssembleContext(prompt="cheese?", budget=receipt.budget_remaining, turn_id="t", skip_seen=True)
    second = await service.assemble(caller, command)

    seen = {item.uid for item in first.selection.items}
    noted = f"{world.clock.now():%Y-%m-%d}"
    assert [item.text for item in second.selection.items] == [f'- {noted} "Cheese is kept in the cellar"\n']
    assert {each.uid for each in second.selection.excluded if each.reason is Reason.SEEN} == seen
    assert (second.selection.missing_mandates, second.selection.truncated) == ((), False)
    assert first.selection.used + second.selection.used + second.budget_remaining == 1000
    assert second.receipt.excluded_counts == {"seen": len(seen)}
    # A third one finds nothing that is new, and another turn has seen nothing yet.
    world.clock.advance(seconds=1)
    third = await service.assemble(caller, command)
    assert (third.selection.text, third.budget_remaining) == ("", receipt.budget_remaining)
    other = await service.assemble(caller, command.model_copy(update={"turn_id": "t2"}))
    assert {item.uid for item in other.selection.items} > seen
    # A turn of somebody else with the same name is another one.
    stranger = await world.caller("stranger")
    await filled(world, stranger)
    theirs = await service.assemble(stranger, command)
    assert len(theirs.selection.items) == 7
