"""What became of the 45 migrations from before the baseline. No release has had them.

A database with exactly these 45 has the schema of the baseline: it is adopted. Any other one of before is
refused with what to do. `migrate` does both; files say by their format which numbers they count with.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.errors import MigrationError

if TYPE_CHECKING:
    from collections.abc import Sequence

BASELINE = 1
"""The number of the migration that is the baseline."""
LAST_FORMER = 45
"""The number of the last migration from before the baseline."""
LAST_COMMIT = "6de9b8cc4bb4"
"""A commit that has all migrations from before the baseline."""
FORMER_FORMAT = 1
"""The version of exported organisations and of backups whose schema has a number from before the baseline."""
_FIRST_NAME = "0001_identity_scratch_goals"
# Migration 0027 was mended once, so there are two: with the file of the last commit, and with that of before.
_DIGESTS = frozenset(
    {
        "759414e4e02dbebae1d7c4b985d277771538fafb5440ce76a177f9281ddb7206",
        "96efd654003b7181395c81527a070d4f5662258c878d500acbc805d2697d64b0",
    }
)
"""SHA-256 sums of a line `NAME CHECKSUM` for each of the 45, in their order."""


class AppliedMigration(NamedTuple):
    """A migration that was applied to a database."""

    number: int
    name: str
    checksum: str


def is_former(applied: Sequence[AppliedMigration]) -> bool:
    """Whether a database has the migrations from before the baseline, all or some."""
    return any(each.name == _FIRST_NAME for each in applied)


def require_adoptable(applied: Sequence[AppliedMigration]) -> None:
    """Check that a database from before the baseline has the schema of the baseline.

    Raises:
        MigrationError: If it is older, or has other migrations than the known ones.
    """
    newest = max(each.number for each in applied)
    if newest < LAST_FORMER:
        raise MigrationError(
            f"the database has schema {newest:04d} from before the baseline: start it once with commit "
            f"{LAST_COMMIT} of Prefrontal, which brings it to {LAST_FORMER:04d}, and then with this version"
        )
    lines = "".join(f"{each.name} {each.checksum}\n" for each in sorted(applied))
    if hashlib.sha256(lines.encode()).hexdigest() not in _DIGESTS:
        raise MigrationError(
            f"the database has other migrations than those up to {LAST_FORMER:04d} of commit {LAST_COMMIT}: "
            "export each organisation with the version that used the database last (`prefrontal export "
            "organisation`), and import the files into a new database"
        )
