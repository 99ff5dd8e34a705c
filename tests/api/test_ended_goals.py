"""Every input that names a goal, as the schema lists them, against a goal that has ended."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import (
    ENDS,
    REMEMBERED,
    SCHEMA,
    TAKEN,
    Own,
    Steps,
    around,
    input_type,
    leaves,
    owned,
    problem_mutation,
    put,
    refused,
    spelled,
)
from tests.api.test_actions import call, new_action

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

REFUSED, TAKES = "illegal_transition", None
# Every mutation and place where it names a goal: whether something is added to the goal.
PLACES: dict[tuple[str, str], str | None] = {
    ("createGoal", "parentGoalId"): REFUSED,
    ("upsertGoal", "parentGoalId"): REFUSED,
    ("evaluateScratchPage", "goal.parentGoalId"): REFUSED,
    ("updateGoals", "goals[0].parentGoalId"): REFUSED,
    ("linkObservation", "goalId"): REFUSED,
    ("linkObservations", "links[0].goalId"): REFUSED,
    ("updateProgress", "deltas[0].goalId"): REFUSED,
    ("upsertPendingActions", "actions[0].goalId"): REFUSED,
    ("commitAtTurnEnd", "progress[0].goalId"): REFUSED,
    ("commitTurn", "progress[0].goalId"): REFUSED,
    ("commitAtTurnEnd", "newActions[0].goalId"): REFUSED,
    ("commitTurn", "newActions[0].goalId"): REFUSED,
    ("commitAtTurnEnd", "reflections[0].progress.goalId"): REFUSED,
    ("commitTurn", "reflections[0].progress.goalId"): REFUSED,
    # A goal may come from one that has ended: that is what ended goals are good for.
    ("createGoal", "derivedFrom"): TAKES,
    ("upsertGoal", "derivedFrom"): TAKES,
    ("updateGoals", "goals[0].derivedFrom"): TAKES,
    # What the goal has is corrected, shared, asked about and taken back as ever.
    ("upsertGoal", "id"): TAKES,
    ("updateGoals", "goals[0].id"): TAKES,
    ("unlinkObservation", "goalId"): TAKES,
    ("updateEvidence", "goalId"): REFUSED,
    ("shareGoal", "goalId"): TAKES,
    ("unshareGoal", "goalId"): TAKES,
    ("transitionGoal", "id"): TAKES,
    ("transitionGoals", "goals[0].id"): TAKES,
    ("revert", "id"): TAKES,
    ("upsertQuestionStory", "question.goalId"): TAKES,
    ("commitAtTurnEnd", "storyUpdates[0].question.goalId"): TAKES,
    ("commitTurn", "storyUpdates[0].question.goalId"): TAKES,
    ("commitAtTurnEnd", "reflections[0].storyUpdate.question.goalId"): TAKES,
    ("commitTurn", "reflections[0].storyUpdate.question.goalId"): TAKES,
    # An observation about an ended goal is stored, and kept instead of linked.
    ("addObservation", "context.goalId"): TAKES,
    ("addObservations", "observations[0].context.goalId"): TAKES,
    ("commitAtTurnEnd", "observations[0].context.goalId"): TAKES,
    ("commitTurn", "observations[0].context.goalId"): TAKES,
    # What was called is recorded, whatever became of its goal meanwhile.
    ("trackToolInvocation", "goalId"): TAKES,
    ("commitTurn", "toolInvocations[0].goalId"): TAKES,
    ("commitTurn", "toolInvocations[0].observations[0].context.goalId"): TAKES,
    ("trackToolInvocation", "observations[0].context.goalId"): TAKES,
    # What happened is told, and whether its goal is active says how important it is.
    ("commitTurn", "events[0].goalId"): TAKES,
    ("commitTurn", "errors[0].goalId"): TAKES,
    # An action keeps its goal; the id is compared with it.
    ("commitAtTurnEnd", "updatedActions[0].goalId"): TAKES,
    ("commitTurn", "updatedActions[0].goalId"): TAKES,
}
OWN = {"upsertGoal", "updateGoals", "transitionGoal", "transitionGoals", "revert"}
REOPENED = {"COMPLETED": "IN_PROGRESS", "CANCELLED": "PENDING", "ARCHIVED": "PENDING"}


def places() -> dict[tuple[str, str], tuple[Steps, bool]]:
    assert SCHEMA.mutation_type
    return {
        (name, spelled(path)): (path, many)
        for name in SCHEMA.mutation_type.fields
        for path, type_, many in leaves(input_type(name))
        if type_.name == "ID"
        # A memory is derived from memories.
        and path[0] not in ("memory", "memories")
        and (path[-1] in ("goalId", "parentGoalId", "derivedFrom") or (name in OWN and path[-1] == "id"))
    }


def test_every_place_where_a_goal_is_named_is_judged() -> None:
    assert sorted(PLACES) == sorted(places())


async def input_of(
    bot: Client, mutation: str, where: str, path: Steps, many: bool, own: Own, other: Own
) -> dict[str, Any]:
    """An input that names the goal of `own` at a path; the rest of it is about `other`."""
    about = around(mutation, TAKEN[mutation](other), path)
    given = put(about, input_type(mutation), path, [own.goal] if many else own.goal)
    if mutation in ENDS:
        given["turnId"] = f"{mutation} {where}"
        if where == "reflections[0].progress.goalId":
            # The story is a delta of its own.
            del given["reflections"][0]["storyUpdate"]
        if where == "updatedActions[0].goalId":
            given["updatedActions"][0]["id"] = own.action
    if mutation in ("linkObservation", "unlinkObservation", "updateEvidence"):
        given["observationId"] = other.observation if mutation == "linkObservation" else own.observation
    if mutation == "evaluateScratchPage":
        added = await bot.run(
            'mutation { it: addObservation(input: {content: "The user wants tea", confidence: 0.95, '
            "evaluate: false}) { ... on AddObservationPayload { observation { id } } } }"
        )
        given["observationIds"] = [added["it"]["observation"]["id"]]
        given["goal"]["title"] = "Tea"
    if mutation == "revert":
        given["version"] = 1
    return given


@pytest.mark.covers("GOAL-28", "ACT-62")
@pytest.mark.parametrize("status", sorted(REOPENED))
async def test_nothing_is_added_to_a_goal_that_has_ended_until_it_is_reopened(api: Api, status: str) -> None:
    bot = api.client()
    await api.world.caller(None, person="ann")
    own = await owned(bot)
    await bot.run(
        problem_mutation("linkObservation"), input={"observationId": own.observation, "goalId": own.goal}
    )
    other = await owned(bot)
    found: dict[tuple[str, str], str | None] = {}
    wrong: list[Any] = []
    # What a goal takes although it has ended is the same for each of the statuses.
    asking = {place: code for place, code in PLACES.items() if code == REFUSED or status == "COMPLETED"}
    # What is unlinked cannot be changed any more.
    unlinked_last = sorted(places().items(), key=lambda each: each[0][0] == "unlinkObservation")
    for (mutation, where), (path, many) in unlinked_last:
        if (mutation, where) not in asking:
            continue
        await bot.run(problem_mutation("transitionGoal"), input={"id": own.goal, "status": REOPENED[status]})
        await bot.run(problem_mutation("transitionGoal"), input={"id": own.goal, "status": status})
        given = await input_of(bot, mutation, where, path, many, own, other)
        before = await api.world.counts()
        body = (await bot.post(problem_mutation(mutation), input=given)).json()
        text = str(body)
        code = REFUSED if REFUSED in text else "other" if refused(body) is not None else TAKES
        found[mutation, where] = code
        kept = set(REMEMBERED.get(mutation, ()))
        after = await api.world.counts()
        if code == REFUSED and {k: v for k, v in after.items() if k not in kept} != {
            k: v for k, v in before.items() if k not in kept
        }:
            wrong.append((mutation, where, before, after))
        if code == REFUSED and f"'field': '{where}'" not in text:
            wrong.append((mutation, where, text))
    assert found == asking
    assert wrong == []


@pytest.mark.covers("ACT-51", "ACT-62")
async def test_an_action_of_an_ended_goal_is_not_started_and_can_be_put_away(api: Api) -> None:
    goal = (await call(api, "createGoal", title="g"))["goal"]["id"]
    first, second, third = [await new_action(api, type="agent_task", goalId=goal) for _ in range(3)]
    await api.client().run(problem_mutation("transitionGoal"), input={"id": goal, "status": "COMPLETED"})

    refusal = await call(api, "transitionPendingAction", id=first["id"], status="in_progress")
    assert (refusal["code"], refusal["field"]) == ("illegal_transition", "id")
    assert refusal["message"] == "the goal is completed; reopen it with transitionGoal first"
    done = await call(api, "completePendingAction", id=second["id"])
    assert done["action"]["status"] == "completed"
    gone = await call(api, "transitionPendingAction", id=third["id"], status="cancelled")
    assert gone["action"]["status"] == "cancelled"

    await api.client().run(problem_mutation("transitionGoal"), input={"id": goal, "status": "IN_PROGRESS"})
    started = await call(api, "transitionPendingAction", id=first["id"], status="in_progress")
    assert started["action"]["status"] == "in_progress"
