"""The load tool `wrk`: many connections, each of which sends its next request after the last response."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore] # stubs only with types-psutil

_MISSING = (
    "the load tool wrk is not installed; install it and try again:\n"
    "  Debian, Ubuntu: apt-get install wrk\n"
    "  macOS:          brew install wrk"
)
# wrk calls `done` once at the end; latencies are in microseconds. A server that refuses everything is fast,
# so the number of failed requests is reported too.
_SCRIPT = """
wrk.method = "POST"
wrk.body = os.getenv("LOAD_BODY")
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("LOAD_TOKEN")
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests": %d, "us": %d, "p50_us": %d, "p99_us": %d, "failed": %d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """The result of one run of the tool."""

    per_s: float
    p50_ms: float
    p99_ms: float
    failed: int
    """Requests without a response, or with an error status."""
    cpu_ms: float
    """CPU time of the server's process per request; less affected by other work on the machine than rates."""


def find_wrk() -> str:
    """Return the path of the tool; exit with installation instructions if it is missing."""
    found = shutil.which("wrk")
    if found is None:
        raise SystemExit(_MISSING)
    return found


async def load(
    url: str, token: str, body: dict[str, Any], *, pid: int, connections: int, seconds: int
) -> Load:
    """Send the body to the URL repeatedly on all connections and return rate, latencies and CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "load.lua"
        script.write_text(_SCRIPT)
        before = _cpu_s(pid)
        process = await asyncio.create_subprocess_exec(
            find_wrk(),
            *("-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(script), url),
            env={**os.environ, "LOAD_BODY": json.dumps(body), "LOAD_TOKEN": token},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        cpu_s = _cpu_s(pid) - before
    printed = output.decode(errors="replace")
    line = next((each for each in printed.splitlines() if each.startswith("RESULT ")), None)
    if process.returncode or line is None:
        raise SystemExit(f"wrk failed:\n{printed}")
    found = json.loads(line.removeprefix("RESULT "))
    return Load(
        per_s=found["requests"] / (found["us"] / 1e6),
        p50_ms=found["p50_us"] / 1000,
        p99_ms=found["p99_us"] / 1000,
        failed=found["failed"],
        cpu_ms=cpu_s * 1000 / max(1, found["requests"]),
    )


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
