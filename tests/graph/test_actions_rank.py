"""Of otherwise equal actions the one of the more relevant goal comes first, on every page."""

from __future__ import annotations

import random
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOwner,
    CompletePendingAction,
    PendingAction,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.actions.utility import rank_key, sort_key
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalStatus,
    ProgressDelta,
    TransitionGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.cortex.relevance import relevance
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.storage.paging import encode_cursor
from tests.support.world import World


async def goal(world: World, priority: str, *, progress: float = 0.0, to: GoalStatus | None = None) -> Goal:
    bot = await world.caller()
    services = world.services
    made = await services.goals.service.create(bot, CreateGoal(title=priority, priority=priority))
    if progress:
        await services.goals.transitions.update_progress(
            bot, UpdateProgress(deltas=[ProgressDelta(goal_id=made.uid, delta=progress)])
        )
    if to is not None:
        await services.goals.transitions.transition(bot, TransitionGoal(id=made.uid, status=to))
    return (await services.goals.service.get(bot, [made.uid]))[made.uid]


async def make(world: World, drafts: list[tuple[str | None, dict[str, Any]]]) -> list[PendingAction]:
    """An action for each: its goal, and what else it is; more than a call takes are several calls."""
    bot = await world.caller()
    made: list[PendingAction] = []
    for start in range(0, len(drafts), 100):
        entries = [
            PendingActionUpsert(goal_id=of, **{"title": "t", "type": "agent_task", **fields})
            for of, fields in drafts[start : start + 100]
        ]
        done = await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=entries))
        made += [result.action for result in done if result.action]
    assert len(made) == len(drafts)
    return made


async def pages(world: World, caller: Caller, size: int, wanted: ActionFilter | None = None) -> list[str]:
    found: list[str] = []
    after, more = None, True
    while more:
        page = await world.services.actions.service.list(caller, wanted, first=size, after=after)
        found += [action.uid for action in page.items]
        assert len(page.cursors) == len(page.items) <= size
        after, more = (page.cursors[-1] if page.cursors else None), page.has_next
    return found


def best(world: World, number: int) -> None:
    """Let so many be ranked in this test."""
    types = world.services.registry.files
    types.take(ActionTypes(dict(types), types.table.model_copy(update={"ranked": number})))


@pytest.mark.covers("ACT-30")
async def test_of_equal_actions_that_of_the_more_relevant_goal_comes_first(world: World) -> None:
    goals = [
        await goal(world, "low"),
        await goal(world, "critical"),
        await goal(world, "high"),
        await goal(world, "high", to=GoalStatus.BLOCKED),
        await goal(world, "high", progress=0.5),
        await goal(world, "critical"),
    ]
    low, cancelled, high, blocked, advanced, critical = (each.uid for each in goals)
    actions = await make(
        world, [(uid, {}) for uid in (low, cancelled, high, blocked, advanced, critical, None)]
    )
    # An ended goal gets no new actions, so it ends after it got its own.
    await world.services.goals.transitions.transition(
        await world.caller(), TransitionGoal(id=cancelled, status=GoalStatus.CANCELLED)
    )
    (better,) = await make(world, [(low, {"priority": "high"})])
    (worse,) = await make(world, [(critical, {"priority": "low"})])

    order = [
        (await world.services.actions.service.get(await world.caller(), [uid]))[uid]
        for uid in await pages(world, await world.caller(), 20)
    ]

    assert [action.goal_id for action in order] == [
        better.goal_id,
        advanced,
        critical,
        high,
        blocked,
        low,
        # Neither a goal that is done with nor none at all is relevant: the older one first.
        cancelled,
        None,
        worse.goal_id,
    ]
    assert {action.uid for action in order} == {action.uid for action in [*actions, better, worse]}


async def test_what_is_due_earlier_or_blocks_stays_before_the_more_relevant(world: World) -> None:
    low, critical = (await goal(world, "low")).uid, (await goal(world, "critical")).uid
    soon = world.clock.now()
    due = await make(world, [(low, {"due_at": soon}), (critical, {})])
    blocking, plain = await make(world, [(low, {"blocking": True}), (critical, {})])

    found = await pages(world, await world.caller(), 20)

    assert found == [due[0].uid, blocking.uid, due[1].uid, plain.uid]


async def test_the_query_and_the_rule_say_the_same(world: World) -> None:
    table = world.services.catalog.goals
    chance = random.Random(7)
    goals = [
        await goal(
            world,
            chance.choice(list(table.priorities)),
            progress=round(chance.random(), 3) if chance.random() > 0.4 else 0.0,
        )
        for _ in range(12)
    ]
    actions = await make(world, [(each.uid, {}) for each in goals])
    told = {
        action.uid: relevance(each.priority_rank, each.status.value, each.progress, table)
        for action, each in zip(actions, goals, strict=True)
    }

    found = await pages(world, await world.caller(), 5)

    assert found == sorted(told, key=lambda uid: (-told[uid], uid))


@pytest.mark.covers("ACT-30", "ACT-32")
@pytest.mark.parametrize("size", [1, 4, 7, 100])
async def test_pages_give_every_action_once_with_the_best_ranked_and_the_rest_as_stored(
    world: World, size: int
) -> None:
    best(world, 10)
    chance = random.Random(size)
    goals = [(await goal(world, priority)).uid for priority in ("low", "high", "critical")]
    ranks = dict(zip(goals, (1, 3, 4), strict=True))
    actions = await make(
        world,
        [
            (
                chance.choice([*goals, None]),
                {"priority": chance.choice(["high", "low"]), "owner": ActionOwner.AGENT},
            )
            for _ in range(25)
        ],
    )
    stored = sorted(actions, key=sort_key)
    top = sorted(stored[:10], key=lambda a: (rank_key(sort_key(a)), -ranks.get(a.goal_id or "", 0), a.uid))

    found = await pages(world, await world.caller(), size)

    assert found == [action.uid for action in [*top, *stored[10:]]]
    assert found == await pages(world, await world.caller(), size)


async def test_what_comes_and_goes_between_pages_moves_nothing_else(world: World) -> None:
    best(world, 6)
    low, critical = (await goal(world, "low")).uid, (await goal(world, "critical")).uid
    actions = await make(world, [(low if number % 2 else critical, {}) for number in range(10)])
    bot = await world.caller()
    expected = [actions[number].uid for number in (0, 2, 4, 1, 3, 5, 6, 7, 8, 9)]
    first = await world.services.actions.service.list(bot, first=4)

    # Two come in above everything, one of the best is done: the best end where they ended.
    await make(world, [(low, {"priority": "critical"}), (critical, {"priority": "critical"})])
    await world.services.actions.transitions.complete(bot, CompletePendingAction(id=actions[3].uid))
    second = await world.services.actions.service.list(bot, first=20, after=first.cursors[-1])

    assert [action.uid for action in first.items] == expected[:4]
    assert [action.uid for action in second.items] == [uid for uid in expected[4:] if uid != actions[3].uid]
    assert second.has_next is False


async def test_more_that_come_in_than_a_page_looks_at_are_passed_over_and_nothing_comes_twice(
    world: World,
) -> None:
    best(world, 3)
    actions = await make(world, [(None, {}) for _ in range(8)])
    bot = await world.caller()
    first = await world.services.actions.service.list(bot, first=2)
    await make(world, [(None, {"priority": "critical"}) for _ in range(9)])

    rest = await pages_after(world, bot, first.cursors[-1])

    assert len(set(rest)) == len(rest)
    assert not set(rest) & {action.uid for action in first.items}
    assert [uid for uid in rest if uid in {action.uid for action in actions}] == [
        action.uid for action in actions[2:]
    ]


async def pages_after(world: World, caller: Caller, after: str) -> list[str]:
    found: list[str] = []
    more = True
    while more:
        page = await world.services.actions.service.list(caller, first=2, after=after)
        found += [action.uid for action in page.items]
        after, more = (page.cursors[-1] if page.cursors else after), page.has_next
    return found


async def test_only_what_is_readable_is_ranked_and_goals_change_the_order_at_once(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    one, two = await goal(world, "low"), await goal(world, "high")
    actions = await make(world, [(one.uid, {}), (two.uid, {})])

    assert await pages(world, other, 5) == []
    assert await pages(world, bot, 5) == [actions[1].uid, actions[0].uid]
    await world.services.goals.upsert.upsert(bot, UpsertGoal(priority="critical", id=one.uid))
    assert await pages(world, bot, 5) == [actions[0].uid, actions[1].uid]


@pytest.mark.parametrize(
    "cursor",
    [
        encode_cursor("utility", "x"),
        encode_cursor("utility", "x", 1, "y"),
        encode_cursor("utility", "x", "1.0", "y"),
        "nothing",
    ],
)
async def test_a_cursor_of_another_form_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not a cursor"):
        await world.services.actions.service.list(await world.caller(), after=cursor)


async def test_a_cursor_that_was_made_up_gives_a_page_of_the_list(world: World) -> None:
    actions = await make(world, [(None, {}) for _ in range(3)])
    for key, alignment, end in (("", 0.0, "~"), ("~", 9.0, ""), ("x y", -1.0, "a")):
        cursor = encode_cursor("utility", key, alignment, end)
        page = await world.services.actions.service.list(await world.caller(), after=cursor)
        assert {action.uid for action in page.items} <= {action.uid for action in actions}
