"""Queries and mutations of turns."""

from __future__ import annotations

from functools import partial

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.input_types import record_of
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.outcomes.types import OutcomeType
from prefrontal.api.graphql.paging import After, Connection, First
from prefrontal.api.graphql.questions.types import QuestionType
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import turn_named
from prefrontal.api.graphql.turns.types import (
    CommitAtTurnEndPayload,
    CommitStoreResultType,
    CommitTurnPayload,
    DeltaResultType,
    PhaseTimingType,
    PlanCheckType,
    PlanGoalInput,
    PlanStepInput,
    PlanViolationType,
    SelectedStateType,
    StartTurnPayload,
    StateExportType,
    TraceEntryType,
    TraceLogConnection,
    TurnEvaluationType,
    TurnPatternType,
    TurnType,
)
from prefrontal.graph.cortex.mandates.record import PlanDraft, PlanGoalDraft, PlanStepDraft
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.storage.paging import DEFAULT_FIRST, page_of
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.record import CommitAtTurnEnd, CommitStatus, StartTurn, TurnStatus


@strawberry.type
class TurnQuery:
    """Queries of turns."""

    @strawberry.field(description="A page of the turns that you may read, newest first.")
    async def turns(
        self,
        info: Context,
        status: TurnStatus | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[TurnType]:
        turns, caller = info.context.services.turns.trace, await info.context.caller()
        page = await turns.list(caller, status, first=first, after=after)
        return Connection.of(TurnType, page, partial(turns.count_turns, caller, status))

    @strawberry.field(
        description="The turn with this id, or the one that this client-chosen name stands for; or null."
    )
    async def turn(self, info: Context, id: str) -> TurnType | None:
        name = await turn_named(info, id, "id")
        found = await info.context.services.turns.trace.get(await info.context.caller(), name)
        return TurnType.from_record(found) if found else None

    @strawberry.field(description="A StateExport; null if it is unknown, not readable, or not kept any more.")
    async def state_export(self, info: Context, id: strawberry.ID) -> StateExportType | None:
        return StateExportType.maybe(await info.context.loaders.state_exports.load(id))

    @strawberry.field(
        description="A page of the trace of a turn, in order of time; empty for an unknown turn."
    )
    async def turn_trace(
        self,
        info: Context,
        turn_id: str,
        kinds: list[TraceKind] | None = None,
        first: First = None,
        after: After = None,
    ) -> Connection[TraceEntryType]:
        turn_id = await turn_named(info, turn_id)
        trace, caller = info.context.services.turns.trace, await info.context.caller()
        page = await trace.trace(caller, turn_id, kinds=kinds, first=first, after=after)
        return Connection.of(TraceEntryType, page, partial(trace.count, caller, turn_id, kinds))

    @strawberry.field(
        description="A page of the trace of the spaces that you may read, newest first: also what belongs to "
        "no turn, such as expiries and escalations by the service. Ids that you may not read are left out."
    )
    async def trace(
        self,
        info: Context,
        kinds: list[TraceKind] | None = None,
        first: First = None,
        after: After = None,
    ) -> TraceLogConnection:
        trace, caller = info.context.services.turns.trace, await info.context.caller()
        page = await trace.of_spaces(caller, kinds=kinds, first=first, after=after)
        return TraceLogConnection.of_page(TraceEntryType, page)

    @strawberry.field(
        description="Checks a plan against the mandates that bind you: those of your own spaces, of the "
        "common one, and of the goal's space. Writes nothing. With `goalId` a stored goal is checked with "
        "its open actions, before the steps."
    )
    async def check_plan(
        self,
        info: Context,
        goal: PlanGoalInput | None = None,
        steps: list[PlanStepInput] | None = None,
        goal_id: strawberry.ID | None = None,
        space: strawberry.ID | None = None,
    ) -> PlanCheckType:
        caller = await info.context.caller()
        made = PlanDraft(
            goal=None if goal is None else record_of(goal, PlanGoalDraft, "goal")[0],
            steps=tuple(
                record_of(step, PlanStepDraft, f"steps[{number}]")[0]
                for number, step in enumerate(steps or ())
            ),
        )
        found = await info.context.services.turns.plans.check(caller, made, goal_id, space)
        return PlanCheckType(
            satisfied=found.satisfied,
            violations=[PlanViolationType.from_record(each) for each in found.violations],
            checked=found.checked,
        )


@strawberry.type
class TurnMutation:
    """Mutations of turns."""

    @mutation(
        "Begins a turn; returns the active goals, the pending actions and the open questions.",
        "The state at the beginning of the turn, or the problem.",
    )
    async def start_turn(self, info: Context, command: StartTurn) -> StartTurnPayload:
        """Begin the turn."""
        found = await info.context.services.turns.start.start(await info.context.caller(), command)
        for asked in found.questions:
            stories = page_of(asked.stories, DEFAULT_FIRST, lambda story: (story.uid,))
            info.context.loaders.question_stories.prime(asked.question.uid, stories)
        return StartTurnPayload(
            turn=TurnType.from_record(found.turn),
            goals=[GoalType.from_record(goal) for goal in found.goals],
            agent_actions=[PendingActionType.from_record(action) for action in found.agent_actions],
            user_actions=[PendingActionType.from_record(action) for action in found.user_actions],
            questions=[QuestionType.from_record(asked.question) for asked in found.questions],
        )

    @mutation(
        "Commits a turn as a whole: what was said, what came of it, what it changed, and what of it is "
        "worth remembering. Publishes its StateExport. A part that fails is stored and tried again; nothing "
        "is lost or done twice.",
        "What the commit did, or the problem.",
    )
    async def commit_turn(
        self, info: Context, command: CommitTurn, spellings: dict[str, str]
    ) -> CommitTurnPayload:
        """Commit the turn; a problem names a field by the alias that the client used."""
        done = await info.context.services.turns.finalization.commit(await info.context.caller(), command)
        export = await info.context.loaders.state_exports.load(done.export_id)
        whole = done.status is CommitStatus.OK
        return CommitTurnPayload(
            ok=whole and all(result.problem is None for result in done.results),
            turn=TurnType.from_record(done.turn),
            commit_status=done.status,
            results=[DeltaResultType.from_record(result.respelled(spellings)) for result in done.results],
            outcome=OutcomeType.maybe(done.outcome),
            evaluation=TurnEvaluationType.from_record(done.evaluation),
            patterns=[TurnPatternType.from_record(each) for each in done.patterns],
            selection=[SelectedStateType.from_record(each) for each in done.selection],
            stores=[CommitStoreResultType.from_record(each) for each in done.stores],
            phases=[PhaseTimingType.from_record(each) for each in done.phases],
            export=StateExportType.from_record(export),
        )

    @mutation(
        "Ends a turn: applies what it noticed, decided and did in one transaction. A refused delta does not "
        "stop the others, and a repeated delta changes nothing.",
        "The result of each entry, or the problem if none was applied.",
        deprecated="Use `commitTurn`, which also stores what was said, what came of the turn and what is "
        "worth remembering; this one applies the deltas alone.",
    )
    async def commit_at_turn_end(
        self, info: Context, command: CommitAtTurnEnd, spellings: dict[str, str]
    ) -> CommitAtTurnEndPayload:
        """Apply the deltas; a problem names a field by the alias that the client used."""
        results = await info.context.services.turns.commit.commit(await info.context.caller(), command)
        return CommitAtTurnEndPayload(
            ok=all(result.problem is None for result in results),
            results=[DeltaResultType.from_record(result.respelled(spellings)) for result in results],
        )
