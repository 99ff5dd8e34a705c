"""Actions that are overdue escalate once, and those that wait for an event become due by it."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    CompletePendingAction,
    PendingAction,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, GoalStatus, TransitionGoal
from prefrontal.graph.cortex.questions.record import ArchiveQuestion, QuestionFilter
from prefrontal.graph.jobs.escalation import AwaitEvents, EscalateActions
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypes,
    EscalationTable,
    HandlerTable,
    PolicyTable,
)
from prefrontal.graph.registry.overrides.record import ActionTypeDraft, RegisterActionType
from tests.support.world import World

pytestmark = pytest.mark.alone


def job(world: World, batch: int | None = None) -> EscalateActions:
    services = world.services
    catalog = services.catalog
    if batch is not None:
        table = catalog.jobs.escalate_actions.model_copy(update={"batch": batch})
        jobs = catalog.jobs.model_copy(update={"escalate_actions": table})
        catalog = catalog.model_copy(update={"jobs": jobs})
    return EscalateActions(
        catalog,
        services.registry.files,
        services.questions.upsert,
        on_change=services.metrics.changed,
        on_overdue=services.metrics.actions_overdue,
    )


async def escalate(world: World, batch: int | None = None) -> None:
    assert await world.services.jobs.run_once(job(world, batch)) is not None


async def await_events(world: World, batch: int | None = None) -> None:
    catalog = world.services.catalog
    if batch is not None:
        table = catalog.jobs.await_events.model_copy(update={"batch": batch})
        jobs = catalog.jobs.model_copy(update={"await_events": table})
        catalog = catalog.model_copy(update={"jobs": jobs})
    assert await world.services.jobs.run_once(AwaitEvents(catalog, world.services.registry.files)) is not None


async def make(world: World, *, due: timedelta | None = None, **fields: Any) -> PendingAction:
    due_at = None if due is None else world.clock.now() + due
    goal = fields.pop("goal_id", None)
    caller = fields.pop("caller", None) or await world.caller()
    entry = PendingActionUpsert(
        **{"title": "t", "type": "reminder", "due_at": due_at, "goal_id": goal, **fields}
    )
    (done,) = await world.services.actions.upsert.upsert(caller, UpsertPendingActions(actions=(entry,)))
    assert done.action, done.problem
    return done.action


async def now_of(world: World, action: PendingAction) -> PendingAction:
    return (await world.services.actions.service.get(await world.caller(), [action.uid]))[action.uid]


async def change(world: World, action: PendingAction, **fields: Any) -> PendingAction:
    entry = PendingActionUpsert(id=action.uid, **fields)
    (done,) = await world.services.actions.upsert.upsert(
        await world.caller(), UpsertPendingActions(actions=(entry,))
    )
    assert done.action, done.problem
    return done.action


async def journal(world: World, kind: str) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: $kind}) "
        "RETURN e.aggregate AS of, e.aggregate_version AS version, e.data AS data, e.by_uid AS by "
        "ORDER BY e.uid",
        kind=kind,
    )
    return [{**row, "data": json.loads(row["data"])} for row in rows]


def with_type(world: World, **policies: Any) -> ActionType:
    """Put a type of a test's own in force, `vigil`, with an escalation."""
    types = world.services.registry.files
    base = types["reminder"]
    escalation = EscalationTable(**policies)
    kind = base.model_copy(
        update={
            "id": "vigil",
            "default_policies": PolicyTable(escalation=escalation),
            "policy_handlers": HandlerTable(),
        }
    )
    types.take(ActionTypes({**types, "vigil": kind}, types.table))
    return kind


@pytest.mark.covers("ACT-43", "ACT-44")
async def test_a_reminder_escalates_once_when_its_time_has_passed(world: World) -> None:
    action = await make(world, due=timedelta(minutes=5))
    other = await make(world, due=timedelta(minutes=60))
    await make(world)

    await escalate(world)
    assert await journal(world, "pending_action.escalated") == []
    world.clock.advance(minutes=5)
    await escalate(world)
    at = world.clock.now()
    for _ in range(3):
        world.clock.advance(minutes=1)
        await escalate(world)

    after = await now_of(world, action)
    assert (after.escalated_at, after.version, after.status) == (at, 2, "pending")
    assert (await now_of(world, other)).escalated_at is None
    assert await journal(world, "pending_action.escalated") == [
        {
            "of": action.uid,
            "version": 2,
            "by": world.org_id,
            "data": {
                "action_id": action.uid,
                "goal_id": None,
                "type": "reminder",
                "status": "pending",
                "policy": "notify",
                "due_at": action.due_at.isoformat() if action.due_at else None,
            },
        }
    ]
    traces = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org, kind: 'action_escalated'}) RETURN t.ids AS ids"
    )
    assert traces == [{"ids": [action.uid]}]
    versions = await world.rows(
        "MATCH (v:Version)-[:OF]->(:PendingAction {uid: $uid}) "
        "RETURN v.number AS number, v.changes AS changes ORDER BY number DESC LIMIT 1",
        uid=action.uid,
    )
    assert versions[0]["number"] == 2
    assert json.loads(versions[0]["changes"]).keys() == {"escalated_at"}


@pytest.mark.covers("ACT-44")
async def test_what_is_done_or_has_no_escalation_does_not_escalate(world: World) -> None:
    done = await make(world, due=timedelta(minutes=1))
    dropped = await make(world, due=timedelta(minutes=1))
    plain = await make(world, type="research", due=timedelta(minutes=1))
    caller = await world.caller()
    world.clock.advance(minutes=10)
    await world.services.actions.transitions.complete(caller, CompletePendingAction(id=done.uid))
    await world.services.actions.transitions.transition(
        caller, TransitionPendingAction(id=dropped.uid, status="cancelled")
    )
    before = await world.counts()

    await escalate(world)

    assert await world.counts() == before
    for action in (done, dropped, plain):
        assert (await now_of(world, action)).escalated_at is None


async def test_what_is_put_off_escalates_again_at_its_new_time(world: World) -> None:
    action = await make(world, due=timedelta(minutes=1))
    world.clock.advance(minutes=1)
    await escalate(world)

    await change(world, action, due_at=world.clock.now() - timedelta(seconds=1))
    world.clock.advance(minutes=1)
    await escalate(world)
    assert len(await journal(world, "pending_action.escalated")) == 1
    await change(world, action, due_at=world.clock.now() + timedelta(minutes=9))
    await escalate(world)
    assert len(await journal(world, "pending_action.escalated")) == 1
    world.clock.advance(minutes=9)
    await escalate(world)

    assert [row["version"] for row in await journal(world, "pending_action.escalated")] == [2, 5]


@pytest.mark.covers("ACT-45")
async def test_the_policy_of_the_type_is_carried_out_after_its_delay(world: World) -> None:
    with_type(world, after="PT2H", policy="raise_priority")
    low = await make(world, type="vigil", due=timedelta(0), priority="low", effort=2.0)
    critical = await make(world, type="vigil", due=timedelta(0), priority="critical")

    world.clock.advance(minutes=119)
    await escalate(world)
    assert (await now_of(world, low)).version == 1
    world.clock.advance(minutes=1)
    await escalate(world)
    await escalate(world)

    after, top = await now_of(world, low), await now_of(world, critical)
    assert (after.priority, after.priority_rank, after.density) == ("medium", 2, 1.0)
    assert (top.priority, top.version, top.escalated_at) == ("critical", 2, world.clock.now())
    page = await world.services.actions.service.list(await world.caller())
    assert [action.uid for action in page.items] == [critical.uid, low.uid]
    rows = await world.rows("MATCH (a:PendingAction {uid: $uid}) RETURN a.sort_key AS key", uid=low.uid)
    fresh = await make(world, type="vigil", due=timedelta(0), priority="medium", effort=2.0)
    keys = await world.rows("MATCH (a:PendingAction {uid: $uid}) RETURN a.sort_key AS key", uid=fresh.uid)
    assert rows[0]["key"].split()[0] == keys[0]["key"].split()[0]


@pytest.mark.covers("ACT-45")
async def test_an_overdue_action_is_handed_to_the_user(world: World) -> None:
    with_type(world, policy="hand_to_user")
    action = await make(world, type="vigil", owner=ActionOwner.AGENT, due=timedelta(0))

    await escalate(world)

    after = await now_of(world, action)
    assert (action.owner, after.owner, after.version) == (ActionOwner.AGENT, ActionOwner.USER, 2)


@pytest.mark.covers("ACT-45")
async def test_an_overdue_action_asks_the_user_in_its_space_about_its_goal(world: World) -> None:
    with_type(world, policy="ask_question")
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="g"))
    action = await make(
        world, type="vigil", title="Ring Ann", goal_id=goal.uid, due=timedelta(0), priority="high"
    )
    await make(world, type="vigil", due=timedelta(0), caller=await world.caller("other"))

    await escalate(world)
    await escalate(world)

    (question,) = (await world.services.questions.service.list(caller, QuestionFilter())).items
    assert (question.goal_id, question.owner, question.priority) == (goal.uid, ActionOwner.USER, "high")
    assert question.text.endswith(": Ring Ann - how should it continue?")
    assert (question.scope_id, question.by_uid) == (action.scope_id, world.org_id)
    assert len(await journal(world, "question.asked")) == 2


async def test_a_question_that_was_put_away_under_the_key_does_not_stop_the_others(world: World) -> None:
    with_type(world, policy="ask_question")
    await make(world, type="vigil", due=timedelta(0))
    await escalate(world)
    caller = await world.caller()
    (question,) = (await world.services.questions.service.list(caller, QuestionFilter())).items
    await world.services.questions.transitions.archive_question(caller, ArchiveQuestion(id=question.uid))
    await world.rows("MATCH (a:PendingAction {org_id: $org}) SET a.escalated = false REMOVE a.escalated_at")
    other = await make(world, type="vigil", due=timedelta(0))

    await escalate(world)

    assert (await now_of(world, other)).escalated_at == world.clock.now()
    assert len(await journal(world, "question.asked")) == 2


async def test_two_processes_escalate_once(world: World) -> None:
    actions = [await make(world, due=timedelta(0)) for _ in range(5)]
    one, two = (JobRunner(world.services.database, world.clock, []) for _ in range(2))

    # With the lease, and without: whoever comes second looks again under the locks.
    await asyncio.gather(one.run_once(job(world)), two.run_once(job(world)))
    late = [await make(world, due=timedelta(0)) for _ in range(5)]
    now = world.clock.now()
    await asyncio.gather(
        *(world.services.database.write(lambda tx: job(world).batch(tx, now)) for _ in range(4))
    )

    told = await journal(world, "pending_action.escalated")
    assert sorted(row["of"] for row in told) == sorted(action.uid for action in actions + late)


async def test_many_are_escalated_in_batches_each_in_its_organisation(world: World) -> None:
    uids = [
        (await make(world, due=timedelta(0), caller=await world.caller(f"a{n % 3}"))).uid for n in range(7)
    ]
    foreign = await world.services.access.create_organisation(f"{world.org}-2")
    stranger = await world.services.access.caller(
        world.principal().model_copy(update={"org": f"{world.org}-2"})
    )
    beyond = await make(world, due=timedelta(0), caller=stranger)

    await escalate(world, batch=2)

    told = await journal(world, "pending_action.escalated")
    assert sorted(row["of"] for row in told) == sorted(uids)
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $other, type: 'pending_action.escalated'}) "
        "RETURN e.aggregate AS of, e.scope_id AS scope",
        other=foreign,
    )
    assert rows == [{"of": beyond.uid, "scope": stranger.home}]


@pytest.mark.covers("ACT-47")
async def test_a_follow_up_is_due_when_its_event_has_happened(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="g"))
    event = {"type": "goal.transitioned", "id": goal.uid}
    action = await make(world, type="follow_up", metadata={"event": event})
    window = await make(world, type="follow_up", metadata={"event": event}, due=timedelta(days=2))
    world.clock.advance(minutes=1)
    await await_events(world)
    assert (await now_of(world, action)).due_at is None

    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goal.uid, status=GoalStatus.IN_PROGRESS)
    )
    happened = world.clock.now()
    world.clock.advance(minutes=1)
    for _ in range(2):
        await await_events(world)

    for each in (action, window):
        after = await now_of(world, each)
        assert (after.due_at, after.event_at, after.version) == (happened, happened, 2)
    told = await journal(world, "pending_action.due")
    assert sorted(row["of"] for row in told) == sorted((action.uid, window.uid))
    assert told[0]["data"]["event"] == "goal.transitioned"
    assert told[0]["data"]["event_of"] == goal.uid


@pytest.mark.covers("ACT-47")
async def test_a_follow_up_is_due_when_its_window_is_over_though_nothing_happened(world: World) -> None:
    event = {"type": "goal.transitioned", "id": "goal_x"}
    action = await make(world, type="follow_up", metadata={"event": event}, due=timedelta(hours=1))
    due: datetime | None = action.due_at

    world.clock.advance(hours=2)
    await await_events(world)

    after = await now_of(world, action)
    assert (after.due_at, after.event_at, after.version) == (due, None, 1)


async def test_an_event_of_before_of_another_kind_or_out_of_reach_makes_nothing_due(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    mine = await world.services.goals.service.create(caller, CreateGoal(title="g"))
    theirs = await world.services.goals.service.create(other, CreateGoal(title="g"))
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=mine.uid, status=GoalStatus.IN_PROGRESS)
    )
    world.clock.advance(minutes=1)
    events = [
        ("goal.transitioned", mine.uid),
        ("goal.progressed", mine.uid),
        ("goal.transitioned", theirs.uid),
    ]
    actions = [
        await make(world, type="follow_up", metadata={"event": {"type": kind, "id": uid}})
        for kind, uid in events
    ]
    # Its type is due at its time only; what it calls an event is its own affair.
    actions.append(await make(world, metadata={"event": {"type": "goal.transitioned", "id": mine.uid}}))
    world.clock.advance(minutes=1)
    await world.services.goals.transitions.transition(
        other, TransitionGoal(id=theirs.uid, status=GoalStatus.IN_PROGRESS)
    )
    before = await world.counts()

    await await_events(world, batch=2)

    assert await world.counts() == before
    assert [(await now_of(world, action)).version for action in actions] == [1, 1, 1, 1]


async def test_an_event_in_a_space_that_the_maker_may_read_counts_until_that_ends(world: World) -> None:
    other = await world.caller("other")
    space = await world.services.access.create_space(other, CreateSpace(name="theirs"))
    other = await world.caller("other")
    bot = (ActorKind.AGENT, "bot")
    await world.caller()
    await world.grant(
        other, GrantAccess(space=space, actor=Actor(kind=bot[0], key=bot[1]), permission=SpacePermission.READ)
    )
    goals = [
        await world.services.goals.service.create(other, CreateGoal(title="g", space=space)) for _ in range(2)
    ]
    actions = [
        await make(world, type="follow_up", metadata={"event": {"type": "goal.transitioned", "id": goal.uid}})
        for goal in goals
    ]
    world.clock.advance(minutes=1)

    await world.services.goals.transitions.transition(
        other, TransitionGoal(id=goals[0].uid, status=GoalStatus.IN_PROGRESS)
    )
    await await_events(world)
    await world.services.access.revoke_access(
        other, RevokeAccess(space=space, actor=Actor(kind=bot[0], key=bot[1]))
    )
    await world.services.goals.transitions.transition(
        other, TransitionGoal(id=goals[1].uid, status=GoalStatus.IN_PROGRESS)
    )
    await await_events(world)

    assert [(await now_of(world, action)).version for action in actions] == [2, 1]


async def test_a_run_looks_at_all_that_wait_and_the_next_one_at_all_again(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="g"))
    event = {"type": "goal.transitioned", "id": goal.uid}
    actions = [await make(world, type="follow_up", metadata={"event": event}) for _ in range(5)]
    catalog = world.services.catalog
    table = catalog.jobs.await_events.model_copy(update={"batch": 2})
    jobs = catalog.jobs.model_copy(update={"await_events": table})
    waiting = AwaitEvents(catalog.model_copy(update={"jobs": jobs}), world.services.registry.files)
    await world.services.jobs.run_once(waiting)
    world.clock.advance(minutes=1)
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goal.uid, status=GoalStatus.IN_PROGRESS)
    )

    await world.services.jobs.run_once(waiting)

    assert [(await now_of(world, action)).version for action in actions] == [2] * 5


@pytest.mark.parametrize(
    "event", ["soon", {"type": "goal.transitioned"}, {"type": "x.y", "id": "g"}, {"id": 1}]
)
async def test_what_is_no_event_cannot_be_waited_for(world: World, event: Any) -> None:
    caller = await world.caller()
    action = await make(world, type="follow_up")
    before = await world.counts()
    entries = [
        PendingActionUpsert(type="follow_up", title="t", metadata={"event": event}),
        PendingActionUpsert(id=action.uid, metadata={"event": event}),
    ]

    done = await world.services.actions.upsert.upsert(caller, UpsertPendingActions(actions=entries))

    assert [d.problem and (d.problem.code, d.problem.field) for d in done] == [
        ("invalid", f"actions[{n}].metadata.event") for n in range(2)
    ]
    assert await world.counts() == before
    free = await make(world, type="research", metadata={"event": event})
    assert free.metadata == {"event": event}


async def test_another_event_is_waited_for_anew(world: World) -> None:
    caller = await world.caller()
    goals = [await world.services.goals.service.create(caller, CreateGoal(title="g")) for _ in range(2)]
    events = [{"type": "goal.transitioned", "id": goal.uid} for goal in goals]
    action = await make(world, type="follow_up", metadata={"event": events[0]})
    world.clock.advance(minutes=1)
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goals[0].uid, status=GoalStatus.IN_PROGRESS)
    )
    await await_events(world)

    after = await change(world, action, metadata={"event": events[1]}, due_at=None)
    assert (after.event_at, after.due_at) == (None, None)
    await await_events(world)
    assert (await now_of(world, action)).version == after.version
    world.clock.advance(minutes=1)
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goals[1].uid, status=GoalStatus.IN_PROGRESS)
    )
    await await_events(world)

    assert (await now_of(world, action)).event_at == world.clock.now()


@pytest.mark.covers("ACT-45")
async def test_an_organisations_own_type_escalates_and_waits_as_it_says(world: World) -> None:
    services = world.services
    maintainer = await world.caller(roles=("maintainer",))
    shipped = services.registry.files["reminder"].model_dump()
    patient = shipped | {"policy_handlers": {"due": "after_event"}}
    patient["default_policies"] = {"escalation": {"after": "PT1H", "policy": "raise_priority"}}
    await services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=patient), approved=True)
    )
    await services.registry.overrides.register(
        maintainer,
        RegisterActionType(definition=ActionTypeDraft(keys=patient | {"id": "vigil"}), approved=True),
    )
    await services.access.create_organisation(f"{world.org}-2")
    stranger = await services.access.caller(world.principal().model_copy(update={"org": f"{world.org}-2"}))
    world.clock.advance(minutes=1)
    goal = await services.goals.service.create(await world.caller(), CreateGoal(title="g"))
    event = {"type": "goal.transitioned", "id": goal.uid}
    theirs = await make(world, due=timedelta(0), caller=stranger)
    mine = [await make(world, type=name, due=timedelta(0)) for name in ("reminder", "vigil")]
    waits = await make(world, metadata={"event": event})
    world.clock.advance(minutes=1)
    await services.goals.transitions.transition(
        await world.caller(), TransitionGoal(id=goal.uid, status=GoalStatus.IN_PROGRESS)
    )

    await escalate(world)
    await await_events(world)
    assert [(await now_of(world, action)).version for action in mine] == [1, 1]
    assert (await now_of(world, waits)).event_at == world.clock.now()
    assert (await services.actions.service.get(stranger, [theirs.uid]))[theirs.uid].version == 2
    world.clock.advance(minutes=60)
    await escalate(world)

    assert [(await now_of(world, action)).priority for action in mine] == ["high", "high"]
    assert (await services.actions.service.get(stranger, [theirs.uid]))[theirs.uid].version == 2
