"""The command `python -m bench`: times the use cases at growing sizes of the data set."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import AsyncExitStack

from rich.console import Console
from rich.progress import Progress

from bench import report
from bench.cortex_operations import CORTEX_OPERATIONS
from bench.cortex_world import grow_cortex
from bench.http_operations import HTTP_OPERATIONS
from bench.operations import OPERATIONS as SERVICE_OPERATIONS
from bench.run import (
    RESULTS,
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
from bench.web import served
from bench.world import GOALS, World, grow, make_world
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.text.encoders import HASH

OPERATIONS = (*SERVICE_OPERATIONS, *CORTEX_OPERATIONS, *HTTP_OPERATIONS)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add_options(parser, "observations", "1000,10000,100000", seconds=15)
    return parser.parse_args(arguments)


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


async def measure_size(
    world: World, size: int, options: argparse.Namespace, progress: Progress, outcome: Outcome
) -> None:
    """Grow the data set to a size, warm up, and measure every chosen operation."""
    operations = chosen(OPERATIONS, options.only)
    outcome.loaded[size] = await load(world, size, progress)
    await warm(world, operations, options, progress)
    await measure_all(world, operations, options, progress, outcome)


async def bench(options: argparse.Namespace, settings: Settings, endpoint: Endpoint, console: Console) -> int:
    """Load, warm up, measure and report; return the exit status."""
    outcome = Outcome()
    # What is measured is the store; `bench.encoder` and `bench.recall` measure what a model costs.
    settings = settings.model_copy(update={"encoder": HASH})
    async with migrated(settings, endpoint) as (driver, _), AsyncExitStack() as stack:
        world = await make_world(settings, driver, options.seed)
        env = await environment_of(world, options, endpoint)
        if any(operation.http for operation in chosen(OPERATIONS, options.only)):
            log = RESULTS / "api.log"
            world.http = await stack.enter_async_context(served(settings, endpoint, world.principal, log))
        progress = stack.enter_context(bar(console))
        for size in sizes_of(options):
            await measure_size(world, size, options, progress, outcome)
    if options.json and outcome.results:
        report.write_json(options.json, outcome.results, env, options_of(options), outcome.loaded)
    show(outcome, env, console, as_markdown=options.markdown)
    return 1 if outcome.failed else 0


def main() -> int:
    """Run from the command line."""
    return run_command(parse(), OPERATIONS, provide_server, bench, width=170)


if __name__ == "__main__":
    raise SystemExit(main())
