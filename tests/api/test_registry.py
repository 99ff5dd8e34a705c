"""Action types that an organisation registers while the server runs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from tests.api.conftest import Api, in_process
from tests.api.test_action_types import MAKE, change, own
from tests.api.test_actions import call, listed, new_action

NIGHTLY = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

__all__ = ["own"]

TYPE = """{ id displayName allowedStatuses deprecationStatus replacedBy { id } note blockNew usable
  source version since
  formerStatuses { status now }
  overrides { id displayName source } }"""
OVERRIDE = f"""{{ id typeId space {{ id }} version since inForce {TYPE} draft {TYPE} createdBy {{ id }} }}"""
ALL = f"query ($ids: [ID!]) {{ actionTypes(filter: {{ids: $ids}}) {TYPE} }}"
OWN = f"{{ actionTypeOverrides {{ totalCount nodes {OVERRIDE} }} }}"
MAINTAINER = {"roles": ("maintainer",)}
PROBLEM = "... on Problem { code message field problems { field message } }"


def definition(name: str = "survey", **given: Any) -> dict[str, Any]:
    """A type with a status of its own, `sent`."""
    return {
        "id": name,
        "displayName": "Survey",
        "allowedOwners": ["AGENT", "USER"],
        "allowedStatuses": ["pending", "sent", "completed", "cancelled"],
        "allowedTransitions": [
            {"status": "pending", "to": ["sent", "cancelled"]},
            {"status": "sent", "to": ["completed", "cancelled"]},
        ],
        **given,
    }


async def put(api: Api, name: str, who: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    kind = name[0].upper() + name[1:]
    warnings = "warnings { code message policies }" if name.startswith("deprecate") else ""
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) "
        f"{{ ... on {kind}Payload {{ override {OVERRIDE} actionType {TYPE} {warnings} }} {PROBLEM} }} }}"
    )
    who = MAINTAINER if who is None else who
    found: dict[str, Any] = (await api.client(**who).run(query, input=given))[name]
    return found


async def registered(api: Api, name: str = "survey", **given: Any) -> dict[str, Any]:
    extra = {k: given.pop(k) for k in ("expectedVersion", "idempotencyKey", "turnId") if k in given}
    approved = given.pop("approved", True)
    done = await put(
        api, "registerActionType", definition=definition(name, **given), approved=approved, **extra
    )
    assert "override" in done, done
    return done


async def types(api: Api, *ids: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.client().run(ALL, ids=list(ids) or None))["actionTypes"]
    return found


@pytest.mark.covers("REG-15", "REG-27..29")
async def test_a_type_lives_that_was_only_registered(api: Api) -> None:
    draft = await registered(api, approved=False)
    assert draft["actionType"] is None
    assert (draft["override"]["version"], draft["override"]["inForce"]) == (1, None)
    assert draft["override"]["draft"]["usable"] is False
    assert await types(api, "survey") == []
    assert (await new_action(api, type="survey", title="Too early"))["originalType"] == "survey"

    done = await registered(api)
    kind = done["actionType"]
    assert (kind["source"], kind["version"], kind["overrides"], kind["usable"]) == ("OVERRIDE", 2, None, True)
    assert (done["override"]["draft"], done["override"]["inForce"]) == (None, kind)
    assert await types(api, "survey") == [kind]

    action = await new_action(api, type="survey", title="Ask them", priority="high")
    assert (action["type"], action["originalType"]) == ("survey", None)
    assert (action["owner"], action["status"]) == ("AGENT", "pending")
    assert await listed(api, type=["survey"]) == ["Ask them"]
    assert (await call(api, "completePendingAction", id=action["id"]))["code"] == "illegal_transition"
    for status in ("sent", "completed"):
        moved = await call(api, "transitionPendingAction", id=action["id"], status=status)
        assert moved["action"]["status"] == status
    assert await listed(api, type=["survey"]) == []


@pytest.mark.covers("REG-29")
@NIGHTLY
async def test_a_draft_beside_what_is_in_force_changes_nothing(api: Api) -> None:
    await registered(api)

    done = await registered(api, displayName="Poll", approved=False)

    override = done["override"]
    assert (override["version"], override["inForce"]["displayName"]) == (2, "Survey")
    assert override["draft"]["displayName"] == "Poll"
    (kind,) = await types(api, "survey")
    assert (kind["displayName"], kind["version"]) == ("Survey", 2)
    assert (await api.client().run(OWN))["actionTypeOverrides"] == {"totalCount": 1, "nodes": [override]}
    taken_back = await registered(api, approved=False)
    assert (taken_back["override"]["version"], taken_back["override"]["draft"]) == (3, None)


@pytest.mark.covers("REG-15", "VER-04")
@NIGHTLY
async def test_each_change_is_a_version_with_its_journal_and_nothing_is_one_without_a_change(
    api: Api,
) -> None:
    first = await registered(api, idempotencyKey="k", turnId="turn-1")
    api.world.clock.advance(minutes=1)
    assert await registered(api, idempotencyKey="k", turnId="turn-1") == first
    same = await registered(api)
    assert same["override"]["version"] == 1
    changed = await registered(api, displayName="Poll", expectedVersion=1)
    assert (changed["override"]["version"], changed["override"]["id"]) == (2, first["override"]["id"])

    rows = await api.world.rows(
        "MATCH (v:Version {org_id: $org})-[:OF]->(t:ActionType) OPTIONAL MATCH (turn:Turn {uid: v.turn_uid}) "
        "RETURN v.number AS number, v.changes AS changes, turn.key AS turn, t.version AS version, "
        "v.scope_id = t.scope_id AS together ORDER BY number"
    )
    assert [(r["number"], r["turn"], r["version"], r["together"]) for r in rows] == [
        (1, "turn-1", 2, True),
        (2, None, 2, True),
    ]
    assert json.loads(rows[1]["changes"]).keys() == {"definition"}
    assert json.loads(rows[1]["changes"])["definition"]["display_name"] == "Poll"
    events = await api.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.type STARTS WITH 'action_type' "
        "RETURN e.type AS type, e.aggregate_version AS version, e.data AS data ORDER BY version"
    )
    assert [(e["type"], e["version"], json.loads(e["data"])) for e in events] == [
        ("action_type.registered", number, {"type_id": "survey", "approved": True}) for number in (1, 2)
    ]
    (revision,) = await api.world.rows("MATCH (o:Organisation {uid: $org}) RETURN o.registry_revision AS at")
    assert revision["at"] == 2


@pytest.mark.covers("REG-15", "REG-31")
@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"name": "Survey"}, "id", "beginning with a letter"),
        (
            {"allowedTransitions": [{"status": "pending", "to": []}, {"status": "pending", "to": []}]},
            "allowedTransitions[1].status",
            "given twice",
        ),
        ({"description": "x" * 10001}, "description", "at most 10000"),
        (
            {"defaultPolicies": {"escalation": {"after": "soon"}}},
            "defaultPolicies.escalation.after",
            "must be a duration, e.g. PT30M",
        ),
        (
            {"formerStatuses": [{"status": "sent", "now": "pending"}]},
            "formerStatuses",
            "is closed or still in allowedStatuses",
        ),
        (
            {"formerStatuses": [{"status": "gone", "now": "completed"}]},
            "formerStatuses",
            "is not an open status",
        ),
        ({"name": "user_task", "allowedOwners": ["AGENT"]}, "id", "allow a user as owner"),
        ({"name": "user_task", "rolloutFlag": "beta"}, "id", "must stay active"),
    ],
)
@NIGHTLY
async def test_a_wrong_definition_names_its_field_and_writes_nothing(
    api: Api, given: dict[str, Any], field: str, said: str
) -> None:
    await api.client(**MAINTAINER).run("{ me { orgId } }")
    before = await api.world.counts()

    problem = await put(
        api, "registerActionType", definition=definition(given.pop("name", "survey"), **given), approved=True
    )

    assert (problem["code"], problem["field"]) in (
        ("invalid", f"definition.{field}"),
        ("too_large", f"definition.{field}"),
    )
    assert said in problem["message"]
    assert await api.world.counts() == before


@pytest.mark.covers("REG-16..19")
async def test_a_deprecated_type_refuses_new_actions_and_names_its_successor(api: Api) -> None:
    old = await new_action(api, type="research", title="Begun")

    done = await put(
        api,
        "deprecateActionType",
        id="research",
        replacedBy="agent_task",
        note="Ask the agent.",
        blockNew=True,
    )

    kind = done["actionType"]
    assert (kind["deprecationStatus"], kind["replacedBy"], kind["note"], kind["usable"]) == (
        "DEPRECATED",
        {"id": "agent_task"},
        "Ask the agent.",
        False,
    )
    assert (kind["source"], kind["version"], kind["overrides"]["source"]) == ("OVERRIDE", 1, "FILE")
    assert [each["id"] for each in await types(api, "research")] == ["research"]
    refused = await call(api, "upsertPendingActions", actions=[{"type": "research", "title": "t"}])
    assert refused["results"][0]["problem"]["message"] == (
        "research takes no new actions; use agent_task: Ask the agent."
    )
    in_goal = (await api.client().run(MAKE, actions=[{"type": "research", "title": "t"}]))["createGoal"]
    assert (in_goal["code"], in_goal["field"]) == ("invalid", "pendingActions[0].type")
    moved = await call(api, "transitionPendingAction", id=old["id"], status="in_progress")
    assert moved["action"]["type"] == "research"

    handed = await put(
        api, "deprecateActionType", id="research", replacedBy="agent_task", blockNew=False, expectedVersion=1
    )
    assert handed["override"]["version"] == 2
    assert (await new_action(api, type="research"))["type"] == "agent_task"
    assert handed["actionType"]["note"] == "Ask the agent."

    blocked = (await put(api, "deprecateActionType", id="research", blockNew=True))["actionType"]
    assert (blocked["replacedBy"], blocked["note"]) == ({"id": "agent_task"}, "Ask the agent.")


REMOVE = """mutation ($input: WithdrawActionTypeOverrideInput!) { withdrawActionTypeOverride(input: $input) {
  ... on WithdrawActionTypeOverridePayload { actionType { displayName source } }
  ... on Problem { code field } } }"""


@pytest.mark.covers("REG-15", "REG-20")
@NIGHTLY
async def test_an_override_is_removed_and_the_file_is_in_force_again(api: Api) -> None:
    async def remove(name: str, who: dict[str, Any] = MAINTAINER, **given: Any) -> dict[str, Any]:
        done = await api.client(**who).run(REMOVE, input={"id": name, **given})
        found: dict[str, Any] = done["withdrawActionTypeOverride"]
        return found

    await registered(api, "research", displayName="Our research")
    action = await new_action(api, type="research", title="t")
    await call(api, "transitionPendingAction", id=action["id"], status="sent")
    assert await remove("research", {"roles": ("writer",)}) == {"code": "forbidden", "field": None}
    assert await remove("reminder") == {"code": "not_found", "field": "id"}
    assert await remove("research", expectedVersion=2) == {
        "code": "version_conflict",
        "field": "expectedVersion",
    }
    # The file's type has no status `sent`.
    assert await remove("research") == {"code": "invalid", "field": "id"}
    await call(api, "transitionPendingAction", id=action["id"], status="cancelled")

    gone = await remove("research", expectedVersion=1)

    assert gone == {"actionType": {"displayName": "Research", "source": "FILE"}}
    assert (await api.client().run(OWN))["actionTypeOverrides"] == {"totalCount": 0, "nodes": []}
    assert (await new_action(api, type="research", title="t"))["status"] == "pending"
    assert await remove("research") == {"code": "not_found", "field": "id"}
    # A type that no file has is deprecated; its draft alone can go.
    await registered(api, "survey")
    assert await remove("survey") == {"code": "invalid", "field": "id"}
    await registered(api, "poll", approved=False)
    assert await remove("poll") == {"actionType": None}
    back = await registered(api, "research")
    assert (back["override"]["version"], back["override"]["createdBy"]) == (3, back["override"]["createdBy"])
    rows = await api.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'action_type.override_removed'}) "
        "RETURN e.data AS data, e.aggregate_version AS version ORDER BY e.uid"
    )
    assert [(json.loads(row["data"]), row["version"]) for row in rows] == [
        ({"type_id": "research"}, 2),
        ({"type_id": "poll"}, 2),
    ]


@pytest.mark.covers("REG-18", "REG-19")
@NIGHTLY
async def test_a_deprecation_says_what_it_does_and_keeps_what_was_asked_for(api: Api) -> None:
    alone = await put(api, "deprecateActionType", id="research", note="Ask.")
    assert alone["actionType"]["blockNew"] is False
    assert alone["warnings"] == [
        {
            "code": "type_deprecated",
            "message": "new actions still get the type research, each with a warning; blockNew refuses them",
            "policies": [],
        }
    ]
    done = await put(api, "deprecateActionType", id="approval_request", replacedBy="agent_task")
    lost = ["requiresConfirmation", "blocking", "completionGuard"]
    policies = f"which does not have the policies {', '.join(lost)} of approval_request"
    assert done["warnings"] == [
        {"code": "type_replaced", "message": f"new actions become agent_task, {policies}", "policies": lost}
    ]
    actions = [{"title": "t", "type": name} for name in ("research", "approval_request", "reminder")]
    each = "type originalType"
    upsert = f"""mutation ($actions: [PendingActionUpsertInput!]!) {{ upsertPendingActions(input: {{
      actions: $actions, turnId: "turn-1", idempotencyKey: "k"}}) {{ ... on UpsertPendingActionsPayload {{
      results {{ action {{ {each} }} warnings {{ code message field policies }} }} }} }} }}"""
    (old, new, other) = (await api.client().run(upsert, actions=actions))["upsertPendingActions"]["results"]
    assert old["action"] == {"type": "research", "originalType": None}
    warned = {"code": "type_deprecated", "message": "research is deprecated: Ask.", "policies": []}
    assert old["warnings"] == [warned | {"field": "actions[0].type"}]
    assert new["action"] == {"type": "agent_task", "originalType": "approval_request"}
    replaced = {
        "code": "type_replaced",
        "message": "approval_request is deprecated; the action became an agent_task; it does not have the "
        f"policies {', '.join(lost)} of approval_request",
        "policies": lost,
    }
    assert new["warnings"] == [replaced | {"field": "actions[1].type"}]
    assert (other["action"]["originalType"], other["warnings"]) == (None, [])
    # A repeated request gets the same answer.
    again = (await api.client().run(upsert, actions=actions))["upsertPendingActions"]["results"]
    assert again == [old, new, other]

    api.world.clock.advance(minutes=1)
    create = f"""mutation ($actions: [PendingActionInput!]!) {{ createGoal(input: {{title: "g",
      turnId: "turn-2", pendingActions: $actions}}) {{ ... on CreateGoalPayload {{
      goal {{ actions {{ nodes {{ {each} }} }} }} warnings {{ code message field policies }} }} }} }}"""
    made_goal = (await api.client().run(create, actions=actions))["createGoal"]
    assert made_goal["warnings"] == [
        warned | {"field": "pendingActions[0].type"},
        replaced | {"field": "pendingActions[1].type"},
    ]
    rows = await api.world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: 'action_type_replaced'})<-[:LOGGED]-(t:Turn) "
        "RETURN t.key AS turn, e.details AS details ORDER BY turn"
    )
    details = {"type": "agent_task", "asked": "approval_request", "lost": lost}
    assert [(row["turn"], json.loads(row["details"])) for row in rows] == [
        ("turn-1", details),
        ("turn-2", details),
    ]


@pytest.mark.covers("REG-16", "REG-17")
@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"id": "nothing"}, "not_found", "id"),
        ({"id": "research", "replacedBy": "nothing"}, "invalid", "replacedBy"),
        ({"id": "research", "replacedBy": "research"}, "invalid", "replacedBy"),
        ({"id": "user_task"}, "invalid", "id"),
        ({"id": "research", "expectedVersion": 1}, "version_conflict", "expectedVersion"),
    ],
)
@NIGHTLY
async def test_what_cannot_be_deprecated_stays(
    api: Api, given: dict[str, Any], code: str, field: str
) -> None:
    await api.client(**MAINTAINER).run("{ me { orgId } }")
    before = await api.world.counts()

    problem = await put(api, "deprecateActionType", **given)

    assert (problem["code"], problem["field"]) == (code, field)
    assert await api.world.counts() == before
    mutations = await api.client().run('{ __type(name: "Mutation") { fields { name } } }')
    names = [field["name"] for field in mutations["__type"]["fields"]]
    assert not [name for name in names if "ActionType" in name and ("delete" in name or "remove" in name)]


@pytest.mark.covers("REG-18")
@NIGHTLY
async def test_a_deprecated_type_is_active_again_when_it_is_registered_again(api: Api) -> None:
    await registered(api)
    await put(api, "deprecateActionType", id="survey", replacedBy="research")

    done = await registered(api)

    assert (done["override"]["version"], done["actionType"]["deprecationStatus"]) == (3, "ACTIVE")
    assert done["actionType"]["usable"] is True


@pytest.mark.covers("REG-20")
@NIGHTLY
async def test_a_status_that_open_actions_have_is_not_lost_without_saying_what_it_becomes(api: Api) -> None:
    await registered(api)
    action = await new_action(api, type="survey")
    await call(api, "transitionPendingAction", id=action["id"], status="sent")
    before = await api.world.counts()
    less = {
        "allowedStatuses": ["pending", "asked", "completed"],
        "allowedTransitions": [
            {"status": "pending", "to": ["asked"]},
            {"status": "asked", "to": ["completed"]},
        ],
    }

    refused = await put(api, "registerActionType", definition=definition(**less), approved=True)
    assert (refused["code"], refused["field"]) == ("invalid", "definition.formerStatuses")
    assert "1 in sent" in refused["message"]
    assert await api.world.counts() == before
    draft = await registered(api, **less, approved=False)
    assert draft["override"]["version"] == 2

    await registered(api, **less, formerStatuses=[{"status": "sent", "now": "asked"}])
    kept = {**less, "displayName": "Poll"}
    assert (await put(api, "registerActionType", definition=definition(**kept), approved=True))["field"] == (
        "definition.formerStatuses"
    )
    named = await call(api, "transitionPendingAction", id=action["id"], status="asked")
    assert named["action"]["status"] == "asked"
    done = await call(api, "transitionPendingAction", id=action["id"], status="completed")
    assert done["action"]["status"] == "completed"
    assert (await registered(api, **kept))["override"]["version"] == 4


@NIGHTLY
async def test_another_process_sees_it_with_its_next_request(api: Api) -> None:
    services = build_services(
        api.world.services.settings, api.world.services.database.driver, clock=api.world.clock
    )
    elsewhere = replace(api, http=in_process(services, api.tokens))
    assert await types(elsewhere, "survey") == []

    await registered(api)
    assert [kind["version"] for kind in await types(elsewhere, "survey")] == [1]
    await registered(elsewhere, displayName="Poll")
    assert [kind["displayName"] for kind in await types(api, "survey")] == ["Poll"]


@NIGHTLY
async def test_who_asks_nothing_of_the_registry_pays_one_statement_once(api: Api) -> None:
    await registered(api)
    services = build_services(
        api.world.services.settings,
        api.world.services.database.driver,
        clock=api.world.clock,
        observers=[api.world.statements],
    )
    elsewhere = replace(api, http=in_process(services, api.tokens))
    api.world.statements.clear()

    for _ in range(2):
        await types(elsewhere)

    assert api.world.statements.names == [
        "access/find_caller",
        "registry/list_overrides",
        "access/find_caller",
    ]


@pytest.mark.covers("REG-15")
@NIGHTLY
async def test_two_registrations_at_once_are_one_version_each(api: Api) -> None:
    await api.client(**MAINTAINER).run("{ me { orgId } }")

    done = await asyncio.gather(*(registered(api, displayName=f"Survey {n}") for n in range(4)))

    assert sorted(each["override"]["version"] for each in done) != [1, 1, 1, 1]
    rows = await api.world.rows(
        "MATCH (v:Version)-[:OF]->(t:ActionType {org_id: $org}) WITH t, v ORDER BY v.number "
        "RETURN t.version AS version, t.revision AS revision, collect(v.number) AS versions"
    )
    assert rows == [{"version": 4, "revision": 4, "versions": [1, 2, 3, 4]}]
    expecting = [
        put(
            api,
            "registerActionType",
            definition=definition(displayName=f"Poll {n}"),
            approved=True,
            expectedVersion=4,
        )
        for n in range(4)
    ]
    codes = [each.get("code") for each in await asyncio.gather(*expecting)]
    assert sorted(code or "" for code in codes) == ["", *["version_conflict"] * 3]
    (row,) = await api.world.rows(
        "MATCH (t:ActionType {org_id: $org}) "
        "RETURN t.version AS version, COUNT { (:Version)-[:OF]->(t) } AS all"
    )
    assert row == {"version": 5, "all": 5}


@pytest.mark.covers("REG-33")
@NIGHTLY
async def test_a_type_is_unknown_in_the_turn_in_which_it_came_into_force(own: Api) -> None:
    for turn in ("turn-1", "turn-2"):
        done = await call(own, "upsertPendingActions", actions=[{"title": "t"}], turnId=turn)
        assert done["ok"]
    own.world.clock.advance(minutes=1)
    await registered(own, turnId="turn-2")
    change(own, "audit", "id: research", "id: audit")
    assert own.world.services.registry.watch.look()

    async def kinds(turn: str | None) -> list[str]:
        entries = [{"title": "t", "type": name} for name in ("survey", "audit", "research")]
        done = await call(own, "upsertPendingActions", actions=entries, turnId=turn)
        return [result["action"]["type"] for result in done["results"]]

    for turn in ("turn-1", "turn-2"):
        assert await kinds(turn) == ["user_task", "user_task", "research"]
    await registered(own, "poll", turnId="turn-new")
    done = await call(
        own, "upsertPendingActions", actions=[{"title": "t", "type": "poll"}], turnId="turn-new"
    )
    assert done["results"][0]["action"]["type"] == "user_task"
    own.world.clock.advance(minutes=1)
    for turn in ("turn-3", "turn-3", None):
        assert await kinds(turn) == ["survey", "audit", "research"]


async def with_type(api: Api, name: str, turn: str) -> dict[str, Any]:
    """What becomes of an action of a type in a turn."""
    done = await call(api, "upsertPendingActions", actions=[{"title": "t", "type": name}], turnId=turn)
    (result,) = done["results"]
    found: dict[str, Any] = result["action"] or result["problem"]
    return found
