"""The examples of the page, run against the demo in their order, as a newcomer does."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.api.demo.load import tell_story
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.api.web.routes import WEB, read_examples
from prefrontal.graph.caller import Principal
from tests.api.conftest import Api, Client, api

NIGHTLY = pytest.mark.nightly("the first steps run with each change, and every example fits the schema")

__all__ = ["api"]

PICKS = (WEB / "picks.graphql").read_text(encoding="utf-8")
EXAMPLES = {example["name"]: example for example in read_examples()}


@dataclass
class Reader:
    """Somebody who opens one example after the other."""

    client: Client

    async def run(self, name: str) -> Any:
        """The answer of an example that asks for one thing."""
        (answer,) = (await self.answers(name)).values()
        return answer

    async def answers(self, name: str) -> dict[str, Any]:
        """The answers of an example whose variables are filled in as the page does it."""
        picks = await self.client.run(PICKS)
        notes = picks["observations"]["nodes"]
        have = {
            "<observation>": [note["id"] for note in notes],
            "<tag>": [tag for note in notes for tag in note["tags"]],
            "<goal>": [goal["id"] for goal in picks["activeGoals"]],
            "<turn>": [note["source"]["turnId"] for note in notes if note["source"]["turnId"]],
            "<proposal>": [node["id"] for node in picks["registryProposals"]["nodes"]],
        }
        text = json.dumps(EXAMPLES[name]["variables"])
        for placeholder, found in have.items():
            text = text.replace(placeholder, found[0] if found else placeholder)
        assert "<" not in text, name
        answers: dict[str, Any] = await self.client.run(EXAMPLES[name]["query"], **json.loads(text))
        return answers


@pytest.fixture
async def demo(api: Api) -> AsyncIterator[str]:
    org = f"{api.world.org}-demo"
    await tell_story(api.world.services, org, now=api.world.clock.now())
    yield org
    await clear_organisation(api.world.services, org)


def reader(api: Api, principal: Principal) -> Reader:
    return Reader(Client(api.http, api.tokens.issue(principal, timedelta(hours=1))[0]))


@NIGHTLY
async def test_the_examples_from_the_start_of_a_turn_to_a_branch_show_something_of_the_demo(
    api: Api, demo: str
) -> None:
    ann = reader(api, Principal(org=demo, agent="sommelier", person="ann", roles=("writer",)))

    began = await ann.run("10_start_turn")
    most_urgent = began["goals"][0]
    assert (most_urgent["title"], most_urgent["progress"]) == ("Order by Friday noon", 0.4)
    assert [action["title"] for action in began["agentActions"]] == ["Read the notes of the last ten bottles"]
    # The order waits for Ann's yes.
    assert "order_wine" not in [action["originalType"] for action in began["userActions"]]
    assert began["userActions"]
    assert {question["text"]: len(question["stories"]["nodes"]) for question in began["questions"]} == {
        "Which white suits the turbot, and Jonas too?": 1,
        "Does Ida come?": 0,
    }

    first = await ann.run("11_commit_turn")
    task, order, step, answer = first["results"]
    assert (first["ok"], task["action"]["type"], task["action"]["owner"]) == (True, "agent_task", "AGENT")
    assert (order["action"]["type"], order["action"]["owner"]) == ("user_task", "USER")
    assert order["action"]["unknownType"]["name"] == "order_wine"
    assert (step["before"], step["after"]) == (0.4, 0.65)
    assert (answer["question"]["status"], len(answer["story"]["evidence"]["nodes"])) == ("OPEN", 1)
    again = await ann.run("11_commit_turn")
    assert [result["repeated"] for result in again["results"]] == [True] * 4
    assert [(each["store"], each["status"]) for each in first["stores"]] == [
        (store, "COMMITTED") for store in ("EPISODIC", "FRONTAL_CORTEX", "SCRATCH_PAGE", "CONVERSATION")
    ]
    assert [phase["phase"] for phase in first["phases"]][-1] == "FINALIZATION"
    turn = await ann.run("26_turn_export")
    assert (turn["status"], turn["commitStatus"]) == ("COMPLETE", "OK")
    assert [(each["id"], each["digest"]) for each in turn["exports"]["nodes"]] == [
        (first["export"]["id"], first["export"]["digest"])
    ]
    lessons = (await ann.run("25_lessons"))["nodes"]
    assert {lesson["statement"] for lesson in lessons} >= {
        "What worked: Short answers",
        "cellar_api has rate limits; use wine_search as fallback",
    }

    history = await ann.run("12_history")
    assert [version["number"] for version in history["nodes"]] == [3, 2, 1]
    assert history["nodes"][1]["turnId"] == "ordering-3"
    assert len(history["nodes"][1]["evidenceRefs"]) == 2

    back = await ann.run("13_revert")
    assert (back["version"], back["node"]["status"], back["node"]["progress"]) == (4, "PENDING", 0)

    meant = await ann.run("14_propose_type")
    assert meant["proposal"]["typeId"] == "order_wine"
    assert meant["proposal"]["definition"] == {
        "allowedOwners": ["AGENT"],
        "requiresConfirmation": True,
        "policyHandlers": {"completionGuard": "APPROVAL_REQUIRED"},
    }
    listed = await ann.run("15_proposals")
    assert [(each["typeId"], each["status"]) for each in listed["nodes"]] == [("order_wine", "OPEN")]
    for name in ("16_review_proposal", "17_export_proposal"):
        assert (await ann.run(name))["code"] == "forbidden"

    # What the comment of the example says: a token of another person, as a maintainer.
    mia = reader(api, Principal(org=demo, person="jonas", roles=("maintainer",)))
    assert (await mia.run("16_review_proposal"))["proposal"]["status"] == "APPROVED"
    assert "PREFRONTAL_REGISTRY_REPOSITORY" in (await mia.run("17_export_proposal"))["message"]
    assert (await mia.run("15_proposals"))["nodes"][0]["reviews"][0]["decision"] == "APPROVE"


async def test_the_examples_of_the_first_steps_show_something_of_the_demo(api: Api, demo: str) -> None:
    ann = reader(api, Principal(org=demo, agent="sommelier", person="ann", roles=("writer",)))

    assert (await ann.run("3_query_by_tag"))["totalCount"] > 0
    lineage = await ann.run("5_goal_lineage")
    assert {node["role"] for node in lineage["nodes"]} == {
        "self", "ancestor", "derivation", "evidence", "action", "question", "story", "tool_call", "outcome",
    }  # fmt: skip
    trace = [entry["kind"] for entry in (await ann.run("7_turn_trace"))["nodes"]]
    assert "PROGRESS_UPDATED" in trace
    assert len((await ann.run("9_pending_actions"))["nodes"]) == 1
    assert len((await ann.run("12_history"))["nodes"]) == 2
    assert (await ann.run("13_revert"))["version"] == 3


@NIGHTLY
async def test_the_examples_of_linking_suggest_a_goal_of_the_demo_and_link_it(api: Api, demo: str) -> None:
    ann = reader(api, Principal(org=demo, agent="sommelier", person="ann", roles=("writer",)))

    suggested = await ann.run("21_suggest_goals")
    assert suggested[0]["goal"]["title"] == "Order by Friday noon"
    assert "Merchant C" in suggested[0]["sharedEntities"]
    linked = (await ann.run("22_link_observation"))["result"]
    assert linked["goal"]["title"] == "Order by Friday noon"
    assert linked["after"] == pytest.approx(linked["before"] + 0.08)
    assert [edge["note"] for edge in linked["goal"]["evidence"]["edges"]].count("linked by hand") == 1


@NIGHTLY
async def test_the_examples_of_tools_and_outcomes_are_recorded_in_the_turn(api: Api, demo: str) -> None:
    ann = reader(api, Principal(org=demo, agent="sommelier", person="ann", roles=("writer",)))

    call = (await ann.run("23_track_tool"))["invocation"]
    assert (call["tool"], call["status"], call["error"]) == ("weather_api", "FAILED", "Rate limit exceeded")
    assert call["turn"] == {"key": "turn_example"}
    outcomes = [await ann.run("24_record_outcome") for _ in range(2)]
    assert [each["created"] for each in outcomes] == [True, False]
    assert outcomes[0]["outcome"]["episode"]["tags"] == ["outcome", "success"]
    assert outcomes[0]["outcome"] == outcomes[1]["outcome"]


@pytest.mark.alone
@NIGHTLY
async def test_the_examples_of_working_memory_show_sessions_of_the_demo(api: Api, demo: str) -> None:
    ann = reader(api, Principal(org=demo, agent="sommelier", person="ann", roles=("writer",)))

    async def looked() -> tuple[dict[str, Any], list[dict[str, Any]]]:
        answer = await ann.answers("18_working_memory")
        return answer["activeContext"], answer["sessionCorrelations"]

    def kinds(related: list[dict[str, Any]]) -> list[tuple[str, str]]:
        return [(each["session"]["key"], each["relationshipType"]) for each in related]

    patterns = (await ann.answers("18_working_memory"))["sessionPatterns"]
    assert (patterns["sessions"], patterns["itemsHeld"], len(patterns["entities"])) == (2, 7, 3)
    now, related = await looked()
    assert (now["session"]["task"], now["session"]["status"]) == ("Order the whites for Saturday", "ACTIVE")
    assert [item["priorityRank"] for item in now["items"]] == [1, 2, 3, 4]
    assert kinds(related) == [("comparing", "RELATED")]
    assert (related[0]["sharedEntities"], len(related[0]["unfinished"])) == (["merchant a", "merchant c"], 1)

    added = await ann.run("19_update_working_memory")
    assert added["operationResult"] == "ADDED"
    assert added["admissionDecision"]["admitted"]
    assert added["currentCapacity"] == {"itemsCount": 1, "maxCapacity": 7}
    assert (await ann.run("19_update_working_memory"))["operationResult"] == "UPDATED"

    assert (await ann.run("20_link_sessions"))["acrossDevices"] is True
    jobs = api.world.services.jobs
    await jobs.run_once(jobs.named["correlate_sessions"])
    assert kinds((await looked())[1]) == [("on-the-phone", "CONTINUATION"), ("comparing", "RELATED")]
