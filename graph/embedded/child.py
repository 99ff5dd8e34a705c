"""The server process as a child of this process: start, poll and stop.

    attached   ends together with this process; it runs under `supervise.py`
    detached   outlives this process; it is started directly, in its own session

Neither kind is in this process's group, so Ctrl-C in the terminal reaches only this process, which then
stops the server in order.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Protocol

from prefrontal.graph.embedded.processes import kill
from prefrontal.graph.errors import ServerDied

KILL_WAIT_S = 10.0
_SUPERVISOR = Path(__file__).with_name("supervise.py")

_left_running: list[subprocess.Popen[bytes]] = []
# Python warns when the handle of a running child is garbage-collected, and an ended child stays a zombie
# until its exit status is read. Keeping the handles of detached servers avoids both.


class Child(Protocol):
    """A server process."""

    @property
    def pid(self) -> int:
        """The process id of the server itself."""
        ...

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        ...

    def stop(self, timeout_s: float) -> bool:
        """Ask the server to end, and kill it after the timeout; return whether it ended in order."""
        ...


class AttachedChild:
    """A server that ends when this process ends, even when this process is killed."""

    def __init__(self, command: list[str], log: Path, env: dict[str, str]) -> None:
        """Start the command under the supervisor; its output goes to the log.

        Raises:
            ServerDied: If the command could not be started.
        """
        report, child_report = os.pipe()
        try:
            with log.open("wb") as out:
                self._supervisor = subprocess.Popen(  # noqa: S603 - our own program and arguments
                    [sys.executable, "-I", "-S", str(_SUPERVISOR), str(child_report), *command],
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    env=env,
                    pass_fds=(child_report,),
                    start_new_session=True,
                )
        finally:
            os.close(child_report)
        with os.fdopen(report, "rb") as answer:
            line = answer.readline()
        if not line:
            self.stop(0)
            raise ServerDied(f"the server could not be started: {log.read_text(errors='replace').strip()}")
        self._pid = int(line)

    @property
    def pid(self) -> int:
        """The process id of the server itself, not of its supervisor."""
        return self._pid

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._supervisor.poll()

    def stop(self, timeout_s: float) -> bool:
        """Close the supervisor's input, so that it ends the server; return whether that was in order."""
        lifeline: IO[bytes] | None = self._supervisor.stdin
        if lifeline and not lifeline.closed:
            try:
                lifeline.write(b"%.3f" % timeout_s)
                lifeline.close()
            except BrokenPipeError:
                pass  # the server has ended by itself
        try:
            return self._supervisor.wait(timeout_s + KILL_WAIT_S) == 0
        except subprocess.TimeoutExpired:
            # On Linux the kernel kills the server together with the supervisor; elsewhere, kill it first.
            kill(self._pid)
            self._supervisor.kill()
            self._supervisor.wait()
            return False


class DetachedChild:
    """A server that keeps running when this process ends."""

    def __init__(self, command: list[str], log: Path, env: dict[str, str]) -> None:
        """Start the command; its output goes to the log."""
        with log.open("wb") as out:
            self._process = subprocess.Popen(  # noqa: S603 - our own Java and our own arguments
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=env,
                start_new_session=True,
            )
        _left_running.append(self._process)

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._process.poll()

    def stop(self, timeout_s: float) -> bool:
        """Send SIGTERM, and kill the server after the timeout; return whether it ended in order."""
        self._process.terminate()
        try:
            in_order = self._process.wait(timeout_s) in {0, 143}
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            in_order = False
        _left_running.remove(self._process)
        return in_order


def bury_ended() -> None:
    """Collect the exit status of detached servers that have ended, so that none stays a zombie."""
    _left_running[:] = [process for process in _left_running if process.poll() is None]
