"""With an encoder that knows what calls for something, facts found no goals; without vectors words decide."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.evaluation.record import Decision, EvaluateScratchPage, FoundedGoalDraft, Reason
from prefrontal.graph.text.encoder import Encoder, Vector
from tests.graph.test_evaluation_add import add, added, goals, messages
from tests.support.judging import Caring
from tests.support.world import World


class Stored(Caring):
    """Its vectors are stored: the tests' database keeps those of `hash`."""

    name = "hash"


class Speechless(Stored):
    """Makes the vectors of many texts at once, as of the registry's sentences, and of no single note."""

    async def passages(self, texts: Sequence[str]) -> list[Vector]:
        if len(texts) < 20:
            raise RuntimeError(len(texts))
        return await super().passages(texts)


def judging(world: World, encoder: Encoder, deadline_ms: int = 30_000) -> World:
    """The same world, served by a process whose encoder is taken to know meanings."""
    services = world.services
    catalog = services.catalog.model_copy(
        update={
            "evaluation": services.catalog.evaluation.model_copy(update={"without_meaning": frozenset()}),
            "memory": services.catalog.memory.model_copy(update={"embedding_deadline_ms": deadline_ms}),
        }
    )
    other = build_services(
        services.settings, services.database.driver, clock=world.clock, catalog=catalog, encoder=encoder
    )
    return World(other, world.clock, world.statements, world.org, world.org_id)


@pytest.mark.covers("OBS-43", "OBS-45", "TRC-13")
async def test_a_fact_founds_nothing_and_what_calls_for_something_does(world: World) -> None:
    encoder = Stored()
    seen = judging(world, encoder)
    fact = await add(seen, "The user works at a bank", 1.0)
    assert (fact.decision, fact.reason) == (Decision.KEEP, Reason.CALLS_FOR_NOTHING)
    assert fact.message == "Observation kept in Scratch: it calls for nothing"
    assert fact.importance is not None
    assert (fact.importance.relevance_to_user, fact.importance.actionability) == (1, 0)
    assert await messages(seen) == ["Observation added", "Observation kept in Scratch"]
    assert await goals(seen) == []
    wish = await add(seen, "Please find a plumber", 0.9)
    assert (wish.decision, wish.reason) == (Decision.PROMOTE, Reason.FOUNDED_GOAL)
    assert wish.importance is not None
    assert (wish.importance.relevance_to_user, wish.importance.actionability) == (0, 1)
    assert [goal.title for goal in await goals(seen)] == ["Please find a plumber"]
    # The note's vector is made once, to be stored, and those of the sentences once for all.
    assert [len(texts) for texts in encoder.asked if len(texts) < 20] == [1, 1]
    assert len([texts for texts in encoder.asked if len(texts) >= 20]) == 1


async def test_what_is_declared_counts_beside_the_vector(world: World) -> None:
    seen = judging(world, Stored())
    made = await added(
        seen,
        {"content": "Tea at five", "confidence": 1, "tags": ("deadline",)},
        {"content": "Mugs are blue", "confidence": 1, "context": {"goal_key": "paint_mugs"}},
        {"content": "Please look at p99 40 ms", "confidence": 1},
        {"content": "Please lower the latency", "confidence": 1},
        {"content": "Please lower the rent", "confidence": 0.89},
    )
    assert [item.reason for item in made] == [
        Reason.FOUNDED_GOAL,
        Reason.FOUNDED_GOAL,
        Reason.OPERATIONAL,
        Reason.FOUNDED_GOAL,
        Reason.BELOW_THRESHOLD,
    ]


async def test_a_fact_joins_the_goal_of_its_topic(world: World) -> None:
    seen = judging(world, Stored())
    caller = await seen.caller()
    goal = await seen.services.goals.service.create(caller, CreateGoal(title="Sell the wine"))
    fact = await add(seen, "The wine of the user is from Morgon", 1.0)
    assert (fact.reason, fact.goal_id) == (Reason.JOINED_GOAL, goal.uid)


@pytest.mark.covers("OBS-44", "OBS-46")
async def test_a_review_decides_the_same_and_a_described_goal_is_wanted(world: World) -> None:
    seen = judging(world, Stored())
    caller = await seen.caller()
    made = await added(
        seen,
        {"content": "The user works at a bank", "confidence": 1},
        {"content": "Please find a plumber", "confidence": 1},
        evaluate=False,
    )
    assert {item.reason for item in made} == {Reason.NOT_EVALUATED}
    review = await seen.services.evaluation.review(caller, EvaluateScratchPage())
    assert [item.reason for item in review.evaluations] == [Reason.CALLS_FOR_NOTHING, Reason.FOUNDED_GOAL]
    command = EvaluateScratchPage(
        observation_ids=(made[0].observation.uid,), goal=FoundedGoalDraft(title="Find another job")
    )
    described = await seen.services.evaluation.review(caller, command)
    assert [item.reason for item in described.evaluations] == [Reason.FOUNDED_GOAL]
    assert {goal.title for goal in await goals(seen)} == {"Please find a plumber", "Find another job"}


@pytest.mark.parametrize("encoder", [Speechless(), None], ids=["no vector", "no encoder"])
async def test_without_a_vector_words_decide(world: World, encoder: Encoder | None) -> None:
    seen = judging(world, encoder) if encoder is not None else world
    made = await added(
        seen,
        {"content": "The user works at a bank", "confidence": 1},
        {"content": "Please find a plumber", "confidence": 1},
        {"content": "The user wants less latency", "confidence": 1},
    )
    assert [item.reason for item in made] == [
        Reason.FOUNDED_GOAL,
        Reason.LOW_IMPORTANCE,
        Reason.OPERATIONAL,
    ]


async def test_sentences_that_come_too_late_fail_nothing(world: World) -> None:
    seen = judging(world, Stored(), deadline_ms=0)
    fact = await add(seen, "The user works at a bank", 1.0)
    assert fact.reason is Reason.FOUNDED_GOAL
    assert await world.counts() == await seen.counts()
