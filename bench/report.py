"""Reports of a run: tables for a terminal or a document, and JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import neo4j
from rich.table import Table

from bench.measure import Result
from bench.statements import Profile
from prefrontal.graph.bootstrap.services import Services

FLAT = 1.5
"""A multiple that grows by no more than this factor over the sizes counts as flat."""

Cell = Callable[[Result, float | None], str]
"""Returns what a column says of a result; the second value is its growth."""


def _aim(r: Result, _: float | None) -> str:
    return f"≤ {r.aim:g} ×" if r.aim else f"≥ {r.aim_rows_per_s:g}/s" if r.aim_rows_per_s else "–"


def _growth(_: Result, factor: float | None) -> str:
    return "" if factor is None else f"{factor:.2f}" + ("" if factor <= FLAT else " (not flat)")


_CELLS: dict[str, Cell] = {
    "operation": lambda r, _: r.title,
    "observations": lambda r, _: f"{r.size:,}",
    "memories": lambda r, _: f"{r.size:,}",
    "turns before": lambda r, _: f"{r.size:,}",
    "past sessions": lambda r, _: f"{r.size:,}",
    "clients": lambda r, _: str(r.clients),
    "n": lambda r, _: str(r.n),
    "p50 ms": lambda r, _: f"{r.p50_ms:.2f}",
    "p95 ms": lambda r, _: f"{r.p95_ms:.2f}",
    "p99 ms": lambda r, _: f"{r.p99_ms:.2f}",
    "× unit": lambda r, _: f"{r.multiple:.1f}",
    "aim": _aim,
    "kept": lambda r, _: ("yes" if r.met else "no") if r.aim or r.aim_rows_per_s else "",
    "runs/s": lambda r, _: f"{r.runs_per_s:,.0f}",
    "rows/s": lambda r, _: f"{r.rows_per_s:,.0f}" if r.rows_per_s else "",
    "statements": lambda r, _: str(r.statements),
    "their ms": lambda r, _: "–" if r.statements_p50_ms is None else f"{r.statements_p50_ms:.2f}",
    "db hits": lambda r, _: "–" if r.db_hits is None else f"{r.db_hits:,}",
    "growth": _growth,
}

COLUMNS = (
    "operation",
    "observations",
    "n",
    "p50 ms",
    "p95 ms",
    "× unit",
    "aim",
    "kept",
    "rows/s",
    "statements",
    "their ms",
    "db hits",
    "growth",
)
"""The columns of the table of `python -m bench`."""


async def environment(services: Services, *, source: str, heap: str | None) -> dict[str, Any]:
    """Return the environment of the measurement: server, versions, platform, cores and load."""
    async with services.database.driver.session() as session:
        result = await session.run(
            "CALL dbms.components() YIELD name, versions, edition "
            "WHERE name STARTS WITH 'Neo4j' RETURN versions[0], edition LIMIT 1"
        )
        version, edition = (await result.single(strict=True)).values()
    return {
        "server": f"{version} {edition}",
        "server_source": source,
        "heap": heap,
        "python": platform.python_version(),
        "driver": neo4j.__version__,
        "platform": platform.platform(terse=True),
        "cores": os.cpu_count(),
        "load_average_at_start": os.getloadavg()[0],
    }


def growth(result: Result, results: Sequence[Result]) -> float | None:
    """Return the multiple divided by the multiple at the smallest size; None for the smallest size."""
    same = (r for r in results if (r.name, r.clients) == (result.name, result.clients))
    first = min(same, key=lambda r: r.size)
    return None if first is result else result.multiple / first.multiple


def rows(results: Sequence[Result], columns: Sequence[str] = COLUMNS) -> list[tuple[str, ...]]:
    """Return the cells of the table, a row for each result."""
    return [tuple(_CELLS[column](r, growth(r, results)) for column in columns) for r in _in_order(results)]


def units(results: Sequence[Result]) -> str:
    """Return a line with the times of the unit."""
    medians = [r.unit_p50_ms for r in results]
    return (
        f"unit: Bolt RETURN 1 through async execute_read, p50 {min(medians):.2f}–{max(medians):.2f} ms "
        "beside the operations"
    )


def table(results: Sequence[Result], columns: Sequence[str] = COLUMNS) -> Table:
    """Return the table for a terminal."""
    shown = Table(caption=units(results))
    for number, name in enumerate(columns):
        shown.add_column(name, justify="left" if number == 0 else "right", no_wrap=number > 0)
    for result, cells in zip(_in_order(results), rows(results, columns), strict=True):
        shown.add_row(*cells, style=None if result.met else "red")
    return shown


def _in_order(results: Sequence[Result]) -> list[Result]:
    order = {name: number for number, name in enumerate(dict.fromkeys(r.name for r in results))}
    return sorted(results, key=lambda r: (order[r.name], r.clients, r.size))


def markdown(results: Sequence[Result], columns: Sequence[str] = COLUMNS) -> str:
    """Return the table for a document."""
    return f"{markdown_rows(columns, rows(results, columns))}\n{units(results)}\n"


def markdown_rows(columns: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return the lines of a table for a document."""
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "---:|" * (len(columns) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines) + "\n"


def write_json(
    path: Path,
    results: Sequence[Result],
    env: dict[str, Any],
    run: dict[str, Any],
    loaded: dict[int, float],
    **more: Any,
) -> None:
    """Write the environment, the options, all results and what else was measured as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "environment": env,
        "run": run,
        "load_rows_per_s": {str(size): rate for size, rate in loaded.items()},
        "unit": {"statement": "RETURN 1", "p50_ms": min((r.unit_p50_ms for r in results), default=None)},
        "operations": [{**r.as_json(), "growth": growth(r, results)} for r in _in_order(results)],
        **more,
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def write_profiles(folder: Path, result: Result, profiles: Sequence[Profile]) -> Path:
    """Write the profiles of an operation's statements to a file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.name}-{result.size}-{result.clients}.txt"
    times = f"{result.p50_ms:.2f} ms, {result.multiple:.1f} × the unit"
    parts = [f"{result.title}, size {result.size:,}: {times}\n"]
    parts += [f"\n{p.name}: {p.db_hits:,} db hits, {p.rows} rows\n{p.table}\n" for p in profiles]
    path.write_text("".join(parts), encoding="utf-8")
    return path
