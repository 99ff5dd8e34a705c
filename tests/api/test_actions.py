"""The life of pending actions through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from tests.api.conftest import Api
from tests.api.test_action_types import own
from tests.support.first_format import first_text

NIGHTLY = pytest.mark.nightly(
    "the life of an action: tests/graph/test_actions_*.py; each mutation over HTTP: the walks"
)

__all__ = ["own"]

PROBLEM = "... on Problem { code message field }"
ACTION = """{ id type originalType title description owner status priority effort dueAt blocking version
  goal { id } requiresConfirmation autoComplete evidenceRefs confirmedBy { id } confirmedAt result
  completedAt archivedAt clientKey metadata createdAt updatedAt createdBy { id } turn { key }
  blockedBy { nodes { id } } score { density dueAt blocking alignment } }"""
STEPS = {
    "upsertPendingActions": f"ok results {{ created action {ACTION} problem {{ code field message }} }}",
    "transitionPendingAction": f"action {ACTION}",
    "completePendingAction": f"action {ACTION}",
    "confirmPendingAction": f"action {ACTION}",
    "createGoal": "goal { id }",
}
LIST = f"""query ($filter: PendingActionFilterInput, $order: PendingActionOrder! = UTILITY,
    $first: Int, $after: String) {{
  pendingActions(filter: $filter, orderBy: $order, first: $first, after: $after) {{
    totalCount pageInfo {{ hasNextPage endCursor }} nodes {ACTION} }} }}"""


async def call(api: Api, name: str, who: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    kind = name[0].upper() + name[1:]
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) "
        f"{{ ... on {kind}Payload {{ {STEPS[name]} }} {PROBLEM} }} }}"
    )
    found: dict[str, Any] = (await api.client(**(who or {})).run(query, input=given))[name]
    return found


async def new_action(api: Api, **fields: Any) -> dict[str, Any]:
    done = await call(
        api, "upsertPendingActions", actions=[{"title": "t", **fields}], space=fields.pop("space", None)
    )
    assert done["ok"], done
    found: dict[str, Any] = done["results"][0]["action"]
    return found


async def listed(api: Api, order: str = "UTILITY", **wanted: Any) -> list[str]:
    page = (await api.client().run(LIST, filter=wanted or None, order=order))["pendingActions"]
    assert page["totalCount"] == len(page["nodes"])
    return [node["title"] for node in page["nodes"]]


ANN = {"agent": None, "person": "ann"}


async def shared(api: Api) -> str:
    """A space where the agent and the user ann both write."""
    world = api.world
    await world.caller(None, person="ann")
    bot = await world.caller()
    space = await world.services.access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller()
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.WRITE
        ),
    )
    return space


async def in_space(api: Api, space: str, **fields: Any) -> dict[str, Any]:
    done = await call(api, "upsertPendingActions", actions=[{"title": "t", **fields}], space=space)
    found: dict[str, Any] = done["results"][0]["action"]
    return found


@pytest.mark.covers("ACT-14", "ACT-17", "ACT-22", "ACT-59..65")
async def test_an_action_is_made_changed_and_completed(api: Api) -> None:
    action = await new_action(
        api, type="research", clientKey="r", evidenceRefs=["log-1"], metadata={"a": [1]}
    )
    assert (action["status"], action["version"], action["evidenceRefs"]) == ("pending", 1, ["log-1"])

    api.world.clock.advance(minutes=1)
    entry = {
        "clientKey": "r",
        "priority": "critical",
        "effort": 2,
        "result": {"half": True},
        "expectedVersion": 1,
    }
    entry["evidenceRefs"] = ["log-1", "file-2"]
    done = await call(api, "upsertPendingActions", actions=[entry], turnId="turn-2")
    changed = done["results"][0]["action"]
    assert done["results"][0]["created"] is False
    assert (changed["id"], changed["version"], changed["priority"]) == (action["id"], 2, "critical")
    assert (changed["score"]["density"], changed["result"]) == (2.0, {"half": True})
    assert changed["score"]["alignment"] == 0.0
    assert changed["evidenceRefs"] == ["log-1", "file-2"]
    assert changed["updatedAt"] > changed["createdAt"]
    assert changed["metadata"] == {"a": [1]}

    again = await call(api, "upsertPendingActions", actions=[{**entry, "expectedVersion": 2}])
    assert again["results"][0]["action"]["version"] == 2

    started = await call(api, "transitionPendingAction", id=action["id"], status="in_progress")
    assert (started["action"]["status"], started["action"]["version"]) == ("in_progress", 3)
    ended = await call(
        api, "completePendingAction", id=action["id"], result={"found": 3}, turnId="turn-2", expectedVersion=3
    )
    assert (ended["action"]["status"], ended["action"]["result"]) == ("completed", {"found": 3})
    assert ended["action"]["completedAt"] == ended["action"]["archivedAt"] is not None
    rows = await api.world.rows(
        "MATCH (v:Version)-[:OF]->(a:PendingAction {uid: $uid}) RETURN v.number AS number ORDER BY number",
        uid=action["id"],
    )
    assert [row["number"] for row in rows] == [1, 2, 3, 4]
    events = await api.world.rows(
        "MATCH (e:OutboxEvent {aggregate: $uid}) RETURN e.type AS type ORDER BY e.aggregate_version",
        uid=action["id"],
    )
    trace = await api.client().run('{ turnTrace(turnId: "turn-2") { nodes { kind ids } } }')
    assert [(n["kind"], n["ids"]) for n in trace["turnTrace"]["nodes"]] == [
        ("ACTION_UPDATED", [action["id"]]),
        ("ACTION_TRANSITIONED", [action["id"]]),
    ]
    assert [row["type"].split(".")[1] for row in events] == [
        "created",
        "updated",
        "transitioned",
        "transitioned",
    ]
    # What is done is put away, and stays readable.
    assert (await listed(api), await listed(api, status=["completed"])) == ([], ["t"])
    node = await api.client().run("query ($id: ID!) { node(id: $id) { id } }", id=action["id"])
    assert node["node"]["id"] == action["id"]


@pytest.mark.covers("ACT-25")
@NIGHTLY
async def test_an_illegal_transition_changes_nothing(api: Api) -> None:
    action = await new_action(api, type="background_job")
    before = await api.world.counts()

    refused = await call(api, "completePendingAction", id=action["id"])
    nowhere = await call(api, "transitionPendingAction", id=action["id"], status="completed")
    odd = await call(api, "transitionPendingAction", id=action["id"], status="asleep")
    stale = await call(
        api, "transitionPendingAction", id=action["id"], status="in_progress", expectedVersion=7
    )
    no_map = await call(api, "completePendingAction", id=action["id"], result=[1])

    # The field is one that the operation has.
    assert (refused["code"], refused["field"]) == ("illegal_transition", "id")
    assert (nowhere["code"], nowhere["field"]) == ("illegal_transition", "status")
    assert (odd["code"], odd["field"]) == ("invalid", "status")
    assert stale["code"] == "version_conflict"
    assert (no_map["code"], no_map["field"]) == ("invalid", "result")
    assert await api.world.counts() == before


@pytest.mark.covers("ACT-46", "ACT-49")
@NIGHTLY
async def test_a_decision_needs_options(api: Api) -> None:
    task = await new_action(api, type="no_such_type")
    action = await new_action(api, type="decision", metadata={"options": ["a", "b"]})
    lists = ([], ["one"], ["same", "same"], ["a", ""], ["a", 1], "ab", {"a": 1, "b": 2})
    entries: list[dict[str, Any]] = [
        *({"title": "t", "type": "decision", "metadata": {"options": each}} for each in lists),
        {"title": "t", "type": "decision"},
        {"id": task["id"], "type": "decision", "metadata": {"options": ["one"]}},
        {"id": action["id"], "metadata": {"x": 1}},
    ]

    said = (await call(api, "upsertPendingActions", actions=entries))["results"]

    assert [(each["problem"]["code"], each["problem"]["field"]) for each in said] == [
        ("invalid", f"actions[{number}].metadata.options") for number in range(len(entries))
    ]
    refused = await call(api, "createGoal", title="g", pendingActions=entries[:1])
    assert (refused["code"], refused["field"]) == ("invalid", "pendingActions[0].metadata.options")
    typed = {"id": task["id"], "type": "decision", "metadata": {"options": ["a", "b"]}}
    (done,) = (await call(api, "upsertPendingActions", actions=[typed]))["results"]
    assert done["problem"] is None


@pytest.mark.covers("ACT-22")
@NIGHTLY
async def test_each_entry_is_judged_by_itself(api: Api) -> None:
    known = await new_action(api, type="research")
    other = await api.client("other").run(
        'mutation { upsertPendingActions(input: {actions: [{title: "x"}]}) '
        "{ ... on UpsertPendingActionsPayload { results { action { id } } } } }"
    )
    foreign = other["upsertPendingActions"]["results"][0]["action"]["id"]
    entries = [
        {"title": "fine", "type": "decision", "metadata": {"options": ["a", "b"]}},
        {"title": ""},
        {"id": known["id"], "type": "decision"},
        {"id": known["id"], "title": "twice"},
        {"id": foreign, "title": "x"},
        # Not made from the foreign id: ids of one moment follow each other, so it might be the known one.
        {"id": "act_01JBXM3Z8K0QF3W4T9V2C7H5RD", "title": "x"},
        {"title": "t", "goalId": "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"},
        {"title": "t", "priority": "soon"},
        {"title": "t", "clientKey": "k", "expectedVersion": 1},
    ]

    done = await call(api, "upsertPendingActions", actions=entries, idempotencyKey="once")
    again = await call(api, "upsertPendingActions", actions=entries, idempotencyKey="once")

    assert done == again
    assert done["ok"] is False
    problems = [
        result["problem"] and (result["problem"]["code"], result["problem"]["field"])
        for result in done["results"]
    ]
    assert problems == [
        None,
        ("invalid", "actions[1].title"),
        ("invalid", "actions[2].type"),
        ("invalid", "actions[3].id"),
        ("not_found", "actions[4].id"),
        ("not_found", "actions[5].id"),
        ("not_found", "actions[6].goalId"),
        ("invalid", "actions[7].priority"),
        ("version_conflict", "actions[8].expectedVersion"),
    ]
    assert [result["created"] for result in done["results"]] == [True] + [False] * 8
    assert sorted(await listed(api)) == ["fine", "t"]


@NIGHTLY
async def test_a_list_that_is_empty_or_too_long_is_refused(api: Api) -> None:
    assert (await call(api, "upsertPendingActions", actions=[]))["code"] == "invalid"
    many = [{"title": "t"}] * 101
    assert (await call(api, "upsertPendingActions", actions=many))["code"] == "too_large"
    assert "PendingAction" not in await api.world.counts()


@pytest.mark.covers("ACT-21", "ACT-27..29", "ACT-33")
@NIGHTLY
async def test_actions_are_filtered_and_ordered(api: Api) -> None:
    goal = (await call(api, "createGoal", title="g"))["goal"]["id"]
    day = "2026-02-0{}T00:00:00Z"
    entries = [
        {"title": "late", "type": "agent_task", "dueAt": day.format(3)},
        {"title": "early", "type": "agent_task", "dueAt": day.format(1), "goalId": goal},
        {"title": "never", "type": "agent_task"},
        {"title": "never but blocking", "type": "agent_task", "blocking": True},
        {"title": "hard", "type": "research", "priority": "critical", "effort": 8, "dueAt": day.format(2)},
        {"title": "easy", "type": "research", "priority": "low", "effort": 0.25},
        {"title": "theirs", "type": "user_task", "priority": "high", "goalId": goal},
    ]
    assert (await call(api, "upsertPendingActions", actions=entries))["ok"]

    by_utility = ["easy", "theirs", "early", "late", "never but blocking", "never", "hard"]
    assert await listed(api) == by_utility
    assert await listed(api, owner="AGENT") == [name for name in by_utility if name != "theirs"]
    assert await listed(api, owner="USER") == ["theirs"]
    scored = await api.client().run("{ pendingActions { nodes { title score { alignment } } } }")
    aligned = {n["title"]: n["score"]["alignment"] for n in scored["pendingActions"]["nodes"]}
    assert aligned == {name: 0.45 if name in ("theirs", "early") else 0.0 for name in by_utility}
    assert await listed(api, type=["research"]) == ["easy", "hard"]
    assert await listed(api, goalId=goal) == ["theirs", "early"]
    assert await listed(api, dueBefore=day.format(3)) == ["early", "hard"]
    assert await listed(api, dueAfter=day.format(2)) == ["late", "hard"]
    assert await listed(api, dueAfter=day.format(2), dueBefore=day.format(3)) == ["hard"]
    assert await listed(api, "DUE_AT", dueAfter=day.format(2)) == ["hard", "late"]
    assert await listed(api, goalId=goal, dueAfter=day.format(1)) == ["early"]
    assert await listed(api, goalId=goal, dueAfter=day.format(2)) == []
    assert await listed(api, blocking=True) == ["never but blocking"]
    assert await listed(api, status=["blocked"]) == []
    by_due = await listed(api, "DUE_AT")
    assert by_due == ["early", "hard", "late", "never", "never but blocking", "easy", "theirs"]
    assert await listed(api, "DUE_AT", goalId=goal) == ["early", "theirs"]
    first = (await api.client().run(LIST, first=4))["pendingActions"]
    rest = (await api.client().run(LIST, after=first["pageInfo"]["endCursor"]))["pendingActions"]
    assert [node["title"] for page in (first, rest) for node in page["nodes"]] == by_utility
    assert (first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (True, False)


@pytest.mark.covers("REG-27", "REG-28")
@NIGHTLY
async def test_a_type_lives_that_one_file_added(own: Api) -> None:
    path = own.world.services.settings.registry_dir / "action_types" / "survey.yaml"
    text = first_text("research").replace("id: research", "id: survey")
    text = text.replace("awaiting_confirmation", "sent")
    path.write_text(
        text.replace("  pending: [in_progress, sent, blocked, completed", "  pending: [in_progress, blocked")
    )
    assert own.world.services.registry.watch.look()

    action = await new_action(own, type="survey", title="Ask them", priority="high")
    assert (action["type"], action["owner"], action["status"]) == ("survey", "AGENT", "pending")
    assert await listed(own, type=["survey"]) == ["Ask them"]
    assert (await call(own, "completePendingAction", id=action["id"]))["code"] == "illegal_transition"
    for status in ("in_progress", "sent", "completed"):
        moved = await call(own, "transitionPendingAction", id=action["id"], status=status)
        assert moved["action"]["status"] == status
    assert (await call(own, "transitionPendingAction", id=action["id"], status="sent"))[
        "code"
    ] == "illegal_transition"
    assert await listed(own) == []
