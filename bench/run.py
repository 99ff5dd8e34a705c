"""What the commands that measure share: options, the server, progress, the measuring, the printed results."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeVar

from neo4j import AsyncDriver
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import report
from bench.measure import FAILURES, Result, measure, warm_up
from bench.operations import Operation
from bench.statements import Profile
from bench.world import World
from prefrontal.api.logs import configure_logs
from prefrontal.api.server import settle
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from prefrontal.graph.wording import counted

RESULTS = Path(__file__).parent / "results"
Given = TypeVar("Given")


def run_command(
    options: argparse.Namespace,
    operations: Sequence[Operation],
    provide: Callable[..., AbstractContextManager[Given]],
    bench: Callable[[argparse.Namespace, Settings, Given, Console], Awaitable[int]],
    *,
    width: int,
) -> int:
    """Measure, or list the operations; return the exit status.

    Args:
        options: The options of the run.
        operations: All operations of the command.
        provide: Provides the server (`bench.server`).
        bench: Loads, measures and reports, and returns the exit status.
        width: The width of the tables where the output is no terminal.
    """
    if options.list:
        show_list(operations)
        return 0
    console = Console(width=None if sys.stdout.isatty() else width)
    settings = measuring_settings()
    # As in the app: without it structlog would print every statement, and the printing would be measured.
    configure_logs(settings)
    chosen(operations, options.only)

    async def measured(given: Given) -> int:
        return await bench(options, settings, given, console)

    with provide(settings, heap=options.heap, page_cache=options.page_cache) as given:
        return asyncio.run(measured(given))


@asynccontextmanager
async def migrated(settings: Settings, endpoint: Endpoint) -> AsyncIterator[tuple[AsyncDriver, Services]]:
    """Connect to a database with its schema; yield the driver, and services that know the encoder."""
    async with connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver:
        services = build_services(settings, driver)
        await migrate(services.database, services.migrations, services.clock)
        yield driver, services


async def environment_of(world: World, options: argparse.Namespace, endpoint: Endpoint) -> dict[str, Any]:
    """Return what the results depend on besides the options."""
    heap = options.heap if endpoint.source == "embedded" else None
    return await report.environment(world.services, source=endpoint.source, heap=heap)


def add_options(parser: argparse.ArgumentParser, what: str, sizes: str, *, seconds: float) -> None:
    """Add the options of a run; `what` is counted by the sizes."""
    parser.add_argument("--sizes", default=sizes, help=f"numbers of {what} to measure at (default {sizes})")
    parser.add_argument(
        "--rounds", type=int, default=200, help="largest number of runs per operation (default 200)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=seconds,
        help=f"largest number of seconds per operation (default {seconds:g})",
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
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
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


def sizes_of(options: argparse.Namespace) -> list[int]:
    """Return the sizes to measure at, ascending."""
    return sorted({int(size) for size in options.sizes.split(",")})


def chosen(operations: Sequence[Operation], only: Sequence[str]) -> list[Operation]:
    """Return the operations that match `only`, or all; exit if none matches."""
    found = [o for o in operations if not only or any(fnmatch(o.name, name) for name in only)]
    if not found:
        raise SystemExit(f"no such operation; known: {', '.join(o.name for o in operations)}")
    return found


def show_list(operations: Sequence[Operation]) -> None:
    """Print the operations, with the promises that they measure."""
    for operation in operations:
        covers = f"  [{', '.join(operation.covers)}]" if operation.covers else ""
        print(f"{operation.name:<24}{operation.title}{covers}")


def measuring_settings() -> Settings:
    """Return the settings of a run, with a long deadline: a slow answer is a result here, not an error."""
    return load_settings().model_copy(update={"query_timeout_s": 120.0})


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


@dataclass
class Outcome:
    """The results of a run."""

    results: list[Result] = field(default_factory=list)
    loaded: dict[int, float] = field(default_factory=dict)
    profiles: list[Path] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


async def warm(
    world: World, operations: Sequence[Operation], options: argparse.Namespace, progress: Progress
) -> None:
    """Run the operations for as long as the options say."""
    task = progress.add_task(f"warm up {world.size:,} (s)", total=round(options.warmup))

    def warming(share: float) -> None:
        progress.update(task, completed=round(share * options.warmup))

    await warm_up(world, operations, options.warmup, warming)
    # As the service does at its start: what was loaded is no garbage to look for.
    settle()


async def measure_all(
    world: World,
    operations: Sequence[Operation],
    options: argparse.Namespace,
    progress: Progress,
    outcome: Outcome,
    clients: int = 1,
) -> None:
    """Measure the operations at the present size with so many clients at once."""
    what = f"measure {world.size:,}" + (f" by {clients}" if clients > 1 else "")
    task = progress.add_task(what, total=len(operations))
    for operation in operations:
        progress.update(task, description=f"{what}: {operation.name}")
        try:
            result, profiles = await measure(
                world, operation, rounds=options.rounds, seconds=options.seconds, clients=clients
            )
        except FAILURES as error:
            outcome.failed.append(f"{operation.name} at {world.size:,}: {error}")
        else:
            outcome.results.append(result)
            _keep(result, profiles, options, outcome)
        progress.update(task, advance=1)
    progress.update(task, description=what)


def _keep(result: Result, profiles: Sequence[Profile], options: argparse.Namespace, outcome: Outcome) -> None:
    if options.profile and profiles and not result.met:
        outcome.profiles.append(report.write_profiles(RESULTS, result, profiles))


def options_of(options: argparse.Namespace, *more: str) -> dict[str, Any]:
    """Return the options that results depend on."""
    names = ("sizes", "rounds", "seconds", "warmup", "seed", *more)
    return {name: getattr(options, name) for name in names}


def show(
    outcome: Outcome,
    env: dict[str, Any],
    console: Console,
    *,
    as_markdown: bool,
    columns: Sequence[str] = report.COLUMNS,
    loaders: int = 1,
) -> None:
    """Print the results; so many clients have loaded the data."""
    if as_markdown:
        print(report.markdown(outcome.results, columns))
    else:
        console.print(report.table(outcome.results, columns))
    console.print("environment: " + ", ".join(f"{key} {value}" for key, value in env.items()))
    for size, rate in outcome.loaded.items():
        console.print(f"load to {size:,}: {rate:,.0f} rows/s by {counted(loaders, 'client')}")
    for path in outcome.profiles:
        console.print(f"profile: {path}", soft_wrap=True)
    for line in outcome.failed:
        console.print(f"[red]failed[/]: {line}")
