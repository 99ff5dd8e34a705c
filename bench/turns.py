"""The command `python -m bench.turns`: what a turn costs, and what its commit costs after very many turns.

At each number of turns that one agent has committed it weighs the database and measures one client; then, at
the end, so many agents at once. Vectors are made without a model, in 0.05 ms each.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench import report
from bench.disk import Bytes
from bench.measure import weigh_world
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
from bench.server import provide_own
from bench.turns_operations import OPERATIONS, TURN
from bench.turns_world import AGENTS, LOADERS, Turns, grow_turns, make_turns
from bench.vectors import Observed, synthetic_like
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.embedded.endpoint import Endpoint

COLUMNS = (
    "operation", "turns before", "clients", "n", "p50 ms", "p95 ms", "× unit", "aim", "kept", "runs/s",
    "rows/s", "statements", "their ms", "db hits", "growth",
)  # fmt: skip
_PHASES = ("phase", "n", "p50 ms", "p95 ms", "limit ms", "kept")
LIMITS = {
    "completion": 100,
    "evaluation": 200,
    "selection": 100,
    "memory_commit": 200,
    "publication": 100,
    "finalization": 100,
}
"""The limits of the phases in milliseconds (source 004, §Performance Targets)."""
_DISK = ("turns", "store bytes a turn", "index bytes a turn", "bytes a turn")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.turns", description=__doc__)
    add_options(parser, "turns before", "1,1000,10000", seconds=10)
    parser.add_argument("--clients", type=int, default=AGENTS, help="agents at once (default 32)")
    return parser.parse_args(arguments)


async def load(world: Turns, size: int, progress: Progress, outcome: Outcome) -> None:
    """Let one agent commit turns until it has so many."""
    task = progress.add_task(f"load {size:,}", total=size - world.size)
    outcome.loaded[size] = await grow_turns(world, size, lambda more: progress.update(task, advance=more))
    # What is measured is not behind a backlog of the load.
    await world.loading.jobs.run_once(world.loading.jobs.named["relay_events"])


def per_turn(empty: Bytes, found: Bytes, turns: int) -> Bytes:
    """Return what one of so many turns takes."""
    return Bytes(max(0, found.store - empty.store) // turns, max(0, found.indexes - empty.indexes) // turns)


async def bench(
    options: argparse.Namespace,
    settings: Settings,
    own: tuple[Endpoint, EmbeddedNeo4j | None],
    console: Console,
) -> int:
    """Load, measure and report; return the exit status."""
    endpoint, server = own
    outcome = Outcome()
    disk: dict[int, Bytes] = {}
    async with migrated(settings, endpoint) as (driver, schema):
        encoder = Observed(synthetic_like(schema.encoder))
        world = await make_turns(settings, driver, options.seed, encoder)
        env = await environment_of(world, options, endpoint)
        empty = await weigh_world(world, server) if server is not None else None
        operations = chosen(OPERATIONS, options.only)
        with bar(console) as progress:
            for size in sizes_of(options):
                await load(world, size, progress, outcome)
                if server is not None and empty is not None:
                    disk[size] = per_turn(empty, await weigh_world(world, server), size)
                await warm(world, operations, options, progress)
                world.phases.clear()
                await measure_all(world, operations, options, progress, outcome)
                # Very many turns take long to load: what is measured is kept.
                write(options, outcome, env, disk)
            if TURN in operations:
                await measure_all(world, [TURN], options, progress, outcome, options.clients)
    write(options, outcome, env, disk)
    show(outcome, env, console, as_markdown=options.markdown, columns=COLUMNS, loaders=LOADERS)
    rows = [[f"{size:,}", *(f"{each:,}" for each in (*found, found.total))] for size, found in disk.items()]
    print(f"Bytes on disk:\n\n{report.markdown_rows(_DISK, rows)}")
    print(
        f"\nPhases of commitTurn at the largest size:\n\n{report.markdown_rows(_PHASES, phase_rows(world))}"
    )
    return 1 if outcome.failed else 0


def phase_rows(world: Turns) -> list[list[str]]:
    """Return the rows of the phases of the measured commits, with the limits of source 004."""
    rows = []
    for phase, limit in LIMITS.items():
        took = sorted(world.phases.get(phase, []))
        if took:
            p50, p95 = (took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.95))
            kept = "yes" if p95 < limit else "no"
            rows.append([phase, str(len(took)), f"{p50:.2f}", f"{p95:.2f}", f"< {limit}", kept])
    return rows


def write(options: argparse.Namespace, outcome: Outcome, env: dict[str, Any], disk: dict[int, Bytes]) -> None:
    """Write what is measured so far as JSON, if a file is named."""
    if options.json and outcome.results:
        run = options_of(options, "clients")
        taken = {str(size): found.total for size, found in disk.items()}
        report.write_json(options.json, outcome.results, env, run, outcome.loaded, bytes_a_turn=taken)


def main() -> int:
    """Run from the command line."""
    return run_command(parse(), OPERATIONS, provide_own, bench, width=190)


if __name__ == "__main__":
    raise SystemExit(main())
