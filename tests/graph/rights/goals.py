"""What is tried with goals."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.caller import Actor, Caller
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    GoalDraft,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateEvidence,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.history.record import AuditFilter
from tests.graph.rights.stage import ADMIN, NOBODY, READ, WRITE, Stage, Target, operation, taken_back
from tests.support.lists import all_of, evidence_of


@operation(READ, READ)
async def goal_read(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.get(caller, [target.goal])


@operation(READ, READ)
async def goal_list(stage: Stage, caller: Caller, target: Target) -> Any:
    page = await stage.services.goals.service.list(caller, first=100)
    return [goal for goal in page.items if goal.uid == target.goal]


@operation(READ, READ)
async def goal_lineage(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.lineage(caller, target.goal)


@operation(READ, READ)
async def goal_lineage_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.lineage(caller, target.goal, at=stage.world.clock.now())


# A share is of goals; what they rest on stays where it was noted.
@operation(READ)
async def goal_evidence(stage: Stage, caller: Caller, target: Target) -> Any:
    return await evidence_of(stage.services, caller, [target.goal])


@operation(READ, READ)
async def goal_parent(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.parents_of(caller, [target.goal])


@operation(READ, READ)
async def goal_children(stage: Stage, caller: Caller, target: Target) -> Any:
    found = await all_of(stage.services.goals.service.children, caller, [stage.top])
    return [goal for goal in found.get(stage.top, ()) if goal.uid == target.goal]


@operation(READ, READ)
async def goal_origins(stage: Stage, caller: Caller, target: Target) -> Any:
    return await all_of(stage.services.goals.service.origins, caller, [target.goal])


# As its evidence: the observation has to be readable as well.
@operation(READ)
async def goals_of_an_observation(stage: Stage, caller: Caller, target: Target) -> Any:
    return await all_of(stage.services.goals.service.supported, caller, [target.observation])


@operation(READ, READ)
async def goal_history(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.service.history(caller, target.goal)).items


@operation(READ, READ)
async def goal_as_of(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.history.service.as_of(caller, target.goal, stage.world.clock.now())


@operation(READ, READ)
async def goal_audit(stage: Stage, caller: Caller, target: Target) -> Any:
    return (await stage.services.history.audit.page(caller, AuditFilter(entity_id=target.goal))).items


@operation(WRITE)
async def goal_create(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.create(caller, CreateGoal(title="n", space=stage.space))


@operation(WRITE)
async def goal_create_below(stage: Stage, caller: Caller, target: Target) -> Any:
    draft = GoalDraft(title="n", parent_goal_id=target.goal)
    return await stage.services.goals.service.create(caller, CreateGoal(**dict(draft), space=stage.space))


# The child is the reader's own, in the reader's own space; one who shares the goal adds to it where it is.
@operation(READ, WRITE, writes=True)
async def goal_create_below_of_ones_own(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.service.create(
        caller, CreateGoal(title="n", parent_goal_id=target.goal)
    )


@operation(WRITE, WRITE)
async def goal_change(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.upsert.upsert(caller, UpsertGoal(title="n", id=target.goal))


@operation(WRITE, WRITE)
async def goal_transition(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.transitions.transition(
        caller, TransitionGoal(id=target.goal, status=GoalStatus.BLOCKED)
    )


@operation(WRITE, WRITE)
async def goal_archive(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.transitions.transition(
        caller, TransitionGoal(id=target.goal, status=GoalStatus.ARCHIVED)
    )


@operation(WRITE, WRITE)
async def goal_progress(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=target.goal, delta=0.1)])
    )


# The observation has to be readable as well.
@operation(WRITE, WRITE, beside=READ)
async def goal_link(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.evidence.link(
        caller, LinkObservation(goal_id=target.goal, observation_id=target.observation)
    )


@operation(WRITE, WRITE, beside=READ)
async def goal_unlink(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.evidence.unlink(
        caller, UnlinkObservation(goal_id=target.goal, observation_id=target.observation)
    )


@operation(WRITE, WRITE, beside=READ)
async def goal_update_evidence(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.evidence.update(
        caller, UpdateEvidence(goal_id=target.goal, observation_id=target.observation, note="so it is")
    )


@operation(ADMIN, ADMIN)
async def goal_share(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.sharing.share(
        caller, ShareGoal(goal_id=target.goal, actor=Actor(kind=NOBODY[0], key=NOBODY[1]), permission=READ)
    )


@operation(ADMIN, ADMIN, revised=True)
async def goal_unshare(stage: Stage, caller: Caller, target: Target) -> Any:
    return await stage.services.goals.sharing.unshare(
        caller, UnshareGoal(goal_id=target.goal, actor=Actor(kind=NOBODY[0], key=NOBODY[1]))
    )


# To what it was when its evidence had been linked: that is not taken back.
@operation(WRITE, WRITE, revised=True)
async def goal_revert(stage: Stage, caller: Caller, target: Target) -> Any:
    return await taken_back(stage, caller, target.goal, 2)
