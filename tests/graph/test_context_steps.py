"""Pending actions, questions and stories in contexts: which, in which order, by which way, and whose."""

from __future__ import annotations

from datetime import timedelta

import pytest

from prefrontal.graph.access.record import GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext, CandidateKind, Context, Item, Reason, Request
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, Goal
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    QuestionStatus,
    StoryDraft,
    StoryStatus,
    UpsertQuestionStory,
)
from tests.graph.test_context_receipt import link_included
from tests.support.world import World


def items(context: Context, kind: CandidateKind) -> list[Item]:
    return [item for item in context.selection.items if item.kind is kind]


def titles(context: Context, kind: CandidateKind = CandidateKind.PENDING_ACTION) -> list[str]:
    return [item.text.split('"')[1] for item in items(context, kind)]


async def goal_with(world: World, caller: Caller, title: str, *actions: PendingActionDraft) -> Goal:
    return await world.services.goals.service.create(caller, CreateGoal(title=title, pending_actions=actions))


def errand(title: str, effort: float = 1.0, **fields: object) -> PendingActionDraft:
    return PendingActionDraft.model_validate(
        {"type": "research", "title": title, "effort": effort, "priority": "medium", **fields}
    )


async def preview(world: World, caller: Caller, prompt: str, budget: int = 5000) -> Context:
    return await world.services.context.preview(caller, Request(prompt=prompt, budget=budget))


@pytest.mark.covers("ACT-31", "CTX-46")
async def test_urgent_and_other_actions_are_mixed_each_in_the_order_of_their_utility(world: World) -> None:
    caller = await world.caller()
    now = world.clock.now()
    strategic = [errand(f"plan {number}", effort=1.0 + number) for number in range(6)]
    urgent = [
        errand("overdue", effort=50, due_at=now - timedelta(days=3)),
        errand("tonight", effort=60, due_at=now + timedelta(hours=24)),
        errand("in two days", effort=70, due_at=now + timedelta(hours=48)),
    ]
    await goal_with(world, caller, "Dinner", *strategic, *urgent)

    context = await preview(world, caller, "What next?")

    assert titles(context) == ["overdue", "tonight", "plan 0", "plan 1", "plan 2"]
    assert [item.reason for item in items(context, CandidateKind.PENDING_ACTION)] == [
        *[Reason.URGENT] * 2,
        *[Reason.ACTIVE] * 3,
    ]


@pytest.mark.covers("ACT-31", "CTX-46")
async def test_what_blocks_is_urgent_and_what_is_blocked_is_no_candidate(world: World) -> None:
    caller = await world.caller()
    await goal_with(
        world, caller, "Dinner", errand("ask first", effort=90, blocking=True), errand("then buy")
    )
    await goal_with(world, caller, "Trip", errand("book"))

    assert titles(await preview(world, caller, "What next?")) == ["ask first", "book"]


@pytest.mark.covers("CTX-46", "GOAL-22")
async def test_actions_of_the_goals_that_the_prompt_is_about_come_first(world: World) -> None:
    caller = await world.caller()
    for number in range(5):
        await goal_with(world, caller, f"Errand {number}", errand(f"quick {number}", effort=0.1))
    garden = await goal_with(world, caller, "Repair the greenhouse", errand("measure", effort=9))

    context = await preview(world, caller, "What about the greenhouse?")

    assert titles(context)[0] == "measure"
    assert len(titles(context)) == 5
    first = items(context, CandidateKind.PENDING_ACTION)[0]
    assert (first.reason, first.via) == (Reason.MATCHING, garden.uid)


@pytest.mark.covers("QST-27", "CTX-47")
async def test_the_most_urgent_question_comes_first(world: World) -> None:
    caller = await world.caller()
    for text, priority in (("Who pays?", "critical"), *((f"Errand {number}?", "low") for number in range(5))):
        question = QuestionDraft.model_validate({"text": text, "priority": priority})
        await world.services.questions.upsert.upsert(caller, UpsertQuestionStory(question=question))

    found = titles(await preview(world, caller, "What next?"), CandidateKind.QUESTION)

    # The newest is first among equals, and this one is the oldest.
    assert (found[0], len(found)) == ("Who pays?", 5)


@pytest.mark.covers("QST-27", "CTX-47")
async def test_questions_are_chosen_by_urgency_and_prompt_and_answers_stay_available(world: World) -> None:
    caller = await world.caller()
    questions = world.services.questions.upsert
    garden = await goal_with(world, caller, "Repair the greenhouse")

    async def ask(text: str, **fields: object) -> str:
        pair = await questions.upsert(
            caller,
            UpsertQuestionStory(
                question=QuestionDraft.model_validate({"text": text, **fields}),
                story=StoryDraft(narrative=f"So far: {text}", status=StoryStatus.ACCEPTED),
            ),
        )
        assert pair.story is not None
        return pair.story.uid

    for number in range(5):
        await ask(f"Errand {number}?", priority="high")
    told = await ask("Which panes fit?", priority="low", goal_id=garden.uid, status=QuestionStatus.ANSWERED)
    await ask("Who won?", priority="critical", status=QuestionStatus.ANSWERED)

    about = await preview(world, caller, "What about the greenhouse?")
    other = await preview(world, caller, "What next?")

    assert titles(about, CandidateKind.QUESTION)[0] == "Which panes fit?"
    assert len(titles(about, CandidateKind.QUESTION)) == len(titles(about, CandidateKind.STORY)) == 5
    question = items(about, CandidateKind.QUESTION)[0]
    assert (question.reason, question.via) == (Reason.MATCHING, garden.uid)
    (story,) = [item for item in items(about, CandidateKind.STORY) if item.uid == told]
    assert story.via == question.uid
    assert story.text == f'- {told} "So far: Which panes fit?" (accepted) answers {question.uid}\n'
    # Without a word of it, nothing that has its answer is shown.
    assert set(titles(other, CandidateKind.QUESTION)) == {f"Errand {number}?" for number in range(5)}


@pytest.mark.covers("SEC-11")
async def test_nobody_sees_those_of_others_and_those_of_others_push_nobodys_own_out(world: World) -> None:
    stranger, friend = await world.caller("stranger"), await world.caller("friend")
    await world.caller("bot")
    for caller, number in ((stranger, 1), (friend, 40)):
        for each in range(number):
            await goal_with(world, caller, f"{each}", errand(f"theirs {each}", effort=0.01))
            await world.services.questions.upsert.upsert(
                caller,
                UpsertQuestionStory(
                    question=QuestionDraft(text=f"theirs {each}?", priority="critical"),
                    story=StoryDraft(narrative="theirs"),
                ),
            )
    await world.grant(
        friend,
        GrantAccess(
            space=friend.home,
            actor=Actor(kind=ActorKind.AGENT, key="bot"),
            permission=SpacePermission.READ,
        ),
    )
    caller = await world.caller("bot")
    await goal_with(world, caller, "mine", errand("mine", effort=99))
    await world.services.questions.upsert.upsert(
        caller,
        UpsertQuestionStory(
            question=QuestionDraft(text="mine?", priority="low"), story=StoryDraft(narrative="mine")
        ),
    )

    context = await preview(world, caller, "What next?")

    assert titles(context)[0] == "mine"
    assert len(titles(context)) == 1 + 5
    assert titles(context, CandidateKind.QUESTION)[0] == "mine?"
    assert len(titles(context, CandidateKind.QUESTION)) == 1 + 5
    shown = {item.scope_id for item in context.selection.items}
    assert shown == {caller.home, friend.home}


@pytest.mark.alone
@pytest.mark.covers("CTX-46", "CTX-47")
async def test_a_repeated_call_shows_the_same_and_a_turn_saw_it(world: World) -> None:
    caller = await world.caller()
    now = world.clock.now()
    goal = await goal_with(
        world, caller, "Dinner", errand("plan"), errand("overdue", effort=9, due_at=now - timedelta(days=1))
    )
    await world.services.questions.upsert.upsert(
        caller,
        UpsertQuestionStory(
            question=QuestionDraft(text="Which wine?", goal_id=goal.uid), story=StoryDraft(narrative="White")
        ),
    )
    command = AssembleContext(prompt="wine", budget=5000, turn_id="t", idempotency_key="k")

    first = await world.services.context.assemble(caller, command)
    again = await world.services.context.assemble(caller, command)
    await link_included(world)

    assert again.selection.text == first.selection.text
    assert titles(first) == ["overdue", "plan"]
    assert items(first, CandidateKind.PENDING_ACTION)[0].reason is Reason.URGENT
    assert titles(first, CandidateKind.QUESTION) == ["Which wine?"]
    assert titles(first, CandidateKind.STORY) == ["White"]
    seen = await world.rows(
        "MATCH (:Turn {org_id: $org})-[saw:SAW]->(n) RETURN n.uid AS uid ORDER BY saw.rank"
    )
    assert [row["uid"] for row in seen] == [item.uid for item in first.selection.items]
    assert [item.uid for item in first.receipt.included] == [item.uid for item in first.selection.items]
