"""Processes of their own, forked from one that has imported the program; the command line as such a process.

What the process of a command is asked, its environment, its folder and what it prints are its own.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

_PROGRAM = "prefrontal.api.cli"
forked = multiprocessing.get_context("forkserver")
# In one place: a process has one such server, and what is said last is what the server loads.
forked.set_forkserver_preload(
    ["tests.support.preloaded", "tests.fault.test_commit_killed", "tests.fault.test_import_killed"]
)


def run_command(
    arguments: tuple[str, ...], *, env: dict[str, str], cwd: Path, timeout: float
) -> CompletedProcess[str]:
    """Return what `python -m prefrontal.api.cli` with these arguments gives."""
    with TemporaryDirectory(prefix="prefrontal-command-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        process = forked.Process(target=_become, args=(arguments, env, str(cwd), str(out), str(err)))
        process.start()
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            raise AssertionError(f"{arguments} took more than {timeout} s: {err.read_text()}")
        assert process.exitcode is not None
        return CompletedProcess(arguments, process.exitcode, out.read_text(), err.read_text())


def _become(arguments: tuple[str, ...], env: dict[str, str], cwd: str, out: str, err: str) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for number, name, path in ((0, "stdin", os.devnull), (1, "stdout", out), (2, "stderr", err)):
        opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
        # A fork of the server has none, or the one of the server.
        setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))
    sys.argv = [_PROGRAM, *arguments]
    runpy.run_module(_PROGRAM, run_name="__main__", alter_sys=True)
