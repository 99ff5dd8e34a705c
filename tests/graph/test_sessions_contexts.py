"""Contexts of a session: what it holds is considered, and texts of its own leave nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import (
    AssembleContext,
    CandidateKind,
    Context,
    Item,
    Reason,
    Request,
    Section,
)
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import Conflict, IllegalTransition, NotFound
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.sessions.record import EndSession, LinkSessions, Salience
from tests.graph.test_context_receipt import link_included
from tests.graph.test_sessions import ADD, change, offer, person, remembered, start
from tests.graph.test_sessions_turns import begin, session_of
from tests.support.correlating import expire
from tests.support.world import World

PROMPT = "quantum chromodynamics"
"""No memory has to do with it."""


async def assembled(world: World, caller: Caller, prompt: str = PROMPT, **fields: Any) -> Context:
    command = AssembleContext(prompt=prompt, **{"budget": 2000, "turn_id": "turn-1", **fields})
    return await world.services.context.assemble(caller, command)


def items_of(context: Context, kind: CandidateKind) -> list[Item]:
    return [item for item in context.selection.items if item.kind is kind]


async def admit(world: World, caller: Caller, session: str, memory: str, salience: float = 0.9) -> None:
    parts = dict.fromkeys(("relevance_score", "urgency", "recency", "user_attention"), salience)
    await offer(world, caller, session, None, Salience(**parts), item_id=memory)


@pytest.mark.covers("WMS-92")
async def test_what_a_session_holds_is_in_its_contexts_and_says_so(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    fact = await remembered(world, caller, "Mom gets seasick")
    await admit(world, caller, "trip", fact)
    await offer(world, caller, "trip", "The ferry leaves at nine", item_id="note", confidence=0.7)

    without = await assembled(world, caller, turn_id="turn-0")
    context = await assembled(world, caller, session_id="trip")
    again = await assembled(world, caller, session_id=session.uid)

    assert without.selection.items == ()
    assert again.selection == context.selection
    (memory,), (note,) = items_of(context, CandidateKind.FACT), items_of(context, CandidateKind.FRAGMENT)
    assert (memory.uid, memory.section) == (fact, Section.SEMANTIC_MEMORY)
    assert (note.section, '(0.70) "The ferry leaves at nine"' in note.text) == (Section.SCRATCH_PAGE, True)
    assert "# Working memory\n" in context.selection.text
    for item in (memory, note):
        assert (item.reason, item.via, item.path) == (Reason.HELD, session.uid, (session.uid,))
    # 0.6 * relevance, which is the salience, + 0.2 * recency + 0.2 * confidence
    assert memory.parts.relevance == note.parts.relevance == 0.9
    assert (memory.score, note.score) == (pytest.approx(0.54 + 0.2 + 0.16), pytest.approx(0.54 + 0.2 + 0.14))
    kept = await world.services.context.receipt(caller, "turn-1")
    assert [(each.uid, each.reason, each.path) for each in kept.included] == [
        (each.uid, Reason.HELD, (session.uid,)) for each in context.selection.items
    ]
    assert await session_of(world, caller, context.turn_uid or "") == session.uid


async def test_what_is_held_and_found_stands_there_once_with_the_greater_relevance(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="trip")
    close, far = [
        await remembered(world, caller, text) for text in ("The ferry to Corsica is blue", "Bread is on sale")
    ]
    for memory in (close, far):
        await admit(world, caller, "trip", memory, 0.8)

    context = await assembled(world, caller, "Which colour has the ferry to Corsica?", session_id="trip")

    facts = items_of(context, CandidateKind.FACT)
    assert [each.uid for each in facts] == [close, far]
    assert [each.reason for each in facts] == [Reason.HELD, Reason.HELD]
    assert [each.parts.relevance for each in facts] == [1.0, pytest.approx(0.8)]
    assert close not in {each.uid for each in context.selection.excluded}


async def test_held_items_come_within_the_budget_and_the_number_of_memories(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="trip")
    for number, salience in enumerate((0.9, 0.8, 0.7)):
        fact = await remembered(world, caller, f"Fact number {number} of the trip")
        await admit(world, caller, "trip", fact, salience)
    preview = world.services.context.preview

    most = await preview(
        caller, Request(prompt=PROMPT, budget=500, session_id="trip", constraints={"max_items": 2})
    )
    one = most.selection.used - items_of(most, CandidateKind.FACT)[-1].tokens
    least = await preview(caller, Request(prompt=PROMPT, budget=one, session_id="trip"))

    assert ["number 0" in each.text for each in items_of(most, CandidateKind.FACT)] == [True, False]
    assert [each.reason for each in most.selection.excluded] == [Reason.OVER_MAX_ITEMS]
    assert [each.uid for each in least.selection.items] == [most.selection.items[0].uid]
    assert least.selection.used == one
    assert {each.reason for each in least.selection.excluded} == {Reason.OVER_BUDGET}
    assert await world.rows("MATCH (t:Turn {org_id: $org}) RETURN t") == []


@pytest.mark.nightly("what an earlier session left is a candidate: tried with each change")
async def test_a_goal_that_a_held_observation_is_evidence_for_comes_with_it(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    (note,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="Mom gets seasick")])
    for number in range(6):
        await world.services.goals.service.create(caller, CreateGoal(title=f"Goal {number}", priority="high"))
    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(
            title="Find calm water", priority="low", evidence=(EvidenceDraft(observation_id=note.uid),)
        ),
    )
    await admit(world, caller, "trip", note.uid)

    context = await assembled(world, caller, session_id="trip")

    found = {each.uid: each for each in items_of(context, CandidateKind.GOAL)}
    assert found[goal.uid].path == (session.uid, note.uid)
    assert found[goal.uid].parts.relevance == pytest.approx(0.9)


async def test_a_held_mandate_is_shown_once(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="trip")
    drafts = (MemoryDraft(kind=MemoryKind.MANDATE, content="Never book without asking"),)
    (mandate,) = (await world.services.memory.remember(caller, Remember(memories=drafts))).memories
    await admit(world, caller, "trip", mandate.uid)

    context = await assembled(world, caller, session_id="trip")

    assert [(each.uid, each.reason) for each in context.selection.items] == [(mandate.uid, Reason.ESSENTIAL)]


@pytest.mark.alone
@pytest.mark.covers("SEC-08")
async def test_a_text_of_a_session_is_nowhere_once_the_session_has_ended(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    await offer(world, caller, "trip", "Aunt Zelda hides heirlooms", item_id="note", entities=("Zelda",))
    context = await assembled(world, caller, session_id="trip", idempotency_key="k")
    stored = await world.rows("MATCH (n {org_id: $org}) RETURN labels(n) AS labels, properties(n) AS all")
    assert "heirlooms" in context.selection.text
    # The text itself, and the themes of the session.
    having = [row["labels"] for row in stored if "heirlooms" in str(row["all"])]
    assert sorted(having) == [["Memory", "Fragment"], ["Session"]]
    await link_included(world)

    await world.services.sessions.end(caller, EndSession(id=session.uid))
    # What the session was about is kept for the look-back.
    world.clock.advance(hours=24, seconds=1)
    await expire(world)

    left = await world.rows(
        "MATCH (n {org_id: $org}) OPTIONAL MATCH (n)-[r]->() "
        "RETURN properties(n) AS node, labels(n) AS labels, collect(properties(r)) AS links"
    )
    assert "ContextReceipt" in str(left)
    assert not [row for row in left if "heirlooms" in str(row) or "Zelda" in str(row)]
    receipt = await world.services.context.receipt(caller, "turn-1")
    assert [each.reason for each in receipt.included] == [Reason.HELD]
    # The same call again has the first receipt, without the text.
    repeated = await assembled(world, caller, session_id="trip", idempotency_key="k")
    assert repeated.receipt.uid == receipt.uid
    assert repeated.selection.items == ()


async def test_what_left_the_session_or_was_forgotten_is_in_no_context(world: World) -> None:
    caller = await person(world)
    await start(world, caller, key="trip")
    fact = await remembered(world, caller, "Mom gets seasick")
    await admit(world, caller, "trip", fact)
    await offer(world, caller, "trip", "The ferry leaves at nine", item_id="note")
    first = await assembled(world, caller, session_id="trip")

    await world.services.memory.forget(caller, Forget(id=fact))
    await change(world, caller, "trip", ADD.EVICT, "note")

    assert len(first.selection.items) == 2
    assert (await assembled(world, caller, session_id="trip")).selection.items == ()


@pytest.mark.covers("WMS-112", "SEC-01", "SEC-02")
async def test_a_context_of_a_session_that_is_not_the_callers_is_refused(world: World) -> None:
    alice = await person(world)
    session = await start(world, alice, key="trip")
    await offer(world, alice, "trip", "The ferry leaves at nine")
    strangers = [await person(world, "bob"), await person(world, device="phone")]
    turn = await begin(world, alice, "turn-2", "trip")
    await start(world, alice, key="second")
    before = await world.counts()

    for caller, named in ((strangers[0], session.uid), (strangers[1], "trip"), (alice, "other")):
        with pytest.raises(NotFound) as caught:
            await assembled(world, caller, session_id=named)
        assert caught.value.field == "sessionId"
        with pytest.raises(NotFound):
            await world.services.context.preview(caller, Request(prompt=PROMPT, budget=100, session_id=named))
    # A turn stays in its session.
    with pytest.raises(Conflict) as conflict:
        await assembled(world, alice, session_id="second", turn_id=turn.uid)
    assert conflict.value.field == "sessionId"
    assert await world.counts() == before


async def test_an_ended_session_has_no_new_context_and_its_turns_go_on_without_its_items(
    world: World,
) -> None:
    caller = await person(world)
    session = await start(world, caller, key="trip")
    await offer(world, caller, "trip", "The ferry leaves at nine")
    await begin(world, caller, "turn-1", "trip")
    await world.services.sessions.end(caller, EndSession(id=session.uid))

    assert (await assembled(world, caller, session_id="trip")).selection.items == ()
    with pytest.raises(IllegalTransition) as caught:
        await assembled(world, caller, session_id="trip", turn_id="turn-2")
    assert caught.value.field == "sessionId"


async def test_further_steps_of_a_turn_leave_out_what_its_own_contexts_showed(world: World) -> None:
    caller = await person(world)
    fact = await remembered(world, caller, "Mom gets seasick")
    keys = ("first", "second")
    for key in keys:
        await start(world, caller, key=key)
        await admit(world, caller, key, fact)
    first, second = [
        await assembled(world, caller, session_id=key, skip_seen=True, idempotency_key=key) for key in keys
    ]

    # The name stands for a turn of each session, and the first one has lost it to the second.
    more = await assembled(world, caller, session_id="first", skip_seen=True)
    again = await assembled(world, caller, session_id="first", skip_seen=True, idempotency_key="first")

    assert [len(each.selection.items) for each in (first, second)] == [1, 1]
    assert first.turn_uid == more.turn_uid != second.turn_uid
    assert [(each.uid, each.reason) for each in more.selection.excluded] == [(fact, Reason.SEEN)]
    assert again.receipt == first.receipt


async def left_behind(world: World, caller: Caller, *texts: str) -> tuple[str, list[str]]:
    """An ended session about Mom and the vacation that held memories, and a text of its own."""
    earlier = await start(world, caller, focus=("Mom", "vacation"))
    left = [await remembered(world, caller, text) for text in texts]
    for memory in left:
        parts = dict.fromkeys(("relevance_score", "urgency", "recency", "user_attention"), 0.9)
        await offer(
            world,
            caller,
            earlier.uid,
            None,
            Salience(**parts),
            item_id=memory,
            entities=("Mom", "vacation"),
        )
    await offer(world, caller, earlier.uid, "The vacation costs 900 says Mom", entities=("Mom", "vacation"))
    await world.services.sessions.end(caller, EndSession(id=earlier.uid))
    world.clock.advance(minutes=30)
    return earlier.uid, left


async def test_what_an_earlier_session_left_is_a_candidate_with_the_path(world: World) -> None:
    caller = await person(world)
    earlier, (fact,) = await left_behind(world, caller, "A house by the lake is best")
    later = await start(world, caller, key="trip", focus=("Mom", "vacation"))
    (relation,) = await world.services.session_correlations.related(caller, "trip")

    context = await assembled(world, caller, session_id="trip")

    (item,) = context.selection.items
    assert (item.uid, item.kind, item.reason) == (fact, CandidateKind.FACT, Reason.RELATED)
    assert (item.via, item.path) == (earlier, (later.uid, earlier))
    assert relation.session.uid == earlier
    assert item.parts.relevance == pytest.approx(relation.correlation_score * 0.9)
    receipt = await world.services.context.receipt(caller, "turn-1")
    assert [(each.uid, each.path) for each in receipt.included] == [(fact, (later.uid, earlier))]

    # Added to the session it is held. What is forgotten is in no context.
    await admit(world, caller, "trip", fact)
    held = await assembled(world, caller, session_id="trip", turn_id="turn-2")
    await world.services.memory.forget(caller, Forget(id=fact))
    gone = await assembled(world, caller, session_id="trip", turn_id="turn-3")

    assert [(each.uid, each.reason) for each in held.selection.items] == [(fact, Reason.HELD)]
    assert gone.selection.items == ()


async def test_what_an_earlier_session_left_stands_as_found_where_the_prompt_is_closer(world: World) -> None:
    caller = await person(world)
    earlier, (lake, ferry) = await left_behind(
        world, caller, "A house by the lake is best", "The ferry to Corsica is blue"
    )
    await start(world, caller, key="trip", focus=("Mom", "vacation"))

    context = await assembled(world, caller, "Which colour has the ferry to Corsica?", session_id="trip")

    assert [(each.uid, each.reason, each.via) for each in context.selection.items] == [
        (ferry, Reason.MATCHING, None),
        (lake, Reason.RELATED, earlier),
    ]


@pytest.mark.covers("COR-19", "COR-20")
async def test_what_another_actor_or_device_left_is_in_no_context(world: World) -> None:
    alice = await person(world)
    phone, bob = await person(world, device="phone"), await person(world, "bob")
    earlier, (fact,) = await left_behind(world, alice, "A house by the lake is best")

    async def shown_to(caller: Caller) -> list[tuple[str, str | None]]:
        session = await start(world, caller, focus=("Mom", "vacation"))
        context = await assembled(world, caller, session_id=session.uid, turn_id=session.uid)
        return [(each.uid, each.via) for each in context.selection.items]

    assert [await shown_to(caller) for caller in (phone, bob)] == [[], []]

    await world.services.session_bridging.link(phone, LinkSessions(across_devices=True))

    assert await shown_to(phone) == [(fact, earlier)]
    assert await shown_to(bob) == []
