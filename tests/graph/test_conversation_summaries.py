"""Older messages of a conversation are summarised; contexts show the summary before the newest messages."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import (
    AssembleContext,
    CandidateKind,
    Constraints,
    Context,
    ContextFormat,
    Item,
    Reason,
    Request,
    Section,
)
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.jobs.summaries import SummariseConversations
from prefrontal.graph.memory.record import Forget, Memory, MemoryDraft, MemoryKind, Remember, Supersede
from prefrontal.graph.search.record import SearchFilter
from prefrontal.graph.summaries.rolling import ConversationSummaries
from prefrontal.graph.turns.record import CommitAtTurnEnd, TurnMemory
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World

pytestmark = pytest.mark.alone

SUMMARY, MESSAGE = CandidateKind.SUMMARY, CandidateKind.MESSAGE
COUNTS = {
    "conversation_every": 3,
    "conversation_newest": 2,
    "conversation_sentences": 2,
    "most_messages": 3,
}


async def say(
    world: World, caller: Caller, *contents: str, space: str | None = None, **fields: Any
) -> list[Memory]:
    world.clock.advance(seconds=1)
    drafts = [
        MemoryDraft(
            kind=MemoryKind.MESSAGE,
            content=content,
            **{"speaker": "Ann", "conversation": "chat", **fields},
        )
        for content in contents
    ]
    return list(
        (await world.services.memory.remember(caller, Remember(memories=drafts, space=space))).memories
    )


def small(services: Services, **changes: int) -> SummariseConversations:
    """The job with small numbers."""
    catalog = services.catalog
    table = catalog.summaries.model_copy(update=COUNTS | changes)
    jobs = catalog.jobs.model_copy(
        update={
            "summarise_conversations": catalog.jobs.summarise_conversations.model_copy(update={"batch": 2})
        }
    )
    catalog = catalog.model_copy(update={"summaries": table, "jobs": jobs})
    return SummariseConversations(catalog, ConversationSummaries(catalog))


async def roll(world: World, **changes: int) -> int | None:
    return await world.services.jobs.run_once(small(world.services, **changes))


async def summary_texts(world: World) -> list[str]:
    """The texts of the summaries, without the day."""
    rows = await world.rows(
        "MATCH (s:Summary {org_id: $org, kind: 'conversation'})-[:SUMMARISES]->(c:Conversation) "
        "WHERE s.scope_id = c.scope_id RETURN s.text AS text ORDER BY c.key, c.scope_id"
    )
    return [row["text"].replace(f"{world.clock.now():%Y-%m-%d}", "D") for row in rows]


async def context(world: World, caller: Caller, **fields: Any) -> Context:
    request = Request(**{"prompt": "And now?", "budget": 2000, **fields})
    return await world.services.context.preview(caller, request)


def items_of(context: Context, *kinds: CandidateKind) -> list[Item]:
    return [item for item in context.selection.items if item.kind in (kinds or (SUMMARY,))]


RED = "3 messages on D, by Ann. Ann: Which wine do we take? Ann: Wine of the cellar, the red wine."
WINE = (
    "Which wine do we take?",
    "Wine of the cellar, the red wine.",
    "It rains.",
    "Four",
    "Five",
)


@pytest.mark.covers("CTX-11", "TURN-119")
async def test_older_messages_are_summarised_as_the_conversation_goes_on(world: World) -> None:
    caller = await world.caller()
    world.clock.advance(hours=-world.clock.now().hour)
    await say(world, caller, *WINE[:4])
    assert (await roll(world), await summary_texts(world)) == (0, [])

    await say(world, caller, WINE[4], speaker="Bob")
    assert await roll(world) == 1
    assert await summary_texts(world) == [RED]
    assert await roll(world) == 0

    # The newest ones wait; two more are too few. What the end of a turn remembers counts too.
    world.clock.advance(seconds=1)
    turn = CommitAtTurnEnd(
        turn_id="t",
        memories=[
            TurnMemory(kind=MemoryKind.MESSAGE, content=content, speaker="Bob", conversation="chat")
            for content in ("Wine, wine and wine", "Seven")
        ],
    )
    await world.services.turns.commit.commit(caller, turn)
    assert (await roll(world), await summary_texts(world)) == (0, [RED])
    await say(world, caller, "Eight")
    assert await roll(world) == 1

    assert await summary_texts(world) == [
        "6 messages on D, by Ann and Bob. Ann: Wine of the cellar, the red wine. Bob: Wine, wine and wine"
    ]
    rows = await world.rows(
        "MATCH (c:Conversation {org_id: $org})<-[:SUMMARISES]-(s)-[:RESTS_ON]->(m) "
        "WITH c, s, m ORDER BY m.uid "
        "RETURN c.behind AS behind, s.upto AS upto, s.by_uid = $org AS service, collect(m.content) AS rests"
    )
    assert rows == [{"behind": 2, "upto": 6, "service": True, "rests": [WINE[1], "Wine, wine and wine"]}]


async def test_a_long_conversation_and_many_are_summarised_in_batches(world: World) -> None:
    caller = await world.caller()
    world.clock.advance(hours=-world.clock.now().hour)
    await say(world, caller, *(f"Number {number}" for number in range(12)))
    for key in ("a", "b", "c"):
        await say(world, caller, *WINE, conversation=key)
    await say(world, caller, *WINE, conversation=None)

    await roll(world)

    assert [text.split(". ")[0] for text in await summary_texts(world)] == [
        *["3 messages on D, by Ann"] * 3,
        "9 messages on D, by Ann",
    ]
    assert await roll(world) == 0


@pytest.mark.covers("CTX-11", "CTX-14", "CTX-22")
async def test_a_context_shows_the_summary_before_the_newest_messages(world: World) -> None:
    caller = await world.caller()
    said = await say(world, caller, *WINE)
    await roll(world)
    (text,) = await summary_texts(world)
    world.statements.clear()

    found = await world.services.context.assemble(
        caller, AssembleContext(prompt="And now?", budget=2000, turn_id="t")
    )

    assert world.statements.names.count("context/read_candidates") == 1
    items = [item for each in found.selection.sections for item in each.items]
    assert [item.kind for item in items] == [SUMMARY, *[MESSAGE] * 5]
    (item,) = items_of(found)
    assert (item.section, item.reason, item.rank) == (Section.CONVERSATION_HISTORY, Reason.RECENT, 1)
    line = text.replace("D,", f"{world.clock.now():%Y-%m-%d},")
    assert item.text == f'- "{line}"\n'
    count = world.services.context._count
    assert item.tokens == count(item.text)
    assert found.selection.used == count(found.selection.text)
    assert found.selection.text.startswith(f"# Earlier conversation\n{item.text}# Conversation\n")

    receipt = await world.services.context.receipt(caller, "t")
    assert [each.uid for each in receipt.included] == [item.uid, *(memory.uid for memory in said)]
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])
    rows = await world.rows("MATCH (:Turn {org_id: $org})-[saw:SAW]->(s:Summary) RETURN saw.rank AS rank")
    assert rows == [{"rank": 1}]
    # What was seen stays seen, and a key repeated gives the summary again.
    command = AssembleContext(prompt="And now?", budget=2000, turn_id="t2", idempotency_key="k")
    first = await world.services.context.assemble(caller, command)
    again = await world.services.context.assemble(caller, command)
    assert again.selection.text == first.selection.text == found.selection.text
    more = await world.services.context.assemble(
        caller, AssembleContext(prompt="And now?", budget=2000, turn_id="t", skip_seen=True)
    )
    assert items_of(more, SUMMARY, MESSAGE) == []
    assert {each.reason for each in more.selection.excluded} == {Reason.SEEN}

    (xml,) = items_of(await context(world, caller, format=ContextFormat.XML))
    assert xml.text == f'<summary id="{item.uid}">"{line}"</summary>\n'


@pytest.mark.covers("CTX-11", "CTX-35")
async def test_a_tight_budget_has_the_messages_before_the_summary(world: World) -> None:
    caller = await world.caller()
    await say(world, caller, *WINE)
    await roll(world)
    whole = await context(world, caller)
    assert len(items_of(whole)) == 1

    exact = await context(world, caller, budget=whole.selection.used)
    less = await context(world, caller, budget=whole.selection.used - 1)
    # With room for one message alone the summary has none.
    least = await context(world, caller, budget=40)
    none = await context(world, caller, constraints=Constraints(max_items=0))
    two = await context(world, caller, constraints=Constraints(max_items=2))

    assert exact.selection.text == whole.selection.text
    assert (len(items_of(less)), len(items_of(less, MESSAGE))) == (0, 5)
    assert [each.reason for each in less.selection.excluded] == [Reason.OVER_BUDGET]
    assert (len(items_of(least)), len(items_of(least, MESSAGE))) == (0, 1)
    # It stands beside messages only, and does not count as one.
    assert (len(items_of(none)), len(items_of(none, MESSAGE))) == (0, 0)
    assert {each.reason for each in none.selection.excluded} == {Reason.OVER_MAX_ITEMS}
    assert (len(items_of(two)), len(items_of(two, MESSAGE))) == (1, 2)


async def test_an_old_conversation_shows_no_summary(world: World) -> None:
    caller = await world.caller()
    await say(world, caller, *WINE)
    await roll(world)
    world.clock.advance(days=8)

    assert items_of(await context(world, caller), SUMMARY, MESSAGE) == []


@pytest.mark.covers("CTX-11")
async def test_what_was_forgotten_is_in_no_summary(world: World) -> None:
    caller = await world.caller()
    world.clock.advance(hours=-world.clock.now().hour)
    said = await say(world, caller, *WINE)
    await say(world, caller, *WINE, conversation="other")
    await say(world, caller, "Unlike", "the", "others", "at", "all", conversation="third")
    await roll(world)
    third = "3 messages on D, by Ann. Ann: Unlike Ann: the"
    assert await summary_texts(world) == [RED, RED, third]

    # No summary is about the newest ones.
    await world.services.memory.forget(caller, Forget(id=said[4].uid))
    assert await summary_texts(world) == [RED, RED, third]

    # What is forgotten in a space is forgotten in both conversations.
    await world.services.memory.forget(caller, Forget(id=said[1].uid))
    assert await summary_texts(world) == [third]
    assert [item.text for item in items_of(await context(world, caller)) if "wine" in item.text] == []
    assert await roll(world) == 2

    await say(world, caller, "Seven", "Eight")
    assert await roll(world) == 1
    assert await summary_texts(world) == [
        "3 messages on D, by Ann. Ann: Which wine do we take? Ann: It rains.",
        third,
    ]


async def test_what_was_superseded_is_in_no_summary(world: World) -> None:
    caller = await world.caller()
    said = await say(world, caller, *WINE)
    await roll(world)
    newer = MemoryDraft(
        kind=MemoryKind.MESSAGE, content="White wine, wine and wine", speaker="Ann", conversation="chat"
    )

    await world.services.memory.supersede(caller, Supersede(id=said[0].uid, memory=newer))

    assert await summary_texts(world) == []


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_nobody_else_sees_a_summary(world: World) -> None:
    caller = await world.caller()
    space = await world.services.access.create_space(caller, CreateSpace(name="house"))
    caller = await world.caller()
    await world.caller("other")
    await say(world, caller, *WINE)
    await say(world, caller, *(f"{text} Or not?" for text in WINE), space=space)
    await roll(world)
    assert len(await summary_texts(world)) == 2
    reader = Actor(kind=ActorKind.AGENT, key="other")
    await world.grant(caller, GrantAccess(space=space, actor=reader, permission=SpacePermission.READ))

    (mine,) = items_of(await context(world, caller))

    # A conversation of a space that others share is none of the caller's own.
    assert (mine.scope_id, "Or not?" in mine.text) == (caller.home, False)
    other = await world.caller("other")
    assert space in other.readable
    assert items_of(await context(world, other)) == []
    # Not even what it says to have seen itself.
    command = AssembleContext(prompt="And now?", budget=2000, turn_id="t")
    await world.services.context.assemble(caller, command)
    await world.rows(
        "MATCH (r:ContextReceipt {org_id: $org}) MATCH (t:Turn)-[:RECEIVED]->(r) "
        "SET t.scope_id = $space, r.scope_id = $space",
        space=space,
    )
    receipt = await world.services.context.receipt(other, "t")
    assert receipt.included == ()
    receipt = await world.services.context.receipt(await world.caller(), "t")
    assert mine.uid in {each.uid for each in receipt.included}


async def test_a_search_finds_no_summary(world: World) -> None:
    caller = await world.caller()
    await say(world, caller, *WINE)
    await roll(world)

    found = await world.services.search.search(caller, "Ann 3 messages wine", SearchFilter(min_relevance=0))

    assert Counter(kind_of(each.uid) for each in found.items) == {Kind.MESSAGE: 5}


@pytest.mark.covers("CTX-11")
async def test_who_forgets_a_message_that_is_being_summarised_takes_the_summary_along(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    said = await say(world, caller, *WINE)

    async with open_transaction(world, monkeypatch, roll(world), writes=2) as rolling:
        forgetting = asyncio.create_task(world.services.memory.forget(caller, Forget(id=said[0].uid)))
        assert await blocked(world, forgetting, caller, "(c:Conversation")
    assert await asyncio.gather(rolling, forgetting)

    assert await summary_texts(world) == []


@pytest.mark.covers("CTX-11")
async def test_who_summarises_waits_for_who_forgets(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = await world.caller()
    said = await say(world, caller, *WINE, "Six")

    forgetting = world.services.memory.forget(caller, Forget(id=said[0].uid))
    async with open_transaction(world, monkeypatch, forgetting) as first:
        rolling = asyncio.create_task(roll(world))
        while not await world.rows(
            "SHOW TRANSACTIONS YIELD currentQuery, status "
            "WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'c.behind >= $p.due' "
            "RETURN 1 AS one"
        ):
            assert not rolling.done()
    await asyncio.gather(first, rolling)

    (text,) = await summary_texts(world)
    assert text.endswith("3 messages on D, by Ann. Ann: Wine of the cellar, the red wine. Ann: It rains.")
