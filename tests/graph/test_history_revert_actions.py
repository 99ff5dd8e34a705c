"""revert of pending actions: what only users and maintainers do, only they take back."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    CompletePendingAction,
    ConfirmPendingAction,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import GoalStatus
from prefrontal.graph.errors import Forbidden, OwnerViolation, SeveralConflicts
from prefrontal.graph.history.record import Revert
from prefrontal.graph.registry.overrides.record import (
    ActionTypeDraft,
    DeprecateActionType,
    RegisterActionType,
)
from tests.graph.test_actions_type_migration import survey
from tests.graph.test_history_revert import (
    acted,
    action_of,
    changed,
    content,
    moved,
    new_goal,
    refused,
    revert,
)
from tests.support.world import World


@pytest.mark.covers("VER-06", "VER-07")
async def test_an_action_has_the_content_of_its_earlier_version(world: World) -> None:
    first = await acted(world, description="Milk", priority="high", effort=2.0, metadata={"shop": "corner"})
    await changed(world, first.uid, title="Buy", description=None, priority="low", effort=None, metadata=None)
    await world.services.actions.transitions.complete(
        await world.caller(), CompletePendingAction(id=first.uid, result={"paid": 3})
    )

    assert await revert(world, first.uid, 1) == []

    now = await action_of(world, first.uid)
    assert (content(now), now.version) == (content(first), 4)
    (listed,) = (await world.services.actions.service.list(await world.caller())).items
    assert listed == now


async def test_references_that_were_named_since_stay_named(world: World) -> None:
    first = await acted(world, evidence_refs=("a", "b"))
    await changed(world, first.uid, title="Buy", evidence_refs=("b", "c"))

    assert await revert(world, first.uid, 1) == ["evidence_kept"]

    now = await action_of(world, first.uid)
    assert (now.title, now.evidence_refs) == ("Shop", ("a", "b", "c"))


async def test_an_action_whose_type_is_gone_or_has_the_status_no_more_is_refused(world: World) -> None:
    first = await acted(world)
    await world.services.actions.transitions.transition(
        await world.caller(), TransitionPendingAction(id=first.uid, status="in_progress")
    )
    await world.rows(
        "MATCH (v:Version {number: 1})-[:OF]->(a:PendingAction {org_id: $org}) SET a.type = 'juggling', "
        "v.changes = replace(v.changes, '\"agent_task\"', '\"juggling\"')"
    )

    error = await refused(world, SeveralConflicts, first.uid, 1)

    assert error.message == "the registry does not know the type juggling any more"


async def test_an_action_is_not_started_again_while_another_blocks_it(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    for status in ("in_progress", "pending"):
        await world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.status AS status")
        if status == "in_progress":
            await world.services.actions.transitions.transition(
                bot, TransitionPendingAction(id=action.uid, status=status)
            )
    await world.services.actions.transitions.transition(
        bot, TransitionPendingAction(id=action.uid, status="cancelled")
    )
    blocker = PendingActionUpsert(goal_id=goal.uid, title="Permit", type="blocker")
    (result,) = await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(blocker,)))
    assert result.action

    error = await refused(world, SeveralConflicts, action.uid, 2)

    assert error.message == f"complete the blocking actions first: {result.action.uid}"
    assert await revert(world, action.uid, 1) == []


async def test_what_only_a_user_may_do_only_a_user_takes_back(world: World) -> None:
    bot = await world.caller()
    space = await world.services.access.create_space(bot, CreateSpace(name="team"))
    bot = await world.caller()
    await world.caller(None, person="ann")
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.WRITE
        ),
    )
    ann = await world.caller(None, person="ann")
    entry = PendingActionUpsert(title="Sign", type="user_task")
    (result,) = await world.services.actions.upsert.upsert(
        bot, UpsertPendingActions(actions=(entry,), space=space)
    )
    assert result.action
    uid = result.action.uid
    await world.services.actions.transitions.complete(ann, CompletePendingAction(id=uid))
    asked = PendingActionUpsert(title="Approve", type="approval_request")
    (approval,) = await world.services.actions.upsert.upsert(
        ann, UpsertPendingActions(actions=(asked,), space=space)
    )
    assert approval.action
    await world.services.actions.transitions.confirm(ann, ConfirmPendingAction(id=approval.action.uid))

    await refused(world, OwnerViolation, uid, 1)
    await refused(world, OwnerViolation, approval.action.uid, 1)
    assert await revert(world, uid, 1, agent=None, person="ann") == []
    assert await revert(world, approval.action.uid, 1, agent=None, person="ann") == []
    assert (await action_of(world, uid)).status == result.action.status


MAINTAINER = ("maintainer",)


async def migrated(world: World) -> PendingAction:
    """A survey that was pending, then sent, and is a research since its third version."""
    maintainer = await world.caller(roles=MAINTAINER)
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=survey(world)), approved=True)
    )
    action = await acted(world, type="survey", owner="agent")
    await world.services.actions.transitions.transition(
        maintainer, TransitionPendingAction(id=action.uid, status="sent")
    )
    operator = await world.services.access.operator(world.org)
    statuses = {"sent": "in_progress"}
    assert await world.services.actions.type_migration.migrate(operator, "survey", "research", statuses) == 1
    now = await action_of(world, action.uid)
    assert (now.type, now.status, now.version) == ("research", "in_progress", 3)
    return now


@pytest.mark.covers("VER-06", "REG-20")
async def test_a_maintainer_takes_back_that_an_action_was_given_another_type(world: World) -> None:
    action = await migrated(world)
    maintainer = await world.caller(roles=MAINTAINER)

    assert await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=2)) == (4, ())

    now = await action_of(world, action.uid)
    assert (now.type, now.status) == ("survey", "sent")
    (entry, *_) = (await world.services.history.service.history(maintainer, action.uid)).items
    assert entry.reverted_to == 2
    assert {each.name: (each.before, each.after) for each in entry.changes} == {
        "status": ("in_progress", "sent"),
        "type": ("research", "survey"),
    }
    # It lives on as what it is now, and that can be taken back as well.
    done = await world.services.actions.transitions.complete(
        await world.caller(), CompletePendingAction(id=action.uid)
    )
    assert (done.type, done.status) == ("survey", "completed")
    assert await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=3)) == (6, ())
    assert (await action_of(world, action.uid)).type == "research"


@pytest.mark.covers("VER-06", "REG-20")
async def test_nobody_else_does_and_what_was_since_is_taken_back_as_ever(world: World) -> None:
    action = await migrated(world)

    error = await refused(world, Forbidden, action.uid, 2)

    assert error.message == "it was a survey then: only a maintainer may give an action another type"
    assert error.field == "version"
    await changed(world, action.uid, title="Ask")
    assert await revert(world, action.uid, 3) == []
    assert (await action_of(world, action.uid)).title == "Shop"


@pytest.mark.covers("VER-06", "REG-20")
@pytest.mark.parametrize("block_new", [True, False])
async def test_an_action_does_not_become_one_of_a_retired_type_again(world: World, block_new: bool) -> None:
    action = await migrated(world)
    maintainer = await world.caller(roles=MAINTAINER)
    await world.services.registry.overrides.deprecate(
        maintainer, DeprecateActionType(id="survey", replaced_by="research", block_new=block_new)
    )
    before = await world.counts()

    with pytest.raises(SeveralConflicts) as caught:
        await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=2))

    said = "it was a survey then, and no action can get that type any more; it stays a research"
    assert [(each.message, each.field) for each in caught.value.problems] == [(said, "version")]
    assert await world.counts() == before
    assert await action_of(world, action.uid) == action


async def test_the_type_of_then_has_to_have_the_status_still(world: World) -> None:
    action = await migrated(world)
    maintainer = await world.caller(roles=MAINTAINER)
    without = survey(
        world, allowed_statuses=("pending", "completed"), allowed_transitions={"pending": ("completed",)}
    )
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=without), approved=True)
    )

    with pytest.raises(SeveralConflicts, match="a survey cannot be sent any more"):
        await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=2))
    assert (await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=1)))[0] == 4
    assert (await action_of(world, action.uid)).status == "pending"


async def test_an_action_that_got_the_type_it_asked_for_keeps_it_but_for_maintainers(world: World) -> None:
    action = await acted(world, type="survey", owner="agent")
    assert action.type == "user_task"
    maintainer = await world.caller(roles=MAINTAINER)
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=survey(world)), approved=True)
    )
    entry = PendingActionUpsert(id=action.uid, type="survey")
    (result,) = await world.services.actions.upsert.upsert(maintainer, UpsertPendingActions(actions=(entry,)))
    assert result.action
    assert (result.action.type, result.action.version) == ("survey", 2)

    await refused(world, Forbidden, action.uid, 1)
    assert await world.services.history.revert.revert(maintainer, Revert(id=action.uid, version=1)) == (3, ())

    assert content(await action_of(world, action.uid)) == content(action)


@pytest.mark.covers("VER-06")
@pytest.mark.parametrize(
    ("status", "told"),
    [
        (GoalStatus.COMPLETED, ["goal_ended"]),
        (GoalStatus.CANCELLED, ["goal_ended"]),
        (GoalStatus.ARCHIVED, ["goal_ended"]),
        (GoalStatus.BLOCKED, []),
    ],
)
async def test_an_action_that_is_open_again_under_an_ended_goal_is_warned_of(
    world: World, status: GoalStatus, told: list[str]
) -> None:
    bot = await world.caller()
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    await world.services.actions.transitions.complete(bot, CompletePendingAction(id=action.uid))
    await moved(world, goal.uid, status)

    assert await revert(world, action.uid, 1) == told
    # What is done with again needs no warning. Under a blocked goal an agent completes nothing.
    if status is GoalStatus.BLOCKED:
        error = await refused(world, SeveralConflicts, action.uid, 2)
        assert error.message == "its goal is blocked; call transitionGoal when it can go on"
    else:
        assert await revert(world, action.uid, 2) == []

    trace: dict[str, Any] = (
        await world.rows(
            "MATCH (t:TraceEvent {org_id: $org, kind: 'reverted'}) RETURN t.details AS details ORDER BY t.uid"
        )
    )[0]
    assert ("goal_ended" in trace["details"]) == bool(told)
