"""Observations that contradict each other in contexts: together, marked, and counted."""

from __future__ import annotations

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import (
    AssembleContext,
    CandidateKind,
    Context,
    ContextFormat,
    Item,
    Reason,
    Request,
    Source,
)
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.scratch.record import ArchiveObservation, Observation, ObservationDraft
from tests.support.slowing import slowed
from tests.support.world import World

REQUEST = Request(prompt="How large is the budget for the dinner?", budget=5000)


async def noted(world: World, caller: Caller, *drafts: ObservationDraft) -> list[Observation]:
    return list(await world.services.scratch.service.add(caller, list(drafts)))


def observations(context: Context) -> list[Item]:
    return [item for item in context.selection.items if item.kind is CandidateKind.OBSERVATION]


async def test_both_are_shown_together_marked_and_counted(world: World) -> None:
    caller = await world.caller()
    first, other, second = await noted(
        world,
        caller,
        ObservationDraft(content="The budget for the dinner is $50", confidence=0.9),
        ObservationDraft(content="The dinner has a budget, as always", confidence=0.7),
        ObservationDraft(content="The budget for the dinner is $60", confidence=0.3),
    )

    context = await world.services.context.assemble(
        caller, AssembleContext(**dict(REQUEST), turn_id="t", idempotency_key="k")
    )
    xml = await world.services.context.preview(
        caller, REQUEST.model_copy(update={"format": ContextFormat.XML})
    )

    items = observations(context)
    assert {item.uid: item.contradicts for item in items} == {
        first.uid: (second.uid,),
        second.uid: (first.uid,),
        other.uid: (),
    }
    order = [item.uid for item in items]
    assert abs(order.index(first.uid) - order.index(second.uid)) == 1
    (line,) = [item.text for item in items if item.uid == first.uid]
    at = line.split()[2]
    assert line == (
        f'- {first.uid} {at} (0.90) "The budget for the dinner is $50" contradicts {second.uid}\n'
    )
    (element,) = [item.text for item in observations(xml) if item.uid == first.uid]
    assert element == (
        f'<observation id="{first.uid}">{at} (0.90) "The budget for the dinner is $50" contradicts '
        f"{second.uid}</observation>\n"
    )
    count = world.services.context._count
    assert context.selection.used == count(context.selection.text)
    assert xml.selection.used == count(xml.selection.text)
    # The receipt says so too, and who repeats the call gets the same text.
    receipt = await world.services.context.receipt(caller, "t")
    assert receipt == context.receipt
    assert {item.uid: item.contradicts for item in receipt.included} == {
        item.uid: item.contradicts for item in items
    }
    again = await world.services.context.assemble(
        caller, AssembleContext(**dict(REQUEST), turn_id="t", idempotency_key="k")
    )
    assert again.selection == context.selection
    # What is no longer active contradicts nothing.
    await world.services.scratch.service.change(caller, ArchiveObservation(id=second.uid))
    after = await world.services.context.preview(caller, REQUEST)
    assert {item.uid: item.contradicts for item in observations(after)} == {first.uid: (), other.uid: ()}


async def test_what_contradicts_is_fetched_if_nothing_else_finds_it(world: World) -> None:
    bot, stranger = await world.caller(), await world.caller("stranger")
    (old,) = await noted(world, bot, ObservationDraft(content="All of it is paid", ttl_minutes=60 * 24 * 30))
    # Nobody else's observation is shown, or named, however much it contradicts.
    await noted(world, stranger, ObservationDraft(content="The budget for the dinner is $60"))
    world.clock.advance(days=6)
    (new,) = await noted(
        world, bot, ObservationDraft(content="The budget for the dinner is $50", contradicts=(old.uid,))
    )

    context = await world.services.context.preview(bot, REQUEST)
    less = await world.services.context.preview(bot, REQUEST.model_copy(update={"budget": 90}))

    assert [(i.uid, i.contradicts, i.reason, i.via, i.path) for i in observations(context)] == [
        (new.uid, (old.uid,), Reason.MATCHING, None, ()),
        (old.uid, (new.uid,), Reason.MATCHING, new.uid, (new.uid,)),
    ]
    # If there is room for one alone, its line names the other.
    assert [(i.uid, i.contradicts) for i in observations(less)] == [(new.uid, (old.uid,))]
    assert [(e.uid, e.reason) for e in less.selection.excluded] == [(old.uid, Reason.OVER_BUDGET)]


@pytest.mark.covers("CTX-43")
async def test_if_contradictions_are_late_the_rest_is_there_and_says_so(world: World) -> None:
    caller = await world.caller()
    await noted(
        world,
        caller,
        ObservationDraft(content="The budget for the dinner is $50"),
        ObservationDraft(content="The budget for the dinner is $60"),
    )
    whole = await world.services.context.preview(caller, REQUEST)

    with slowed(world.services.database, "context/read_conflicts", timeout_s=1.0):
        partial = await world.services.context.preview(caller, REQUEST)

    assert (whole.late, partial.late) == ((), (Source.CONTRADICTIONS,))
    assert len(observations(partial)) == 2
    assert all(item.contradicts == () for item in observations(partial))


async def test_each_item_says_by_which_path_it_came(world: World) -> None:
    caller = await world.caller()
    (seen,) = await noted(
        world,
        caller,
        ObservationDraft(content="The panes are cracked", entities=(EntityName(name="Greenhouse"),)),
    )
    repair = PendingActionDraft(type="research", title="Measure", effort=1.0, priority="medium")
    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(
            title="Repair", evidence=(EvidenceDraft(observation_id=seen.uid),), pending_actions=(repair,)
        ),
    )

    context = await world.services.context.assemble(
        caller, AssembleContext(prompt="Are the panes of the Greenhouse cracked?", budget=5000, turn_id="t")
    )

    entity = entity_id(caller.org_id, "Greenhouse")
    paths = {item.kind: item.path for item in context.selection.items}
    assert paths == {
        CandidateKind.OBSERVATION: (entity,),
        CandidateKind.GOAL: (entity, seen.uid),
        CandidateKind.PENDING_ACTION: (entity, seen.uid, goal.uid),
    }
    assert all(item.path[-1] == item.via for item in context.selection.items)
    receipt = await world.services.context.receipt(caller, "t")
    assert [item.path for item in receipt.included] == [item.path for item in context.selection.items]
