"""Observations that contradict each other in other words: found by an index over what they are about."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationDraft,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.world import World

LIKES, HATES = "Anna is very fond of olives", "Anna hates olives"


async def noted(world: World, *texts: str, agent: str = "bot", **given: Any) -> list[Observation]:
    drafts = [ObservationDraft.model_validate({"content": text, **given}) for text in texts]
    return list(await world.services.scratch.service.add(await world.caller(agent), drafts))


async def found(world: World, o: Observation) -> set[tuple[str, str, str | None]]:
    conflicts = await world.services.scratch.service.conflicts_of(await world.caller(), [o.uid])
    return {(c.source_id, c.target_id, c.kind and c.kind.value) for c in conflicts.get(o.uid, ()) if c.open}


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (LIKES, HATES, "opposite"),
        ("The hotel has a lift", "There is no lift in the hotel", "negation"),
        ("The dentist appointment is at 3 pm", "The dentist's appointment is at half past four", "date"),
        ("The deposit is $500", "The deposit is only 300 dollars", "number"),
        ("Sofia lives in Porto", "Sofia has moved to Lisbon", "place"),
        ("Doctor Haas is our family doctor", "Our family doctor is called Lindgren", "name"),
        ("User prefers tea to coffee", "User would take coffee over tea", "opposite"),
    ],
)
@pytest.mark.covers("OBS-69", "OBS-70")
async def test_a_contradiction_in_other_words_is_found_whichever_came_first(
    world: World, one: str, other: str, kind: str
) -> None:
    (first,) = await noted(world, one)
    (second,) = await noted(world, other)
    assert await found(world, first) == {(second.uid, first.uid, kind)}
    (third,) = await noted(world, one)
    assert await found(world, second) == {(second.uid, first.uid, kind), (third.uid, second.uid, kind)}
    traces = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org, kind: 'observations_conflict'}) "
        "RETURN t.ids AS ids ORDER BY t.uid"
    )
    assert [row["ids"] for row in traces] == [[second.uid, first.uid], [third.uid, second.uid]]


async def test_observations_of_one_call_are_compared_in_other_words_too(world: World) -> None:
    likes, window, hates = await noted(world, LIKES, "The window is open", HATES)
    assert await found(world, likes) == {(hates.uid, likes.uid, "opposite")}
    assert await found(world, window) == set()


async def test_it_costs_no_statement_more_until_one_is_found(world: World) -> None:
    world.statements.clear()
    await noted(world, LIKES)
    plain = list(world.statements.names)
    assert plain[-3:] == [
        "scratch/create_observations",
        "journal/append_entries",
        "scratch/find_observations",
    ]
    await noted(world, HATES)
    assert world.statements.counts["scratch/link_conflicts"] == 1
    assert world.statements.counts["scratch/create_observations"] == 2


async def test_what_is_said_elsewhere_of_others_or_is_over_is_not_compared(world: World) -> None:
    await noted(world, LIKES, agent="stranger")
    await noted(world, LIKES, context={"user_id": "ann"})
    await noted(world, LIKES, ttl_minutes=0)
    await noted(world, LIKES, ttl_minutes=1)
    resolved, archived = await noted(world, LIKES, LIKES)
    change = world.services.scratch.service.change
    await change(await world.caller(), ResolveObservation(id=resolved.uid))
    await change(await world.caller(), ArchiveObservation(id=archived.uid))
    world.clock.advance(minutes=1)

    (o,) = await noted(world, HATES)
    assert await found(world, o) == set()
    rows = await world.rows("MATCH (:Observation {org_id: $org})-[c:CONTRADICTS]-() RETURN c")
    assert rows == []

    (of_ann,) = await noted(world, HATES, context={"user_id": "ann"})
    assert {kind for _, _, kind in await found(world, of_ann)} == {"opposite"}


async def test_a_new_text_is_compared_by_what_it_is_about_now(world: World) -> None:
    likes, berta, o = await noted(world, LIKES, "Berta loves olives", "The window is open")
    caller, change = await world.caller(), world.services.scratch.service.change
    await change(caller, UpdateObservation(id=o.uid, content=HATES))
    assert await found(world, o) == {(o.uid, likes.uid, "opposite")}
    await change(caller, UpdateObservation(id=o.uid, confidence=0.1))
    assert await found(world, o) == {(o.uid, likes.uid, "opposite")}
    await change(caller, UpdateObservation(id=o.uid, content="Berta dislikes olives"))
    assert await found(world, o) == {(o.uid, berta.uid, "opposite")}
    await change(caller, UpdateObservation(id=o.uid, content="Is Berta fond of olives?"))
    assert await found(world, o) == set()
    (row,) = await world.rows("MATCH (o:Observation {uid: $uid}) RETURN o.claim_key AS key", uid=o.uid)
    assert row["key"] is None


async def test_only_the_newest_of_what_is_said_of_a_thing_are_compared(world: World) -> None:
    many = await noted(world, *[LIKES] * 30)
    world.clock.advance(seconds=1)
    (o,) = await noted(world, HATES)
    assert {target for _, target, _ in await found(world, o)} == {old.uid for old in many[10:]}
