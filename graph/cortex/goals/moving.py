"""Use cases that move goals: transitions, progress, and evidence linked or taken away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graph.access.record import Permission
from graph.access.rules import require
from graph.checks import list_problems, raise_all, require_version, text_problems
from graph.cortex.goals import holding, store
from graph.cortex.goals.drafting import conflict_traces
from graph.cortex.goals.progress import advance, gain_of, is_being_founded, shares_of, transit
from graph.cortex.goals.record import EvidenceDraft, Goal, GoalStatus, ProgressDelta, ProgressResult
from graph.cortex.goals.topics import topics_of_all
from graph.errors import Forbidden, InvalidInput, NotFound, PrefrontalError
from graph.journal.record import Change, Event, EventType, Trace, TraceKind, merged

if TYPE_CHECKING:
    from graph.access.record import Caller
    from graph.catalog import Catalog
    from graph.journal.service import ChangeWriter
    from graph.scratch.service import ScratchService
    from graph.storage.unit_of_work import Database, Tx


class GoalMoves:
    """Moves goals, each move with its version, trace and event."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, scratch: ScratchService
    ) -> None:
        """Take what every use case needs."""
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch

    async def transition(
        self,
        caller: Caller,
        uid: str,
        to: GoalStatus,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Goal:
        """Put a goal into another status and return it.

        Raises:
            NotFound: It is unknown or not readable.
            Forbidden: It is readable but not writable.
            IllegalTransition: The registry has no such way.
            VersionConflict: It has another version than expected.
        """
        require(caller, Permission.WRITE)
        problems = self._turn_problems(turn_id)
        if reason is not None:
            problems += text_problems(reason, "reason", self._catalog.limits.title_characters)
        raise_all(problems)

        async def work(tx: Tx, now: datetime) -> Change:
            before = await self._locked(tx, caller, uid, now)
            require_version(before.version, expected_version)
            after = transit(before, to, reason, now, self._catalog.goals)
            if after == before:
                return Change(result={"uid": uid})
            await store.update(tx, caller, [(before, after, {})], turn_id=turn_id)
            details = {"from": before.status.value, "to": after.status.value}
            return Change(
                result={"uid": uid},
                traces=(_trace(TraceKind.GOAL_TRANSITIONED, "Goal moved on", after, turn_id, details),),
                events=(_event(EventType.GOAL_TRANSITIONED, after, turn_id, details),),
            )

        result = await self._changes.write(
            caller,
            work,
            operation="transitionGoal",
            body=[uid, to.value, reason, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        return await self._get(caller, str(result["uid"]))

    async def update_progress(
        self,
        caller: Caller,
        deltas: Sequence[ProgressDelta],
        *,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[ProgressResult, ...]:
        """Apply steps to goals, all or none, in their order; return what became of each.

        With an idempotency key a repeated call changes nothing and returns the first call's figures.

        Raises:
            InvalidInput: Some deltas are wrong.
            NotFound: A goal is unknown or not readable.
            Forbidden: A goal is readable but not writable.
        """
        require(caller, Permission.WRITE)
        raise_all([*self._delta_problems(deltas), *self._turn_problems(turn_id)])

        async def work(tx: Tx, now: datetime) -> Change:
            done = await self.progress_in(tx, caller, deltas, now, turn_id=turn_id)
            for number, change in enumerate(done):
                if isinstance(change, PrefrontalError):
                    change.field = f"deltas[{number}].{change.field}"
                    raise change
            changes = [change for change in done if isinstance(change, Change)]
            return merged(changes, {"moves": [move for c in changes for move in c.result["moves"]]})

        result = await self._changes.write(
            caller,
            work,
            operation="updateProgress",
            body=[[delta.model_dump(mode="json") for delta in deltas], turn_id],
            idempotency_key=idempotency_key,
        )
        return await self._results(caller, result["moves"])

    async def progress_in(
        self,
        tx: Tx,
        caller: Caller,
        deltas: Sequence[ProgressDelta],
        now: datetime,
        *,
        turn_id: str | None,
    ) -> list[Change | NotFound | Forbidden]:
        """Apply steps inside a transaction; return for each its journal, or why it is refused.

        One that is refused has written nothing. Its error's field is that of the delta.
        """
        goals = await store.lock(tx, caller, [delta.goal_id for delta in deltas], now)
        done: list[Change | NotFound | Forbidden] = []
        for delta in deltas:
            try:
                before = await holding.writable_of(tx, goals, caller, delta.goal_id, "goalId")
            except (NotFound, Forbidden) as error:
                done.append(error)
                continue
            moved = advance(before, delta.delta, now, self._catalog.goals)
            goals[delta.goal_id] = moved.goal
            if moved.goal != before:
                # One after the other: a goal named twice gets two versions.
                await store.update(tx, caller, [(before, moved.goal, _said(delta))], turn_id=turn_id)
            done.append(_progress_journal([moved], turn_id))
        return done

    async def link(
        self,
        caller: Caller,
        goal_id: str,
        evidence: EvidenceDraft,
        *,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ProgressResult:
        """Make an observation evidence of a goal and return what that did to its progress.

        An observation that is linked already changes nothing: it counts once.

        Raises:
            NotFound: The goal or the observation is unknown or not readable.
            Forbidden: The goal is readable but not writable.
            Expired: The observation has faded.
        """
        require(caller, Permission.WRITE)
        problems = self._turn_problems(turn_id)
        if evidence.note is not None:
            problems += text_problems(
                evidence.note, "note", self._catalog.limits.description_characters, required=False
            )
        raise_all(problems)

        async def work(tx: Tx, now: datetime) -> Change:
            return await self.join(tx, caller, goal_id, [evidence], now, turn_id=turn_id)

        result = await self._changes.write(
            caller,
            work,
            operation="linkObservation",
            body=[goal_id, evidence.model_dump(mode="json"), turn_id],
            idempotency_key=idempotency_key,
        )
        return (await self._results(caller, result["moves"]))[0]

    async def unlink(
        self,
        caller: Caller,
        goal_id: str,
        observation_id: str,
        *,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> ProgressResult:
        """End an observation's link to a goal; what it added to the progress is taken back.

        Raises:
            NotFound: The goal is unknown or not readable, or the observation is not linked to it.
            Forbidden: The goal is readable but not writable.
        """
        require(caller, Permission.WRITE)
        raise_all(self._turn_problems(turn_id))

        async def work(tx: Tx, now: datetime) -> Change:
            before = await self._locked(tx, caller, goal_id, now, field="goalId")
            known = await store.find_evidence(tx, caller, goal_id, [observation_id], now)
            if observation_id not in known.gains:
                raise NotFound("this observation is not linked to the goal", field="observationId")
            await store.unlink(tx, caller, goal_id, observation_id, now)
            # What it contradicted counts from now on.
            settled = (await store.count_settled(tx, caller, [goal_id], now)).get(goal_id, {})
            delta = sum(settled.values()) - known.gains[observation_id]
            moved = advance(before, delta, now, self._catalog.goals)
            return await self._moved(
                tx,
                caller,
                before,
                moved,
                EventType.GOAL_EVIDENCE_UNLINKED,
                [observation_id],
                turn_id,
                settled,
            )

        result = await self._changes.write(
            caller,
            work,
            operation="unlinkObservation",
            body=[goal_id, observation_id, turn_id],
            idempotency_key=idempotency_key,
        )
        return (await self._results(caller, result["moves"]))[0]

    async def join(
        self,
        tx: Tx,
        caller: Caller,
        goal_id: str,
        evidence: Sequence[EvidenceDraft],
        now: datetime,
        *,
        turn_id: str | None,
        founders: Collection[str] = (),
        path: str = "",
    ) -> Change:
        """Make observations evidence of a goal inside a transaction; return what the journal says of it.

        Those that are linked already change nothing. `founders` would have founded the goal by themselves:
        they add no progress while it is still being founded. `path` is the list's name in the input.

        Raises:
            NotFound: The goal or an observation is unknown or not readable.
            Forbidden: The goal is readable but not writable.
            Expired: An observation has faded.
        """
        before = await self._locked(tx, caller, goal_id, now, field="goalId")
        uids = [item.observation_id for item in evidence]
        known = await store.find_evidence(tx, caller, goal_id, uids, now)
        new = [item for item in evidence if item.observation_id not in known.gains]
        if not new:
            return _unchanged(before)
        founded = is_being_founded(before, self._catalog.goals)
        own = await self._scratch.lock_evidence(
            tx, caller, [item.observation_id for item in new], now, path=path
        )
        confidences = {
            item.observation_id: own[item.observation_id].confidence
            if item.confidence is None
            else item.confidence
            for item in new
        }
        gains = {
            uid: 0.0 if founded and uid in founders else gain_of(confidence, self._catalog.goals)
            for uid, confidence in confidences.items()
        }
        conflicts = [pair for pair in known.conflicts if pair[0] in gains]
        shares = shares_of(gains, conflicts)
        rows = [
            {
                "observation_id": item.observation_id,
                "confidence": confidences[item.observation_id],
                "note": item.note,
                "position": position,
                "gain": shares[item.observation_id][0],
                "withheld": shares[item.observation_id][1],
            }
            for position, item in enumerate(new, start=known.position)
        ]
        table = self._catalog.goals.topics
        await store.link(
            tx,
            caller,
            goal_id,
            rows,
            topics=topics_of_all(own.values(), table),
            most_topics=table.per_goal,
            turn_id=turn_id,
            now=now,
        )
        moved = advance(before, sum(gain for gain, _ in shares.values()), now, self._catalog.goals)
        change = await self._moved(
            tx, caller, before, moved, EventType.GOAL_EVIDENCE_LINKED, list(shares), turn_id
        )
        said = conflict_traces(moved.goal, conflicts, turn_id)
        return change.model_copy(update={"traces": (*change.traces, *said)})

    async def settle(
        self,
        caller: Caller,
        *,
        observation_ids: Sequence[str] = (),
        goal_ids: Sequence[str] = (),
        turn_id: str | None = None,
    ) -> tuple[ProgressResult, ...]:
        """Count the evidence that waited for the end of a contradiction; return what became of its goals.

        Whoever resolves, archives or changes an observation calls this afterwards. Called again it changes
        nothing; where nothing waits nothing is written.

        Args:
            caller: Who settles; goals that it may not write to wait for somebody who may.
            observation_ids: Observations that may contradict nothing any more, on either side.
            goal_ids: Goals to look at, whatever waits there, e.g. because something expired.
            turn_id: The turn in which it happens.
        """
        require(caller, Permission.WRITE)
        raise_all(self._turn_problems(turn_id))
        wanted = set(goal_ids)
        if observation_ids:

            async def look(tx: Tx) -> list[str]:
                return await store.find_withholding(tx, caller, observation_ids)

            wanted.update(await self._database.read(look))
        if not wanted:
            return ()

        async def work(tx: Tx, now: datetime) -> Change:
            goals = await store.lock(tx, caller, sorted(wanted), now)
            counted = await store.count_settled(tx, caller, list(goals), now)
            changes: list[Change] = []
            for uid, gains in counted.items():
                moved = advance(goals[uid], sum(gains.values()), now, self._catalog.goals)
                if moved.goal != goals[uid]:
                    said = {"evidence_counted": list(gains)}
                    await store.update(tx, caller, [(goals[uid], moved.goal, said)], turn_id=turn_id)
                progress = _progress_journal([moved], turn_id)
                traces = (*_settled_traces(moved.goal, gains, turn_id), *progress.traces)
                changes.append(progress.model_copy(update={"traces": traces}))
            return Change(
                result={"moves": [move for change in changes for move in change.result["moves"]]},
                traces=tuple(trace for change in changes for trace in change.traces),
                events=tuple(event for change in changes for event in change.events),
            )

        result = await self._changes.write(caller, work, operation="settleConflicts")
        return await self._results(caller, result["moves"]) if result["moves"] else ()

    async def _moved(
        self,
        tx: Tx,
        caller: Caller,
        before: Goal,
        moved: ProgressResult,
        event: EventType,
        observation_ids: Sequence[str],
        turn_id: str | None,
        settled: Mapping[str, float] | None = None,
    ) -> Change:
        """Store a goal that evidence moved, and return what the journal says of it."""
        if moved.goal != before:
            more = {event.value.split(".")[1]: list(observation_ids)}
            if settled:
                more["evidence_counted"] = list(settled)
            await store.update(tx, caller, [(before, moved.goal, more)], turn_id=turn_id)
        linked = event is EventType.GOAL_EVIDENCE_LINKED
        kind = TraceKind.OBSERVATION_LINKED if linked else TraceKind.OBSERVATION_UNLINKED
        said = "Observation linked to goal" if linked else "Observation unlinked from goal"
        progress = _progress_journal([moved], turn_id)
        return Change(
            result=progress.result,
            traces=(
                _trace(kind, said, moved.goal, turn_id, {}, *observation_ids),
                *_settled_traces(moved.goal, settled or {}, turn_id),
                *progress.traces,
            ),
            events=(
                *(_event(event, moved.goal, turn_id, {"observation_id": uid}) for uid in observation_ids),
                *progress.events,
            ),
        )

    async def _locked(self, tx: Tx, caller: Caller, uid: str, now: datetime, *, field: str = "id") -> Goal:
        return await holding.writable_of(tx, await store.lock(tx, caller, [uid], now), caller, uid, field)

    async def _get(self, caller: Caller, uid: str) -> Goal:
        async def work(tx: Tx) -> dict[str, Goal]:
            return await store.find(tx, caller, [uid])

        found = (await self._database.read(work)).get(uid)
        if found is None:
            raise NotFound("no such goal", field="id")
        return found

    async def _results(self, caller: Caller, moves: Sequence[dict[str, Any]]) -> tuple[ProgressResult, ...]:
        async def work(tx: Tx) -> dict[str, Goal]:
            return await store.find(tx, caller, [move["uid"] for move in moves])

        goals = await self._database.read(work)
        return tuple(
            ProgressResult(
                goal=goals[move["uid"]], before=move["before"], after=move["after"], clamped=move["clamped"]
            )
            for move in moves
            if move["uid"] in goals
        )

    def _turn_problems(self, turn_id: str | None) -> list[InvalidInput]:
        if turn_id is None:
            return []
        return text_problems(turn_id, "turnId", self._catalog.limits.key_characters)

    def _delta_problems(self, deltas: Sequence[ProgressDelta]) -> list[InvalidInput]:
        limits = self._catalog.limits
        if not deltas:
            return [InvalidInput("at least one delta", field="deltas")]
        problems = list_problems(deltas, "deltas", limits.progress_deltas_per_call)
        for number, delta in enumerate(deltas[: limits.progress_deltas_per_call]):
            problems += self.progress_problems(delta, f"deltas[{number}]")
        return problems

    def progress_problems(self, delta: ProgressDelta, where: str) -> list[InvalidInput]:
        """Return what is wrong with a step whatever the graph holds, each field under `where`."""
        limits = self._catalog.limits
        problems: list[InvalidInput] = []
        if delta.note is not None:
            problems += text_problems(delta.note, f"{where}.note", limits.title_characters)
        problems += list_problems(delta.references, f"{where}.references", limits.list_items)
        for place, reference in enumerate(delta.references[: limits.list_items]):
            field = f"{where}.references[{place}]"
            problems += text_problems(reference, field, limits.title_characters)
        return problems


def _said(delta: ProgressDelta) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if delta.note is not None:
        said["note"] = delta.note
    if delta.references:
        said["references"] = list(delta.references)
    return said


def _unchanged(goal: Goal) -> Change:
    move = {"uid": goal.uid, "before": goal.progress, "after": goal.progress, "clamped": False}
    return Change(result={"moves": [move]})


def _settled_traces(goal: Goal, gains: Mapping[str, float], turn_id: str | None) -> tuple[Trace, ...]:
    said = "Conflict settled, evidence counted"
    return tuple(
        _trace(TraceKind.CONFLICT_SETTLED, said, goal, turn_id, {"gain": gain}, uid)
        for uid, gain in gains.items()
    )


def _progress_journal(moves: Sequence[ProgressResult], turn_id: str | None) -> Change:
    traces: list[Trace] = []
    events: list[Event] = []
    for move in moves:
        details = {"before": move.before, "after": move.after}
        if move.before != move.after:
            traces.append(_trace(TraceKind.PROGRESS_UPDATED, "Progress updated", move.goal, turn_id, details))
            events.append(_event(EventType.GOAL_PROGRESSED, move.goal, turn_id, details))
        if move.clamped:
            traces.append(
                _trace(TraceKind.PROGRESS_CLAMPED, "Progress held at its limit", move.goal, turn_id, details)
            )
    result = [
        {"uid": move.goal.uid, "before": move.before, "after": move.after, "clamped": move.clamped}
        for move in moves
    ]
    return Change(result={"moves": result}, traces=tuple(traces), events=tuple(events))


def _trace(
    kind: TraceKind, message: str, goal: Goal, turn_id: str | None, details: dict[str, Any], *ids: str
) -> Trace:
    return Trace(
        kind=kind,
        message=message,
        ids=(goal.uid, *ids),
        details=details,
        turn=turn_id,
        scope_id=goal.scope_id,
    )


def _event(event: EventType, goal: Goal, turn_id: str | None, data: dict[str, Any]) -> Event:
    return Event(
        type=event,
        aggregate=goal.uid,
        aggregate_version=goal.version,
        scope_id=goal.scope_id,
        data={"goal_id": goal.uid, "status": goal.status.value, **data},
        turn=turn_id,
    )
