"""Goals made at the same time, or asked for twice."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, GoalDraft
from prefrontal.graph.errors import Conflict
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World


@pytest.mark.parametrize("number", [2, 12])
async def test_the_same_request_at_once_makes_one_goal(world: World, number: int) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    draft = GoalDraft(
        title="g",
        evidence=(EvidenceDraft(observation_id=seen.uid),),
        pending_actions=(PendingActionDraft(type="research", title="r"),),
    )

    goals = await asyncio.gather(
        *(
            world.services.goals.service.create(caller, CreateGoal(**dict(draft), idempotency_key="same"))
            for _ in range(number)
        )
    )

    assert len({goal.uid for goal in goals}) == 1
    counts = await world.counts()
    assert (counts["Goal"], counts["PendingAction"], counts["Request"]) == (1, 1, 1)
    with pytest.raises(Conflict):
        await world.services.goals.service.create(caller, CreateGoal(title="other", idempotency_key="same"))


async def test_two_goals_from_the_same_evidence_at_once_are_both_made(world: World) -> None:
    caller = await world.caller()
    seen = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=str(n)) for n in range(5)]
    )
    forward = tuple(EvidenceDraft(observation_id=o.uid) for o in seen)

    goals = await asyncio.gather(
        *(
            world.services.goals.service.create(
                caller, CreateGoal(title=str(n), evidence=forward if n % 2 else forward[::-1])
            )
            for n in range(8)
        )
    )

    linked = await world.services.scratch.service.linked_goals(caller, [seen[0].uid])
    assert set(linked[seen[0].uid]) == {goal.uid for goal in goals}
