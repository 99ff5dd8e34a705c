"""The jobs of actions go by each organisation's own types."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import (
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.jobs.escalation import EscalateActions
from prefrontal.graph.registry.overrides.record import ActionTypeDraft, RegisterActionType
from tests.support.world import World

pytestmark = pytest.mark.alone


async def act(world: World, kind: str, **given: Any) -> str:
    bot = await world.caller()
    draft = PendingActionUpsert(type=kind, title=kind, **given)
    (made,) = await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(draft,)))
    assert made.action
    assert made.action.type == kind
    return made.action.uid


async def escalate(world: World) -> None:
    services = world.services
    job = EscalateActions(services.catalog, services.registry.files, services.questions.upsert)
    assert await services.jobs.run_once(job) is not None


async def escalated(world: World, uids: list[str]) -> list[bool]:
    found = await world.services.actions.service.get(await world.caller(), uids)
    return [found[uid].escalated_at is not None for uid in uids]


@pytest.mark.covers("REG-15")
async def test_an_overdue_action_escalates_as_its_organisations_own_type_says(world: World) -> None:
    maintainer = await world.caller(roles=("maintainer",))
    types = world.services.registry.files
    late = types["reminder"].model_dump() | {
        "default_policies": {"escalation": {"after": "PT2H", "policy": "notify"}},
        "policy_handlers": {},
        "fixtures": (),
    }
    poll = late | {"id": "poll", "default_policies": {"escalation": {"after": "PT0S", "policy": "notify"}}}
    never = types["research"].model_dump() | {"id": "never"}
    for definition in (late, poll, never):
        await world.services.registry.overrides.register(
            maintainer, RegisterActionType(definition=ActionTypeDraft(keys=definition), approved=True)
        )
    due = world.clock.now() + timedelta(minutes=1)
    uids = [await act(world, kind, due_at=due) for kind in ("reminder", "poll", "never")]

    world.clock.advance(hours=1)
    await escalate(world)
    assert await escalated(world, uids) == [False, True, False]

    world.clock.advance(hours=2)
    await escalate(world)
    assert await escalated(world, uids) == [True, True, False]


async def test_a_type_of_one_organisation_says_nothing_of_anothers_actions(world: World) -> None:
    maintainer = await world.caller(roles=("maintainer",))
    silent = world.services.registry.files["reminder"].model_dump() | {
        "default_policies": {},
        "policy_handlers": {},
        "fixtures": (),
    }
    await world.services.registry.overrides.register(
        maintainer, RegisterActionType(definition=ActionTypeDraft(keys=silent), approved=True)
    )
    key = f"{world.org}-b"
    other = World(
        world.services,
        world.clock,
        world.statements,
        key,
        await world.services.access.create_organisation(key),
    )
    due = world.clock.now() + timedelta(minutes=1)
    mine, theirs = await act(world, "reminder", due_at=due), await act(other, "reminder", due_at=due)

    world.clock.advance(hours=1)
    await escalate(world)

    assert await escalated(world, [mine]) == [False]
    assert await escalated(other, [theirs]) == [True]
