"""What makes no goal: wrong input, faded or foreign evidence. Nothing of it is ever written."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from pydantic import ValidationError

from prefrontal.graph.cortex.actions.record import ActionOwner, PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    GoalDraft,
    GoalFilter,
    Horizon,
    HorizonUnit,
    Milestone,
)
from prefrontal.graph.errors import Expired, Forbidden, InvalidInput, NotFound, TooLarge
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from prefrontal.graph.storage.paging import encode_cursor
from tests.graph.test_scratch_expiry import expire
from tests.support.lists import evidence_of
from tests.support.world import World

HALF = "half \ud800"
UNKNOWN_GOAL = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"
UNKNOWN_OBSERVATION = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"


def action(**fields: Any) -> dict[str, Any]:
    return {"pending_actions": (PendingActionDraft(**{"type": "research", "title": "ok"} | fields),)}


REFUSED: list[tuple[dict[str, Any], type[InvalidInput], str]] = [
    ({"title": ""}, InvalidInput, "title"),
    ({"title": " \n"}, InvalidInput, "title"),
    ({"title": "t" * 301}, TooLarge, "title"),
    ({"title": "t" * 1_000_000}, TooLarge, "title"),
    ({"title": HALF}, InvalidInput, "title"),
    ({"description": "d" * 10_001}, TooLarge, "description"),
    ({"description": HALF}, InvalidInput, "description"),
    ({"goal_type": ""}, InvalidInput, "goalType"),
    ({"priority": "urgent"}, InvalidInput, "priority"),
    ({"priority": "0"}, InvalidInput, "priority"),
    ({"priority": "5"}, InvalidInput, "priority"),
    ({"priority": ""}, InvalidInput, "priority"),
    ({"metrics": {"a": math.nan}}, InvalidInput, "metrics"),
    ({"metrics": {"a": {1}}}, InvalidInput, "metrics"),
    ({"metrics": {"a": HALF}}, InvalidInput, "metrics"),
    ({"metrics": {"a": "x" * 20_000}}, TooLarge, "metrics"),
    ({"constraints": ("fine", "")}, InvalidInput, "constraints[1]"),
    ({"constraints": ("c",) * 101}, TooLarge, "constraints"),
    ({"milestones": (Milestone(title=" "),)}, InvalidInput, "milestones[0].title"),
    ({"milestones": (Milestone(title="m"),) * 101}, TooLarge, "milestones"),
    ({"parent_goal_id": ""}, InvalidInput, "parentGoalId"),
    ({"parent_goal_id": HALF}, InvalidInput, "parentGoalId"),
    ({"derived_from": (UNKNOWN_GOAL, UNKNOWN_GOAL)}, InvalidInput, "derivedFrom[1]"),
    ({"derived_from": tuple(map(str, range(101)))}, TooLarge, "derivedFrom"),
    (
        {"evidence": (EvidenceDraft(observation_id="a"), EvidenceDraft(observation_id="a"))},
        InvalidInput,
        "evidence[1].observationId",
    ),
    ({"evidence": (EvidenceDraft(observation_id=HALF),)}, InvalidInput, "evidence[0].observationId"),
    (
        {"evidence": tuple(EvidenceDraft(observation_id=str(n)) for n in range(201))},
        TooLarge,
        "evidence",
    ),
    (
        {"evidence": (EvidenceDraft(observation_id="a", note="n" * 10_001),)},
        TooLarge,
        "evidence[0].note",
    ),
    (action(title=""), InvalidInput, "pendingActions[0].title"),
    (action(title=None), InvalidInput, "pendingActions[0].title"),
    (action(title=None, description=" \n "), InvalidInput, "pendingActions[0].title"),
    (action(title="t" * 301), TooLarge, "pendingActions[0].title"),
    (action(type="t" * 201), TooLarge, "pendingActions[0].type"),
    (action(type=HALF), InvalidInput, "pendingActions[0].type"),
    (action(owner=ActionOwner.USER), InvalidInput, "pendingActions[0].owner"),
    (action(type="user_task", owner=ActionOwner.AGENT), InvalidInput, "pendingActions[0].owner"),
    (action(priority="urgent"), InvalidInput, "pendingActions[0].priority"),
    (action(metadata={"a": math.inf}), InvalidInput, "pendingActions[0].metadata"),
    (action(metadata={"a": HALF}), InvalidInput, "pendingActions[0].metadata"),
    ({"pending_actions": (PendingActionDraft(title="x"),) * 101}, TooLarge, "pendingActions"),
]


@pytest.mark.covers("GOAL-02", "GOAL-05", "GOAL-11", "ACT-03", "ACT-04", "ACT-26")
@pytest.mark.parametrize(
    ("fields", "error", "field"), REFUSED, ids=[f"{n}-{row[2]}" for n, row in enumerate(REFUSED)]
)
async def test_a_wrong_draft_names_its_field_and_writes_nothing(
    world: World, fields: dict[str, Any], error: type[InvalidInput], field: str
) -> None:
    caller = await world.caller()
    before = await world.counts()
    world.statements.clear()

    with pytest.raises(error) as caught:
        await world.services.goals.service.create(
            caller, CreateGoal(**{"title": "ok"} | fields, idempotency_key="k")
        )

    assert (type(caught.value), caught.value.field) == (error, field)
    assert world.statements.names == []
    assert await world.counts() == before


@pytest.mark.covers("ACT-03")
@pytest.mark.parametrize(
    "make",
    [
        GoalDraft,
        lambda: EvidenceDraft(observation_id="o", confidence=math.nan),
        lambda: EvidenceDraft(observation_id="o", confidence=1.1),
        lambda: Horizon(value=0, unit=HorizonUnit.STEPS),
        lambda: Horizon(value=math.inf, unit=HorizonUnit.DAYS),
        lambda: Horizon(value=3, unit="weeks"),  # type: ignore[arg-type]
        lambda: PendingActionDraft(owner="system"),  # type: ignore[arg-type]
        lambda: PendingActionDraft(effort=0),
        lambda: PendingActionDraft(effort=math.nan),
        lambda: PendingActionDraft(due_at="2025-11-05T10:30:00"),  # type: ignore[arg-type]
    ],
)
def test_a_draft_with_an_impossible_value_cannot_be_made(make: Any) -> None:
    with pytest.raises(ValidationError):
        make()


@pytest.mark.covers("OBS-59", "OBS-60", "OBS-66")
@pytest.mark.parametrize("seconds", [60, 61, 86_400])
async def test_no_goal_is_made_from_a_faded_observation(world: World, seconds: int) -> None:
    caller = await world.caller()
    lasting, brief = await world.services.scratch.service.add(
        caller,
        [ObservationDraft(content="lasting", ttl_minutes=1e6), ObservationDraft(content="b", ttl_minutes=1)],
    )
    world.clock.advance(seconds=seconds)
    before = await world.counts()

    with pytest.raises(Expired) as caught:
        await world.services.goals.service.create(
            caller,
            CreateGoal(
                title="g",
                evidence=(
                    EvidenceDraft(observation_id=lasting.uid),
                    EvidenceDraft(observation_id=brief.uid),
                ),
                pending_actions=(PendingActionDraft(type="research", title="r"),),
                turn_id="t",
                idempotency_key="k",
            ),
        )

    assert (caught.value.code, caught.value.field) == ("expired", "evidence[1].observationId")
    assert await world.counts() == before
    # The other observation is as it was: active, and evidence of nothing.
    page = await world.services.scratch.service.find(caller, ObservationFilter())
    assert page.items == (lasting,)
    assert await world.services.scratch.service.linked_goals(caller, [lasting.uid, brief.uid]) == {}


@pytest.mark.covers("OBS-59", "OBS-62")
async def test_no_goal_is_made_from_an_observation_without_time_to_live(world: World) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x", ttl_minutes=0)])
    before = await world.counts()

    with pytest.raises(Expired):
        await world.services.goals.service.create(
            caller, CreateGoal(title="g", evidence=(EvidenceDraft(observation_id=seen.uid),))
        )

    assert await world.counts() == before


@pytest.mark.covers("OBS-60")
async def test_the_last_moment_of_an_observation_still_makes_a_goal(world: World) -> None:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x", ttl_minutes=1)])
    world.clock.advance(microseconds=60_000_000 - 1)

    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="g", evidence=(EvidenceDraft(observation_id=seen.uid),))
    )

    assert len((await evidence_of(world.services, caller, [goal.uid]))[goal.uid]) == 1


@pytest.mark.alone
@pytest.mark.covers("OBS-60")
async def test_expiry_and_creation_at_once_never_leave_half_of_it(world: World) -> None:
    caller = await world.caller()
    seen = await world.services.scratch.service.add(
        caller, [ObservationDraft(content=str(n), ttl_minutes=1) for n in range(10)]
    )
    world.clock.advance(seconds=60)

    outcomes = await asyncio.gather(
        expire(world),
        *(
            world.services.goals.service.create(
                caller, CreateGoal(title="g", evidence=(EvidenceDraft(observation_id=o.uid),))
            )
            for o in seen
        ),
        return_exceptions=True,
    )

    assert outcomes[0] is None
    assert {type(outcome) for outcome in outcomes[1:]} == {Expired}
    rows = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.status AS s, count(*) AS n")
    assert rows == [{"s": "expired", "n": 10}]
    assert "Goal" not in await world.counts()


@pytest.mark.covers("SEC-11", "SEC-12", "GOAL-11")
@pytest.mark.parametrize("part", ["evidence", "parent", "derived"])
async def test_foreign_and_unknown_ids_are_refused_alike_and_nothing_is_written(
    world: World, part: str
) -> None:
    caller, other = await world.caller("bot"), await world.caller("other")
    await world.services.access.create_organisation(world.org + "-b")
    stranger = await world.services.access.caller(
        world.principal("bot").model_copy(update={"org": world.org + "-b"})
    )
    make = {
        "evidence": lambda uid: {"evidence": (EvidenceDraft(observation_id=uid),)},
        "parent": lambda uid: {"parent_goal_id": uid},
        "derived": lambda uid: {"derived_from": (uid,)},
    }[part]
    ids = ["nonsense"]
    for owner in (other, stranger):
        if part == "evidence":
            (seen,) = await world.services.scratch.service.add(owner, [ObservationDraft(content="secret")])
            ids.append(seen.uid)
        else:
            ids.append((await world.services.goals.service.create(owner, CreateGoal(title="secret"))).uid)
    ids.append(UNKNOWN_OBSERVATION if part == "evidence" else UNKNOWN_GOAL)
    before = await world.counts()
    said = set()
    ran = set()

    for uid in ids:
        world.statements.clear()
        with pytest.raises(NotFound) as caught:
            await world.services.goals.service.create(
                caller,
                CreateGoal(
                    title="g",
                    pending_actions=(PendingActionDraft(type="research", title="r"),),
                    **make(uid),
                    turn_id="t",
                ),
            )
        said.add((caught.value.code, caught.value.message, caught.value.field))
        ran.add(tuple(world.statements.names))

    field = {"evidence": "evidence[0].observationId", "parent": "parentGoalId", "derived": "derivedFrom[0]"}
    what = "no such observation" if part == "evidence" else "no such goal"
    assert said == {("not_found", what, field[part])}
    assert len(ran) == 1
    assert await world.counts() == before


async def test_two_predecessors_of_which_one_is_unknown_make_no_goal(world: World) -> None:
    caller = await world.caller()
    known = await world.services.goals.service.create(caller, CreateGoal(title="known"))
    before = await world.counts()

    with pytest.raises(NotFound) as caught:
        await world.services.goals.service.create(
            caller, CreateGoal(title="g", derived_from=(known.uid, UNKNOWN_GOAL))
        )

    assert caught.value.field == "derivedFrom[1]"
    assert await world.counts() == before


@pytest.mark.covers("GOAL-11")
async def test_a_goal_cannot_be_its_own_ancestor(world: World) -> None:
    caller = await world.caller()
    # An id is made at creation, so the only way to a cycle would be an id foreseen: it is unknown.
    for n in range(3):
        await world.services.goals.service.create(caller, CreateGoal(title=str(n)))

    cycles = await world.rows(
        "MATCH (g:Goal {org_id: $org})-[:CHILD_OF|DERIVED_FROM]->{1,20}(g) RETURN count(*) AS number"
    )
    fields = set(GoalDraft.model_fields)

    assert cycles == [{"number": 0}]
    assert not fields & {"uid", "id"}


async def test_who_may_only_read_makes_no_goal(world: World) -> None:
    reader = await world.caller("bot", roles=("reader",))
    before = await world.counts()
    world.statements.clear()

    with pytest.raises(Forbidden):
        await world.services.goals.service.create(reader, CreateGoal(title="g"))

    assert world.statements.names == []
    assert await world.counts() == before


@pytest.mark.parametrize(
    ("kwargs", "field"),
    [
        ({"first": 0}, "first"),
        ({"after": "WyJnb2FsIl0"}, "after"),
        ({"after": "WyJhIiwiYiJd"}, "after"),
        ({"wanted": GoalFilter(status=())}, "filter.status"),
    ],
)
async def test_an_odd_page_of_goals_is_refused(world: World, kwargs: dict[str, Any], field: str) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as caught:
        await world.services.goals.service.list(caller, **kwargs)

    assert caught.value.field == field


async def test_a_made_up_cursor_or_id_is_refused_not_a_crash(world: World) -> None:
    caller = await world.caller()

    for cursor in (encode_cursor(10**30, "goal_x"), encode_cursor(1, HALF)):
        with pytest.raises(InvalidInput):
            await world.services.goals.service.list(caller, after=cursor)
    with pytest.raises(InvalidInput):
        await world.services.goals.service.get(caller, [HALF])
    # The connection is as good as before.
    assert await world.services.goals.service.get(caller, ["goal_x"]) == {}
