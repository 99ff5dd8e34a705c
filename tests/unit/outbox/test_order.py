"""The order in which a batch of events is stamped."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.outbox.record import UnorderedEvent
from prefrontal.graph.outbox.rules import in_order

events = st.lists(
    st.builds(
        UnorderedEvent,
        uid=st.integers(0, 10**6).map(lambda number: f"evt_{number:07}"),
        org_id=st.sampled_from(["org_1", "org_2"]),
        aggregate=st.sampled_from(["a", "b", "c"]),
        aggregate_version=st.integers(1, 4),
    ),
    unique_by=lambda event: event.uid,
    max_size=30,
)


def waiting(uid: str, aggregate: str, version: int, org: str = "org_1") -> UnorderedEvent:
    return UnorderedEvent(uid=uid, org_id=org, aggregate=aggregate, aggregate_version=version)


def test_versions_of_an_aggregate_are_in_order_and_all_others_keep_their_places() -> None:
    found = in_order(
        [
            waiting("e1", "a", 2),
            waiting("e2", "b", 1),
            waiting("e3", "a", 1),
            waiting("e4", "b", 1),
            waiting("e5", "c", 7, "org_2"),
        ]
    )

    assert found == {"org_1": ["e3", "e2", "e1", "e4"], "org_2": ["e5"]}


@given(events)
def test_each_event_has_one_place_and_an_aggregate_goes_by_version_then_id(
    given: list[UnorderedEvent],
) -> None:
    by_id = {event.uid: event for event in given}

    found = in_order(given)

    placed = [uid for uids in found.values() for uid in uids]
    assert sorted(placed) == sorted(by_id)
    for org_id, uids in found.items():
        assert {by_id[uid].org_id for uid in uids} == {org_id}
        for aggregate in "abc":
            own = [by_id[uid] for uid in uids if by_id[uid].aggregate == aggregate]
            ranks = [(event.aggregate_version, event.uid) for event in own]
            assert ranks == sorted(ranks)
        # An aggregate whose ids are in the order of its versions stays where its ids are.
        if all(
            (a.aggregate_version, a.uid) <= (b.aggregate_version, b.uid)
            for aggregate in "abc"
            for own in [sorted((e for e in given if e.aggregate == aggregate), key=lambda e: e.uid)]
            for a, b in pairwise(own)
        ):
            assert uids == sorted(uids)


@given(events, st.randoms())
def test_the_order_does_not_depend_on_the_order_of_the_batch(
    given: list[UnorderedEvent], random: object
) -> None:
    shuffled = list(given)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert in_order(shuffled) == in_order(given)
