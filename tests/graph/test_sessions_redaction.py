"""Redaction in sessions: what has a place and is never shown; and what sessions keep from each other."""

from __future__ import annotations

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext, Context, Request
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.errors import IllegalTransition, NotFound
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.correlation_record import SharedKind
from prefrontal.graph.sessions.record import (
    BridgeSession,
    EndSession,
    EvictionReason,
    Item,
    OperationResult,
    Session,
    SessionContext,
    UpdateWorkingMemory,
    WorkingMemorySearch,
)
from tests.graph.test_sessions import (
    ADD,
    EVICT,
    HIGH,
    LOW,
    REFRESH,
    UPDATE,
    change,
    items_of,
    offer,
    person,
    start,
)
from tests.graph.test_sessions_privacy import WORD
from tests.support.correlating import compare
from tests.support.world import World

SECRET = f"The {WORD} is hidden at the sea"
PROMPT = f"Where is the {WORD}?"
FOCUS = ("vacation", "lake house")


async def remembered(
    world: World, caller: Caller, text: str, *entities: str, space: str | None = None
) -> str:
    names = tuple(EntityName(name=name) for name in entities)
    draft = MemoryDraft(kind=MemoryKind.FACT, content=text, entities=names)
    command = Remember(memories=(draft,), space=space)
    (memory,) = (await world.services.memory.remember(caller, command)).memories
    return memory.uid


async def assembled(world: World, caller: Caller, **fields: str) -> Context:
    command = AssembleContext(prompt=PROMPT, budget=2000, **fields)
    return await world.services.context.assemble(caller, command)


def uids(context: Context) -> set[str]:
    return {item.uid for item in (*context.selection.items, *context.selection.excluded)}


async def session_now(world: World, caller: Caller, uid: str) -> Session:
    return (await world.services.sessions.get(caller, [uid]))[uid]


@pytest.mark.covers("SEC-07")
async def test_a_memory_that_was_redacted_in_a_session_is_nowhere_in_it(world: World) -> None:
    alice, sessions = await person(world), world.services.sessions
    secret = await remembered(world, alice, SECRET, f"{WORD} of Ann")
    boat = await remembered(world, alice, "The boat costs 80 euros a day", "boat")
    one, two = await start(world, alice, focus=FOCUS), await start(world, alice, focus=FOCUS)
    for session in (one, two):
        for item in (secret, boat):
            await offer(world, alice, session.uid, None, item_id=item)
    await compare(world)
    key = {"idempotency_key": "k", "turn_id": "turn-1", "session_id": one.uid}
    before = await assembled(world, alice, **key)
    assert secret in uids(before)
    (link,) = await world.services.session_correlations.related(alice, two.uid)
    assert secret in {each.node_uid for each in link.shared}
    assert WORD in str(link.shared_entities)
    alone = await start(world, alice)
    await offer(world, alice, alone.uid, None, item_id=boat)

    done = await change(world, alice, one.uid, UPDATE, secret, redacted=True)

    # Before any job has run.
    assert (done.operation_result, done.session.items) == (OperationResult.UPDATED, 2)
    for session in (one, two):
        for link in await world.services.session_correlations.related(alice, session.uid):
            assert secret not in {each.node_uid for each in link.shared}
    (link,) = [
        each
        for each in await world.services.session_correlations.related(alice, two.uid)
        if each.session.uid == one.uid
    ]
    assert WORD not in str(link)
    assert {item.memory_uid for item in link.unfinished} == set()
    assert WORD not in str(await session_now(world, alice, one.uid))
    await compare(world)
    (about,) = await world.rows(
        "MATCH (s:Session {uid: $one})-[on:ON]->() WITH s, collect(on.name) AS names "
        "MATCH (other:Session {uid: $alone}) RETURN names, s.digest AS digest, other.digest AS only",
        one=one.uid,
        alone=alone.uid,
    )
    assert WORD not in str(about["names"])
    # The vector is that of the boat alone.
    assert about["digest"] == pytest.approx(about["only"])
    assert [item.item_id for item in await items_of(world, alice, one.uid)] == [boat]
    searched = await sessions.active_context(alice, one.uid, WorkingMemorySearch(text=SECRET))
    assert searched is not None
    assert searched.items == ()
    assert searched.session.items == 2
    past = (await sessions.history(alice, one.uid)).items
    assert {each.item_id: each.shown_uid for each in past} == {secret: None, boat: boat}
    for context in (
        await assembled(world, alice, **key),
        await assembled(world, alice, turn_id="turn-2", session_id=one.uid),
        await world.services.context.preview(alice, Request(prompt=PROMPT, budget=2000, session_id=one.uid)),
    ):
        assert secret not in uids(context)
        assert WORD not in context.selection.text
    # In the other session, and without a session, it is what it was.
    assert secret in {item.item_id for item in await items_of(world, alice, two.uid)}
    assert secret in uids(await assembled(world, alice, turn_id="turn-3"))


@pytest.mark.covers("SEC-07")
async def test_nobody_is_offered_what_an_earlier_session_has_redacted(world: World) -> None:
    alice = await person(world)
    secret = await remembered(world, alice, SECRET, f"{WORD} of Ann")
    boat = await remembered(world, alice, "The boat costs 80 euros a day", "boat")
    one = await start(world, alice, focus=FOCUS)
    # It was held before, in clear.
    await offer(world, alice, one.uid, None, item_id=secret)
    await change(world, alice, one.uid, EVICT, secret)
    world.clock.advance(seconds=1)
    await offer(world, alice, one.uid, None, item_id=secret, redacted=True)
    await offer(world, alice, one.uid, None, item_id=boat)
    await world.services.sessions.end(alice, EndSession(id=one.uid))
    world.clock.advance(minutes=5)
    two = await start(world, alice, focus=("boat", "euros"), task="the boat costs 80 euros a day")
    await compare(world)

    (link,) = await world.services.session_correlations.related(alice, two.uid)
    assert [item.memory_uid for item in link.unfinished] == [boat]
    assert WORD not in str(link)
    command = BridgeSession(session_id=two.uid, from_session_id=one.uid, item_ids=(secret,))
    with pytest.raises(NotFound) as caught:
        await world.services.session_bridging.bridge(alice, command)
    assert caught.value.field == "itemIds"
    await offer(world, alice, two.uid, None, item_id=secret)
    (link,) = await world.services.session_correlations.related(alice, two.uid)
    assert SharedKind.MEMORY not in {each.kind for each in link.shared}


@pytest.mark.covers("SEC-07")
async def test_a_redacted_item_has_a_place_and_nothing_is_derived_from_it(world: World) -> None:
    alice = await person(world)
    bare, full = await start(world, alice, max_capacity=2), await start(world, alice, max_capacity=2)
    for session in (bare, full):
        await offer(world, alice, session.uid, "The boat at the sea", item_id="boat", entities=("boat",))
    await offer(world, alice, full.uid, SECRET, item_id="secret", entities=("Ann",), redacted=True)

    plain, with_secret = await session_now(world, alice, bare.uid), await session_now(world, alice, full.uid)
    judged = ("dominant_themes", "coherence", "thematic_coherence", "entity_coherence", "temporal_coherence")
    assert {name: getattr(with_secret, name) for name in judged} == {
        name: getattr(plain, name) for name in judged
    }
    assert (plain.items, with_secret.items) == (1, 2)
    # What is judged next has the threshold of a fuller session, and no other part of it differs.
    one, other = [
        (await offer(world, alice, uid, "The sea is cold", LOW, item_id="sea")).admission
        for uid in (bare.uid, full.uid)
    ]
    assert one is not None
    assert other is not None
    assert (one.salience_threshold, other.salience_threshold) == (
        pytest.approx(0.425 * 1.25),
        pytest.approx(0.425 * 1.5),
    )
    same = {"admitted", "salience_threshold"}
    assert one.model_dump(exclude=same) == other.model_dump(exclude=same)

    # It leaves as any other.
    world.clock.advance(hours=1)
    await change(world, alice, full.uid, REFRESH, "boat")
    done = await offer(world, alice, full.uid, "The flight to Lisbon", item_id="flight")
    assert [(each.item_id, each.reason) for each in done.evicted_items] == [
        ("secret", EvictionReason.CAPACITY)
    ]


@pytest.mark.covers("SEC-07")
async def test_a_redaction_is_not_taken_back_but_the_item_may_be_added_again(world: World) -> None:
    alice = await person(world)
    session = await start(world, alice)
    secret = await remembered(world, alice, SECRET)
    await offer(world, alice, session.uid, None, item_id=secret, redacted=True)

    with pytest.raises(IllegalTransition) as caught:
        await change(world, alice, session.uid, UPDATE, secret, redacted=False)

    assert caught.value.field == "content.redacted"
    # Further uses do not show it.
    await change(world, alice, session.uid, REFRESH, secret)
    await offer(world, alice, session.uid, None, item_id=secret, entities=(WORD,))
    assert await items_of(world, alice, session.uid) == []
    await change(world, alice, session.uid, EVICT, secret)
    world.clock.advance(seconds=1)
    await offer(world, alice, session.uid, None, item_id=secret)
    assert [item.content for item in await items_of(world, alice, session.uid)] == [SECRET]


@pytest.mark.covers("SEC-03")
async def test_what_a_session_holds_of_a_space_goes_with_the_access_to_the_space(world: World) -> None:
    bob, alice = await world.caller("other"), await person(world)
    access = world.services.access
    team = await access.create_space(bob, CreateSpace(name="Team"))
    actor, bob = Actor(kind=ActorKind.PERSON, key="alice"), await world.caller("other")
    secret = await remembered(world, bob, SECRET, f"{WORD} of Ann", space=team)
    session = await start(world, alice, focus=FOCUS)
    with pytest.raises(NotFound):
        await offer(world, alice, session.uid, None, item_id=secret)
    await world.grant(bob, GrantAccess(space=team, actor=actor, permission=SpacePermission.READ))
    alice = await person(world)
    await offer(world, alice, session.uid, None, item_id=secret)
    later = await start(world, alice, focus=FOCUS)
    await offer(world, alice, later.uid, None, item_id=secret)
    await compare(world)
    assert [item.content for item in await items_of(world, alice, session.uid)] == [SECRET]

    await access.revoke_access(bob, RevokeAccess(space=team, actor=actor))
    alice = await person(world)

    assert await items_of(world, alice, session.uid) == []
    (link,) = await world.services.session_correlations.related(alice, later.uid)
    assert (SharedKind.MEMORY in {each.kind for each in link.shared}, link.unfinished) == (False, ())
    assert secret not in uids(await assembled(world, alice, session_id=session.uid))
    with pytest.raises(NotFound):
        await offer(world, alice, (await start(world, alice)).uid, None, item_id=secret)
    done = await offer(world, alice, session.uid, "The flight to Lisbon")
    assert [(each.item_id, each.reason) for each in done.evicted_items] == [(secret, EvictionReason.GONE)]


@pytest.mark.covers("SEC-10")
async def test_what_happens_in_one_session_leaves_another_one_as_it_is(world: World) -> None:
    alice, sessions = await person(world), world.services.sessions
    shared = await remembered(world, alice, "The boat costs 80 euros a day", "boat")
    busy, quiet = await start(world, alice, max_capacity=3), await start(world, alice, max_capacity=3)
    for session in (busy, quiet):
        await offer(world, alice, session.uid, None, item_id=shared)
        await offer(world, alice, session.uid, "The flight to Lisbon", item_id="flight", entities=("Lisbon",))
    world.clock.advance(minutes=1)

    async def state() -> tuple[Session, list[Item]]:
        return await session_now(world, alice, quiet.uid), await items_of(world, alice, quiet.uid)

    before = await state()
    world.clock.advance(minutes=1)
    for number in range(4):
        await offer(world, alice, busy.uid, f"Wine number {number} of the cellar", entities=("wine",))
    assert {item.item_id for item in await items_of(world, alice, busy.uid)} & {shared, "flight"} == set()
    for operation in (ADD, UPDATE, REFRESH, EVICT):
        await sessions.update(
            alice,
            UpdateWorkingMemory(
                session_id=busy.uid,
                operation=operation,
                content={"item_id": "flight", "content": None if operation is EVICT else "Another flight"},
                salience=HIGH,
                session_context=SessionContext(current_task="wine", attention_focus=("cellar",)),
            ),
        )
    await offer(world, alice, busy.uid, None, item_id=shared, pinned=True, redacted=True)
    assert await state() == before
    await sessions.accesses.batcher.flush()
    counted = await state()
    # Only the three looks at it count, each of both items.
    assert [item.access_count for item in counted[1]] == [2, 2]
    await sessions.end(alice, EndSession(id=busy.uid))
    assert await state() == counted
