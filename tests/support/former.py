"""The 45 migrations from before the baseline, as a database of then has them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from prefrontal.graph.storage.baseline import AppliedMigration


def _read() -> tuple[AppliedMigration, ...]:
    lines = Path(__file__).with_name("former_migrations.txt").read_text().splitlines()
    return tuple(AppliedMigration(number, *line.split()) for number, line in enumerate(lines, 1))


def _with(number: int, checksum: str) -> tuple[AppliedMigration, ...]:
    return tuple(each._replace(checksum=checksum) if each.number == number else each for each in FORMER)


FORMER = _read()
UNMENDED = _with(27, "a5fc9c77e4cebcedeff77d4bc64429d80ea3d10646677f8a4377e01a3bb89ea2")
"""With the checksum of a file from before it was mended."""
ALTERED = _with(30, "0" * 64)


def record(applied: Iterable[AppliedMigration]) -> str:
    """Return a statement with the parameter `now` that writes records."""
    rows = ", ".join(
        f"{{number: {each.number}, name: '{each.name}', checksum: '{each.checksum}'}}" for each in applied
    )
    return f"UNWIND [{rows}] AS row CREATE (m:Migration) SET m = row, m.created_at = $now"
