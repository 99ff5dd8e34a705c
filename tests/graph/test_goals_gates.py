"""An agent completes or gives up a goal in which something waits, or begins to wait, for a person."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    ConfirmPendingAction,
    PendingActionUpsert,
    UpsertPendingActions,
    UpsertResult,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, Goal, GoalStatus, TransitionGoal
from prefrontal.graph.errors import ActionBlocked
from prefrontal.graph.history.record import Revert
from prefrontal.graph.registry.overrides.record import ActionTypeDraft, RegisterActionType
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World


@dataclass(frozen=True)
class Team:
    """An agent and a person who write to one space, and a goal in it."""

    world: World
    bot: Caller
    ann: Caller
    space: str
    goal: str

    async def put(self, who: Caller, **fields: Any) -> UpsertResult:
        entry = PendingActionUpsert.model_validate(fields)
        command = UpsertPendingActions(actions=(entry,), space=self.space)
        return (await self.world.services.actions.upsert.upsert(who, command))[0]

    async def new_action(self, who: Caller, **fields: Any) -> str:
        action = (await self.put(who, title="t", goal_id=self.goal, **fields)).action
        assert action is not None
        return action.uid

    async def end(self, status: GoalStatus = GoalStatus.COMPLETED) -> Goal:
        command = TransitionGoal(id=self.goal, status=status)
        return await self.world.services.goals.transitions.transition(self.bot, command)

    async def status(self) -> str:
        (row,) = await self.world.rows("MATCH (g {uid: $uid}) RETURN g.status AS status", uid=self.goal)
        return str(row["status"])


@pytest.fixture
async def team(world: World) -> Team:
    await world.caller(None, person="ann")
    space = await world.services.access.create_space(await world.caller(), CreateSpace(name="team"))
    actor = Actor(kind=ActorKind.PERSON, key="ann")
    await world.grant(
        await world.caller(), GrantAccess(space=space, actor=actor, permission=SpacePermission.WRITE)
    )
    bot, ann = await world.caller(), await world.caller(None, person="ann")
    goal = await world.services.goals.service.create(bot, CreateGoal(title="g", space=space))
    return Team(world, bot, ann, space, goal.uid)


async def new(team: Team) -> Callable[[], Awaitable[Any]]:
    return lambda: team.new_action(team.ann, type="approval_request")


async def made_blocking(team: Team) -> Callable[[], Awaitable[Any]]:
    errand = await team.new_action(team.bot, type="user_task")
    return lambda: team.put(team.ann, id=errand, blocking=True)


async def to_be_confirmed(team: Team) -> Callable[[], Awaitable[Any]]:
    blocker = await team.new_action(team.bot, type="blocker", owner="agent")
    return lambda: team.put(team.ann, id=blocker, requires_confirmation=True)


async def reverted(team: Team) -> Callable[[], Awaitable[Any]]:
    approval = await team.new_action(team.bot, type="approval_request")
    await team.put(team.ann, id=approval, blocking=False)
    command = Revert(id=approval, version=1)
    return lambda: team.world.services.history.revert.revert(team.ann, command)


@pytest.mark.covers("ACT-40")
@pytest.mark.parametrize("begin", [new, made_blocking, to_be_confirmed, reverted])
async def test_who_completes_waits_for_what_begins_to_wait_for_a_person(
    team: Team, monkeypatch: pytest.MonkeyPatch, begin: Callable[[Team], Awaitable[Any]]
) -> None:
    call = await begin(team)
    async with open_transaction(team.world, monkeypatch, call()) as begun:
        completing = asyncio.create_task(team.end())
        assert await blocked(team.world, completing, team.bot, "g.locked_at")
    await begun

    said = "the goal waits for a user: let one complete or cancel act_.*, or complete the goal"
    with pytest.raises(ActionBlocked, match=said):
        await completing
    assert await team.status() == "pending"


@pytest.mark.covers("ACT-40")
async def test_a_new_approval_waits_for_who_completes_and_comes_too_late(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_transaction(team.world, monkeypatch, team.end()) as completing:
        entry = {"type": "approval_request", "title": "t", "goal_id": team.goal}
        asking = asyncio.create_task(team.put(team.ann, **entry))
        assert await blocked(team.world, asking, team.ann, "g.locked_at", about=team.goal)
    await completing

    problem = (await asking).problem
    assert problem is not None
    assert (problem.code, problem.field) == ("illegal_transition", "actions[0].goalId")
    assert await team.status() == "completed"
    assert await team.world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.uid") == []


@pytest.mark.parametrize("status", [GoalStatus.CANCELLED, GoalStatus.ARCHIVED])
async def test_an_agent_may_give_the_goal_up_and_waits_for_no_action_of_its_own(
    team: Team, status: GoalStatus
) -> None:
    await team.new_action(team.bot, type="blocker", owner="agent")
    await team.end()
    await team.end(GoalStatus.IN_PROGRESS)
    approval = await team.new_action(team.bot, type="approval_request")

    await team.end(status)
    await team.end(GoalStatus.PENDING)
    # Nothing was claimed to be done, so the goal waits on.
    with pytest.raises(ActionBlocked, match=approval):
        await team.end()


@pytest.mark.covers("ACT-40")
async def test_an_approval_that_an_agent_owns_is_one(team: Team) -> None:
    """What a type's guard asks for is a confirmation, whatever its policies say."""
    maintainer = await team.world.caller(roles=("maintainer",))
    research = team.world.services.registry.files["research"].model_dump()
    keys = research | {
        "id": "sign_off",
        "default_policies": {"blocking": True},
        "policy_handlers": {"completion_guard": "approval_required"},
    }
    command = RegisterActionType(definition=ActionTypeDraft(keys=keys), approved=True)
    await team.world.services.registry.overrides.register(maintainer, command)
    action = (await team.put(team.bot, type="sign_off", title="t", goal_id=team.goal)).action
    assert action is not None
    assert (action.owner.value, action.requires_confirmation) == ("agent", True)
    weaker = await team.put(team.bot, type="sign_off", title="t", requires_confirmation=False)
    assert weaker.problem is not None
    assert (weaker.problem.code, weaker.problem.field) == (
        "owner_violation",
        "actions[0].requiresConfirmation",
    )

    with pytest.raises(ActionBlocked):
        await team.end()
    confirm = ConfirmPendingAction(id=action.uid)
    await team.world.services.actions.transitions.confirm(team.ann, confirm)
    await team.end()
    assert await team.status() == "completed"
