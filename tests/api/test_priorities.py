"""Every input that takes a priority takes its name or its number, and nothing else."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api
from tests.api.schema_inputs import (
    ENDS,
    SCHEMA,
    TAKEN,
    input_type,
    leaves,
    owned,
    problem_mutation,
    put,
    refused,
    spelled,
)

pytestmark = pytest.mark.nightly(
    "the life of an action: tests/graph/test_actions_*.py; each mutation over HTTP: the walks"
)

RIGHT = ("high", " High ", "3", 3)
WRONG = (0, 5, -1, 2.5, 10**30, "urgent", "", "0", "high" * 1000)
NO_PRIORITIES = (True, ["high"], {"name": "high"})


@pytest.mark.covers("GOAL-05", "ACT-06", "QST-04")
async def test_a_priority_is_a_name_or_a_number_in_every_input(api: Api) -> None:
    assert SCHEMA.mutation_type
    client = api.client(roles=("maintainer",))
    own = await owned(client)
    wrong: list[str] = []
    tried: list[str] = []
    for mutation in SCHEMA.mutation_type.fields:
        for path, leaf, _ in leaves(input_type(mutation)):
            if path[-1] != "priority":
                continue
            where = spelled(path)
            tried.append(f"{mutation}.{where}")
            assert leaf.name == "Priority", tried[-1]
            for number, value in enumerate((*RIGHT, *WRONG, *NO_PRIORITIES)):
                given = put(TAKEN[mutation](own), input_type(mutation), path, value)
                if mutation in ENDS:
                    given = {path[0]: given[str(path[0])], "turnId": f"t{len(tried)}-{number}"}
                body = (await client.post(problem_mutation(mutation), input=given)).json()
                fields = refused(body) or set()
                right = number < len(RIGHT)
                # The end of a turn names the field under its delta.
                if any(field and where.endswith(field) for field in fields) is right:
                    wrong.append(f"{mutation}.{where} = {str(value)[:20]!r}: {str(body)[:200]}")
    assert wrong == []
    assert sorted(tried) == [
        "commitAtTurnEnd.newActions[0].priority",
        "commitAtTurnEnd.reflections[0].storyUpdate.question.priority",
        "commitAtTurnEnd.storyUpdates[0].question.priority",
        "commitAtTurnEnd.updatedActions[0].priority",
        "commitTurn.newActions[0].priority",
        "commitTurn.reflections[0].storyUpdate.question.priority",
        "commitTurn.storyUpdates[0].question.priority",
        "commitTurn.updatedActions[0].priority",
        "createGoal.pendingActions[0].priority",
        "createGoal.priority",
        "evaluateScratchPage.goal.pendingActions[0].priority",
        "evaluateScratchPage.goal.priority",
        "updateGoals.goals[0].priority",
        "upsertGoal.priority",
        "upsertPendingActions.actions[0].priority",
        "upsertQuestionStory.question.priority",
    ]
