"""A contradiction asks the user once which of the two holds, where that is switched on."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.cortex.questions.record import ArchiveQuestion, Question, QuestionFilter, QuestionStatus
from prefrontal.graph.evaluation.record import EvaluateScratchPage
from prefrontal.graph.scratch.record import ArchiveObservation, Observation, ObservationDraft
from tests.support.world import World


def asking(world: World, on: bool = True) -> None:
    catalog = world.services.catalog
    object.__setattr__(catalog, "contradiction", catalog.contradiction.model_copy(update={"ask": on}))


async def noted(world: World, *texts: str, agent: str = "bot", **options: Any) -> list[Observation]:
    drafts = [ObservationDraft(content=text, confidence=0.5) for text in texts]
    made = await world.services.evaluation.add(await world.caller(agent), drafts, **options)
    return [each.observation for each in made]


async def questions_of(world: World, *statuses: QuestionStatus) -> tuple[Question, ...]:
    wanted = QuestionFilter(statuses=statuses or tuple(QuestionStatus))
    return (await world.services.questions.service.list(await world.caller(), wanted)).items


@pytest.mark.covers("OBS-71")
async def test_a_contradiction_asks_the_user_once_and_is_answered_when_it_is_settled(world: World) -> None:
    asking(world)
    (fifty,) = await noted(world, "The budget is $50")
    bot = await world.caller()
    goal = await world.services.goals.service.create(
        bot, CreateGoal(title="g", evidence=(EvidenceDraft(observation_id=fifty.uid),))
    )
    assert await questions_of(world) == ()

    (sixty,) = await noted(world, "The budget is $60", turn_id="turn-1", idempotency_key="k")
    await noted(world, "The budget is $60", turn_id="turn-1", idempotency_key="k")
    await world.services.evaluation.review(bot, EvaluateScratchPage())

    (question,) = await questions_of(world)
    assert question.text == 'Which holds: "The budget is $50" or "The budget is $60"?'
    assert (question.owner, question.goal_id, question.status) == (
        ActionOwner.USER,
        goal.uid,
        QuestionStatus.OPEN,
    )
    assert question.client_key == f"contradiction:{fifty.uid}:{sixty.uid}"
    assert (question.version, question.scope_id) == (1, fifty.scope_id)

    await world.services.scratch.service.change(bot, ArchiveObservation(id=sixty.uid))
    await world.services.evaluation.review(bot, EvaluateScratchPage())
    await world.services.evaluation.review(bot, EvaluateScratchPage())

    (question,) = await questions_of(world)
    assert (question.status, question.version) == (QuestionStatus.ANSWERED, 2)


@pytest.mark.covers("OBS-71")
async def test_a_call_says_whether_it_asks(world: World) -> None:
    asking(world, on=False)
    await noted(world, "The budget is $50", "The budget is $60")
    assert await questions_of(world) == ()
    await world.services.evaluation.review(await world.caller(), EvaluateScratchPage(ask=True))
    assert len(await questions_of(world)) == 1
    await noted(world, "The room has 5 seats", "The room has 6 seats", ask=True)
    assert len(await questions_of(world)) == 2
    asking(world)
    await noted(world, "The train has 7 cars", "The train has 8 cars", ask=False)
    assert len(await questions_of(world)) == 2


async def test_nothing_is_asked_where_that_is_switched_off_or_nothing_contradicts(world: World) -> None:
    asking(world, on=False)
    await noted(world, "The budget is $50", "The budget is $60")
    assert await questions_of(world) == ()
    asking(world)
    await noted(world, "It rains", "The sun is hot")
    assert await questions_of(world) == ()


async def test_no_question_tells_what_is_kept_in_another_space(world: World) -> None:
    asking(world)
    other = await world.caller("other")
    space = await world.services.access.create_space(other, CreateSpace(name="theirs"))
    other = await world.caller("other")
    await world.caller()
    await world.grant(
        other,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="bot"), permission=SpacePermission.READ
        ),
    )
    (theirs,) = await world.services.scratch.service.add(
        other, [ObservationDraft(content="The budget is $50")], space=space
    )
    draft = ObservationDraft(content="It is $60", contradicts=(theirs.uid,))

    await world.services.evaluation.add(await world.caller(), [draft])

    assert "Question" not in await world.counts()


async def test_a_question_that_was_put_away_is_not_asked_again(world: World) -> None:
    asking(world)
    await noted(world, "The budget is $50", "The budget is $60")
    bot = await world.caller()
    (question,) = await questions_of(world)
    await world.services.questions.transitions.archive_question(bot, ArchiveQuestion(id=question.uid))

    await world.services.evaluation.review(bot, EvaluateScratchPage())

    (after,) = await questions_of(world)
    assert (after.status, after.version) == (QuestionStatus.ARCHIVED, 2)
