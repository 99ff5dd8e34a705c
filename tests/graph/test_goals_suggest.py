"""The goals that an observation may be linked to are suggested, each with what it has in common with it."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalStatus,
    GoalSuggestion,
    LinkObservation,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
)
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationContext,
    ObservationDraft,
)
from tests.graph.test_embedding_writes import served
from tests.graph.test_search import Meanings
from tests.graph.test_search_plans import embed
from tests.support.world import World

OTHER = Actor(kind=ActorKind.AGENT, key="other")
BOT = Actor(kind=ActorKind.AGENT, key="bot")


async def note(world: World, caller: Caller, text: str, **fields: Any) -> Observation:
    (found,) = await world.services.scratch.service.add(caller, [ObservationDraft(content=text, **fields)])
    return found


async def goal(world: World, caller: Caller, title: str, **fields: Any) -> Goal:
    return await world.services.goals.service.create(caller, CreateGoal(title=title, **fields))


async def link(world: World, caller: Caller, o: Observation, one: Goal) -> None:
    command = LinkObservation(goal_id=one.uid, observation_id=o.uid)
    await world.services.goals.evidence.link(caller, command)


async def suggested(world: World, caller: Caller, o: Observation, limit: int = 5) -> list[GoalSuggestion]:
    return list(await world.services.goals.suggestions.suggest(caller, o.uid, limit))


async def test_topics_entities_names_and_meaning_suggest_each_a_goal_and_say_so(world: World) -> None:
    caller = await world.caller()
    by_topic = await goal(world, caller, "Keep the kettle clean")
    by_entity = await goal(world, caller, "Answer the letters")
    by_meaning = await goal(world, caller, "login page broken")
    by_id = await goal(world, caller, "Water the plants")
    await goal(world, caller, "Learn to sail")
    letter = await note(world, caller, "A letter came", entities=(EntityName(name="Ann Lee"),))
    await link(world, caller, letter, by_entity)
    await embed(world)
    o = await note(
        world,
        caller,
        "The sign-in problem is at the kettle",
        entities=(EntityName(name="ANN LEE"),),
        context=ObservationContext(goal_id=by_id.uid),
    )

    found = await suggested(served(world, Meanings()), caller, o)

    said = {
        each.goal.uid: (each.in_common.topics, each.in_common.entities, each.in_common.named)
        for each in found
    }
    assert said == {
        by_id.uid: ((), (), True),
        by_meaning.uid: ((), (), False),
        by_entity.uid: ((), ("ANN LEE",), False),
        by_topic.uid: (("kettle",), (), False),
    }
    assert found[0].goal.title == "Water the plants"
    close = next(each for each in found if each.goal.uid == by_meaning.uid)
    assert close.in_common.closeness is not None
    assert close.likelihood == pytest.approx(0.8 * close.in_common.closeness)
    # What is in common is said in the words of the observation.
    await goal(world, caller, "Feed the cat")
    again = await note(world, caller, "The cats were fed by Ann; feeding took long")
    (one,) = await suggested(world, caller, again)
    assert (one.goal.title, one.in_common.topics) == ("Feed the cat", ("cats", "feeding"))


async def test_a_goal_key_names_a_goal(world: World) -> None:
    caller = await world.caller()
    one = await goal(world, caller, "Brew", goal_type="tea_time")
    o = await note(world, caller, "It is four", context=ObservationContext(goal_key="tea_time"))
    (found,) = await suggested(world, caller, o)
    assert (found.goal.uid, found.in_common.named, found.likelihood) == (one.uid, True, pytest.approx(0.9))


async def test_linked_ended_and_other_peoples_goals_are_not_suggested(world: World) -> None:
    caller = await world.caller(person="ann")
    linked = await goal(world, caller, "Clean the kettle")
    ended = await goal(world, caller, "Clean the kettle again")
    of_ben = await goal(world, caller, "Clean the kettle of Ben", user_id="ben")
    of_ann = await goal(world, caller, "Clean the kettle of Ann", user_id="ann")
    o = await note(world, caller, "The kettle is not clean", context=ObservationContext(user_id="ann"))
    await link(world, caller, o, linked)
    done = TransitionGoal(id=ended.uid, status=GoalStatus.COMPLETED)
    await world.services.goals.transitions.transition(caller, done)

    assert [each.goal.uid for each in await suggested(world, caller, o)] == [of_ann.uid]
    of_nobody = await note(world, caller, "The kettle is not clean, they say")
    assert {each.goal.uid for each in await suggested(world, caller, of_nobody)} == {
        linked.uid,
        of_ben.uid,
        of_ann.uid,
    }
    # What was linked once, and is no longer, may be linked again.
    unlinked = UnlinkObservation(goal_id=linked.uid, observation_id=o.uid)
    await world.services.goals.evidence.unlink(caller, unlinked)
    assert {each.goal.uid for each in await suggested(world, caller, o)} == {linked.uid, of_ann.uid}


async def test_the_limit_is_kept_and_the_likeliest_stay(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "Clean kettle")
    both = await goal(world, caller, "Clean kettle spout")
    o = await note(world, caller, "The spout of the kettle is not clean")
    assert len(await suggested(world, caller, o)) == 2
    (best,) = await suggested(world, caller, o, limit=1)
    assert best.goal.uid == both.uid
    for limit in (0, 101):
        with pytest.raises(InvalidInput) as refused:
            await suggested(world, caller, o, limit)
        assert refused.value.field == "limit"


async def test_nothing_of_others_is_suggested_or_said(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    theirs = await goal(world, other, "Clean the kettle spout")
    mine = await note(world, bot, "The spout of the kettle is not clean", entities=(EntityName(name="Ann"),))
    hidden = await note(world, other, "Ann says no", entities=(EntityName(name="Ann"),))
    await link(world, other, hidden, theirs)

    assert await suggested(world, bot, mine) == []
    with pytest.raises(NotFound):
        await suggested(world, other, mine)

    # Shared to read, it cannot be linked to. Shared to write, it can; what is hidden of it is not said.
    share = ShareGoal(goal_id=theirs.uid, actor=BOT, permission=SpacePermission.READ)
    await world.services.goals.sharing.share(other, share)
    assert await suggested(world, await world.caller(), mine) == []
    share = ShareGoal(goal_id=theirs.uid, actor=BOT, permission=SpacePermission.WRITE)
    await world.services.goals.sharing.share(other, share)
    (found,) = await suggested(world, await world.caller(), mine)
    assert (found.goal.uid, found.in_common.topics, found.in_common.entities) == (theirs.uid, (), ())
    assert found.in_common.closeness is not None


async def test_a_topic_of_a_space_that_the_caller_may_write_to_counts(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    theirs = await goal(world, other, "Clean the kettle spout")
    grant = GrantAccess(space=other.home, actor=BOT, permission=SpacePermission.WRITE)
    await world.grant(other, grant)
    bot = await world.caller()
    mine = await note(world, bot, "The spout of the kettle is not clean")
    (found,) = await suggested(world, bot, mine)
    assert (found.goal.uid, found.in_common.topics) == (theirs.uid, ("clean", "kettle", "spout"))


async def test_suggestions_take_five_statements_and_write_nothing(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "Clean the kettle")
    o = await note(world, caller, "The kettle is not clean")
    before = await world.counts()
    world.statements.clear()
    await suggested(world, caller, o)
    assert dict(world.statements.counts) == {
        "scratch/find_observations": 1,
        "search/find_names": 1,
        "search/search_plans": 1,
        "goals/suggest_goals": 1,
        "goals/find_goals": 1,
    }
    assert await world.counts() == before


async def test_what_cannot_be_evidence_any_more_has_no_suggestions(world: World) -> None:
    caller = await world.caller()
    await goal(world, caller, "Clean the kettle")
    o = await note(world, caller, "The kettle is not clean")
    assert len(await suggested(world, caller, o)) == 1
    await world.services.scratch.service.change(caller, ArchiveObservation(id=o.uid))
    assert await suggested(world, caller, o) == []
