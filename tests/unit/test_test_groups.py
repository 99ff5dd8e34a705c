"""The groups of `make test-all`: nothing is in none, and what changed is run again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from prefrontal.graph.config.settings import ROOT
from scripts import test_all
from scripts.test_all import GROUPS, Result, Results, digest_of

GREEN = Result("abc", "1", green=True, counts="2 passed", seconds=1.5, ended="2026-11-29T21:00:00+00:00")


def test_each_folder_of_tests_is_in_one_group() -> None:
    folders = {f"tests/{path.parent.relative_to(ROOT / 'tests').parts[0]}" for path in folders_with_tests()}

    assert sorted(folder for group in GROUPS.values() for folder in group.tests) == sorted(folders)


def folders_with_tests() -> list[Path]:
    return [*(ROOT / "tests").glob("*/**/test_*.py"), *(ROOT / "tests").glob("*/**/*.fixture.yaml")]


def test_each_file_whose_change_asks_for_a_group_is_there() -> None:
    paths = {path for group in GROUPS.values() for path in group.paths}

    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_a_digest_is_of_the_files_as_they_are_in_the_work_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_all, "ROOT", tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "rule.py").write_text("a")
    (tmp_path / "api.py").write_text("a")
    first = digest_of(("graph",))

    (tmp_path / "api.py").write_text("b")
    assert digest_of(("graph",)) == first
    (tmp_path / "graph" / "rule.py").write_text("b")
    changed = digest_of(("graph",))
    (tmp_path / "graph" / "new.py").write_text("")
    assert len({first, changed, digest_of(("graph",))}) == 3

    contract = tmp_path / "tests" / "contract"
    contract.mkdir(parents=True)
    before = digest_of(("tests",))
    (contract / "plans.lock.json").write_text("written by the tests themselves")
    assert digest_of(("tests",)) == before


def test_what_is_green_and_unchanged_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def run(name: str, _group: object, digest: str) -> Result:
        ran.append(name)
        green = name != "faults"
        return Result("abc", digest, green=green, counts="1 failed", seconds=61, ended=GREEN.ended)

    monkeypatch.setattr(test_all, "run", run)
    monkeypatch.setattr(test_all, "digest_of", lambda paths: str(len(paths)))
    monkeypatch.setenv("PREFRONTAL_CACHE_DIR", str(tmp_path))

    def called(*arguments: str) -> int:
        monkeypatch.setattr("sys.argv", ["test_all", *arguments])
        return test_all.main()

    assert called("faults", "units") == 1
    # What failed is tried again, also though nothing changed.
    assert called("faults", "units") == 1
    assert called("units") == 0
    assert called("--again", "units") == 0
    assert ran == ["faults", "units", "faults", "units"]
    told = capsys.readouterr().out.splitlines()
    assert told[0].split()[:2] == ["faults", "1:01"]
    assert "green at abc, unchanged since" in told[3]


def test_results_of_other_groups_are_kept(tmp_path: Path) -> None:
    results = Results(tmp_path / "new" / "test-all.json")
    assert results.of("units") is None

    results.keep("units", GREEN)
    results.keep("faults", GREEN)

    assert Results(tmp_path / "new" / "test-all.json").of("units") == GREEN
