"""What a new memory seems to replace: named among the older ones of its kind and space, never by itself."""

from __future__ import annotations

from datetime import timedelta

from prefrontal.graph.caller import Caller
from prefrontal.graph.memory.record import Memory, MemoryDraft, MemoryFilter, MemoryKind, Remember, Supersede
from prefrontal.graph.search.record import ReplacementReason, SearchKind
from prefrontal.graph.search.replacement import Note
from prefrontal.graph.search.service import SearchService
from tests.graph.test_search_reranking import Reader, Stuck, searching
from tests.support.world import World

OLD, NEW = "The port of the server is 22", "The port of the server is 49222"
OTHER = "The server stands in the cellar"


async def remembered(world: World, caller: Caller, *drafts: MemoryDraft | str, **given: str) -> list[Memory]:
    facts = [
        MemoryDraft(kind=MemoryKind.FACT, content=each) if isinstance(each, str) else each for each in drafts
    ]
    done = await world.services.memory.remember(caller, Remember(memories=facts, **given))
    return list(done.memories)


def note(memory: Memory) -> Note:
    return Note(memory.uid, memory.scope_id, SearchKind(memory.kind), memory.content, memory.happened_at)


async def replaced(
    world: World, caller: Caller, memory: Memory, search: SearchService | None = None
) -> list[tuple[str, ReplacementReason]] | None:
    found = await (search or searching(world, None)).seems_to_replace(caller, [note(memory)])
    if found is None:
        return None
    assert {each.newer for each in found} <= {memory.uid}
    older = await world.services.memory.get(caller, [each.older for each in found])
    return [(older[each.older].content, each.reason) for each in found]


async def test_a_fact_with_another_value_names_the_older_one_until_it_is_superseded(world: World) -> None:
    caller = await world.caller()
    older, _ = await remembered(world, caller, OLD, OTHER)
    world.clock.advance(hours=1)
    (newer,) = await remembered(world, caller, NEW)

    assert await replaced(world, caller, newer) == [(OLD, ReplacementReason.OTHER_VALUE)]
    assert await replaced(world, caller, older) == []
    assert await world.services.memory.count(caller, MemoryFilter()) == 3

    await world.services.memory.supersede(caller, Supersede(id=older.uid, by=newer.uid))
    assert await replaced(world, caller, newer) == []


async def test_what_the_reranker_reads_as_a_change_is_named_behind_it(world: World) -> None:
    caller = await world.caller()
    await remembered(world, caller, "Farida keeps the server", OLD, OTHER)
    world.clock.advance(hours=1)
    (newer,) = await remembered(world, caller, NEW)
    search = searching(world, Reader("Farida"), changes=0.0)

    assert await replaced(world, caller, newer, search) == [
        (OLD, ReplacementReason.OTHER_VALUE),
        ("Farida keeps the server", ReplacementReason.CHANGE),
    ]


async def test_what_is_of_another_kind_space_or_time_is_not_named(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    await remembered(world, caller, MemoryDraft(kind=MemoryKind.SKILL, content=OLD))
    await remembered(world, caller, MemoryDraft(kind=MemoryKind.EPISODE, content=OLD))
    later = world.clock.now() + timedelta(days=1)
    await remembered(world, caller, MemoryDraft(kind=MemoryKind.FACT, content=OLD, happened_at=later))
    await remembered(world, caller, OLD, space=caller.common)
    await remembered(world, other, OLD)
    world.clock.advance(hours=1)
    (newer,) = await remembered(world, caller, NEW)

    assert await replaced(world, caller, newer) == []
    # Whoever knows the id of another's memory, and its space, is told nothing of that space.
    (theirs,) = await remembered(world, other, NEW)
    assert await searching(world, None).seems_to_replace(caller, [note(theirs)]) == []


async def test_what_happened_and_what_was_said_replaces_nothing(world: World) -> None:
    caller = await world.caller()
    for kind in (MemoryKind.EPISODE, MemoryKind.MESSAGE):
        await remembered(world, caller, MemoryDraft(kind=kind, content=OLD))
        world.clock.advance(hours=1)
        (newer,) = await remembered(world, caller, MemoryDraft(kind=kind, content=NEW))
        assert await replaced(world, caller, newer) == []


async def test_a_late_reading_is_no_answer(world: World) -> None:
    caller = await world.caller()
    await remembered(world, caller, OLD)
    world.clock.advance(hours=1)
    (newer,) = await remembered(world, caller, NEW)

    assert await replaced(world, caller, newer, searching(world, Stuck(), changes=0.0)) is None


async def test_only_the_first_notes_of_a_call_are_looked_at(world: World) -> None:
    caller = await world.caller()
    await remembered(world, caller, OLD)
    world.clock.advance(hours=1)
    most = world.services.catalog.search.replacement.notes
    new = await remembered(
        world, caller, *(f"The port of the server is {number}" for number in range(most + 1))
    )

    found = await searching(world, None).seems_to_replace(caller, [note(each) for each in new])

    assert found is not None
    assert new[0].uid in {each.newer for each in found}
    assert new[-1].uid not in {each.newer for each in found}
