"""Does what is decided of observations, inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals.record import EvidenceDraft, GoalDraft, GoalOrigin
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.evaluation.decision import Planner, named_goal
from prefrontal.graph.evaluation.events import kept_of, kept_traces, promotion_journal
from prefrontal.graph.evaluation.goal_draft import goal_draft
from prefrontal.graph.evaluation.record import Decision, Plan, Reason, Verdict
from prefrontal.graph.journal.record import Change, merged

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.evidence import GoalEvidence
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx


class Enactor:
    """Founds goals, links what joins them, and puts away what is over."""

    def __init__(
        self, catalog: Catalog, scratch: ScratchService, goals: GoalService, evidence: GoalEvidence
    ) -> None:
        """Take the use cases it is made of."""
        self._catalog = catalog
        self._scratch = scratch
        self._goals = goals
        self._evidence = evidence

    async def evaluate(
        self,
        tx: Tx,
        caller: Caller,
        uids: Sequence[str],
        now: datetime,
        turn_id: str | None,
        *,
        put_away: bool,
        called: GoalDraft | None = None,
    ) -> Change:
        """Look at observations under lock, decide, and do what was decided; the result has `verdicts`.

        Args:
            tx: The transaction.
            caller: Who evaluates; observations that it may not write to are left out.
            uids: The observations.
            now: The time of the change.
            turn_id: The turn in which it happens; each observation's own when omitted.
            put_away: Whether what is over is archived.
            called: What the one goal is to be that is founded.

        Raises:
            InvalidInput: `called` is given and not exactly one goal would be founded.
        """
        candidates = await self._scratch.candidates_in(tx, caller, uids, now)
        scopes = sorted({c.observation.scope_id for c in candidates})
        named = sorted({goal for c in candidates if (goal := named_goal(c.observation))})
        active, by_id = await self._goals.known_in(tx, caller, scopes, named)
        planner = Planner(
            {goal.uid: goal for goal in by_id},
            active,
            self._catalog.evaluation,
            self._catalog.goals,
            put_away=put_away,
        )
        plan = planner.plan(candidates)
        if called is not None and len(plan.groups) != 1:
            raise InvalidInput(
                f"the review would found {len(plan.groups)} goals, and `goal` describes one; "
                "name its observations in observationIds",
                field="goal",
            )
        done, goal_ids = await self._found(tx, caller, plan, called, turn_id, now)
        done += await self._join(tx, caller, plan, goal_ids, turn_id, now)
        away = [v.candidate.observation for v in plan.verdicts if v.decision is Decision.ARCHIVE]
        done.append(await self._scratch.put_away_in(tx, caller, away, now, turn_id=turn_id))
        done.append(Change(result={}, traces=kept_traces(kept_of(plan.verdicts), turn_id)))
        return merged(done, {"verdicts": [_row(v, goal_ids) for v in plan.verdicts]})

    async def _found(
        self,
        tx: Tx,
        caller: Caller,
        plan: Plan,
        called: GoalDraft | None,
        turn_id: str | None,
        now: datetime,
    ) -> tuple[list[Change], list[str]]:
        """Create the goal of every group; return the journal and the goals' ids."""
        done: list[Change] = []
        goal_ids: list[str] = []
        most = self._catalog.limits.title_characters
        for group in plan.groups:
            turn: str | None = turn_id if turn_id is not None else group.founders[-1].source.turn_id
            draft = goal_draft(group, called, self._catalog.evaluation, most)
            change = await self._goals.create_in(
                tx, caller, draft, group.scope_id, turn, now, GoalOrigin.PROMOTION
            )
            goal_ids.append(str(change.result["uid"]))
            trace, events = promotion_journal(group.founders, goal_ids[-1], turn, founded=True)
            done += [Change(result={}, traces=(trace,), events=events), change]
        return done, goal_ids

    async def _join(
        self,
        tx: Tx,
        caller: Caller,
        plan: Plan,
        goal_ids: Sequence[str],
        turn_id: str | None,
        now: datetime,
    ) -> list[Change]:
        """Link what joins a goal, old or new, in the order of the goals' ids; return the journal."""
        joining: dict[str, list[Verdict]] = {}
        for verdict in plan.verdicts:
            if verdict.reason is Reason.JOINED_GOAL:
                joining.setdefault(_goal_of(verdict, goal_ids) or "", []).append(verdict)
        done: list[Change] = []
        for goal_id, verdicts in sorted(joining.items()):
            members = [v.candidate.observation for v in verdicts]
            turn = turn_id if turn_id is not None else members[-1].source.turn_id
            change = await self._evidence.join(
                tx,
                caller,
                goal_id,
                [EvidenceDraft(observation_id=o.uid) for o in members],
                now,
                turn_id=turn,
                founders=frozenset(v.candidate.observation.uid for v in verdicts if v.founder),
            )
            trace, events = promotion_journal(members, goal_id, turn, founded=False)
            done += [Change(result={}, traces=(trace,), events=events), change]
        return done


def _goal_of(verdict: Verdict, goal_ids: Sequence[str]) -> str | None:
    return goal_ids[verdict.group] if verdict.group is not None else verdict.goal_id


def _row(verdict: Verdict, goal_ids: Sequence[str]) -> dict[str, Any]:
    return {
        "uid": verdict.candidate.observation.uid,
        "decision": verdict.decision.value,
        "reason": verdict.reason.value,
        "importance": verdict.importance.model_dump(),
        "goal_id": _goal_of(verdict, goal_ids),
    }
