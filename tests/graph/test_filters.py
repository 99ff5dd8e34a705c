"""Filters and orders of observations, goals and actions: what they find, in which order, and only the own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.caller import Actor, ActorKind, Caller, Principal, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOrder,
    CompletePendingAction,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalFilter,
    GoalOrder,
    GoalStatus,
    ShareGoal,
    TransitionGoal,
    UpsertGoal,
)
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.scratch.record import (
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationOrder,
    ObservationStatus,
    Source,
    SourceKind,
    UpdateObservation,
)
from prefrontal.graph.storage.paging import Page, encode_cursor
from tests.support.world import World

HOUR = timedelta(hours=1)
Read = Callable[..., Awaitable[Page[Any]]]


async def owners(world: World, **named: str) -> dict[str, Caller]:
    """The own agent, another one of the organisation, and the agent of another organisation."""
    key, access = f"{world.org}-b", world.services.access
    await access.create_organisation(key)
    return {
        "mine": await world.caller(**named),
        "other": await world.caller("other", **named),
        "b": await access.caller(Principal(org=key, agent="bot", roles=("writer",), **named)),
    }


async def with_team(world: World, caller: Caller) -> tuple[Caller, str]:
    """The caller with a space of its own beside the private one, and the id of the space."""
    team = await world.services.access.create_space(caller, CreateSpace(name="team"))
    return caller.model_copy(
        update={name: (*getattr(caller, name), team) for name in ("readable", "writable", "administrable")}
    ), team


async def pages(read: Read, *given: Any, size: int) -> list[Any]:
    """All items, page by page."""
    items: list[Any] = []
    after = None
    while True:
        page = await read(*given, first=size, after=after)
        assert len(page.items) <= size
        items += page.items
        if not page.has_next:
            return items
        after = page.cursors[-1]


async def notes(world: World, caller: Caller, team: str, name: str) -> None:
    """Three notes, an hour apart, the last one in the team's space."""
    add = world.services.scratch.service.add
    about = {"entities": ({"name": "Ann"},), "context": ObservationContext(goal_key="g")}
    drafts: list[dict[str, Any]] = [
        {"tags": ("red", "big"), "client_key": "k", **about},
        {"tags": ("blue",), **about},
        {"tags": ("green",), "client_key": "k"},
    ]
    sources = [
        Source(kind=SourceKind.TOOL, name="search"),
        Source(kind=SourceKind.DAEMON, name="watch"),
        Source(kind=SourceKind.TOOL, name="mail", turn_id="night"),
    ]
    for number, (draft, source) in enumerate(zip(drafts, sources, strict=True)):
        note = ObservationDraft(content=f"{name} tea {number}", source=source, **draft)
        space = team if number == 2 else None
        await add(caller, [note], space=space, turn_id="day" if number < 2 else None)
        world.clock.advance(hours=1)


@pytest.mark.covers("OBS-15", "OBS-16", "OBS-26", "OBS-32")
async def test_observations_are_found_by_every_condition_and_by_no_stranger(
    world: World, *, nightly: bool
) -> None:
    found_by = await owners(world)
    teams: dict[str, str] = {}
    began = world.clock.now()
    for name in found_by:
        found_by[name], teams[name] = await with_team(world, found_by[name])
        world.clock.advance(seconds=1)
        began = world.clock.now()
        await notes(world, found_by[name], teams[name], name)
        if name == "mine":
            mine_began = began
    scratch = world.services.scratch.service

    async def numbers(name: str, **wanted: Any) -> list[int]:
        """The numbers of the notes that are found; every way to read must agree."""
        caller, given = found_by[name], ObservationFilter(**wanted)
        page = await scratch.find(caller, given, first=100)
        assert not page.partial
        changed = await scratch.find(caller, given, ObservationOrder.UPDATED_AT, first=100)
        ranked = await scratch.find(caller, given.model_copy(update={"query": "tea"}), first=100)
        total = await scratch.count(caller, given)
        assert total == len(page.items) == len(changed.items) == len(ranked.items)
        contents = [o.content for o in page.items]
        assert [o.content for o in changed.items] == contents
        assert sorted(o.content for o in ranked.items) == sorted(contents)
        assert all(text.startswith(f"{name} tea ") for text in contents)
        assert contents == sorted(contents, reverse=True)
        return sorted(int(text[-1]) for text in contents)

    for place, (name, caller) in enumerate(found_by.items()):
        table: list[tuple[dict[str, Any], list[int]]] = [
            ({}, [0, 1, 2]),
            ({"any_tags": ("red", "blue")}, [0, 1]),
            ({"any_tags": ("RED ", "big", "none")}, [0]),
            ({"any_tags": ("none",)}, []),
            ({"any_tags": ("big",), "tags": ("red",)}, [0]),
            ({"any_tags": ("blue",), "tags": ("red",)}, []),
            ({"any_tags": ("blue", "green"), "goal_key": "g"}, [1]),
            ({"any_tags": ("blue", "green"), "entities": ("ann",)}, [1]),
            ({"space": caller.home}, [0, 1]),
            ({"space": teams[name]}, [2]),
            ({"space": teams["other" if name == "mine" else "mine"]}, []),
            ({"space": "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD", "client_key": "k"}, []),
            ({"client_key": "k"}, [0, 2]),
            ({"client_key": "k", "space": teams[name]}, [2]),
            ({"client_key": "k", "tags": ("red",)}, [0]),
            ({"client_key": "none"}, []),
            ({"turn_id": "day"}, [0, 1]),
            ({"turn_id": "night"}, [2]),
            ({"turn_id": "day", "any_tags": ("blue",), "entities": ("ann",)}, [1]),
            ({"turn_id": "day", "client_key": "k"}, [0]),
            ({"turn_id": "none"}, []),
            ({"source_kind": SourceKind.TOOL}, [0, 2]),
            ({"source_name": "search"}, [0]),
            ({"source_kind": SourceKind.DAEMON, "source_name": "search"}, []),
            ({"source_name": "mail", "tags": ("green",)}, [2]),
            ({"source_name": "watch", "any_tags": ("green", "blue")}, [1]),
        ]
        # With each change one of the three owners tries a condition, in turns.
        for wanted, expected in table if nightly else table[place :: len(found_by)]:
            assert await numbers(name, **wanted) == expected, wanted

    at = [mine_began + number * HOUR for number in range(3)]
    moment = timedelta(microseconds=1)
    times: list[tuple[dict[str, Any], list[int]]] = [
        ({"since": at[1]}, [1, 2]),
        ({"since": at[1] + moment}, [2]),
        ({"until": at[1]}, [0]),
        ({"until": at[1] + moment}, [0, 1]),
        ({"since": at[1], "until": at[2]}, [1]),
        ({"since": at[2] + HOUR}, []),
    ]
    for wanted, expected in times:
        for more in (
            {},
            {"any_tags": ("red", "blue", "green")},
            {"source_kind": None},
            {"status": tuple(ObservationStatus)},
        ):
            assert await numbers("mine", **wanted, **more) == expected, (wanted, more)
    assert await numbers("mine", since=at[1], goal_key="g") == [1]
    assert await numbers("mine", since=at[1], entities=("Ann",)) == [1]
    assert await numbers("mine", since=at[1], turn_id="day") == [1]
    assert await numbers("mine", until=at[1], tags=("red",)) == [0]
    assert await numbers("mine", until=at[1], client_key="k") == [0]
    assert await numbers("mine", until=at[1], source_name="search") == [0]


@pytest.mark.covers("OBS-33")
async def test_observations_by_their_last_change_are_on_one_page_each(world: World) -> None:
    caller, scratch = await world.caller(), world.services.scratch.service
    for batch in range(2):
        drafts = [ObservationDraft(content=f"{batch} {number}") for number in range(4)]
        made = await scratch.add(caller, drafts)
        world.clock.advance(seconds=1)
        if not batch:
            first = made
    await scratch.change(caller, UpdateObservation(id=first[1].uid, confidence=0.9))
    everything, by_change = ObservationFilter(), ObservationOrder.UPDATED_AT
    order = ["0 1", "1 3", "1 2", "1 1", "1 0", "0 3", "0 2", "0 0"]

    for size in (1, 3, 4, 8):
        found = await pages(scratch.find, caller, everything, by_change, size=size)
        assert [o.content for o in found] == order

    page = await scratch.find(caller, everything, by_change, first=3)
    # What is changed now stands first: not again on a later page, and nothing else is skipped.
    world.clock.advance(seconds=1)
    for uid in (page.items[1].uid, first[3].uid):
        await scratch.change(caller, UpdateObservation(id=uid, confidence=0.8))
    rest = await scratch.find(caller, everything, by_change, after=page.cursors[-1])
    assert [o.content for o in rest.items] == ["1 1", "1 0", "0 2", "0 0"]
    again = await scratch.find(caller, everything, by_change, first=2)
    assert [o.content for o in again.items] == ["1 3", "0 3"]

    newest = await scratch.find(caller, everything, first=1)
    for wrong, order_by in (
        (newest.cursors[0], by_change),
        (page.cursors[0], ObservationOrder.CREATED_AT),
        (encode_cursor("created_at", 1, "obs_1"), by_change),
        (encode_cursor("updated_at", 2**62, "obs_1"), by_change),
    ):
        with pytest.raises(InvalidInput) as caught:
            await scratch.find(caller, everything, order_by, after=wrong)
        assert caught.value.field == "after"
    with pytest.raises(InvalidInput) as caught:
        await scratch.find(caller, ObservationFilter(query="tea"), by_change)
    assert caught.value.field == "orderBy"


async def fill_goals(world: World, caller: Caller, for_ann: Caller, team: str) -> dict[str, Goal]:
    """A goal, one below it that is ann's, and one in the team's space, a second apart."""
    upsert = world.services.goals.upsert
    wanted: list[tuple[str, Caller, dict[str, Any]]] = [
        ("trip", caller, {"title": "Plan the TRIP", "priority": "high"}),
        (
            "flight",
            for_ann,
            {
                "title": "Book a flight",
                "description": "to \uff2cyon",
                "goal_type": "travel",
                "client_key": "k",
                "priority": "critical",
            },
        ),
        ("wall", caller, {"title": "Paint the wall", "client_key": "k", "priority": "low", "space": team}),
    ]
    made: dict[str, Goal] = {}
    for name, who, fields in wanted:
        parent = {"parent_goal_id": made["trip"].uid} if name == "flight" else {}
        made[name], _ = await upsert.upsert(who, UpsertGoal(**fields, **parent))
        world.clock.advance(seconds=1)
    return made


@pytest.mark.covers("GOAL-17", "GOAL-18")
async def test_goals_are_found_by_every_condition_and_by_no_stranger(world: World, *, nightly: bool) -> None:
    found_by, with_ann = await owners(world), {}
    with_ann["mine"] = await world.caller(person="ann")
    with_ann["other"] = await world.caller("other", person="ann")
    principal = Principal(org=f"{world.org}-b", agent="bot", person="ann", roles=("writer",))
    with_ann["b"] = await world.services.access.caller(principal)
    teams: dict[str, str] = {}
    made: dict[str, dict[str, Goal]] = {}
    for name in found_by:
        found_by[name], teams[name] = await with_team(world, found_by[name])
        made[name] = await fill_goals(world, found_by[name], with_ann[name], teams[name])
    goals = world.services.goals.service

    async def names(name: str, **wanted: Any) -> list[str]:
        """The names of the goals that are found, most urgent first; every way to read must agree."""
        caller, given = found_by[name], GoalFilter(**wanted)
        known = {goal.uid: of for of, goal in made[name].items()}
        found = [await pages(goals.list, caller, given, order, size=1) for order in GoalOrder]
        listed = [[known[goal.uid] for goal in each] for each in found]
        assert await goals.count(caller, given) == len(listed[0])
        assert listed[1] == listed[2] == sorted(listed[0], key=[*known.values()].index, reverse=True)
        return listed[0]

    for place, (name, caller) in enumerate(found_by.items()):
        trip = made[name]["trip"].uid
        table: list[tuple[dict[str, Any], list[str]]] = [
            ({}, ["flight", "trip", "wall"]),
            ({"parent_goal_id": trip}, ["flight"]),
            ({"parent_goal_id": trip, "text": "wall"}, []),
            ({"parent_goal_id": made["other" if name == "mine" else "mine"]["trip"].uid}, []),
            ({"text": "trip  PLAN"}, ["trip"]),
            ({"text": "lyon \uff26light"}, ["flight"]),
            ({"text": "LIGHT"}, ["flight"]),
            ({"text": "a"}, ["flight", "trip", "wall"]),
            ({"text": "a nowhere"}, []),
            ({"text": ".*"}, []),
            ({"person": "ann"}, ["flight"]),
            ({"person": "bot"}, []),
            ({"agent": "other" if name == "other" else "bot"}, ["flight", "trip", "wall"]),
            ({"agent": "bot" if name == "other" else "other"}, []),
            ({"space": caller.home}, ["flight", "trip"]),
            ({"space": teams[name]}, ["wall"]),
            ({"space": teams["other" if name == "mine" else "mine"]}, []),
            ({"client_key": "k"}, ["flight", "wall"]),
            ({"client_key": "k", "space": teams[name]}, ["wall"]),
            ({"client_key": "k", "parent_goal_id": trip}, ["flight"]),
            ({"client_key": "k", "status": (GoalStatus.COMPLETED,)}, []),
            ({"goal_type": "travel", "text": "book"}, ["flight"]),
        ]
        # With each change one of the three owners tries a condition, in turns.
        for wanted, expected in table if nightly else table[place :: len(found_by)]:
            assert await names(name, **wanted) == expected, wanted

    # What is shared is found like the own: by each condition, in each order.
    grantee = Actor(kind=ActorKind.AGENT, key="other")
    share = ShareGoal(goal_id=made["mine"]["trip"].uid, actor=grantee, permission=SpacePermission.READ)
    await world.services.goals.sharing.share(found_by["mine"], share)
    shared = await world.caller("other")
    found_by["other"] = found_by["other"].model_copy(update={"shared_with": shared.shared_with})
    mine = made["mine"]
    made["other"] = {f"my {name}": mine[name] for name in ("trip", "flight")} | made["other"]
    for wanted, expected in [
        ({}, ["flight", "my flight", "trip", "my trip", "wall"]),
        ({"parent_goal_id": mine["trip"].uid}, ["my flight"]),
        ({"text": "flight"}, ["flight", "my flight"]),
        ({"client_key": "k"}, ["flight", "my flight", "wall"]),
        ({"space": found_by["mine"].home}, ["my flight", "my trip"]),
        ({"agent": "bot"}, ["my flight", "my trip"]),
    ]:
        assert await names("other", **wanted) == expected, wanted


@pytest.mark.covers("GOAL-18")
async def test_each_order_of_goals_has_its_cursors(world: World) -> None:
    caller, goals = await world.caller(), world.services.goals.service
    made: list[Goal] = []
    for number, priority in enumerate(("low", "high", "low", "medium", "high")):
        made.append(await goals.create(caller, CreateGoal(title=str(number), priority=priority)))
        if number % 2:
            # Two goals each are made at the same time.
            world.clock.advance(seconds=1)
    move = world.services.goals.transitions.transition
    await move(caller, TransitionGoal(id=made[1].uid, status=GoalStatus.IN_PROGRESS))
    world.clock.advance(seconds=1)

    def latest(*goals: Goal) -> list[str]:
        return [goal.title for goal in sorted(goals, key=lambda goal: goal.uid, reverse=True)]

    orders: dict[GoalOrder, list[str]] = {
        GoalOrder.PRIORITY: ["4", "1", "3", "2", "0"],
        GoalOrder.CREATED_AT: ["4", *latest(*made[2:4]), *latest(*made[:2])],
        GoalOrder.UPDATED_AT: [*latest(made[1], made[4]), *latest(*made[2:4]), "0"],
    }
    cursors = {}
    for order, expected in orders.items():
        for size in (1, 2, 5):
            found = await pages(goals.list, caller, None, order, size=size)
            assert [goal.title for goal in found] == expected, (order, size)
        page = await goals.list(caller, None, order, first=2)
        cursors[order] = page.cursors[1]
    for order in orders:
        for other, cursor in cursors.items():
            if other is order:
                continue
            with pytest.raises(InvalidInput) as caught:
                await goals.list(caller, None, order, after=cursor)
            assert caught.value.field == "after"
    with pytest.raises(InvalidInput):
        await goals.list(
            caller, None, GoalOrder.UPDATED_AT, after=encode_cursor("updated_at", 2**62, "goal_1")
        )

    # A goal that changes between two pages is not shown again, and no other one is skipped.
    await move(caller, TransitionGoal(id=made[0].uid, status=GoalStatus.BLOCKED))
    rest = await goals.list(caller, None, GoalOrder.UPDATED_AT, after=cursors[GoalOrder.UPDATED_AT])
    assert [goal.title for goal in rest.items] == [t for t in orders[GoalOrder.UPDATED_AT][2:] if t != "0"]


@pytest.mark.nightly("goals and observations are filtered in the same way; actions have lists of their own")
@pytest.mark.covers("ACT-21", "ACT-28", "ACT-33")
async def test_actions_are_found_when_overdue_by_text_and_by_key_and_by_no_stranger(
    world: World, *, nightly: bool
) -> None:
    found_by = await owners(world)
    actions, upsert = world.services.actions.service, world.services.actions.upsert
    now = world.clock.now()
    teams: dict[str, str] = {}
    goal_of: dict[str, str] = {}
    for name in found_by:
        found_by[name], teams[name] = await with_team(world, found_by[name])
        caller = found_by[name]
        goal = await world.services.goals.service.create(caller, CreateGoal(title="goal"))
        goal_of[name] = goal.uid
        entries: list[dict[str, Any]] = [
            {"title": "Call the BANK", "due_at": now - HOUR, "client_key": "k", "priority": "critical"},
            {"title": "due now", "description": "in the bank", "due_at": now, "goal_id": goal.uid},
            {"title": "later", "due_at": now + HOUR, "priority": "low"},
            {"title": "some day", "priority": "low", "effort": 8},
            {"title": "done", "due_at": now - HOUR, "client_key": "old"},
        ]
        made = await upsert.upsert(
            caller,
            UpsertPendingActions(actions=[PendingActionUpsert(type="agent_task", **e) for e in entries]),
        )
        assert made[4].action
        await world.services.actions.transitions.move(caller, CompletePendingAction(id=made[4].action.uid))
        keyed = PendingActionUpsert(
            type="agent_task", title="of the team", client_key="k", priority="low", effort=4
        )
        await upsert.upsert(caller, UpsertPendingActions(actions=[keyed], space=teams[name]))

    async def titles(name: str, **wanted: Any) -> list[str]:
        """The titles of the actions that are found, by utility; every way to read must agree."""
        caller, given = found_by[name], ActionFilter(**wanted)
        listed = [await pages(actions.list, caller, given, order, size=2) for order in ActionOrder]
        assert {a.uid for a in listed[0]} == {a.uid for a in listed[1]}
        assert await actions.count(caller, given) == len(listed[0]) == len(listed[1])
        due = [a.due_at or now.replace(year=9999) for a in listed[1]]
        assert due == sorted(due)
        return [a.title for a in listed[0]]

    every = ("pending", "completed")
    open_ones = ["Call the BANK", "due now", "later", "of the team", "some day"]
    for place, name in enumerate(found_by):
        table: list[tuple[dict[str, Any], list[str]]] = [
            ({}, open_ones),
            ({"overdue": True}, open_ones[:2]),
            ({"overdue": False}, open_ones[2:]),
            ({"overdue": True, "status": every}, open_ones[:2]),
            ({"overdue": False, "status": every}, ["done", *open_ones[2:]]),
            ({"overdue": True, "status": ("completed",)}, []),
            ({"overdue": True, "due_after": now}, ["due now"]),
            ({"overdue": True, "due_before": now}, ["Call the BANK"]),
            ({"overdue": True, "goal_id": goal_of[name]}, ["due now"]),
            ({"overdue": False, "goal_id": goal_of[name]}, []),
            ({"text": "bank"}, open_ones[:2]),
            ({"text": "now BANK"}, ["due now"]),
            ({"text": "bank", "overdue": False}, []),
            ({"text": "bank", "goal_id": goal_of[name]}, ["due now"]),
            ({"client_key": "k"}, ["Call the BANK", "of the team"]),
            ({"client_key": "k", "space": teams[name]}, ["of the team"]),
            ({"client_key": "k", "overdue": True}, ["Call the BANK"]),
            ({"space": teams[name]}, ["of the team"]),
            ({"space": found_by[name].home}, [title for title in open_ones if title != "of the team"]),
            ({"space": found_by[name].home, "goal_id": goal_of[name]}, ["due now"]),
            ({"space": teams[name], "goal_id": goal_of[name]}, []),
            ({"space": teams["other" if name == "mine" else "mine"]}, []),
            ({"space": "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD"}, []),
            ({"client_key": "k", "goal_id": goal_of[name]}, []),
            ({"client_key": "old"}, []),
            ({"client_key": "old", "status": every}, ["done"]),
            ({"client_key": "none"}, []),
        ]
        # With each change one of the three owners tries a condition, in turns.
        for wanted, expected in table if nightly else table[place :: len(found_by)]:
            assert await titles(name, **wanted) == expected, wanted

    # What is shared is found, and so is what is for a person, who sees nothing else of the space.
    grantee = Actor(kind=ActorKind.PERSON, key="hanna")
    hanna = await world.caller(None, person="hanna")
    mine = found_by["mine"]
    tasks = [
        PendingActionUpsert(
            type="user_task", title="sign", person="hanna", client_key="p", due_at=now - HOUR
        ),
        PendingActionUpsert(type="agent_task", title="send", client_key="s", goal_id=goal_of["mine"]),
    ]
    await upsert.upsert(mine, UpsertPendingActions(actions=tasks))
    found_by["hanna"] = hanna
    for wanted, expected in [
        ({}, ["sign"]),
        ({"client_key": "p"}, ["sign"]),
        ({"client_key": "s"}, []),
        ({"client_key": "k"}, []),
        ({"overdue": True, "text": "sign"}, ["sign"]),
        ({"overdue": False}, []),
    ]:
        assert await titles("hanna", **wanted) == expected, wanted
    share = ShareGoal(goal_id=goal_of["mine"], actor=grantee, permission=SpacePermission.READ)
    await world.services.goals.sharing.share(mine, share)
    found_by["hanna"] = await world.caller(None, person="hanna")
    for wanted, expected in [
        ({"client_key": "s"}, ["send"]),
        ({"client_key": "k"}, []),
        ({"overdue": True}, ["due now", "sign"]),
        ({"text": "s"}, ["sign", "send"]),
    ]:
        assert sorted(await titles("hanna", **wanted)) == sorted(expected), wanted
