"""`prefrontal serve` as a newcomer runs it: an embedded Neo4j, the demo, Ctrl-C, and again."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

import psutil
import pytest

from prefrontal.graph.config.settings import ROOT
from tests.cli.conftest import clean_environment

pytestmark = [pytest.mark.slow, pytest.mark.alone]

_PATIENCE_S = 600

PROGRAM = (sys.executable, "-m", "prefrontal.api.cli")


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


@contextmanager
def serving(
    env: dict[str, str], *arguments: str, program: Sequence[str | Path] = PROGRAM, cwd: Path = ROOT
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server and what it printed on a terminal until it was ready: there alone it shows secrets."""
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(
        [*program, "serve", *arguments],
        cwd=cwd,
        env=env | {"TERM": "dumb", "NO_COLOR": "1"},
        stderr=its_end,
        stdout=subprocess.DEVNULL,
    )
    os.close(its_end)
    said: list[str] = []
    shown = os.fdopen(terminal, encoding="utf-8")
    try:
        deadline = time.monotonic() + _PATIENCE_S
        for line in shown:
            said.append(line)
            if "Ctrl-C stops everything" in line:
                break
            assert time.monotonic() < deadline, said
        else:
            raise AssertionError(f"it ended: {said}")
        yield process, "".join(said)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        shown.close()


def ask(port: int, token: str, query: str) -> dict:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql",
        json.dumps({"query": query}).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def javas_of(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        command = " ".join(process.info["cmdline"] or [])
        if str(folder) in command and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


@pytest.mark.nightly("an installed wheel serves: test_packages.py; the demo: tests/api/test_demo_page.py")
def test_a_newcomers_first_minute(tmp_path):
    api_port, bolt_port, browser_port = free_ports(3)
    env = clean_environment(tmp_path / "data") | {
        "PREFRONTAL_PORT": str(api_port),
        "PREFRONTAL_BOLT_PORT": str(bolt_port),
        "PREFRONTAL_BROWSER_PORT": str(browser_port),
    }
    goals = "{ activeGoals { title } }"

    with serving(env, "--demo") as (process, said):
        token = re.search(r"/#token=(\S+)", said)
        assert token
        browser = re.search(rf"http://127.0.0.1:{browser_port}/browser/\?\S+", said)
        assert browser
        # The guide comes first, then the query; both connect to this database.
        links = re.findall(rf"http://127.0.0.1:{browser_port}/browser/\?(\S+)", said)
        assert [parse_qs(link)["cmd"] for link in links] == [["edit"], ["edit"]]
        # Before the login Neo4j Browser loads no guide, so the command stands in the editor.
        play, guide = parse_qs(links[0])["arg"][0].split()
        assert (play, guide) == (":play", f"http://127.0.0.1:{api_port}/browser-kit/guide.html")
        with urllib.request.urlopen(guide, timeout=30) as page:
            assert b"carousel" in page.read()
        password = re.search(r"user neo4j\s+password (\S+)", said)
        assert password
        assert password[1] not in browser[0]
        assert "prefrontal import notes.md" in said
        assert "prefrontal token" in said
        titles = [goal["title"] for goal in ask(api_port, token[1], goals)["data"]["activeGoals"]]
        assert titles[0] == "Order by Friday noon"
        assert len(titles) == 7

        beside = subprocess.run(
            [sys.executable, "-m", "prefrontal.api.cli", "serve"],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert beside.returncode == 1
        assert f"port {api_port}" in beside.stderr
        assert f"process {process.pid}" in beside.stderr

        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert process.returncode == 0
        assert javas_of(tmp_path) == []

    # The second start finds the data and tells the story no second time.
    with serving(env, "--demo") as (process, said):
        token = re.search(r"/#token=(\S+)", said)
        assert token
        titles = [goal["title"] for goal in ask(api_port, token[1], goals)["data"]["activeGoals"]]
        assert len(titles) == 7

        # Killed without a chance to clean up: the database does not outlive it.
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
        psutil.wait_procs(javas_of(tmp_path), timeout=30)
        assert javas_of(tmp_path) == []
