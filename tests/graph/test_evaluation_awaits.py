"""What could not be evaluated waits for the next turn (source 001, §Goal Creation Failure)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.errors import Unavailable
from prefrontal.graph.evaluation.record import Decision, EvaluateScratchPage, Evaluation, Reason
from prefrontal.graph.journal.commits import COMMITS, Commits
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.record import ObservationDraft, ObservationStatus
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.record import Assessment, StartTurn, TurnObservation
from tests.support.failing import refusing
from tests.support.world import World

NEEDS = {"content": "User prefers Burgundy wines", "confidence": 0.95}


async def add(world: World, **given: Any) -> Evaluation:
    draft = ObservationDraft(**{**NEEDS, **given})
    (made,) = await world.services.evaluation.add(await world.caller(), [draft], turn_id="t")
    return made


async def start(world: World, turn: str = "next", **given: Any) -> Assessment:
    return await world.services.turns.start.start(await world.caller(), StartTurn(turn_id=turn, **given))


async def waiting(world: World) -> list[str]:
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org}) WHERE o.awaits_since IS NOT NULL "
        "RETURN o.uid AS uid ORDER BY uid"
    )
    return [row["uid"] for row in rows]


async def goals(world: World) -> list[dict[str, Any]]:
    return await world.rows("MATCH (g:Goal {org_id: $org}) RETURN g.uid AS uid, g.title AS title")


@pytest.mark.covers("GOAL-44")
async def test_the_next_turn_founds_the_goal_that_could_not_be_created_exactly_once(world: World) -> None:
    with refusing(world.services.goals.service, "create_in", times=1), capture_logs() as logs:
        made = await add(world)
    assert (made.decision, made.reason) == (Decision.KEEP, Reason.AWAITS_EVALUATION)
    assert made.observation.status is ObservationStatus.ACTIVE
    assert (await goals(world), await waiting(world)) == ([], [made.observation.uid])
    (said,) = [each for each in logs if each["event"] == "evaluation_failed"]
    assert (said["code"], said["observations"]) == ("ClientError", [made.observation.uid])
    trace = (await world.services.turns.trace.trace(await world.caller(), "t")).items
    assert [(each.kind, each.ids, each.details) for each in trace[1:]] == [
        (
            TraceKind.OBSERVATION_KEPT,
            (made.observation.uid,),
            {"reason": "awaits_evaluation", "observations": 1, "code": "ClientError"},
        )
    ]

    world.clock.advance(minutes=1)
    begun = await start(world)
    (goal,) = begun.goals
    assert (goal.title, await waiting(world)) == (NEEDS["content"], [])
    assert len(await goals(world)) == 1
    # Neither another turn nor a review founds it again.
    before = await world.counts()
    again = await start(world, "after")
    assert [each.uid for each in again.goals] == [goal.uid]
    review = await world.services.evaluation.review(await world.caller(), EvaluateScratchPage())
    assert [each.reason for each in review.evaluations] == [Reason.ALREADY_LINKED]
    assert (await world.counts())["Goal"] == before["Goal"] == 1


@pytest.mark.covers("GOAL-44")
async def test_it_is_evaluated_once_when_turns_begin_at_once(world: World) -> None:
    with refusing(world.services.goals.service, "create_in", times=2):
        await add(world)
        # Another goal, of another topic.
        other = await add(world, content="User needs trains to Beaune", tags=("trip",))
    assert other.reason is Reason.AWAITS_EVALUATION
    begun = await asyncio.gather(*(start(world, f"turn-{number}") for number in range(4)))
    assert len(await goals(world)) == 2
    # One that read its lists before another has evaluated begins without the goals.
    assert max(len(each.goals) for each in begun) == 2
    assert len((await start(world, "after")).goals) == 2
    promoted = await world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: 'observation_promoted'}) RETURN e.details AS details"
    )
    assert [json.loads(each["details"])["founded"] for each in promoted] == [True, True]
    assert await waiting(world) == []


@pytest.mark.covers("GOAL-44")
async def test_what_fails_again_waits_on_and_the_turn_begins(world: World) -> None:
    with refusing(world.services.goals.service, "create_in", times=2):
        made = await add(world)
        begun = await start(world)
        assert (begun.turn.key, begun.goals) == ("next", ())
    assert await waiting(world) == [made.observation.uid]
    later = await start(world, "later", idempotency_key="k")
    assert len(later.goals) == 1
    assert [each.uid for each in (await start(world, "later", idempotency_key="k")).goals] == [
        each.uid for each in later.goals
    ]


@pytest.mark.covers("GOAL-44")
async def test_the_notes_of_a_commit_wait_too_and_a_review_ends_the_waiting(world: World) -> None:
    command = CommitTurn(turn_id="t", observations=(TurnObservation(**NEEDS),))
    with refusing(world.services.goals.service, "create_in", times=1):
        await world.services.turns.finalization.commit(await world.caller(), command)
    assert len(await waiting(world)) == 1
    review = await world.services.evaluation.review(await world.caller(), EvaluateScratchPage())
    assert [each.reason for each in review.evaluations] == [Reason.FOUNDED_GOAL]
    assert await waiting(world) == []
    await start(world)
    assert len(await goals(world)) == 1


@pytest.mark.covers("GOAL-44")
async def test_another_caller_evaluates_nothing_of_a_space_that_it_may_not_write_to(world: World) -> None:
    with refusing(world.services.goals.service, "create_in", times=1):
        made = await add(world)
    other = await world.caller("other")
    begun = await world.services.turns.start.start(other, StartTurn(turn_id="theirs"))
    assert begun.goals == ()
    assert (await goals(world), await waiting(world)) == ([], [made.observation.uid])


async def test_without_a_database_nothing_can_be_noted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Unavailable("the database is away")

    with monkeypatch.context() as broken:
        broken.setattr(world.services.goals.service, "create_in", away)
        broken.setattr(world.services.scratch.service, "await_evaluation_in", away)
        made = await add(world)
    assert (made.reason, await waiting(world)) == (Reason.NOT_EVALUATED, [])


@pytest.mark.nightly("it counts what a look costs; what waits is evaluated once with each change")
@pytest.mark.covers("GOAL-44")
async def test_a_turn_that_finds_nothing_waiting_costs_a_seek_and_no_statement(world: World) -> None:
    for number in range(40):
        await add(world, content=f"The shed is green {number}", confidence=0.1)
    world.statements.clear()
    await start(world)
    assert world.statements.counts["journal/enter_turn"] == 1
    assert not [name for name in world.statements.names if name.startswith("scratch/")]
    plan = await profiled(world)
    assert plan == {"rows": 0, "hits": 1}


async def profiled(world: World) -> dict[str, int]:
    """The rows and database hits of the seek for what waits, in a space with many observations."""
    driver = world.services.database.driver
    caller = await world.caller()
    _, summary, _ = await driver.execute_query(
        "CYPHER 25 PROFILE MATCH (o:Observation) USING INDEX SEEK o:Observation(scope_id, awaits_since, uid) "
        "WHERE o.scope_id = $scope AND o.awaits_since IS NOT NULL AND o.uid IS NOT NULL "
        "RETURN o.uid LIMIT 50",
        scope=caller.home,
    )
    seen = {"rows": 0, "hits": 0}
    parts = [summary.profile]
    while parts:
        part = parts.pop()
        parts += part.get("children", [])
        if "NodeIndex" in part["operatorType"]:
            seen = {"rows": part["rows"], "hits": part["dbHits"]}
    return seen


@pytest.mark.covers("GOAL-44")
async def test_what_always_fails_keeps_no_other_observation_from_its_evaluation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = world.services.goals.service
    usual, bad = service.create_in, "User needs trains to Beaune"
    with refusing(service, "create_in", times=4):
        for content, tag in [("wines", "wine"), ("beds", "room"), ("boats", "ship")]:
            await add(world, content=f"User needs {content}", tags=(tag,))
        awaited = await add(world, content=bad, tags=("trip",))
    assert len(await waiting(world)) == 4

    async def refused(tx: Any, caller: Any, draft: Any, *given: Any, **more: Any) -> Any:
        if draft.title == bad:
            raise LookupError("no")
        return await usual(tx, caller, draft, *given, **more)

    monkeypatch.setattr(service, "create_in", refused)
    world.clock.advance(minutes=1)
    counted = Commits()
    token = COMMITS.set(counted)
    try:
        begun = await start(world)
    finally:
        COMMITS.reset(token)
    assert {goal.title for goal in begun.goals} == {"User needs wines", "User needs beds", "User needs boats"}
    assert await waiting(world) == [awaited.observation.uid]
    # It waits behind the others now; and only the turn itself was a change of the call.
    (since,) = await world.rows(
        "MATCH (o:Observation {uid: $uid}) RETURN o.awaits_since.epochSeconds AS at",
        uid=awaited.observation.uid,
    )
    assert since["at"] == int(world.clock.now().timestamp())
    assert counted.number == 1
    monkeypatch.setattr(service, "create_in", usual)
    assert len((await start(world, "later")).goals) == 4
    assert await waiting(world) == []
