"""What the scratch page refuses, with the path of the field, and that nothing of it is written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, SeveralProblems, TooLarge
from prefrontal.graph.scratch.record import ObservationContext, ObservationDraft, ObservationFilter, Source
from tests.support.world import World

WORD = "x" * 201
HALF = "half \ud800"

REFUSED: list[tuple[dict[str, Any], type[InvalidInput], str]] = [
    ({"content": ""}, InvalidInput, "content"),
    ({"content": " \t\n\u3000"}, InvalidInput, "content"),
    ({"content": "a" * 1_000_000}, TooLarge, "content"),
    ({"content": "a" * 20_001}, TooLarge, "content"),
    ({"content": HALF}, InvalidInput, "content"),
    ({"content": "ok", "type": ""}, InvalidInput, "type"),
    ({"content": "ok", "type": WORD}, TooLarge, "type"),
    ({"content": "ok", "client_key": ""}, InvalidInput, "clientKey"),
    ({"content": "ok", "client_key": HALF}, InvalidInput, "clientKey"),
    ({"content": "ok", "tags": ("fine", " ")}, InvalidInput, "tags[1]"),
    ({"content": "ok", "tags": ("x" * 101,)}, TooLarge, "tags[0]"),
    ({"content": "ok", "tags": (HALF,)}, InvalidInput, "tags[0]"),
    ({"content": "ok", "tags": tuple(f"t{n}" for n in range(10_000))}, TooLarge, "tags"),
    ({"content": "ok", "tags": tuple(f"t{n}" for n in range(51))}, TooLarge, "tags"),
    ({"content": "ok", "source": Source(name="")}, InvalidInput, "source.name"),
    ({"content": "ok", "source": Source(turn_id=WORD)}, TooLarge, "source.turnId"),
    ({"content": "ok", "context": ObservationContext(goal_id="")}, InvalidInput, "context.goalId"),
    ({"content": "ok", "context": ObservationContext(goal_key=WORD)}, TooLarge, "context.goalKey"),
    ({"content": "ok", "context": ObservationContext(user_id=" ")}, InvalidInput, "context.userId"),
    ({"content": "ok", "ttl_minutes": 5_256_001}, InvalidInput, "ttlMinutes"),
    ({"content": "ok", "ttl_minutes": 1e300}, InvalidInput, "ttlMinutes"),
    ({"content": "ok", "metadata": {"a": math.nan}}, InvalidInput, "metadata"),
    ({"content": "ok", "metadata": {"a": math.inf}}, InvalidInput, "metadata"),
    ({"content": "ok", "metadata": {"a": {1, 2}}}, InvalidInput, "metadata"),
    ({"content": "ok", "metadata": {"a": b"bytes"}}, InvalidInput, "metadata"),
    ({"content": "ok", "metadata": {"a": HALF}}, InvalidInput, "metadata"),
    ({"content": "ok", "metadata": {"a": "x" * 20_000}}, TooLarge, "metadata"),
]


@pytest.mark.covers("OBS-07")
@pytest.mark.parametrize(
    ("fields", "error", "field"), REFUSED, ids=[f"{n}-{row[2]}" for n, row in enumerate(REFUSED)]
)
async def test_one_bad_observation_refuses_all_and_names_the_field(
    world: World, fields: dict[str, Any], error: type[InvalidInput], field: str
) -> None:
    caller = await world.caller()
    before = await world.counts()
    drafts = [ObservationDraft(content="fine"), ObservationDraft(**fields)]
    world.statements.clear()

    with pytest.raises(error) as caught:
        await world.services.scratch.service.add(caller, drafts, idempotency_key="k")

    assert type(caught.value) is error
    assert caught.value.field == f"observations[1].{field}"
    assert world.statements.names == []
    assert await world.counts() == before


@pytest.mark.covers("OBS-07")
async def test_every_complaint_is_named(world: World) -> None:
    caller = await world.caller()
    drafts = [
        ObservationDraft(content="", tags=("", "ok", "")),
        ObservationDraft(content="ok", ttl_minutes=6e6),
    ]

    with pytest.raises(SeveralProblems) as caught:
        await world.services.scratch.service.add(caller, drafts)

    assert [problem.field for problem in caught.value.problems] == [
        "observations[0].content",
        "observations[0].tags[0]",
        "observations[0].tags[2]",
        "observations[1].ttlMinutes",
    ]


@pytest.mark.covers("OBS-07")
@pytest.mark.parametrize(
    "fields",
    [
        {"confidence": 1.0000001},
        {"confidence": -0.1},
        {"confidence": math.nan},
        {"confidence": math.inf},
        {"ttl_minutes": -1},
        {"ttl_minutes": math.nan},
        {"ttl_minutes": math.inf},
        {"metadata": [1]},
        {"metadata": {1: 2}},
        {"tags": "wine"},
        {"unknown": 1},
        {"source": {"timestamp": "2025-11-05T10:30:00"}},
        {"source": {"kind": "ghost"}},
    ],
    ids=str,
)
def test_a_draft_with_an_impossible_value_cannot_be_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ObservationDraft(content="ok", **fields)


async def test_no_observation_and_too_many_are_refused(world: World) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as none:
        await world.services.scratch.service.add(caller, [])
    with pytest.raises(TooLarge) as many:
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")] * 1001)

    assert none.value.field == many.value.field == "observations"
    assert await world.counts() == before


@pytest.mark.parametrize("turn", ["", "  ", "t" * 201, HALF])
async def test_an_odd_turn_is_refused(world: World, turn: str) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")], turn_id=turn)

    assert caught.value.field == "turnId"
    assert await world.counts() == before


@pytest.mark.covers("SEC-11")
async def test_the_own_space_of_another_agent_and_an_unknown_one_are_refused_alike(world: World) -> None:
    caller, other = await world.caller("bot"), await world.caller("other")
    before = await world.counts()
    said = set()

    for space in (other.home, "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD", "nonsense", HALF):
        with pytest.raises(NotFound) as caught:
            await world.services.scratch.service.add(caller, [ObservationDraft(content="x")], space=space)
        said.add((caught.value.code, caught.value.message, caught.value.field))

    assert said == {("not_found", "no such space", "space")}
    assert await world.counts() == before


async def test_who_may_only_read_adds_nothing(world: World) -> None:
    reader = await world.caller("bot", roles=("reader",))
    before = await world.counts()
    world.statements.clear()

    with pytest.raises(Forbidden):
        await world.services.scratch.service.add(reader, [ObservationDraft(content="x")])

    assert world.statements.names == []
    assert await world.counts() == before


async def test_a_caller_without_a_role_reads_nothing(world: World) -> None:
    nobody = await world.caller("bot", roles=())

    with pytest.raises(Forbidden):
        await world.services.scratch.service.find(nobody, ObservationFilter())
    with pytest.raises(Forbidden):
        await world.services.scratch.service.count(nobody, ObservationFilter())
    with pytest.raises(Forbidden):
        await world.services.scratch.service.get(nobody, ["obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"])


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (ObservationFilter(status=()), "filter.status"),
        (ObservationFilter(tags=("",)), "filter.tags[0]"),
        (ObservationFilter(tags=(HALF,)), "filter.tags[0]"),
        (ObservationFilter(tags=tuple(map(str, range(10_000)))), "filter.tags"),
        (ObservationFilter(types=tuple(map(str, range(101)))), "filter.types"),
        (ObservationFilter(types=("ok", HALF)), "filter.types[1]"),
        (ObservationFilter(goal_id=""), "filter.goalId"),
        (ObservationFilter(goal_key=WORD), "filter.goalKey"),
        (ObservationFilter(user_id=HALF), "filter.userId"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_an_odd_filter_is_refused_by_both_page_and_count(
    world: World, wanted: ObservationFilter, field: str
) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as page:
        await world.services.scratch.service.find(caller, wanted)
    with pytest.raises(InvalidInput) as count:
        await world.services.scratch.service.count(caller, wanted)

    assert page.value.field == count.value.field == field


@pytest.mark.parametrize("first", [0, -1, 101, 10**30])
async def test_an_odd_page_size_is_refused(world: World, first: int) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.service.find(caller, ObservationFilter(), first=first)

    assert caught.value.field == "first"


DEEP = pytest.param("W1tb" * 16_000, id="deep")
NO_CURSORS = ["", "x", "bm90IGpzb24", "WzFd", "W10", "W251bGxd", "é", "eyJhIjoxfQ", HALF, DEEP]


@pytest.mark.parametrize("after", NO_CURSORS)
async def test_a_cursor_that_is_none_is_refused(world: World, after: str) -> None:
    caller = await world.caller()

    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.service.find(caller, ObservationFilter(), after=after)

    assert caught.value.field == "after"
