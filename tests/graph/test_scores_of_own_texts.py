"""Orders and scores tell nothing of what others hold."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.context.record import AssembleContext, Request
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from tests.support.world import World

NOTES = [
    "a note about control",
    "a note about secret",
    "control of the secret control room, and much more that nobody asked about",
    "天气 control",
    "deploy_prod secret",
    "nothing of it",
]
QUERIES = ["control secret", "secret", "the control of 天气 and deploy_prod", "note control room"]


async def seen(world: World, reader: Any) -> list[Any]:
    """What the reader gets to see of each query: the order of a search, and a context with its scores."""
    found: list[Any] = []
    for query in QUERIES:
        page = await world.services.scratch.service.find(reader, ObservationFilter(query=query), first=100)
        found.append([item.content for item in page.items])
        context = await world.services.context.preview(reader, Request(prompt=query, budget=5000))
        found.append([(item.text, item.score, item.rank, item.reason) for item in context.selection.items])
    return found


@pytest.mark.nightly("test_search has what others store and the order of one's own")
@pytest.mark.covers("SEC-11", "SEC-12")
async def test_what_others_store_changes_neither_order_nor_scores(world: World) -> None:
    reader, other = await world.caller("reader"), await world.caller("other")
    await world.services.access.create_organisation(world.org + "-b")
    elsewhere = world.principal("stranger").model_copy(update={"org": world.org + "-b"})
    stranger = await world.services.access.caller(elsewhere)
    for note in NOTES:
        await world.services.scratch.service.add(reader, [ObservationDraft(content=note)])
        world.clock.advance(seconds=1)
    before = await seen(world, reader)

    # Two equal notes are equal, however often others write one of the two words.
    context = await world.services.context.preview(reader, Request(prompt=QUERIES[0], budget=5000))
    at = {item.text.split('"')[1]: item.score for item in context.selection.items}
    # They stand next to each other, the newer one first.
    assert before[0].index(NOTES[0]) == before[0].index(NOTES[1]) + 1
    # In English one of the two words is a little rarer; that does not depend on what anybody stores.
    assert at[NOTES[0]] == pytest.approx(at[NOTES[1]], abs=0.05)
    drafts = [ObservationDraft(content=f"secret {number} secret 天气 deploy_prod") for number in range(300)]
    for who in (other, stranger):
        await world.services.scratch.service.add(who, drafts)

    assert await seen(world, reader) == before


async def test_a_receipt_of_the_same_request_has_the_same_scores(world: World) -> None:
    reader, other = await world.caller("reader"), await world.caller("other")
    await world.services.scratch.service.add(reader, [ObservationDraft(content=note) for note in NOTES])
    scores = []
    for _ in range(2):
        context = await world.services.context.assemble(
            reader, AssembleContext(prompt=QUERIES[0], budget=5000)
        )
        assert context.receipt
        scores.append([(item.uid, item.score) for item in context.receipt.included])
        await world.services.scratch.service.add(
            other, [ObservationDraft(content=f"control {number}") for number in range(100)]
        )
    assert scores[0] == scores[1]
