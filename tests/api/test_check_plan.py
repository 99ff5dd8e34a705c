"""Plans and goals against mandates through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Api, Client

pytestmark = pytest.mark.nightly("goals: tests/graph/test_goals_*.py; each mutation over HTTP: the walks")

CHECK = """query ($goal: PlanGoalInput, $steps: [PlanStepInput!], $goalId: ID, $space: ID) {
  checkPlan(goal: $goal, steps: $steps, goalId: $goalId, space: $space) {
    satisfied checked
    violations { kind step reason action { title }
      mandate { id content kind requiresConfirmation { phrases } } }
  }
}"""
WHY = "of the goal, it says 'buy wine', which the mandate forbids"
CREATE = """mutation ($input: CreateGoalInput!) { createGoal(input: $input) {
  ... on CreateGoalPayload { goal { id status statusReason isBlocked violates { nodes { content } }
    actions { nodes { title isBlocked requiresConfirmation } } } }
  ... on Problem { code message field } } }"""
REMEMBER = """mutation ($input: RememberInput!) { remember(input: $input) {
  ... on RememberPayload { memories { id forbids { actionTypes phrases } } }
  ... on Problem { code field } } }"""


async def mandate(client: Client, content: str, **given: Any) -> str:
    given = {"memories": [{"kind": "MANDATE", "content": content, **given}]}
    return (await client.run(REMEMBER, input=given))["remember"]["memories"][0]["id"]


@pytest.mark.covers("GOAL-49")
async def test_a_plan_is_checked_before_it_is_carried_out(api: Api) -> None:
    client = api.client()
    never = await mandate(client, "Never send mail to customers")
    ask = await mandate(
        client, "Shopping", requiresConfirmation={"phrases": ["buy wine"], "actionTypes": ["agent_task"]}
    )
    steps = [
        {"description": "Look around"},
        {"description": "Send it to all customers", "parameters": {"tool": "mail"}},
        {"description": "Buy the wine", "actionType": "agent_task"},
    ]

    found = (await client.run(CHECK, goal={"title": "Weather", "description": "In Paris"}, steps=steps))[
        "checkPlan"
    ]

    assert found == {
        "satisfied": False,
        "checked": 2,
        "violations": [
            {
                "kind": "PROHIBITED",
                "step": 1,
                "reason": "it says 'send mail customers', which the mandate forbids",
                "action": None,
                "mandate": {
                    "id": never,
                    "content": "Never send mail to customers",
                    "kind": "MANDATE",
                    "requiresConfirmation": None,
                },
            },
            {
                "kind": "CONFIRMATION_REQUIRED",
                "step": 2,
                "reason": "it says 'buy wine' and its type is agent_task, which the mandate wants to be "
                "confirmed first",
                "action": None,
                "mandate": {
                    "id": ask,
                    "content": "Shopping",
                    "kind": "MANDATE",
                    "requiresConfirmation": {"phrases": ["buy wine"]},
                },
            },
        ],
    }
    satisfied = (await client.run(CHECK, steps=steps[:1]))["checkPlan"]
    assert satisfied == {"satisfied": True, "checked": 2, "violations": []}
    theirs = (await api.client("other").run(CHECK, steps=steps))["checkPlan"]
    assert theirs == {"satisfied": True, "checked": 0, "violations": []}


@pytest.mark.covers("GOAL-48", "GOAL-49")
async def test_a_goal_that_violates_a_mandate_shows_it(api: Api) -> None:
    client = api.client()
    uid = await mandate(client, "Never buy wine", forbids={"phrases": ["buy wine"]})
    actions = [
        {"title": "Go", "type": "agent_task", "blocking": True},
        {"title": "Pay", "type": "agent_task"},
    ]

    goal = (await client.run(CREATE, input={"title": "Buy wine", "pendingActions": actions}))["createGoal"][
        "goal"
    ]

    assert goal == {
        "id": goal["id"],
        "status": "BLOCKED",
        "statusReason": f"violates the mandate {uid}: {WHY}",
        "isBlocked": True,
        "violates": {"nodes": [{"content": "Never buy wine"}]},
        "actions": {
            "nodes": [
                {"title": title, "isBlocked": True, "requiresConfirmation": False} for title in ("Go", "Pay")
            ]
        },
    }
    found = (await client.run(CHECK, goalId=goal["id"]))["checkPlan"]
    assert [(each["mandate"]["id"], each["step"]) for each in found["violations"]] == [(uid, None)]


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"goal": {"title": ""}}, "invalid", "goal.title"),
        ({"steps": [{"description": "x"}] * 101}, "too_large", "steps"),
        (
            {"steps": [{"description": "x"}, {"description": "x", "actionType": ""}]},
            "invalid",
            "steps[1].actionType",
        ),
    ],
)
async def test_a_plan_that_cannot_be_checked_is_an_error_with_its_field(
    api: Api, given: dict[str, Any], code: str, field: str
) -> None:
    (error,) = await api.client().errors(CHECK, **given)

    assert (error["extensions"]["code"], error["extensions"]["field"]) == (code, field)
