"""The end of a turn: progress, actions and stories in one transaction, each judged by itself and once."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import (
    PendingActionDraft,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, Goal, GoalStatus
from prefrontal.graph.cortex.questions.record import (
    DraftReference,
    QuestionDraft,
    StoryDraft,
)
from prefrontal.graph.errors import Conflict, Forbidden, InvalidInput
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.memory.record import MemoryKind
from prefrontal.graph.scratch.record import ObservationContext, ObservationDraft
from prefrontal.graph.turns.record import (
    CommitAtTurnEnd,
    Delta,
    DeltaKind,
    DeltaResult,
    TurnAction,
    TurnActionStatus,
    TurnCompletion,
    TurnGoalDone,
    TurnGoalStatus,
    TurnMemory,
    TurnObservation,
    TurnProgress,
    TurnReflection,
    TurnStory,
)
from tests.support.turns import InAnyOrder
from tests.support.world import World


def step(goal_id: str, delta: float = 0.25, **fields: Any) -> Delta:
    body = TurnProgress(goal_id=goal_id, delta=delta, **fields)
    return Delta(kind=DeltaKind.PROGRESS, path="progress[0]", body=body)


def new(title: str, **fields: Any) -> Delta:
    body = TurnAction(title=title, **{"type": "agent_task", **fields})
    return Delta(kind=DeltaKind.NEW_ACTION, path="newActions[0]", body=body)


def changed(name: str | None = None, client_key: str | None = None, **fields: Any) -> Delta:
    names = {key: value for key, value in (("id", name), ("client_key", client_key)) if value is not None}
    body = TurnAction(**names, **fields)
    return Delta(kind=DeltaKind.UPDATED_ACTION, path="updatedActions[0]", body=body)


def done(uid: str | None = None, **fields: Any) -> Delta:
    body = TurnCompletion(id=uid, **fields)
    return Delta(kind=DeltaKind.COMPLETED_ACTION, path="completedActions[0]", body=body)


def story_delta(
    named: DraftReference,
    narrative: str | None = None,
    text: str | None = None,
    goal_id: str | None = None,
    **f: Any,
) -> Delta:
    key = f.pop("key", None)
    question = {"text": text} if text else {}
    if goal_id:
        question["goal_id"] = goal_id
    body = TurnStory(
        question=QuestionDraft(**named.model_dump(exclude_unset=True), **question),
        story=StoryDraft(client_key="story", **({"narrative": narrative} if narrative else {}), **f),
        key=key,
    )
    return Delta(kind=DeltaKind.STORY_UPDATE, path="storyUpdates[0]", body=body)


def numbered(*deltas: Delta) -> list[Delta]:
    """The deltas with the paths they have in a list."""
    return [
        delta.model_copy(update={"path": delta.path.replace("0", str(number))})
        for number, delta in enumerate(deltas)
    ]


async def commit(world: World, *deltas: Delta, agent: str = "bot", **fields: Any) -> tuple[DeltaResult, ...]:
    given = {"turn_id": "turn-1", **fields}
    caller = given.pop("caller", None) or await world.caller(agent)
    command = InAnyOrder(given=tuple(numbered(*deltas)), **given)
    return await world.services.turns.commit.commit(caller, command)


async def planned(world: World) -> tuple[Goal, dict[str, str]]:
    """A goal with an action of the agent's and one of the user's; the ids of the actions by title."""
    bot = await world.caller()
    actions = (
        PendingActionDraft(title="do", type="agent_task"),
        PendingActionDraft(title="sign", type="user_task"),
    )
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Plan", pending_actions=actions))
    made = (await world.services.actions.service.of_goals(bot, [goal.uid]))[goal.uid]
    return goal, {action.title: action.uid for action in made}


def codes(results: tuple[DeltaResult, ...]) -> list[str | None]:
    return [result.problem.code if result.problem else None for result in results]


@pytest.mark.covers("ACT-23..24", "QST-23..24", "GOAL-51")
async def test_a_turn_leaves_progress_actions_and_stories_behind(world: World) -> None:
    goal, actions = await planned(world)
    (seen,) = await world.services.scratch.service.add(
        await world.caller(), [ObservationDraft(content="it works")]
    )

    results = await commit(
        world,
        step(goal.uid, note="half way", references=(seen.uid,)),
        new("next", goal_id=goal.uid, client_key="next"),
        changed(actions["do"], effort=2.0),
        done(actions["do"], result={"pages": 3}),
        story_delta(
            DraftReference(client_key="how"),
            "It just works",
            "How?",
            goal.uid,
            acceptance_criteria=("it works twice",),
            evidence_refs=(seen.uid, "a log"),
        ),
    )

    assert codes(results) == [None] * 5
    progress, made, updated, completed, story = results
    assert (progress.before, progress.after) == (0.0, 0.25)
    assert progress.goal
    assert progress.goal.progress == 0.25
    assert made.created
    assert made.action
    assert (made.action.title, made.action.created_from_turn_id) == ("next", "turn-1")
    assert updated.action == completed.action
    assert completed.action
    assert (completed.action.effort, completed.action.status) == (2.0, "completed")
    assert (completed.action.result, completed.action.version) == ({"pages": 3}, 3)
    assert story.created
    assert story.question
    assert story.story
    assert (story.question.text, story.question.goal_id) == ("How?", goal.uid)
    assert (story.story.evidence_ids, story.story.references) == ((seen.uid,), ("a log",))
    (edge,) = await world.rows(
        "MATCH (:Observation {org_id: $org})-[link:EVIDENCES]->(:Story) RETURN link.turn_key AS turn"
    )
    assert edge == {"turn": "turn-1"}
    (version,) = await world.rows(
        "MATCH (v:Version {org_id: $org, of_uid: $uid, number: 2}) "
        "MATCH (turn:Turn {uid: v.turn_uid}) RETURN v.changes AS changes, turn.key AS turn",
        uid=goal.uid,
    )
    assert seen.uid in version["changes"]
    assert "half way" in version["changes"]
    assert version["turn"] == "turn-1"


@pytest.mark.covers("QST-20", "QST-21", "QST-24")
async def test_a_story_keeps_its_criteria_and_gains_evidence_from_turn_to_turn(world: World) -> None:
    bot = await world.caller()
    first, second = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="it works"), ObservationDraft(content="it works again")]
    )
    named = DraftReference(client_key="how")
    await commit(
        world,
        story_delta(
            named, "So", "How?", acceptance_criteria=("twice", "in time"), evidence_refs=(first.uid, "a log")
        ),
    )

    for turn, given in (
        ("turn-2", {"evidence_refs": (second.uid,)}),
        ("turn-3", {"acceptance_criteria": ("twice",), "evidence_refs": ("a bill", "a log")}),
        ("turn-4", {"acceptance_criteria": ("cheap",)}),
    ):
        (result,) = await commit(world, story_delta(named, f"So, {turn}", **given), turn_id=turn)

    assert result.story
    assert result.story.narrative == "So, turn-4"
    assert result.story.acceptance_criteria == ("twice", "in time", "cheap")
    assert result.story.evidence_ids == (first.uid, second.uid)
    assert result.story.references == ("a log", "a bill")


@pytest.mark.covers("ACT-37")
async def test_an_agent_cannot_complete_what_a_user_owns_and_the_rest_is_applied(world: World) -> None:
    goal, actions = await planned(world)
    bot = await world.caller()
    before = await world.services.actions.service.get(bot, [actions["sign"]])

    results = await commit(
        world,
        step(goal.uid),
        done(actions["sign"], result={"signed": True}),
        done(actions["do"]),
        story_delta(DraftReference(), "Somebody has to sign", "Who signs?"),
    )

    assert codes(results) == [None, "owner_violation", None, None]
    assert results[1].problem
    assert results[1].problem.field == "completedActions[1].id"
    assert await world.services.actions.service.get(bot, [actions["sign"]]) == before
    trace = await world.services.turns.trace.trace(bot, "turn-1", kinds=[TraceKind.DELTA_REFUSED])
    assert [(entry.ids, entry.details) for entry in trace.items] == [
        ((actions["sign"],), {"delta": "completed_action", "code": "owner_violation"})
    ]


@pytest.mark.covers("ACT-37")
async def test_the_user_completes_it_at_the_end_of_a_turn_of_their_own(world: World) -> None:
    _, actions = await planned(world)
    bot = await world.caller()
    await world.caller(None, person="ann")
    space = await world.services.access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller()
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=SpacePermission.WRITE
        ),
    )
    (made,) = await commit(world, new("taste", type="user_task"), space=space)
    ann = await world.caller(None, person="ann")
    assert made.action

    results = await commit(world, done(made.action.uid), done(actions["sign"]), caller=ann)

    assert codes(results) == [None, "not_found"]


async def test_one_that_is_made_is_changed_and_completed_under_its_key_in_the_same_call(world: World) -> None:
    results = await commit(
        world,
        new("draft", client_key="draft"),
        changed(client_key="draft", title="Draft"),
        changed(client_key="draft", title="The draft"),
        done(client_key="draft"),
        done(client_key="other"),
    )

    assert codes(results) == [None, None, None, None, "not_found"]
    uids = {result.action.uid for result in results if result.action}
    assert len(uids) == 1
    assert results[0].action
    assert (results[0].action.title, results[0].action.status) == ("The draft", "completed")
    assert results[0].action.version == 4
    assert results[4].problem
    assert results[4].problem.field == "completedActions[4].clientKey"


async def test_each_delta_happens_once_in_its_turn(world: World) -> None:
    goal, _ = await planned(world)
    deltas = [step(goal.uid), new("next"), story_delta(DraftReference(client_key="q"), "So", "Why?")]
    first = await commit(world, *deltas)
    before, dump = await world.counts(), await everything(world)

    again = await commit(world, *deltas)
    parts = [(await commit(world, delta))[0] for delta in reversed(deltas)]

    assert [result.repeated for result in first] == [False] * 3
    assert [result.repeated for result in again] == [True] * 3
    assert [(r.action, r.goal, r.after, r.story) for r in again] == [
        (r.action, r.goal, r.after, r.story) for r in first
    ]
    assert [result.repeated for result in parts] == [True] * 3
    assert await world.counts() == before
    assert await everything(world) == dump


async def everything(world: World) -> list[dict[str, Any]]:
    return await world.rows(
        "MATCH (n {org_id: $org}) OPTIONAL MATCH (n)-[r]->(m) "
        "RETURN labels(n) AS labels, properties(n) AS node, type(r) AS type, properties(r) AS edge, "
        "m.uid AS to ORDER BY n.uid, type, to"
    )


async def test_in_another_turn_it_happens_again(world: World) -> None:
    goal, _ = await planned(world)

    await commit(world, step(goal.uid))
    (second,) = await commit(world, step(goal.uid), turn_id="turn-2")

    assert (second.before, second.after, second.repeated) == (0.25, 0.5, False)


@pytest.mark.covers("TURN-107")
async def test_equal_steps_of_one_call_are_several_and_one_under_one_key(world: World) -> None:
    goal, _ = await planned(world)

    twice = await commit(world, step(goal.uid), step(goal.uid))
    again = await commit(world, step(goal.uid), step(goal.uid))
    part = await commit(world, step(goal.uid))
    once = await commit(world, step(goal.uid, key="a"), step(goal.uid, key="a"), turn_id="turn-2")

    assert [(r.after, r.repeated) for r in twice] == [(0.25, False), (0.5, False)]
    assert [(r.after, r.repeated) for r in again] == [(0.25, True), (0.5, True)]
    assert [(r.after, r.repeated) for r in part] == [(0.25, True)]
    assert [(r.after, r.repeated, r.key) for r in once] == [(0.75, False, "a"), (0.75, True, "a")]


async def test_a_key_that_was_used_for_something_else_is_a_conflict_of_that_delta(world: World) -> None:
    goal, _ = await planned(world)

    results = await commit(world, step(goal.uid, key="a"), step(goal.uid, 0.5, key="a"), new("x"))
    later = await commit(world, new("y", key="a"))

    assert codes(results) == [None, "conflict", None]
    assert codes(later) == ["conflict"]
    assert later[0].problem
    assert later[0].problem.field == "newActions[0].key"
    assert (await world.services.goals.service.get(await world.caller(), [goal.uid]))[
        goal.uid
    ].progress == 0.25


async def test_what_was_refused_is_tried_again_and_the_same_refusal_writes_nothing(world: World) -> None:
    (asked,) = await commit(world, new("send", requires_confirmation=True, client_key="send"))
    assert asked.action
    refused = await commit(world, done(asked.action.uid), done(asked.action.uid, key="k"))
    before = await everything(world)

    still = await commit(world, done(asked.action.uid), done(asked.action.uid, key="k"))
    unchanged = await everything(world)
    # Under the key of a refused delta another one may be sent.
    corrected = await commit(world, new("other", key="k"))
    await world.rows(
        "MATCH (a:PendingAction {uid: $uid}) SET a.confirmed_at = a.created_at", uid=asked.action.uid
    )
    answers = await asyncio.gather(*(commit(world, done(asked.action.uid)) for _ in range(3)))

    assert codes(refused) == codes(still) == ["confirmation_required"] * 2
    assert [(r.path, r.key, r.repeated) for r in refused] == [
        ("completedActions[0]", None, False),
        ("completedActions[1]", "k", False),
    ]
    assert [r.repeated for r in still] == [True, True]
    assert unchanged == before
    assert [(r.created, r.repeated) for r in corrected] == [(True, False)]
    assert [codes(answer) for answer in answers] == [[None]] * 3
    assert sorted(answer[0].repeated for answer in answers) == [False, True, True]
    (action,) = (await world.services.actions.service.get(await world.caller(), [asked.action.uid])).values()
    assert (action.status, action.version) == ("completed", 2)


@pytest.mark.covers("ACT-62", "TURN-102..106")
async def test_a_turn_takes_what_it_noticed_remembers_and_decided(world: World) -> None:
    goal, actions = await planned(world)
    command = CommitAtTurnEnd(
        turn_id="turn-1",
        observations=(
            TurnObservation(content="The kettle is on", client_key="kettle"),
            TurnObservation(content="The cup is not blue", contradicts=("obs_01JBXM3Z8K0QF3W4T9V2C7H5RD",)),
            TurnObservation(content="The kettle is off", client_key="kettle"),
        ),
        memories=(
            TurnMemory(kind=MemoryKind.MANDATE, content="Never pour cold water"),
            TurnMemory(kind=MemoryKind.CAPABILITY, content=""),
        ),
        goal_statuses=(TurnGoalStatus(id=goal.uid, status=GoalStatus.IN_PROGRESS, reason="the water boils"),),
        action_statuses=(
            TurnActionStatus(id=actions["do"], status="in_progress"),
            TurnActionStatus(id=actions["do"], status="flying"),
        ),
        reflections=(TurnReflection(note="Water first", evidence_refs=("a log",)),),
        completed_goals=(TurnGoalDone(id=goal.uid, reason="tea is ready"),),
    )

    bot = await world.caller()
    results = await world.services.turns.commit.commit(bot, command)
    again = await world.services.turns.commit.commit(bot, command)

    told = [(r.path, r.problem and (r.problem.code, r.problem.field)) for r in results]
    assert told == [
        ("observations[0]", None),
        ("observations[1]", ("not_found", "observations[1].contradicts[0]")),
        ("observations[2]", ("duplicate", "observations[2].clientKey")),
        ("memories[0]", None),
        ("memories[1]", ("invalid", "memories[1].content")),
        ("goalStatuses[0]", None),
        ("actionStatuses[0]", None),
        ("actionStatuses[1]", ("invalid", "actionStatuses[1].status")),
        ("reflections[0]", None),
        ("completedGoals[0]", None),
    ]
    assert [r.repeated for r in again] == [True] * 10
    seen, noted = results[0].observation, results[8].observation
    assert seen
    assert (seen.content, seen.source.turn_id, results[0].created) == ("The kettle is on", "turn-1", True)
    assert noted
    assert (noted.type, noted.content) == ("reflection", "Water first")
    assert noted.metadata == {"evidenceRefs": ["a log"]}
    assert results[3].memory
    assert results[3].memory.content == "Never pour cold water"
    assert results[6].action
    assert (results[6].action.status, results[6].action.version) == ("in_progress", 2)
    assert results[9].goal
    assert (results[9].goal.status, results[9].goal.version) == (GoalStatus.COMPLETED, 3)
    counts = await world.counts()
    assert (counts["Observation"], counts["Mandate"], counts.get("Capability", 0)) == (2, 1, 0)


async def test_an_observation_of_a_turn_founds_a_goal_as_any_other(world: World) -> None:
    bot, content = await world.caller(), "The user asks for the report by Friday"
    (plain,) = await world.services.evaluation.add(
        await world.caller("other"), [ObservationDraft(content=content, confidence=0.9)]
    )

    (result,) = await world.services.turns.commit.commit(
        bot,
        CommitAtTurnEnd(turn_id="t", observations=(TurnObservation(content=content, confidence=0.9),)),
    )

    assert result.observation
    linked = await world.services.scratch.service.linked_goals(bot, [result.observation.uid])
    assert len(linked[result.observation.uid]) == 1
    assert plain.goal_id is not None


@pytest.mark.covers("GOAL-51", "QST-23")
async def test_a_note_that_no_step_takes_is_kept_beside_the_story(world: World) -> None:
    goal, _ = await planned(world)
    pair = TurnStory(question=QuestionDraft(text="How?"), story=StoryDraft(narrative="So"))
    asked = TurnStory(question=QuestionDraft(text="Why?"))
    command = CommitAtTurnEnd(
        turn_id="turn-1",
        reflections=(
            TurnReflection(note="beside a story", evidence_refs=("a log",), story_update=pair),
            TurnReflection(
                note="of the step",
                evidence_refs=("a plan",),
                progress=TurnProgress(goal_id=goal.uid, delta=0.25, references=("a paper",)),
            ),
            TurnReflection(
                note="beside a noted step", progress=TurnProgress(goal_id=goal.uid, delta=0.5, note="own")
            ),
            TurnReflection(note="beside a question", evidence_refs=("a bill",), story_update=asked),
        ),
    )

    results = await world.services.turns.commit.commit(await world.caller(), command)

    assert codes(results) == [None] * 7
    assert [r.path for r in results] == [
        "reflections[0].storyUpdate",
        "reflections[0].note",
        "reflections[1].progress",
        "reflections[2].progress",
        "reflections[2].note",
        "reflections[3].storyUpdate",
        "reflections[3].note",
    ]
    noted = [r.observation for r in results if r.observation]
    assert [(o.type, o.content, o.metadata) for o in noted] == [
        ("reflection", "beside a story", {"evidenceRefs": ["a log"]}),
        ("reflection", "beside a noted step", None),
        ("reflection", "beside a question", {"evidenceRefs": ["a bill"]}),
    ]
    assert results[0].story
    assert results[0].story.references == ("a log",)
    (version,) = await world.rows(
        "MATCH (v:Version {of_uid: $uid, number: 2}) RETURN v.changes AS changes", uid=goal.uid
    )
    changes = json.loads(version["changes"])
    assert (changes["note"], changes["references"]) == ("of the step", ["a paper", "a plan"])


async def test_evidence_of_a_reflection_has_something_to_belong_to(world: World) -> None:
    await world.caller()
    before = await world.counts()
    asked = TurnStory(question=QuestionDraft(text="Why?"))

    for given, field in (
        ({"story_update": asked, "evidence_refs": ("a log",)}, "reflections[0].evidenceRefs"),
        ({"evidence_refs": ("a log",)}, "reflections[0]"),
    ):
        with pytest.raises(InvalidInput) as refused:
            await world.services.turns.commit.commit(
                await world.caller(),
                CommitAtTurnEnd(turn_id="turn-1", reflections=(TurnReflection.model_validate(given),)),
            )
        assert refused.value.field == field
    assert await world.counts() == before


@pytest.mark.covers("TURN-102", "OBS-15")
async def test_a_note_of_a_turn_that_names_an_unknown_or_foreign_goal_is_not_kept(world: World) -> None:
    stranger = await world.caller("stranger")
    foreign = await world.services.goals.service.create(stranger, CreateGoal(title="Foreign"))
    bot = await world.caller()
    before = await world.counts()

    results = await world.services.turns.commit.commit(
        bot,
        CommitAtTurnEnd(
            turn_id="turn-1",
            observations=tuple(
                TurnObservation(
                    content="User wants tea", confidence=1.0, context=ObservationContext(goal_id=uid)
                )
                for uid in (foreign.uid, "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD")
            ),
        ),
    )

    assert [(r.problem.code, r.problem.message, r.problem.field) for r in results if r.problem] == [
        ("not_found", "no such goal", f"observations[{number}].context.goalId") for number in range(2)
    ]
    after = await world.counts()
    assert [after.get(label, 0) - before.get(label, 0) for label in ("Observation", "Goal")] == [0, 0]


@pytest.mark.covers("GOAL-64..69")
async def test_goals_that_a_turn_completes_or_moves_are_so_from_then_on(world: World) -> None:
    bot, goals = await world.caller(), world.services.goals.service
    finished = await goals.create(bot, CreateGoal(title="Finished"))
    moved = await goals.create(bot, CreateGoal(title="Moved"))
    world.clock.advance(hours=1)

    results = await world.services.turns.commit.commit(
        bot,
        CommitAtTurnEnd(
            turn_id="turn-1",
            goal_statuses=(TurnGoalStatus(id=moved.uid, status=GoalStatus.BLOCKED),),
            progress=(TurnProgress(goal_id=moved.uid, delta=0.25),),
            completed_goals=(TurnGoalDone(id=finished.uid),),
        ),
    )

    assert codes(results) == [None] * 3
    now = world.clock.now()
    stored = await goals.get(bot, [finished.uid, moved.uid])
    done, other = stored[finished.uid], stored[moved.uid]
    assert (done.status, done.completed_at, done.archived_at, done.updated_at) == (
        (GoalStatus.COMPLETED, now, now, now)
    )
    assert (other.status, other.progress, other.updated_at) == (GoalStatus.BLOCKED, 0.25, now)
    assert [goal.uid for goal in (await goals.list(bot)).items] == [moved.uid]
    versions = await world.services.history.service.history(bot, finished.uid)
    assert [entry.number for entry in versions.items] == [2, 1]


async def test_an_update_of_an_unknown_action_creates_nothing(world: World) -> None:
    results = await commit(
        world,
        changed(client_key="nobody", title="x"),
        new("y", client_key="y"),
        changed(client_key="y", effort=2),
    )

    assert codes(results) == ["not_found", None, None]
    assert results[0].problem
    assert results[0].problem.field == "updatedActions[0].clientKey"
    assert (await world.counts())["PendingAction"] == 1


async def test_the_same_end_of_a_turn_from_two_at_once_happens_once(world: World) -> None:
    goal, actions = await planned(world)
    deltas = [
        step(goal.uid),
        step(goal.uid, 0.1),
        new("next", goal_id=goal.uid),
        done(actions["do"]),
        story_delta(DraftReference(), "So", "Why?"),
    ]

    answers = await asyncio.gather(*(commit(world, *deltas) for _ in range(4)))

    assert sorted(answer[0].repeated for answer in answers) == [False, True, True, True]
    assert (await world.services.goals.service.get(await world.caller(), [goal.uid]))[
        goal.uid
    ].progress == 0.35
    counts = await world.counts()
    assert (counts["PendingAction"], counts["Question"], counts["Story"]) == (3, 1, 1)


async def test_under_an_idempotency_key_the_whole_call_happens_once(world: World) -> None:
    goal, _ = await planned(world)

    first = await commit(world, step(goal.uid), done("act_0", key="wrong"), idempotency_key="end")
    before = await world.counts()
    again = await commit(world, step(goal.uid), done("act_0", key="wrong"), idempotency_key="end")

    assert again == first
    assert await world.counts() == before
    with pytest.raises(Conflict):
        await commit(world, step(goal.uid, 0.5), idempotency_key="end")


async def test_a_refused_story_leaves_no_question_behind(world: World) -> None:
    await world.caller()
    before = await world.counts()

    results = await commit(
        world,
        story_delta(DraftReference(), "So", "Why?", evidence_refs=("obs_01JBXM3Z8K0QF3W4T9V2C7H5RD",)),
        story_delta(DraftReference(), "So", "What for?", "goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"),
        story_delta(DraftReference(), None, "No narrative?"),
    )

    assert codes(results) == ["not_found", "not_found", "invalid"]
    assert [result.problem.field for result in results if result.problem] == [
        "storyUpdates[0].story.evidenceRefs[0]",
        "storyUpdates[1].question.goalId",
        "storyUpdates[2].story.narrative",
    ]
    after = await world.counts()
    assert {
        label: after[label] - before.get(label, 0) for label in after if after[label] != before.get(label)
    } == {
        "TraceEvent": 3,
        "Request": 3,
        "Turn": 1,
    }


async def test_what_is_wrong_with_one_is_told_of_that_one(world: World) -> None:
    goal, actions = await planned(world)

    results = await commit(
        world,
        step(goal.uid, note="n" * 301),
        new("", key="empty"),
        new("nobody", id="act_01JBXM3Z8K0QF3W4T9V2C7H5RD"),
        changed(None, title="nobody"),
        changed(actions["do"], title="done", expected_version=7),
        done(None),
        step(goal.uid),
    )

    assert [(r.problem.code, r.problem.field) if r.problem else None for r in results] == [
        ("too_large", "progress[0].note"),
        ("invalid", "newActions[1].title"),
        ("not_found", "newActions[2].id"),
        ("invalid", "updatedActions[3].id"),
        ("version_conflict", "updatedActions[4].expectedVersion"),
        ("invalid", "completedActions[5].id"),
        None,
    ]


async def test_a_stranger_changes_nothing_and_learns_nothing(world: World) -> None:
    goal, actions = await planned(world)
    (asked,) = await commit(world, story_delta(DraftReference(), "So", "Why?"))
    assert asked.question
    foreign = await commit(
        world,
        step(goal.uid),
        new("x", goal_id=goal.uid),
        changed(actions["do"], title="mine"),
        done(actions["do"]),
        story_delta(DraftReference(id=asked.question.uid), "Mine"),
        agent="stranger",
    )
    unknown = await commit(
        world,
        step("goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"),
        new("x", goal_id="goal_01JBXM3Z8K0QF3W4T9V2C7H5RD"),
        changed("act_01JBXM3Z8K0QF3W4T9V2C7H5RD", title="mine"),
        done("act_01JBXM3Z8K0QF3W4T9V2C7H5RD"),
        story_delta(DraftReference(id="qst_01JBXM3Z8K0QF3W4T9V2C7H5RD"), "Mine"),
        agent="stranger",
    )

    assert codes(foreign) == ["not_found"] * 5
    assert [result.problem for result in foreign] == [result.problem for result in unknown]
    bot = await world.caller()
    assert (await world.services.goals.service.get(bot, [goal.uid]))[goal.uid] == goal
    counts = await world.counts()
    assert (counts["PendingAction"], counts["Story"]) == (2, 1)


async def test_who_only_reads_a_space_is_told_so(world: World) -> None:
    bot = await world.caller()
    space = await world.services.access.create_space(bot, CreateSpace(name="shared"))
    bot = await world.caller()
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Ours", space=space))
    await world.caller("guest")
    await world.grant(
        bot,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="guest"), permission=SpacePermission.READ
        ),
    )

    results = await commit(world, step(goal.uid), new("x", goal_id=goal.uid), agent="guest")

    assert codes(results) == ["forbidden", "forbidden"]
    with pytest.raises(Forbidden):
        await commit(world, new("x"), agent="guest", space=space)
    reader = await world.caller("bot", roles=("reader",))
    with pytest.raises(Forbidden):
        await commit(world, step(goal.uid), caller=reader)
    assert (await world.services.goals.service.get(bot, [goal.uid]))[goal.uid] == goal


@pytest.mark.parametrize(
    ("deltas", "turn_id", "field"),
    [
        ([], "", "turnId"),
        ([new("x", key="")], "turn-1", "newActions[0].key"),
        ([new("x", key="k" * 201)], "turn-1", "newActions[0].key"),
        ([new(str(number)) for number in range(201)], "turn-1", "deltas"),
    ],
)
async def test_a_call_that_is_wrong_as_a_whole_writes_nothing(
    world: World, deltas: list[Delta], turn_id: str, field: str
) -> None:
    await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as refused:
        await commit(world, *deltas, turn_id=turn_id)

    assert refused.value.field == field
    assert await world.counts() == before


async def test_an_end_without_deltas_is_a_turn(world: World) -> None:
    assert await commit(world) == ()
    assert (await world.counts())["Turn"] == 1
