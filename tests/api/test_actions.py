"""The life of pending actions through GraphQL over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from tests.api.conftest import Api
from tests.api.test_action_types import own
from tests.support.first_format import first_text

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
    "createGoal": "goal { id blockedBy { nodes { id } } }",
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


async def made(api: Api, **fields: Any) -> dict[str, Any]:
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


@pytest.mark.covers("ACT-14", "ACT-17", "ACT-22", "ACT-62..65")
async def test_an_action_is_made_changed_and_completed(api: Api) -> None:
    action = await made(api, type="research", clientKey="r", evidenceRefs=["log-1"], metadata={"a": [1]})
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


@pytest.mark.covers("ACT-59..61")
async def test_what_is_done_is_put_away_and_stays_readable(api: Api) -> None:
    action = await made(api, type="agent_task", title="done")
    await made(api, type="agent_task", title="open")
    await call(api, "completePendingAction", id=action["id"])

    assert await listed(api) == ["open"]
    assert await listed(api, status=["completed"]) == ["done"]
    assert sorted(await listed(api, status=["completed", "pending"])) == ["done", "open"]
    node = await api.client().run("query ($id: ID!) { node(id: $id) { id } }", id=action["id"])
    assert node["node"]["id"] == action["id"]


@pytest.mark.covers("ACT-25")
async def test_an_illegal_transition_changes_nothing(api: Api) -> None:
    action = await made(api, type="background_job")
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


@pytest.mark.covers("ACT-36..38")
async def test_the_user_does_what_the_user_owns(api: Api) -> None:
    action = await in_space(api, await shared(api), type="user_task")
    before = await api.world.counts()

    refused = await call(api, "completePendingAction", id=action["id"])
    on_behalf = await call(api, "completePendingAction", {"agent": "bot", "person": "ann"}, id=action["id"])
    assert (refused["code"], on_behalf["code"]) == ("owner_violation", "owner_violation")
    assert await api.world.counts() == before

    done = (await call(api, "completePendingAction", ANN, id=action["id"]))["action"]
    ann = await api.world.caller(None, person="ann")
    assert (done["status"], done["confirmedBy"]) == ("completed", {"id": ann.actor_id})


@pytest.mark.covers("ACT-40", "ACT-41")
async def test_an_approval_waits_for_the_user(api: Api) -> None:
    action = await in_space(api, await shared(api), type="approval_request")

    waits = await call(api, "completePendingAction", ANN, id=action["id"])
    assert waits["code"] == "confirmation_required"
    before = await api.world.counts()
    forged = await call(api, "confirmPendingAction", id=action["id"])
    lifted = await call(
        api, "upsertPendingActions", actions=[{"id": action["id"], "requiresConfirmation": False}]
    )
    assert forged["code"] == "owner_violation"
    assert lifted["results"][0]["problem"]["code"] == "owner_violation"
    assert await api.world.counts() == before

    confirmed = (await call(api, "confirmPendingAction", ANN, id=action["id"]))["action"]
    again = (await call(api, "confirmPendingAction", ANN, id=action["id"]))["action"]
    assert (confirmed["status"], confirmed["version"]) == ("pending", 2)
    assert again == confirmed
    assert (await call(api, "completePendingAction", ANN, id=action["id"]))["action"]["status"] == "completed"


@pytest.mark.covers("ACT-42", "ACT-50")
async def test_a_result_completes_what_completes_by_itself(api: Api) -> None:
    task = await made(api, type="agent_task")
    job = await made(api, type="background_job")
    for action in (task, job):
        await call(api, "transitionPendingAction", id=action["id"], status="in_progress")

    done = await call(
        api, "upsertPendingActions", actions=[{"id": a["id"], "result": {"rows": 2}} for a in (task, job)]
    )

    first, second = (result["action"] for result in done["results"])
    assert (first["status"], first["result"], first["version"]) == ("completed", {"rows": 2}, 3)
    assert (second["status"], second["result"], second["version"]) == ("in_progress", {"rows": 2}, 3)


@pytest.mark.covers("ACT-46", "ACT-49")
async def test_a_decision_stays_open_until_one_of_its_options_is_chosen(api: Api) -> None:
    options = {"options": ["red", "white"]}
    action = await in_space(api, await shared(api), type="decision", owner="USER", metadata=options)
    before = await api.world.counts()

    for given in ({}, {"choice": "rose"}, {"choice": ""}):
        refused = await call(api, "completePendingAction", ANN, id=action["id"], **given)
        assert (refused["code"], refused["field"]) == ("invalid", "choice")
    assert await api.world.counts() == before

    done = (await call(api, "completePendingAction", ANN, id=action["id"], choice="white"))["action"]
    assert (done["status"], done["version"], done["metadata"]) == (
        "completed",
        2,
        {**options, "choice": "white"},
    )


@pytest.mark.covers("ACT-46", "ACT-49")
async def test_a_decision_needs_options(api: Api) -> None:
    field = "actions[0].metadata.options"
    task = await made(api, type="no_such_type")
    for options in (None, [], ["one"], ["same", "same"], ["a", ""], ["a", 1], "ab", {"a": 1, "b": 2}):
        metadata = {} if options is None else {"options": options}
        for entry in ({"title": "t", "type": "decision"}, {"id": task["id"], "type": "decision"}):
            (said,) = (await call(api, "upsertPendingActions", actions=[{**entry, "metadata": metadata}]))[
                "results"
            ]
            assert (said["problem"]["code"], said["problem"]["field"]) == ("invalid", field)
        refused = await call(
            api,
            "createGoal",
            title="g",
            pendingActions=[{"title": "t", "type": "decision", "metadata": metadata}],
        )
        assert (refused["code"], refused["field"]) == ("invalid", "pendingActions[0].metadata.options")
    action = await made(api, type="decision", metadata={"options": ["a", "b"]})
    (said,) = (await call(api, "upsertPendingActions", actions=[{"id": action["id"], "metadata": {"x": 1}}]))[
        "results"
    ]
    assert (said["problem"]["code"], said["problem"]["field"]) == ("invalid", field)
    (said,) = (
        await call(
            api,
            "upsertPendingActions",
            actions=[{"id": task["id"], "type": "decision", "metadata": {"options": ["a", "b"]}}],
        )
    )["results"]
    assert said["problem"] is None


@pytest.mark.covers("ACT-48")
async def test_research_that_blocks_is_done_before_what_depends_on_it(api: Api) -> None:
    goal = (await call(api, "createGoal", title="g"))["goal"]["id"]
    research = await made(api, type="research", goalId=goal, blocking=True)
    task = await made(api, type="agent_task", goalId=goal)
    elsewhere = await made(api, type="agent_task")

    async def start(action: dict[str, Any]) -> dict[str, Any]:
        return await call(api, "transitionPendingAction", id=action["id"], status="in_progress")

    assert (await start(task))["code"] == "blocked"
    assert (await start(elsewhere))["action"]["status"] == "in_progress"
    assert (await start(research))["action"]["status"] == "in_progress"
    assert (await start(task))["code"] == "blocked"
    await call(api, "completePendingAction", id=research["id"], result={"found": 1})
    assert (await start(task))["action"]["status"] == "in_progress"


@pytest.mark.covers("ACT-51")
@pytest.mark.parametrize("end", ["cancelled", "completed"])
async def test_a_blocker_halts_its_goal(api: Api, end: str) -> None:
    goal = (await call(api, "createGoal", title="g"))["goal"]["id"]
    blocker = await made(api, type="blocker", goalId=goal)
    task = await made(api, type="agent_task", goalId=goal)
    blocked, free = {"nodes": [{"id": blocker["id"]}]}, {"nodes": []}
    assert (task["blockedBy"], blocker["blockedBy"]) == (blocked, free)
    asked = "query ($id: ID!) { goal(id: $id) { blockedBy { nodes { id } } } }"
    assert (await api.client().run(asked, id=goal))["goal"]["blockedBy"] == blocked

    halted = await call(api, "transitionPendingAction", id=task["id"], status="in_progress")
    assert halted["code"] == "blocked"
    await call(api, "transitionPendingAction", id=blocker["id"], status=end)
    assert (await api.client().run(asked, id=goal))["goal"]["blockedBy"] == free
    started = await call(api, "transitionPendingAction", id=task["id"], status="in_progress")
    assert (started["action"]["status"], started["action"]["blockedBy"]) == ("in_progress", free)


@pytest.mark.covers("ACT-22")
async def test_each_entry_is_judged_by_itself(api: Api) -> None:
    known = await made(api, type="research")
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


async def test_a_list_that_is_empty_or_too_long_is_refused(api: Api) -> None:
    assert (await call(api, "upsertPendingActions", actions=[]))["code"] == "invalid"
    many = [{"title": "t"}] * 101
    assert (await call(api, "upsertPendingActions", actions=many))["code"] == "too_large"
    assert "PendingAction" not in await api.world.counts()


@pytest.mark.covers("ACT-21", "ACT-27..29", "ACT-33")
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

    seen: list[str] = []
    after = None
    while True:
        page = (await api.client().run(LIST, first=2, after=after))["pendingActions"]
        assert page["totalCount"] == 7
        seen += [node["title"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == by_utility
    (error,) = await api.client().errors(LIST, order="DUE_AT", after=after)
    assert error["extensions"]["code"] == "invalid"


@pytest.mark.covers("ACT-21")
@pytest.mark.parametrize("order", ["UTILITY", "DUE_AT"])
async def test_actions_are_found_by_their_space(api: Api, order: str) -> None:
    team = await shared(api)
    goal = (await call(api, "createGoal", title="g", space=team))["goal"]["id"]
    home = (await api.client().run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]
    theirs = (await api.client("other").run("{ me { homeSpace { id } } }"))["me"]["homeSpace"]["id"]
    await in_space(api, team, title="ours", goalId=goal)
    await in_space(api, home, title="mine")

    assert await listed(api, order) == ["ours", "mine"]
    assert await listed(api, order, space=team) == ["ours"]
    assert await listed(api, order, space=home) == ["mine"]
    assert await listed(api, order, space=team, goalId=goal) == ["ours"]
    assert await listed(api, order, space=home, goalId=goal) == []
    for nowhere in (theirs, "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD"):
        assert await listed(api, order, space=nowhere) == []


async def test_what_is_foreign_is_not_found_and_not_listed(api: Api) -> None:
    action = await made(api, type="agent_task")
    before = await api.world.counts()
    other = {"agent": "other"}
    reader = {"roles": ("reader",)}

    for name, more in (
        ("transitionPendingAction", {"status": "completed"}),
        ("completePendingAction", {}),
        ("confirmPendingAction", {}),
    ):
        assert (await call(api, name, other, id=action["id"], **more))["code"] == "not_found"
        assert (await call(api, name, reader, id=action["id"], **more))["code"] == "forbidden"
    assert (await call(api, "upsertPendingActions", reader, actions=[{"title": "t"}]))["code"] == "forbidden"
    page = (await api.client("other").run(LIST))["pendingActions"]
    assert (page["totalCount"], page["nodes"]) == (0, [])
    found = await api.world.counts()
    # The other agent itself has appeared, and nothing else.
    met = {"Actor": 0, "Agent": 0, "Space": 0}
    assert {**found, **met} == {**before, **met}


@pytest.mark.covers("REG-27", "REG-28")
async def test_a_type_lives_that_one_file_added(own: Api) -> None:
    path = own.world.services.settings.registry_dir / "action_types" / "survey.yaml"
    text = first_text("research").replace("id: research", "id: survey")
    text = text.replace("awaiting_confirmation", "sent")
    path.write_text(
        text.replace("  pending: [in_progress, sent, blocked, completed", "  pending: [in_progress, blocked")
    )
    assert own.world.services.registry.watch.look()

    action = await made(own, type="survey", title="Ask them", priority="high")
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
