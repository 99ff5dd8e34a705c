"""Applies the decisions about observations, inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals import locks
from prefrontal.graph.cortex.goals.record import EvidenceDraft, GoalDraft, GoalOrigin
from prefrontal.graph.cortex.goals.topics import topics_of
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.evaluation.decision import Planner, named_goal, named_key
from prefrontal.graph.evaluation.events import kept_of, kept_traces, promotion_journal
from prefrontal.graph.evaluation.goal_draft import goal_draft
from prefrontal.graph.evaluation.record import Decision, Plan, Reason, Verdict
from prefrontal.graph.evaluation.subjects import slots_of, subjects_of
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.validation import error_path
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.evidence import GoalEvidence
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.embedding.judge import Judge
    from prefrontal.graph.memory.record import Mandate
    from prefrontal.graph.scratch.record import Reviewable
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx


class Enactor:
    """Creates goals from observations, links observations to goals, and archives observations."""

    def __init__(
        self, catalog: Catalog, scratch: ScratchService, goals: GoalService, evidence: GoalEvidence
    ) -> None:
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
        judge: Judge | None = None,
    ) -> Change:
        """Lock observations with their subjects, decide about each, apply the decisions; return the change.

        The result of the change has `verdicts`: one entry per observation with the decision, the reason, the
        importance and the goal's id.

        Args:
            tx: The transaction.
            caller: The caller that evaluates. Observations that the caller may not write to are left out.
            uids: The ids of the observations.
            now: The time of the change.
            turn_id: The turn in which the evaluation happens; each observation's own turn when omitted.
            put_away: Whether expired, resolved and duplicate observations are archived.
            called: The fields of the goal to create. The evaluation must then create exactly one goal.
            judge: What tells by the stored vectors which observations call for something; words do without
                it. A goal that a reviewer describes is wanted, whatever the observations call for.

        Raises:
            InvalidInput: If `called` is given and the evaluation would not create exactly one goal.
        """
        if called is not None:
            judge = None
        encoder = judge.encoder if judge is not None else None
        candidates = await self._scratch.candidates_in(tx, caller, uids, now, encoder=encoder)
        if candidates:
            # Before the goals are read: no other evaluation of the same subject can decide meanwhile.
            keys = {
                (c.observation.scope_id, slot) for c in candidates for slot in self._slots(c, called, judge)
            }
            candidates = await self._scratch.lock_statement_keys(tx, caller, candidates, keys)
        seen = [c.observation for c in candidates]
        table = self._catalog.goals.topics
        active, by_id = await self._goals.known_in(
            tx,
            caller,
            [(o.scope_id, topic) for o in seen for topic in topics_of(o, table)],
            [(o.scope_id, key) for o in seen if (key := named_key(o)) is not None],
            sorted({goal for o in seen if (goal := named_goal(o))}),
        )
        planner = Planner(
            {goal.uid: goal for goal in by_id},
            active,
            self._catalog.evaluation,
            self._catalog.goals,
            put_away=put_away,
            judged=_judged(candidates, judge),
        )
        plan = planner.plan(candidates)
        if called is not None and len(plan.groups) != 1:
            raise InvalidInput(
                f"the review would create {counted(len(plan.groups), 'goal')}, but `goal` describes exactly "
                "one; select the observations of that goal with observationIds",
                field="goal",
            )
        done, goal_ids = await self._found(tx, caller, plan, called, turn_id, now)
        done += await self._join(tx, caller, plan, goal_ids, turn_id, now)
        away = [v.candidate.observation for v in plan.verdicts if v.decision is Decision.ARCHIVE]
        done.append(await self._scratch.put_away_in(tx, caller, away, now, turn_id=turn_id))
        done.append(Change(result={}, traces=kept_traces(kept_of(plan.verdicts), turn_id)))
        return merged(done, {"verdicts": [_row(v, goal_ids) for v in plan.verdicts]})

    def _slots(self, c: Reviewable, called: GoalDraft | None, judge: Judge | None) -> frozenset[str]:
        tables = self._catalog.evaluation, self._catalog.goals.topics
        return slots_of(subjects_of(c, *tables, called, by_phrases=judge is None))

    async def _found(
        self,
        tx: Tx,
        caller: Caller,
        plan: Plan,
        called: GoalDraft | None,
        turn_id: str | None,
        now: datetime,
    ) -> tuple[list[Change], list[str]]:
        """Create one goal per group; return the changes and the ids of the goals."""
        done: list[Change] = []
        goal_ids: list[str] = []
        bound: dict[str, Sequence[Mandate]] = {}
        most = self._catalog.limits.title_characters
        for group in plan.groups:
            turn: str | None = turn_id if turn_id is not None else group.founders[-1].source.turn_id
            draft = goal_draft(group, called, self._catalog.evaluation, most)
            place = await locks.space_beside(tx, caller, draft.parent_goal_id, group.scope_id)
            if place not in bound:
                bound[place] = await self._goals.binding(tx, caller, place)
            # What is wrong with a goal that the caller described is told in the words of the input.
            with error_path("goal" if called is not None else ""):
                change = await self._goals.create_in(
                    tx, caller, draft, place, turn, now, GoalOrigin.PROMOTION, mandates=bound[place]
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
        """Link the observations that join a goal, in the order of the goals' ids; return the changes."""
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


def _judged(candidates: Sequence[Reviewable], judge: Judge | None) -> dict[str, bool]:
    """Return, by id, whether the observations with a vector call for something."""
    if judge is None:
        return {}
    return {c.observation.uid: judge.holds(c.vector) for c in candidates if c.vector is not None}


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
