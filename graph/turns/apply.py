"""Applies the deltas of a turn commit inside its transaction, each with the use case that it belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, cast

from prefrontal.graph.cortex.actions.record import ActionDone, PendingActionUpsert
from prefrontal.graph.cortex.goals.record import ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    Conflict,
    Expired,
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    OwnerViolation,
    PrefrontalError,
)
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.turns.events import refused
from prefrontal.graph.turns.record import Delta, DeltaKind
from prefrontal.graph.validation import problem_in, problem_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.cortex.actions.transitions import ActionTransitions
    from prefrontal.graph.cortex.actions.upsert import ActionUpserts
    from prefrontal.graph.cortex.goals.transitions import GoalTransitions
    from prefrontal.graph.cortex.questions.upsert import QuestionUpserts
    from prefrontal.graph.storage.unit_of_work import Tx

_REFUSALS = (
    InvalidInput,
    NotFound,
    Forbidden,
    Conflict,
    Expired,
    IllegalTransition,
    OwnerViolation,
    ConfirmationRequired,
    ActionBlocked,
)


@dataclass(frozen=True, slots=True)
class Ending:
    """One attempt to commit a turn."""

    tx: Tx
    caller: Caller
    scope_id: str
    turn_id: str
    now: datetime
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
    ) -> None:
        """Store the use cases that apply the kinds of delta."""
        self._goal_moves = goal_moves
        self._action_upserts = action_upserts
        self._action_moves = action_moves
        self._question_upserts = question_upserts

    async def apply(self, end: Ending, run: Sequence[Delta]) -> list[Change]:
        """Apply deltas that belong to one run; return for each a change with its result and its journal."""
        wrong = [self._wrong(delta) for delta in run]
        right = [delta for delta, problems in zip(run, wrong, strict=True) if not problems]
        match run[0].body:
            case ProgressDelta():
                done = await self._progress(end, right)
            case PendingActionUpsert():
                done = await self._upserts(end, right)
            case _:
                done = [await self._alone(end, delta) for delta in right]
        rest = iter(done)
        return [
            refused(delta, problem_of(problem_in(problems), ""), end.turn_id) if problems else next(rest)
            for delta, problems in zip(run, wrong, strict=True)
        ]

    def _wrong(self, delta: Delta) -> list[InvalidInput]:
        """Return what is wrong with a delta, as far as the input alone shows it."""
        match delta.body:
            case ProgressDelta() as step:
                return self._goal_moves.progress_problems(step, delta.path)
            case ActionDone() as done:
                return self._action_moves.completion_problems(done)
            case PairDraft() as pair:
                return self._question_upserts.problems(pair)
            case _:
                # The other fields of an action are validated by the upsert use case.
                return _misnamed(delta)

    async def _progress(self, end: Ending, run: Sequence[Delta]) -> list[Change]:
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

    async def _upserts(self, end: Ending, run: Sequence[Delta]) -> list[Change]:
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

    async def _alone(self, end: Ending, delta: Delta) -> Change:
        seen: list[str] = []
        try:
            match delta.body:
                case ActionDone() as done:
                    change = await self._action_moves.complete_in(
                        end.tx, end.caller, done, end.scope_id, end.turn_id, end.now, seen
                    )
                    result = {"action": change.result["uid"], "repeated": change.result["repeated"]}
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
                    }
        except _REFUSALS as error:
            # The use cases check before they write, so a refused delta has written nothing.
            if isinstance(delta.body, ActionDone):
                end.refused.append((seen[0] if seen else None, error.code))
            return refused(delta, problem_of(error, ""), end.turn_id)
        return change.model_copy(update={"result": result})


def _misnamed(delta: Delta) -> list[InvalidInput]:
    entry = cast("PendingActionUpsert", delta.body)
    unnamed = entry.id is None and entry.client_key is None
    if delta.kind is DeltaKind.UPDATED_ACTION and unnamed:
        return [InvalidInput("name the action by `id` or by `clientKey`", field="id")]
    return []
