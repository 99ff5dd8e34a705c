"""The driver packs a moment of UTC once, and every time as it did before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from neo4j._codec.hydration.v2 import temporal
from neo4j.time import DateTime

from prefrontal.graph.storage.packing import pack_times_once

NOON = datetime(2025, 1, 1, 12, 0, 0, 123_456, tzinfo=UTC)
SECONDS = 1_735_732_800


def parts(value: Any) -> tuple[bytes, list[Any]]:
    packed = temporal.dehydrate_datetime(value)
    return packed.tag, list(packed.fields)


@pytest.fixture(autouse=True)
def packing() -> None:
    pack_times_once()


def test_a_moment_of_utc_is_converted_once() -> None:
    assert parts(NOON) == (b"I", [SECONDS, 123_456_000, 0])
    assert temporal.dehydrate_datetime(NOON) is temporal.dehydrate_datetime(NOON + timedelta(0))
    assert parts(NOON + timedelta(microseconds=1)) == (b"I", [SECONDS, 123_457_000, 0])


def test_the_same_moment_of_another_zone_keeps_its_zone() -> None:
    parts(NOON)
    assert parts(NOON.astimezone(timezone(timedelta(hours=2)))) == (b"I", [SECONDS, 123_456_000, 7200])
    assert parts(DateTime.from_native(NOON))[1][:2] == [SECONDS, 123_456_000]


def test_a_time_without_a_zone_stays_one() -> None:
    assert parts(NOON.replace(tzinfo=None)) == (b"d", [SECONDS, 123_456_000])


def test_it_is_replaced_once() -> None:
    replaced = temporal.dehydrate_datetime
    pack_times_once()
    assert temporal.dehydrate_datetime is replaced
    assert replaced.__module__ == "prefrontal.graph.storage.packing"
