"""Goals listed by urgency, and read by another process."""

from __future__ import annotations

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    GoalFilter,
    GoalStatus,
)
from tests.support.world import World


@pytest.mark.covers("GOAL-17", "GOAL-18")
async def test_goals_are_listed_most_urgent_first_then_newest(world: World) -> None:
    caller = await world.caller()
    names = ["low", "high", "critical", "medium", "high", "low", "critical"]
    for number, priority in enumerate(names):
        await world.services.goals.service.create(
            caller,
            CreateGoal(
                title=f"{number} {priority}", priority=priority, goal_type="odd" if number % 2 else None
            ),
        )
        world.clock.advance(seconds=1)
    expected = ["6 critical", "2 critical", "4 high", "1 high", "3 medium", "5 low", "0 low"]

    whole = await world.services.goals.service.list(caller)
    seen: list[str] = []
    after = None
    while True:
        world.statements.clear()
        page = await world.services.goals.service.list(caller, first=3, after=after)
        assert world.statements.names == ["goals/list_goals"]
        seen += [goal.title for goal in page.items]
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert [goal.title for goal in whole.items] == seen == expected
    assert await world.services.goals.service.count(caller) == 7
    assert [
        g.title for g in (await world.services.goals.service.list(caller, GoalFilter(goal_type="odd"))).items
    ] == [
        "1 high",
        "3 medium",
        "5 low",
    ]
    assert await world.services.goals.service.count(caller, GoalFilter(goal_type="odd")) == 3
    done = await world.services.goals.service.list(caller, GoalFilter(status=(GoalStatus.COMPLETED,)))
    assert (
        done.items,
        await world.services.goals.service.count(caller, GoalFilter(status=(GoalStatus.COMPLETED,))),
    ) == ((), 0)


@pytest.mark.covers("GOAL-16")
async def test_goals_outlive_the_process_that_made_them(
    world: World, settings: Settings, driver: AsyncDriver
) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="g", priority="high", turn_id="t")
    )

    # Everything a process knows is made anew; only the database is the same.
    another = build_services(settings, driver)
    same = await another.access.caller(world.principal())

    assert same == caller
    assert (await another.goals.service.list(same)).items == (goal,)
