"""Searches in which a newer note stands beside an older one: the order, what says so, pages, and borders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.config.tables import AlikeTable
from prefrontal.graph.search import store
from prefrontal.graph.search.record import SearchFilter, SearchResult
from prefrontal.graph.search.service import FoundPage, SearchService
from tests.graph.test_search import remember
from tests.graph.test_search_reranking import Reader, searching
from tests.support.world import World

QUESTION = "Which port has the server?"
OLD, NEW = "The port of the server is 22", "Since Friday we reach the server by another port: 49222"
OTHER = "The server stands in the cellar"


class Unchanging(Reader):
    """Reads no note as a change of another one; it keeps what it was asked."""

    def __init__(self, *words: str) -> None:
        super().__init__(*words)
        self.pairs: list[tuple[str, str]] = []

    async def changes(self, newer: str, older: Sequence[str]) -> list[float]:
        self.pairs += [(newer, each) for each in older]
        return [-6.0] * len(older)


def by_time(world: World, reader: Reader | None = None, changes: float | None = None) -> SearchService:
    """A search that reads the notes with the port as answers, with what is alike by the hash encoder."""
    search = searching(world, reader or Reader("port"))
    catalog = search._catalog
    table = catalog.search
    known = table.encoder("hash").model_copy(
        update={"alike": AlikeTable(relevance=0.2, cosine=0.2, changes=changes)}
    )
    search._catalog = catalog.model_copy(
        update={"search": table.model_copy(update={"encoders": {**table.encoders, "hash": known}})}
    )
    return search


async def noted(world: World, caller: Caller) -> None:
    """Remember the newer one first, so that the order of storing says nothing."""
    now = world.clock.now()
    await remember(world, caller, OTHER)
    for content, days in ((NEW, 3), (OLD, 300)):
        await remember(world, caller, content, happened_at=now - timedelta(days=days))


def texts(found: FoundPage) -> list[str]:
    return [each.content for each in found.items]


def newer(found: FoundPage) -> dict[str, str | None]:
    by_uid = {each.uid: each.content for each in found.items}
    return {each.content: None if each.newer is None else by_uid[each.newer] for each in found.items}


async def test_what_changes_nothing_stays_behind_though_it_is_newer(world: World) -> None:
    caller = await world.caller()
    await noted(world, caller)
    reader = Unchanging("port")

    found = await by_time(world, reader, changes=0.0).search(caller, QUESTION)

    assert texts(found)[:1] == [OLD]
    assert set(newer(found).values()) == {None}
    # The newer of both is asked whether it changes the other one.
    assert (NEW, OLD) in reader.pairs
    assert texts(await by_time(world, Reader("port"), changes=0.0).search(caller, QUESTION)) == [NEW, OLD]


async def test_another_value_in_the_same_words_comes_first_without_a_reading(world: World) -> None:
    caller = await world.caller()
    now, moved = world.clock.now(), "The port of the server is 49222"
    for content, days in ((moved, 3), (OLD, 300)):
        await remember(world, caller, content, happened_at=now - timedelta(days=days))
    reader = Unchanging("port")

    found = await by_time(world, reader, changes=0.0).search(caller, QUESTION)

    assert (texts(found), reader.pairs) == ([moved, OLD], [])


async def test_a_newer_note_comes_before_an_older_one_that_says_nearly_the_same(world: World) -> None:
    caller = await world.caller()
    await noted(world, caller)

    plain = await searching(world, Reader("port")).search(caller, QUESTION)
    found = await by_time(world).search(caller, QUESTION)

    assert texts(plain)[:1] == [OLD]
    assert texts(found) == [NEW, OLD]
    assert newer(found) == {NEW: None, OLD: NEW}
    # Both are there, and neither is replaced.
    assert [each.relevance > 0.5 for each in found.items] == [True, True]


async def test_a_question_about_the_past_and_what_was_superseded_stay_as_they_were(world: World) -> None:
    caller = await world.caller()
    await noted(world, caller)

    found = await by_time(world).search(caller, "Which port had the server before?")

    assert texts(found)[:1] == [OLD]
    assert set(newer(found).values()) == {None}


async def test_pages_go_on_where_the_one_before_ended(world: World) -> None:
    caller = await world.caller()
    await noted(world, caller)
    search, wanted = by_time(world), SearchFilter(min_relevance=0.0)
    whole = await search.search(caller, QUESTION, wanted)
    pages: list[SearchResult] = []
    after: str | None = None
    while True:
        page = await search.search(caller, QUESTION, wanted, first=1, after=after)
        pages += page.items
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert [each.content for each in pages] == texts(whole) == [NEW, OLD, OTHER]
    assert whole.weaker == 0


async def test_what_is_held_back_is_counted(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, OLD, "The port has a café", "The cat sleeps")

    found = await searching(world, Reader("22")).search(caller, QUESTION)

    assert texts(found) == [OLD]
    every = await searching(world, Reader("22")).search(caller, QUESTION, SearchFilter(min_relevance=0.1))
    assert found.weaker == len(every.items) - 1


@pytest.mark.covers("SEC-11")
async def test_nothing_is_compared_with_what_the_caller_may_not_read(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    for who in (caller, other):
        await noted(world, who)

    async def facts(who: Caller) -> list[str]:
        rows = await world.rows(
            "MATCH (m:Fact {org_id: $org, scope_id: $home}) RETURN m.uid AS uid ORDER BY uid", home=who.home
        )
        return [row["uid"] for row in rows]

    mine, theirs = (await facts(caller))[0], await facts(other)
    assert len(theirs) == 3

    async def near(first: str, *others: str) -> set[str]:
        found = await world.services.database.read(
            lambda tx: store.compare(tx, caller, others, "hash", first=first)
        )
        assert found.keys() <= {mine}
        return {uid for uid, each in found.items() if each.cosine is not None}

    assert await near(mine, mine, *theirs) == {mine}
    assert await near(theirs[0], mine) == set()
