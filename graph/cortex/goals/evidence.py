"""Use cases of a goal's evidence: observations linked, taken away, and counted when a contradiction ends."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.goals import evidence_store, locks, store
from prefrontal.graph.cortex.goals.events import (
    conflict_traces,
    evidence_journal,
    progress_journal,
    settled_traces,
    unchanged,
)
from prefrontal.graph.cortex.goals.progress import advance, gain_of, is_being_founded, shares_of
from prefrontal.graph.cortex.goals.record import EvidenceDraft, Goal, ProgressResult
from prefrontal.graph.cortex.goals.topics import topics_of_all
from prefrontal.graph.errors import NotFound
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.validation import raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class GoalEvidence:
    """Links observations to goals and takes them away, each with what it does to the progress."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, scratch: ScratchService
    ) -> None:
        """Take what every use case needs."""
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch

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
        problems = text_problems(turn_id, "turnId", self._catalog.limits.key_characters)
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
        return (await locks.results_of(self._database, caller, result["moves"]))[0]

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
        raise_all(text_problems(turn_id, "turnId", self._catalog.limits.key_characters))

        async def work(tx: Tx, now: datetime) -> Change:
            before = await locks.lock_writable(tx, caller, goal_id, now, "goalId")
            known = await evidence_store.find_evidence(tx, caller, goal_id, [observation_id], now)
            if observation_id not in known.gains:
                raise NotFound("this observation is not linked to the goal", field="observationId")
            await evidence_store.unlink(tx, caller, goal_id, observation_id, now)
            # What it contradicted counts from now on.
            settled = (await evidence_store.count_settled(tx, caller, [goal_id], now)).get(goal_id, {})
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
        return (await locks.results_of(self._database, caller, result["moves"]))[0]

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
        before = await locks.lock_writable(tx, caller, goal_id, now, "goalId")
        uids = [item.observation_id for item in evidence]
        known = await evidence_store.find_evidence(tx, caller, goal_id, uids, now)
        new = [item for item in evidence if item.observation_id not in known.gains]
        if not new:
            return unchanged(before)
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
        await evidence_store.link(
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
        raise_all(text_problems(turn_id, "turnId", self._catalog.limits.key_characters))
        wanted = set(goal_ids)
        if observation_ids:

            async def look(tx: Tx) -> list[str]:
                return await evidence_store.find_withholding(tx, caller, observation_ids)

            wanted.update(await self._database.read(look))
        if not wanted:
            return ()

        async def work(tx: Tx, now: datetime) -> Change:
            goals = await store.lock(tx, caller, sorted(wanted), now)
            counted = await evidence_store.count_settled(tx, caller, list(goals), now)
            changes: list[Change] = []
            for uid, gains in counted.items():
                moved = advance(goals[uid], sum(gains.values()), now, self._catalog.goals)
                if moved.goal != goals[uid]:
                    said = {"evidence_counted": list(gains)}
                    await store.update(tx, caller, [(goals[uid], moved.goal, said)], turn_id=turn_id)
                progress = progress_journal([moved], turn_id)
                traces = (*settled_traces(moved.goal, gains, turn_id), *progress.traces)
                changes.append(progress.model_copy(update={"traces": traces}))
            return Change(
                result={"moves": [move for change in changes for move in change.result["moves"]]},
                traces=tuple(trace for change in changes for trace in change.traces),
                events=tuple(event for change in changes for event in change.events),
            )

        result = await self._changes.write(caller, work, operation="settleConflicts")
        return await locks.results_of(self._database, caller, result["moves"]) if result["moves"] else ()

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
        return evidence_journal(event, moved, observation_ids, turn_id, settled or {})
