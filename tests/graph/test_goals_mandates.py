"""Goals against mandates: what violates one is blocked whatever way it comes, and goes on when it may."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    PendingActionDraft,
    TransitionPendingAction,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalFilter,
    GoalStatus,
    GoalUpdate,
    ShareGoal,
    TransitionGoal,
    UpdateGoals,
    UpsertGoal,
)
from prefrontal.graph.cortex.mandates.record import (
    PlanCheck,
    PlanDraft,
    PlanGoalDraft,
    PlanStepDraft,
    ViolationKind,
)
from prefrontal.graph.errors import (
    ActionBlocked,
    Conflict,
    IllegalTransition,
    InvalidInput,
    NotFound,
    SeveralConflicts,
)
from prefrontal.graph.evaluation.record import EvaluateScratchPage
from prefrontal.graph.history.record import Revert
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.memory.record import (
    Forget,
    MemoryDraft,
    MemoryKind,
    Remember,
    StepCondition,
    Supersede,
)
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.record import (
    CommitAtTurnEnd,
    StartTurn,
    TurnGoalStatus,
    TurnMemory,
    TurnObservation,
)
from tests.support.world import World

BLOCKED, PENDING = GoalStatus.BLOCKED, GoalStatus.PENDING
WRITE = SpacePermission.WRITE


FORBIDS = "which the mandate forbids; change what violates it, or supersede or forget the mandate"


async def mandate(world: World, caller: Caller, content: str = "Never buy wine", **given: Any) -> str:
    space = given.pop("space", None)
    draft = MemoryDraft(kind=MemoryKind.MANDATE, content=content, **given)
    done = await world.services.memory.remember(caller, Remember(memories=(draft,), space=space))
    return done.memories[0].uid


async def forget(world: World, caller: Caller, uid: str) -> None:
    await world.services.memory.forget(caller, Forget(id=uid))


async def create(world: World, caller: Caller, title: str = "Buy wine", **given: Any) -> Goal:
    return await world.services.goals.service.create(caller, CreateGoal(title=title, **given))


async def move(world: World, caller: Caller, goal: Goal, to: GoalStatus = PENDING) -> Goal:
    return await world.services.goals.transitions.transition(caller, TransitionGoal(id=goal.uid, status=to))


async def goals(world: World, caller: Caller) -> dict[str, Goal]:
    page = await world.services.goals.service.list(caller, GoalFilter(status=tuple(GoalStatus)), first=100)
    return {goal.title: goal for goal in page.items}


async def check(
    world: World, caller: Caller, *steps: str, goal: str | None = None, **given: Any
) -> PlanCheck:
    plan = PlanDraft(
        goal=None if goal is None else PlanGoalDraft(title=goal),
        steps=tuple(PlanStepDraft(description=step) for step in steps),
    )
    return await world.services.turns.plans.check(caller, plan, **given)


def act(title: str = "Buy the wine", **given: Any) -> PendingActionDraft:
    return PendingActionDraft(title=title, **{"type": "agent_task", **given})


def state(goal: Goal) -> tuple[GoalStatus, tuple[str, ...]]:
    return goal.status, goal.violates


@pytest.mark.covers("GOAL-48")
async def test_a_goal_that_violates_a_mandate_is_blocked_and_names_it(world: World) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot)

    goal = await create(world, bot, turn_id="turn-1", pending_actions=(act("Go"),))

    assert state(goal) == (BLOCKED, (uid,))
    assert goal.status_reason == (
        f"violates the mandate {uid}: of the goal, it says 'buy wine', which the mandate forbids"
    )
    assert goal.version == 1
    trace = await world.services.turns.trace.trace(bot, "turn-1", first=100)
    (entry,) = [each for each in trace.items if each.kind is TraceKind.GOAL_TRANSITIONED]
    assert (entry.message, entry.ids) == ("Goal blocked by a mandate", (goal.uid, uid))
    assert entry.details == {"from": "pending", "to": "blocked"}


@pytest.mark.covers("GOAL-48")
async def test_an_action_that_violates_one_blocks_its_goal(world: World) -> None:
    bot = await world.caller()
    wine = await mandate(world, bot)
    calls = await mandate(world, bot, "No calls are allowed")

    goal = await create(world, bot, "Party", pending_actions=(act("Cook"), act("Call Ann"), act()))

    assert state(goal) == (BLOCKED, (wine, calls))
    assert goal.status_reason == (
        f"violates the mandate {wine}: of action 3, it says 'buy wine', which the mandate forbids; "
        f"it violates {calls}, too"
    )


@pytest.mark.covers("GOAL-48")
async def test_every_way_in_is_checked(world: World) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot)
    upserts = world.services.goals.upsert
    await create(world, bot, "Buy wine 1")
    await upserts.upsert(bot, UpsertGoal(title="Buy wine 2", client_key="two"))
    changed, _ = await upserts.upsert(bot, UpsertGoal(title="Buy bread", client_key="three"))
    await upserts.upsert(bot, UpsertGoal(title="Buy wine 3", client_key="three"))
    other = await create(world, bot, "Buy milk")
    await upserts.update_all(bot, UpdateGoals(goals=(GoalUpdate(id=other.uid, title="Buy wine 4"),)))

    found = await goals(world, bot)

    assert {title: state(goal) for title, goal in found.items()} == {
        f"Buy wine {number}": (BLOCKED, (uid,)) for number in range(1, 5)
    }
    assert (changed.status, found["Buy wine 3"].version) == (PENDING, 2)


@pytest.mark.covers("GOAL-48")
async def test_goals_that_evaluation_founds_are_checked(world: World) -> None:
    bot = await world.caller()
    wanted = ["User needs to buy wine", "User wants to paint walls", "User wants to sell bikes"]
    uids = [
        await mandate(world, bot, content)
        for content in ("Never buy wine", "Do not paint walls", "Selling bikes is not allowed")
    ]
    added, reviewed, at_the_end = (ObservationDraft(content=text, confidence=0.95) for text in wanted)
    await world.services.evaluation.add(bot, [added])
    await world.services.scratch.service.add(bot, [reviewed])
    await world.services.evaluation.review(bot, EvaluateScratchPage())
    noticed = (TurnObservation.model_validate(at_the_end.model_dump(exclude_unset=True)),)
    await world.services.turns.commit.commit(bot, CommitAtTurnEnd(turn_id="t", observations=noticed))

    found = await goals(world, bot)

    assert {title: state(goal) for title, goal in found.items()} == {
        title: (BLOCKED, (uid,)) for title, uid in zip(wanted, uids, strict=True)
    }


@pytest.mark.covers("GOAL-48")
async def test_a_mandate_of_the_turn_binds_the_goals_of_its_end(world: World) -> None:
    bot = await world.caller()
    await world.services.turns.commit.commit(
        bot,
        CommitAtTurnEnd(
            turn_id="t",
            memories=(TurnMemory(kind=MemoryKind.MANDATE, content="Never buy wine"),),
            observations=(TurnObservation(content="User needs to buy wine", confidence=0.95),),
        ),
    )

    (goal,) = (await goals(world, bot)).values()

    assert goal.status is BLOCKED


@pytest.mark.covers("GOAL-48")
async def test_its_actions_are_neither_offered_nor_started_not_even_blocking_ones(world: World) -> None:
    bot = await world.caller()
    await mandate(world, bot)
    drafts = (act("Go"), act("Open the shop", blocking=True))
    goal = await create(world, bot, pending_actions=drafts)
    (free,) = (await create(world, bot, "Bread", pending_actions=(act("Bake"),)),)
    actions = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]

    started = await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))
    waiting = await world.services.actions.service.list(bot, ActionFilter(blocked=True))

    assert [(each.title, each.goal_id) for each in started.agent_actions] == [("Bake", free.uid)]
    assert {each.title for each in waiting.items} == {"Go", "Open the shop"}
    for each in actions:
        with pytest.raises(ActionBlocked):
            await world.services.actions.transitions.transition(
                bot, TransitionPendingAction(id=each.uid, status="in_progress")
            )


async def test_a_blocking_action_of_a_goal_that_somebody_blocked_can_still_be_done(world: World) -> None:
    bot = await world.caller()
    goal = await create(world, bot, "Bread", pending_actions=(act("Find flour", blocking=True),))
    await move(world, bot, goal, BLOCKED)

    started = await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))

    assert [each.title for each in started.agent_actions] == ["Find flour"]


@pytest.mark.covers("GOAL-48")
async def test_it_goes_on_only_when_nothing_violates_a_mandate_any_more(world: World) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot)
    by_title = await create(world, bot)
    by_action = await create(world, bot, "Party", pending_actions=(act(),))
    (action,) = (await world.services.actions.service.of_goals(bot, [by_action.uid]))[by_action.uid]

    for goal, what in ((by_title, "the goal"), (by_action, "action 1")):
        before = await world.counts()
        with pytest.raises(IllegalTransition) as refused:
            await move(world, bot, goal)
        assert (refused.value.field, refused.value.message) == (
            "status",
            f"the goal violates the mandate {uid}: of {what}, it says 'buy wine', {FORBIDS}",
        )
        assert await world.counts() == before

    await world.services.goals.upsert.upsert(bot, UpsertGoal(id=by_title.uid, title="Buy bread"))
    moved = await move(world, bot, by_title)
    assert (state(moved), moved.status_reason) == ((PENDING, ()), None)
    await world.services.actions.transitions.transition(
        bot, TransitionPendingAction(id=action.uid, status="cancelled")
    )
    assert state(await move(world, bot, by_action)) == (PENDING, ())


@pytest.mark.covers("GOAL-48")
@pytest.mark.parametrize("newer", [None, "Buy wine on Fridays"])
async def test_it_goes_on_when_the_mandate_is_gone(world: World, newer: str | None) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot)
    goal = await create(world, bot)
    if newer is None:
        await forget(world, bot, uid)
    else:
        draft = MemoryDraft(kind=MemoryKind.MANDATE, content=newer)
        await world.services.memory.supersede(bot, Supersede(id=uid, memory=draft))

    assert state(await move(world, bot, goal)) == (PENDING, ())


@pytest.mark.covers("GOAL-48")
async def test_it_can_be_ended_but_not_reopened(world: World) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot)
    goal = await create(world, bot)

    ended = await move(world, bot, goal, GoalStatus.CANCELLED)

    assert state(ended) == (GoalStatus.CANCELLED, ())
    with pytest.raises(IllegalTransition, match=uid):
        await move(world, bot, goal)
    (result,) = await world.services.turns.commit.commit(
        bot, CommitAtTurnEnd(turn_id="t", goal_statuses=(TurnGoalStatus(id=goal.uid, status=PENDING),))
    )
    assert result.problem is not None
    assert (result.problem.code, uid in result.problem.message) == ("illegal_transition", True)


@pytest.mark.covers("GOAL-48")
async def test_no_revert_brings_back_what_a_mandate_forbids(world: World) -> None:
    bot = await world.caller()
    goal = await create(world, bot)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(id=goal.uid, title="Buy bread"))
    uid = await mandate(world, bot)

    with pytest.raises((Conflict, SeveralConflicts), match=uid):
        await world.services.history.revert.revert(bot, Revert(id=goal.uid, version=1))

    await forget(world, bot, uid)
    await world.services.history.revert.revert(bot, Revert(id=goal.uid, version=1))
    assert set(await goals(world, bot)) == {"Buy wine"}


async def test_a_revert_from_blocked_to_what_is_allowed_frees_the_goal(world: World) -> None:
    bot = await world.caller()
    await mandate(world, bot)
    goal = await create(world, bot, "Buy bread")
    changed, _ = await world.services.goals.upsert.upsert(bot, UpsertGoal(id=goal.uid, title="Buy wine"))
    assert changed.status is BLOCKED

    await world.services.history.revert.revert(bot, Revert(id=goal.uid, version=1))

    found = (await goals(world, bot))["Buy bread"]
    assert (state(found), found.status_reason) == ((PENDING, ()), None)
    await world.services.history.revert.revert(bot, Revert(id=goal.uid, version=2))
    assert (await goals(world, bot))["Buy wine"].status is BLOCKED


@pytest.mark.covers("GOAL-48", "GOAL-49")
async def test_a_new_mandate_leaves_old_goals_as_they_are_and_check_plan_says_so(world: World) -> None:
    bot = await world.caller()
    goal = await create(world, bot, "Party", pending_actions=(act("Cook"), act()))
    cook, buy = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    uid = await mandate(world, bot)
    before = await world.counts()

    found = await check(world, bot, "Dance", "Buy more wine", goal_id=goal.uid)

    assert (found.satisfied, found.checked) == (False, 1)
    assert [(each.mandate_id, each.kind, each.step, each.action_id) for each in found.violations] == [
        (uid, ViolationKind.PROHIBITED, None, buy.uid),
        (uid, ViolationKind.PROHIBITED, 1, None),
    ]
    assert cook.uid != buy.uid
    assert await world.counts() == before
    changed, _ = await world.services.goals.upsert.upsert(bot, UpsertGoal(id=goal.uid, priority="high"))
    assert changed.status is PENDING


@pytest.mark.covers("GOAL-49")
async def test_a_plan_that_satisfies_all_mandates(world: World) -> None:
    bot = await world.caller()
    for content in ("Help users make informed decisions", "Never buy wine"):
        await mandate(world, bot, content)

    found = await check(world, bot, "Call weather_api for Paris", goal="What's the weather in Paris?")

    assert (found.satisfied, found.violations, found.checked) == (True, (), 2)


@pytest.mark.covers("GOAL-48")
async def test_actions_that_a_mandate_wants_confirmed_require_a_confirmation(world: World) -> None:
    bot = await world.caller()
    uid = await mandate(world, bot, "Always ask before buying wine")

    some = await create(world, bot, "Party", pending_actions=(act("Cook"), act()))
    every = await create(world, bot, "Buy wine", pending_actions=(act("Cook"), act("Go")))

    found = await world.services.actions.service.of_goals(bot, [some.uid, every.uid])
    assert [each.requires_confirmation for each in found[some.uid]] == [False, True]
    assert [each.requires_confirmation for each in found[every.uid]] == [True, True]
    assert state(some) == state(every) == (PENDING, ())
    checked = await check(world, bot, "Buy wine")
    assert [(each.mandate_id, each.kind) for each in checked.violations] == [
        (uid, ViolationKind.CONFIRMATION_REQUIRED)
    ]


@pytest.mark.covers("GOAL-49")
async def test_a_step_whose_type_asks_for_approval_satisfies_a_required_confirmation(
    world: World,
) -> None:
    bot = await world.caller()
    await mandate(world, bot, "Always ask before buying wine")
    steps = (
        PlanStepDraft(description="Approve that we buy wine", action_type="approval_request"),
        PlanStepDraft(description="Buy wine", action_type="agent_task"),
    )

    plans = world.services.turns.plans

    assert (await plans.check(bot, PlanDraft(steps=steps))).satisfied
    assert not (await plans.check(bot, PlanDraft(steps=steps[1:]))).satisfied


@pytest.mark.covers("GOAL-48", "GOAL-49", "SEC-11")
async def test_only_the_mandates_of_own_spaces_the_common_one_and_the_goals_space_bind(world: World) -> None:
    await world.caller()
    ann = await world.caller(None, person="ann")
    team = await world.services.access.create_space(ann, CreateSpace(name="team"))
    ann = await world.caller(None, person="ann")
    for space in (team, ann.home):
        await world.grant(
            ann, GrantAccess(space=space, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=WRITE)
        )
    bot = await world.caller()
    chief = await world.caller(None, person="chief", roles=("writer", "maintainer"))
    assert chief.common is not None
    hers = await mandate(world, ann, "Never buy wine")
    ours = await mandate(world, ann, "Never buy tea", space=team)
    common = await mandate(world, chief, "Never buy beer", space=chief.common)
    stranger = await world.caller("stranger")

    made = {
        (title, space): state(await create(world, bot, title, space=space))
        for title in ("Buy wine", "Buy tea", "Buy beer")
        for space in (bot.home, team, ann.home)
    }

    assert {key: violates for key, (_, violates) in made.items() if violates} == {
        ("Buy wine", ann.home): (hers,),
        ("Buy tea", team): (ours,),
        ("Buy beer", bot.home): (common,),
        ("Buy beer", team): (common,),
        ("Buy beer", ann.home): (common,),
    }
    assert [v.mandate_id for v in (await check(world, bot, "Buy tea", space=team)).violations] == [ours]
    assert (await check(world, bot, "Buy tea and wine")).violations == ()
    assert (await check(world, stranger, "Buy tea and wine")).checked == 1
    for given in ({"space": team}, {"goal_id": (await create(world, bot, "Rest")).uid}):
        with pytest.raises(NotFound):
            await check(world, stranger, "Buy tea", **given)


@pytest.mark.covers("GOAL-48", "SEC-11")
async def test_who_shares_the_goal_does_not_let_it_go_on_past_the_owners_mandate(world: World) -> None:
    bot, guest = await world.caller(), await world.caller("guest")
    uid = await mandate(world, bot)
    goal = await create(world, bot)
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=goal.uid, actor=Actor(kind=ActorKind.AGENT, key="guest"), permission=WRITE)
    )
    guest = await world.caller("guest")

    for title in ("Buy wine", "Buy bread"):
        await world.services.goals.upsert.upsert(guest, UpsertGoal(id=goal.uid, title=title))
        # The same answer whatever the goal says: the mandate cannot be found out by trying.
        with pytest.raises(IllegalTransition) as refused:
            await move(world, guest, goal)
        assert f"violates the mandate {uid}, which does not bind you" in refused.value.message
    assert (await check(world, guest, goal_id=goal.uid)).violations == ()
    await forget(world, bot, uid)
    assert state(await move(world, guest, goal)) == (PENDING, ())


async def test_declared_conditions_bind_and_are_kept(world: World) -> None:
    bot = await world.caller()
    jobs = StepCondition(action_types=("background_job",))
    uid = await mandate(world, bot, "Quiet hours", forbids=jobs)
    found = (await world.services.memory.get(bot, [uid]))[uid]
    assert (found.forbids, found.requires_confirmation) == (jobs, None)

    goal = await create(world, bot, "Rest", pending_actions=(act("Run", type="background_job"),))

    assert state(goal) == (BLOCKED, (uid,))


@pytest.mark.parametrize(
    ("kind", "condition", "field"),
    [
        (MemoryKind.FACT, StepCondition(phrases=("wine",)), "memories[0].forbids"),
        (MemoryKind.MANDATE, StepCondition(), "memories[0].forbids"),
        (MemoryKind.MANDATE, StepCondition(phrases=("wine", "?!")), "memories[0].forbids.phrases[1]"),
    ],
)
async def test_a_condition_that_says_nothing_is_refused(
    world: World, kind: MemoryKind, condition: StepCondition, field: str
) -> None:
    draft = MemoryDraft(kind=kind, content="x", forbids=condition)

    with pytest.raises(InvalidInput) as refused:
        await world.services.memory.remember(await world.caller(), Remember(memories=(draft,)))

    assert refused.value.field == field


async def test_nothing_to_check_is_refused(world: World) -> None:
    with pytest.raises(InvalidInput) as refused:
        await check(world, await world.caller())
    assert refused.value.field == "goal"


async def test_mandates_are_read_once_for_the_goals_of_an_evaluation(world: World) -> None:
    bot = await world.caller()
    await mandate(world, bot)
    notes = [f"User needs a new {thing}" for thing in ("bicycle", "kettle", "lamp")]
    drafts = [ObservationDraft(content=note, confidence=0.95) for note in notes]
    world.statements.clear()

    await world.services.evaluation.add(bot, drafts)

    assert world.statements.names.count("goals/create_goal") == 3
    assert world.statements.names.count("memory/list_mandates") == 1


async def test_the_kind_of_what_blocks_a_goal_is_a_mandate(world: World) -> None:
    bot = await world.caller()
    await mandate(world, bot)

    (uid,) = (await create(world, bot)).violates

    assert kind_of(uid) is Kind.MANDATE
