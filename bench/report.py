"""Reports of a run: tables for a terminal or a document, and JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import neo4j
from rich.table import Table

from bench.measure import Result
from bench.statements import Profile
from prefrontal.graph.bootstrap.services import Services

FLAT = 1.5
"""A multiple that grows by no more than this factor over the sizes counts as flat."""

_COLUMNS = (
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
    first = min((r for r in results if r.name == result.name), key=lambda r: r.size)
    return None if first is result else result.multiple / first.multiple


def rows(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """Return the cells of the table, in the order of `_COLUMNS`."""
    order = {name: number for number, name in enumerate(dict.fromkeys(r.name for r in results))}
    cells: list[tuple[str, ...]] = []
    for r in sorted(results, key=lambda r: (order[r.name], r.size)):
        factor = growth(r, results)
        aim = f"≤ {r.aim:g} ×" if r.aim else f"≥ {r.aim_rows_per_s:g}/s" if r.aim_rows_per_s else "–"
        cells.append(
            (
                r.title,
                f"{r.size:,}",
                str(r.n),
                f"{r.p50_ms:.2f}",
                f"{r.p95_ms:.2f}",
                f"{r.multiple:.1f}",
                aim,
                "yes" if r.met else "no",
                f"{r.rows_per_s:,.0f}" if r.rows_per_s else "",
                str(r.statements),
                "–" if r.statements_p50_ms is None else f"{r.statements_p50_ms:.2f}",
                "–" if r.db_hits is None else f"{r.db_hits:,}",
                "" if factor is None else f"{factor:.2f}" + ("" if factor <= FLAT else " (not flat)"),
            )
        )
    return cells


def units(results: Sequence[Result]) -> str:
    """Return a line with the times of the unit."""
    medians = [r.unit_p50_ms for r in results]
    return (
        f"unit: Bolt RETURN 1 through async execute_read, p50 {min(medians):.2f}–{max(medians):.2f} ms "
        "beside the operations"
    )


def table(results: Sequence[Result]) -> Table:
    """Return the table for a terminal."""
    shown = Table(caption=units(results))
    for number, name in enumerate(_COLUMNS):
        shown.add_column(name, justify="left" if number == 0 else "right", no_wrap=number > 0)
    for result, cells in zip(_in_order(results), rows(results), strict=True):
        shown.add_row(*cells, style=None if result.met else "red")
    return shown


def _in_order(results: Sequence[Result]) -> list[Result]:
    order = {name: number for number, name in enumerate(dict.fromkeys(r.name for r in results))}
    return sorted(results, key=lambda r: (order[r.name], r.size))


def markdown(results: Sequence[Result]) -> str:
    """Return the table for a document."""
    lines = ["| " + " | ".join(_COLUMNS) + " |", "|---|" + "---:|" * (len(_COLUMNS) - 1)]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows(results)]
    return "\n".join(lines) + f"\n\n{units(results)}\n"


def write_json(
    path: Path, results: Sequence[Result], env: dict[str, Any], run: dict[str, Any], loaded: dict[int, float]
) -> None:
    """Write the environment, the options and all results as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "environment": env,
        "run": run,
        "load_rows_per_s": {str(size): rate for size, rate in loaded.items()},
        "unit": {"statement": "RETURN 1", "p50_ms": min(r.unit_p50_ms for r in results)},
        "operations": [{**r.as_json(), "growth": growth(r, results)} for r in _in_order(results)],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def write_profiles(folder: Path, result: Result, profiles: Sequence[Profile]) -> Path:
    """Write the profiles of an operation's statements to a file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.name}-{result.size}.txt"
    times = f"{result.p50_ms:.2f} ms, {result.multiple:.1f} × the unit"
    parts = [f"{result.title}, {result.size:,} observations: {times}\n"]
    parts += [f"\n{p.name}: {p.db_hits:,} db hits, {p.rows} rows\n{p.table}\n" for p in profiles]
    path.write_text("".join(parts), encoding="utf-8")
    return path
