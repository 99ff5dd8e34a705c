"""Which texts are measurements by their form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.evaluation.measurements import is_measurement

TABLE = load_catalog(Settings().registry_dir).evaluation.measured
UNITS = sorted(unit for unit in TABLE.units if unit != "/s")


@pytest.mark.covers("OBS-47")
@pytest.mark.parametrize(
    "text",
    [
        "API response time was 2.3 seconds",
        "P99 LATENCY is up",
        "The 95th percentile grew",
        "took 4m12s",
        "Disk: 61 % of 500 GB",
        "Lookups took 12 to 20 ms",
        "18,204 rows in 42 s",
        "-18.5 °C at midnight",
    ],
)
def test_numbers_with_units_and_percentiles_are_measurements(text: str) -> None:
    assert is_measurement(text, TABLE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Room 12 is free",
        "The budget is $50",
        "A metric ton of grapes",
        "Reduce the p99 latency below 200 ms by Friday",
        "Cut the build to 5 minutes",
        "Answer within 3 s",
        "At most 3 % of the requests may fail",
        "Could you book a table for the six of us, so that we are home again 90 minutes later?",
        "User prefers Burgundy wines of 2015",
    ],
)
def test_bounds_bare_numbers_and_long_texts_are_none(text: str) -> None:
    assert not is_measurement(text, TABLE)


@given(st.integers(0, 10**6), st.sampled_from(UNITS))
def test_every_unit_makes_a_measurement_and_a_bound_before_it_none(number: int, unit: str) -> None:
    assert is_measurement(f"It was {number} {unit}", TABLE)
    for bound in TABLE.bounds:
        assert not is_measurement(f"It is {bound} {number} {unit}", TABLE)


@given(st.text())
def test_every_text_has_an_answer(text: str) -> None:
    assert is_measurement(text, TABLE) in (True, False)
