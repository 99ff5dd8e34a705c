"""A review of the scratch page: promote, keep or archive each, with the reason (source 001, §Examples)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    GoalStatus,
    LinkObservation,
)
from prefrontal.graph.embedding.embeddings import Embeddings
from prefrontal.graph.embedding.prototypes import Prototypes
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, TimedOut
from prefrontal.graph.evaluation.apply import Enactor
from prefrontal.graph.evaluation.record import (
    Decision,
    EvaluateScratchPage,
    Evaluation,
    FoundedGoalDraft,
    Reason,
    Review,
)
from prefrontal.graph.evaluation.service import EvaluationService
from prefrontal.graph.journal.record import Change
from prefrontal.graph.journal.service import ChangeWriter
from prefrontal.graph.scratch.record import (
    ObservationDraft,
    ObservationStatus,
    PinObservation,
    ResolveObservation,
    SweepExpired,
)
from tests.graph.test_evaluation_add import add, added, goals
from tests.support.lists import evidence_of
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World

REVIEW = "turn_3"
FIVE = ("Anjou", "Bandol", "Cahors", "Douro", "Etna")


async def noted(world: World, *contents: str, confidence: float = 0.95, **given: object) -> list[str]:
    drafts = [{"content": content, "confidence": confidence, **given} for content in contents]
    return [made.observation.uid for made in await added(world, *drafts, evaluate=False)]


async def reviewed(world: World, **options: object) -> Review:
    options.setdefault("turn_id", REVIEW)
    return await world.services.evaluation.review(await world.caller(), EvaluateScratchPage(**options))


def decided(review: Review) -> list[tuple[Decision, Reason]]:
    return [(item.decision, item.reason) for item in review.evaluations]


def by_uid(review: Review) -> dict[str, Evaluation]:
    return {item.observation.uid: item for item in review.evaluations}


async def messages(world: World) -> list[str]:
    page = await world.services.turns.trace.trace(await world.caller(), REVIEW, first=100)
    return [entry.message for entry in page.items]


@pytest.mark.covers("OBS-41", "OBS-44", "TRC-11")
async def test_example_1_a_later_turn_promotes(world: World) -> None:
    (uid,) = await noted(world, "User interested in Burgundy wines")
    review = await reviewed(
        world,
        goal=FoundedGoalDraft(
            title="Build wine recommendation profile",
            pending_actions=(PendingActionDraft(type="research", title="Research more Burgundy wines"),),
        ),
    )
    assert decided(review) == [(Decision.PROMOTE, Reason.FOUNDED_GOAL)]
    (goal,) = await goals(world)
    assert goal.title == "Build wine recommendation profile"
    actions = await world.services.actions.service.of_goals(await world.caller(), [goal.uid])
    assert [action.title for action in actions[goal.uid]] == ["Research more Burgundy wines"]
    assert await messages(world) == ["Observation promoted to goal", "Goal created from 1 observation"]
    before = await world.counts()
    again = await reviewed(world)
    assert decided(again) == [(Decision.KEEP, Reason.ALREADY_LINKED)]
    assert by_uid(again)[uid].goal_id == goal.uid
    assert await world.counts() == before


@pytest.mark.covers("OBS-47", "TRC-13")
async def test_example_2_an_operational_note_is_kept_until_it_fades(world: World) -> None:
    (uid,) = await noted(world, "API response time was 2.3 seconds")
    assert decided(await reviewed(world)) == [(Decision.KEEP, Reason.OPERATIONAL)]
    assert await messages(world) == ["Observation kept in Scratch"]
    world.clock.advance(hours=24)
    review = await reviewed(world)
    assert decided(review) == [(Decision.ARCHIVE, Reason.EXPIRED)]
    assert by_uid(review)[uid].observation.status is ObservationStatus.EXPIRED
    assert await goals(world) == []


@pytest.mark.covers("GOAL-43", "TRC-15", "GOAL-42")
async def test_example_3_constraints_of_two_turns_become_one_goal(world: World) -> None:
    first = await noted(world, "User mentioned budget constraint: $50")
    world.clock.advance(minutes=5)
    second = await noted(world, "User mentioned time constraint: 1 hour")
    world.clock.advance(minutes=5)
    review = await reviewed(
        world,
        goal=FoundedGoalDraft(
            title="Find wine within budget and time constraints",
            pending_actions=(PendingActionDraft(type="research", title="Search wines under $50"),),
        ),
    )
    assert decided(review) == [(Decision.PROMOTE, Reason.FOUNDED_GOAL)] * 2
    (goal,) = await goals(world)
    evidence = (await evidence_of(world.services, await world.caller(), [goal.uid]))[goal.uid]
    assert [item.observation_id for item in evidence] == [*first, *second]
    assert await messages(world) == [
        "Multiple observations combined into goal",
        "Goal created from 2 observations",
    ]


@pytest.mark.covers("OBS-42")
async def test_only_what_is_over_or_said_twice_is_put_away(world: World) -> None:
    promoted, dealt_with, doubtful, fading = await noted(
        world, "User prefers Burgundy", "The train is late", "Ann may come", "Rain tonight"
    )
    caller = await world.caller()
    change = world.services.scratch.service.change
    await change(caller, ResolveObservation(id=dealt_with))
    (repeat, doubtful_repeat) = await noted(world, "user prefers  BURGUNDY", "Ann may come", confidence=0.2)
    review = by_uid(await reviewed(world, observation_ids=[promoted, dealt_with]))
    assert review[dealt_with].decision is Decision.ARCHIVE
    assert review[dealt_with].reason is Reason.RESOLVED
    assert review[promoted].decision is Decision.PROMOTE
    review = by_uid(await reviewed(world, observation_ids=[repeat, doubtful_repeat]))
    assert (review[repeat].decision, review[repeat].reason) == (Decision.ARCHIVE, Reason.DUPLICATE)
    assert review[repeat].observation.status is ObservationStatus.ARCHIVED
    # The other one repeats something that is evidence of nothing.
    assert review[doubtful_repeat].reason is Reason.BELOW_THRESHOLD
    assert {doubtful, fading}.isdisjoint(review)


async def test_a_pinned_observation_is_never_put_away(world: World) -> None:
    (first,) = await noted(world, "User prefers Burgundy")
    await reviewed(world)
    (repeat,) = await noted(world, "User prefers Burgundy")
    await world.services.scratch.service.change(await world.caller(), PinObservation(id=repeat))
    review = by_uid(await reviewed(world))
    assert (review[repeat].decision, review[repeat].reason) == (Decision.KEEP, Reason.DUPLICATE)
    assert review[first].reason is Reason.ALREADY_LINKED


@pytest.mark.covers("OBS-41")
async def test_a_review_goes_through_the_page_in_pages(world: World) -> None:
    uids = await noted(world, *(f"Note {n}" for n in range(5)), confidence=0.3)
    seen: list[str] = []
    after = None
    for size, more in ((2, True), (2, True), (1, False)):
        review = await reviewed(world, first=2, after=after)
        assert (len(review.evaluations), review.has_next) == (size, more)
        seen += [item.observation.uid for item in review.evaluations]
        after = review.cursor
    assert seen == uids
    assert (await reviewed(world, after=after)).evaluations == ()


def in_pairs(world: World) -> EvaluationService:
    """A service that decides of two observations in a transaction."""
    services = world.services
    table = services.catalog.evaluation.model_copy(update={"batch": 2})
    return EvaluationService(
        services.catalog.model_copy(update={"evaluation": table}),
        ChangeWriter(services.database, world.clock, services.catalog),
        services.scratch.service,
        services.goals.service,
        services.goals.evidence,
        services.questions.upsert,
        Prototypes(Embeddings(None, 0), table),
        on_add=True,
    )


async def test_a_long_page_is_decided_in_several_transactions(world: World) -> None:
    uids = await noted(
        world,
        *(f"Vineyard {name}" for name in ("Anjou", "Bandol", "Cahors", "Douro", "Etna")),
        type="decision",
    )
    service, caller = in_pairs(world), await world.caller()
    review = await service.review(caller, EvaluateScratchPage(idempotency_key="k"))
    assert [item.observation.uid for item in review.evaluations] == uids
    assert {reason for _, reason in decided(review)} == {Reason.FOUNDED_GOAL, Reason.JOINED_GOAL}
    assert len(await goals(world)) == 1
    before = await world.counts()
    again = await service.review(caller, EvaluateScratchPage(idempotency_key="k"))
    assert (decided(again), again.cursor) == (decided(review), review.cursor)
    assert await world.counts() == before


async def test_what_a_failure_left_undecided_is_decided_by_the_next_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    uids = await noted(
        world,
        *(f"Vineyard {name}" for name in ("Anjou", "Bandol", "Cahors", "Douro", "Etna")),
        type="decision",
    )
    service, caller = in_pairs(world), await world.caller()
    real, calls = Enactor.evaluate, []

    async def fails_once(self: Enactor, *args: Any, **options: Any) -> Change:
        calls.append(1)
        if len(calls) == 2:
            raise TimedOut("too slow")
        return await real(self, *args, **options)

    monkeypatch.setattr(Enactor, "evaluate", fails_once)
    first = await service.review(caller, EvaluateScratchPage())
    assert [item.observation.uid for item in first.evaluations] == uids[:2]
    assert first.has_next
    rest = await service.review(caller, EvaluateScratchPage(after=first.cursor))
    assert [item.observation.uid for item in rest.evaluations] == uids[2:]
    assert not rest.has_next
    assert len(await goals(world)) == 1


@pytest.mark.covers("OBS-44", "GOAL-31")
async def test_two_who_review_the_same_at_once_found_one_goal(world: World) -> None:
    await noted(world, "User prefers Burgundy", "User asked for Burgundy again")
    both = await asyncio.gather(reviewed(world), reviewed(world))
    assert sorted({reason for review in both for _, reason in decided(review)}) == [
        Reason.ALREADY_LINKED,
        Reason.FOUNDED_GOAL,
    ]
    (goal,) = await goals(world)
    evidence = await evidence_of(world.services, await world.caller(), [goal.uid])
    assert len(evidence[goal.uid]) == 2


async def test_a_goal_is_described_only_where_exactly_one_is_founded(world: World) -> None:
    uids = await noted(world, "User prefers Burgundy", "The train leaves at nine", type="reminder")
    before = await world.counts()
    with pytest.raises(InvalidInput, match="would create 2 goals") as caught:
        await reviewed(world, goal=FoundedGoalDraft(title="Which one?"))
    assert caught.value.field == "goal"
    with pytest.raises(InvalidInput) as caught:
        await reviewed(world, observation_ids=uids[:1], goal=FoundedGoalDraft(title=" "))
    assert caught.value.field == "goal.title"
    assert await world.counts() == before
    await reviewed(world, observation_ids=uids[:1], goal=FoundedGoalDraft(title="Know the taste"))
    assert [goal.title for goal in await goals(world)] == ["Know the taste"]


async def test_a_review_sent_again_answers_the_same(world: World) -> None:
    await noted(world, "User prefers Burgundy")
    first = await reviewed(world, idempotency_key="k")
    before = await world.counts()
    again = await reviewed(world, idempotency_key="k")
    assert decided(again) == decided(first) == [(Decision.PROMOTE, Reason.FOUNDED_GOAL)]
    assert await world.counts() == before


async def test_nobody_reviews_what_is_not_theirs(world: World) -> None:
    (uid,) = await noted(world, "User prefers Burgundy")
    owner, stranger = await world.caller(), await world.caller("stranger")
    reader = stranger.model_copy(update={"readable": (*stranger.readable, owner.home)})
    viewer = owner.model_copy(update={"permissions": frozenset()})
    before = await world.counts()
    review = world.services.evaluation.review
    assert (await review(stranger, EvaluateScratchPage())).evaluations == ()
    for who, refusal in ((stranger, NotFound), (reader, Forbidden)):
        with pytest.raises(refusal) as caught:
            await review(who, EvaluateScratchPage(observation_ids=[uid]))
        assert caught.value.field == "observationIds[0]"
        with pytest.raises(refusal) as caught:
            await review(who, EvaluateScratchPage(space=owner.home))
        assert caught.value.field == "space"
    # One among own ones refuses all of them.
    with pytest.raises(NotFound) as caught:
        await review(owner, EvaluateScratchPage(observation_ids=[uid, "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"]))
    assert caught.value.field == "observationIds[1]"
    with pytest.raises(Forbidden):
        await review(viewer, EvaluateScratchPage())
    for wrong in ({"first": 0}, {"first": 501}, {"observation_ids": []}, {"after": "nonsense"}):
        with pytest.raises(InvalidInput):
            await review(owner, EvaluateScratchPage(**wrong))
    assert await world.counts() == before
    assert (await world.services.scratch.service.get(owner, [uid]))[uid].version == 1


@pytest.mark.covers("OBS-60", "GOAL-61")
async def test_what_fades_before_the_review_founds_nothing_and_disturbs_nothing(world: World) -> None:
    (fading,) = await noted(world, "Rain in an hour", ttl_minutes=1)
    (staying,) = await noted(world, "The train leaves at nine", type="reminder")
    world.clock.advance(minutes=1)
    review = by_uid(await reviewed(world))
    assert review[fading].reason is Reason.EXPIRED
    assert review[staying].reason is Reason.FOUNDED_GOAL
    (goal,) = await goals(world)
    assert (goal.title, goal.status) == ("The train leaves at nine", GoalStatus.PENDING)
    rows = await world.rows("MATCH (o {uid: $uid})-[e:EVIDENCES]->() RETURN count(e) AS links", uid=fading)
    assert rows == [{"links": 0}]


@pytest.mark.covers("OBS-60")
async def test_an_expiry_and_a_founding_at_once_wait_for_each_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, sweep = await world.caller(), world.services.scratch.expiry.sweep
    (early,) = await noted(world, "User wants tea at nine", ttl_minutes=1)

    # The founding is before its commit when the time passes: the expiry waits, and finds evidence.
    async with open_transaction(world, monkeypatch, reviewed(world)) as review:
        world.clock.advance(minutes=1)
        expiring = asyncio.create_task(sweep(caller, SweepExpired()))
        assert await blocked(world, expiring, caller)
    assert decided(await review) == [(Decision.PROMOTE, Reason.FOUNDED_GOAL)]
    assert (await expiring).archived == 1
    (goal,) = await goals(world)
    (evidence,) = (await evidence_of(world.services, caller, [goal.uid]))[goal.uid]
    assert evidence.observation_id == early
    (expired,) = (await world.services.scratch.service.get(caller, [early])).values()
    assert expired.status is ObservationStatus.EXPIRED

    # The expiry is before its commit when the review begins: the review waits, and founds nothing.
    (late,) = await noted(world, "User wants wine at ten", ttl_minutes=1)
    world.clock.advance(minutes=1)
    async with open_transaction(world, monkeypatch, sweep(caller, SweepExpired())):
        waiting = asyncio.create_task(reviewed(world, observation_ids=(late,)))
        assert await blocked(world, waiting, caller)
    assert decided(await waiting) == [(Decision.ARCHIVE, Reason.EXPIRED)]
    assert [goal.title for goal in await goals(world)] == ["User wants tea at nine"]
    assert await world.rows("MATCH (o {uid: $uid})-[e:EVIDENCES]->() RETURN e", uid=late) == []


async def test_added_and_reviewed_give_the_same_goals(world: World) -> None:
    """Evaluated one by one or all together, the same observations give the same goals."""
    texts = ["User prefers Burgundy", "Burgundy is dear", "Trains leave at nine", "User might like Gamay"]
    for text in texts:
        await add(world, text, 0.95)
    one_by_one = [(goal.title, goal.progress, goal.status) for goal in await goals(world)]
    other = await world.caller("other")
    await world.services.evaluation.add(
        other, [ObservationDraft(content=text, confidence=0.95) for text in texts], evaluate=False
    )
    await world.services.evaluation.review(other, EvaluateScratchPage())
    found = await world.services.goals.service.list(other, first=100)
    together = sorted(found.items, key=lambda goal: goal.uid)
    assert [(goal.title, goal.progress, goal.status) for goal in together] == one_by_one


@pytest.mark.covers("GOAL-57")
@pytest.mark.parametrize("swept", [False, True], ids=["expired", "swept"])
async def test_a_review_counts_what_waited_for_an_expiry(world: World, swept: bool) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Plan the trip"))
    (fifty,) = await noted(world, "The budget is $50", ttl_minutes=1)
    (sixty,) = await noted(world, "The budget is $60")
    for uid in (fifty, sixty):
        await world.services.goals.evidence.link(
            caller, LinkObservation(goal_id=goal.uid, observation_id=uid)
        )

    async def progress() -> float:
        return (await world.services.goals.service.get(caller, [goal.uid]))[goal.uid].progress

    await reviewed(world)
    assert await progress() == 0.095
    world.clock.advance(minutes=1)
    if swept:
        await world.services.scratch.expiry.sweep(caller, SweepExpired())
    stranger = await world.caller("stranger")
    assert (await world.services.evaluation.review(stranger, EvaluateScratchPage())).evaluations == ()
    assert await progress() == 0.095

    review = by_uid(await reviewed(world, turn_id="turn_4"))
    assert review[sixty].reason is Reason.ALREADY_LINKED
    assert (fifty in review) == (not swept)
    assert await progress() == 0.19
    page = await world.services.turns.trace.trace(caller, "turn_4")
    assert [(entry.message, entry.ids) for entry in page.items] == [
        ("Conflict settled, evidence counted", (goal.uid, sixty)),
        ("Progress updated", (goal.uid,)),
    ]
    before = await world.counts()
    await reviewed(world, turn_id="turn_4")
    assert await progress() == 0.19
    assert await world.counts() == before


async def test_a_review_of_some_settles_nothing_of_others(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Plan the trip"))
    (fifty,) = await noted(world, "The budget is $50", ttl_minutes=1)
    sixty, other = await noted(world, "The budget is $60", "Rain tonight")
    for uid in (fifty, sixty):
        await world.services.goals.evidence.link(
            caller, LinkObservation(goal_id=goal.uid, observation_id=uid)
        )
    world.clock.advance(minutes=1)
    await reviewed(world, observation_ids=[other])
    assert (await world.services.goals.service.get(caller, [goal.uid]))[goal.uid].progress == 0.095
    await reviewed(world, observation_ids=[sixty])
    assert (await world.services.goals.service.get(caller, [goal.uid]))[goal.uid].progress == 0.19
