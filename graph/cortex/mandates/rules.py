"""What a violation means.

prohibition    what it forbids is not done at all
confirmation   what it wants to be confirmed is done after a person's confirmation
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.cortex.mandates.record import Violation, ViolationKind


def texts_of(*given: str | None) -> tuple[str, ...]:
    """Return the texts that there are."""
    return tuple(text for text in given if text)


def prohibited(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """Return the violations of prohibitions."""
    return tuple(each for each in violations if each.kind is ViolationKind.PROHIBITED)
