"""Reads and writes questions and stories: runs named queries and returns records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.questions.patch import tag_keys
from prefrontal.graph.cortex.questions.record import Question, QuestionStatus, Story, StoryStatus
from prefrontal.graph.embedding.rules import plan_properties
from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.history.repository import Repository
from prefrontal.graph.ids import Kind
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.cortex.questions.record import QuestionFilter
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class _Questions(Repository[Question]):
    """Questions, which are also stored with what searches find them by."""

    def properties(self, record: Question) -> dict[str, Any]:
        """Return the properties of a question's node."""
        found_by = plan_properties(
            "question",
            [record.text],
            record.created_at,
            tags=record.tags,
            space=None if record.status is QuestionStatus.ARCHIVED else record.scope_id,
        )
        return super().properties(record) | found_by | {"tag_keys": list(tag_keys(record.tags))}


class _Stories(Repository[Story]):
    """Stories, which are also stored with what searches find them by."""

    def properties(self, record: Story) -> dict[str, Any]:
        """Return the properties of a story's node."""
        return super().properties(record) | plan_properties(
            "story",
            [record.narrative],
            record.created_at,
            space=None if record.status is StoryStatus.ARCHIVED else record.scope_id,
        )


questions = _Questions(
    RecordMapper(Question, unstored=["goal_id"]),
    "question",
    caption="text",
    find="questions/find_questions",
    lock="questions/lock_questions",
    update="questions/update_questions",
    by_client_key="questions/find_question_by_client_key",
    kind=Kind.QUESTION,
    shared_writes=False,
)
stories = _Stories(
    RecordMapper(Story, unstored=["evidence_ids"]),
    "story",
    caption="narrative",
    find="questions/find_stories",
    lock="questions/lock_stories",
    update="questions/update_stories",
    by_client_key="questions/find_story_by_client_key",
    kind=Kind.STORY,
    shared_writes=False,
    # The evidence is stored as links with times of their own, and not every reader of the story may read it.
    unversioned=["evidence_ids"],
)


def _question(item: Row, _: datetime) -> Question:
    return questions.record(item["node"])


def _story(item: Row, _: datetime) -> Story:
    return stories.record(item["node"])


of_goals = RelatedList(
    "questions/list_questions_of_goals", "questions/count_questions_of_goals", _question, int, str
)
of_questions = RelatedList(
    "questions/list_stories_of_questions", "questions/count_stories_of_questions", _story, str
)


async def save_question(
    tx: Tx,
    caller: Caller,
    before: Question | None,
    after: Question,
    turn_id: str | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Store a new question (`before` is None) or its next version, which also records `more`.

    Raises:
        Forbidden: If the caller may no longer write to the space.
    """
    await _save(tx, caller, questions, before, after, turn_id, more, "questions/create_question", "space")


async def save_story(
    tx: Tx,
    caller: Caller,
    before: Story | None,
    after: Story,
    turn_id: str | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Store a new story (`before` is None) or its next version, which also records `more`.

    Raises:
        Forbidden: If the caller may no longer write to the space.
    """
    await _save(tx, caller, stories, before, after, turn_id, more, "questions/create_story", "question.id")


async def _save(
    tx: Tx,
    caller: Caller,
    kept: Repository[Any],
    before: Question | Story | None,
    after: Question | Story,
    turn_id: str | None,
    more: Mapping[str, Any] | None,
    create: str,
    field: str,
) -> None:
    """Store a record with the query `create` if it is new; `field` is what an error about the space names."""
    if before is not None:
        await kept.update(tx, caller, [(before, after, more or {})], turn_id=turn_id)
    elif not await tx.optional(
        create,
        properties=kept.properties(after),
        version=kept.version(caller, None, after, turn_id),
        writable=list(caller.writable),
    ):
        raise Forbidden("you may not write to this space any more", field=field)


async def require_goal(tx: Tx, caller: Caller, goal_id: str) -> None:
    """Check that a question of the caller's may be about a goal.

    Raises:
        NotFound: If the goal is unknown or not readable.
        Forbidden: If the goal is only shared with the caller: what is asked about it belongs into its space.
    """
    row = await tx.optional("questions/find_goal", goal_id=goal_id, **caller.reads)
    if row is None:
        raise NotFound("no such goal", field="question.goalId")
    if not row["in_reach"]:
        raise Forbidden(
            "this goal is shared with you; only who may write to its space asks questions about it",
            field="question.goalId",
        )


async def relink(tx: Tx, caller: Caller, uid: str, goal_id: str | None, now: datetime) -> bool:
    """Link a question to another readable goal, or to none; return False if there is no such goal."""
    row = await tx.one(
        "questions/relink_question",
        uid=uid,
        goal_id=goal_id,
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
    )
    return goal_id is None or bool(row["made"])


async def link_evidence(
    tx: Tx,
    caller: Caller,
    uid: str,
    evidence: Sequence[dict[str, Any]],
    turn_id: str | None,
    now: datetime,
) -> int:
    """Make observations evidence of a story and return how many links were created."""
    row = await tx.one(
        "questions/link_story",
        uid=uid,
        rows=list(evidence),
        turn_key=turn_id,
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
    )
    return int(row["linked"])


async def count_linked(tx: Tx, caller: Caller, uid: str, since: datetime) -> int:
    """Return the number of observations that were linked to a readable story after a time and still are."""
    row = await tx.one("questions/count_linked", uid=uid, since=since, readable=list(caller.readable))
    return int(row["linked"])


async def list_questions(
    tx: Tx,
    caller: Caller,
    wanted: QuestionFilter,
    statuses: Sequence[QuestionStatus],
    goal_ids: Sequence[str] | None,
    *,
    before: tuple[int, str],
    limit: int,
) -> list[Question]:
    """Return questions after the position `before`, in order of urgency.

    Args:
        tx: The transaction.
        caller: The caller.
        wanted: The owner, the tags and the space; its goal and its statuses are not looked at.
        statuses: The statuses.
        goal_ids: The goals that the questions are about; None for all questions.
        before: A position in the order.
        limit: The largest number of questions, for each goal if there are goals.
    """
    params = _filter_params(wanted, statuses) | {
        "before_rank": before[0],
        "before_uid": before[1],
        "limit": limit,
    }
    if goal_ids is None:
        row = await tx.one("questions/list_questions", space=wanted.space, **caller.reads, **params)
    else:
        row = await tx.one(
            "questions/list_questions_by_goal", goal_ids=list(goal_ids), **caller.reads, **params
        )
    return [questions.record(item) for item in row["items"]]


async def count_questions(
    tx: Tx, caller: Caller, wanted: QuestionFilter, statuses: Sequence[QuestionStatus]
) -> int:
    """Return the number of matching questions."""
    params = _filter_params(wanted, statuses)
    if wanted.goal_id is None:
        row = await tx.one("questions/count_questions", space=wanted.space, **caller.reads, **params)
    else:
        row = await tx.one(
            "questions/count_questions_by_goal", goal_ids=[wanted.goal_id], **caller.reads, **params
        )
    return int(row["total"])


async def list_stories(
    tx: Tx,
    caller: Caller,
    question_ids: Sequence[str] | None,
    statuses: Sequence[StoryStatus],
    *,
    before: str,
    limit: int,
) -> list[Story]:
    """Return stories older than `before`, newest first.

    Up to `limit` of all stories, or up to `limit` for each question if there are `question_ids`.
    """
    params: dict[str, Any] = {
        "statuses": [status.value for status in statuses],
        "before_uid": before,
        "limit": limit,
    }
    if question_ids is None:
        row = await tx.one("questions/list_stories", **caller.reads, **params)
    else:
        row = await tx.one(
            "questions/list_stories_by_question",
            question_ids=list(question_ids),
            **caller.reads,
            **params,
        )
    return [stories.record(item) for item in row["items"]]


async def count_stories(
    tx: Tx, caller: Caller, question_id: str | None, statuses: Sequence[StoryStatus]
) -> int:
    """Return the number of matching stories."""
    names = [status.value for status in statuses]
    if question_id is None:
        row = await tx.one("questions/count_stories", statuses=names, **caller.reads)
    else:
        row = await tx.one(
            "questions/count_stories_by_question",
            question_ids=[question_id],
            statuses=names,
            **caller.reads,
        )
    return int(row["total"])


def _filter_params(wanted: QuestionFilter, statuses: Sequence[QuestionStatus]) -> dict[str, Any]:
    return {
        "statuses": [status.value for status in statuses],
        "owner": wanted.owner.value if wanted.owner else None,
        "tag_keys": list(tag_keys(wanted.tags)),
    }
