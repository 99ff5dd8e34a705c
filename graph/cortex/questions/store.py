"""Reads and writes questions and stories: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.questions.patch import tag_keys
from prefrontal.graph.cortex.questions.record import Question, Story
from prefrontal.graph.history.rows import version_row
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.cortex.questions.record import QuestionFilter, QuestionStatus, StoryStatus
    from prefrontal.graph.storage.unit_of_work import Tx


async def find_questions(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Question]:
    """Return the readable questions among some ids, by id."""
    row = await tx.one("questions/find_questions", uids=list(uids), **_seen_by(caller))
    return {item["uid"]: Question.model_validate(item) for item in row["items"]}


async def find_stories(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, Story]:
    """Return the readable stories among some ids, by id."""
    row = await tx.one("questions/find_stories", uids=list(uids), **_seen_by(caller))
    return {item["uid"]: Story.model_validate(item) for item in row["items"]}


def _seen_by(caller: Caller) -> dict[str, list[str]]:
    """Return the parameters that limit a read: the readable spaces, and the actors of the caller's shares."""
    return {"readable": list(caller.readable), "grantees": caller.grantees}


async def lock_question(tx: Tx, caller: Caller, uid: str, now: datetime) -> Question | None:
    """Lock a readable question and return it; None if there is no readable question of this id."""
    if kind_of(uid) is not Kind.QUESTION:
        return None
    row = await tx.one("questions/lock_questions", uids=[uid], readable=list(caller.readable), now=now)
    return next((Question.model_validate(item) for item in row["items"]), None)


async def lock_stories(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> list[Story]:
    """Lock the readable stories among some ids, in order of their ids, and return them."""
    known = sorted({uid for uid in uids if kind_of(uid) is Kind.STORY})
    row = await tx.one("questions/lock_stories", uids=known, readable=list(caller.readable), now=now)
    return [Story.model_validate(item) for item in row["items"]]


async def question_by_key(tx: Tx, caller: Caller, scope_id: str, client_key: str) -> str | None:
    """Return the id of the question with a client key in a writable space, or None."""
    row = await tx.optional(
        "questions/find_question_by_client_key",
        scope_id=scope_id,
        client_key=client_key,
        writable=list(caller.writable),
    )
    return str(row["uid"]) if row else None


async def story_by_key(tx: Tx, caller: Caller, scope_id: str, client_key: str) -> str | None:
    """Return the id of the story with a client key in a writable space, or None."""
    row = await tx.optional(
        "questions/find_story_by_client_key",
        scope_id=scope_id,
        client_key=client_key,
        writable=list(caller.writable),
    )
    return str(row["uid"]) if row else None


async def save_question(
    tx: Tx,
    caller: Caller,
    before: Question | None,
    after: Question,
    turn_id: str | None,
    more: dict[str, Any] | None = None,
) -> bool:
    """Store a new question (`before` is None) or its next version; return whether the space is writable.

    `more` is added to the changes that the version records.
    """
    properties = {
        **after.model_dump(exclude={"goal_id"}),
        "name": short_name(after.text),
        "status": after.status.value,
        "owner": after.owner.value if after.owner else None,
        "tags": list(after.tags),
        "tag_keys": list(tag_keys(after.tags)),
    }
    version = _version(caller, before, after, after.text, turn_id, more)
    writable = list(caller.writable)
    if before is None:
        made = await tx.optional(
            "questions/create_question", properties=properties, version=version, writable=writable
        )
        return made is not None
    rows = [{"properties": properties, "version": version}]
    row = await tx.one("questions/update_questions", rows=rows, writable=writable)
    return bool(row["written"])


async def knows_goal(tx: Tx, caller: Caller, goal_id: str) -> bool:
    """Tell whether there is a readable goal with this id."""
    row = await tx.optional("questions/find_goal", goal_id=goal_id, readable=list(caller.readable))
    return row is not None


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


async def save_story(
    tx: Tx,
    caller: Caller,
    before: Story | None,
    after: Story,
    turn_id: str | None,
    more: dict[str, Any] | None = None,
) -> bool:
    """Store a new story (`before` is None) or its next version; return whether the space is writable.

    `more` is added to the changes that the version records.
    """
    properties = _story_properties(after)
    version = _version(caller, before, after, after.narrative, turn_id, more)
    writable = list(caller.writable)
    if before is None:
        made = await tx.optional(
            "questions/create_story", properties=properties, version=version, writable=writable
        )
        return made is not None
    rows = [{"properties": properties, "version": version}]
    return bool((await tx.one("questions/update_stories", rows=rows, writable=writable))["written"])


async def save_stories(
    tx: Tx, caller: Caller, changes: Sequence[tuple[Story, Story]], turn_id: str | None
) -> int:
    """Store the next versions of several stories (before, after); return how many were written."""
    rows = [
        {
            "properties": _story_properties(after),
            "version": _version(caller, before, after, after.narrative, turn_id),
        }
        for before, after in changes
    ]
    row = await tx.one("questions/update_stories", rows=rows, writable=list(caller.writable))
    return int(row["written"])


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
    *,
    before: tuple[int, str],
    limit: int,
) -> list[Question]:
    """Return up to `limit` questions after the position `before`, in order of urgency."""
    params: dict[str, Any] = _wanted(caller, wanted, statuses) | {
        "before_rank": before[0],
        "before_uid": before[1],
        "limit": limit,
    }
    if wanted.goal_id is None:
        row = await tx.one("questions/list_questions", **params)
    else:
        params["grantees"] = caller.grantees
        row = await tx.one("questions/list_questions_by_goal", goal_ids=[wanted.goal_id], **params)
    return [Question.model_validate(item) for item in row["items"]]


async def count_questions(
    tx: Tx, caller: Caller, wanted: QuestionFilter, statuses: Sequence[QuestionStatus]
) -> int:
    """Return the number of matching questions."""
    params = _wanted(caller, wanted, statuses)
    if wanted.goal_id is None:
        row = await tx.one("questions/count_questions", **params)
    else:
        params["grantees"] = caller.grantees
        row = await tx.one("questions/count_questions_by_goal", goal_ids=[wanted.goal_id], **params)
    return int(row["total"])


async def questions_of(
    tx: Tx, caller: Caller, goal_ids: Sequence[str], statuses: Sequence[QuestionStatus], limit: int
) -> list[Question]:
    """Return the readable questions about some goals, at most `limit` for each goal."""
    row = await tx.one(
        "questions/list_questions_by_goal",
        goal_ids=list(goal_ids),
        **_seen_by(caller),
        statuses=[status.value for status in statuses],
        owner=None,
        tag_keys=[],
        before_rank=2**31,
        before_uid="",
        limit=limit,
    )
    return [Question.model_validate(item) for item in row["items"]]


async def list_stories(
    tx: Tx,
    caller: Caller,
    question_id: str | None,
    statuses: Sequence[StoryStatus],
    *,
    before: str,
    limit: int,
) -> list[Story]:
    """Return up to `limit` stories older than `before`, newest first."""
    if question_id is not None:
        return await stories_of(tx, caller, [question_id], statuses, before=before, limit=limit)
    row = await tx.one(
        "questions/list_stories",
        readable=list(caller.readable),
        statuses=[status.value for status in statuses],
        before_uid=before,
        limit=limit,
    )
    return [Story.model_validate(item) for item in row["items"]]


async def stories_of(
    tx: Tx,
    caller: Caller,
    question_ids: Sequence[str],
    statuses: Sequence[StoryStatus],
    *,
    before: str,
    limit: int,
) -> list[Story]:
    """Return the readable stories of some questions, at most `limit` for each question, newest first."""
    row = await tx.one(
        "questions/list_stories_by_question",
        question_ids=list(question_ids),
        **_seen_by(caller),
        statuses=[status.value for status in statuses],
        before_uid=before,
        limit=limit,
    )
    return [Story.model_validate(item) for item in row["items"]]


async def count_stories(
    tx: Tx, caller: Caller, question_id: str | None, statuses: Sequence[StoryStatus]
) -> int:
    """Return the number of matching stories."""
    params: dict[str, Any] = {
        "readable": list(caller.readable),
        "statuses": [status.value for status in statuses],
    }
    if question_id is None:
        row = await tx.one("questions/count_stories", **params)
    else:
        row = await tx.one(
            "questions/count_stories_by_question",
            question_ids=[question_id],
            **params,
            grantees=caller.grantees,
        )
    return int(row["total"])


def _wanted(caller: Caller, wanted: QuestionFilter, statuses: Sequence[QuestionStatus]) -> dict[str, Any]:
    return {
        "readable": list(caller.readable),
        "statuses": [status.value for status in statuses],
        "owner": wanted.owner.value if wanted.owner else None,
        "tag_keys": list(tag_keys(wanted.tags)),
    }


def _story_properties(story: Story) -> dict[str, Any]:
    return {
        **story.model_dump(exclude={"evidence_ids"}),
        "name": short_name(story.narrative),
        "status": story.status.value,
        "acceptance_criteria": list(story.acceptance_criteria),
        "references": list(story.references),
    }


def _version(
    caller: Caller,
    before: Question | Story | None,
    after: Question | Story,
    caption: str,
    turn_id: str | None,
    more: dict[str, Any] | None = None,
) -> dict[str, Any]:
    # The evidence is stored as links with times of their own. Versions leave it out, because not every reader
    # of
    # the story may read the observations.
    changes = changed_fields(before, after) | (more or {})
    changes.pop("evidence_ids", None)
    return version_row(
        caller,
        of_uid=after.uid,
        number=after.version,
        scope_id=after.scope_id,
        caption=caption,
        changes=json.dumps(changes, ensure_ascii=False, sort_keys=True),
        at=after.updated_at,
        turn_id=turn_id,
    )
