"""Reading migrations and deciding what is still to be applied."""

from __future__ import annotations

import re

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import MigrationError
from prefrontal.graph.storage.schema import (
    CHANGES_SCHEMA,
    Migration,
    load_migrations,
    on_a_new_database,
    pending_of,
)


def write(folder, **files):
    (folder / "schema").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "schema" / f"{name.removeprefix('m')}.cypher").write_text(text)
    return folder


def migration(number, checksum="a"):
    return Migration(number, f"{number:04d}_step", checksum, ("RETURN 1",))


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
            # An index or constraint, or what gives older nodes what they lack, and only those.
            fills = statement.startswith("MATCH ") and " IS NULL\nSET " in statement
            # A batch finds only what an earlier run has not changed, or links only what is not linked.
            batch = statement.startswith("MATCH ") and re.search(r"} IN TRANSACTIONS OF \d+ ROWS$", statement)
            assert (
                fills
                or (batch and (_merges(statement) or _finds_only_the_rest(statement)))
                or re.search(" IF (NOT )?EXISTS", statement)
            )


def _merges(statement: str) -> bool:
    """Tell whether a batch only makes nodes that are found if they are there already."""
    return re.search(r"\{\s+MERGE \(:\w+ \{[^}]+\}\)\s+\} IN TRANSACTIONS", statement) is not None


def _finds_only_the_rest(statement: str) -> bool:
    """Tell whether a batch changes what its first line looks for, so that a second run finds the rest."""
    first, rest = statement.split("\n", 1)
    if "WHERE NOT EXISTS { (" in statement:
        return "CREATE (" in rest or "MERGE (" in rest
    if said := re.search(r"WHERE (\w+\.\w+) IS NULL$", first):
        return f"SET {said[1]} =" in rest
    if said := re.search(r"WHERE (\w+\.\w+) IS NOT NULL$", first):
        return re.search(rf"REMOVE {said[1]}\s", rest) is not None
    if said := re.search(r"(\w+\.\w+) (=|<>) ('\w+')$", first):
        became = re.search(rf"SET {said[1]} = ('\w+')", rest)
        return became is not None and (became[1] == said[3]) is (said[2] == "<>")
    if said := re.search(r"WHERE ('\w+') IN (\w+\.\w+)$", first):
        return f"SET {said[2]} = COLLECT" in rest and f"WHERE name <> {said[1]}" in rest
    moved = re.match(r"MATCH \(\w+:\w+\)-\[(\w+):\w+\]->\(", first)
    return moved is not None and re.search(rf"DELETE {moved[1]}\s", rest) is not None


def test_what_is_applied_is_not_pending():
    one, two, three = (migration(number) for number in (1, 2, 3))

    assert pending_of((one, two, three), {}) == [one, two, three]
    assert pending_of((one, two, three), {1: "a", 2: "a"}) == [three]
    assert pending_of((one, two, three), {1: "a", 2: "a", 3: "a"}) == []


def test_an_edited_file_is_refused_by_name():
    with pytest.raises(MigrationError, match=r"0001_step.cypher was edited after it had been applied"):
        pending_of((migration(1, "b"), migration(2)), {1: "a"})


def test_a_mended_file_counts_as_applied_where_it_was_applied_before(tmp_path):
    was = "c" * 64
    (mended,) = load_migrations(write(tmp_path, m0001_step=f"// formerly: {was}, which hung\nRETURN 1;"))

    assert mended.formerly == {was}
    assert pending_of((mended,), {1: was}) == []
    assert pending_of((mended,), {1: mended.checksum}) == []
    with pytest.raises(MigrationError, match="was edited"):
        pending_of((mended,), {1: "d" * 64})


@pytest.mark.parametrize("line", ["// formerly: abc, which hung", "// formerly: " + "c" * 64, "formerly"])
def test_a_line_without_a_checksum_or_a_reason_mends_nothing(tmp_path, line):
    (edited,) = load_migrations(write(tmp_path, m0001_step=f"{line}\nRETURN 1;"))

    assert edited.formerly == frozenset()


def test_a_newer_database_is_refused():
    with pytest.raises(MigrationError, match="the database has schema 0003, this code knows 0002"):
        pending_of((migration(1), migration(2)), {1: "a", 2: "a", 3: "a"})


def test_a_new_database_gets_what_the_newest_schema_has():
    index = "CREATE INDEX {0} IF NOT EXISTS FOR (n:A) ON (n.{1})"
    texts = "CREATE FULLTEXT INDEX texts IF NOT EXISTS\n  FOR (n:A) ON EACH [n.t]"
    unique = "CREATE CONSTRAINT one IF NOT EXISTS FOR (n:A) REQUIRE n.x IS UNIQUE"
    fill = "MATCH (n:A) WHERE n.y IS NULL\nSET n.y = 1"
    one = Migration(1, "0001_one", "1", (index.format("a", "x"), index.format("b", "x"), texts))
    two = Migration(2, "0002_two", "2", ("DROP INDEX a IF EXISTS", index.format("b", "y"), unique, fill))
    three = Migration(3, "0003_three", "3", ("DROP INDEX b IF EXISTS", index.format("b", "z")))

    made = on_a_new_database([one, two, three])

    assert [each.statements for each in made] == [(texts,), (unique,), (index.format("b", "z"),)]
    assert [(each.number, each.checksum) for each in made] == [(1, "1"), (2, "2"), (3, "3")]


def test_what_changes_no_schema_finds_nothing_in_a_new_database():
    for shipped in load_migrations(ROOT / "cypher"):
        for statement in shipped.statements:
            assert CHANGES_SCHEMA.match(statement) or statement.startswith("MATCH (")
