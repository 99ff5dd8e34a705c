"""Use cases of evaluation: observations are added and looked at, or reviewed later.

Adding and evaluating are two transactions: what was noticed is stored whatever becomes of the goal
(source 001, §Error Handling), and an evaluation that failed is made up for by the next review.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.evaluation.apply import Enactor
from prefrontal.graph.evaluation.decision import is_doubtful, needs_the_graph
from prefrontal.graph.evaluation.events import kept_traces, message_of
from prefrontal.graph.evaluation.record import Decision, Evaluation, Importance, Reason, Review
from prefrontal.graph.evaluation.user_question import ContradictionQuestions
from prefrontal.graph.scratch.record import Observation, ObservationStatus
from prefrontal.graph.storage.paging import checked_first, decode_cursor, encode_cursor
from prefrontal.graph.validation import list_problems, raise_all, text_problems

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.evidence import GoalEvidence
    from prefrontal.graph.cortex.goals.record import GoalDraft
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.journal.record import Change, Trace
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.record import ObservationDraft
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx

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
        evidence: GoalEvidence,
        questions: QuestionUpserts,
        *,
        on_add: bool,
    ) -> None:
        """Take what every use case needs, and whether what is added is evaluated unless told otherwise."""
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch
        self._goals = goals
        self._evidence = evidence
        self._enactor = Enactor(catalog, scratch, goals, evidence)
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
        await self._questions.look(caller, [o.uid for o in stored], turn_id=turn_id)
        if not wanted:
            return tuple(_said(o, Decision.KEEP, Reason.NOT_EVALUATED) for o in stored)
        open_ones = [o.uid for o in stored if self._is_open(o)]
        rows, _ = await self._in_batches(
            caller, open_ones, turn_id, idempotency_key, operation="evaluateAdded", put_away=False
        )
        made = await self._told(caller, rows) if rows else {}
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

        A long page is decided in several transactions. When one of them fails, the answer holds what was
        decided until then, and its cursor leads on from there.
        Evidence that waited for the end of a contradiction counts from now on if it is over.

        Args:
            caller: Who reviews: what it may write is looked at.
            space: Only this one; all writable spaces when omitted.
            observation_ids: Only these.
            goal: What the goal is to be that the review founds; its evidence comes from the review.
            first: How many at most; `registry/evaluation.yaml` has the usual and the largest number.
            after: The cursor of the page before.
            turn_id: The turn in which it happens.
            idempotency_key: Makes the call happen once, however often it is sent.

        Raises:
            InvalidInput: Some input is wrong, or `goal` is given and not exactly one goal would be founded.
            NotFound: The space or an observation is unknown, not readable or not writable.
        """
        require(caller, Permission.WRITE)
        table = self._catalog.evaluation
        limit = checked_first(first, most=table.most_per_review, default=table.review_page)
        self._check(caller, observation_ids, goal, turn_id)
        if space is not None and space not in caller.writable:
            raise NotFound("no such space that you may write to", field="space")
        uids, more = await self._to_review(caller, space, observation_ids, after, limit)
        # A goal that is described is founded by one look at all of them.
        size = len(uids) if goal is not None else table.batch

        async def work(tx: Tx, now: datetime) -> Change:
            change = await self._enactor.evaluate(
                tx, caller, uids[:size], now, turn_id, put_away=True, called=goal
            )
            return change.model_copy(update={"result": {**change.result, "uids": uids, "more": more}})

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
        # Sent again, it goes on with what the first call looked at.
        uids, rest = result["uids"], result["uids"][size:] if size else []
        rows, failed = await self._in_batches(
            caller, rest, turn_id, idempotency_key, operation="evaluateScratchPageBatch", put_away=True
        )
        done = uids[: len(uids) - len(rest)] + rest[: len(rest) - failed]
        # Expiry calls nobody, so a review is where goals hear that a contradiction is over.
        await self._evidence.settle(caller, observation_ids=done, turn_id=turn_id)
        await self._questions.look(caller, done, turn_id=turn_id)
        evaluations = await self._told(caller, [*result["verdicts"], *rows])
        return Review(
            evaluations=tuple(evaluations.values()),
            cursor=encode_cursor(done[-1]) if done else None,
            has_next=result["more"] or failed > 0,
        )

    async def _to_review(
        self,
        caller: Caller,
        space: str | None,
        observation_ids: Sequence[str] | None,
        after: str | None,
        limit: int,
    ) -> tuple[list[str], bool]:
        """Return the ids of what a review looks at, and whether there is more."""
        if observation_ids is not None:
            known = await self._scratch.get(caller, observation_ids)
            for number, uid in enumerate(observation_ids):
                if uid not in known or known[uid].scope_id not in caller.writable:
                    raise NotFound(
                        "no such observation that you may write to", field=f"observationIds[{number}]"
                    )
            return list(dict.fromkeys(observation_ids)), False
        start = str(decode_cursor(after, str)[0]) if after is not None else _OLDEST
        scopes = [space] if space is not None else list(caller.writable)
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
    ) -> tuple[list[dict[str, Any]], int]:
        """Evaluate observations, a batch per transaction; return the verdicts, and how many were not reached.

        What failed is logged and stays as it is: the next review evaluates it.
        """
        size = self._catalog.evaluation.batch
        rows: list[dict[str, Any]] = []
        for start in range(0, len(uids), size):
            part = list(uids[start : start + size])

            async def work(tx: Tx, now: datetime, part: list[str] = part) -> Change:
                return await self._enactor.evaluate(tx, caller, part, now, turn_id, put_away=put_away)

            try:
                result = await self._changes.write(
                    caller,
                    work,
                    operation=operation,
                    body=part,
                    idempotency_key=_own_key(key, start) if key is not None else None,
                )
            except PrefrontalError as error:
                log.warning(
                    "evaluation_failed",
                    code=error.code,
                    cause=str(error),
                    org=caller.org_key,
                    observations=part,
                )
                return rows, len(uids) - start
            rows += result["verdicts"]
        return rows, 0

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
        self,
        caller: Caller,
        observation_ids: Sequence[str] | None,
        goal: GoalDraft | None,
        turn_id: str | None,
    ) -> None:
        limits = self._catalog.limits
        problems: list[InvalidInput] = []
        if observation_ids is not None:
            if not observation_ids:
                problems.append(InvalidInput("at least one observation", field="observationIds"))
            most = self._catalog.evaluation.most_per_review
            problems += list_problems(observation_ids, "observationIds", most)
            for number, uid in enumerate(observation_ids[:most]):
                problems += text_problems(uid, f"observationIds[{number}]", limits.key_characters)
        if goal is not None:
            problems += self._goals.problems(caller, goal, "goal")
        problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)


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
