"""Receipts: what a turn saw, and what the same request gives when it is sent again."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.context.record import (
    AssembleContext,
    Constraints,
    Reason,
    Request,
    ScoreParts,
    Section,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import Conflict, InvalidInput, NotFound
from prefrontal.graph.jobs.periodic import DeleteOutdated
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.scratch.record import ObservationDraft, UpdateObservation
from prefrontal.graph.storage.related import PageOf
from tests.graph.test_context_assemble import filled
from tests.support.open_transaction import open_transaction
from tests.support.world import World


async def link_included(world: World) -> None:
    """Run the job that links turns to what they saw."""
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])


@pytest.mark.covers("TRC-01", "TRC-02", "TRC-30")
async def test_a_receipt_says_what_was_in_and_what_was_not(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    request = Request(prompt="wine", budget=5000, constraints=Constraints(max_items=1, min_confidence=0.3))

    context = await world.services.context.assemble(
        caller, AssembleContext(**dict(request), turn_id="turn-7")
    )
    world.statements.clear()
    receipt = await world.services.context.receipt(caller, "turn-7")

    assert world.statements.names == ["context/find_receipt"]
    assert receipt == context.receipt
    assert (receipt.turn_id, receipt.budget, receipt.used) == ("turn-7", 5000, context.selection.used)
    assert [(i.uid, i.rank, i.tokens, i.score, i.parts, i.reason, i.via) for i in receipt.included] == [
        (i.uid, i.rank, i.tokens, i.score, i.parts, i.reason, i.via) for i in context.selection.items
    ]
    assert receipt.excluded == context.selection.excluded
    assert receipt.excluded_counts == {"over_max_items": 1}
    (entry,) = (await world.services.turns.trace.trace(caller, "turn-7")).items
    assert (entry.kind, entry.message, entry.ids) == (
        TraceKind.CONTEXT_ASSEMBLED,
        "Context assembled",
        (receipt.uid,),
    )


@pytest.mark.covers("TRC-02")
async def test_a_receipt_says_what_each_score_is_made_of_and_what_led_to_the_item(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    (seen,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="The panes are cracked", confidence=0.5)]
    )
    repair = await world.services.goals.service.create(
        caller,
        CreateGoal(title="Repair", priority="critical", evidence=(EvidenceDraft(observation_id=seen.uid),)),
    )
    world.clock.advance(hours=12)

    # The smaller one has no room for the goal.
    for budget in (5000, 30):
        context = await world.services.context.assemble(
            caller, AssembleContext(prompt="Are the panes cracked?", budget=budget, turn_id=f"t{budget}")
        )
        receipt = await world.services.context.receipt(caller, f"t{budget}")
        considered = {each.uid: each for each in (*receipt.included, *receipt.excluded)}

        noted, goal = considered[seen.uid], considered[repair.uid]
        assert noted.parts == ScoreParts(relevance=1.0, recency=0.5, confidence=0.5)
        assert noted.score == pytest.approx(0.6 + 0.1 + 0.1)
        assert goal.parts == ScoreParts(relevance=1.0, urgency=1.0)
        assert (noted.via, goal.via, goal.score) == (None, seen.uid, 1.0)
        assert {each.parts for each in considered.values() if each.section is Section.CONSCIOUSNESS} == {
            ScoreParts()
        }
        assert context.receipt == receipt
    assert considered[repair.uid] in receipt.excluded
    turn = await world.services.turns.trace.get(caller, "t5000")
    assert turn is not None
    page = PageOf(turn.uid, 50)
    saw = (await world.services.turns.trace.seen.pages(caller, [page]))[page].items
    assert (await world.services.context.receipt(caller, "t5000")).included == tuple(saw)


@pytest.mark.alone
async def test_the_turn_is_linked_to_all_it_saw(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)

    context = await world.services.context.assemble(
        caller, AssembleContext(prompt="wine", budget=5000, turn_id="t")
    )

    # The context locks nothing that it merely shows: the relationships come with the next run of a job.
    saw = "MATCH (:Turn {org_id: $org})-[saw:SAW]->() RETURN count(saw) AS number"
    assert await world.rows(saw) == [{"number": 0}]
    await link_included(world)
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org, key: 't'})-[saw:SAW]->(seen) WITH saw, seen ORDER BY saw.rank "
        "RETURN seen.uid AS uid, saw.section AS section, saw.rank AS rank, saw.tokens AS tokens, "
        "saw.score AS score, saw.reason AS reason, saw.receipt_uid AS receipt"
    )
    assert rows == [
        {
            "uid": item.uid,
            "section": item.section.value,
            "rank": item.rank,
            "tokens": item.tokens,
            "score": item.score,
            "reason": item.reason.value,
            "receipt": context.receipt.uid,
        }
        for item in context.selection.items
    ]
    assert len(rows) == 7
    # Ids and numbers only: no content is copied into what is kept beside the context.
    texts = await world.rows(
        "MATCH (n {org_id: $org}) WHERE n:ContextReceipt OR n:TraceEvent OR n:OutboxEvent OR n:Request "
        "UNWIND keys(n) AS key WITH n[key] AS value WHERE toString(value) CONTAINS 'Burgundy' "
        "RETURN count(*) AS number"
    )
    assert texts == [{"number": 0}]


async def test_a_turn_with_two_contexts_gives_the_newest_receipt(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    first = await world.services.context.assemble(caller, AssembleContext(prompt="a", budget=50, turn_id="t"))
    world.clock.advance(seconds=1)
    second = await world.services.context.assemble(
        caller, AssembleContext(prompt="b", budget=500, turn_id="t")
    )

    receipt = await world.services.context.receipt(caller, "t")

    assert receipt == second.receipt != first.receipt
    assert (await world.counts())["Turn"] == 1


async def test_many_left_out_are_named_up_to_a_hundred_and_counted(world: World) -> None:
    caller = await world.caller()
    context = world.services.context
    object.__setattr__(
        context._catalog, "context", context._catalog.context.model_copy(update={"receipt_excluded": 3})
    )
    await world.services.scratch.service.add(caller, [ObservationDraft(content=f"n{n}") for n in range(20)])

    assembled = await context.assemble(
        caller, AssembleContext(prompt="x", budget=5000, constraints=Constraints(max_items=2), turn_id="t")
    )
    receipt = await context.receipt(caller, "t")

    assert len(assembled.selection.excluded) == 18
    assert [item.reason for item in receipt.excluded] == [Reason.OVER_MAX_ITEMS] * 3
    assert receipt.excluded_counts == {"over_max_items": 18}


async def test_without_a_turn_one_is_made(world: World) -> None:
    caller = await world.caller()

    context = await world.services.context.assemble(caller, AssembleContext(prompt="x", budget=10))

    assert context.turn_id is not None
    assert context.turn_id.startswith("turn_")
    assert (await world.services.context.receipt(caller, context.turn_id)) == context.receipt
    turn = await world.services.turns.trace.get(caller, context.turn_id)
    assert turn is not None


async def test_the_same_request_again_gives_the_first_receipt(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)
    request = Request(prompt="wine", budget=60)
    first = await world.services.context.assemble(
        caller, AssembleContext(**dict(request), idempotency_key="k")
    )
    before = await world.counts()
    world.clock.advance(hours=2)
    await world.services.scratch.service.add(caller, [ObservationDraft(content="New wine", confidence=1)])
    added = await world.counts()

    again = await world.services.context.assemble(
        caller, AssembleContext(**dict(request), idempotency_key="k")
    )

    assert await world.counts() == added
    assert added["ContextReceipt"] == before["ContextReceipt"] == 1
    assert (again.receipt, again.turn_id, again.timestamp) == (first.receipt, first.turn_id, first.timestamp)
    assert again.selection.text == first.selection.text
    assert again.selection.items == first.selection.items
    assert sorted(item.uid for item in again.selection.excluded) == sorted(
        item.uid for item in first.selection.excluded
    )
    assert again.selection.truncated is first.selection.truncated is True
    assert again.budget_remaining == first.budget_remaining
    with pytest.raises(Conflict):
        await world.services.context.assemble(
            caller, AssembleContext(prompt="beer", budget=60, idempotency_key="k")
        )


async def test_the_same_request_at_once_keeps_one_receipt(world: World) -> None:
    caller = await world.caller()
    await filled(world, caller)

    contexts = await asyncio.gather(
        *(
            world.services.context.assemble(
                caller, AssembleContext(prompt="wine", budget=500, turn_id="t", idempotency_key="k")
            )
            for _ in range(8)
        )
    )

    assert len({c.receipt.uid for c in contexts if c.receipt}) == 1
    assert len({c.selection.text for c in contexts}) == 1
    counts = await world.counts()
    assert (counts["ContextReceipt"], counts["Turn"]) == (1, 1)


@pytest.mark.covers("SEC-11")
async def test_receipts_of_foreign_and_unknown_turns_are_answered_alike(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    await world.services.context.assemble(other, AssembleContext(prompt="x", budget=10, turn_id="theirs"))
    await world.services.turns.trace.get(bot, "nothing")
    said = set()

    for turn in ("theirs", "unknown", ""):
        with pytest.raises(NotFound) as caught:
            await world.services.context.receipt(bot, turn)
        said.add((caught.value.code, caught.value.message, caught.value.field))

    assert said == {("not_found", "there is no receipt for this turn", "turnId")}


async def test_a_receipt_leaves_out_what_is_not_readable_any_more(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    await world.services.goals.service.create(bot, CreateGoal(title="shared for a while"))
    await world.grant(
        bot,
        GrantAccess(
            space=bot.home, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    other = await world.caller("other")
    await world.services.context.assemble(
        other, AssembleContext(prompt="x", budget=500, turn_id="t", idempotency_key="k")
    )
    assert len((await world.services.context.receipt(other, "t")).included) == 1

    await world.services.access.revoke_access(
        bot, RevokeAccess(space=bot.home, actor=Actor(kind=ActorKind.AGENT, key="other"))
    )
    other = await world.caller("other")
    again = await world.services.context.assemble(
        other, AssembleContext(prompt="x", budget=500, turn_id="t", idempotency_key="k")
    )

    assert (await world.services.context.receipt(other, "t")).included == ()
    assert again.selection.text == ""


@pytest.mark.parametrize("turn", ["", " ", "t" * 201, "half \ud800"])
async def test_an_odd_turn_is_refused(world: World, turn: str) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await world.services.context.assemble(caller, AssembleContext(prompt="x", budget=10, turn_id=turn))

    assert caught.value.field == "turnId"
    assert await world.counts() == before


@pytest.mark.alone
async def test_requests_and_receipts_are_kept_for_their_days(world: World) -> None:
    caller = await world.caller()
    await world.services.context.assemble(
        caller, AssembleContext(prompt="x", budget=10, turn_id="t", idempotency_key="k")
    )
    job = DeleteOutdated(world.services.catalog)

    async def kept() -> tuple[int, int]:
        await world.services.jobs.run_once(job)
        counts = await world.counts()
        return counts.get("Request", 0), counts.get("ContextReceipt", 0)

    world.clock.advance(days=7, microseconds=-1)
    assert await kept() == (1, 1)
    world.clock.advance(microseconds=1)
    assert await kept() == (0, 1)
    world.clock.advance(days=23)
    assert await kept() == (0, 0)
    # The turn stays; what it saw goes with the receipt.
    assert await world.services.turns.trace.get(caller, "t") is not None


async def test_a_context_waits_for_nobody_who_changes_what_it_shows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    await filled(world, caller)
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="popular wine")])
    change = world.services.scratch.service.change(caller, UpdateObservation(id=seen.uid, confidence=0.5))

    async with open_transaction(world, monkeypatch, change) as changing:
        # The change holds the write lock of the observation; each of these contexts shows it.
        contexts = await asyncio.gather(
            *(
                world.services.context.assemble(
                    caller, AssembleContext(prompt="popular wine", budget=5000, turn_id=f"t{n}")
                )
                for n in range(20)
            )
        )
        assert not changing.done()
    await changing

    assert all(seen.uid in {item.uid for item in context.selection.items} for context in contexts)
    for number in (0, 19):
        turn = await world.services.turns.trace.get(caller, f"t{number}")
        assert turn is not None
        page = PageOf(turn.uid, 50)
        pages = await world.services.turns.trace.seen.pages(caller, [page])
        assert seen.uid in {item.uid for item in pages[page].items}


async def test_a_receipt_names_to_a_reader_only_what_the_reader_may_read(world: World) -> None:
    owner, reader = await world.caller("owner"), await world.caller("reader")
    private = await world.services.access.create_space(owner, CreateSpace(name="private"))
    owner = await world.caller("owner")
    await world.grant(
        owner,
        GrantAccess(
            space=owner.home, actor=Actor(kind=ActorKind.AGENT, key="reader"), permission=SpacePermission.READ
        ),
    )
    reader = await world.caller("reader")
    await world.services.scratch.service.add(owner, [ObservationDraft(content=f"open {n}") for n in range(3)])
    await world.services.scratch.service.add(
        owner, [ObservationDraft(content=f"hidden {n}") for n in range(3)], space=private
    )
    context = await world.services.context.assemble(
        owner, AssembleContext(prompt="x", budget=5000, constraints=Constraints(max_items=2), turn_id="t")
    )
    assert len(context.receipt.excluded) == 4

    receipt = await world.services.context.receipt(reader, "t")
    page = PageOf(receipt.turn_uid, 50)
    (listed,) = (await world.services.context.receipts.pages(reader, [page]))[page].items

    readable = set(
        await world.services.scratch.service.get(reader, [i.uid for i in context.receipt.excluded])
    )
    assert listed == receipt
    assert {item.uid for item in receipt.excluded} == readable
    named = {item.uid for item in (*receipt.included, *receipt.excluded)}
    assert len(named) == 3
    assert receipt.excluded_counts == {"over_max_items": 4}
