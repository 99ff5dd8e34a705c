"""Ids say their kind and sort by time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.ids import Kind, floor_id, kind_of, new_id, new_ids

KINDS = st.sampled_from(list(Kind))
MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001


@given(KINDS, MOMENTS)
def test_an_id_says_its_kind(kind, at):
    uid = new_id(kind, at)

    assert uid.startswith(kind.value + "_")
    assert kind_of(uid) is kind


@given(KINDS, MOMENTS, st.timedeltas(timedelta(milliseconds=1), timedelta(days=400)))
def test_a_later_id_sorts_later(kind, at, later):
    moment = min(at + later, datetime(9999, 12, 31, 1, tzinfo=UTC)) if at.year < 9998 else None
    if moment is not None:
        assert new_id(kind, at) < new_id(kind, moment)


@given(KINDS, MOMENTS, st.integers(0, 50))
def test_a_batch_of_ids_ascends_without_repeating(kind, at, count):
    ids = new_ids(kind, at, count)

    assert len(set(ids)) == count
    assert ids == sorted(ids)


@given(st.lists(st.integers(0, 5), max_size=60))
def test_the_ids_of_a_millisecond_ascend_whatever_times_come_in_between(moments):
    start = datetime(2025, 11, 5, 12, tzinfo=UTC)
    made: dict[int, list[str]] = {}
    for moment in moments:
        made.setdefault(moment, []).append(new_id(Kind.OBSERVATION, start + timedelta(milliseconds=moment)))
        floor_id(Kind.OBSERVATION, start)

    for ids in made.values():
        assert ids == sorted(set(ids))


@given(KINDS, MOMENTS)
def test_a_floor_is_below_the_ids_of_its_millisecond_and_above_those_before(kind, at):
    floor = floor_id(kind, at)

    assert new_id(kind, at).startswith(floor)
    if at - timedelta(milliseconds=1) >= datetime(1970, 1, 1, tzinfo=UTC):
        assert new_id(kind, at - timedelta(milliseconds=1)) < floor


def test_prefixes_differ():
    assert len({kind.value for kind in Kind}) == len(Kind)


@given(st.text())
def test_a_text_that_is_no_id_has_no_kind(text):
    assert kind_of(text) is None


UID = "obs_01JBXM3Z8K0QF3W4T9V2C7H5RD"


@pytest.mark.parametrize(
    "text",
    [
        UID.lower(),
        UID.upper(),
        UID[:-1],
        UID + "0",
        UID + "\n",
        " " + UID,
        UID.replace("obs", "xyz"),
        UID.replace("_", "-"),
        UID.replace("_0", "_8"),
        UID.replace("R", "U"),
        UID.replace("R", "é"),
    ],
)
def test_what_is_almost_an_id_has_no_kind(text):
    assert kind_of(UID) is Kind.OBSERVATION
    assert kind_of(text) is None


def test_nothing_is_older_than_1970():
    early = datetime(1969, 1, 1, tzinfo=UTC)
    assert floor_id(Kind.TURN, early) == "turn_0000000000"
    assert floor_id(Kind.TURN, early) < new_id(Kind.TURN, datetime(1970, 1, 1, tzinfo=UTC))
