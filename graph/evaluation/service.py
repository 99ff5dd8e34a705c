"""Use cases of evaluation: add observations and evaluate them at once, or review stored observations later.

Adding and evaluating are separate transactions, so observations are stored even if their evaluation fails
(source 001, §Error Handling). What could not be evaluated is marked in another transaction: the next turn of
the space evaluates it, without being asked. Where even that fails, the next review does.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.cortex.goals.record import GoalDraft
from prefrontal.graph.errors import (
    Forbidden,
    InvalidInput,
    NotFound,
    PrefrontalError,
    TimedOut,
    Unavailable,
    cause_of,
    code_of,
)
from prefrontal.graph.evaluation.apply import Enactor
from prefrontal.graph.evaluation.decision import is_doubtful, needs_the_graph
from prefrontal.graph.evaluation.events import awaiting, kept_traces, message_of
from prefrontal.graph.evaluation.record import (
    Decision,
    EvaluateScratchPage,
    Evaluation,
    FoundedGoalDraft,
    Reason,
    Review,
)
from prefrontal.graph.evaluation.user_question import ContradictionQuestions
from prefrontal.graph.importance import Importance
from prefrontal.graph.journal.commits import of_earlier_calls
from prefrontal.graph.journal.record import Change
from prefrontal.graph.scratch.record import Observation, ObservationStatus
from prefrontal.graph.storage.paging import checked_first, encode_cursor, start_of
from prefrontal.graph.validation import list_problems, raise_all, text_problems

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.evidence import GoalEvidence
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.embedding.prototypes import Prototypes
    from prefrontal.graph.journal.record import Trace
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.record import ObservationDraft
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx

log = structlog.get_logger(__name__)

_OLDEST = "obs_"
"""Sorts before the id of every observation. A review begins here."""


class _Failure(NamedTuple):
    """Why an evaluation failed, and the number of observations that were not evaluated."""

    code: str
    left: int


class EvaluationService:
    """Decides which observations are promoted to goals, kept, or archived."""

    def __init__(
        self,
        catalog: Catalog,
        changes: ChangeWriter,
        scratch: ScratchService,
        goals: GoalService,
        evidence: GoalEvidence,
        questions: QuestionUpserts,
        prototypes: Prototypes,
        *,
        on_add: bool,
    ) -> None:
        """Store the dependencies.

        `on_add` says whether new observations are evaluated when a call to `add` does not say so.
        """
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch
        self._goals = goals
        self._evidence = evidence
        self._enactor = Enactor(catalog, scratch, goals, evidence)
        self.prototypes = prototypes
        self._on_add = on_add
        self._questions = ContradictionQuestions(catalog, scratch, questions)

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
        ask: bool | None = None,
    ) -> tuple[Evaluation, ...]:
        """Store observations in one transaction, evaluate them, and return decisions in order of `drafts`.

        If an evaluation fails, its observations stay stored and active. Their decision is then to keep them,
        with the reason `AWAITS_EVALUATION`: the next turn of the space evaluates them. If that cannot be
        noted either, or if `evaluate` is false, the reason is `NOT_EVALUATED`. Without `evaluate` the
        setting decides whether the observations are evaluated, and without `ask` the registry decides whether
        the user is asked about contradictions.

        Raises:
            InvalidInput: If a draft is not valid; then nothing is stored, and `problems` has every problem.
            Duplicate: If a `client_key` already belongs to another observation.
        """
        wanted = self._on_add if evaluate is None else evaluate
        ends = time.monotonic() + self.prototypes.deadline_s
        stored = await self._scratch.add(
            caller,
            drafts,
            space=space,
            turn_id=turn_id,
            idempotency_key=idempotency_key,
            path=path,
            also=self.doubts if wanted else None,
        )
        if wanted:
            # Both waits for the encoder have one deadline.
            await self.prototypes.calling(ends - time.monotonic())
        return await self.follow_up(
            caller, stored, turn_id=turn_id, idempotency_key=idempotency_key, evaluate=evaluate, ask=ask
        )

    async def prepare(self) -> None:
        """Get ready to judge by meaning, so that no first request has to wait for it. Raises nothing."""
        await self.prototypes.calling()

    async def follow_up(
        self,
        caller: Caller,
        stored: Sequence[Observation],
        *,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
        evaluate: bool | None = None,
        ask: bool | None = None,
    ) -> tuple[Evaluation, ...]:
        """Evaluate observations that were just stored; return the decisions, by the rules of `add`."""
        wanted = self._on_add if evaluate is None else evaluate
        await self._questions.look(caller, [o.uid for o in stored], turn_id=turn_id, ask=ask)
        if not wanted:
            return tuple(_evaluation(o, Decision.KEEP, Reason.NOT_EVALUATED) for o in stored)
        open_ones = [o.uid for o in stored if self._is_open(o)]
        rows, failure = await self._in_batches(
            caller, open_ones, turn_id, idempotency_key, operation="evaluateAdded", put_away=False
        )
        waiting: frozenset[str] = frozenset()
        if failure is not None:
            left = frozenset(open_ones[len(open_ones) - failure.left :])
            waiting = await self._await(caller, [o for o in stored if o.uid in left], failure.code, turn_id)
        made = await self._with_observations(caller, rows) if rows else {}
        return tuple(
            _evaluation(o, Decision.KEEP, Reason.AWAITS_EVALUATION)
            if o.uid in waiting
            else made.get(o.uid) or self._at_once(o)
            for o in stored
        )

    async def _await(
        self, caller: Caller, left: Sequence[Observation], code: str, turn_id: str | None
    ) -> frozenset[str]:
        """Note that observations wait for the next turn; return the ids of those that do."""

        async def work(tx: Tx, now: datetime) -> Change:
            marked = {*await self._scratch.await_evaluation_in(tx, caller, [o.uid for o in left], now)}
            return awaiting([o for o in left if o.uid in marked], code, turn_id)

        try:
            result = await self._changes.write(caller, work, operation="awaitEvaluation")
        except PrefrontalError as error:
            # The database is away, or full: the next review evaluates them.
            log.warning("evaluation_not_awaited", code=error.code, cause=cause_of(error), org=caller.org_key)
            return frozenset()
        return frozenset(result["uids"])

    async def evaluate_awaiting(self, caller: Caller, uids: Sequence[str], turn_id: str | None) -> None:
        """Evaluate observations whose earlier evaluation failed, each once; raises nothing.

        What another call has evaluated meanwhile is left out. What fails again goes to the end of the queue,
        and the others are evaluated all the same.
        """
        judge = await self.prototypes.calling(0)

        async def evaluate(part: Sequence[str]) -> None:
            async def work(tx: Tx, now: datetime) -> Change:
                taken = await self._scratch.take_awaiting_in(tx, caller, part, now)
                if not taken:
                    return Change(result={})
                return await self._enactor.evaluate(
                    tx, caller, taken, now, turn_id, put_away=False, judge=judge
                )

            try:
                await self._changes.write(caller, work, operation="evaluateAwaiting")
            except Exception as error:  # noqa: BLE001 - the turn has to begin in any case
                _log_failure(error, caller, part)
                if isinstance(error, Unavailable | TimedOut):
                    # Each half would be late too, and the turn has its own deadline.
                    return
                if len(part) == 1:
                    await self._await_on(caller, part)
                    return
                half = len(part) // 2
                await evaluate(part[:half])
                await evaluate(part[half:])

        with of_earlier_calls():
            await evaluate(uids)

    async def _await_on(self, caller: Caller, uids: Sequence[str]) -> None:
        """Let observations that wait still wait behind the others; raises nothing."""

        async def work(tx: Tx, now: datetime) -> Change:
            taken = await self._scratch.take_awaiting_in(tx, caller, uids, now)
            await self._scratch.await_evaluation_in(tx, caller, taken, now)
            return Change(result={})

        try:
            await self._changes.write(caller, work, operation="awaitEvaluation")
        except Exception as error:  # noqa: BLE001 - they wait where they are
            _log_failure(error, caller, uids)

    async def review(self, caller: Caller, command: EvaluateScratchPage) -> Review:
        """Evaluate a page of active and resolved observations, oldest first, and apply the decisions.

        Only observations that the caller may write to are evaluated. A long page is evaluated in several
        transactions. If one of them fails, the returned page ends before it, and the page's cursor continues
        from there. The review also settles contradictions: evidence whose contradiction is over now counts
        towards the progress of its goals.

        Raises:
            InvalidInput: If the input is not valid, or if a goal is described and the review would not create
                exactly one goal.
            NotFound: If the space or an observation is unknown or not readable.
            Forbidden: If the space or an observation is readable but not writable.
        """
        require(caller, Permission.WRITE)
        table, turn_id, key = self._catalog.evaluation, command.turn_id, command.idempotency_key
        limit = checked_first(command.first, most=table.most_per_review, default=table.review_page)
        goal = _described(command.goal)
        raise_all(self._problems(caller, command, goal))
        if command.space is not None:
            target_space(caller, command.space)
        uids, more = await self._to_review(caller, command, limit)
        # With a described goal, all observations are evaluated together, because they must give one goal.
        size = len(uids) if goal is not None else table.batch
        judge = await self.prototypes.calling(self.prototypes.deadline_s)

        async def work(tx: Tx, now: datetime) -> Change:
            change = await self._enactor.evaluate(
                tx, caller, uids[:size], now, turn_id, put_away=True, called=goal, judge=judge
            )
            return change.model_copy(update={"result": {**change.result, "uids": uids, "more": more}})

        result = await self._changes.run(caller, command, work)
        # A repeated request continues with the observations of the first call.
        uids, rest = result["uids"], result["uids"][size:] if size else []
        rows, failure = await self._in_batches(
            caller, rest, turn_id, key, operation="evaluateScratchPageBatch", put_away=True
        )
        failed = 0 if failure is None else failure.left
        done = uids[: len(uids) - len(rest)] + rest[: len(rest) - failed]
        # Expiry notifies no goal. A review therefore updates the goals whose contradictions are over.
        await self._evidence.settle(caller, observation_ids=done, turn_id=turn_id)
        await self._questions.look(caller, done, turn_id=turn_id, ask=command.ask)
        evaluations = await self._with_observations(caller, [*result["verdicts"], *rows])
        return Review(
            evaluations=tuple(evaluations.values()),
            cursor=encode_cursor(done[-1]) if done else None,
            has_next=result["more"] or failed > 0,
        )

    async def _to_review(
        self, caller: Caller, command: EvaluateScratchPage, limit: int
    ) -> tuple[list[str], bool]:
        """Return the ids of the observations to review, and whether there are more."""
        if command.observation_ids is not None:
            known = await self._scratch.get(caller, command.observation_ids)
            for number, uid in enumerate(command.observation_ids):
                if uid not in known:
                    raise NotFound("no such observation", field=f"observationIds[{number}]")
                if known[uid].scope_id not in caller.writable:
                    raise Forbidden(
                        "you may read this observation but not change it", field=f"observationIds[{number}]"
                    )
            return list(dict.fromkeys(command.observation_ids)), False
        (start,) = start_of(command.after, _OLDEST)
        scopes = [command.space] if command.space is not None else list(caller.writable)
        found = await self._scratch.reviewable(caller, scopes, after=start, limit=limit + 1)
        return found[:limit], len(found) > limit

    async def _in_batches(
        self,
        caller: Caller,
        uids: Sequence[str],
        turn_id: str | None,
        key: str | None,
        *,
        operation: str,
        put_away: bool,
    ) -> tuple[list[dict[str, Any]], _Failure | None]:
        """Evaluate observations in batches, with one transaction per batch.

        A failed batch is logged and ends the evaluation.

        Returns:
            The verdicts as rows, and what is known of the failure, if there was one.
        """
        size = self._catalog.evaluation.batch
        judge = await self.prototypes.calling(0)
        rows: list[dict[str, Any]] = []
        for start in range(0, len(uids), size):
            part = list(uids[start : start + size])

            async def work(tx: Tx, now: datetime, part: list[str] = part) -> Change:
                return await self._enactor.evaluate(
                    tx, caller, part, now, turn_id, put_away=put_away, judge=judge
                )

            try:
                result = await self._changes.write(
                    caller,
                    work,
                    operation=operation,
                    body=part,
                    idempotency_key=_own_key(key, start) if key is not None else None,
                )
            except Exception as error:  # noqa: BLE001 - whatever it is, the observations stay stored
                return rows, _Failure(_log_failure(error, caller, part), len(uids) - start)
            rows += result["verdicts"]
        return rows, None

    async def _with_observations(
        self, caller: Caller, rows: Sequence[dict[str, Any]]
    ) -> dict[str, Evaluation]:
        """Return the decisions with the current state of their observations, by observation id."""
        now = await self._scratch.get(caller, [row["uid"] for row in rows])
        return {
            row["uid"]: _evaluation(
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
        """Tell whether the decision about a new observation needs data from the graph."""
        return o.status is ObservationStatus.ACTIVE and needs_the_graph(
            o, self._catalog.evaluation, by_phrases=not self.prototypes.possible
        )

    def _at_once(self, o: Observation) -> Evaluation:
        """Return the decision about a new observation that was not evaluated against the graph."""
        doubt = is_doubtful(o, self._catalog.evaluation, by_phrases=not self.prototypes.possible)
        if o.status is ObservationStatus.EXPIRED:
            return _evaluation(o, Decision.KEEP, Reason.EXPIRED)
        if self._is_open(o) or doubt is None:
            return _evaluation(o, Decision.KEEP, Reason.NOT_EVALUATED)
        return _evaluation(o, Decision.KEEP, doubt)

    def doubts(self, new: Sequence[Observation]) -> tuple[Trace, ...]:
        """Return the trace entries of new observations that cannot found a goal."""
        doubtful = [
            (o, doubt)
            for o in new
            if o.status is ObservationStatus.ACTIVE
            and not self._is_open(o)
            and (doubt := is_doubtful(o, self._catalog.evaluation)) is not None
        ]
        return kept_traces(doubtful, None)

    def _problems(
        self, caller: Caller, command: EvaluateScratchPage, goal: GoalDraft | None
    ) -> list[InvalidInput]:
        limits, ids = self._catalog.limits, command.observation_ids
        problems: list[InvalidInput] = []
        if ids is not None:
            if not ids:
                problems.append(InvalidInput("at least one observation", field="observationIds"))
            most = self._catalog.evaluation.most_per_review
            problems += list_problems(ids, "observationIds", most)
            for number, uid in enumerate(ids[:most]):
                problems += text_problems(uid, f"observationIds[{number}]", limits.key_characters)
        if goal is not None:
            problems += self._goals.problems(caller, goal, "goal")
        return problems + text_problems(command.turn_id, "turnId", limits.key_characters)


def _described(goal: FoundedGoalDraft | None) -> GoalDraft | None:
    """Return the draft of the goal that a review is to create."""
    if goal is None:
        return None
    return GoalDraft(**{name: getattr(goal, name) for name in goal.model_fields_set})


def _evaluation(
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


def _log_failure(error: Exception, caller: Caller, uids: Sequence[str]) -> str:
    """Log that an evaluation failed, and return why; the message of an error could contain content."""
    code = code_of(error)
    cause = cause_of(error) if isinstance(error, PrefrontalError) else code
    log.warning("evaluation_failed", code=code, cause=cause, org=caller.org_key, observations=list(uids))
    return code


def _own_key(key: str, start: int) -> str:
    """Return the idempotency key of one batch of evaluation, derived from the request's key."""
    return f"evaluate:{hashlib.sha256(key.encode()).hexdigest()}:{start}"
