"""The rules of publishing: what is under way side by side, where it goes, and how far the broker is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.journal.record import EventType
from prefrontal.graph.outbox.record import PublishedEvent
from prefrontal.graph.outbox.rules import Progress, chains, progress, subject_of

NO = "too large"


def event(seq: int, subject: str = "goal_a") -> PublishedEvent:
    return PublishedEvent(
        uid=f"evt_{seq}",
        seq=seq,
        source="/organisations/acme",
        type=EventType.GOAL_CREATED,
        subject=subject,
        subject_version=seq,
        scope_id="spc",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        by_uid="agt",
        turn=None,
        data={},
    )


def after(outcomes: dict[int, str | None], **more: object) -> Progress:
    """The progress of events 1 to 4 with these outcomes by place."""
    given = {"seq": 0, "end": 4, "failing": None, "attempts": 0, "most": 3} | more
    found = {f"evt_{seq}": reason for seq, reason in outcomes.items()}
    return progress([event(seq) for seq in range(1, 5)], found, **given)  # type: ignore[arg-type]


def test_the_place_moves_up_to_the_first_event_that_the_broker_does_not_have() -> None:
    assert after({1: None, 2: None, 3: None, 4: None}) == Progress(4, None, 0, ())
    assert after({1: None, 2: None, 4: None}) == Progress(2, None, 0, ())
    assert after({}) == Progress(0, None, 0, ())
    # What was deleted behind the last event counts as passed, unless there may be more.
    assert after({1: None, 2: None, 3: None, 4: None}, end=9) == Progress(9, None, 0, ())
    assert after({1: None, 2: None, 3: None, 4: None}, end=None) == Progress(4, None, 0, ())


def test_a_refused_event_is_tried_again_and_then_left_out() -> None:
    refused = {1: None, 2: NO, 3: None, 4: None}
    assert after(refused) == Progress(1, "evt_2", 1, ())
    assert after(refused, failing="evt_2", attempts=1) == Progress(1, "evt_2", 2, ())
    assert after(refused, failing="evt_2", attempts=2) == Progress(4, None, 0, (("evt_2", 2, 3, NO),))
    # The refusals of another event are not its own.
    assert after(refused, failing="evt_1", attempts=2) == Progress(1, "evt_2", 1, ())
    # One that was not asked about this time has been refused as often as before.
    assert after({1: None}, failing="evt_2", attempts=2) == Progress(1, "evt_2", 2, ())
    # A second one that is refused has its own turn.
    assert after({1: NO, 2: NO}, failing="evt_1", attempts=2) == Progress(
        1, "evt_2", 1, (("evt_1", 1, 3, NO),)
    )
    assert after({1: NO, 2: NO, 3: None, 4: None}, most=1).dead == (("evt_1", 1, 1, NO), ("evt_2", 2, 1, NO))


@given(st.lists(st.sampled_from("abc"), max_size=30))
def test_each_chain_is_a_record_in_its_order(subjects: list[str]) -> None:
    events = [event(seq, subject) for seq, subject in enumerate(subjects, start=1)]
    found = chains(events)

    assert sorted(each.seq for chain in found for each in chain) == [each.seq for each in events]
    assert len(found) == len(set(subjects))
    for chain in found:
        assert len({each.subject for each in chain}) == 1
        assert [each.seq for each in chain] == sorted(each.seq for each in chain)
    assert [chain[0].seq for chain in found] == sorted(chain[0].seq for chain in found)


@pytest.mark.parametrize(
    ("org", "subject"),
    [
        ("acme", "prefrontal.acme.goal.created"),
        ("acme.eu", "prefrontal.acme%2Eeu.goal.created"),
        ("a@b+c-d_e", "prefrontal.a@b+c-d_e.goal.created"),
    ],
)
def test_the_key_of_an_organisation_is_one_part_of_a_subject(org: str, subject: str) -> None:
    assert subject_of("prefrontal", org, "goal.created") == subject
