"""The command `python -m bench.sessions_speed`: what sessions of working memory cost.

At each number of past sessions (`bench.sessions_world`) it measures one client; at the end so many clients
that update many sessions at once. Vectors are made without a model, in 0.05 ms each.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.progress import Progress

from bench import report
from bench.run import (
    Outcome,
    add_options,
    bar,
    chosen,
    environment_of,
    measure_all,
    migrated,
    options_of,
    run_command,
    show,
    sizes_of,
    warm,
)
from bench.server import provide_server
from bench.sessions_operations import MANY, OPERATIONS
from bench.sessions_world import LOADERS, Sessions, add_running, grow_sessions, make_sessions
from bench.vectors import Observed, synthetic_like
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint

EVERY = (*OPERATIONS, *MANY)
COLUMNS = (
    "operation", "past sessions", "clients", "n", "p50 ms", "p95 ms", "× unit", "aim", "kept", "runs/s",
    "statements", "their ms", "db hits", "growth",
)  # fmt: skip


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.sessions_speed", description=__doc__)
    add_options(parser, "past sessions", "10,1000,10000", seconds=10)
    parser.add_argument(
        "--running", type=int, default=1000, help="full sessions that are updated (default 1000)"
    )
    parser.add_argument("--clients", type=int, default=32, help="clients that update them (default 32)")
    parser.add_argument(
        "--left", type=int, default=100, help="items that have left the session of add-old (default 100)"
    )
    return parser.parse_args(arguments)


async def measure_size(
    world: Sessions, size: int, options: argparse.Namespace, progress: Progress, outcome: Outcome
) -> None:
    """Grow the data set to a size, warm up, and measure every chosen operation by one client."""
    task = progress.add_task(f"load {size:,}", total=size - world.size)
    outcome.loaded[size] = await grow_sessions(world, size, lambda more: progress.update(task, advance=more))
    operations = [each for each in chosen(EVERY, options.only) if each in OPERATIONS]
    if operations:
        await warm(world, operations, options, progress)
        await measure_all(world, operations, options, progress, outcome)


async def bench(options: argparse.Namespace, settings: Settings, endpoint: Endpoint, console: Console) -> int:
    """Load, warm up, measure and report; return the exit status."""
    outcome = Outcome()
    async with migrated(settings, endpoint) as (driver, schema):
        encoder = Observed(synthetic_like(schema.encoder))
        world = await make_sessions(settings, driver, options.seed, encoder)
        env = await environment_of(world, options, endpoint)
        with bar(console) as progress:
            task = progress.add_task("fill sessions", total=options.running)
            await add_running(
                world, options.running, options.left, lambda more: progress.update(task, advance=more)
            )
            for size in sizes_of(options):
                await measure_size(world, size, options, progress, outcome)
            many = [each for each in chosen(EVERY, options.only) if each in MANY]
            if many:
                await measure_all(world, many, options, progress, outcome, options.clients)
    if options.json and outcome.results:
        run = options_of(options, "running", "clients", "left")
        report.write_json(options.json, outcome.results, env, run, outcome.loaded)
    show(outcome, env, console, as_markdown=options.markdown, columns=COLUMNS, loaders=LOADERS)
    return 1 if outcome.failed else 0


def main() -> int:
    """Run from the command line."""
    return run_command(parse(), EVERY, provide_server, bench, width=190)


if __name__ == "__main__":
    raise SystemExit(main())
