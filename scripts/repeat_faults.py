"""Runs the fault tests several times in a row and prints a table: `make fault TIMES=10`.

They kill servers at moments that nobody chooses, so one run in which all is well says little. Ends with 1
when any run failed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNT = re.compile(r"(\d+) (passed|failed|error|errors|skipped)\b")


def main() -> int:
    """Run them and return the exit status."""
    times, more = int(sys.argv[1]), sys.argv[2:]
    print("run  passed  failed  skipped  seconds")
    bad = 0
    for run in range(1, times + 1):
        started = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "tests/fault", *more]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        found = {word: int(number) for number, word in COUNT.findall(lines[-1] if lines else "")}
        failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
        seconds = time.monotonic() - started
        print(
            f"{run:3}  {found.get('passed', 0):6}  {failed:6}  {found.get('skipped', 0):7}  {seconds:7.1f}",
            flush=True,
        )
        if done.returncode != 0:
            bad += 1
            print(done.stdout[-6000:], done.stderr[-2000:], sep="\n", flush=True)
    print(f"{times - bad} of {times} runs without a failure")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
