"""Use cases of a goal's evidence: link and unlink observations; count evidence after a contradiction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.endings import require_not_ended
from prefrontal.graph.cortex.goals import evidence_store, locks, store
from prefrontal.graph.cortex.goals.events import (
    conflict_traces,
    evidence_journal,
    progress_journal,
    settled_traces,
    unchanged,
)
from prefrontal.graph.cortex.goals.progress import added_by, advance, gain_of, is_being_founded, shares_of
from prefrontal.graph.cortex.goals.record import (
    EvidenceDraft,
    Goal,
    LinkObservation,
    LinkObservations,
    ProgressResult,
    UnlinkObservation,
    UpdateEvidence,
)
from prefrontal.graph.cortex.goals.topics import topics_of_evidence
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.journal.record import Change, EventType, merged
from prefrontal.graph.validation import join_path, raise_all, repeated, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class GoalEvidence:
    """Links observations to goals and unlinks them; each change updates the progress of the goal."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, scratch: ScratchService
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch

    async def link(self, caller: Caller, command: LinkObservation) -> ProgressResult:
        """Make an observation evidence of a goal and return the effect on the goal's progress.

        An observation that is linked already changes nothing: it counts once.

        Raises:
            NotFound: If the goal or the observation is unknown or not readable.
            Forbidden: If the goal is readable but not writable.
            IllegalTransition: If the goal has ended.
            Expired: If the observation has expired.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            return await self.join(tx, caller, command.goal_id, [command], now, turn_id=command.turn_id)

        result = await self._changes.run(caller, command, work)
        return await locks.result_of(self._database, caller, result["moves"])

    async def link_all(self, caller: Caller, command: LinkObservations) -> tuple[ProgressResult, ...]:
        """Make observations evidence of goals, all or none; return the effect on each goal's progress.

        The goals come in the order in which the command names them first. The errors are those of `link`,
        and the field of each is under the path of its entry.
        """
        links = command.links
        pairs = [f"{link.goal_id} {link.observation_id}" for link in links]
        problems = repeated(pairs, "links[{}].observationId")
        if not links:
            problems.append(InvalidInput("name at least one", field="links"))
        of_goals: dict[str, list[int]] = {}
        for number, link in enumerate(links):
            of_goals.setdefault(link.goal_id, []).append(number)

        async def work(tx: Tx, now: datetime) -> Change:
            # All of them at once and in the order of their ids: two such calls wait for each other.
            await store.lock(tx, caller, of_goals, now)
            done = [
                await self.join(
                    tx,
                    caller,
                    goal_id,
                    [links[number] for number in numbers],
                    now,
                    turn_id=command.turn_id,
                    paths=[f"links[{number}]" for number in numbers],
                )
                for goal_id, numbers in of_goals.items()
            ]
            return merged(done, {"moves": [move for change in done for move in change.result["moves"]]})

        result = await self._changes.run(caller, command, work, problems=problems)
        return await locks.results_of(self._database, caller, result["moves"])

    async def unlink(self, caller: Caller, command: UnlinkObservation) -> ProgressResult:
        """End an observation's link to a goal and subtract what the observation had added to the progress.

        A goal that evidence alone had begun is pending again once nothing of that progress is left.

        Raises:
            NotFound: If the goal is unknown or not readable, or the observation is not linked to it.
            Forbidden: If the goal is readable but not writable.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            before, known = await self._linked(tx, caller, command, now)
            return await self._leave(tx, caller, before, known, command, now)

        result = await self._changes.run(caller, command, work)
        return await locks.result_of(self._database, caller, result["moves"])

    async def update(self, caller: Caller, command: UpdateEvidence) -> ProgressResult:
        """Give a link another confidence or note, and return the effect on the goal's progress.

        The link as it was ends and stays as history; the observation is linked anew with the text that it has
        now. Both happen in one transaction. The values that the link has already change nothing.

        Raises:
            NotFound: If the goal is unknown or not readable, or the observation is not linked to it.
            Forbidden: If the goal is readable but not writable.
            IllegalTransition: If the goal has ended.
            Expired: If the observation has expired.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            before, known = await self._linked(tx, caller, command, now)
            had = known.drafts[command.observation_id]
            wanted = had.model_copy(
                update=command.model_dump(include={"confidence", "note"}, exclude_unset=True)
            )
            if wanted == had:
                return unchanged(before)
            ended = await self._leave(tx, caller, before, known, command, now)
            linked = await self.join(tx, caller, command.goal_id, [wanted], now, turn_id=command.turn_id)
            moves = [{**move, "before": before.progress} for move in linked.result["moves"]]
            return merged((ended, linked), {"moves": moves})

        result = await self._changes.run(caller, command, work)
        return await locks.result_of(self._database, caller, result["moves"])

    async def _linked(
        self, tx: Tx, caller: Caller, command: UnlinkObservation | UpdateEvidence, now: datetime
    ) -> tuple[Goal, evidence_store.ExistingLinks]:
        """Lock the goal of a link; return the goal and what is known of the link."""
        before = await locks.lock_writable(tx, caller, command.goal_id, now, "goalId")
        uid = command.observation_id
        known = await evidence_store.find_evidence(tx, caller, before.uid, [uid], now)
        if uid not in known.gains:
            raise NotFound("this observation is not linked to the goal", field="observationId")
        return before, known

    async def _leave(
        self,
        tx: Tx,
        caller: Caller,
        before: Goal,
        known: evidence_store.ExistingLinks,
        command: UnlinkObservation | UpdateEvidence,
        now: datetime,
    ) -> Change:
        """End a link inside a transaction, subtract what it had added, and return the journal."""
        goal_id, observation_id = before.uid, command.observation_id
        course = await evidence_store.unlink(tx, caller, goal_id, observation_id, now)
        # Evidence that only this observation contradicted counts from now on.
        taken = known.gains[observation_id]
        left = {goal_id: max(0.0, round(before.progress - taken, 9))}
        settled = (await evidence_store.count_settled(tx, caller, left, now)).get(goal_id, {})
        if settled:
            taken = before.progress - left[goal_id]
        moved = advance(
            before,
            sum(settled.values()) - taken,
            now,
            self._catalog.goals,
            # A link that another one replaces has not begun the goal for nothing.
            course=course if isinstance(command, UnlinkObservation) else None,
        )
        return await self._moved(
            tx,
            caller,
            before,
            moved,
            EventType.GOAL_EVIDENCE_UNLINKED,
            [observation_id],
            command.turn_id,
            settled,
        )

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
        paths: Sequence[str] = (),
    ) -> Change:
        """Make observations evidence of a goal inside a transaction and return the journal.

        Observations that are linked already change nothing. `founders` are observations that would have
        created a goal on their own: they add no progress while the goal is still new (see
        `is_being_founded`). `paths` are the places of the observations in the input, one for each; an error
        of the goal names the first one.

        Raises:
            NotFound: If the goal or an observation is unknown or not readable.
            Forbidden: If the goal is readable but not writable.
            IllegalTransition: If the goal has ended.
            Expired: If an observation has expired.
        """
        places = paths or [""] * len(evidence)
        of_goal = join_path(places[0], "goalId")
        before = await locks.lock_writable(tx, caller, goal_id, now, of_goal)
        uids = [item.observation_id for item in evidence]
        known = await evidence_store.find_evidence(tx, caller, goal_id, uids, now)
        new = [item for item in evidence if item.observation_id not in known.gains]
        if not new:
            return unchanged(before)
        require_not_ended(before.status.value, self._catalog.goals, of_goal)
        founded = is_being_founded(before, self._catalog.goals)
        fields = {uid: join_path(place, "observationId") for uid, place in zip(uids, places, strict=True)}
        own = await self._scratch.lock_evidence(
            tx,
            caller,
            [item.observation_id for item in new],
            now,
            fields=[fields[item.observation_id] for item in new],
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
        added = added_by(before, {uid: gain for uid, (gain, _) in shares.items()})
        rows = [
            {
                "observation_id": item.observation_id,
                "confidence": confidences[item.observation_id],
                "note": item.note,
                "position": position,
                "gain": added[item.observation_id],
                "withheld": shares[item.observation_id][1],
            }
            for position, item in enumerate(new, start=known.position)
        ]
        table = self._catalog.goals.topics
        await evidence_store.link(
            tx,
            caller,
            before,
            rows,
            topics=topics_of_evidence(own.values(), before.scope_id, table),
            most_topics=table.per_goal,
            turn_id=turn_id,
            now=now,
        )
        moved = advance(before, sum(gain for gain, _ in shares.values()), now, self._catalog.goals)
        change = await self._moved(
            tx, caller, before, moved, EventType.GOAL_EVIDENCE_LINKED, list(shares), turn_id
        )
        traces = conflict_traces(moved.goal, conflicts, turn_id)
        return change.model_copy(update={"traces": (*change.traces, *traces)})

    async def settle(
        self,
        caller: Caller,
        *,
        observation_ids: Sequence[str] = (),
        goal_ids: Sequence[str] = (),
        turn_id: str | None = None,
    ) -> tuple[ProgressResult, ...]:
        """Count the evidence that waited for the end of a contradiction; return the affected progress.

        Every use case that resolves, archives or changes an observation calls this afterwards. A repeated
        call changes nothing, and if no evidence waits, nothing is written.

        Args:
            caller: The caller; goals that the caller may not write to wait for another caller.
            observation_ids: Observations that may no longer contradict anything, on either side of a
                contradiction.
            goal_ids: Goals to check for waiting evidence, e.g. because an observation expired.
            turn_id: The turn in which the call happens.
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
            progress = {uid: goal.progress for uid, goal in goals.items()}
            counted = await evidence_store.count_settled(tx, caller, progress, now)
            changes: list[Change] = []
            for uid, gains in counted.items():
                moved = advance(goals[uid], sum(gains.values()), now, self._catalog.goals)
                if moved.goal != goals[uid]:
                    said = {"evidence_counted": list(gains)}
                    await store.update(tx, caller, [(goals[uid], moved.goal, said)], turn_id=turn_id)
                steps = progress_journal([moved], turn_id)
                traces = (*settled_traces(moved.goal, gains, turn_id), *steps.traces)
                changes.append(steps.model_copy(update={"traces": traces}))
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
        """Store a goal whose evidence changed, and return the journal."""
        if moved.goal != before:
            more = {event.value.split(".")[1]: list(observation_ids)}
            if settled:
                more["evidence_counted"] = list(settled)
            await store.update(tx, caller, [(before, moved.goal, more)], turn_id=turn_id)
        return evidence_journal(event, moved, observation_ids, turn_id, settled or {})
