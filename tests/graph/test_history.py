"""The history of a record, and the record as it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    PendingActionDraft,
    PendingActionUpsert,
    TransitionPendingAction,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import (
    CreateGoal,
    EvidenceDraft,
    Goal,
    GoalStatus,
    LinkObservation,
    ProgressDelta,
    ShareGoal,
    TransitionGoal,
    UnlinkObservation,
    UnshareGoal,
    UpdateProgress,
    UpsertGoal,
)
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import InvalidInput, NotFound
from prefrontal.graph.history.record import VersionEntry
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    ObservationDraft,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.world import World


async def new_goal(world: World, title: str = "Host a dinner", **fields: Any) -> Goal:
    return await world.services.goals.service.create(await world.caller(), CreateGoal(title=title, **fields))


async def step(world: World, command: ResolveObservation | ArchiveObservation) -> None:
    await world.services.scratch.service.change(await world.caller(), command)


async def versions(world: World, uid: str, **page: Any) -> list[VersionEntry]:
    return list((await world.services.history.service.history(await world.caller(), uid, **page)).items)


async def past(world: World, uid: str, at: datetime) -> dict[str, Any] | None:
    state = await world.services.history.service.as_of(await world.caller(), uid, at)
    return state.fields if state else None


def changed(entry: VersionEntry) -> dict[str, tuple[Any, Any]]:
    return {change.name: (change.before, change.after) for change in entry.changes}


@pytest.mark.covers("VER-01", "VER-05", "VER-09")
async def test_every_change_of_a_goal_is_told_with_who_when_which_turn_and_what(world: World) -> None:
    bot, ann = await world.caller(), await world.caller(None, person="ann")
    goal = await new_goal(world, priority="high")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=goal.uid, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.WRITE
        ),
    )
    at = world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(
        bot, UpsertGoal(title="Host a lunch", id=goal.uid, turn_id="turn-1", idempotency_key="k-1")
    )
    later = world.clock.advance(minutes=1)
    ann = await world.caller(None, person="ann")
    await world.services.goals.upsert.upsert(
        ann, UpsertGoal(title="Host a feast", description="Big", id=goal.uid)
    )

    third, second, first = await versions(world, goal.uid)

    assert (third.number, third.at, third.by_uid, third.turn_id) == (3, later, ann.actor_id, None)
    # The last write is the present one; what it wrote over is still told.
    assert changed(third) == {"title": ("Host a lunch", "Host a feast"), "description": (None, "Big")}
    assert (second.number, second.at, second.by_uid, second.turn_id) == (2, at, bot.actor_id, "turn-1")
    assert changed(second) == {"title": ("Host a dinner", "Host a lunch")}
    assert (first.number, first.at, first.by_uid) == (1, goal.created_at, bot.actor_id)
    assert changed(first)["title"] == (None, "Host a dinner")
    assert changed(first)["priority"] == (None, "high")
    assert changed(first)["id"] == (None, goal.uid)


async def test_the_key_of_a_request_is_told_to_whom_it_belongs(world: World) -> None:
    bot, ann = await world.caller(), await world.caller(None, person="ann")
    goal = await new_goal(world)
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=goal.uid, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.READ
        ),
    )
    await world.services.goals.upsert.upsert(bot, UpsertGoal(title="B", id=goal.uid, idempotency_key="mine"))
    await world.services.goals.upsert.upsert(bot, UpsertGoal(title="C", id=goal.uid))
    ann = await world.caller(None, person="ann")

    own = (await world.services.history.service.history(bot, goal.uid)).items
    hers = (await world.services.history.service.history(ann, goal.uid)).items

    assert [entry.request for entry in own] == [None, "mine", None]
    assert [entry.request for entry in hers] == [None, None, None]
    assert [entry.number for entry in hers] == [3, 2, 1]


async def test_what_spoke_for_a_version_is_told_with_it(world: World) -> None:
    bot = await world.caller()
    seen, more = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="guests come"), ObservationDraft(content="many guests")]
    )
    goal = await new_goal(world, evidence=(EvidenceDraft(observation_id=seen.uid),))
    world.clock.advance(minutes=1)
    await world.services.goals.evidence.link(bot, LinkObservation(goal_id=goal.uid, observation_id=more.uid))
    world.clock.advance(minutes=1)
    delta = ProgressDelta(goal_id=goal.uid, delta=0.2, note="bought wine", references=("bill-7",))
    await world.services.goals.transitions.update_progress(bot, UpdateProgress(deltas=[delta]))

    third, second, first = await versions(world, goal.uid)

    assert (third.evidence, third.note) == (("bill-7",), "bought wine")
    assert list(changed(third)) == ["progress"]
    assert (second.evidence, second.note) == ((more.uid,), None)
    assert set(changed(second)) == {"evidence", "progress", "status"}
    assert changed(second)["evidence"] == ([], [more.uid])
    assert first.evidence == (seen.uid,)


async def test_evidence_that_may_not_be_read_is_not_told(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world)
    world.clock.advance(minutes=1)
    (own,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="secret")])
    await world.services.goals.evidence.link(bot, LinkObservation(goal_id=goal.uid, observation_id=own.uid))
    await world.services.goals.upsert.upsert(
        bot, UpsertGoal(parent_goal_id=(await new_goal(world, "Above")).uid, id=goal.uid)
    )
    await world.caller("other")
    await world.services.goals.sharing.share(
        bot,
        ShareGoal(
            goal_id=goal.uid, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    other = await world.caller("other")

    third, second, _ = (await world.services.history.service.history(other, goal.uid)).items

    assert second.evidence == ()
    assert own.uid not in second.model_dump_json()
    # That the parent changed is told, but not which goal it is.
    assert changed(third) == {"parentGoalId": (None, None)}
    assert changed(second)["evidence"] == ([], [])


async def test_a_page_of_a_long_history_knows_what_was_before_it(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world, description="old")
    for number in range(1, 31):
        world.clock.advance(seconds=1)
        delta = ProgressDelta(goal_id=goal.uid, delta=0.01)
        if number == 25:
            await world.services.goals.upsert.upsert(bot, UpsertGoal(description="new", id=goal.uid))
        else:
            await world.services.goals.transitions.update_progress(bot, UpdateProgress(deltas=[delta]))
    world.statements.clear()

    page = await world.services.history.service.history(bot, goal.uid, first=10)

    assert world.statements.names == ["history/list_versions"]
    assert [entry.number for entry in page.items] == list(range(31, 21, -1))
    assert (page.total, page.has_next) == (31, True)
    (edit,) = [entry for entry in page.items if entry.number == 26]
    assert changed(edit) == {"description": ("old", "new")}
    (oldest,) = page.items[-1:]
    assert changed(oldest) == {"progress": (pytest.approx(0.2), pytest.approx(0.21))}

    rest: list[int] = []
    cursor: str | None = page.cursors[-1]
    while cursor is not None:
        page = await world.services.history.service.history(bot, goal.uid, first=10, after=cursor)
        rest += [entry.number for entry in page.items]
        cursor = page.cursors[-1] if page.has_next else None
    assert rest == list(range(21, 0, -1))


@pytest.mark.covers("VER-02", "VER-05")
async def test_every_change_of_an_action_is_told(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    (action,) = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    world.clock.advance(minutes=1)
    change = PendingActionUpsert(id=action.uid, title="Buy")
    await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(change,), turn_id="turn-2"))
    refs = PendingActionUpsert(id=action.uid, evidence_refs=("bill",))
    await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(refs,)))
    await world.services.actions.transitions.transition(
        bot, TransitionPendingAction(id=action.uid, status="in_progress")
    )

    fourth, third, second, first = await versions(world, action.uid)

    assert changed(fourth) == {"status": ("pending", "in_progress")}
    assert (changed(third), third.evidence) == ({"evidenceRefs": ([], ["bill"])}, ("bill",))
    assert (changed(second), second.turn_id) == ({"title": ("Shop", "Buy")}, "turn-2")
    assert changed(first)["goalId"] == (None, goal.uid)


@pytest.mark.covers("VER-03", "VER-05")
async def test_every_change_of_a_question_and_its_story_is_told(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="they like red")])
    pair = await world.services.questions.upsert.upsert(
        bot,
        UpsertQuestionStory(question=QuestionDraft(text="Which wine?"), story=StoryDraft(narrative="White")),
    )
    assert pair.story
    world.clock.advance(minutes=1)
    await world.services.questions.upsert.upsert(
        bot,
        UpsertQuestionStory(
            question=QuestionDraft(id=pair.question.uid, priority="high"),
            story=StoryDraft(id=pair.story.uid, narrative="Red", evidence_refs=(seen.uid, "a book")),
        ),
    )

    asked, first = await versions(world, pair.question.uid)
    told, begun = await versions(world, pair.story.uid)

    assert changed(asked) == {"priority": ("medium", "high"), "priorityRank": (2, 3)}
    assert changed(first)["text"] == (None, "Which wine?")
    assert changed(told) == {"narrative": ("White", "Red"), "references": ([], ["a book"])}
    assert told.evidence == (seen.uid, "a book")
    assert changed(begun)["questionId"] == (None, pair.question.uid)


@pytest.mark.covers("VER-08")
async def test_an_upsert_without_a_change_is_no_version(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(title="Host a dinner", id=goal.uid))
    pair = UpsertQuestionStory(
        question=QuestionDraft(client_key="q", text="Which?"),
        story=StoryDraft(client_key="s", narrative="This"),
    )
    entry = PendingActionUpsert(title="Shop", type="agent_task", client_key="a")
    for _ in range(3):
        both = await world.services.questions.upsert.upsert(bot, pair)
        (result,) = await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=(entry,)))
    assert both.story
    assert result.action

    for uid in (goal.uid, both.question.uid, both.story.uid, result.action.uid):
        assert [version.number for version in await versions(world, uid)] == [1]


async def test_an_observation_has_its_versions_although_it_came_without(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="the kettle boils", confidence=0.6, tags=("tea",))]
    )
    (only,) = await versions(world, seen.uid)
    world.clock.advance(minutes=1)
    await world.services.scratch.service.change(
        bot, UpdateObservation(id=seen.uid, content="it boils", confidence=0.9)
    )
    world.clock.advance(minutes=1)
    await step(world, ResolveObservation(id=seen.uid))

    third, second, first = await versions(world, seen.uid)

    assert changed(only)["content"] == (None, "the kettle boils")
    assert changed(third) == {"status": ("active", "resolved")}
    assert changed(second) == {"confidence": (0.6, 0.9), "content": ("the kettle boils", "it boils")}
    assert (changed(first)["status"], changed(first)["confidence"]) == ((None, "active"), (None, 0.6))
    assert changed(first)["content"] == (None, "the kettle boils")
    assert (first.number, first.at, first.by_uid) == (1, seen.created_at, bot.actor_id)
    assert [v.number for v in await versions(world, seen.uid, first=2)] == [3, 2]


@pytest.mark.alone
async def test_an_observation_that_the_job_expired_tells_what_it_was(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x", ttl_minutes=5)])
    world.clock.advance(minutes=6)
    await world.services.jobs.run_once(ExpireObservations(world.services.catalog))

    second, first = await versions(world, seen.uid)

    assert changed(second)["status"] == ("active", "expired")
    assert second.by_uid == world.org_id
    assert changed(first)["status"] == (None, "active")


async def test_a_memory_has_a_history(world: World) -> None:
    bot = await world.caller()
    (kind,) = (
        await world.services.memory.remember(
            bot, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content="Be kind")])
        )
    ).memories

    (only,) = await versions(world, kind.uid)

    assert changed(only)["content"] == (None, "Be kind")
    assert (await past(world, kind.uid, world.clock.now()) or {})["content"] == "Be kind"


@pytest.mark.parametrize(
    "uid", ["goal_01JBXM3Z8K0QF3W4T9V2C7H5RD", "nonsense", "", "turn_01JBXM3Z8K0QF3W4T9V2C7H5RD"]
)
async def test_what_is_unknown_has_no_history(world: World, uid: str) -> None:
    bot = await world.caller()

    with pytest.raises(NotFound):
        await world.services.history.service.history(bot, uid)
    with pytest.raises(NotFound):
        await world.services.history.service.as_of(bot, uid, world.clock.now())


async def test_a_foreign_record_is_answered_like_an_unknown_one(world: World, settings: Any) -> None:
    goal = await new_goal(world, pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),))
    (seen,) = await world.services.scratch.service.add(await world.caller(), [ObservationDraft(content="x")])
    action = (await world.services.actions.service.of_goals(await world.caller(), [goal.uid]))[goal.uid][0]
    stranger = await world.caller("stranger")

    said = set()
    for uid in (goal.uid, action.uid, seen.uid, new_id(Kind.GOAL, world.clock.now())):
        for ask in (
            world.services.history.service.history(stranger, uid),
            world.services.history.service.as_of(stranger, uid, world.clock.now()),
        ):
            with pytest.raises(NotFound) as caught:
                await ask
            said.add((caught.value.message, caught.value.field))
    assert said == {("no such record", "id")}


async def test_the_history_of_a_shared_goal_and_its_actions_is_shared_until_the_share_ends(
    world: World,
) -> None:
    bot = await world.caller()
    await world.caller("other")
    top = await new_goal(world)
    goal = await new_goal(
        world,
        "Below",
        parent_goal_id=top.uid,
        pending_actions=(PendingActionDraft(type="agent_task", title="Shop"),),
    )
    action = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid][0]
    who = (ActorKind.AGENT, "other")
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=top.uid, actor=Actor(kind=who[0], key=who[1]), permission=SpacePermission.READ)
    )
    other = await world.caller("other")

    for uid in (top.uid, goal.uid, action.uid):
        assert len((await world.services.history.service.history(other, uid)).items) == 1
        assert await world.services.history.service.as_of(other, uid, world.clock.now())
    await world.services.goals.sharing.unshare(
        bot, UnshareGoal(goal_id=top.uid, actor=Actor(kind=who[0], key=who[1]))
    )
    for uid in (top.uid, goal.uid, action.uid):
        with pytest.raises(NotFound):
            await world.services.history.service.history(other, uid)


async def test_a_record_is_told_as_it_was(world: World) -> None:
    bot = await world.caller()
    parent, other = await new_goal(world, "First parent"), await new_goal(world, "Second parent")
    begun = world.clock.advance(minutes=1)
    goal = await new_goal(world, parent_goal_id=parent.uid)
    renamed = world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(title="Host a lunch", id=goal.uid))
    moved = world.clock.advance(minutes=1)
    await world.services.goals.upsert.upsert(bot, UpsertGoal(parent_goal_id=other.uid, id=goal.uid))
    done = world.clock.advance(minutes=1)
    await world.services.goals.transitions.transition(
        bot, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
    )
    service = world.services.history.service

    async def at(when: datetime) -> tuple[Any, ...]:
        state = await service.as_of(bot, goal.uid, when)
        assert state
        up = [link.other_id for link in state.links if link.type == "CHILD_OF" and link.outgoing]
        return state.version, state.fields["title"], state.fields["status"], state.fields["parentGoalId"], up

    second = timedelta(seconds=1)
    assert await service.as_of(bot, goal.uid, begun - second) is None
    assert await at(begun) == (1, "Host a dinner", "pending", parent.uid, [parent.uid])
    assert await at(renamed - second) == (1, "Host a dinner", "pending", parent.uid, [parent.uid])
    assert await at(renamed) == (2, "Host a lunch", "pending", parent.uid, [parent.uid])
    assert await at(moved) == (3, "Host a lunch", "pending", other.uid, [other.uid])
    assert await at(done + second) == (4, "Host a lunch", "completed", other.uid, [other.uid])
    state = await service.as_of(bot, goal.uid, renamed)
    assert state
    (link,) = state.links
    assert (link.since, link.until) == (begun, moved)


async def test_links_that_have_ended_hold_for_their_time(world: World) -> None:
    bot = await world.caller()
    goal = await new_goal(world)
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x")])
    linked = world.clock.advance(minutes=1)
    await world.services.goals.evidence.link(bot, LinkObservation(goal_id=goal.uid, observation_id=seen.uid))
    ended = world.clock.advance(minutes=1)
    await world.services.goals.evidence.unlink(
        bot, UnlinkObservation(goal_id=goal.uid, observation_id=seen.uid)
    )

    async def links(uid: str, when: datetime) -> list[tuple[str, str, bool]]:
        state = await world.services.history.service.as_of(bot, uid, when)
        assert state
        return [(link.type, link.other_id, link.outgoing) for link in state.links]

    assert await links(goal.uid, linked - timedelta(seconds=1)) == []
    assert await links(goal.uid, linked) == [("EVIDENCES", seen.uid, False)]
    assert await links(seen.uid, ended - timedelta(seconds=1)) == [("EVIDENCES", goal.uid, True)]
    assert await links(goal.uid, ended) == []


async def test_an_observation_is_told_as_it_was(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="x", confidence=0.6, ttl_minutes=60)]
    )
    surer = world.clock.advance(minutes=1)
    changes = UpdateObservation(id=seen.uid, confidence=0.9, content="y", metadata={"a": 1})
    await world.services.scratch.service.change(bot, changes)
    gone = world.clock.advance(minutes=1)
    await step(world, ArchiveObservation(id=seen.uid))

    async def at(when: datetime) -> tuple[Any, ...]:
        fields = await past(world, seen.uid, when) or {}
        return fields["status"], fields["confidence"], fields["content"], fields["metadata"]

    second = timedelta(seconds=1)
    assert await past(world, seen.uid, seen.created_at - second) is None
    assert await at(seen.created_at) == ("active", 0.6, "x", None)
    assert await at(surer) == ("active", 0.9, "y", {"a": 1})
    assert await at(gone - second) == ("active", 0.9, "y", {"a": 1})
    assert await at(gone) == ("archived", 0.9, "y", {"a": 1})


@pytest.mark.alone
async def test_an_observation_whose_time_was_over_was_expired_then(world: World) -> None:
    bot = await world.caller()
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x", ttl_minutes=5)])
    late = world.clock.advance(minutes=30)
    await world.services.jobs.run_once(ExpireObservations(world.services.catalog))

    for minutes, status in ((0, "active"), (4, "active"), (5, "expired"), (29, "expired"), (31, "expired")):
        fields = await past(world, seen.uid, seen.created_at + timedelta(minutes=minutes))
        assert fields, late
        assert fields["status"] == status, minutes


async def test_a_time_without_a_zone_is_refused(world: World) -> None:
    goal = await new_goal(world)

    with pytest.raises(InvalidInput) as caught:
        await world.services.history.service.as_of(
            await world.caller(), goal.uid, datetime.now(UTC).replace(tzinfo=None)
        )
    assert caught.value.field == "at"


@pytest.mark.parametrize("page", [{"first": 0}, {"first": 101}, {"after": "x"}])
async def test_a_wrong_page_is_refused(world: World, page: dict[str, Any]) -> None:
    goal = await new_goal(world)

    with pytest.raises(InvalidInput):
        await world.services.history.service.history(await world.caller(), goal.uid, **page)
