"""The turn of the README, run as it stands, by a process of its own."""

from __future__ import annotations

import asyncio
import os
import re
import sys

from prefrontal.graph.config.settings import ROOT
from tests.web.conftest import Site

TURN = re.compile(r"```python\n(?P<code>import os.*?)```", re.DOTALL)


async def test_the_turn_of_the_readme_founds_a_goal_and_shows_it(site: Site) -> None:
    first, *context = await turn(site)
    assert first == "Observation promoted to goal"
    assert '"Ann needs a cake by Friday." (medium, pending, 0%)' in "\n".join(context)
    rows = await site.world.rows(
        "MATCH (a:PendingAction {org_id: $org}) RETURN a.title AS title ORDER BY a.uid DESC LIMIT 1"
    )
    assert rows == [{"title": "Ask the bakery what a cake costs"}]

    # Whoever runs it again has another turn.
    first, *_ = await turn(site)
    assert first == "Observation has exactly the text of another one that is evidence of a goal"
    turns = await site.world.rows("MATCH (t:Turn {org_id: $org}) RETURN t.status AS status")
    assert turns == [{"status": "complete"}] * 2


async def turn(site: Site) -> list[str]:
    """Run the turn that the README shows, and return the lines that it prints."""
    shown = TURN.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert shown
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        shown["code"],
        env={**os.environ, "PREFRONTAL_URL": site.url, "TOKEN": site.token()},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, wrong = await process.communicate()

    assert (process.returncode, wrong.decode()) == (0, "")
    return said.decode().splitlines()
