"""The use case that ends a turn: `commit_at_turn_end` of source 003.

All deltas are one transaction, applied in their order, each judged by itself: what is refused writes nothing
and stops no other. Each happens once in its turn (`graph.cortex.turns.deltas`), so whoever does not know what
arrived sends it again, in whatever portions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from graph.access.record import Permission
from graph.access.rules import require, target_space
from graph.checks import at, list_problems, problem_in, raise_all, text_problems
from graph.cortex.actions.record import ActionDone, ActionUpsert, EntryProblem
from graph.cortex.actions.upserting import problem_of
from graph.cortex.goals.record import ProgressDelta
from graph.cortex.questions.record import PairDraft
from graph.cortex.turns.deltas import body_of, request_of, runs_of
from graph.cortex.turns.record import Delta, DeltaKind, DeltaResult
from graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    Conflict,
    Duplicate,
    Expired,
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    OwnerViolation,
    PrefrontalError,
)
from graph.journal.record import Change, Earlier, Trace, TraceKind, merged

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.cortex.actions.moving import ActionMoves
    from graph.cortex.actions.service import ActionService
    from graph.cortex.actions.upserting import ActionUpserts
    from graph.cortex.goals.moving import GoalMoves
    from graph.cortex.goals.service import GoalService
    from graph.cortex.questions.service import QuestionService
    from graph.cortex.questions.upserting import QuestionUpserts
    from graph.journal.service import ChangeWriter
    from graph.storage.unit_of_work import Database, Tx

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
class _Named:
    """A delta, the key of its result, and the hash of what it says."""

    delta: Delta
    name: str
    body: str


class TurnEnds:
    """Writes down what turns leave behind."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        *,
        goals: GoalService,
        goal_moves: GoalMoves,
        actions: ActionService,
        action_upserts: ActionUpserts,
        action_moves: ActionMoves,
        questions: QuestionService,
        question_upserts: QuestionUpserts,
        on_refused: Callable[[str | None, str], None] | None = None,
    ) -> None:
        """Take what the use case is made of, and what is told type and code of each refused action."""
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._goals = goals
        self._goal_moves = goal_moves
        self._actions = actions
        self._action_upserts = action_upserts
        self._action_moves = action_moves
        self._questions = questions
        self._question_upserts = question_upserts
        self._on_refused = on_refused

    async def commit(
        self,
        caller: Caller,
        turn_id: str,
        deltas: Sequence[Delta],
        *,
        space: str | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[DeltaResult, ...]:
        """Apply the deltas of a turn; return what became of each, in their order.

        Args:
            caller: Whose turn it is.
            turn_id: The turn; one that nobody started is made.
            deltas: What is to be applied, in this order.
            space: Where actions without a goal and questions are made, and keys looked for; the caller's own
                when omitted.
            idempotency_key: Makes the call happen once as a whole. Each delta happens once without it, too.

        Raises:
            InvalidInput: The turn's name or a delta's key is wrong, or there are too many.
            Forbidden: The space is readable but not writable.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(turn_id, deltas))
        scope_id = target_space(caller, space)

        refused: list[tuple[str | None, str]] = []

        async def work(tx: Tx, now: datetime) -> Change:
            # An attempt that is made again begins anew; a call that was made before runs none.
            refused.clear()
            return await self._apply(tx, caller, turn_id, deltas, scope_id, now, refused)

        async def write() -> dict[str, Any]:
            return await self._changes.write(
                caller,
                work,
                operation="commitAtTurnEnd",
                body=[turn_id, scope_id, [[d.path, d.key, body_of(d, scope_id)] for d in deltas]],
                idempotency_key=idempotency_key,
            )

        try:
            told = (await write())["results"]
        except Duplicate:
            # Another writer made something with a key between our look and our write; now it can be seen.
            told = (await write())["results"]
        if self._on_refused is not None:
            for kind, code in refused:
                self._on_refused(kind, code)
        async with self._database.one_read():
            return await self._results(caller, deltas, told)

    async def _apply(
        self,
        tx: Tx,
        caller: Caller,
        turn_id: str,
        deltas: Sequence[Delta],
        scope_id: str,
        now: datetime,
        refused: list[tuple[str | None, str]],
    ) -> Change:
        named = [
            _Named(delta, request_of(delta, turn_id, scope_id), body_of(delta, scope_id)) for delta in deltas
        ]
        firsts: dict[str, _Named] = {}
        for item in named:
            firsts.setdefault(item.name, item)
        hashes = {name: item.body for name, item in firsts.items()}
        earlier = await self._changes.claim_in(tx, caller, hashes, now) if hashes else {}
        new = [item for name, item in firsts.items() if name not in earlier]
        runs = runs_of([item.delta for item in new])
        made = [
            change
            for run in runs
            for change in await self._run(tx, caller, run, scope_id, turn_id, now, refused)
        ]
        done = {item.name: change for item, change in zip(new, made, strict=True)}
        known = {name: Earlier(body_hash=hashes[name], result=c.result) for name, c in done.items()} | earlier
        results = [
            {**known[item.name].result, "repeated": item.name in earlier or item is not firsts[item.name]}
            if known[item.name].body_hash == item.body
            else {"problem": _relative(_other_body(), ""), "repeated": False}
            for item in named
        ]
        change = merged(made, {"results": results})
        return change.model_copy(
            update={
                "turns": (turn_id, *change.turns),
                "requests": {name: change.result for name, change in done.items()},
            }
        )

    async def _run(
        self,
        tx: Tx,
        caller: Caller,
        run: Sequence[Delta],
        scope_id: str,
        turn_id: str,
        now: datetime,
        refused: list[tuple[str | None, str]],
    ) -> list[Change]:
        """Apply deltas that are decided together; return for each what became of it, and its journal."""
        wrong = [self._wrong(delta) for delta in run]
        right = [delta for delta, problems in zip(run, wrong, strict=True) if not problems]
        match run[0].body:
            case ProgressDelta():
                done = await self._progress(tx, caller, right, turn_id, now)
            case ActionUpsert():
                done = await self._upserts(tx, caller, right, scope_id, turn_id, now, refused)
            case _:
                done = [
                    await self._alone(tx, caller, delta, scope_id, turn_id, now, refused) for delta in right
                ]
        rest = iter(done)
        return [
            _refused(delta, problem_in(problems), turn_id) if problems else next(rest)
            for delta, problems in zip(run, wrong, strict=True)
        ]

    def _wrong(self, delta: Delta) -> list[InvalidInput]:
        """Return what is wrong with a delta whatever the graph holds."""
        match delta.body:
            case ProgressDelta() as step:
                return self._goal_moves.progress_problems(step, delta.path)
            case ActionDone() as done:
                return self._action_moves.completion_problems(done)
            case PairDraft() as pair:
                return self._question_upserts.problems(pair)
            case _:
                # The rest is looked through where actions are made and changed.
                return _misnamed(delta)

    async def _progress(
        self, tx: Tx, caller: Caller, run: Sequence[Delta], turn_id: str, now: datetime
    ) -> list[Change]:
        steps = [cast("ProgressDelta", delta.body) for delta in run]
        made = await self._goal_moves.progress_in(tx, caller, steps, now, turn_id=turn_id) if steps else []
        done: list[Change] = []
        for delta, change in zip(run, made, strict=True):
            if isinstance(change, PrefrontalError):
                done.append(_refused(delta, change, turn_id))
                continue
            (move,) = change.result["moves"]
            told = {"goal": move["uid"], "before": move["before"], "after": move["after"]}
            done.append(change.model_copy(update={"result": told}))
        return done

    async def _upserts(
        self,
        tx: Tx,
        caller: Caller,
        run: Sequence[Delta],
        scope_id: str,
        turn_id: str,
        now: datetime,
        refused: list[tuple[str | None, str]],
    ) -> list[Change]:
        if not run:
            return []
        entries = [cast("ActionUpsert", delta.body) for delta in run]
        paths = [delta.path for delta in run]
        whole = await self._action_upserts.upsert_in(
            tx, caller, entries, scope_id, turn_id, now, paths, refused
        )
        done: list[Change] = []
        for delta, told in zip(run, whole.result["results"], strict=True):
            if "problem" in told:
                problem = _relative(told["problem"], delta.path)
                done.append(Change(result={"problem": problem}, traces=(_trace(delta, problem, turn_id),)))
            else:
                done.append(Change(result={"action": told["uid"], "created": told["created"]}))
        # What the journal says of all of them goes with the first.
        first = merged([whole, done[0]], done[0].result)
        return [first, *done[1:]]

    async def _alone(
        self,
        tx: Tx,
        caller: Caller,
        delta: Delta,
        scope_id: str,
        turn_id: str,
        now: datetime,
        refused: list[tuple[str | None, str]],
    ) -> Change:
        seen: list[str] = []
        try:
            match delta.body:
                case ActionDone() as done:
                    change = await self._action_moves.complete_in(
                        tx, caller, done, scope_id, turn_id, now, seen
                    )
                    told = {"action": change.result["uid"]}
                case _:
                    pair = cast("PairDraft", delta.body)
                    change = await self._question_upserts.upsert_in(tx, caller, pair, scope_id, turn_id, now)
                    made = change.result
                    told = {
                        "question": made["question"],
                        "story": made["story"],
                        "created": made["question_created"] or made["story_created"],
                    }
        except _REFUSALS as error:
            # Raised before anything was written: what is judged is judged first.
            if isinstance(delta.body, ActionDone):
                refused.append((seen[0] if seen else None, error.code))
            return _refused(delta, error, turn_id)
        return change.model_copy(update={"result": told})

    async def _results(
        self, caller: Caller, deltas: Sequence[Delta], told: Sequence[dict[str, Any]]
    ) -> tuple[DeltaResult, ...]:
        """Return the results with what they name, as it is now."""

        def named(kind: str) -> list[str]:
            return list(dict.fromkeys(item[kind] for item in told if item.get(kind)))

        goals = await self._goals.get(caller, uids) if (uids := named("goal")) else {}
        actions = await self._actions.get(caller, uids) if (uids := named("action")) else {}
        questions = await self._questions.get(caller, uids) if (uids := named("question")) else {}
        stories = await self._questions.get_stories(caller, uids) if (uids := named("story")) else {}
        return tuple(
            DeltaResult(
                kind=delta.kind,
                path=delta.path,
                repeated=item["repeated"],
                created=item.get("created", False),
                goal=goals.get(item.get("goal", "")),
                before=item.get("before"),
                after=item.get("after"),
                action=actions.get(item.get("action", "")),
                question=questions.get(item.get("question", "")),
                story=stories.get(item.get("story") or ""),
                problem=_placed(item["problem"], delta.path) if "problem" in item else None,
            )
            for delta, item in zip(deltas, told, strict=True)
        )

    def _problems(self, turn_id: str, deltas: Sequence[Delta]) -> list[InvalidInput]:
        limits = self._catalog.limits
        problems = text_problems(turn_id, "turnId", limits.key_characters)
        problems += list_problems(deltas, "deltas", limits.deltas_per_turn_end)
        for delta in deltas[: limits.deltas_per_turn_end]:
            problems += text_problems(delta.key, at(delta.path, "key"), limits.key_characters)
        return problems


def _misnamed(delta: Delta) -> list[InvalidInput]:
    entry = cast("ActionUpsert", delta.body)
    unnamed = entry.uid is None and entry.draft.client_key is None
    if delta.kind is DeltaKind.UPDATED_ACTION and unnamed:
        return [InvalidInput("name the action by `id` or by `clientKey`", field="id")]
    return []


def _refused(delta: Delta, error: PrefrontalError, turn_id: str) -> Change:
    problem = _relative(problem_of(error, ""), delta.path)
    return Change(result={"problem": problem}, traces=(_trace(delta, problem, turn_id),))


def _trace(delta: Delta, problem: dict[str, Any], turn_id: str) -> Trace:
    code = problem["code"]
    # An id that nobody knows, or that is wrong, is foreign text.
    known = code not in (NotFound.code, InvalidInput.code)
    uid = getattr(delta.body, "uid", None) or getattr(delta.body, "goal_id", None)
    return Trace(
        kind=TraceKind.DELTA_REFUSED,
        message="Delta refused",
        ids=(uid,) if known and uid else (),
        details={"delta": delta.kind.value, "code": code},
        turn=turn_id,
    )


def _other_body() -> dict[str, Any]:
    error = Conflict("this key was used in the turn for something else; take another", field="key")
    return problem_of(error, "")


def _relative(problem: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a problem whose fields are those of the entry itself, wherever it stood."""

    def own(field: str | None) -> str | None:
        return field if field is None else field.removeprefix(f"{path}.").removeprefix(".")

    details = [{**each, "field": own(each["field"])} for each in problem["problems"]]
    return {**problem, "field": own(problem["field"]), "problems": details}


def _placed(problem: dict[str, Any], path: str) -> EntryProblem:
    """Return a problem whose fields say where in the input they are."""

    def placed(field: str | None) -> str:
        return at(path, field) if field else path

    details = tuple({**each, "field": placed(each["field"])} for each in problem["problems"])
    return EntryProblem.model_validate({**problem, "field": placed(problem["field"]), "problems": details})
