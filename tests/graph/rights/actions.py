"""What is tried with pending actions."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    CompletePendingAction,
    ConfirmPendingAction,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.history.record import AuditFilter
from tests.graph.rights.stage import READ, WRITE, Stage, Target, operation, taken_back
from tests.support.lists import all_of


@operation(READ, READ)
async def action_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.actions.service.get(caller, [target.action])


@operation(READ, READ)
async def action_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.actions.service.of_goals(caller, [target.goal])).get(target.goal)


@operation(READ, READ)
async def action_pages_of_goal(stage: Stage, caller: Caller, target: Target) -> Any:
    return await all_of(stage.services.actions.service.by_goal, caller, [target.goal])


@operation(READ, READ)
async def action_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.actions.service.list(caller, ActionFilter(type=("reminder",)), first=100)
    return [action for action in page.items if action.uid == target.action]


@operation(READ, READ)
async def action_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.action)).items


@operation(READ, READ)
async def action_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.action, stage.world.clock.now())


@operation(READ, READ)
async def action_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.action))).items


async def upsert_action(stage: Stage, caller: Caller, **entry: Any) -> Any:
    fields = entry.pop("fields", {})
    upsert = PendingActionUpsert(**fields, **entry)
    (done,) = await stage.services.actions.upsert.upsert(caller, UpsertPendingActions(actions=(upsert,)))
    if done.problem is not None:
        raise Refused(done.problem.code)
    return done.action


class Refused(PrefrontalError):
    """A refusal that came as the result of an entry."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code  # type: ignore[misc]


@operation(WRITE, WRITE)
async def action_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_action(stage, caller, goal_id=target.goal, fields={"title": "n"})


@operation(WRITE, WRITE)
async def action_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await upsert_action(stage, caller, id=target.action, fields={"title": "n"})


@operation(WRITE, WRITE)
async def action_transition(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.actions.transitions.transition(
        caller, TransitionPendingAction(id=target.action, status="in_progress")
    )


@operation(WRITE, WRITE)
async def action_complete(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.actions.transitions.complete(caller, CompletePendingAction(id=target.action))


@operation(WRITE, WRITE, user=True)
async def action_confirm(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.actions.transitions.confirm(caller, ConfirmPendingAction(id=target.action))


@operation(WRITE, WRITE, revised=True)
async def action_revert(stage: Stage, caller: Caller, target: Target) -> Any:
    return await taken_back(stage, caller, target.action)
