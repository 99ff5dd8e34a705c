"""Which cases of a test run with each change, and which at night alone (`make test-all`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def first_by_day(cases: Iterable[Any], reason: str, *, by_day: int = 1) -> list[Any]:
    """The parameters of a test: the first `by_day` run with each change, the others at night.

    Args:
        cases: The parameters; what is no tuple is the only one of its case.
        reason: What protects a change beside the others.
        by_day: How many run with each change.
    """
    return [
        case
        if number < by_day
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.nightly(reason))
        for number, case in enumerate(cases)
    ]


def in_turns(cases: Sequence[T], number: int, *, nightly: bool) -> Sequence[T]:
    """One of the cases for the `number`th place of a walk, another one for the next place; at night all."""
    return cases if nightly or not cases else [cases[number % len(cases)]]
