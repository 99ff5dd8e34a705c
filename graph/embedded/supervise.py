"""Supervisor of an attached server: a small program that stops the server when its starter ends.

Run as `python -I -S supervise.py REPORT_FD COMMAND…`, never imported by the package.

Standard input is a pipe that only the starting process writes to. The pipe closes when that process ends in
any way, including `kill -9`. The supervisor then asks the server to stop, and kills it after a timeout.

The kernel's parent-death signal alone would not do: it fires when the *thread* that started the child ends.
The pipe does not depend on the thread that calls `start`, gives the server time to close its store, and also
works on macOS. The parent-death signal is still used between supervisor and server, where there is only one
thread: if the supervisor itself is killed, the kernel kills the server.
"""

import ctypes
import os
import select
import signal
import sys
import time

GRACE_S = 20.0
PR_SET_PDEATHSIG = 1


def _spawn(command: list[str]) -> int:
    """Return the pid of the started command."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # the parent ended before the signal was armed
                os._exit(1)
        os.execv(command[0], command)  # noqa: S606 - the command is the caller's own
    finally:
        os._exit(127)


def main() -> int:
    """Run the command until it ends or must be stopped; return its exit status (128 + signal if killed)."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    asked: list[int] = []
    wake_in, wake_out = os.pipe()
    os.set_blocking(wake_out, False)
    signal.set_wakeup_fd(wake_out)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: asked.append(got))

    os.set_inheritable(report, False)  # noqa: FBT003
    pid = _spawn(command)
    os.write(report, b"%d\n" % pid)
    os.close(report)

    watched, grace = [0, wake_in], b""
    deadline: float | None = None
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        wait = None if deadline is None else max(0.0, deadline - time.monotonic())
        if wait == 0.0:
            os.kill(pid, signal.SIGKILL)
            deadline, wait = None, None
        ready = select.select(watched, [], [], wait)[0]
        if wake_in in ready:
            os.read(wake_in, 1024)
        stop_in = GRACE_S if asked else None
        if 0 in ready:
            received = os.read(0, 64)
            grace += received
            if not received:
                watched.remove(0)
                # An orderly starter writes the timeout before it closes the pipe; a killed one writes none.
                stop_in = float(grace or GRACE_S)
        if stop_in is not None:
            asked.clear()
            deadline = time.monotonic() + stop_in
            os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
