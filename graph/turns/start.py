"""The use case that starts a turn: `assess_at_turn_start` of source 003.

goals       active, most urgent first, newest first among equals
actions     open and not blocked, of goals that have not ended; one list for the agent and one for the user,
            each in the order of `pendingActions`
questions   open, most urgent first, newest first among equals, with their stories

Observations whose evaluation failed are evaluated first, so that the lists have the goals that they found.
The statement that enters the turn looks for them; if there are some, the turn is entered anew afterwards.

The answer is deterministic: the same graph gives the same answer. The lists are read in one transaction, with
one statement for each; the turn and its trace are written in another.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.cortex.actions.record import ActionFilter, ActionOwner, PendingAction
from prefrontal.graph.cortex.goals.record import Goal
from prefrontal.graph.cortex.questions.record import QuestionFilter
from prefrontal.graph.errors import IllegalTransition, NotFound
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, Trace, TraceKind
from prefrontal.graph.journal.turns import enter_turn
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import join, lock_membership
from prefrontal.graph.storage.paging import checked_first
from prefrontal.graph.turns.record import Assessment, OpenQuestion, StartTurn, StartTurnSizes
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.actions.service import ActionService
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.cortex.questions.service import QuestionService
    from prefrontal.graph.journal.record import TurnRef
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.turns.record import Turn
    from prefrontal.graph.turns.trace import TurnTrace

Awaiting = Callable[["Caller", Sequence[str], str | None], Awaitable[None]]
_Lists = dict[str, list[str]]


class _WaitingError(Exception):
    """Observations wait for an evaluation; nothing was written."""

    def __init__(self, uids: Sequence[str]) -> None:
        super().__init__()
        self.uids = uids


@dataclass(frozen=True, slots=True)
class _AssessmentLists:
    """The lists of an assessment, without the turn."""

    goals: tuple[Goal, ...]
    agent_actions: tuple[PendingAction, ...]
    user_actions: tuple[PendingAction, ...]
    questions: tuple[OpenQuestion, ...]

    def of(self, turn: Turn) -> Assessment:
        """Return the assessment of a turn with these lists."""
        return Assessment(
            turn=turn,
            goals=self.goals,
            agent_actions=self.agent_actions,
            user_actions=self.user_actions,
            questions=self.questions,
        )


class TurnStarts:
    """Starts turns and returns their assessments."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        *,
        goals: GoalService,
        actions: ActionService,
        questions: QuestionService,
        turns: TurnTrace,
        access_log: AccessLog,
        evaluate_awaiting: Awaiting,
    ) -> None:
        """Store the database, the tables, the change writer and the services that the lists come from.

        `evaluate_awaiting` evaluates the observations whose earlier evaluation failed; it raises nothing.
        """
        self._evaluate_awaiting = evaluate_awaiting
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._goals = goals
        self._actions = actions
        self._questions = questions
        self._turns = turns
        self._access_log = access_log

    async def start(self, caller: Caller, command: StartTurn) -> Assessment:
        """Record that a turn starts, and return its assessment.

        Nodes that the caller may not read are left out. A repeated call with the same idempotency key returns
        the nodes of the first call in their present state.

        Raises:
            InvalidInput: If the name or a size is invalid.
            IllegalTransition: If the turn has ended, or the session that it would be in.
            NotFound: If the session is unknown or not the caller's.
            Conflict: If the turn is in another session.
        """
        require(caller, Permission.WRITE)
        raise_all(limit_problems(command, self._catalog.limits))
        wanted, turn_id = _checked(command.most or StartTurnSizes()), command.turn_id
        async with self._database.read_transaction():
            found = await self._read_lists(caller, wanted)

        waits = True

        async def work(tx: Tx, now: datetime) -> Change:
            place = await lock_membership(tx, caller, command.session_id, turn_id, now)
            turn = await enter_turn(
                tx,
                caller,
                place.turn,
                now,
                taking=place.takes_name,
                waiting_in=caller.writable if waits else (),
                most=self._catalog.evaluation.batch,
            )
            if turn.ended_at is not None:
                raise IllegalTransition(
                    "this turn has ended; begin the next one with another name", field="turnId"
                )
            if turn.awaiting:
                raise _WaitingError(turn.awaiting)
            await join(tx, caller, place, turn.uid, turn.session_uid, now)
            return _journal(turn, _ids(found))

        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            try:
                result = await self._changes.run(caller, command, work, checked=True)
            except _WaitingError as waiting:
                # In a session, the name may stand for another turn.
                named = turn_id if command.session_id is None else None
                await self._evaluate_awaiting(caller, waiting.uids, named)
                waits = False
                async with self._database.read_transaction():
                    found = await self._read_lists(caller, wanted)
                result = await self._changes.run(caller, command, work, checked=True)
        # By its id: its name may stand for another turn now. Older results have none.
        uid = result.pop("turn", None)
        if result != _ids(found):
            found = await self._reread_lists(caller, result)
        known = await self._turns.get_by_ids(caller, [uid]) if uid else {}
        turn = known.get(uid) if uid else await self._turns.get(caller, turn_id)
        if turn is None:
            raise NotFound("no such turn", field="turnId")
        return found.of(turn)

    async def _read_lists(self, caller: Caller, wanted: dict[str, int]) -> _AssessmentLists:
        goals = (await self._goals.list(caller, first=wanted["goals"])).items
        offered = [
            ActionFilter(owner=owner, blocked=False) for owner in (ActionOwner.AGENT, ActionOwner.USER)
        ]
        own, others = [
            (await self._actions.list(caller, each, first=wanted["actions"])).items for each in offered
        ]
        page = await self._questions.list(caller, QuestionFilter(), first=wanted["questions"])
        uids = [question.uid for question in page.items]
        stories = await self._questions.stories_of(caller, uids)
        asked = tuple(OpenQuestion(question=q, stories=stories.get(q.uid, ())) for q in page.items)
        return _AssessmentLists(goals, own, others, asked)

    async def _reread_lists(self, caller: Caller, ids: _Lists) -> _AssessmentLists:
        """Return the nodes that the first call returned, as far as they are still readable."""
        goals = await self._goals.get(caller, ids["goals"])
        actions = await self._actions.get(caller, [*ids["agent_actions"], *ids["user_actions"]])
        questions = await self._questions.get(caller, ids["questions"])
        stories = await self._questions.stories_of(caller, list(questions))
        return _AssessmentLists(
            tuple(goals[uid] for uid in ids["goals"] if uid in goals),
            tuple(actions[uid] for uid in ids["agent_actions"] if uid in actions),
            tuple(actions[uid] for uid in ids["user_actions"] if uid in actions),
            tuple(
                OpenQuestion(question=questions[uid], stories=stories.get(uid, ()))
                for uid in ids["questions"]
                if uid in questions
            ),
        )


def _checked(sizes: StartTurnSizes) -> dict[str, int]:
    return {name: checked_first(given, field=f"most.{name}") for name, given in sizes.model_dump().items()}


def _ids(found: _AssessmentLists) -> _Lists:
    return {
        "goals": [goal.uid for goal in found.goals],
        "agent_actions": [action.uid for action in found.agent_actions],
        "user_actions": [action.uid for action in found.user_actions],
        "questions": [asked.question.uid for asked in found.questions],
    }


def _journal(turn: TurnRef, ids: _Lists) -> Change:
    return Change(
        result={**ids, "turn": turn.uid},
        traces=(
            Trace(
                kind=TraceKind.TURN_STARTED,
                message="Turn started",
                ids=tuple(uid for listed in ids.values() for uid in listed),
                details={name: len(listed) for name, listed in ids.items()},
                turn=turn.handle,
            ),
        ),
        turns=(turn.handle,),
    )
