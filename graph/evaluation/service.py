"""Use cases of evaluation: observations are added and looked at, or reviewed later.

Adding and evaluating are two transactions: what was noticed is stored whatever becomes of the goal
(source 001, §Error Handling), and an evaluation that failed is made up for by the next review.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import structlog

from graph.access.record import Permission
from graph.access.rules import require
from graph.checks import list_problems, raise_all, text_problems
from graph.cortex.goals.record import EvidenceDraft, GoalDraft, GoalOrigin
from graph.errors import InvalidInput, NotFound, PrefrontalError
from graph.evaluation.deciding import Planner, is_doubtful, named_goal, needs_the_graph
from graph.evaluation.drafting import goal_draft
from graph.evaluation.record import Decision, Evaluation, Importance, Plan, Reason, Review, Verdict
from graph.evaluation.telling import kept_of, kept_traces, message_of, promotion_journal
from graph.journal.record import Change, Trace, merged
from graph.scratch.record import Observation, ObservationStatus
from graph.storage.paging import checked_first, decode_cursor, encode_cursor

if TYPE_CHECKING:
    from datetime import datetime

    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.cortex.goals.moving import GoalMoves
    from graph.cortex.goals.service import GoalService
    from graph.journal.service import ChangeWriter
    from graph.scratch.record import ObservationDraft
    from graph.scratch.service import ScratchService
    from graph.storage.unit_of_work import Tx

log = structlog.get_logger(__name__)

_OLDEST = "obs_"
"""Sorts before every observation's id: where a review begins."""


class EvaluationService:
    """Decides which observations become goals, which stay and which are put away."""

    def __init__(
        self,
        catalog: Catalog,
        changes: ChangeWriter,
        scratch: ScratchService,
        goals: GoalService,
        moves: GoalMoves,
        *,
        on_add: bool,
    ) -> None:
        """Take what every use case needs, and whether what is added is evaluated unless told otherwise."""
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch
        self._goals = goals
        self._moves = moves
        self._on_add = on_add

    async def add(
        self,
        caller: Caller,
        drafts: Sequence[ObservationDraft],
        *,
        space: str | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
        path: str = "observations",
        evaluate: bool | None = None,
    ) -> tuple[Evaluation, ...]:
        """Store observations, all or none, and return each with what was decided of it, in the order given.

        An evaluation that fails leaves the observations stored and active; its decision is then to keep
        them, because they were not evaluated yet. Without `evaluate` the setting decides; where nothing is
        evaluated, that is the reason given.

        Raises:
            InvalidInput: Some drafts are wrong; all complaints are in `problems`.
            Duplicate: A `client_key` is taken by another observation.
        """
        wanted = self._on_add if evaluate is None else evaluate
        stored = await self._scratch.add(
            caller,
            drafts,
            space=space,
            turn_id=turn_id,
            idempotency_key=idempotency_key,
            path=path,
            also=self._doubts if wanted else None,
        )
        if not wanted:
            return tuple(_said(o, Decision.KEEP, Reason.NOT_EVALUATED) for o in stored)
        open_ones = [o for o in stored if self._is_open(o)]
        made = await self._evaluated(caller, open_ones, turn_id, idempotency_key)
        return tuple(made.get(o.uid) or self._at_once(o) for o in stored)

    async def review(
        self,
        caller: Caller,
        *,
        space: str | None = None,
        observation_ids: Sequence[str] | None = None,
        goal: GoalDraft | None = None,
        first: int | None = None,
        after: str | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Review:
        """Decide of active and resolved observations, oldest first, and do what was decided.

        Evidence among them, or contradicted by them, counts from now on if it waited for the end of that.

        Args:
            caller: Who reviews: what it may write is looked at.
            space: Only this one; all writable spaces when omitted.
            observation_ids: Only these.
            goal: What the goal is to be that the review founds; its evidence comes from the review.
            first: How many at most, up to `review_page` of `registry/evaluation.yaml`.
            after: The cursor of the page before.
            turn_id: The turn in which it happens.
            idempotency_key: Makes the call happen once, however often it is sent.

        Raises:
            InvalidInput: Some input is wrong, or `goal` is given and not exactly one goal would be founded.
            NotFound: The space or an observation is unknown, not readable or not writable.
        """
        require(caller, Permission.WRITE)
        most = self._catalog.evaluation.review_page
        limit = checked_first(first, most=most, default=most)
        self._check(observation_ids, goal, turn_id)
        if space is not None and space not in caller.writable:
            raise NotFound("no such space that you may write to", field="space")
        start = str(decode_cursor(after, str)[0]) if after is not None else _OLDEST
        if observation_ids is not None:
            uids, more = list(dict.fromkeys(observation_ids)), False
        else:
            scopes = [space] if space is not None else list(caller.writable)
            found = await self._scratch.reviewable(caller, scopes, after=start, limit=limit + 1)
            uids, more = found[:limit], len(found) > limit

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._evaluate(
                tx, caller, uids, now, turn_id, put_away=True, called=goal, all_of=observation_ids is not None
            )

        result = await self._changes.write(
            caller,
            work,
            operation="evaluateScratchPage",
            body=[
                space,
                list(observation_ids) if observation_ids is not None else None,
                goal.model_dump(mode="json") if goal else None,
                first,
                after,
                turn_id,
            ],
            idempotency_key=idempotency_key,
        )
        # Expiry calls nobody, so a review is where goals hear that a contradiction is over.
        await self._moves.settle(caller, observation_ids=uids, turn_id=turn_id)
        evaluations = await self._told(caller, result["verdicts"])
        return Review(
            evaluations=tuple(evaluations.values()),
            cursor=encode_cursor(uids[-1]) if uids else None,
            has_next=more,
        )

    async def _evaluated(
        self, caller: Caller, observations: Sequence[Observation], turn_id: str | None, key: str | None
    ) -> dict[str, Evaluation]:
        """Evaluate what was just added, a batch per transaction; what failed is left out and logged."""
        size = self._catalog.evaluation.batch
        made: dict[str, Evaluation] = {}
        for start in range(0, len(observations), size):
            uids = [o.uid for o in observations[start : start + size]]

            async def work(tx: Tx, now: datetime, uids: list[str] = uids) -> Change:
                return await self._evaluate(tx, caller, uids, now, turn_id, put_away=False)

            try:
                result = await self._changes.write(
                    caller,
                    work,
                    operation="evaluateAdded",
                    body=uids,
                    idempotency_key=_own_key(key, start) if key is not None else None,
                )
                made |= await self._told(caller, result["verdicts"])
            except PrefrontalError as error:
                # They are stored and stay active: the next review evaluates them.
                log.warning(
                    "evaluation_failed",
                    code=error.code,
                    cause=str(error),
                    org=caller.org_key,
                    observations=uids,
                )
        return made

    async def _evaluate(
        self,
        tx: Tx,
        caller: Caller,
        uids: Sequence[str],
        now: datetime,
        turn_id: str | None,
        *,
        put_away: bool,
        called: GoalDraft | None = None,
        all_of: bool = False,
    ) -> Change:
        """Look at observations under lock, decide, and do what was decided."""
        candidates = await self._scratch.candidates_in(tx, caller, uids, now)
        if all_of:
            known = {c.observation.uid for c in candidates}
            for number, uid in enumerate(uids):
                if uid not in known:
                    raise NotFound(
                        "no such observation that you may write to", field=f"observationIds[{number}]"
                    )
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
            change = await self._moves.join(
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

    async def _told(self, caller: Caller, rows: Sequence[dict[str, Any]]) -> dict[str, Evaluation]:
        """Return decisions with the observations as they are now."""
        now = await self._scratch.get(caller, [row["uid"] for row in rows])
        return {
            row["uid"]: _said(
                now[row["uid"]],
                Decision(row["decision"]),
                Reason(row["reason"]),
                Importance.model_validate(row["importance"]),
                row["goal_id"],
            )
            for row in rows
            if row["uid"] in now
        }

    def _is_open(self, o: Observation) -> bool:
        """Tell whether the graph has to be asked what becomes of a new observation."""
        return o.status is ObservationStatus.ACTIVE and needs_the_graph(o, self._catalog.evaluation)

    def _at_once(self, o: Observation) -> Evaluation:
        """Return what became of an observation that was added and is not open, or not evaluated."""
        doubt = is_doubtful(o, self._catalog.evaluation)
        if o.status is ObservationStatus.EXPIRED:
            return _said(o, Decision.KEEP, Reason.EXPIRED)
        if self._is_open(o) or doubt is None:
            return _said(o, Decision.KEEP, Reason.NOT_EVALUATED)
        return _said(o, Decision.KEEP, doubt)

    def _doubts(self, new: Sequence[Observation]) -> tuple[Trace, ...]:
        """Return what the trace says of new observations that cannot found a goal."""
        doubtful = [
            (o, doubt)
            for o in new
            if o.status is ObservationStatus.ACTIVE
            and not self._is_open(o)
            and (doubt := is_doubtful(o, self._catalog.evaluation)) is not None
        ]
        return kept_traces(doubtful, None)

    def _check(
        self, observation_ids: Sequence[str] | None, goal: GoalDraft | None, turn_id: str | None
    ) -> None:
        limits = self._catalog.limits
        problems: list[InvalidInput] = []
        if observation_ids is not None:
            if not observation_ids:
                problems.append(InvalidInput("at least one observation", field="observationIds"))
            problems += list_problems(observation_ids, "observationIds", self._catalog.evaluation.review_page)
        if goal is not None:
            problems += self._goals.problems(goal, "goal")
        if turn_id is not None:
            problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)


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


def _said(
    o: Observation,
    decision: Decision,
    reason: Reason,
    importance: Importance | None = None,
    goal_id: str | None = None,
) -> Evaluation:
    return Evaluation(
        observation=o,
        decision=decision,
        reason=reason,
        message=message_of(reason),
        importance=importance,
        goal_id=goal_id,
    )


def _own_key(key: str, start: int) -> str:
    """Return the key of the evaluation that belongs to an add under `key`."""
    return f"evaluate:{hashlib.sha256(key.encode()).hexdigest()}:{start}"
