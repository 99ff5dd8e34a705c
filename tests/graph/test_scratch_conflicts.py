"""Observations that contradict each other: found, logged, all kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.errors import NotFound, SeveralProblems
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Conflict,
    ConflictKind,
    Observation,
    ObservationDraft,
    ObservationFilter,
    ResolveObservation,
    UpdateObservation,
)
from tests.support.world import World


async def noted(world: World, *texts: str, agent: str = "bot", **given: Any) -> list[Observation]:
    drafts = [ObservationDraft.model_validate({"content": text, **given}) for text in texts]
    return list(await world.services.scratch.service.add(await world.caller(agent), drafts))


async def frame_keys(world: World, *observations: Observation) -> list[str]:
    rows = await world.rows(
        "UNWIND $uids AS uid MATCH (o:Observation {uid: uid}) RETURN o.frame_key AS key",
        uids=[o.uid for o in observations],
    )
    return [row["key"] for row in rows]


async def test_what_differs_by_a_value_or_a_negation_has_one_key(world: World) -> None:
    same = await noted(world, "The budget is $50", "the budget is not 60 EUR.", "The  BUDGET is $50")
    (other,) = await noted(world, "The price is $50")
    (of_ann,) = await noted(world, "The budget is $50", context={"user_id": "ann"})
    keys = await frame_keys(world, *same, other, of_ann)
    assert len(keys) == 5
    assert len(set(keys[:3])) == 1
    assert len(set(keys)) == 3


async def test_the_key_follows_the_text(world: World) -> None:
    (o,) = await noted(world, "The budget is $50")
    (price,) = await noted(world, "The price is $60")
    caller = await world.caller()
    before = await frame_keys(world, o)
    await world.services.scratch.service.change(caller, UpdateObservation(id=o.uid, confidence=0.9))
    assert await frame_keys(world, o) == before
    await world.services.scratch.service.change(
        caller, UpdateObservation(id=o.uid, content="The price is $50")
    )
    assert await frame_keys(world, o) == await frame_keys(world, price) != before


async def conflicts(world: World, o: Observation, agent: str = "bot") -> list[Conflict]:
    found = await world.services.scratch.service.conflicts_of(await world.caller(agent), [o.uid])
    return list(found.get(o.uid, ()))


async def pairs(world: World, o: Observation) -> set[tuple[str, str, str, str | None, bool]]:
    return {
        (c.source_id, c.target_id, c.how.value, c.kind and c.kind.value, c.open)
        for c in await conflicts(world, o)
    }


async def journal(world: World) -> list[tuple[list[str], dict[str, Any], str, int]]:
    traces = await world.rows(
        "MATCH (t:TraceEvent {org_id: $org, kind: 'observations_conflict'}) "
        "RETURN t.ids AS ids, t.details AS details, t.message AS message ORDER BY t.uid"
    )
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'observation.conflicted'}) "
        "RETURN e.aggregate AS uid, e.data AS data, e.aggregate_version AS version ORDER BY e.uid"
    )
    assert [
        (event["uid"], json.loads(event["data"])["contradicts"], json.loads(event["data"])["kind"])
        for event in events
    ] == [(*trace["ids"], json.loads(trace["details"])["kind"]) for trace in traces]
    return [
        (trace["ids"], json.loads(trace["details"]), trace["message"], event["version"])
        for trace, event in zip(traces, events, strict=True)
    ]


@pytest.mark.covers("OBS-69", "OBS-70", "TRC-20")
async def test_a_contradiction_is_found_logged_and_all_are_kept(world: World) -> None:
    (first,) = await noted(world, "The budget is $50")
    (second,) = await noted(world, "The budget is $60")
    (third,) = await noted(world, "The budget is not $50")

    caller = await world.caller()
    page = await world.services.scratch.service.find(caller, ObservationFilter())
    assert [o.uid for o in page.items] == [third.uid, second.uid, first.uid]
    assert {o.status.value for o in page.items} == {"active"}
    found = {
        (second.uid, first.uid, "detected", "number", True),
        (third.uid, first.uid, "detected", "negation", True),
    }
    assert await pairs(world, first) == found
    assert await pairs(world, second) == {(second.uid, first.uid, "detected", "number", True)}
    assert await journal(world) == [
        ([second.uid, first.uid], {"how": "detected", "kind": "number"}, "Conflicting observations", 1),
        ([third.uid, first.uid], {"how": "detected", "kind": "negation"}, "Conflicting observations", 1),
    ]


async def test_a_conflict_is_in_the_trace_of_its_turn(world: World) -> None:
    (first,) = await noted(world, "The budget is $50")
    caller = await world.caller()
    (second,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="The budget is $60")], turn_id="turn_1"
    )
    page = await world.services.turns.trace.trace(caller, "turn_1")
    assert [(entry.kind.value, entry.ids) for entry in page.items] == [
        ("observations_added", (second.uid,)),
        ("observations_conflict", (second.uid, first.uid)),
    ]


async def test_observations_of_one_call_are_compared_with_each_other(world: World) -> None:
    one, two, three = await noted(
        world, "The meeting is on Monday", "The meeting is on Tuesday", "meeting is on Monday."
    )
    assert await pairs(world, two) == {
        (two.uid, one.uid, "detected", "date", True),
        (three.uid, two.uid, "detected", "date", True),
    }
    assert await pairs(world, one) == {(two.uid, one.uid, "detected", "date", True)}


async def test_what_is_equal_elsewhere_over_or_of_somebody_else_is_no_contradiction(world: World) -> None:
    await noted(world, "The budget is $50", agent="stranger")
    await noted(world, "The budget is $50", context={"user_id": "ann"})
    await noted(world, "The budget is $60", ttl_minutes=0)
    (resolved,) = await noted(world, "The budget is $70")
    step = world.services.scratch.service.change
    await step(await world.caller(), ResolveObservation(id=resolved.uid))
    await noted(world, "The budget is $80", ttl_minutes=1)
    world.clock.advance(minutes=1)
    (o,) = await noted(world, "The budget is $50.00")
    await noted(world, "the budget is 50 dollars")
    assert await conflicts(world, o) == []
    assert await journal(world) == []


async def test_an_ordinary_add_costs_no_statement_more(world: World) -> None:
    caller = await world.caller()
    world.statements.clear()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="The budget is $50")])
    assert world.statements.names == [
        "scratch/create_observations",
        "journal/append_entries",
        "scratch/find_observations",
    ]
    world.statements.clear()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="The budget is $60")])
    assert world.statements.counts["scratch/link_conflicts"] == 1
    assert len(world.statements.names) == 4


async def test_only_the_newest_of_a_frame_are_compared(world: World) -> None:
    many = await noted(world, *["The budget is $50"] * 30)
    world.clock.advance(seconds=1)
    (o,) = await noted(world, "The budget is $60")
    assert {c.target_id for c in await conflicts(world, o)} == {old.uid for old in many[10:]}
    assert len(await journal(world)) == 20


async def test_a_declared_contradiction_is_kept_with_what_is_seen_of_it(world: World) -> None:
    meat, fifty = await noted(world, "User eats meat every day", "The budget is $50")
    (vegan,) = await noted(world, "User is a vegetarian", contradicts=(meat.uid,))
    (sixty,) = await noted(world, "The budget is $60", contradicts=(fifty.uid, meat.uid))
    assert await pairs(world, vegan) == {(vegan.uid, meat.uid, "declared", "state", True)}
    assert await pairs(world, sixty) == {
        (sixty.uid, fifty.uid, "declared", "number", True),
        (sixty.uid, meat.uid, "declared", None, True),
    }
    assert len(await journal(world)) == 3


@pytest.mark.parametrize("named", ["foreign", "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD", "nonsense"])
async def test_what_cannot_be_read_cannot_be_contradicted(world: World, named: str) -> None:
    (foreign,) = await noted(world, "User eats meat", agent="stranger")
    (own,) = await noted(world, "User eats fish")
    caller = await world.caller()
    before = await world.counts()
    uid = foreign.uid if named == "foreign" else named
    drafts = [
        ObservationDraft(content="x"),
        ObservationDraft(content="User is a vegetarian", contradicts=(own.uid, uid)),
    ]
    with pytest.raises(NotFound) as caught:
        await world.services.scratch.service.add(caller, drafts)
    assert (caught.value.field, caught.value.message) == (
        "observations[1].contradicts[1]",
        "no such observation",
    )
    assert await world.counts() == before
    assert await conflicts(world, own) == []


async def test_a_wrong_declaration_is_refused(world: World) -> None:
    caller = await world.caller()
    before = await world.counts()
    wrong = ["a", "a", "", *(f"obs_{number}" for number in range(98))]
    with pytest.raises(SeveralProblems) as caught:
        await world.services.scratch.service.add(
            caller, [ObservationDraft(content="x", contradicts=tuple(wrong))]
        )
    assert [problem.field for problem in caught.value.problems] == [
        "observations[0].contradicts",
        "observations[0].contradicts[2]",
        "observations[0].contradicts[1]",
    ]
    assert await world.counts() == before


async def test_a_changed_text_ends_what_was_found_in_the_old_one(world: World) -> None:
    (meat, fifty, price) = await noted(world, "User eats meat", "The budget is $50", "The price is $10")
    (o,) = await noted(world, "The budget is $60", contradicts=(meat.uid,))
    caller = await world.caller()
    update = world.services.scratch.service.change
    world.clock.advance(seconds=1)
    await update(caller, UpdateObservation(id=o.uid, confidence=0.1))
    assert {c.target_id for c in await conflicts(world, o)} == {meat.uid, fifty.uid}
    await update(caller, UpdateObservation(id=o.uid, content="The price is $20", turn_id="turn_2"))
    assert await pairs(world, o) == {
        (o.uid, meat.uid, "declared", None, True),
        (o.uid, price.uid, "detected", "number", True),
    }
    assert await conflicts(world, fifty) == []
    (ended,) = await world.rows(
        "MATCH ({uid: $o})-[c:CONTRADICTS]->({uid: $other}) RETURN c.until AS until",
        o=o.uid,
        other=fifty.uid,
    )
    assert ended["until"].to_native() == world.clock.now()
    page = await world.services.turns.trace.trace(caller, "turn_2")
    assert [(entry.kind.value, entry.ids) for entry in page.items] == [
        ("observation_changed", (o.uid,)),
        ("observations_conflict", (o.uid, price.uid)),
    ]
    assert (await journal(world))[-1][3] == 3
    await update(caller, UpdateObservation(id=o.uid, content="The price is 10 dollars"))
    assert await pairs(world, o) == {(o.uid, meat.uid, "declared", None, True)}


@pytest.mark.parametrize("end", ["resolve", "archive", "expire"])
async def test_a_conflict_is_open_while_both_are_active(world: World, end: str) -> None:
    (first,) = await noted(world, "The budget is $50", ttl_minutes=1)
    (second,) = await noted(world, "The budget is $60")
    if end == "expire":
        world.clock.advance(minutes=1)
    else:
        step = ResolveObservation if end == "resolve" else ArchiveObservation
        await world.services.scratch.service.change(await world.caller(), step(id=first.uid))
    assert await pairs(world, second) == {(second.uid, first.uid, "detected", "number", False)}


async def test_a_conflict_is_seen_by_who_may_read_both(world: World) -> None:
    (first,) = await noted(world, "User eats meat")
    owner, stranger = await world.caller(), await world.caller("stranger")
    reader = stranger.model_copy(update={"readable": (*stranger.readable, owner.home)})
    scratch = world.services.scratch.service
    draft = ObservationDraft(content="User is a vegetarian", contradicts=(first.uid,))
    (second,) = await scratch.add(reader, [draft])
    assert {c.target_id for c in (await scratch.conflicts_of(reader, [second.uid]))[second.uid]} == {
        first.uid
    }
    assert await scratch.conflicts_of(owner, [first.uid, second.uid]) == {}
    assert await scratch.conflicts_of(stranger, [first.uid, second.uid]) == {}


class Opposites:
    """Knows two words and nothing of numbers."""

    def frame(self, text: str) -> str:
        return " ".join(text.casefold().split()).replace("down", "up")

    def compare(self, one: str, other: str) -> ConflictKind | None:
        return None if self.frame(one) == one.casefold() == other.casefold() else ConflictKind.NEGATION


async def test_another_detector_can_be_plugged_in(world: World) -> None:
    services = build_services(
        world.services.settings, world.services.database.driver, clock=world.clock, detector=Opposites()
    )
    caller = await world.caller()
    drafts = [ObservationDraft(content=text) for text in ("It is up", "It is down", "It is 5", "It is 6")]
    up, down, five, six = await services.scratch.service.add(caller, drafts)
    found = await services.scratch.service.conflicts_of(caller, [up.uid, down.uid, five.uid, six.uid])
    assert {uid: [c.target_id for c in conflicts] for uid, conflicts in found.items()} == {
        up.uid: [up.uid],
        down.uid: [up.uid],
    }
