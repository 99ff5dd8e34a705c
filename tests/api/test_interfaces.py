"""An agent that knows the functions of the source documents and the table in docs/architecture.md.

What each operation promises is tried elsewhere; here they fit together, and none is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from prefrontal.graph.config.settings import ROOT
from tests.api.conftest import Api, Client
from tests.api.test_governance import clone, own

__all__ = ["clone", "own"]

ROW = re.compile(r"^\| `([a-z_]+)` \| `(\w+)` \|$", re.MULTILINE)
FIELDS = dict(ROW.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")))
SOURCE = {
    "get_active_goals",
    "list_pending_actions",
    "upsert_goal",
    "upsert_pending_actions",
    "update_progress",
    "get_questions",
    "upsert_question_story",
    "assess_at_turn_start",
    "commit_at_turn_end",
    "list_action_types",
    "register_action_type",
    "deprecate_action_type",
    "submit_registry_proposal",
    "list_registry_proposals",
    "review_registry_proposal",
    "export_proposal_as_pr",
}
ACTIONS = "{ id title owner type status }"


@dataclass
class Agent:
    """Calls fields by the names that the documents give them."""

    client: Client
    called: set[str] = field(default_factory=set)

    async def read(self, name: str, wanted: str, arguments: str = "", **variables: Any) -> Any:
        self.called.add(name)
        return (await self.client.run(f"{arguments} {{ it: {FIELDS[name]}{wanted} }}", **variables))["it"]

    async def write(self, name: str, wanted: str, **given: Any) -> Any:
        self.called.add(name)
        kind = FIELDS[name][0].upper() + FIELDS[name][1:]
        query = (
            f"mutation ($input: {kind}Input!) {{ it: {FIELDS[name]}(input: $input) "
            f"{{ ... on {kind}Payload {{ {wanted} }} ... on Problem {{ code message field }} }} }}"
        )
        found = (await self.client.run(query, input=given))["it"]
        assert "code" not in found, found
        return found


def test_every_function_of_the_source_has_its_field() -> None:
    assert set(FIELDS) == SOURCE


@pytest.mark.covers(
    "GOAL-16", "GOAL-17", "GOAL-19", "GOAL-46", "ACT-21", "ACT-22", "ACT-33", "QST-17", "QST-19"
)
async def test_what_one_turn_leaves_behind_the_next_one_reads(own: Api) -> None:
    agent, mia = Agent(own.client()), Agent(own.client(agent=None, person="mia", roles=("maintainer",)))

    # Before any turn: a goal, what is next on both sides, and what is asked.
    goal = (await agent.write("upsert_goal", "goal { id }", title="Host a dinner", clientKey="dinner"))[
        "goal"
    ]["id"]
    await agent.write(
        "upsert_pending_actions",
        "ok",
        actions=[
            {"clientKey": "menu", "title": "Write the menu", "type": "agent_task", "goalId": goal},
            {"clientKey": "taste", "title": "Taste it", "type": "user_task", "goalId": goal},
        ],
    )
    pair = {
        "question": {"clientKey": "q", "text": "Which wine?", "goalId": goal},
        "story": {"narrative": "A red one"},
    }
    await agent.write("upsert_question_story", "question { id }", **pair)
    progress = await agent.write(
        "update_progress", "results { after }", deltas=[{"goalId": goal, "delta": 0.25}]
    )
    assert progress["results"] == [{"after": 0.25}]

    # A turn reads all of it and leaves its own behind.
    begun = await agent.write(
        "assess_at_turn_start",
        f"goals {{ id progress }} agentActions {ACTIONS} userActions {ACTIONS} "
        "questions { text stories { nodes { narrative } } }",
        turnId="turn-1",
    )
    assert begun["goals"] == [{"id": goal, "progress": 0.25}]
    assert [action["title"] for action in begun["agentActions"]] == ["Write the menu"]
    assert [action["title"] for action in begun["userActions"]] == ["Taste it"]
    assert begun["questions"] == [{"text": "Which wine?", "stories": {"nodes": [{"narrative": "A red one"}]}}]
    ended = await agent.write(
        "commit_at_turn_end",
        "ok results { path problem { code } }",
        turnId="turn-1",
        progress=[{"goalId": goal, "delta": 0.5}],
        newActions=[{"title": "Ask the guests", "type": "survey", "owner": "AGENT", "clientKey": "ask"}],
        completedActions=[{"clientKey": "menu", "result": {"courses": 3}}],
        storyUpdates=[{"question": {"clientKey": "q"}, "story": {"narrative": "A white one"}}],
    )
    assert ended["ok"], ended

    # Another conversation finds it.
    other = Agent(own.client(), agent.called)
    assert await other.read("get_active_goals", "(limit: 5) { id progress }") == [
        {"id": goal, "progress": 0.75}
    ]
    theirs, users = [
        (await other.read("list_pending_actions", f"(filter: {{owner: {owner}}}) {{ nodes {ACTIONS} }}"))[
            "nodes"
        ]
        for owner in ("AGENT", "USER")
    ]
    assert (theirs, sorted(action["title"] for action in users)) == ([], ["Ask the guests", "Taste it"])
    asked = await other.read(
        "get_questions",
        "(goalId: $id) { nodes { stories { nodes { narrative } } } }",
        "query ($id: ID!)",
        id=goal,
    )
    assert sorted(s["narrative"] for s in asked["nodes"][0]["stories"]["nodes"]) == [
        "A red one",
        "A white one",
    ]

    # What nobody knew is decided about and exported; the registry is looked at and kept.
    listed = await other.read("list_registry_proposals", "(filter: {status: [OPEN]}) { nodes { id typeId } }")
    (proposal,) = listed["nodes"]
    assert proposal["typeId"] == "survey"
    said = {
        "id": proposal["id"],
        "rationale": "We ask before each dinner.",
        "diff": {"allowed_owners": ["agent"]},
    }
    await other.write("submit_registry_proposal", "proposal { version }", **said)
    await mia.write("review_registry_proposal", "proposal { status }", id=proposal["id"], decision="APPROVE")
    pull = await mia.write("export_proposal_as_pr", "repo branch prUrl", id=proposal["id"])
    assert pull["branch"].startswith("registry/survey-")
    definition = {
        "id": "poll",
        "displayName": "Poll",
        "allowedOwners": ["AGENT"],
        "allowedStatuses": ["pending", "completed"],
        "allowedTransitions": [{"status": "pending", "to": ["completed"]}],
    }
    await mia.write("register_action_type", "actionType { id }", definition=definition, approved=True)
    await mia.write("deprecate_action_type", "actionType { id }", id="poll", replacedBy="research")
    kinds = await other.read("list_action_types", "{ id deprecationStatus }")
    assert {"id": "poll", "deprecationStatus": "DEPRECATED"} in kinds
    assert "survey" not in {kind["id"] for kind in kinds}

    assert agent.called | mia.called == SOURCE
