"""Finding observations: what decides membership, and in which order pages come."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import InvalidInput, TimedOut
from prefrontal.graph.scratch import search_store
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
)
from tests.support.thinned import first_by_day
from tests.support.world import World


async def found(world: World, caller: Any, **wanted: Any) -> set[str]:
    """The contents of everything that matches; page and count must agree about it."""
    the_filter = ObservationFilter(**wanted)
    page = await world.services.scratch.service.find(caller, the_filter, first=100)
    assert await world.services.scratch.service.count(caller, the_filter) == len(page.items)
    assert not page.partial
    return {observation.content for observation in page.items}


async def three_tagged(world: World, caller: Any) -> tuple[Observation, ...]:
    return await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(content="one", tags=("wine", "preference")),
            ObservationDraft(content="two", tags=("wine", "budget")),
            ObservationDraft(content="three", tags=("travel", "destination")),
        ],
    )


@pytest.mark.covers("OBS-27", "OBS-30", "OBS-34..36")
async def test_a_query_by_tag_returns_exactly_those_that_carry_it(world: World) -> None:
    caller = await world.caller()
    one, two, _ = await three_tagged(world, caller)

    page = await world.services.scratch.service.find(
        caller, ObservationFilter(tags=("wine",), status=(ObservationStatus.ACTIVE,))
    )

    assert page.items == (two, one)
    assert all("wine" in observation.tags for observation in page.items)
    assert page.query_time_ms > 0
    assert (page.has_next, page.partial) == (False, False)
    assert await world.services.scratch.service.count(caller, ObservationFilter(tags=("wine",))) == 2


@pytest.mark.covers("OBS-26", "OBS-28", "OBS-29")
@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("wine", "budget"), ("two",)),
        (("budget", "wine"), ("two",)),
        (("WINE ", "Wine"), ("one", "two")),
        (("wine", "travel"), ()),
        (("wine", "unheard of"), ()),
        (("unheard of",), ()),
        ((), ("one", "two", "three")),
    ],
    ids=str,
)
async def test_several_tags_must_all_be_there_and_none_filters_nothing(
    world: World, tags: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    caller = await world.caller()
    await three_tagged(world, caller)

    assert await found(world, caller, tags=tags) == set(expected)


@pytest.mark.covers("OBS-28", "OBS-32")
async def test_nothing_matches_is_an_empty_page_and_zero(world: World) -> None:
    caller = await world.caller()

    page = await world.services.scratch.service.find(caller, ObservationFilter(tags=("wine",)))

    assert (page.items, page.cursors, page.has_next) == ((), (), False)
    assert await world.services.scratch.service.count(caller, ObservationFilter(tags=("wine",))) == 0


@pytest.mark.covers("OBS-31", "OBS-38")
async def test_the_minimum_confidence_includes_its_value(world: World) -> None:
    caller = await world.caller()
    drafts = [
        ObservationDraft(content=str(value), confidence=value, tags=("t",))
        for value in (0.0, 0.79, 0.8, 0.81, 1.0)
    ]
    await world.services.scratch.service.add(caller, drafts)

    for tags in ((), ("t",)):
        assert await found(world, caller, min_confidence=0.8, tags=tags) == {"0.8", "0.81", "1.0"}
        assert await found(world, caller, min_confidence=0.0, tags=tags) == {
            "0.0",
            "0.79",
            "0.8",
            "0.81",
            "1.0",
        }


@pytest.mark.covers("OBS-16")
async def test_type_and_person_filter(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(content="a", type="alert", context=ObservationContext(user_id="u1")),
            ObservationDraft(content="b", type="alert", context=ObservationContext(user_id="u2")),
            ObservationDraft(content="c", type="pattern", context=ObservationContext(user_id="u1")),
            ObservationDraft(content="d"),
        ],
    )

    assert await found(world, caller, types=("alert",)) == {"a", "b"}
    assert await found(world, caller, types=("alert", "pattern")) == {"a", "b", "c"}
    assert await found(world, caller, user_id="u1") == {"a", "c"}
    assert await found(world, caller, user_id="u1", types=("alert",)) == {"a"}
    assert await found(world, caller, types=("insight",)) == set()


@pytest.mark.covers("OBS-15", "OBS-39")
async def test_by_goal_finds_evidence_and_what_names_the_goal(world: World) -> None:
    caller = await world.caller()
    (evidence,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="evidence", tags=("t",), confidence=0.9)]
    )
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="g", evidence=(EvidenceDraft(observation_id=evidence.uid),))
    )
    other = await world.services.goals.service.create(caller, CreateGoal(title="other"))
    await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(content="names", context=ObservationContext(goal_id=goal.uid, goal_key="k")),
            ObservationDraft(content="key", context=ObservationContext(goal_key="k"), tags=("t",)),
            ObservationDraft(content="other", context=ObservationContext(goal_id=other.uid)),
            ObservationDraft(content="unrelated", tags=("t",)),
        ],
    )

    assert await found(world, caller, goal_id=goal.uid) == {"evidence", "names"}
    assert await found(world, caller, goal_id=other.uid) == {"other"}
    assert await found(world, caller, goal_key="k") == {"names", "key"}
    assert await found(world, caller, goal_id=goal.uid, tags=("t",)) == {"evidence"}
    assert await found(world, caller, goal_id=goal.uid, min_confidence=0.8) == {"evidence"}
    assert await found(world, caller, goal_key="k", tags=("t",)) == {"key"}
    assert await found(world, caller, goal_id="goal_01JBXM3Z8K0QF3W4T9V2C7H5RD") == set()
    # Everything that is given must hold.
    assert await found(world, caller, goal_id=goal.uid, goal_key="k") == {"names"}
    assert await found(world, caller, goal_id=other.uid, goal_key="k") == set()


@pytest.mark.covers("OBS-15")
async def test_a_goal_key_needs_no_goal(world: World) -> None:
    caller = await world.caller()
    (stored,) = await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(
                content="x",
                context=ObservationContext(goal_key="find_wine_recommendation", goal_id="not made yet"),
            )
        ],
    )

    assert stored.context == ObservationContext(goal_key="find_wine_recommendation", goal_id="not made yet")
    assert await found(world, caller, goal_key="find_wine_recommendation") == {"x"}
    assert await found(world, caller, goal_id="not made yet") == {"x"}


WAYS = [
    ({}, "time"),
    ({"tags": ("all",)}, "tags"),
    ({"tags": ("all", "also")}, "tags"),
    ({"goal_key": "key"}, "goal"),
    ({"status": tuple(ObservationStatus)}, "time"),
]


@pytest.mark.covers("OBS-32", "OBS-33")
@pytest.mark.parametrize(("wanted", "way"), first_by_day(WAYS, "pages by time", by_day=2), ids=str)
async def test_pages_cover_250_exactly_once_while_more_are_added(
    world: World, wanted: dict[str, Any], way: str
) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="x", tags=("all", "also"), context=ObservationContext(goal_key="key"))
    batches = []
    for size in (100, 100, 50):
        batches += await world.services.scratch.service.add(caller, [draft] * size)
        world.clock.advance(seconds=1)
    the_filter = ObservationFilter(**wanted)
    assert await world.services.scratch.service.count(caller, the_filter) == 250

    seen: list[str] = []
    after = None
    pages = 0
    while True:
        world.statements.clear()
        page = await world.services.scratch.service.find(caller, the_filter, first=40, after=after)
        assert world.statements.names == [f"scratch/list_observations_by_{way}"]
        seen += [observation.uid for observation in page.items]
        pages += 1
        if not page.has_next:
            break
        assert len(page.items) == len(page.cursors) == 40
        after = page.cursors[-1]
        world.clock.advance(seconds=1)
        await world.services.scratch.service.add(caller, [draft] * 3)

    assert pages == 7
    assert seen == sorted((o.uid for o in batches), reverse=True)


@pytest.mark.covers("OBS-33")
async def test_a_page_that_ends_with_the_last_match_says_so(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content=str(n)) for n in range(21)])

    default = await world.services.scratch.service.find(caller, ObservationFilter())
    rest = await world.services.scratch.service.find(caller, ObservationFilter(), after=default.cursors[-1])
    exact = await world.services.scratch.service.find(caller, ObservationFilter(), first=21)

    assert (len(default.items), default.has_next) == (20, True)
    assert (len(rest.items), rest.has_next) == (1, False)
    assert (len(exact.items), exact.has_next) == (21, False)


@pytest.mark.covers("OBS-33")
async def test_pages_cover_two_spaces_and_two_statuses_in_one_order(world: World) -> None:
    caller = await world.caller()
    (common,) = set(caller.readable) - {caller.home}
    for n in range(30):
        await world.services.scratch.service.add(
            caller,
            [ObservationDraft(content=str(n), tags=("t",), ttl_minutes=60 if n % 3 else 0)],
            space=common if n % 2 else None,
        )
        world.clock.advance(seconds=1)

    for tags in ((), ("t",)):
        wanted = ObservationFilter(status=(ObservationStatus.ACTIVE, ObservationStatus.EXPIRED), tags=tags)
        first = await world.services.scratch.service.find(caller, wanted, first=17)
        second = await world.services.scratch.service.find(caller, wanted, first=17, after=first.cursors[-1])
        assert [o.content for o in (*first.items, *second.items)] == [str(n) for n in range(29, -1, -1)]
        assert await world.services.scratch.service.count(caller, wanted) == 30


@pytest.mark.covers("OBS-67", "OBS-68")
async def test_a_query_past_its_deadline_has_what_was_found_and_is_marked_partial(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, service = await world.caller(), world.services.scratch.service
    await service.add(caller, [ObservationDraft(content=text) for text in ("tea", "wine", "more tea")])

    async def too_late(*_: Any, **__: Any) -> None:
        raise TimedOut("the deadline passed")

    with monkeypatch.context() as patch:
        patch.setattr(search_store, "list_page", too_late)
        plain = await service.find(caller, ObservationFilter())
        ranked = await service.find(caller, ObservationFilter(query="tea"), first=10)
    rest = await service.find(caller, ObservationFilter(query="tea"), after=ranked.cursors[-1])

    assert (plain.items, plain.partial, plain.has_next) == ((), True, False)
    assert {o.content for o in ranked.items} == {"tea", "more tea"}
    assert (ranked.partial, ranked.has_next) == (True, True)
    # The next page goes on where the deadline passed.
    assert ([o.content for o in rest.items], rest.partial) == (["wine"], False)


@pytest.mark.covers("OBS-67")
async def test_a_call_says_how_long_it_waits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    caller, service = await world.caller(), world.services.scratch.service
    asked: list[tuple[float | None, bool]] = []
    read = world.services.database.read

    async def noting(work: Any, *, timeout_s: float | None = None, first_plan_counts: bool = True) -> Any:
        asked.append((timeout_s, first_plan_counts))
        return await read(work)

    monkeypatch.setattr(world.services.database, "read", noting)
    await service.find(caller, ObservationFilter(), deadline_ms=70)
    await service.find(caller, ObservationFilter())

    most = world.services.catalog.scratch.query_timeout_ms
    assert asked == [(0.07, True), (most / 1000, False)]
    for wrong in (0, -1, most + 1):
        with pytest.raises(InvalidInput) as caught:
            await service.find(caller, ObservationFilter(), deadline_ms=wrong)
        assert caught.value.field == "deadlineMs"


async def test_every_way_in_costs_one_statement(world: World) -> None:
    caller = await world.caller()
    world.statements.clear()

    await world.services.scratch.service.count(caller, ObservationFilter())
    await world.services.scratch.service.count(caller, ObservationFilter(tags=("t",)))
    await world.services.scratch.service.count(caller, ObservationFilter(goal_key="k"))
    await world.services.scratch.service.get(caller, ["obs_x"])
    await world.services.scratch.service.linked_goals(caller, ["obs_x"])

    assert world.statements.names == [
        "scratch/count_observations_by_time",
        "scratch/count_observations_by_tags",
        "scratch/count_observations_by_goal",
        "scratch/find_observations",
        "scratch/list_linked_goals",
    ]
