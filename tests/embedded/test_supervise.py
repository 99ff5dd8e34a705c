"""The supervisor with a small Python program in the server's place: the same signals, in milliseconds."""

import os
import signal
import sys

import psutil
import pytest

from prefrontal.graph.embedded.child import AttachedChild
from prefrontal.graph.errors import ServerDied

READY = "print('ready', flush=True)"
STUBBORN = f"import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); {READY}; time.sleep(600)"
POLITE = f"import signal, sys, time; signal.signal(15, lambda *_: sys.exit(0)); {READY}; time.sleep(600)"


@pytest.fixture
def run(tmp_path):
    started = []

    def start(program):
        log = tmp_path / "log"
        child = AttachedChild([sys.executable, "-c", program], log, dict(os.environ))
        started.append(child)
        while "time.sleep" in program and "ready" not in log.read_text():
            assert child.poll() is None
        return child

    yield start
    for child in started:
        child.stop(0)


def test_an_orderly_end(run):
    child = run(POLITE)

    assert child.stop(60) is True
    assert child.poll() == 0
    assert not psutil.pid_exists(child.pid)


def test_a_child_that_does_not_listen_is_killed_after_the_timeout(run):
    child = run(STUBBORN)

    assert child.stop(0.2) is False
    assert child.poll() == 128 + signal.SIGKILL
    assert not psutil.pid_exists(child.pid)


def test_stopping_twice_is_fine(run):
    child = run(POLITE)

    assert child.stop(60) is True
    assert child.stop(60) is True


def test_the_exit_status_comes_through(run):
    child = run("import sys; sys.exit(3)")

    assert child._supervisor.wait(10) == 3
    assert child.stop(10) is False


def test_a_child_killed_by_somebody_is_reported(run):
    child = run(POLITE)

    os.kill(child.pid, signal.SIGKILL)

    assert child._supervisor.wait(10) == 128 + signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_the_child_goes_when_its_supervisor_is_killed(run, wait_gone):
    child = run(STUBBORN)
    process = psutil.Process(child.pid)

    child._supervisor.kill()

    assert wait_gone(process)


def test_it_shares_no_terminal_signals_with_us(run):
    child = run(POLITE)

    assert os.getpgid(child.pid) != os.getpgid(0)
    assert os.getsid(child.pid) != os.getsid(0)


def test_a_program_that_does_not_exist(tmp_path):
    child = AttachedChild([str(tmp_path / "nothing")], tmp_path / "log", dict(os.environ))

    assert child._supervisor.wait(10) == 127
    assert child.stop(10) is False


def test_a_supervisor_that_cannot_run_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr("prefrontal.graph.embedded.child._SUPERVISOR", tmp_path / "missing.py")

    with pytest.raises(ServerDied, match=r"missing\.py"):
        AttachedChild(["true"], tmp_path / "log", dict(os.environ))
