"""What /metrics says of actions."""

from __future__ import annotations

from datetime import timedelta

import pytest

from prefrontal.graph.jobs.escalation import EscalateActions
from tests.api.conftest import Api
from tests.api.test_action_types import own
from tests.api.test_actions import call, new_action
from tests.api.test_registry import registered

pytestmark = pytest.mark.alone

NIGHTLY = pytest.mark.nightly(
    "the life of an action: tests/graph/test_actions_*.py; each mutation over HTTP: the walks"
)

__all__ = ["own"]


def counted(text: str) -> dict[str, float]:
    """The samples of actions, without comments and times of creation."""
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("prefrontal_action")]
    return {name: float(value) for name, value in lines if "_created{" not in name}


@pytest.mark.covers("REG-61", "OPS-12..15")
async def test_what_happens_to_actions_is_counted_by_type(api: Api) -> None:
    services = api.world.services
    minute = api.world.clock.now() + timedelta(minutes=1)
    reminder = await new_action(api, type="reminder", dueAt=minute.isoformat())
    task = await new_action(api, type="agent_task", dueAt=minute.isoformat(), clientKey="k")
    await new_action(api, type="odd_one")
    entries = [{"clientKey": "k", "owner": "USER"}, {"title": "t", "type": "odd_one", "priority": "soon"}]
    for _ in range(2):
        # What is sent again is not counted again.
        await call(api, "upsertPendingActions", actions=entries, idempotencyKey="once")
    await call(api, "transitionPendingAction", id=task["id"], status="asleep")
    await call(api, "completePendingAction", id="act_01JBXM3Z8K0QF3W4T9V2C7H5RD")
    api.world.clock.advance(minutes=2)
    job = EscalateActions(
        services.catalog,
        services.registry.files,
        services.questions.upsert,
        on_change=services.metrics.changed,
        on_overdue=services.metrics.actions_overdue,
    )
    assert await services.jobs.run_once(job) is not None
    overdue = await api.client().run("{ nodes: pendingActions { nodes { id overdue escalatedAt } } }")
    told = {
        node["id"]: (node["overdue"], node["escalatedAt"] is not None) for node in overdue["nodes"]["nodes"]
    }
    assert (told[reminder["id"]], told[task["id"]]) == ((True, True), (True, False))
    await call(api, "transitionPendingAction", id=task["id"], status="in_progress")
    await call(api, "upsertPendingActions", actions=[{"clientKey": "k", "result": {"a": 1}}])
    await call(api, "upsertPendingActions", actions=[{"clientKey": "k", "title": "done"}])
    await call(api, "transitionPendingAction", id=reminder["id"], status="cancelled")
    research = await new_action(api, type="research")
    await call(api, "transitionPendingAction", id=research["id"], status="in_progress")
    await call(api, "completePendingAction", id=research["id"], result={"ok": False})

    found = counted((await api.http.get("/metrics")).text)

    events = {name: value for name, value in found.items() if name.startswith("prefrontal_actions_total")}
    assert {name: value for name, value in events.items() if "escalated" not in name} == {
        'prefrontal_actions_total{event="created",type="reminder"}': 1,
        'prefrontal_actions_total{event="created",type="agent_task"}': 1,
        # It became one, so it is counted as one.
        'prefrontal_actions_total{event="created",type="user_task"}': 1,
        'prefrontal_actions_total{event="created",type="research"}': 1,
        'prefrontal_actions_total{event="completed",type="agent_task"}': 1,
        'prefrontal_actions_total{event="failed",type="research"}': 1,
        'prefrontal_actions_total{event="cancelled",type="reminder"}': 1,
    }
    # The job serves all organisations of the test's database.
    assert events['prefrontal_actions_total{event="escalated",type="reminder"}'] >= 1
    assert {name: value for name, value in found.items() if "errors" in name} == {
        'prefrontal_action_errors_total{code="invalid",type="agent_task"}': 2,
        'prefrontal_action_errors_total{code="invalid",type="other"}': 1,
        'prefrontal_action_errors_total{code="not_found",type="other"}': 1,
    }
    assert found['prefrontal_actions_overdue{type="reminder"}'] >= 1
    assert found['prefrontal_actions_overdue{type="agent_task"}'] >= 1
    assert 'prefrontal_actions_overdue{type="research"}' in found
    assert not any("odd_one" in name for name in found)


def label(own: Api, *names: str) -> None:
    path = own.world.services.settings.registry_dir / "operations" / "actions.yaml"
    text = path.read_text()
    assert text.count("counted_types: []") == 1
    path.write_text(text.replace("counted_types: []", f"counted_types: [{', '.join(names)}]"))


@pytest.mark.covers("REG-61")
@NIGHTLY
async def test_types_of_an_organisations_own_are_counted_by_name_only_if_the_registry_says_so(
    own: Api,
) -> None:
    await registered(own, "survey")
    await registered(own, "secret_plan")
    before = own.world.clock.now().isoformat()
    own.world.clock.advance(minutes=1)
    for kind in ("survey", "secret_plan"):
        await new_action(own, type=kind, dueAt=before)
    other = 'prefrontal_actions_total{event="created",type="other"}'
    assert counted((await own.http.get("/metrics")).text) == {other: 2}

    label(own, "survey", "nobody_has_it")
    assert own.world.services.registry.watch.look()
    for kind in ("survey", "secret_plan"):
        uid = (await new_action(own, type=kind, dueAt=before))["id"]
        await call(own, "transitionPendingAction", id=uid, status="asleep")
    services = own.world.services
    job = EscalateActions(
        services.catalog,
        services.registry.files,
        services.questions.upsert,
        on_overdue=services.metrics.actions_overdue,
    )
    assert await services.jobs.run_once(job) is not None

    text = (await own.http.get("/metrics")).text
    found = counted(text)
    overdue = {name: found.pop(name) for name in list(found) if "overdue" in name}
    assert found == {
        other: 3,
        'prefrontal_actions_total{event="created",type="survey"}': 1,
        'prefrontal_action_errors_total{code="invalid",type="survey"}': 1,
        'prefrontal_action_errors_total{code="invalid",type="other"}': 1,
    }
    # The job serves all organisations of the test's database.
    assert overdue['prefrontal_actions_overdue{type="survey"}'] >= 2
    assert overdue['prefrontal_actions_overdue{type="other"}'] >= 2
    assert "secret_plan" not in text
    assert "nobody_has_it" not in text


@NIGHTLY
async def test_labels_have_an_end(own: Api) -> None:
    label(own, *(f"type_{number}" for number in range(201)))

    assert own.world.services.registry.watch.look() is False
    assert "counted_types: may have at most 200 entries" in (own.world.services.registry.watch.problem or "")
