"""Shares with intervals, by bootstrap over groups.

    share       hits of all groups / cases of all groups
    difference  the share of one policy less that of another on the same groups
    interval    2.5 % to 97.5 % of the same figure over groups that are drawn again, with replacement

The cases of a group (a session) hang together, so whole groups are drawn, and two policies are compared on
the same draws. A draw without cases is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

ROUNDS = 2000


class Interval(NamedTuple):
    """A figure, and where it lies in 95 of 100 draws."""

    value: float
    low: float
    high: float

    @property
    def is_above_zero(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low > 0

    @property
    def is_below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high < 0


def share_of(hits: Sequence[float], cases: Sequence[float], *, seed: int = 0) -> Interval | None:
    """Return the share of the cases that are hits; None without cases."""
    return difference_of(hits, [0.0] * len(hits), cases, seed=seed)


def difference_of(
    hits: Sequence[float], others: Sequence[float], cases: Sequence[float], *, seed: int = 0
) -> Interval | None:
    """Return how much more of the cases of each group are hits of one policy than of another."""
    if not sum(cases):
        return None
    gained = np.asarray(hits, float) - np.asarray(others, float)
    counted = np.asarray(cases, float)
    groups = len(counted)
    drawn = np.random.default_rng(seed).multinomial(groups, [1 / groups] * groups, size=ROUNDS)
    whole = drawn @ counted
    found = (drawn @ gained)[whole > 0] / whole[whole > 0]
    low, high = np.quantile(found, [0.025, 0.975])
    return Interval(float(gained.sum() / counted.sum()), float(low), float(high))
