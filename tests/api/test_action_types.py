"""The registry as clients see it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.watch import RegistryWatch
from tests.api.conftest import Api, in_process
from tests.support.world import with_long_queries

NIGHTLY = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

ALL = """query ($filter: ActionTypeFilterInput) { actionTypes(filter: $filter) {
  id displayName description allowedOwners allowedStatuses allowedTransitions { status to }
  defaultPolicies { requiresConfirmation autoComplete blocking escalation { after policy } }
  policyHandlers { escalation completionGuard } deprecationStatus replacedBy { id } note blockNew
  rolloutFlag usable } }"""


async def types(api: Api, **given: Any) -> list[dict[str, Any]]:
    data = await api.client(roles=("reader",)).run(ALL, filter=given or None)
    found: list[dict[str, Any]] = data["actionTypes"]
    return found


USAGE = """query ($since: DateTime) { actionTypes { id
  usage(since: $since) { created open completed cancelled failed completionRate errorRate overdue }
  ever: usage { created } } }"""


@pytest.mark.covers("OPS-12..15")
@NIGHTLY
async def test_each_type_tells_how_it_is_used_with_two_statements_for_all_types(api: Api) -> None:
    mutation = """mutation ($kind: String!, $due: DateTime) {
      upsertPendingActions(input: {actions: [{title: "t", type: $kind, dueAt: $due}]}) {
        ... on UpsertPendingActionsPayload { results { action { id } } } } }"""
    client, now = api.client(), api.world.clock.now
    await client.run(mutation, kind="reminder", due=None)
    api.world.clock.advance(minutes=1)
    since = now().isoformat()
    await client.run(mutation, kind="reminder", due=since)
    api.world.clock.advance(minutes=1)
    statements = api.world.statements
    statements.names.clear()

    found = {each["id"]: each for each in (await client.run(USAGE, since=since))["actionTypes"]}

    assert statements.names.count("actions/count_actions_by_type") == 2
    assert found["reminder"] == {
        "id": "reminder",
        "usage": {
            "created": 1,
            "open": 1,
            "completed": 0,
            "cancelled": 0,
            "failed": 0,
            "completionRate": 0.0,
            "errorRate": 0.0,
            "overdue": 1,
        },
        "ever": {"created": 2},
    }
    others = [each for name, each in found.items() if name != "reminder"]
    assert {(each["usage"]["created"], each["ever"]["created"]) for each in others} == {(0, 0)}
    assert {each["usage"]["errorRate"] for each in others} == {None}


@pytest.mark.covers("REG-14")
async def test_every_type_is_listed_with_all_its_fields(api: Api) -> None:
    found = await types(api)

    known = load_action_types(ROOT / "registry")
    assert [each["id"] for each in found] == sorted(known)
    for each in found:
        kind = known[each["id"]]
        assert (each["displayName"], each["description"]) == (kind.display_name, kind.description)
        assert [owner.lower() for owner in each["allowedOwners"]] == list(kind.allowed_owners)
        assert each["allowedStatuses"] == list(kind.allowed_statuses)
        ways = {way["status"]: tuple(way["to"]) for way in each["allowedTransitions"]}
        assert ways == {status: kind.ways_from(status) for status in kind.allowed_statuses}
        assert each["usable"] is True
    (reminder,) = [each for each in found if each["id"] == "reminder"]
    assert reminder["defaultPolicies"] == {
        "requiresConfirmation": False,
        "autoComplete": False,
        "blocking": False,
        "escalation": {"after": "PT0S", "policy": "NOTIFY"},
    }
    assert reminder["policyHandlers"] == {"escalation": "NOTIFY", "completionGuard": None}


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"ids": ["decision", "odd"]}, ["decision"]),
        ({"owner": "USER", "ids": ["research", "blocker"]}, ["blocker"]),
        ({"deprecationStatus": "DEPRECATED"}, []),
        ({"usable": False}, []),
        ({"usable": True, "ids": ["blocker"]}, ["blocker"]),
    ],
)
@NIGHTLY
async def test_types_are_filtered(api: Api, given: dict[str, Any], ids: list[str]) -> None:
    assert [each["id"] for each in await types(api, **given)] == ids


MAKE = """mutation ($actions: [PendingActionInput!]!) { createGoal(input: {
  title: "g", pendingActions: $actions}) {
  ... on CreateGoalPayload { goal { actions { nodes { type originalType owner requiresConfirmation } } } }
  ... on Problem { code field message } } }"""


@pytest.fixture
async def own(api: Api, tmp_path: Path) -> Api:
    """The same organisation behind a server with a registry of the test's own."""
    folder = shutil.copytree(ROOT / "registry", tmp_path / "registry")
    services = api.world.services
    settings = services.settings.model_copy(update={"registry_dir": folder, "registry_name": api.world.org})
    mine = with_long_queries(build_services(settings, services.database.driver, clock=api.world.clock))
    return replace(api, http=in_process(mine, api.tokens), world=replace(api.world, services=mine))


def change(api: Api, name: str, old: str, new: str) -> None:
    folder = api.world.services.settings.registry_dir
    path = folder / "action_types" / "research.yaml"
    text = path.read_text()
    assert text.count(old) == 1
    (folder / "action_types" / f"{name}.yaml").write_text(text.replace(old, new))


async def new_action(api: Api, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = (await api.client().run(MAKE, actions=[{"type": kind, "title": "t"}]))[
        "createGoal"
    ]
    return found["goal"]["actions"]["nodes"][0] if "goal" in found else found


@pytest.mark.covers("REG-27", "REG-31")
@NIGHTLY
async def test_the_registry_changes_while_the_server_runs(own: Api) -> None:
    watch: RegistryWatch = own.world.services.registry.watch
    coerced = {"type": "user_task", "originalType": "survey", "owner": "USER", "requiresConfirmation": True}
    assert await new_action(own, "survey") == coerced

    change(own, "survey", "id: research", "id: survey")
    assert watch.look()
    plain = {"type": "survey", "originalType": None, "owner": "AGENT", "requiresConfirmation": False}
    assert await new_action(own, "survey") == plain

    change(own, "survey", "id: research", "id: survey\nrollout_flag: beta")
    assert watch.look()
    assert [each["id"] for each in await types(own, usable=False)] == ["survey"]

    change(
        own,
        "survey",
        "id: research",
        "id: survey\ndeprecation_status: deprecated\nblock_new: true\nnote: No.",
    )
    assert watch.look()
    refused = await new_action(own, "survey")
    assert refused == {
        "code": "invalid",
        "field": "pendingActions[0].type",
        "message": "survey takes no new actions: No.",
    }
    (listed,) = await types(own, deprecationStatus="DEPRECATED")
    assert (listed["id"], listed["blockNew"], listed["note"], listed["usable"]) == (
        "survey",
        True,
        "No.",
        False,
    )

    change(own, "survey", "id: research", "id: odd")
    assert not watch.look()
    ready = (await own.http.get("/readyz")).json()
    assert ready["ready"] is True
    assert "odd is not the file's name survey" in ready["registry"]
    metrics = (await own.http.get("/metrics")).text
    assert "prefrontal_registry_refused 1.0" in metrics
    assert 'prefrontal_registry_loads_total{outcome="loaded"} 3.0' in metrics
    assert (await new_action(own, "survey"))["code"] == "invalid"
