"""A person's gates against an agent's token, by every mutation that can touch an action."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pytest

from tests.api.conftest import Api, Client
from tests.api.schema_inputs import SCHEMA, problem_mutation
from tests.api.test_actions import ANN, call, in_space, shared


@dataclass(frozen=True)
class Gates:
    """The ids of what waits for the person ann, or for an action that waits for her."""

    space: str
    goal: str
    approval: str
    errand: str
    checked: str
    decision: str
    task: str
    job: str
    unknown: str
    observation: str


Given = dict[str, Any]
Attempt = tuple[Given, str | None]
"""An input with names like `@approval` for ids, and the code of its refusal; None if it opens nothing."""

# New actions that are weaker than their type says.
WEAKER: list[Given] = [
    {"title": "w", "type": "approval_request", "blocking": False},
    {"title": "w", "type": "approval_request", "requiresConfirmation": False},
    {"title": "w", "type": "user_task", "requiresConfirmation": False},
    {
        "title": "w",
        "type": "decision",
        "metadata": {"options": ["red", "white"]},
        "requiresConfirmation": False,
    },
    {"title": "w", "type": "blocker", "blocking": False},
]
UPSERTS: list[Attempt] = [
    ({"id": "@approval", "blocking": False}, "owner_violation"),
    ({"id": "@approval", "requiresConfirmation": False}, "owner_violation"),
    ({"id": "@errand", "requiresConfirmation": False}, "owner_violation"),
    ({"id": "@checked", "requiresConfirmation": False}, "owner_violation"),
    ({"id": "@decision", "requiresConfirmation": False}, "owner_violation"),
    # Null means what the type says: an agent_task needs no confirmation, and this one was given one by ann.
    ({"id": "@checked", "requiresConfirmation": None}, "owner_violation"),
    # What blocks others waits for fewer.
    ({"id": "@task", "blocking": True}, "blocked"),
    ({"id": "@errand", "owner": "AGENT"}, "invalid"),
    ({"id": "@unknown", "type": "research"}, "owner_violation"),
    ({"id": "@unknown", "type": "reminder", "owner": "AGENT"}, "owner_violation"),
    # A result is kept. It completes nothing that waits for a person.
    ({"id": "@errand", "result": {"done": True}, "autoComplete": True}, None),
    ({"id": "@checked", "result": {"done": True}, "autoComplete": True}, None),
    ({"id": "@job", "result": {"done": True}, "autoComplete": True}, None),
]
COMPLETIONS: list[Attempt] = [
    ({"id": "@approval"}, "owner_violation"),
    ({"id": "@errand", "result": {"ok": True}}, "owner_violation"),
    ({"id": "@errand", "result": {"ok": False}}, "owner_violation"),
    ({"id": "@unknown"}, "owner_violation"),
    ({"id": "@checked"}, "confirmation_required"),
    ({"id": "@decision", "choice": "red"}, "confirmation_required"),
    ({"id": "@task", "result": {"ok": True}}, "blocked"),
    ({"id": "@job"}, "blocked"),
]
ENDS = ("in_progress", "completed", "cancelled")
MOVES: list[Attempt] = [
    *(({"id": "@approval", "status": to}, "owner_violation") for to in ENDS),
    *(({"id": "@unknown", "status": to}, "owner_violation") for to in ENDS),
    *(({"id": "@errand", "status": to}, "owner_violation") for to in ENDS),
    ({"id": "@checked", "status": "completed"}, "confirmation_required"),
    ({"id": "@decision", "status": "completed"}, "confirmation_required"),
    ({"id": "@task", "status": "in_progress"}, "blocked"),
    ({"id": "@task", "status": "completed"}, "blocked"),
    ({"id": "@job", "status": "completed"}, "blocked"),
]
TURN = {"turnId": "t", "space": "@space"}
# Every mutation: what an agent tries with it, or why it cannot touch an action.
TRIES: dict[str, list[Attempt] | str] = {
    "transitionPendingAction": MOVES,
    "transitionPendingActions": [({"actions": [given]}, code) for given, code in MOVES],
    "completePendingAction": COMPLETIONS,
    "confirmPendingAction": [
        ({"id": f"@{name}"}, "owner_violation") for name in ("approval", "checked", "decision")
    ],
    "upsertPendingActions": [
        *(({"actions": [new], "space": "@space"}, "owner_violation") for new in WEAKER),
        *(({"actions": [given]}, code) for given, code in UPSERTS),
    ],
    "commitAtTurnEnd": [
        *(({**TURN, "newActions": [new]}, "owner_violation") for new in WEAKER),
        *(({**TURN, "updatedActions": [given]}, code) for given, code in UPSERTS),
        *(({**TURN, "completedActions": [given]}, code) for given, code in COMPLETIONS),
    ],
    "commitTurn": [
        *(({**TURN, "newActions": [new]}, "owner_violation") for new in WEAKER),
        *(({**TURN, "updatedActions": [given]}, code) for given, code in UPSERTS),
        *(({**TURN, "completedActions": [given]}, code) for given, code in COMPLETIONS),
    ],
    "createGoal": [
        ({"title": "g", "space": "@space", "pendingActions": [new]}, "owner_violation") for new in WEAKER
    ],
    "upsertGoal": "creates goals without actions, and changes fields and links of goals",
    "evaluateScratchPage": [
        (
            {"observationIds": ["@observation"], "goal": {"title": "Wine", "pendingActions": [new]}},
            "owner_violation",
        )
        for new in WEAKER
    ],
    "revert": [
        # Before ann asked for the confirmation, or let it block.
        ({"id": "@checked", "version": 1}, "owner_violation"),
        ({"id": "@approval", "version": 1}, "owner_violation"),
        # Ann had begun with it.
        ({"id": "@errand", "version": 2}, "owner_violation"),
        # It was in progress before the approval was asked for.
        ({"id": "@task", "version": 2}, "conflict"),
    ],
}
NEVER = {
    "changes a goal, never its actions": (
        "transitionGoal",
        "transitionGoals",
        "updateGoals",
        "updateProgress",
        "linkObservation",
        "linkObservations",
        "unlinkObservation",
        "updateEvidence",
    ),
    "changes who may read or write, not what": (
        "shareGoal",
        "unshareGoal",
        "createSpace",
        "grantAccess",
        "acceptGrant",
        "leaveSpace",
        "revokeAccess",
    ),
    "moves the place of a reader of events": ("acknowledgeEvents", "resetEventConsumer"),
    "changes observations; a goal that it creates has no actions": (
        "addObservation",
        "addObservations",
        "updateObservation",
        "resolveObservation",
        "archiveObservation",
        "updateObservations",
        "resolveObservations",
        "archiveObservations",
        "pinObservation",
        "sweepExpired",
    ),
    "changes questions": ("upsertQuestionStory", "archiveQuestion", "archiveQuestions", "archiveStory"),
    "stores what is no action": (
        "remember",
        "supersede",
        "forget",
        "assembleContext",
        "startTurn",
        "trackToolInvocation",
        "recordOutcome",
        "retireLesson",
        "restoreLesson",
    ),
    "deletes what is about a person": ("eraseUserData",),
    "changes what is held in mind": (
        "startSession",
        "updateWorkingMemory",
        "endSession",
        "bridgeSession",
        "linkSessions",
        "checkpointSession",
        "restoreCheckpoint",
    ),
    "changes types; an action has its owner and its policies from then on": (
        "submitRegistryProposal",
        "reviewRegistryProposal",
        "exportProposalAsPr",
        "withdrawRegistryProposal",
        "registerActionType",
        "deprecateActionType",
        "withdrawActionTypeOverride",
    ),
}
TRIES |= {name: reason for reason, names in NEVER.items() for name in names}

FACTS = """MATCH (a:PendingAction {org_id: $org})
RETURN a.uid AS uid, a.type AS type, a.owner AS owner, a.status AS status, a.blocking AS blocking,
  a.requires_confirmation AS confirmation, a.confirmed_at AS confirmed ORDER BY uid"""


async def closed(api: Api) -> Gates:
    space = await shared(api)
    goal = (await call(api, "createGoal", title="g", space=space))["goal"]["id"]

    async def act(who: dict[str, Any] | None, **fields: Any) -> str:
        done = await call(api, "upsertPendingActions", who, actions=[{"title": "t", **fields}], space=space)
        assert done["ok"], done
        return str(done["results"][0]["action"]["id"])

    async def move(uid: str, status: str, who: dict[str, Any] | None = None) -> None:
        assert "action" in await call(api, "transitionPendingAction", who, id=uid, status=status)

    task, job = (
        await act(None, type="agent_task", goalId=goal),
        await act(None, type="agent_task", goalId=goal),
    )
    # Both are begun before the approval is asked for; one is put back.
    await move(task, "in_progress")
    await move(task, "blocked")
    await move(task, "pending")
    await move(job, "in_progress")
    approval = await act(
        ANN, type="approval_request", goalId=goal, blocking=False, requiresConfirmation=False
    )
    await act(ANN, id=approval, blocking=True, requiresConfirmation=True)
    errand = await act(None, type="user_task")
    await move(errand, "in_progress", ANN)
    await move(errand, "awaiting_confirmation", ANN)
    checked = await act(ANN, type="agent_task", clientKey="checked")
    await act(ANN, id=checked, requiresConfirmation=True)
    await move(checked, "in_progress")
    decision = await act(None, type="decision", metadata={"options": ["red", "white"]})
    unknown = await act(ANN, type="visit", owner="USER")
    added = await api.client().run(
        'mutation { it: addObservation(input: {content: "The user wants red wine", confidence: 0.95, '
        'evaluate: false, context: {goalKey: "wine"}}) '
        "{ ... on AddObservationPayload { observation { id } } ... on Problem { message field } } }"
    )
    observation = added["it"]["observation"]["id"]
    return Gates(space, goal, approval, errand, checked, decision, task, job, unknown, observation)


def named(given: Any, gates: Gates) -> Any:
    """Return the input with ids instead of their names."""
    if isinstance(given, dict):
        return {key: named(value, gates) for key, value in given.items()}
    if isinstance(given, list):
        return [named(each, gates) for each in given]
    if isinstance(given, str) and given.startswith("@"):
        return asdict(gates)[given[1:]]
    return given


async def code_of(client: Client, mutation: str, given: dict[str, Any]) -> str | None:
    """The code of the refusal of a mutation or of its only entry; None if it was taken."""
    it = (await client.run(problem_mutation(mutation), input=given))["it"]
    if it["__typename"] == "Problem":
        return str(it["code"])
    found = [each["problem"]["code"] for each in it.get("results", ()) if each["problem"]]
    return found[0] if found else None


def test_every_mutation_is_judged() -> None:
    assert SCHEMA.mutation_type
    assert sorted(TRIES) == sorted(SCHEMA.mutation_type.fields)


@pytest.mark.covers("ACT-37..41", "ACT-48", "ACT-51", "ACT-62")
async def test_no_mutation_of_an_agent_opens_what_waits_for_a_person(api: Api) -> None:
    gates = await closed(api)
    before = await api.world.rows(FACTS)

    wrong: list[str] = []
    for who in ({}, {"person": "ann"}):
        client = api.client(**who)
        for mutation, attempts in TRIES.items():
            for number, (given, code) in enumerate(attempts if isinstance(attempts, list) else ()):
                body = named(given, gates)
                if "turnId" in body:
                    body["turnId"] = f"{len(who)} {number}"
                found = await code_of(client, mutation, body)
                if found != code or await api.world.rows(FACTS) != before:
                    wrong.append(f"{mutation} {who} {body}: {found}, not {code}")
                    before = await api.world.rows(FACTS)
    assert not wrong, "\n".join(wrong)


@pytest.mark.covers("ACT-38", "ACT-41", "ACT-51")
async def test_a_person_opens_each_of_them(api: Api) -> None:
    gates = await closed(api)
    ann, bot = api.client(**ANN), api.client()

    async def taken(client: Client, mutation: str, **given: Any) -> None:
        assert await code_of(client, mutation, given) is None, (mutation, given)

    # A blocked action that a person completes is completed, and started by nobody.
    assert (
        await code_of(ann, "transitionPendingAction", {"id": gates.task, "status": "in_progress"})
        == "blocked"
    )
    await taken(ann, "completePendingAction", id=gates.job)
    await taken(ann, "upsertPendingActions", actions=[{"id": gates.approval, "blocking": False}])
    await taken(bot, "transitionPendingAction", id=gates.task, status="in_progress")
    await taken(bot, "transitionPendingAction", id=gates.task, status="blocked")
    await taken(ann, "upsertPendingActions", actions=[{"id": gates.approval, "blocking": True}])
    await taken(ann, "confirmPendingAction", id=gates.approval)
    await taken(ann, "completePendingAction", id=gates.approval)
    await taken(bot, "transitionPendingAction", id=gates.task, status="in_progress")
    await taken(bot, "completePendingAction", id=gates.task)
    await taken(ann, "revert", id=gates.errand, version=2)
    await taken(ann, "completePendingAction", id=gates.errand)
    await taken(ann, "revert", id=gates.checked, version=1)
    await taken(bot, "completePendingAction", id=gates.checked)
    await taken(ann, "confirmPendingAction", id=gates.decision)
    await taken(bot, "completePendingAction", id=gates.decision, choice="red")
    await taken(ann, "upsertPendingActions", actions=[{"id": gates.unknown, "type": "research"}])
    await taken(ann, "upsertPendingActions", actions=WEAKER)
    # An agent may make a policy stricter, and does not take that back.
    stricter = await in_space(api, gates.space, type="research", requiresConfirmation=True, blocking=True)
    assert (stricter["requiresConfirmation"], stricter["blocking"]) == (True, True)


@pytest.mark.covers("ACT-51")
async def test_an_agents_blocking_action_waits_for_an_older_one_of_a_persons(api: Api) -> None:
    space = await shared(api)
    goal = (await call(api, "createGoal", title="g", space=space))["goal"]["id"]
    first = await in_space(api, space, type="research", goalId=goal, blocking=True)
    approval = await in_space(api, space, type="approval_request", goalId=goal)
    later = await in_space(api, space, type="research", goalId=goal, blocking=True)
    second = await in_space(api, space, type="approval_request", goalId=goal)

    async def start(action: dict[str, Any], who: dict[str, Any] | None = None) -> Any:
        return await call(api, "transitionPendingAction", who, id=action["id"], status="in_progress")

    assert (await start(first))["action"]["status"] == "in_progress"
    waits = await start(later)
    assert (waits["code"], waits["message"]) == (
        "blocked",
        f"complete the blocking actions first: {approval['id']}",
    )
    # What a person does waits for no other blocking action.
    await call(api, "confirmPendingAction", ANN, id=second["id"])
    assert (await start(second, ANN))["action"]["status"] == "in_progress"
    await call(api, "confirmPendingAction", ANN, id=approval["id"])
    await call(api, "completePendingAction", ANN, id=approval["id"])
    assert (await start(later))["action"]["status"] == "in_progress"


BLOCKED = """query ($blocked: Boolean, $goal: ID, $order: PendingActionOrder!) {
  pendingActions(filter: {blocked: $blocked, goalId: $goal}, orderBy: $order) {
    totalCount nodes { title isBlocked } } }"""
OFFERED = """mutation ($input: StartTurnInput!) { it: startTurn(input: $input) {
  ... on StartTurnPayload { agentActions { title } userActions { title } } } }"""


@pytest.mark.nightly("test_action_gates and test_turns_start show what is blocked and what is offered")
@pytest.mark.covers("ACT-34", "ACT-36", "ACT-48", "ACT-51")
async def test_what_is_blocked_or_ended_is_listed_as_such_and_not_offered(api: Api) -> None:
    space = await shared(api)

    async def goal(title: str, status: str | None, *types: str) -> str:
        uid = (await call(api, "createGoal", title=title, space=space))["goal"]["id"]
        for kind in types:
            await in_space(api, space, type=kind, goalId=uid, title=f"{title} {kind}")
        if status is not None:
            await api.client().run(problem_mutation("transitionGoal"), input={"id": uid, "status": status})
        return str(uid)

    free = await goal("free", None, "agent_task", "user_task")
    waits = await goal("waits", None, "agent_task", "user_task", "approval_request")
    await goal("stuck", "BLOCKED", "agent_task", "user_task", "blocker")
    for status in ("COMPLETED", "CANCELLED", "ARCHIVED"):
        await goal(status, status, "agent_task", "user_task", "blocker")
    await in_space(api, space, type="agent_task", title="alone")
    client = api.client()

    async def listed(blocked: bool | None, goal: str | None, order: str) -> dict[str, bool]:
        page = (await client.run(BLOCKED, blocked=blocked, goal=goal, order=order))["pendingActions"]
        assert page["totalCount"] == len(page["nodes"])
        return {node["title"]: node["isBlocked"] for node in page["nodes"]}

    open_ones = {
        "alone",
        "free agent_task",
        "free user_task",
        "waits approval_request",
        "stuck blocker",
    }
    held = {f"{title} {kind}" for title in ("waits", "stuck") for kind in ("agent_task", "user_task")}
    held |= {
        f"{title} {kind}"
        for title in ("COMPLETED", "CANCELLED", "ARCHIVED")
        for kind in ("agent_task", "user_task", "blocker")
    }
    for order in ("UTILITY", "DUE_AT"):
        assert await listed(None, None, order) == dict.fromkeys(open_ones, False) | dict.fromkeys(held, True)
        assert set(await listed(False, None, order)) == open_ones
        assert set(await listed(True, None, order)) == held
        assert set(await listed(True, waits, order)) == {"waits agent_task", "waits user_task"}
        assert set(await listed(False, waits, order)) == {"waits approval_request"}
        assert set(await listed(True, free, order)) == set()
    found = (await client.run(OFFERED, input={"turnId": "t"}))["it"]
    assert {each["title"] for each in found["agentActions"]} == {
        "alone",
        "free agent_task",
        "stuck blocker",
    }
    assert {each["title"] for each in found["userActions"]} == {"free user_task", "waits approval_request"}
    goals = await client.run("{ goals { nodes { title isBlocked } } }")
    assert {each["title"]: each["isBlocked"] for each in goals["goals"]["nodes"]} == {
        "free": False,
        "waits": True,
        "stuck": True,
    }

    # Done by the person, it holds nothing back any more.
    (approval,) = [n for n in await api.world.rows(FACTS) if n["type"] == "approval_request"]
    await call(api, "confirmPendingAction", ANN, id=approval["uid"])
    await call(api, "completePendingAction", ANN, id=approval["uid"])
    assert await listed(True, waits, "UTILITY") == {}
