"""What the tests of readers compare: the fields of each entry that a reader has set, or its problem."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from prefrontal.api.imports.entry import MemoryLine


def contents(lines: Iterable[MemoryLine]) -> list[tuple[int, str | None]]:
    """The number of each entry, with its content or its problem."""
    return [(line.number, line.draft.content if line.draft else line.problem) for line in lines]


def fields(lines: Iterable[MemoryLine]) -> list[dict[str, Any]]:
    """What each entry says beyond its defaults; all must be valid."""
    found = []
    for line in lines:
        assert line.draft is not None, line.problem
        found.append(line.draft.model_dump(mode="json", exclude_defaults=True))
    return found
