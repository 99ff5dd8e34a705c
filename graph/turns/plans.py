"""The use case that checks a plan against the mandates before it is carried out (source 000, §Example 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.goals.mandates import plan_with
from prefrontal.graph.cortex.mandates.record import (
    FoundViolation,
    Plan,
    PlanCheck,
    PlanDraft,
    PlanStepDraft,
    Step,
    Violation,
)
from prefrontal.graph.cortex.mandates.rules import texts_of
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.actions.record import PendingAction
    from prefrontal.graph.cortex.actions.service import ActionService
    from prefrontal.graph.cortex.goals.record import Goal
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.cortex.mandates.service import MandateService
    from prefrontal.graph.memory.record import Mandate
    from prefrontal.graph.registry.effective_types import EffectiveTypes
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class PlanChecks:
    """Checks plans and stored goals; writes nothing."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        types: EffectiveTypes,
        goals: GoalService,
        actions: ActionService,
        mandates: MandateService,
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._types = types
        self._goals = goals
        self._actions = actions
        self._mandates = mandates

    async def check(
        self, caller: Caller, plan: PlanDraft, goal_id: str | None = None, space: str | None = None
    ) -> PlanCheck:
        """Return the mandates that a plan violates.

        Args:
            caller: Who would carry it out; its mandates bind it.
            plan: The goal and the steps.
            goal_id: A stored goal. It is checked with its open actions, which come before the steps of the
                plan; the texts of the plan's goal are checked too.
            space: The space that the goal would be in, whose mandates bind it too; that of the stored goal,
                or the caller's own space.

        Raises:
            InvalidInput: If a field is invalid, or there is nothing to check.
            NotFound: If the goal or the space is unknown or not readable.
        """
        require(caller, Permission.READ)
        problems = limit_problems(plan, self._catalog.limits)
        if plan.goal is None and not plan.steps and goal_id is None:
            problems.append(InvalidInput("give a goal, steps or the id of a goal", field="goal"))
        raise_all(problems)
        if space is not None and space not in caller.readable:
            raise NotFound("no such space", field="space")

        async def work(tx: Tx) -> tuple[Goal | None, Sequence[PendingAction], Sequence[Mandate]]:
            if goal_id is None:
                return None, (), await self._mandates.binding(tx, caller, space or caller.home)
            goal = (await self._goals.find_in(tx, caller, [goal_id])).get(goal_id)
            if goal is None:
                raise NotFound("no such goal", field="goalId")
            actions = await self._actions.open_in(tx, caller, [goal_id])
            return goal, actions, await self._mandates.binding(tx, caller, space or goal.scope_id)

        goal, actions, mandates = await self._database.read(work)
        stored = plan_with(goal, actions) if goal is not None else Plan(texts=())
        given = (plan.goal.title, plan.goal.description) if plan.goal is not None else ()
        planned = Plan(
            texts=(*stored.texts, *texts_of(*given)),
            steps=(*stored.steps, *(self._step(caller, step) for step in plan.steps)),
        )
        found = self._mandates.check(mandates, planned)
        violations = tuple(_located(each, [action.uid for action in actions]) for each in found)
        return PlanCheck(violations=violations, checked=len(mandates))

    def _step(self, caller: Caller, step: PlanStepDraft) -> Step:
        """Return a planned step; one whose type asks for a confirmation is not done without it."""
        types = self._types.of(caller)
        kind = types.get(step.action_type) if step.action_type else None
        asks = kind is not None and kind.asks_for_confirmation
        return Step(
            texts=texts_of(step.description),
            action_type=step.action_type,
            parameters=step.parameters or {},
            confirmed=asks,
        )


def _located(violation: Violation, actions: Sequence[str]) -> FoundViolation:
    """Return a violation with the action, or with the place among the given steps, that it is about."""
    place = violation.step
    stored = place is not None and place < len(actions)
    return FoundViolation(
        mandate_id=violation.mandate_id,
        kind=violation.kind,
        step=None if place is None or stored else place - len(actions),
        action_id=actions[place] if place is not None and stored else None,
        reason=violation.reason,
    )
