"""Single goals are shared with everything below them, so far as was granted, and only until it ends."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.lists import evidence_of, links_of
from tests.support.thinned import first_by_day
from tests.support.world import World

OTHER = (ActorKind.AGENT, "other")
READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN


async def family(world: World) -> dict[str, Goal]:
    """top > middle > low, and beside: a sibling of middle; evidence and an action on middle."""
    bot = await world.caller()
    await world.caller("other")
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="secret reason")])
    goals: dict[str, Goal] = {}

    async def make(title: str, **fields: Any) -> None:
        goals[title] = await world.services.goals.service.create(bot, CreateGoal(title=title, **fields))

    await make("top")
    await make(
        "middle",
        parent_goal_id=goals["top"].uid,
        evidence=(EvidenceDraft(observation_id=seen.uid),),
        pending_actions=(PendingActionDraft(type="research", title="look"),),
    )
    await make("low", parent_goal_id=goals["middle"].uid)
    await make("beside", parent_goal_id=goals["top"].uid)
    return goals


async def share(world: World, goal: Goal, permission: SpacePermission = READ) -> str:
    return await world.services.goals.sharing.share(
        await world.caller(),
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=OTHER[0], key=OTHER[1]), permission=permission),
    )


async def seen_by(world: World, caller: Caller, goals: dict[str, Goal]) -> set[str]:
    found = await world.services.goals.service.get(caller, [goal.uid for goal in goals.values()])
    page = await world.services.goals.service.list(caller)
    assert {goal.uid for goal in page.items} == set(found)
    assert await world.services.goals.service.count(caller) == len(found)
    return {goal.title for goal in found.values()}


@pytest.mark.covers("SEC-14")
async def test_a_shared_goal_is_seen_with_what_is_below_it_until_the_share_ends(world: World) -> None:
    goals = await family(world)
    other = await world.caller("other")
    services = world.services
    assert await seen_by(world, other, goals) == set()

    await share(world, goals["middle"])
    # As for every request: what was shared meanwhile counts from the next one on.
    other = await world.caller("other")

    assert await seen_by(world, other, goals) == {"middle", "low"}
    late = await services.goals.service.create(
        await world.caller(), CreateGoal(title="late", parent_goal_id=goals["low"].uid)
    )
    goals["late"] = late
    assert await seen_by(world, other, goals) == {"middle", "low", "late"}
    middle = goals["middle"].uid
    links = await links_of(services, other, [middle, late.uid])
    assert links[middle].parent_goal_id is None
    assert links[middle].lineage_ids == ()
    assert links[late.uid].lineage_ids == (goals["low"].uid, middle)
    drawn = await services.goals.service.lineage(other, middle)
    assert {(node.kind, node.name) for node in drawn.nodes} == {
        ("goal", "middle"),
        ("goal", "low"),
        ("goal", "late"),
        ("pending_action", "look"),
    }
    assert await evidence_of(services, other, [middle]) == {}
    assert await services.goals.sharing.count_evidence(other, [middle]) == {middle: 1}
    (action,) = (await services.actions.service.of_goals(other, [middle]))[middle]
    assert set(await services.actions.service.get(other, [action.uid])) == {action.uid}
    with pytest.raises(NotFound):
        await services.goals.service.lineage(other, goals["top"].uid)

    await services.goals.sharing.unshare(
        await world.caller(), UnshareGoal(goal_id=middle, actor=Actor(kind=OTHER[0], key=OTHER[1]))
    )

    assert await seen_by(world, other, goals) == set()
    assert await links_of(services, other, [middle]) == {}
    assert await services.goals.sharing.count_evidence(other, [middle]) == {}
    assert await services.actions.service.of_goals(other, [middle]) == {}
    assert await services.actions.service.get(other, [action.uid]) == {}
    with pytest.raises(NotFound):
        await services.goals.service.lineage(other, middle)
    with pytest.raises(NotFound):
        await services.goals.sharing.unshare(
            await world.caller(), UnshareGoal(goal_id=middle, actor=Actor(kind=OTHER[0], key=OTHER[1]))
        )


Step = Callable[[World, Caller, dict[str, Goal]], Awaitable[Any]]


async def transit(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goals["low"].uid, status=GoalStatus.BLOCKED)
    )


async def progress(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goals["low"].uid, delta=0.1)])
    )


async def change(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.upsert.upsert(caller, UpsertGoal(title="n", id=goals["low"].uid))


async def add_child(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.service.create(caller, CreateGoal(title="c", parent_goal_id=goals["low"].uid))


async def move_away(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.upsert.upsert(caller, UpsertGoal(parent_goal_id=None, id=goals["low"].uid))


async def share_on(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.sharing.share(
        caller, ShareGoal(goal_id=goals["low"].uid, actor=Actor(kind=OTHER[0], key=OTHER[1]), permission=READ)
    )


async def unshare_it(world: World, caller: Caller, goals: dict[str, Goal]) -> None:
    await world.services.goals.sharing.unshare(
        caller, UnshareGoal(goal_id=goals["middle"].uid, actor=Actor(kind=OTHER[0], key=OTHER[1]))
    )


ALLOWED: list[tuple[Step, set[SpacePermission]]] = [
    (transit, {WRITE, ADMIN}),
    (progress, {WRITE, ADMIN}),
    (change, {WRITE, ADMIN}),
    (add_child, {WRITE, ADMIN}),
    (move_away, set()),
    (share_on, {ADMIN}),
    (unshare_it, {ADMIN}),
]


@pytest.mark.parametrize(
    "role", first_by_day(["writer", "reader"], "test_rights_matrix has tokens that only read")
)
@pytest.mark.parametrize(
    "permission", first_by_day([WRITE, READ, None, ADMIN], "test_rights_matrix has each share", by_day=3)
)
@pytest.mark.parametrize("step", ALLOWED, ids=lambda step: step[0].__name__)
async def test_who_may_do_what(
    world: World, role: str, permission: SpacePermission | None, step: tuple[Step, set[SpacePermission]]
) -> None:
    goals = await family(world)
    if permission is not None:
        await share(world, goals["middle"], permission)
    other = await world.caller("other", roles=(role,))
    run, allowed = step
    before = await world.counts()
    if role == "writer" and permission in allowed:
        await run(world, other, goals)
        return
    wanted: type[PrefrontalError] = NotFound if role == "writer" and permission is None else Forbidden
    with pytest.raises(wanted):
        await run(world, other, goals)
    assert await world.counts() == before


async def test_a_writer_links_what_it_noticed_itself(world: World) -> None:
    goals = await family(world)
    other = await world.caller("other")
    (mine,) = await world.services.scratch.service.add(
        other, [ObservationDraft(content="mine", confidence=1.0)]
    )
    await share(world, goals["middle"], WRITE)
    other = await world.caller("other")
    uid = goals["low"].uid
    linked = await world.services.goals.evidence.link(
        other, LinkObservation(goal_id=uid, observation_id=mine.uid)
    )
    assert linked.after == 0.1
    seen = await evidence_of(world.services, other, [uid])
    assert [item.content for item in seen[uid]] == ["mine"]
    assert await evidence_of(world.services, await world.caller(), [uid]) == {}
    undone = await world.services.goals.evidence.unlink(
        other, UnlinkObservation(goal_id=uid, observation_id=mine.uid)
    )
    assert undone.after == 0


async def test_permission_is_the_strongest_and_administrators_see_with_whom(world: World) -> None:
    goals = await family(world)
    await share(world, goals["top"], READ)
    await share(world, goals["middle"], WRITE)
    other, bot = await world.caller("other"), await world.caller()
    uids = [goals[name].uid for name in ("top", "middle", "low")]
    sharing = world.services.goals.sharing
    assert list((await sharing.permissions(other, uids)).values()) == [READ, WRITE, WRITE]
    assert await sharing.shared_with(other, uids) == {}
    shown = await sharing.shared_with(bot, uids)
    assert [[(s.key, s.permission, s.granted_by) for s in shown[uid]] for uid in uids] == [
        [("other", READ, bot.actor_id)],
        [("other", WRITE, bot.actor_id)],
        [],
    ]
    await share(world, goals["middle"], READ)
    assert (await sharing.permissions(other, uids))[uids[1]] is READ


async def test_who_cannot_be_shared_with_is_refused_and_nothing_is_written(world: World) -> None:
    goals = await family(world)
    before = await world.counts()
    bot = await world.caller()
    for actor, error in (
        ((ActorKind.AGENT, "nobody"), NotFound),
        ((ActorKind.PERSON, "other"), NotFound),
        ((ActorKind.DEVICE, "other"), InvalidInput),
    ):
        with pytest.raises(error):
            await world.services.goals.sharing.share(
                bot,
                ShareGoal(
                    goal_id=goals["top"].uid, actor=Actor(kind=actor[0], key=actor[1]), permission=READ
                ),
            )
        assert await world.counts() == before
    key = new_id(Kind.ORGANISATION, world.clock.now()).replace("_", "-").lower()
    org = await world.services.access.create_organisation(key)
    elsewhere = World(world.services, world.clock, world.statements, key, org)
    stranger = await elsewhere.caller("other")
    await share(world, goals["top"], ADMIN)
    assert await world.services.goals.service.get(stranger, [goals["top"].uid]) == {}
    with pytest.raises(NotFound):
        await world.services.goals.sharing.share(
            stranger,
            ShareGoal(goal_id=goals["top"].uid, actor=Actor(kind=OTHER[0], key=OTHER[1]), permission=READ),
        )


@pytest.mark.covers("SEC-14")
async def test_a_caller_names_those_of_its_actors_with_whom_goals_are_shared(world: World) -> None:
    goals = await family(world)
    ann = Actor(kind=ActorKind.PERSON, key="ann")
    both = await world.caller("other", person="ann", device="phone")
    assert both.shared_with == ()

    await share(world, goals["low"])
    assert (await world.caller("other", person="ann", device="phone")).shared_with == (both.agent_id,)
    assert (await world.caller(None, person="ann")).shared_with == ()

    bot = await world.caller()
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=goals["top"].uid, actor=ann, permission=READ)
    )
    both = await world.caller("other", person="ann", device="phone")
    assert both.shared_with == (both.agent_id, both.person_id)

    for name, actor in (("low", Actor(kind=OTHER[0], key=OTHER[1])), ("top", ann)):
        await world.services.goals.sharing.unshare(bot, UnshareGoal(goal_id=goals[name].uid, actor=actor))
    assert (await world.caller("other", person="ann", device="phone")).shared_with == ()
    # The caller from before sees nothing more either.
    assert await seen_by(world, both, goals) == set()
