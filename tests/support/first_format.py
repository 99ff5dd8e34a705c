"""The action types as files of the first release wrote them: with all statuses and transitions."""

from __future__ import annotations

from pathlib import Path

FIRST = Path(__file__).parent / "first_registry"


def first_text(name: str) -> str:
    """The file of a type, written out."""
    return (FIRST / "action_types" / f"{name}.yaml").read_text()
