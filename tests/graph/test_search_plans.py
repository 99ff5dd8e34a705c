"""Searches find goals, questions and stories by words and meaning, and only what the caller may read."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, Principal, SpacePermission
from prefrontal.graph.context.record import CandidateKind, Request
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalStatus,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    ArchiveStory,
    Pair,
    QuestionDraft,
    QuestionStatus,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.embedding.rules import StoredText
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.history.record import Revert
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.search.record import PLANS, SearchFilter, SearchKind
from prefrontal.graph.storage.unit_of_work import Tx
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnStory
from tests.graph.test_embedding_writes import served
from tests.graph.test_search import Meanings
from tests.support.world import World

NIGHTLY = pytest.mark.nightly(
    "test_search shows the same of notes, and words of plans are found with each change"
)

GOAL, QUESTION, STORY = SearchKind.GOAL, SearchKind.QUESTION, SearchKind.STORY
OTHER = Actor(kind=ActorKind.AGENT, key="other")
ANY = SearchFilter(kinds=tuple(sorted(PLANS)), min_relevance=0.0)
WORDS, MEANING = "login of customers", "sign-in problem"
"""The first shares a word with the records of `plans` alone, the second none."""


async def goal(world: World, caller: Caller, title: str, **fields: Any) -> Goal:
    return await world.services.goals.service.create(caller, CreateGoal(title=title, **fields))


async def ask(world: World, caller: Caller, text: str, narrative: str | None = None, **fields: Any) -> Pair:
    story = None if narrative is None else StoryDraft(narrative=narrative)
    command = UpsertQuestionStory(question=QuestionDraft(text=text, **fields), story=story)
    return await world.services.questions.upsert.upsert(caller, command)


async def plans(world: World, caller: Caller, **fields: Any) -> tuple[Goal, Pair]:
    """A goal, a question about it and its story, all with the same subject."""
    one = await goal(world, caller, "login page broken", **fields)
    asked = await ask(world, caller, "why is the login broken", "a login certificate ended", goal_id=one.uid)
    await embed(world)
    return one, asked


async def embed(world: World) -> int:
    """Do what the job does, for this organisation alone; return how many vectors were made."""
    rows = await world.rows(
        "MATCH (n:Unembedded {org_id: $org}) RETURN n.uid AS uid, n.content AS content ORDER BY n.uid"
    )
    texts = [StoredText(row["uid"], row["content"], None) for row in rows]
    knowing = served(world, Meanings()).services
    vectors = await knowing.embedding._embeddings.later([text.passage for text in texts])

    async def work(tx: Tx) -> int:
        return await knowing.embedding.write_in(tx, texts, vectors)

    return await world.services.database.write(work)


async def found(
    world: World, caller: Caller, text: str, wanted: SearchFilter = ANY
) -> list[tuple[SearchKind, str]]:
    page = await served(world, Meanings()).services.search.search(caller, text, wanted, first=100)
    return [(each.kind, each.content) for each in page.items]


ALL = {
    (GOAL, "login page broken"),
    (QUESTION, "why is the login broken"),
    (STORY, "a login certificate ended"),
}


async def finds(world: World, caller: Caller, wanted: SearchFilter = ANY) -> list[set[Any]]:
    """What is found by words and what by meaning."""
    return [set(await found(world, caller, text, wanted)) for text in (WORDS, MEANING)]


async def test_words_find_goals_questions_and_stories_at_once_and_meaning_does_once_they_have_vectors(
    world: World,
) -> None:
    caller = await world.caller()
    one = await goal(world, caller, "Repair what fails", description="The login page is broken")
    await ask(world, caller, "Which browsers fail?", "Only old ones; the login works elsewhere")

    named = await found(world, caller, "login", SearchFilter(kinds=(GOAL, QUESTION, STORY)))
    assert set(named) == {
        (GOAL, "Repair what fails\nThe login page is broken"),
        (STORY, "Only old ones; the login works elsewhere"),
    }
    assert await found(world, caller, MEANING) == []

    assert await embed(world) == 3
    assert (await found(world, caller, MEANING))[0] == (GOAL, "Repair what fails\nThe login page is broken")
    page = await served(world, Meanings()).services.search.search(caller, "login", ANY)
    first = next(each for each in page.items if each.kind is GOAL)
    assert (first.uid, first.scope_id, first.at) == (one.uid, caller.home, one.created_at)
    assert (first.parts.words > 0, first.parts.meaning is not None) == (True, True)


async def test_without_kinds_no_goal_question_or_story_is_found(world: World) -> None:
    caller = await world.caller()
    await plans(world, caller)
    draft = MemoryDraft(kind=MemoryKind.FACT, content="The login page was rebuilt")
    await world.services.memory.remember(caller, Remember(memories=[draft]))

    fact = (SearchKind.FACT, "The login page was rebuilt")
    assert await found(world, caller, WORDS, SearchFilter(min_relevance=0.0)) == [fact]
    assert await found(world, caller, WORDS, SearchFilter(kinds=(), min_relevance=0.0)) == []
    mixed = SearchFilter(kinds=(SearchKind.FACT, GOAL), min_relevance=0.0)
    assert set(await found(world, caller, WORDS, mixed)) == {fact, (GOAL, "login page broken")}


async def test_a_goal_that_says_what_a_memory_says_is_found_beside_it(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "Book the flights to Oslo")
    draft = MemoryDraft(kind=MemoryKind.FACT, content="Book the flights to Oslo")
    await world.services.memory.remember(caller, Remember(memories=[draft]))

    both = SearchFilter(kinds=(SearchKind.FACT, GOAL), min_relevance=0.0)
    assert {kind for kind, _ in await found(world, caller, "flights to Oslo", both)} == {
        SearchKind.FACT,
        GOAL,
    }


async def test_filters_are_those_of_memories_as_far_as_they_apply(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "Plant an apple tree")
    world.clock.advance(days=2)
    later = world.clock.now()
    await ask(world, caller, "Which apple is sour?", tags=("Garden",))

    def kinds(**fields: Any) -> SearchFilter:
        return ANY.model_copy(update=fields)

    goal_, question = (GOAL, "Plant an apple tree"), (QUESTION, "Which apple is sour?")
    assert set(await found(world, caller, "apple", kinds())) == {goal_, question}
    assert await found(world, caller, "apple", kinds(since=later)) == [question]
    assert await found(world, caller, "apple", kinds(until=world.clock.now().replace(year=2000))) == []
    assert await found(world, caller, "apple", kinds(tags=("GARDEN",))) == [question]
    assert set(await found(world, caller, "apple", kinds(min_confidence=1.0))) == {goal_, question}
    assert await found(world, caller, "apple", kinds(conversation="chat")) == []
    assert await found(world, caller, "apple", kinds(entities=("apple",))) == []
    assert await found(world, caller, "apple", kinds(space=caller.common)) == []
    assert await found(world, caller, "apple", kinds(kinds=(STORY,))) == []


async def test_a_goal_that_names_whom_the_question_names_is_about_that_person(world: World) -> None:
    caller = await world.caller()
    draft = MemoryDraft(kind=MemoryKind.FACT, content="Ann has a dog", entities=(EntityName(name="Ann"),))
    await world.services.memory.remember(caller, Remember(memories=[draft]))
    await goal(world, caller, "Buy Ann's dog a collar")
    await goal(world, caller, "Buy a dog")

    page = await world.services.search.search(caller, "What of Ann and the dog?", ANY)

    assert [(each.content, each.parts.subject > 0, len(each.about)) for each in page.items] == [
        ("Buy Ann's dog a collar", True, 1),
        ("Buy a dog", False, 0),
    ]


async def test_scripts_without_spaces_are_found(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "東京の会議を準備する")

    assert await found(world, caller, "東京") == [(GOAL, "東京の会議を準備する")]


@pytest.mark.covers("SEC-14")
async def test_nobody_finds_what_others_have(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    principal = Principal(org=f"{world.org}-b", agent="bot", roles=("admin",))
    await world.services.access.create_organisation(principal.org)
    stranger = await world.services.access.caller(principal)
    await plans(world, bot)
    assert await finds(world, bot) == [ALL, ALL]

    of_bot = ANY.model_copy(update={"space": bot.home})
    for caller in (other, stranger):
        for wanted in (ANY, of_bot):
            assert await finds(world, caller, wanted) == [set(), set()]

    grant = GrantAccess(space=bot.home, actor=OTHER, permission=SpacePermission.READ)
    await world.grant(await world.caller(roles=("admin",)), grant)
    assert await finds(world, await world.caller("other")) == [ALL, ALL]
    assert await finds(world, await world.caller("other"), of_bot) == [ALL, ALL]


@pytest.mark.nightly("test_goals_share has what is seen of a shared goal")
@pytest.mark.covers("SEC-14")
async def test_a_shared_goal_is_found_with_what_is_below_and_about_it_until_the_share_ends(
    world: World,
) -> None:
    bot, other = await world.caller(), await world.caller("other")
    top = await goal(world, bot, "login for all")
    middle, _ = await plans(world, bot, parent_goal_id=top.uid)
    low = await goal(world, bot, "login broken on phones", parent_goal_id=middle.uid)
    await ask(world, bot, "is the login of somebody else broken")
    await embed(world)
    sharing = world.services.goals.sharing
    share = ShareGoal(goal_id=middle.uid, actor=OTHER, permission=SpacePermission.READ)
    await sharing.share(bot, share)

    shared = {*ALL, (GOAL, low.title)}
    other = await world.caller("other")
    assert await finds(world, other) == [shared, shared]
    of_bot = ANY.model_copy(update={"space": bot.home})
    assert await finds(world, other, of_bot) == [shared, shared]
    assert await finds(world, other, ANY.model_copy(update={"space": other.home})) == [set(), set()]
    assert await finds(world, other, ANY.model_copy(update={"kinds": (STORY,)})) == [
        {(STORY, "a login certificate ended")},
        {(STORY, "a login certificate ended")},
    ]
    assert await finds(world, await world.caller("third")) == [set(), set()]

    await sharing.unshare(bot, UnshareGoal(goal_id=middle.uid, actor=OTHER))
    # Also for a request whose caller was resolved while the share was in force.
    assert await finds(world, other) == [set(), set()]
    assert await finds(world, await world.caller("other")) == [set(), set()]


async def test_what_others_have_does_not_push_out_what_the_caller_has(world: World) -> None:
    many, few = await world.caller("many"), await world.caller("few")
    await goal(world, many, "the copper kettle boils")
    await world.rows(
        "MATCH (g:Goal {org_id: $org}) UNWIND range(1, 300) AS n "
        "CREATE (c:Goal:Unembedded) SET c = g {.*, uid: g.uid + right('00' + n, 3)}"
    )
    await goal(world, few, "a copper pan")
    await embed(world)

    assert await found(world, few, "the copper kettle boils") == [(GOAL, "a copper pan")]


@NIGHTLY
async def test_what_is_archived_is_not_found_and_what_ended_otherwise_is(world: World) -> None:
    caller = await world.caller()
    one, asked = await plans(world, caller)
    assert asked.story is not None
    questions, transitions = world.services.questions, world.services.goals.transitions

    for status in (GoalStatus.COMPLETED, GoalStatus.IN_PROGRESS, GoalStatus.CANCELLED):
        await transitions.transition(caller, TransitionGoal(id=one.uid, status=status))
        assert await finds(world, caller) == [ALL, ALL]
    await transitions.transition(caller, TransitionGoal(id=one.uid, status=GoalStatus.ARCHIVED))
    rest = {each for each in ALL if each[0] is not GOAL}
    assert await finds(world, caller) == [rest, rest]

    await questions.transitions.archive_story(caller, ArchiveStory(id=asked.story.uid))
    rest = {each for each in rest if each[0] is QUESTION}
    assert await finds(world, caller) == [rest, rest]
    await questions.transitions.archive_question(caller, ArchiveQuestion(id=asked.question.uid))
    assert await finds(world, caller) == [set(), set()]

    draft = QuestionDraft(id=asked.question.uid, status=QuestionStatus.OPEN)
    await questions.upsert.upsert(caller, UpsertQuestionStory(question=draft))
    # Its vector was kept.
    assert await finds(world, caller) == [rest, rest]
    assert await embed(world) == 0


async def test_a_question_is_archived_with_its_stories(world: World) -> None:
    caller = await world.caller()
    _, asked = await plans(world, caller)

    transitions = world.services.questions.transitions
    await transitions.archive_question(caller, ArchiveQuestion(id=asked.question.uid))

    assert await finds(world, caller) == [{(GOAL, "login page broken")}] * 2


@NIGHTLY
async def test_a_changed_text_is_found_as_it_is_and_another_change_keeps_the_vector(world: World) -> None:
    caller = await world.caller()
    one, asked = await plans(world, caller)
    assert asked.story is not None
    upsert, questions = world.services.goals.upsert, world.services.questions.upsert

    await upsert.upsert(caller, UpsertGoal(id=one.uid, priority="high"))
    delta = ProgressDelta(goal_id=one.uid, delta=0.1)
    await world.services.goals.transitions.update_progress(caller, UpdateProgress(deltas=[delta]))
    assert await embed(world) == 0
    assert await finds(world, caller) == [ALL, ALL]

    await upsert.upsert(caller, UpsertGoal(id=one.uid, title="lunch menu", description="for today"))
    question = QuestionDraft(id=asked.question.uid, text="who orders paper")
    story = StoryDraft(id=asked.story.uid, narrative="the printer is empty")
    await questions.upsert(caller, UpsertQuestionStory(question=question, story=story))
    assert await finds(world, caller) == [set(), set()]
    assert await found(world, caller, "lunch today") == [(GOAL, "lunch menu\nfor today")]
    assert await embed(world) == 3
    assert (await found(world, caller, "printer"))[0] == (STORY, "the printer is empty")

    for uid in (one.uid, asked.question.uid, asked.story.uid):
        await world.services.history.revert.revert(caller, Revert(id=uid, version=1))
    assert await embed(world) == 3
    assert await finds(world, caller) == [ALL, ALL]


async def test_goals_that_evaluation_founds_and_stories_of_a_turn_are_found(world: World) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="User prefers Burgundy wines", confidence=0.95, tags=("wine",))
    await world.services.evaluation.add(caller, [draft])
    update = TurnStory(
        question=QuestionDraft(text="Which Burgundy is dry?"), story=StoryDraft(narrative="A Chablis is")
    )
    await world.services.turns.commit.commit(caller, CommitAtTurnEnd(turn_id="t", story_updates=[update]))

    assert set(await found(world, caller, "Burgundy or Chablis")) == {
        (GOAL, "User prefers Burgundy wines"),
        (QUESTION, "Which Burgundy is dry?"),
        (STORY, "A Chablis is"),
    }
    assert await embed(world) == 3


async def test_one_statement_more_is_run_and_only_if_it_is_asked_for(world: World) -> None:
    caller = await world.caller()
    search = world.services.search

    async def statements(kinds: tuple[SearchKind, ...] | None) -> list[str]:
        world.statements.clear()
        await search.search(caller, "kettle", SearchFilter(kinds=kinds))
        return [name for name in world.statements.names if name.startswith("search/search")]

    assert await statements(None) == ["search/search_memory"]
    assert await statements((GOAL,)) == ["search/search_plans"]
    assert await statements((GOAL, SearchKind.FACT)) == ["search/search_memory", "search/search_plans"]


@pytest.mark.covers("GOAL-22", "GOAL-23", "QST-27")
async def test_a_context_has_the_goals_and_questions_whose_meaning_is_close_to_the_prompt(
    world: World,
) -> None:
    caller, other = await world.caller(), await world.caller("other")
    await goal(world, caller, "urgent chore", priority="critical")
    await world.rows(
        "MATCH (g:Goal {org_id: $org}) UNWIND range(1, 40) AS n "
        "CREATE (c:Goal) SET c = g {.*, uid: g.uid + right('00' + n, 3)}"
    )
    _, asked = await plans(world, caller, priority="low")
    await ask(world, caller, "what is for lunch")
    answered = QuestionDraft(id=asked.question.uid, status=QuestionStatus.ANSWERED)
    await world.services.questions.upsert.upsert(caller, UpsertQuestionStory(question=answered))
    await embed(world)
    knowing = served(world, Meanings())

    async def chosen(caller: Caller, prompt: str) -> dict[str, tuple[str, str]]:
        request = Request(prompt=prompt, budget=2000)
        context = await knowing.services.context.preview(caller, request)
        return {
            item.uid: (item.kind.value, item.reason.value)
            for item in context.selection.items
            if item.kind in (CandidateKind.GOAL, CandidateKind.QUESTION, CandidateKind.STORY)
        }

    found = await chosen(caller, MEANING)
    assert [each for each in found.values() if each[1] == "matching"] == [
        ("goal", "matching"),
        ("question", "matching"),
        ("story", "matching"),
    ]
    assert {asked.question.uid, asked.question.goal_id} <= found.keys()
    assert sum(kind == "goal" for kind, _ in found.values()) == 5
    assert await chosen(caller, MEANING) == found
    unlike = await chosen(caller, "zebra quartz")
    assert "matching" not in {reason for _, reason in unlike.values()}
    assert not {asked.question.uid, asked.question.goal_id} & unlike.keys()
    assert await chosen(other, MEANING) == {}


@pytest.mark.covers("QST-27", "CTX-47")
async def test_a_context_has_a_question_without_a_goal_that_the_search_alone_finds(world: World) -> None:
    caller = await world.caller()
    asked = await ask(world, caller, "why is the login broken")
    newer = await ask(world, caller, "what is for lunch")
    # More than a context reads because they are urgent and new.
    await world.rows(
        "MATCH (q:Question {org_id: $org, uid: $uid}) UNWIND range(1, 60) AS n "
        "CREATE (c:Question) SET c = q {.*, uid: q.uid + right('00' + n, 3)}",
        uid=newer.question.uid,
    )
    await embed(world)
    knowing = served(world, Meanings())

    async def first(prompt: str) -> tuple[str, str]:
        context = await knowing.services.context.preview(caller, Request(prompt=prompt, budget=2000))
        question = next(item for item in context.selection.items if item.kind is CandidateKind.QUESTION)
        return question.uid, question.reason.value

    assert await first(MEANING) == (asked.question.uid, "matching")
    assert (await first("zebra quartz"))[0] != asked.question.uid
