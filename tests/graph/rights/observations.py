"""What is tried with observations and spaces."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, Caller
from prefrontal.graph.history.record import AuditFilter
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    ObservationDraft,
    ObservationFilter,
    UpdateObservation,
)
from tests.graph.rights.stage import ADMIN, NOBODY, READ, WRITE, Stage, Target, operation


@operation(READ)
async def observation_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.service.get(caller, [target.observation])


@operation(READ)
async def observation_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.scratch.service.find(caller, ObservationFilter(), first=100)
    return [seen for seen in page.items if seen.uid == target.observation]


@operation(READ)
async def observation_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.observation)).items


@operation(READ)
async def observation_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.observation, stage.world.clock.now())


@operation(READ)
async def observation_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.observation))).items


@operation(WRITE)
async def observation_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.service.add(
        caller, [ObservationDraft(content="n")], space=stage.space
    )


@operation(WRITE)
async def observation_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.service.change(
        caller, UpdateObservation(id=target.observation, content="n")
    )


@operation(WRITE)
async def observation_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.scratch.service.change(caller, ArchiveObservation(id=target.observation))


@operation(ADMIN)
async def space_grant(stage: Stage, caller: Caller, target: Target) -> Any:
    await stage.services.access.grant_access(
        caller, GrantAccess(space=stage.space, actor=Actor(kind=NOBODY[0], key=NOBODY[1]), permission=READ)
    )
    return True
