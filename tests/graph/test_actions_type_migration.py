"""The actions of one type become those of another: planned, refused with reasons, moved in batches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import (
    CompletePendingAction,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.errors import ConfirmationRequired, Forbidden, InvalidInput, NotFound
from prefrontal.graph.registry.overrides.record import (
    ActionTypeDraft,
    DeprecateActionType,
    RegisterActionType,
)
from tests.support.world import World


def survey(world: World, **given: Any) -> dict[str, Any]:
    research = world.services.registry.files["research"].model_dump()
    return research | {
        "id": "survey",
        "allowed_owners": ("agent", "user"),
        "allowed_statuses": ("pending", "sent", "completed"),
        "allowed_transitions": {"pending": ("sent",), "sent": ("completed",)},
        **given,
    }


async def filled(world: World, agent: str = "bot", number: int = 5) -> list[str]:
    """Surveys of an agent: one pending, one completed, the others sent."""
    maintainer = await world.caller(agent, roles=("maintainer",))
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=survey(world)), approved=True)
    )
    entries = [PendingActionUpsert(type="survey", title=f"Ask {n}") for n in range(number)]
    made = await world.services.actions.upsert.upsert(maintainer, UpsertPendingActions(actions=entries))
    uids = [result.action.uid for result in made if result.action]
    for uid in uids[1:]:
        await world.services.actions.transitions.transition(
            maintainer, TransitionPendingAction(id=uid, status="sent")
        )
    await world.services.actions.transitions.transition(
        maintainer, TransitionPendingAction(id=uids[1], status="completed")
    )
    return uids


async def types_of(world: World, uids: list[str]) -> list[tuple[str, str, int]]:
    rows = await world.rows(
        "UNWIND $uids AS uid MATCH (a:PendingAction {uid: uid}) "
        "RETURN a.type AS type, a.status AS status, a.version AS version",
        uids=uids,
    )
    return [(row["type"], row["status"], row["version"]) for row in rows]


@pytest.fixture
async def operator(world: World) -> Caller:
    await world.caller()
    await world.caller("other")
    return await world.services.access.operator(world.org)


@pytest.mark.covers("REG-20")
async def test_a_plan_tells_what_would_move_and_what_is_against_it_and_writes_nothing(world: World) -> None:
    await filled(world)
    operator = await world.services.access.operator(world.org)
    before = await world.counts()

    lacking = await world.services.actions.type_migration.plan(operator, "survey", "research", {})
    told = await world.services.actions.type_migration.plan(
        operator, "survey", "research", {"sent": "in_progress"}, batch=2
    )

    assert lacking.reasons == {"research has no status for sent; say which: --status sent=…": 3}
    assert (told.reasons, told.total) == ({}, 5)
    assert told.moves == {"completed → completed": 1, "pending → pending": 1, "sent → in_progress": 3}
    assert await world.counts() == before


@pytest.mark.covers("REG-20")
async def test_nothing_moves_when_one_action_has_no_counterpart(world: World) -> None:
    uids = await filled(world)
    operator = await world.services.access.operator(world.org)
    before = await world.counts()

    with pytest.raises(
        InvalidInput, match=r"no action was changed\. 3 actions: research has no status for sent"
    ):
        await world.services.actions.type_migration.migrate(operator, "survey", "research", {})

    assert await world.counts() == before
    assert {type_ for type_, _, _ in await types_of(world, uids)} == {"survey"}


@pytest.mark.covers("REG-20", "ACT-17", "ACT-25")
@pytest.mark.parametrize("batch", [2, 500])
async def test_actions_of_all_spaces_move_once_with_versions_and_journal(world: World, batch: int) -> None:
    uids = [*await filled(world), *await filled(world, "other", 3)]
    operator = await world.services.access.operator(world.org)
    migrator, told = world.services.actions.type_migration, list[tuple[int, int]]()
    later = world.clock.advance(minutes=1)

    moved = await migrator.migrate(
        operator,
        "survey",
        "research",
        {"sent": "in_progress"},
        batch=batch,
        progress=lambda done, total: told.append((done, total)),
    )
    again = await migrator.migrate(operator, "survey", "research", {"sent": "in_progress"})

    assert (moved, again) == (8, 0)
    assert told[-1] == (8, 8)
    assert await types_of(world, uids) == [
        ("research", "pending", 2),
        ("research", "completed", 4),
        *[("research", "in_progress", 3)] * 3,
        ("research", "pending", 2),
        ("research", "completed", 4),
        ("research", "in_progress", 3),
    ]
    rows = await world.rows(
        "MATCH (v:Version {number: 3})-[:OF]->(:PendingAction {uid: $uid}) RETURN v.changes AS changes, "
        "v.by_uid AS by, COUNT { MATCH (e:OutboxEvent {aggregate: $uid, aggregate_version: 3}) } AS events",
        uid=uids[2],
    )
    assert [(json.loads(row["changes"]), row["by"], row["events"]) for row in rows] == [
        ({"status": "in_progress", "type": "research"}, world.org_id, 1)
    ]
    bot = await world.caller()
    moved_on = (await world.services.actions.service.get(bot, [uids[2]]))[uids[2]]
    assert moved_on.created_at < moved_on.updated_at == later
    done = await world.services.actions.transitions.complete(bot, CompletePendingAction(id=uids[2]))
    assert (done.type, done.status) == ("research", "completed")


@pytest.mark.covers("REG-20")
async def test_a_type_that_is_not_owned_so_is_no_counterpart(world: World) -> None:
    await filled(world)
    operator = await world.services.access.operator(world.org)

    plan = await world.services.actions.type_migration.plan(
        operator, "survey", "user_task", {"sent": "awaiting_confirmation"}
    )

    assert plan.reasons == {"user_task is not owned by agent": 5}


@pytest.mark.covers("ACT-40", "REG-20")
async def test_a_migration_opens_nothing_that_waits_for_a_user(world: World) -> None:
    maintainer = await world.caller(roles=("maintainer",))
    guarded = {"policy_handlers": {"completion_guard": "approval_required"}}
    await world.services.registry.overrides.register(
        maintainer,
        RegisterActionType(definition=ActionTypeDraft(keys=survey(world, **guarded)), approved=True),
    )
    entries = [PendingActionUpsert(type="survey", title=owner, owner=owner) for owner in ("agent", "user")]
    made = await world.services.actions.upsert.upsert(maintainer, UpsertPendingActions(actions=entries))
    uids = [result.action.uid for result in made if result.action]
    operator = await world.services.access.operator(world.org)
    migrator = world.services.actions.type_migration

    started = await migrator.plan(operator, "survey", "blocker", {"pending": "in_progress"})
    said = "a user owns the action: only a user may start, complete, cancel or reopen it"
    assert started.reasons == {f"pending → in_progress: {said}": 1}
    assert await migrator.migrate(operator, "survey", "blocker", {}) == 2

    bot = await world.caller()
    found = await world.services.actions.service.get(bot, uids)
    assert [found[uid].requires_confirmation for uid in uids] == [True, True]
    with pytest.raises(ConfirmationRequired):
        await world.services.actions.transitions.complete(bot, CompletePendingAction(id=uids[0]))


@pytest.mark.covers("ACT-40", "REG-20")
async def test_a_type_that_asks_for_an_approval_adds_a_confirmation(world: World) -> None:
    (uid, *_) = await filled(world)
    maintainer = await world.caller(roles=("maintainer",))
    keys = survey(world, id="sign_off", policy_handlers={"completion_guard": "approval_required"})
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=keys), approved=True)
    )
    operator = await world.services.access.operator(world.org)

    await world.services.actions.type_migration.migrate(operator, "survey", "sign_off", {})

    bot = await world.caller()
    moved = (await world.services.actions.service.get(bot, [uid]))[uid]
    assert (moved.type, moved.owner.value, moved.requires_confirmation) == ("sign_off", "agent", True)


@pytest.mark.covers("REG-20")
async def test_former_statuses_are_rewritten_within_a_type(world: World) -> None:
    uids = await filled(world)
    maintainer = await world.caller(roles=("maintainer",))
    asked = survey(
        world,
        allowed_statuses=("pending", "asked", "completed"),
        allowed_transitions={"pending": ("asked",), "asked": ("completed",)},
        former_statuses={"sent": "asked"},
    )
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=asked), approved=True)
    )
    operator = await world.services.access.operator(world.org)

    assert await world.services.actions.type_migration.migrate(operator, "survey", "survey", {}) == 3

    assert [status for _, status, _ in await types_of(world, uids)] == [
        "pending",
        "completed",
        *["asked"] * 3,
    ]
    clean = {**asked, "former_statuses": {}}
    assert (
        await world.services.registry.overrides.register(
            maintainer, RegisterActionType(definition=ActionTypeDraft(keys=clean), approved=True)
        )
    ).version == 3


@pytest.mark.parametrize(
    ("old", "new", "statuses", "error", "said"),
    [
        ("research", "nothing", {}, NotFound, r"no type 'nothing' .*; there are agent_task, .*, user_task$"),
        (
            "reserch",
            "research",
            {},
            NotFound,
            r"no type 'reserch', and no action has it; there are agent_task",
        ),
        (
            "agent_task",
            "research",
            {"sent": "asleep"},
            InvalidInput,
            "research has the statuses pending, in_progress, awaiting_confirmation, blocked",
        ),
        (
            "agent_task",
            "research",
            {"sent": "completed"},
            InvalidInput,
            "sent=completed: one of them is open",
        ),
        (
            "agent_task",
            "research",
            {"completed": "pending"},
            InvalidInput,
            "one of them is open and the other is closed",
        ),
    ],
)
async def test_a_target_that_cannot_be_is_refused(
    world: World,
    operator: Caller,
    old: str,
    new: str,
    statuses: dict[str, str],
    error: type[Exception],
    said: str,
) -> None:
    with pytest.raises(error, match=said):
        await world.services.actions.type_migration.plan(operator, old, new, statuses)


async def test_actions_do_not_move_to_a_deprecated_type(world: World, operator: Caller) -> None:
    maintainer = await world.caller(roles=("maintainer",))
    await world.services.registry.overrides.deprecate(
        maintainer, DeprecateActionType(id="research", replaced_by="agent_task")
    )

    with pytest.raises(NotFound):
        await world.services.actions.type_migration.plan(operator, "agent_task", "research", {})
    plan = await world.services.actions.type_migration.plan(operator, "research", "agent_task", {})
    assert plan.total == 0


async def test_a_migration_stays_in_its_organisation_and_is_for_maintainers(
    world: World, operator: Caller
) -> None:
    uids = await filled(world)
    other = await world.services.access.create_organisation(f"{world.org}-b")
    stranger = await world.services.access.operator(f"{world.org}-b")
    maps = {"sent": "in_progress"}

    assert stranger.org_id == other
    with pytest.raises(NotFound, match="no type 'survey'"):
        await world.services.actions.type_migration.migrate(stranger, "survey", "research", maps)
    with pytest.raises(Forbidden):
        await world.services.actions.type_migration.plan(await world.caller(), "survey", "research", maps)
    with pytest.raises(NotFound):
        await world.services.access.operator("nobody-there")
    assert {type_ for type_, _, _ in await types_of(world, uids)} == {"survey"}
    assert set(operator.writable) >= {(await world.caller()).home, (await world.caller("other")).home}
