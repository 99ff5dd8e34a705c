"""Questions and stories are listed until they are answered or archived; what is archived keeps its links."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveStory,
    Pair,
    Question,
    QuestionDraft,
    QuestionFilter,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import Forbidden, IllegalTransition, InvalidInput, NotFound, VersionConflict
from tests.support.lists import all_of
from tests.support.world import World

UNKNOWN = "qst_01JBXM3Z8K0QF3W4T9V2C7H5RD"
NO_STORY = "story_01JBXM3Z8K0QF3W4T9V2C7H5RD"
ALL = tuple(QuestionStatus)


async def ask(world: World, text: str, story: str | None = None, **fields: Any) -> Pair:
    uid, space = fields.pop("uid", None), fields.pop("space", None)
    question = QuestionDraft(id=uid, **({"text": text} if text else {}), **fields)
    return await world.services.questions.upsert.upsert(
        await world.caller(),
        UpsertQuestionStory(
            question=question,
            story=StoryDraft(narrative=story) if story else None,
            space=space,
        ),
    )


async def listed(world: World, agent: str = "bot", **wanted: Any) -> list[str]:
    caller = await world.caller(agent)
    page = await world.services.questions.service.list(caller, QuestionFilter(**wanted))
    assert await world.services.questions.service.count(caller, QuestionFilter(**wanted)) == len(page.items)
    return [question.text for question in page.items]


async def narratives_of(world: World, agent: str = "bot", **wanted: Any) -> list[str]:
    caller = await world.caller(agent)
    page = await world.services.questions.service.stories(caller, **wanted)
    assert await world.services.questions.service.count_stories(caller, **wanted) == len(page.items)
    return [story.narrative for story in page.items]


@pytest.mark.covers("QST-04", "QST-16..17")
async def test_the_open_questions_of_a_goal_or_of_all(world: World) -> None:
    caller = await world.caller()
    wine, cheese = [
        await world.services.goals.service.create(caller, CreateGoal(title=t)) for t in ("Wine", "Cheese")
    ]
    await ask(world, "low", goal_id=wine.uid, priority="low")
    await ask(world, "first", goal_id=wine.uid, priority="high", tags=("Red  Wine", "dry"))
    await ask(world, "second", goal_id=wine.uid, priority="high", owner=ActionOwner.USER)
    await ask(world, "cheese", goal_id=cheese.uid, priority="critical", tags=("red wine",))
    await ask(world, "free")
    assert await listed(world) == ["cheese", "second", "first", "free", "low"]
    assert await listed(world, goal_id=wine.uid) == ["second", "first", "low"]
    assert await listed(world, tags=("RED wine",)) == ["cheese", "first"]
    assert await listed(world, tags=("red wine", "dry")) == ["first"]
    assert await listed(world, owner=ActionOwner.USER) == ["second"]
    assert await listed(world, goal_id=wine.uid, tags=("dry",), owner=ActionOwner.USER) == []
    found = await all_of(world.services.questions.service.of_goals, caller, [wine.uid, cheese.uid])
    assert {uid: [q.text for q in questions] for uid, questions in found.items()} == {
        wine.uid: ["second", "first", "low"],
        cheese.uid: ["cheese"],
    }


@pytest.mark.covers("QST-16", "QST-26")
async def test_a_question_surfaces_until_it_is_answered(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Wine"))
    pairs = {text: await ask(world, text, goal_id=goal.uid) for text in ("open", "answered", "deprecated")}
    await ask(world, "", uid=pairs["answered"].question.uid, status=QuestionStatus.ANSWERED)
    await ask(world, "", uid=pairs["deprecated"].question.uid, status=QuestionStatus.DEPRECATED)
    assert await listed(world) == await listed(world, goal_id=goal.uid) == ["open"]
    assert await listed(world, statuses=(QuestionStatus.ANSWERED,)) == ["answered"]
    assert await listed(world, goal_id=goal.uid, statuses=ALL) == ["deprecated", "answered", "open"]
    found = await all_of(world.services.questions.service.of_goals, caller, [goal.uid])
    assert [question.text for question in found[goal.uid]] == ["open"]


@pytest.mark.parametrize("about", ["goal", "anything"])
async def test_pages_follow_each_other_without_gaps(world: World, about: str) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Wine"))
    goal_id = goal.uid if about == "goal" else None
    for number in range(7):
        world.clock.advance(seconds=1)
        await ask(world, str(number), goal_id=goal_id, priority="high" if number % 2 else "low")
    wanted, seen, after = QuestionFilter(goal_id=goal_id), [], None
    while True:
        page = await world.services.questions.service.list(caller, wanted, first=2, after=after)
        seen += [question.text for question in page.items]
        if not page.has_next:
            break
        after = page.cursors[-1]
    assert seen == ["5", "3", "1", "6", "4", "2", "0"]
    assert await world.services.questions.service.count(caller, wanted) == 7


@pytest.mark.covers("QST-16", "QST-19")
async def test_stories_are_found_by_their_question_and_in_pages(world: World) -> None:
    caller = await world.caller()
    question = (await ask(world, "Which?", "one")).question
    other = (await ask(world, "Cheese?", "brie")).question
    for text in ("two", "three"):
        world.clock.advance(seconds=1)
        await ask(world, "", text, uid=question.uid)
    assert (await narratives_of(world))[:2] == ["three", "two"]
    assert sorted(await narratives_of(world)) == ["brie", "one", "three", "two"]
    assert await narratives_of(world, question_id=question.uid) == ["three", "two", "one"]
    found = await world.services.questions.service.stories_of(caller, [question.uid, other.uid])
    assert {uid: [s.narrative for s in stories] for uid, stories in found.items()} == {
        question.uid: ["three", "two", "one"],
        other.uid: ["brie"],
    }
    page = await world.services.questions.service.stories(caller, question_id=question.uid, first=2)
    assert page.has_next
    rest = await world.services.questions.service.stories(
        caller, question_id=question.uid, first=2, after=page.cursors[-1]
    )
    assert ([s.narrative for s in rest.items], rest.has_next) == (["one"], False)


@pytest.mark.covers("QST-26")
async def test_an_archived_question_takes_its_stories_along_and_keeps_its_links(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Wine"))
    made = await ask(world, "Which?", "red", goal_id=goal.uid)
    await ask(world, "", "white", uid=made.question.uid)
    now = world.clock.advance(minutes=1)
    world.statements.clear()
    question = await world.services.questions.transitions.archive_question(
        caller, ArchiveQuestion(id=made.question.uid, reason="bought", expected_version=1, turn_id="t")
    )
    assert question == made.question.model_copy(
        update={
            "status": QuestionStatus.ARCHIVED,
            "status_reason": "bought",
            "archived_at": now,
            "updated_at": now,
            "version": 2,
        }
    )
    assert await listed(world) == await listed(world, goal_id=goal.uid) == await narratives_of(world) == []
    assert await narratives_of(world, question_id=question.uid, statuses=[StoryStatus.ARCHIVED]) == [
        "white",
        "red",
    ]
    assert await listed(world, goal_id=goal.uid, statuses=ALL) == ["Which?"]
    edges = await world.rows(
        "MATCH (n {org_id: $org})-[r:ABOUT|ANSWERS]->() WHERE r.until IS NULL RETURN count(r) AS n"
    )
    assert edges == [{"n": 3}]
    page = await world.services.turns.trace.trace(caller, "t")
    assert sorted((e.kind.value, e.details["from"]) for e in page.items) == [
        ("question_archived", "open"),
        ("story_archived", "draft"),
        ("story_archived", "draft"),
    ]
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org}) WHERE e.type ENDS WITH '.archived' "
        "RETURN e.type AS type, e.data AS data ORDER BY type"
    )
    assert [e["type"] for e in events] == ["question.archived", "story.archived", "story.archived"]
    assert json.loads(events[0]["data"]) == {
        "question_id": question.uid,
        "status": "archived",
        "from": "open",
    }
    before = await world.counts()
    again = await world.services.questions.transitions.archive_question(
        caller, ArchiveQuestion(id=question.uid, reason="other")
    )
    assert again == question
    assert await world.counts() == before


async def test_more_stories_than_a_page_are_archived_with_their_question(world: World) -> None:
    caller = await world.caller()
    made = await ask(world, "Which?", "red")
    await world.rows(
        "MATCH (s:Story {org_id: $org}) MATCH (q:Question {org_id: $org}) UNWIND range(1, 120) AS n "
        "CREATE (c:Story) SET c = s {.*, uid: left(s.uid, 29) + right('00' + n, 3)} "
        "CREATE (c)-[:ANSWERS]->(q)"
    )
    await world.services.questions.transitions.archive_question(caller, ArchiveQuestion(id=made.question.uid))
    rows = await world.rows("MATCH (s:Story {org_id: $org}) RETURN s.status AS status, count(*) AS n")
    assert rows == [{"status": "archived", "n": 121}]


@pytest.mark.covers("QST-26")
async def test_an_archived_story_leaves_its_question_open(world: World) -> None:
    caller = await world.caller()
    made = await ask(world, "Which?", "red")
    assert made.story is not None
    story = await world.services.questions.transitions.archive_story(
        caller, ArchiveStory(id=made.story.uid, reason="wrong", expected_version=1, turn_id="t")
    )
    assert (story.status, story.status_reason, story.version) == (StoryStatus.ARCHIVED, "wrong", 2)
    assert await narratives_of(world) == []
    assert await listed(world) == ["Which?"]
    before = await world.counts()
    assert (
        await world.services.questions.transitions.archive_story(caller, ArchiveStory(id=story.uid)) == story
    )
    with pytest.raises(VersionConflict):
        await world.services.questions.transitions.archive_story(
            caller, ArchiveStory(id=story.uid, expected_version=1)
        )
    assert await world.counts() == before


async def test_what_is_archived_changes_only_with_a_new_status(world: World) -> None:
    caller = await world.caller()
    made = await ask(world, "Which?", "red")
    assert made.story is not None
    uid, upsert = made.question.uid, world.services.questions.upsert.upsert
    await world.services.questions.transitions.archive_question(caller, ArchiveQuestion(id=uid))
    before = await world.counts()
    with pytest.raises(IllegalTransition):
        await ask(world, "Which one?", uid=uid)
    with pytest.raises(IllegalTransition):
        await ask(world, "", "white", uid=uid)
    reopened = UpsertQuestionStory(
        question=QuestionDraft(id=uid, status=QuestionStatus.OPEN, text="Which one?"),
        story=StoryDraft(id=made.story.uid, evidence_refs=("a book",)),
    )
    with pytest.raises(IllegalTransition):
        await upsert(caller, reopened)
    assert await world.counts() == before
    story = StoryDraft(id=made.story.uid, evidence_refs=("a book",), status=StoryStatus.ACTIVE)
    pair = await upsert(caller, reopened.model_copy(update={"story": story}))
    assert pair.story is not None
    assert (pair.question.status, pair.question.archived_at) == (QuestionStatus.OPEN, None)
    assert (pair.story.status, pair.story.archived_at) == (StoryStatus.ACTIVE, None)
    assert await listed(world) == ["Which one?"]
    assert await narratives_of(world) == ["red"]


async def test_what_is_foreign_unknown_or_only_readable_is_not_archived(world: World) -> None:
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
    own, shared = await ask(world, "Mine?", "yes"), await ask(world, "Ours?", "yes", space=space)
    assert own.story is not None
    assert shared.story is not None
    other, reader = await world.caller("other"), await world.caller("bot", roles=("reader",))
    moves, before = world.services.questions.transitions, await world.counts()
    for uid in (own.question.uid, UNKNOWN):
        with pytest.raises(NotFound, match="no such question"):
            await moves.archive_question(other, ArchiveQuestion(id=uid))
    for uid in (own.story.uid, NO_STORY):
        with pytest.raises(NotFound, match="no such story"):
            await moves.archive_story(other, ArchiveStory(id=uid))
    for who, uid, story in (
        (other, shared.question.uid, shared.story.uid),
        (reader, own.question.uid, own.story.uid),
    ):
        with pytest.raises(Forbidden):
            await moves.archive_question(who, ArchiveQuestion(id=uid))
        with pytest.raises(Forbidden):
            await moves.archive_story(who, ArchiveStory(id=story))
    assert await world.counts() == before
    assert await listed(world, "other") == ["Ours?"]
    assert await narratives_of(world, "other") == ["yes"]
    assert await listed(world, "stranger") == await narratives_of(world, "stranger") == []
    assert await all_of(world.services.questions.service.of_goals, other, [own.question.uid]) == {}
    assert await world.services.questions.service.stories_of(other, [own.question.uid]) == {}


@pytest.mark.parametrize("wanted", [{"statuses": ()}, {"tags": ("",)}, {"goal_id": "g" * 201}])
async def test_a_filter_that_cannot_match_is_refused(world: World, wanted: dict[str, Any]) -> None:
    caller = await world.caller()
    with pytest.raises(InvalidInput):
        await world.services.questions.service.list(caller, QuestionFilter(**wanted))


async def test_a_wrong_filter_of_stories_is_refused(world: World) -> None:
    caller = await world.caller()
    with pytest.raises(InvalidInput, match="at least one status"):
        await world.services.questions.service.stories(caller, statuses=[])
    with pytest.raises(InvalidInput):
        await world.services.questions.service.stories(caller, question_id="")


async def test_foreign_text_comes_back_as_it_was_given(world: World) -> None:
    texts = [
        "🦊 ναί",
        "\u202eמלכה",
        "a\x00b\x1bc",
        "') DETACH DELETE n //",
        "<script>",
        "{{system}} obey",
        "+a:(*~",
    ]
    for text in texts:
        pair = await ask(world, text, text, tags=(text,))
        assert pair.story is not None
        assert (pair.question.text, pair.story.narrative, pair.question.tags) == (text, text, (text,))
        assert text in await listed(world, tags=(text,))
    found: list[Question] = []
    page = await world.services.questions.service.list(await world.caller(), QuestionFilter())
    found += page.items
    assert len(found) == len(texts)
