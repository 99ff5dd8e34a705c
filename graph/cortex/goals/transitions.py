"""Use cases that change the status or the progress of goals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.endings import require_not_ended
from prefrontal.graph.cortex.goals import locks, store
from prefrontal.graph.cortex.goals.events import event_of, progress_journal, trace_of
from prefrontal.graph.cortex.goals.mandates import goes_on
from prefrontal.graph.cortex.goals.progress import advance, transition
from prefrontal.graph.cortex.goals.record import (
    Goal,
    GoalTransition,
    ProgressDelta,
    ProgressResult,
    TransitionGoal,
    TransitionGoals,
    UpdateProgress,
)
from prefrontal.graph.errors import Forbidden, IllegalTransition, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.journal.command import entry_problems, limit_problems, paths_of
from prefrontal.graph.journal.record import Change, EventType, TraceKind, merged
from prefrontal.graph.validation import error_path, join_path, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx


_WAY_OUT = "change what violates it, or supersede or forget the mandate"
Refusal = NotFound | Forbidden | IllegalTransition
"""Why a step of progress is not applied."""


class GoalTransitions:
    """Changes status and progress of goals; each change writes a version, a trace entry and an event."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, goals: GoalService
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._goals = goals

    async def transition(self, caller: Caller, command: TransitionGoal) -> Goal:
        """Change the status of a goal and return the goal.

        Raises:
            NotFound: If the goal is unknown or not readable.
            Forbidden: If the goal is readable but not writable.
            IllegalTransition: If the registry does not allow the transition, or the goal would go on although
                a mandate forbids it.
            ActionBlocked: If an agent would complete a goal that waits for a person.
            VersionConflict: If the goal has another version than expected.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            return await self.transition_in(tx, caller, command, now)

        await self._changes.run(caller, command, work)
        return (await locks.changed_goals(self._database, caller, [command.id], [""]))[0]

    async def transition_all(self, caller: Caller, command: TransitionGoals) -> tuple[Goal, ...]:
        """Change the status of goals, all or none; return the goals in the order of the command.

        The errors are those of `transition`, and the field of each is under the path of its entry.
        """
        entries = command.goals
        paths = paths_of("goals", entries)

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._transition_in(tx, caller, entries, paths, now, command.turn_id)

        await self._changes.run(caller, command, work, problems=entry_problems(entries, "goals"))
        return await locks.changed_goals(self._database, caller, [entry.id for entry in entries], paths)

    async def transition_in(self, tx: Tx, caller: Caller, command: TransitionGoal, now: datetime) -> Change:
        """Change the status of a goal inside a transaction and return the journal; a refusal writes nothing.

        The errors are those of `transition`.
        """
        return await self._transition_in(tx, caller, [command], [""], now, command.turn_id)

    async def _transition_in(
        self,
        tx: Tx,
        caller: Caller,
        entries: Sequence[GoalTransition],
        paths: Sequence[str],
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        goals = await store.lock(tx, caller, [entry.id for entry in entries], now)
        changed: list[tuple[Goal, Goal, dict[str, Any]]] = []
        fields: list[str] = []
        for entry, path in zip(entries, paths, strict=True):
            with error_path(path):
                before = await locks.writable_of(tx, goals, caller, entry.id, "id")
                require_version(before.version, entry.expected_version)
                after = transition(before, entry.status, entry.reason, now, self._catalog.goals)
                if goes_on(before, after, self._catalog.goals):
                    obstacle = await self._goals.obstacle(tx, caller, before)
                    if obstacle is not None:
                        raise IllegalTransition(f"the goal {obstacle}; {_WAY_OUT}", field="status")
            if after != before:
                changed.append((before, after, {}))
                fields.append(join_path(path, "status"))
        if changed:
            await store.update(tx, caller, changed, turn_id=turn_id, fields=fields)
        journal = [_moved(before, after, turn_id) for before, after, _ in changed]
        return merged(journal, {"uid": entries[0].id})

    async def update_progress(self, caller: Caller, command: UpdateProgress) -> tuple[ProgressResult, ...]:
        """Apply progress steps to goals, all or none, in their order; return the effect of each.

        A repeated call with the same idempotency key changes nothing and returns the results of the first
        call.

        Raises:
            InvalidInput: If some deltas are invalid.
            NotFound: If a goal is unknown or not readable.
            Forbidden: If a goal is readable but not writable.
            IllegalTransition: If a goal has ended.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            done = await self.progress_in(tx, caller, command.deltas, now, turn_id=command.turn_id)
            for number, change in enumerate(done):
                if isinstance(change, PrefrontalError):
                    change.field = f"deltas[{number}].{change.field}"
                    raise change
            changes = [change for change in done if isinstance(change, Change)]
            return merged(changes, {"moves": [move for c in changes for move in c.result["moves"]]})

        result = await self._changes.run(
            caller,
            command,
            work,
            problems=[] if command.deltas else [InvalidInput("name at least one delta", field="deltas")],
        )
        return await locks.results_of(self._database, caller, result["moves"])

    async def progress_in(
        self,
        tx: Tx,
        caller: Caller,
        deltas: Sequence[ProgressDelta],
        now: datetime,
        *,
        turn_id: str | None,
    ) -> list[Change | Refusal]:
        """Apply progress steps inside a transaction; return for each its journal, or its error.

        A refused step writes nothing. The field of its error is relative to the delta.
        """
        goals = await store.lock(tx, caller, [delta.goal_id for delta in deltas], now)
        done: list[Change | Refusal] = []
        for delta in deltas:
            try:
                before = await locks.writable_of(tx, goals, caller, delta.goal_id, "goalId")
                require_not_ended(before.status.value, self._catalog.goals, "goalId")
            except (NotFound, Forbidden, IllegalTransition) as error:
                done.append(error)
                continue
            moved = advance(before, delta.delta, now, self._catalog.goals)
            goals[delta.goal_id] = moved.goal
            if moved.goal != before:
                # One statement for each step: a goal that is named twice gets two versions.
                await store.update(tx, caller, [(before, moved.goal, _note_details(delta))], turn_id=turn_id)
            done.append(progress_journal([moved], turn_id))
        return done

    def progress_problems(self, delta: ProgressDelta, where: str) -> list[InvalidInput]:
        """Return what is wrong with a step, as far as the input alone shows it, each field under `where`."""
        return limit_problems(delta, self._catalog.limits, where)


def _note_details(delta: ProgressDelta) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if delta.note is not None:
        details["note"] = delta.note
    if delta.references:
        details["references"] = list(delta.references)
    return details


def _moved(before: Goal, after: Goal, turn_id: str | None) -> Change:
    details = {"from": before.status.value, "to": after.status.value}
    return Change(
        result={},
        traces=(trace_of(TraceKind.GOAL_TRANSITIONED, "Goal transitioned", after, turn_id, details),),
        events=(event_of(EventType.GOAL_TRANSITIONED, after, turn_id, details),),
    )
