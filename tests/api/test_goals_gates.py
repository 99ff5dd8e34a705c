"""A goal that waits for a person, and every way by which it can get the status COMPLETED."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import ENDS, REMEMBERED, SCHEMA, input_type, leaves, problem_mutation, spelled
from tests.api.test_actions import ANN, call, shared

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

NOT_PEOPLE: list[dict[str, Any]] = [
    {},
    # An agent that acts for a person is no person.
    {"person": "ann"},
    # Sees the goal by a share alone.
    {"agent": "helper"},
]


@dataclass(frozen=True)
class GateCase:
    """A goal that was completed once, in version 2, and reopened; another one; and an action of the first."""

    goal: str
    other: str
    action: str


@dataclass(frozen=True)
class Completion:
    """A mutation that completes a goal, and the field that its refusal names."""

    mutation: str
    given: Callable[[GateCase], dict[str, Any]]
    field: str = "status"


def at_turn_end(mutation: str, deltas: str, field: str, **more: Any) -> Completion:
    return Completion(
        mutation, lambda at: {"turnId": "t", deltas: [{"id": at.goal, **more}]}, f"{deltas}[0].{field}"
    )


# By the mutation, and the place where it names the status, or the goal.
WAYS = {
    ("transitionGoal", "status"): Completion(
        "transitionGoal", lambda at: {"id": at.goal, "status": "COMPLETED"}
    ),
    ("transitionGoals", "goals[0].status"): Completion(
        "transitionGoals",
        lambda at: {
            "goals": [
                {"id": at.other, "status": "IN_PROGRESS"},
                {"id": at.goal, "status": "COMPLETED"},
            ]
        },
        "goals[1].status",
    ),
    **{
        (mutation, f"{deltas}[0].{field}"): at_turn_end(mutation, deltas, field, **more)
        for mutation in sorted(ENDS)
        for deltas, field, more in (
            ("goalStatuses", "status", {"status": "COMPLETED"}),
            ("completedGoals", "id", {}),
        )
    },
    ("revert", "version"): Completion("revert", lambda at: {"id": at.goal, "version": 2}, "version"),
}
EACH_WAY = pytest.mark.parametrize("way", WAYS.values(), ids=[".".join(named) for named in WAYS])
# What blocks the goal until ann has answered, and whether her confirmation alone is the answer.
WAITING: dict[str, tuple[dict[str, Any], bool]] = {
    "approval": ({"type": "approval_request"}, False),
    "errand": ({"type": "user_task", "blocking": True}, False),
    "unknown": ({"type": "sign_off", "blocking": True}, False),
    "confirmation": ({"type": "agent_task", "blocking": True, "requiresConfirmation": True}, True),
    "decision": ({"type": "decision", "blocking": True, "metadata": {"options": ["a", "b"]}}, True),
}


async def refusal(client: Client, mutation: str, given: dict[str, Any]) -> tuple[str, str] | None:
    """The code and the field of the refusal of a mutation or of its only entry; None if it was taken."""
    it = (await client.run(problem_mutation(mutation), input=given))["it"]
    found = [it] if it["__typename"] == "Problem" else [e["problem"] for e in it.get("results", ())]
    return next(((each["code"], each["field"]) for each in found if each), None)


async def taken(client: Client, mutation: str, **given: Any) -> None:
    assert await refusal(client, mutation, given) is None, (mutation, given)


async def placed(api: Api, space: str, **fields: Any) -> GateCase:
    """A goal with an action, which ann has completed and reopened; everybody who is no person sees it."""
    goal, other = [(await call(api, "createGoal", title=t, space=space))["goal"]["id"] for t in ("g", "o")]
    entry = {"title": "t", "goalId": goal, **fields}
    done = await call(api, "upsertPendingActions", actions=[entry], space=space)
    api.world.clock.advance(minutes=1)
    for status in ("COMPLETED", "IN_PROGRESS"):
        await taken(api.client(**ANN), "transitionGoal", id=goal, status=status)
    for who in NOT_PEOPLE:
        await api.client(**who).run("{ me { orgId } }")
    helper = {"kind": "AGENT", "key": "helper"}
    for uid in (goal, other):
        # Who created the space may share what lies in it.
        await taken(api.client(), "shareGoal", goalId=uid, actor=helper, permission="WRITE")
    return GateCase(goal, other, str(done["results"][0]["action"]["id"]))


async def facts(api: Api, mutation: str) -> Any:
    """The goals as they are, and how many nodes there are beside what remembers a refusal."""
    goals = await api.world.rows(
        "MATCH (g:Goal {org_id: $org}) "
        "RETURN g.uid AS uid, g.status AS status, g.version AS version, g.completed_at AS at ORDER BY uid"
    )
    kept = REMEMBERED.get(mutation, ())
    return goals, {label: n for label, n in (await api.world.counts()).items() if label not in kept}


async def status_of(api: Api, uid: str) -> str:
    (row,) = await api.world.rows("MATCH (n {uid: $uid}) RETURN n.status AS status", uid=uid)
    return str(row["status"])


async def answer(api: Api, place: GateCase, *mutations: str) -> None:
    for mutation in mutations or ("confirmPendingAction", "completePendingAction"):
        assert "action" in await call(api, mutation, ANN, id=place.action)


def test_every_place_that_completes_a_goal_is_tried() -> None:
    assert SCHEMA.mutation_type
    found = {
        (name, spelled(path))
        for name in SCHEMA.mutation_type.fields
        for path, type_, _ in leaves(input_type(name))
        if type_.name == "GoalStatus" or (path[0] == "completedGoals" and path[-1] == "id")
    }
    # A revert names a version, which has a status.
    assert set(WAYS) == found | {("revert", "version")}


@pytest.mark.covers("ACT-40", "ACT-41")
@EACH_WAY
async def test_no_agent_completes_a_goal_that_waits_for_a_person(api: Api, way: Completion) -> None:
    space = await shared(api)
    wrong: list[Any] = []
    for kind, (fields, by_confirmation) in WAITING.items():
        place = await placed(api, space, **fields)
        for who in NOT_PEOPLE:
            before = await facts(api, way.mutation)
            found = await refusal(api.client(**who), way.mutation, way.given(place))
            if found != ("blocked", way.field) or await facts(api, way.mutation) != before:
                wrong.append((kind, who, found))
        await answer(api, place, "confirmPendingAction")
        found = await refusal(api.client(), way.mutation, way.given(place))
        if found != (None if by_confirmation else ("blocked", way.field)):
            wrong.append((kind, "confirmed", found))
        if by_confirmation:
            # It is the agent's, and still open.
            assert await status_of(api, place.action) == "pending"
        else:
            await answer(api, place, "completePendingAction")
            await taken(api.client(), way.mutation, **way.given(place))
        assert await status_of(api, place.goal) == "completed"
    assert wrong == []


@EACH_WAY
async def test_a_person_completes_it_and_what_is_open_stays_open(api: Api, way: Completion) -> None:
    place = await placed(api, await shared(api), type="approval_request")

    await taken(api.client(**ANN), way.mutation, **way.given(place))

    assert await status_of(api, place.goal) == "completed"
    assert await status_of(api, place.action) == "pending"
    await answer(api, place)


@pytest.mark.covers("GOAL-59")
async def test_nothing_else_completes_it(api: Api) -> None:
    """Progress, evidence, texts, the end of its actions, of its parent, and of a goal below it."""
    space, bot = await shared(api), api.client()
    place = await placed(api, space, type="approval_request")
    made = await call(api, "createGoal", title="c", space=space, parentGoalId=place.goal)
    added = await bot.run(
        'mutation ($space: ID!, $goal: ID!) { it: addObservation(input: {content: "The user wants red wine", '
        "confidence: 1, space: $space, context: {goalId: $goal}}) "
        "{ ... on AddObservationPayload { observation { id } } } }",
        space=space,
        goal=place.goal,
    )
    later = await bot.run(
        'mutation ($space: ID!) { it: addObservation(input: {content: "The user bought red wine", '
        "confidence: 1, space: $space, evaluate: false}) "
        "{ ... on AddObservationPayload { observation { id } } } }",
        space=space,
    )
    assert added["it"]["observation"]["id"] != later["it"]["observation"]["id"]
    await taken(bot, "updateProgress", deltas=[{"goalId": place.goal, "delta": 1}])
    await taken(bot, "linkObservation", observationId=later["it"]["observation"]["id"], goalId=place.goal)
    await taken(bot, "evaluateScratchPage")
    await taken(bot, "upsertGoal", id=place.goal, title="Done", metrics={"status": "completed"})
    await taken(bot, "updateGoals", goals=[{"id": place.goal, "parentGoalId": place.other}])
    await taken(bot, "transitionGoal", id=made["goal"]["id"], status="COMPLETED")
    await taken(bot, "transitionGoal", id=place.other, status="COMPLETED")
    assert await status_of(api, place.goal) == "in_progress"

    await answer(api, place)
    assert await status_of(api, place.goal) == "in_progress"
