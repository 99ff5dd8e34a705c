"""Data for the frontal cortex: very many pending actions, and a goal with very many versions.

There are as many actions as observations. Half of them belong to the agent; all are in the caller's private
space and without a goal. One goal has a thousand versions: changes of its progress, forwards and back, and a
new description now and then.
"""

from __future__ import annotations

from bench.words import text
from bench.world import BATCH, Advance, World
from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    ProgressDelta,
    UpdateProgress,
    UpsertGoal,
)

VERSIONS = 1_000
_STEPS = 100
"""The number of progress deltas in one call."""
_PRIORITIES = ("low", "medium", "high", "critical")


def entry(world: World) -> PendingActionUpsert:
    """Return an upsert entry that creates an action."""
    random = world.random
    agent = random.random() < 0.5
    return PendingActionUpsert(
        type="agent_task" if agent else "user_task",
        owner=ActionOwner.AGENT if agent else ActionOwner.USER,
        title=text(random, 3, 6),
        priority=random.choice(_PRIORITIES),
        effort=random.choice((0.5, 1.0, 2.0, 4.0)),
    )


async def grow_cortex(world: World, size: int, advance: Advance) -> None:
    """Add actions until there are `size`; on the first call, also the goal with the long history."""
    if not world.changed:
        world.changed = await _changed_goal(world)
    most = min(BATCH, world.loading.catalog.limits.actions_per_goal)
    while world.action_number < size:
        world.past.move()
        entries = [entry(world) for _ in range(min(most, size - world.action_number))]
        made = await world.loading.actions.upsert.upsert(world.caller, UpsertPendingActions(actions=entries))
        uids = [result.action.uid for result in made if result.action]
        world.action_uids = (world.action_uids + uids)[-5_000:]
        world.action_number += len(uids)
        advance(len(uids))


async def _changed_goal(world: World) -> str:
    services, caller = world.loading, world.caller
    goal = await services.goals.service.create(caller, CreateGoal(title=text(world.random, 3, 8)))
    version = goal.version
    while version < VERSIONS:
        described = UpsertGoal(id=goal.uid, description=text(world.random, 10, 40))
        await services.goals.upsert.upsert(caller, described)
        steps = min(_STEPS, VERSIONS - version - 1)
        deltas = [
            ProgressDelta(goal_id=goal.uid, delta=0.01 if number % 2 == 0 else -0.01)
            for number in range(steps)
        ]
        if deltas:
            await services.goals.transitions.update_progress(caller, UpdateProgress(deltas=deltas))
        version += 1 + steps
    return goal.uid
