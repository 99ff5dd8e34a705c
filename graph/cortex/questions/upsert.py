"""The use case that writes a question and its story together: `upsert_question_story` of source 003."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.apply import archive_stories
from prefrontal.graph.cortex.questions.events import question_journal, story_journal
from prefrontal.graph.cortex.questions.locks import lock_writable
from prefrontal.graph.cortex.questions.patch import (
    new_question,
    new_story,
    revise_question,
    revise_story,
    with_evidence,
)
from prefrontal.graph.cortex.questions.record import (
    CLOSED,
    DraftReference,
    Pair,
    PairDraft,
    Question,
    QuestionStatus,
    Story,
    StoryChanges,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from prefrontal.graph.cortex.questions.validation import pair_problems
from prefrontal.graph.errors import (
    Duplicate,
    IllegalTransition,
    InvalidInput,
    NotFound,
    VersionConflict,
)
from prefrontal.graph.ids import Kind, kind_of, new_id
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.validation import raise_all, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.questions.service import QuestionService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.service import ScratchService
    from prefrontal.graph.storage.unit_of_work import Tx


@dataclass(frozen=True, slots=True)
class _QuestionChange:
    """A question before and after the upsert."""

    before: Question | None
    after: Question

    @property
    def other_goal(self) -> bool:
        """Whether the upsert links the question to another goal."""
        return self.after.goal_id != (self.before.goal_id if self.before else None)


@dataclass(frozen=True, slots=True)
class _StoryChange:
    """A story before and after the upsert, and its new evidence with the confidence of each observation."""

    before: Story | None
    after: Story
    new: tuple[str, ...]
    observed: dict[str, float]


class QuestionUpserts:
    """Creates and changes a question and its story together: both are written, or neither."""

    def __init__(
        self, catalog: Catalog, changes: ChangeWriter, scratch: ScratchService, questions: QuestionService
    ) -> None:
        self._catalog = catalog
        self._changes = changes
        self._scratch = scratch
        self._questions = questions

    async def upsert(self, caller: Caller, command: UpsertQuestionStory) -> Pair:
        """Write a question, and a story if one is given, in one transaction; return both.

        A question or story is created if it is named neither by id nor by client key, or if nothing has its
        client key. The space is the one of a new question and of client keys; the caller's own space if
        omitted. A story is always in the space of its question.

        Raises:
            InvalidInput: If a field is invalid, or the story answers another question.
            NotFound: If the question, story, goal or an observation is unknown or not readable.
            Expired: If an observation has expired.
            Forbidden: If the question or the space is readable but not writable.
            IllegalTransition: If the registry does not allow a transition of status.
            VersionConflict: If question or story has another version than expected, or does not exist.
        """
        require(caller, Permission.WRITE)
        problems = self.problems(command)
        if command.question.id is not None and command.space is not None:
            problems.append(
                InvalidInput(
                    "a question stays in its space; name `space` only with `clientKey` or for a new question",
                    field="space",
                )
            )
        raise_all(problems)
        scope_id = "" if command.question.id is not None else target_space(caller, command.space)

        async def work(tx: Tx, now: datetime) -> Change:
            return await self.upsert_in(tx, caller, command, scope_id, command.turn_id, now)

        result = await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)
        return await self._pair(caller, result)

    async def upsert_in(
        self,
        tx: Tx,
        caller: Caller,
        draft: PairDraft,
        scope_id: str,
        turn_id: str | None,
        now: datetime,
    ) -> Change:
        """Write a validated draft inside a transaction; return the journal.

        Both parts are checked before either is written, so a refused draft writes nothing.
        """
        question_change = await self._question(tx, caller, draft, scope_id, now)
        story_change = None
        if draft.story is not None:
            story_change = await self._story(tx, caller, draft.story, question_change, now)
        done = [await self._save_question(tx, caller, question_change, turn_id, now)]
        if story_change is not None:
            done.append(await self._save_story(tx, caller, story_change, turn_id, now))
        return merged(
            done,
            {
                "question": question_change.after.uid,
                "story": story_change.after.uid if story_change else None,
                "question_created": question_change.before is None,
                "story_created": story_change is not None and story_change.before is None,
            },
        )

    async def _question(
        self, tx: Tx, caller: Caller, pair: PairDraft, scope_id: str, now: datetime
    ) -> _QuestionChange:
        draft, table, goals = pair.question, self._catalog.questions.questions, self._catalog.goals
        uid, before = draft.id, None
        if uid is None and draft.client_key is not None:
            uid = await store.questions.find_by_client_key(tx, caller, scope_id, draft.client_key)
        if uid is not None:
            before = await lock_writable(tx, caller, store.questions, uid, now, "question.id")
            _require_version(before.version, draft, "question")
            after = revise_question(before, draft, now, table, goals)
        else:
            _require_new(draft, "question")
            if draft.text is None:
                raise InvalidInput("a new question needs a text", field="question.text")
            base = self._empty_question(caller, scope_id, draft.client_key, now)
            after = new_question(draft, base, now, table, goals)
        if after.status in CLOSED and pair.story is not None:
            raise IllegalTransition(
                f"the question is {after.status.value}; give it another status to write a story",
                field="question.status",
            )
        question_change = _QuestionChange(before, after)
        if question_change.other_goal and after.goal_id:
            await store.require_goal(tx, caller, after.goal_id)
        return question_change

    async def _save_question(
        self, tx: Tx, caller: Caller, question_change: _QuestionChange, turn_id: str | None, now: datetime
    ) -> Change:
        before, after = question_change.before, question_change.after
        if after == before:
            return Change(result={})
        await store.save_question(tx, caller, before, after, turn_id)
        if question_change.other_goal and not await store.relink(tx, caller, after.uid, after.goal_id, now):
            raise NotFound("no such goal", field="question.goalId")
        done = [question_journal(before, after, turn_id)]
        if before is not None and before.status is not after.status and after.status in CLOSED:
            done += await archive_stories(
                tx,
                caller,
                {after.uid: f"its question is {after.status.value}"},
                now,
                self._catalog.questions,
                turn_id=turn_id,
            )
        return merged(done)

    async def _story(
        self, tx: Tx, caller: Caller, draft: StoryDraft, question_change: _QuestionChange, now: datetime
    ) -> _StoryChange:
        question, table = question_change.after, self._catalog.questions
        references = tuple(ref for ref in draft.evidence_refs if kind_of(ref) is not Kind.OBSERVATION)
        written = draft.model_copy(update={"evidence_refs": references})
        uid, before = draft.id, None
        if uid is None and draft.client_key is not None:
            uid = await store.stories.find_by_client_key(tx, caller, question.scope_id, draft.client_key)
        if uid is not None:
            before = (await store.stories.lock(tx, caller, [uid], now)).get(uid)
            if before is None:
                raise NotFound("no such story", field="story.id")
            if before.question_id != question.uid:
                await self._require_key_free(tx, caller, question_change)
                raise InvalidInput("the story answers another question", field="story.id")
            _require_version(before.version, draft, "story")
            after = revise_story(before, written, now, table)
        else:
            _require_new(draft, "story")
            if draft.narrative is None:
                raise InvalidInput("a new story needs a narrative", field="story.narrative")
            base = self._empty_story(caller, question, draft.client_key, now)
            after = new_story(written, base, now, table)
        new = _new_observations(draft, after)
        observed = await self._observed(tx, caller, new, now)
        after = with_evidence(before or after, after, new, now, table.evidence_refs)
        if before is None:
            after = after.model_copy(update={"version": 1})
        return _StoryChange(before, after, tuple(new), observed)

    async def _require_key_free(self, tx: Tx, caller: Caller, question_change: _QuestionChange) -> None:
        """Check that the client key of a new question is still free.

        Another transaction may have stored a question and its story after this one looked for the question
        and before it looked for the story.

        Raises:
            Duplicate: If the key is taken; the use case runs again and finds that question.
        """
        scope_id, key = question_change.after.scope_id, question_change.after.client_key
        if question_change.before is not None or key is None:
            return
        if await store.questions.find_by_client_key(tx, caller, scope_id, key) is not None:
            raise Duplicate("there is a question with this key already", field="question.clientKey")

    async def _save_story(
        self, tx: Tx, caller: Caller, story_change: _StoryChange, turn_id: str | None, now: datetime
    ) -> Change:
        before, after = story_change.before, story_change.after
        if after == before:
            return Change(result={})
        await store.save_story(tx, caller, before, after, turn_id)
        if story_change.new:
            position = len(after.evidence_ids) - len(story_change.new)
            rows = [
                {
                    "observation_id": ref,
                    "confidence": story_change.observed[ref],
                    "position": position + number,
                }
                for number, ref in enumerate(story_change.new)
            ]
            await store.link_evidence(tx, caller, after.uid, rows, turn_id, now)
        return story_journal(before, after, turn_id)

    async def _observed(self, tx: Tx, caller: Caller, new: dict[str, int], now: datetime) -> dict[str, float]:
        """Lock the observations that are new evidence; return their confidence, by id."""
        fields = [f"story.evidenceRefs[{number}]" for number in new.values()]
        found = await self._scratch.lock_evidence(tx, caller, list(new), now, fields=fields)
        return {uid: observation.confidence for uid, observation in found.items()}

    def _empty_question(
        self, caller: Caller, scope_id: str, client_key: str | None, now: datetime
    ) -> Question:
        goals = self._catalog.goals
        return Question(
            **_new(caller, Kind.QUESTION, scope_id, client_key, now),
            text="",
            goal_id=None,
            priority=goals.default_priority,
            priority_rank=goals.priorities[goals.default_priority],
            status=QuestionStatus(self._catalog.questions.questions.initial_status),
            owner=None,
            tags=(),
        )

    def _empty_story(
        self, caller: Caller, question: Question, client_key: str | None, now: datetime
    ) -> Story:
        return Story(
            **_new(caller, Kind.STORY, question.scope_id, client_key, now),
            question_id=question.uid,
            narrative="",
            acceptance_criteria=(),
            references=(),
            evidence_ids=(),
            status=StoryStatus(self._catalog.questions.stories.initial_status),
        )

    def problems(self, draft: PairDraft) -> list[InvalidInput]:
        """Return what is wrong with a draft, as far as the input alone shows it."""
        return pair_problems(draft, self._catalog.limits, self._catalog.goals, self._catalog.questions)

    async def _pair(self, caller: Caller, result: dict[str, Any]) -> Pair:
        uid, story_id = result["question"], result["story"]
        question = (await self._questions.get(caller, [uid])).get(uid)
        if question is None:
            raise NotFound("no such question", field="question.id")
        stories = await self._questions.get_stories(caller, [story_id]) if story_id else {}
        return Pair(
            question=question,
            story=stories.get(story_id),
            question_created=result["question_created"],
            story_created=result["story_created"],
        )


def _new(caller: Caller, kind: Kind, scope_id: str, client_key: str | None, now: datetime) -> dict[str, Any]:
    """Return the fields of a new record that questions and stories have in common."""
    return {
        "uid": new_id(kind, now),
        "org_id": caller.org_id,
        "scope_id": scope_id,
        "status_reason": None,
        "archived_at": None,
        "created_at": now,
        "updated_at": now,
        "by_uid": caller.actor_id,
        "version": 0,
        "client_key": client_key,
    }


def _require_version(actual: int, draft: DraftReference, path: str) -> None:
    """Check that the version is the one that the draft expects.

    Raises:
        VersionConflict: If it is another one; the error's field is under `path`.
    """
    try:
        require_version(actual, draft.expected_version)
    except VersionConflict as error:
        error.field = f"{path}.expectedVersion"
        raise


def _require_new(draft: DraftReference, path: str) -> None:
    if draft.expected_version is not None:
        raise VersionConflict(f"there is no such {path} yet", field=f"{path}.expectedVersion")


def _new_observations(changes: StoryChanges, story: Story) -> dict[str, int]:
    """Return the observations that are not evidence yet, each with its position in the input."""
    new: dict[str, int] = {}
    for number, ref in enumerate(changes.evidence_refs):
        if kind_of(ref) is Kind.OBSERVATION and ref not in story.evidence_ids:
            new.setdefault(ref, number)
    return new
