"""Observations that contradict each other: found, logged, all kept."""

from __future__ import annotations

from typing import Any

from graph.scratch.record import Observation, ObservationChanges, ObservationDraft
from tests.support.world import World


async def noted(world: World, *texts: str, agent: str = "bot", **given: Any) -> list[Observation]:
    drafts = [ObservationDraft.model_validate({"content": text, **given}) for text in texts]
    return list(await world.services.scratch.add(await world.caller(agent), drafts))


async def frame_keys(world: World, *observations: Observation) -> list[str]:
    rows = await world.rows(
        "UNWIND $uids AS uid MATCH (o:Observation {uid: uid}) RETURN o.frame_key AS key",
        uids=[o.uid for o in observations],
    )
    return [row["key"] for row in rows]


async def test_what_differs_by_a_value_or_a_negation_has_one_key(world: World) -> None:
    same = await noted(world, "The budget is $50", "the budget is not 60 EUR.", "The  BUDGET is $50")
    (other,) = await noted(world, "The price is $50")
    (of_ann,) = await noted(world, "The budget is $50", context={"user_id": "ann"})
    keys = await frame_keys(world, *same, other, of_ann)
    assert len(keys) == 5
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3


async def test_the_key_follows_the_text(world: World) -> None:
    (o,) = await noted(world, "The budget is $50")
    (price,) = await noted(world, "The price is $60")
    caller = await world.caller()
    before = await frame_keys(world, o)
    await world.services.scratch.update(caller, o.uid, ObservationChanges(confidence=0.9))
    assert await frame_keys(world, o) == before
    await world.services.scratch.update(caller, o.uid, ObservationChanges(content="The price is $50"))
    assert await frame_keys(world, o) == await frame_keys(world, price) != before
