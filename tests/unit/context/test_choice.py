"""Which actions are chosen: urgent ones and others are mixed, and each space has its turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.context.choice import best, best_actions, in_company, interleave, is_urgent
from prefrontal.graph.context.record import Candidate, CandidateKind, Distance, Reason, Section

SOON = datetime(2025, 11, 6, 10, 30, tzinfo=UTC)


def action(
    uid: str, *, urgent: bool = False, space: str = "spc_1", distance: Distance = Distance.OWN
) -> Candidate:
    return Candidate(
        uid=uid,
        kind=CandidateKind.PENDING_ACTION,
        section=Section.FRONTAL_CORTEX,
        line="- x\n",
        score=0.5,
        urgent=urgent,
        reason=Reason.ACTIVE,
        scope_id=space,
        by_uid="agt_1",
        distance=distance,
    )


URGENT = [action(f"u{number}", urgent=True) for number in range(6)]
OTHERS = [action(f"s{number}") for number in range(6)]


def uids(found: list[Candidate]) -> str:
    return " ".join(each.uid for each in found)


@pytest.mark.covers("ACT-31")
@pytest.mark.parametrize(
    ("urgent", "others", "most", "wanted"),
    [
        (6, 6, 5, "u0 u1 u2 s0 s1"),
        (6, 6, 4, "u0 u1 s0 s1"),
        (6, 6, 2, "u0 s0"),
        (6, 6, 1, "u0"),
        (1, 6, 5, "u0 s0 s1 s2 s3"),
        (6, 1, 5, "u0 u1 u2 u3 s0"),
        (0, 6, 3, "s0 s1 s2"),
        (6, 0, 3, "u0 u1 u2"),
        (1, 1, 5, "u0 s0"),
        (0, 0, 5, ""),
    ],
)
def test_half_are_urgent_and_either_side_fills_up(urgent: int, others: int, most: int, wanted: str) -> None:
    assert uids(interleave(URGENT[:urgent], OTHERS[:others], most)) == wanted


@pytest.mark.covers("ACT-31")
@given(urgent=st.integers(0, 6), others=st.integers(0, 6), most=st.integers(1, 12))
def test_both_kinds_are_there_and_no_place_is_left_free(urgent: int, others: int, most: int) -> None:
    found = interleave(URGENT[:urgent], OTHERS[:others], most)

    assert len(found) == min(most, urgent + others)
    if most >= 2 and urgent and others:
        assert {each.urgent for each in found} == {True, False}


def test_an_action_is_urgent_if_it_blocks_or_is_due_soon() -> None:
    assert is_urgent(blocking=True, due_at=None, soon=SOON)
    assert is_urgent(blocking=False, due_at=SOON, soon=SOON)
    assert is_urgent(blocking=False, due_at=SOON - timedelta(days=9), soon=SOON)
    assert not is_urgent(blocking=False, due_at=SOON + timedelta(microseconds=1), soon=SOON)
    assert not is_urgent(blocking=False, due_at=None, soon=SOON)


def test_ones_own_and_those_of_others_have_limits_of_their_own_and_places() -> None:
    theirs = [action(f"t{number}", urgent=True, distance=Distance.OTHER) for number in range(9)]

    found = best_actions([*theirs, *OTHERS, *URGENT], 3)

    assert uids(found) == "u0 u1 s0 t0 t1 t2"
    assert [each.list_rank for each in found] == [0, 1, 2, 0, 1, 2]


def test_a_full_space_leaves_room_for_the_others() -> None:
    full = [action(f"a{number}", space="spc_a", distance=Distance.OTHER) for number in range(9)]
    small = [action("b0", space="spc_b", distance=Distance.OTHER)]

    assert uids(best([*full, *small], 3)) == "a0 b0 a1"


def test_what_stands_beside_others_is_there_with_one_of_them() -> None:
    one, two = (
        action(uid).model_copy(update={"beside": beside})
        for uid, beside in (("1", ("a", "b")), ("2", ("c",)))
    )

    found = in_company([one, action("b"), two])

    assert [(each.uid, each.beside) for each in found] == [("1", ("b",)), ("b", ())]
