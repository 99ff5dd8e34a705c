"""revert: back to an earlier version, as a new one, without undoing what others built on it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalStatus,
    Horizon,
    HorizonUnit,
    LinkObservation,
    Milestone,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    ArchiveQuestion,
    Pair,
    QuestionDraft,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    PrefrontalError,
    SeveralConflicts,
    VersionConflict,
)
from prefrontal.graph.history.record import Revert
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.record import Record
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.lists import evidence_of, links_of
from tests.support.world import World

BOOKKEEPING = {"version", "updated_at"}


def content(record: Record) -> dict[str, Any]:
    return record.model_dump(exclude=BOOKKEEPING)


async def new_goal(world: World, title: str = "Host a dinner", **fields: Any) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title, **fields))


async def edited(world: World, uid: str, **fields: Any) -> Goal:
    goal, _ = await world.services.goals.upsert.upsert(await world.caller(), UpsertGoal(**fields, id=uid))
    return goal


async def moved(world: World, uid: str, to: GoalStatus) -> Goal:
    return await world.services.goals.transitions.transition(
        await world.caller(), TransitionGoal(id=uid, status=to)
    )


async def goal_of(world: World, uid: str) -> Goal:
    return (await world.services.goals.service.get(await world.caller(), [uid]))[uid]


async def parent_of(world: World, uid: str) -> str | None:
    links = await links_of(world.services, await world.caller(), [uid])
    return links[uid].parent_goal_id


async def revert(world: World, uid: str, number: int, agent: str | None = "bot", **more: Any) -> list[str]:
    person = more.pop("person", None)
    caller = await world.caller(agent, person=person)
    _, warnings = await world.services.history.revert.revert(caller, Revert(id=uid, version=number, **more))
    return [warning.code for warning in warnings]


async def refused(
    world: World, error: type[PrefrontalError], uid: str, number: int, **more: Any
) -> PrefrontalError:
    await world.caller(more.get("agent", "bot"))
    before = await world.counts()
    with pytest.raises(error) as caught:
        await revert(world, uid, number, **more)
    assert await world.counts() == before
    return caught.value


async def acted(world: World, **draft: Any) -> PendingAction:
    draft = {"title": "Shop", "type": "agent_task", **draft}
    (result,) = await world.services.actions.upsert.upsert(
        await world.caller(), UpsertPendingActions(actions=[PendingActionUpsert(**draft)])
    )
    assert result.action
    return result.action


async def changed(world: World, uid: str, **fields: Any) -> PendingAction:
    entry = PendingActionUpsert(id=uid, **fields)
    (result,) = await world.services.actions.upsert.upsert(
        await world.caller(), UpsertPendingActions(actions=(entry,))
    )
    assert result.action, result.problem
    return result.action


async def action_of(world: World, uid: str) -> PendingAction:
    return (await world.services.actions.service.get(await world.caller(), [uid]))[uid]


async def upsert_pair(world: World, pair: Pair | None = None, **fields: Any) -> Pair:
    question, story = fields.pop("question", {}), fields.pop("story", None)
    return await world.services.questions.upsert.upsert(
        await world.caller(),
        UpsertQuestionStory(
            question=QuestionDraft(id=pair.question.uid if pair else None, **question),
            story=StoryDraft(id=pair.story.uid if pair and pair.story else None, **story) if story else None,
        ),
    )


@pytest.mark.covers("VER-06", "VER-07")
async def test_a_goal_has_the_content_of_its_earlier_version_as_a_new_one(world: World) -> None:
    above = await new_goal(world, "Above")
    first = await new_goal(
        world,
        description="With wine",
        priority="high",
        horizon=Horizon(value=3, unit=HorizonUnit.DAYS),
        metrics={"guests": 4},
        constraints=("no fish",),
        milestones=(Milestone(title="Invite"),),
        parent_goal_id=above.uid,
    )
    world.clock.advance(minutes=1)
    await edited(
        world,
        first.uid,
        title="Lunch",
        description=None,
        priority="low",
        horizon=None,
        metrics=None,
        constraints=(),
        milestones=None,
        parent_goal_id=None,
    )
    bot = await world.caller()
    await world.services.goals.transitions.update_progress(
        bot, UpdateProgress(deltas=[ProgressDelta(goal_id=first.uid, delta=0.4)])
    )
    await moved(world, first.uid, GoalStatus.COMPLETED)
    at = world.clock.advance(minutes=1)

    version, warnings = await world.services.history.revert.revert(
        bot, Revert(id=first.uid, version=1, turn_id="turn-9")
    )

    now = await goal_of(world, first.uid)
    assert content(now) == content(first)
    assert await parent_of(world, first.uid) == above.uid
    assert (version, now.version, now.updated_at, warnings) == (5, 5, at, ())
    # The versions between stay: a revert rewrites nothing.
    history = await world.services.history.service.history(bot, first.uid)
    assert [(entry.number, entry.reverted_to) for entry in history.items] == [
        (5, 1),
        (4, None),
        (3, None),
        (2, None),
        (1, None),
    ]
    back = {change.name: (change.before, change.after) for change in history.items[0].changes}
    assert back["title"] == ("Lunch", "Host a dinner")
    assert back["parentGoalId"] == (None, above.uid)
    (entry,) = (await world.services.turns.trace.trace(bot, "turn-9")).items
    assert (entry.kind.value, entry.ids, entry.details["to"]) == ("reverted", (first.uid,), 1)
    (event,) = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'goal.reverted'}) "
        "RETURN e.aggregate AS uid, e.aggregate_version AS version"
    )
    assert event == {"uid": first.uid, "version": 5}


@pytest.mark.covers("VER-06", "VER-07")
async def test_a_revert_is_itself_taken_back(world: World) -> None:
    goal = await new_goal(world)
    second = await edited(world, goal.uid, title="Lunch", description="x")
    await revert(world, goal.uid, 1)

    await revert(world, goal.uid, 2)

    assert content(await goal_of(world, goal.uid)) == content(second)
    assert (await goal_of(world, goal.uid)).version == 4


@pytest.mark.covers("VER-08")
async def test_what_is_so_already_gets_no_version(world: World) -> None:
    goal, action = await new_goal(world), await acted(world)
    pair = await upsert_pair(world, question={"text": "Which?"}, story={"narrative": "This"})
    assert pair.story
    before = await world.counts()

    for uid in (goal.uid, action.uid, pair.question.uid, pair.story.uid):
        assert await revert(world, uid, 1) == []

    assert await world.counts() == before


async def test_another_version_than_expected_is_refused(world: World) -> None:
    goal = await new_goal(world)
    await edited(world, goal.uid, title="Lunch")

    error = await refused(world, VersionConflict, goal.uid, 1, expected_version=1)

    assert error.field == "expectedVersion"
    await revert(world, goal.uid, 1, expected_version=2)


async def test_of_two_reverts_that_expect_the_same_one_wins(world: World) -> None:
    goal = await new_goal(world)
    await edited(world, goal.uid, title="Lunch")
    bot = await world.caller()

    done = await asyncio.gather(
        *(
            world.services.history.revert.revert(bot, Revert(id=goal.uid, version=1, expected_version=2))
            for _ in range(2)
        ),
        return_exceptions=True,
    )

    assert sorted(type(each).__name__ for each in done) == ["VersionConflict", "tuple"]
    assert (await goal_of(world, goal.uid)).version == 3


async def test_of_a_revert_and_an_edit_at_once_one_comes_after_the_other(world: World) -> None:
    goal = await new_goal(world)
    await edited(world, goal.uid, title="Lunch")
    bot = await world.caller()

    done = await asyncio.gather(
        world.services.history.revert.revert(bot, Revert(id=goal.uid, version=1, expected_version=2)),
        world.services.goals.upsert.upsert(
            bot, UpsertGoal(description="edited", id=goal.uid, expected_version=2)
        ),
        return_exceptions=True,
    )

    assert sum(isinstance(each, VersionConflict) for each in done) == 1
    now = await goal_of(world, goal.uid)
    assert (now.version, now.title, now.description) in {
        (3, "Host a dinner", None),
        (3, "Lunch", "edited"),
    }


async def test_a_revert_with_a_key_happens_once(world: World) -> None:
    goal = await new_goal(world)
    await edited(world, goal.uid, title="Lunch")

    for _ in range(2):
        await revert(world, goal.uid, 1, idempotency_key="back")

    assert (await goal_of(world, goal.uid)).version == 3
    await refused(world, Conflict, goal.uid, 2, idempotency_key="back")


async def test_evidence_stays_and_so_does_the_progress_that_it_moved(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world)
    await edited(world, goal.uid, title="Lunch")
    world.clock.advance(minutes=1)
    await moved(world, goal.uid, GoalStatus.IN_PROGRESS)
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x", confidence=0.9)])
    world.clock.advance(minutes=1)
    await world.services.goals.evidence.link(bot, LinkObservation(goal_id=goal.uid, observation_id=seen.uid))
    await edited(world, goal.uid, title="Feast")

    warned = await revert(world, goal.uid, 3)

    now = await goal_of(world, goal.uid)
    assert warned == ["progress_kept", "evidence_kept"]
    assert (now.title, now.progress, now.status) == ("Lunch", pytest.approx(0.09), GoalStatus.IN_PROGRESS)
    assert [e.observation_id for e in (await evidence_of(world.services, bot, [goal.uid]))[goal.uid]] == [
        seen.uid
    ]
    # It was pending then, but evidence has begun it: all the rest is as it was.
    assert await revert(world, goal.uid, 1) == ["progress_kept", "goal_begun", "evidence_kept"]
    first = await goal_of(world, goal.uid)
    assert (first.title, first.progress, first.status) == (goal.title, now.progress, GoalStatus.IN_PROGRESS)
    assert await revert(world, goal.uid, 1) == ["progress_kept", "goal_begun", "evidence_kept"]
    assert (await goal_of(world, goal.uid)).version == first.version
    # Without the evidence nothing has begun it any more.
    await world.services.goals.evidence.unlink(
        bot, UnlinkObservation(goal_id=goal.uid, observation_id=seen.uid)
    )
    assert await revert(world, goal.uid, 1) == []
    assert (await goal_of(world, goal.uid)).status is GoalStatus.PENDING


async def test_a_goal_that_others_have_built_on_is_not_ended_again(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world)
    await moved(world, goal.uid, GoalStatus.COMPLETED)
    await moved(world, goal.uid, GoalStatus.IN_PROGRESS)
    world.clock.advance(minutes=1)
    child = await new_goal(world, "Below", parent_goal_id=goal.uid)
    entry = PendingActionUpsert(goal_id=goal.uid, title="Shop", type="agent_task")
    (result,) = await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(entry,)))
    assert result.action

    error = await refused(world, SeveralConflicts, goal.uid, 2)

    assert isinstance(error, SeveralConflicts)
    assert [problem.message for problem in error.problems] == [
        "it would be completed, but 1 open goals were put below it since; end or move them first",
        "it would be completed, but 1 open actions were added to it since; end or move them first",
    ]
    await moved(world, child.uid, GoalStatus.CANCELLED)
    await world.services.actions.transitions.transition(
        bot, TransitionPendingAction(id=result.action.uid, status="cancelled")
    )
    assert await revert(world, goal.uid, 2) == []
    assert (await goal_of(world, goal.uid)).status is GoalStatus.COMPLETED


async def test_a_place_below_itself_is_refused(world: World) -> None:
    above = await new_goal(world, "Above")
    goal = await new_goal(world, parent_goal_id=above.uid)
    await edited(world, goal.uid, parent_goal_id=None)
    await edited(world, above.uid, parent_goal_id=goal.uid)

    error = await refused(world, SeveralConflicts, goal.uid, 1)

    assert (error.message, error.field) == ("the goal would be its own ancestor", "parentGoalId")
    assert await parent_of(world, goal.uid) is None


async def test_a_parent_that_is_gone_for_the_caller_is_refused(world: World) -> None:
    bot, _ = await world.caller(), await world.caller("other")
    who = (ActorKind.AGENT, "bot")
    above = await world.services.goals.service.create(await world.caller("other"), CreateGoal(title="Above"))
    await world.services.goals.sharing.share(
        await world.caller("other"),
        ShareGoal(goal_id=above.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.WRITE),
    )
    goal = await new_goal(world)
    await edited(world, goal.uid, parent_goal_id=above.uid)
    await edited(world, goal.uid, parent_goal_id=None)
    await world.services.goals.sharing.unshare(
        await world.caller("other"), UnshareGoal(goal_id=above.uid, actor=Actor(kind=who[0], key=who[1]))
    )

    error = await refused(world, SeveralConflicts, goal.uid, 2)

    assert error.field == "parentGoalId"
    assert bot.actor_id


@pytest.mark.parametrize("status", [GoalStatus.COMPLETED, GoalStatus.CANCELLED, GoalStatus.ARCHIVED])
async def test_a_parent_that_has_ended_is_warned_of(world: World, status: GoalStatus) -> None:
    above = await new_goal(world, "Above")
    goal = await new_goal(world, parent_goal_id=above.uid)
    await edited(world, goal.uid, parent_goal_id=None)
    await moved(world, above.uid, status)

    assert await revert(world, goal.uid, 1) == ["parent_ended"]
    assert await parent_of(world, goal.uid) == above.uid


@pytest.mark.covers("VER-06", "VER-07")
async def test_a_question_and_a_story_have_the_content_of_their_earlier_versions(world: World) -> None:
    goal, other = await new_goal(world), await new_goal(world, "Other")
    question = {"text": "Which?", "goal_id": goal.uid, "priority": "high", "tags": ("Wine",)}
    criteria = {"acceptance_criteria": ("tasty",)}
    first = await upsert_pair(world, question=question, story={"narrative": "Red", **criteria})
    assert first.story
    await upsert_pair(
        world,
        first,
        question={"text": "What?", "goal_id": other.uid, "priority": "low", "tags": ()},
        story={"narrative": "White", "remove_acceptance_criteria": ("tasty",), "status": StoryStatus.ACTIVE},
    )
    bot = await world.caller()

    assert await revert(world, first.question.uid, 1) == []
    assert await revert(world, first.story.uid, 1) == []

    asked = (await world.services.questions.service.get(bot, [first.question.uid]))[first.question.uid]
    story = (await world.services.questions.service.get_stories(bot, [first.story.uid]))[first.story.uid]
    assert (content(asked), asked.version) == (content(first.question), 3)
    assert (content(story), story.version) == (content(first.story), 3)


async def test_a_revert_locks_each_record_once_and_reads_it_with_the_lock(world: World) -> None:
    above = await new_goal(world, "Above")
    goal = await new_goal(world, parent_goal_id=above.uid)
    await edited(world, goal.uid, title="Host a lunch", parent_goal_id=None)
    pair = await upsert_pair(world, question={"text": "Which?"}, story={"narrative": "Red"})
    assert pair.story
    await upsert_pair(world, pair, question={"text": "What?"}, story={"narrative": "White"})

    async def reads_and_locks(uid: str) -> dict[str, int]:
        world.statements.clear()
        assert await revert(world, uid, 1) == []
        wanted = (
            "find_goals",
            "lock_goals",
            "find_questions",
            "lock_questions",
            "find_stories",
            "lock_stories",
        )
        return {name: count for name, count in world.statements.counts.items() if name.endswith(wanted)}

    assert await reads_and_locks(pair.story.uid) == {
        "questions/find_stories": 1,
        "questions/lock_questions": 1,
        "questions/lock_stories": 1,
    }
    assert await reads_and_locks(pair.question.uid) == {"questions/lock_questions": 1}
    assert await reads_and_locks(goal.uid) == {"goals/lock_goals": 1}
    assert await parent_of(world, goal.uid) == above.uid


async def test_evidence_of_a_story_stays_with_it(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x")])
    pair = await upsert_pair(world, question={"text": "Which?"}, story={"narrative": "Red"})
    assert pair.story
    world.clock.advance(minutes=1)
    await upsert_pair(world, pair, story={"narrative": "White", "evidence_refs": (seen.uid, "a book")})

    assert await revert(world, pair.story.uid, 1) == ["evidence_kept"]

    story = (await world.services.questions.service.get_stories(bot, [pair.story.uid]))[pair.story.uid]
    assert (story.narrative, story.evidence_ids, story.references) == ("Red", (seen.uid,), ("a book",))


async def test_a_question_is_archived_again_only_with_its_stories_and_they_stay_archived(
    world: World,
) -> None:
    bot = await world.caller()
    pair = await upsert_pair(world, question={"text": "Which?"}, story={"narrative": "Red"})
    assert pair.story
    await world.services.questions.transitions.archive_question(bot, ArchiveQuestion(id=pair.question.uid))
    refusal = await refused(world, SeveralConflicts, pair.story.uid, 1)

    assert await revert(world, pair.question.uid, 1) == ["stories_kept"]
    assert await revert(world, pair.story.uid, 1) == []
    error = await refused(world, SeveralConflicts, pair.question.uid, 2)

    assert refusal.message == "its question is archived; give the question another status first"
    assert error.message == "it would be archived, but not all of its stories are; archive them first"
    asked = (await world.services.questions.service.get(bot, [pair.question.uid]))[pair.question.uid]
    assert asked.status is QuestionStatus.OPEN


async def test_who_may_not_change_a_record_does_not_take_it_back(world: World) -> None:
    bot = await world.caller()
    await world.caller("other")
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    pair = await upsert_pair(world, question={"text": "Which?"}, story={"narrative": "Red"})
    assert pair.story
    await edited(world, goal.uid, title="Lunch")
    who = (ActorKind.AGENT, "other")

    for uid in (goal.uid, action.uid, pair.question.uid, pair.story.uid):
        await refused(world, NotFound, uid, 1, agent="other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.READ),
    )
    await refused(world, Forbidden, goal.uid, 1, agent="other")
    await world.grant(
        bot,
        GrantAccess(space=bot.home, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.READ),
    )
    for uid in (goal.uid, action.uid, pair.question.uid, pair.story.uid):
        await refused(world, Forbidden, uid, 1, agent="other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(goal_id=goal.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.WRITE),
    )
    assert await revert(world, goal.uid, 1, agent="other") == []


@pytest.mark.parametrize(
    ("uid", "error"),
    [
        ("goal_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        ("act_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        ("qst_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        ("story_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        ("turn_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
        ("nonsense", NotFound),
        ("obs_01JBXM3Z8K0QF3W4T9V2C7H5RD", NotFound),
    ],
)
async def test_what_is_unknown_or_of_another_kind_is_refused(
    world: World, uid: str, error: type[PrefrontalError]
) -> None:
    assert (await refused(world, error, uid, 1)).field == "id"


@pytest.mark.parametrize("number", [0, -1, 2, 99])
async def test_a_version_that_is_not_there_is_refused(world: World, number: int) -> None:
    goal, action = await new_goal(world), await acted(world)

    for uid in (goal.uid, action.uid):
        assert (await refused(world, NotFound, uid, number)).field == "version"


async def test_what_is_not_reverted_says_what_to_do_instead(world: World) -> None:
    caller = await world.caller()
    (kind,) = (
        await world.services.memory.remember(
            caller, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content="Be kind")])
        )
    ).memories
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    await world.caller("other")

    for uid, said in ((kind.uid, "one version only"), (seen.uid, "updateObservation")):
        error = await refused(world, InvalidInput, uid, 1)
        assert error.field == "id"
        assert said in error.message
        # Of what is not readable nothing is said.
        assert (await refused(world, NotFound, uid, 1, agent="other")).field == "id"
