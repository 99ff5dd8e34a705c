"""The use case that commits a turn as a whole (source 004, §Turn Finalization Sequence; decision G-133).

    completion     what the turn has done is gathered: its calls, observations, errors and budgets
    evaluation     whether it succeeded, what went wrong, what it teaches, what happens again and again
    selection      what is worth remembering, and the StateExport
    memory_commit  the four stores, in one transaction (`parts`)
    publication    the StateExport, for those who are told, in the same transaction
    finalization   the end of the turn with its timings, in the same transaction

If the part of one store fails, the transaction is run again without it, and the part is stored instead, to be
tried again: some times at once, and then by the next commit of the space (`recovery`). So nothing of a turn
is lost and nothing is done twice. A turn's status is `completing` and `ready_for_commit` only on the way to
this transaction; it shows `complete`, and its trace says when it passed through the others.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog
from pydantic import ValidationError

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.errors import InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import NAME_LASTS, Change, Trace, TurnRef, merged
from prefrontal.graph.journal.turns import enter_turn
from prefrontal.graph.lessons.record import Evaluation, Pattern
from prefrontal.graph.lessons.service import PreparedLessons
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import join, lock_membership
from prefrontal.graph.turns import commit_events as events
from prefrontal.graph.turns import store
from prefrontal.graph.turns.apply import CommitContext
from prefrontal.graph.turns.candidates import candidates_of
from prefrontal.graph.turns.commit_record import (
    ArchivedEpisode,
    CandidateDecision,
    CommitResult,
    CommitStore,
    CommitTurn,
    GatheredTurn,
    PendingCommit,
    Phase,
    PhaseTiming,
    Rule,
    StateDecision,
    StoredExport,
    StoreResult,
    StoreStatus,
    ToolCall,
    status_of,
)
from prefrontal.graph.turns.export_record import Provenance
from prefrontal.graph.turns.exporting import published, staged, summary_of
from prefrontal.graph.turns.parts import (
    ASSISTANT,
    USER,
    CommitParts,
    Outcomes,
    Part,
    StoreFailed,
    calls_of,
    finding_in,
    selected_of,
    store_of,
)
from prefrontal.graph.turns.record import CommitStatus, Delta, TurnAction
from prefrontal.graph.turns.selection import selected
from prefrontal.graph.validation import raise_all, with_path

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.lessons.reflection import Evaluator, Reflector
    from prefrontal.graph.lessons.service import LessonService
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.tools.service import ToolService
    from prefrontal.graph.turns.commit import TurnCommits
    from prefrontal.graph.turns.export_record import StateExport
    from prefrontal.graph.turns.recovery import CommitRecovery
    from prefrontal.graph.turns.trace import TurnTrace

log = structlog.get_logger(__name__)

FOLLOW_UP = "follow-up"
"""The key of the delta that says what to do after a turn that failed."""


class _OtherTurnError(Exception):
    """The commit is one of another turn than the one that was gathered; nothing was written."""

    def __init__(self, uid: str) -> None:
        super().__init__(uid)
        self.uid = uid


class _Watch:
    """Measures the phases, each from the end of the one before."""

    def __init__(self) -> None:
        self.phases: dict[Phase, float] = {}
        self._since = time.perf_counter()

    def end(self, phase: Phase) -> None:
        """End a phase; one that runs again is measured anew."""
        now = time.perf_counter()
        self.phases[phase] = round((now - self._since) * 1000, 3)
        self._since = now

    @property
    def timings(self) -> tuple[PhaseTiming, ...]:
        """The phases that have ended."""
        return tuple(PhaseTiming(phase=phase, milliseconds=took) for phase, took in self.phases.items())


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is known and decided of a turn before anything is written."""

    command: CommitTurn
    gathered: GatheredTurn
    late: tuple[str, ...]
    """The ids of the calls that the command brings."""
    evaluation: Evaluation
    patterns: tuple[Pattern, ...]
    decided: tuple[CandidateDecision, ...]
    deltas: tuple[Delta, ...]
    part: Part
    export: StateExport
    vectors: Vectors
    ready_at: datetime


@dataclass(slots=True)
class _Attempt:
    """One attempt to commit: without some stores, because their parts failed."""

    failed_stores: dict[CommitStore, str] = field(default_factory=dict)
    """By store why its part failed."""
    refused: list[tuple[str | None, str]] = field(default_factory=list)
    runs: int = 0
    left: set[str] = field(default_factory=set)
    """The ids of turns of which an earlier part failed again."""

    def status(self, stores: Iterable[StoreResult], turn_uid: str) -> CommitStatus:
        """Return how much of a turn was committed, with what of it was kept before."""
        found = status_of(stores)
        return CommitStatus.PARTIAL if found is CommitStatus.OK and turn_uid in self.left else found


class TurnFinalization:
    """Commits turns in six phases."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        commits: TurnCommits,
        parts: CommitParts,
        recovery: CommitRecovery,
        *,
        goals: GoalService,
        tools: ToolService,
        memory: MemoryService,
        outcomes: Outcomes,
        lessons: LessonService,
        turns: TurnTrace,
        embeddings: Embeddings,
        access_log: AccessLog,
        evaluator: Evaluator,
        reflector: Reflector,
        doubts: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
        on_phase: Callable[[str, float], None] | None = None,
        on_store: Callable[[str, str], None] | None = None,
    ) -> None:
        """Store the dependencies of the use case.

        `doubts` returns the trace entries of new observations that can found no goal.
        `on_phase` is called with each phase and its seconds, `on_store` with each store and its status, for
        metrics.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._commits = commits
        self._parts = parts
        self._recovery = recovery
        self._goals = goals
        self._tools = tools
        self._memory = memory
        self._outcomes = outcomes
        self._lessons = lessons
        self._turns = turns
        self._embeddings = embeddings
        self._access_log = access_log
        self._evaluator = evaluator
        self._reflector = reflector
        self._doubts = doubts
        self._on_phase = on_phase
        self._on_store = on_store

    async def commit(self, caller: Caller, command: CommitTurn) -> CommitResult:
        """Commit a turn; a new name begins it. What arrives twice is done once.

        With an idempotency key the same call returns the first result. Without one, each delta, message,
        outcome and memory is still stored once in its turn; a further call is a further commit of the turn,
        with an export of its own.

        Raises:
            InvalidInput: If a field is not valid.
            Forbidden: If the space is readable but not writable.
            NotFound: If the session, or the goal of a call, an event or an error, is unknown or not readable.
            Conflict: If the turn is in another session, or the key was used with another input.
            IllegalTransition: If the session has ended, and the turn is not in it.
            Duplicate: If the `client_key` of a call belongs to another call.
        """
        require(caller, Permission.WRITE)
        scope_id = target_space(caller, command.space)
        raise_all(self._problems(command))
        watch, attempt = _Watch(), _Attempt()
        plan = await self._planned(caller, command, scope_id, command.turn_id, watch)
        if plan.gathered.pending:
            attempt.left |= await self._recovery.recover(caller, plan.gathered.pending)
        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            while True:
                try:
                    result = await self._run(caller, plan, scope_id, attempt, watch)
                    break
                except StoreFailed as failed:
                    attempt.failed_stores[CommitStore(failed.store)] = failed.code
                except _OtherTurnError as other:
                    plan = await self._planned(caller, command, scope_id, other.uid, watch)
        return await self._done(caller, plan, result, attempt, watch)

    def _problems(self, command: CommitTurn) -> list[InvalidInput]:
        problems = [
            *limit_problems(command, self._catalog.limits),
            *self._commits.problems(command, command.deltas),
        ]
        for number, draft in enumerate(command.tool_invocations):
            problems += self._tools.problems(draft, f"toolInvocations[{number}]")
        if command.feedback is not None and command.outcome is None:
            problems.append(InvalidInput("say the outcome that it is about", field="outcome"))
        return problems

    async def _planned(
        self, caller: Caller, command: CommitTurn, scope_id: str, turn: str, watch: _Watch
    ) -> _Plan:
        """Return what is known and decided of a turn, by its name or its id; writes nothing."""
        completed_at = self._clock.now()
        gathered, known_texts = await self._gathered(caller, command, scope_id, turn, completed_at)
        late = tuple(new_ids(Kind.TOOL_INVOCATION, completed_at, len(command.tool_invocations)))
        gathered = gathered.model_copy(
            update={"called": (*gathered.called, *self._late(command, gathered, late))}
        )
        ready_at = self._clock.now()
        watch.end(Phase.COMPLETION)

        success = _succeeded(command, gathered.called)
        finding = finding_in(command, gathered.turn_uid or "", gathered.called, success=success)
        evaluation = await self._evaluator.evaluate(finding)
        recent = [finding_in(_SILENT, uid, calls, success=True) for uid, calls in gathered.recent if calls]
        patterns = await self._reflector.patterns([finding, *recent])
        lessons, delta_results = PreparedLessons(), None
        if command.outcome is not None:
            uncounted = tuple(each for each in gathered.called if not each.counted)
            delta_results = finding.model_copy(update={"calls": calls_of(uncounted)})
            lessons = await self._lessons.prepare(caller, delta_results, caller.home)
        command = self._followed_up(command, gathered, evaluation)
        watch.end(Phase.EVALUATION)

        decided = tuple(
            selected(candidates_of(command, gathered, self._catalog, known_texts), self._catalog.retention)
        )
        part = Part(
            command=command,
            kept=selected_of(decided),
            began_at=gathered.began_at or completed_at,
            completed_at=completed_at,
            finding=delta_results,
            lessons=lessons,
        )
        try:
            export = self._staged(
                caller,
                command,
                gathered,
                decided,
                success=evaluation.success,
                export_id=new_id(Kind.STATE_EXPORT, completed_at)[-26:],
                scope_id=scope_id,
                completed_at=completed_at,
            )
        except ValidationError as error:
            raise InvalidInput(f"the turn cannot be exported: {error.error_count()} problems") from error
        watch.end(Phase.SELECTION)
        deltas = tuple(command.deltas)
        texts = [text for draft in command.tool_invocations for text in self._tools.texts(draft)]
        vectors = await self._embeddings.before_writing([*self._parts.texts(part, deltas), *texts])
        return _Plan(
            command=command,
            gathered=gathered,
            late=late,
            evaluation=evaluation,
            patterns=patterns,
            decided=decided,
            deltas=deltas,
            part=part,
            export=export,
            vectors=vectors,
            ready_at=ready_at,
        )

    async def _gathered(
        self, caller: Caller, command: CommitTurn, scope_id: str, turn: str, now: datetime
    ) -> tuple[GatheredTurn, frozenset[str]]:
        """Return what the turn has done, and which of its texts the space remembers already."""
        table, limits = self._catalog.turns, self._catalog.limits

        async def work(tx: Tx) -> tuple[GatheredTurn, frozenset[str]]:
            found = await store.gather(
                tx,
                caller,
                turn,
                oldest=self._tools.oldest(),
                most=limits.list_items,
                active_statuses=list(self._catalog.goals.active_statuses),
                goals=table.compared_goals,
                recent=table.recent_turns,
                pending=table.pending_commits,
            )
            passed = found.began_at is not None and found.began_at <= now - NAME_LASTS
            if passed and found.turn_uid != turn:
                # The name is free again: the write will begin another turn.
                found = GatheredTurn(goals=found.goals, recent=found.recent, pending=found.pending)
            texts = [each.content for each in candidates_of(command, found, self._catalog)]
            known = (
                await self._memory.remembered_in(tx, caller, scope_id, texts, now) if texts else frozenset()
            )
            return found, known

        return await self._database.read(work)

    def _late(self, command: CommitTurn, gathered: GatheredTurn, uids: Sequence[str]) -> list[ToolCall]:
        """Return the calls that the command brings and that the turn does not have yet."""
        keys = {each.client_key for each in gathered.called if each.client_key is not None}
        found = []
        for draft, uid in zip(command.tool_invocations, uids, strict=True):
            if draft.client_key in keys:
                continue
            response, result = self._tools.prepared(draft)
            found.append(
                ToolCall(
                    origin=uid,
                    tool=draft.tool,
                    parameters=draft.parameters or {},
                    error=response.error,
                    preview=result.preview,
                    digest=result.digest,
                    milliseconds=draft.execution_time_ms or 0,
                    called_at=draft.called_at,
                    goal_uid=draft.goal_id,
                    client_key=draft.client_key,
                )
            )
        return found

    def _followed_up(self, command: CommitTurn, gathered: GatheredTurn, evaluation: Evaluation) -> CommitTurn:
        """Return the command, with a further action if the evaluation asks for one."""
        if not (command.follow_up and evaluation.follow_up):
            return command
        goals = [each.goal_uid for each in gathered.called if each.error is not None and each.goal_uid]
        active = {goal.uid for goal in gathered.goals}
        goal = next((uid for uid in goals if uid in active), None)
        action = TurnAction(
            title=evaluation.follow_up[: self._catalog.limits.title_characters],
            type=self._catalog.evaluation.first_action.type,
            key=FOLLOW_UP,
            **({"goal_id": goal} if goal else {}),
        )
        return command.model_copy(update={"new_actions": (*command.new_actions, action)})

    def _staged(
        self,
        caller: Caller,
        command: CommitTurn,
        gathered: GatheredTurn,
        decided: Sequence[CandidateDecision],
        archived: Sequence[ArchivedEpisode] = (),
        *,
        success: bool,
        export_id: str,
        scope_id: str,
        completed_at: datetime,
    ) -> StateExport:
        return staged(
            command,
            gathered,
            decided,
            archived,
            export_id=export_id,
            turn_id=gathered.turn_uid or command.turn_id,
            agent_id=caller.actor_id,
            space_id=scope_id,
            success=success,
            completed_at=completed_at,
        )

    async def _run(
        self, caller: Caller, plan: _Plan, scope_id: str, attempt: _Attempt, watch: _Watch
    ) -> dict[str, Any]:
        command = plan.command

        async def work(tx: Tx, now: datetime) -> Change:
            attempt.refused.clear()
            attempt.runs += 1
            place = await lock_membership(tx, caller, command.session_id, command.turn_id, now)
            turn = await enter_turn(tx, caller, place.turn, now, ends=True, taking=place.takes_name)
            if plan.gathered.turn_uid != turn.uid and turn.created_at < now:
                # In its session, or since a moment ago, the name stands for another turn.
                raise _OtherTurnError(turn.uid)
            await join(tx, caller, place, turn.uid, turn.session_uid, now)
            session = place.session or turn.session_uid
            turn = turn.model_copy(update={"session_uid": session})
            end = CommitContext(tx, caller, scope_id, turn.handle, now, plan.vectors, attempt.refused)
            await self._check_goals(tx, caller, command)
            tracked = await self._tracked(tx, caller, plan, turn, now)
            changes: list[Change] = [tracked]
            traces: list[Trace] = []
            delta_results: dict[str, dict[str, Any]] = {}
            results: dict[CommitStore, dict[str, Any]] = {}
            for part in CommitStore:
                if part in attempt.failed_stores:
                    traces.append(
                        events.failed(part, attempt.failed_stores[part], 1, turn.handle, caller.home)
                    )
                    continue
                deltas = [delta for delta in plan.deltas if store_of(delta) is part]
                change = await self._parts.commit(part, end, turn, plan.part, deltas, again=attempt.runs > 1)
                changes.append(change)
                traces.append(events.stored(part, turn.handle, caller.home))
                results[part] = change.result
                delta_results |= {
                    delta.path: each for delta, each in zip(deltas, change.result["results"], strict=True)
                }
            watch.end(Phase.MEMORY_COMMIT)
            whole = merged(changes, {"noticed": tracked.result["observations"]})
            return await self._finished(
                tx, caller, plan, scope_id, attempt, turn, whole, traces, results, delta_results, watch, now
            )

        return await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)

    def _settled(
        self,
        caller: Caller,
        plan: _Plan,
        command: CommitTurn,
        episodic: Mapping[str, Any],
        scope_id: str,
    ) -> StateExport:
        """Return the export as it is after the stores have decided, without what has no room."""
        decided = [
            each.model_copy(update={"rule": _rule_of(each.candidate.origin, each.rule, episodic)})
            for each in plan.decided
        ]
        archived = [ArchivedEpisode.model_validate(each) for each in episodic.get("archived", ())]
        return self._staged(
            caller,
            command,
            plan.gathered,
            decided,
            archived,
            success=plan.evaluation.success,
            export_id=plan.export.export_id,
            scope_id=scope_id,
            completed_at=plan.part.completed_at,
        )

    async def _check_goals(self, tx: Tx, caller: Caller, command: CommitTurn) -> None:
        """Raise `NotFound` if an event or an error names a goal that the caller cannot read."""
        lists = {"events": command.events, "errors": command.errors}
        named = {
            f"{name}[{number}]": draft.goal_id
            for name, drafts in lists.items()
            for number, draft in enumerate(drafts)
            if draft.goal_id is not None
        }
        if not named:
            return
        readable = await self._goals.find_in(tx, caller, sorted({*named.values()}))
        for path, uid in named.items():
            if uid not in readable:
                raise NotFound("no such goal", field=f"{path}.goalId")

    async def _tracked(self, tx: Tx, caller: Caller, plan: _Plan, turn: TurnRef, now: datetime) -> Change:
        drafts = plan.command.tool_invocations
        if not drafts:
            return Change(result={"observations": []})
        done = await self._tools.track_in(
            tx, caller, drafts, turn, now, uids=plan.late, vectors=plan.vectors, also=self._doubts
        )
        for number, each in enumerate(done):
            if isinstance(each, PrefrontalError):
                raise with_path(each, f"toolInvocations[{number}]")
        tracked = [each for each in done if isinstance(each, Change)]
        return merged(
            tracked,
            {
                "observations": [
                    uid for each in tracked if each.result["created"] for uid in each.result["observations"]
                ]
            },
        )

    async def _finished(
        self,
        tx: Tx,
        caller: Caller,
        plan: _Plan,
        scope_id: str,
        attempt: _Attempt,
        turn: TurnRef,
        written: Change,
        traces: Sequence[Trace],
        results: dict[CommitStore, dict[str, Any]],
        delta_results: dict[str, dict[str, Any]],
        watch: _Watch,
        now: datetime,
    ) -> Change:
        """Store the export and the end of the turn, and return the whole change."""
        episodic = results.get(CommitStore.EPISODIC, {})
        selection = _selection(plan.decided, episodic)
        stores = [
            StoreResult(
                store=part,
                status=StoreStatus.PENDING if part in attempt.failed_stores else StoreStatus.COMMITTED,
                attempts=1,
                code=attempt.failed_stores.get(part),
            )
            for part in CommitStore
        ]
        outcome = episodic.get("outcome")
        gone = results.get(CommitStore.CONVERSATION, {}).get("forgotten", ())
        command = plan.command
        if gone:
            # Texts that were forgotten in the space do not come back.
            command = command.model_copy(update={_SPEAKER_LABELS[speaker]: None for speaker in gone})
        export = plan.export
        if gone or any(episodic.get(name) for name in ("forgotten", "crowded_out", "archived")):
            export = self._settled(caller, plan, command, episodic, scope_id)
        judged = [delta_results.get(delta.path) for delta in plan.deltas]
        export = published(
            export.model_copy(
                update={
                    "turn_id": turn.uid,
                    "provenance": Provenance(
                        turn_id=turn.uid, session_id=turn.session_uid, space_id=scope_id, outcome_id=outcome
                    ),
                }
            ),
            plan.deltas,
            judged,
            stores,
            summary_of(
                command,
                plan.gathered.called,
                judged,
                success=plan.evaluation.success,
                most=self._catalog.turns.summary_characters,
            ),
        )
        body = export.text()
        stored = StoredExport(
            uid=f"{Kind.STATE_EXPORT.value}_{export.export_id}",
            scope_id=caller.home,
            turn_uid=turn.uid,
            body=body,
            digest=hashlib.sha256(body.encode()).hexdigest(),
            created_at=now,
            by_uid=caller.actor_id,
        )
        pending = self._pending(caller, plan, scope_id, attempt, turn, now)
        watch.end(Phase.PUBLICATION)
        final_at = self._clock.now()
        await store.finish(
            tx,
            caller,
            turn.uid,
            {
                "completed_at": plan.part.completed_at,
                "final_at": final_at,
                "commit_status": attempt.status(stores, turn.uid).value,
                "summary": export.conversation_update.turn_summary,
            },
            stored,
            pending,
        )
        watch.end(Phase.FINALIZATION)
        statuses = {
            "completing": plan.part.completed_at,
            "ready_for_commit": plan.ready_at,
            "complete": final_at,
        }
        journal = [
            Change(
                result={},
                traces=(
                    events.evaluated(plan.evaluation, plan.patterns, turn.handle, caller.home),
                    events.chosen(selection, turn.handle, caller.home),
                ),
            ),
            written,
            Change(result={}, traces=tuple(traces)),
            events.finished(stored, stores, watch.timings, statuses, turn.handle, final_at),
        ]
        return merged(
            journal,
            {
                "turn": turn.handle,
                "turn_uid": turn.uid,
                "deltas": delta_results,
                "outcome": outcome,
                "noticed": written.result.get("noticed", []),
                "export": stored.uid,
                "selection": [each.model_dump(mode="json") for each in selection],
                "pending": {each.store: each.uid for each in pending},
                "phases": [each.model_dump(mode="json") for each in watch.timings],
            },
        )

    def _pending(
        self,
        caller: Caller,
        plan: _Plan,
        scope_id: str,
        attempt: _Attempt,
        turn: TurnRef,
        now: datetime,
    ) -> list[PendingCommit]:
        uids = new_ids(Kind.PENDING_COMMIT, now, len(attempt.failed_stores))
        failed = [part for part in CommitStore if part in attempt.failed_stores]
        return [
            PendingCommit(
                uid=uid,
                scope_id=caller.home,
                turn_uid=turn.uid,
                turn_id=turn.handle,
                store=part,
                status=StoreStatus.PENDING,
                attempts=1,
                code=attempt.failed_stores[part],
                payload=plan.part.payload(part, scope_id),
                created_at=now,
                updated_at=now,
                by_uid=caller.actor_id,
            )
            for uid, part in zip(uids, failed, strict=True)
        ]

    async def _done(
        self, caller: Caller, plan: _Plan, result: dict[str, Any], attempt: _Attempt, watch: _Watch
    ) -> CommitResult:
        """Try again what failed, and return what the commit did, in its present state."""
        delta_results: dict[str, dict[str, Any]] = dict(result["deltas"])
        selection = [StateDecision.model_validate(each) for each in result["selection"]]
        outcome_uid = result["outcome"]
        stores = {
            part: StoreResult(store=part, status=StoreStatus.COMMITTED, attempts=1) for part in CommitStore
        }
        for done in await self._recovery.retry(caller, list(result["pending"].values())):
            part = CommitStore(done.store)
            stores[part] = StoreResult(store=part, status=done.status, attempts=done.attempts, code=done.code)
            delta_results |= done.results
            if part is CommitStore.EPISODIC:
                outcome_uid = outcome_uid or done.result_of_part.get("outcome")
                selection = [_with(each, done.result_of_part) for each in selection]
        deltas = [delta for delta in plan.deltas if delta.path in delta_results]
        await self._commits.committed(
            caller,
            deltas,
            [delta_results[delta.path] for delta in deltas],
            attempt.refused,
            result["turn"],
            plan.command,
            noticed=result.get("noticed", ()),
            due=[each.uid for each in plan.gathered.noticed if each.due and each.uid],
        )
        if attempt.runs:
            # The result of an earlier call with the same key was counted by that call.
            self._count(watch.timings, stores.values())
        async with self._database.read_transaction():
            results = await self._commits.results(
                caller, deltas, [delta_results[delta.path] for delta in deltas]
            )
            results = tuple(
                each.model_copy(update={"path": "followUp"}) if each.key == FOLLOW_UP else each
                for each in results
            )
            turn = (await self._turns.get_by_ids(caller, [result["turn_uid"]])).get(result["turn_uid"])
            outcomes = await self._outcomes.get(caller, [outcome_uid]) if outcome_uid else {}
        if turn is None:
            raise NotFound("no such turn", field="turnId")
        return CommitResult(
            turn=turn,
            status=attempt.status(stores.values(), result["turn_uid"]),
            results=results,
            outcome=outcomes.get(outcome_uid or ""),
            evaluation=plan.evaluation,
            patterns=plan.patterns,
            selection=tuple(selection),
            stores=tuple(stores[part] for part in CommitStore),
            phases=tuple(PhaseTiming.model_validate(each) for each in result["phases"]),
            export_id=result["export"],
        )

    def _count(self, timings: Iterable[PhaseTiming], stores: Iterable[StoreResult]) -> None:
        if self._on_phase is not None:
            for timing in timings:
                self._on_phase(timing.phase.value, timing.milliseconds / 1000)
        if self._on_store is not None:
            for result in stores:
                self._on_store(result.store.value, result.status.value)


_SPEAKER_LABELS = {USER: "user_input", ASSISTANT: "assistant_response"}
_SILENT = CommitTurn(turn_id="")
"""A commit that says nothing: the earlier turns are looked at for their calls alone."""


def _succeeded(command: CommitTurn, called: Sequence[ToolCall]) -> bool:
    """Return what the client says, or else whether nothing failed that was not made up for."""
    if command.outcome is not None:
        return command.outcome.success
    last = called[-1] if called else None
    return not command.errors and (last is None or last.error is None)


def _selection(decided: Sequence[CandidateDecision], episodic: Mapping[str, Any]) -> list[StateDecision]:
    return [
        _with(
            StateDecision(
                type=each.candidate.type,
                origin=each.candidate.origin,
                retention=each.candidate.retention,
                importance=each.candidate.importance,
                rule=each.rule,
            ),
            episodic,
        )
        for each in decided
    ]


def _with(selected: StateDecision, episodic: Mapping[str, Any]) -> StateDecision:
    """Return a decision with what the episodic store has made of it."""
    rule = _rule_of(selected.origin, selected.rule, episodic)
    origin = selected.origin or ""
    memory = episodic.get("memories", {}).get(origin, selected.memory)
    archived = [each["uid"] for each in episodic.get("archived", ()) if each["for_origin"] == origin]
    changes = {"rule": rule, "memory": None if rule else memory, "archived": (*selected.archived, *archived)}
    return selected.model_copy(update=changes)


def _rule_of(origin: str | None, rule: Rule | None, episodic: Mapping[str, Any]) -> Rule | None:
    """Return what leaves a piece of state out once the episodic store has decided; None if nothing does."""
    if (origin or "") in episodic.get("forgotten", ()):
        return Rule.FORGOTTEN
    return Rule.QUOTA if (origin or "") in episodic.get("crowded_out", ()) else rule
