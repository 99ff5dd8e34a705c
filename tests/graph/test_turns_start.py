"""A turn begins with goals, pending actions and questions, always in the same order."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j import AsyncDriver

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.actions.record import ActionOwner, CompletePendingAction, PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, GoalStatus, TransitionGoal
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    QuestionStatus,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import Forbidden, InvalidInput
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.turns.record import Assessment, StartTurn, StartTurnSizes
from tests.support.world import World


async def furnish(world: World) -> None:
    """Three goals, one of them done; actions of both owners; questions, one of them answered."""
    bot, services = await world.caller(), world.services
    due = world.clock.now()

    def action(title: str, owner: ActionOwner = ActionOwner.AGENT, **fields: Any) -> PendingActionDraft:
        kind = "agent_task" if owner is ActionOwner.AGENT else "user_task"
        return PendingActionDraft(title=title, type=kind, owner=owner, **fields)

    plan = await services.goals.service.create(
        bot,
        CreateGoal(
            title="Plan",
            priority="high",
            pending_actions=(
                action("slow", effort=4.0),
                action("soon", effort=0.5, due_at=due),
                action("later", effort=0.5),
                action("sign", ActionOwner.USER),
            ),
        ),
    )
    world.clock.advance(seconds=1)
    await services.goals.service.create(bot, CreateGoal(title="Rest", priority="low"))
    done = await services.goals.service.create(bot, CreateGoal(title="Done"))
    await services.goals.transitions.transition(bot, TransitionGoal(id=done.uid, status=GoalStatus.COMPLETED))
    for text, priority, status in (
        ("Who?", "low", QuestionStatus.OPEN),
        ("When?", "critical", QuestionStatus.OPEN),
        ("What?", "critical", QuestionStatus.ANSWERED),
    ):
        world.clock.advance(seconds=1)
        pair = await services.questions.upsert.upsert(
            bot,
            UpsertQuestionStory(
                question=QuestionDraft(text=text, priority=priority, goal_id=plan.uid),
                story=StoryDraft(narrative=f"{text} Nobody knows"),
            ),
        )
        if status is not QuestionStatus.OPEN:
            answered = QuestionDraft(id=pair.question.uid, status=status)
            await services.questions.upsert.upsert(bot, UpsertQuestionStory(question=answered))


def assessment_titles(found: Assessment) -> dict[str, Any]:
    return {
        "turn": found.turn.key,
        "goals": [goal.title for goal in found.goals],
        "agent": [action.title for action in found.agent_actions],
        "user": [action.title for action in found.user_actions],
        "questions": [
            (asked.question.text, [story.narrative for story in asked.stories]) for asked in found.questions
        ],
    }


@pytest.mark.covers("CTX-48", "ACT-34", "ACT-36", "GOAL-46")
async def test_a_turn_begins_with_goals_actions_of_both_owners_and_open_questions(world: World) -> None:
    await furnish(world)

    found = await world.services.turns.start.start(await world.caller(), StartTurn(turn_id="turn-1"))

    assert assessment_titles(found) == {
        "turn": "turn-1",
        "goals": ["Plan", "Rest"],
        "agent": ["soon", "later", "slow"],
        "user": ["sign"],
        "questions": [("When?", ["When? Nobody knows"]), ("Who?", ["Who? Nobody knows"])],
    }


@pytest.mark.covers("GOAL-46")
async def test_a_goal_of_one_turn_is_there_in_all_that_follow(world: World) -> None:
    bot = await world.caller()
    first = await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Plan", turn_id="turn-1"))

    later = [
        await world.services.turns.start.start(bot, StartTurn(turn_id=f"turn-{number}")) for number in (2, 3)
    ]

    assert first.goals == ()
    assert [found.goals for found in later] == [(goal,), (goal,)]


@pytest.mark.covers("CTX-49")
async def test_the_same_graph_gives_the_same_answer(world: World) -> None:
    await furnish(world)
    bot = await world.caller()

    first = await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))
    again = [await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1")) for _ in range(3)]

    assert again == [first] * 3


@pytest.mark.covers("CTX-49", "ACT-32", "GOAL-18")
async def test_what_is_equal_in_everything_has_one_order_in_every_process(
    world: World, settings: Settings, driver: AsyncDriver
) -> None:
    bot, services = await world.caller(), world.services
    for _ in range(8):
        draft = PendingActionDraft(title="same", type="agent_task")
        await services.goals.service.create(bot, CreateGoal(title="same", pending_actions=(draft,)))
        same = UpsertQuestionStory(question=QuestionDraft(text="same"))
        await services.questions.upsert.upsert(bot, same)

    found = [
        await each.turns.start.start(
            bot, StartTurn(turn_id=f"turn-{number}", most=StartTurnSizes(goals=6, actions=6, questions=6))
        )
        for number, each in enumerate((services, build_services(settings, driver, clock=world.clock)) * 2)
    ]

    async def ids(label: str, order: str) -> list[str]:
        rows = await world.rows(
            f"MATCH (n:{label} {{org_id: $org}}) RETURN n.uid AS uid ORDER BY uid {order}"
        )
        return [row["uid"] for row in rows[:6]]

    # The newest goals and questions, the oldest actions: an id begins with the time of its making.
    goals, actions, questions = (
        await ids("Goal", "DESC"),
        await ids("PendingAction", ""),
        await ids("Question", "DESC"),
    )
    for each in found:
        assert [goal.uid for goal in each.goals] == goals
        assert [action.uid for action in each.agent_actions] == actions
        assert [asked.question.uid for asked in each.questions] == questions


async def test_lists_are_as_long_as_wanted(world: World) -> None:
    await furnish(world)

    found = await world.services.turns.start.start(
        await world.caller(),
        StartTurn(turn_id="turn-1", most=StartTurnSizes(goals=1, actions=2, questions=1)),
    )

    assert assessment_titles(found) == {
        "turn": "turn-1",
        "goals": ["Plan"],
        "agent": ["soon", "later"],
        "user": ["sign"],
        "questions": [("When?", ["When? Nobody knows"])],
    }


async def test_each_list_is_one_statement_and_the_rest_three(world: World) -> None:
    await furnish(world)
    bot = await world.caller()
    world.statements.clear()

    await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))

    counts = world.statements.counts
    assert counts.pop("goals/list_goals") == 1
    assert counts.pop("actions/rank_pending_actions") == 2
    assert counts.pop("questions/list_questions") == 1
    assert counts.pop("questions/list_stories_of_questions") == 1
    assert counts == {"journal/enter_turn": 1, "journal/append_entries": 1, "turns/find_turns": 1}


async def test_the_trace_names_what_the_turn_began_with(world: World) -> None:
    await furnish(world)
    bot = await world.caller()

    found = await world.services.turns.start.start(bot, StartTurn(turn_id="turn-1"))

    (entry,) = (await world.services.turns.trace.trace(bot, "turn-1")).items
    assert entry.kind is TraceKind.TURN_STARTED
    assert entry.details == {"goals": 2, "agent_actions": 3, "user_actions": 1, "questions": 2}
    assert entry.ids[:2] == tuple(goal.uid for goal in found.goals)
    assert len(entry.ids) == 8


async def test_under_a_key_the_first_lists_come_again_as_they_are_now(world: World) -> None:
    await furnish(world)
    bot, services = await world.caller(), world.services
    first = await services.turns.start.start(bot, StartTurn(turn_id="turn-1", idempotency_key="start"))
    await services.goals.service.create(bot, CreateGoal(title="New", priority="critical"))
    soon = first.agent_actions[0]
    await services.actions.transitions.complete(bot, CompletePendingAction(id=soon.uid))
    before = await world.counts()

    again = await services.turns.start.start(bot, StartTurn(turn_id="turn-1", idempotency_key="start"))

    assert assessment_titles(again) == assessment_titles(first)
    assert again.agent_actions[0].status == "completed"
    assert await world.counts() == before


async def test_nobody_sees_what_is_not_theirs(world: World) -> None:
    await furnish(world)

    found = await world.services.turns.start.start(
        await world.caller("stranger"), StartTurn(turn_id="turn-1")
    )

    assert assessment_titles(found) == {
        "turn": "turn-1",
        "goals": [],
        "agent": [],
        "user": [],
        "questions": [],
    }


@pytest.mark.parametrize(
    ("turn_id", "sizes", "field"),
    [
        ("", StartTurnSizes(), "turnId"),
        ("t" * 201, StartTurnSizes(), "turnId"),
        ("turn-1", StartTurnSizes(goals=0), "most.goals"),
        ("turn-1", StartTurnSizes(actions=101), "most.actions"),
        ("turn-1", StartTurnSizes(questions=-1), "most.questions"),
    ],
)
async def test_what_is_wrong_is_refused_and_nothing_written(
    world: World, turn_id: str, sizes: StartTurnSizes, field: str
) -> None:
    bot = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as refused:
        await world.services.turns.start.start(bot, StartTurn(turn_id=turn_id, most=sizes))

    assert refused.value.field == field
    assert await world.counts() == before


async def test_who_only_reads_starts_no_turn(world: World) -> None:
    reader = await world.caller("reader", roles=("reader",))
    before = await world.counts()

    with pytest.raises(Forbidden):
        await world.services.turns.start.start(reader, StartTurn(turn_id="turn-1"))

    assert await world.counts() == before
