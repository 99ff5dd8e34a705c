"""docs/notebook.md, run as it is written: its code on the demo, and exactly what it prints."""

from __future__ import annotations

import asyncio
import io
import re
from contextlib import redirect_stdout
from typing import Any

import pytest
from neo4j.exceptions import ClientError
from neomodel import db

from prefrontal.api.demo.load import tell_story
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.embedded.endpoint import Endpoint
from tests.support.world import World

CELL = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<printed>.*?)```", re.DOTALL)


def printed(code: str, names: dict[str, Any]) -> str:
    """What a cell prints; `names` holds what the cells before it have defined."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "docs/notebook.md", "exec"), names)
    return out.getvalue()


@pytest.fixture
def login(neo4j: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("URI", neo4j.uri), ("USER", neo4j.user), ("PASSWORD", neo4j.password)):
        monkeypatch.setenv(f"NEO4J_{name}", str(value))


@pytest.mark.nightly("a notebook logs in, and cannot write, with each change")
@pytest.mark.usefixtures("login")
async def test_the_notebook_prints_what_it_says(world: World) -> None:
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    cells = [(cell["code"], cell["printed"]) for cell in CELL.finditer(text)]
    assert len(cells) == text.count("```python\n") == 7
    org = f"{world.org}-demo"
    cells[0] = (cells[0][0].replace('"demo"', f'"{org}"'), cells[0][1])
    story = await tell_story(world.services, org, now=world.clock.now())
    names: dict[str, Any] = {}

    def run() -> list[str]:
        return [printed(code, names) for code, _ in cells]

    try:
        assert await asyncio.to_thread(run) == [expected for _, expected in cells]
    finally:
        await clear_organisation(world.services, story.principal().org)


@pytest.mark.usefixtures("login")
async def test_a_notebook_cannot_write_by_mistake() -> None:
    text = (ROOT / "docs" / "notebook.md").read_text(encoding="utf-8")
    first = CELL.search(text)
    assert first
    names: dict[str, Any] = {}
    connect = first["code"].partition("demo = ")[0]

    def run() -> None:
        printed(connect, names)
        try:
            with pytest.raises(ClientError, match="Writing in read access mode not allowed"):
                db.cypher_query("CREATE (:Tag)")
        finally:
            db.rollback()
            db.close_connection()
            names["driver"].close()

    await asyncio.to_thread(run)
