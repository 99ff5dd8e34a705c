"""The mutation that ends a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.transitions import map_of
from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.actions.upsert import PendingActionUpsertInput, problem_type
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.input_types import input_type, record_of
from prefrontal.api.graphql.inputs import key_field, noting, space_field, version_field
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionDone
from prefrontal.graph.cortex.goals.record import ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft, QuestionDraft, StoryDraft
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.turns.record import Delta, DeltaKind, DeltaResult
from prefrontal.graph.validation import list_problems, raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import LimitsTable

    QuestionInput: TypeAlias = Any
    StoryInput: TypeAlias = Any
else:
    QuestionInput, StoryInput = input_type(QuestionDraft), input_type(StoryDraft)

strawberry.enum(DeltaKind, name="DeltaKind", description="The kind of a delta.")


def _key() -> Any:
    return strawberry.field(
        default=None,
        description="Your own name for the delta, unique in the turn. Without a name the content "
        "identifies the delta: the same content twice in a turn is applied once.",
    )


@strawberry.input(description="A change of a goal's progress.")
class TurnProgressInput:
    """An entry of `progress`."""

    goal_id: strawberry.ID
    delta: float = strawberry.field(description="The change of the progress, -1 to 1.")
    note: str | None = None
    references: list[str] = strawberry.field(
        default_factory=list,
        description="References such as tool results, files and links; stored in the goal's history.",
    )
    key: str | None = _key()

    def body(self, path: str) -> ProgressDelta:
        """Return the delta; raise `InvalidInput` for values out of range."""
        return record_of(self, ProgressDelta, path)[0]


@strawberry.input(description="A pending action, as in `upsertPendingActions`.")
class TurnActionInput(PendingActionUpsertInput):
    """An entry of `newActions` and `updatedActions`."""

    key: str | None = _key()


@strawberry.input(description="A pending action to complete.")
class TurnCompletionInput:
    """An entry of `completedActions`."""

    id: strawberry.ID | None = None
    client_key: str | None = strawberry.field(
        default=None,
        description="Your own name for the action, instead of `id`; it may be an action that this turn "
        "creates.",
    )
    result: JSON | None = strawberry.field(
        default=None, description="The result of the action, a JSON object."
    )
    choice: str | None = strawberry.field(default=None, description="The chosen entry of `metadata.options`.")
    expected_version: int | None = version_field()
    key: str | None = _key()

    def body(self, path: str) -> ActionDone:
        """Return the completion; raise `InvalidInput` for a result that is no JSON object."""
        try:
            result = map_of(self.result)
        except InvalidInput as error:
            error.field = f"{path}.{error.field}"
            raise
        return ActionDone(
            uid=self.id,
            client_key=self.client_key,
            expected_version=self.expected_version,
            result=result,
            choice=self.choice,
        )


@strawberry.input(description="A question and a story that answers it, as in `upsertQuestionStory`.")
class TurnStoryInput:
    """An entry of `storyUpdates`."""

    question: QuestionInput
    story: StoryInput | None = None
    key: str | None = _key()

    def body(self, path: str, evidence: tuple[str, ...] = ()) -> PairDraft:
        """Return the pair with more evidence; raise `InvalidInput` for values of the wrong form."""
        pair = record_of(self, PairDraft, path)[0]
        if pair.story is None or not evidence:
            return pair
        refs = (*pair.story.evidence_refs, *evidence)
        return pair.model_copy(update={"story": pair.story.model_copy(update={"evidence_refs": refs})})


@strawberry.input(
    description="An insight of the turn: a note with its evidence, and the progress and the story that "
    "follow from it. Progress and story are two separate deltas."
)
class TurnReflectionInput:
    """An entry of `reflections`."""

    note: str | None = strawberry.field(default=None, description="The note for the change of progress.")
    evidence_refs: list[str] = strawberry.field(
        default_factory=list,
        description="Evidence that is added to the references of the progress and to the evidence of the "
        "story.",
    )
    progress: TurnProgressInput | None = None
    story_update: TurnStoryInput | None = None

    def deltas(self, path: str, limits: LimitsTable) -> list[Delta]:
        """Return the deltas; raise `InvalidInput` for a wrong note or piece of evidence."""
        evidence = tuple(self.evidence_refs)
        problems = list_problems(evidence, f"{path}.evidenceRefs", limits.list_items)
        for number, ref in enumerate(evidence[: limits.list_items]):
            problems += text_problems(ref, f"{path}.evidenceRefs[{number}]", limits.title_characters)
        if self.note is not None:
            problems += text_problems(self.note, f"{path}.note", limits.title_characters)
        raise_all(problems)
        found: list[Delta] = []
        if self.progress is not None:
            where = f"{path}.progress"
            step = self.progress.body(where)
            step = step.model_copy(
                update={"note": step.note or self.note, "references": (*step.references, *evidence)}
            )
            found.append(Delta(kind=DeltaKind.PROGRESS, path=where, key=self.progress.key, body=step))
        if self.story_update is not None:
            where = f"{path}.storyUpdate"
            pair = self.story_update.body(where, evidence)
            found.append(Delta(kind=DeltaKind.STORY_UPDATE, path=where, key=self.story_update.key, body=pair))
        return found


@strawberry.input(
    description="The results of a turn: at most 200 deltas. They are applied in the order of these fields. "
    "Each delta is checked separately, and applied once per turn."
)
class CommitAtTurnEndInput:
    """The input of `commitAtTurnEnd`."""

    turn_id: str = strawberry.field(description="Your name for the turn; a new name creates the turn.")
    progress: list[TurnProgressInput] = strawberry.field(default_factory=list)
    new_actions: list[TurnActionInput] = strawberry.field(default_factory=list)
    updated_actions: list[TurnActionInput] = strawberry.field(default_factory=list)
    completed_actions: list[TurnCompletionInput] = strawberry.field(default_factory=list)
    story_updates: list[TurnStoryInput] = strawberry.field(default_factory=list)
    reflections: list[TurnReflectionInput] = strawberry.field(default_factory=list)
    space: strawberry.ID | None = space_field()
    idempotency_key: str | None = key_field()

    def deltas(self, limits: LimitsTable) -> list[Delta]:
        """Return the deltas in their order; raise `InvalidInput` for values of the wrong form."""
        found: list[Delta] = []
        problems: list[InvalidInput] = []
        for number, step in enumerate(self.progress):
            path = f"progress[{number}]"
            with noting(problems):
                found.append(Delta(kind=DeltaKind.PROGRESS, path=path, key=step.key, body=step.body(path)))
        for name, kind, actions in (
            ("newActions", DeltaKind.NEW_ACTION, self.new_actions),
            ("updatedActions", DeltaKind.UPDATED_ACTION, self.updated_actions),
        ):
            for number, action in enumerate(actions):
                path = f"{name}[{number}]"
                with noting(problems):
                    found.append(Delta(kind=kind, path=path, key=action.key, body=action.entry(path)))
        for number, done in enumerate(self.completed_actions):
            path = f"completedActions[{number}]"
            with noting(problems):
                found.append(
                    Delta(kind=DeltaKind.COMPLETED_ACTION, path=path, key=done.key, body=done.body(path))
                )
        for number, update in enumerate(self.story_updates):
            path = f"storyUpdates[{number}]"
            with noting(problems):
                found.append(
                    Delta(kind=DeltaKind.STORY_UPDATE, path=path, key=update.key, body=update.body(path))
                )
        for number, reflection in enumerate(self.reflections):
            with noting(problems):
                found += reflection.deltas(f"reflections[{number}]", limits)
        raise_all(problems)
        return found

    def spellings(self) -> dict[str, str]:
        """Return the fields that the client gave under an alias, as a map from field to alias."""
        found: dict[str, str] = {}
        for name, actions in (("newActions", self.new_actions), ("updatedActions", self.updated_actions)):
            for number, action in enumerate(actions):
                found |= action.spellings(f"{name}[{number}]")
        return found


@strawberry.type(name="TurnDeltaResult", description="The result of one delta.")
class DeltaResultType:
    """The result of one delta."""

    kind: DeltaKind
    path: str = strawberry.field(
        description="The path of the delta in the input, e.g. `completedActions[2]`."
    )
    repeated: bool = strawberry.field(
        description="Whether the delta was applied earlier in the turn. The result is then the earlier "
        "one, and nothing was written now."
    )
    created: bool = strawberry.field(
        description="Whether the delta created a record instead of changing one."
    )
    goal: GoalType | None = strawberry.field(
        description="The goal whose progress changed, in its present state."
    )
    before: float | None = strawberry.field(description="The goal's progress before the change.")
    after: float | None = strawberry.field(description="The goal's progress after the change.")
    action: PendingActionType | None
    question: QuestionType | None
    story: StoryType | None
    problem: Problem | None = strawberry.field(description="The reason why the delta was not applied.")

    @classmethod
    def from_record(cls, r: DeltaResult, names: Mapping[str, str]) -> DeltaResultType:
        """Return the type of a record; problems name a field by the alias that the client used."""
        problem = problem_type(r.problem) if r.problem else None
        if problem is not None:
            problem.field = names.get(problem.field or "", problem.field)
            for detail in problem.problems:
                detail.field = names.get(detail.field or "", detail.field)
        return cls(
            kind=r.kind,
            path=r.path,
            repeated=r.repeated,
            created=r.created,
            goal=GoalType.from_record(r.goal) if r.goal else None,
            before=r.before,
            after=r.after,
            action=PendingActionType.from_record(r.action) if r.action else None,
            question=QuestionType.from_record(r.question) if r.question else None,
            story=StoryType.from_record(r.story) if r.story else None,
            problem=problem,
        )


@strawberry.type(description="The result of each delta, in the order of application.")
class CommitAtTurnEndPayload:
    """The result of `commitAtTurnEnd`."""

    ok: bool = strawberry.field(description="Whether every delta was applied, now or earlier.")
    results: list[DeltaResultType]


@strawberry.type
class TurnEndMutation:
    """The mutation at the end of a turn."""

    @strawberry.mutation(
        description="Ends a turn: applies progress, actions and stories in one transaction. A refused "
        "delta does not stop the others, and a repeated delta changes nothing.",
        extensions=[WRITES],
    )
    async def commit_at_turn_end(
        self, info: Context, input: CommitAtTurnEndInput
    ) -> Annotated[
        CommitAtTurnEndPayload | Problem,
        strawberry.union(
            "CommitAtTurnEndResult",
            description="The result of each entry, or the problem if none was applied.",
        ),
    ]:
        """Apply the deltas."""
        results = await info.context.services.turns.commit.commit(
            await info.context.caller(),
            input.turn_id,
            input.deltas(info.context.services.catalog.limits),
            space=input.space,
            idempotency_key=input.idempotency_key,
        )
        loaders, names = info.context.loaders, input.spellings()
        for loader in (loaders.goals, loaders.actions, loaders.goal_actions, loaders.question_stories):
            loader.clear_all()
        return CommitAtTurnEndPayload(
            ok=all(result.problem is None for result in results),
            results=[DeltaResultType.from_record(result, names) for result in results],
        )
