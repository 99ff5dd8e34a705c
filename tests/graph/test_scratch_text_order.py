"""A text in a query orders what the filter finds and decides nothing else."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
    UpdateObservation,
)
from prefrontal.graph.storage.paging import encode_cursor
from tests.support.thinned import first_by_day
from tests.support.world import World

TEXTS = [
    "a long note that mentions red wine among many other things nobody asked for today",
    "tea",
    "red wine",
    "coffee",
    "red wine, red wine",
    "green",
]
BEST_FIRST = ["red wine, red wine", "red wine", TEXTS[0], "green", "coffee", "tea"]


async def add(world: World, caller: Any, texts: list[str], **more: Any) -> tuple[Observation, ...]:
    added: list[Observation] = []
    for text in texts:
        added += await world.services.scratch.service.add(caller, [ObservationDraft(content=text, **more)])
        world.clock.advance(seconds=1)
    return tuple(added)


async def ordered(world: World, caller: Any, query: str | None, **wanted: Any) -> list[str]:
    the_filter = ObservationFilter(query=query, **wanted)
    page = await world.services.scratch.service.find(caller, the_filter, first=100)
    assert await world.services.scratch.service.count(caller, the_filter) == len(page.items)
    assert not page.partial
    return [item.content for item in page.items]


async def pages(
    world: World, caller: Any, wanted: ObservationFilter, first: int, between: list[str] | None = None
) -> list[str]:
    """The ids of every page in order; `between` is added after each page."""
    seen: list[str] = []
    after = None
    while True:
        page = await world.services.scratch.service.find(caller, wanted, first=first, after=after)
        seen += [item.uid for item in page.items]
        if not page.has_next:
            return seen
        assert len(page.items) == first
        after = page.cursors[-1]
        for text in between or []:
            world.clock.advance(seconds=1)
            await world.services.scratch.service.add(
                caller,
                [ObservationDraft(content=text, tags=("t",), context=ObservationContext(goal_key="k"))],
            )


@pytest.mark.covers("OBS-24", "OBS-25")
@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"tags": ("t",)},
        {"goal_key": "k"},
        {"tags": ("t",), "goal_key": "k", "types": ("note",), "min_confidence": 0.5},
    ],
    ids=str,
)
async def test_the_best_matches_come_first_and_all_others_after_them_newest_first(
    world: World, wanted: dict[str, Any]
) -> None:
    caller = await world.caller()
    await add(
        world,
        caller,
        TEXTS,
        tags=("t",),
        type="note",
        context=ObservationContext(goal_key="k"),
        confidence=0.5,
    )

    assert await ordered(world, caller, "red wine", **wanted) == BEST_FIRST
    assert await ordered(world, caller, None, **wanted) == TEXTS[::-1]


@pytest.mark.covers("OBS-25")
async def test_what_matches_the_text_and_not_the_filter_is_not_found(world: World) -> None:
    caller = await world.caller()
    await add(world, caller, ["wine of the tag"], tags=("t",))
    await add(world, caller, ["tea of the tag"], tags=("t",))
    await add(world, caller, ["wine wine wine"], type="other", confidence=0.1, context=ObservationContext())
    await world.services.memory.remember(
        caller, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content="wine is a mandate")])
    )

    assert await ordered(world, caller, "wine", tags=("t",)) == ["wine of the tag", "tea of the tag"]
    assert await ordered(world, caller, "wine", types=("other",)) == ["wine wine wine"]
    assert await ordered(world, caller, "wine", min_confidence=0.5) == ["wine of the tag", "tea of the tag"]
    assert await ordered(world, caller, "wine", tags=("t", "none")) == []
    assert await ordered(world, caller, "nothing says this") == [
        "wine wine wine",
        "tea of the tag",
        "wine of the tag",
    ]


@pytest.mark.covers("OBS-24", "OBS-25")
async def test_a_text_orders_what_is_evidence_of_a_goal(world: World) -> None:
    caller = await world.caller()
    wine, tea, _ = await add(world, caller, ["the wine", "the tea", "more wine"])
    goal = await world.services.goals.service.create(
        caller,
        CreateGoal(title="g", evidence=tuple(EvidenceDraft(observation_id=o.uid) for o in (wine, tea))),
    )

    assert await ordered(world, caller, "wine", goal_id=goal.uid) == ["the wine", "the tea"]
    assert await ordered(world, caller, "tea", goal_id=goal.uid) == ["the tea", "the wine"]


@pytest.mark.alone
@pytest.mark.covers("OBS-25")
async def test_what_has_faded_or_was_put_away_has_no_rank_and_comes_after(world: World) -> None:
    caller = await world.caller()
    brief, gone, *_ = await add(world, caller, ["brief wine", "archived wine", "lasting wine", "tea"])
    await world.services.scratch.service.change(caller, ArchiveObservation(id=gone.uid))
    await world.services.scratch.service.change(caller, UpdateObservation(id=brief.uid, ttl_minutes=1))
    everything = tuple(ObservationStatus)

    assert (await ordered(world, caller, "wine", status=everything))[2:] == ["tea", "archived wine"]
    world.clock.advance(minutes=2)
    assert await ordered(world, caller, "wine") == ["lasting wine", "tea"]
    await world.services.jobs.run_once(ExpireObservations(world.services.catalog))
    assert await ordered(world, caller, "wine", status=everything) == [
        "lasting wine",
        "tea",
        "archived wine",
        "brief wine",
    ]


@pytest.mark.covers("OBS-25")
async def test_the_texts_of_other_spaces_are_not_found_and_move_nothing(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    await add(world, other, ["wine of another"] * 3)
    await add(world, caller, ["wine of mine", "tea"])

    assert await ordered(world, caller, "wine") == ["wine of mine", "tea"]


HARMLESS = {
    "empty": "",
    "blank": " \n\t ",
    "punctuation": "— ! ? … () \"\" '' \\ // :;",
    "emoji": "🍷👩‍👩‍👧‍👦🏳️‍🌈",
    "lucene": 'content:* OR searchable_in:* AND NOT (x) "y" ~2 ^4 [a TO b] {c TO d} /re/ \\ + - && ||',
    "control": "\x00\x01\x0b\x1b[31m\u2028\ufeff\uffff",
    "long": "x" * 20_000,
    "long punctuated": "a-" * 10_000,
    "long words": " ".join(f"word{n}" for n in range(2_000)),
    "long Han": "我想喝红酒" * 4_000,
    "stop words": "the and of a",
}


@pytest.mark.covers("OBS-24", "OBS-25")
@pytest.mark.parametrize("query", HARMLESS.values(), ids=HARMLESS.keys())
async def test_no_text_is_an_error_or_decides_membership(world: World, query: str) -> None:
    caller = await world.caller()
    await add(world, caller, ["one", "two", "three"], tags=("t",))

    for wanted in ({}, {"tags": ("t",)}):
        assert await ordered(world, caller, query, **wanted) == ["three", "two", "one"]
        assert len(await pages(world, caller, ObservationFilter(query=query, **wanted), 1)) == 3


async def test_a_text_too_long_names_its_field(world: World) -> None:
    caller = await world.caller()
    for query, field in (("x" * 20_001, "filter.query"), ("\ud800", "filter.query")):
        for call in (world.services.scratch.service.find, world.services.scratch.service.count):
            with pytest.raises(InvalidInput) as error:
                await call(caller, ObservationFilter(query=query))
            assert error.value.field == field


@pytest.mark.covers("OBS-24")
async def test_a_sentence_without_spaces_finds_a_part_of_it(world: World) -> None:
    caller = await world.caller()
    await add(world, caller, ["用户喜欢红酒", "用户在喝茶", "天气很好"])

    assert (await ordered(world, caller, "我想喝红酒"))[0] == "用户喜欢红酒"
    assert (await ordered(world, caller, "今天天气怎么样"))[0] == "天气很好"


@pytest.mark.nightly("pages of another order are tried while others write with each change")
@pytest.mark.covers("OBS-33")
@pytest.mark.parametrize(
    ("wanted", "first"),
    first_by_day(
        product([{}, {"tags": ("t",)}, {"goal_key": "k"}], [7, 20, 100]), "another filter or length of a page"
    ),
)
async def test_pages_cover_every_match_once_while_better_and_newer_ones_are_added(
    world: World, wanted: dict[str, Any], first: int
) -> None:
    caller = await world.caller()
    added: list[Observation] = []
    for number in range(6):
        added += await world.services.scratch.service.add(
            caller,
            [
                ObservationDraft(
                    content=f"{'wine ' * (n % 4)}{'tea ' * (n % 3)}{n} {number}",
                    tags=("t",),
                    context=ObservationContext(goal_key="k"),
                )
                for n in range(50)
            ],
        )
        world.clock.advance(seconds=1)
    the_filter = ObservationFilter(query="wine tea", **wanted)
    # 228 match the text: more than are ranked.
    before = await pages(world, caller, the_filter, 100)

    seen = await pages(world, caller, the_filter, first, between=["wine", "tea wine tea", "7"])

    known = {o.uid for o in added}
    assert len(seen) == len(set(seen))
    assert [uid for uid in seen if uid in known] == before
    assert set(before) == known
    most = world.services.catalog.scratch.ranking.most
    assert before[most:] == sorted(before[most:], reverse=True)
    assert before[:most] != sorted(before[:most], reverse=True)


@pytest.mark.covers("OBS-33")
async def test_a_match_that_leaves_between_two_pages_hides_no_other(world: World) -> None:
    caller = await world.caller()
    added = await add(world, caller, ["wine 1", "wine 2", "wine 3", "tea 1", "tea 2"])
    wanted = ObservationFilter(query="wine")

    page = await world.services.scratch.service.find(caller, wanted, first=1)
    left = [o for o in added if o.content.startswith("wine") and o != page.items[0]]
    await world.rows("MATCH (o:Observation {uid: $uid}) SET o.status = 'archived'", uid=left[0].uid)
    rest = await world.services.scratch.service.find(caller, wanted, first=10, after=page.cursors[-1])

    assert [item.content for item in rest.items] == [left[1].content, "tea 2", "tea 1"]


async def test_a_cursor_of_another_list_is_refused(world: World) -> None:
    caller = await world.caller()
    await add(world, caller, ["wine", "tea"])
    plain = await world.services.scratch.service.find(caller, ObservationFilter(), first=1)
    texted = await world.services.scratch.service.find(caller, ObservationFilter(query="wine"), first=1)

    for query, cursor in (("wine", plain.cursors[0]), (None, texted.cursors[0])):
        with pytest.raises(InvalidInput) as error:
            await world.services.scratch.service.find(caller, ObservationFilter(query=query), after=cursor)
        assert error.value.field == "after"


@pytest.mark.parametrize(
    "key",
    [(0, "obs_~", "x"), (1, "obs_~", ""), (-1, "obs_~", ""), (0, "obs_~", " ".join(["0" * 26] * 101))],
    ids=str,
)
async def test_a_forged_cursor_is_refused(world: World, key: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInput):
        await world.services.scratch.service.find(
            await world.caller(), ObservationFilter(query="x"), after=encode_cursor(*key)
        )


async def test_a_cursor_shows_no_observation_of_another_space(world: World) -> None:
    caller, other = await world.caller(), await world.caller("other")
    (foreign,) = await add(world, other, ["foreign"])
    cursor = encode_cursor(0, "obs_~", foreign.uid.removeprefix("obs_"))

    page = await world.services.scratch.service.find(caller, ObservationFilter(query="foreign"), after=cursor)

    assert page.items == ()
