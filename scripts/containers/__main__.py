"""Brings an engine and images, then runs the tests of containers on them.

    python -m scripts.containers test [pytest's arguments]    the tests; everything is cleared away at the end
    python -m scripts.containers engine                       the engine and images alone, until Ctrl-C

Without --nightly that is a graph fixture on a Neo4j, and nothing else is fetched or made.

An engine that answers is used. Where there is none, podman is installed from Debian's packages and runs as
long as this does; its images are kept in --store for the next time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from prefrontal.graph.config.settings import ROOT, load_settings
from prefrontal.graph.downloads.locks import exclusive
from prefrontal.graph.errors import PrefrontalError
from scripts.containers import engine as engines
from scripts.containers import images
from scripts.containers.engine import Engine, EngineFailed, NoEngine, say

HANDED_ON = "PREFRONTAL_CONTAINERS"
"""The variable in which the tests find the engine and the images."""


LONGEST_TEST_S = 2700
"""How long one test may take."""

CLEARING_S = 120
"""How long the tests may take to clear up after an interruption."""


def main() -> int:
    """Run the command that was named and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.containers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--store", type=Path, help="where an engine of our own keeps its images")
    parser.add_argument("what", choices=["test", "engine"])
    arguments, more = parser.parse_known_args()
    # So that the blocks below end in order, as with Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        settings = load_settings()
        store = (arguments.store or settings.cache_dir / "containers").absolute()
        with provided(store) as engine:
            started = time.monotonic()
            say("Images:")
            # Without the nightly tests there is a graph fixture on a Neo4j, and nothing else.
            some = arguments.what == "test" and "--nightly" not in more
            neo4j = images.provide_neo4j(engine, settings)
            chosen = None if some else images.provide(engine, settings)
            say(f"Images are there after {time.monotonic() - started:.0f} s.")
            env = {
                **os.environ,
                **engine.env,
                "NEO4J_IMAGE": neo4j,
                HANDED_ON: json.dumps(
                    {"engine": asdict(engine), "images": asdict(chosen) if chosen else None}
                ),
            }
            if arguments.what == "engine":
                return keep_running(engine, neo4j)
            named = any(argument.startswith("tests/") for argument in more)
            # One test runs hundreds in a container, on a server that plans each statement for the first time.
            patience = ["-o", f"faulthandler_timeout={LONGEST_TEST_S}"]
            tests = [] if named else ["tests/container"]
            command = [sys.executable, "-m", "pytest", *patience, *tests, *more]
            return run_to_the_end(command, env)
    except (NoEngine, EngineFailed, PrefrontalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run_to_the_end(command: list[str], env: dict[str, str]) -> int:
    """Run the tests and return their exit status; one who interrupts them waits until they cleared up."""
    with subprocess.Popen(command, cwd=ROOT, env=env) as tests:
        try:
            return tests.wait()
        except KeyboardInterrupt:
            tests.send_signal(signal.SIGINT)
            tests.wait(CLEARING_S)
            raise


@contextlib.contextmanager
def provided(store: Path) -> Iterator[Engine]:
    """Give the engine that answers, or one of our own."""
    found = engines.answering()
    if found is not None:
        say("Engine: the one that `docker` reaches.")
        yield found
        return
    say(f"Engine: none answers, so podman is run; it keeps its images in {store}.")
    engines.install()
    # One at a time: who comes second waits, and finds the images.
    with exclusive(store / "lock"), engines.own_engine(store) as engine:
        yield engine


def keep_running(engine: Engine, neo4j: str) -> int:
    """Say how the engine is reached and keep it until Ctrl-C."""
    for name, value in {**engine.env, "NEO4J_IMAGE": neo4j}.items():
        say(f"export {name}={value}")
    say("Ctrl-C ends it.")
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
