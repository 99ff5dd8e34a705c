"""Applies the deltas of a turn commit inside its transaction, each with the use case that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from prefrontal.graph.cortex.actions.record import ActionDone, PendingActionUpsert
from prefrontal.graph.cortex.goals.record import GoalStatus, ProgressDelta, TransitionGoal
from prefrontal.graph.cortex.questions.record import PairDraft
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    Conflict,
    Expired,
    Forbidden,
    Forgotten,
    IllegalTransition,
    InvalidInput,
    NotFound,
    OwnerViolation,
    PrefrontalError,
)
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.memory.record import MemoryDraft
from prefrontal.graph.registry.definitions import COMPLETED
from prefrontal.graph.scratch.record import ObservationDraft, ObservationUpdate
from prefrontal.graph.turns.events import refused
from prefrontal.graph.turns.record import (
    Delta,
    DeltaKind,
    TurnActionStatus,
    TurnGoalDone,
    TurnGoalStatus,
    TurnObservationEnd,
)
from prefrontal.graph.validation import problem_in, problem_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.actions.transitions import ActionTransitions
    from prefrontal.graph.cortex.actions.upsert import ActionUpserts
    from prefrontal.graph.cortex.goals.transitions import GoalTransitions
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.embedding.embeddings import Vectors
    from prefrontal.graph.journal.record import Trace
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.record import Record
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx

_REFUSALS = (
    InvalidInput,
    NotFound,
    Forbidden,
    Conflict,
    Expired,
    Forgotten,
    IllegalTransition,
    OwnerViolation,
    ConfirmationRequired,
    ActionBlocked,
)


@dataclass(frozen=True, slots=True)
class CommitContext:
    """One attempt to commit a turn."""

    tx: Tx
    caller: Caller
    scope_id: str
    turn_id: str
    now: datetime
    vectors: Vectors
    """Those of the texts that the deltas store."""
    refused: list[tuple[str | None, str]] = field(default_factory=list)
    """The action type (or None) and error code of each refused action, for a metric."""


class Applier:
    """Applies deltas; a refused delta writes nothing and does not stop the others."""

    def __init__(
        self,
        goal_moves: GoalTransitions,
        action_upserts: ActionUpserts,
        action_moves: ActionTransitions,
        question_upserts: QuestionUpserts,
        scratch: ScratchService,
        memory: MemoryService,
        *,
        catalog: Catalog,
        doubts: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
    ) -> None:
        """Store the use cases that apply the kinds of delta.

        `doubts` returns the trace entries of new observations that can found no goal.
        """
        self._scratch = scratch
        self._memory = memory
        self._limits = catalog.limits
        self._doubts = doubts
        self._goal_moves = goal_moves
        self._action_upserts = action_upserts
        self._action_moves = action_moves
        self._question_upserts = question_upserts

    async def apply(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        """Apply deltas that belong to one run; return for each a change with its result and its journal."""
        wrong = [self._wrong(delta) for delta in run]
        right = [delta for delta, problems in zip(run, wrong, strict=True) if not problems]
        match run[0].body:
            case ProgressDelta():
                done = await self._progress(end, right)
            case PendingActionUpsert():
                done = await self._upserts(end, right)
            case ObservationDraft():
                done = await self._observations(end, right)
            case MemoryDraft():
                done = await self._memories(end, right)
            case _:
                done = [await self._alone(end, delta) for delta in right]
        rest = iter(done)
        return [
            refused(delta, problem_of(problem_in(problems), ""), end.turn_id) if problems else next(rest)
            for delta, problems in zip(run, wrong, strict=True)
        ]

    def _wrong(self, delta: Delta) -> list[InvalidInput]:  # noqa: PLR0911 - one line for each kind
        """Return what is wrong with a delta, as far as the input alone shows it."""
        match delta.body:
            case ProgressDelta() as step:
                return self._goal_moves.progress_problems(step, delta.path)
            case ActionDone() as done:
                return self._action_moves.completion_problems(done)
            case PairDraft() as pair:
                return self._question_upserts.problems(pair)
            case ObservationDraft() as draft:
                return self._scratch.problems(draft)
            case MemoryDraft() as draft:
                return self._memory.problems(draft)
            case ObservationUpdate() as changes:
                return self._scratch.change_problems(changes)
            case TurnObservationEnd():
                return []
            case TurnGoalStatus() | TurnGoalDone():
                return limit_problems(delta.body, self._limits)
            case _:
                # The other fields of an action are validated by the upsert use case.
                return _misnamed(delta)

    async def _progress(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        steps = [cast("ProgressDelta", delta.body) for delta in run]
        made = (
            await self._goal_moves.progress_in(end.tx, end.caller, steps, end.now, turn_id=end.turn_id)
            if steps
            else []
        )
        done: list[Change] = []
        for delta, change in zip(run, made, strict=True):
            if isinstance(change, PrefrontalError):
                done.append(refused(delta, problem_of(change, ""), end.turn_id))
                continue
            (move,) = change.result["moves"]
            result = {"goal": move["uid"], "before": move["before"], "after": move["after"]}
            done.append(change.model_copy(update={"result": result}))
        return done

    async def _observations(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        drafts = [ObservationDraft(**_given_fields(delta.body, ObservationDraft)) for delta in run]
        made = (
            await self._scratch.add_in(
                end.tx,
                end.caller,
                drafts,
                end.scope_id,
                end.vectors,
                end.now,
                turn_id=end.turn_id,
                also=self._doubts,
            )
            if drafts
            else []
        )
        return _each(end, run, made)

    async def _memories(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        if not run:
            return []
        drafts = [MemoryDraft(**_given_fields(delta.body, MemoryDraft)) for delta in run]
        try:
            made = await self._memory.remember_in(
                end.tx, end.caller, drafts, end.scope_id, end.vectors, end.now, end.turn_id
            )
        except _REFUSALS as error:
            return [refused(delta, problem_of(error, ""), end.turn_id) for delta in run]
        return _each(end, run, made)

    async def _upserts(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        unknown = await self._unknown(end, run)
        found = await self._upserts_of(end, [d for d in run if d.path not in unknown])
        rest = iter(found)
        return [
            refused(delta, problem_of(unknown[delta.path], ""), end.turn_id)
            if delta.path in unknown
            else next(rest)
            for delta in run
        ]

    async def _unknown(self, end: CommitContext, run: Sequence[Delta]) -> dict[str, NotFound]:
        """Return, by path, the errors of updates that name an unknown client key; they create nothing."""
        named = {
            delta.path: delta.body.client_key
            for delta in run
            if delta.kind is DeltaKind.UPDATED_ACTION
            and isinstance(delta.body, PendingActionUpsert)
            and delta.body.id is None
            and delta.body.client_key is not None
        }
        if not named:
            return {}
        known = await self._action_moves.named_in(end.tx, end.caller, end.scope_id, list(named.values()))
        return {
            path: NotFound("no such pending action", field="clientKey")
            for path, key in named.items()
            if key not in known
        }

    async def _upserts_of(self, end: CommitContext, run: Sequence[Delta]) -> list[Change]:
        if not run:
            return []
        entries = [cast("PendingActionUpsert", delta.body) for delta in run]
        paths = [delta.path for delta in run]
        whole = await self._action_upserts.upsert_in(
            end.tx, end.caller, entries, end.scope_id, end.turn_id, end.now, paths, end.refused
        )
        done: list[Change] = []
        for delta, result in zip(run, whole.result["results"], strict=True):
            if "problem" in result:
                done.append(refused(delta, result["problem"], end.turn_id))
            else:
                done.append(Change(result={"action": result["uid"], "created": result["created"]}))
        # The journal of the whole upsert goes with the first delta.
        first = merged([whole, done[0]], done[0].result)
        return [first, *done[1:]]

    async def _alone(self, end: CommitContext, delta: Delta) -> Change:
        seen: list[str] = []
        try:
            match delta.body:
                case ActionDone() as done:
                    to = done.status if isinstance(done, TurnActionStatus) else COMPLETED
                    change = await self._action_moves.complete_in(
                        end.tx, end.caller, done, end.scope_id, end.turn_id, end.now, seen, to
                    )
                    moved = change.result
                    result = {
                        "action": moved["uid"],
                        "status": moved["status"],
                        "repeated": moved["repeated"],
                        "unchanged": moved["repeated"],
                    }
                case TurnGoalStatus() | TurnGoalDone() as goal:
                    status = goal.status if isinstance(goal, TurnGoalStatus) else GoalStatus.COMPLETED
                    command = TransitionGoal(
                        id=goal.id,
                        status=status,
                        reason=goal.reason,
                        expected_version=goal.expected_version,
                        turn_id=end.turn_id,
                    )
                    change = await self._goal_moves.transition_in(end.tx, end.caller, command, end.now)
                    result = {"goal": change.result["uid"], "unchanged": not change.events}
                case ObservationUpdate() | TurnObservationEnd() as entry:
                    change = await self._scratch.change_in(
                        end.tx, end.caller, entry, end.vectors, end.now, turn_id=end.turn_id
                    )
                    result = {"observation": entry.id}
                case _:
                    pair = cast("PairDraft", delta.body)
                    change = await self._question_upserts.upsert_in(
                        end.tx, end.caller, pair, end.scope_id, end.turn_id, end.now
                    )
                    made = change.result
                    result = {
                        "question": made["question"],
                        "story": made["story"],
                        "created": made["question_created"] or made["story_created"],
                        "unchanged": not change.events,
                    }
        except _REFUSALS as error:
            # The use cases check before they write, so a refused delta has written nothing.
            if isinstance(delta.body, TurnGoalDone) and error.field == "status":
                # The list that it is in says which status the goal gets.
                error.field = "id"
            if isinstance(delta.body, ActionDone):
                end.refused.append((seen[0] if seen else None, error.code))
            return refused(delta, problem_of(error, ""), end.turn_id)
        return change.model_copy(update={"result": result})


def _each(end: CommitContext, run: Sequence[Delta], made: Sequence[Change | PrefrontalError]) -> list[Change]:
    """Return the change of each delta; that of one with an error is its refusal."""
    return [
        refused(delta, problem_of(change, ""), end.turn_id) if isinstance(change, PrefrontalError) else change
        for delta, change in zip(run, made, strict=True)
    ]


def _given_fields(body: Record, draft: type[Record]) -> dict[str, Any]:
    """Return the fields of a delta's body that were given and that the draft has."""
    return {name: getattr(body, name) for name in body.model_fields_set if name in draft.model_fields}


def _misnamed(delta: Delta) -> list[InvalidInput]:
    entry = cast("PendingActionUpsert", delta.body)
    unnamed = entry.id is None and entry.client_key is None
    if delta.kind is DeltaKind.UPDATED_ACTION and unnamed:
        return [InvalidInput("name the action by `id` or by `clientKey`", field="id")]
    return []
