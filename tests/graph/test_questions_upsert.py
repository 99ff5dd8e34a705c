"""upsertQuestionStory: a question and its story, both or neither, and what a story never loses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    GoalStatus,
    ProgressDelta,
    TransitionGoal,
    UpdateProgress,
)
from prefrontal.graph.cortex.questions import store
from prefrontal.graph.cortex.questions.record import (
    Pair,
    QuestionDraft,
    QuestionFilter,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import (
    Conflict,
    Expired,
    Forbidden,
    IllegalTransition,
    InvalidInput,
    NotFound,
    PrefrontalError,
    SeveralProblems,
    TooLarge,
    VersionConflict,
)
from prefrontal.graph.history.record import Revert
from prefrontal.graph.scratch.record import ObservationDraft, UpdateObservation
from tests.support.world import World

UNKNOWN = "qst_01JBXM3Z8K0QF3W4T9V2C7H5RD"
NO_STORY = "story_01JBXM3Z8K0QF3W4T9V2C7H5RD"
NO_GOAL = "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"
NO_OBSERVATION = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"


def pair_of(
    question: dict[str, Any] | None = None,
    story: dict[str, Any] | None = None,
    *,
    q: dict[str, Any] | None = None,
    s: dict[str, Any] | None = None,
    **call: Any,
) -> UpsertQuestionStory:
    return UpsertQuestionStory(
        question=QuestionDraft(**(q or {}), **(question or {})),
        story=StoryDraft(**(s or {}), **story) if story is not None else None,
        **call,
    )


async def upsert(world: World, *args: Any, agent: str = "bot", **kwargs: Any) -> Pair:
    caller = await world.caller(agent)
    return await world.services.questions.upsert.upsert(caller, pair_of(*args, **kwargs))


async def new_pair(world: World, text: str = "Which wine?", **fields: Any) -> Pair:
    return await upsert(world, {"text": text, **fields}, {"narrative": "A red one"})


async def noticed(world: World, *contents: str, agent: str = "bot") -> list[str]:
    drafts = [ObservationDraft(content=content) for content in contents]
    stored = await world.services.scratch.service.add(await world.caller(agent), drafts)
    return [observation.uid for observation in stored]


async def refused(world: World, error: type[PrefrontalError], field: str, *args: Any, **kwargs: Any) -> None:
    await world.caller(kwargs.get("agent", "bot"))
    before = await world.counts()
    with pytest.raises(error) as caught:
        await upsert(world, *args, **kwargs)
    assert caught.value.field == field
    assert await world.counts() == before


async def history(world: World, uid: str) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (v:Version)-[:OF]->(n {uid: $uid}) WHERE n:Question OR n:Story "
        "RETURN v.number AS n, v.changes AS c ORDER BY n",
        uid=uid,
    )
    assert [row["n"] for row in rows] == list(range(1, len(rows) + 1))
    return [json.loads(row["c"]) for row in rows]


@pytest.mark.covers("QST-01..15", "QST-18..19")
async def test_a_question_and_its_story_are_made_together(world: World) -> None:
    now = world.clock.now()
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Buy wine"))
    (red,) = await noticed(world, "Ann drinks red")
    pair = await upsert(
        world,
        {
            "text": "Which wine?",
            "goal_id": goal.uid,
            "priority": "high",
            "owner": ActionOwner.USER,
            "tags": ("Wine", "wine", "Ann"),
        },
        {
            "narrative": "A red one",
            "acceptance_criteria": ("red", "dry", "red"),
            "evidence_refs": (red, "the cellar book", red),
        },
        q={"client_key": "which"},
        s={"client_key": "red"},
        turn_id="t",
    )
    question, story = pair.question, pair.story
    assert story is not None
    assert (pair.question_created, pair.story_created) == (True, True)
    assert question.model_dump(exclude={"uid"}) == {
        "org_id": world.org_id,
        "scope_id": caller.home,
        "text": "Which wine?",
        "goal_id": goal.uid,
        "priority": "high",
        "priority_rank": 3,
        "status": QuestionStatus.OPEN,
        "status_reason": None,
        "owner": ActionOwner.USER,
        "tags": ("Wine", "Ann"),
        "archived_at": None,
        "created_at": now,
        "updated_at": now,
        "by_uid": caller.actor_id,
        "version": 1,
        "client_key": "which",
    }
    assert story.model_dump(exclude={"uid"}) == {
        "org_id": world.org_id,
        "scope_id": caller.home,
        "question_id": question.uid,
        "narrative": "A red one",
        "acceptance_criteria": ("red", "dry"),
        "references": ("the cellar book",),
        "evidence_ids": (red,),
        "status": StoryStatus.DRAFT,
        "status_reason": None,
        "archived_at": None,
        "created_at": now,
        "updated_at": now,
        "by_uid": caller.actor_id,
        "version": 1,
        "client_key": "red",
    }
    edges = await world.rows(
        "MATCH (a)-[r:ABOUT|ANSWERS|EVIDENCES]->(b) WHERE a.org_id = $org "
        "RETURN a.uid AS a, type(r) AS type, b.uid AS b ORDER BY type"
    )
    assert [(e["a"], e["type"], e["b"]) for e in edges] == [
        (question.uid, "ABOUT", goal.uid),
        (story.uid, "ANSWERS", question.uid),
        (red, "EVIDENCES", story.uid),
    ]
    page = await world.services.turns.trace.trace(caller, "t")
    assert [(e.kind.value, e.ids, e.details) for e in page.items] == [
        ("question_asked", (question.uid,), {"goal_id": goal.uid}),
        ("story_created", (story.uid, question.uid, red), {}),
    ]
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.type =~ '(question|story).*' "
        "RETURN e.type AS type, e.aggregate AS about, e.aggregate_version AS version ORDER BY type"
    )
    assert [(e["type"], e["about"], e["version"]) for e in events] == [
        ("question.asked", question.uid, 1),
        ("story.created", story.uid, 1),
    ]


@pytest.mark.covers("QST-08", "QST-15", "QST-20..22")
async def test_an_update_adds_criteria_and_evidence_and_replaces_the_narrative(world: World) -> None:
    first, second = await noticed(world, "Ann drinks red", "Ann has no money")
    made = await upsert(
        world,
        {"text": "Which wine?"},
        {"narrative": "A red one", "acceptance_criteria": ("red", "dry"), "evidence_refs": (first, "a book")},
    )
    assert made.story is not None
    later = world.clock.advance(minutes=5)
    named = {"q": {"id": made.question.uid}, "s": {"id": made.story.uid}}
    pair = await upsert(
        world,
        {},
        {
            "narrative": "A cheap red one",
            "acceptance_criteria": ("cheap", "dry"),
            "evidence_refs": (second, first, "a book", "a bill"),
            "status": StoryStatus.ACTIVE,
        },
        **named,
    )
    story = pair.story
    assert story is not None
    assert (pair.question_created, pair.story_created) == (False, False)
    assert pair.question == made.question
    assert story.acceptance_criteria == ("red", "dry", "cheap")
    assert story.evidence_ids == (first, second)
    assert story.references == ("a book", "a bill")
    assert (story.narrative, story.status, story.version) == ("A cheap red one", StoryStatus.ACTIVE, 2)
    assert (story.created_at, story.updated_at) == (made.story.created_at, later)
    # Shorter or left out: nothing is lost.
    pair = await upsert(world, {}, {"narrative": "A cheap one", "acceptance_criteria": ()}, **named)
    assert pair.story is not None
    assert pair.story.acceptance_criteria == ("red", "dry", "cheap")
    assert pair.story.evidence_ids == (first, second)
    # Only the explicit argument takes a criterion away.
    pair = await upsert(world, {}, {"remove_acceptance_criteria": ("red", "not there")}, **named)
    assert pair.story is not None
    assert pair.story.acceptance_criteria == ("dry", "cheap")
    versions = await history(world, story.uid)
    assert [v.get("narrative") for v in versions] == ["A red one", "A cheap red one", "A cheap one", None]
    assert [v.get("acceptance_criteria") for v in versions] == [
        ["red", "dry"],
        ["red", "dry", "cheap"],
        None,
        ["dry", "cheap"],
    ]
    links = await world.rows(
        "MATCH (o)-[r:EVIDENCES]->(:Story {uid: $uid}) RETURN o.uid AS o, r.position AS p ORDER BY p",
        uid=story.uid,
    )
    assert [(link["o"], link["p"]) for link in links] == [(first, 0), (second, 1)]


async def test_more_evidence_alone_is_a_new_version(world: World) -> None:
    made = await new_pair(world)
    assert made.story is not None
    (seen,) = await noticed(world, "Ann drinks red")
    pair = await upsert(
        world, {}, {"evidence_refs": (seen,)}, q={"id": made.question.uid}, s={"id": made.story.uid}
    )
    assert pair.story is not None
    assert (pair.story.evidence_ids, pair.story.version) == ((seen,), 2)


@pytest.mark.covers("QST-18")
async def test_what_is_so_already_writes_nothing(world: World) -> None:
    (seen,) = await noticed(world, "Ann drinks red")
    question = {"text": "Which wine?", "tags": ("wine",), "priority": "high"}
    story = {"narrative": "Red", "acceptance_criteria": ("dry",), "evidence_refs": (seen, "a book")}
    keys = {"q": {"client_key": "which"}, "s": {"client_key": "red"}}
    made = await upsert(world, question, story, **keys)
    before = await world.counts()
    world.clock.advance(minutes=1)
    again = await upsert(world, question, story, **keys)
    assert again == made.model_copy(update={"question_created": False, "story_created": False})
    assert await world.counts() == before


@pytest.mark.covers("QST-18")
async def test_a_repeated_call_gives_the_first_result_and_another_body_is_a_conflict(world: World) -> None:
    made = await upsert(world, {"text": "Which?"}, {"narrative": "Red"}, idempotency_key="k")
    before = await world.counts()
    assert await upsert(world, {"text": "Which?"}, {"narrative": "Red"}, idempotency_key="k") == made
    with pytest.raises(Conflict):
        await upsert(world, {"text": "Which?"}, {"narrative": "White"}, idempotency_key="k")
    assert await world.counts() == before


async def test_two_writers_with_one_key_make_one_question(world: World) -> None:
    drafts = [{"text": "Which?", "tags": (str(number),)} for number in range(4)]
    pairs = await asyncio.gather(
        *(
            upsert(world, draft, {"narrative": "Red"}, q={"client_key": "k"}, s={"client_key": "k"})
            for draft in drafts
        )
    )
    assert len({pair.question.uid for pair in pairs}) == 1
    assert sum(pair.question_created for pair in pairs) == 1
    counts = await world.counts()
    assert (counts["Question"], counts["Story"]) == (1, 1)


async def test_a_pair_that_another_writer_stores_between_two_lookups_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"q": {"client_key": "k"}, "s": {"client_key": "k"}}
    found: list[str | None] = []
    others: list[Pair] = []
    find = store.questions.find_by_client_key

    async def slow_find(*args: Any) -> str | None:
        found.append(await find(*args))
        if len(found) == 1:
            others.append(await upsert(world, {"text": "Which?"}, {"narrative": "Red"}, **keys))
        return found[-1]

    monkeypatch.setattr(store.questions, "find_by_client_key", slow_find)
    pair = await upsert(world, {"text": "Which one?"}, {"narrative": "White"}, **keys)

    uid = others[0].question.uid
    # The first transaction missed the question, then found its key taken; the second one found it.
    assert found == [None, None, uid, uid]
    assert (pair.question.uid, pair.question_created, pair.story_created) == (uid, False, False)
    assert (pair.question.text, pair.story.narrative) == ("Which one?", "White")
    counts = await world.counts()
    assert (counts["Question"], counts["Story"]) == (1, 1)


@pytest.mark.covers("QST-18")
async def test_a_story_that_cannot_be_written_leaves_its_question_unwritten(world: World) -> None:
    await refused(world, InvalidInput, "story.narrative", {"text": "Which?"}, {"evidence_refs": ("a book",)})
    await refused(
        world,
        NotFound,
        "story.evidenceRefs[1]",
        {"text": "Which?"},
        {"narrative": "Red", "evidence_refs": ("a book", NO_OBSERVATION)},
    )
    made = await new_pair(world)
    await refused(
        world,
        NotFound,
        "story.id",
        {"text": "Which one?"},
        {"narrative": "White"},
        q={"id": made.question.uid},
        s={"id": NO_STORY},
    )
    kept = await world.services.questions.service.get(await world.caller(), [made.question.uid])
    assert kept[made.question.uid] == made.question


@pytest.mark.covers("QST-02", "QST-10")
async def test_what_is_not_there_is_refused(world: World) -> None:
    story = {"narrative": "Red"}
    await refused(world, InvalidInput, "question.text", {}, story)
    await refused(world, NotFound, "question.id", {"text": "Which?"}, story, q={"id": UNKNOWN})
    await refused(world, NotFound, "question.goalId", {"text": "Which?", "goal_id": NO_GOAL}, story)
    await refused(
        world,
        VersionConflict,
        "question.expectedVersion",
        {"text": "Which?"},
        story,
        q={"client_key": "k", "expected_version": 1},
    )
    await refused(
        world, VersionConflict, "story.expectedVersion", {"text": "Which?"}, story, s={"expected_version": 1}
    )


async def test_a_story_stays_with_its_question(world: World) -> None:
    made, other = await new_pair(world), await new_pair(world, "Which cheese?")
    assert made.story is not None
    await refused(
        world,
        InvalidInput,
        "story.id",
        {},
        {"narrative": "White"},
        q={"id": other.question.uid},
        s={"id": made.story.uid},
    )


async def test_an_expected_version_holds_for_each_of_the_two(world: World) -> None:
    made = await new_pair(world)
    assert made.story is not None
    uid, story = made.question.uid, made.story.uid
    await refused(
        world, VersionConflict, "question.expectedVersion", {}, q={"id": uid, "expected_version": 2}
    )
    await refused(
        world,
        VersionConflict,
        "story.expectedVersion",
        {"text": "Which one?"},
        {"narrative": "White"},
        q={"id": uid, "expected_version": 1},
        s={"id": story, "expected_version": 2},
    )
    pair = await upsert(
        world,
        {"text": "Which one?"},
        {"narrative": "White"},
        q={"id": uid, "expected_version": 1},
        s={"id": story, "expected_version": 1},
    )
    assert pair.story is not None
    assert (pair.question.version, pair.story.version) == (2, 2)


@pytest.mark.covers("QST-05", "QST-14")
async def test_statuses_move_along_the_registry(world: World) -> None:
    made = await new_pair(world)
    assert made.story is not None
    named = {"q": {"id": made.question.uid}, "s": {"id": made.story.uid}}
    pair = await upsert(world, {"status": QuestionStatus.ANSWERED}, {"status": StoryStatus.ACCEPTED}, **named)
    assert pair.story is not None
    assert (pair.question.status, pair.story.status) == (QuestionStatus.ANSWERED, StoryStatus.ACCEPTED)
    await refused(world, IllegalTransition, "story.status", {}, {"status": StoryStatus.DRAFT}, **named)
    await upsert(world, {"status": QuestionStatus.DEPRECATED}, **named)
    await refused(world, IllegalTransition, "question.status", {"status": QuestionStatus.ANSWERED}, **named)
    await refused(world, InvalidInput, "question.status", {"status": QuestionStatus.ARCHIVED}, **named)
    await refused(world, InvalidInput, "question.status", {"status": None}, **named)
    await refused(world, InvalidInput, "story.status", {}, {"status": StoryStatus.ARCHIVED}, **named)
    born = await upsert(world, {"text": "Cheese?", "status": QuestionStatus.ANSWERED}, {"narrative": "Yes"})
    assert (born.question.status, born.question.version) == (QuestionStatus.ANSWERED, 1)


@pytest.mark.covers("QST-26")
async def test_the_stories_of_a_deprecated_question_are_archived_with_it(world: World) -> None:
    made = await new_pair(world)
    assert made.story is not None
    named = {"q": {"id": made.question.uid}, "s": {"id": made.story.uid}}
    caller, questions = await world.caller(), world.services.questions
    second = await upsert(world, {}, {"narrative": "Or white"}, q=named["q"])
    assert second.story is not None
    both = [made.story.uid, second.story.uid]
    world.clock.advance(seconds=1)

    await upsert(world, {"status": QuestionStatus.DEPRECATED}, q=named["q"])

    stories = await questions.service.get_stories(caller, both)
    assert {(story.status, story.status_reason, story.archived_at) for story in stories.values()} == {
        (StoryStatus.ARCHIVED, "its question is deprecated", world.clock.now())
    }
    for story in stories.values():
        assert story.version > 1
        page = await world.services.history.service.history(caller, story.uid)
        assert [change.name for change in page.items[0].changes] == ["archivedAt", "status", "statusReason"]
    # Nothing is told about it any more, until it is open again; the stories stay where they are.
    await refused(world, IllegalTransition, "question.status", {}, {"narrative": "Red"}, **named)
    revert = world.services.history.revert.revert
    with pytest.raises(Conflict, match="its question is deprecated"):
        await revert(caller, Revert(id=made.story.uid, version=1))
    version, warnings = await revert(caller, Revert(id=made.question.uid, version=1))
    assert [warning.code for warning in warnings] == ["stories_kept"]
    reopened = (await questions.service.get(caller, [made.question.uid]))[made.question.uid]
    assert (reopened.status, reopened.version) == (QuestionStatus.OPEN, version)
    again = await upsert(world, {}, {"status": StoryStatus.ACTIVE}, **named)
    assert again.story is not None
    assert again.story.status is StoryStatus.ACTIVE
    with pytest.raises(Conflict, match="would be deprecated"):
        await revert(caller, Revert(id=made.question.uid, version=version - 1))


async def test_a_story_holds_no_more_than_the_registry_says(world: World) -> None:
    criteria = tuple(str(number) for number in range(100))
    made = await upsert(world, {"text": "Which?"}, {"narrative": "Red", "acceptance_criteria": criteria})
    assert made.story is not None
    named = {"q": {"id": made.question.uid}, "s": {"id": made.story.uid}}
    await refused(
        world, TooLarge, "story.acceptanceCriteria", {}, {"acceptance_criteria": ("more",)}, **named
    )
    swapped = {"acceptance_criteria": ("more",), "remove_acceptance_criteria": ("0",)}
    pair = await upsert(world, {}, swapped, **named)
    assert pair.story is not None
    assert pair.story.acceptance_criteria == (*criteria[1:], "more")
    references = tuple(f"book {number}" for number in range(200))
    await upsert(world, {}, {"evidence_refs": references}, **named)
    await refused(world, TooLarge, "story.evidenceRefs", {}, {"evidence_refs": ("more",)}, **named)
    (seen,) = await noticed(world, "Ann drinks red")
    await refused(world, TooLarge, "story.evidenceRefs", {}, {"evidence_refs": (seen,)}, **named)


async def test_evidence_that_faded_is_refused_when_new_and_kept_when_linked(world: World) -> None:
    old, late = await noticed(world, "Ann drinks red", "Ann drinks white")
    made = await upsert(world, {"text": "Which?"}, {"narrative": "Red", "evidence_refs": (old,)})
    assert made.story is not None
    named = {"q": {"id": made.question.uid}, "s": {"id": made.story.uid}}
    world.clock.advance(minutes=100_000)
    await refused(world, Expired, "story.evidenceRefs[1]", {}, {"evidence_refs": (old, late)}, **named)
    pair = await upsert(world, {}, {"narrative": "Deep red", "evidence_refs": (old,)}, **named)
    assert pair.story is not None
    assert pair.story.evidence_ids == (old,)


@pytest.mark.covers("QST-03")
async def test_a_question_can_be_about_another_goal_or_none(world: World) -> None:
    caller = await world.caller()
    wine, cheese = [
        await world.services.goals.service.create(caller, CreateGoal(title=t)) for t in ("Wine", "Cheese")
    ]
    made = await new_pair(world, goal_id=wine.uid)
    named = {"q": {"id": made.question.uid}}
    moved = await upsert(world, {"goal_id": cheese.uid}, **named)
    assert (moved.question.goal_id, moved.question.version) == (cheese.uid, 2)
    freed = await upsert(world, {"goal_id": None}, **named)
    assert freed.question.goal_id is None
    await refused(world, NotFound, "question.goalId", {"goal_id": NO_GOAL}, **named)
    links = await world.rows(
        "MATCH (:Question {uid: $uid})-[r:ABOUT]->(g) "
        "RETURN g.title AS g, r.until IS NULL AS live ORDER BY g",
        uid=made.question.uid,
    )
    assert [(link["g"], link["live"]) for link in links] == [("Cheese", False), ("Wine", False)]
    assert [v.get("goal_id") for v in await history(world, made.question.uid)] == [
        wine.uid,
        cheese.uid,
        None,
    ]


async def test_another_space_and_another_organisation_answer_as_if_it_were_not_there(world: World) -> None:
    made = await new_pair(world)
    assert made.story is not None
    (seen,) = await noticed(world, "private")
    goal = await world.services.goals.service.create(await world.caller(), CreateGoal(title="private"))
    theirs = await upsert(world, {"text": "Mine?"}, {"narrative": "Yes"}, agent="other")
    named = {"q": {"id": theirs.question.uid}, "agent": "other"}
    await refused(world, NotFound, "question.id", {"text": "x"}, q={"id": made.question.uid}, agent="other")
    await refused(world, NotFound, "story.id", {}, {"narrative": "x"}, s={"id": made.story.uid}, **named)
    await refused(world, NotFound, "question.goalId", {"goal_id": goal.uid}, **named)
    await refused(
        world, NotFound, "story.evidenceRefs[0]", {}, {"narrative": "x", "evidence_refs": (seen,)}, **named
    )
    # The same key in another space is another question.
    await upsert(world, {"text": "Mine?"}, q={"client_key": "k"})
    own = await upsert(world, {"text": "Theirs?"}, q={"client_key": "k"}, agent="other")
    assert own.question_created
    other = await world.caller("other")
    assert await world.services.questions.service.get(other, [made.question.uid]) == {}
    assert await world.services.questions.service.get_stories(other, [made.story.uid]) == {}


async def test_a_reader_of_the_space_sees_but_does_not_write(world: World) -> None:
    caller = await world.caller()
    space = await world.services.access.create_space(caller, CreateSpace(name="shared"))
    await world.caller("other")
    caller = await world.caller()
    await world.grant(
        caller,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    goal = await world.services.goals.service.create(caller, CreateGoal(title="private"))
    (seen,) = await noticed(world, "private")
    made = await upsert(
        world,
        {"text": "Which?", "goal_id": goal.uid},
        {"narrative": "Red", "evidence_refs": (seen, "a book")},
        space=space,
    )
    assert made.story is not None
    other = await world.caller("other")
    question = (await world.services.questions.service.get(other, [made.question.uid]))[made.question.uid]
    story = (await world.services.questions.service.get_stories(other, [made.story.uid]))[made.story.uid]
    # What they may not read behind it stays unseen.
    assert question == made.question.model_copy(update={"goal_id": None})
    assert story == made.story.model_copy(update={"evidence_ids": ()})
    named = {"q": {"id": made.question.uid}, "agent": "other"}
    await refused(world, Forbidden, "question.id", {"text": "x"}, **named)
    await refused(world, Forbidden, "question.id", {}, {"narrative": "x"}, **named)
    reader = await world.caller("bot", roles=("reader",))
    before = await world.counts()
    with pytest.raises(Forbidden):
        await world.services.questions.upsert.upsert(reader, pair_of({"text": "x"}))
    assert await world.counts() == before


async def test_all_complaints_come_at_once_and_nothing_is_written(world: World) -> None:
    await world.caller()
    before = await world.counts()
    with pytest.raises(SeveralProblems) as caught:
        await upsert(
            world,
            {"text": " ", "priority": "urgent", "tags": ("",)},
            {
                "narrative": "",
                "acceptance_criteria": ("x", ""),
                "remove_acceptance_criteria": ("x",),
                "evidence_refs": ("b" * 2001,),
            },
            q={"id": UNKNOWN, "client_key": "k"},
            s={"client_key": ""},
            turn_id="",
            space="spc",
        )
    assert [problem.field for problem in caught.value.problems] == [
        "turnId",
        "question.text",
        "question.tags[0]",
        "story.clientKey",
        "story.narrative",
        "question.clientKey",
        "question.priority",
        "story.acceptanceCriteria[1]",
        "story.evidenceRefs[0]",
        "story.removeAcceptanceCriteria[0]",
        "space",
    ]
    assert await world.counts() == before


async def test_only_the_named_question_is_found_by_its_goal(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Wine"))
    made = await new_pair(world, goal_id=goal.uid)
    await new_pair(world, "Which cheese?")
    page = await world.services.questions.service.list(caller, QuestionFilter(goal_id=goal.uid))
    assert page.items == (made.question,)


@pytest.mark.covers("QST-25")
async def test_no_other_operation_updates_a_story(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Wine"))
    (seen,) = await noticed(world, "Ann drinks red")
    made = await upsert(
        world, {"text": "Which?", "goal_id": goal.uid}, {"narrative": "Red", "evidence_refs": (seen,)}
    )
    assert made.story is not None
    await noticed(world, "Ann drinks white")
    await world.services.goals.transitions.update_progress(
        caller, UpdateProgress(deltas=[ProgressDelta(goal_id=goal.uid, delta=0.5)])
    )
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
    )
    await world.services.scratch.service.change(caller, UpdateObservation(id=seen, content="Ann drank red"))
    found = await world.services.questions.service.get_stories(caller, [made.story.uid])
    assert found[made.story.uid] == made.story
    assert len(await history(world, made.story.uid)) == 1
    assert len(await history(world, made.question.uid)) == 1
