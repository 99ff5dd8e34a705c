"""What a restart does to the action types of files: nothing is stranded, and nothing happens in mid-turn."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from prefrontal.api.app import follow_registry
from prefrontal.api.cli.registry_against import require_nothing_removed
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import load_action_types
from tests.api.conftest import Api, in_process
from tests.api.test_actions import call
from tests.api.test_registry import MAINTAINER, put, registered, with_type
from tests.support.first_format import first_text
from tests.support.world import with_long_queries

pytestmark = pytest.mark.nightly(
    "the registry's rules: tests/graph/test_registry_*.py; each mutation over HTTP: the walks"
)

GONE = "a type in force can be deprecated, but not removed or made a draft"

TYPES = """query ($ids: [ID!]) { actionTypes(filter: {ids: $ids}) {
  id usable retired version since retiredStatuses { status to } } }"""


@pytest.fixture
async def first(api: Api, tmp_path: Path) -> Api:
    """A server that has just started, with a registry of the test's own: `survey` has a status of its own."""
    folder = shutil.copytree(ROOT / "registry", tmp_path / "registry")
    file(folder, "survey").write_text(survey())
    return await restarted(api, folder)


def file(folder: Path, name: str) -> Path:
    return folder / "action_types" / f"{name}.yaml"


def survey(**given: str) -> str:
    text = (
        first_text("research").replace("id: research", "id: survey").replace("awaiting_confirmation", "sent")
    )
    for old, new in given.items():
        assert old in text
        text = text.replace(old, new)
    return text


async def restarted(api: Api, folder: Path | None = None) -> Api:
    """The same organisation behind a server that starts now."""
    services = api.world.services
    given = {"registry_dir": folder or services.settings.registry_dir, "registry_name": api.world.org}
    settings = services.settings.model_copy(update=given)
    mine = with_long_queries(build_services(settings, services.database.driver, clock=api.world.clock))
    await follow_registry(mine, again=True)
    return replace(api, http=in_process(mine, api.tokens), world=replace(api.world, services=mine))


async def types(api: Api, *ids: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.client().run(TYPES, ids=list(ids)))["actionTypes"]
    return found


async def ready(api: Api) -> dict[str, Any]:
    found: dict[str, Any] = (await api.http.get("/readyz")).json()
    return found


async def kept(api: Api, type_id: str) -> list[tuple[int, str]]:
    rows = await api.world.rows(
        "MATCH (d:TypeDefinition {registry: $name, type_id: $id}) "
        "RETURN d.number AS number, d.state AS state ORDER BY number",
        name=api.world.org,
        id=type_id,
    )
    return [(row["number"], row["state"]) for row in rows]


async def moved(api: Api, uid: str, status: str) -> Any:
    done = await call(api, "transitionPendingAction", id=uid, status=status)
    return done["action"]["status"] if "action" in done else (done["code"], done["field"])


@pytest.mark.alone
@pytest.mark.covers("REG-17")
async def test_actions_of_a_type_whose_file_is_gone_at_a_start_are_moved_and_completed(first: Api) -> None:
    done, going = [await with_type(first, "survey", "turn-1") for _ in range(2)]
    assert await ready(first) == {"ready": True, "schema": len(first.world.services.migrations)}
    first.world.clock.advance(minutes=1)
    file(first.world.services.settings.registry_dir, "survey").unlink()

    second = await restarted(first)

    (said,) = (await ready(second))["degraded"]
    assert said == (
        "survey: the file of the type is gone, and 2 open actions have it. They can be moved and completed, "
        "new ones are refused. Restore action_types/survey.yaml and deprecate the type there, or give the "
        "actions another type: prefrontal registry migrate survey NEW --org KEY"
    )
    (kind,) = await types(second, "survey")
    assert (kind["usable"], kind["retired"], kind["version"]) == (False, True, 2)
    refused = await with_type(second, "survey", "turn-2")
    assert (refused["code"], refused["field"]) == ("invalid", "actions[0].type")
    assert [await moved(second, done["id"], to) for to in ("in_progress", "completed")] == [
        "in_progress",
        "completed",
    ]
    assert await moved(second, going["id"], "cancelled") == "cancelled"
    second.world.clock.advance(minutes=1)
    await follow_registry(second.world.services)
    assert "degraded" not in await ready(second)

    # A third start finds nothing new, and the type comes back with its file.
    third = await restarted(second)
    assert await kept(third, "survey") == [(1, "in_force"), (2, "retired")]
    file(first.world.services.settings.registry_dir, "survey").write_text(survey())
    third.world.clock.advance(minutes=1)
    fourth = await restarted(third)
    (kind,) = await types(fourth, "survey")
    assert (kind["usable"], kind["retired"], kind["version"]) == (True, False, 3)


@pytest.mark.covers("REG-20")
async def test_actions_in_a_status_that_a_file_dropped_can_leave_it(first: Api) -> None:
    action = await with_type(first, "survey", "turn-1")
    other = await with_type(first, "survey", "turn-1")
    for each in (action, other):
        for status in ("in_progress", "sent"):
            assert await moved(first, each["id"], status) == status
    first.world.clock.advance(minutes=1)
    file(first.world.services.settings.registry_dir, "survey").write_text(survey(sent="asked"))

    second = await restarted(first)

    (said,) = (await ready(second))["degraded"]
    assert said == (
        "survey: the status sent is gone, and 2 open actions have it. They can leave it, none can enter it. "
        "Name its successor under former_statuses in action_types/survey.yaml"
    )
    (kind,) = await types(second, "survey")
    assert kind["retiredStatuses"] == [
        {"status": "sent", "to": ["in_progress", "blocked", "completed", "cancelled"]}
    ]
    fresh = await with_type(second, "survey", "turn-2")
    assert await moved(second, fresh["id"], "in_progress") == "in_progress"
    assert await moved(second, fresh["id"], "sent") == ("invalid", "status")
    assert await moved(second, action["id"], "completed") == "completed"
    # The organisation's own type does not strand the other one.
    done = await put(second, "deprecateActionType", id="survey")
    assert "override" in done, done
    assert await moved(second, other["id"], "in_progress") == "in_progress"


@pytest.mark.covers("REG-17", "REG-33", "VER-05")
async def test_a_change_of_files_is_a_version_that_processes_agree_on_and_that_the_audit_log_shows(
    first: Api,
) -> None:
    assert await kept(first, "survey") == [(1, "in_force")]
    first.world.clock.advance(minutes=1)
    folder = first.world.services.settings.registry_dir
    file(folder, "survey").write_text(survey(Research="Survey"))
    settings = folder / "actions.yaml"
    settings.write_text(settings.read_text().replace("rollout_flags: []", "rollout_flags: [beta]"))

    servers = await asyncio.gather(*(restarted(first) for _ in range(4)))

    assert await kept(first, "survey") == [(1, "in_force"), (2, "in_force")]
    assert {(await types(each, "survey"))[0]["version"] for each in servers} == {2}
    log = """{ auditLog(filter: {operation: [ACTION_TYPE_FILE_CHANGED]}) {
      nodes { version typeId fields } } }"""
    found = (await first.client(roles=("maintainer",)).run(log))["auditLog"]["nodes"]
    # Each entry names what it changed: the type, or the settings of all types.
    assert found == [
        {"version": 2, "typeId": "survey", "fields": ["displayName"]},
        {"version": 2, "typeId": None, "fields": ["rolloutFlags"]},
    ]
    events = await first.world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'action_type.file_changed'}) "
        "RETURN e.data AS data ORDER BY e.uid DESC"
    )
    assert [json.loads(event["data"]) for event in events] == [
        {"type_id": each["typeId"], "retired": False, "fields": each["fields"]} for each in found
    ]

    # An organisation's own change of a type names it, too.
    await registered(first, "survey")
    await put(first, "deprecateActionType", id="survey")
    own = """{ auditLog(filter: {kind: "action_type"}, first: 2) { nodes { operation typeId } } }"""
    assert (await first.client().run(own))["auditLog"]["nodes"] == [
        {"operation": "ACTION_TYPE_DEPRECATED", "typeId": "survey"},
        {"operation": "ACTION_TYPE_REGISTERED", "typeId": "survey"},
    ]


@pytest.mark.covers("REG-33")
async def test_a_turn_sees_one_registry_also_over_a_restart(first: Api) -> None:
    old = await with_type(first, "survey", "turn-1")
    assert old["requiresConfirmation"] is False
    first.world.clock.advance(minutes=1)
    folder = first.world.services.settings.registry_dir
    changed = {"requires_confirmation: false": "requires_confirmation: true"}
    file(folder, "survey").write_text(survey(**changed))
    file(folder, "poll").write_text(survey(survey="poll"))

    second = await restarted(first)
    second.world.clock.advance(minutes=1)

    assert (await with_type(second, "survey", "turn-1"))["requiresConfirmation"] is False
    assert (await with_type(second, "poll", "turn-1"))["type"] == "user_task"
    assert (await with_type(second, "survey", "turn-2"))["requiresConfirmation"] is True
    assert (await with_type(second, "poll", "turn-2"))["type"] == "poll"
    second.world.clock.advance(days=8)
    assert (await with_type(second, "survey", "turn-1"))["requiresConfirmation"] is True


@pytest.mark.covers("REG-16", "REG-33")
async def test_a_change_and_a_deprecation_count_from_the_next_turn(first: Api) -> None:
    made = await with_type(first, "research", "turn-1")
    first.world.clock.advance(minutes=1)
    await registered(first, "research", defaultPolicies={"requiresConfirmation": True})
    anew = await restarted(first)
    first.world.clock.advance(minutes=1)

    for server in (first, anew):
        assert (await with_type(server, "research", "turn-1"))["requiresConfirmation"] is False
        assert (await with_type(server, "research", "turn-2"))["requiresConfirmation"] is True
    gone = await call(anew, "transitionPendingAction", id=made["id"], status="in_progress", turnId="turn-1")
    assert (gone["code"], gone["field"]) == ("illegal_transition", "status")
    assert gone["message"] == "research has lost the status in_progress since this turn began"
    ended = await call(anew, "transitionPendingAction", id=made["id"], status="cancelled", turnId="turn-1")
    assert ended["action"]["status"] == "cancelled"

    first.world.clock.advance(minutes=1)
    await put(first, "deprecateActionType", MAINTAINER, id="research", blockNew=True)
    first.world.clock.advance(minutes=1)
    whole = """mutation ($turn: String) { createGoal(input: {title: "g", turnId: $turn,
      pendingActions: [{title: "t", type: "research"}]}) {
      ... on CreateGoalPayload { goal { actions { nodes { type requiresConfirmation } } } }
      ... on Problem { code field } } }"""
    for turn, confirmation in (("turn-1", False), ("turn-2", True)):
        (action,) = (await first.client().run(whole, turn=turn))["createGoal"]["goal"]["actions"]["nodes"]
        assert action == {"type": "research", "requiresConfirmation": confirmation}
    refused = (await first.client().run(whole, turn="turn-3"))["createGoal"]
    assert refused == {"code": "invalid", "field": "pendingActions[0].type"}


@pytest.mark.covers("REG-17", "REG-20")
async def test_a_registry_is_compared_with_a_server_before_it_is_merged(
    first: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = first.world.services.settings.registry_dir
    files = load_action_types(folder)
    client = first.client()
    asked: list[Any] = []

    async def served() -> bytes:
        return (await client.post(asked[0]["query"])).content

    def urlopen(request: Any, timeout: float) -> io.BytesIO:
        asked[:] = [json.loads(request.data)]
        assert (request.full_url, timeout) == ("http://there/graphql", 30.0)
        return io.BytesIO(asyncio.run_coroutine_threadsafe(served(), loop).result())

    loop = asyncio.get_running_loop()
    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    await registered(first, "poll")
    await registered(first, "survey")
    await asyncio.to_thread(require_nothing_removed, files, folder, "http://there", "t")

    file(folder, "survey").write_text(survey(sent="asked"))
    file(folder, "reminder").unlink()
    fewer = load_action_types(folder)
    with pytest.raises(CatalogError) as error:
        await asyncio.to_thread(require_nothing_removed, fewer, folder, "http://there", "t")
    path = folder / "action_types"
    assert error.value.message.splitlines() == [
        "compared with http://there, the registry loses something:",
        f"  {path}/reminder.yaml: {GONE}: reminder",
        f"  {path}/survey.yaml: survey loses statuses; name their successors in former_statuses: sent",
    ]
