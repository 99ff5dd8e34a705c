"""The command `python -m bench`: times the use cases at growing sizes of the data set."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import report
from bench.cortex_operations import CORTEX_OPERATIONS
from bench.cortex_world import grow_cortex
from bench.http_operations import HTTP_OPERATIONS
from bench.measure import FAILURES, Result, measure, warm_up
from bench.operations import OPERATIONS as SERVICE_OPERATIONS
from bench.operations import Operation
from bench.server import provide_server
from bench.web import served
from bench.world import GOALS, World, grow, make_world
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate

OPERATIONS = (*SERVICE_OPERATIONS, *CORTEX_OPERATIONS, *HTTP_OPERATIONS)
RESULTS = Path(__file__).parent / "results"


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--sizes", default="1000,10000,100000", help="numbers of observations to measure at, ascending"
    )
    parser.add_argument(
        "--rounds", type=int, default=200, help="largest number of runs per operation (default 200)"
    )
    parser.add_argument(
        "--seconds", type=float, default=15.0, help="largest number of seconds per operation (default 15)"
    )
    parser.add_argument(
        "--warmup", type=float, default=60.0, help="seconds of warm-up at each size (default 60)"
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="measure only this operation; a name or a pattern, repeatable",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="write the query plans of operations that miss their aim to bench/results",
    )
    parser.add_argument("--seed", type=int, default=20_250_101, help="seed of the random data")
    parser.add_argument("--heap", default="2g", help="heap of an embedded server (default 2g)")
    parser.add_argument(
        "--page-cache", default="512m", help="page cache of an embedded server (default 512m)"
    )
    parser.add_argument("--list", action="store_true", help="print the operations and exit")
    return parser.parse_args(arguments)


def chosen(only: Sequence[str]) -> list[Operation]:
    """Return the operations that match `only`, or all; exit if none matches."""
    found = [o for o in OPERATIONS if not only or any(fnmatch(o.name, name) for name in only)]
    if not found:
        raise SystemExit(f"no such operation; known: {', '.join(o.name for o in OPERATIONS)}")
    return found


def bar(console: Console) -> Progress:
    """Return the progress bars of a run."""
    return Progress(
        TextColumn("{task.description:<40}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=not console.is_terminal,
    )


async def load(world: World, size: int, progress: Progress) -> float:
    """Grow the data set to `size` with a progress bar and return the observations loaded per second."""
    before = world.size
    first = not world.goal_ids
    task = progress.add_task(f"load {size:,}", total=size - before)

    def advance(number: int) -> None:
        note = f", {len(world.goal_ids):,}/{GOALS:,} goals" if first and number == 0 else ""
        progress.update(task, advance=number, description=f"load {size:,}{note}")

    rate = await grow(world, size, advance)
    progress.update(task, description=f"load {size:,}: {rate:,.0f} rows/s")
    actions = progress.add_task(f"load {size:,} actions", total=size - world.action_number)

    def loaded(number: int) -> None:
        progress.update(actions, advance=number)

    await grow_cortex(world, size, loaded)
    return rate


@dataclass
class Outcome:
    """The results of a run."""

    results: list[Result] = field(default_factory=list)
    loaded: dict[int, float] = field(default_factory=dict)
    profiles: list[Path] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


async def measure_size(
    world: World, size: int, options: argparse.Namespace, progress: Progress, outcome: Outcome
) -> None:
    """Grow the data set to a size, warm up, and measure every chosen operation."""
    operations = chosen(options.only)
    outcome.loaded[size] = await load(world, size, progress)
    task = progress.add_task(f"warm up {size:,} (s)", total=round(options.warmup))

    def warming(share: float) -> None:
        progress.update(task, completed=round(share * options.warmup))

    await warm_up(world, operations, options.warmup, warming)
    task = progress.add_task(f"measure {size:,}", total=len(operations))
    for operation in operations:
        progress.update(task, description=f"measure {size:,}: {operation.name}")
        try:
            result, profiles = await measure(world, operation, rounds=options.rounds, seconds=options.seconds)
        except FAILURES as error:
            outcome.failed.append(f"{operation.name} at {size:,}: {error}")
        else:
            outcome.results.append(result)
            if options.profile and profiles and not result.met:
                outcome.profiles.append(report.write_profiles(RESULTS, result, profiles))
        progress.update(task, advance=1)
    progress.update(task, description=f"measured {size:,}")


async def bench(options: argparse.Namespace, settings: Settings, endpoint: Endpoint, console: Console) -> int:
    """Load, warm up, measure and report; return the exit status."""
    sizes = sorted({int(size) for size in options.sizes.split(",")})
    outcome = Outcome()
    async with (
        connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver,
        AsyncExitStack() as stack,
    ):
        schema = build_services(settings, driver)
        await migrate(schema.database, schema.migrations, schema.clock)
        world = await make_world(settings, driver, options.seed)
        heap = options.heap if endpoint.source == "embedded" else None
        env = await report.environment(world.services, source=endpoint.source, heap=heap)
        if any(operation.http for operation in chosen(options.only)):
            log = RESULTS / "api.log"
            world.http = await stack.enter_async_context(served(settings, endpoint, world.principal, log))
        progress = stack.enter_context(bar(console))
        for size in sizes:
            await measure_size(world, size, options, progress, outcome)
    if options.json and outcome.results:
        run = {name: getattr(options, name) for name in ("sizes", "rounds", "seconds", "warmup", "seed")}
        report.write_json(options.json, outcome.results, env, run, outcome.loaded)
    show(outcome, env, console, as_markdown=options.markdown)
    return 1 if outcome.failed else 0


def show(outcome: Outcome, env: dict[str, Any], console: Console, *, as_markdown: bool) -> None:
    """Print the results."""
    if as_markdown:
        print(report.markdown(outcome.results))
    else:
        console.print(report.table(outcome.results))
    console.print("environment: " + ", ".join(f"{key} {value}" for key, value in env.items()))
    for size, rate in outcome.loaded.items():
        console.print(f"load to {size:,}: {rate:,.0f} rows/s by one client")
    for path in outcome.profiles:
        console.print(f"profile: {path}", soft_wrap=True)
    for line in outcome.failed:
        console.print(f"[red]failed[/]: {line}")


def main() -> int:
    """Run from the command line."""
    options = parse()
    if options.list:
        for operation in OPERATIONS:
            covers = f"  [{', '.join(operation.covers)}]" if operation.covers else ""
            print(f"{operation.name:<24}{operation.title}{covers}")
        return 0
    console = Console(width=None if sys.stdout.isatty() else 170)
    # A long deadline: a slow answer is a result here, not an error.
    settings = load_settings().model_copy(update={"query_timeout_s": 120.0})
    # As in the app: without it structlog would print every statement, and the printing would be measured.
    configure_logs(settings)
    chosen(options.only)
    with provide_server(settings, heap=options.heap, page_cache=options.page_cache) as endpoint:
        return asyncio.run(bench(options, settings, endpoint, console))


if __name__ == "__main__":
    raise SystemExit(main())
