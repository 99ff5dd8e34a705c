"""The command `python -m bench.pages`: what the workbench weighs, and how fast it draws large lineages.

For each number of nodes a lineage of that size is drawn in a headless Chromium without a graphics card, as
CI has it: a person's browser is faster. The service's own limit of nodes is raised for it.

    answer        the slowest answer of the API until then, most of it the lineage
    first paint   from the request of the page, with nothing cached, to the first contents
    drawn         to the picture with all nodes
    frame         the time between two frames while the picture is moved for three seconds
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from playwright.async_api import Browser, async_playwright
from rich.console import Console
from rich.table import Table

from bench import prose
from bench.run import measuring_settings, migrated
from bench.server import provide_server
from bench.web import serving
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.chromium import installed

EVIDENCE = 9
"""Observations for each goal of a lineage."""
_FLAGS = ["--no-sandbox", "--disable-gpu"]
_PICTURE = "document.querySelector('.picture-box')?._cyreg?.cy"
_FRAMES = f"""async () => {{
  const core = {_PICTURE}, times = [];
  let last = performance.now();
  for (const end = last + 3000; last < end;) {{
    core.panBy({{ x: Math.sin(last / 200) * 12, y: Math.cos(last / 200) * 8 }});
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }}
  return times.slice(1);
}}"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_ANSWER = """Math.max(...performance.getEntriesByType('resource')
  .filter(each => each.name.endsWith('/graphql')).map(each => each.duration))"""
_WEIGHT = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
  .filter(each => !each.name.endsWith('/graphql'))
  .reduce((sum, each) => sum + each.encodedBodySize, 0)"""


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__)
    parser.add_argument("--sizes", default="200,1000,2000", help="numbers of nodes (default 200,1000,2000)")
    return parser.parse_args(arguments)


async def grow(services: Any, caller: Any, size: int) -> str:
    """Create goals below one, each with evidence, so many nodes in all; return the id of the upper goal."""
    random = Random(size)
    goals = size // (EVIDENCE + 1)
    texts = [ObservationDraft(content=prose.text(random)[:300]) for _ in range(goals * EVIDENCE)]
    made = []
    for start in range(0, len(texts), 100):
        made += await services.scratch.service.add(caller, texts[start : start + 100])
    upper: list[str] = []
    for number in range(goals):
        evidence = made[number * EVIDENCE : (number + 1) * EVIDENCE]
        goal = await services.goals.service.create(
            caller,
            CreateGoal(
                title=f"Goal {number} of {size}",
                # Each goal has at most eight below it.
                parent_goal_id=upper[(number - 1) // 8] if number else None,
                evidence=tuple(EvidenceDraft(observation_id=each.uid) for each in evidence),
            ),
        )
        upper.append(goal.uid)
    return upper[0]


async def measure(browser: Browser, url: str, token: str, goal: str, size: int) -> list[str]:
    """Open the lineage of a goal with nothing cached; return the cells of its row."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    page = await context.new_page()
    await page.goto(f"{url}/lineage/{goal}?depth=20#token={token}")
    async with asyncio.timeout(120):
        while not await page.evaluate(f"({_PICTURE}?.nodes().length ?? 0) >= {size}"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    drawn, answer = await page.evaluate("performance.now()"), await page.evaluate(_ANSWER)
    frames = sorted(await page.evaluate(_FRAMES))
    weight, paint = await page.evaluate(_WEIGHT), await page.evaluate(_PAINT)
    await context.close()
    return [
        f"{size:,}",
        f"{weight / 1024:,.0f}",
        f"{paint:,.0f}",
        f"{answer:,.0f}",
        f"{drawn:,.0f}",
        f"{statistics.median(frames):.1f}",
        f"{frames[int(0.95 * len(frames))]:.1f}",
    ]


async def bench(sizes: Sequence[int], console: Console) -> None:
    """Load, draw, measure and print."""
    settings = measuring_settings()
    configure_logs(settings)
    with tempfile.TemporaryDirectory() as folder:
        registry = Path(shutil.copytree(ROOT / "registry", Path(folder) / "registry"))
        bounds = registry / "operations" / "goals.yaml"
        text = bounds.read_text(encoding="utf-8")
        bounds.write_text(re.sub(r"max_nodes: \d+", f"max_nodes: {max(sizes) + 10}", text), encoding="utf-8")
        settings = settings.model_copy(update={"registry_dir": registry})
        os.environ["PREFRONTAL_REGISTRY_DIR"] = str(registry)
        with provide_server(settings, heap="2g", page_cache="512m") as endpoint:
            async with migrated(settings, endpoint) as (driver, _):
                services = build_services(settings, driver)
                await services.access.create_organisation("pages")
                principal = Principal(org="pages", agent="bench", roles=("writer",))
                caller = await services.access.caller(principal)
                goals = [await grow(services, caller, size) for size in sizes]
                log = ROOT / "bench" / "results" / "pages.log"
                async with (
                    serving("bench.web", "/readyz", settings, endpoint, principal, log) as api,
                    async_playwright() as playwright,
                ):
                    executable = installed(playwright.chromium.executable_path)
                    browser = await playwright.chromium.launch(executable_path=executable, args=_FLAGS)
                    table = Table(
                        *("nodes", "page KiB", "first paint ms", "answer ms", "drawn ms"),
                        *("frame p50 ms", "frame p95 ms"),
                    )
                    for goal, size in zip(goals, sizes, strict=True):
                        nodes = size // (EVIDENCE + 1) * (EVIDENCE + 1)
                        table.add_row(*await measure(browser, api.url, api.token, goal, nodes))
                    await browser.close()
                    console.print(table)


def main() -> int:
    """Run from the command line."""
    sizes = [int(size) for size in parse().sizes.split(",")]
    asyncio.run(bench(sizes, Console(width=None if sys.stdout.isatty() else 120)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
