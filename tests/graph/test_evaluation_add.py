"""What becomes of observations when they are added: source 001's scenarios 1, 2, 3 and 5."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    Goal,
    GoalFilter,
    GoalOrigin,
    GoalStatus,
    TransitionGoal,
)
from prefrontal.graph.errors import NotFound, Unavailable
from prefrontal.graph.evaluation.record import Decision, EvaluateScratchPage, Evaluation, Reason
from prefrontal.graph.scratch.record import ObservationDraft, ObservationStatus
from tests.support.lists import evidence_of
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World

TURN = "turn_20251105_001"


async def added(world: World, *drafts: dict[str, Any], **options: Any) -> tuple[Evaluation, ...]:
    return await world.services.evaluation.add(
        await world.caller(), [ObservationDraft.model_validate(draft) for draft in drafts], **options
    )


async def add(world: World, content: str, confidence: float = 0.95, **given: Any) -> Evaluation:
    (made,) = await added(world, {"content": content, "confidence": confidence, **given}, turn_id=TURN)
    return made


async def goals(world: World) -> list[Goal]:
    found = await world.services.goals.service.list(
        await world.caller(), GoalFilter(status=tuple(GoalStatus)), first=100
    )
    return sorted(found.items, key=lambda goal: goal.uid)


async def messages(world: World) -> list[str]:
    page = await world.services.turns.trace.trace(await world.caller(), TURN, first=100)
    return [entry.message for entry in page.items]


@pytest.mark.covers("GOAL-24", "GOAL-26..29", "GOAL-36", "OBS-52", "OBS-53", "TRC-10", "TRC-11", "OBS-40")
async def test_a_confident_observation_founds_a_goal(world: World) -> None:
    made = await add(world, "User prefers Burgundy wines", tags=("wine", "preference"))
    assert (made.decision, made.reason) == (Decision.PROMOTE, Reason.FOUNDED_GOAL)
    (goal,) = await goals(world)
    assert made.goal_id == goal.uid
    assert (goal.title, goal.status, goal.progress) == ("User prefers Burgundy wines", GoalStatus.PENDING, 0)
    assert (goal.origin, goal.created_at) == (GoalOrigin.PROMOTION, world.clock.now())
    caller = await world.caller()
    (evidence,) = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert (evidence.observation_id, evidence.confidence) == (made.observation.uid, 0.95)
    (action,) = (await world.services.actions.service.of_goals(caller, [goal.uid]))[goal.uid]
    assert (action.type, action.title) == ("follow_up", "Decide the next step")
    assert made.observation.status is ObservationStatus.ACTIVE
    linked = await world.services.scratch.service.linked_goals(caller, [made.observation.uid])
    assert linked == {made.observation.uid: (goal.uid,)}
    assert await messages(world) == [
        "Observation added",
        "Observation promoted to goal",
        "Goal created from 1 observation",
    ]


@pytest.mark.covers("GOAL-25", "OBS-49", "GOAL-30")
@pytest.mark.parametrize(("confidence", "founded"), [(0.9, 1), (0.89, 0), (1.0, 1), (0.0, 0)])
async def test_the_threshold_is_inclusive_and_tags_are_not_needed(
    world: World, confidence: float, founded: int
) -> None:
    made = await add(world, "User prefers Burgundy wines", confidence)
    assert len(await goals(world)) == founded
    assert made.reason is (Reason.FOUNDED_GOAL if founded else Reason.BELOW_THRESHOLD)


@pytest.mark.covers("OBS-43", "GOAL-25")
async def test_an_insight_about_the_user_at_the_threshold_is_important_enough(world: World) -> None:
    made = await add(world, "User likes Gamay", 0.9)
    assert made.reason is Reason.FOUNDED_GOAL
    assert made.importance is not None
    assert made.importance.value == pytest.approx(0.2 * 0.9 + 0.15 + 0.2)
    plain = await add(world, "The shed is green", 1.0)
    assert (plain.decision, plain.reason) == (Decision.KEEP, Reason.LOW_IMPORTANCE)
    assert plain.importance is not None
    assert plain.importance.value == pytest.approx(0.35)
    assert len(await goals(world)) == 1


@pytest.mark.covers("OBS-45", "OBS-46", "OBS-48", "OBS-51", "TRC-12")
async def test_a_doubtful_observation_stays_as_it_is(world: World) -> None:
    made = await add(world, "User might like red wine", 0.6, tags=("wine",))
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.BELOW_THRESHOLD)
    assert await goals(world) == []
    assert made.observation.status is ObservationStatus.ACTIVE
    assert made.observation.version == 1
    assert await messages(world) == ["Observation added", "Observation below threshold"]
    caller = await world.caller()
    assert await world.services.scratch.service.linked_goals(caller, [made.observation.uid]) == {}
    again = await world.services.evaluation.review(caller, EvaluateScratchPage())
    assert [item.reason for item in again.evaluations] == [Reason.BELOW_THRESHOLD]


@pytest.mark.covers("OBS-50", "OBS-51")
async def test_doubts_do_not_add_up(world: World) -> None:
    made = await added(
        world,
        *({"content": f"User might like wine {n}", "confidence": c} for n, c in enumerate((0.6, 0.89, 0.0))),
    )
    assert {item.reason for item in made} == {Reason.BELOW_THRESHOLD}
    assert {item.observation.status for item in made} == {ObservationStatus.ACTIVE}
    assert await goals(world) == []


@pytest.mark.covers("OBS-47", "TRC-13")
@pytest.mark.parametrize(
    "given",
    [
        {"content": "API response time was 2.3 seconds"},
        {"content": "It took 2.3 seconds", "tags": ("performance",)},
        {"content": "It took 2.3 seconds", "type": "metric"},
    ],
)
async def test_an_operational_note_founds_nothing_however_sure(world: World, given: dict[str, Any]) -> None:
    made = await add(world, confidence=0.99, **given)
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.OPERATIONAL)
    assert await goals(world) == []
    assert await messages(world) == ["Observation added", "Observation kept in Scratch"]


@pytest.mark.covers("GOAL-37..40", "GOAL-42", "TRC-14", "TRC-15")
@pytest.mark.parametrize("together", [True, False], ids=["in one call", "one after the other"])
async def test_related_observations_found_one_goal(world: World, together: bool) -> None:
    context = {"goal_key": "find_wine_recommendation"}
    drafts = [
        {"content": "User prefers Burgundy wines", "confidence": 0.95, "context": context},
        {"content": "User mentioned budget of $50", "confidence": 0.9, "context": context},
        {"content": "Dinner is at eight", "confidence": 0.92, "context": context},
    ]
    made: list[Evaluation] = []
    for part in [drafts] if together else [[draft] for draft in drafts]:
        made += await added(world, *part, turn_id=TURN)
        world.clock.advance(minutes=1)
    (goal,) = await goals(world)
    assert (goal.title, goal.goal_type) == ("Find wine recommendation", "find_wine_recommendation")
    # What would have founded the goal by itself is one more reason for it, not progress.
    assert (goal.status, goal.progress) == (GoalStatus.PENDING, 0)
    evidence = (await evidence_of(world.services, await world.caller(), [goal.uid]))[goal.uid]
    assert [item.observation_id for item in evidence] == [item.observation.uid for item in made]
    assert [item.content for item in evidence] == [draft["content"] for draft in drafts]
    if together:
        said = await messages(world)
        assert "Goal created from 3 observations" in said
        assert "Multiple observations combined into goal" in said


@pytest.mark.covers("GOAL-31")
async def test_observations_of_one_topic_found_one_goal(world: World) -> None:
    first = await add(world, "User prefers Burgundy", tags=("wine",))
    by_tag = await add(world, "Beaujolais was praised", tags=("Wine", "praise"))
    by_word = await add(world, "A Beaujolais is in the cellar")
    other = await add(world, "The train leaves at nine", tags=("travel",), type="reminder")
    assert {first.goal_id} == {by_tag.goal_id, by_word.goal_id}
    assert other.goal_id != first.goal_id
    assert [goal.title for goal in await goals(world)] == [
        "User prefers Burgundy",
        "The train leaves at nine",
    ]


@pytest.mark.covers("GOAL-31")
async def test_topics_are_held_apart_by_person_and_space(world: World) -> None:
    ann = await add(world, "Prefers Burgundy", tags=("wine",), context={"user_id": "ann"})
    ben = await add(world, "Prefers Burgundy", tags=("wine",), context={"user_id": "ben"})
    nobody = await add(world, "Prefers Burgundy", tags=("wine",))
    assert len({ann.goal_id, ben.goal_id, nobody.goal_id}) == 3
    stranger = await world.caller("stranger")
    (foreign,) = await world.services.evaluation.add(
        stranger, [ObservationDraft(content="Prefers Burgundy", confidence=0.95, tags=("wine",))]
    )
    assert foreign.reason is Reason.FOUNDED_GOAL
    assert len(await goals(world)) == 3


@pytest.mark.covers("GOAL-54")
async def test_with_several_goals_of_its_topic_nothing_is_guessed(world: World) -> None:
    caller = await world.caller()
    for title in ("Choose a wine", "Sell the wine cellar"):
        await world.services.goals.service.create(caller, CreateGoal(title=title))
    made = await add(world, "User likes the wine of Morgon", tags=("wine",))
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.SEVERAL_GOALS)
    assert len(await goals(world)) == 2
    assert await world.services.scratch.service.linked_goals(caller, [made.observation.uid]) == {}


@pytest.mark.covers("GOAL-54", "GOAL-52", "GOAL-55")
async def test_one_goal_of_its_topic_is_moved_on(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="find_wine", goal_type="find_wine")
    )
    first = await add(world, "Found 3 Burgundy options", 0.95, tags=("wine",))
    assert (first.reason, first.goal_id) == (Reason.JOINED_GOAL, goal.uid)
    await add(world, "User confirmed preference for Burgundy", 0.9)
    (moved,) = await goals(world)
    assert (moved.status, moved.progress) == (GoalStatus.IN_PROGRESS, pytest.approx(0.185))


@pytest.mark.covers("GOAL-61", "GOAL-62")
async def test_an_observation_that_names_a_goal_joins_it_however_doubtful(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="Find wine", goal_type="find_wine")
    )
    sure = await add(world, "Three bottles are left", 0.95, context={"goal_id": goal.uid})
    doubtful = await add(world, "Perhaps Fleurie", 0.4, context={"goal_key": "find_wine"})
    assert {(item.decision, item.reason, item.goal_id) for item in (sure, doubtful)} == {
        (Decision.PROMOTE, Reason.JOINED_GOAL, goal.uid)
    }
    (moved,) = await goals(world)
    assert moved.progress == pytest.approx(0.095 + 0.04)
    assert moved.status is GoalStatus.IN_PROGRESS


@pytest.mark.covers("GOAL-62")
async def test_a_doubtful_one_joins_the_goal_that_a_later_one_of_the_call_founds(world: World) -> None:
    doubtful, sure = await added(
        world,
        {"content": "Perhaps Fleurie", "confidence": 0.4, "context": {"goal_key": "find_wine"}},
        {"content": "Ann wants wine", "confidence": 0.9, "context": {"goal_key": "find_wine"}},
    )
    assert (doubtful.reason, sure.reason) == (Reason.JOINED_GOAL, Reason.FOUNDED_GOAL)
    assert doubtful.goal_id == sure.goal_id
    (goal,) = await goals(world)
    assert goal.progress == pytest.approx(0.04)


async def test_a_goal_that_is_done_or_only_readable_takes_nothing(world: World) -> None:
    caller, stranger = await world.caller(), await world.caller("stranger")
    done = await world.services.goals.service.create(caller, CreateGoal(title="Done"))
    await world.services.goals.transitions.transition(
        caller, TransitionGoal(id=done.uid, status=GoalStatus.COMPLETED)
    )
    foreign = await world.services.goals.service.create(stranger, CreateGoal(title="Foreign"))
    late = await add(world, "More of it", context={"goal_id": done.uid})
    assert late.reason is Reason.GOAL_NOT_ACTIVE
    reader = caller.model_copy(update={"readable": (*caller.readable, stranger.home)})
    (held,) = await world.services.evaluation.add(
        reader,
        [
            ObservationDraft.model_validate(
                {"content": "Mine", "confidence": 1, "context": {"goal_id": foreign.uid}}
            )
        ],
    )
    assert held.reason is Reason.GOAL_NOT_WRITABLE
    before = await world.counts()
    for uid in (foreign.uid, "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"):
        with pytest.raises(NotFound) as caught:
            await added(world, {"content": "here"}, {"content": "Elsewhere", "context": {"goal_id": uid}})
        assert (caught.value.field, str(caught.value)) == ("observations[1].context.goalId", "no such goal")
    assert await world.counts() == before
    # A goal that was readable when it was named, and is not any more, founds nothing either.
    (named,) = await world.services.evaluation.add(
        reader,
        [
            ObservationDraft.model_validate(
                {"content": "User is elsewhere", "confidence": 1, "context": {"goal_id": foreign.uid}}
            )
        ],
        evaluate=False,
    )
    review = await world.services.evaluation.review(
        caller, EvaluateScratchPage(observation_ids=(named.observation.uid,))
    )
    assert [(item.reason, item.goal_id) for item in review.evaluations] == [(Reason.GOAL_NOT_FOUND, None)]
    assert (await world.services.goals.service.get(stranger, [foreign.uid]))[foreign.uid].progress == 0


@pytest.mark.covers("OBS-59", "OBS-62")
async def test_what_is_expired_from_the_start_founds_nothing(world: World) -> None:
    made = await add(world, "Gone at once", 0.99, ttl_minutes=0)
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.EXPIRED)
    assert await goals(world) == []


async def test_evaluation_can_be_switched_off_for_a_call(world: World) -> None:
    (made,) = await added(world, {"content": "The user is sure", "confidence": 1.0}, evaluate=False)
    assert made.reason is Reason.NOT_EVALUATED
    assert await goals(world) == []
    review = await world.services.evaluation.review(await world.caller(), EvaluateScratchPage())
    assert [item.reason for item in review.evaluations] == [Reason.FOUNDED_GOAL]


@pytest.mark.covers("GOAL-56", "OBS-44")
async def test_sent_again_it_is_evaluated_once_and_answered_the_same(world: World) -> None:
    draft = {"content": "User prefers Burgundy wines", "confidence": 0.95}
    (first,) = await added(world, draft, idempotency_key="k")
    before = await world.counts()
    (again,) = await added(world, draft, idempotency_key="k")
    assert (again.observation.uid, again.reason, again.goal_id) == (
        first.observation.uid,
        first.reason,
        first.goal_id,
    )
    assert await world.counts() == before


@pytest.mark.covers("GOAL-31", "GOAL-60")
async def test_many_at_once_found_one_goal(world: World) -> None:
    made = await asyncio.gather(
        *(add(world, f"User asked for wine number {n}", tags=("wine",)) for n in range(8))
    )
    (goal,) = await goals(world)
    assert {item.goal_id for item in made} == {goal.uid}
    assert sorted(item.reason for item in made) == [Reason.FOUNDED_GOAL, *[Reason.JOINED_GOAL] * 7]
    evidence = (await evidence_of(world.services, await world.caller(), [goal.uid]))[goal.uid]
    assert {item.observation_id for item in evidence} == {item.observation.uid for item in made}
    assert (goal.status, goal.progress) == (GoalStatus.PENDING, 0)


@pytest.mark.covers("OBS-66", "GOAL-45", "TRC-19")
async def test_when_no_goal_can_be_made_the_observation_stays(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise Unavailable("the database is away")

    with monkeypatch.context() as broken:
        broken.setattr(world.services.goals.service, "create_in", fails)
        made = await add(world, "User prefers Burgundy wines")
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.AWAITS_EVALUATION)
    assert made.observation.status is ObservationStatus.ACTIVE
    assert await goals(world) == []
    review = await world.services.evaluation.review(await world.caller(), EvaluateScratchPage())
    assert [item.reason for item in review.evaluations] == [Reason.FOUNDED_GOAL]
    assert len(await goals(world)) == 1


async def test_evaluations_that_touch_different_goals_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    wine = {"content": "User prefers Burgundy wines", "confidence": 0.95}
    train = {"content": "The train leaves at nine", "confidence": 0.95, "type": "reminder"}

    # The first transaction stores the observation, the second evaluates it.
    async with open_transaction(world, monkeypatch, added(world, wine, turn_id="one"), writes=2) as first:
        # Who waited for the first would be late.
        (made,) = await added(world, train, turn_id="two")
        assert made.reason is Reason.FOUNDED_GOAL
        assert [goal.uid for goal in await goals(world)] == [made.goal_id]
        assert not first.done()
    (other,) = await first

    assert other.reason is Reason.FOUNDED_GOAL
    assert {goal.uid for goal in await goals(world)} == {made.goal_id, other.goal_id}
    # No lock of a subject is ever stored.
    assert await world.rows("MATCH (n:KeyLock) WHERE n.key <> 'texts' RETURN n.key AS key") == []


@pytest.mark.parametrize(
    ("one", "two", "reason", "number"),
    [
        ({"content": "User prefers Burgundy"}, {"content": "Burgundy is asked for"}, Reason.JOINED_GOAL, 2),
        (
            {"content": "Alpha", "context": {"goal_key": "find_wine"}},
            {"content": "Omega", "context": {"goal_key": "find_wine"}},
            Reason.JOINED_GOAL,
            2,
        ),
        # The key of one is a topic of the other.
        (
            {"content": "Alpha", "context": {"goal_key": "find_wine"}},
            {"content": "Wine is asked for"},
            Reason.JOINED_GOAL,
            2,
        ),
        ({"content": "User prefers tea"}, {"content": "User  prefers TEA"}, Reason.DUPLICATE, 1),
    ],
    ids=["topic", "key", "key and topic", "text"],
)
@pytest.mark.covers("GOAL-31")
async def test_evaluations_that_would_found_the_same_goal_wait_and_found_one(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    one: dict[str, Any],
    two: dict[str, Any],
    reason: Reason,
    number: int,
) -> None:
    caller = await world.caller()
    sure = {"confidence": 0.95}
    # A word that is new to the space locks its key, so the second would already wait when it is stored.
    await world.services.scratch.service.add(caller, [ObservationDraft(content="wine")])

    async with open_transaction(
        world, monkeypatch, added(world, one | sure, turn_id="one"), writes=2
    ) as first:
        second = asyncio.create_task(added(world, two | sure, turn_id="two"))
        assert await blocked(world, second, caller, "KeyLock")
        assert not first.done()
    ((founded,), (after,)) = await asyncio.gather(first, second)

    (goal,) = await goals(world)
    assert (founded.reason, founded.goal_id) == (Reason.FOUNDED_GOAL, goal.uid)
    assert after.reason is reason
    evidence = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert len(evidence) == number
