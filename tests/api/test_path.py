"""The whole path through GraphQL over HTTP: notice, goal, lineage, context."""

from __future__ import annotations

import pytest

from tests.api.conftest import Api

ADD = """
mutation ($input: AddObservationsInput!) {
  addObservations(input: $input) {
    ... on AddObservationsPayload { observations { id content confidence tags status linkedToGoal } }
    ... on Problem { code message field problems { code field } }
  }
}
"""
CREATE = """
mutation ($input: CreateGoalInput!) {
  createGoal(input: $input) {
    ... on CreateGoalPayload {
      goal {
        id title status progress priority
        evidence { nodes { id content } }
        actions { nodes { type originalType owner requiresConfirmation status } }
      }
    }
    ... on Problem { code message field }
  }
}
"""
LINEAGE = (
    "query ($id: ID!) { goalLineage(id: $id) { nodes { id role } "
    "edges { source { id } target { id } type } truncated } }"
)
ASSEMBLE = """
mutation ($input: AssembleContextInput!) {
  assembleContext(input: $input) {
    ... on AssembleContextPayload {
      context { text budget budgetRemaining truncated turn { key }
                sections { name items { node { id } text } }
                receipt { id used included { node { id } section } } }
    }
    ... on Problem { code message field }
  }
}
"""


@pytest.mark.covers("GOAL-26..29", "GOAL-32..35", "GOAL-39", "OBS-52", "CTX-01", "CTX-13", "CTX-21")
async def test_notice_goal_lineage_context(api: Api) -> None:
    client = api.client()
    added = await client.run(
        ADD,
        input={
            # The agent decides itself what becomes of it.
            "evaluate": False,
            "observations": [
                {
                    "type": "contextual_insight",
                    "content": "User prefers Burgundy wines, especially 2020 Marcel La Pierre",
                    "confidence": 0.95,
                    "tags": ["wine", "preference", "user_profile"],
                    "source": {"tool": "wine_search", "turnId": "turn_20251105_001"},
                    "context": {"goalKey": "find_wine_recommendation", "userId": "user_123"},
                    "ttlMinutes": 1440,
                },
            ],
        },
    )
    (observation,) = added["addObservations"]["observations"]
    assert observation["status"] == "ACTIVE"
    assert observation["linkedToGoal"] is False

    created = await client.run(
        CREATE,
        input={
            "goalType": "find_wine_recommendation",
            "title": "Find wine recommendation for user",
            "priority": "high",
            "evidence": {"observationId": observation["id"], "confidence": 0.95},
            "pendingActions": [
                {
                    "actionType": "research_wines",
                    "description": "Research Burgundy wines matching user preferences",
                    "assignedTo": "AGENT",
                    "priority": "high",
                }
            ],
            "turnId": "turn_20251105_002",
        },
    )
    goal = created["createGoal"]["goal"]
    assert (goal["status"], goal["progress"], goal["priority"]) == ("PENDING", 0, "high")
    (why,) = goal["evidence"]["nodes"]
    assert why["id"] == observation["id"]
    assert why["content"].startswith("User prefers Burgundy")
    assert goal["actions"]["nodes"] == [
        {
            "type": "user_task",
            "originalType": "research_wines",
            "owner": "USER",
            "requiresConfirmation": True,
            "status": "pending",
        }
    ]

    lineage = (await client.run(LINEAGE, id=goal["id"]))["goalLineage"]
    assert [node["role"] for node in lineage["nodes"]] == ["self", "evidence", "action"]
    ends = {"source": {"id": observation["id"]}, "target": {"id": goal["id"]}}
    assert {**ends, "type": "EVIDENCES"} in lineage["edges"]

    assembled = await client.run(
        ASSEMBLE, input={"prompt": "which burgundy tonight?", "budget": 500, "turnId": "turn_20251105_003"}
    )
    context = assembled["assembleContext"]["context"]
    assert '"Find wine recommendation for user" (high, pending, 0%)' in context["text"]
    assert "2020 Marcel La Pierre" in context["text"]
    assert context["budgetRemaining"] == 500 - context["receipt"]["used"]
    assert context["turn"] == {"key": "turn_20251105_003"}
    assert goal["id"] in {item["node"]["id"] for item in context["receipt"]["included"]}
    assert [section["name"] for section in context["sections"]] == [
        "CONSCIOUSNESS",
        "FRONTAL_CORTEX",
        "EPISODIC_MEMORY",
        "SEMANTIC_MEMORY",
        "CONVERSATION_HISTORY",
        "SCRATCH_PAGE",
    ]
