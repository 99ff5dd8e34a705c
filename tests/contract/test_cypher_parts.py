"""The texts that several query files contain stand in `cypher/_parts/`, and every copy is up to date."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.storage.queries import Scope, load_queries, used_params
from scripts.export_cypher_parts import Part, PartError, filled, outdated, read_parts, used

CYPHER = ROOT / "cypher"
SHOUT = {"shout": Part(("who",), ("RETURN who.name + '!who' AS who, $who AS $who",))}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CYPHER, tmp_path / "cypher"))


def test_every_copy_of_a_part_is_up_to_date() -> None:
    assert outdated(CYPHER) == {}


def test_a_copy_that_was_changed_is_found_and_written_anew(copy: Path) -> None:
    path = copy / "goals" / "find_goals.cypher"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("may.until IS NULL AND ", ""), encoding="utf-8")

    assert outdated(copy) == {path: text}


def test_a_changed_part_changes_every_file_with_it(copy: Path) -> None:
    part = copy / "_parts" / "shares.cypher"
    part.write_text(part.read_text(encoding="utf-8").replace("{0,20}", "{0,9}"), encoding="utf-8")

    wanted = outdated(copy)

    held = {
        path for path in copy.glob("*/*.cypher") if "{0,20} (top:Goal)" in path.read_text(encoding="utf-8")
    }
    assert wanted.keys() == held != set()
    assert not any("{0,20} (top:Goal)" in text for text in wanted.values())


def test_every_part_is_used(copy: Path) -> None:
    named = {name for path in copy.glob("*/*.cypher") for name in used(path.read_text(encoding="utf-8"))}

    assert named == set(read_parts(CYPHER / "_parts"))


def test_the_ways_up_to_a_shared_goal_and_down_from_it_are_written_once() -> None:
    parts = [path.stem for path in (CYPHER / "_parts").glob("*.cypher") if "may:MAY" in path.read_text()]

    assert sorted(parts) == ["shared_goals", "shares"]


def test_a_part_is_copied_with_the_names_of_its_marker() -> None:
    text = "MATCH (x)\n  // part: shout(x) if $xs\n  old\n  // end part\n"

    assert filled(text, SHOUT, "q") == (
        "MATCH (x)\n  // part: shout(x) if $xs\n  RETURN x.name + '!who' AS x, $who AS $who\n  // end part\n"
    )


def test_a_part_may_contain_parts() -> None:
    parts = {**SHOUT, "both": Part(("a",), ("WITH a", "  // part: shout(a)"))}

    assert filled("// part: both(n)\n// end part\n", parts, "q") == (
        "// part: both(n)\nWITH n\n  RETURN n.name + '!who' AS n, $who AS $who\n// end part\n"
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("// part: whisper(x)\n// end part", "q:1: there is no part whisper"),
        ("// part: shout(x, y)\n// end part", r"q:1: shout takes \['who'\], given \['x', 'y'\]"),
        ("// part: shout(x)\nRETURN 1", "q: shout does not end"),
        ("RETURN 1\n// end part", "q:2: ends a part that does not begin"),
        ("// part: shout(x)\n// part: shout(y)\n// end part", "q:2: shout does not end before"),
        ("// part shout\n// end part", "q:1: a part is named like this"),
    ],
)
def test_a_marker_that_is_wrong_is_named(text: str, complaint: str) -> None:
    with pytest.raises(PartError, match=complaint):
        filled(text, SHOUT, "q")


def test_without_shares_no_statement_of_a_caller_looks_for_them() -> None:
    queries = [query for query in load_queries(CYPHER).values() if "grantees" in query.params]
    # The permissions that shares give: the store does not ask for them without shares.
    asks = {query.name for query in queries if "grantees" not in query.conditions}
    looks = {
        query.name
        for query in queries
        if query.conditions and ("grantees" in used_params(query.reduced) or "MAY" in query.reduced)
    }

    assert asks == {"goals/list_permissions"}
    assert looks == set()
    assert {query.scope for query in queries if query.conditions} == {Scope.CALLER}
