"""The command `python -m bench.recall`: recall of very many memories of tenants of unequal size.

One data set grows from size to size (`bench.tenants`). At each size it measures searches and contexts for
several numbers of clients, the ingest of messages with the encoder of the process, and the bytes on disk.

The question's vector is ready when a search begins. What is loaded gets made vectors (`--vectors made`), or
those of the encoder (`--vectors encoder`), which takes as long as the ingest of as many messages.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench import ingest, report
from bench.disk import Bytes
from bench.measure import FAILURES, unit, weigh_world
from bench.recall_operations import INGEST, OPERATIONS
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
from bench.tenants import Recall, grow_recall, make_recall
from bench.vectors import Observed, synthetic_like
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.embedded.endpoint import Endpoint

EVERY = (*OPERATIONS, *INGEST)
COLUMNS = (
    "operation", "memories", "clients", "n", "p50 ms", "p95 ms", "p99 ms", "× unit", "aim", "kept", "runs/s",
    "rows/s", "statements", "db hits", "growth",
)  # fmt: skip
_DISK = ("memories", "store bytes a memory", "index bytes a memory", "bytes a memory")
_SHARES = ("part of a batch", "ms", "share")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    add_options(parser, "memories", "1000,10000", seconds=5)
    parser.add_argument("--clients", default="1,8,32", help="numbers of clients (default 1,8,32)")
    parser.add_argument("--callers", default="1,4", help="numbers of clients that ingest (default 1,4)")
    parser.add_argument(
        "--vectors",
        choices=("made", "encoder"),
        default="made",
        help="the vectors of what is loaded: made without a model, or those of the encoder (default made)",
    )
    return parser.parse_args(arguments)


@dataclass
class More:
    """What is measured beside the operations, by size."""

    server: EmbeddedNeo4j | None
    """The server, if it was started here: it can be stopped and weighed."""
    empty: Bytes | None = None
    disk: dict[int, Bytes] = field(default_factory=dict)
    shares: dict[int, list[ingest.Share]] = field(default_factory=dict)

    def disk_rows(self) -> list[tuple[str, ...]]:
        """Return the bytes of a memory, without those of an empty database."""
        if self.empty is None:
            return []
        empty = self.empty
        rows = []
        for size, found in self.disk.items():
            parts = (found.store - empty.store, found.indexes - empty.indexes, found.total - empty.total)
            rows.append((f"{size:,}", *(f"{part / size:,.0f}" for part in parts)))
        return rows


def numbers(text: str) -> list[int]:
    """Return the numbers of an option."""
    return sorted({int(number) for number in text.split(",") if number})


async def measure_size(
    world: Recall, size: int, options: argparse.Namespace, progress: Progress, outcome: Outcome, more: More
) -> None:
    """Grow the data set to a size, weigh it, warm up, and measure."""
    task = progress.add_task(f"load {size:,}", total=size - world.size)
    outcome.loaded[size] = await grow_recall(
        world, size, lambda number: progress.update(task, advance=number)
    )
    if more.server is not None:
        more.disk[size] = await weigh_world(world, more.server)
    every = chosen(EVERY, options.only)
    reading = [each for each in every if each in OPERATIONS]
    adding = [each for each in every if each in INGEST]
    if reading:
        await _ask_all(world, progress)
        await warm(world, reading, options, progress)
        for clients in numbers(options.clients):
            await measure_all(world, reading, options, progress, outcome, clients)
    if adding:
        await warm(world, adding, argparse.Namespace(warmup=min(10.0, options.warmup)), progress)
        for clients in numbers(options.callers):
            await measure_all(world, adding, options, progress, outcome, clients)
    if adding and world.ingest is not None:
        try:
            more.shares[size] = await ingest.divided(world)
        except FAILURES as error:
            outcome.failed.append(f"division of a batch at {size:,}: {error}")


async def _ask_all(world: Recall, progress: Progress) -> None:
    """Ask each question once, so that its vector is ready."""
    every = [each for questions in world.questions.values() for each in questions]
    for question in progress.track(every, description="vectors of the questions"):
        await world.services.search.search(question.caller, question.text)
        await unit(world)


async def bench(
    options: argparse.Namespace,
    settings: Settings,
    own: tuple[Endpoint, EmbeddedNeo4j | None],
    console: Console,
) -> int:
    """Load, measure and report; return the exit status."""
    endpoint, server = own
    outcome, more = Outcome(), More(server)
    async with migrated(settings, endpoint) as (driver, schema):
        real = schema.encoder
        if real is None or options.vectors == "made":
            made = synthetic_like(real)
            encoder = Observed(made)
        else:
            encoder = Observed(real)
        world = await make_recall(settings, driver, options.seed, encoder)
        env = await environment_of(world, options, endpoint)
        env |= {"vectors": options.vectors if real is not None else "made", "encoder": encoder.name}
        if server is not None:
            more.empty = await weigh_world(world, server)
        with bar(console) as progress:
            for size in sizes_of(options):
                await measure_size(world, size, options, progress, outcome, more)
                # A run over very many memories takes long: what is measured is kept.
                if options.json:
                    write(options, outcome, more, env)
    show_all(outcome, more, env, console, as_markdown=options.markdown)
    return 1 if outcome.failed else 0


def write(options: argparse.Namespace, outcome: Outcome, more: More, env: dict[str, Any]) -> None:
    """Write what is measured so far as JSON."""
    disk = {str(size): {"store": found.store, "indexes": found.indexes} for size, found in more.disk.items()}
    shares = {str(size): [each._asdict() for each in found] for size, found in more.shares.items()}
    run = options_of(options, "clients", "callers", "vectors")
    empty = more.empty and more.empty._asdict()
    report.write_json(
        options.json, outcome.results, env, run, outcome.loaded, empty=empty, disk=disk, ingest=shares
    )


def show_all(
    outcome: Outcome, more: More, env: dict[str, Any], console: Console, *, as_markdown: bool
) -> None:
    """Print the tables."""
    show(outcome, env, console, as_markdown=as_markdown, columns=COLUMNS)
    tables: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = [
        ("Bytes on disk", _DISK, more.disk_rows())
    ]
    for size, found in more.shares.items():
        tables.append((f"A batch at {size:,} memories", _SHARES, ingest.cells(found)))
    for title, columns, rows in tables:
        if as_markdown:
            print(f"{title}:\n\n{report.markdown_rows(columns, rows)}")
        else:
            shown = Table(*columns, title=title)
            for row in rows:
                shown.add_row(*row)
            console.print(shown)


def main() -> int:
    """Run from the command line."""
    return run_command(parse(), EVERY, provide_own, bench, width=190)


if __name__ == "__main__":
    raise SystemExit(main())
