"""Contexts for prompts that name somebody: what binds comes first, and who has a similar name stays out."""

from __future__ import annotations

import pytest

from prefrontal.graph.context.record import Context, Reason, Request
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.graph.test_evaluation_calls import Stored, judging
from tests.support.world import World

PROMPT = "What can Jonas drink on Saturday?"
HARM = "Jonas reacts to sulphites."


def lines(context: Context) -> list[str]:
    return [item.text.split('"')[1] for item in context.selection.items]


async def noted(world: World, *drafts: ObservationDraft) -> None:
    await world.services.scratch.service.add(await world.caller(), list(drafts))


async def previewed(world: World, prompt: str = PROMPT) -> Context:
    return await world.services.context.preview(await world.caller(), Request(prompt=prompt, budget=1000))


async def test_harm_comes_before_what_is_nearer_newer_and_surer(world: World) -> None:
    await noted(world, ObservationDraft(content=HARM, confidence=0.9, type="Alert"))
    world.clock.advance(hours=20)
    await noted(
        world,
        ObservationDraft(content="Jonas may drink a glass on Saturday.", confidence=1.0),
        ObservationDraft(content="On Saturday we drink white wine.", confidence=1.0),
    )

    context = await previewed(world)

    first, second, *_ = context.selection.items
    assert lines(context)[:2] == [HARM, "Jonas may drink a glass on Saturday."]
    assert (first.parts.relevance, first.reason, second.reason) == (1.0, Reason.ESSENTIAL, Reason.MATCHING)
    # It is older and less sure, and comes first all the same.
    assert first.parts.recency == pytest.approx(0.5 ** (20 / 12))
    assert first.score < second.score

    # For whoever names somebody else it is a note as any other.
    other = {
        item.text.split('"')[1]: item.reason
        for item in (await previewed(world, "What does Mira drink?")).selection.items
    }
    assert other[HARM] is Reason.RECENT


async def test_a_tag_says_it_too_and_a_durable_memory_has_tags(world: World) -> None:
    facts = [
        MemoryDraft(kind=MemoryKind.FACT, content="Jonas and eggs: no.", tags=["Allergy"]),
        MemoryDraft(kind=MemoryKind.FACT, content="Jonas has a boat."),
    ]
    await world.services.memory.remember(await world.caller(), Remember(memories=facts))
    await noted(world, ObservationDraft(content="Jonas may drink a glass on Saturday.", confidence=1.0))

    found = {item.text.split('"')[1]: item for item in (await previewed(world)).selection.items}

    assert found["Jonas and eggs: no."].reason is Reason.ESSENTIAL
    assert found["Jonas has a boat."].reason is Reason.MATCHING


async def test_without_a_label_the_vector_decides(world: World) -> None:
    seen = judging(world, Stored())
    judges = await seen.services.evaluation.prototypes.judges()
    assert judges is not None
    await noted(seen, ObservationDraft(content="Beware: Jonas must not have eggs.", confidence=0.5))
    world.clock.advance(hours=20)
    await noted(seen, ObservationDraft(content="Jonas may drink a glass on Saturday.", confidence=1.0))

    context = await previewed(seen)

    assert lines(context) == ["Beware: Jonas must not have eggs.", "Jonas may drink a glass on Saturday."]
    assert [item.reason for item in context.selection.items] == [Reason.ESSENTIAL, Reason.MATCHING]


async def test_a_note_on_somebody_with_a_similar_name_stays_out_unless_it_binds(world: World) -> None:
    other = ObservationDraft(content="Jonathan can drink any wine on Saturday.", confidence=1.0)
    await noted(world, other)
    # It may be the same one, as long as nothing else is known.
    assert lines(await previewed(world)) == ["Jonathan can drink any wine on Saturday."]

    await noted(world, ObservationDraft(content=HARM, confidence=0.9))
    context = await previewed(world)
    assert lines(context) == [HARM]
    assert context.receipt is not None
    assert {item.reason for item in context.receipt.excluded} == {Reason.BELOW_RELEVANCE}

    harm = ObservationDraft(content="Jonathan gets ill from wine.", confidence=1.0, tags=["alert"])
    await noted(world, harm)
    assert sorted(lines(await previewed(world))) == [
        "Jonas reacts to sulphites.",
        "Jonathan gets ill from wine.",
    ]


async def test_a_word_that_begins_like_the_name_is_no_name(world: World) -> None:
    cars = "Cars can park behind the hall."
    await noted(
        world,
        ObservationDraft(content="Carla has a blue car.", confidence=1.0),
        ObservationDraft(content=cars, confidence=1.0),
    )
    assert cars in lines(await previewed(world, "Where can Carla park?"))
