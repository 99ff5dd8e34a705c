"""The use case that commits a turn: `commit_at_turn_end` of source 003.

All deltas are applied in one transaction, in their order, and each is judged on its own: a refused delta
writes nothing and does not stop the others. Each delta is applied once in its turn (see `delta_identity`), so
a client that does not know what has arrived can send deltas again, in any grouping. A refused delta that is
sent again is judged again; as long as it is refused for the same reason, nothing is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.record import Change, PriorResult, merged
from prefrontal.graph.journal.turns import enter_turn
from prefrontal.graph.memory.record import MemoryDraft
from prefrontal.graph.memory.rules import encoded
from prefrontal.graph.scratch.record import ObservationDraft, ObservationUpdate
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import join, lock_membership
from prefrontal.graph.turns.apply import Applier, CommitContext
from prefrontal.graph.turns.delta_identity import body_of, request_of, runs_of
from prefrontal.graph.turns.events import other_body, relative, with_full_paths, without_refusal
from prefrontal.graph.turns.record import CommitAtTurnEnd, Delta, DeltaKind, DeltaResult
from prefrontal.graph.validation import join_path, list_problems, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import MemoryTable
    from prefrontal.graph.cortex.actions.service import ActionService
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.cortex.questions.service import QuestionService
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.journal.record import TurnRef
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.storage.unit_of_work import Database, Tx


@dataclass(frozen=True, slots=True)
class _IdentifiedDelta:
    """A delta, the key of its stored result, and the hash of its body."""

    delta: Delta
    name: str
    body: str


class FollowUp(Protocol):
    """A use case that evaluates stored observations."""

    async def __call__(
        self,
        caller: Caller,
        stored: Sequence[Observation],
        *,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
        evaluate: bool | None = None,
    ) -> Any:
        """Evaluate the observations if `evaluate`, or else the registry, says so; raises nothing."""
        ...


class TurnCommits:
    """Commits the deltas of turns."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        applier: Applier,
        *,
        goals: GoalService,
        actions: ActionService,
        questions: QuestionService,
        scratch: ScratchService,
        memory: MemoryService,
        embeddings: Embeddings,
        access_log: AccessLog,
        follow_up: FollowUp,
        on_refused: Callable[[str | None, str], None] | None = None,
    ) -> None:
        """Store the dependencies of the use case.

        `follow_up` evaluates the observations of a committed turn.
        `on_refused` is called with the action type (or None) and the error code of each refused action, for a
        metric.
        """
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._applier = applier
        self._goals = goals
        self._actions = actions
        self._questions = questions
        self._scratch = scratch
        self._memory = memory
        self._embeddings = embeddings
        self._access_log = access_log
        self._follow_up = follow_up
        self._on_refused = on_refused

    async def commit(self, caller: Caller, command: CommitAtTurnEnd) -> tuple[DeltaResult, ...]:
        """Apply the deltas of a turn; return one result for each, in the order of the deltas.

        A new turn is created. The space is the one of new questions, of new actions without a goal, and of
        client keys; the caller's own space if omitted. Even without an idempotency key, each delta is applied
        only once.

        Raises:
            InvalidInput: If the turn's id or a delta's key is invalid, or there are too many deltas.
            Forbidden: If the space is readable but not writable.
            NotFound: If the session is unknown or not the caller's.
            Conflict: If the turn is in another session.
            IllegalTransition: If the session has ended, and the turn is not in it.
        """
        require(caller, Permission.WRITE)
        scope_id, deltas = target_space(caller, command.space), command.deltas
        problems = self.problems(command, deltas)
        refused: list[tuple[str | None, str]] = []
        vectors = await self._embeddings.before_writing([] if problems else self.texts(deltas))

        async def work(tx: Tx, now: datetime) -> Change:
            # A retry of the transaction starts with an empty list; a replayed call does not run it at all.
            refused.clear()
            place = await lock_membership(tx, caller, command.session_id, command.turn_id, now)
            turn = await enter_turn(tx, caller, place.turn, now, ends=True, taking=place.takes_name)
            await join(tx, caller, place, turn.uid, turn.session_uid, now)
            end = CommitContext(tx, caller, scope_id, place.turn, now, vectors, refused)
            return await self.apply_in(end, turn, deltas)

        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            done = await self._changes.run(
                caller, command, work, problems=problems, once_more_if_duplicate=True
            )
        results = done["results"]
        await self.committed(caller, deltas, results, refused, done.get("turn", command.turn_id), command)
        async with self._database.read_transaction():
            return await self.results(caller, deltas, results)

    def texts(self, deltas: Sequence[Delta]) -> list[str]:
        """Return the texts of deltas that are stored with vectors."""
        # A longer one will be refused.
        most = 2 * self._catalog.limits.content_characters
        texts = (text for delta in deltas for text in _encoded(delta, self._catalog.memory))
        return [text for text in texts if len(text) <= most]

    async def committed(
        self,
        caller: Caller,
        deltas: Sequence[Delta],
        results: Sequence[dict[str, Any]],
        refused: Sequence[tuple[str | None, str]],
        turn_id: str,
        command: CommitAtTurnEnd,
        *,
        noticed: Sequence[str] = (),
        due: Sequence[str] = (),
    ) -> None:
        """Count refused actions, and evaluate the new observations, after the transaction of the deltas.

        `results` are those of the deltas, `noticed` the ids of further new observations, `due` those of older
        ones that the progress of a goal waits for; they are evaluated in any case. The evaluation has
        transactions of its own, as for `addObservations`: the turn stays committed if it fails.
        """
        if self._on_refused is not None:
            for kind, code in refused:
                self._on_refused(kind, code)
        new = [*noticed]
        new += [
            item["observation"]
            for delta, item in zip(deltas, results, strict=True)
            if delta.kind is DeltaKind.OBSERVATION and "observation" in item and not item["repeated"]
        ]
        stored = await self._scratch.get(caller, [*new, *due]) if new or due else {}
        if new:
            await self._follow_up(
                caller,
                [stored[uid] for uid in new if uid in stored],
                turn_id=turn_id,
                idempotency_key=command.idempotency_key,
            )
        if due:
            # Without a key: what was evaluated is evidence, and no longer due.
            await self._follow_up(
                caller, [stored[uid] for uid in due if uid in stored], turn_id=turn_id, evaluate=True
            )

    async def apply_in(self, end: CommitContext, turn: TurnRef, deltas: Sequence[Delta]) -> Change:
        """Apply deltas of an entered turn inside a transaction, each once.

        The result of the change has one entry for each delta (`results`) and what the turn is known by
        (`turn`).
        """
        named = _identified(deltas, end.scope_id, turn.deltas_of)
        firsts: dict[str, _IdentifiedDelta] = {}
        for item in named:
            firsts.setdefault(item.name, item)
        hashes = {name: item.body for name, item in firsts.items()}
        earlier = await self._changes.claim_in(end.tx, end.caller, hashes, end.now) if hashes else {}
        refused = {name: prior for name, prior in earlier.items() if "problem" in prior.result}
        new = [item for name, item in firsts.items() if name not in earlier or name in refused]
        runs = runs_of([item.delta for item in new])
        changes = [change for run in runs for change in await self._applier.apply(end, run)]
        known = dict(earlier)
        made: list[Change] = []
        requests: dict[str, PriorResult] = {}
        for item, change in zip(new, changes, strict=True):
            result = PriorResult(body_hash=item.body, result=change.result)
            if item.name in refused and refused[item.name] == result:
                made.append(without_refusal(change))
                continue
            made.append(change)
            known[item.name] = requests[item.name] = result
        results = [
            {
                **known[item.name].result,
                "repeated": item.name not in requests
                or item is not firsts[item.name]
                or known[item.name].result.get("repeated", False),
            }
            if known[item.name].body_hash == item.body
            else {"problem": relative(other_body(), ""), "repeated": False}
            for item in named
        ]
        change = merged(made, {"results": results, "turn": end.turn_id})
        return change.model_copy(update={"turns": (end.turn_id, *change.turns), "requests": requests})

    async def results(
        self, caller: Caller, deltas: Sequence[Delta], results: Sequence[dict[str, Any]]
    ) -> tuple[DeltaResult, ...]:
        """Return the results of deltas with the present state of the nodes that they name."""

        def named(kind: str) -> list[str]:
            return list(dict.fromkeys(item[kind] for item in results if item.get(kind)))

        notes = await self._scratch.get(caller, uids) if (uids := named("observation")) else {}
        memories = await self._memory.get(caller, uids) if (uids := named("memory")) else {}
        goals = await self._goals.get(caller, uids) if (uids := named("goal")) else {}
        actions = await self._actions.get(caller, uids) if (uids := named("action")) else {}
        questions = await self._questions.get(caller, uids) if (uids := named("question")) else {}
        stories = await self._questions.get_stories(caller, uids) if (uids := named("story")) else {}
        return tuple(
            DeltaResult(
                kind=delta.kind,
                path=delta.path,
                key=delta.key,
                repeated=item["repeated"],
                created=item.get("created", False),
                observation=notes.get(item.get("observation", "")),
                memory=memories.get(item.get("memory", "")),
                goal=goals.get(item.get("goal", "")),
                before=item.get("before"),
                after=item.get("after"),
                action=actions.get(item.get("action", "")),
                question=questions.get(item.get("question", "")),
                story=stories.get(item.get("story") or ""),
                problem=with_full_paths(item["problem"], delta.path) if "problem" in item else None,
            )
            for delta, item in zip(deltas, results, strict=True)
        )

    def problems(self, command: CommitAtTurnEnd, deltas: Sequence[Delta]) -> list[InvalidInput]:
        """Return what is wrong with a commit besides its limits, as far as the input alone shows it."""
        limits = self._catalog.limits
        problems = [
            InvalidInput("say a note, a progress or a story", field=f"reflections[{number}]")
            for number, reflection in enumerate(command.reflections)
            if not reflection.deltas("")
        ]
        problems += [
            InvalidInput(
                "say a note, a progress or a story that it belongs to",
                field=f"reflections[{number}].evidenceRefs",
            )
            for number, reflection in enumerate(command.reflections)
            if reflection.deltas("") and not reflection.keeps_its_evidence()
        ]
        problems += list_problems(deltas, "deltas", limits.deltas_per_turn_end)
        for delta in deltas[: limits.deltas_per_turn_end]:
            problems += text_problems(delta.key, join_path(delta.path, "key"), limits.key_characters)
        return problems


def _encoded(delta: Delta, table: MemoryTable) -> list[str]:
    """Return the texts of a delta that are stored with vectors."""
    match delta.body:
        case ObservationDraft() as note:
            return [passage_of(note.content)]
        case ObservationUpdate(content=str() as content):
            return [passage_of(content)]
        case MemoryDraft() as draft:
            return encoded(draft, table)
        case _:
            return []


def _identified(deltas: Sequence[Delta], scope_id: str, deltas_of: str) -> list[_IdentifiedDelta]:
    """Return the deltas with the keys of their results; equal ones without a key are numbered."""
    seen: Counter[str] = Counter()
    named = []
    for delta in deltas:
        body = body_of(delta, scope_id)
        named.append(_IdentifiedDelta(delta, request_of(delta, body, deltas_of, seen[body]), body))
        seen[body] += delta.key is None
    return named
