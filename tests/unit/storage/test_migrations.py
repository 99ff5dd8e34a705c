"""Reading migrations and deciding what is still to be applied."""

from __future__ import annotations

import re

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import MigrationError
from prefrontal.graph.storage.baseline import AppliedMigration
from prefrontal.graph.storage.schema import Migration, load_migrations, pending_of
from tests.support.former import ALTERED, FORMER


def write(folder, **files):
    (folder / "schema").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "schema" / f"{name.removeprefix('m')}.cypher").write_text(text)
    return folder


def migration(number, checksum="a"):
    return Migration(number, f"{number:04d}_step", checksum, ("RETURN 1",))


def applied(*checksums):
    return [
        AppliedMigration(number, f"{number:04d}_step", checksum)
        for number, checksum in enumerate(checksums, 1)
    ]


def test_statements_end_at_a_semicolon_at_the_end_of_a_line(tmp_path):
    folder = write(
        tmp_path,
        m0001_first=(
            "// Why; what for;\nCREATE INDEX a IF NOT EXISTS FOR (n:A) ON (n.x);\n\n"
            "CREATE INDEX b IF NOT EXISTS\n  // in between;\n  FOR (n:B) ON (n.x)"
        ),
        m0002_second="RETURN ';' AS x;\n",
    )

    first, second = load_migrations(folder)

    assert (first.number, first.name) == (1, "0001_first")
    assert first.statements == (
        "CREATE INDEX a IF NOT EXISTS FOR (n:A) ON (n.x)",
        "CREATE INDEX b IF NOT EXISTS\n  FOR (n:B) ON (n.x)",
    )
    assert second.statements == ("RETURN ';' AS x",)


def test_any_edit_changes_the_checksum(tmp_path):
    (before,) = load_migrations(write(tmp_path, m0001_first="RETURN 1;"))
    (after,) = load_migrations(write(tmp_path, m0001_first="RETURN 1; "))

    assert before.checksum != after.checksum


@pytest.mark.parametrize("names", [["m0002_b"], ["m0001_a", "m0003_c"], ["m0001_a", "m0001_b"]])
def test_numbers_run_from_one_without_a_gap(tmp_path, names):
    with pytest.raises(MigrationError, match="numbers must run from 0001 without a gap"):
        load_migrations(write(tmp_path, **dict.fromkeys(names, "RETURN 1;")))


@pytest.mark.parametrize("name", ["m1_first", "m0001first", "m0001_First", "mfirst"])
def test_a_file_that_is_not_named_like_a_migration_is_refused(tmp_path, name):
    with pytest.raises(MigrationError, match=r"a migration is named NNNN_name\.cypher"):
        load_migrations(write(tmp_path, **{name: "RETURN 1;"}))


def test_every_shipped_statement_can_be_run_again():
    for shipped in load_migrations(ROOT / "cypher"):
        for statement in shipped.statements:
            assert re.search(" IF (NOT )?EXISTS", statement)


def test_what_is_applied_is_not_pending():
    one, two, three = (migration(number) for number in (1, 2, 3))

    assert pending_of((one, two, three), ()) == [one, two, three]
    assert pending_of((one, two, three), applied("a", "a")) == [three]
    assert pending_of((one, two, three), applied("a", "a", "a")) == []


def test_an_edited_file_is_refused_by_name():
    with pytest.raises(MigrationError, match=r"0001_step.cypher was edited after it had been applied"):
        pending_of((migration(1, "b"), migration(2)), applied("a"))


def test_a_newer_database_is_refused():
    with pytest.raises(MigrationError, match="the database has schema 0003, this code knows 0002"):
        pending_of((migration(1), migration(2)), applied("a", "a", "a"))


def test_a_database_that_can_be_adopted_is_not_up_to_date():
    assert pending_of((migration(1), migration(2)), FORMER) == [migration(1), migration(2)]


def test_a_database_from_before_the_baseline_that_cannot_be_adopted_is_refused():
    with pytest.raises(MigrationError, match="has schema 0044 from before the baseline"):
        pending_of((migration(1),), FORMER[:-1])
    with pytest.raises(MigrationError, match="has other migrations than those up to 0045"):
        pending_of((migration(1),), ALTERED)
